//! `__builtin_add_overflow` and its kind: the operation in infinite precision, and whether its result fits.

use cairn_ir::check::Checks;
use cairn_ir::ctype::Type;
use cairn_ir::inst::{BinaryOp, CompareOp, DivideOp, Inst, Operand, Terminator, Ty};

use super::builder::Builder;
use super::value::Scalar;
use crate::hir::{Builtin, Expr};

impl<'u> Builder<'_, 'u, '_> {
    /// Stores the result (unless only the question is asked) and says whether it was cut.
    pub fn overflow(&mut self, builtin: Builtin, args: &'u [Expr], expr: &Expr) -> Operand {
        let op = match builtin {
            Builtin::AddOverflow | Builtin::AddOverflowP => BinaryOp::Add,
            Builtin::SubOverflow | Builtin::SubOverflowP => BinaryOp::Sub,
            _ => BinaryOp::Mul,
        };
        let a = self.rvalue(&args[0]);
        let b = self.rvalue(&args[1]);
        let stores = matches!(builtin, Builtin::AddOverflow | Builtin::SubOverflow | Builtin::MulOverflow);
        let (memory, result) = if stores {
            let memory = self.address(&args[2]);
            match self.types.get(args[2].ty) {
                Type::Pointer(to) => (Some(memory), self.scalar(to.ty)),
                _ => (None, None),
            }
        } else {
            self.effect(&args[2]);
            (None, self.scalar(args[2].ty))
        };
        self.loc = self.place_of(expr.span);
        let to = self.scalar(expr.ty).map_or(Ty::I8, |s| s.ty);
        let scalars = (self.scalar(args[0].ty), self.scalar(args[1].ty), result);
        let (Some(left), Some(right), Some(result)) = scalars else {
            self.unsupported("an overflow builtin on values that are no integers");
            return self.undefined(to);
        };
        if !left.ty.is_int() || !right.ty.is_int() || !result.ty.is_int() {
            self.unsupported("an overflow builtin on values that are no integers");
            return self.undefined(to);
        }
        let (value, overflow) = if left.ty == Ty::I128 || right.ty == Ty::I128 {
            match self.wide_overflow(op, (a, left), (b, right), result, to) {
                Some(found) => found,
                None => {
                    self.unsupported("an overflow builtin on 128-bit operands of different signs");
                    return self.undefined(to);
                }
            }
        } else {
            self.narrow_overflow(op, (a, left), (b, right), result, to)
        };
        if let Some(memory) = memory {
            self.store(memory, result.ty, value);
        }
        overflow
    }

    /// Operands of at most 64 bits: 128 bits hold the exact result, as a signed number except for the product of two
    /// unsigned ones, which needs all 128 bits.
    fn narrow_overflow(
        &mut self,
        op: BinaryOp,
        (a, left): (Operand, Scalar),
        (b, right): (Operand, Scalar),
        result: Scalar,
        to: Ty,
    ) -> (Operand, Operand) {
        let exact = Scalar { ty: Ty::I128, signed: true };
        let a = self.convert_scalar(a, left, exact);
        let b = self.convert_scalar(b, right, exact);
        let full = self.binary(op, Ty::I128, a, b);
        let unsigned_product = op == BinaryOp::Mul && !left.signed && !right.signed;
        if result.ty == Ty::I128 {
            // What has its top bit set is negative for an unsigned result, or too large for a signed one.
            let overflow = if result.signed == unsigned_product {
                self.compare_as(CompareOp::SLt, Ty::I128, full, Operand::Int(0), to)
            } else {
                Operand::Int(0)
            };
            return (full, overflow);
        }
        let value = self.convert_scalar(full, exact, result);
        let back = self.convert_scalar(value, result, exact);
        (value, self.compare_as(CompareOp::Ne, Ty::I128, back, full, to))
    }

