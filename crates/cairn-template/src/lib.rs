//! Template-based invariant synthesis with a solver, for shape and contents together (2ls-fmcad18, 2ls-thesis).
//!
//! [`ssa`] encodes the program as an acyclic formula, [`templates`] define the form of an invariant, and [`synthesis`]
//! computes the template parameters. [`engine`] runs these through stages of growing precision, with `hints` from the
//! program text. `dump` prints invariants and summaries, [`reason`] names the causes of missing answers, and `limits`
//! holds all limits.

mod dump;
pub mod engine;
mod hints;
mod limits;
pub mod reason;
pub mod ssa;
pub mod synthesis;
pub mod templates;

pub use self::dump::{invariants, summaries};
pub use self::engine::{Outcome, Templates};
pub use self::reason::{Incompleteness, Reason};
