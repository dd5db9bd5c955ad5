//! The memory model that every engine which walks memory shares.
//!
//! An *object* is a run of bytes with a kind, a size and a life; a *pointer* is an address with the object it was made
//! from. [`object`], [`pointer`], [`space`] and [`fault`] say what these are and how a bad access is told from a good
//! one; they know nothing of how bytes are kept. [`bytes`] and [`store`] keep them concretely, for the interpreter.
//!
//! Invariants: addresses are never given to two objects whose pointers a program could confuse; after every object there
//! are at least [`space::GAP`] bytes that belong to no object; a pointer that has an object is always judged against that
//! object, however far its address is from it.

pub mod bytes;
pub mod fault;
pub mod object;
pub mod pointer;
pub mod segment;
pub mod space;
pub mod store;
pub mod symbolic;

pub use fault::{Access, MemoryFault};
pub use object::{End, ObjectKind};
pub use pointer::{ObjectId, Pointer};
pub use store::Memory;
