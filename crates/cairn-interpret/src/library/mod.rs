//! Intrinsics: the operations that the models of the C library are made of.
//!
//! - [`intrinsic`] executes intrinsics on the heap, on bytes, and for inputs and outputs.
//! - [`format`] is `printf`, and [`decimal`] expands floating-point numbers for it.
//! - [`parse_float`] is `strtod`.

mod decimal;
mod format;
mod intrinsic;
mod parse_float;
