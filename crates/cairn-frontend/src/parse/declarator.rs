//! Parses declarators, parameter lists and type names.

use cairn_ir::ctype::Quals;

use super::scope::Meaning;
use super::specifiers::Place;
use super::{Parse, Parser};
use crate::ast::{ArraySize, DeclSpecs, DeclStep, Declarator, FunctionDeclarator, Param, TypeName, TypeSpec};
use crate::lex::TokenKind;
use crate::limits::MAX_NESTING;

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// A name is required.
    Required,
    /// A name is optional (parameters).
    Optional,
    /// A name is not permitted (type names).
    Abstract,
}

impl Parser<'_> {
    /// Parses a declarator with a name.
    pub(super) fn declarator(&mut self) -> Parse<Declarator> {
        self.whole_declarator(Naming::Required)
    }

    /// Returns an abstract declarator without steps.
    pub(super) fn no_declarator(&self) -> Declarator {
        Declarator { name: None, span: self.place_behind(), steps: Vec::new(), attributes: Vec::new() }
    }

    fn whole_declarator(&mut self, naming: Naming) -> Parse<Declarator> {
        let mut declarator = self.no_declarator();
        // Most declarators are a single name, or empty.
        match self.kind() {
            TokenKind::Ident if naming != Naming::Abstract => {}
            TokenKind::Star | TokenKind::LParen | TokenKind::LBracket | TokenKind::Attribute => {}
            _ if naming != Naming::Required => return Ok(declarator),
            _ => {}
        }
        self.declarator_part(naming, &mut declarator)?;
        if declarator.steps.len() > MAX_NESTING as usize {
            return Err(self.fatal(format!("nesting deeper than {MAX_NESTING} levels")));
        }
        Ok(declarator)
    }

    /// Parses pointers, then a name or a parenthesised declarator, then array and function suffixes.
    ///
    /// The steps are appended in the order in which they apply to the type: pointers, suffixes from right to left, and
    /// then the steps of the parenthesised declarator.
    fn declarator_part(&mut self, naming: Naming, out: &mut Declarator) -> Parse<()> {
        loop {
            if self.eat(TokenKind::Star) {
                let quals = self.pointer_qualifiers(out)?;
                out.steps.push(DeclStep::Pointer(quals));
            } else if self.at_attribute() {
                self.attributes(&mut out.attributes)?;
            } else {
                break;
            }
        }
        let mut inner = Vec::new();
        match self.kind() {
            TokenKind::Ident if naming != Naming::Abstract => {
                let token = self.take();
                out.name = Some(token.symbol());
                out.span = token.span();
            }
            TokenKind::LParen if naming == Naming::Required || self.at_nested_declarator() => {
                let open = self.take();
                let mut nested = Declarator {
                    name: None,
                    span: self.place_behind(),
                    steps: Vec::new(),
                    attributes: std::mem::take(&mut out.attributes),
                };
                self.nest(|p| p.declarator_part(naming, &mut nested))?;
                self.expect_close(open, TokenKind::RParen);
                out.name = nested.name;
                out.span = nested.span;
                out.attributes = nested.attributes;
                inner = nested.steps;
            }
            _ if naming == Naming::Required => return Err(self.expected("identifier or '('")),
            _ => out.span = self.place_behind(),
        }
        let first_suffix = out.steps.len();
        loop {
            match self.kind() {
                TokenKind::LBracket if self.peek(1) == TokenKind::LBracket => self.attributes(&mut out.attributes)?,
                TokenKind::LBracket => {
                    let step = self.array_suffix()?;
                    out.steps.push(step);
                }
                TokenKind::LParen => {
                    let function = self.nest(Self::function_suffix)?;
                    out.steps.push(DeclStep::Function(Box::new(function)));
                }
                _ => break,
            }
        }
        out.steps[first_suffix..].reverse();
        out.steps.append(&mut inner);
        Ok(())
    }

    /// Returns whether a parenthesis where the name is optional holds a declarator rather than parameters.
    fn at_nested_declarator(&self) -> bool {
        match self.peek(1) {
            TokenKind::Star | TokenKind::LParen | TokenKind::Attribute => true,
            TokenKind::LBracket => self.peek(2) != TokenKind::LBracket,
            TokenKind::Caret => true,
            TokenKind::Ident => {
                let symbol = self.tokens[self.pos + 1].symbol();
                !matches!(self.meaning(symbol), Meaning::Typedef | Meaning::Keyword | Meaning::UnknownType)
            }
            _ => false,
        }
    }

    /// Parses the qualifiers and attributes after a `*`.
    fn pointer_qualifiers(&mut self, out: &mut Declarator) -> Parse<Quals> {
        let mut quals = Quals::NONE;
        loop {
            if let Some(qual) = self.qualifier() {
                quals = quals.with(qual);
            } else if self.at_attribute() {
                self.attributes(&mut out.attributes)?;
            } else if !self.eat(TokenKind::Extension) {
                return Ok(quals);
            }
        }
    }

    /// Consumes a qualifier, if there is one.
    fn qualifier(&mut self) -> Option<Quals> {
        let qual = match self.kind() {
            TokenKind::Const => Quals::CONST,
            TokenKind::Volatile => Quals::VOLATILE,
            TokenKind::Restrict => Quals::RESTRICT,
            TokenKind::Atomic => Quals::ATOMIC,
            _ => return None,
        };
        self.bump();
        Some(qual)
    }

    /// Parses `[…]`, including `static`, qualifiers and `*`.
    fn array_suffix(&mut self) -> Parse<DeclStep> {
        let open = self.take();
        let mut quals = Quals::NONE;
        loop {
            if let Some(qual) = self.qualifier() {
                quals = quals.with(qual);
            } else if !self.eat(TokenKind::Static) {
                break;
            }
        }
        let len = if self.at(TokenKind::RBracket) {
            ArraySize::Unknown
        } else if self.at(TokenKind::Star) && self.peek(1) == TokenKind::RBracket {
            self.bump();
            ArraySize::Star
        } else {
            ArraySize::Expr(Box::new(self.assignment()?))
        };
        self.expect_close(open, TokenKind::RBracket);
        Ok(DeclStep::Array { len, quals, span: self.span_from(open.start) })
    }

    /// Parses `(…)`: parameters, or the names of a K&R definition.
    fn function_suffix(&mut self) -> Parse<FunctionDeclarator> {
        let scope = self.open_scope();
        let result = self.parameters();
        self.close_scope(scope);
        result
    }

    fn parameters(&mut self) -> Parse<FunctionDeclarator> {
        let open = self.take();
        let mut function = FunctionDeclarator {
            params: Vec::new(),
            variadic: false,
            prototyped: true,
            identifiers: Vec::new(),
            span: open.span(),
        };
        if self.at(TokenKind::RParen) {
            function.prototyped = false;
        } else if self.at(TokenKind::Void) && self.peek(1) == TokenKind::RParen {
            self.bump();
        } else if self.at_identifier_list() {
            function.prototyped = false;
            self.identifier_list(&mut function)?;
        } else {
            self.parameter_list(&mut function)?;
        }
        self.expect_close(open, TokenKind::RParen);
        function.span = self.span_from(open.start);
        Ok(function)
    }

    /// Returns whether the names of a K&R definition follow, rather than parameters.
    fn at_identifier_list(&self) -> bool {
        self.at(TokenKind::Ident)
            && !self.at_type_name()
            && self.keyword_of(self.token()) == TokenKind::Ident
            && matches!(self.peek(1), TokenKind::Comma | TokenKind::RParen)
    }

    fn identifier_list(&mut self, function: &mut FunctionDeclarator) -> Parse<()> {
        loop {
            if !self.at(TokenKind::Ident) || self.at_type_name() {
                return Err(self.expected("identifier"));
            }
            let token = self.take();
            function.identifiers.push((token.symbol(), token.span()));
            if !self.eat(TokenKind::Comma) {
                return Ok(());
            }
        }
    }

    fn parameter_list(&mut self, function: &mut FunctionDeclarator) -> Parse<()> {
        let links = self.links;
        let mut deepest = links;
        loop {
            if self.eat(TokenKind::Ellipsis) {
                function.variadic = true;
                break;
            }
            self.links = links;
            function.params.push(self.parameter()?);
            deepest = deepest.max(self.links);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        self.links = deepest;
        Ok(())
    }

    fn parameter(&mut self) -> Parse<Param> {
        let start = self.pos;
        let specs = self.specifiers(Place::Type)?;
        if self.pos == start {
            return Err(self.expected("parameter declaration"));
        }
        let declarator = self.whole_declarator(Naming::Optional)?;
        if let Some(name) = declarator.name {
            self.declare(name, Meaning::Ordinary);
        }
        let mut attributes = Vec::new();
        // An assembler name on a parameter denotes a register, which has no meaning here.
        self.asm_label()?;
        self.attributes(&mut attributes)?;
        Ok(Param { specs, declarator, attributes })
    }

    /// Parses a type name, as in casts.
    pub(super) fn type_name(&mut self) -> Parse<TypeName> {
        self.nest(|p| {
            let start = p.start();
            let first = p.pos;
            let specs = p.specifiers(Place::Type)?;
            if p.pos == first || matches!(specs.ty, TypeSpec::Implicit) && specs.quals == Quals::NONE {
                return Err(p.expected("type"));
            }
            let declarator = p.whole_declarator(Naming::Abstract)?;
            Ok(TypeName { specs, declarator, span: p.span_from(start) })
        })
    }

    /// Declares the parameters of a function in the scope of its body.
    pub(super) fn declare_parameters(&mut self, declarator: &Declarator) {
        let Some(DeclStep::Function(function)) = declarator.steps.last() else { return };
        for param in &function.params {
            self.declare_enumerators(&param.specs);
            if let Some(name) = param.declarator.name {
                self.declare(name, Meaning::Ordinary);
            }
        }
        for &(name, _) in &function.identifiers {
            self.declare(name, Meaning::Ordinary);
        }
    }

    /// Declares enumerators of a parameter list, which are visible in the body as well.
    fn declare_enumerators(&mut self, specs: &DeclSpecs) {
        if let TypeSpec::Enum(enumeration) = &specs.ty {
            for enumerator in enumeration.enumerators.iter().flatten() {
                self.declare(enumerator.name, Meaning::Ordinary);
            }
        }
    }
}
