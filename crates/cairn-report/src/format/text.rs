//! The text format: each violation with its trace and source excerpts, then a summary.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cairn_ir::CheckKind;

use super::Context;
use crate::draw::terminal::{Characters, draw};
use crate::limits::{NAMED_ASSUMPTIONS, UNKNOWN_LINES};
use crate::printable;
use crate::report::{Counts, Finding, Level, Report, Scope};

/// Renders a report for a terminal.
pub(super) fn render(report: &Report, context: Context<'_>) -> String {
    if let Some(table) = &report.table {
        return table.clone();
    }
    let mut out = String::new();
    for finding in report.findings.iter().filter(|finding| finding.is_new()) {
        out.push_str(&drawn(finding, context));
        out.push_str("\n\n");
    }
    out.push_str(&summary(report));
    out.push('\n');
    out.push_str(&accepted(report));
    if context.lists_unknown {
        out.push_str(&proofs(report));
    }
    let is_library = matches!(report.scope, Scope::Library { .. });
    for assumption in report.assumptions.iter().filter(|_| is_library || report.assumptions.len() > NAMED_ASSUMPTIONS) {
        out.push_str(&format!("  assuming that {}\n", printable(assumption)));
    }
    // The remedy for several reasons is said once, after the last of them.
    for (index, reason) in report.unknown_reasons.iter().enumerate() {
        out.push_str(&format!("  unknown because: {}\n", printable(&reason.message)));
        let is_last = !report.unknown_reasons[index + 1..].iter().any(|other| other.remedy == reason.remedy);
        if let Some(remedy) = reason.remedy.as_ref().filter(|_| is_last) {
            out.push_str(&format!("    help: {}\n", printable(remedy)));
        }
    }
    out.push_str(&unknown_checks(report, context.lists_unknown));
    out
}

/// Returns a finding as text, with its drawing in the characters of the terminal.
fn drawn<'f>(finding: &'f Finding, context: Context<'_>) -> Cow<'f, str> {
    let heap = finding.heap.as_ref().filter(|_| context.draws_boxes);
    let drawings = heap.and_then(|heap| Some((draw(heap, Characters::Ascii)?, draw(heap, Characters::Boxes)?)));
    match drawings {
        Some((ascii, boxes)) => Cow::Owned(finding.rendered.replacen(&ascii, &boxes, 1)),
        None => Cow::Borrowed(&finding.rendered),
    }
}

/// Returns the line that counts the findings which a comment or the baseline accepts.
fn accepted(report: &Report) -> String {
    let off = report.findings.iter().filter(|finding| finding.level == Level::Off).count();
    let on = || report.findings.iter().filter(|finding| finding.level != Level::Off);
    let suppressed = on().filter(|finding| finding.suppressed.is_some()).count();
    let known = on().filter(|finding| !finding.is_new()).count() - suppressed;
    let mut parts = Vec::new();
    if suppressed > 0 {
        parts.push(format!("{} accepted by a comment", grouped(suppressed)));
    }
    if known > 0 {
        parts.push(format!("{} in the baseline", grouped(known)));
    }
    if off > 0 {
        parts.push(format!("{} off in the configuration", grouped(off)));
    }
    if parts.is_empty() { String::new() } else { format!("  not shown: {}\n", parts.join(", ")) }
}

/// Returns the locations of the unknown checks, grouped by line.
fn unknown_checks(report: &Report, lists_all: bool) -> String {
    let mut lines: BTreeMap<(&str, u32), Vec<&str>> = BTreeMap::new();
    for check in &report.unknown_checks {
        let (file, line, _) = check.place.position().unwrap_or(("", 0, 0));
        let names = lines.entry((file, line)).or_default();
        if !names.contains(&check.check.as_str()) {
            names.push(&check.check);
        }
    }
    // Without a complete proof, most checks are unknown, and the first ones tell nothing.
    let is_partial = report.checks.proved > 0;
    let most = match lists_all {
        true => usize::MAX,
        false if is_partial => UNKNOWN_LINES,
        false => 0,
    };
    let mut out = String::new();
    for ((file, line), names) in lines.iter().take(most) {
        out.push_str(&format!("  unknown at {}:{line}: {}\n", printable(file), names.join(", ")));
    }
    if is_partial && lines.len() > most {
        out.push_str(&format!("  … and {} more lines (`--unknown` lists them all)\n", lines.len() - most));
    }
    out
}

/// Returns the summary: "11 of 12 checks proved up to the violation, 1 violated".
pub(crate) fn summary(report: &Report) -> String {
    match report.scope {
        Scope::Program | Scope::Functions => checks(report),
        Scope::Library { functions } => library(functions, report.checks),
        Scope::Project { .. } => project(report),
    }
}

