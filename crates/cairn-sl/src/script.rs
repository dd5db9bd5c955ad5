//! Scripts: the declarations and commands of an SL-COMP file.

use crate::formula::{Formula, Variable};
use crate::signature::Signature;

/// The contents of a file.
#[derive(Clone, Debug)]
pub struct Script {
    /// The logic named by `set-logic`.
    pub logic: Option<String>,
    /// The expected answer, from the `:status` annotation.
    pub status: Option<String>,
    /// The declared sorts, heaps, predicates and variables.
    pub signature: Signature,
    /// The declared constants.
    pub constants: Vec<Variable>,
    /// The commands, in order.
    pub commands: Vec<Command>,
}

/// A command with an effect on the execution of a script.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Adds a formula to the assertions.
    Assert(Formula),
    /// Checks the current assertions for satisfiability.
    CheckSat,
    /// Requests the model of the last check.
    GetModel,
    /// Pushes this number of assertion levels.
    Push(u32),
    /// Pops this number of assertion levels.
    Pop(u32),
}

/// The assertion stack of a running script.
#[derive(Clone, Debug, Default)]
pub struct Assertions {
    formulas: Vec<Formula>,
    levels: Vec<usize>,
}

impl Assertions {
    /// Executes the effect of a command on the assertions.
    ///
    /// Popping an absent level has no effect; the reader rejects such scripts.
    pub fn run(&mut self, command: &Command) {
        match command {
            Command::Assert(formula) => self.formulas.push(formula.clone()),
            Command::Push(levels) => {
                for _ in 0..*levels {
                    self.levels.push(self.formulas.len());
                }
            }
            Command::Pop(levels) => {
                for _ in 0..*levels {
                    if let Some(length) = self.levels.pop() {
                        self.formulas.truncate(length);
                    }
                }
            }
            Command::CheckSat | Command::GetModel => {}
        }
    }

    /// Returns the current assertions.
    pub fn formulas(&self) -> &[Formula] {
        &self.formulas
    }
}
