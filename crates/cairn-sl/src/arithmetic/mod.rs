//! Linear integer arithmetic, exactly: numbers have no bounds, and what would leave the machine's range is `unknown`.
//!
//! `row.rs` holds linear expressions, `omega.rs` the decision procedure.

mod omega;
mod row;
#[cfg(test)]
mod tests;

pub use omega::{Answer, Solution, entails, solve};
pub use row::{Constraint, Relation, Row};
