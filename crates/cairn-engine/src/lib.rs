//! The memory model and the engines that answer checks.

mod attempt;
pub mod calls;
pub mod engines;
mod float_terms;
mod granted;
pub mod liveness;
pub mod memory;
pub mod portfolio;
pub mod reach;
pub mod replay;
mod scalar_terms;
pub mod survey;
pub mod verdict;
