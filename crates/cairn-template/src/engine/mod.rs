//! The engine: runs through *stages* with richer templates and deeper loop unwinding.
//!
//! Unwinding gives bounded model checking (`bounded`) and k-induction (`proof`) on the same kind of formula: a path
//! ends where it violates a check, so a query about one copy of a loop body assumes that the earlier copies satisfied
//! their checks. A stage proves all checks, finds a candidate violation, or does neither. A stage that exhausts its
//! budget is retried after the others with a larger one.
//!
//! `certify` checks every proof again before it is reported, and proofs that were written to a file.
//!
//! **Tour.** [`Templates`] (`staged`) drives the stages that `stages` lists. `portfolio` presents it as an engine of
//! the portfolio.

mod bounded;
mod certify;
mod portfolio;
mod proof;
mod staged;
pub(crate) mod stages;

pub use self::certify::check as check_certificate;
pub use self::portfolio::{NAME, engine};
pub use self::staged::{Outcome, Templates};
