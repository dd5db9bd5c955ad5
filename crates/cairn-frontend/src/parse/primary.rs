//! Parses primary expressions: names, literals, `_Generic`, and builtins with type arguments.

use cairn_ir::diagnostic::{Diagnostic, Severity};
use cairn_ir::source::Span;

use super::scope::Meaning;
use super::{Parse, Parser};
use crate::ast::{Designator, Expr, ExprKind, StringLiteral, StringPrefix, TypeName};
use crate::lex::{Token, TokenKind, number, string};

impl Parser<'_> {
    /// Parses a primary expression.
    pub(super) fn primary(&mut self) -> Parse<Expr> {
        use TokenKind as T;
        let token = self.token();
        let kind = match token.kind {
            T::Ident => {
                if self.meaning(token.symbol()) == Meaning::Keyword {
                    return self.keyword_expression(token);
                }
                self.bump();
                ExprKind::Ident(token.symbol())
            }
            T::Number => {
                self.bump();
                self.number(token)
            }
            T::CharConstant => {
                self.bump();
                self.character(token)
            }
            T::String => ExprKind::String(self.string_literal()?),
            T::Generic => self.generic()?,
            T::VaArg => {
                let open = self.builtin_open()?;
                let list = Box::new(self.assignment()?);
                self.expect(T::Comma, "between the arguments")?;
                let ty = Box::new(self.type_name()?);
                self.expect_close(open, T::RParen);
                ExprKind::VaArg(list, ty)
            }
            T::Offsetof => {
                let open = self.builtin_open()?;
                let ty = Box::new(self.type_name()?);
                self.expect(T::Comma, "between the arguments")?;
                let path = self.member_path()?;
                self.expect_close(open, T::RParen);
                ExprKind::Offsetof(ty, path)
            }
            T::ConvertVector => {
                let open = self.builtin_open()?;
                let vector = Box::new(self.nest(Self::assignment)?);
                self.expect(T::Comma, "between the arguments")?;
                let ty = Box::new(self.type_name()?);
                self.expect_close(open, T::RParen);
                ExprKind::ConvertVector(vector, ty)
            }
            T::TypesCompatible => {
                let open = self.builtin_open()?;
                let left = Box::new(self.type_name()?);
                self.expect(T::Comma, "between the arguments")?;
                let right = Box::new(self.type_name()?);
                self.expect_close(open, T::RParen);
                ExprKind::TypesCompatible(left, right)
            }
            T::ChooseExpr => {
                let open = self.builtin_open()?;
                let condition = Box::new(self.nest(Self::assignment)?);
                self.expect(T::Comma, "between the arguments")?;
                let left = Box::new(self.nest(Self::assignment)?);
                self.expect(T::Comma, "between the arguments")?;
                let right = Box::new(self.nest(Self::assignment)?);
                self.expect_close(open, T::RParen);
                ExprKind::ChooseExpr(condition, left, right)
            }
            _ => return Err(self.expected("expression")),
        };
        Ok(Expr { kind, span: self.span_from(token.start) })
    }

    /// Parses an expression that starts with an undeclared contextual keyword.
    #[cold]
    fn keyword_expression(&mut self, token: Token) -> Parse<Expr> {
        let kind = match self.keyword_of(token) {
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::Nullptr => ExprKind::Nullptr,
            TokenKind::Alignof => return self.nest(Self::size_or_alignment),
            _ => return Err(self.expected("expression")),
        };
        self.bump();
        Ok(Expr { kind, span: token.span() })
    }

    /// Consumes the name of a builtin and its opening parenthesis.
    fn builtin_open(&mut self) -> Parse<Token> {
        let name = self.take();
        let open = self.token();
        self.expect(TokenKind::LParen, &format!("after '{}'", name.kind.text()))?;
        Ok(open)
    }

    /// Parses the member designator `x.y[2]` of `offsetof`.
    fn member_path(&mut self) -> Parse<Vec<Designator>> {
        let (name, span) = self.member_name()?;
        let mut path = vec![Designator::Field(name, span)];
        loop {
            match self.kind() {
                TokenKind::Dot => {
                    self.bump();
                    let (name, span) = self.member_name()?;
                    path.push(Designator::Field(name, span));
                }
                TokenKind::LBracket => {
                    let open = self.take();
                    path.push(Designator::Index(self.nest(Self::expression)?));
                    self.expect_close(open, TokenKind::RBracket);
                }
                _ => return Ok(path),
            }
        }
    }

    /// Parses `_Generic(control, type: value, default: value)`.
    fn generic(&mut self) -> Parse<ExprKind> {
        let open = self.builtin_open()?;
        if self.at_parenthesised_type() {
            let span = self.token().span();
            return Err(self.error_at(span, "type name as the controlling operand of '_Generic' is not supported"));
        }
        let control = Box::new(self.nest(Self::assignment)?);
        let mut associations: Vec<(Option<TypeName>, Expr)> = Vec::new();
        while self.eat(TokenKind::Comma) {
            let ty = if self.eat(TokenKind::Default) { None } else { Some(self.type_name()?) };
            self.expect(TokenKind::Colon, "after the type of an association")?;
            associations.push((ty, self.nest(Self::assignment)?));
        }
        if associations.is_empty() {
            return Err(self.expected("',' and a generic association"));
        }
        self.expect_close(open, TokenKind::RParen);
        Ok(ExprKind::Generic(control, associations))
    }

    fn number(&mut self, token: Token) -> ExprKind {
        let result = number::read(&self.token_text(token));
        match result {
            Ok(number::Number::Int(literal)) => ExprKind::Int(literal),
            Ok(number::Number::Float(literal)) => ExprKind::Float(literal),
            Err(message) => {
                self.report(Diagnostic::error(token.span(), message));
                ExprKind::Error
            }
        }
    }

    fn character(&mut self, token: Token) -> ExprKind {
        if token.payload != 0 {
            return ExprKind::Error;
        }
        let mut complaints = Vec::new();
        let (value, prefix) = string::character(&self.token_text(token), &mut complaints);
        self.complain(token, complaints);
        ExprKind::Char(value, prefix)
    }

    /// Parses adjacent string literals and concatenates them.
    pub(super) fn string_literal(&mut self) -> Parse<StringLiteral> {
        let first = self.pos;
        let mut prefix = StringPrefix::None;
        let mut length = 0;
        while self.at(TokenKind::String) {
            let token = self.take();
            length += (token.end - token.start) as usize;
            let own = string::prefix(&self.token_text(token)).0;
            match string::combine(prefix, own) {
                Some(both) => prefix = both,
                None => {
                    self.report(Diagnostic::error(
                        token.span(),
                        "concatenation of string literals with different prefixes",
                    ));
                }
            }
        }
        let mut literal = StringLiteral { units: Vec::with_capacity(length.saturating_sub(2)), prefix };
        let mut complaints = Vec::new();
        for at in first..self.pos {
            let token = self.tokens[at];
            string::append(&self.token_text(token), &mut literal, &mut complaints);
            if !complaints.is_empty() {
                self.complain(token, std::mem::take(&mut complaints));
            }
        }
        Ok(literal)
    }

    /// Reports the problems found inside a literal.
    fn complain(&mut self, token: Token, complaints: Vec<string::Complaint>) {
        for complaint in complaints {
            // Offsets do not count line continuations, so they may be too small, but they stay inside the literal.
            let at = |offset: usize| (token.start + offset as u32).min(token.end);
            let span = Span::new(at(complaint.start), at(complaint.end));
            let mut diagnostic = Diagnostic::error(span, complaint.message);
            if !complaint.error {
                diagnostic.severity = Severity::Warning;
            }
            self.report(diagnostic);
        }
    }
}
