//! Exact floating-point arithmetic on constants, in the format of their type.

use cairn_ir::ctype::FloatKind;
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use crate::hir::{ArithOp, CompareOp};
use crate::limits::{LARGE_EXPONENT, LONG_MANTISSA, MAX_SIGNIFICANT_DIGITS};

/// Evaluates `$body` with `$F` bound to the format of a kind.
macro_rules! with_format {
    ($kind:expr, $F:ident => $body:expr) => {
        match $kind {
            FloatKind::Float16 => {
                type $F = Half;
                $body
            }
            FloatKind::Float => {
                type $F = Single;
                $body
            }
            FloatKind::Double => {
                type $F = Double;
                $body
            }
            FloatKind::LongDouble => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatKind::Float128 => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// Parses a constant (decimal or hexadecimal, without suffix) and returns its bits.
pub(crate) fn parse(kind: FloatKind, text: &str) -> Option<u128> {
    let mut text = std::borrow::Cow::Borrowed(text);
    if text.contains('\'') {
        text = text.replace('\'', "").into();
    }
    let hex = text.starts_with("0x") || text.starts_with("0X");
    if !hex {
        text = clamp_exponent(&text)?.map_or(text, Into::into);
    }
    with_format!(kind, F => F::from_str_r(&text, Round::NearestTiesToEven).ok().map(|r| r.value.to_bits()))
}

/// Limits huge exponents and long digit sequences, which would cost time but not change the result.
///
/// Returns `None` for an invalid exponent, and `Some(None)` if the text needs no change.
fn clamp_exponent(text: &str) -> Option<Option<String>> {
    let split = text.find(['e', 'E']);
    let (mantissa, exponent) = match split {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, "0"),
    };
    let long = mantissa.len() > LONG_MANTISSA;
    let exponent: i64 = match exponent.parse::<i64>() {
        Ok(e) => e,
        Err(_) if exponent.starts_with('-') => -1_000_000,
        Err(_) if exponent.trim_start_matches('+').bytes().all(|b| b.is_ascii_digit()) && split.is_some() => 1_000_000,
        Err(_) => return None,
    };
    if !long && exponent.abs() < LARGE_EXPONENT {
        return Some(None);
    }
    if mantissa.bytes().all(|b| b == b'0' || b == b'.') {
        return Some(Some("0.0".to_owned()));
    }
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = whole.chars().chain(fraction.chars()).collect();
    let leading = digits.bytes().take_while(|&b| b == b'0').count();
    // Further digits affect rounding only by being nonzero.
    let mut significant: String = digits[leading..].chars().take(MAX_SIGNIFICANT_DIGITS).collect();
    if digits.len() - leading > MAX_SIGNIFICANT_DIGITS
        && digits[leading + MAX_SIGNIFICANT_DIGITS..].bytes().any(|b| b != b'0')
    {
        significant.push('1');
    }
    let point = whole.len() as i64 - leading as i64;
    let scale = (exponent.clamp(-1_000_000, 1_000_000) + point).clamp(-30_000, 30_000);
    Some(Some(format!("0.{significant}e{scale}")))
}

/// Applies an operator to two values; returns `None` for operators that floats do not have.
pub(crate) fn arith(op: ArithOp, kind: FloatKind, a: u128, b: u128) -> Option<u128> {
    with_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let result = match op {
            ArithOp::Add => a + b,
            ArithOp::Sub => a - b,
            ArithOp::Mul => a * b,
            ArithOp::Div => a / b,
            _ => return None,
        };
        Some(result.value.to_bits())
    })
}

/// Compares two values. With a NaN, every comparison except `!=` is false.
pub(crate) fn compare(op: CompareOp, kind: FloatKind, a: u128, b: u128) -> bool {
    let order = with_format!(kind, F => F::from_bits(a).partial_cmp(&F::from_bits(b)));
    match op {
        CompareOp::Eq => order.is_some_and(|o| o.is_eq()),
        CompareOp::Ne => order.is_none_or(|o| o.is_ne()),
        CompareOp::Lt => order.is_some_and(|o| o.is_lt()),
        CompareOp::Le => order.is_some_and(|o| o.is_le()),
        CompareOp::Gt => order.is_some_and(|o| o.is_gt()),
        CompareOp::Ge => order.is_some_and(|o| o.is_ge()),
    }
}

/// Returns whether either operand is a NaN.
pub(crate) fn unordered(kind: FloatKind, a: u128, b: u128) -> bool {
    with_format!(kind, F => F::from_bits(a).is_nan() || F::from_bits(b).is_nan())
}

/// Returns the negated value.
pub(crate) fn negate(kind: FloatKind, a: u128) -> u128 {
    with_format!(kind, F => (-F::from_bits(a)).to_bits())
}

/// Returns whether the value equals zero.
pub(crate) fn is_zero(kind: FloatKind, a: u128) -> bool {
    with_format!(kind, F => F::from_bits(a).is_zero())
}

/// Converts between formats.
pub(crate) fn convert(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    fn step<A: Float + FloatConvert<B>, B: Float>(bits: u128) -> u128 {
        let mut loses_info = false;
        A::from_bits(bits).convert(&mut loses_info).value.to_bits()
    }
    if from == to {
        return bits;
    }
    with_format!(from, A => with_format!(to, B => step::<A, B>(bits)))
}

/// Converts from an integer.
pub(crate) fn from_int(kind: FloatKind, value: i128, unsigned_wide: bool) -> u128 {
    with_format!(kind, F => {
        if unsigned_wide { F::from_u128(value as u128).value.to_bits() } else { F::from_i128(value).value.to_bits() }
    })
}

/// Converts to an integer of `width` bits, truncating; also returns whether the value is in range.
///
/// Out of range, the result is the nearest integer; for a NaN it is 0.
pub(crate) fn to_int(kind: FloatKind, bits: u128, width: u32, signed: bool) -> (i128, bool) {
    with_format!(kind, F => {
        let value = F::from_bits(bits);
        let mut exact = false;
        let (result, status) = if signed {
            let r = value.to_i128_r(width as usize, Round::TowardZero, &mut exact);
            (r.value, r.status)
        } else {
            let r = value.to_u128_r(width as usize, Round::TowardZero, &mut exact);
            (r.value as i128, r.status)
        };
        (result, !status.contains(Status::INVALID_OP))
    })
}

/// Returns positive infinity.
pub(crate) fn infinity(kind: FloatKind) -> u128 {
    with_format!(kind, F => F::INFINITY.to_bits())
}

/// Returns a NaN with a payload.
pub(crate) fn nan(kind: FloatKind, signalling: bool, payload: u128) -> u128 {
    with_format!(kind, F => {
        if signalling { F::snan(Some(payload)).to_bits() } else { F::qnan(Some(payload)).to_bits() }
    })
}

/// The properties that `isnan`, `isinf_sign`, `isfinite`, `isnormal` and `signbit` test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Class {
    pub nan: bool,
    pub infinite: bool,
    pub normal: bool,
    pub zero: bool,
    pub negative: bool,
}

/// Classifies a value.
pub(crate) fn classify(kind: FloatKind, bits: u128) -> Class {
    with_format!(kind, F => {
        let value = F::from_bits(bits);
        Class {
            nan: value.is_nan(),
            infinite: value.is_infinite(),
            normal: value.is_normal(),
            zero: value.is_zero(),
            negative: value.is_negative(),
        }
    })
}
