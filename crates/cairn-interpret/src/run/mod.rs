//! The execution of translated programs.
//!
//! - [`image`] builds the initial memory.
//! - [`machine`] is the state of an execution, and builds faults with their location and history.
//! - [`execute`] is the interpreter loop.
//! - [`partly_initialised`] and [`slow`] execute the operations that the inner loop leaves out.
//! - [`any_address`] computes with addresses of which only the object and the offset are known.
//! - [`call`] enters and leaves functions.
//! - [`leak`] finds the heap objects that are live at the end.

mod any_address;
mod call;
mod execute;
pub(crate) mod image;
mod leak;
pub(crate) mod machine;
pub(crate) mod partly_initialised;
mod slow;
