//! Parses attributes in both notations, `asm`, and `static_assert`.

use cairn_ir::diagnostic::Diagnostic;

use super::{Parse, Parser};
use crate::ast::{Asm, Attribute, Expr, ExprKind, StaticAssert, StringPrefix};
use crate::lex::TokenKind;
use crate::symbol::Symbol;

impl Parser<'_> {
    /// Returns whether attributes start here.
    #[inline]
    pub(super) fn at_attribute(&self) -> bool {
        match self.kind() {
            TokenKind::Attribute => true,
            TokenKind::LBracket => self.peek(1) == TokenKind::LBracket,
            _ => false,
        }
    }

    /// Parses any number of attributes, possibly none.
    #[inline]
    pub(super) fn attributes(&mut self, into: &mut Vec<Attribute>) -> Parse<()> {
        while self.at_attribute() {
            self.attribute_group(into)?;
        }
        Ok(())
    }

    /// Parses attributes that have no place in the tree.
    pub(super) fn skip_attributes(&mut self) -> Parse<()> {
        if self.at_attribute() { self.attributes(&mut Vec::new()) } else { Ok(()) }
    }

    /// Parses `__attribute__((…))` or `[[…]]`.
    fn attribute_group(&mut self, into: &mut Vec<Attribute>) -> Parse<()> {
        let gnu = self.eat(TokenKind::Attribute);
        let (open, close) =
            if gnu { (TokenKind::LParen, TokenKind::RParen) } else { (TokenKind::LBracket, TokenKind::RBracket) };
        let outer = self.token();
        self.expect(open, "after '__attribute__'")?;
        let inner = self.token();
        self.expect(open, "after '('")?;
        loop {
            while self.eat(TokenKind::Comma) {}
            if self.at(close) {
                break;
            }
            let attribute = self.attribute(gnu)?;
            into.push(attribute);
            if !self.at(TokenKind::Comma) {
                break;
            }
        }
        self.expect_close(inner, close);
        self.expect_close(outer, close);
        Ok(())
    }

    /// Parses `name`, `scope::name` or `name(args)`.
    fn attribute(&mut self, gnu: bool) -> Parse<Attribute> {
        let start = self.start();
        let mut name = self.attribute_name()?;
        if !gnu && self.at(TokenKind::Colon) && self.peek(1) == TokenKind::Colon {
            self.bump();
            self.bump();
            name = self.attribute_name()?;
        }
        let mut args = Vec::new();
        if self.at(TokenKind::LParen) {
            let open = self.take();
            self.nest(|p| p.attribute_arguments(&mut args))?;
            self.expect_close(open, TokenKind::RParen);
        }
        Ok(Attribute { name, args, span: self.span_from(start) })
    }

    /// Parses any word, and strips the underscores around it.
    fn attribute_name(&mut self) -> Parse<Symbol> {
        let token = self.token();
        if !token.kind.is_word() {
            return Err(self.expected("attribute name"));
        }
        self.bump();
        let name = self.interner.name(token.symbol());
        match name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).filter(|n| !n.is_empty()) {
            Some(bare) => {
                let bare = bare.to_owned();
                Ok(self.interner.intern(&bare))
            }
            None => Ok(token.symbol()),
        }
    }

    /// Parses arguments and keeps those that are expressions; types and bare keywords are dropped.
    fn attribute_arguments(&mut self, args: &mut Vec<Expr>) -> Parse<()> {
        while !matches!(self.kind(), TokenKind::RParen | TokenKind::Eof) {
            let token = self.token();
            let next = self.peek(1);
            let lone = matches!(next, TokenKind::Comma | TokenKind::RParen);
            if token.kind == TokenKind::Ident && lone {
                // This is a word of the attribute (`format(printf, …)`, `mode(DI)`), whatever it means elsewhere.
                self.bump();
                args.push(Expr { kind: ExprKind::Ident(token.symbol()), span: token.span() });
            } else if self.at_type_name() {
                self.type_name()?;
            } else if lone && token.kind.is_word() {
                self.bump();
            } else {
                args.push(self.assignment()?);
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(())
    }

    /// Parses `asm("name")` after a declarator.
    pub(super) fn asm_label(&mut self) -> Parse<Option<Box<[u8]>>> {
        if !self.eat(TokenKind::Asm) {
            return Ok(None);
        }
        let open = self.token();
        self.expect(TokenKind::LParen, "after 'asm'")?;
        let name = self.narrow_string()?;
        self.expect_close(open, TokenKind::RParen);
        Ok(Some(name))
    }

    /// Parses `asm volatile ("…" : outputs : inputs : clobbers : labels)` without its semicolon.
    pub(super) fn asm(&mut self) -> Parse<Asm> {
        let start = self.start();
        self.expect(TokenKind::Asm, "")?;
        while matches!(self.kind(), TokenKind::Volatile | TokenKind::Inline | TokenKind::Goto | TokenKind::Const) {
            self.bump();
        }
        let open = self.token();
        self.expect(TokenKind::LParen, "after 'asm'")?;
        let template = self.narrow_string()?;
        let mut outputs = Vec::new();
        let mut inputs = Vec::new();
        let mut labels = Vec::new();
        let mut keeps = true;
        if self.eat(TokenKind::Colon) {
            keeps = self.asm_operands(&mut outputs)?;
        }
        if self.eat(TokenKind::Colon) {
            self.asm_operands(&mut inputs)?;
        }
        if self.eat(TokenKind::Colon) {
            while self.at(TokenKind::String) {
                self.narrow_string()?;
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if self.eat(TokenKind::Colon) {
            while self.at(TokenKind::Ident) {
                labels.push(self.take().symbol());
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        self.expect_close(open, TokenKind::RParen);
        let blank = template.iter().all(u8::is_ascii_whitespace);
        let empty = blank && keeps && labels.is_empty();
        Ok(Asm { template, empty, outputs, inputs, labels, span: self.span_from(start) })
    }

    /// Parses `[name] "constraint" (expression), …`; returns whether every operand is both read and written (`+`).
    fn asm_operands(&mut self, into: &mut Vec<Expr>) -> Parse<bool> {
        let mut keeps = true;
        while matches!(self.kind(), TokenKind::LBracket | TokenKind::String) {
            if self.at(TokenKind::LBracket) {
                let open = self.take();
                if !matches!(self.kind(), TokenKind::RBracket) {
                    self.bump();
                }
                self.expect_close(open, TokenKind::RBracket);
            }
            keeps &= self.narrow_string()?.starts_with(b"+");
            let open = self.token();
            self.expect(TokenKind::LParen, "after the constraint of an operand")?;
            into.push(self.expression()?);
            self.expect_close(open, TokenKind::RParen);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        Ok(keeps)
    }

    /// Parses `static_assert(condition, "message");`.
    pub(super) fn static_assert(&mut self) -> Parse<StaticAssert> {
        let start = self.start();
        self.bump();
        let open = self.token();
        self.expect(TokenKind::LParen, "after 'static_assert'")?;
        let cond = self.conditional()?;
        let message = if self.eat(TokenKind::Comma) { Some(self.narrow_string()?) } else { None };
        self.expect_close(open, TokenKind::RParen);
        let span = self.span_from(start);
        self.expect_semi("after 'static_assert'");
        Ok(StaticAssert { cond, message, span })
    }

    /// Parses string literals that denote bytes, as in `asm` and messages.
    fn narrow_string(&mut self) -> Parse<Box<[u8]>> {
        if !self.at(TokenKind::String) {
            return Err(self.expected("string literal"));
        }
        let start = self.start();
        let string = self.string_literal()?;
        if !matches!(string.prefix, StringPrefix::None | StringPrefix::Utf8) {
            let span = self.span_from(start);
            self.report(Diagnostic::error(span, "expected string literal without prefix"));
        }
        Ok(string.units.iter().map(|&unit| unit as u8).collect())
    }
}
