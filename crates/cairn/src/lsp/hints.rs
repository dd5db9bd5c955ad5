//! Code lenses with the counts of each function, and inlay hints with contracts.

use std::collections::BTreeMap;

use cairn_report::Report;
use cairn_report::report::Place;
use lsp_types::{CodeLens, Command, InlayHint, InlayHintLabel, InlayHintTooltip, Position, Range};
use serde::Deserialize;
use serde_json::json;

/// The counts of a function: proved, violated and unknown checks, and its first line with a check.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Counts {
    pub(super) proved: usize,
    pub(super) violated: usize,
    pub(super) unknown: usize,
    first: u32,
}

impl Counts {
    /// Returns the counts in words: "12 of 12 checks proved".
    pub(super) fn text(self) -> String {
        let total = self.proved + self.violated + self.unknown;
        let mut text = format!("{} of {total} check{} proved", self.proved, if total == 1 { "" } else { "s" });
        for (count, what) in [(self.violated, "violated"), (self.unknown, "unknown")] {
            if count > 0 {
                text.push_str(&format!(", {count} {what}"));
            }
        }
        text
    }
}

/// Returns the counts of each function of a file.
pub(super) fn counts(report: &Report, is_file: &dyn Fn(&str) -> bool) -> BTreeMap<String, Counts> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    let mut add = |place: &Place, count: fn(&mut Counts)| {
        let Some((file, line, _)) = place.position() else { return };
        if is_file(file) {
            let counts = all.entry(place.function.clone()).or_default();
            counts.first = if counts.first == 0 { line } else { counts.first.min(line) };
            count(counts);
        }
    };
    report.proved_checks.iter().for_each(|check| add(&check.place, |counts| counts.proved += 1));
    report.unknown_checks.iter().for_each(|check| add(&check.place, |counts| counts.unknown += 1));
    report
        .findings
        .iter()
        .filter_map(|finding| finding.place.as_ref())
        .for_each(|place| add(place, |c| c.violated += 1));
    all
}

/// Returns a lens above each function of a text.
pub(super) fn lenses(counts: &BTreeMap<String, Counts>, text: &str, uri: &str) -> Vec<CodeLens> {
    let lens = |(function, counts): (&String, &Counts)| {
        let line = head_of(text, function, counts.first)?;
        let start = Position { line, character: 0 };
        Some(CodeLens {
            range: Range { start, end: start },
            command: Some(Command {
                title: counts.text(),
                command: "cairn.showFunction".to_owned(),
                arguments: Some(vec![json!({"uri": uri, "function": function})]),
            }),
            data: None,
        })
    };
    counts.iter().filter_map(lens).collect()
}

/// Returns the line (from 0) of the last mention of a function, at the start of a definition, up to a line from 1.
fn head_of(text: &str, function: &str, first: u32) -> Option<u32> {
    let lines: Vec<&str> = text.lines().take(first as usize).collect();
    let names = |line: &str| {
        line.match_indices(function).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + function.len()..].trim_start().chars().next();
            after == Some('(') && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })
    };
    let is_head = |line: &&str| line.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '*') && names(line);
    lines.iter().rposition(is_head).map(|line| line as u32)
}

/// The contracts of `cairn contract --format json`.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct Contracts {
    pub(super) contracts: Vec<Printed>,
}

/// A contract in words.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct Printed {
    contract: Head,
    pub(super) words: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
struct Head {
    function: String,
    line: u32,
}

impl Contracts {
    /// Returns the sentences of a function's contract.
    pub(super) fn of(&self, function: &str) -> Option<&[String]> {
        self.contracts
            .iter()
            .find(|printed| printed.contract.function == function)
            .map(|printed| printed.words.as_slice())
    }

    /// Returns a hint at the end of the first line of each function in a range.
    pub(super) fn hints(&self, text: &str, range: Range) -> Vec<InlayHint> {
        let hint = |printed: &Printed| {
            let line = printed.contract.line.checked_sub(1)?;
            let content = text.lines().nth(line as usize)?;
            // A text that has changed since has another function on this line.
            if printed.words.is_empty() || !content.contains(&printed.contract.function) {
                return None;
            }
            let character = content.encode_utf16().count() as u32;
            let first = &printed.words[0];
            let more = if printed.words.len() > 1 { " …" } else { "" };
            Some(InlayHint {
                position: Position { line, character },
                label: InlayHintLabel::String(format!("{first}{more}")),
                kind: None,
                text_edits: None,
                tooltip: Some(InlayHintTooltip::String(printed.words.join("\n"))),
                padding_left: Some(true),
                padding_right: None,
                data: None,
            })
        };
        let is_inside = |hint: &InlayHint| (range.start.line..=range.end.line).contains(&hint.position.line);
        self.contracts.iter().filter_map(hint).filter(is_inside).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_function_is_its_definition() {
        let text = "int f(int);\n\nstatic int\nf(int x)\n{\n    return g(f(x));\n}\n";
        assert_eq!(head_of(text, "f", 6), Some(3));
        assert_eq!(head_of(text, "x", 6), None);
    }

    #[test]
    fn counts_are_words() {
        let counts = Counts { proved: 11, violated: 1, unknown: 0, first: 1 };
        assert_eq!(counts.text(), "11 of 12 checks proved, 1 violated");
    }
}
