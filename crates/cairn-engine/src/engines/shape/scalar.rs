//! Operations on scalars: integers exactly as terms; the order of floats too, their arithmetic exactly where they are constant and
//! anything otherwise.

use cairn_ir::inst::MathFn;
use cairn_ir::{BinaryOp, CompareOp, ConvertOp, Reg, Ty, UnaryOp};
use cairn_smt::Term;
use cairn_smt::term::mask;

use super::Explorer;
use super::access::Undecided;
use super::allocation::Target;
use super::state::State;
use crate::engines::interpret::float;

impl Explorer<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, ty: Ty, value: Term) -> Term {
        let width = ty.bits(self.program.target);
        if ty.is_float() {
            // Negation flips the sign bit.
            let sign = self.terms.constant(1 << (width - 1), width);
            return self.terms.xor(value, sign);
        }
        match op {
            UnaryOp::Neg => self.terms.neg(value),
            UnaryOp::Not => self.terms.not(value),
            UnaryOp::PopCount => {
                let mut sum = self.terms.constant(0, width);
                for bit in 0..width {
                    let bit = self.terms.extract(value, bit, 1);
                    let bit = self.terms.zext(bit, width);
                    sum = self.terms.add(sum, bit);
                }
                sum
            }
            UnaryOp::ByteSwap => {
                let bytes: Vec<Term> = (0..width / 8).map(|i| self.terms.extract(value, 8 * i, 8)).collect();
                bytes.into_iter().reduce(|high, low| self.terms.concat(high, low)).unwrap_or(value)
            }
            UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => {
                let mut result = self.terms.constant(u128::from(width), width);
                for step in 0..width {
                    // The last test decides, so the bit that counts first is tested last.
                    let position = width - 1 - step;
                    let bit = if op == UnaryOp::CountLeadingZeros { width - 1 - position } else { position };
                    let bit = self.terms.extract(value, bit, 1);
                    let count = self.terms.constant(u128::from(position), width);
                    result = self.terms.ite(bit, count, result);
                }
                result
            }
        }
    }

    pub(super) fn binary(&mut self, op: BinaryOp, ty: Ty, a: Term, b: Term) -> Term {
        let width = ty.bits(self.program.target);
        if ty.is_float() {
            return match (self.terms.as_const(a), self.terms.as_const(b)) {
                (Some(x), Some(y)) => self.terms.constant(float::binary(op, ty, x, y), width),
                _ => self.terms.variable("float", width),
            };
        }
        match op {
            BinaryOp::Add => self.terms.add(a, b),
            BinaryOp::Sub => self.terms.sub(a, b),
            BinaryOp::Mul => self.terms.mul(a, b),
            BinaryOp::And => self.terms.and(a, b),
            BinaryOp::Or => self.terms.or(a, b),
            BinaryOp::Xor => self.terms.xor(a, b),
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                let limit = self.terms.constant(u128::from(width - 1), width);
                let amount = self.terms.and(b, limit);
                match op {
                    BinaryOp::Shl => self.terms.shl(a, amount),
                    BinaryOp::LShr => self.terms.lshr(a, amount),
                    _ => self.terms.ashr(a, amount),
                }
            }
            BinaryOp::FDiv => self.terms.variable("float", width),
        }
    }

    /// A function of floating values; `None` where they are not constant or it is not a matter of bits.
    pub(super) fn math(&mut self, function: MathFn, state: &State, dst: Option<Reg>, values: &[Term]) -> Option<Term> {
        let ty = self.reg_ty(state, dst?);
        let args: Option<Vec<u128>> = values.iter().map(|&value| self.terms.as_const(value)).collect();
        let result = float::math(function, ty, &args?)?;
        Some(self.terms.constant(result, ty.bits(self.program.target)))
    }

    pub(super) fn compare(
        &mut self,
        state: &State,
        op: CompareOp,
        ty: Ty,
        a: Term,
        b: Term,
    ) -> Result<Term, Undecided> {
        if ty.is_float() {
            return Ok(match (self.terms.as_const(a), self.terms.as_const(b)) {
                (Some(x), Some(y)) => {
                    let truth = float::compare(op, ty, x, y);
                    self.terms.constant(u128::from(truth), 1)
                }
                _ if matches!(ty, Ty::F32 | Ty::F64) => self.compare_floats(op, a, b),
                _ => self.terms.variable("float", 1),
            });
        }
        let addresses = self.terms.width(a) == self.pointer_bits;
        Ok(match op {
            CompareOp::Eq | CompareOp::Ne => {
                let equal = if addresses { self.pointers_equal(state, ty, a, b)? } else { self.terms.eq(a, b) };
                if op == CompareOp::Eq { equal } else { self.terms.not(equal) }
            }
            CompareOp::ULt | CompareOp::ULe if addresses => {
                let (mut a, mut b) = (a, b);
                // Within one object the order is that of the offsets, which do not wrap; those of integers may.
                if let (Target::Object(p, x), Target::Object(q, y)) = (self.target(state, a), self.target(state, b))
                    && p == q
                    && (ty == Ty::Ptr || (self.is_near(state, p, x) && self.is_near(state, p, y)))
                {
                    let half = self.terms.constant(1 << (self.pointer_bits - 1), self.pointer_bits);
                    a = self.terms.add(x, half);
                    b = self.terms.add(y, half);
                }
                if op == CompareOp::ULt { self.terms.ult(a, b) } else { self.terms.ule(a, b) }
            }
            CompareOp::SLt => self.terms.slt(a, b),
            CompareOp::SLe => self.terms.sle(a, b),
            CompareOp::ULt => self.terms.ult(a, b),
            CompareOp::ULe => self.terms.ule(a, b),
            _ => self.terms.variable("float", 1),
        })
    }

    /// The order of floats in a format of IEEE 754 is one of their bits: that of the numbers they spell, the other way round where
    /// both are negative. Both zeros are equal, and what is no number is less than, equal to and greater than nothing.
    fn compare_floats(&mut self, op: CompareOp, a: Term, b: Term) -> Term {
        let width = self.terms.width(a);
        let exponent_bits = if width == 32 { 8 } else { 11 };
        let infinity = self.terms.constant(mask(exponent_bits) << (width - 1 - exponent_bits), width);
        let split = |terms: &mut cairn_smt::Terms, x: Term| {
            let size = terms.extract(x, 0, width - 1);
            (terms.extract(x, width - 1, 1), terms.zext(size, width))
        };
        let ((sign_a, size_a), (sign_b, size_b)) = (split(&mut self.terms, a), split(&mut self.terms, b));
        let terms = &mut self.terms;
        let (a_number, b_number) = (terms.ule(size_a, infinity), terms.ule(size_b, infinity));
        let numbers = terms.and(a_number, b_number);
        let zero = terms.constant(0, width);
        let (a_zero, b_zero) = (terms.eq(size_a, zero), terms.eq(size_b, zero));
        let zeros = terms.and(a_zero, b_zero);
        let same = terms.eq(a, b);
        let alike = terms.or(same, zeros);
        let equal = terms.and(numbers, alike);
        if matches!(op, CompareOp::FEq) {
            return equal;
        }
        if matches!(op, CompareOp::FNe) {
            return terms.not(equal);
        }
        let (smaller, greater) = (terms.ult(size_a, size_b), terms.ult(size_b, size_a));
        let (plus_a, plus_b) = (terms.not(sign_a), terms.not(sign_b));
        let truth = terms.truth();
        let below_plus = terms.and(plus_b, smaller);
        let from_minus = terms.ite(sign_b, greater, truth);
        let ordered = terms.ite(plus_a, below_plus, from_minus);
        let apart = terms.not(zeros);
        let ordered = terms.and(ordered, apart);
        let less = terms.and(numbers, ordered);
        if matches!(op, CompareOp::FLt) { less } else { terms.or(less, equal) }
    }

    pub(super) fn convert(&mut self, op: ConvertOp, from: Ty, to: Ty, value: Term) -> Term {
        let width = to.bits(self.program.target);
        match op {
            ConvertOp::Trunc => self.terms.extract(value, 0, width),
            ConvertOp::ZExt => self.terms.zext(value, width),
            ConvertOp::SExt => self.terms.sext(value, width),
            ConvertOp::PtrToInt | ConvertOp::IntToPtr => value,
            _ => {
                let Some(bits) = self.terms.as_const(value) else { return self.terms.variable("float", width) };
                let from_width = self.terms.width(value);
                let result = match op {
                    ConvertOp::SIntToFloat => float::from_signed(to, cairn_smt::term::signed(bits, from_width)),
                    ConvertOp::UIntToFloat => float::from_unsigned(to, bits),
                    ConvertOp::FloatToSInt => float::to_signed(from, width, bits),
                    ConvertOp::FloatToUInt => float::to_unsigned(from, width, bits),
                    _ => float::cast(from, to, bits),
                };
                self.terms.constant(result, width)
            }
        }
    }
}
