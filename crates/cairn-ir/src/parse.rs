//! Reads the text form of a program.

use crate::program::Program;

/// A mistake in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// What was expected and what stands there.
    pub message: String,
}

/// Reads a program.
///
/// # Errors
/// The first mistake.
pub fn parse(_text: &str) -> Result<Program, ParseError> {
    todo!()
}
