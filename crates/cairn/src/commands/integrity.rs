//! `cairn check --engine integrity`: memory safety and graph integrity, function by function.

use cairn_integrity::Status;
use cairn_report::Results;

use crate::arguments::CheckArguments;
use crate::commands::check;
use crate::exit::Exit;
use crate::program;
use crate::system::supervise::Guard;
use crate::system::terminal::{self, Terminal};

/// Checks every function.
pub(crate) fn check(arguments: &CheckArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    let Some(loaded) = program::load(&arguments.files, &arguments.c, guard, terminal) else { return Exit::Failure };
    let options = arguments.integrity.options();
    let stop = || guard.is_cancelled();
    if arguments.integrity.dump_rules {
        terminal::print(cairn_integrity::rules(&loaded.program, &options, &stop).as_bytes());
        return Exit::Fine;
    }
    let found = cairn_integrity::check(&loaded.program, &options, &stop);
    guard.concludes();
    let mut statuses = found.functions.iter().flat_map(|function| [&function.memory, &function.integrity]);
    let is_proved = statuses.all(|status| *status == Status::Proved);
    let otherwise = if is_proved { Exit::Fine } else { Exit::Undecided };
    check::deliver(&Results::of_functions(&found, &loaded.program), arguments, &loaded, otherwise, terminal)
}
