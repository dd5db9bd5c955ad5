//! Parses expressions by operator precedence.
//!
//! Loops parse chains of operators, so that only parentheses and prefix operators nest.

use cairn_ir::source::Span;

use super::{Parse, Parser};
use crate::ast::{BinOp, Expr, ExprKind, UnOp};
use crate::lex::TokenKind;

/// A binary operator except assignment and comma.
#[derive(Clone, Copy)]
enum Operator {
    Binary(BinOp),
    And,
    Or,
}

/// Returns the precedence of a token as a binary operator, and the operator. Higher precedences bind tighter.
fn operator(kind: TokenKind) -> Option<(u8, Operator)> {
    use Operator::*;
    use TokenKind as T;
    Some(match kind {
        T::Star => (10, Binary(BinOp::Mul)),
        T::Slash => (10, Binary(BinOp::Div)),
        T::Percent => (10, Binary(BinOp::Rem)),
        T::Plus => (9, Binary(BinOp::Add)),
        T::Minus => (9, Binary(BinOp::Sub)),
        T::LtLt => (8, Binary(BinOp::Shl)),
        T::GtGt => (8, Binary(BinOp::Shr)),
        T::Lt => (7, Binary(BinOp::Lt)),
        T::Gt => (7, Binary(BinOp::Gt)),
        T::LtEq => (7, Binary(BinOp::Le)),
        T::GtEq => (7, Binary(BinOp::Ge)),
        T::EqEq => (6, Binary(BinOp::Eq)),
        T::BangEq => (6, Binary(BinOp::Ne)),
        T::Amp => (5, Binary(BinOp::And)),
        T::Caret => (4, Binary(BinOp::Xor)),
        T::Pipe => (3, Binary(BinOp::Or)),
        T::AmpAmp => (2, And),
        T::PipePipe => (1, Or),
        _ => return None,
    })
}

/// Returns the operator of an assignment, which is `None` for `=`.
#[inline]
fn assignment_operator(kind: TokenKind) -> Option<Option<BinOp>> {
    use TokenKind as T;
    Some(match kind {
        T::Eq => None,
        T::StarEq => Some(BinOp::Mul),
        T::SlashEq => Some(BinOp::Div),
        T::PercentEq => Some(BinOp::Rem),
        T::PlusEq => Some(BinOp::Add),
        T::MinusEq => Some(BinOp::Sub),
        T::LtLtEq => Some(BinOp::Shl),
        T::GtGtEq => Some(BinOp::Shr),
        T::AmpEq => Some(BinOp::And),
        T::CaretEq => Some(BinOp::Xor),
        T::PipeEq => Some(BinOp::Or),
        _ => return None,
    })
}

