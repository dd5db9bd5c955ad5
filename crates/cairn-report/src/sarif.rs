//! Findings as SARIF 2.1.0, the form that code scanning and editors read: a rule for each kind of check, a result for each
//! finding with its related places and the way there.

use std::fmt::Write;

use cairn_engine::survey::{Counts, Survey};
use cairn_engine::verdict::Violation;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Program};

use crate::Texts;
use crate::condition;
use crate::excerpt::Excerpt;
use crate::json::Json;
use crate::trace::{self, Line};
use crate::witness::user_place;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The findings as one SARIF log with one run.
pub fn render(survey: &Survey, program: &Program, texts: Texts<'_>, version: &str) -> String {
    let unknown = survey.reasons.iter().map(|reason| unknown_because(reason)).collect();
    let Counts { proved, violated, unknown: open } = survey.checks;
    let counts = [("proved", proved), ("violated", violated), ("unknown", open)];
    let results = survey.findings.iter().map(|violation| result(violation, program, texts)).collect();
    log(results, unknown, &counts, version)
}

/// A log with one run: results, warnings, and how many checks have which answer.
pub(crate) fn log(results: Vec<Json>, warnings: Vec<String>, counts: &[(&str, usize)], version: &str) -> String {
    let rules = CheckKind::ALL.iter().map(|&kind| {
        Json::object([
            ("id", Json::text(kind.name())),
            ("shortDescription", message(description(kind))),
            ("help", message(&format!("`cairn explain {kind}` says what it means, with examples."))),
            ("defaultConfiguration", Json::object([("level", Json::text("error"))])),
        ])
    });
    let driver =
        Json::object([("name", Json::text("cairn")), ("version", Json::text(version)), ("rules", Json::list(rules))]);
    let warnings =
        warnings.iter().map(|warning| Json::object([("level", Json::text("warning")), ("message", message(warning))]));
    let invocation = Json::object([
        ("executionSuccessful", Json::truth(true)),
        ("toolExecutionNotifications", Json::list(warnings)),
    ]);
    let counts = counts.iter().map(|&(name, count)| (name, Json::number(count as u64)));
    let run = Json::object([
        ("tool", Json::object([("driver", driver)])),
        ("columnKind", Json::text("unicodeCodePoints")),
        ("invocations", Json::list([invocation])),
        ("results", Json::list(results)),
        ("properties", Json::object([("checks", Json::object(counts))])),
    ]);
    let log =
        Json::object([("$schema", Json::text(SCHEMA)), ("version", Json::text("2.1.0")), ("runs", Json::list([run]))]);
    log.into_string() + "\n"
}

fn unknown_because(reason: &str) -> String {
    format!("some checks are unknown: {reason}")
}

/// What a kind of check is about, in one sentence.
const fn description(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::NullDeref => "Access through a null pointer.",
        CheckKind::UseAfterFree => "Access to a heap object after it was freed.",
        CheckKind::UseAfterScope => "Access to a local object after its block or function ended.",
        CheckKind::OutOfBounds => "Access outside the bounds of an object.",
        CheckKind::InvalidDeref => "Access through a pointer that points to no object.",
        CheckKind::DoubleFree => "A heap object is freed twice.",
        CheckKind::InvalidFree => "What is freed is not the start of a live heap object.",
        CheckKind::Leak => "The last way to reach a live heap object is lost.",
        CheckKind::Unfreed => "A heap object is still allocated when the program ends.",
        CheckKind::Assertion => "An assertion fails or the error function is called.",
        CheckKind::Integrity => "A node graph is not valid.",
        CheckKind::Uninitialised => "An uninitialised value decides a branch, an address or an output.",
        CheckKind::InvalidCall => "A call through a pointer that is no function of that type.",
        CheckKind::DivisionByZero => "Integer division by zero, or one whose quotient does not fit.",
        CheckKind::Overlap => "Overlapping regions in a library call that forbids it.",
        CheckKind::Unsupported => "C that is not modelled is reached.",
    }
}

fn result(violation: &Violation, program: &Program, texts: Texts<'_>) -> Json {
    let fault = &violation.fault;
    let index = CheckKind::ALL.iter().position(|kind| *kind == fault.kind).unwrap_or(0);
    let at = |stack: &[StackPlace]| user_place(stack, program).copied();
    let place = at(&fault.stack);
    let main = place.and_then(|place| location(place, None, program, texts));
    let history = fault.history.iter().filter_map(|event| Some((at(&event.stack)?, event.what.as_str())));
    let calls = fault.stack.iter().skip(1).map(|place| (*place, "called here"));
    let related = history.chain(calls).enumerate().filter_map(|(id, (place, what))| {
        let mut members = location(place, Some(what), program, texts)?;
        members.insert(0, ("id", Json::number(id as u64 + 1)));
        Some(Json::object(members))
    });
    let steps = trace::folded(&violation.trace).into_iter().filter_map(|line| match line {
        Line::LeftOut(_) => None,
        Line::Step(step) => {
            let members = location(step.place, Some(&condition::said(step, program, texts)), program, texts)?;
            Some(Json::object([
                ("location", Json::object(members)),
                ("nestingLevel", Json::number(u64::from(step.depth))),
            ]))
        }
    });
    let end = place.and_then(|place| location(place, Some(&fault.message), program, texts));
    let flow: Vec<Json> = steps.chain(end.map(|end| Json::object([("location", Json::object(end))]))).collect();
    let related: Vec<Json> = related.collect();
    let mut members = vec![
        ("ruleId", Json::text(fault.kind.name())),
        ("ruleIndex", Json::number(index as u64)),
        ("level", Json::text("error")),
        ("message", message(&fault.message)),
        ("locations", Json::list(main.map(Json::object))),
        ("relatedLocations", Json::list(related)),
    ];
    if !flow.is_empty() {
        let thread = Json::object([("locations", Json::list(flow))]);
        members.push(("codeFlows", Json::list([Json::object([("threadFlows", Json::list([thread]))])])));
    }
    Json::object(members)
}

/// The members of a location; `None` for places outside of all files.
pub(crate) fn location(
    place: StackPlace,
    what: Option<&str>,
    program: &Program,
    texts: Texts<'_>,
) -> Option<Vec<(&'static str, Json)>> {
    let excerpt = Excerpt::of_loc(place.loc, program.file_name(place.loc), texts)?;
    let region = Json::object([
        ("startLine", Json::number(u64::from(excerpt.line))),
        ("startColumn", Json::number(excerpt.shown_column() as u64)),
    ]);
    let artifact = Json::object([("uri", Json::text(&uri(&excerpt.file)))]);
    let mut members = vec![("physicalLocation", Json::object([("artifactLocation", artifact), ("region", region)]))];
    if let Some(function) = program.functions.get(place.function.index()) {
        let function = Json::object([("name", Json::text(&function.name)), ("kind", Json::text("function"))]);
        members.push(("logicalLocations", Json::list([function])));
    }
    members.extend(what.map(|what| ("message", message(what))));
    Some(members)
}

pub(crate) fn message(text: &str) -> Json {
    Json::object([("text", Json::text(text))])
}

/// A file name as a reference: relative as it is, absolute with a scheme.
fn uri(file: &str) -> String {
    let mut out = String::from(if file.starts_with('/') { "file://" } else { "" });
    for byte in file.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_references() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/tmp/ä.c"), "file:///tmp/%C3%A4.c");
        assert_eq!(uri("x:y#z.c"), "x%3Ay%23z.c");
    }
}
