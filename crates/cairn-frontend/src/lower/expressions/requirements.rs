//! Places the check `overflow`: what C requires of the operands of integer operations.
//!
//! The requirement is an instruction before the operation, which itself wraps. So a program without the check is the same as before,
//! and the operation has a meaning after a violation that is not asked about.

use cairn_ir::CheckKind;
use cairn_ir::ctype::{IntKind, Type, TypeId};
use cairn_ir::inst::{BinaryOp, CompareOp, ConvertOp, FitsOp, Inst, Operand, Ty};
use cairn_ir::layout::{int_bits, int_signed};

use crate::Overflow;
use crate::hir::{ArithOp, Expr, ExprKind};
use crate::lower::builder::Builder;
use crate::lower::expressions::place::Spot;
use crate::lower::expressions::value::{Scalar, Truth};

impl<'u> Builder<'_, 'u, '_> {
    /// Returns which operations of the function get the check `overflow`.
    fn asked_overflow(&self) -> Overflow {
        self.linker.overflow_in(self.unit.origin, self.name)
    }

    /// Returns the kind of an integer type.
    fn integer_kind(&self, ty: TypeId) -> Option<IntKind> {
        match *self.types.get(ty) {
            Type::Int(kind) => Some(kind),
            Type::Enum(id) => Some(self.types.enumeration(id).repr),
            _ => None,
        }
    }

    /// Requires that an operation on operands of one type has a defined result.
    pub fn require_defined(&mut self, op: ArithOp, ty: TypeId, lhs: Operand, rhs: Operand) {
        let (Some(kind), Some(of)) = (self.integer_kind(ty), self.scalar(ty)) else { return };
        // The types of bit-fields that are wider than int are gcc's own, and wrap.
        if self.asked_overflow() == Overflow::Unchecked || matches!(kind, IntKind::Field { .. }) {
            return;
        }
        let (bits, is_signed) = (int_bits(kind, self.target()), int_signed(kind));
        let required = match op {
            ArithOp::Shl if is_signed => FitsOp::Shl,
            ArithOp::Shl | ArithOp::Shr => {
                if self.asked_overflow() == Overflow::Everything {
                    let bits = self.int(bits.into(), of.ty);
                    self.require(FitsOp::Below, of.ty, rhs, bits);
                }
                return;
            }
            ArithOp::Add => FitsOp::Add,
            ArithOp::Sub => FitsOp::Sub,
            ArithOp::Mul => FitsOp::Mul,
            ArithOp::Div | ArithOp::Rem => FitsOp::Div,
            ArithOp::And | ArithOp::Or | ArithOp::Xor => return,
        };
        if is_signed {
            self.require_bits(required, of.ty, bits, (lhs, rhs));
        }
    }

    /// Requires that a result fits a signed type of some bits, in a register that may be wider.
    ///
    /// A result fits exactly if the same operation on a left operand that is moved to the top of the register does.
    fn require_bits(&mut self, op: FitsOp, ty: Ty, bits: u32, (lhs, rhs): (Operand, Operand)) {
        let unused = ty.bits(self.target()).saturating_sub(bits);
        if unused == 0 {
            return self.require(op, ty, lhs, rhs);
        }
        let distance = self.int(unused.into(), ty);
        let left = self.binary(BinaryOp::Shl, ty, lhs, distance);
        let right = match op {
            FitsOp::Add | FitsOp::Sub => self.binary(BinaryOp::Shl, ty, rhs, distance),
            FitsOp::Shl => {
                let bits = self.int(bits.into(), ty);
                self.require(FitsOp::Below, ty, rhs, bits);
                rhs
            }
            FitsOp::Mul | FitsOp::Div | FitsOp::Below => rhs,
        };
        self.require(op, ty, left, right);
    }

    /// Requires that the negation of a value is defined.
    pub fn require_negation(&mut self, ty: TypeId, value: Operand) {
        self.require_defined(ArithOp::Sub, ty, Operand::Int(0), value);
    }

    /// Requires that `++` or `--` is defined. A value that C promotes to a wider type cannot overflow.
    pub fn require_step(&mut self, op: ArithOp, spot: Spot, ty: TypeId, old: Operand) {
        let (Some(kind), Some(of)) = (self.integer_kind(ty), self.scalar(ty)) else { return };
        let int = int_bits(IntKind::Int, self.target());
        let (bits, is_signed) = match (spot, kind) {
            (_, IntKind::BitInt { width, signed }) => (width.into(), signed),
            (Spot::Bits(_, range, _), _) if u32::from(range.width) < int => (int, true),
            (Spot::Bits(_, range, is_signed), _) if u32::from(range.width) == int => (int, is_signed),
            (Spot::Bits(..), _) => return,
            _ => (int_bits(kind, self.target()), int_signed(kind)),
        };
        let is_computed =
            self.asked_overflow() != Overflow::Unchecked && is_signed && of.ty.bits(self.target()) >= bits;
        if is_computed && (bits >= int || matches!(kind, IntKind::BitInt { .. })) {
            let op = if op == ArithOp::Add { FitsOp::Add } else { FitsOp::Sub };
            self.require_bits(op, of.ty, bits, (old, Operand::Int(1)));
        }
    }

