//! The passes that run on a linked program, as one list.

use crate::program::Program;

/// Runs every pass in order; in debug builds the verifier runs after each.
pub fn run(_program: &mut Program) {
    todo!()
}
