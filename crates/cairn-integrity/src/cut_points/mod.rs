//! Conditions at cut-points: calls, loop heads and the end of the function.
//!
//! At a cut-point the graph has to be closed (`closed_graph`). Cells that no other function can reach may be left out:
//! they need not be initialised yet, which is the paper's future work. `local_arrays` treats local arrays of links
//! separately, `call_frame` finds the local objects that a call cannot reach, `freed_memory` finds links to memory that
//! the path freed, and `outliving_locals` finds addresses of local variables that outlive their function.
//!
//! Everything here is a question about a solver and a state. `execute::conditions` asks them and reports the answers.

mod call_frame;
mod closed_graph;
mod freed_memory;
mod local_arrays;
mod outliving_locals;

pub(super) use call_frame::{isolated_objects, links_to_keep};
pub(super) use closed_graph::{BlankedHeaps, Broken, CellName, ClosedGraph, Slots};
pub(super) use freed_memory::links_freed_memory;
pub(super) use local_arrays::{LocalArray, local_arrays, with_nulls, without_arrays};
pub(super) use outliving_locals::outliving_local;
