//! A script: declarations and the commands that ask.

use crate::formula::{Formula, Variable};
use crate::signature::Signature;

/// What a file says.
#[derive(Clone, Debug)]
pub struct Script {
    /// The logic that it names.
    pub logic: Option<String>,
    /// The answer that it expects, as its `:status` says.
    pub status: Option<String>,
    /// Its sorts, heaps, predicates and variables.
    pub signature: Signature,
    /// The constants that it declares.
    pub constants: Vec<Variable>,
    /// What it asks for, in order.
    pub commands: Vec<Command>,
}

/// A command that matters when the script is run.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// Adds a formula.
    Assert(Formula),
    /// Asks whether what was added so far has a model.
    CheckSat,
    /// Asks for that model.
    GetModel,
    /// Remembers that many times what was added.
    Push(u32),
    /// Forgets what was added since.
    Pop(u32),
}

/// What is asserted while a script runs: the one place that knows about levels.
#[derive(Clone, Debug, Default)]
pub struct Assertions {
    formulas: Vec<Formula>,
    levels: Vec<usize>,
}

impl Assertions {
    /// Does what the command says, where it is about assertions. A level that is not there is not popped: the reader has checked.
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

    /// The formulas that hold now.
    pub fn formulas(&self) -> &[Formula] {
        &self.formulas
    }
}
