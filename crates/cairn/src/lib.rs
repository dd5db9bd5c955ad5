//! The command line. This is the only crate that touches files, the clock and other processes.
//!
//! A command runs on a thread with a large stack, because trees of deeply nested programs are walked recursively. A panic
//! there is a bug in cairn and is reported as one.

mod arguments;
mod commands;
mod exit;
mod explain;
mod harness;
mod inputs;
mod limits;
mod program;
pub mod schedule;
mod sha256;
mod solver;
mod system;
mod witness;

use std::ffi::OsString;
use std::process::ExitCode;

use arguments::{Bench, Cli, Command};
use commands::{bench, check, dump, growth, run, sl, svcomp};
use exit::Exit;
use system::{terminal, thread};

/// Runs the command line with these arguments, the program's name first.
pub fn main_with(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let cli = match arguments::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors; `print` sends them to standard output and errors to standard error.
            let _ = error.print();
            return if error.use_stderr() { Exit::Failure.into() } else { Exit::Fine.into() };
        }
    };
    thread::on_large_stack(move || dispatch(cli)).into()
}

fn dispatch(cli: Cli) -> Exit {
    let terminal = terminal::Terminal::new(cli.color);
    match cli.command {
        Command::Run(arguments) => run::run(arguments, &terminal),
        Command::Dump(arguments) => dump::dump(arguments, &terminal),
        Command::Explain { check } => explain::explain(check.as_deref(), &terminal),
        Command::Check(arguments) => check::check(&arguments, &terminal),
        Command::Svcomp(arguments) => svcomp::svcomp(&arguments, &terminal),
        Command::Bench { what: Bench::AllocationCheck(arguments) } => bench::allocation_check(&arguments, &terminal),
        Command::Bench { what: Bench::Growth(arguments) } => growth::growth(&arguments, &terminal),
        Command::Sl(arguments) => sl::sl(&arguments, &terminal),
        Command::Lsp => {
            terminal.error("`cairn lsp` is not available yet");
            Exit::Failure
        }
    }
}
