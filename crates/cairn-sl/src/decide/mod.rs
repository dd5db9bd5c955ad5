//! Chooses the procedure for a question by the fragment that it is in.

pub mod bounded;
pub mod chains;
pub mod inductive;
pub mod lists;
mod unfold;

use crate::budget::{Answer, Budget, Reason};
use crate::evaluate::Evaluator;
use crate::formula::Formula;
use crate::model::{Model, Value};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// An answer, and who gave it.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The answer.
    pub answer: Answer,
    /// The procedure that gave it, or the last one that tried.
    pub procedure: &'static str,
}

/// What a conjunction of formulas asks, where it is made of symbolic heaps.
#[derive(Clone, Debug)]
pub enum Question {
    /// Whether one of these has a model.
    Satisfiability(Vec<SymbolicHeap>),
    /// Whether one of the first has a model that is no model of any of the second.
    Entailment(Vec<SymbolicHeap>, Vec<SymbolicHeap>),
}

/// Normal forms with more disjuncts than this are left to procedures that do without.
const MOST_DISJUNCTS: usize = 64;

impl Question {
    /// The question that a conjunction asks; else why it is none about symbolic heaps.
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
        let left = SymbolicHeap::disjuncts(&Formula::and(positive), MOST_DISJUNCTS)?;
        if negative.is_empty() {
            return Ok(Question::Satisfiability(left));
        }
        let right = SymbolicHeap::disjuncts(&Formula::or(negative), MOST_DISJUNCTS)?;
        Ok(Question::Entailment(left, right))
    }
}

/// Whether all the formulas hold in some model.
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

/// Answers a question about symbolic heaps.
pub fn decide_question(signature: &Signature, question: &Question, budget: &Budget) -> Decision {
    let nobody = Answer::Unknown(Reason::Uncovered("no procedure covers it".to_owned()));
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

/// A model of formulas that have one, checked by evaluating them; `None` where none was found, which says nothing.
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
        // Where the heap may have more in it, a cell more may make the difference.
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
    // What the procedure for inductive predicates finds it has checked itself, also where the evaluator has to give up: at
    // integers that a definition binds, and in large heaps.
    if let Ok(question) = Question::of(assertions)
        && let Ok(Some(mut model)) = inductive::model(signature, &question, budget)
    {
        whole.each_variable(&mut |v| {
            model.stack.entry(v).or_insert_with(|| Value::any(v.sort));
        });
        let part = budget.part(EVALUATION_STEPS);
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
    for depth in 1..=DEEPEST_UNFOLDING {
        let unfolded = unfold::unfolded(signature, assertions, depth)?;
        if let Ok(Some(model)) = bounded::model(signature, &unfolded, budget)
            && let Some(model) = checked(model)
        {
            return Some(restricted(&whole, model));
        }
    }
    None
}

/// Steps for the evaluation of a model that was checked already.
const EVALUATION_STEPS: u64 = 1_000_000;

/// Models with longer lists than this are not looked for.
const DEEPEST_UNFOLDING: usize = 3;

/// The model with free variables only.
fn restricted(formula: &Formula, mut model: Model) -> Model {
    let free = formula.free_variables();
    model.stack.retain(|variable, _| free.contains(variable));
    model
}

type Procedure = fn(&Signature, &Question, &Budget) -> Answer;

/// Procedures for symbolic heaps, in the order in which they are asked: from special and fast to general.
const PROCEDURES: [(&str, Procedure); 3] =
    [(lists::NAME, lists::decide), (chains::NAME, chains::decide), (inductive::NAME, inductive::decide)];

/// Combines the answers for the disjuncts of a question: one model is enough.
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
