//! `cairn judge`: confirms, refutes or leaves open the findings of another tool.

use cairn_report::Colour;
use cairn_report::judge::{self, Judgement, Log};

use crate::arguments::{JudgeArguments, TraceName};
use crate::commands::check;
use crate::exit::Exit;
use crate::system::files;
use crate::system::supervise::Guard;
use crate::system::terminal::{self, Terminal};

/// Checks the code, and judges each finding.
pub(crate) fn judge(arguments: JudgeArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    let JudgeArguments { log: file, judged, mut check } = arguments;
    let read = files::read(&file).and_then(|bytes| {
        let text = String::from_utf8(bytes).map_err(|_| format!("'{}' is not UTF-8", file.display()))?;
        Log::read(&text).map_err(|error| format!("'{}' is no SARIF log: {error}", file.display()))
    });
    let log = match read {
        Ok(log) => log,
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    check.output.is_quiet = true;
    check.project.list_proved = true;
    check.project.forwarded.push("--list-proved".into());
    // A finding of another tool may be about any step.
    if check.trace == TraceName::Short {
        check.trace = TraceName::Full;
        check.project.forwarded.extend(["--trace".into(), "full".into()]);
    }
    let (exit, report) = check::reported(check, guard, terminal);
    let Some(report) = report else { return if exit == Exit::Fine { Exit::Failure } else { exit } };
    let judgements: Vec<Judgement> = log.claims.iter().map(|claim| report.judge(claim)).collect();
    let shown = if terminal.output_colour == Colour::On { report } else { report.without_colour() };
    terminal::print(judge::render(&log, &judgements, &shown).as_bytes());
    if let Some(file) = judged
        && let Err(message) = files::write(&file, &log.with_judgements(&judgements))
    {
        terminal.error(&message);
        return Exit::Failure;
    }
    if judgements.iter().any(|judgement| matches!(judgement, Judgement::Confirmed(_))) {
        Exit::Violation
    } else if judgements.iter().all(|judgement| *judgement == Judgement::Refuted) {
        Exit::Fine
    } else {
        Exit::Undecided
    }
}
