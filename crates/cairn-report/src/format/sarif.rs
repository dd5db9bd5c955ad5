//! The SARIF format, version 2.1.0, which code scanning and editors read: a rule for each kind of check, a result for each
//! finding with its related locations and its path.

use std::fmt::Write;

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Program};
use cairn_portfolio::survey::Counts;

use super::Context;
use crate::Texts;
use crate::excerpt::Excerpt;
use crate::json_value::Json;
use crate::results::{Finding, Results, Step};
use crate::witness::user_place;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Renders results as one SARIF log with one run.
pub(super) fn render(results: &Results<'_>, context: Context<'_>) -> String {
    let rules = CheckKind::ALL.iter().map(|&kind| {
        Json::object([
            ("id", Json::text(kind.name())),
            ("shortDescription", message(kind.policy().summary)),
            ("help", message(&format!("Run `cairn explain {kind}` for an explanation with examples."))),
            ("defaultConfiguration", Json::object([("level", Json::text("error"))])),
        ])
    });
    let driver = Json::object([
        ("name", Json::text("cairn")),
        ("version", Json::text(context.version)),
        ("rules", Json::list(rules)),
    ]);
    let warnings = results.unknown_because.iter().map(|reason| {
        let text = message(&format!("some checks are unknown: {}", reason.text));
        Json::object([("level", Json::text("warning")), ("message", text)])
    });
    let invocation = Json::object([
        ("executionSuccessful", Json::truth(true)),
        ("toolExecutionNotifications", Json::list(warnings)),
    ]);
    let Counts { proved, assuming, violated, unknown } = results.checks;
    let counts = [("proved", proved), ("assuming", assuming), ("violated", violated), ("unknown", unknown)];
    let counts = counts.map(|(name, count)| (name, Json::number(count as u64)));
    let found = results.findings.iter().map(|finding| result(finding, results.program, context.texts));
    let run = Json::object([
        ("tool", Json::object([("driver", driver)])),
        ("columnKind", Json::text("unicodeCodePoints")),
        ("invocations", Json::list([invocation])),
        ("results", Json::list(found)),
        ("properties", Json::object([("checks", Json::object(counts))])),
    ]);
    let log =
        Json::object([("$schema", Json::text(SCHEMA)), ("version", Json::text("2.1.0")), ("runs", Json::list([run]))]);
    log.into_string() + "\n"
}

fn result(finding: &Finding<'_>, program: &Program, texts: Texts<'_>) -> Json {
    let index = CheckKind::ALL.iter().position(|kind| *kind == finding.check).unwrap_or(0);
    let at = |stack: &[StackPlace]| user_place(stack, program).copied();
    let place = at(&finding.stack);
    let main = place.and_then(|place| location(place, None, program, texts));
    let history = finding.history.iter().filter_map(|event| Some((at(&event.stack)?, event.what.as_str())));
    let calls = finding.stack.iter().skip(1).map(|place| (*place, "called here"));
    let related = history.chain(calls).enumerate().filter_map(|(id, (place, what))| {
        let mut members = location(place, Some(what), program, texts)?;
        members.insert(0, ("id", Json::number(id as u64 + 1)));
        Some(Json::object(members))
    });
    let steps = finding.steps(program, texts).into_iter().filter_map(|step| match step {
        Step::Omitted(_) => None,
        Step::Event { what, place, depth, .. } => {
            let what = Some(what.as_str()).filter(|what| !what.is_empty());
            let members = location(place, what, program, texts)?;
            Some(Json::object([("location", Json::object(members)), ("nestingLevel", Json::number(u64::from(depth)))]))
        }
    });
    let end = place.and_then(|place| location(place, Some(&finding.message), program, texts));
    let flow: Vec<Json> = steps.chain(end.map(|end| Json::object([("location", Json::object(end))]))).collect();
    let related: Vec<Json> = related.collect();
    let mut members = vec![
        ("ruleId", Json::text(finding.check.name())),
        ("ruleIndex", Json::number(index as u64)),
        ("level", Json::text("error")),
        ("message", message(&finding.message)),
        ("locations", Json::list(main.map(Json::object))),
        ("relatedLocations", Json::list(related)),
    ];
    if !flow.is_empty() {
        let thread = Json::object([("locations", Json::list(flow))]);
        members.push(("codeFlows", Json::list([Json::object([("threadFlows", Json::list([thread]))])])));
    }
    Json::object(members)
}

/// Returns the members of a location, or `None` for a place outside of all files.
fn location(
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

fn message(text: &str) -> Json {
    Json::object([("text", Json::text(text))])
}

/// Returns a file name as a URI reference: relative as it is, absolute with a scheme.
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
    fn file_names_become_uri_references() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/tmp/ä.c"), "file:///tmp/%C3%A4.c");
        assert_eq!(uri("x:y#z.c"), "x%3Ay%23z.c");
    }
}
