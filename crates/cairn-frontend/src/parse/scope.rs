//! Which names are typedef names where: the only thing about declarations that C's grammar depends on.
//!
//! The meaning of every name is one byte in a table indexed by its symbol. Leaving a scope undoes the changes made in it
//! from a log, so that a look-up is one load and a scope without declarations costs nothing.

use super::Parser;
use crate::lex::{Token, TokenKind, keywords};
use crate::symbol::Symbol;

/// What a name means in the ordinary name space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Nothing was declared.
    Undeclared,
    /// A type.
    Typedef,
    /// A variable, function, parameter or enumerator.
    Ordinary,
    /// A keyword, because nothing was declared.
    Keyword,
    /// Used like a type without being one; that was reported, and is not reported again.
    UnknownType,
}

/// The meanings of all names.
pub struct Names {
    meanings: Vec<Meaning>,
    /// What the names that were declared in open scopes meant before.
    undo: Vec<(Symbol, Meaning)>,
    open_scopes: u32,
}

/// A scope to be closed: the length of the log when it was opened.
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
    /// What a name means here.
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

    /// Remembers in the outermost scope that a name was reported as an unknown type.
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

    /// The kind of a token, where an identifier that is a keyword for want of a declaration counts as that keyword.
    #[inline]
    pub(super) fn keyword_of(&self, token: Token) -> TokenKind {
        if token.kind == TokenKind::Ident && self.meaning(token.symbol()) == Meaning::Keyword {
            return keywords::contextual(token.symbol()).unwrap_or(TokenKind::Ident);
        }
        token.kind
    }
}
