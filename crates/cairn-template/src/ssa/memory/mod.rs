//! The encoding of memory (FMCAD §III).
//!
//! [`objects`] numbers the objects and manages scopes, [`pointers`] does pointer arithmetic and finds the targets of a
//! dereference, [`access`] checks and encodes reads and writes, [`byte_ranges`] copies and fills memory, and
//! [`allocation`] allocates and frees.

pub(super) mod access;
pub(super) mod allocation;
mod byte_ranges;
mod objects;
mod pointers;
