//! Parses structs, unions and enumerations with their members.

use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::source::Span;

use super::scope::Meaning;
use super::specifiers::Place;
use super::{Parse, Parser};
use crate::ast::{Attribute, EnumSpec, Enumerator, FieldDeclarator, Member, RecordSpec, TypeSpec};
use crate::lex::TokenKind;
use crate::symbol::Symbol;

impl Parser<'_> {
    /// Parses `struct tag { … }` or the like.
    ///
    /// Attributes after a tag without a body belong to the declaration and are appended to `outer`.
    pub(super) fn record(&mut self, outer: &mut Vec<Attribute>) -> Parse<RecordSpec> {
        let keyword = self.take();
        let union = keyword.kind == TokenKind::Union;
        let mut attributes = Vec::new();
        let (tag, span) = self.tag(keyword.span(), &mut attributes, outer)?;
        let mut record = RecordSpec { union, tag, members: None, attributes, pragma_pack: 0, span };
        if self.at(TokenKind::LBrace) {
            let open = self.take();
            let members = self.members()?;
            record.members = Some(members);
            record.pragma_pack = self.pragma_pack();
            self.expect_close(open, TokenKind::RBrace);
            self.attributes(&mut record.attributes)?;
        } else if tag.is_none() {
            return Err(self.expected(&format!("tag or '{{' after '{}'", keyword.kind.text())));
        }
        Ok(record)
    }

    /// Parses attributes after a tag. Without a body they belong to the declaration, `outer`.
    fn attributes_before_brace(&mut self, own: &mut Vec<Attribute>, outer: &mut Vec<Attribute>) -> Parse<()> {
        if !self.at_attribute() {
            return Ok(());
        }
        let mut found = Vec::new();
        self.attributes(&mut found)?;
        let owner = if matches!(self.kind(), TokenKind::LBrace | TokenKind::Colon) { own } else { outer };
        owner.append(&mut found);
        Ok(())
    }

    /// Parses the members up to the closing brace.
    fn members(&mut self) -> Parse<Vec<Member>> {
        let mut members = Vec::new();
        let links = self.links;
        let mut deepest = links;
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof) {
            if self.eat(TokenKind::Semi) {
                continue;
            }
            let before = self.pos;
            self.links = links;
            match self.member() {
                Ok(member) => members.push(member),
                Err(_) => {
                    self.skip_statement();
                    if self.pos == before {
                        self.bump();
                    }
                }
            }
            deepest = deepest.max(self.links);
        }
        self.links = deepest;
        Ok(members)
    }

    fn member(&mut self) -> Parse<Member> {
        if self.keyword_of(self.token()) == TokenKind::StaticAssert {
            return Ok(Member::StaticAssert(self.static_assert()?));
        }
        let start = self.pos;
        let specs = self.specifiers(Place::Type)?;
        if self.pos == start {
            return Err(self.expected("member declaration or '}'"));
        }
        if matches!(specs.ty, TypeSpec::Implicit) {
            let span = if self.at(TokenKind::Ident) { self.token().span() } else { specs.span };
            return Err(self.error_at(span, "member declaration requires a type"));
        }
        let mut fields = Vec::new();
        if !matches!(self.kind(), TokenKind::Semi | TokenKind::RBrace) {
            loop {
                let declarator = if self.at(TokenKind::Colon) {
                    self.no_declarator()
                } else {
                    let mut before = Vec::new();
                    self.attributes(&mut before)?;
                    let mut declarator =
                        if self.at(TokenKind::Colon) { self.no_declarator() } else { self.declarator()? };
                    declarator.attributes.append(&mut before);
                    declarator
                };
                let width = if self.eat(TokenKind::Colon) { Some(self.conditional()?) } else { None };
                let mut attributes = Vec::new();
                self.attributes(&mut attributes)?;
                fields.push(FieldDeclarator { declarator, width, attributes });
                if !self.eat(TokenKind::Comma) {
                    break;
                }
            }
        }
        if matches!(self.kind(), TokenKind::RBrace) && !fields.is_empty() {
            // gcc only warns about this.
            let message = format!("expected ';' at end of member declaration, found {}", self.found());
            let mut diagnostic = Diagnostic::error(self.place_behind(), message);
            diagnostic.severity = Severity::Warning;
            self.report(diagnostic);
        } else {
            self.expect_semi("at end of member declaration");
        }
        Ok(Member::Fields(specs, fields))
    }

    /// Parses an optional tag and the attributes around it.
    ///
    /// Returns the tag and its span, or the keyword's span if there is no tag.
    fn tag(
        &mut self,
        keyword: Span,
        attributes: &mut Vec<Attribute>,
        outer: &mut Vec<Attribute>,
    ) -> Parse<(Option<Symbol>, Span)> {
        self.attributes(attributes)?;
        if !self.at(TokenKind::Ident) {
            return Ok((None, keyword));
        }
        let token = self.take();
        self.attributes_before_brace(attributes, outer)?;
        Ok((Some(token.symbol()), token.span()))
    }

    /// Parses `enum tag : type { … }`, with `outer` as in [`Parser::record`].
    pub(super) fn enumeration(&mut self, outer: &mut Vec<Attribute>) -> Parse<EnumSpec> {
        let keyword = self.take();
        let mut attributes = Vec::new();
        let (tag, span) = self.tag(keyword.span(), &mut attributes, outer)?;
        let mut underlying = None;
        // In a struct, `enum e : 3` is a bit-field.
        if self.at(TokenKind::Colon) && self.tokens.get(self.pos + 1).is_some_and(|&t| self.starts_type_name(t)) {
            self.bump();
            underlying = Some(self.type_name()?);
        }
        let mut enumerators = None;
        if self.at(TokenKind::LBrace) {
            let open = self.take();
            enumerators = Some(self.enumerators()?);
            self.expect_close(open, TokenKind::RBrace);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("tag or '{' after 'enum'"));
        }
        Ok(EnumSpec { tag, enumerators, underlying, attributes, span })
    }

    fn enumerators(&mut self) -> Parse<Vec<Enumerator>> {
        let mut enumerators = Vec::new();
        let links = self.links;
        let mut deepest = links;
        while self.at(TokenKind::Ident) {
            let token = self.take();
            self.skip_attributes()?;
            self.links = links;
            let value = if self.eat(TokenKind::Eq) { Some(self.conditional()?) } else { None };
            deepest = deepest.max(self.links);
            // The scope of an enumerator starts after its value.
            self.declare(token.symbol(), Meaning::Ordinary);
            enumerators.push(Enumerator { name: token.symbol(), value, span: token.span() });
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.links = deepest;
        Ok(enumerators)
    }
}
