//! Decision procedures, and the choice among them by fragment.
//!
//! - [`lists`]: symbolic heaps with acyclic list segments.
//! - [`chains`]: entailments with doubly linked and nested segments, by matching.
//! - [`inductive`]: symbolic heaps with arbitrary inductive predicates.
//! - [`bounded`]: boolean combinations, by models of bounded size.

pub mod bounded;
pub mod chains;
pub mod inductive;
pub mod lists;
mod unfold;

use crate::budget::{Answer, Budget, Reason};
use crate::evaluate::Evaluator;
use crate::formula::Formula;
use crate::limits;
use crate::model::{Model, Value};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// An answer together with its origin.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The name of the procedure that gave the answer, or of the last one that tried.
    pub procedure: &'static str,
}

/// The question that a conjunction asks, if it consists of symbolic heaps.
#[derive(Clone, Debug)]
pub enum Question {
    /// Does one of these symbolic heaps have a model?
    Satisfiability(Vec<SymbolicHeap>),
    /// Does one of the first have a model that is not a model of any of the second?
    Entailment(Vec<SymbolicHeap>, Vec<SymbolicHeap>),
}

impl Question {
    /// Extracts the question of a conjunction, or returns why it is not one about symbolic heaps.
    pub fn of(assertions: &[Formula]) -> Result<Question, String> {
        let mut positive = Vec::new();
        let mut negative = Vec::new();
        let flat = assertions.iter().flat_map(|assertion| match assertion {
            Formula::And(parts) => &parts[..],
            single => std::slice::from_ref(single),
        });
        for part in flat {
            match part {
                Formula::Not(inner) if !inner.is_pure() => negative.push((**inner).clone()),
                other => positive.push(other.clone()),
            }
        }
        let left = SymbolicHeap::disjuncts(&Formula::and(positive), limits::MAX_DISJUNCTS)?;
        if negative.is_empty() {
            return Ok(Question::Satisfiability(left));
        }
        let right = SymbolicHeap::disjuncts(&Formula::or(negative), limits::MAX_DISJUNCTS)?;
        Ok(Question::Entailment(left, right))
    }
}

/// Decides whether the conjunction of the formulas has a model.
pub fn decide(signature: &Signature, assertions: &[Formula], budget: &Budget) -> Decision {
    let simplified = bounded::simplify::simplify(assertions);
    let assertions = simplified.as_ref().map_or(assertions, |s| std::slice::from_ref(&s.formula));
    let question = match Question::of(assertions) {
        Ok(question) => question,
        Err(_) => return Decision { answer: bounded::decide(signature, assertions, budget), procedure: bounded::NAME },
    };
    let decision = decide_question(signature, &question, budget);
    if !matches!(decision.answer, Answer::Unknown(Reason::Uncovered(_))) {
        return decision;
    }
    let answer = bounded::decide(signature, assertions, budget);
    if matches!(answer, Answer::Unknown(Reason::Uncovered(_))) {
        decision
    } else {
        Decision { answer, procedure: bounded::NAME }
    }
}

/// Decides a question about symbolic heaps.
pub fn decide_question(signature: &Signature, question: &Question, budget: &Budget) -> Decision {
    let nobody = Answer::Unknown(Reason::Uncovered("no decision procedure covers this fragment".to_owned()));
    let mut last = Decision { answer: nobody, procedure: "none" };
    for (procedure, decide) in PROCEDURES {
        let answer = decide(signature, question, budget);
        let decided = !matches!(answer, Answer::Unknown(Reason::Uncovered(_)));
        last = Decision { answer, procedure };
        if decided {
            break;
        }
    }
    last
}

/// Searches for a model and checks it by evaluation; `None` means that none was found.
pub fn find_model(signature: &Signature, assertions: &[Formula], budget: &Budget) -> Option<Model> {
    let whole = Formula::and(assertions.iter().cloned());
    let checked = |mut model: Model| {
        whole.each_variable(&mut |v| {
            model.stack.entry(v).or_insert_with(|| Value::any(v.sort));
        });
        let holds = Evaluator::new(signature, &model, budget).and_then(|mut e| e.holds(&whole));
        (holds == Ok(true)).then_some(model)
    };
    if let Ok(question) = Question::of(assertions)
        && let Ok(Some(model)) = lists::model(signature, &question, budget)
    {
        // If the heap may contain more cells, one additional cell can be necessary.
        let mut larger = model.clone();
        let sort = signature.location_sorts().find(|(_, l)| l.cell.is_some()).map(|(sort, _)| sort);
        if let Some(sort) = sort {
            let values = signature.fields(sort).iter().map(|f| Value::any(f.sort)).collect();
            larger.heap.insert(Value::Location(sort, u32::MAX - 1), values);
        }
        if let Some(model) = checked(model).or_else(|| checked(larger)) {
            return Some(restricted(&whole, model));
        }
    }
    // The procedure for inductive predicates checks its own models. The evaluator fails on
    // existential integers in definitions and on large heaps, so only an outright contradiction
    // rejects the model.
    if let Ok(question) = Question::of(assertions)
        && let Ok(Some(mut model)) = inductive::model(signature, &question, budget)
    {
        whole.each_variable(&mut |v| {
            model.stack.entry(v).or_insert_with(|| Value::any(v.sort));
        });
        let part = budget.part(limits::EVALUATION_STEPS);
        let holds = Evaluator::new(signature, &model, &part).and_then(|mut e| e.holds(&whole));
        budget.settle(&part);
        if holds != Ok(false) {
            return Some(restricted(&whole, model));
        }
    }
    if let Ok(Some(model)) = bounded::model(signature, assertions, budget)
        && let Some(model) = checked(model)
    {
        return Some(restricted(&whole, model));
    }
    for depth in 1..=limits::MAX_UNFOLDING_DEPTH {
        let unfolded = unfold::unfolded(signature, assertions, depth)?;
        if let Ok(Some(model)) = bounded::model(signature, &unfolded, budget)
            && let Some(model) = checked(model)
        {
            return Some(restricted(&whole, model));
        }
    }
    None
}

/// Restricts the model to the free variables of the formula.
fn restricted(formula: &Formula, mut model: Model) -> Model {
    let free = formula.free_variables();
    model.stack.retain(|variable, _| free.contains(variable));
    model
}

type Procedure = fn(&Signature, &Question, &Budget) -> Answer;

/// The procedures for symbolic heaps, from fast and special to general.
const PROCEDURES: [(&str, Procedure); 3] =
    [(lists::NAME, lists::decide), (chains::NAME, chains::decide), (inductive::NAME, inductive::decide)];

/// Combines the answers for the disjuncts of a question; one model suffices.
pub fn any_sat(answers: impl IntoIterator<Item = Answer>) -> Answer {
    let mut combined = Answer::Unsat;
    for answer in answers {
        match answer {
            Answer::Sat => return Answer::Sat,
            Answer::Unsat => {}
            Answer::Unknown(reason) => combined = Answer::Unknown(reason),
        }
    }
    combined
}
