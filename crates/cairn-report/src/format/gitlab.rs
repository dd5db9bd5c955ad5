//! The code-quality format of GitLab: a JSON array with one object for each finding.

use serde_json::{Value, json};

use super::user;
use crate::report::{Finding, Report};

/// Renders the findings that are not accepted.
pub(super) fn render(report: &Report) -> String {
    let issues: Vec<Value> = report.findings.iter().filter(|finding| finding.is_new()).map(issue).collect();
    Value::from(issues).to_string() + "\n"
}

fn issue(finding: &Finding) -> Value {
    let (file, line, _) = user(&finding.place).unwrap_or(("", 1, 1));
    json!({
        "description": finding.message,
        "check_name": finding.check,
        "fingerprint": finding.fingerprint,
        "severity": "critical",
        "location": {"path": file, "lines": {"begin": line}},
    })
}
