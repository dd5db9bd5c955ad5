//! Links of local variables that are not null, as in an anchor behind which a list is built.

use cairn_rules::Term;

use super::super::limits::ANCHOR_LINKS;
use super::super::solver::{Flow, PathSolver};
use super::super::state::State;
use super::super::types::ClassId;

/// A link in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Anchor {
    slot: usize,
    offset: u64,
}

impl Anchor {
    /// Returns class and address of the link.
    fn cell(self, solver: &PathSolver<'_, '_>, state: &State) -> Option<(ClassId, Term)> {
        let address = *state.slots().get(self.slot)?;
        let node = solver.types().node(solver.hint(address)?);
        let cells = node.cells.iter().find(|cells| cells.offset == self.offset)?;
        Some((cells.class, address + self.offset as i64))
    }
}

/// Returns the links that are not null, among the known ones or, on the first arrival, all links.
///
/// Arrays of links are left out.
pub(super) fn anchors(solver: &mut PathSolver<'_, '_>, state: &State, known: Option<&[Anchor]>) -> Vec<Anchor> {
    let possible = match known {
        Some(known) => known.to_vec(),
        None => links_of_slots(solver, state),
    };
    let mut out = Vec::new();
    for anchor in possible {
        let Some((class, address)) = anchor.cell(solver, state) else { continue };
        let value = solver.any();
        let cell = solver.cell(state.heaps.term(class), address, value);
        let null = solver.is_null(value);
        if solver.is_refuted(&[cell, null]) {
            out.push(anchor);
        }
    }
    out
}

fn links_of_slots(solver: &PathSolver<'_, '_>, state: &State) -> Vec<Anchor> {
    let types = solver.types();
    let mut out = Vec::new();
    for (slot, &address) in state.slots().iter().enumerate() {
        let Some(node) = solver.hint(address).map(|node| types.node(node)) else { continue };
        if node.is_row(types) {
            continue;
        }
        let links = node.cells.iter().filter(|cells| types.class(cells.class).link.is_some());
        let single = links.filter(|cells| cells.count == 1).take(ANCHOR_LINKS);
        out.extend(single.map(|cells| Anchor { slot, offset: cells.offset }));
    }
    out
}

/// Assumes at a loop head that these links are not null.
pub(super) fn assume(solver: &mut PathSolver<'_, '_>, state: &mut State, anchors: &[Anchor]) -> Flow {
    for &anchor in anchors {
        let Some((class, address)) = anchor.cell(solver, state) else { continue };
        let value = state.heaps.read(solver, class, address)?;
        let nonnull = !solver.is_null(value);
        solver.assume(nonnull)?;
        state.anchors.push((class, address));
    }
    Ok(())
}
