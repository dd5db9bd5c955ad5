//! Errors and what happens after them: each mistake is to be told once, at its place, and the next one found as well.

use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::source::Span;

use super::{Failed, MAX_ERRORS, Parse, Parser};
use crate::lex::{Token, TokenKind};

impl Parser<'_> {
    /// Reports an error or a warning.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.stopped {
            return;
        }
        if diagnostic.severity == cairn_ir::diagnostic::Severity::Error {
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                // One more than is shown, so that what is shown can end with a word on it.
                self.stop();
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports an error in the syntax, unless the last one was at the same token.
    #[cold]
    pub(super) fn syntax_error(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.last_error != Some(self.pos) && !self.behind_open_literal() {
            self.last_error = Some(self.pos);
            self.report(diagnostic);
        }
        Failed
    }

    /// Whether the token before is a literal whose missing quote was reported; it may have swallowed what is missing now.
    fn behind_open_literal(&self) -> bool {
        let previous = self.pos.checked_sub(1).map(|p| self.tokens[p]);
        previous.is_some_and(|t| matches!(t.kind, TokenKind::String | TokenKind::CharConstant) && t.payload != 0)
    }

    /// Reports an error at a place.
    #[cold]
    pub(super) fn error_at(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.syntax_error(Diagnostic::error(span, message))
    }

    /// Reports an error after which nothing more can be parsed.
    #[cold]
    pub(super) fn fatal(&mut self, message: String) -> Failed {
        let span = self.token().span();
        self.report(Diagnostic::error(span, message));
        self.stop();
        Failed
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.pos = self.tokens.len() - 1;
    }

    /// Reports that something else than the current token should stand here.
    #[cold]
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let message = format!("expected {what}, found {}", self.found());
        self.error_at(self.token().span(), message)
    }

    /// What the current token is, for a message.
    pub(super) fn found(&self) -> String {
        let token = self.token();
        if token.kind == TokenKind::Eof {
            return "end of file".into();
        }
        let text = self.token_text(token);
        let short: String = text.chars().take(40).collect();
        let dots = if short.len() < text.len() { "…" } else { "" };
        match token.kind {
            TokenKind::String | TokenKind::CharConstant => format!("{} {short}{dots}", token.kind.text()),
            _ => format!("'{short}{dots}'"),
        }
    }

    /// Takes a token that must be here. `context` goes on with the message: `after expression`.
    #[inline]
    pub(super) fn expect(&mut self, kind: TokenKind, context: &str) -> Parse<()> {
        if self.eat(kind) {
            return Ok(());
        }
        Err(self.missing(kind, context))
    }

    /// Reports that a token is missing behind the previous one.
    #[cold]
    fn missing(&mut self, kind: TokenKind, context: &str) -> Failed {
        let space = if context.is_empty() { "" } else { " " };
        let message = format!("expected '{}'{space}{context}, found {}", kind.text(), self.found());
        self.error_at(self.place_behind(), message)
    }

    /// Takes the token that closes what `open` opened. When it is missing, that is reported, and what stands before it is
    /// skipped if it comes soon.
    #[inline]
    pub(super) fn expect_close(&mut self, open: Token, close: TokenKind) {
        if !self.eat(close) {
            self.recover_close(open, close);
        }
    }

    #[cold]
    fn recover_close(&mut self, open: Token, close: TokenKind) {
        let message = format!("expected '{}', found {}", close.text(), self.found());
        let note = format!("to match this '{}'", open.kind.text());
        self.syntax_error(Diagnostic::error(self.place_behind(), message).note(open.span(), note));
        self.skip_to_close(close);
    }

    /// Skips to behind a closing token when it comes before the statement ends.
    pub(super) fn skip_to_close(&mut self, close: TokenKind) -> bool {
        let mut depth = 0usize;
        // What is not found soon is not looked for further, so that many unclosed parentheses cost little.
        let end = self.tokens.len().min(self.pos + 1000);
        for at in self.pos..end {
            match self.tokens[at].kind {
                kind if kind == close && depth == 0 => {
                    self.pos = at;
                    self.bump();
                    return true;
                }
                TokenKind::LParen | TokenKind::LBracket => depth += 1,
                TokenKind::RParen | TokenKind::RBracket => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return false,
                },
                TokenKind::Semi | TokenKind::LBrace | TokenKind::RBrace | TokenKind::Eof => return false,
                _ => {}
            }
        }
        false
    }

    /// Takes the semicolon that ends a statement or declaration. When it is missing, that is reported; what follows is
    /// skipped unless it looks like the start of something new.
    #[inline]
    pub(super) fn expect_semi(&mut self, context: &str) {
        if !self.eat(TokenKind::Semi) {
            self.recover_semi(context);
        }
    }

    #[cold]
    fn recover_semi(&mut self, context: &str) {
        self.missing(TokenKind::Semi, context);
        if !(self.starts_line(self.pos) || self.starts_something(self.kind())) {
            self.skip_statement();
        }
    }

    /// Whether a token is the first of its line.
    pub(super) fn starts_line(&self, pos: usize) -> bool {
        let Some(previous) = pos.checked_sub(1) else { return true };
        let range = (self.tokens[previous].end - self.base) as usize..(self.tokens[pos].start - self.base) as usize;
        self.text.get(range).is_some_and(|between| between.contains('\n'))
    }

    /// Whether a token is in the first column.
    fn starts_column(&self, pos: usize) -> bool {
        let start = (self.tokens[pos].start - self.base) as usize;
        start.checked_sub(1).is_none_or(|before| self.text.as_bytes().get(before) == Some(&b'\n'))
    }

    /// Whether a token can only be the first one of a statement, or the last one of a block.
    fn starts_something(&self, kind: TokenKind) -> bool {
        use TokenKind::*;
        matches!(
            kind,
            RBrace
                | If
                | For
                | While
                | Do
                | Return
                | Switch
                | Case
                | Default
                | Goto
                | Break
                | Continue
                | Typedef
                | Static
                | Eof
        )
    }

    /// After an error in a statement: goes behind its semicolon, or to where the next statement starts.
    pub(super) fn skip_statement(&mut self) {
        let first = self.pos;
        loop {
            match self.kind() {
                TokenKind::Eof | TokenKind::RBrace => return,
                TokenKind::Semi => return self.bump(),
                TokenKind::LBrace => return self.skip_braces(),
                TokenKind::LParen => {
                    self.bump();
                    self.skip_to_close(TokenKind::RParen);
                    continue;
                }
                kind if self.pos > first => {
                    let new = self.starts_something(kind) || self.starts_line(self.pos) && self.at_declaration();
                    if new {
                        return;
                    }
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// After an error outside of functions: goes behind the declaration, or to where the next one starts.
    pub(super) fn skip_declaration(&mut self) {
        let first = self.pos;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Semi | TokenKind::RBrace => return self.bump(),
                TokenKind::LBrace => {
                    self.skip_braces();
                    // The declarator of `struct { … } x;` is still to come.
                    if !self.at(TokenKind::Semi) && self.starts_line(self.pos) {
                        return;
                    }
                    continue;
                }
                _ if self.pos > first && self.starts_column(self.pos) && self.at_declaration() => return,
                _ => {}
            }
            self.bump();
        }
    }

    /// Skips a text in braces.
    pub(super) fn skip_braces(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::LBrace => depth += 1,
                TokenKind::RBrace if depth <= 1 => return self.bump(),
                TokenKind::RBrace => depth -= 1,
                _ => {}
            }
            self.bump();
        }
    }
}