impl Parser<'_> {
    /// Parses an expression with commas.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let mut left = self.assignment()?;
        while self.eat(TokenKind::Comma) {
            self.link()?;
            let right = self.assignment()?;
            let span = left.span.to(right.span);
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), span };
        }
        Ok(left)
    }

    /// Parses an expression without commas.
    pub(super) fn assignment(&mut self) -> Parse<Expr> {
        let left = self.conditional()?;
        if assignment_operator(self.kind()).is_none() { Ok(left) } else { self.assignment_rest(left) }
    }

    /// Parses the rest of `a = b = c`, which means `a = (b = c)`.
    ///
    /// The places are collected and assembled from the right.
    #[inline(never)]
    fn assignment_rest(&mut self, first: Expr) -> Parse<Expr> {
        let mut places = Vec::new();
        let mut value = first;
        while let Some(op) = assignment_operator(self.kind()) {
            self.bump();
            self.link()?;
            places.push((value, op));
            value = self.conditional()?;
        }
        for (place, op) in places.into_iter().rev() {
            let span = place.span.to(value.span);
            value = Expr { kind: ExprKind::Assign(op, Box::new(place), Box::new(value)), span };
        }
        Ok(value)
    }

    /// Parses an expression without commas and assignments.
    pub(super) fn conditional(&mut self) -> Parse<Expr> {
        let left = self.unary()?;
        let condition = if operator(self.kind()).is_some() { self.binary_rest(left, 1)? } else { left };
        if self.at(TokenKind::Question) { self.conditional_rest(condition) } else { Ok(condition) }
    }

    /// Parses the rest of `a ? b : c ? d : e`, which means `a ? b : (c ? d : e)`.
    ///
    /// The branches are collected and assembled from the right.
    #[inline(never)]
    fn conditional_rest(&mut self, first: Expr) -> Parse<Expr> {
        let mut branches = Vec::new();
        let mut last = first;
        while self.at(TokenKind::Question) {
            let question = self.take();
            self.link()?;
            let middle = if self.at(TokenKind::Colon) {
                None
            } else {
                // The middle operand can be any expression, including another conditional.
                Some(Box::new(self.nest(Self::expression)?))
            };
            if !self.eat(TokenKind::Colon) {
                let message = format!("expected ':', found {}", self.found());
                let error = cairn_ir::diagnostic::Diagnostic::error(self.place_behind(), message);
                return Err(self.syntax_error(error.note(question.span(), "to match this '?'")));
            }
            branches.push((last, middle));
            let left = self.unary()?;
            last = self.binary_rest(left, 1)?;
        }
        for (condition, middle) in branches.into_iter().rev() {
            let span = condition.span.to(last.span);
            last = Expr { kind: ExprKind::Conditional(Box::new(condition), middle, Box::new(last)), span };
        }
        Ok(last)
    }

    /// Parses the operators after a first operand, as long as their precedence is at least `least`.
    ///
    /// The method recurses only for operators of higher precedence, so the recursion depth is bounded by the number of
    /// precedences.
    #[inline(never)]
    fn binary_rest(&mut self, mut left: Expr, least: u8) -> Parse<Expr> {
        while let Some((precedence, op)) = operator(self.kind()).filter(|&(p, _)| p >= least) {
            self.bump();
            self.link()?;
            let mut right = self.unary()?;
            if operator(self.kind()).is_some_and(|(next, _)| next > precedence) {
                right = self.binary_rest(right, precedence + 1)?;
            }
            let span = left.span.to(right.span);
            let (left_box, right_box) = (Box::new(left), Box::new(right));
            let kind = match op {
                Operator::Binary(op) => ExprKind::Binary(op, left_box, right_box),
                Operator::And => ExprKind::LogicalAnd(left_box, right_box),
                Operator::Or => ExprKind::LogicalOr(left_box, right_box),
            };
            left = Expr { kind, span };
        }
        Ok(left)
    }

    /// Parses prefix operators and casts.
    pub(super) fn unary(&mut self) -> Parse<Expr> {
        use TokenKind as T;
        match self.kind() {
            T::Ident | T::Number | T::String | T::CharConstant => self.postfix(),
            T::LParen => self.nest(Self::parenthesised),
            T::Star => self.prefix(UnOp::Deref),
            T::Amp => self.prefix(UnOp::AddressOf),
            T::Minus => self.prefix(UnOp::Minus),
            T::Plus => self.prefix(UnOp::Plus),
            T::Bang => self.prefix(UnOp::Not),
            T::Tilde => self.prefix(UnOp::BitNot),
            T::PlusPlus => self.prefix(UnOp::PreInc),
            T::MinusMinus => self.prefix(UnOp::PreDec),
            T::Real => self.prefix(UnOp::Real),
            T::Imag => self.prefix(UnOp::Imag),
            T::Extension => {
                self.bump();
                self.nest(Self::unary)
            }
            T::AmpAmp => self.label_address(),
            T::Sizeof | T::Alignof => self.nest(Self::size_or_alignment),
            _ => self.postfix(),
        }
    }

    fn prefix(&mut self, op: UnOp) -> Parse<Expr> {
        let start = self.start();
        self.bump();
        let operand = Box::new(self.nest(Self::unary)?);
        let span = Span::new(start, operand.span.end);
        Ok(Expr { kind: ExprKind::Unary(op, operand), span })
    }

    fn label_address(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.bump();
        if !self.at(TokenKind::Ident) {
            return Err(self.expected("label after '&&'"));
        }
        let label = self.take();
        Ok(Expr { kind: ExprKind::LabelAddress(label.symbol()), span: self.span_from(start) })
    }

    /// Parses `sizeof` or `alignof` of a type or an expression.
    #[inline(never)]
    pub(super) fn size_or_alignment(&mut self) -> Parse<Expr> {
        let keyword = self.take();
        let size = self.keyword_of(keyword) == TokenKind::Sizeof;
        let of_expression = |e: Box<Expr>| if size { ExprKind::SizeofExpr(e) } else { ExprKind::AlignofExpr(e) };
        let kind = if self.at(TokenKind::LParen) {
            let open = self.take();
            if self.at_parenthesised_type() {
                let ty = Box::new(self.type_name()?);
                self.expect_close(open, TokenKind::RParen);
                if self.at(TokenKind::LBrace) {
                    // `sizeof (type){ … }.x` applies to a compound literal.
                    let literal = self.compound_literal(open, ty)?;
                    of_expression(Box::new(self.postfix_rest(literal)?))
                } else if size {
                    ExprKind::SizeofType(ty)
                } else {
                    ExprKind::AlignofType(ty, self.token_text(keyword).starts_with("__"))
                }
            } else {
                let inner = self.parenthesised_expression(open)?;
                of_expression(Box::new(self.postfix_rest(inner)?))
            }
        } else {
            of_expression(Box::new(self.unary()?))
        };
        Ok(Expr { kind, span: self.span_from(keyword.start) })
    }

    /// Parses a cast, a compound literal, a statement expression or a parenthesised expression.
    #[inline(never)]
    fn parenthesised(&mut self) -> Parse<Expr> {
        let open = self.take();
        if !self.at_parenthesised_type() {
            let inner = self.parenthesised_expression(open)?;
            return self.postfix_rest(inner);
        }
        let ty = Box::new(self.type_name()?);
        self.expect_close(open, TokenKind::RParen);
        if self.at(TokenKind::LBrace) {
            let literal = self.compound_literal(open, ty)?;
            return self.postfix_rest(literal);
        }
        let operand = Box::new(self.unary()?);
        let span = Span::new(open.start, operand.span.end);
        Ok(Expr { kind: ExprKind::Cast(ty, operand), span })
    }

    /// Parses the rest of `(expression)` or `({ … })`.
    fn parenthesised_expression(&mut self, open: crate::lex::Token) -> Parse<Expr> {
        let mut inner = if self.at(TokenKind::LBrace) {
            let block = self.compound_in_scope()?;
            Expr { kind: ExprKind::StmtExpr(Box::new(block)), span: open.span() }
        } else {
            self.expression()?
        };
        self.expect_close(open, TokenKind::RParen);
        inner.span = self.span_from(open.start);
        Ok(inner)
    }

    fn compound_literal(&mut self, open: crate::lex::Token, ty: Box<crate::ast::TypeName>) -> Parse<Expr> {
        let list = self.initializer_list()?;
        Ok(Expr { kind: ExprKind::CompoundLiteral(ty, list), span: self.span_from(open.start) })
    }

    /// Parses a primary expression and its postfix operators.
    fn postfix(&mut self) -> Parse<Expr> {
        let primary = self.primary()?;
        match self.kind() {
            TokenKind::LParen
            | TokenKind::LBracket
            | TokenKind::Arrow
            | TokenKind::Dot
            | TokenKind::PlusPlus
            | TokenKind::MinusMinus => self.postfix_rest(primary),
            _ => Ok(primary),
        }
    }

    /// Parses postfix operators: calls, indices, members and increments.
    pub(super) fn postfix_rest(&mut self, mut expr: Expr) -> Parse<Expr> {
        use TokenKind as T;
        let start = expr.span.start;
        loop {
            let kind = match self.kind() {
                T::LParen => {
                    let open = self.take();
                    let args = self.arguments()?;
                    self.expect_close(open, T::RParen);
                    ExprKind::Call(Box::new(expr), args)
                }
                T::LBracket => {
                    let open = self.take();
                    let index = self.nest(Self::expression)?;
                    self.expect_close(open, T::RBracket);
                    ExprKind::Index(Box::new(expr), Box::new(index))
                }
                T::Arrow => {
                    self.bump();
                    let (name, span) = self.member_name()?;
                    ExprKind::Arrow(Box::new(expr), name, span)
                }
                T::Dot => {
                    self.bump();
                    let (name, span) = self.member_name()?;
                    ExprKind::Member(Box::new(expr), name, span)
                }
                T::PlusPlus => {
                    self.bump();
                    ExprKind::Unary(UnOp::PostInc, Box::new(expr))
                }
                T::MinusMinus => {
                    self.bump();
                    ExprKind::Unary(UnOp::PostDec, Box::new(expr))
                }
                _ => return Ok(expr),
            };
            self.link()?;
            expr = Expr { kind, span: self.span_from(start) };
        }
    }

    /// Parses the arguments of a call, without the parentheses.
    #[inline(never)]
    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        let mut args = Vec::new();
        if self.at(TokenKind::RParen) {
            return Ok(args);
        }
        self.nest(|p| {
            let links = p.links;
            let mut deepest = links;
            loop {
                p.links = links;
                args.push(p.assignment()?);
                deepest = deepest.max(p.links);
                if !p.eat(TokenKind::Comma) {
                    p.links = deepest;
                    return Ok(args);
                }
            }
        })
    }
}
