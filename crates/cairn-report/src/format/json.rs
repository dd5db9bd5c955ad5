//! The JSON format: the report itself, on one line. docs/json.md describes its members.

use crate::report::Report;

/// Renders a report as one JSON object.
pub(super) fn render(report: &Report) -> String {
    // Only maps with keys that are no strings fail, and a report has none.
    serde_json::to_string(report).unwrap_or_default() + "\n"
}
