//! Expressions.
//!
//! Where C leaves the order of evaluation open and it can be observed, this follows gcc on x86-64 without optimisation:
//! - operands of an operator from left to right, except that a plain variable on the left of a commutative operator or a
//!   comparison is read after the right side (gcc puts variables last);
//! - `place = value`: the address of the place, then the value;
//! - `place op= value`: the value first when it has side effects, else the address of the place first;
//! - calls: the function pointer, then the arguments from last to first.

use cairn_ir::CheckKind;
use cairn_ir::check::Checks;
use cairn_ir::ctype::TypeId;
use cairn_ir::inst::{self, Inst, Operand, Terminator, Ty, UnaryOp};
use cairn_ir::{BlockId, inst::BinaryOp};

use super::builder::{Builder, Class};
use super::place::{Mem, Spot};
use super::value::{Scalar, Truth};
use crate::hir::{ArithOp, Block, CompareOp, Expr, ExprKind, Place, PlaceKind, Scale};

impl<'u> Builder<'_, 'u, '_> {
    /// Evaluates a scalar expression. Void ones and structs have a value nobody may look at.
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
                let spot = self.spot(place);
                self.loc = self.place_of(expr.span);
                self.read(spot, of.ty)
            }
            ExprKind::AddressOf(_) | ExprKind::PtrAdd { .. } => {
                let mem = self.address(expr);
                self.loc = self.place_of(expr.span);
                self.pointer(mem)
            }
            ExprKind::LabelAddress(label) => {
                let block = self.labels[label.0 as usize].block;
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
                let mem = self.va_arg(list, of.ty.bytes(self.target), expr);
                self.load(mem, of.ty)
            }
            ExprKind::Builtin(builtin, args) => self.builtin(*builtin, args, expr),
            ExprKind::After(stmt, value) => {
                self.stmt(stmt);
                self.rvalue(value)
            }
            ExprKind::Unsupported(what) => {
                self.loc = self.place_of(expr.span);
                self.unsupported(what);
                self.undefined(of.ty)
            }
        }
    }

    /// Evaluates an expression whose value nobody needs.
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
            // The old value is not kept for anybody.
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

    /// The statements of a statement expression, then `value` inside its scope.
    fn stmt_expr<T>(&mut self, block: &'u Block, value: impl FnOnce(&mut Self) -> T) -> T {
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
        self.unary(op, ty, value)
    }

    /// Arithmetic. The left spine of `a + b + c + …` is walked by a loop: generated code has very long ones.
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
        let (a, b) = self.operands(left, rhs, commutes);
        self.loc = self.place_of(left.span);
        let mut value = self.arith(op, ty, a, b);
        while let Some((node, op, rhs)) = spine.pop() {
            let rhs = self.rvalue(rhs);
            self.loc = self.place_of(node.span);
            let of = self.scalar(node.ty).unwrap_or(ty);
            value = self.arith(op, of, value, rhs);
        }
        value
    }

    /// Two operands in gcc's order.
    fn operands(&mut self, lhs: &'u Expr, rhs: &'u Expr, swaps: bool) -> (Operand, Operand) {
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
        // `(bool)(a < b)` and `(long)(a < b)` need no detour over int.
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

    /// A comparison or negation as 0 or 1.
    fn truth_expr(&mut self, expr: &'u Expr, ty: Ty) -> Operand {
        let mut inner = expr;
        while let ExprKind::Not(next) = &inner.kind {
            inner = next;
        }
        if matches!(inner.kind, ExprKind::And(..) | ExprKind::Or(..)) {
            return self.branches_as_int(expr, ty);
        }
        let truth = self.truth(expr);
        self.truth_as(truth, ty)
    }

    /// Whether a scalar expression differs from zero, as a value.
    pub fn truth(&mut self, expr: &'u Expr) -> Truth {
        match &expr.kind {
            ExprKind::Compare(op, lhs, rhs) => self.compare(expr, *op, lhs, rhs),
            ExprKind::Not(inner) => {
                let value = self.rvalue(inner);
                self.loc = self.place_of(expr.span);
                let of = self.scalar(inner.ty).unwrap_or(Scalar { ty: Ty::I32, signed: true });
                match self.nonzero_known(value, of) {
                    Some(known) => Truth::Known(!known),
                    None => {
                        let zero = if of.ty.is_float() { self.float(0, of.ty) } else { Operand::Int(0) };
                        let op = if of.ty.is_float() { inst::CompareOp::FEq } else { inst::CompareOp::Eq };
                        Truth::Computed(self.compare_by(op, of.ty, value, zero))
                    }
                }
            }
            _ => {
                let value = self.rvalue(expr);
                self.loc = self.place_of(expr.span);
                let of = self.scalar(expr.ty).unwrap_or(Scalar { ty: Ty::I32, signed: true });
                self.nonzero(value, of)
            }
        }
    }

    fn compare(&mut self, expr: &Expr, op: CompareOp, lhs: &'u Expr, rhs: &'u Expr) -> Truth {
        let (left, right) = self.operands(lhs, rhs, true);
        self.loc = self.place_of(expr.span);
        let Some(of) = self.scalar(lhs.ty) else {
            self.unsupported("a comparison of values that are no scalars");
            return Truth::Computed(self.undefined(Ty::I1));
        };
        if let (Some(a), Some(b)) = (self.known(left, of), self.known(right, of)) {
            // Constants of 128 unsigned bits are kept as signed ones.
            let order = if of.signed { a.cmp(&b) } else { (a as u128).cmp(&(b as u128)) };
            return Truth::Known(match op {
                CompareOp::Eq => order.is_eq(),
                CompareOp::Ne => order.is_ne(),
                CompareOp::Lt => order.is_lt(),
                CompareOp::Le => order.is_le(),
                CompareOp::Gt => order.is_gt(),
                CompareOp::Ge => order.is_ge(),
            });
        }
        let swap = matches!(op, CompareOp::Gt | CompareOp::Ge);
        let (left, right) = if swap { (right, left) } else { (left, right) };
        let or_equal = matches!(op, CompareOp::Le | CompareOp::Ge);
        let op = match op {
            CompareOp::Eq if of.ty.is_float() => inst::CompareOp::FEq,
            CompareOp::Ne if of.ty.is_float() => inst::CompareOp::FNe,
            CompareOp::Eq => inst::CompareOp::Eq,
            CompareOp::Ne => inst::CompareOp::Ne,
            _ => match (of.ty.is_float(), of.signed, or_equal) {
                (true, _, false) => inst::CompareOp::FLt,
                (true, _, true) => inst::CompareOp::FLe,
                (false, true, false) => inst::CompareOp::SLt,
                (false, true, true) => inst::CompareOp::SLe,
                (false, false, false) => inst::CompareOp::ULt,
                (false, false, true) => inst::CompareOp::ULe,
            },
        };
        Truth::Computed(self.compare_by(op, of.ty, left, right))
    }

    /// Goes to `then` when the expression differs from zero, else to `other`.
    pub fn condition(&mut self, expr: &'u Expr, then: BlockId, other: BlockId) {
        if !self.descend() {
            self.end(Terminator::Unreachable);
            return;
        }
        self.condition_inner(expr, then, other);
        self.ascend();
    }

    fn condition_inner(&mut self, expr: &'u Expr, then: BlockId, other: BlockId) {
        match &expr.kind {
            ExprKind::Not(inner) => self.condition(inner, other, then),
            ExprKind::And(..) => {
                let mut terms = Vec::new();
                let mut left = expr;
                while let ExprKind::And(lhs, rhs) = &left.kind {
                    terms.push(&**rhs);
                    left = lhs;
                }
                let mut term = left;
                while let Some(next) = terms.pop() {
                    let go_on = self.new_block();
                    self.condition(term, go_on, other);
                    self.start(go_on);
                    term = next;
                }
                self.condition(term, then, other);
            }
            ExprKind::Or(..) => {
                let mut terms = Vec::new();
                let mut left = expr;
                while let ExprKind::Or(lhs, rhs) = &left.kind {
                    terms.push(&**rhs);
                    left = lhs;
                }
                let mut term = left;
                while let Some(next) = terms.pop() {
                    let go_on = self.new_block();
                    self.condition(term, then, go_on);
                    self.start(go_on);
                    term = next;
                }
                self.condition(term, then, other);
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.condition(second, then, other);
            }
            ExprKind::Convert(inner) if self.keeps_truth(inner.ty, expr.ty) => self.condition(inner, then, other),
            _ => {
                let truth = self.truth(expr);
                self.loc = self.place_of(expr.span);
                self.branch(truth, then, other);
            }
        }
    }

    /// Ends the block by a truth value that the user's program decides on.
    pub fn branch(&mut self, truth: Truth, then: BlockId, other: BlockId) {
        match truth {
            Truth::Known(known) => self.jump(if known { then } else { other }),
            Truth::Computed(cond) => {
                let checks = self.checks(&[CheckKind::Uninitialised]);
                self.end(Terminator::Branch { cond, then, other, checks });
            }
        }
    }

    /// Whether a converted value is zero exactly when the original is.
    fn keeps_truth(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(source), Some(target)) = (self.scalar(from), self.scalar(to)) else { return false };
        let integral = |ty: Ty| !ty.is_float();
        self.is_bool(to)
            || integral(source.ty) && integral(target.ty) && source.ty.bits(self.target) <= target.ty.bits(self.target)
    }

    /// A full expression as a condition. Its temporaries die on both ways.
    pub fn full_condition(&mut self, expr: &'u Expr, then: BlockId, other: BlockId) {
        let outer = self.temporaries.take();
        let (first, begin) = (self.current(), self.block_count());
        let was_open = self.open;
        self.condition(expr, then, other);
        if let Some(scope) = self.temporaries.take() {
            if was_open {
                self.leave_on_edges(scope, (first, begin), [then, other]);
            }
            self.scope = self.scopes[scope.0 as usize].parent;
        }
        self.temporaries = outer;
    }

    /// Leads every jump from the given blocks to `targets` over a block that ends the temporaries' lives.
    fn leave_on_edges(&mut self, scope: super::scope::ScopeId, from: (BlockId, usize), targets: [BlockId; 2]) {
        let parent = self.scopes[scope.0 as usize].parent;
        let end = self.block_count();
        let detours = targets.map(|target| {
            let detour = self.new_block();
            self.start_always(detour);
            self.leave_to(scope, parent);
            self.jump(target);
            detour
        });
        let retarget = |to: &mut BlockId| {
            if let Some(index) = targets.iter().position(|target| target == to) {
                *to = detours[index];
            }
        };
        for index in std::iter::once(from.0.index()).chain(from.1..end) {
            match &mut self.body.blocks[index].end {
                Terminator::Jump(to) => retarget(to),
                Terminator::Branch { then, other, .. } => {
                    retarget(then);
                    retarget(other);
                }
                _ => {}
            }
        }
    }

    /// A condition as 0 or 1, by branches.
    fn branches_as_int(&mut self, expr: &'u Expr, ty: Ty) -> Operand {
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        let dst = self.temporary(ty);
        self.condition(expr, yes, no);
        self.start(yes);
        self.push(Inst::Move { dst, src: Operand::Int(1) });
        self.jump(join);
        self.start(no);
        self.push(Inst::Move { dst, src: Operand::Int(0) });
        self.jump(join);
        self.start(join);
        Operand::Reg(dst)
    }

    fn conditional(&mut self, cond: &'u Expr, then: &'u Expr, other: &'u Expr, ty: Ty) -> Operand {
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        let dst = self.temporary(ty);
        self.condition(cond, yes, no);
        for (block, value) in [(yes, then), (no, other)] {
            self.start(block);
            let value = self.rvalue(value);
            self.assign(dst, value);
            self.jump(join);
        }
        self.start(join);
        Operand::Reg(dst)
    }

    fn else_if_zero(&mut self, expr: &Expr, first: &'u Expr, second: &'u Expr, ty: Ty) -> Operand {
        let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
        let dst = self.temporary(ty);
        let value = self.rvalue(first);
        self.loc = self.place_of(expr.span);
        let of = self.scalar(first.ty).unwrap_or(Scalar { ty, signed: true });
        let truth = self.nonzero(value, of);
        self.branch(truth, yes, no);
        self.start(yes);
        let value = self.convert(value, first.ty, expr.ty);
        self.assign(dst, value);
        self.jump(join);
        self.start(no);
        let value = self.rvalue(second);
        self.assign(dst, value);
        self.jump(join);
        self.start(join);
        Operand::Reg(dst)
    }

    fn assign_expr(&mut self, expr: &Expr, place: &'u Place, value: &'u Expr, wanted: bool) -> Operand {
        let spot = self.spot(place);
        let value = self.rvalue(value);
        self.loc = self.place_of(expr.span);
        let Some(of) = self.scalar(place.ty.ty) else { return value };
        let value = self.write(spot, of.ty, value);
        if wanted { self.held(spot, of.ty, value) } else { value }
    }

    fn assign_op(
        &mut self,
        expr: &Expr,
        place: &'u Place,
        op: ArithOp,
        value: &'u Expr,
        compute: TypeId,
        wanted: bool,
    ) -> Operand {
        let (spot, rhs) = if has_side_effects(value) {
            let rhs = self.rvalue(value);
            (self.spot(place), rhs)
        } else {
            let spot = self.spot(place);
            (spot, self.rvalue(value))
        };
        self.loc = self.place_of(expr.span);
        let (Some(of), Some(computed)) = (self.scalar(place.ty.ty), self.scalar(compute)) else {
            self.unsupported("a compound assignment to something that is no scalar");
            return Operand::Int(0);
        };
        let old = self.read(spot, of.ty);
        let old = self.convert(old, place.ty.ty, compute);
        let new = self.arith(op, computed, old, rhs);
        let new = self.convert(new, compute, place.ty.ty);
        let new = self.write(spot, of.ty, new);
        if wanted { self.held(spot, of.ty, new) } else { new }
    }

    fn assign_ptr(
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

    fn inc_dec(
        &mut self,
        expr: &Expr,
        place: &'u Place,
        increment: bool,
        postfix: bool,
        scale: Option<&'u Scale>,
        wanted: bool,
    ) -> Operand {
        let spot = self.spot(place);
        self.loc = self.place_of(expr.span);
        let Some(of) = self.scalar(place.ty.ty) else {
            self.unsupported("`++` or `--` of something that is no scalar");
            return Operand::Int(0);
        };
        let old = self.read(spot, of.ty);
        let old = if postfix { self.detached(old) } else { old };
        let new = if let Some(scale) = scale {
            let moved = self.step(Mem::deref(old), Operand::Int(1), scale, !increment);
            self.pointer(moved)
        } else if self.is_bool(place.ty.ty) {
            // A truth value that is incremented is true; one that is decremented toggles.
            if increment { Operand::Int(1) } else { self.binary(BinaryOp::Xor, of.ty, old, Operand::Int(1)) }
        } else {
            let one = if of.ty.is_float() { self.float(one(of.ty), of.ty) } else { Operand::Int(1) };
            self.binary(if increment { BinaryOp::Add } else { BinaryOp::Sub }, of.ty, old, one)
        };
        let new = self.write(spot, of.ty, new);
        match (postfix, wanted) {
            (true, _) => old,
            (false, true) => self.held(spot, of.ty, new),
            (false, false) => new,
        }
    }

    /// Takes the next variable argument of `size` bytes: the list's first word points to it, and each stands at a
    /// multiple of 16 bytes.
    pub fn va_arg(&mut self, list: &'u Expr, size: u64, expr: &Expr) -> Mem {
        let list = self.address(list);
        self.loc = self.place_of(expr.span);
        let current = self.load(list, Ty::Ptr);
        let ty = self.size_ty();
        let step = self.int(size.max(1).next_multiple_of(16).into(), ty);
        let next = self.ptr_add(current, step, 1);
        self.store(list, Ty::Ptr, next);
        Mem::deref(current)
    }

    /// Evaluates a struct expression: the result is memory that holds its value until the end of the full expression.
    pub fn aggregate(&mut self, expr: &'u Expr) -> Mem {
        if !self.descend() {
            let base = self.undefined(Ty::Ptr);
            return Mem::deref(base);
        }
        let mem = self.aggregate_inner(expr);
        self.ascend();
        mem
    }

    fn aggregate_inner(&mut self, expr: &'u Expr) -> Mem {
        match &expr.kind {
            ExprKind::Read(place) => match self.spot(place) {
                Spot::Memory(mem) | Spot::Bits(mem, ..) => mem,
                Spot::Reg(_) => Mem::deref(Operand::Int(0)),
            },
            ExprKind::Assign(place, value) => {
                let to = match self.spot(place) {
                    Spot::Memory(mem) | Spot::Bits(mem, ..) => mem,
                    Spot::Reg(_) => Mem::deref(Operand::Int(0)),
                };
                let from = self.aggregate(value);
                self.loc = self.place_of(expr.span);
                let size = self.size_of(place.ty.ty);
                self.copy(to, from, size);
                to
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.aggregate(second)
            }
            ExprKind::Convert(inner) if matches!(self.class(inner.ty), Class::Memory { .. }) => self.aggregate(inner),
            ExprKind::VaArg(list) => {
                let size = self.size_of(expr.ty);
                self.va_arg(list, size, expr)
            }
            ExprKind::After(stmt, value) => {
                self.stmt(stmt);
                self.aggregate(value)
            }
            _ => {
                self.loc = self.place_of(expr.span);
                let Class::Memory { size, align } = self.class(expr.ty) else {
                    self.effect(expr);
                    return Mem::deref(Operand::Int(0));
                };
                let slot = self.temporary_slot(size, align);
                let mem = Mem::named(Operand::Slot(slot), size);
                self.aggregate_into(expr, mem);
                mem
            }
        }
    }

    /// Evaluates a struct expression into memory that the expression itself does not look at.
    pub fn aggregate_into(&mut self, expr: &'u Expr, to: Mem) {
        if !self.descend() {
            return;
        }
        match &expr.kind {
            ExprKind::Call(call) => {
                let address = self.pointer(to);
                self.call(call, expr.span, None, Some(address));
            }
            ExprKind::Conditional(cond, then, other) => {
                let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
                self.condition(cond, yes, no);
                for (block, value) in [(yes, then), (no, other)] {
                    self.start(block);
                    self.aggregate_into(value, to);
                    self.jump(join);
                }
                self.start(join);
            }
            ExprKind::StmtExpr(block, value) => self.stmt_expr(block, |builder| {
                if let Some(value) = value {
                    builder.full(|b| b.aggregate_into(value, to));
                }
            }),
            ExprKind::Unsupported(what) => {
                self.loc = self.place_of(expr.span);
                self.unsupported(what);
            }
            ExprKind::Read(_)
            | ExprKind::Assign(..)
            | ExprKind::Comma(..)
            | ExprKind::Convert(_)
            | ExprKind::VaArg(_)
            | ExprKind::After(..) => {
                let from = self.aggregate(expr);
                self.loc = self.place_of(expr.span);
                let size = self.size_of(expr.ty);
                self.copy(to, from, size);
            }
            _ => {
                self.loc = self.place_of(expr.span);
                self.unsupported("arithmetic on values that are no scalars");
            }
        }
        self.ascend();
    }

    /// Adds an intrinsic with a result.
    pub fn intrinsic(&mut self, op: inst::Intrinsic, ty: Ty, args: &[Operand], checks: Checks) -> Operand {
        let dst = self.temporary(ty);
        self.push(Inst::Intrinsic { op, dst: Some(dst), args: args.into(), checks });
        Operand::Reg(dst)
    }
}

/// 1 in a floating format.
fn one(ty: Ty) -> u128 {
    match ty {
        Ty::F16 => 0x3c00,
        Ty::F32 => 0x3f80_0000,
        Ty::F64 => 0x3ff0_0000_0000_0000,
        Ty::F80 => 0x3fff_8000_0000_0000_0000,
        _ => 0x3fff << 112,
    }
}

/// Whether an expression is nothing but a variable.
fn is_variable(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Read(place) => matches!(place.kind, PlaceKind::Local(_) | PlaceKind::Symbol(_)),
        _ => false,
    }
}

/// Whether evaluating an expression may change something. Deep trees are said to, to bound the walk.
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
