//! Contracts that the user states in comments above a declaration.
//!
//! ```c
//! // cairn: takes item; returns new
//! struct list *list_add(struct list *list, struct item *item);
//! ```
//!
//! `read` finds the statements in a source text. For functions without a body they replace what names and types tell; `check` holds those
//! about functions with a body against the inferred contract.

mod check;
mod read;

use std::collections::BTreeMap;

pub use check::{Disagreement, disagreements};
pub use read::{Mistake, read};

/// A statement about a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Statement {
    /// The function frees or keeps the memory behind a parameter.
    Takes(String),
    /// The function neither frees nor keeps the memory behind a parameter.
    Borrows(String),
    /// A parameter may be null.
    AllowsNull(String),
    /// The result is new memory that the caller owns, or null.
    ReturnsNew,
    /// The result is not null.
    ReturnsNotNull,
    /// The function does not return.
    NeverReturns,
}

/// The statements about one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stated {
    /// The names of the parameters in the declaration, as far as they have some.
    pub parameters: Vec<String>,
    /// The statements with their lines.
    pub statements: Vec<(Statement, u32)>,
    /// The file of the comment.
    pub file: String,
}

impl Stated {
    /// Returns whether there is a statement.
    pub(crate) fn says(&self, statement: &Statement) -> bool {
        self.statements.iter().any(|(one, _)| one == statement)
    }

    /// Returns whether the function is stated to take a parameter, or to borrow it.
    pub(crate) fn takes(&self, parameter: usize) -> Option<bool> {
        let name = self.parameters.get(parameter)?;
        if self.says(&Statement::Takes(name.clone())) {
            Some(true)
        } else if self.says(&Statement::Borrows(name.clone())) {
            Some(false)
        } else {
            None
        }
    }
}

/// The statements about all functions, by name.
pub type Statements = BTreeMap<String, Stated>;
