//! Checks that a program is well-formed. Runs after every pass in debug builds.

use crate::program::Program;

/// Everything that is wrong with the program, one line each; empty when it is well-formed.
pub fn verify(_program: &Program) -> Vec<String> {
    todo!()
}
