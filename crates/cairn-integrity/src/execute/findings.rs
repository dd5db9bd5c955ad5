//! The answers about one function while it is executed.

use cairn_ir::{FuncId, Loc};

use super::super::replay::Input;
use super::super::report::{Condition, FunctionReport, Reason, Status, Unknown, Violation};
use super::super::solver::PathSolver;

/// Whether the end of the function can be reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Exit {
    /// No path came to the end.
    #[default]
    NotReached,
    /// Paths came to the end, and all of them are infeasible.
    Infeasible,
    Feasible,
}

/// The answers so far.
#[derive(Debug)]
pub(super) struct Findings {
    memory: Status,
    integrity: Status,
    /// A location where paths end because memory safety is not proved there. Nothing is known of integrity after it.
    memory_end: Option<Loc>,
    /// The same for integrity.
    integrity_end: Option<Loc>,
    by_contract: Vec<Loc>,
    casts: bool,
    /// The inputs of models of conditions that fail.
    inputs: Vec<Input>,
    in_callers: bool,
    /// Whether some path was not followed to its end.
    gave_up: bool,
    exit: Exit,
}

impl Default for Findings {
    fn default() -> Self {
        Self {
            memory: Status::Proved,
            integrity: Status::Proved,
            memory_end: None,
            integrity_end: None,
            by_contract: Vec::new(),
            casts: false,
            inputs: Vec::new(),
            in_callers: false,
            gave_up: false,
            exit: Exit::NotReached,
        }
    }
}

impl Findings {
    /// Forgets everything but that the end of the function is feasible.
    pub fn restart(&mut self) {
        *self = Self { exit: self.exit, ..Self::default() };
    }

    /// Returns whether both answers are known not to be yes.
    pub fn is_settled(&self) -> bool {
        self.memory != Status::Proved && self.integrity != Status::Proved
    }

    pub fn is_integrity_proved(&self) -> bool {
        self.integrity == Status::Proved
    }

    pub fn is_memory_proved(&self) -> bool {
        self.memory == Status::Proved
    }

    /// Gives up both answers.
    pub fn give_up(&mut self, reason: Reason) {
        self.gave_up = true;
        self.memory.weaken(reason.clone());
        self.integrity.weaken(reason);
    }

    /// Gives up memory safety. Paths go on.
    pub fn memory_unknown(&mut self, loc: Loc, reason: Reason) {
        self.memory.weaken(Unknown::at(loc, reason));
    }

    /// Gives up memory safety for a reason that no type decides. Executions that violate it show nothing.
    pub fn memory_by_contract(&mut self, loc: Loc, reason: Reason) {
        self.memory_unknown(loc, reason);
        self.by_contract.push(loc);
    }

    /// Records that paths end at a location where memory safety is not proved.
    pub fn end_at_memory(&mut self, loc: Loc) {
        self.memory_end.get_or_insert(loc);
    }

    /// Gives up integrity. Paths go on.
    pub fn integrity_unknown(&mut self, loc: Loc, reason: Reason) {
        self.integrity.weaken(Unknown::at(loc, reason));
    }

    /// Records that paths end at a location where integrity is not proved.
    pub fn end_at_integrity(&mut self, loc: Loc) {
        self.integrity_end.get_or_insert(loc);
    }

    /// Records that a pointer that is not declared as a link is made one.
    pub fn note_cast(&mut self) {
        self.casts = true;
    }

    /// Records that callers see uninitialised memory.
    pub fn note_in_callers(&mut self) {
        self.in_callers = true;
    }

    /// Records that a path comes to the end of the function.
    pub fn note_exit(&mut self, solver: &mut PathSolver<'_, '_>) {
        if self.exit != Exit::Feasible {
            self.exit = if solver.is_refuted(&[]) { Exit::Infeasible } else { Exit::Feasible };
        }
    }

    /// Returns whether the failure of a condition would change an answer.
    pub fn wants(&self, condition: &Condition) -> bool {
        if condition.is_about_memory() {
            matches!(self.memory, Status::Proved | Status::Unknown(_))
        } else {
            self.is_integrity_proved()
        }
    }

    /// Records that a model violates a condition.
    pub fn doubt(&mut self, condition: &Condition, violation: Violation, input: Option<Input>) {
        self.inputs.extend(input);
        *self.status(condition) = Status::Unconfirmed(Box::new(violation));
    }

    /// Records that the solver ran out of steps on a condition.
    pub fn exhausted(&mut self, condition: Condition) {
        let status = self.status(&condition);
        *status = Status::Unknown(Reason::ConditionOutOfBudget(condition).into());
    }

    fn status(&mut self, condition: &Condition) -> &mut Status {
        if condition.is_about_memory() { &mut self.memory } else { &mut self.integrity }
    }

    /// Returns the report, the inputs of models, and whether all paths were followed to their ends.
    pub fn into_report(mut self, function: FuncId, conditions: usize) -> (FunctionReport, Vec<Input>, bool) {
        if self.exit == Exit::Infeasible {
            self.give_up(Reason::InfeasibleExit);
        }
        // Where both answers are known not to be yes, other paths are not followed.
        let complete = !self.gave_up && self.memory_end.is_none() && self.integrity_end.is_none() && !self.is_settled();
        if let (Some(loc), Status::Proved) = (self.memory_end, &self.integrity) {
            self.integrity.weaken(Reason::AfterUnprovedMemory(loc));
        }
        if let (Some(loc), Status::Proved) = (self.integrity_end, &self.memory) {
            self.memory.weaken(Reason::AfterUnprovedIntegrity(loc));
        }
        let report = FunctionReport {
            in_callers: self.in_callers,
            conditions,
            by_contract: self.by_contract,
            casts: self.casts,
            ..FunctionReport::new(function, self.memory, self.integrity)
        };
        (report, self.inputs, complete)
    }
}
