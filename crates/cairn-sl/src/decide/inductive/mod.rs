//! Symbolic heaps with inductive predicates of any shape.
#![allow(missing_docs)]

pub mod base_pairs;
pub mod flat;
pub mod search;
pub mod shape;

use super::{Question, any_sat};
use crate::budget::{Answer, Budget, Reason};
use crate::formula::Spatial;
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// The procedure's name.
pub const NAME: &str = "inductive";

/// Decides a question about inductive predicates.
pub fn decide(signature: &Signature, question: &Question, budget: &Budget) -> Answer {
    match question {
        Question::Satisfiability(heaps) => any_sat(heaps.iter().map(|heap| satisfiable(signature, heap, budget))),
        Question::Entailment(..) => Answer::Unknown(Reason::Uncovered("later".to_owned())),
    }
}

fn called(heap: &SymbolicHeap) -> impl Iterator<Item = usize> + '_ {
    heap.spatial.iter().filter_map(|s| match s {
        Spatial::Predicate(p, _) => Some(p.0 as usize),
        Spatial::PointsTo(..) => None,
    })
}

fn satisfiable(signature: &Signature, heap: &SymbolicHeap, budget: &Budget) -> Answer {
    let definitions = match flat::definitions(signature, called(heap)) {
        Ok(definitions) => definitions,
        Err(why) => return Answer::Unknown(Reason::Uncovered(why)),
    };
    let mut translation = flat::Translation::new(definitions.nils);
    let Some(start) = translation.heap(heap) else { return Answer::Unknown(Reason::Uncovered("too large".into())) };
    match search::search(&definitions, &start, &translation.variables, budget) {
        Ok(search::Found::Derivation) if !search::has_numbers(&definitions, &start) => Answer::Sat,
        Ok(search::Found::Nothing) => Answer::Unsat,
        Ok(_) => {
            match base_pairs::BasePairs::compute(&definitions, budget).and_then(|p| p.is_consistent(definitions.nils, &start, &translation.variables, budget)) {
                Ok(false) => Answer::Unsat,
                Ok(true) if !search::has_numbers(&definitions, &start) => Answer::Sat,
                Ok(true) => Answer::Unknown(Reason::Uncovered("numbers".into())),
                Err(reason) => reason.into(),
            }
        }
        Err(reason) => reason.into(),
    }
}
