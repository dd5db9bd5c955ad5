//! Symbolic heaps with arbitrary inductive predicates.
//!
//! All procedures of this folder work on the representation in `flat.rs`. Satisfiability is decided
//! by `search.rs` and `base_pairs.rs`; if integers occur, by `derivations/` or by a model that
//! `models.rs` finds. Entailments are proved by `prove/` or refuted by `refute.rs`.
//! `model_check.rs` checks every model and counter-model before it becomes an answer, and
//! `witness.rs` translates models for callers.

mod base_pairs;
mod derivations;
mod facts;
mod flat;
mod model_check;
mod models;
mod prove;
mod refute;
mod search;
mod shape;
#[cfg(test)]
mod tests;
mod witness;

use rustc_hash::FxHashSet;

use self::base_pairs::BasePairs;
use self::facts::Knowledge;
use self::flat::{Definitions, Flat, Translation, Variables};
pub(crate) use self::models::Bounds;
use self::prove::{Goal, Prover};
pub use self::witness::model;
use super::{Question, any_sat};
use crate::budget::{Answer, Budget, Reason};
use crate::formula::{Sort, Spatial};
use crate::limits;
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// The name of the procedure.
pub const NAME: &str = "inductive";

/// Decides a question about inductive predicates.
pub fn decide(signature: &Signature, question: &Question, budget: &Budget) -> Answer {
    match question {
        Question::Satisfiability(heaps) => any_sat(heaps.iter().map(|heap| satisfiable(signature, heap, budget))),
        Question::Entailment(left, right) => any_sat(left.iter().map(|left| entailed(signature, left, right, budget))),
    }
}

fn uncovered(why: &str) -> Answer {
    Answer::Unknown(Reason::Uncovered(why.to_owned()))
}

fn called(heap: &SymbolicHeap) -> impl Iterator<Item = usize> + '_ {
    heap.spatial.iter().filter_map(|s| match s {
        Spatial::Predicate(p, _) => Some(p.0 as usize),
        Spatial::PointsTo(..) => None,
    })
}

/// Returns whether truth values occur.
///
/// The procedures here assume infinite domains, which holds for locations and integers but not for truth values.
fn has_truth_values(heap: &SymbolicHeap) -> bool {
    let mut found = heap.existentials.iter().any(|v| v.sort == Sort::Bool);
    heap.each_variable(&mut |v| found |= v.sort == Sort::Bool);
    found
}

const TRUTH_VALUES: &str = "truth values in a symbolic heap with predicates";

const TOO_LARGE: &str = "a number is too large";

fn satisfiable(signature: &Signature, heap: &SymbolicHeap, budget: &Budget) -> Answer {
    if has_truth_values(heap) {
        return uncovered(TRUTH_VALUES);
    }
    let definitions = match flat::definitions(signature, called(heap)) {
        Ok(definitions) => definitions,
        Err(why) => return uncovered(&why),
    };
    let mut translation = Translation::new(definitions.nils);
    let Some(flat) = translation.heap(heap) else { return uncovered(TOO_LARGE) };
    consistent(&definitions, &flat, &translation.variables, budget).unwrap_or_else(Answer::Unknown)
}

fn consistent(
    definitions: &Definitions,
    heap: &Flat,
    variables: &Variables,
    budget: &Budget,
) -> Result<Answer, Reason> {
    let exact = !search::has_numbers(definitions, heap);
    match search::search(definitions, heap, variables, budget)? {
        search::Found::Derivation(_) if exact => return Ok(Answer::Sat),
        search::Found::Derivation(_) => {}
        search::Found::Nothing => return Ok(Answer::Unsat),
        search::Found::Growth => {
            let pairs = BasePairs::compute(definitions, budget)?;
            match pairs.is_consistent(definitions.nils, heap, variables, budget)? {
                false => return Ok(Answer::Unsat),
                true if exact => return Ok(Answer::Sat),
                true => {}
            }
        }
    }
    let knowledge = knowledge(definitions, budget)?;
    if knowledge.facts(definitions, heap, variables).is_none() {
        return Ok(Answer::Unsat);
    }
    match derivations::decide(definitions, heap, variables, budget)? {
        derivations::Verdict::Satisfiable => return Ok(Answer::Sat),
        derivations::Verdict::Unsatisfiable => return Ok(Answer::Unsat),
        derivations::Verdict::Open => {}
    }
    let (found, exhausted) =
        models::each_model(definitions, heap, variables, &[], limits::SATISFIABILITY_SEARCH, budget, &mut |model| {
            let mut model = model.clone();
            model.stack.retain(|v, _| (*v as usize) < variables.len());
            model_check::is_model(definitions, &model, heap, variables, budget).or(Ok(false))
        })?;
    Ok(match (found, exhausted) {
        (true, _) => Answer::Sat,
        (false, true) => Answer::Unsat,
        (false, false) => uncovered("no small model was found, and no contradiction"),
    })
}

