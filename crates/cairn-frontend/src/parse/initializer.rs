//! Parses initialisers and their designators.

use cairn_ir::source::Span;

use super::{Parse, Parser};
use crate::ast::{Designator, InitEntry, InitList, Initializer};
use crate::lex::TokenKind;

impl Parser<'_> {
    /// Parses an expression or a list in braces.
    pub(super) fn initializer(&mut self) -> Parse<Initializer> {
        if self.at(TokenKind::LBrace) {
            Ok(Initializer::List(self.initializer_list()?))
        } else {
            Ok(Initializer::Expr(self.assignment()?))
        }
    }

    /// Parses `{ … }`, which may be empty.
    pub(super) fn initializer_list(&mut self) -> Parse<InitList> {
        self.nest(|p| {
            let open = p.take();
            let mut entries = Vec::new();
            let links = p.links;
            let mut deepest = links;
            while !matches!(p.kind(), TokenKind::RBrace | TokenKind::Eof) {
                p.links = links;
                let designators = p.designators()?;
                let value = p.initializer()?;
                deepest = deepest.max(p.links);
                entries.push(InitEntry { designators, value });
                if !p.eat(TokenKind::Comma) {
                    break;
                }
            }
            p.links = deepest;
            p.expect_close(open, TokenKind::RBrace);
            Ok(InitList { entries, span: p.span_from(open.start) })
        })
    }

    /// Parses designators such as `[1].x =`, including the obsolete forms `x:` and `[1]` without `=`.
    fn designators(&mut self) -> Parse<Vec<Designator>> {
        let mut designators = Vec::new();
        if self.at(TokenKind::Ident) {
            if self.peek(1) == TokenKind::Colon {
                let name = self.take();
                self.bump();
                designators.push(Designator::Field(name.symbol(), name.span()));
            }
            return Ok(designators);
        }
        loop {
            match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    let (name, span) = self.member_name()?;
                    designators.push(Designator::Field(name, span));
                }
                TokenKind::LBracket => {
                    let open = self.take();
                    let first = self.conditional()?;
                    designators.push(if self.eat(TokenKind::Ellipsis) {
                        Designator::Range(first, self.conditional()?)
                    } else {
                        Designator::Index(first)
                    });
                    self.expect_close(open, TokenKind::RBracket);
                }
                _ => break,
            }
        }
        // GNU C permits omitting the `=` after `[1]`.
        if !designators.is_empty()
            && !self.eat(TokenKind::Eq)
            && !matches!(designators.as_slice(), [Designator::Index(_) | Designator::Range(..)])
        {
            self.expect(TokenKind::Eq, "after designator")?;
        }
        Ok(designators)
    }

    /// Parses the name of a member.
    pub(super) fn member_name(&mut self) -> Parse<(crate::symbol::Symbol, Span)> {
        if !self.at(TokenKind::Ident) {
            return Err(self.expected("member name"));
        }
        let token = self.take();
        Ok((token.symbol(), token.span()))
    }
}
