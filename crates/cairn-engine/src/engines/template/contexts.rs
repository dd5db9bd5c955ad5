//! Which calls of a function need contexts of their own (thesis §2.5.4). In the invariant at hand all calls of a context are covered
//! together. Here the context of one call alone is computed; a call that passes nothing else uses it again, and one that does opens
//! another.

use super::ssa::Kind;
use super::ssa::contexts::Contexts;
use super::synthesis::{Placed, Stop, Synthesis};
use super::templates::paths::Path;

/// Contexts that one is divided into at most; further calls stay with the first.
const MAX_CONTEXTS: usize = 6;

impl Synthesis<'_> {
    /// The contexts with those of calls that are not covered by others told apart; `None` where there are none.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn told_apart(&mut self, contexts: &Contexts) -> Result<Option<Contexts>, Stop> {
        let mut refined = contexts.clone();
        for callee in 1..self.formula.bodies.len() {
            let Some((entry, _)) = self.formula.bodies[callee].summary else { continue };
            debug_assert_eq!(self.formula.locations[entry].kind, Kind::Entry, "a context is at an entry");
            let sites: Vec<_> = self
                .formula
                .calls
                .iter()
                .filter(|call| call.callee + 1 == callee)
                .map(|call| &call.site)
                .cloned()
                .collect();
            if sites.iter().all(|site| *site == sites[0]) {
                continue;
            }
            let rows = self.rows.len();
            let mut known: Vec<(u32, Vec<usize>)> = Vec::new();
            let mut done = Vec::new();
            for (source, site) in sites.into_iter().enumerate() {
                // Copies of a call by unwinding stay together.
                if done.contains(&site) {
                    continue;
                }
                done.push(site.clone());
                let mut number = None;
                for (of, context) in &known {
                    if number.is_none() && self.covers(entry, context, source)? {
                        number = Some(*of);
                    }
                }
                let number = match number {
                    Some(number) => number,
                    None if known.len() >= MAX_CONTEXTS => continue,
                    None => {
                        let own = if known.is_empty() { refined.of(&site) } else { refined.free_number(site.callee) };
                        let context = self.context_of(entry, source)?;
                        known.push((own, context));
                        own
                    }
                };
                if refined.of(&site) != number {
                    refined.set(site, number);
                }
            }
            self.rows.truncate(rows);
        }
        Ok((refined != *contexts).then_some(refined))
    }

    /// The context of one call: rows that are assumed nowhere, grown by what it passes.
    fn context_of(&mut self, entry: usize, source: usize) -> Result<Vec<usize>, Stop> {
        let mut numbers = Vec::new();
        for template in self.templates {
            for row in template.rows(&self.schemas[entry], self.hints) {
                numbers.push(self.rows.len());
                self.rows.push(Placed::new(entry, Path::new(), row, 0, Some(source)));
            }
        }
        while self.step_rows(entry, source, &numbers)? {}
        Ok(numbers)
    }

    /// Whether what a call passes is in a context.
    fn covers(&mut self, entry: usize, context: &[usize], source: usize) -> Result<bool, Stop> {
        let mut any = self.formula.terms.falsity();
        for &number in context {
            if !self.rows[number].row.is_top() {
                let (outside, _) = self.outside_first(number, source);
                any = self.formula.terms.or(any, outside);
            }
        }
        Ok(self.ask(entry, source, any)?.is_none())
    }
}
