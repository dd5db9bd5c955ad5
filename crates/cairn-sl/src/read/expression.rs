//! S-expressions.

use super::lex::{Token, tokens};
use super::{Place, ReadError};
use crate::limits::MAX_LIST_DEPTH;

/// A token or a list.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Expression {
    pub(super) place: Place,
    pub(super) kind: Kind,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind {
    Symbol(String),
    Numeral(String),
    Literal(String),
    List(Vec<Expression>),
}

impl Expression {
    pub(super) fn error(&self, message: impl Into<String>) -> ReadError {
        ReadError { place: self.place, message: message.into() }
    }

    /// Describes the expression for an error message.
    pub(super) fn found(&self) -> String {
        match &self.kind {
            Kind::Symbol(s) | Kind::Numeral(s) => format!("`{s}`"),
            Kind::Literal(_) => "a literal".to_owned(),
            Kind::List(items) => match items.first().map(|first| &first.kind) {
                Some(Kind::Symbol(s)) => format!("`({s} …)`"),
                Some(_) => "a list".to_owned(),
                None => "`()`".to_owned(),
            },
        }
    }

    pub(super) fn expected(&self, what: &str) -> ReadError {
        self.error(format!("expected {what}, found {}", self.found()))
    }

    pub(super) fn as_symbol(&self) -> Option<&str> {
        match &self.kind {
            Kind::Symbol(s) => Some(s),
            _ => None,
        }
    }

    pub(super) fn symbol(&self, what: &str) -> Result<&str, ReadError> {
        self.as_symbol().ok_or_else(|| self.expected(what))
    }

    pub(super) fn list(&self, what: &str) -> Result<&[Expression], ReadError> {
        match &self.kind {
            Kind::List(items) => Ok(items),
            _ => Err(self.expected(what)),
        }
    }
}

/// Parses a text into its top-level expressions.
pub(super) fn expressions(text: &str) -> Result<Vec<Expression>, ReadError> {
    let mut open: Vec<(Place, Vec<Expression>)> = Vec::new();
    let mut top = Vec::new();
    for (place, token) in tokens(text)? {
        let kind = match token {
            Token::Open => {
                if open.len() == MAX_LIST_DEPTH {
                    let message = format!("parentheses are nested more than {MAX_LIST_DEPTH} deep");
                    return Err(ReadError { place, message });
                }
                open.push((place, Vec::new()));
                continue;
            }
            Token::Close => {
                let Some((place, items)) = open.pop() else {
                    return Err(ReadError { place, message: "this `)` closes nothing: expected a command".to_owned() });
                };
                let expression = Expression { place, kind: Kind::List(items) };
                open.last_mut().map_or(&mut top, |(_, items)| items).push(expression);
                continue;
            }
            Token::Symbol(s) => Kind::Symbol(s),
            Token::Numeral(s) => Kind::Numeral(s),
            Token::Literal(s) => Kind::Literal(s),
        };
        open.last_mut().map_or(&mut top, |(_, items)| items).push(Expression { place, kind });
    }
    match open.last() {
        Some((place, _)) => {
            Err(ReadError { place: *place, message: "the text ends before the `)` of this `(`".to_owned() })
        }
        None => Ok(top),
    }
}
