//! Scalar operations of the IR as terms. Floating-point operations are in [`float_terms`].

use cairn_ir::inst::DivideOp;
use cairn_ir::layout::Target;
use cairn_ir::{BinaryOp, Ty, UnaryOp};
use cairn_smt::{Term, Terms};

use super::float_terms;

/// Applies a unary operation.
pub fn unary(terms: &mut Terms, target: Target, op: UnaryOp, ty: Ty, value: Term) -> Term {
    let width = ty.bits(target);
    if ty.is_float() {
        // Negation flips the sign bit.
        let sign = terms.constant(1 << (width - 1), width);
        return terms.xor(value, sign);
    }
    match op {
        UnaryOp::Neg => terms.neg(value),
        UnaryOp::Not => terms.not(value),
        UnaryOp::PopCount => {
            let mut sum = terms.constant(0, width);
            for bit in 0..width {
                let bit = terms.extract(value, bit, 1);
                let bit = terms.zext(bit, width);
                sum = terms.add(sum, bit);
            }
            sum
        }
        UnaryOp::ByteSwap => {
            let bytes: Vec<Term> = (0..width / 8).map(|i| terms.extract(value, 8 * i, 8)).collect();
            bytes.into_iter().reduce(|high, low| terms.concat(high, low)).unwrap_or(value)
        }
        UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros => {
            let mut result = terms.constant(u128::from(width), width);
            for step in 0..width {
                // The last test takes precedence, so the bit that is counted first is tested last.
                let position = width - 1 - step;
                let bit = if op == UnaryOp::CountLeadingZeros { width - 1 - position } else { position };
                let bit = terms.extract(value, bit, 1);
                let count = terms.constant(u128::from(position), width);
                result = terms.ite(bit, count, result);
            }
            result
        }
    }
}

/// Applies a binary operation that is defined for all operands.
pub fn binary(terms: &mut Terms, target: Target, op: BinaryOp, ty: Ty, a: Term, b: Term) -> Term {
    let width = ty.bits(target);
    if ty.is_float() {
        return float_terms::binary(terms, op, ty, a, b);
    }
    match op {
        BinaryOp::Add => terms.add(a, b),
        BinaryOp::Sub => terms.sub(a, b),
        BinaryOp::Mul => terms.mul(a, b),
        BinaryOp::And => terms.and(a, b),
        BinaryOp::Or => terms.or(a, b),
        BinaryOp::Xor => terms.xor(a, b),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            let limit = terms.constant(u128::from(width - 1), width);
            let amount = terms.and(b, limit);
            match op {
                BinaryOp::Shl => terms.shl(a, amount),
                BinaryOp::LShr => terms.lshr(a, amount),
                _ => terms.ashr(a, amount),
            }
        }
        BinaryOp::FDiv => terms.variable("float", width),
    }
}

/// Returns the condition under which a division is defined, and its result in that case.
pub fn divide(terms: &mut Terms, op: DivideOp, a: Term, b: Term) -> (Term, Term) {
    let width = terms.width(a);
    let zero = terms.constant(0, width);
    let mut defined = terms.ne(b, zero);
    if matches!(op, DivideOp::SDiv | DivideOp::SRem) {
        let (least, minus_one) = (terms.constant(1 << (width - 1), width), terms.constant(u128::MAX, width));
        let (x, y) = (terms.eq(a, least), terms.eq(b, minus_one));
        let overflow = terms.and(x, y);
        let fits = terms.not(overflow);
        defined = terms.and(defined, fits);
    }
    let result = match op {
        DivideOp::SDiv => terms.sdiv(a, b),
        DivideOp::UDiv => terms.udiv(a, b),
        DivideOp::SRem => terms.srem(a, b),
        DivideOp::URem => terms.urem(a, b),
    };
    (defined, result)
}
