//! Floating-point arithmetic as on x86: `f32` and `f64` natively, other formats through `rustc_apfloat`.

use cairn_ir::Ty;
use cairn_ir::inst::{BinaryOp, CompareOp, MathFn};
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Evaluates an expression with a type name bound to the soft-float type of a floating type.
macro_rules! with_float {
    ($ty:expr, $f:ident => $body:expr) => {
        match $ty {
            Ty::F16 => {
                type $f = Half;
                $body
            }
            Ty::F32 => {
                type $f = Single;
                $body
            }
            Ty::F80 => {
                type $f = X87DoubleExtended;
                $body
            }
            Ty::F128 => {
                type $f = Quad;
                $body
            }
            _ => {
                type $f = Double;
                $body
            }
        }
    };
}

/// Applies a binary operation of a floating type. Values are passed and returned as bits.
pub fn binary(op: BinaryOp, ty: Ty, a: u128, b: u128) -> u128 {
    macro_rules! apply {
        ($a:expr, $b:expr) => {{
            let (a, b) = ($a, $b);
            match op {
                BinaryOp::Add => a + b,
                BinaryOp::Sub => a - b,
                BinaryOp::Mul => a * b,
                _ => a / b,
            }
        }};
    }
    match ty {
        Ty::F64 => apply!(f64::from_bits(a as u64), f64::from_bits(b as u64)).to_bits().into(),
        Ty::F32 => apply!(f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into(),
        _ => with_float!(ty, F => apply!(F::from_bits(a), F::from_bits(b)).value.to_bits()),
    }
}

/// Compares two values of a floating type.
pub fn compare(op: CompareOp, ty: Ty, a: u128, b: u128) -> bool {
    let order = match ty {
        Ty::F64 => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        Ty::F32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ => with_float!(ty, F => F::from_bits(a).partial_cmp(&F::from_bits(b))),
    };
    match op {
        CompareOp::FEq => order == Some(Ordering::Equal),
        CompareOp::FNe => order != Some(Ordering::Equal),
        CompareOp::FLt => order == Some(Ordering::Less),
        CompareOp::FLe => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        _ => false,
    }
}

/// Truncates to an integer of `bits` bits; `None` for NaN and for values out of range.
fn to_int(ty: Ty, bits: u32, signed: bool, value: u128) -> Option<u128> {
    with_float!(ty, F => {
        let value = F::from_bits(value);
        let mut exact = false;
        if signed {
            let result = value.to_i128_r(bits as usize, Round::TowardZero, &mut exact);
            (!result.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(result.value as u128)
        } else {
            let result = value.to_u128_r(bits as usize, Round::TowardZero, &mut exact);
            (!result.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(result.value)
        }
    })
}

/// Converts to a signed integer like x86.
///
/// Integers narrower than 32 bits are converted through 32 bits. A value out of range yields the least integer.
pub fn to_signed(ty: Ty, bits: u32, value: u128) -> u128 {
    let width = bits.max(32);
    if matches!(ty, Ty::F32 | Ty::F64) && width <= 64 {
        let value = if ty == Ty::F64 { f64::from_bits(value as u64) } else { f32::from_bits(value as u32).into() };
        // Powers of two are exact, and NaN is in no range.
        let limit = if width == 32 { 2f64.powi(31) } else { 2f64.powi(63) };
        let truncated = value.trunc();
        let fits = truncated >= -limit && truncated < limit;
        return if fits { truncated as i128 as u128 } else { 1 << (width - 1) };
    }
    to_int(ty, width, true, value).unwrap_or(1 << (width - 1))
}

/// Converts to an unsigned integer like gcc on x86-64.
///
/// The conversion goes through the next wider signed type; for 64 bits it is done in two halves.
pub fn to_unsigned(ty: Ty, bits: u32, value: u128) -> u128 {
    match bits {
        0..=16 => to_signed(ty, 32, value),
        32 => to_signed(ty, 64, value),
        64 => {
            if let Some(result) = to_int(ty, 64, false, value) {
                return result;
            }
            let limit = from_unsigned(ty, 1 << 63);
            if compare(CompareOp::FLt, ty, value, limit) {
                to_signed(ty, 64, value)
            } else {
                to_signed(ty, 64, binary(BinaryOp::Sub, ty, value, limit)) ^ (1 << 63)
            }
        }
        _ => to_int(ty, bits, false, value).unwrap_or(0),
    }
}

/// Converts a signed integer to a floating type.
pub fn from_signed(ty: Ty, value: i128) -> u128 {
    match ty {
        Ty::F64 => (value as f64).to_bits().into(),
        Ty::F32 => (value as f32).to_bits().into(),
        _ => with_float!(ty, F => F::from_i128(value).value.to_bits()),
    }
}

/// Converts an unsigned integer to a floating type.
pub fn from_unsigned(ty: Ty, value: u128) -> u128 {
    match ty {
        Ty::F64 => (value as f64).to_bits().into(),
        Ty::F32 => (value as f32).to_bits().into(),
        _ => with_float!(ty, F => F::from_u128(value).value.to_bits()),
    }
}

/// Converts a value from one floating type to another.
pub fn cast(from: Ty, to: Ty, value: u128) -> u128 {
    match (from, to) {
        (Ty::F32, Ty::F64) => f64::from(f32::from_bits(value as u32)).to_bits().into(),
        (Ty::F64, Ty::F32) => (f64::from_bits(value as u64) as f32).to_bits().into(),
        _ => with_float!(from, From => with_float!(to, To => convert::<From, To>(From::from_bits(value)).to_bits())),
    }
}

fn convert<F: FloatConvert<T>, T: Float>(value: F) -> T {
    let mut lost = false;
    value.convert(&mut lost).value
}

/// Parses a number in C's notation: decimal or hexadecimal, without white space and suffix.
pub fn parse(ty: Ty, text: &str) -> Option<u128> {
    with_float!(ty, F => F::from_str_r(text, Round::NearestTiesToEven).ok().map(|v| v.value.to_bits()))
}

/// Applies a function of `math.h`, in the type of its result; `None` if the format lacks the function.
///
/// For `f32` and `f64`, results are exact where the standard demands it, and otherwise as accurate as the system's
/// library. Other formats have the rounding and selecting functions, and `f80` also has `sqrt`. The result is never
/// `None` if [`MathFn::is_exact`].
pub fn math(function: MathFn, ty: Ty, args: &[u128]) -> Option<u128> {
    let a = args.first().copied().unwrap_or(0);
    let b = args.get(1).copied().unwrap_or(0);
    match ty {
        Ty::F64 => Some(math64(function, f64::from_bits(a as u64), f64::from_bits(b as u64)).to_bits().into()),
        Ty::F32 => Some(math32(function, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into()),
        _ => exact(function, ty, a, b),
    }
}

fn exact(function: MathFn, ty: Ty, a: u128, b: u128) -> Option<u128> {
    if function == MathFn::Sqrt && ty == Ty::F80 {
        return Some(sqrt80(a));
    }
    with_float!(ty, F => {
        let (x, y) = (F::from_bits(a), F::from_bits(b));
        let less = x.partial_cmp(&y) == Some(Ordering::Less);
        let round = |mode| Some(x.round_to_integral(mode).value.to_bits());
        match function {
            MathFn::Floor => round(Round::TowardNegative),
            MathFn::Ceil => round(Round::TowardPositive),
            MathFn::Trunc => round(Round::TowardZero),
            MathFn::Round => round(Round::NearestTiesToAway),
            MathFn::Rint => round(Round::NearestTiesToEven),
            MathFn::Fabs => Some(x.abs().to_bits()),
            MathFn::Copysign => Some(x.copy_sign(y).to_bits()),
            MathFn::Fmod => Some(x.c_fmod(y).value.to_bits()),
            MathFn::Remainder => Some(x.ieee_rem(y).value.to_bits()),
            MathFn::Fmin => Some(if y.is_nan() || less { a } else { b }),
            MathFn::Fmax => Some(if x.is_nan() || (less && !y.is_nan()) { b } else { a }),
            MathFn::Fdim => Some(if x.is_nan() || y.is_nan() {
                (x + y).value.to_bits()
            } else if x.partial_cmp(&y) == Some(Ordering::Greater) {
                (x - y).value.to_bits()
            } else {
                0
            }),
            _ => None,
        }
    })
}

/// Returns the square root of an x87 value, rounded to nearest.
fn sqrt80(bits: u128) -> u128 {
    let (exponent, mantissa) = ((bits >> 64) as u32 & 0x7fff, bits as u64);
    let negative = bits >> 79 & 1 == 1;
    if (exponent == 0 && mantissa == 0) || (exponent == 0x7fff && (mantissa << 1 != 0 || !negative)) {
        return bits;
    }
    if negative {
        return X87DoubleExtended::qnan(None).to_bits() | 1 << 79;
    }
    // value = mantissa * 2^power with a 64-bit mantissa; make power even after scaling by 2^64 or 2^63.
    let shift = mantissa.leading_zeros();
    let mantissa = u128::from(mantissa) << shift;
    let power = (exponent.max(1) as i32) - 16383 - 63 - shift as i32;
    let scale = if power % 2 == 0 { 64 } else { 63 };
    let scaled = mantissa << scale;
    let root = scaled.isqrt();
    let rounded = if scaled - root * root > root { root + 1 } else { root };
    let power = (power - scale) / 2;
    let value = X87DoubleExtended::from_u128(rounded).value;
    value.scalbn(power).to_bits()
}

/// Defines the functions of `math.h` for a native format.
macro_rules! native_math {
    ($name:ident, $float:ty, $ty:expr) => {
        fn $name(function: MathFn, a: $float, b: $float) -> $float {
            match function {
                MathFn::Sqrt => a.sqrt(),
                MathFn::Cbrt => a.cbrt(),
                MathFn::Sin => a.sin(),
                MathFn::Cos => a.cos(),
                MathFn::Tan => a.tan(),
                MathFn::Asin => a.asin(),
                MathFn::Acos => a.acos(),
                MathFn::Atan => a.atan(),
                MathFn::Sinh => a.sinh(),
                MathFn::Cosh => a.cosh(),
                MathFn::Tanh => a.tanh(),
                MathFn::Exp => a.exp(),
                MathFn::Exp2 => a.exp2(),
                MathFn::Expm1 => a.exp_m1(),
                MathFn::Log => a.ln(),
                MathFn::Log2 => a.log2(),
                MathFn::Log10 => a.log10(),
                MathFn::Log1p => a.ln_1p(),
                MathFn::Floor => a.floor(),
                MathFn::Ceil => a.ceil(),
                MathFn::Trunc => a.trunc(),
                MathFn::Round => a.round(),
                MathFn::Rint => a.round_ties_even(),
                MathFn::Fabs => a.abs(),
                MathFn::Pow => a.powf(b),
                MathFn::Fmod => a % b,
                MathFn::Atan2 => a.atan2(b),
                MathFn::Hypot => a.hypot(b),
                MathFn::Copysign => a.copysign(b),
                MathFn::Fmin | MathFn::Fmax | MathFn::Fdim | MathFn::Remainder => {
                    let (a, b) = (u128::from(a.to_bits()), u128::from(b.to_bits()));
                    <$float>::from_bits(exact(function, $ty, a, b).unwrap_or(0) as _)
                }
            }
        }
    };
}

native_math!(math64, f64, Ty::F64);
native_math!(math32, f32, Ty::F32);

#[cfg(test)]
mod tests {
    use super::*;

    fn d(value: f64) -> u128 {
        value.to_bits().into()
    }

    #[test]
    fn conversions_out_of_range_are_those_of_x86() {
        assert_eq!(to_signed(Ty::F64, 32, d(1e10)), 0x8000_0000);
        assert_eq!(to_signed(Ty::F64, 64, d(f64::NAN)), 1 << 63);
        assert_eq!(to_signed(Ty::F64, 32, d(-3.9)) as i128, -3);
        assert_eq!(to_signed(Ty::F64, 8, d(300.0)) as u8, 44);
        assert_eq!(to_unsigned(Ty::F64, 32, d(4e9)), 4_000_000_000);
        assert_eq!(to_unsigned(Ty::F64, 32, d(-1.0)) as u32, u32::MAX);
        assert_eq!(to_unsigned(Ty::F64, 64, d(1e19)), 10_000_000_000_000_000_000);
        assert_eq!(to_unsigned(Ty::F64, 64, d(-1.0)) as u64, u64::MAX);
        assert_eq!(to_unsigned(Ty::F64, 64, d(1e30)) as u64, 0);
    }

    #[test]
    fn extended_precision_is_exact() {
        let one = from_signed(Ty::F80, 1);
        let three = from_signed(Ty::F80, 3);
        let third = binary(BinaryOp::FDiv, Ty::F80, one, three);
        assert_eq!(third, 0x3ffd_aaaa_aaaa_aaaa_aaab);
        assert_eq!(cast(Ty::F80, Ty::F64, third), d(1.0 / 3.0));
        assert_eq!(sqrt80(from_signed(Ty::F80, 2)), 0x3fff_b504_f333_f9de_6484);
        assert_eq!(sqrt80(from_signed(Ty::F80, 144)), from_signed(Ty::F80, 12));
        let half = parse(Ty::F80, "0.25").unwrap();
        assert_eq!(sqrt80(half), parse(Ty::F80, "0.5").unwrap());
    }

    #[test]
    fn selection_prefers_numbers() {
        let nan = d(f64::NAN);
        assert_eq!(math(MathFn::Fmin, Ty::F64, &[nan, d(1.0)]), Some(d(1.0)));
        assert_eq!(math(MathFn::Fmin, Ty::F64, &[d(1.0), nan]), Some(d(1.0)));
        assert_eq!(math(MathFn::Fmax, Ty::F64, &[nan, d(1.0)]), Some(d(1.0)));
        assert_eq!(math(MathFn::Fmax, Ty::F64, &[d(2.0), d(1.0)]), Some(d(2.0)));
        assert_eq!(math(MathFn::Remainder, Ty::F64, &[d(5.0), d(3.0)]), Some(d(-1.0)));
        assert_eq!(math(MathFn::Fdim, Ty::F64, &[d(5.0), d(3.0)]), Some(d(2.0)));
    }

    #[test]
    fn extended_precision_has_exactly_the_exact_functions() {
        let one = from_signed(Ty::F80, 1);
        for &function in MathFn::ALL {
            assert_eq!(math(function, Ty::F80, &[one, one]).is_some(), function.is_exact(), "{function:?}");
        }
    }
}
