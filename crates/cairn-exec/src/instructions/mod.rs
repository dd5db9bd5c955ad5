//! The semantics of instructions on symbolic states.
//!
//! - [`start`] builds the initial state.
//! - [`block`] executes the instructions of a block, [`terminators`] its end.
//! - [`accesses`] loads and stores.
//! - [`scalar`] compares and converts values.
//! - [`calls`] enters and leaves functions.
//! - [`library`] executes intrinsics, which the models of the C library are made of.

mod accesses;
mod block;
mod calls;
mod library;
mod scalar;
mod start;
mod terminators;
