//! Scalar operations on the bits of values, for every type. Integers are zero-extended from `bits` bits.
//!
//! [`definedness`] tracks uninitialised bits through these operations, and [`value`] is the content of a register.

pub(crate) mod definedness;
pub(crate) mod value;

use cairn_ir::inst::{BinaryOp, CompareOp, ConvertOp, DivideOp, FitsOp};
use cairn_ir::{Ty, UnaryOp};

use cairn_memory::scalar::float;

/// Keeps the low bits.
pub(crate) const fn truncate(value: u128, bits: u32) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

/// Reads the low bits as a signed number.
pub(crate) const fn signed(value: u128, bits: u32) -> i128 {
    if bits == 0 || bits >= 128 {
        return value as i128;
    }
    let shift = 128 - bits;
    ((value << shift) as i128) >> shift
}

/// Applies a unary operation.
pub(crate) fn unary(op: UnaryOp, ty: Ty, bits: u32, value: u128) -> u128 {
    if ty.is_float() {
        // Negation flips only the sign bit, also for NaN.
        return value ^ (1 << (bits - 1));
    }
    let padding = 128 - bits;
    let result = match op {
        UnaryOp::Neg => value.wrapping_neg(),
        UnaryOp::Not => !value,
        UnaryOp::CountLeadingZeros => u128::from(value.leading_zeros().saturating_sub(padding)),
        UnaryOp::CountTrailingZeros => u128::from(value.trailing_zeros().min(bits)),
        UnaryOp::PopCount => u128::from(value.count_ones()),
        UnaryOp::ByteSwap => value.swap_bytes().checked_shr(padding).unwrap_or(0),
    };
    truncate(result, bits)
}

/// Applies a binary operation.
pub(crate) fn binary(op: BinaryOp, ty: Ty, bits: u32, a: u128, b: u128) -> u128 {
    if ty.is_float() {
        return float::binary(op, ty, a, b);
    }
    let amount = (b % u128::from(bits.max(1))) as u32;
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a << amount,
        BinaryOp::LShr => a >> amount,
        BinaryOp::AShr => (signed(a, bits) >> amount) as u128,
        BinaryOp::FDiv => 0,
    };
    truncate(result, bits)
}

/// Divides; `None` if the divisor is zero or the quotient does not fit.
pub(crate) fn divide(op: DivideOp, bits: u32, a: u128, b: u128) -> Option<u128> {
    if b == 0 {
        return None;
    }
    let (x, y) = (signed(a, bits), signed(b, bits));
    let least = signed(1u128.checked_shl(bits.wrapping_sub(1)).unwrap_or(0), bits);
    let overflow = x == least && y == -1;
    let result = match op {
        DivideOp::SDiv | DivideOp::SRem if overflow => return None,
        DivideOp::SDiv => x.wrapping_div(y) as u128,
        DivideOp::SRem => x.wrapping_rem(y) as u128,
        DivideOp::UDiv => a / b,
        DivideOp::URem => a % b,
    };
    Some(truncate(result, bits))
}

/// Returns whether the result of an operation fits its type.
pub(crate) fn fits(op: FitsOp, bits: u32, a: u128, b: u128) -> bool {
    let (x, y) = (signed(a, bits), signed(b, bits));
    let is_number = |value: i128| signed(value as u128, bits) == value;
    let result = match op {
        FitsOp::Below => return a < b,
        FitsOp::Div => return !(y == -1 && x == signed(1 << (bits - 1), bits)),
        FitsOp::Shl if x < 0 || b >= u128::from(bits) => return false,
        FitsOp::Shl => return x <= signed(truncate(u128::MAX >> (129 - bits), bits), bits) >> b,
        FitsOp::Add => x.checked_add(y),
        FitsOp::Sub => x.checked_sub(y),
        FitsOp::Mul => x.checked_mul(y),
    };
    result.is_some_and(is_number)
}

/// Describes an operation whose result does not fit its type.
pub(crate) fn describe_overflow(op: FitsOp, bits: u32, a: u128, b: u128) -> String {
    let (x, y) = (signed(a, bits), signed(b, bits));
    let operator = match op {
        FitsOp::Sub if x == 0 => return format!("-({y}) does not fit {bits} bits"),
        FitsOp::Below => return format!("{a} is out of range: at most {} is defined", b.wrapping_sub(1)),
        FitsOp::Shl if b >= u128::from(bits) => return format!("shift of {bits} bits by {y}"),
        FitsOp::Shl if x < 0 => return format!("left shift of the negative number {x}"),
        FitsOp::Add => "+",
        FitsOp::Sub => "-",
        FitsOp::Mul => "*",
        FitsOp::Div => "/",
        FitsOp::Shl => "<<",
    };
    format!("{x} {operator} {y} does not fit {bits} bits")
}

