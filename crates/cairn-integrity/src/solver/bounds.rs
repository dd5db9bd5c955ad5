//! Bounds of integers, searched among the numbers that a function's code suggests.

use cairn_ir::{Body, Inst, Operand};
use cairn_rules::{Lit, Term};

use super::super::limits::{ARGUMENT_LANDMARKS, LANDMARKS};
use super::super::types::NodeTypes;
use super::PathSolver;

/// A lower and an upper bound, as far as they are known.
pub(crate) type Range = (Option<i64>, Option<i64>);

/// Numbers among which bounds of integers are searched, so that the search for an inductive bound ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Landmarks {
    /// In ascending order.
    numbers: Vec<i64>,
    /// The numbers that only are lengths of arrays: no bounds that the code keeps to.
    lengths: Vec<i64>,
}

impl Landmarks {
    /// Returns the numbers that a function compares integers with, and the lengths of its arrays.
    pub fn of(body: &Body, types: &NodeTypes<'_>) -> Self {
        let mut numbers = vec![0];
        let insts = body.blocks.iter().flat_map(|block| &block.insts);
        let compared = insts.filter_map(|inst| match inst {
            Inst::Compare { ty, lhs, rhs, .. } if ty.is_int() => Some([lhs, rhs]),
            _ => None,
        });
        for operand in compared.flatten() {
            if let Operand::Int(value) = *operand {
                // A loop that goes on below a number ends at that number or the next one.
                numbers.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
            }
        }
        let mut lengths = Vec::new();
        for slot in body.ctypes.slots.iter().flatten() {
            let cells = types.of(*slot).map_or(&[][..], |node| &types.node(node).cells);
            let counts = cells.iter().filter(|cells| cells.count > 1).map(|cells| cells.count as i64);
            lengths.extend(counts.filter(|length| !numbers.contains(length)));
        }
        numbers.extend(&lengths);
        Self { numbers: ascending(numbers, LANDMARKS), lengths }
    }

    /// Returns the landmarks of a function, the lengths of all arrays, and the truth values.
    pub fn of_arguments(body: &Body, types: &NodeTypes<'_>) -> Self {
        let mut numbers = Self::of(body, types).numbers;
        let arrays = types.nodes().flat_map(|(_, node)| &node.cells).filter(|cells| cells.count > 1);
        numbers.extend(arrays.flat_map(|cells| [cells.count as i64 - 1, cells.count as i64]));
        numbers.extend([0, 1]);
        Self { numbers: ascending(numbers, ARGUMENT_LANDMARKS), lengths: Vec::new() }
    }

    /// Returns the range with which a search for bounds considers all landmarks.
    pub fn tightest(&self) -> Range {
        (self.numbers.last().copied(), self.numbers.first().copied())
    }

    /// Returns whether a bound is the length of an array only.
    pub fn is_length(&self, bound: i64) -> bool {
        self.lengths.contains(&bound)
    }
}

fn ascending(mut numbers: Vec<i64>, most: usize) -> Vec<i64> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers.truncate(most);
    numbers
}

impl PathSolver<'_, '_> {
    /// Returns the closest bounds of a term that are no closer than a range: those of the range, or landmarks.
    pub fn bounds_within(&mut self, landmarks: &Landmarks, (low, high): Range, term: Term) -> Range {
        let below = |low: i64| landmarks.numbers.iter().copied().filter(move |&landmark| landmark < low);
        let above = |high: i64| landmarks.numbers.iter().rev().copied().filter(move |&landmark| landmark > high);
        let lows: Vec<i64> = low.map_or_else(Vec::new, |low| below(low).chain([low]).collect());
        let highs: Vec<i64> = high.map_or_else(Vec::new, |high| above(high).chain([high]).collect());
        let mut low = self.closest(&lows, |solver, low| solver.at_most(Term::constant(low), term));
        // The bound is one more if its value is never taken, as for a loop that ends at the bottom of an array.
        if let (Some(&wanted), Some(found)) = (lows.last(), low)
            && found < wanted
            && self.is_never(term, found)
        {
            low = Some(found + 1);
        }
        let high = self.closest(&highs, |solver, high| solver.at_most(term, Term::constant(high)));
        (low, high)
    }

    /// Returns the last bound that can be proved. Each of the bounds implies those before it.
    fn closest(&mut self, bounds: &[i64], claim: impl Fn(&mut Self, i64) -> Lit) -> Option<i64> {
        let holds = |solver: &mut Self, bound: i64| {
            let lit = claim(solver, bound);
            solver.is_refuted(&[!lit])
        };
        let (&first, &last) = (bounds.first()?, bounds.last()?);
        if holds(self, last) {
            return Some(last);
        }
        if first == last || !holds(self, first) {
            return None;
        }
        let (mut good, mut bad) = (0, bounds.len() - 1);
        while bad - good > 1 {
            let middle = good.midpoint(bad);
            if holds(self, bounds[middle]) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        Some(bounds[good])
    }

    /// Returns whether an integer certainly does not have a value.
    ///
    /// The addresses of elements with this index are taken into account.
    pub fn is_never(&mut self, term: Term, value: i64) -> bool {
        let mut lits = vec![self.equal(term, Term::constant(value))];
        let known: Vec<_> = self.elements.iter().map(|(&element, &at)| (element, at)).collect();
        for (element, at) in known {
            if element.index.var == term.var {
                let index = value.wrapping_sub(term.offset).wrapping_add(element.index.offset);
                lits.push(self.equal(at, element.base + index.wrapping_mul(element.scale)));
            }
        }
        self.is_refuted(&lits)
    }

    /// Returns whether an integer is at least a bound because it is at least one less and never has that value.
    pub fn is_bottom(&mut self, index: Term, low: i64) -> bool {
        let below = !self.at_most(Term::constant(low.saturating_sub(1)), index);
        self.is_refuted(&[below]) && self.is_never(index, low.saturating_sub(1))
    }

    /// Returns whether an integer counts the iterations of a loop, and nothing in the code bounds it.
    pub fn is_unbounded(&mut self, index: Term) -> bool {
        let Some(by_length) = self.origin(index).filter(|origin| origin.counter).map(|origin| origin.by_length) else {
            return false;
        };
        let bounded = self.at_most(index, Term::constant(i64::from(i32::MAX) / 2));
        by_length || !self.is_refuted(&[!bounded])
    }
}
