//! The transfer functions: what instructions, conditions and calls do to a state.

pub mod access;
pub mod arithmetic;
pub mod calls;
pub mod conditions;
pub mod contents;
mod fits;
pub mod heap;
pub mod instructions;
pub mod intrinsics;
pub mod jumps;
pub mod relate;
pub mod terminators;
pub mod text;
pub mod variadic;
