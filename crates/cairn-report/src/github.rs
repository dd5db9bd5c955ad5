//! Findings as the workflow commands of GitHub: lines in a job's log that become annotations of a pull request.

use std::fmt::Write;

use cairn_engine::survey::Survey;
use cairn_engine::verdict::Violation;
use cairn_ir::Program;

use crate::excerpt::Excerpt;
use crate::survey::summary;
use crate::witness::user_place;
use crate::{Texts, printable};

/// One line for each finding and for each reason why something is unknown, then the summary.
pub fn render(survey: &Survey, program: &Program, texts: Texts<'_>) -> String {
    let mut out = String::new();
    for violation in &survey.findings {
        out.push_str(&annotation(violation, program, texts));
    }
    for reason in &survey.reasons {
        let _ = writeln!(out, "::warning title=unknown::{}", data(reason));
    }
    out.push_str(&summary(survey));
    out.push('\n');
    out
}

fn annotation(violation: &Violation, program: &Program, texts: Texts<'_>) -> String {
    let fault = &violation.fault;
    let excerpt = user_place(&fault.stack, program)
        .and_then(|place| Excerpt::of_loc(place.loc, program.file_name(place.loc), texts));
    let place = excerpt.map_or_else(String::new, |excerpt| {
        format!("file={},line={},col={},", property(&excerpt.file), excerpt.line, excerpt.shown_column())
    });
    let mut message = fault.message.clone();
    for event in &fault.history {
        let place = user_place(&event.stack, program)
            .and_then(|place| Excerpt::of_loc(place.loc, program.file_name(place.loc), texts));
        if let Some(excerpt) = place {
            let _ = write!(message, "\n{}: {}", event.what, excerpt.place());
        }
    }
    format!("::error {place}title={}::{}\n", property(fault.kind.name()), data(&message))
}

/// What stands behind the second pair of colons.
pub(crate) fn data(text: &str) -> String {
    // Line breaks that are ours stay; the user's text has none left after this.
    let lines: Vec<String> = text.split('\n').map(printable).collect();
    lines.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_commands_are_made_of_is_escaped() {
        assert_eq!(data("50% of\nit: a, b"), "50%25 of%0Ait: a, b");
        assert_eq!(property("C:\\a,b.c"), "C%3A\\a%2Cb.c");
    }
}
