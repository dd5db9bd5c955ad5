//! Lowers assignments, compound assignments, `++` and `--`.

use cairn_ir::ctype::TypeId;
use cairn_ir::inst::{BinaryOp, Operand, Ty};

use crate::hir::{ArithOp, Expr, ExprKind, Place, PlaceKind, Scale};
use crate::lower::builder::Builder;
use crate::lower::expressions::place::Mem;

impl<'u> Builder<'_, 'u, '_> {
    pub fn assign_expr(&mut self, expr: &Expr, place: &'u Place, value: &'u Expr, wanted: bool) -> Operand {
        let spot = self.scalar_spot(place);
        let value = self.rvalue(value);
        self.loc = self.place_of(expr.span);
        let Some(of) = self.scalar(place.ty.ty) else { return value };
        let value = self.write(spot, of.ty, value);
        if wanted { self.held(spot, of.ty, value) } else { value }
    }

    pub fn assign_op(
        &mut self,
        expr: &Expr,
        place: &'u Place,
        op: ArithOp,
        value: &'u Expr,
        compute: TypeId,
        wanted: bool,
    ) -> Operand {
        let (spot, rhs) = if has_side_effects(value) {
            let rhs = self.shift_amount(op, value, compute);
            (self.scalar_spot(place), rhs)
        } else {
            let spot = self.scalar_spot(place);
            (spot, self.shift_amount(op, value, compute))
        };
        self.loc = self.place_of(expr.span);
        let (Some(of), Some(computed)) = (self.scalar(place.ty.ty), self.scalar(compute)) else {
            self.unsupported("compound assignment to a non-scalar");
            return Operand::Int(0);
        };
        let old = self.read(spot, of.ty);
        let old = self.convert(old, place.ty.ty, compute);
        self.require_defined(op, compute, old, rhs);
        let new = self.arith(op, computed, old, rhs);
        let new = self.cut(new, compute);
        let new = self.convert(new, compute, place.ty.ty);
        let new = self.write(spot, of.ty, new);
        if wanted { self.held(spot, of.ty, new) } else { new }
    }

    pub fn assign_ptr(
        &mut self,
        expr: &Expr,
        place: &'u Place,
        index: &'u Expr,
        scale: &'u Scale,
        negative: bool,
    ) -> Operand {
        let (spot, index) = if has_side_effects(index) {
            let index = self.rvalue(index);
            (self.spot(place), index)
        } else {
            let spot = self.spot(place);
            (spot, self.rvalue(index))
        };
        self.loc = self.place_of(expr.span);
        let old = self.read(spot, Ty::Ptr);
        let new = self.step(Mem::deref(old), index, scale, negative);
        let new = self.pointer(new);
        self.write(spot, Ty::Ptr, new)
    }

    pub fn inc_dec(
        &mut self,
        expr: &Expr,
        place: &'u Place,
        increment: bool,
        postfix: bool,
        scale: Option<&'u Scale>,
        wanted: bool,
    ) -> Operand {
        let spot = self.scalar_spot(place);
        self.loc = self.place_of(expr.span);
        let Some(of) = self.scalar(place.ty.ty) else {
            self.unsupported("`++` or `--` on a non-scalar");
            return Operand::Int(0);
        };
        let old = self.read(spot, of.ty);
        let old = if postfix { self.detached(old) } else { old };
        let new = if let Some(scale) = scale {
            let moved = self.step(Mem::deref(old), Operand::Int(1), scale, !increment);
            self.pointer(moved)
        } else if self.is_bool(place.ty.ty) {
            // Incrementing a `_Bool` sets it to true; decrementing it toggles it.
            if increment { Operand::Int(1) } else { self.binary(BinaryOp::Xor, of.ty, old, Operand::Int(1)) }
        } else {
            self.require_step(if increment { ArithOp::Add } else { ArithOp::Sub }, spot, place.ty.ty, old);
            let one = if of.ty.is_float() { self.float(one(of.ty), of.ty) } else { Operand::Int(1) };
            let new = self.binary(if increment { BinaryOp::Add } else { BinaryOp::Sub }, of.ty, old, one);
            self.cut(new, place.ty.ty)
        };
        let new = self.write(spot, of.ty, new);
        match (postfix, wanted) {
            (true, _) => old,
            (false, true) => self.held(spot, of.ty, new),
            (false, false) => new,
        }
    }
}

/// Returns the bits of 1 in a floating format.
fn one(ty: Ty) -> u128 {
    match ty {
        Ty::F16 => 0x3c00,
        Ty::F32 => 0x3f80_0000,
        Ty::F64 => 0x3ff0_0000_0000_0000,
        Ty::F80 => 0x3fff_8000_0000_0000_0000,
        _ => 0x3fff << 112,
    }
}

/// Returns whether evaluating an expression may have side effects.
///
/// To bound the walk, deep trees are assumed to have some.
fn has_side_effects(expr: &Expr) -> bool {
    fn expr_changes(expr: &Expr, depth: u32) -> bool {
        if depth == 0 {
            return true;
        }
        let any = |e: &Expr| expr_changes(e, depth - 1);
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::NestedFunction(_)
            | ExprKind::Unsupported(_) => false,
            ExprKind::Read(place) | ExprKind::AddressOf(place) => place_changes(place, depth - 1),
            ExprKind::Neg(e) | ExprKind::BitNot(e) | ExprKind::Not(e) | ExprKind::Convert(e) => any(e),
            ExprKind::Arith(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::ElseIfZero(a, b)
            | ExprKind::PtrSub(a, b, _)
            | ExprKind::Comma(a, b) => any(a) || any(b),
            ExprKind::PtrAdd { base, index, .. } => any(base) || any(index),
            ExprKind::Conditional(a, b, c) => any(a) || any(b) || any(c),
            _ => true,
        }
    }
    fn place_changes(place: &Place, depth: u32) -> bool {
        if depth == 0 {
            return true;
        }
        match &place.kind {
            PlaceKind::Local(_) | PlaceKind::Symbol(_) | PlaceKind::String(_) => false,
            PlaceKind::Deref(e) | PlaceKind::Temporary(e) => expr_changes(e, depth - 1),
            PlaceKind::Field(inner, ..) => place_changes(inner, depth - 1),
            PlaceKind::CompoundLiteral(..) => true,
        }
    }
    expr_changes(expr, 64)
}
