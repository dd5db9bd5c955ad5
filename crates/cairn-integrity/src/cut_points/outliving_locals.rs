//! Addresses of local variables that outlive their function.
//!
//! A local variable of a node's type is a node until its function ends, and no longer.

use cairn_ir::Body;

use super::super::report::Reason;
use super::super::solver::{PathSolver, Reach};
use super::super::state::{State, Value};
use super::{ClosedGraph, Slots, local_arrays};

/// Returns a local variable whose address may be in the graph, or be the result, at the end of the function.
pub(crate) fn outliving_local(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    body: &Body,
    result: Option<Value>,
) -> Option<Reason> {
    let mut graph = ClosedGraph::new(local_arrays(solver, state));
    graph.add_slots(solver, state, Slots::All);
    // The contents of the variables end with them.
    let all: Vec<usize> = (0..graph.len()).collect();
    let rest = graph.blanked(solver, state, &all);
    for (index, &slot) in state.slots().iter().enumerate() {
        if solver.reach(slot) != Reach::Public {
            continue;
        }
        let variable = body.slots[index].name.as_deref().unwrap_or("temporary").to_owned();
        if let Some(Value::Term(result)) = result {
            let same = solver.equal(result, slot);
            if result.var == slot.var || !solver.is_refuted(&[same]) {
                return Some(Reason::ReturnedLocal(variable));
            }
        }
        if let Some(class) = solver.parts_of(slot).into_iter().find_map(|address| rest.linked_from(solver, address)) {
            let class = solver.types().class(class).name.clone();
            return Some(Reason::LinkedLocal { variable, class });
        }
    }
    None
}
