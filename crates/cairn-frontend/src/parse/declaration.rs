//! Parses declarations and function definitions, at file scope and in blocks.

use super::scope::Meaning;
use super::specifiers::Place;
use super::{Parse, Parser};
use crate::ast::{
    Attribute, DeclSpecs, DeclStep, Declaration, Declarator, FunctionDef, InitDeclarator, Item, Storage, TypeSpec, Unit,
};
use crate::lex::TokenKind;

/// A declaration, or a function definition that started like one.
pub enum Declared {
    Declaration(Declaration),
    Function(Box<FunctionDef>),
}

impl Parser<'_> {
    /// Parses the whole text.
    pub(super) fn unit(&mut self) -> Unit {
        let mut unit = Unit::default();
        while !self.at(TokenKind::Eof) {
            let before = self.pos;
            self.links = 0;
            match self.item() {
                Ok(Some(item)) => unit.items.push(item),
                Ok(None) => {}
                Err(_) => {
                    self.skip_declaration();
                    if self.pos == before {
                        self.bump();
                    }
                }
            }
        }
        unit
    }

    /// Parses an item at file scope; returns `None` for a lone semicolon.
    fn item(&mut self) -> Parse<Option<Item>> {
        match self.keyword_of(self.token()) {
            TokenKind::Semi => {
                self.bump();
                return Ok(None);
            }
            TokenKind::RBrace => {
                let failed = self.error_at(self.token().span(), "extraneous closing brace ('}')");
                return Err(failed);
            }
            TokenKind::Asm => {
                let asm = self.asm()?;
                self.expect_semi("after top-level asm");
                return Ok(Some(Item::Asm(asm)));
            }
            TokenKind::StaticAssert => return Ok(Some(Item::StaticAssert(self.static_assert()?))),
            TokenKind::Extension if self.peek(1) == TokenKind::StaticAssert => {
                self.bump();
                return Ok(Some(Item::StaticAssert(self.static_assert()?)));
            }
            TokenKind::Extension if self.peek(1) == TokenKind::Asm => {
                self.bump();
                return self.item();
            }
            _ => {}
        }
        Ok(Some(match self.declaration(Place::File, Vec::new())? {
            Declared::Declaration(declaration) => Item::Declaration(declaration),
            Declared::Function(function) => Item::Function(function),
        }))
    }

    /// Parses a declaration with its semicolon, or a function definition, after the leading `attributes`.
    pub(super) fn declaration(&mut self, place: Place, mut attributes: Vec<Attribute>) -> Parse<Declared> {
        let start = attributes.first().map_or(self.start(), |a| a.span.start);
        let first = self.pos;
        let mut specs = self.specifiers(place)?;
        specs.attributes.splice(0..0, attributes.drain(..));
        let mut declarators = Vec::new();
        if !self.at(TokenKind::Semi) {
            if self.pos == first && !matches!(self.kind(), TokenKind::Ident | TokenKind::Star | TokenKind::LParen) {
                return Err(self.expected("declaration"));
            }
            if let Some(function) = self.declarators(&mut specs, &mut declarators, start)? {
                return Ok(Declared::Function(function));
            }
        }
        let context = if declarators.is_empty() { "after declaration" } else { "at end of declaration" };
        self.end_of_declaration(context, &declarators);
        Ok(Declared::Declaration(Declaration { specs, declarators, span: self.span_from(start) }))
    }

    /// Parses the semicolon of a declaration.
    fn end_of_declaration(&mut self, context: &str, declarators: &[InitDeclarator]) {
        let is_function =
            declarators.last().is_some_and(|d| matches!(d.declarator.steps.last(), Some(DeclStep::Function(_))));
        if is_function && !self.at(TokenKind::Semi) {
            self.expect_semi("after function declarator");
        } else {
            self.expect_semi(context);
        }
    }

    /// Parses declarators with initialisers. A function definition ends the list and is returned.
    fn declarators(
        &mut self,
        specs: &mut DeclSpecs,
        declarators: &mut Vec<InitDeclarator>,
        start: u32,
    ) -> Parse<Option<Box<FunctionDef>>> {
        let links = self.links;
        let mut deepest = links;
        loop {
            self.links = links;
            let mut before = Vec::new();
            if !declarators.is_empty() {
                self.attributes(&mut before)?;
            }
            let mut declarator = self.declarator()?;
            declarator.attributes.append(&mut before);
            let asm_label = self.asm_label()?;
            let mut attributes = Vec::new();
            self.attributes(&mut attributes)?;
            if declarators.is_empty() && self.at_function_body(&declarator, specs) {
                return self.function(specs, declarator, attributes, start).map(Some);
            }
            if let Some(name) = declarator.name {
                let typedef = specs.storage == Some(Storage::Typedef);
                self.declare(name, if typedef { Meaning::Typedef } else { Meaning::Ordinary });
            }
            let init = if self.eat(TokenKind::Eq) { Some(self.initializer()?) } else { None };
            if declarators.is_empty() && init.is_some() {
                deduce_auto(specs);
            }
            declarators.push(InitDeclarator { declarator, init, asm_label, attributes });
            deepest = deepest.max(self.links);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.links = deepest;
        Ok(None)
    }

    /// Returns whether the next token makes the declarator the head of a function definition.
    fn at_function_body(&self, declarator: &Declarator, specs: &DeclSpecs) -> bool {
        if specs.storage == Some(Storage::Typedef) {
            return false;
        }
        match self.kind() {
            // This includes typedefs of function types, which the type checker rejects with a better message.
            TokenKind::LBrace => true,
            TokenKind::Semi | TokenKind::Comma | TokenKind::Eq => false,
            // These may be the parameter declarations of a K&R definition.
            _ => match declarator.steps.last() {
                Some(DeclStep::Function(function)) => {
                    !function.prototyped && !function.identifiers.is_empty() && self.at_declaration()
                }
                _ => false,
            },
        }
    }

    /// Parses the rest of a function definition, after its declarator.
    fn function(
        &mut self,
        specs: &mut DeclSpecs,
        declarator: Declarator,
        attributes: Vec<Attribute>,
        start: u32,
    ) -> Parse<Box<FunctionDef>> {
        let span = self.span_from(start);
        if let Some(name) = declarator.name {
            self.declare(name, Meaning::Ordinary);
        }
        let scope = self.open_scope();
        self.declare_parameters(&declarator);
        let result = self.function_rest();
        self.close_scope(scope);
        let (kr_params, body) = result?;
        let empty = DeclSpecs { ty: TypeSpec::Implicit, attributes: Vec::new(), alignas: Vec::new(), ..*specs };
        let specs = std::mem::replace(specs, empty);
        Ok(Box::new(FunctionDef { specs, declarator, kr_params, attributes, body, span }))
    }

    fn function_rest(&mut self) -> Parse<(Vec<Declaration>, crate::ast::Compound)> {
        let mut kr_params = Vec::new();
        while !self.at(TokenKind::LBrace) {
            if !self.at_declaration() {
                return Err(self.expected("parameter declaration or function body"));
            }
            match self.declaration(Place::Block, Vec::new())? {
                Declared::Declaration(declaration) => kr_params.push(declaration),
                Declared::Function(function) => {
                    return Err(self.error_at(function.span, "function definition is not allowed here"));
                }
            }
        }
        Ok((kr_params, self.compound()?))
    }
}

/// Implements C23's `auto x = 1;`, where `x` has the type of its initialiser.
fn deduce_auto(specs: &mut DeclSpecs) {
    if specs.storage == Some(Storage::Auto) && matches!(specs.ty, TypeSpec::Implicit) {
        specs.storage = None;
        specs.ty = TypeSpec::Auto;
    }
}
