//! Symbolic heaps with inductive predicates of any shape.

use super::Question;
use crate::budget::{Answer, Budget, Reason};
use crate::signature::Signature;

/// The procedure's name.
pub const NAME: &str = "inductive";

/// Decides a question about inductive predicates.
pub fn decide(_: &Signature, _: &Question, _: &Budget) -> Answer {
    Answer::Unknown(Reason::Uncovered("inductive predicates are not covered".to_owned()))
}
