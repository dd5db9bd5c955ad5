//! Chooses the procedure for a question by the fragment that it is in.

pub mod bounded;
pub mod inductive;
pub mod lists;

use crate::budget::{Answer, Budget, Reason};
use crate::formula::Formula;
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
const MOST_DISJUNCTS: usize = 4096;

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
    let question = match Question::of(assertions) {
        Ok(question) => question,
        Err(_) => return Decision { answer: bounded::decide(signature, assertions, budget), procedure: bounded::NAME },
    };
    let mut last =
        Decision { answer: Answer::Unknown(Reason::Uncovered("no procedure covers it".to_owned())), procedure: "none" };
    for (procedure, decide) in PROCEDURES {
        let answer = decide(signature, &question, budget);
        let decided = !matches!(answer, Answer::Unknown(Reason::Uncovered(_)));
        last = Decision { answer, procedure };
        if decided {
            return last;
        }
    }
    let answer = bounded::decide(signature, assertions, budget);
    if !matches!(answer, Answer::Unknown(Reason::Uncovered(_))) {
        return Decision { answer, procedure: bounded::NAME };
    }
    last
}

type Procedure = fn(&Signature, &Question, &Budget) -> Answer;

/// Procedures for symbolic heaps, in the order in which they are asked: from special and fast to general.
const PROCEDURES: [(&str, Procedure); 2] = [(lists::NAME, lists::decide), (inductive::NAME, inductive::decide)];

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
