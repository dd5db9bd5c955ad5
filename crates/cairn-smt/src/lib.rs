//! Bit-vector terms and a solver for them.
//!
//! [`term`] holds hash-consed terms in a normal form that decides most questions by itself; [`facts`] knows bits and bounds of
//! every term; [`repair`] changes a model a little so that it satisfies more; [`blast`] turns what is left into clauses; [`session`] is the one door to the SAT solver: incremental, with
//! assumptions, models, unsatisfiable cores, a budget and an interrupt. Truth values are bit-vectors of width 1.

pub mod blast;
pub mod build;
pub mod evaluate;
pub mod facts;
pub mod float;
pub mod persistent;
pub mod print;
pub mod repair;
pub mod session;
pub mod substitute;
pub mod term;

pub use session::{Answer, Session};
pub use substitute::Substitution;
pub use term::{Term, Terms};
