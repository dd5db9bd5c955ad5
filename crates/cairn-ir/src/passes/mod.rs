//! The list of passes that run on a linked program.

mod check_reads;
mod drop_unused;
pub mod end_in_main;
mod number_checks;
mod question_calls;
pub mod symbols;
#[cfg(test)]
mod tests;
mod tidy_blocks;

use crate::program::Program;

/// A pass: its name and its transformation.
type Pass = (&'static str, fn(&mut Program));

/// All passes, in execution order.
const PASSES: &[Pass] = &[
    // Removes unreachable blocks, merges straight-line sequences, and numbers the rest in reverse postorder.
    ("tidy_blocks", tidy_blocks::run),
    // Removes unreferenced models and declarations. The binding of library names leaves many of them behind.
    ("drop_unused", drop_unused::run),
    // Checks reads of local variables that may be uninitialised. Needs the final control flow.
    ("check_reads", check_reads::run),
    // Rebuilds the table of checks from the remaining instructions. Runs last, since the other passes add and remove
    // checks.
    ("number_checks", number_checks::run),
];

/// Runs all passes in order. In debug builds, the verifier runs after each pass.
///
/// # Panics
/// Panics in debug builds if a pass leaves an ill-formed program, which is always a bug in cairn.
pub fn run(program: &mut Program) {
    // This belongs to linking: only now is it known which definition a call reaches.
    question_calls::run(program);
    verify_after("linking", program);
    for (name, pass) in PASSES {
        pass(program);
        verify_after(name, program);
    }
}

fn verify_after(pass: &str, program: &Program) {
    if cfg!(debug_assertions) {
        let complaints = crate::verify::verify(program);
        assert!(complaints.is_empty(), "the program is not well-formed after {pass}:\n{}", complaints.join("\n"));
    }
}
