//! What `cairn check` prints: the findings, and what is known of all checks, for people and as JSON.

use cairn_engine::survey::{Counts, Survey};
use cairn_engine::verdict::Violation;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Program};

use crate::excerpt::Excerpt;
use crate::fault::{self, Weight};
use crate::json::Json;
use crate::{Colour, Texts, printable};

/// The version of the JSON form. It grows when a member changes its meaning or goes away, not when one is added.
const JSON_VERSION: u64 = 1;

/// The findings one after the other, then the summary.
pub fn text(survey: &Survey, program: &Program, texts: Texts<'_>, colour: Colour) -> String {
    let mut out = String::new();
    for violation in &survey.findings {
        out.push_str(&fault::render(&violation.fault, Weight::Error, program, texts, colour));
        out.push_str("\n\n");
    }
    out.push_str(&summary(survey));
    out.push('\n');
    for reason in &survey.reasons {
        out.push_str(&format!("  unknown because: {}\n", printable(reason)));
    }
    out
}

/// "12 checks: 1 violated, 11 proved up to it": what comes after a violation is not known.
fn summary(survey: &Survey) -> String {
    let Counts { proved, violated, unknown } = survey.checks;
    let total = proved + violated + unknown;
    let ends_runs = |v: &&Violation| !matches!(v.fault.kind, CheckKind::Leak | CheckKind::Unfreed);
    let proved_word = match survey.findings.iter().filter(ends_runs).count() {
        0 => "proved",
        1 => "proved up to it",
        _ => "proved up to them",
    };
    let parts: Vec<String> = [(violated, "violated"), (proved, proved_word), (unknown, "unknown")]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    format!("{total} check{}: {}", if total == 1 { "" } else { "s" }, parts.join(", "))
}

/// The same as one JSON object.
pub fn json(survey: &Survey, program: &Program, texts: Texts<'_>) -> String {
    let findings = survey.findings.iter().map(|violation| finding(violation, program, texts));
    let Counts { proved, violated, unknown } = survey.checks;
    let count = |n: usize| Json::number(n as u64);
    let object = Json::object([
        ("version", Json::number(JSON_VERSION)),
        ("findings", Json::list(findings)),
        (
            "checks",
            Json::object([("proved", count(proved)), ("violated", count(violated)), ("unknown", count(unknown))]),
        ),
        ("unknown_because", Json::list(survey.reasons.iter().map(|reason| Json::text(reason)))),
    ]);
    object.into_string() + "\n"
}

fn finding(violation: &Violation, program: &Program, texts: Texts<'_>) -> Json {
    let fault = &violation.fault;
    let history = fault
        .history
        .iter()
        .map(|event| Json::object([("what", Json::text(&event.what)), ("stack", stack(&event.stack, program, texts))]));
    Json::object([
        ("check", Json::text(fault.kind.name())),
        ("property", Json::text(violation.property.name())),
        ("message", Json::text(&fault.message)),
        ("stack", stack(&fault.stack, program, texts)),
        ("history", Json::list(history)),
    ])
}

/// A stack, innermost call first.
fn stack(stack: &[StackPlace], program: &Program, texts: Texts<'_>) -> Json {
    Json::list(stack.iter().map(|place| {
        let function = program.functions.get(place.function.index()).map_or("<unknown>", |f| &f.name);
        let mut members = vec![("function", Json::text(function))];
        if let Some(excerpt) = Excerpt::of_loc(place.loc, program.file_name(place.loc), texts) {
            members.push(("file", Json::text(&excerpt.file)));
            members.push(("line", Json::number(u64::from(excerpt.line))));
            members.push(("column", Json::number(excerpt.shown_column() as u64)));
        }
        Json::object(members)
    }))
}
