//! The command line: the only crate that touches files, the clock and other processes.
//!
//! Work is done on a thread with a large stack, because trees of deeply nested programs are walked recursively; a panic there
//! is a mistake of ours and is reported as such.

mod arguments;
mod bench;
mod check;
mod dump;
mod exit;
mod explain;
mod external;
mod files;
mod growth;
mod harness;
mod host;
mod inputs;
mod integrity;

mod limits;
mod preprocess;
mod program;
mod run;
mod sha256;
mod sl;
mod solver;
mod svcomp;
mod terminal;
mod thread;
mod witness;

use std::process::ExitCode;

use arguments::{Bench, Cli, Command};
use clap::Parser;
use exit::Exit;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse_from(arguments::normalised(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no mistakes; `print` sends them to standard output and mistakes to standard error.
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
        Command::Svcomp {
            property,
            data_model,
            witness,
            witness_format,
            harness,
            time_limit,
            search,
            solver,
            file,
        } => {
            let witness = witness.map(|file| witness::Destination { file, format: witness_format });
            let task = svcomp::SvcompTask { property, data_model, witness, harness, time_limit, search, solver, file };
            svcomp::svcomp(&task, &terminal)
        }
        Command::Bench { what: Bench::AllocationCheck(arguments) } => bench::allocation_check(&arguments, &terminal),
        Command::Bench { what: Bench::Growth(arguments) } => growth::growth(&arguments, &terminal),
        Command::Sl(arguments) => sl::sl(&arguments, &terminal),
        Command::Lsp => not_available("lsp", "the language server is not built in yet"),
    }
}

/// Says that a command is not there yet: it must never be mistaken for an answer.
fn not_available(command: &str, reason: &str) -> Exit {
    terminal::complain(&format!("cairn {command}: not available yet in this version ({reason})"));
    Exit::Failure
}
