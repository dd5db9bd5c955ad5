//! The points at which an engine customises symbolic execution.

use std::fmt::Debug;

use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Ty};
use cairn_smt::{Substitution, Term, Terms};

use super::Machine;
use super::state::State;

/// An engine's customisation of the machine.
pub trait Mode: Clone + Debug + Sized {
    /// The data that a state carries for this engine alone.
    type Extra: StateData;

    /// Whether states over-approximate: offsets and lengths may stay symbolic, and an object may stand for many.
    const ABSTRACTS: bool;

    /// Handles a check that is to be answered and that fails in a state.
    fn fail(machine: &mut Machine<'_, Self>, state: &State<Self>, failure: Failure);

    /// Handles the end of the program in a state.
    fn end(_machine: &mut Machine<'_, Self>, _state: &State<Self>, _loc: Loc) {}

    /// Offers the engine a state whose innermost call returns a value.
    ///
    /// The engine returns the state to let the call return, or keeps it.
    fn take_return(
        _machine: &mut Machine<'_, Self>,
        state: State<Self>,
        _value: Option<(Term, Ty)>,
        _out: &mut Vec<State<Self>>,
    ) -> Option<State<Self>> {
        Some(state)
    }

    /// Returns whether the states after each line are to be recorded.
    fn records(&self) -> bool {
        false
    }

    /// Records a state after a line of a function.
    fn record(_machine: &mut Machine<'_, Self>, _state: &State<Self>, _function: FuncId, _line: u32) {}
}

/// The part of a state that only one mode needs.
pub trait StateData: Clone + Debug + Default {
    /// Replaces terms.
    fn substitute(&mut self, terms: &mut Terms, map: &mut Substitution);

    /// Returns the values that the state carries for its callers, in addition to its registers and its memory.
    fn carried(&self) -> &[Carried];
}

/// A value that a state carries for the callers that its call is analysed apart from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Carried {
    /// The value.
    pub value: Term,
    /// What the value means for reachability.
    pub role: Role,
}

/// The meaning of a carried value for the reachability of objects; later roles demand more of the state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// The callers hold this pointer, so its object stays reachable whatever the state does.
    Root,
    /// The callers mention the value in arithmetic or in a condition, which keeps nothing reachable.
    Mentioned,
    /// The state holds the only pointer to an object of the callers, which leaks if the state loses the value.
    Owed,
}

impl StateData for () {
    fn substitute(&mut self, _: &mut Terms, _: &mut Substitution) {}

    fn carried(&self) -> &[Carried] {
        &[]
    }
}

/// A check that fails in a state.
#[derive(Clone, Copy, Debug)]
pub struct Failure {
    /// The kind of the check.
    pub kind: CheckKind,
    /// The check, if the instruction has one of this kind.
    pub check: Option<CheckId>,
    /// The location of the instruction.
    pub loc: Loc,
    /// Whether all executions that the state stands for fail here. If not, possibly none does.
    pub is_certain: bool,
}
