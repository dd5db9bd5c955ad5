//! The outcome of an instruction.

use std::ops::ControlFlow;

use crate::state::State;

/// Why an instruction does not continue in the state at hand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The path ends here.
    Ended,
    /// The states to continue with are in the output list.
    Split,
}

/// A value to continue with, or the reason to stop.
pub type Flow<T> = ControlFlow<Stop, T>;

/// The outcome of an instruction: the state after it, or the reason why there is none.
pub type Step<M> = Flow<State<M>>;

/// Continues with a value, or stops if there is none.
pub(crate) fn or_stop<T>(value: Option<T>, stop: Stop) -> Flow<T> {
    match value {
        Some(value) => ControlFlow::Continue(value),
        None => ControlFlow::Break(stop),
    }
}
