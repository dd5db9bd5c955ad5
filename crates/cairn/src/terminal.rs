//! Standard output and standard error: colour only on a terminal, quiet when a pipe is closed.

use std::io::{self, IsTerminal, Write};

use cairn_report::Colour;

use crate::arguments::When;

/// What a shell says of a program that ended because nobody reads its output.
const BROKEN_PIPE_STATUS: i32 = 141;

/// How to write reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// For reports on standard error.
    pub(crate) colour: Colour,
    /// For reports on standard output.
    pub(crate) output_colour: Colour,
}

impl Terminal {
    /// Decides on colour once for the whole run.
    pub(crate) fn new(when: When) -> Self {
        let coloured = |is_terminal: bool| {
            let coloured = match when {
                When::Always => true,
                When::Never => false,
                When::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
            };
            if coloured { Colour::On } else { Colour::Off }
        };
        Terminal { colour: coloured(io::stderr().is_terminal()), output_colour: coloured(io::stdout().is_terminal()) }
    }

    /// A line or more on standard error.
    pub(crate) fn report(&self, text: &str) {
        complain(text);
    }
}

/// A line or more on standard error, which may be closed.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes to standard output and flushes it. When nobody reads it any more, the process ends quietly.
pub(crate) fn print(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(BROKEN_PIPE_STATUS),
        Err(error) => {
            complain(&format!("cairn: standard output can't be written: {error}"));
            std::process::exit(3);
        }
        Ok(()) => {}
    }
}
