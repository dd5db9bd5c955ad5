//! Hints from the program's text, for cases in which the heap alone is ambiguous.
//!
//! - [`constants`] collects the constants at which bounds are likely, and those that distinguish cases.
//! - [`links`] finds the cells that hold links between nodes.
//! - [`allocation_classes`] finds the allocation sites that create nodes of the same kind.
//!
//! A wrong hint costs precision, never soundness.

pub(crate) mod allocation_classes;
pub(crate) mod constants;
pub(crate) mod links;
