//! Candidates: violations that were not replayed yet.

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind};

use crate::input::Input;

/// A check that fails on a feasible path, with the inputs that lead there.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The kind of the check.
    pub kind: CheckKind,
    /// The check, if the instruction has it.
    pub check: Option<CheckId>,
    /// The location, innermost call first.
    pub stack: Vec<StackPlace>,
    /// The inputs that lead there.
    pub inputs: Vec<Input>,
}
