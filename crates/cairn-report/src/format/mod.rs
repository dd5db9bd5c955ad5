//! The output formats of `cairn check`, as one table.
//!
//! A format is a function from a [`Report`] to text. A new one is a file in this folder and a row in [`Format::ALL`] and the
//! two matches below it; the command line takes names and help from here.

pub(crate) mod functions;
mod github;
mod gitlab;
mod json;
mod junit;
mod sarif;
mod text;

use crate::report::{Place, Report};

/// An output format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Diagnostics and a summary.
    Text,
    /// One JSON object (docs/json.md).
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// Workflow commands of GitHub.
    Github,
    /// GitLab's code quality.
    Gitlab,
    /// JUnit XML.
    Junit,
}

/// The surroundings of a report.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The version of cairn.
    pub version: &'a str,
    /// Whether the text format lists all unknown checks.
    pub lists_unknown: bool,
    /// Whether the text format draws with lines and arrows of Unicode.
    pub draws_boxes: bool,
}

impl Format {
    /// Every format, the default first.
    pub const ALL: [Format; 6] =
        [Format::Text, Format::Json, Format::Sarif, Format::Github, Format::Gitlab, Format::Junit];

    /// Returns the name on the command line, and the help next to it.
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Format::Text => ("text", "Diagnostics with source excerpts, and a summary"),
            Format::Json => ("json", "One JSON object"),
            Format::Sarif => ("sarif", "SARIF 2.1.0, for code scanning"),
            Format::Github => ("github", "Annotations in the log of a GitHub workflow"),
            Format::Gitlab => ("gitlab", "Code quality report of GitLab"),
            Format::Junit => ("junit", "JUnit XML, for build servers"),
        }
    }

    /// Renders a report in this format.
    pub fn render(self, report: &Report, context: Context<'_>) -> String {
        match self {
            Format::Text => text::render(report, context),
            Format::Json => json::render(report),
            Format::Sarif => sarif::render(report, context.version),
            Format::Github => github::render(report),
            Format::Gitlab => gitlab::render(report),
            Format::Junit => junit::render(report),
        }
    }

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// Returns the help text.
    pub const fn summary(self) -> &'static str {
        self.row().1
    }

    /// Returns the format with this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }
}

pub(crate) use text::{grouped, summary};

/// Returns the file, line and column of a place in the user's code.
fn user(place: &Option<Place>) -> Option<(&str, u32, u32)> {
    place.as_ref().and_then(Place::position)
}

/// Removes the colour codes of terminals.
pub(crate) fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}
