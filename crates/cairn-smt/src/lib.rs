//! Bit-vector terms and a solver for them.
//!
//! Constructors keep terms in a normal form that decides most queries without search. The rest goes
//! through a cascade: cached answers, repair of a nearby model, and finally bit-blasting onto a SAT
//! solver. Booleans are bit-vectors of width 1; the documentation calls them truth values.
//!
//! - [`term`]: the table of hash-consed terms; [`build`] holds its normalising constructors.
//! - [`facts`]: known bits and bounds of every term.
//! - [`evaluate`]: the value of a term under an assignment.
//! - [`repair`]: local search that turns an almost satisfying assignment into a model.
//! - [`blast`]: translation of terms to clauses.
//! - [`session`]: the incremental solver interface, with assumptions, models, unsatisfiable cores,
//!   a conflict budget and an interrupt.
//! - [`substitute`], [`mod@print`], [`float`], [`persistent`]: substitution, SMT-LIB output, IEEE 754
//!   arithmetic, and persistent collections.

pub mod blast;
pub mod build;
pub mod evaluate;
pub mod facts;
pub mod float;
mod limits;
pub mod persistent;
pub mod print;
pub mod repair;
pub mod session;
pub mod substitute;
pub mod term;

pub use session::{Answer, Session};
pub use substitute::Substitution;
pub use term::{Term, Terms};
