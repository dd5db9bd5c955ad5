//! `cairn run`: executes a program under the checking interpreter and reports the first fault.

use std::ffi::OsString;

use cairn_interpret::{Ending, Fault, Options, Outcome};
use cairn_ir::CheckKind;
use cairn_report::fault::{self, Weight};

use crate::arguments::{Leaks, RunArguments};
use crate::exit::Exit;
use crate::inputs::{self, Generator, Inputs};
use crate::program::{self, Loaded};
use crate::system::files;
use crate::system::host::ProcessHost;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;

/// Runs the program.
pub(crate) fn run(arguments: RunArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    let inputs = match &arguments.inputs {
        None => Inputs::Generated(Generator::new(arguments.seed)),
        Some(path) => {
            let name = path.display();
            let text = match files::read_bytes(path) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(error) => {
                    terminal.report(&format!("cairn: {name}: {error}"));
                    return Exit::Failure;
                }
            };
            match inputs::parse(&text) {
                Ok(values) => Inputs::Listed { values, used: 0 },
                Err(message) => {
                    terminal.report(&format!("cairn: {name}: {message}"));
                    return Exit::Failure;
                }
            }
        }
    };
    let Some(loaded) = program::load(&arguments.files, &arguments.c, guard, terminal) else { return Exit::Failure };
    let first = arguments.files.first().map(|path| path.clone().into_os_string()).unwrap_or_default();
    let options = Options {
        args: std::iter::once(&first)
            .chain(&arguments.args)
            .map(|arg: &OsString| arg.as_encoded_bytes().to_vec())
            .collect(),
        max_steps: arguments.max_steps,
        max_memory: arguments.max_memory,
        ..Options::default()
    };
    let mut host = ProcessHost::new(loaded.program.target, inputs, arguments.malloc_fails.clone());
    let outcome = cairn_interpret::run(&loaded.program, &options, &mut host);
    host.flush();
    match outcome {
        Ok(outcome) => conclude(&outcome, &loaded, &arguments, terminal),
        Err(message) => {
            terminal.report(&format!("cairn: {message}"));
            Exit::Failure
        }
    }
}

/// Reports how the run ended and chooses the exit code.
fn conclude(outcome: &Outcome, loaded: &Loaded, arguments: &RunArguments, terminal: &Terminal) -> Exit {
    let report = |fault: &Fault, weight| {
        terminal
            .report(&loaded.with_texts(|texts| fault::render(fault, weight, &loaded.program, texts, terminal.colour)));
        terminal.report("");
    };
    match &outcome.ending {
        Ending::Exited(status) => {
            let mut exit = Exit::Program((status & 0xff) as u8);
            if arguments.leaks == Leaks::Ignore {
                return exit;
            }
            for leak in &outcome.leaks {
                if leak.kind == CheckKind::Unfreed && !arguments.error_on_unfreed {
                    report(leak, Weight::Warning);
                } else {
                    report(leak, Weight::Error);
                    exit = Exit::Violation;
                }
            }
            exit
        }
        Ending::Aborted => {
            terminal.report("cairn: the program called abort");
            Exit::Aborted
        }
        Ending::Fault(fault) => {
            report(fault, Weight::Error);
            if fault.kind == CheckKind::Unsupported { Exit::Undecided } else { Exit::Violation }
        }
        Ending::AssumptionFailed => {
            terminal.report("cairn: an assumption of the program does not hold: this run does not count");
            Exit::Undecided
        }
        Ending::OutOfBudget(limit) => {
            terminal.report(&format!("cairn: the run was given up: {limit}"));
            Exit::Undecided
        }
    }
}
