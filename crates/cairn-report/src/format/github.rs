//! The GitHub format: workflow commands, which are lines in a job's log that become annotations of a pull request.

use std::fmt::Write;

use super::{text, user};
use crate::printable;
use crate::report::{Finding, Report};

/// Renders one line for each finding that is not accepted and each reason, then the summary.
pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    for finding in report.findings.iter().filter(|finding| finding.is_new()) {
        out.push_str(&annotation(finding));
    }
    for reason in &report.unknown_because {
        let _ = writeln!(out, "::warning title=unknown::{}", data(reason));
    }
    out.push_str(&text::summary(report));
    out.push('\n');
    out
}

fn annotation(finding: &Finding) -> String {
    let place = user(&finding.place)
        .map_or_else(String::new, |(file, line, column)| format!("file={},line={line},col={column},", property(file)));
    let mut message = finding.message.clone();
    for event in &finding.history {
        if let Some((file, line, column)) = user(&event.place) {
            let _ = write!(message, "\n{}: {}:{line}:{column}", event.what, printable(file));
        }
    }
    format!("::error {place}title={}::{}\n", property(&finding.check), data(&message))
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    // Line breaks of our own stay; `printable` removes those of the user's text.
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_of_commands_are_escaped() {
        assert_eq!(data("50% of\nit: a, b"), "50%25 of%0Ait: a, b");
        assert_eq!(property("C:\\a,b.c"), "C%3A\\a%2Cb.c");
    }
}
