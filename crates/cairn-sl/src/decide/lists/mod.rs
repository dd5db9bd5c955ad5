//! Symbolic heaps with list segments.

use super::Question;
use crate::budget::{Answer, Budget, Reason};
use crate::signature::Signature;

/// The procedure's name.
pub const NAME: &str = "lists";

/// Decides a question about list segments.
pub fn decide(_: &Signature, _: &Question, _: &Budget) -> Answer {
    Answer::Unknown(Reason::Uncovered("not a list-segment problem".to_owned()))
}
