//! Tracks which names are typedef names, the only property of declarations that C's grammar depends on.
//!
//! A table indexed by symbol holds the meaning of every name in one byte. A log records changes, and leaving a scope
//! undoes them. A look-up is therefore a single load, and a scope without declarations costs nothing.

use super::Parser;
use crate::lex::{Token, TokenKind, keywords};
use crate::symbol::Symbol;

/// The meaning of a name in the ordinary name space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// An undeclared name.
    Undeclared,
    /// A typedef name.
    Typedef,
    /// A variable, function, parameter or enumerator.
    Ordinary,
    /// A keyword, because no declaration overrides it.
    Keyword,
    /// A name used like a type without being one. This was reported and is not reported again.
    UnknownType,
}

/// The meanings of all names.
pub struct Names {
    meanings: Vec<Meaning>,
    /// The previous meanings of the names declared in open scopes.
    undo: Vec<(Symbol, Meaning)>,
    open_scopes: u32,
}

/// An open scope, as the length of the log when it was opened.
#[must_use]
pub struct Scope(usize);

impl Names {
    pub fn new(count: usize) -> Self {
        let mut meanings = vec![Meaning::Undeclared; count];
        let first = keywords::RESERVED_COUNT as usize;
        if let Some(contextual) = meanings.get_mut(first..first + keywords::CONTEXTUAL_COUNT as usize) {
            contextual.fill(Meaning::Keyword);
        }
        Self { meanings, undo: Vec::new(), open_scopes: 0 }
    }
}

impl Parser<'_> {
    /// Returns the current meaning of a name.
    #[inline]
    pub(super) fn meaning(&self, name: Symbol) -> Meaning {
        self.names.meanings.get(name.0 as usize).copied().unwrap_or(Meaning::Undeclared)
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: Symbol, meaning: Meaning) {
        if let Some(slot) = self.names.meanings.get_mut(name.0 as usize)
            && *slot != meaning
        {
            let before = std::mem::replace(slot, meaning);
            if self.names.open_scopes > 0 {
                self.names.undo.push((name, before));
            }
        }
    }

    /// Records, for the rest of the text, that a name was reported as an unknown type.
    pub(super) fn declare_unknown_type(&mut self, name: Symbol) {
        if let Some(slot) = self.names.meanings.get_mut(name.0 as usize) {
            *slot = Meaning::UnknownType;
        }
    }

    pub(super) fn open_scope(&mut self) -> Scope {
        self.names.open_scopes += 1;
        Scope(self.names.undo.len())
    }

    pub(super) fn close_scope(&mut self, scope: Scope) {
        self.names.open_scopes -= 1;
        for (name, before) in self.names.undo.drain(scope.0..).rev() {
            if let Some(slot) = self.names.meanings.get_mut(name.0 as usize) {
                *slot = before;
            }
        }
    }

    /// Returns the kind of a token; an undeclared contextual keyword counts as a keyword.
    #[inline]
    pub(super) fn keyword_of(&self, token: Token) -> TokenKind {
        if token.kind == TokenKind::Ident && self.meaning(token.symbol()) == Meaning::Keyword {
            return keywords::contextual(token.symbol()).unwrap_or(TokenKind::Ident);
        }
        token.kind
    }
}
