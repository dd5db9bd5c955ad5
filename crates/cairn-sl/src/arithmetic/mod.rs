//! Exact linear integer arithmetic.
//!
//! The integers are unbounded; if a computation overflows the machine numbers, the answer is
//! `Unknown`. `row.rs` holds linear expressions and `omega.rs` the decision procedure.

mod omega;
mod row;
#[cfg(test)]
mod tests;

pub use omega::{Answer, Solution, entails, solve};
pub use row::{Constraint, Relation, Row};
