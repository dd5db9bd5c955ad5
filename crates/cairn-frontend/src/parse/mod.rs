//! The parser: recursive descent over the tokens, one method per production of the grammar.
//!
//! Parsing C requires knowing which identifiers are typedef names, so `scope` tracks declared names with exact scopes.
//! A method that fails has already reported the error and returns `Failed`. Statements and declarations catch the
//! failure, skip to the start of the next construct (`recover`) and continue.
//!
//! No recursion is unbounded. [`MAX_NESTING`] limits constructs that nest by recursion: parentheses, blocks,
//! declarators, initialisers and structs. Constructs that grow by repetition (`a + b + c`, `else if`, `case` after
//! `case`) are parsed by loops. They still build trees that later stages descend into, so [`MAX_LINKS`] limits their
//! links. No path from the root of a function's tree to a leaf is longer than the sum of both limits times a small
//! constant.

mod attribute;
mod declaration;
mod declarator;
mod expression;
mod initializer;
mod primary;
mod record;
mod recover;
mod scope;
mod specifiers;
mod statement;

#[cfg(test)]
mod tests;

use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::source::Span;

use crate::ast::Unit;
use crate::lex::{self, Token, TokenKind};
use crate::limits::{MAX_ERRORS, MAX_LINKS, MAX_NESTING};
use crate::symbol::Interner;

/// Parses a preprocessed translation unit whose first byte has the global offset `base`, recovering from errors.
pub fn parse(text: &str, base: u32, interner: &mut Interner, diagnostics: &mut Vec<Diagnostic>) -> Unit {
    let first = diagnostics.len();
    let tokens = lex::lex(text, base, interner, diagnostics);
    if tokens.unpreprocessed {
        return Unit::default();
    }
    let mut parser = Parser {
        text,
        base,
        names: scope::Names::new(interner.count()),
        tokens: tokens.tokens,
        packs: tokens.packs,
        spliced: tokens.spliced,
        pos: 0,
        nesting: 0,
        links: 0,
        errors: diagnostics.len() - first,
        last_error: None,
        stopped: false,
        interner,
        diagnostics,
    };
    let unit = parser.unit();
    diagnostics[first..].sort_by_key(|d| d.span.start);
    if diagnostics.len() - first > MAX_ERRORS {
        cut_off(diagnostics, first);
    }
    unit
}

/// Truncates the diagnostics after too many errors.
fn cut_off(diagnostics: &mut Vec<Diagnostic>, first: usize) {
    let is_error = |d: &&Diagnostic| d.severity == cairn_ir::diagnostic::Severity::Error;
    let last = diagnostics[first..].iter().enumerate().filter(|(_, d)| is_error(d)).nth(MAX_ERRORS).map(|(i, _)| i);
    if let Some(last) = last {
        let span = diagnostics[first + last].span;
        diagnostics.truncate(first + last);
        diagnostics.push(Diagnostic::error(span, "too many errors emitted, stopping now"));
    }
}

/// The marker of a failed production, whose error has been reported.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    base: u32,
    tokens: Vec<Token>,
    packs: Vec<(u32, u64)>,
    spliced: bool,
    /// The index of the current token; always in range.
    pos: usize,
    names: scope::Names,
    nesting: u32,
    links: u32,
    errors: usize,
    /// The token at which the last error was reported. A second error at the same token is a consequence of the first.
    last_error: Option<usize>,
    /// Whether parsing was abandoned. The current token is then the last one, and nothing more is reported.
    stopped: bool,
    interner: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    /// Returns the current token.
    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    /// Returns the kind of the current token.
    #[inline]
    fn kind(&self) -> TokenKind {
        self.tokens[self.pos].kind
    }

    /// Returns the kind of a later token.
    #[inline]
    fn peek(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::Eof, |t| t.kind)
    }

    #[inline]
    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Advances to the next token, but never past the end of the text.
    #[inline]
    fn bump(&mut self) {
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
    }

    /// Consumes the current token.
    #[inline]
    fn take(&mut self) -> Token {
        let token = self.token();
        self.bump();
        token
    }

    /// Consumes the current token if it has the given kind.
    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Returns the start of the current token.
    #[inline]
    fn start(&self) -> u32 {
        self.token().start
    }

    /// Returns the end of the previous token.
    #[inline]
    fn previous_end(&self) -> u32 {
        match self.pos.checked_sub(1) {
            Some(previous) => self.tokens[previous].end,
            None => self.start(),
        }
    }

    /// Returns the span from `start` to the end of the last consumed token.
    #[inline]
    fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end().max(start))
    }

    /// Returns the empty span after the last consumed token.
    fn place_behind(&self) -> Span {
        let end = self.previous_end();
        Span::new(end, end)
    }

    /// Returns the text of a token without line continuations.
    fn token_text(&self, token: Token) -> std::borrow::Cow<'_, str> {
        let range = (token.start - self.base) as usize..(token.end - self.base) as usize;
        let text = self.text.get(range).unwrap_or("");
        match self.spliced.then(|| lex::unspliced(text)).flatten() {
            Some(joined) => joined.into(),
            None => text.into(),
        }
    }

    /// Runs a production that may contain itself; fails if the nesting is too deep.
    #[inline]
    fn nest<T>(&mut self, production: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            return Err(self.fatal(format!("nesting deeper than {MAX_NESTING} levels")));
        }
        self.nesting += 1;
        let result = production(self);
        self.nesting -= 1;
        result
    }

    /// Counts one more link of a chain; fails if there are too many.
    #[inline]
    fn link(&mut self) -> Parse<()> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(self.fatal(format!("chain of more than {MAX_LINKS} operators or branches")));
        }
        Ok(())
    }

    /// Returns the alignment of `#pragma pack` in force at the current token.
    fn pragma_pack(&self) -> u64 {
        let index = self.packs.partition_point(|&(token, _)| token as usize <= self.pos);
        index.checked_sub(1).map_or(0, |i| self.packs[i].1)
    }
}
