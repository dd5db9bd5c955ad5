//! Inference of contracts from the paths of a function.
//!
//! - `places` names the unknown values of a path as the caller would: `list->head`.
//! - `path_end` describes the end of one path: what the path was given, what it returns, and what it did to memory.
//! - `shapes` finds the memory that a pointer needs over all paths; `cases` groups the paths by their outcome.
//! - `no_return` finds the functions that never return.
//! - `generalise` makes the contract of all this, and decides how much it covers.

mod cases;
mod generalise;
mod no_return;
pub(crate) mod path_end;
mod places;
mod shapes;

pub(crate) use generalise::{Seen, contract};
pub(crate) use no_return::never_returning;
