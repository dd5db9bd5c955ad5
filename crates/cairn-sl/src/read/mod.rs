//! Reads the SL-COMP format: SMT-LIB 2.6 with heaps, cells, the separating connectives and recursive definitions.
//!
//! [`lex`] makes words of characters, [`expression`] trees of words, [`commands`] a [`Script`] of trees. [`declarations`] knows the
//! names of a file, [`formulas`] makes formulas with them, [`connectives`] what needs no declaration.
//! Everything that is wrong with a file is a [`ReadError`] with line, column and what was expected there.

mod commands;
mod connectives;
mod declarations;
mod expression;
mod formulas;
mod lex;

use crate::script::Script;

/// Where something is in a text; both count from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// What is wrong with a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What, and what was expected instead.
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
