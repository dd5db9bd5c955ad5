//! How the parameters of bounds grow: by bisection instead of one model at a time.
//!
//! A bound is raised to the least constant of the program that the loop body respects, or to the least such number in
//! exact mode. It becomes top after a few raises. [`Synthesis::shrink`] regains lost precision at the end: it lowers
//! each bound to a value that the body respects when it starts in the invariant, and the result is again an invariant.

use crate::limits::MAX_EXACT_RAISES;
use crate::synthesis::{Bounds, Stop, Synthesis, first_instances};
use crate::templates::Moment;
use crate::templates::rows::bound::Limit;

/// Whether a bound is raised during the iteration, or lowered after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Growing,
    Shrinking,
}

impl Synthesis<'_> {
    /// Sets a bound to the least constant between `low` and `high` that the body respects.
    ///
    /// The caller guarantees that the body respects `high`.
    pub(super) fn raise(&mut self, number: usize, (low, high): (i128, i128), direction: Direction) -> Result<(), Stop> {
        let mut steps: Vec<i128> =
            self.hints.thresholds.iter().copied().filter(|&step| low <= step && step < high).collect();
        if steps.first() != Some(&low) {
            steps.insert(0, low);
        }
        steps.push(high);
        // The last step is respected by the precondition. Most bounds that fail at any other step fail at all of them,
        // so the last but one is tried first.
        let (mut first, mut last) = (0, steps.len() - 1);
        if last > 1 {
            if self.respects(number, steps[last - 1])? {
                last -= 1;
            } else {
                first = last;
            }
        }
        while first < last {
            let middle = usize::midpoint(first, last);
            if self.respects(number, steps[middle])? {
                last = middle;
            } else {
                first = middle + 1;
            }
        }
        let mut limit = steps[last];
        let grown = self.rows[number].row.as_bound().map_or(0, |bound| bound.grown);
        if self.bounds == Bounds::Exact && last > 0 && (direction == Direction::Shrinking || grown <= MAX_EXACT_RAISES)
        {
            let (mut below, mut above) = (steps[last - 1], limit);
            while below + 1 < above {
                let middle = below + (above - below) / 2;
                if self.respects(number, middle)? {
                    above = middle;
                } else {
                    below = middle;
                }
            }
            limit = above;
        }
        if let Some(bound) = self.rows[number].row.as_bound() {
            bound.set(limit);
        }
        self.forget(number);
        Ok(())
    }

    /// Returns whether the sum of a bound is at most `limit` in every execution that reaches a source of the row.
    fn respects(&mut self, number: usize, limit: i128) -> Result<bool, Stop> {
        let index = self.rows[number].schema;
        let first = first_instances(self.rows[number].row.subjects());
        let sources = match self.rows[number].only {
            Some(source) => source..source + 1,
            None => 0..self.formula.locations[index].sources.len(),
        };
        for source in sources {
            let at = self.at(index, &first, Moment::Source(source));
            let Some(bound) = self.rows[number].row.as_bound() else { return Ok(false) };
            if limit >= bound.greatest() {
                return Ok(true);
            }
            let inside = bound.at_most(&mut self.formula.terms, &self.formula.instances, &at, limit);
            let outside = self.formula.terms.not(inside);
            let reached = self.reached(number, source, &first);
            let question = self.formula.terms.and(reached, outside);
            if self.ask(index, source, question)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Lowers bounds to values that the body respects when it starts in the invariant.
    ///
    /// The result is again an invariant because the transition relation is monotone: from fewer states the body reaches
    /// fewer states.
    ///
    /// # Errors
    /// Fails if the solver gives up.
    pub fn shrink(&mut self) -> Result<(), Stop> {
        for number in 0..self.rows.len() {
            let Some(bound) = self.rows[number].row.as_bound() else { continue };
            if bound.grown == 0 {
                continue;
            }
            let (least, greatest) = (bound.least(), bound.greatest());
            let high = match bound.limit {
                Limit::Top => greatest,
                Limit::AtMost(limit) if bound.grown > 1 => limit,
                _ => continue,
            };
            self.raise(number, (least, high), Direction::Shrinking)?;
        }
        Ok(())
    }
}
