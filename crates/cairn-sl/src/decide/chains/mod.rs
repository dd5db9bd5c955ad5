//! Entailment between symbolic heaps with chains (`shape`): doubly linked and nested list segments.
//!
//! Every chain of the right side is traced through the cells and chains of the left side
//! (`matching`). If the match depends on whether a chain of the left side is empty, both cases
//! are considered. A match is a proof. Without a match, the entailment can still be valid, so this
//! procedure only ever answers that an entailment holds. It runs in polynomial time if no case
//! split is necessary.

mod matching;
mod shape;

use self::matching::Left;
use super::Question;
use crate::budget::{Answer, Budget, Reason};
use crate::limits;
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// The name of the procedure.
pub const NAME: &str = "chains";

/// Proves an entailment by matching.
pub fn decide(signature: &Signature, question: &Question, budget: &Budget) -> Answer {
    let uncovered = |what: &str| Answer::Unknown(Reason::Uncovered(what.to_owned()));
    let Question::Entailment(left, right) = question else {
        return uncovered("chains are matched in entailments only");
    };
    let [right] = &right[..] else { return uncovered("chains are matched with one right side only") };
    for left in left {
        match entailed(signature, left, right, budget) {
            Ok(true) => {}
            Ok(false) => return uncovered("the chains of the right side were not found on the left"),
            Err(reason) => return Answer::Unknown(reason),
        }
    }
    Answer::Unsat
}

fn entailed(signature: &Signature, left: &SymbolicHeap, right: &SymbolicHeap, budget: &Budget) -> Result<bool, Reason> {
    if left.rest || !right.existentials.is_empty() {
        return Ok(false);
    }
    let Some(state) = Left::new(signature, left, right) else { return Ok(false) };
    let mut splits = limits::MAX_CHAIN_SPLITS;
    in_all_cases(state, right, &mut splits, budget)
}

/// Matches the right side, with case splits on whether chains of the left side are empty.
fn in_all_cases(mut left: Left<'_>, right: &SymbolicHeap, splits: &mut usize, budget: &Budget) -> Result<bool, Reason> {
    budget.spend(1 + left.size() as u64)?;
    if !left.close() || left.matches(right) {
        return Ok(true);
    }
    let Some(undecided) = left.undecided() else { return Ok(false) };
    let Some(fewer) = splits.checked_sub(1) else { return Ok(false) };
    *splits = fewer;
    let mut empty = left.clone();
    empty.make_empty(undecided);
    left.make_nonempty(undecided);
    Ok(in_all_cases(empty, right, splits, budget)? && in_all_cases(left, right, splits, budget)?)
}
