//! Exact integer arithmetic on constants in C's types.
//!
//! A constant is represented by its value, except that `unsigned __int128` is represented by its bits.

use cairn_ir::ctype::{IntKind, TypeId};
use cairn_ir::layout::{Target, int_bits, int_signed};

use crate::ast::IntLiteral;
use crate::hir::{ArithOp, CompareOp};

/// Converts a value to an integer type, modulo its range.
pub(crate) fn wrap(kind: IntKind, target: Target, value: i128) -> i128 {
    if kind == IntKind::Bool {
        return i128::from(value != 0);
    }
    wrap_bits(int_bits(kind, target), int_signed(kind), value)
}

/// Reduces a value to the given number of bits.
pub(crate) fn wrap_bits(bits: u32, signed: bool, value: i128) -> i128 {
    if bits == 0 {
        return 0;
    }
    let shift = 128u32.saturating_sub(bits);
    if signed { (value << shift) >> shift } else { (((value as u128) << shift) >> shift) as i128 }
}

/// Applies an operator to two values of one type; returns `None` if C leaves the result undefined.
pub(crate) fn arith(op: ArithOp, kind: IntKind, target: Target, a: i128, b: i128) -> Option<i128> {
    let bits = int_bits(kind, target);
    let wide = bits == 128 && !int_signed(kind);
    let result = match op {
        ArithOp::Add => a.wrapping_add(b),
        ArithOp::Sub => a.wrapping_sub(b),
        ArithOp::Mul => a.wrapping_mul(b),
        ArithOp::Div if wide => (a as u128).checked_div(b as u128)? as i128,
        ArithOp::Rem if wide => (a as u128).checked_rem(b as u128)? as i128,
        ArithOp::Div | ArithOp::Rem if b == -1 && int_signed(kind) && a == i128::MIN >> (128 - bits) => return None,
        ArithOp::Div => a.checked_div(b)?,
        ArithOp::Rem => a.checked_rem(b)?,
        ArithOp::Shl | ArithOp::Shr if b < 0 || b >= i128::from(bits) => return None,
        ArithOp::Shl => a << b,
        ArithOp::Shr if wide => ((a as u128) >> b) as i128,
        ArithOp::Shr => a >> b,
        ArithOp::And => a & b,
        ArithOp::Or => a | b,
        ArithOp::Xor => a ^ b,
    };
    Some(wrap(kind, target, result))
}

/// Returns whether C defines the result of an operator on two values of one type.
pub(crate) fn is_defined(op: ArithOp, kind: IntKind, target: Target, a: i128, b: i128) -> bool {
    let result = match op {
        _ if !int_signed(kind) => return true,
        ArithOp::Add => a.checked_add(b),
        ArithOp::Sub => a.checked_sub(b),
        ArithOp::Mul => a.checked_mul(b),
        ArithOp::Shl if a < 0 => None,
        // `arith` folds no amount of the width or more.
        ArithOp::Shl => a.checked_mul(1i128.checked_shl(b as u32).unwrap_or(0)),
        _ => return true,
    };
    result.is_some_and(|result| wrap(kind, target, result) == result)
}

/// Like [`arith`] in a constant expression, where a shift by the width or more gives the value that gcc folds it to.
pub(crate) fn arith_constant(op: ArithOp, kind: IntKind, target: Target, a: i128, b: i128) -> Option<i128> {
    let too_far = b >= i128::from(int_bits(kind, target));
    match op {
        ArithOp::Shl if too_far => Some(0),
        ArithOp::Shr if too_far => Some(if int_signed(kind) && a < 0 { -1 } else { 0 }),
        _ => arith(op, kind, target, a, b),
    }
}

/// Compares two values of one type.
pub(crate) fn compare(op: CompareOp, unsigned_wide: bool, a: i128, b: i128) -> bool {
    let order = if unsigned_wide { (a as u128).cmp(&(b as u128)) } else { a.cmp(&b) };
    op.holds(order)
}

/// Returns the conversion rank, which is equal for signed and unsigned forms.
pub(crate) fn rank(kind: IntKind) -> u8 {
    match kind {
        IntKind::Bool => 0,
        IntKind::Char | IntKind::SChar | IntKind::UChar => 1,
        IntKind::Short | IntKind::UShort => 2,
        IntKind::Int | IntKind::UInt => 3,
        IntKind::Long | IntKind::ULong => 4,
        IntKind::LongLong | IntKind::ULongLong => 5,
        IntKind::Int128 | IntKind::UInt128 => 6,
        // `common` does not compare these by rank.
        IntKind::Field { .. } | IntKind::BitInt { .. } => 0,
    }
}

