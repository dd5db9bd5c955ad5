//! The GitHub format: workflow commands, which are lines in a job's log that become annotations of a pull request.

use std::fmt::Write;

use super::{Context, text};
use crate::excerpt::Excerpt;
use crate::results::{Finding, Results};
use crate::witness::user_place;
use crate::{Texts, printable};

/// Renders one line for each finding and each reason, then the summary.
pub(super) fn render(results: &Results<'_>, context: Context<'_>) -> String {
    let mut out = String::new();
    for finding in &results.findings {
        out.push_str(&annotation(finding, results, context.texts));
    }
    for reason in &results.unknown_because {
        let _ = writeln!(out, "::warning title=unknown::{}", data(&reason.text));
    }
    out.push_str(&text::summary(results));
    out.push('\n');
    out
}

fn annotation(finding: &Finding<'_>, results: &Results<'_>, texts: Texts<'_>) -> String {
    let program = results.program;
    let excerpt = user_place(&finding.stack, program)
        .and_then(|place| Excerpt::of_loc(place.loc, program.file_name(place.loc), texts));
    let place = excerpt.map_or_else(String::new, |excerpt| {
        format!("file={},line={},col={},", property(&excerpt.file), excerpt.line, excerpt.shown_column())
    });
    let mut message = finding.message.clone();
    for event in finding.history {
        let place = user_place(&event.stack, program)
            .and_then(|place| Excerpt::of_loc(place.loc, program.file_name(place.loc), texts));
        if let Some(excerpt) = place {
            let _ = write!(message, "\n{}: {}", event.what, excerpt.place());
        }
    }
    format!("::error {place}title={}::{}\n", property(finding.check.name()), data(&message))
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
