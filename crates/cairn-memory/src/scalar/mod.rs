//! Scalar values: the operations of the IR on concrete numbers and on solver terms.
//!
//! The interpreter and the symbolic engines share this code, so that an operation has the same meaning in all of
//! them.

pub mod float;
pub mod float_terms;
pub mod terms;
