//! The text form of a program.

use crate::program::Program;

/// The whole program as text. [`crate::parse::parse`] reads it back.
pub fn print(_program: &Program) -> String {
    todo!()
}

/// The control-flow graphs of all defined functions of the user as DOT.
pub fn print_cfg(_program: &Program) -> String {
    todo!()
}
