//! `cairn check` on code without a `main`: every function by itself, for unknown callers.

use cairn_contract::Options;
use cairn_portfolio::survey::{Counts, Survey};
use cairn_report::Results;

use crate::arguments::CheckArguments;
use crate::commands::check;
use crate::exit::Exit;
use crate::program::Loaded;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;

/// Checks every function of the user.
pub(crate) fn check(arguments: &CheckArguments, loaded: &Loaded, guard: &Guard, terminal: &Terminal) -> Exit {
    if arguments.harness.is_some() || arguments.solver.certificate.is_some() {
        terminal.error("`--harness` and `--certificate` need a program with a `main`");
        return Exit::Failure;
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options { malloc_fails: arguments.malloc_fails, threads, cancel: guard.cancel() };
    let report = cairn_contract::check(&loaded.program, &options);
    guard.concludes();
    let violated = report.findings.len();
    let survey = Survey {
        findings: report.findings.into_iter().map(|finding| finding.violation).collect(),
        checks: Counts { violated, ..Counts::default() },
        ..Survey::default()
    };
    check::print(&Results::of_library(&survey, &loaded.program, report.functions), arguments, loaded, terminal);
    if violated > 0 { Exit::Violation } else { Exit::Undecided }
}
