//! The memory model and the engines that answer checks.

pub mod engines;
pub mod memory;
pub mod reach;
