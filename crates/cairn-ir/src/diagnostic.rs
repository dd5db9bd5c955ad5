//! Errors and warnings about a source text, as data. `cairn-report` renders them.

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program is invalid; no IR is produced.
    Error,
    /// The code is suspicious but valid.
    Warning,
}

/// A message about one source span, with notes on further spans that explain it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Whether this is an error or a warning.
    pub severity: Severity,
    /// The problem, and the expected form where that helps.
    pub message: String,
    /// The primary span.
    pub span: Span,
    /// The text printed next to the primary span; may be empty.
    pub label: String,
    /// Secondary spans with a message each ("previous definition is here").
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// Creates an error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), span, label: String::new(), notes: Vec::new() }
    }

    /// Creates a warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Sets the text printed next to the primary span.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a note on another span.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push((span, text.into()));
        self
    }
}
