//! The abstract domain: numbers, values, memory and facts about registers.

pub mod map;
pub mod memory;
pub mod number;
pub mod object;
pub mod value;
