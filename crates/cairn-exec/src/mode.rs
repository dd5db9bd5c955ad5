//! The points at which an engine customises symbolic execution.

use std::fmt::Debug;

use cairn_ir::inst::Call;
use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Ty};
use cairn_memory::pointer::ObjectId;
use cairn_smt::{Substitution, Term, Terms};

use super::Machine;
use super::state::State;

/// An engine's customisation of the machine.
pub trait Mode: Clone + Debug + Sized {
    /// The data that a state carries for this engine alone.
    type Extra: StateData;

    /// Whether states over-approximate: offsets and lengths may stay symbolic, and an object may stand for many.
    const ABSTRACTS: bool;

    /// Whether callers are unknown: an operation that fails only for some inputs is assumed to succeed.
    const ASSUMES: bool = false;

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

    /// Lets a pointer with an unknown target point to an object.
    ///
    /// Returns the pointer in a form that has a target; `None` if the pointer stays unknown.
    fn materialise(
        _machine: &mut Machine<'_, Self>,
        state: State<Self>,
        _pointer: Term,
    ) -> (State<Self>, Option<Term>) {
        (state, None)
    }

    /// Takes note that the target of a pointer is split into cases before an access through it.
    fn note_cases(_state: &mut State<Self>) {}

    /// Takes note that a value was chosen for an offset, a size or a length that no branch of the code has decided.
    fn note_choice(_state: &mut State<Self>) {}

    /// Takes note that an operation fails for some inputs and is assumed to succeed. The check is missing if the operation has none.
    fn note_assumed(_machine: &mut Machine<'_, Self>, _check: Option<CheckId>) {}

    /// Takes note that bytes of an object are read.
    fn note_read(_machine: &mut Machine<'_, Self>, _state: &State<Self>, _id: ObjectId) {}

    /// Returns whether the unwritten bytes of an object are inputs; otherwise they are uninitialised.
    fn holds_inputs(_state: &State<Self>, _id: ObjectId) -> bool {
        false
    }

    /// Returns whether the size of an object is an assumption: accesses beyond it end the path silently.
    fn is_unsized(_state: &State<Self>, _id: ObjectId) -> bool {
        false
    }

    /// Records inputs that were read from unwritten bytes of an object, with their offsets.
    fn record_inputs(_state: &mut State<Self>, _id: ObjectId, _found: &[(u64, Term)]) {}

    /// Executes a call of a function without a body, or through a pointer with an unknown target.
    ///
    /// Only modes that assume are asked. Returns false if the call does not return.
    fn call_unknown(
        _machine: &mut Machine<'_, Self>,
        _state: &mut State<Self>,
        _call: &UnknownCall<'_>,
        _out: &mut Vec<State<Self>>,
    ) -> bool {
        false
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

/// A call whose target is unknown.
#[derive(Clone, Copy, Debug)]
pub struct UnknownCall<'a> {
    /// The called function; `None` for a call through an unknown pointer.
    pub function: Option<FuncId>,
    /// The pointer that is called, if there is no known function.
    pub pointer: Option<Term>,
    /// The call.
    pub call: &'a Call,
    /// The values of the arguments.
    pub arguments: &'a [Term],
    /// The location of the call.
    pub loc: Loc,
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
