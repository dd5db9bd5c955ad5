//! The page of a source file: its lines, with marks for the answers to their checks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Site, document, escaped};
use crate::report::{OpenCheck, Place};

/// What is known about the checks of a line.
#[derive(Default)]
struct Line<'r> {
    proved: BTreeSet<&'r str>,
    unknown: BTreeSet<&'r str>,
    /// The findings, by their numbers.
    findings: Vec<(usize, &'r str)>,
}

/// Renders the page of a file.
pub(super) fn render(site: &Site<'_>, file: &str, text: &str) -> String {
    let mut lines: BTreeMap<u32, Line<'_>> = BTreeMap::new();
    let line_of = |place: &Place| place.position().filter(|(name, ..)| *name == file).map(|(_, line, _)| line);
    let each = |checks: &'_ [OpenCheck]| {
        checks.iter().filter_map(|check| Some((line_of(&check.place)?, check.check.clone()))).collect::<Vec<_>>()
    };
    let (proved, unknown) = (each(&site.report.proved_checks), each(&site.report.unknown_checks));
    proved.iter().for_each(|(line, check)| {
        lines.entry(*line).or_default().proved.insert(check);
    });
    unknown.iter().for_each(|(line, check)| {
        lines.entry(*line).or_default().unknown.insert(check);
    });
    for (index, finding) in site.report.findings.iter().enumerate() {
        if let Some(line) = finding.place.as_ref().and_then(line_of) {
            lines.entry(line).or_default().findings.push((index + 1, &finding.check));
        }
    }
    let name = escaped(file);
    let mut out = format!(
        "<header class=\"top\"><nav class=\"crumbs\"><a href=\"../index.html\">all findings</a></nav><h1>{name}</h1>\n\
         <ul class=\"legend-marks\"><li><span class=\"mark proved\"></span>proved</li><li><span class=\"mark unknown\"></span>unknown</li>\
         <li><span class=\"mark violated\"></span>violated</li></ul></header>\n<main>\n<ol class=\"code source panel\">\n"
    );
    let none = Line::default();
    for (number, text) in (1_u32..).zip(text.lines()) {
        let line = lines.get(&number).unwrap_or(&none);
        let _ = write!(
            out,
            "<li class=\"line\" id=\"L{number}\" data-line=\"{number}\">{}<a class=\"number\" href=\"#L{number}\">{number}</a><span>{}</span>",
            mark(line),
            escaped(&text.replace('\t', "    "))
        );
        if !line.findings.is_empty() {
            out.push_str("<span>");
            for (index, check) in &line.findings {
                let _ = write!(out, "<a class=\"to-finding\" href=\"../finding/{index}.html\">{}</a>", escaped(check));
            }
            out.push_str("</span>");
        }
        out.push_str("</li>\n");
    }
    let _ = write!(out, "</ol>\n</main>\n<footer>written by cairn {}</footer>\n", escaped(site.version));
    document(file, "source", 1, &out)
}

fn mark(line: &Line<'_>) -> String {
    let joined = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(", ");
    let violated: BTreeSet<&str> = line.findings.iter().map(|(_, check)| *check).collect();
    let mut parts = Vec::new();
    for (name, checks) in [("violated", &violated), ("unknown", &line.unknown), ("proved", &line.proved)] {
        if !checks.is_empty() {
            parts.push((name, format!("{name}: {}", joined(checks))));
        }
    }
    let Some((class, _)) = parts.first() else { return "<span></span>".to_owned() };
    let title: Vec<String> = parts.iter().map(|(_, text)| text.clone()).collect();
    let title = escaped(&title.join("; "));
    format!("<span class=\"mark {class}\" role=\"img\" aria-label=\"{title}\" title=\"{title}\"></span>")
}