fn knowledge(definitions: &Definitions, budget: &Budget) -> Result<Knowledge, Reason> {
    let part = budget.part(limits::FACT_STEPS);
    let pairs = BasePairs::compute(definitions, &part);
    budget.settle(&part);
    let pairs = match pairs {
        Ok(pairs) if pairs.pairs.iter().all(|p| p.len() < limits::MAX_FACT_PAIRS) => Some(pairs),
        Ok(_) | Err(Reason::OutOfBudget) => None,
        Err(reason) => return Err(reason),
    };
    Ok(Knowledge { pairs, invariants: facts::invariants(definitions), least: model_check::least_sizes(definitions) })
}

fn entailed(signature: &Signature, left: &SymbolicHeap, right: &[SymbolicHeap], budget: &Budget) -> Answer {
    let question = match Entailment::new(signature, left, right) {
        Ok(question) => question,
        Err(why) => return uncovered(&why),
    };
    question.decide(budget).unwrap_or_else(Answer::Unknown)
}

struct Entailment {
    definitions: Definitions,
    left: Flat,
    right: Vec<Flat>,
    translation: Translation,
    /// Variables from this number on are existential on their side.
    named: usize,
    /// Variables from this number on belong to the right side.
    after_left: usize,
}

impl Entailment {
    fn new(signature: &Signature, left: &SymbolicHeap, right: &[SymbolicHeap]) -> Result<Self, String> {
        if left.rest {
            return Err("the left side says nothing about a part of the heap".to_owned());
        }
        if has_truth_values(left) || right.iter().any(has_truth_values) {
            return Err(TRUTH_VALUES.to_owned());
        }
        let definitions = flat::definitions(signature, called(left).chain(right.iter().flat_map(called)))?;
        let mut translation = Translation::new(definitions.nils);
        // Translate free variables first, so that all later variables are existential.
        let bound: FxHashSet<u32> =
            right.iter().chain([left]).flat_map(|h| &h.existentials).map(|v| v.number).collect();
        for heap in right.iter().chain([left]) {
            heap.each_variable(&mut |v| {
                if !bound.contains(&v.number) {
                    translation.variable(v);
                }
            });
        }
        let named = translation.variables.len();
        let left = translation.heap(left).ok_or(TOO_LARGE)?;
        let after_left = translation.variables.len();
        let right = right.iter().map(|h| translation.heap(h)).collect::<Option<Vec<_>>>().ok_or(TOO_LARGE)?;
        Ok(Self { definitions, left, right, translation, named, after_left })
    }

    /// Searches for a model of the left side that is not a model of the right side.
    fn counter_model(&self, bounds: Bounds, budget: &Budget) -> Result<Option<model_check::Model>, Reason> {
        let named: Vec<u32> = (self.definitions.nils..self.named as u32).collect();
        let variables = &self.translation.variables;
        refute::refute(&self.definitions, &self.left, &self.right, variables, &named, bounds, budget)
    }

    fn decide(&self, budget: &Budget) -> Result<Answer, Reason> {
        if self.counter_model(limits::QUICK_COUNTER_MODEL_SEARCH, budget)?.is_some() {
            return Ok(Answer::Sat);
        }
        let variables = &self.translation.variables;
        let knowledge = knowledge(&self.definitions, budget)?;
        let mut prover = Prover::new(&self.definitions, &knowledge, variables.clone(), budget);
        // With several disjuncts on the right, proving one of them is sufficient but not necessary.
        let exists: FxHashSet<u32> = (self.after_left as u32..variables.len() as u32).collect();
        if self.right.is_empty() && consistent(&self.definitions, &self.left, variables, budget)? == Answer::Unsat {
            return Ok(Answer::Unsat);
        }
        for right in &self.right {
            let goal = Goal { left: self.left.clone(), right: right.clone(), exists: exists.clone() };
            if prover.prove(&goal)? {
                return Ok(Answer::Unsat);
            }
        }
        if self.counter_model(limits::COUNTER_MODEL_SEARCH, budget)?.is_some() {
            return Ok(Answer::Sat);
        }
        Ok(uncovered("neither a proof nor a counter-model was found"))
    }
}
