//! Checks unary operators.

use cairn_ir::ctype::{QualType, TypeId};
use cairn_ir::layout::{int_bits, int_signed};
use cairn_ir::source::Span;

use crate::ast::{self, BinOp, UnOp};
use crate::check::constants::float;
use crate::check::constants::integer;
use crate::check::expressions::expr::Operand;
use crate::check::{Checker, Folding};
use crate::hir::{ArithOp, Expr, ExprKind, Place, PlaceKind};

impl Checker<'_> {
    pub(crate) fn unary(&mut self, op: UnOp, operand: &ast::Expr, span: Span) -> Operand {
        let value = match op {
            UnOp::Plus | UnOp::Minus | UnOp::BitNot => {
                let value = self.value(operand);
                self.arithmetic_unary(op, value, span)
            }
            UnOp::Not => {
                let value = self.value(operand);
                self.not(value, span)
            }
            UnOp::Deref => return self.dereference(operand, span),
            UnOp::AddressOf => self.address(operand, span),
            UnOp::PreInc => self.inc_dec(operand, true, false, span),
            UnOp::PreDec => self.inc_dec(operand, false, false, span),
            UnOp::PostInc => self.inc_dec(operand, true, true, span),
            UnOp::PostDec => self.inc_dec(operand, false, true, span),
            UnOp::Real | UnOp::Imag => return self.complex_part(op == UnOp::Imag, operand, span),
        };
        Operand::Value(value)
    }

    pub(crate) fn arithmetic_unary(&mut self, op: UnOp, value: Expr, span: Span) -> Expr {
        if self.is_error(value.ty) {
            return value;
        }
        if self.elements_of(value.ty).is_some() {
            return self.elements_unary(op, value, span);
        }
        let fits = if op == UnOp::BitNot { self.is_integer(value.ty) } else { self.is_arithmetic(value.ty) };
        if !fits {
            let text = format!("invalid argument type '{}' to unary expression", self.print(value.ty));
            self.error(span, text);
            return self.error_expr(span);
        }
        if self.decimal_kind(value.ty).is_some() && op == UnOp::Minus {
            return self.decimal_negation(value, span);
        }
        let value = self.promote(value);
        let ty = value.ty;
        match (op, &value.kind) {
            (UnOp::Plus, _) => Expr { span, ..value },
            (UnOp::Minus, ExprKind::Float(bits)) => {
                let bits = self.float_kind(ty).map_or(*bits, |kind| float::negate(kind, *bits));
                Expr { kind: ExprKind::Float(bits), ty, span }
            }
            (UnOp::Minus, ExprKind::Int(constant))
                if self.folding == Folding::Exact
                    && self
                        .int_kind(ty)
                        .is_some_and(|kind| !integer::is_defined(ArithOp::Sub, kind, self.target, 0, *constant)) =>
            {
                Expr { kind: ExprKind::Neg(Box::new(value)), ty, span }
            }
            (UnOp::Minus | UnOp::BitNot, ExprKind::Int(constant)) => {
                let result = if op == UnOp::Minus { constant.wrapping_neg() } else { !constant };
                let result = self.int_kind(ty).map_or(result, |kind| integer::wrap(kind, self.target, result));
                self.int_expr(result, ty, span)
            }
            (UnOp::Minus, _) => Expr { kind: ExprKind::Neg(Box::new(value)), ty, span },
            _ => Expr { kind: ExprKind::BitNot(Box::new(value)), ty, span },
        }
    }

    fn not(&mut self, value: Expr, span: Span) -> Expr {
        if self.is_error(value.ty) {
            return value;
        }
        let value = if self.is_complex(value.ty) { self.complex_truth(value, span) } else { value };
        if self.decimal_kind(value.ty).is_some() {
            return self.decimal_unsupported(TypeId::INT, span);
        }
        if !self.is_scalar(value.ty) {
            let text = format!("invalid argument type '{}' to unary expression", self.print(value.ty));
            self.error(span, text);
            return self.error_expr(span);
        }
        if let Some(truth) = self.constant_truth(&value) {
            return self.int_expr(i128::from(!truth), TypeId::INT, span);
        }
        Expr { kind: ExprKind::Not(Box::new(value)), ty: TypeId::INT, span }
    }

    fn dereference(&mut self, operand: &ast::Expr, span: Span) -> Operand {
        let pointer = self.value(operand);
        if self.is_error(pointer.ty) {
            return Operand::Value(pointer);
        }
        let Some(to) = self.pointee(pointer.ty) else {
            let text = format!("indirection requires pointer operand ('{}' invalid)", self.print(pointer.ty));
            self.error(span, text);
            return Operand::Value(self.error_expr(span));
        };
        // `*f` and `*&x` denote the function and the variable themselves.
        match pointer.kind {
            ExprKind::AddressOf(place) if place.ty.ty == to.ty => Operand::Place(Place { span, ty: to, ..*place }),
            ExprKind::NestedFunction(symbol) => Operand::Place(Place { kind: PlaceKind::Symbol(symbol), ty: to, span }),
            _ => Operand::Place(Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: to, span }),
        }
    }

    fn address(&mut self, operand: &ast::Expr, span: Span) -> Expr {
        let place = match self.operand(operand) {
            Operand::Place(place) => place,
            Operand::Value(value) => {
                if !self.is_error(value.ty) {
                    let text = format!("cannot take the address of an rvalue of type '{}'", self.print(value.ty));
                    self.error(span, text);
                }
                return self.error_expr(span);
            }
        };
        if self.is_error(place.ty.ty) {
            return self.error_expr(span);
        }
        if self.place_bit_width(&place).is_some() {
            self.error(span, "address of bit-field requested");
            return self.error_expr(span);
        }
        if matches!(place.kind, PlaceKind::Temporary(_)) {
            let text = format!("cannot take the address of an rvalue of type '{}'", self.print_qual(place.ty));
            self.error(span, text);
            return self.error_expr(span);
        }
        let pointer = self.types.pointer(place.ty);
        let mut address = self.address_of(place, pointer);
        address.span = span;
        address
    }

    fn inc_dec(&mut self, operand: &ast::Expr, increment: bool, postfix: bool, span: Span) -> Expr {
        let Some(place) = self.modifiable_place(operand) else { return self.error_expr(span) };
        let ty = place.ty.ty;
        if self.is_error(ty) {
            return self.error_expr(span);
        }
        let scale = match self.pointee(ty) {
            Some(to) => match self.scale(to, span) {
                Some(scale) => Some(scale),
                None => return self.error_expr(span),
            },
            None if self.elements_of(ty).is_some() => {
                let one = self.int_expr(1, TypeId::INT, span);
                let op = if increment { BinOp::Add } else { BinOp::Sub };
                return self.assign_elements(op, place, one, postfix, span);
            }
            None if self.decimal_kind(ty).is_some() => return self.decimal_unsupported(ty, span),
            None if self.is_arithmetic(ty) => None,
            None => {
                let word = if increment { "increment" } else { "decrement" };
                let text = format!("cannot {word} value of type '{}'", self.print(ty));
                self.error(span, text);
                return self.error_expr(span);
            }
        };
        let kind = ExprKind::IncDec { place: Box::new(place), increment, postfix, scale };
        Expr { kind, ty, span }
    }

    /// Checks `__real__ x` and `__imag__ x`. The parts of a complex variable are lvalues.
    fn complex_part(&mut self, imaginary: bool, operand: &ast::Expr, span: Span) -> Operand {
        let operand = self.operand(operand);
        let ty = match &operand {
            Operand::Place(place) => place.ty,
            Operand::Value(value) => QualType::plain(value.ty),
        };
        if !self.is_complex(ty.ty) {
            if self.is_error(ty.ty) {
                return Operand::Value(self.error_expr(span));
            }
            if !self.is_arithmetic(ty.ty) {
                let text = format!("invalid type '{}' to __real or __imag operator", self.print_qual(ty));
                self.error(span, text);
                return Operand::Value(self.error_expr(span));
            }
            return match operand {
                _ if imaginary => {
                    let zero = self.int_expr(0, TypeId::INT, span);
                    Operand::Value(self.convert(zero, ty.ty))
                }
                other => other,
            };
        }
        let index = self.int_expr(i128::from(imaginary), TypeId::INT, span);
        match operand {
            Operand::Place(place) => Operand::Place(self.element_place(place, index, span)),
            Operand::Value(value) => self.element_of_value(value, index, span),
        }
    }

    /// Returns whether constants of this type are represented by the bits of an unsigned 128-bit number.
    pub(crate) fn is_wide_unsigned(&self, ty: TypeId) -> bool {
        self.int_kind(ty).is_some_and(|kind| int_bits(kind, self.target) == 128 && !int_signed(kind))
    }
}
