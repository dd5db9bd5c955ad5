//! The exit codes of the command line.

use std::process::ExitCode;

/// The outcome of a command.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Exit {
    /// No violation, or everything proved.
    Fine,
    /// A violation was found.
    Violation,
    /// Undecided: something is not modelled, or a limit was reached.
    #[default]
    Undecided,
    /// cairn could not do its job: bad arguments, unreadable or invalid C, an internal error.
    Failure,
    /// The executed program exited with this status.
    Program(u8),
    /// The executed program called `abort`; shells give it this status.
    Aborted,
}

impl Exit {
    /// Returns the exit code.
    pub(crate) fn code(self) -> i32 {
        match self {
            Exit::Fine => 0,
            Exit::Violation => 1,
            Exit::Undecided => 2,
            Exit::Failure => 3,
            Exit::Program(status) => i32::from(status),
            Exit::Aborted => 134,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(u8::try_from(exit.code()).unwrap_or(u8::MAX))
    }
}
