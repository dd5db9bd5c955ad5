//! Loops that are executed iteration by iteration.
//!
//! Loops over constant tables and strings, and loops with a small constant bound, end after a number of iterations that the states decide. Their
//! iterations are kept apart: nothing is joined at the head, and the states that leave the loop are joined edge by edge.

use cairn_ir::analysis::Loop;
use cairn_ir::program::Origin;
use cairn_ir::{BlockId, Body, Callee, Inst};

use super::fixpoint::{Region, successors};
use super::state::State;
use super::{Analysis, Precision, Stop};
use crate::limits::{MAX_UNROLLED, MAX_UNROLLED_VISITS, MAX_WASTED_VISITS};

/// The states on the edges that leave a loop, by the block and the number of the edge.
pub(super) type Leaving = Vec<(BlockId, usize, State)>;

impl Analysis<'_> {
    /// Executes a loop from its entry until no execution is left in it. `None` if that does not happen soon.
    ///
    /// As long as the loop goes on, each iteration has to decide one of the conditions that end it. Otherwise the states say nothing about
    /// the number of iterations.
    pub(super) fn unroll(&mut self, region: Region<'_>, found: &Loop, entry: State) -> Result<Option<Leaving>, Stop> {
        let key = (self.function(), found.head);
        let before = self.work.visits;
        if self.work.wasted.get(&key).is_some_and(|&visits| visits > MAX_WASTED_VISITS) {
            return Ok(None);
        }
        // The iterations would extend the summaries of the called functions one by one.
        if self.precision == Precision::Summaries && self.calls_user_code(region.body, found) {
            return Ok(None);
        }
        let iteration = Region { within: Some(found), is_iteration: true, ..region };
        let mut leaving: Leaving = Vec::new();
        let mut state = entry;
        for _ in 0..MAX_UNROLLED {
            let (next, is_decided) = self.iterate(iteration, found, &state, &mut leaving)?;
            match next {
                None => return Ok(Some(leaving)),
                // Further iterations repeat this one.
                Some(next) if next == state => return Ok(Some(leaving)),
                Some(next) if is_decided && self.work.visits - before < MAX_UNROLLED_VISITS => state = next,
                Some(_) => break,
            }
        }
        let wasted = self.work.visits - before;
        *self.work.wasted.entry(key).or_default() += wasted;
        Ok(None)
    }

    /// Returns whether a loop calls functions that are no library models.
    fn calls_user_code(&self, body: &Body, found: &Loop) -> bool {
        let is_user_call = |inst: &Inst| match inst {
            Inst::Call(call) => match call.callee {
                Callee::Function(callee) => self.program.functions[callee.index()].origin != Origin::Model,
                Callee::Pointer(_) => true,
            },
            _ => false,
        };
        found.blocks().any(|block| body.blocks[block.index()].insts.iter().any(is_user_call))
    }

    /// Executes one iteration. Returns the state that the next one starts with, and whether an edge out of the loop was not taken for certain.
    fn iterate(
        &mut self,
        iteration: Region<'_>,
        found: &Loop,
        state: &State,
        leaving: &mut Leaving,
    ) -> Result<(Option<State>, bool), Stop> {
        let mut blocks = self.solve(iteration, state)?;
        let widths = &iteration.plan.widths;
        let (mut next, mut is_decided) = (None, false);
        for block in found.blocks() {
            let is_visited = blocks.starts[block.index()].is_some();
            let mut states = std::mem::take(&mut blocks.edges[block.index()]).into_iter();
            for (edge, to) in successors(iteration.body, block).into_iter().enumerate() {
                let state = states.next().flatten();
                if to == found.head {
                    next = join(next, state, |a, b| a.combine(b, widths, &self.table, None));
                } else if !found.contains(to) {
                    is_decided |= is_visited && state.is_none();
                    let Some(new) = state else { continue };
                    match leaving.iter_mut().find(|(from, number, _)| (*from, *number) == (block, edge)) {
                        Some((.., old)) => *old = old.combine(&new, widths, &self.table, None),
                        None => leaving.push((block, edge, new)),
                    }
                }
            }
        }
        Ok((next, is_decided))
    }
}

fn join(a: Option<State>, b: Option<State>, combine: impl Fn(&State, &State) -> State) -> Option<State> {
    match (a, b) {
        (Some(a), Some(b)) => Some(combine(&a, &b)),
        (a, b) => a.or(b),
    }
}
