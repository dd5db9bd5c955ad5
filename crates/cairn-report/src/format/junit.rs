//! The JUnit format, which most build servers show as test results: a suite for each target, a failed case for each finding.

use std::fmt::Write;

use super::user;
use crate::report::{Finding, Place, Report, TargetSummary};

/// Renders the report as one XML document.
pub(super) fn render(report: &Report) -> String {
    let new: Vec<&Finding> = report.findings.iter().filter(|finding| finding.is_new()).collect();
    let failed: Vec<&TargetSummary> = report.targets.iter().filter(|target| target.failure.is_some()).collect();
    // A run without findings is one passed case: build servers take a file without cases for a mistake.
    let cases = (new.len() + failed.len()).max(1);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let numbers = format!("tests=\"{cases}\" failures=\"{}\" errors=\"{}\"", new.len(), failed.len());
    let _ = writeln!(out, "<testsuites name=\"cairn\" {numbers}>\n  <testsuite name=\"cairn\" {numbers}>");
    for finding in &new {
        case(finding, &mut out);
    }
    for target in &failed {
        let failure = escaped(target.failure.as_deref().unwrap_or(""));
        let _ = writeln!(
            out,
            "    <testcase classname=\"{}\" name=\"check\">\n      <error message=\"cannot be checked\">{failure}</error>\n    </testcase>",
            escaped(&target.name)
        );
    }
    if new.is_empty() && failed.is_empty() {
        out.push_str("    <testcase classname=\"cairn\" name=\"check\"/>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn case(finding: &Finding, out: &mut String) {
    let place = user(&finding.place);
    let (file, line, _) = place.unwrap_or(("", 1, 1));
    let function = finding.place.as_ref().map_or("", |place: &Place| &place.function);
    let _ = writeln!(
        out,
        "    <testcase classname=\"{}\" name=\"{} in {} (line {line})\" file=\"{}\" line=\"{line}\">",
        escaped(file),
        escaped(&finding.check),
        escaped(function),
        escaped(file)
    );
    let _ = writeln!(
        out,
        "      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>",
        escaped(&finding.check),
        escaped(&finding.message),
        escaped(&super::plain(&finding.rendered))
    );
}

/// Escapes text for XML, where most control characters are not allowed at all.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b> & \"c\"\u{1}"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}");
    }

    #[test]
    fn a_run_without_findings_is_a_passed_case() {
        let text = render(&Report::of_project());
        assert!(
            text.contains("tests=\"1\" failures=\"0\"") && text.contains("<testcase classname=\"cairn\""),
            "{text}"
        );
    }
}
