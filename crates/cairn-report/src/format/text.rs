//! The text format: each violation with its trace and source excerpts, then a summary.

use std::collections::BTreeMap;

use cairn_ir::{CheckId, CheckKind};
use cairn_portfolio::survey::Counts;

use super::{Context, functions};
use crate::limits::{NAMED_ASSUMPTIONS, UNKNOWN_LINES};
use crate::results::{Results, Scope, Source};
use crate::{printable, violation};

/// Renders results for a terminal.
pub(super) fn render(results: &Results<'_>, context: Context<'_>) -> String {
    if results.scope == Scope::Functions {
        return functions::render(results);
    }
    let mut out = String::new();
    for finding in &results.findings {
        if let Source::Program(violation) = finding.source {
            out.push_str(&violation::render(violation, results.program, context.texts, context.colour));
            out.push_str("\n\n");
        }
    }
    out.push_str(&summary(results));
    out.push('\n');
    for assumption in results.assumptions.iter().filter(|_| results.assumptions.len() > NAMED_ASSUMPTIONS) {
        out.push_str(&format!("  assuming that {}\n", printable(assumption)));
    }
    // The remedy for several reasons is said once, after the last of them.
    for (index, reason) in results.unknown_because.iter().enumerate() {
        out.push_str(&format!("  unknown because: {}\n", printable(&reason.text)));
        let is_last = !results.unknown_because[index + 1..].iter().any(|other| other.remedy == reason.remedy);
        if let Some(remedy) = reason.remedy.as_ref().filter(|_| is_last) {
            out.push_str(&format!("    help: {}\n", printable(remedy)));
        }
    }
    out.push_str(&unknown_checks(results));
    out
}

/// Returns the locations of the unknown checks, grouped by line.
fn unknown_checks(results: &Results<'_>) -> String {
    let mut lines: BTreeMap<(u32, u32), Vec<&'static str>> = BTreeMap::new();
    for check in results.unknown.iter().map(|check| &results.program.checks[check.index()]) {
        let names = lines.entry((check.loc.file.0, check.loc.line)).or_default();
        if !names.contains(&check.kind.name()) {
            names.push(check.kind.name());
        }
    }
    // Without a complete proof, most checks are unknown, and the first ones tell nothing.
    let is_partial = results.checks.proved > 0;
    let most = match results.lists_unknown {
        true => usize::MAX,
        false if is_partial => UNKNOWN_LINES,
        false => 0,
    };
    let mut out = String::new();
    for ((_, line), names) in lines.iter().take(most) {
        let is_there = |check: &&CheckId| results.program.checks[check.index()].loc.line == *line;
        let loc = results.unknown.iter().find(is_there).map(|check| results.program.checks[check.index()].loc);
        let file = loc.map_or("", |loc| results.program.file_name(loc));
        out.push_str(&format!("  unknown at {}:{line}: {}\n", printable(file), names.join(", ")));
    }
    if is_partial && lines.len() > most {
        out.push_str(&format!("  … and {} more lines (`--unknown` lists them all)\n", lines.len() - most));
    }
    out
}

/// Returns the summary: "11 of 12 checks proved up to the violation, 1 violated".
///
/// Nothing is known about executions after a violation that ends them.
pub(super) fn summary(results: &Results<'_>) -> String {
    let Counts { proved, assuming, violated, unknown } = results.checks;
    if let Scope::Library(functions) = results.scope {
        let s = |count| if count == 1 { "" } else { "s" };
        return format!("{functions} function{} checked, {violated} fault{} found", s(functions), s(violated));
    }
    let total = proved + violated + unknown;
    let s = if total == 1 { "" } else { "s" };
    let fatal = results.findings.iter().filter(|f| !matches!(f.check, CheckKind::Leak | CheckKind::Unfreed)).count();
    let up_to = match fatal {
        _ if proved == 0 || results.scope == Scope::Functions => "",
        0 => "",
        1 => " up to the violation",
        _ => " up to the violations",
    };
    let mut text = format!("{} of {} check{s} proved{up_to}", grouped(proved), grouped(total));
    if assuming > 0 {
        let assumptions = match results.assumptions {
            few if few.len() <= NAMED_ASSUMPTIONS => format!("assuming that {}", few.join(" and that ")),
            many => format!("under {} assumptions", many.len()),
        };
        text.push_str(&format!(" ({} {assumptions})", grouped(assuming)));
    }
    for (count, what) in [(violated, "violated"), (unknown, "unknown")] {
        if count > 0 {
            text.push_str(&format!(", {} {what}", grouped(count)));
        }
    }
    text
}

/// Returns a number with a comma between groups of three digits.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}