    /// Operands of 128 bits: computed in 128 bits with the tests for that width, then narrowed. `None` when no 128-bit
    /// type holds both operands.
    fn wide_overflow(
        &mut self,
        op: BinaryOp,
        (a, left): (Operand, Scalar),
        (b, right): (Operand, Scalar),
        result: Scalar,
        to: Ty,
    ) -> Option<(Operand, Operand)> {
        let holds = |signed: bool, of: Scalar| of.signed == signed || !of.signed && of.ty != Ty::I128;
        let candidates = [result.signed, !result.signed];
        let signed = candidates.into_iter().find(|&s| holds(s, left) && holds(s, right))?;
        if signed != result.signed && result.ty == Ty::I128 {
            return None;
        }
        let exact = Scalar { ty: Ty::I128, signed };
        let a = self.convert_scalar(a, left, exact);
        let b = self.convert_scalar(b, right, exact);
        let full = self.binary(op, Ty::I128, a, b);
        let wraps = match (op, signed) {
            (BinaryOp::Add, false) => self.compare_as(CompareOp::ULt, Ty::I128, full, a, to),
            (BinaryOp::Sub, false) => self.compare_as(CompareOp::ULt, Ty::I128, a, b, to),
            (BinaryOp::Add, true) => {
                // Both operands differ in sign from the sum.
                let left = self.binary(BinaryOp::Xor, Ty::I128, a, full);
                let right = self.binary(BinaryOp::Xor, Ty::I128, b, full);
                let both = self.binary(BinaryOp::And, Ty::I128, left, right);
                self.compare_as(CompareOp::SLt, Ty::I128, both, Operand::Int(0), to)
            }
            (BinaryOp::Sub, true) => {
                let differ = self.binary(BinaryOp::Xor, Ty::I128, a, b);
                let changed = self.binary(BinaryOp::Xor, Ty::I128, a, full);
                let both = self.binary(BinaryOp::And, Ty::I128, differ, changed);
                self.compare_as(CompareOp::SLt, Ty::I128, both, Operand::Int(0), to)
            }
            _ => self.product_wraps(a, b, full, signed, to),
        };
        if result.ty == Ty::I128 {
            return Some((full, wraps));
        }
        let value = self.convert_scalar(full, exact, result);
        let back = self.convert_scalar(value, result, exact);
        let mut cut = self.compare_as(CompareOp::Ne, Ty::I128, back, full, to);
        if signed != result.signed {
            // A narrower unsigned result of a negative number, or the reverse, shows when it is extended again.
            let negative = self.compare_as(CompareOp::SLt, Ty::I128, back, Operand::Int(0), to);
            if !signed {
                cut = self.binary(BinaryOp::Or, to, cut, negative);
            }
        }
        Some((value, self.binary(BinaryOp::Or, to, wraps, cut)))
    }

    /// Whether a 128-bit product was cut: dividing it again does not give the other factor.
    fn product_wraps(&mut self, a: Operand, b: Operand, full: Operand, signed: bool, to: Ty) -> Operand {
        let dst = self.temporary(to);
        let (zero, other, join) = (self.new_block(), self.new_block(), self.new_block());
        let is_zero = self.compare_by(CompareOp::Eq, Ty::I128, a, Operand::Int(0));
        self.end(Terminator::Branch { cond: is_zero, then: zero, other, checks: Checks::NONE });
        self.start(zero);
        self.push(Inst::Move { dst, src: Operand::Int(0) });
        self.jump(join);
        self.start(other);
        if signed {
            // -1 is apart: the quotient itself would not fit.
            let (minus_one, rest) = (self.new_block(), self.new_block());
            let cond = self.compare_by(CompareOp::Eq, Ty::I128, a, Operand::Int(-1));
            self.end(Terminator::Branch { cond, then: minus_one, other: rest, checks: Checks::NONE });
            self.start(minus_one);
            let least = self.int(i128::MIN, Ty::I128);
            let wraps = self.compare_as(CompareOp::Eq, Ty::I128, b, least, to);
            self.assign(dst, wraps);
            self.jump(join);
            self.start(rest);
        }
        let divide = if signed { DivideOp::SDiv } else { DivideOp::UDiv };
        let quotient = self.divide(divide, Ty::I128, full, a, Checks::NONE);
        let wraps = self.compare_as(CompareOp::Ne, Ty::I128, quotient, b, to);
        self.assign(dst, wraps);
        self.jump(join);
        self.start(join);
        Operand::Reg(dst)
    }
}
