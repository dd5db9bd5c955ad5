//! The parser: recursive descent over the tokens, one method per production of the grammar.
//!
//! C cannot be parsed without knowing which identifiers are typedef names, so the parser keeps track of declared names
//! with exact scopes (`scope`). A method that fails has already reported why and returns [`Failed`]; statements and
//! declarations catch the failure, skip to a place where something new starts (`recover`), and go on.
//!
//! Nothing here recurses without bound. What nests by recursion (parentheses, blocks, declarators, initialisers, structs)
//! is counted and limited by [`MAX_NESTING`]. What grows by repetition (`a + b + c`, `else if`, `case` after `case`) is
//! parsed by loops, but makes a tree that later stages descend into, so its links are counted and limited by
//! [`MAX_LINKS`]: no path from the root of a function's tree to a leaf is longer than their sum times a small constant.

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
use crate::symbol::Interner;

/// How deep parentheses, blocks, declarators, initialisers and structs may nest, counted together.
pub const MAX_NESTING: u32 = 1000;

/// How many links the chains on one path through an expression or statement may have: operators in a row, `else if`s,
/// `case` labels of one statement.
pub const MAX_LINKS: u32 = 100_000;

/// How much stack the stages of the front-end may rely on, so that trees within these limits can be walked and dropped by
/// plain recursion. Whoever calls the front-end on text of unknown origin runs it on a thread with a stack of this size.
pub const STACK_SIZE: usize = 1 << 30;

/// After this many errors the rest of a text is not looked at.
const MAX_ERRORS: usize = 100;

/// Parses a preprocessed translation unit whose first byte has the global offset `base`. Errors are recovered from.
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

/// Drops what comes after too many errors.
fn cut_off(diagnostics: &mut Vec<Diagnostic>, first: usize) {
    let is_error = |d: &&Diagnostic| d.severity == cairn_ir::diagnostic::Severity::Error;
    let last = diagnostics[first..].iter().enumerate().filter(|(_, d)| is_error(d)).nth(MAX_ERRORS).map(|(i, _)| i);
    if let Some(last) = last {
        let span = diagnostics[first + last].span;
        diagnostics.truncate(first + last);
        diagnostics.push(Diagnostic::error(span, "too many errors, the rest of the text is not looked at"));
    }
}

/// Something could not be parsed, and the reason has been reported.
#[derive(Clone, Copy, Debug)]
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    base: u32,
    tokens: Vec<Token>,
    packs: Vec<(u32, u64)>,
    spliced: bool,
    /// The index of the current token; never past the last one.
    pos: usize,
    names: scope::Names,
    nesting: u32,
    links: u32,
    errors: usize,
    /// The token at which the last error was reported: a second one there is a consequence of the first.
    last_error: Option<usize>,
    /// Whether parsing was given up; the current token is then the last one and nothing is reported any more.
    stopped: bool,
    interner: &'a mut Interner,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Parser<'_> {
    /// The current token.
    #[inline]
    fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    /// The kind of the current token.
    #[inline]
    fn kind(&self) -> TokenKind {
        self.tokens[self.pos].kind
    }

    /// The kind of a token further on.
    #[inline]
    fn peek(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.pos + ahead).map_or(TokenKind::Eof, |t| t.kind)
    }

    #[inline]
    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    /// Goes to the next token; the end of the text is never left behind.
    #[inline]
    fn bump(&mut self) {
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
    }

    /// Takes the current token.
    #[inline]
    fn take(&mut self) -> Token {
        let token = self.token();
        self.bump();
        token
    }

    /// Takes the current token when it is of that kind.
    #[inline]
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Where the current token starts.
    #[inline]
    fn start(&self) -> u32 {
        self.token().start
    }

    /// Where the token before the current one ends.
    #[inline]
    fn previous_end(&self) -> u32 {
        match self.pos.checked_sub(1) {
            Some(previous) => self.tokens[previous].end,
            None => self.start(),
        }
    }

    /// From `start` to the end of the last token that was taken.
    #[inline]
    fn span_from(&self, start: u32) -> Span {
        Span::new(start, self.previous_end().max(start))
    }

    /// The empty place behind the last token that was taken.
    fn place_behind(&self) -> Span {
        let end = self.previous_end();
        Span::new(end, end)
    }

    /// The text of a token, without line continuations.
    fn token_text(&self, token: Token) -> std::borrow::Cow<'_, str> {
        let range = (token.start - self.base) as usize..(token.end - self.base) as usize;
        let text = self.text.get(range).unwrap_or("");
        match self.spliced.then(|| lex::unspliced(text)).flatten() {
            Some(joined) => joined.into(),
            None => text.into(),
        }
    }

    /// Runs a production that may contain itself, and refuses when it does so too often.
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

    /// Counts one more link of a chain.
    #[inline]
    fn link(&mut self) -> Parse<()> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(self.fatal(format!("more than {MAX_LINKS} operators or branches in a row")));
        }
        Ok(())
    }

    /// The alignment of `#pragma pack` in force at the current token.
    fn pragma_pack(&self) -> u64 {
        let index = self.packs.partition_point(|&(token, _)| token as usize <= self.pos);
        index.checked_sub(1).map_or(0, |i| self.packs[i].1)
    }
}
