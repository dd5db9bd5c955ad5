//! Standard output and standard error: colour only on a terminal, quiet when a pipe is closed.

use std::io::{self, IsTerminal, Write};

use cairn_report::Colour;

use crate::arguments::When;
use crate::exit::Exit;

/// The exit status that shells give to a program that SIGPIPE ends.
const BROKEN_PIPE_STATUS: i32 = 141;

/// The terminal of one run of cairn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Colour of reports on standard error.
    pub(crate) colour: Colour,
    /// Colour of reports on standard output.
    pub(crate) output_colour: Colour,
}

impl Terminal {
    /// Decides once whether reports are coloured.
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

    /// Returns whether standard output is a terminal that shows Unicode, so that drawings use its lines and arrows.
    pub(crate) fn draws_boxes(&self) -> bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .find_map(|name| std::env::var(name).ok().filter(|v| !v.is_empty()));
        let is_unicode = locale.is_some_and(|locale| locale.to_ascii_lowercase().replace('-', "").contains("utf8"));
        is_unicode && io::stdout().is_terminal()
    }

    /// Writes text and a newline to standard error.
    pub(crate) fn report(&self, text: &str) {
        complain(text);
    }

    /// Writes `error: message` to standard error.
    pub(crate) fn error(&self, message: &str) {
        self.message("error", "31", message);
    }

    /// Writes `warning: message` to standard error.
    pub(crate) fn warning(&self, message: &str) {
        self.message("warning", "33", message);
    }

    /// Writes `note: message` to standard error.
    pub(crate) fn note(&self, message: &str) {
        self.message("note", "32", message);
    }

    /// Writes `help: message` to standard error.
    pub(crate) fn help(&self, message: &str) {
        self.message("help", "36", message);
    }

    fn message(&self, level: &str, colour: &str, message: &str) {
        match self.colour {
            Colour::On => complain(&format!("\u{1b}[1;{colour}m{level}\u{1b}[0m: {message}")),
            Colour::Off => complain(&format!("{level}: {message}")),
        }
    }
}

/// Writes text and a newline to standard error, which may be closed.
fn complain(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes `error: message` to standard error, for code that runs without a [`Terminal`].
pub(crate) fn error(message: &str) {
    complain(&format!("error: {message}"));
}

/// Writes to standard output and flushes it. The process ends quietly when nobody reads the output any more.
pub(crate) fn print(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if let Err(cause) = out.write_all(bytes).and_then(|()| out.flush()) {
        output_failed(&cause);
    }
}

/// Ends the process after standard output could not be written.
pub(crate) fn output_failed(cause: &io::Error) -> ! {
    if cause.kind() == io::ErrorKind::BrokenPipe {
        std::process::exit(BROKEN_PIPE_STATUS);
    }
    error(&format!("cannot write to standard output: {}", crate::system::files::describe(cause)));
    std::process::exit(Exit::Failure.code());
}