    /// Evaluates the amount of a shift in the type of the computation.
    ///
    /// An amount of a wider type is checked before its upper bits are cut off.
    pub fn shift_amount(&mut self, op: ArithOp, amount: &'u Expr, ty: TypeId) -> Operand {
        let is_shift = matches!(op, ArithOp::Shl | ArithOp::Shr) && self.asked_overflow() != Overflow::Unchecked;
        let (ExprKind::Convert(inner), true) = (&amount.kind, is_shift) else { return self.rvalue(amount) };
        let (Some(from), Some(kind)) = (self.integer_kind(inner.ty), self.integer_kind(ty)) else {
            return self.rvalue(amount);
        };
        let is_asked = self.asked_overflow() == Overflow::Everything || (op == ArithOp::Shl && int_signed(kind));
        let bits = int_bits(kind, self.target());
        let Some(of) = self.scalar(inner.ty).filter(|_| is_asked && int_bits(from, self.target()) > bits) else {
            return self.rvalue(amount);
        };
        let value = self.rvalue(inner);
        self.loc = self.place_of(amount.span);
        let bits = self.int(bits.into(), of.ty);
        self.require(FitsOp::Below, of.ty, value, bits);
        self.convert(value, inner.ty, amount.ty)
    }

    /// Requires that a floating-point number, without its fraction, is a number of an integer type.
    pub fn require_integer(&mut self, value: Operand, from: Ty, to: TypeId) {
        let Some(kind) = self.integer_kind(to).filter(|_| self.asked_overflow() == Overflow::Everything) else {
            return;
        };
        // Narrow formats do not have the bounds of wide integers.
        let (value, from) = match from {
            Ty::F16 | Ty::F32 => (self.convert_by(ConvertOp::FloatCast, from, Ty::F64, value), Ty::F64),
            _ => (value, from),
        };
        let bits = int_bits(kind, self.target());
        let precision = match from {
            Ty::F64 => 53,
            Ty::F80 => 64,
            _ => 113,
        };
        let (least, end) = match int_signed(kind) {
            true => (i128::MIN >> (128 - bits), (bits < 128).then(|| 1i128 << (bits - 1))),
            false => (0, (bits < 127).then(|| 1i128 << bits)),
        };
        let bound = |builder: &mut Self, bound: i128| {
            let bound = builder.int(bound, Ty::I128);
            builder.convert_by(ConvertOp::SIntToFloat, Ty::I128, from, bound)
        };
        let above = if bits <= precision {
            let low = bound(self, least - 1);
            self.compare_by(CompareOp::FLt, from, low, value)
        } else {
            let low = bound(self, least);
            self.compare_by(CompareOp::FLe, from, low, value)
        };
        let mut inside = self.truth_as(Truth::Computed(above), Ty::I32);
        if let Some(end) = end {
            let end = bound(self, end);
            let below = self.compare_by(CompareOp::FLt, from, value, end);
            let below = self.truth_as(Truth::Computed(below), Ty::I32);
            inside = self.binary(BinaryOp::And, Ty::I32, inside, below);
        }
        self.require(FitsOp::Below, Ty::I32, Operand::Int(0), inside);
    }

    /// Emits a requirement unless constants show that it holds.
    fn require(&mut self, op: FitsOp, ty: Ty, lhs: Operand, rhs: Operand) {
        let of = Scalar { ty, signed: true };
        let (a, b) = (self.known(lhs, of), self.known(rhs, of));
        let holds = match op {
            FitsOp::Add => a == Some(0) || b == Some(0),
            FitsOp::Sub => b == Some(0),
            FitsOp::Mul => [a, b].iter().any(|factor| matches!(factor, Some(0 | 1))),
            FitsOp::Div => b.is_some_and(|divisor| divisor != -1),
            FitsOp::Below => matches!((a, b), (Some(a), Some(b)) if 0 <= a && a < b),
            FitsOp::Shl => false,
        };
        let bits = ty.bits(self.target());
        let fits = |result: Option<i128>| result.is_some_and(|value| (value << (128 - bits)) >> (128 - bits) == value);
        let is_computed = match (op, a, b) {
            (FitsOp::Add, Some(a), Some(b)) => fits(a.checked_add(b)),
            (FitsOp::Sub, Some(a), Some(b)) => fits(a.checked_sub(b)),
            (FitsOp::Mul, Some(a), Some(b)) => fits(a.checked_mul(b)),
            (FitsOp::Shl, Some(a), Some(b)) => {
                a >= 0 && (0..i128::from(bits)).contains(&b) && a <= (i128::MAX >> (128 - bits)) >> b
            }
            _ => false,
        };
        if !holds && !is_computed {
            let checks = self.checks(&[CheckKind::Overflow]);
            self.push(Inst::Fits { op, ty, lhs, rhs, checks });
        }
    }
}
