//! `cairn check --engine integrity`: the graphs of a program or library, function by function.

use std::sync::atomic::Ordering;

use cairn_engine::engines::integrity::{self, Options, Status};
use cairn_report::integrity as report;

use crate::arguments::{CheckArguments, Format};
use crate::exit::Exit;
use crate::limits::Limits;
use crate::program;
use crate::terminal::{self, Terminal};

/// Checks every function.
pub(crate) fn check(arguments: &CheckArguments, terminal: &Terminal) -> Exit {
    let Some(loaded) = program::load(&arguments.files, &arguments.c, terminal) else { return Exit::Failure };
    let limits = Limits::start(Some(arguments.time_limit), arguments.search.memory_limit);
    let options = Options {
        zero_allocation: arguments.zero_allocation,
        allocators: arguments.allocators.clone(),
        deallocators: arguments.deallocators.clone(),
        longest_path: arguments.longest_path,
    };
    let stop = || limits.cancel.load(Ordering::Relaxed);
    if arguments.dump_rules {
        terminal::print(integrity::rules(&loaded.program, &options, &stop).as_bytes());
        return Exit::Fine;
    }
    let found = integrity::check(&loaded.program, &options, &stop);
    let text = loaded.with_texts(|texts| match arguments.format {
        Format::Text => report::text(&found, &loaded.program),
        Format::Json => report::json(&found, &loaded.program),
        Format::Sarif => report::sarif(&found, &loaded.program, texts, env!("CARGO_PKG_VERSION")),
        Format::Github => report::github(&found, &loaded.program, texts),
    });
    terminal::print(text.as_bytes());
    let mut statuses = found.functions.iter().flat_map(|function| [&function.memory, &function.integrity]);
    if statuses.clone().any(|status| matches!(status, Status::Violated(_))) {
        Exit::Violation
    } else if statuses.any(|status| *status != Status::Proved) {
        Exit::Undecided
    } else {
        Exit::Fine
    }
}
