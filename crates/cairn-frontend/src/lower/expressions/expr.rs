//! Lowers expressions.
//!
//! Where C leaves the order of evaluation open and the order is observable, lowering follows gcc on x86-64 without
//! optimisation:
//! - Operands of an operator are evaluated from left to right. However, a plain variable on the left of a commutative
//!   operator or comparison is read after the right operand.
//! - `place = value` evaluates the address of the place before the value.
//! - `place op= value` evaluates the value first if it has side effects, otherwise the address of the place first.
//! - A call evaluates the function pointer, and then the arguments from last to first.

use cairn_ir::check::Checks;
use cairn_ir::inst::{self, Inst, Operand, Passing, Ty, UnaryOp};

use crate::hir::{ArithOp, Block, Expr, ExprKind, PlaceKind, Scale};
use crate::lower::builder::{Builder, Class};
use crate::lower::expressions::value::Scalar;

impl<'u> Builder<'_, 'u, '_> {
    /// Evaluates a scalar expression. Void and struct expressions are evaluated too, but their result is meaningless.
    pub fn rvalue(&mut self, expr: &'u Expr) -> Operand {
        if !self.descend() {
            let ty = self.scalar(expr.ty).map_or(Ty::I32, |s| s.ty);
            return self.undefined(ty);
        }
        let value = self.rvalue_inner(expr);
        self.ascend();
        value
    }

