//! Operations on scalars as terms.

use cairn_ir::inst::MathFn;
use cairn_ir::{BinaryOp, CompareOp, ConvertOp, Reg, Ty, UnaryOp};
use cairn_smt::Term;

use super::Explorer;
use super::access::Undecided;
use super::allocation::Target;
use super::state::State;
use crate::float_terms;

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
            return float_terms::binary(&mut self.terms, op, ty, a, b);
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

    /// A function of floating values; `None` where nothing is known of it.
    pub(super) fn math(&mut self, function: MathFn, state: &State, dst: Option<Reg>, values: &[Term]) -> Option<Term> {
        let ty = self.reg_ty(state, dst?);
        float_terms::math(&mut self.terms, function, ty, self.program.target, values)
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
            return Ok(float_terms::compare(&mut self.terms, op, ty, a, b));
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

    pub(super) fn convert(&mut self, op: ConvertOp, from: Ty, to: Ty, value: Term) -> Term {
        let width = to.bits(self.program.target);
        match op {
            ConvertOp::Trunc => self.terms.extract(value, 0, width),
            ConvertOp::ZExt => self.terms.zext(value, width),
            ConvertOp::SExt => self.terms.sext(value, width),
            ConvertOp::PtrToInt | ConvertOp::IntToPtr => value,
            _ => float_terms::convert(&mut self.terms, op, from, to, self.program.target, value),
        }
    }
}
