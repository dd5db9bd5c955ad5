//! The frame of a call: local objects that the callee cannot reach.

use cairn_rules::Term;

use super::super::solver::{Flow, PathSolver, Reach};
use super::super::state::{Cell, State};
use super::super::types::ClassId;
use super::ClosedGraph;

/// Returns the allocations of this call (with cells that are left out) and the slots that no link leads to.
pub(crate) fn isolated_objects(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    graph: &ClosedGraph,
    chosen: &[usize],
    arguments: &[Term],
) -> Vec<Term> {
    let mut out: Vec<Term> = Vec::new();
    for &index in chosen {
        let base = Term { offset: 0, ..graph.cell(index).1 };
        let made = state.locals.made.iter().any(|&(made, _)| made == base);
        if made && !out.contains(&base) && !arguments.iter().any(|argument| argument.var == base.var) {
            out.push(base);
        }
    }
    for (index, &slot) in state.slots().iter().enumerate() {
        if !state.locals.is_leaked(index) && solver.reach(slot) == Reach::Public {
            out.push(slot);
        }
    }
    if out.is_empty() {
        return out;
    }
    let heaps = graph.blanked(solver, state, chosen);
    out.retain(|&base| heaps.is_unlinked(solver, base));
    out
}

/// Returns the links in local variables that a call cannot reach, to be restored after it.
///
/// `result` is the variable that the call writes.
pub(crate) fn links_to_keep(
    solver: &mut PathSolver<'_, '_>,
    state: &mut State,
    isolated: &[Term],
    result: Option<Term>,
) -> Flow<Vec<Cell>> {
    let types = solver.types();
    let is_row =
        |solver: &PathSolver<'_, '_>, slot| solver.hint(slot).is_some_and(|node| types.node(node).is_row(types));
    let is_kept = |solver: &PathSolver<'_, '_>, address: Term| {
        state.slots().iter().find(|slot| slot.var == address.var).is_some_and(|slot| {
            (isolated.contains(slot) || solver.reach(*slot) == Reach::Private)
                && result.is_none_or(|result| result.var != slot.var)
                && !is_row(solver, *slot)
        })
    };
    let mut wanted: Vec<(ClassId, Term)> = state.anchors.clone();
    wanted.extend(state.heaps.held().iter().map(|cell| (cell.class, cell.address)));
    wanted.retain(|&(class, address)| types.class(class).link.is_some() && is_kept(solver, address));
    wanted.sort_unstable();
    wanted.dedup();
    let mut out = Vec::with_capacity(wanted.len());
    for (class, address) in wanted {
        out.push(Cell { class, address, value: state.heaps.read(solver, class, address)? });
    }
    Ok(out)
}
