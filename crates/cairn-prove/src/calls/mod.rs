//! Function summaries: calls are analysed apart from their callers, on their footprint.
//!
//! - [`summary_policy`] decides which functions get summaries.
//! - [`frame_rule`] separates the footprint of a call from its frame, and [`call_return`] combines the two again.
//! - [`contexts`] keeps the entry state and the exit states of each calling context.
//! - [`loop_contexts`] treats a deeply nested loop like such a call.
//! - [`hidden_cells`] hides pointers that a recursive call only carries along.

pub(crate) mod call_return;
pub(crate) mod contexts;
pub(crate) mod frame_rule;
pub(crate) mod hidden_cells;
pub(crate) mod loop_contexts;
pub(crate) mod summary_policy;
