//! The encoding of calls, function summaries and calling contexts (thesis §2.5, §3.7).
//!
//! `dispatch` decides whether a call is inlined or a placeholder for a summary. [`summaries`] builds the bodies of
//! functions with summaries and their placeholders, and `summary_points` defines the points where calling contexts and
//! summaries are assumed and shown. [`context_assignment`] assigns calls to calling contexts. `bindings` and
//! `list_iterators` print bindings as in the thesis.

mod bindings;
pub mod context_assignment;
mod dispatch;
mod list_iterators;
pub mod summaries;
mod summary_points;
