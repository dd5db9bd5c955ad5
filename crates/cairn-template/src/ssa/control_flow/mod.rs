//! The encoding of control flow (FMCAD §II-C).
//!
//! `regions` inlines functions and encodes their blocks in a forward order, [`loop_cut`] unwinds loops and cuts them at
//! the end of the body, and [`natural_loops`] finds the loops.

pub(super) mod loop_cut;
pub mod natural_loops;
mod regions;
