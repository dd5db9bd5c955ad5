//! Entailment between symbolic heaps with chains of any shape ([`shape`]): doubly linked segments, lists of lists.
//!
//! Every chain of the right side is followed through the cells and chains of the left side ([`matching`]). What may be empty on the
//! left is empty or not; where the match needs to know, both cases are looked at. A match is a proof; where there is none, others
//! may still find one, so this only ever says that an entailment holds. It does so in polynomial time where nothing needs to be
//! divided in cases.

mod matching;
mod shape;

use self::matching::Left;
use super::Question;
use crate::budget::{Answer, Budget, Reason};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// The procedure's name.
pub const NAME: &str = "chains";

/// Decides an entailment that a match shows.
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
    let mut splits = MOST_SPLITS;
    in_all_cases(state, right, &mut splits, budget)
}

/// Divisions in cases of one question.
const MOST_SPLITS: usize = 32;

/// Whether the right side is found in the left one, dividing it where something may be empty.
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
