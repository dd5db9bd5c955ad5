//! How bounds grow: not by one model at a time, but by bisection. Each is raised to the least of the program's constants that the body
//! respects, or, where that is wanted, to the least number, and given up after a few rounds. What that loses is regained at the end by
//! bringing each bound down to what the body respects when it starts in the invariant, which is one again.

use super::synthesis::{Stop, Synthesis, first_instances};
use super::templates::Moment;
use super::templates::bound::Limit;

/// How often a bound is raised to what is exact, where that is wanted; after that only to constants of the program.
const MAX_EXACT_RAISES: u32 = 2;

impl Synthesis<'_> {
    /// Sets a bound to the least constant that the body respects: at least `low`, at most `high`.
    pub(super) fn raise(&mut self, number: usize, (low, high): (i128, i128), shrinking: bool) -> Result<(), Stop> {
        let mut steps: Vec<i128> =
            self.hints.thresholds.iter().copied().filter(|&step| low <= step && step < high).collect();
        if steps.first() != Some(&low) {
            steps.insert(0, low);
        }
        steps.push(high);
        // The last step is respected, as the caller knows. Most bounds that fail any other fail all, so that is asked first.
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
        if self.exact && last > 0 && (shrinking || grown <= MAX_EXACT_RAISES) {
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

    /// Whether every run comes with a bound's sum at most `limit` to where the row has to be shown.
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

    /// Brings bounds down to what the body respects when it starts in the invariant. The result is an invariant again: from less
    /// the body comes to less.
    ///
    /// # Errors
    /// When the solver gives up.
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
            self.raise(number, (least, high), true)?;
        }
        Ok(())
    }
}
