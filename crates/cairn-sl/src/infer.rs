//! What engines ask: satisfiability, entailment, frames, abduction, simplification.
//!
//! Frames and abduced parts come from a match that leaves over and asks for things instead of failing. They are guesses until they
//! are checked: everything that is returned satisfies the entailment that it was asked for, by the decision procedures.

use crate::budget::{Answer, Budget, Reason};
use crate::decide::lists::matching::{self, GoalAtom, Missing, Place};
use crate::decide::lists::state::{Edge, Node, State};
use crate::decide::lists::{Translation, shape};
use crate::decide::{Question, decide_question};
use crate::formula::{Formula, Pure, Spatial, Substitution, Term};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// Whether an entailment holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entailment {
    /// Every model of the left side is one of the right side.
    Valid,
    /// Some model is not.
    Invalid,
    /// Not decided.
    Unknown(Reason),
}

/// Whether a symbolic heap has a model.
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

/// Whether every model of the left side is one of the right side.
///
/// ```
/// use cairn_sl::{Budget, infer::{self, Entailment}, formula::*, signature::Signature, symbolic_heap::SymbolicHeap};
///
/// let mut signature = Signature::new();
/// let node = signature.add_record("Node", |node| vec![("next".to_owned(), Sort::Location(node))]);
/// let list = signature.add_list_segment("ls", node, 0);
/// let [x, y] = ["x", "y"].map(|name| Term::variable(signature.variable(name, Sort::Location(node))));
/// let cell = SymbolicHeap { spatial: vec![Spatial::PointsTo(x.clone(), vec![Term::Nil(node)])], ..SymbolicHeap::emp() };
/// let segment = SymbolicHeap { spatial: vec![Spatial::Predicate(list, vec![x, Term::Nil(node)])], ..SymbolicHeap::emp() };
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

/// What is left of the left side when the right side is taken out of it: `left ⊢ right * frame`.
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
    let found = bi_abduce(signature, left, right, budget)?;
    Ok(found.filter(|(missing, _)| *missing == SymbolicHeap::emp()).map(|(_, frame)| frame))
}

