//! The HTML report: an overview, a page for each finding with a timeline of its heap,
//! a page for each source file, and a page with the contracts of library functions.
//!
//! The pages need no network and work without scripts. Their style and behaviour are the files in `assets/`. Every text that comes from
//! the user's code passes through [`escaped`].

mod contracts;
mod finding;
mod overview;
mod source;
mod states;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Read;
use crate::report::{Finding, Report};

pub use states::{states, states_as_json};

/// A file of the report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// The path below the folder of the report.
    pub path: String,
    /// The contents.
    pub text: String,
}

const STYLE: &str = include_str!("assets/cairn.css");
const SCRIPT: &str = include_str!("assets/cairn.js");

/// Returns the files of a report. `read` returns the text of a source file.
pub fn pages(report: &Report, read: Read<'_>, version: &str) -> Vec<Page> {
    let site = Site::of(report, version);
    let mut pages = assets();
    let contracts = contracts::contracts(&site);
    pages.push(Page { path: "index.html".to_owned(), text: overview::render(&site, read, !contracts.is_empty()) });
    if !contracts.is_empty() {
        pages.push(Page { path: "contracts.html".to_owned(), text: contracts::render(&site, &contracts) });
    }
    for index in 0..report.findings.len() {
        pages.push(Page { path: format!("finding/{}.html", index + 1), text: finding::render(&site, index, read) });
    }
    for (file, number) in &site.files {
        if let Some(text) = read(file) {
            pages.push(Page { path: format!("source/{number}.html"), text: source::render(&site, file, &text) });
        }
    }
    pages
}

fn assets() -> Vec<Page> {
    let page = |path: &str, text: &str| Page { path: path.to_owned(), text: text.to_owned() };
    vec![page("assets/cairn.css", STYLE), page("assets/cairn.js", SCRIPT)]
}

/// A report with the numbers of its source pages.
struct Site<'r> {
    report: &'r Report,
    version: &'r str,
    files: BTreeMap<String, usize>,
}

impl<'r> Site<'r> {
    fn of(report: &'r Report, version: &'r str) -> Self {
        let places = report.findings.iter().filter_map(|finding| finding.place.as_ref());
        let steps = report.findings.iter().flat_map(|finding| &finding.trace).filter_map(|step| match step {
            crate::report::Step::Event { place, .. } => Some(place),
            _ => None,
        });
        let checks = report.unknown_checks.iter().chain(&report.proved_checks).map(|check| &check.place);
        let mut files: BTreeMap<String, usize> = BTreeMap::new();
        for file in places.chain(steps).chain(checks).filter_map(|place| place.file.as_ref()) {
            files.entry(file.clone()).or_insert(0);
        }
        for (index, number) in files.values_mut().enumerate() {
            *number = index + 1;
        }
        Site { report, version, files }
    }

    /// Returns the link to a line, from a page in another folder.
    fn link(&self, file: &str, line: u32) -> Option<String> {
        Some(format!("../source/{}.html#L{line}", self.files.get(file)?))
    }
}

/// Returns whether a finding is new, known or accepted.
fn state_of(finding: &Finding) -> &'static str {
    if finding.suppressed.is_some() || finding.level == crate::report::Level::Off {
        "accepted"
    } else if finding.is_new() {
        "new"
    } else {
        "known"
    }
}

/// Returns a page. `depth` is the number of folders above it in the report.
fn document(title: &str, kind: &str, depth: usize, body: &str) -> String {
    let up = "../".repeat(depth);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src data:\">\n\
         <title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"{up}assets/cairn.css\">\n\
         <script src=\"{up}assets/cairn.js\" defer></script>\n</head>\n<body data-page=\"{kind}\">\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

/// Returns text with the characters escaped that mean something in HTML, and without control characters.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() => {
                let _ = write!(out, "&#xFFFD;");
            }
            // Marks that change the direction of text could make code look like other code.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' => {
                let _ = write!(out, "&#xFFFD;");
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns text with the parts between backquotes as code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = escaped(part);
        if index % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(&part);
        }
    }
    out
}

/// Returns a number with commas between groups of three digits.
fn grouped(number: usize) -> String {
    crate::format::grouped(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_the_user_cannot_become_markup() {
        assert_eq!(escaped("<script>\"&'\u{1b}\u{202e}"), "&lt;script&gt;&quot;&amp;&#39;&#xFFFD;&#xFFFD;");
        assert_eq!(prose("`a<b` is `c`"), "<code>a&lt;b</code> is <code>c</code>");
    }

    #[test]
    fn pages_are_closed_and_name_their_assets() {
        let page = document("a<b", "overview", 1, "<main></main>");
        assert!(page.contains("<title>a&lt;b</title>") && page.contains("href=\"../assets/cairn.css\""), "{page}");
    }
}
