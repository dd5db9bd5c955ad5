//! The passes that run on a linked program, as one list.

mod bind_library;
mod drop_unused;
mod library;
mod number_checks;
mod question_calls;
pub mod symbols;
#[cfg(test)]
mod tests;
mod tidy_blocks;

use crate::program::Program;

/// A pass: its name, and what it does to a program.
type Pass = (&'static str, fn(&mut Program));

/// Every pass, in the order in which they run.
const PASSES: &[Pass] = &[
    // Calls of undefined functions with a name that C knows become intrinsics. First, because it ends blocks at calls that
    // do not return.
    ("bind_library", bind_library::run),
    // Blocks that are never reached go, runs of blocks become one, and the rest is numbered in reverse postorder.
    ("tidy_blocks", tidy_blocks::run),
    // Models and declarations that nothing refers to go. After the binding, which leaves many of them behind.
    ("drop_unused", drop_unused::run),
    // The table of checks is made anew from the instructions that are left. Last, because all others drop or add some.
    ("number_checks", number_checks::run),
];

/// Whether a function of this name that nobody defines has a meaning all the same.
pub fn is_library_function(name: &str) -> bool {
    library::binding(name).is_some()
}

/// Runs every pass in order; in debug builds the verifier runs after each.
///
/// # Panics
/// In debug builds, when a pass leaves a program that is not well-formed: a mistake of ours, never of the program's author.
pub fn run(program: &mut Program) {
    // Part of linking rather than a pass: only now it is known which definition a call reaches.
    question_calls::run(program);
    verify_after("lowering", program);
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
