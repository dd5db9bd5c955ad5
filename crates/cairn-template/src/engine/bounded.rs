//! Bounded model checking: the executions within an unwinding depth as a formula of their own.

use std::collections::BTreeSet;

use cairn_portfolio::Input;
use cairn_smt::evaluate::Assignment;
use cairn_smt::{Answer, Term};
use rustc_hash::FxHashMap;

use crate::engine::staged::{Key, Templates, key};
use crate::engine::stages::Stage;
use crate::limits::{BOUNDED_MIN_QUERIES, MAX_SPURIOUS};
use crate::ssa::{Event, Formula, Obligation};

/// The progress of bounded model checking.
#[derive(Default)]
pub(super) struct Progress {
    /// The unwinding depth up to which no violation was found.
    explored: u32,
    /// The largest budget that was not enough. Deeper unwinding needs more.
    stuck: u64,
    /// Candidates that did not replay, with their unwinding depth.
    spurious: BTreeSet<(u32, Key)>,
    /// The unwinding depth from which on the formula is too large or too many candidates were spurious.
    too_far: Option<u32>,
}

impl Progress {
    /// Records a candidate, which counts as spurious if the engine is run again.
    pub(super) fn add_candidate(&mut self, unwind: u32, key: Key) {
        self.spurious.insert((unwind, key));
        if self.spurious.len() > MAX_SPURIOUS {
            self.too_far = Some(unwind);
        }
    }
}

/// The result of bounded model checking at some unwinding depth.
pub(super) enum Bounded {
    /// No execution within the unwinding depth violates an obligation.
    Safe,
    /// No execution violates an obligation, and none exceeds the unwinding depth.
    Proved,
    /// The execution with these inputs may violate an obligation.
    Violated(Key, Vec<Input>),
    /// The solver gave up, or the budget is too small to try.
    Unknown,
}

impl Templates<'_> {
    /// Applies bounded model checking to the executions within the unwinding depth of a stage.
    pub(super) fn check_bounded(&mut self, stage: &Stage) -> Bounded {
        let Progress { explored, stuck, too_far, .. } = self.bounded;
        if explored >= stage.unwind || too_far.is_some_and(|far| far <= stage.unwind) {
            return Bounded::Safe;
        }
        if !self.alone && self.queries < BOUNDED_MIN_QUERIES {
            return Bounded::Unknown;
        }
        if stuck >= self.queries {
            return Bounded::Unknown;
        }
        let terms = std::mem::take(&mut self.terms);
        let (result, terms) = match Formula::of_bounded(self.program, &self.options, stage.unwind, terms) {
            Ok(formula) if formula.allocates && self.unanswered().is_some() => (Bounded::Safe, formula.terms),
            Ok(mut formula) => {
                self.assumed_harmless.extend(formula.assumed_harmless.iter().cloned());
                (self.search_violation(&mut formula, stage.unwind), formula.terms)
            }
            Err(failed) => {
                (self.terms, self.bounded.too_far) = (failed.terms, Some(stage.unwind));
                return Bounded::Safe;
            }
        };
        self.terms = terms;
        match result {
            Bounded::Safe => self.bounded.explored = stage.unwind,
            Bounded::Unknown => self.bounded.stuck = self.queries,
            _ => {}
        }
        result
    }

    /// Searches for a violating execution and, if there is none, checks whether the formula covers all executions.
    fn search_violation(&mut self, formula: &mut Formula, unwind: u32) -> Bounded {
        let (uncovered, wanted): (Vec<&Obligation>, Vec<&Obligation>) =
            formula.obligations.iter().partition(|obligation| obligation.incomplete.is_some());
        let terms = &mut formula.terms;
        let spurious = &self.bounded.spurious;
        let hoped = || wanted.iter().filter(|obligation| !spurious.contains(&(unwind, key(obligation))));
        let bad = hoped().fold(terms.falsity(), |any, obligation| terms.or(any, obligation.bad));
        let unclear = uncovered.iter().fold(terms.falsity(), |any, obligation| terms.or(any, obligation.bad));
        let clear = terms.not(unclear);
        let axioms = &formula.bodies[0].axioms;
        let question: Vec<Term> = axioms.iter().copied().chain([clear, bad]).collect();
        match self.session.check(terms, &question) {
            Answer::Sat(model) => {
                let mut known = FxHashMap::default();
                let first = hoped().find(|o| terms.evaluate_with(o.bad, &model, &mut known) == 1);
                // Every model violates some obligation; this branch only guarantees termination.
                let Some(key) = first.map(|obligation| key(obligation)) else { return Bounded::Unknown };
                return Bounded::Violated(key, inputs(formula, &model));
            }
            Answer::Unsat(_) => {}
            Answer::Unknown => return Bounded::Unknown,
        }
        let others = formula.left_out.iter().fold(unclear, |any, &term| terms.or(any, term));
        let others = wanted.iter().fold(others, |any, obligation| terms.or(any, obligation.bad));
        let question: Vec<Term> = axioms.iter().copied().chain([others]).collect();
        match self.session.check(terms, &question) {
            Answer::Unsat(_) => Bounded::Proved,
            _ => Bounded::Safe,
        }
    }
}

/// Reads the inputs of an execution from a model.
fn inputs(formula: &Formula, model: &Assignment) -> Vec<Input> {
    let mut known = FxHashMap::default();
    let mut value = |term| formula.terms.evaluate_with(term, model, &mut known);
    let mut inputs = Vec::new();
    for (guard, event) in &formula.events {
        if value(*guard) == 1 {
            inputs.push(match event {
                Event::Value(term) => Input::Value(value(*term)),
                Event::Allocation(term) => Input::Allocation(value(*term) == 1),
            });
        }
    }
    inputs
}
