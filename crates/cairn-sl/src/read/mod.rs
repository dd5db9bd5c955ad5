//! The reader for the SL-COMP format.
//!
//! The format is SMT-LIB 2.6 with heaps, points-to, the separating connectives and recursive
//! definitions. `lex` splits text into tokens, `expression` builds S-expressions, and
//! `commands` turns them into a [`Script`]. `declarations` resolves names, `formulas` builds
//! formulas, and `connectives` handles the built-in operators. Every error is a [`ReadError`]
//! with a line, a column and the expected input.

mod commands;
mod connectives;
mod declarations;
mod expression;
mod formulas;
mod lex;

use crate::script::Script;

/// A position in a text; line and column count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// An error in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// The position of the error.
    pub place: Place,
    /// The description, including the expected input.
    pub message: String,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)
    }
}

impl std::error::Error for ReadError {}

/// Reads a script.
pub fn read(text: &str) -> Result<Script, ReadError> {
    commands::script(&expression::expressions(text)?)
}

#[cfg(test)]
mod tests;