/// Returns the counts of a library: functions, faults, and the checks that are proved for callers that meet the contracts.
fn library(functions: usize, checks: Counts) -> String {
    let Counts { proved, violated, unknown, .. } = checks;
    let line = format!(
        "{} function{} checked, {} fault{} found",
        grouped(functions),
        plural(functions),
        grouped(violated),
        plural(violated)
    );
    if proved + unknown == 0 {
        return line;
    }
    format!(
        "{line}, {} of {} check{} proved for callers that meet the contracts",
        grouped(proved),
        grouped(proved + unknown),
        plural(proved + unknown)
    )
}

/// Returns a line for each function of a library whose checks are proved, with the callers that the proofs hold for.
fn proofs(report: &Report) -> String {
    let mut out = String::new();
    for function in report.functions.iter().filter(|_| matches!(report.scope, Scope::Library { .. })) {
        let number = |name: &str| function[name].as_u64().unwrap_or(0);
        let text = |name: &str| printable(function[name].as_str().unwrap_or(""));
        if number("proved") > 0 {
            out.push_str(&format!(
                "  {}: {} of {} checks proved for callers with: {}\n",
                text("function"),
                number("proved"),
                number("checks"),
                text("callers")
            ));
        }
    }
    out
}

/// Returns the counts of all programs, then those of all libraries, then the targets that could not be checked.
fn project(report: &Report) -> String {
    let mut lines = Vec::new();
    let programs: Vec<_> = report.targets.iter().filter(|t| t.kind == "program" && t.failure.is_none()).collect();
    let libraries: Vec<_> = report.targets.iter().filter(|t| t.kind != "program" && t.failure.is_none()).collect();
    let failed = report.targets.iter().filter(|target| target.failure.is_some()).count();
    if !programs.is_empty() {
        let sum = |of: fn(&Counts) -> usize| programs.iter().map(|target| of(&target.checks)).sum::<usize>();
        let (proved, violated, unknown) = (sum(|c| c.proved), sum(|c| c.violated), sum(|c| c.unknown));
        let total = proved + violated + unknown;
        let mut line = format!(
            "{} program{}: {} of {} check{} proved",
            grouped(programs.len()),
            plural(programs.len()),
            grouped(proved),
            grouped(total),
            plural(total)
        );
        let assuming = sum(|c| c.assuming);
        if assuming > 0 {
            line.push_str(&format!(" ({} under assumptions)", grouped(assuming)));
        }
        line.push_str(&others(violated, unknown));
        lines.push(line);
    }
    if !libraries.is_empty() {
        let functions = libraries.iter().map(|target| target.functions).sum();
        let sum = |of: fn(&Counts) -> usize| libraries.iter().map(|target| of(&target.checks)).sum::<usize>();
        let checks = Counts {
            proved: sum(|c| c.proved),
            assuming: sum(|c| c.assuming),
            violated: sum(|c| c.violated),
            unknown: sum(|c| c.unknown),
        };
        lines.push(format!(
            "{} library file{}: {}",
            grouped(libraries.len()),
            plural(libraries.len()),
            library(functions, checks)
        ));
    }
    if failed > 0 {
        lines.push(format!("{} target{} could not be checked", grouped(failed), plural(failed)));
    }
    if lines.is_empty() { "nothing to check".to_owned() } else { lines.join("\n") }
}

/// Returns the counts of one program.
///
/// Nothing is known about executions after a violation that ends them.
fn checks(report: &Report) -> String {
    let Counts { proved, assuming, violated, unknown } = report.checks;
    let total = proved + violated + unknown;
    let ends = |check: &str| ![CheckKind::Leak, CheckKind::Unfreed].iter().any(|kind| kind.name() == check);
    let fatal = report.findings.iter().filter(|finding| ends(&finding.check)).count();
    let up_to = match fatal {
        _ if proved == 0 || report.scope == Scope::Functions => "",
        0 => "",
        1 => " up to the violation",
        _ => " up to the violations",
    };
    let mut text = format!("{} of {} check{} proved{up_to}", grouped(proved), grouped(total), plural(total));
    if assuming > 0 {
        let assumptions = match &report.assumptions {
            few if few.len() <= NAMED_ASSUMPTIONS => format!("assuming that {}", few.join(" and that ")),
            many => format!("under {} assumptions", many.len()),
        };
        text.push_str(&format!(" ({} {assumptions})", grouped(assuming)));
    }
    text.push_str(&others(violated, unknown));
    text
}

fn others(violated: usize, unknown: usize) -> String {
    let mut text = String::new();
    for (count, what) in [(violated, "violated"), (unknown, "unknown")] {
        if count > 0 {
            text.push_str(&format!(", {} {what}", grouped(count)));
        }
    }
    text
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Returns a number with a comma between groups of three digits.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
