//! The memory model that all engines share.
//!
//! An *object* is a sequence of bytes with a kind, a size and a lifetime. A *pointer* is an address with the object
//! that it was derived from. [`object`], [`mod@pointer`], [`space`] and [`fault`] define these and classify invalid
//! accesses, independently of the representation of bytes. [`bytes`] and [`store`] hold concrete bytes for the
//! interpreter. [`symbolic`] and [`segment`] hold terms for symbolic execution, and [`scalar`] defines the operations
//! on values.
//!
//! Invariants:
//! - No two objects whose pointers a program could confuse share an address.
//! - After every object there are at least [`space::GAP`] bytes that belong to no object.
//! - A pointer with an object is always checked against that object, however far its address is from it.

pub mod bytes;
pub mod fault;
mod limits;
pub mod object;
pub mod pointer;
pub mod scalar;
pub mod segment;
pub mod space;
pub mod store;
pub mod symbolic;

pub use fault::{Access, MemoryFault};
pub use object::{End, ObjectKind};
pub use pointer::{ObjectId, Pointer};
pub use store::Memory;
