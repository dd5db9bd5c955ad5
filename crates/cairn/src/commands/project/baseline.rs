//! `cairn baseline update`: checks, and writes all findings to the baseline.

use std::path::PathBuf;

use cairn_report::report::Baseline;

use crate::arguments::BaselineAction;
use crate::commands::check;
use crate::exit::Exit;
use crate::system::files;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;

/// The baseline of a project that names none.
const DEFAULT: &str = "cairn-baseline.json";

/// Updates a baseline.
pub(crate) fn baseline(action: BaselineAction, guard: &Guard, terminal: &Terminal) -> Exit {
    let BaselineAction::Update(arguments) = action;
    let mut check = arguments.check;
    let file = check.output.baseline.take().unwrap_or_else(|| PathBuf::from(DEFAULT));
    let (exit, report) = check::reported(check, guard, terminal);
    let Some(report) = report else { return if exit == Exit::Fine { Exit::Failure } else { exit } };
    let baseline = Baseline::of(&report);
    if let Err(message) = files::write(&file, &baseline.to_json()) {
        terminal.error(&message);
        return Exit::Failure;
    }
    let s = if baseline.len() == 1 { "" } else { "s" };
    terminal.note(&format!("{} finding{s} written to '{}'", baseline.len(), file.display()));
    if exit == Exit::Failure { Exit::Failure } else { Exit::Fine }
}
