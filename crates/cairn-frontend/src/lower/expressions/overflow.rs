//! Lowers `__builtin_add_overflow` and the like.
//!
//! The operation is computed in infinite precision, together with whether its result fits.

use cairn_ir::check::Checks;
use cairn_ir::ctype::{IntKind, Type, TypeId};
use cairn_ir::inst::{BinaryOp, CompareOp, DivideOp, Inst, Operand, Terminator, Ty, UnaryOp};

use crate::hir::{Builtin, Expr};
use crate::lower::builder::Builder;
use crate::lower::expressions::value::Scalar;

impl<'u> Builder<'_, 'u, '_> {
    /// Stores the result, except for the `_p` variants, and returns whether it overflows.
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
                Type::Pointer(to) => (Some(memory), self.standard_integer(to.ty)),
                _ => (None, None),
            }
        } else {
            self.effect(&args[2]);
            (None, self.standard_integer(args[2].ty))
        };
        self.loc = self.place_of(expr.span);
        let to = self.scalar(expr.ty).map_or(Ty::I8, |s| s.ty);
        let scalars = (self.standard_integer(args[0].ty), self.standard_integer(args[1].ty), result);
        let (Some(left), Some(right), Some(result)) = scalars else {
            self.unsupported("overflow builtin on non-standard integers");
            return self.undefined(to);
        };
        let (value, overflow) = if left.ty == Ty::I128 || right.ty == Ty::I128 {
            self.wide_overflow(op, (a, left), (b, right), result, to)
        } else {
            self.narrow_overflow(op, (a, left), (b, right), result, to)
        };
        if let Some(memory) = memory {
            self.store(memory, result.ty, value);
        }
        overflow
    }

    /// Returns the register type of an integer type that fills its register.
    fn standard_integer(&self, ty: TypeId) -> Option<Scalar> {
        match self.types.get(ty) {
            Type::Int(IntKind::BitInt { .. }) => None,
            Type::Int(_) | Type::Enum(_) => self.scalar(ty),
            _ => None,
        }
    }

    /// Computes an operation on operands of at most 64 bits; returns the result and whether it overflows.
    ///
    /// 128 bits hold the exact result as a signed number. The product of two unsigned operands needs all 128 bits as an
    /// unsigned number.
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
            // A set top bit means a negative number for an unsigned result, or a too large one for a signed result.
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

    /// Computes an operation on operands of 128 bits; returns the result and whether it overflows.
    ///
    /// Two words hold the exact result, and the upper one holds only the sign. A product of magnitudes that exceeds 128
    /// bits is detected separately.
    fn wide_overflow(
        &mut self,
        op: BinaryOp,
        (a, left): (Operand, Scalar),
        (b, right): (Operand, Scalar),
        result: Scalar,
        to: Ty,
    ) -> (Operand, Operand) {
        let a = self.convert_scalar(a, left, Scalar { ty: Ty::I128, ..left });
        let b = self.convert_scalar(b, right, Scalar { ty: Ty::I128, ..right });
        let sign_a = self.upper_word(a, left.signed);
        let sign_b = self.upper_word(b, right.signed);
        let (low, high, wraps) = match op {
            BinaryOp::Mul => {
                let x = self.negated_where(a, sign_a);
                let y = self.negated_where(b, sign_b);
                let magnitude = self.binary(BinaryOp::Mul, Ty::I128, x, y);
                let wraps = self.product_wraps(x, y, magnitude, to);
                let sign = self.binary(BinaryOp::Xor, Ty::I128, sign_a, sign_b);
                let low = self.negated_where(magnitude, sign);
                // Minus zero is zero.
                let some = self.compare_as(CompareOp::Ne, Ty::I128, magnitude, Operand::Int(0), Ty::I128);
                let some = self.unary(UnaryOp::Neg, Ty::I128, some);
                (low, self.binary(BinaryOp::And, Ty::I128, sign, some), Some(wraps))
            }
            _ => {
                let low = self.binary(op, Ty::I128, a, b);
                let carry = if op == BinaryOp::Add {
                    self.compare_as(CompareOp::ULt, Ty::I128, low, a, Ty::I128)
                } else {
                    self.compare_as(CompareOp::ULt, Ty::I128, a, b, Ty::I128)
                };
                let high = self.binary(op, Ty::I128, sign_a, sign_b);
                (low, self.binary(op, Ty::I128, high, carry), None)
            }
        };
        let exact = Scalar { ty: Ty::I128, signed: true };
        let value = self.convert_scalar(low, exact, result);
        let back = self.convert_scalar(value, result, exact);
        let upper = self.upper_word(back, result.signed);
        let mut overflow = self.compare_as(CompareOp::Ne, Ty::I128, back, low, to);
        let cut = self.compare_as(CompareOp::Ne, Ty::I128, upper, high, to);
        overflow = self.binary(BinaryOp::Or, to, overflow, cut);
        if let Some(wraps) = wraps {
            overflow = self.binary(BinaryOp::Or, to, overflow, wraps);
        }
        (value, overflow)
    }

    /// Returns the word above a 128-bit value: -1 for a negative value, otherwise 0.
    fn upper_word(&mut self, value: Operand, signed: bool) -> Operand {
        if signed { self.binary(BinaryOp::AShr, Ty::I128, value, Operand::Int(127)) } else { Operand::Int(0) }
    }

    /// Negates the value if the sign word is -1.
    fn negated_where(&mut self, value: Operand, sign: Operand) -> Operand {
        let flipped = self.binary(BinaryOp::Xor, Ty::I128, value, sign);
        self.binary(BinaryOp::Sub, Ty::I128, flipped, sign)
    }

    /// Returns whether an unsigned 128-bit product wrapped: dividing it does not give the other factor.
    fn product_wraps(&mut self, a: Operand, b: Operand, full: Operand, to: Ty) -> Operand {
        let dst = self.temporary(to);
        let (zero, other, join) = (self.new_block(), self.new_block(), self.new_block());
        let is_zero = self.compare_by(CompareOp::Eq, Ty::I128, a, Operand::Int(0));
        self.end(Terminator::Branch { cond: is_zero, then: zero, other, checks: Checks::NONE });
        self.start(zero);
        self.push(Inst::Move { dst, src: Operand::Int(0) });
        self.jump(join);
        self.start(other);
        let quotient = self.divide(DivideOp::UDiv, Ty::I128, full, a, Checks::NONE);
        let wraps = self.compare_as(CompareOp::Ne, Ty::I128, quotient, b, to);
        self.assign(dst, wraps);
        self.jump(join);
        self.start(join);
        Operand::Reg(dst)
    }
}
