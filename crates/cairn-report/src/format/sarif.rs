//! The SARIF format, version 2.1.0, which code scanning and editors read: a rule for each kind of check, a result for each
//! finding with its related locations and its path.

use std::fmt::Write;

use cairn_ir::CheckKind;
use serde_json::{Value, json};

use crate::report::{BaselineState, Finding, Level, Place, Report, Step};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Renders a report as one SARIF log with one run.
pub(super) fn render(report: &Report, version: &str) -> String {
    let rules = CheckKind::ALL.iter().map(|&kind| {
        json!({
            "id": kind.name(),
            "shortDescription": {"text": kind.policy().summary},
            "help": {"text": format!("Run `cairn explain {kind}` for an explanation with examples.")},
            "defaultConfiguration": {"level": "error"},
        })
    });
    let unknown = report.unknown_because.iter().map(|reason| ("warning", format!("some checks are unknown: {reason}")));
    let failed = report.targets.iter().filter_map(|target| {
        Some(("error", format!("`{}` could not be checked: {}", target.name, target.failure.as_deref()?)))
    });
    let notifications = unknown.chain(failed).map(|(level, text)| json!({"level": level, "message": {"text": text}}));
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "cairn", "version": version, "rules": rules.collect::<Value>()}},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": report.targets.iter().all(|target| target.failure.is_none()),
                "toolExecutionNotifications": notifications.collect::<Value>(),
            }],
            "results": report.findings.iter().map(result).collect::<Value>(),
            "properties": {"checks": report.checks},
        }],
    });
    log.to_string() + "\n"
}

fn result(finding: &Finding) -> Value {
    let index = CheckKind::ALL.iter().position(|kind| kind.name() == finding.check).unwrap_or(0);
    let main = finding.place.as_ref().and_then(|place| location(place, None));
    let history = finding.history.iter().filter_map(|event| Some((event.place.as_ref()?, event.what.as_str())));
    let calls = finding.stack.iter().skip(1).map(|place| (place, "called here"));
    let related = history.chain(calls).filter_map(|(place, what)| location(place, Some(what)));
    let related = related.enumerate().map(|(id, location)| numbered(id + 1, location));
    let steps = finding.trace.iter().filter_map(|step| match step {
        Step::Omitted { .. } | Step::Iterations { .. } => None,
        Step::Event { what, place, depth, .. } => {
            let location = location(place, Some(what.as_str()).filter(|what| !what.is_empty()))?;
            Some(json!({"location": location, "nestingLevel": depth}))
        }
    });
    let end = finding.place.as_ref().and_then(|place| location(place, Some(&finding.message)));
    let flow: Vec<Value> = steps.chain(end.map(|end| json!({"location": end}))).collect();
    let mut result = json!({
        "ruleId": finding.check,
        "ruleIndex": index,
        "level": match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Off => "none",
        },
        "message": {"text": finding.message},
        "locations": main.into_iter().collect::<Value>(),
        "relatedLocations": related.collect::<Value>(),
        "partialFingerprints": {"cairn/v1": finding.fingerprint},
    });
    if !flow.is_empty() {
        result["codeFlows"] = json!([{"threadFlows": [{"locations": flow}]}]);
    }
    if let Some(state) = finding.baseline {
        result["baselineState"] = match state {
            BaselineState::New => json!("new"),
            BaselineState::Unchanged => json!("unchanged"),
        };
    }
    if let Some(suppression) = &finding.suppressed {
        result["suppressions"] = json!([{"kind": "inSource", "justification": suppression.reason}]);
    }
    result
}

fn numbered(id: usize, location: Value) -> Value {
    let mut numbered = json!({"id": id});
    if let (Value::Object(all), Value::Object(members)) = (&mut numbered, location) {
        all.extend(members);
    }
    numbered
}

/// Returns a location, or `None` for a place outside of all files.
fn location(place: &Place, what: Option<&str>) -> Option<Value> {
    let (file, line, column) = place.position()?;
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": {"uri": uri(file)},
            "region": {"startLine": line, "startColumn": column},
        },
        "logicalLocations": [{"name": place.function, "kind": "function"}],
    });
    if let Some(what) = what {
        location["message"] = json!({"text": what});
    }
    Some(location)
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
