//! Boolean combinations, by models of bounded size.

use crate::budget::{Answer, Budget, Reason};
use crate::formula::Formula;
use crate::signature::Signature;

/// The procedure's name.
pub const NAME: &str = "bounded-models";

/// Decides whether a conjunction has a model.
pub fn decide(_: &Signature, _: &[Formula], _: &Budget) -> Answer {
    Answer::Unknown(Reason::Uncovered("boolean combinations are not covered".to_owned()))
}
