//! Splitting of calling contexts (thesis §2.5.4): decides which calls of a function need a context of their own.
//!
//! In the current invariant, one context covers all calls that are assigned to it. This module computes the context of
//! a single call. A call whose inputs are subsumed by a known context reuses that context; any other call opens a new
//! one.

use crate::limits::MAX_CONTEXTS;
use crate::ssa::Kind;
use crate::ssa::calls::context_assignment::Contexts;
use crate::synthesis::{Placed, Stop, Synthesis};
use crate::templates::combined::loop_paths::Path;

impl Synthesis<'_> {
    /// Refines the contexts so that calls which are not subsumed by each other are separate; `None` if nothing changes.
    ///
    /// # Errors
    /// Fails if the solver gives up.
    pub fn split_contexts(&mut self, contexts: &Contexts) -> Result<Option<Contexts>, Stop> {
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
                // Unwound copies of a call stay together.
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

    /// Computes the context of a single call: rows that are assumed nowhere, joined with the inputs of the call.
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

    /// Returns whether a context subsumes the inputs of a call.
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
