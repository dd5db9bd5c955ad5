//! Scalar operations on partly uninitialised values: which bits of the result are uninitialised.
//!
//! A bit of the result is initialised if the uninitialised bits of the operands cannot change it, as far as the rules
//! here can tell. The rules are the exact ones of Memcheck (Seward and Nethercote, "Using Valgrind to detect
//! undefined value errors with bit-precision", USENIX 2005, section 2.4):
//! - Operations that copy, shift or mask bits are tracked bit by bit.
//! - Sums and orders use the least and the greatest value that the operands may have.
//! - If bits mix in other ways, one uninitialised bit makes the whole result uninitialised.

use cairn_ir::inst::{BinaryOp, CompareOp, ConvertOp};
use cairn_ir::{Ty, UnaryOp};

use crate::arithmetic::{self, signed, truncate};

/// A scalar of any type, zero-extended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scalar {
    /// The bits; 0 where they are uninitialised.
    pub bits: u128,
    /// A mask of the uninitialised bits.
    pub undefined: u128,
}

impl Scalar {
    pub const fn defined(bits: u128) -> Self {
        Scalar { bits, undefined: 0 }
    }

    pub const fn is_defined(self) -> bool {
        self.undefined == 0
    }

    /// Returns the bits, if all of them are initialised.
    pub const fn known(self) -> Option<u128> {
        if self.undefined == 0 { Some(self.bits) } else { None }
    }

    /// Returns a wholly uninitialised scalar of `width` bits.
    pub const fn unset(width: u32) -> Self {
        Scalar { bits: 0, undefined: truncate(u128::MAX, width) }
    }

    const fn new(bits: u128, undefined: u128, width: u32) -> Self {
        let undefined = truncate(undefined, width);
        Scalar { bits: truncate(bits, width) & !undefined, undefined }
    }

    const fn least(self) -> u128 {
        self.bits
    }

    const fn greatest(self) -> u128 {
        self.bits | self.undefined
    }

    /// Returns the least and the greatest value in signed order: an uninitialised sign is negative only in the least.
    const fn signed_range(self, width: u32) -> (i128, i128) {
        let sign = 1 << (width - 1) & self.undefined;
        (signed(self.least() | sign, width), signed(self.greatest() & !sign, width))
    }
}

/// Applies a unary operation.
pub(crate) fn unary(op: UnaryOp, ty: Ty, width: u32, value: Scalar) -> Scalar {
    let result = arithmetic::unary(op, ty, width, value.bits);
    if value.is_defined() {
        return Scalar::defined(result);
    }
    match op {
        UnaryOp::Neg if !ty.is_float() => sum(Scalar::defined(0), value, width, true),
        // Negation of a floating-point number flips the sign bit.
        UnaryOp::Neg | UnaryOp::Not => Scalar::new(result, value.undefined, width),
        UnaryOp::ByteSwap => Scalar::new(result, arithmetic::unary(op, ty, width, value.undefined), width),
        // The first one bit decides, unless an uninitialised bit precedes it.
        UnaryOp::CountTrailingZeros if value.undefined.trailing_zeros() > value.bits.trailing_zeros() => {
            Scalar::defined(result)
        }
        UnaryOp::CountLeadingZeros if value.undefined.leading_zeros() > value.bits.leading_zeros() => {
            Scalar::defined(result)
        }
        UnaryOp::CountLeadingZeros | UnaryOp::CountTrailingZeros | UnaryOp::PopCount => Scalar::unset(width),
    }
}

/// Applies a binary operation.
pub(crate) fn binary(op: BinaryOp, ty: Ty, width: u32, a: Scalar, b: Scalar) -> Scalar {
    let either = a.undefined | b.undefined;
    if either == 0 {
        return Scalar::defined(arithmetic::binary(op, ty, width, a.bits, b.bits));
    }
    if ty.is_float() {
        return Scalar::unset(width);
    }
    match op {
        // An initialised zero decides an `and`, an initialised one an `or`.
        BinaryOp::And => Scalar::new(a.bits & b.bits, either & a.greatest() & b.greatest(), width),
        BinaryOp::Or => Scalar::new(a.bits | b.bits, either & !a.least() & !b.least(), width),
        BinaryOp::Xor => Scalar::new(a.bits ^ b.bits, either, width),
        BinaryOp::Add => sum(a, b, width, false),
        BinaryOp::Sub => sum(a, b, width, true),
        BinaryOp::Mul => product(a, b, width),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => match b.known() {
            Some(amount) => {
                let moved = |bits| arithmetic::binary(op, ty, width, bits, amount);
                Scalar::new(moved(a.bits), moved(a.undefined), width)
            }
            None => Scalar::unset(width),
        },
        BinaryOp::FDiv => Scalar::unset(width),
    }
}

