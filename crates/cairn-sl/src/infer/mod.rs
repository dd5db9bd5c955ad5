//! The queries of program analyses: satisfiability, entailment, frame inference, abduction, simplification.
//!
//! Frames and missing heaps come from a match that records unmatched atoms instead of failing.
//! `lists` guesses for list segments, `unfolding` for arbitrary predicates. Every guess is
//! checked: a returned result satisfies the requested entailment according to the decision
//! procedures. All work is charged to the caller's budget. Each guess gets only a part of it, so
//! that a guess that is hard to check does not prevent the others from being tried.

mod lists;
mod unfolding;

use crate::budget::{Answer, Budget, Reason};
use crate::decide::lists::shape;
use crate::decide::{Question, decide_question};
use crate::formula::{Formula, Fresh, Pure, Spatial, Substitution, Term};
use crate::limits;
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// The answer to an entailment query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entailment {
    /// Every model of the left side is a model of the right side.
    Valid,
    /// Some model of the left side is not a model of the right side.
    Invalid,
    /// The entailment is undecided.
    Unknown(Reason),
}

/// Decides whether a symbolic heap has a model.
///
/// ```
/// use cairn_sl::{Answer, Budget, infer, formula::*, signature::Signature, symbolic_heap::SymbolicHeap};
///
/// let mut signature = Signature::new();
/// let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
/// let x = Term::variable(signature.variable("x", Sort::Location(node)));
/// let cell = Spatial::PointsTo(x.clone(), vec![Term::Nil(node)]);
/// let twice = SymbolicHeap { spatial: vec![cell.clone(), cell], ..SymbolicHeap::emp() };
/// assert_eq!(infer::is_satisfiable(&signature, &twice, &Budget::unlimited()), Answer::Unsat);
/// ```
pub fn is_satisfiable(signature: &Signature, heap: &SymbolicHeap, budget: &Budget) -> Answer {
    decide_question(signature, &Question::Satisfiability(vec![heap.clone()]), budget).answer
}

/// Decides whether every model of the left side is a model of the right side.
///
/// ```
/// use cairn_sl::{Budget, infer::{self, Entailment}, formula::*, signature::Signature, symbolic_heap::SymbolicHeap};
///
/// let mut signature = Signature::new();
/// let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
/// let list = signature.add_list_segment("ls", node, 0);
/// let [x, y] = ["x", "y"].map(|name| Term::variable(signature.variable(name, Sort::Location(node))));
/// let heap = |atom| SymbolicHeap { spatial: vec![atom], ..SymbolicHeap::emp() };
/// let cell = heap(Spatial::PointsTo(x.clone(), vec![Term::Nil(node)]));
/// let segment = heap(Spatial::Predicate(list, vec![x, Term::Nil(node)]));
/// assert_eq!(infer::entails(&signature, &cell, &segment, &Budget::unlimited()), Entailment::Valid);
/// assert_eq!(infer::entails(&signature, &segment, &cell, &Budget::unlimited()), Entailment::Invalid);
/// ```
pub fn entails(signature: &Signature, left: &SymbolicHeap, right: &SymbolicHeap, budget: &Budget) -> Entailment {
    match decide_question(signature, &Question::Entailment(vec![left.clone()], vec![right.clone()]), budget).answer {
        Answer::Unsat => Entailment::Valid,
        Answer::Sat => Entailment::Invalid,
        Answer::Unknown(reason) => Entailment::Unknown(reason),
    }
}

