//! The engine `value`: abstract interpretation of whole programs.
//!
//! The analysis computes, for every program point, the values that registers and memory may have there: strided intervals for numbers
//! (`domain/number.rs`), sets of objects with offsets for pointers (`domain/value.rs`), and contents, sizes and lifetimes for objects
//! (`domain/object.rs`). A check that no such value violates is proved. The engine never reports a violation.
//!
//! `transfer/` holds the effect of instructions, conditions and calls; `analysis/` the fixpoint computation and the calling contexts; and
//! `engine.rs` the interface to the portfolio. `docs/value.md` describes the domain and its limits.

pub mod analysis;
pub mod domain;
pub mod engine;
mod limits;
pub mod transfer;
