//! What `cairn check` prints: the findings, and what is known of all checks, for people and as JSON.

use cairn_engine::survey::{Counts, Survey};
use cairn_engine::verdict::Violation;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Program};

use crate::condition;
use crate::excerpt::Excerpt;
use crate::json::Json;
use crate::trace::{self, Line};
use crate::{Colour, Texts, printable, violation};

/// The version of the JSON form. It grows when a member changes its meaning or goes away, not when one is added.
const JSON_VERSION: u64 = 1;

/// The findings one after the other, then the summary.
pub fn text(survey: &Survey, program: &Program, texts: Texts<'_>, colour: Colour) -> String {
    let mut out = String::new();
    for violation in &survey.findings {
        out.push_str(&violation::render(violation, program, texts, colour));
        out.push_str("\n\n");
    }
    out.push_str(&summary(survey));
    out.push('\n');
    for reason in &survey.reasons {
        out.push_str(&format!("  unknown because: {}\n", printable(reason)));
    }
    out
}

/// "11 of 12 checks proved up to the violation, 1 violated": what comes after a violation is not known.
pub(crate) fn summary(survey: &Survey) -> String {
    let Counts { proved, violated, unknown } = survey.checks;
    let total = proved + violated + unknown;
    let s = if total == 1 { "" } else { "s" };
    let ends_runs = |v: &&Violation| !matches!(v.fault.kind, CheckKind::Leak | CheckKind::Unfreed);
    let up_to = match survey.findings.iter().filter(ends_runs).count() {
        _ if proved == 0 => "",
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
    let trace = trace::folded(&violation.trace).into_iter().map(|line| match line {
        Line::LeftOut(count) => Json::object([("left_out", Json::number(count as u64))]),
        Line::Step(step) => Json::object([
            ("kind", Json::text(step.kind.name())),
            ("what", Json::text(&condition::said(step, program, texts))),
            ("place", place(&step.place, program, texts)),
        ]),
    });
    let mut members = vec![("check", Json::text(fault.kind.name()))];
    members.extend(violation.property.map(|property| ("property", Json::text(property.name()))));
    members.extend([
        ("message", Json::text(&fault.message)),
        ("stack", stack(&fault.stack, program, texts)),
        ("history", Json::list(history)),
        ("trace", Json::list(trace)),
    ]);
    Json::object(members)
}

/// A stack, innermost call first.
fn stack(stack: &[StackPlace], program: &Program, texts: Texts<'_>) -> Json {
    Json::list(stack.iter().map(|frame| place(frame, program, texts)))
}

fn place(place: &StackPlace, program: &Program, texts: Texts<'_>) -> Json {
    let function = program.functions.get(place.function.index()).map_or("<unknown>", |f| &f.name);
    let mut members = vec![("function", Json::text(function))];
    if let Some(excerpt) = Excerpt::of_loc(place.loc, program.file_name(place.loc), texts) {
        members.push(("file", Json::text(&excerpt.file)));
        members.push(("line", Json::number(u64::from(excerpt.line))));
        members.push(("column", Json::number(excerpt.shown_column() as u64)));
    }
    Json::object(members)
}
