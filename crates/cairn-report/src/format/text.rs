//! The text format: each violation with its trace and source excerpts, then a summary.

use cairn_ir::CheckKind;
use cairn_portfolio::survey::Counts;

use super::{Context, functions};
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
    for reason in &results.unknown_because {
        out.push_str(&format!("  unknown because: {}\n", printable(&reason.text)));
    }
    out
}

/// Returns the summary: "11 of 12 checks proved up to the violation, 1 violated".
///
/// Nothing is known about executions after a violation that ends them.
pub(super) fn summary(results: &Results<'_>) -> String {
    let Counts { proved, violated, unknown } = results.checks;
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
    let mut text = format!("{proved} of {total} check{s} proved{up_to}");
    for (count, what) in [(violated, "violated"), (unknown, "unknown")] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}
