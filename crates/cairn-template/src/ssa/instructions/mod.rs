//! The encoding of instructions.
//!
//! [`encode`] covers all IR instructions, [`comparisons`] the comparison of values and pointers, and [`intrinsics`] the
//! intrinsic operations. Memory operations are in [`crate::ssa::memory`], calls in [`crate::ssa::calls`].

mod comparisons;
mod encode;
mod intrinsics;
