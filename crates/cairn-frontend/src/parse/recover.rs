//! Error reporting and recovery.
//!
//! Each mistake should be reported once, at its location, and should not hide later ones.

use cairn_ir::diagnostic::Diagnostic;
use cairn_ir::source::Span;

use super::{Failed, Parse, Parser};
use crate::lex::{Token, TokenKind};
use crate::limits::MAX_ERRORS;

impl Parser<'_> {
    /// Reports an error or a warning.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.stopped {
            return;
        }
        if diagnostic.severity == cairn_ir::diagnostic::Severity::Error {
            self.errors += 1;
            if self.errors > MAX_ERRORS {
                // Allow one error more than is shown, so that the output can end with a message about the limit.
                self.stop();
            }
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports a syntax error, unless the last one was at the same token.
    #[cold]
    pub(super) fn syntax_error(&mut self, diagnostic: Diagnostic) -> Failed {
        if self.last_error != Some(self.pos) && !self.behind_open_literal() {
            self.last_error = Some(self.pos);
            self.report(diagnostic);
        }
        Failed
    }

    /// Returns whether the previous token is an unterminated literal, which may have swallowed the missing token.
    fn behind_open_literal(&self) -> bool {
        let previous = self.pos.checked_sub(1).map(|p| self.tokens[p]);
        previous.is_some_and(|t| matches!(t.kind, TokenKind::String | TokenKind::CharConstant) && t.payload != 0)
    }

    /// Reports a syntax error at `span`.
    #[cold]
    pub(super) fn error_at(&mut self, span: Span, message: impl Into<String>) -> Failed {
        self.syntax_error(Diagnostic::error(span, message))
    }

    /// Reports an error after which parsing stops.
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

    /// Reports that `what` was expected instead of the current token.
    #[cold]
    pub(super) fn expected(&mut self, what: &str) -> Failed {
        let message = format!("expected {what}, found {}", self.found());
        self.error_at(self.token().span(), message)
    }

    /// Describes the current token for a message.
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

    /// Consumes a required token. `context` completes the message, as in `after expression`.
    #[inline]
    pub(super) fn expect(&mut self, kind: TokenKind, context: &str) -> Parse<()> {
        if self.eat(kind) {
            return Ok(());
        }
        Err(self.missing(kind, context))
    }

    /// Reports a token that is missing after the previous one.
    #[cold]
    fn missing(&mut self, kind: TokenKind, context: &str) -> Failed {
        let space = if context.is_empty() { "" } else { " " };
        let message = format!("expected '{}'{space}{context}, found {}", kind.text(), self.found());
        self.error_at(self.place_behind(), message)
    }

    /// Consumes the token that closes `open`.
    ///
    /// If the token is missing, reports that, and skips to it if it follows before the end of the statement.
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

    /// Skips past a closing token if it occurs before the end of the statement.
    pub(super) fn skip_to_close(&mut self, close: TokenKind) -> bool {
        let mut depth = 0usize;
        // Limit the search, so that many unclosed parentheses cost little.
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

    /// Consumes the semicolon that ends a statement or declaration.
    ///
    /// If the semicolon is missing, reports that, and skips the following tokens unless they look like the start of a
    /// new construct.
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

    /// Returns whether a token is the first of its line.
    pub(super) fn starts_line(&self, pos: usize) -> bool {
        let Some(previous) = pos.checked_sub(1) else { return true };
        let range = (self.tokens[previous].end - self.base) as usize..(self.tokens[pos].start - self.base) as usize;
        self.text.get(range).is_some_and(|between| between.contains('\n'))
    }

    /// Returns whether a token is in the first column.
    fn starts_column(&self, pos: usize) -> bool {
        let start = (self.tokens[pos].start - self.base) as usize;
        start.checked_sub(1).is_none_or(|before| self.text.as_bytes().get(before) == Some(&b'\n'))
    }

    /// Returns whether a token can only start a statement or end a block.
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

    /// Recovers from an error in a statement: skips past its semicolon or to the start of the next statement.
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

    /// Recovers from an error at file scope: skips past the declaration or to the start of the next one.
    pub(super) fn skip_declaration(&mut self) {
        let first = self.pos;
        loop {
            match self.kind() {
                TokenKind::Eof => return,
                TokenKind::Semi | TokenKind::RBrace => return self.bump(),
                TokenKind::LBrace => {
                    self.skip_braces();
                    // The declarator of `struct { … } x;` may follow.
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

    /// Skips a group in braces.
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
