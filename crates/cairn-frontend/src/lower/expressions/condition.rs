//! Lowers conditions and comparisons: to branches for control flow, and to 0 or 1 as a value.

use cairn_ir::ctype::TypeId;
use cairn_ir::inst::{self, Inst, Operand, Terminator, Ty};
use cairn_ir::{BlockId, CheckKind};

use crate::hir::{CompareOp, Expr, ExprKind};
use crate::lower::builder::Builder;
use crate::lower::expressions::value::{Scalar, Truth};
use crate::lower::scope::ScopeId;

impl<'u> Builder<'_, 'u, '_> {
    /// Evaluates a comparison or negation to 0 or 1.
    pub fn truth_expr(&mut self, expr: &'u Expr, ty: Ty) -> Operand {
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

    /// Evaluates whether a scalar expression differs from zero.
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

    pub fn compare(&mut self, expr: &Expr, op: CompareOp, lhs: &'u Expr, rhs: &'u Expr) -> Truth {
        let (left, right) = self.operands(lhs, rhs, true);
        self.loc = self.place_of(expr.span);
        let Some(of) = self.scalar(lhs.ty) else {
            self.unsupported("comparison of non-scalar values");
            return Truth::Computed(self.undefined(Ty::I1));
        };
        if let (Some(a), Some(b)) = (self.known(left, of), self.known(right, of)) {
            // Unsigned 128-bit constants are represented as signed ones.
            let order = if of.signed { a.cmp(&b) } else { (a as u128).cmp(&(b as u128)) };
            return Truth::Known(op.holds(order));
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

    /// Branches to `then` if the expression differs from zero, otherwise to `other`.
    pub fn condition(&mut self, expr: &'u Expr, then: BlockId, other: BlockId) {
        if !self.descend() {
            self.end(Terminator::Unreachable);
            return;
        }
        self.condition_inner(expr, then, other);
        self.ascend();
    }

    pub fn condition_inner(&mut self, expr: &'u Expr, then: BlockId, other: BlockId) {
        match &expr.kind {
            ExprKind::Not(inner) => self.condition(inner, other, then),
            ExprKind::And(..) | ExprKind::Or(..) => {
                // The depth of a chain of one operator equals its length, so walk it iteratively.
                let both = matches!(expr.kind, ExprKind::And(..));
                let mut terms = Vec::new();
                let mut term = expr;
                while let (ExprKind::And(lhs, rhs), true) | (ExprKind::Or(lhs, rhs), false) = (&term.kind, both) {
                    terms.push(&**rhs);
                    term = lhs;
                }
                while let Some(next) = terms.pop() {
                    let go_on = self.new_block();
                    let (holds, fails) = if both { (go_on, other) } else { (then, go_on) };
                    self.condition(term, holds, fails);
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

    /// Ends the block with a branch of the user's program.
    pub fn branch(&mut self, truth: Truth, then: BlockId, other: BlockId) {
        match truth {
            Truth::Known(known) => self.jump(if known { then } else { other }),
            Truth::Computed(cond) => {
                let checks = self.checks(&[CheckKind::Uninitialised]);
                self.end(Terminator::Branch { cond, then, other, checks });
            }
        }
    }

    /// Returns whether a conversion preserves being zero and being nonzero.
    pub fn keeps_truth(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(source), Some(target)) = (self.scalar(from), self.scalar(to)) else { return false };
        let integral = |ty: Ty| !ty.is_float();
        self.is_bool(to)
            || integral(source.ty)
                && integral(target.ty)
                && source.ty.bits(self.target()) <= target.ty.bits(self.target())
    }

    /// Branches on a full expression. Its temporaries die on both edges.
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

    /// Redirects every jump from the given blocks to `targets` through a block that ends the temporaries' lifetimes.
    pub fn leave_on_edges(&mut self, scope: ScopeId, from: (BlockId, usize), targets: [BlockId; 2]) {
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

    /// Evaluates a condition to 0 or 1 by branches.
    pub fn branches_as_int(&mut self, expr: &'u Expr, ty: Ty) -> Operand {
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

    pub fn conditional(&mut self, cond: &'u Expr, then: &'u Expr, other: &'u Expr, ty: Ty) -> Operand {
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

    pub fn else_if_zero(&mut self, expr: &Expr, first: &'u Expr, second: &'u Expr, ty: Ty) -> Operand {
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
}