/// Adds or subtracts.
///
/// A bit is initialised if those of the operands are and it is the same in the least and the greatest result. Then no
/// carry into it depends on an uninitialised bit.
const fn sum(a: Scalar, b: Scalar, width: u32, subtract: bool) -> Scalar {
    let (low, high) = if subtract {
        (a.least().wrapping_sub(b.greatest()), a.greatest().wrapping_sub(b.least()))
    } else {
        (a.least().wrapping_add(b.least()), a.greatest().wrapping_add(b.greatest()))
    };
    Scalar::new(low, a.undefined | b.undefined | (low ^ high), width)
}

/// Multiplies.
///
/// An uninitialised bit affects the bits of the result from its own weight times the lowest bit that the other
/// operand may have.
fn product(a: Scalar, b: Scalar, width: u32) -> Scalar {
    let reaches = |undefined: u128, other: Scalar| undefined.trailing_zeros() + other.greatest().trailing_zeros();
    let lowest = reaches(a.undefined, b).min(reaches(b.undefined, a));
    let undefined = u128::MAX.checked_shl(lowest).unwrap_or(0);
    Scalar::new(a.bits.wrapping_mul(b.bits), undefined, width)
}

/// Compares; the result is an `i1`.
pub(crate) fn compare(op: CompareOp, ty: Ty, width: u32, a: Scalar, b: Scalar) -> Scalar {
    let either = a.undefined | b.undefined;
    if either == 0 {
        return Scalar::defined(arithmetic::compare(op, ty, width, a.bits, b.bits).into());
    }
    let answer = match op {
        CompareOp::Eq | CompareOp::Ne if !ty.is_float() => {
            // Two initialised bits that differ decide.
            ((a.bits ^ b.bits) & !either != 0).then_some(op == CompareOp::Ne)
        }
        CompareOp::ULt => decided(a.greatest() < b.least(), a.least() < b.greatest()),
        CompareOp::ULe => decided(a.greatest() <= b.least(), a.least() <= b.greatest()),
        CompareOp::SLt | CompareOp::SLe => {
            let ((a_low, a_high), (b_low, b_high)) = (a.signed_range(width), b.signed_range(width));
            if op == CompareOp::SLt {
                decided(a_high < b_low, a_low < b_high)
            } else {
                decided(a_high <= b_low, a_low <= b_high)
            }
        }
        _ => None,
    };
    answer.map_or(Scalar::unset(1), |answer| Scalar::defined(answer.into()))
}

/// Returns the answer if the cases of "always" and "possibly" agree.
fn decided(always: bool, possibly: bool) -> Option<bool> {
    (always == possibly).then_some(always)
}

/// Returns whether a value is in a range (in signed order if `is_signed`); `None` if uninitialised bits decide.
pub(crate) fn within(value: Scalar, width: u32, is_signed: bool, range: (i128, i128)) -> Option<bool> {
    if range.0 == range.1 {
        let number = Scalar::defined(truncate(range.0 as u128, width));
        return compare(CompareOp::Eq, Ty::I64, width, value, number).known().map(|equal| equal != 0);
    }
    let (low, high) =
        if is_signed { value.signed_range(width) } else { (value.least() as i128, value.greatest() as i128) };
    decided(range.0 <= low && high <= range.1, range.0 <= high && low <= range.1)
}