/// Infers a frame: a heap such that `left ⊢ right * frame`.
///
/// If a predicate of the left side had to be unfolded, the frame may mention existential variables
/// of the right side. Their quantifiers then extend over the frame.
///
/// ```
/// use cairn_sl::{Budget, infer, formula::*, signature::Signature, symbolic_heap::SymbolicHeap};
///
/// let mut signature = Signature::new();
/// let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
/// let [x, y] = ["x", "y"].map(|name| Term::variable(signature.variable(name, Sort::Location(node))));
/// let [at_x, at_y] = [x, y].map(|v| Spatial::PointsTo(v, vec![Term::Nil(node)]));
/// let left = SymbolicHeap { spatial: vec![at_x.clone(), at_y.clone()], ..SymbolicHeap::emp() };
/// let right = SymbolicHeap { spatial: vec![at_x], ..SymbolicHeap::emp() };
/// let frame = infer::frame(&signature, &left, &right, &Budget::unlimited()).unwrap().unwrap();
/// assert_eq!(frame.spatial, [at_y]);
/// ```
pub fn frame(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<SymbolicHeap>, Reason> {
    let wanted = |guess: &Guess| guess.missing == SymbolicHeap::emp();
    Ok(infer(signature, left, right, budget, wanted)?.map(|guess| guess.frame))
}

/// Abduces a missing heap such that `left * missing ⊢ right` and `left * missing` is satisfiable.
pub fn abduce(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<SymbolicHeap>, Reason> {
    let wanted = |guess: &Guess| guess.frame.spatial.is_empty();
    Ok(infer(signature, left, right, budget, wanted)?.map(|guess| guess.missing))
}

/// Infers a missing heap and a frame such that `left * missing ⊢ right * frame`.
///
/// `left * missing` is satisfiable. `None` means that no solution was found, not that there is none.
///
/// ```
/// use cairn_sl::{Budget, infer, formula::*, signature::Signature, symbolic_heap::SymbolicHeap};
///
/// let mut signature = Signature::new();
/// let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
/// let [x, y] = ["x", "y"].map(|name| Term::variable(signature.variable(name, Sort::Location(node))));
/// let [at_x, at_y] = [x, y].map(|v| Spatial::PointsTo(v, vec![Term::Nil(node)]));
/// let only = |atom: &Spatial| SymbolicHeap { spatial: vec![atom.clone()], ..SymbolicHeap::emp() };
/// let found = infer::bi_abduce(&signature, &only(&at_x), &only(&at_y), &Budget::unlimited()).unwrap();
/// let (missing, frame) = found.expect("the cells do not overlap");
/// assert_eq!((missing.spatial, frame.spatial), (vec![at_y], vec![at_x]));
/// ```
pub fn bi_abduce(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<(SymbolicHeap, SymbolicHeap)>, Reason> {
    Ok(infer(signature, left, right, budget, |_| true)?.map(|guess| (guess.missing, guess.frame)))
}

/// An unchecked candidate for the missing heap and the frame.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Guess {
    missing: SymbolicHeap,
    frame: SymbolicHeap,
}

/// Returns the first wanted guess that passes its check.
fn infer(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
    wanted: impl Fn(&Guess) -> bool,
) -> Result<Option<Guess>, Reason> {
    let mut tried: Vec<Guess> = Vec::new();
    let mut is_right = |guess: Guess| -> Result<Option<Guess>, Reason> {
        if !wanted(&guess) || tried.contains(&guess) {
            return Ok(None);
        }
        tried.push(guess.clone());
        let part = budget.part(limits::GUESS_CHECK_STEPS);
        let assumed = left.clone().separately(guess.missing.clone());
        let goal = right.clone().separately(guess.frame.clone());
        let right = entails(signature, &assumed, &goal, &part) == Entailment::Valid
            && is_satisfiable(signature, &assumed, &part) == Answer::Sat;
        budget.settle(&part);
        budget.spend(0)?;
        Ok(right.then_some(guess))
    };
    if let Some(guess) = lists::guess(signature, left, right, budget)?
        && let Some(guess) = is_right(guess)?
    {
        return Ok(Some(guess));
    }
    for guess in unfolding::guesses(signature, left, right, budget)? {
        if let Some(guess) = is_right(guess)? {
            return Ok(Some(guess));
        }
    }
    for guess in unfolding::divisions(left) {
        if let Some(guess) = is_right(guess)? {
            return Ok(Some(guess));
        }
    }
    Ok(None)
}

/// Renames the existential variables in a missing heap to fresh variables.
///
/// The existential variables of the right side are bound only there.
fn with_own_existentials(
    signature: &Signature,
    mut missing: SymbolicHeap,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
) -> Option<SymbolicHeap> {
    let mut bound = Vec::new();
    missing.each_variable(&mut |v| {
        if (right.existentials.contains(&v) || missing.existentials.contains(&v)) && !bound.contains(&v) {
            bound.push(v);
        }
    });
    missing.existentials = bound;
    if missing.existentials.is_empty() {
        return Some(missing);
    }
    let mut first = signature.variable_count();
    for heap in [left, right, &missing] {
        heap.each_variable(&mut |v| first = first.max(v.number + 1));
    }
    missing.instantiate(&[], &[], &mut Fresh::starting_at(first))
}

/// Simplifies a symbolic heap; returns `None` if it is unsatisfiable.
///
/// Existential variables with a known value are substituted, and implied pure atoms are dropped.
pub fn simplify(signature: &Signature, heap: &SymbolicHeap, budget: &Budget) -> Option<SymbolicHeap> {
    if is_satisfiable(signature, heap, budget) == Answer::Unsat {
        return None;
    }
    let mut heap = heap.clone();
    while let Some((index, variable, term)) = heap.pure.iter().enumerate().find_map(|(index, pure)| {
        let Pure::Equal(a, b) = pure else { return None };
        let solved = |a: &Term, b: &Term| {
            let variable = a.as_variable().filter(|v| heap.existentials.contains(v))?;
            Some((index, variable, b.clone()))
        };
        solved(a, b).or_else(|| solved(b, a))
    }) {
        heap.pure.remove(index);
        heap.existentials.retain(|v| *v != variable);
        match heap.substitute(&Substitution::from_iter([(variable, term)])) {
            Some(next) => heap = next,
            None => return Some(heap),
        }
    }
    heap.spatial.retain(|atom| match atom {
        Spatial::PointsTo(..) => true,
        Spatial::Predicate(id, arguments) => {
            shape::list_shape(signature, *id).is_none_or(|shape| arguments[shape.from] != arguments[shape.to])
        }
    });
    // Drop pure atoms that the rest implies.
    let mut index = 0;
    while index < heap.pure.len() {
        let mut without = heap.clone();
        let removed = without.pure.remove(index);
        let goal = SymbolicHeap { pure: vec![removed.clone()], rest: true, ..SymbolicHeap::emp() };
        let trivial = matches!(&removed, Pure::Equal(a, b) if a == b);
        if trivial
            || (without.existentials.is_empty() && entails(signature, &without, &goal, budget) == Entailment::Valid)
        {
            heap = without;
        } else {
            index += 1;
        }
    }
    let mut used = Vec::new();
    heap.each_variable(&mut |v| used.push(v));
    heap.existentials.retain(|v| used.contains(v));
    Some(heap)
}

/// Decides whether an arbitrary formula has a model.
pub fn is_satisfiable_formula(signature: &Signature, formula: &Formula, budget: &Budget) -> Answer {
    crate::decide::decide(signature, std::slice::from_ref(formula), budget).answer
}