/// Compares two values.
pub(crate) fn compare(op: CompareOp, ty: Ty, bits: u32, a: u128, b: u128) -> bool {
    if ty.is_float() {
        return float::compare(op, ty, a, b);
    }
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::ULt => a < b,
        CompareOp::ULe => a <= b,
        CompareOp::SLt => signed(a, bits) < signed(b, bits),
        CompareOp::SLe => signed(a, bits) <= signed(b, bits),
        CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe => float::compare(op, ty, a, b),
    }
}

/// Converts a value. Only the conversion of an integer to a pointer needs memory and is not done here.
pub(crate) fn convert(op: ConvertOp, from: (Ty, u32), to: (Ty, u32), value: u128) -> u128 {
    let result = match op {
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::PtrToInt | ConvertOp::IntToPtr => value,
        ConvertOp::SExt => signed(value, from.1) as u128,
        ConvertOp::FloatToSInt => float::to_signed(from.0, to.1, value),
        ConvertOp::FloatToUInt => float::to_unsigned(from.0, to.1, value),
        ConvertOp::SIntToFloat => float::from_signed(to.0, signed(value, from.1)),
        ConvertOp::UIntToFloat => float::from_unsigned(to.0, value),
        ConvertOp::FloatCast => float::cast(from.0, to.0, value),
    };
    truncate(result, to.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unary_operations_respect_the_width() {
        assert_eq!(unary(UnaryOp::Neg, Ty::I8, 8, 1), 0xff);
        assert_eq!(unary(UnaryOp::Not, Ty::I16, 16, 0), 0xffff);
        assert_eq!(unary(UnaryOp::CountLeadingZeros, Ty::I32, 32, 1), 31);
        assert_eq!(unary(UnaryOp::CountLeadingZeros, Ty::I32, 32, 0), 32);
        assert_eq!(unary(UnaryOp::CountTrailingZeros, Ty::I64, 64, 0), 64);
        assert_eq!(unary(UnaryOp::CountTrailingZeros, Ty::I64, 64, 8), 3);
        assert_eq!(unary(UnaryOp::ByteSwap, Ty::I32, 32, 0x1122_3344), 0x4433_2211);
        assert_eq!(unary(UnaryOp::ByteSwap, Ty::I128, 128, 1), 1 << 120);
        assert_eq!(unary(UnaryOp::PopCount, Ty::I8, 8, 0xff), 8);
        assert_eq!(unary(UnaryOp::Neg, Ty::F64, 64, 1.5f64.to_bits().into()), (-1.5f64).to_bits().into());
    }

    #[test]
    fn division_fails_where_x86_traps() {
        assert_eq!(divide(DivideOp::SDiv, 32, 7, 0), None);
        assert_eq!(divide(DivideOp::SDiv, 32, 0x8000_0000, 0xffff_ffff), None);
        assert_eq!(divide(DivideOp::SRem, 32, 0x8000_0000, 0xffff_ffff), None);
        assert_eq!(divide(DivideOp::SDiv, 128, 1 << 127, u128::MAX), None);
        assert_eq!(divide(DivideOp::SDiv, 32, 0xffff_fff9, 2), Some(0xffff_fffd));
        assert_eq!(divide(DivideOp::SRem, 32, 0xffff_fff9, 2), Some(0xffff_ffff));
        assert_eq!(divide(DivideOp::UDiv, 64, u128::from(u64::MAX), 2), Some(u128::from(u64::MAX) / 2));
    }

    #[test]
    fn shifts_take_their_amount_modulo_the_width() {
        assert_eq!(binary(BinaryOp::Shl, Ty::I32, 32, 1, 33), 2);
        assert_eq!(binary(BinaryOp::AShr, Ty::I8, 8, 0x80, 1), 0xc0);
        assert_eq!(binary(BinaryOp::LShr, Ty::I128, 128, 1 << 127, 127), 1);
    }
}
