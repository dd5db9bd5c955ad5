//! Satisfiability with integers, by counting how often each case is used in a derivation.
//!
//! Base pairs determine which derivations are consistent with respect to locations. The derivations
//! of a call therefore form a context-free grammar with a nonterminal for each predicate and base
//! pair ([`grammar`]). If every case changes its integer parameters by an amount that does not
//! depend on them ([`effect`]), only the number of uses of each production matters. Apart from
//! connectedness, these numbers are the solutions of linear equations (Parikh's theorem in the form
//! of Verma, Seidl, Schwentick, CADE 2005), which [`count`] solves.
//!
//! The procedure is exact for such definitions. If a case constrains integers in other ways, the
//! additional constraints are dropped, and only unsatisfiability carries over.

mod count;
mod effect;
mod grammar;
#[cfg(test)]
mod tests;

use self::count::System;
use self::effect::Effects;
pub use self::grammar::Grammar;
use super::base_pairs::{learn, nil_of};
use super::flat::{Definitions, Flat, Variables};
use super::shape::Shape;
use crate::budget::{Budget, Reason};

/// The result for a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    Satisfiable,
    Unsatisfiable,
    Open,
}

/// Decides whether the heap has a model.
pub fn decide(
    definitions: &Definitions,
    heap: &Flat,
    variables: &Variables,
    budget: &Budget,
) -> Result<Verdict, Reason> {
    let Some(grammar) = Grammar::compute(definitions, budget)? else { return Ok(Verdict::Open) };
    let Some(effects) = Effects::of(definitions) else { return Ok(Verdict::Open) };
    let mut shape = Shape::new(variables.len());
    if !learn(&mut shape, heap, |v| v as usize, |v| nil_of(variables.kind(v))) {
        return Ok(Verdict::Unsatisfiable);
    }
    let mut search = Search { definitions, grammar: &grammar, effects: &effects, heap, budget, open: false };
    let system = System::new(&heap.numbers, variables.len() as u32);
    Ok(match search.choose(0, &shape, system)? {
        true if effects.exact => Verdict::Satisfiable,
        false if !search.open => Verdict::Unsatisfiable,
        _ => Verdict::Open,
    })
}

struct Search<'a> {
    definitions: &'a Definitions,
    grammar: &'a Grammar,
    effects: &'a Effects,
    heap: &'a Flat,
    budget: &'a Budget,
    /// Whether the arithmetic gave up on some choice.
    open: bool,
}

impl Search<'_> {
    /// Chooses a nonterminal for each call from `index` on; returns whether some choice has a solution.
    fn choose(&mut self, index: usize, shape: &Shape, system: System) -> Result<bool, Reason> {
        self.budget.spend(10)?;
        match system.solve(self.grammar, self.effects, self.budget)? {
            Some(true) if index == self.heap.calls.len() => return Ok(true),
            Some(true) => {}
            Some(false) => return Ok(false),
            None => {
                self.open = true;
                return Ok(false);
            }
        }
        let nils = self.definitions.nils as usize;
        let call = &self.heap.calls[index];
        let place = |i: usize| if i < nils { i } else { call.arguments[i - nils] as usize };
        for &nonterminal in &self.grammar.of_predicate[call.predicate] {
            let pair = &self.grammar.nonterminals[nonterminal].shape;
            if pair.contradicts(shape, place) {
                continue;
            }
            let mut joined = shape.clone();
            if !joined.join(pair, place) {
                continue;
            }
            for next in system.with_call(self.definitions, self.grammar, self.effects, nonterminal, &call.arguments) {
                if self.choose(index + 1, &joined, next)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
