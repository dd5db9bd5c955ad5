//! Access to symbolic memory.
//!
//! - [`access`] resolves a pointer to an object and an offset, and checks the access.
//! - [`allocation`] finds the object of a pointer, by one of four procedures.
//! - [`exact_access`] reads and writes at one of several offsets without splitting the state.
//! - [`symbolic_access`] keeps partial knowledge of bytes at symbolic offsets, for modes that abstract.
//! - [`unfold`] materialises the nodes of segments.
//! - [`leak`] marks the reachable objects.

pub(crate) mod access;
pub mod allocation;
mod exact_access;
pub mod leak;
mod symbolic_access;
mod unfold;
