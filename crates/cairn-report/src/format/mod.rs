//! The output formats of `cairn check`, as one table.
//!
//! A format is a function from [`Results`] to text. A new one is a file in this folder and a row in [`Format::ALL`] and the
//! two matches below it; the command line takes names and help from here.

mod functions;
mod github;
mod json;
mod sarif;
mod text;

use crate::results::Results;
use crate::{Colour, Texts};

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
}

/// The surroundings of a report.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The texts that excerpts are taken from.
    pub texts: Texts<'a>,
    /// Whether text is coloured.
    pub colour: Colour,
    /// The version of cairn.
    pub version: &'a str,
}

impl Format {
    /// Every format, the default first.
    pub const ALL: [Format; 4] = [Format::Text, Format::Json, Format::Sarif, Format::Github];

    /// Returns the name on the command line, and the help next to it.
    const fn row(self) -> (&'static str, &'static str) {
        match self {
            Format::Text => ("text", "Diagnostics with source excerpts, and a summary"),
            Format::Json => ("json", "One JSON object"),
            Format::Sarif => ("sarif", "SARIF 2.1.0, for code scanning"),
            Format::Github => ("github", "Annotations in the log of a GitHub workflow"),
        }
    }

    /// Renders results in this format.
    pub fn render(self, results: &Results<'_>, context: Context<'_>) -> String {
        match self {
            Format::Text => text::render(results, context),
            Format::Json => json::render(results, context),
            Format::Sarif => sarif::render(results, context),
            Format::Github => github::render(results, context),
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