/// Converts a value. Only the conversion of an integer to a pointer needs memory and is not done here.
pub(crate) fn convert(op: ConvertOp, from: (Ty, u32), to: (Ty, u32), value: Scalar) -> Scalar {
    let result = arithmetic::convert(op, from, to, value.bits);
    if value.is_defined() {
        return Scalar::defined(result);
    }
    match op {
        ConvertOp::Trunc | ConvertOp::ZExt | ConvertOp::PtrToInt | ConvertOp::IntToPtr => {
            Scalar::new(result, value.undefined, to.1)
        }
        ConvertOp::SExt => Scalar::new(result, signed(value.undefined, from.1) as u128, to.1),
        ConvertOp::FloatToSInt
        | ConvertOp::FloatToUInt
        | ConvertOp::SIntToFloat
        | ConvertOp::UIntToFloat
        | ConvertOp::FloatCast => Scalar::unset(to.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns every value of `width` bits that a scalar may have.
    fn values(scalar: Scalar, width: u32) -> impl Iterator<Item = u128> {
        (0..1u128 << width).filter(move |v| v & !scalar.undefined == scalar.bits)
    }

    fn scalars(width: u32) -> Vec<Scalar> {
        let all = 1u128 << width;
        (0..all)
            .flat_map(|undefined| (0..all).filter(move |bits| bits & undefined == 0).map(move |bits| (bits, undefined)))
            .map(|(bits, undefined)| Scalar { bits, undefined })
            .collect()
    }

    /// Checks a result against all possible results, and returns whether it is as precise as possible.
    fn holds(result: Scalar, possible: impl Iterator<Item = u128>, what: &dyn Fn() -> String) -> bool {
        let (mut ones, mut zeros) = (0u128, 0u128);
        for value in possible {
            assert_eq!(value & !result.undefined, result.bits, "{}", what());
            ones |= value;
            zeros |= !value;
        }
        ones & zeros & result.undefined == result.undefined
    }

    #[test]
    fn binary_operations_are_sound_for_uninitialised_bits() {
        let width = 3;
        let exact = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Add, BinaryOp::Sub];
        for op in exact.into_iter().chain([BinaryOp::Mul, BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr]) {
            for &a in &scalars(width) {
                for &b in &scalars(width) {
                    let result = binary(op, Ty::I8, width, a, b);
                    let possible = values(a, width)
                        .flat_map(|x| values(b, width).map(move |y| arithmetic::binary(op, Ty::I8, width, x, y)));
                    let precise = holds(result, possible, &|| format!("{op:?} {a:?} {b:?}: {result:?}"));
                    assert!(precise || !exact.contains(&op), "{op:?} {a:?} {b:?}: {result:?}");
                }
            }
        }
    }

    #[test]
    fn unary_operations_and_conversions_are_sound_for_uninitialised_bits() {
        let width = 4;
        for &a in &scalars(width) {
            let ops = [UnaryOp::Neg, UnaryOp::Not, UnaryOp::CountLeadingZeros, UnaryOp::CountTrailingZeros];
            for op in ops.into_iter().chain([UnaryOp::PopCount]) {
                let result = unary(op, Ty::I8, width, a);
                let possible = values(a, width).map(|x| arithmetic::unary(op, Ty::I8, width, x));
                holds(result, possible, &|| format!("{op:?} {a:?}: {result:?}"));
            }
            for (op, to) in [(ConvertOp::Trunc, 2), (ConvertOp::ZExt, 6), (ConvertOp::SExt, 6)] {
                let result = convert(op, (Ty::I8, width), (Ty::I8, to), a);
                let possible = values(a, width).map(|x| arithmetic::convert(op, (Ty::I8, width), (Ty::I8, to), x));
                assert!(holds(result, possible, &|| format!("{op:?} {a:?}: {result:?}")));
            }
        }
        let swapped = unary(UnaryOp::ByteSwap, Ty::I16, 16, Scalar { bits: 0x0034, undefined: 0xff00 });
        assert_eq!(swapped, Scalar { bits: 0x3400, undefined: 0x00ff });
    }

    #[test]
    fn comparisons_are_decided_exactly_where_all_values_agree() {
        let width = 3;
        let ops = [CompareOp::Eq, CompareOp::Ne, CompareOp::ULt, CompareOp::ULe, CompareOp::SLt, CompareOp::SLe];
        for op in ops {
            for &a in &scalars(width) {
                for &b in &scalars(width) {
                    let result = compare(op, Ty::I8, width, a, b);
                    let possible = values(a, width).flat_map(|x| {
                        values(b, width).map(move |y| arithmetic::compare(op, Ty::I8, width, x, y).into())
                    });
                    assert!(
                        holds(result, possible, &|| format!("{op:?} {a:?} {b:?}: {result:?}")),
                        "{op:?} {a:?} {b:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_switch_range_is_decided_only_if_all_values_agree() {
        let width = 3;
        for &a in &scalars(width) {
            for is_signed in [false, true] {
                let number = |x: u128| if is_signed { signed(x, width) } else { x as i128 };
                for low in if is_signed { -4i128..4 } else { 0..8 } {
                    for high in low..if is_signed { 4 } else { 8 } {
                        let mut inside = values(a, width).map(number).map(|x| low <= x && x <= high);
                        let first = inside.next();
                        let all = first.filter(|first| inside.all(|x| x == *first));
                        match within(a, width, is_signed, (low, high)) {
                            // The range may contain the least and the greatest value of the scalar, but not all
                            // values between them.
                            None => {}
                            answer => assert_eq!(answer, all, "{a:?} {is_signed} {low} {high}"),
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn floating_numbers_are_uninitialised_as_a_whole() {
        let one = Scalar::defined(1f64.to_bits().into());
        let partly = Scalar { bits: 0, undefined: 1 };
        assert_eq!(binary(BinaryOp::Add, Ty::F64, 64, one, partly), Scalar::unset(64));
        assert_eq!(compare(CompareOp::FEq, Ty::F64, 64, one, partly), Scalar::unset(1));
        assert_eq!(convert(ConvertOp::FloatCast, (Ty::F64, 64), (Ty::F32, 32), partly), Scalar::unset(32));
        assert_eq!(unary(UnaryOp::Neg, Ty::F64, 64, partly), Scalar { bits: 1 << 63, undefined: 1 });
    }
}
