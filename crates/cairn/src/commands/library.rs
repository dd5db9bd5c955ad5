//! `cairn check` on code without a `main`: every function by itself, for unknown callers.

use cairn_contract::Options;
use cairn_portfolio::survey::{Counts, Survey};
use cairn_report::Results;

use crate::arguments::CheckArguments;
use crate::commands::check;
use crate::exit::Exit;
use crate::harness;
use crate::program::Loaded;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;

/// Checks every function of the user.
pub(crate) fn check(arguments: &CheckArguments, loaded: &Loaded, guard: &Guard, terminal: &Terminal) -> Exit {
    if arguments.solver.certificate.is_some() {
        terminal.error("`--certificate` needs a program with a `main`");
        return Exit::Failure;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options { malloc_fails: arguments.malloc_fails, threads, cancel: guard.cancel() };
    let report = cairn_contract::check(&loaded.program, &options);
    guard.concludes();
    let violated = report.findings.len();
    let survey = Survey {
        findings: report.findings.iter().map(|finding| finding.violation.clone()).collect(),
        checks: Counts { violated, ..Counts::default() },
        ..Survey::default()
    };
    let results = Results::of_library(&survey, &loaded.program, report.functions);
    let exit = check::deliver(&results, arguments, loaded, Exit::Undecided, terminal);
    if let Some(file) = &arguments.harness {
        for (index, finding) in report.findings.iter().enumerate() {
            if let Err(message) = harness::write_library(&harness::numbered(file, index + 1), finding, loaded) {
                terminal.warning(&message);
            }
        }
    }
    exit
}
