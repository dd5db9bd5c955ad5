//! The exit codes of the command line.

use std::process::ExitCode;

/// The outcome of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exit {
    /// No violation, or everything proved.
    Fine,
    /// A violation was found.
    Violation,
    /// Undecided: something is not modelled, or a limit was reached.
    Undecided,
    /// cairn could not do its job: bad arguments, unreadable or invalid C, an internal error.
    Failure,
    /// The executed program exited with this status.
    Program(u8),
    /// The executed program called `abort`; shells give it this status.
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
