//! Reports: the results of a check as data that outlives the program it is about.
//!
//! A report names files, lines and functions instead of ids, so that it can be written, read back and merged with others. Every output
//! format is a function of a report, and the JSON format is the report itself (docs/json.md).

mod baseline;
mod build;
mod fingerprint;
pub mod heap;
mod merge;
mod suppress;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use baseline::{Baseline, Known};
pub use suppress::Ineffective;

/// The version of the JSON form. It grows when a member changes its meaning or goes away, not when one is added.
pub const VERSION: u64 = 2;

/// The results of a check.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The version of this form.
    pub version: u64,
    /// The code that the check is about.
    #[serde(default)]
    pub scope: Scope,
    /// The violations.
    pub findings: Vec<Finding>,
    /// The number of checks with each answer.
    pub checks: Counts,
    /// Why checks are unknown, in words.
    pub unknown_because: Vec<String>,
    /// Why checks are unknown, with stable names.
    pub unknown_reasons: Vec<Unknown>,
    /// The unknown checks, without those about the end of the program.
    pub unknown_checks: Vec<OpenCheck>,
    /// The checks that are proved without an assumption, if they were asked for. Checks of the program's end have no file. A line that calls
    /// a library model is left out, because the checks inside the model are not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proved_checks: Vec<OpenCheck>,
    /// The answers for each function, where functions are checked one by one.
    #[serde(default)]
    pub functions: Vec<Value>,
    /// The assumptions that the answers rest on.
    #[serde(default)]
    pub assumptions: Vec<String>,
    /// The parts of a project, each with its own answers; empty for a single program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetSummary>,
    /// The table of answers for each function, which only the text format shows.
    #[serde(skip)]
    pub(crate) table: Option<String>,
}

/// The code that a check is about.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Scope {
    /// All executions from `main`.
    #[default]
    Program,
    /// Each function by itself, on graphs of nodes.
    Functions,
    /// The functions of a library, for unknown callers.
    Library {
        /// The number of functions that were checked.
        functions: usize,
    },
    /// The programs and libraries of a project.
    Project {
        /// The number of library functions that were checked.
        functions: usize,
    },
}

/// The numbers of checks by their answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Checks that hold in every execution.
    pub proved: usize,
    /// Those of them that rest on an assumption.
    #[serde(default)]
    pub assuming: usize,
    /// Checks that an execution violates.
    pub violated: usize,
    /// Checks that are neither proved nor violated.
    pub unknown: usize,
}

/// A reason why checks are unknown.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Unknown {
    /// The stable name of the reason.
    pub reason: String,
    /// The reason in words.
    pub message: String,
    /// The cheapest thing that a user can do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// A check at a location.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpenCheck {
    /// The name of the check.
    pub check: String,
    /// The location of the check.
    pub place: Place,
}

/// A violation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// The name of the check.
    pub check: String,
    /// The SV-COMP property that is violated, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The weight of the finding.
    #[serde(default, skip_serializing_if = "Level::is_error")]
    pub level: Level,
    /// The fault in words.
    pub message: String,
    /// The location in the user's code that the finding is shown at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The location of the fault, and the calls that lead to it, innermost first.
    pub stack: Vec<Place>,
    /// Earlier events of the object's life.
    pub history: Vec<Event>,
    /// The steps to the fault.
    pub trace: Vec<Step>,
    /// The memory at the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heap: Option<heap::Heap>,
    /// What can be done about the fault, where that is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The nodes that a function is called with, where functions are checked one by one on graphs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Value>,
    /// The arguments by parameter, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    /// A hash that stays the same when unrelated code changes.
    #[serde(default)]
    pub fingerprint: String,
    /// The finding as the text format shows it.
    #[serde(default)]
    pub rendered: String,
    /// Whether the finding is new, if there is a baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineState>,
    /// Why the user accepts the finding, if a comment in the code says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppression>,
}

/// The weight of a finding, which the configuration chooses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// A failure.
    #[default]
    Error,
    /// Shown, but no failure.
    Warning,
    /// Not shown.
    Off,
}

impl Level {
    /// Returns whether this is the level of findings without a configuration.
    pub fn is_error(&self) -> bool {
        *self == Level::Error
    }
}

/// The relation of a finding to a baseline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BaselineState {
    /// The baseline does not have the finding.
    New,
    /// The baseline has the finding.
    Unchanged,
}

/// A comment in the code that accepts a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Suppression {
    /// The reason that the comment gives.
    pub reason: String,
    /// The line of the comment.
    pub line: u32,
}

impl Finding {
    /// Returns whether neither a comment, nor a baseline, nor the configuration accepts the finding.
    pub fn is_new(&self) -> bool {
        self.level != Level::Off && self.suppressed.is_none() && self.baseline != Some(BaselineState::Unchanged)
    }
}

/// A location in a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The name of the function.
    pub function: String,
    /// The file; a location outside of all files has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in characters, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

impl Place {
    /// Returns the file, line and column of a location in a file.
    pub fn position(&self) -> Option<(&str, u32, u32)> {
        Some((self.file.as_deref()?, self.line?, self.column.unwrap_or(1)))
    }
}

/// An earlier event of an object's life.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The event in words, such as "freed here".
    pub what: String,
    /// The location in the user's code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// The location of the event, and the calls that lead to it, innermost first.
    pub stack: Vec<Place>,
}

/// A step on the path to a violation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// Steps that are not shown.
    Omitted {
        /// Their number.
        left_out: usize,
    },
    /// Loop iterations that are not shown.
    Iterations {
        /// Their number.
        iterations: u64,
    },
    /// An event of the execution.
    Event {
        /// The kind of the event: `call`, `branch`, `allocation`, ….
        kind: String,
        /// The event in words.
        what: String,
        /// Its location.
        place: Place,
        /// The number of active calls.
        #[serde(default)]
        depth: u32,
        /// The memory after the event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        heap: Option<heap::Heap>,
    },
}

/// The answers for one program or library of a project.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TargetSummary {
    /// The name of the program, or the file of a library.
    pub name: String,
    /// `program` or `library`.
    pub kind: String,
    /// The number of checks with each answer.
    pub checks: Counts,
    /// The number of library functions that were checked.
    #[serde(default)]
    pub functions: usize,
    /// Why the target could not be checked, if so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl Report {
    /// Returns the report with the findings as plain text, without the colour codes of terminals.
    pub fn without_colour(mut self) -> Report {
        for finding in &mut self.findings {
            finding.rendered = crate::format::plain(&finding.rendered);
        }
        self
    }

    /// Reads a report in the JSON format.
    pub fn from_json(text: &str) -> Result<Report, String> {
        let report: Report = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match report.version {
            VERSION => Ok(report),
            other => Err(format!("version {other} of the JSON form, expected {VERSION}")),
        }
    }
}
