//! Floating-point operations of the IR as terms.
//!
//! An operation is exact for constant operands and for the IEEE 754 formats that `cairn-smt` supports. Otherwise the
//! result is unconstrained: for `long double`, `__float128`, and functions without a bit-level definition.

use cairn_ir::inst::MathFn;
use cairn_ir::layout::Target;
use cairn_ir::{BinaryOp, CompareOp, ConvertOp, Ty};
use cairn_smt::float::{Format, Rounding};
use cairn_smt::term::signed;
use cairn_smt::{Term, Terms};

use super::float;

fn format(ty: Ty) -> Option<Format> {
    match ty {
        Ty::F16 => Some(Format::HALF),
        Ty::F32 => Some(Format::SINGLE),
        Ty::F64 => Some(Format::DOUBLE),
        _ => None,
    }
}

/// Applies a binary operation of a floating type.
pub fn binary(terms: &mut Terms, op: BinaryOp, ty: Ty, a: Term, b: Term) -> Term {
    if let (Some(x), Some(y)) = (terms.as_const(a), terms.as_const(b)) {
        return terms.constant(float::binary(op, ty, x, y), terms.width(a));
    }
    let Some(format) = format(ty) else { return terms.variable("float", terms.width(a)) };
    match op {
        BinaryOp::Add => terms.float_add(format, a, b),
        BinaryOp::Sub => terms.float_sub(format, a, b),
        BinaryOp::Mul => terms.float_mul(format, a, b),
        _ => terms.float_div(format, a, b),
    }
}

/// Compares two values of a floating type.
pub fn compare(terms: &mut Terms, op: CompareOp, ty: Ty, a: Term, b: Term) -> Term {
    if let (Some(x), Some(y)) = (terms.as_const(a), terms.as_const(b)) {
        return terms.constant(u128::from(float::compare(op, ty, x, y)), 1);
    }
    let Some(format) = format(ty) else { return terms.variable("float", 1) };
    match op {
        CompareOp::FEq => terms.float_equal(format, a, b),
        CompareOp::FNe => {
            let equal = terms.float_equal(format, a, b);
            terms.not(equal)
        }
        CompareOp::FLt => terms.float_less(format, a, b),
        CompareOp::FLe => {
            let (less, equal) = (terms.float_less(format, a, b), terms.float_equal(format, a, b));
            terms.or(less, equal)
        }
        _ => terms.variable("float", 1),
    }
}

/// Converts from, to and between floating types.
pub fn convert(terms: &mut Terms, op: ConvertOp, from: Ty, to: Ty, target: Target, value: Term) -> Term {
    let width = to.bits(target);
    if let Some(bits) = terms.as_const(value) {
        let result = match op {
            ConvertOp::SIntToFloat => float::from_signed(to, signed(bits, terms.width(value))),
            ConvertOp::UIntToFloat => float::from_unsigned(to, bits),
            ConvertOp::FloatToSInt => float::to_signed(from, width, bits),
            ConvertOp::FloatToUInt => float::to_unsigned(from, width, bits),
            _ => float::cast(from, to, bits),
        };
        return terms.constant(result, width);
    }
    match (op, format(from), format(to)) {
        (ConvertOp::SIntToFloat, _, Some(to)) => terms.float_from_int(to, value, true),
        (ConvertOp::UIntToFloat, _, Some(to)) => terms.float_from_int(to, value, false),
        (ConvertOp::FloatToSInt, Some(from), _) => terms.float_to_signed(from, value, width),
        (ConvertOp::FloatToUInt, Some(from), _) => terms.float_to_unsigned(from, value, width),
        (ConvertOp::FloatCast, Some(from), Some(to)) => terms.float_cast(from, to, value),
        _ => terms.variable("float", width),
    }
}

/// Applies a function of `math.h`; `None` if it has no term of reasonable size.
pub fn math(terms: &mut Terms, function: MathFn, ty: Ty, target: Target, values: &[Term]) -> Option<Term> {
    let constants: Option<Vec<u128>> = values.iter().map(|&value| terms.as_const(value)).collect();
    if let Some(result) = constants.and_then(|constants| float::math(function, ty, &constants)) {
        return Some(terms.constant(result, ty.bits(target)));
    }
    let (format, &a) = (format(ty)?, values.first()?);
    let size = format.bits() - 1;
    let mut rounded = |rounding| Some(terms.float_round(format, rounding, a));
    match (function, values.get(1)) {
        (MathFn::Trunc, _) => rounded(Rounding::Truncate),
        (MathFn::Floor, _) => rounded(Rounding::Floor),
        (MathFn::Ceil, _) => rounded(Rounding::Ceiling),
        (MathFn::Round, _) => rounded(Rounding::Nearest),
        (MathFn::Fabs, _) => {
            let size = terms.extract(a, 0, size);
            Some(terms.zext(size, format.bits()))
        }
        (MathFn::Copysign, Some(&b)) => {
            let (size, sign) = (terms.extract(a, 0, size), terms.extract(b, size, 1));
            Some(terms.concat(sign, size))
        }
        _ => None,
    }
}