    fn rvalue_inner(&mut self, expr: &'u Expr) -> Operand {
        let Some(of) = self.scalar(expr.ty) else {
            self.effect(expr);
            return Operand::Int(0);
        };
        match &expr.kind {
            ExprKind::Int(value) => self.int(*value, of.ty),
            ExprKind::Float(bits) => self.float(*bits, of.ty),
            ExprKind::Read(place) => {
                let spot = self.scalar_spot(place);
                self.loc = self.place_of(expr.span);
                self.read(spot, of.ty)
            }
            ExprKind::AddressOf(_) | ExprKind::PtrAdd { .. } => {
                let mem = self.address(expr);
                self.loc = self.place_of(expr.span);
                self.pointer(mem)
            }
            ExprKind::LabelAddress(label) => {
                let block = self.jumps.labels[label.0 as usize].block;
                self.mark_used(block);
                Operand::Label(block)
            }
            ExprKind::NestedFunction(symbol) => self.closure(*symbol, expr.span),
            ExprKind::Neg(inner) => self.unary_expr(UnaryOp::Neg, of.ty, inner, expr),
            ExprKind::BitNot(inner) => self.unary_expr(UnaryOp::Not, of.ty, inner, expr),
            ExprKind::Not(_) | ExprKind::Compare(..) => self.truth_expr(expr, of.ty),
            ExprKind::Arith(..) => self.arith_expr(expr),
            ExprKind::PtrSub(lhs, rhs, scale) => self.ptr_sub(expr, of, lhs, rhs, scale),
            ExprKind::And(..) | ExprKind::Or(..) => self.branches_as_int(expr, of.ty),
            ExprKind::Conditional(cond, then, other) => self.conditional(cond, then, other, of.ty),
            ExprKind::ElseIfZero(first, second) => self.else_if_zero(expr, first, second, of.ty),
            ExprKind::Assign(place, value) => self.assign_expr(expr, place, value, true),
            ExprKind::AssignOp { place, op, value, compute } => self.assign_op(expr, place, *op, value, *compute, true),
            ExprKind::AssignPtr { place, index, scale, negative } => {
                self.assign_ptr(expr, place, index, scale, *negative)
            }
            ExprKind::IncDec { place, increment, postfix, scale } => {
                self.inc_dec(expr, place, *increment, *postfix, scale.as_ref(), true)
            }
            ExprKind::Call(call) => {
                let dst = self.temporary(of.ty);
                self.call(call, expr.span, Some(dst), None);
                Operand::Reg(dst)
            }
            ExprKind::Convert(inner) => self.convert_expr(expr, inner, of.ty),
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.rvalue(second)
            }
            ExprKind::StmtExpr(block, value) => {
                let value = self.stmt_expr(block, |builder| match value {
                    Some(value) => {
                        let value = builder.full(|b| b.rvalue(value));
                        builder.detached(value)
                    }
                    None => Operand::Int(0),
                });
                if self.open { value } else { self.undefined(of.ty) }
            }
            ExprKind::VaArg(list) => {
                let mem = self.va_arg(list, Passing::Scalar(of.ty), expr);
                self.load(mem, of.ty)
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, expr),
            ExprKind::After(stmt, value) => {
                self.stmt(stmt);
                self.rvalue(value)
            }
            // Elements are never scalars.
            ExprKind::Elements(_) => self.undefined(of.ty),
            ExprKind::Unsupported(what) => {
                self.loc = self.place_of(expr.span);
                self.unsupported(what);
                self.undefined(of.ty)
            }
        }
    }

    /// Evaluates an expression for its side effects.
    pub fn effect(&mut self, expr: &'u Expr) {
        if !self.descend() {
            return;
        }
        match &expr.kind {
            ExprKind::Convert(inner) => self.effect(inner),
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.effect(second);
            }
            ExprKind::Call(call) => match self.class(expr.ty) {
                Class::Memory { .. } => {
                    self.aggregate(expr);
                }
                _ => self.call(call, expr.span, None, None),
            },
            ExprKind::Conditional(cond, then, other) => {
                let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
                self.condition(cond, yes, no);
                self.start(yes);
                self.effect(then);
                self.jump(join);
                self.start(no);
                self.effect(other);
                self.jump(join);
                self.start(join);
            }
            ExprKind::And(..) | ExprKind::Or(..) => {
                let join = self.new_block();
                self.condition(expr, join, join);
                self.start(join);
            }
            ExprKind::Assign(place, value) if self.scalar(expr.ty).is_some() => {
                self.assign_expr(expr, place, value, false);
            }
            ExprKind::AssignOp { place, op, value, compute } => {
                self.assign_op(expr, place, *op, value, *compute, false);
            }
            // The result is unused, so the old value need not be kept.
            ExprKind::IncDec { place, increment, scale, .. } => {
                self.inc_dec(expr, place, *increment, false, scale.as_ref(), false);
            }
            ExprKind::StmtExpr(block, value) => self.stmt_expr(block, |builder| {
                if let Some(value) = value {
                    builder.full(|b| b.effect(value));
                }
            }),
            ExprKind::After(stmt, value) => {
                self.stmt(stmt);
                self.effect(value);
            }
            ExprKind::Builtin(builtin, args) => {
                self.builtin(*builtin, args, expr);
            }
            ExprKind::Unsupported(what) => {
                self.loc = self.place_of(expr.span);
                self.unsupported(what);
            }
            _ => match self.class(expr.ty) {
                Class::Scalar(_) => {
                    self.rvalue(expr);
                }
                Class::Memory { .. } => {
                    self.aggregate(expr);
                }
                Class::Void => {}
            },
        }
        self.ascend();
    }

    /// Lowers the statements of a statement expression, and then `value` inside its scope.
    pub fn stmt_expr<T>(&mut self, block: &'u Block, value: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.enter_block(block);
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
        let value = value(self);
        self.leave_block(block, scope);
        value
    }

    fn unary_expr(&mut self, op: UnaryOp, ty: Ty, inner: &'u Expr, expr: &Expr) -> Operand {
        let value = self.rvalue(inner);
        self.loc = self.place_of(expr.span);
        if op == UnaryOp::Neg {
            self.require_negation(expr.ty, value);
        }
        let value = self.unary(op, ty, value);
        self.cut(value, expr.ty)
    }

    /// Lowers arithmetic.
    ///
    /// The left spine of `a + b + c + …` is walked iteratively, since generated code has very long ones.
    fn arith_expr(&mut self, expr: &'u Expr) -> Operand {
        let mut spine = Vec::new();
        let mut left = expr;
        while let ExprKind::Arith(op, lhs, rhs) = &left.kind {
            spine.push((left, *op, &**rhs));
            left = lhs;
        }
        let Some((_, op, rhs)) = spine.pop() else { return self.rvalue(left) };
        let ty = if let Some(of) = self.scalar(left.ty) { of } else { Scalar { ty: Ty::I32, signed: true } };
        let commutes = matches!(op, ArithOp::Add | ArithOp::Mul | ArithOp::And | ArithOp::Or | ArithOp::Xor);
        let (a, b) = if matches!(op, ArithOp::Shl | ArithOp::Shr) {
            let a = self.rvalue(left);
            (a, self.shift_amount(op, rhs, left.ty))
        } else {
            self.operands(left, rhs, commutes)
        };
        self.loc = self.place_of(left.span);
        self.require_defined(op, left.ty, a, b);
        let mut value = self.arith(op, ty, a, b);
        value = self.cut(value, left.ty);
        while let Some((node, op, rhs)) = spine.pop() {
            let rhs = self.shift_amount(op, rhs, node.ty);
            self.loc = self.place_of(node.span);
            self.require_defined(op, node.ty, value, rhs);
            let of = self.scalar(node.ty).unwrap_or(ty);
            value = self.arith(op, of, value, rhs);
            value = self.cut(value, node.ty);
        }
        value
    }

    /// Evaluates two operands in gcc's order.
    pub fn operands(&mut self, lhs: &'u Expr, rhs: &'u Expr, swaps: bool) -> (Operand, Operand) {
        if swaps && is_variable(lhs) && !is_variable(rhs) {
            let right = self.rvalue(rhs);
            (self.rvalue(lhs), right)
        } else {
            let left = self.rvalue(lhs);
            (left, self.rvalue(rhs))
        }
    }

    fn ptr_sub(&mut self, expr: &Expr, of: Scalar, lhs: &'u Expr, rhs: &'u Expr, scale: &'u Scale) -> Operand {
        let left = self.rvalue(lhs);
        let right = self.rvalue(rhs);
        let size = Scalar { ty: self.size_ty(), signed: true };
        let unit = match scale {
            Scale::Fixed(bytes) => Operand::Int(*bytes as i64),
            Scale::Variable(bytes) => self.rvalue(bytes),
        };
        self.loc = self.place_of(expr.span);
        let dst = self.temporary(size.ty);
        self.push(Inst::PtrSub { dst, lhs: left, rhs: right });
        let bytes = Operand::Reg(dst);
        let count = if unit == Operand::Int(1) { bytes } else { self.arith(ArithOp::Div, size, bytes, unit) };
        self.convert_scalar(count, size, of)
    }

    fn convert_expr(&mut self, expr: &'u Expr, inner: &'u Expr, to: Ty) -> Operand {
        // `(bool)(a < b)` and `(long)(a < b)` need no intermediate int.
        if matches!(inner.kind, ExprKind::Compare(..) | ExprKind::Not(_)) && to.is_int() {
            return self.truth_expr(inner, to);
        }
        let value = match self.types.get(inner.ty) {
            cairn_ir::ctype::Type::Pointer(_) if to == Ty::Ptr => return self.rvalue(inner),
            _ => self.rvalue(inner),
        };
        self.loc = self.place_of(expr.span);
        self.convert(value, inner.ty, expr.ty)
    }

    /// Emits an intrinsic with a result.
    pub fn intrinsic(&mut self, op: inst::Intrinsic, ty: Ty, args: &[Operand], checks: Checks) -> Operand {
        let dst = self.temporary(ty);
        self.push(Inst::Intrinsic { op, dst: Some(dst), args: args.into(), checks });
        Operand::Reg(dst)
    }
}

/// Returns whether an expression is just a variable.
fn is_variable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(place) => matches!(place.kind, PlaceKind::Local(_) | PlaceKind::Symbol(_)),
        _ => false,
    }
}
