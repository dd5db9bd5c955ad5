//! The exit codes of the command line.

use std::process::ExitCode;

/// How the command ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// Nothing is wrong.
    Fine,
    /// A violation was found.
    Violation,
    /// Undecided: something is not modelled, or a limit was reached.
    Undecided,
    /// The tool could not do its job: bad arguments, unreadable or invalid C, an internal error.
    Failure,
    /// The program that was run ended by itself with this status.
    Program(u8),
    /// The program that was run called `abort`: what a shell says of it.
    Aborted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Fine => 0,
            Exit::Violation => 1,
            Exit::Undecided => 2,
            Exit::Failure => 3,
            Exit::Program(status) => status,
            Exit::Aborted => 134,
        })
    }
}