/// Returns the unsigned form of an integer type.
pub(crate) fn to_unsigned(kind: IntKind) -> IntKind {
    match kind {
        IntKind::Char | IntKind::SChar => IntKind::UChar,
        IntKind::Short => IntKind::UShort,
        IntKind::Int => IntKind::UInt,
        IntKind::Long => IntKind::ULong,
        IntKind::LongLong => IntKind::ULongLong,
        IntKind::Int128 => IntKind::UInt128,
        IntKind::Field { width, .. } => IntKind::Field { width, signed: false },
        IntKind::BitInt { width, .. } => IntKind::BitInt { width, signed: false },
        other => other,
    }
}

/// Returns the predefined id of a standard integer type.
pub(crate) fn type_of(kind: IntKind) -> TypeId {
    match kind {
        IntKind::Field { .. } | IntKind::BitInt { .. } => TypeId::ERROR,
        IntKind::Bool => TypeId::BOOL,
        IntKind::Char => TypeId::CHAR,
        IntKind::SChar => TypeId::SCHAR,
        IntKind::UChar => TypeId::UCHAR,
        IntKind::Short => TypeId::SHORT,
        IntKind::UShort => TypeId::USHORT,
        IntKind::Int => TypeId::INT,
        IntKind::UInt => TypeId::UINT,
        IntKind::Long => TypeId::LONG,
        IntKind::ULong => TypeId::ULONG,
        IntKind::LongLong => TypeId::LONG_LONG,
        IntKind::ULongLong => TypeId::ULONG_LONG,
        IntKind::Int128 => TypeId::INT128,
        IntKind::UInt128 => TypeId::UINT128,
    }
}

/// Returns the common type of two promoted operands (the usual arithmetic conversions).
pub(crate) fn common(a: IntKind, b: IntKind, target: Target) -> IntKind {
    if a == b {
        return a;
    }
    let (signed_a, signed_b) = (int_signed(a), int_signed(b));
    if matches!(a, IntKind::Field { .. }) || matches!(b, IntKind::Field { .. }) {
        let (bits_a, bits_b) = (int_bits(a, target), int_bits(b, target));
        return if bits_a > bits_b || (bits_a == bits_b && !signed_a) { a } else { b };
    }
    // The rank of a `_BitInt` is its width. A standard type of the same width has a higher rank.
    let bit_precise = |kind| matches!(kind, IntKind::BitInt { .. });
    let either = bit_precise(a) || bit_precise(b);
    let rank = |kind| {
        if either { 2 * int_bits(kind, target) + u32::from(!bit_precise(kind)) } else { u32::from(rank(kind)) }
    };
    if signed_a == signed_b {
        return if rank(a) >= rank(b) { a } else { b };
    }
    let (signed, unsigned) = if signed_a { (a, b) } else { (b, a) };
    if rank(unsigned) >= rank(signed) {
        unsigned
    } else if int_bits(signed, target) > int_bits(unsigned, target) {
        signed
    } else {
        to_unsigned(signed)
    }
}

/// Returns whether a value fits a type.
pub(crate) fn fits(kind: IntKind, target: Target, value: u128) -> bool {
    let bits = int_bits(kind, target) - u32::from(int_signed(kind));
    bits >= 128 || value >> bits == 0
}

/// Returns the type of an integer constant, given its value, base and suffix.
pub(crate) fn literal_kind(literal: &IntLiteral, target: Target) -> IntKind {
    if literal.bit_precise {
        let bits = 128 - literal.value.leading_zeros().min(127);
        let width = (bits + u32::from(!literal.unsigned)).min(128) as u8;
        return IntKind::BitInt { width, signed: !literal.unsigned };
    }
    const KINDS: [(IntKind, IntKind); 4] = [
        (IntKind::Int, IntKind::UInt),
        (IntKind::Long, IntKind::ULong),
        (IntKind::LongLong, IntKind::ULongLong),
        (IntKind::Int128, IntKind::UInt128),
    ];
    let count = if target == Target::Lp64 { 4 } else { 3 };
    for &(signed, unsigned) in KINDS[..count].iter().skip(literal.longs as usize) {
        if !literal.unsigned && fits(signed, target, literal.value) {
            return signed;
        }
        if (literal.unsigned || !literal.decimal) && fits(unsigned, target, literal.value) {
            return unsigned;
        }
    }
    if target == Target::Lp64 { IntKind::UInt128 } else { IntKind::ULongLong }
}