/// What the left side lacks of the right side: `left * missing ⊢ right`, and the left side with it has a model.
pub fn abduce(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<SymbolicHeap>, Reason> {
    let found = bi_abduce(signature, left, right, budget)?;
    Ok(found.filter(|(_, frame)| frame.spatial.is_empty()).map(|(missing, _)| missing))
}

/// Both at once: `left * missing ⊢ right * frame`, and the left side with what is missing has a model. `None` where none was
/// found, which does not say that there is none.
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
/// let (missing, frame) = found.expect("each is the other's");
/// assert_eq!((missing.spatial, frame.spatial), (vec![at_y], vec![at_x]));
/// ```
pub fn bi_abduce(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<(SymbolicHeap, SymbolicHeap)>, Reason> {
    let guess = match guess(signature, left, right, budget)? {
        Some(guess) => Some(guess),
        None => divided(signature, left, right, budget)?,
    };
    let Some((missing, frame)) = guess else { return Ok(None) };
    let assumed = left.clone().separately(missing.clone());
    let goal = right.clone().separately(frame.clone());
    let consistent = is_satisfiable(signature, &assumed, budget) == Answer::Sat;
    let entailed = entails(signature, &assumed, &goal, budget) == Entailment::Valid;
    Ok((consistent && entailed).then_some((missing, frame)))
}

/// What a match of list segments leaves over and asks for.
fn guess(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<(SymbolicHeap, SymbolicHeap)>, Reason> {
    let mut translation = Translation::new(signature);
    let translated = translation.goal(right).and_then(|goal| Ok((goal, translation.state(left)?)));
    let (goal, state) = match translated {
        Ok(both) => both,
        Err(Reason::Uncovered(_)) => return Ok(None),
        Err(reason) => return Err(reason),
    };
    // With several normal forms, the one where most segments have cells is as good a guess as another.
    let mut last = None;
    state.each_normal_form(budget, &mut |normal| {
        last = Some(normal.clone());
        Ok(true)
    })?;
    let Some(normal) = last else { return Ok(None) };
    let Some(found) = matching::partial(&normal, &goal, &translation.shapes, budget)? else { return Ok(None) };
    let names = Names { translation: &translation, state: &normal, right, filled: &found.filled };
    let mut missing = SymbolicHeap::emp();
    for what in &found.missing {
        match what {
            Missing::Atom(atom) => missing.spatial.push(names.atom(atom)),
            Missing::Equal(a, b) => missing.pure.push(Pure::Equal(names.node(*a), names.node(*b))),
            Missing::Distinct(a, b) => missing.pure.push(Pure::Distinct(names.node(*a), names.node(*b))),
        }
    }
    missing.pure.dedup();
    // A bound variable of the right side that only the missing part determines is bound there.
    let mut bound = Vec::new();
    missing.each_variable(&mut |v| {
        if right.existentials.contains(&v) && !bound.contains(&v) {
            bound.push(v);
        }
    });
    if !bound.is_empty() {
        let mut first = signature.variable_count();
        left.each_variable(&mut |v| first = first.max(v.number + 1));
        right.each_variable(&mut |v| first = first.max(v.number + 1));
        let mut fresh = crate::formula::Fresh::starting_at(first);
        missing.existentials = bound;
        match missing.instantiate(&[], &[], &mut fresh) {
            Some(renamed) => missing = renamed,
            None => return Ok(None),
        }
    }
    let mut frame = SymbolicHeap { rest: left.rest, ..SymbolicHeap::emp() };
    for &index in &found.left_over {
        let (address, edge) = &normal.atoms()[index];
        frame.spatial.push(match edge {
            Edge::Cell(fields) => {
                Spatial::PointsTo(names.node(*address), fields.iter().map(|&f| names.node(f)).collect())
            }
            Edge::Segment(shape, target) => names.segment(*shape, names.node(*address), names.node(*target)),
        });
    }
    Ok(Some((missing, frame)))
}

/// Terms for nodes.
struct Names<'a, 's> {
    translation: &'a Translation<'s>,
    state: &'a State,
    right: &'a SymbolicHeap,
    filled: &'a [Option<Node>],
}

impl Names<'_, '_> {
    fn node(&self, node: Node) -> Term {
        self.translation.term(node, self.state)
    }

    fn place(&self, place: Place) -> Term {
        match place {
            Place::Node(node) => self.node(node),
            Place::Hole(hole) => match self.filled[hole] {
                Some(node) => self.node(node),
                None => Term::variable(self.right.existentials[hole]),
            },
        }
    }

    fn segment(&self, shape: usize, from: Term, to: Term) -> Spatial {
        let shape::ListShape { from: first, .. } = self.translation.shapes[shape];
        let arguments = if first == 0 { vec![from, to] } else { vec![to, from] };
        Spatial::Predicate(self.translation.predicate(shape), arguments)
    }

    fn atom(&self, atom: &GoalAtom) -> Spatial {
        match atom {
            GoalAtom::Cell(address, fields) => {
                Spatial::PointsTo(self.place(*address), fields.iter().map(|&f| self.place(f)).collect())
            }
            GoalAtom::Segment(shape, from, to) => self.segment(*shape, self.place(*from), self.place(*to)),
        }
    }
}

/// Left sides with more atoms than this are not divided by trying.
const MOST_TRIED: usize = 8;

/// A frame for predicates that the match does not know: the atoms without which the right side is still entailed.
fn divided(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<(SymbolicHeap, SymbolicHeap)>, Reason> {
    if left.spatial.len() > MOST_TRIED || left.rest {
        return Ok(None);
    }
    for taken in (0..1u32 << left.spatial.len()).rev() {
        budget.spend(1)?;
        let mut used = left.clone();
        let chosen = |wanted: bool| {
            let atoms = left.spatial.iter().enumerate().filter(move |(i, _)| (taken & (1 << i) != 0) == wanted);
            atoms.map(|(_, atom)| atom.clone()).collect::<Vec<_>>()
        };
        used.spatial = chosen(true);
        if entails(signature, &used, right, budget) == Entailment::Valid {
            return Ok(Some((SymbolicHeap::emp(), SymbolicHeap { spatial: chosen(false), ..SymbolicHeap::emp() })));
        }
    }
    Ok(None)
}

/// A symbolic heap that means the same and says less: bound variables that equal something are replaced by it, and what is true
/// anyway is left out. `None` where it has no model.
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
    // A statement about the stack that the rest entails goes without saying.
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

/// Whether a formula has a model; any formula, not only a symbolic heap.
pub fn is_satisfiable_formula(signature: &Signature, formula: &Formula, budget: &Budget) -> Answer {
    crate::decide::decide(signature, std::slice::from_ref(formula), budget).answer
}
