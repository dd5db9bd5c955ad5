//! Diagnostics: findings with their traces, and errors of the front-end.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cairn_report::Report;
use cairn_report::report::{Finding, Level, Place, Step};
use lsp_types::{Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Range, Uri};
use serde_json::json;

use super::position::{range, uri_of};

/// Returns the text of a file.
pub(super) type ReadText<'a> = &'a dyn Fn(&Path) -> Option<String>;

/// Returns the diagnostics of a report by file. Files are relative to `folder`.
pub(super) fn of_report(report: &Report, folder: &Path, read: ReadText<'_>) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut all: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    for finding in report.findings.iter().filter(|finding| finding.is_new()) {
        let Some((file, range)) = finding.place.as_ref().and_then(|place| located(place, folder, read)) else {
            continue;
        };
        all.entry(file).or_default().push(diagnostic(finding, range, folder, read));
    }
    all
}

fn diagnostic(finding: &Finding, range: Range, folder: &Path, read: ReadText<'_>) -> Diagnostic {
    let steps = finding.trace.iter().enumerate().filter_map(|(index, step)| match step {
        Step::Event { what, place, .. } => related(place, &format!("{}. {what}", index + 1), folder, read),
        Step::Iterations { .. } | Step::Omitted { .. } => None,
    });
    let history = finding.history.iter().filter_map(|event| related(event.place.as_ref()?, &event.what, folder, read));
    let related: Vec<DiagnosticRelatedInformation> = steps.chain(history).collect();
    let hint = finding.hint.as_ref().map_or_else(String::new, |hint| format!("\nhelp: {hint}"));
    Diagnostic {
        range,
        severity: Some(match finding.level {
            Level::Error => DiagnosticSeverity::ERROR,
            Level::Warning | Level::Off => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(finding.check.clone())),
        source: Some("cairn".to_owned()),
        message: format!("{}{hint}", finding.message),
        related_information: Some(related),
        data: Some(json!({"fingerprint": finding.fingerprint})),
        ..Diagnostic::default()
    }
}

fn related(place: &Place, message: &str, folder: &Path, read: ReadText<'_>) -> Option<DiagnosticRelatedInformation> {
    let (file, range) = located(place, folder, read)?;
    Some(DiagnosticRelatedInformation {
        location: Location { uri: uri_of(&file)?, range },
        message: message.to_owned(),
    })
}

fn located(place: &Place, folder: &Path, read: ReadText<'_>) -> Option<(PathBuf, Range)> {
    let (file, line, column) = place.position()?;
    let file = folder.join(file);
    let text = read(&file).unwrap_or_default();
    Some((file, range(&text, line, column)))
}

/// Returns the errors and warnings of the front-end and of the preprocessor by file.
pub(super) fn of_messages(messages: &str, folder: &Path, read: ReadText<'_>) -> BTreeMap<PathBuf, Vec<Diagnostic>> {
    let mut all: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
    let mut add = |file: &str, (line, column): (u32, u32), severity, message: &str| {
        let file = folder.join(file);
        let text = read(&file).unwrap_or_default();
        let found = Diagnostic {
            range: range(&text, line, column),
            severity: Some(severity),
            code: Some(NumberOrString::String("compile".to_owned())),
            source: Some("cairn".to_owned()),
            message: message.to_owned(),
            ..Diagnostic::default()
        };
        let known = all.entry(file).or_default();
        if !known.contains(&found) {
            known.push(found);
        }
    };
    let mut open: Option<(DiagnosticSeverity, &str)> = None;
    for line in messages.lines() {
        let severities = [("error: ", DiagnosticSeverity::ERROR), ("warning: ", DiagnosticSeverity::WARNING)];
        if let Some((text, severity)) =
            severities.into_iter().find_map(|(word, severity)| Some((line.strip_prefix(word)?, severity)))
        {
            open = Some((severity, text));
        } else if let Some(place) = line.trim_start().strip_prefix("--> ") {
            if let (Some((severity, message)), Some((file, at))) = (open.take(), place_of(place)) {
                add(file, at, severity, message);
            }
        } else if let Some((place, message)) =
            line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))
        {
            // A message of the preprocessor.
            if let Some((file, at)) = place_of(place) {
                add(file, at, DiagnosticSeverity::ERROR, message);
            }
        }
    }
    all
}

/// Reads `file:line:column`.
fn place_of(text: &str) -> Option<(&str, (u32, u32))> {
    let (rest, column) = text.trim().rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, (line.parse().ok()?, column.parse().ok()?)))
}

/// Returns the URIs of the files of diagnostics.
pub(super) fn uris(all: &BTreeMap<PathBuf, Vec<Diagnostic>>) -> impl Iterator<Item = (Uri, Vec<Diagnostic>)> {
    all.iter().filter_map(|(file, diagnostics)| Some((uri_of(file)?, diagnostics.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_both_compilers_are_read() {
        let text = "error: expected `;`\n --> a.c:2:3\n  |\n2 | x\n  |\nb.c:1:10: fatal error: x.h: No such file or directory\nwarning: w\n";
        let found = of_messages(text, Path::new("/p"), &|_| Some("int x\n  y\n".to_owned()));
        let shown: Vec<_> = found
            .iter()
            .flat_map(|(file, all)| {
                all.iter().map(move |d| (file.display().to_string(), d.range.start.line, d.message.clone()))
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("/p/a.c".to_owned(), 1, "expected `;`".to_owned()),
                ("/p/b.c".to_owned(), 0, "x.h: No such file or directory".to_owned())
            ]
        );
    }
}
