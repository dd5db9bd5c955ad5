//! Verdicts: the answers for a whole program.

pub use cairn_ir::check::Property;
use cairn_ir::source::StackPlace;
use cairn_ir::{Loc, Ty};

use crate::input::Input;
use crate::reason::Reason;
use cairn_interpret::trace::TraceStep;
use cairn_interpret::trace::story::Story;
use cairn_interpret::{Fault, Strewn};

/// A nondeterministic value that an execution asked for. A value without a location is a byte of standard input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asked {
    /// The location in the innermost function of the user.
    pub loc: Loc,
    /// The type of the value.
    pub ty: Ty,
    /// The value, in as many low bits as the type has.
    pub value: u128,
}

/// A violation, with the inputs on which the interpreter replayed it.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The violated property; `None` for a check without a property.
    pub property: Option<Property>,
    /// The fault that the interpreter stopped at.
    pub fault: Fault,
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The nondeterministic values that the replay asked for, in order.
    pub asked: Vec<Asked>,
    /// The contents of uninitialised objects, where they are not 0.
    pub strewn: Vec<Strewn>,
    /// The call stack at the exit of the program, innermost call first; empty if the fault ended it.
    pub end: Vec<StackPlace>,
    /// The steps of the user's code that lead to the fault.
    pub trace: Vec<TraceStep>,
    /// The most important steps, with names and pictures.
    pub story: Story,
}

/// The answer for a whole program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every check of the properties is proved.
    True,
    /// A check is violated.
    False(Box<Violation>),
    /// Neither is shown, for these reasons.
    Unknown(Vec<Reason>),
}
