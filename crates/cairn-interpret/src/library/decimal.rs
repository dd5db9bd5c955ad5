//! Exact decimal expansions of binary floating-point numbers, and their `printf` representations.

use cairn_ir::Ty;

/// A floating-point number, split into its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    pub negative: bool,
    pub class: Class,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// `mantissa * 2^exponent`; `bits` is the number of bits of a normal mantissa.
    Finite {
        mantissa: u128,
        exponent: i32,
        bits: u32,
    },
    Infinite,
    Nan,
}

/// Splits a number into its parts.
pub(crate) fn parts(ty: Ty, value: u128) -> Parts {
    // The widths of the exponent and of the fraction. The x87 format also stores the leading bit.
    let (exponent_bits, fraction_bits) = match ty {
        Ty::F16 => (5, 10),
        Ty::F32 => (8, 23),
        Ty::F80 => (15, 63),
        Ty::F128 => (15, 112),
        _ => (11, 52),
    };
    let stored = if ty == Ty::F80 { 64 } else { fraction_bits };
    let negative = value >> (stored + exponent_bits) & 1 == 1;
    let exponent = (value >> stored) as i32 & ((1 << exponent_bits) - 1);
    let fraction = value & ((1u128 << fraction_bits) - 1);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let class = if exponent == (1 << exponent_bits) - 1 {
        if fraction == 0 { Class::Infinite } else { Class::Nan }
    } else {
        let leading = match ty {
            Ty::F80 => value & (1 << 63),
            _ if exponent == 0 => 0,
            _ => 1 << fraction_bits,
        };
        let exponent = exponent.max(1) - bias - fraction_bits;
        Class::Finite { mantissa: fraction | leading, exponent, bits: fraction_bits as u32 + 1 }
    };
    Parts { negative, class }
}

/// `0.d1d2d3… * 10^point` without a leading zero; zero has no digits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Decimal {
    pub digits: Vec<u8>,
    pub point: i64,
}

const BASE: u64 = 1_000_000_000;

fn multiply(limbs: &mut Vec<u32>, factor: u32) {
    let mut carry = 0u64;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * u64::from(factor) + carry;
        *limb = (product % BASE) as u32;
        carry = product / BASE;
    }
    while carry != 0 {
        limbs.push((carry % BASE) as u32);
        carry /= BASE;
    }
}

impl Decimal {
    /// Returns the exact value of `mantissa * 2^exponent`.
    pub fn new(mantissa: u128, exponent: i32) -> Self {
        if mantissa == 0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        let zeros = mantissa.trailing_zeros();
        let (mut rest, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        let mut limbs = Vec::new();
        while rest != 0 {
            limbs.push((rest % u128::from(BASE)) as u32);
            rest /= u128::from(BASE);
        }
        // 2^29 and 5^12 are the largest powers below the base.
        let (factor, power, count) = if exponent >= 0 { (2u32, 29, exponent) } else { (5, 12, -exponent) };
        for _ in 0..count / power {
            multiply(&mut limbs, factor.pow(power as u32));
        }
        multiply(&mut limbs, factor.pow((count % power) as u32));
        let mut digits = Vec::with_capacity(limbs.len() * 9);
        for limb in limbs.iter().rev() {
            digits.extend(format!("{limb:09}").bytes().map(|b| b - b'0'));
        }
        let leading = digits.iter().take_while(|&&d| d == 0).count();
        digits.drain(..leading);
        let point = digits.len() as i64 - if exponent < 0 { i64::from(-exponent) } else { 0 };
        Decimal { digits, point }
    }

    /// Rounds to `keep` digits (to nearest, ties to even). Missing digits of the result are zeros.
    pub fn round(mut self, keep: i64) -> Self {
        if keep < 0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        let keep = keep as usize;
        if keep >= self.digits.len() {
            return self;
        }
        let rest = &self.digits[keep..];
        let odd = keep > 0 && self.digits[keep - 1] % 2 == 1;
        let tail = rest[1..].iter().any(|&d| d != 0);
        let up = rest[0] > 5 || (rest[0] == 5 && (tail || odd));
        self.digits.truncate(keep);
        if up {
            let nines = self.digits.iter().rev().take_while(|&&d| d == 9).count();
            self.digits.truncate(keep - nines);
            match self.digits.last_mut() {
                Some(digit) => *digit += 1,
                None => {
                    self.digits.push(1);
                    self.point += 1;
                }
            }
        }
        if self.digits.is_empty() {
            self.point = 0;
        }
        self
    }

    fn digit(&self, index: i64) -> u8 {
        usize::try_from(index).ok().and_then(|i| self.digits.get(i)).copied().unwrap_or(0)
    }

    /// Formats a number for `%f` that was rounded to the precision.
    fn fixed(&self, precision: usize, keep_point: bool) -> String {
        let mut text = String::new();
        if self.point <= 0 || self.digits.is_empty() {
            text.push('0');
        } else {
            (0..self.point).for_each(|i| text.push(char::from(b'0' + self.digit(i))));
        }
        if precision > 0 || keep_point {
            text.push('.');
        }
        let point = if self.digits.is_empty() { 0 } else { self.point };
        (0..precision as i64).for_each(|i| text.push(char::from(b'0' + self.digit(point + i))));
        text
    }

    /// Formats a number for `%e` that was rounded to one digit more than the precision.
    fn scientific(&self, precision: usize, keep_point: bool, upper: bool) -> String {
        let mut text = String::from(char::from(b'0' + self.digit(0)));
        if precision > 0 || keep_point {
            text.push('.');
        }
        (1..=precision as i64).for_each(|i| text.push(char::from(b'0' + self.digit(i))));
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        text.push(if upper { 'E' } else { 'e' });
        text.push(if exponent < 0 { '-' } else { '+' });
        text.push_str(&format!("{:02}", exponent.abs()));
        text
    }
}

/// Formats a finite number without its sign for `f`, `e` or `g` (in lower or upper case).
pub(crate) fn decimal_text(
    mantissa: u128,
    exponent: i32,
    conversion: u8,
    precision: Option<usize>,
    alternate: bool,
) -> String {
    let upper = conversion.is_ascii_uppercase();
    let precision = precision.unwrap_or(6);
    let number = Decimal::new(mantissa, exponent);
    match conversion.to_ascii_lowercase() {
        b'f' => {
            let keep = number.point.saturating_add(precision as i64);
            number.round(keep).fixed(precision, alternate)
        }
        b'e' => number.round(precision as i64 + 1).scientific(precision, alternate, upper),
        _ => {
            let significant = precision.max(1) as i64;
            let number = number.round(significant);
            let exponent = if number.digits.is_empty() { 0 } else { number.point - 1 };
            let text = if exponent >= -4 && exponent < significant {
                number.fixed((significant - 1 - exponent) as usize, alternate)
            } else {
                number.scientific((significant - 1) as usize, alternate, upper)
            };
            if alternate { text } else { without_trailing_zeros(&text) }
        }
    }
}

fn without_trailing_zeros(text: &str) -> String {
    let end = text.find(['e', 'E']).unwrap_or(text.len());
    let (number, exponent) = text.split_at(end);
    if !number.contains('.') {
        return text.to_owned();
    }
    format!("{}{exponent}", number.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats a finite number without its sign for `a`, like glibc.
///
/// There is a single leading bit before the point for most types, and a whole hexadecimal digit for x87.
pub(crate) fn hexadecimal_text(
    ty: Ty,
    mantissa: u128,
    exponent: i32,
    bits: u32,
    precision: Option<usize>,
    alternate: bool,
) -> String {
    // Align the mantissa so that the bits after the point are whole digits.
    let lead = if ty == Ty::F80 { 4 } else { 1 };
    let behind = (bits - lead).div_ceil(4) * 4;
    let mut shown = mantissa << (behind - (bits - lead));
    let mut power = exponent + bits as i32 - lead as i32;
    if mantissa == 0 {
        power = 0;
    } else if ty == Ty::F80 {
        // A subnormal is shown as it is stored.
    } else if mantissa >> (bits - 1) == 0 {
        power = exponent + bits as i32 - 1;
    }
    let mut digits = (behind / 4) as usize;
    if let Some(precision) = precision {
        if precision < digits {
            let drop = 4 * (digits - precision) as u32;
            let (rest, half) = (shown & ((1 << drop) - 1), 1u128 << (drop - 1));
            shown >>= drop;
            if rest > half || (rest == half && shown & 1 == 1) {
                shown += 1;
            }
            digits = precision;
        }
    } else {
        while digits > 0 && shown & 15 == 0 {
            shown >>= 4;
            digits -= 1;
        }
    }
    let fraction = if digits == 0 { 0 } else { shown & ((1u128 << (4 * digits)) - 1) };
    let leading = shown >> (4 * digits);
    let mut text = format!("0x{leading:x}");
    let wanted = precision.unwrap_or(digits);
    if wanted > 0 || alternate {
        text.push('.');
    }
    if digits > 0 {
        text.push_str(&format!("{fraction:0digits$x}"));
    }
    text.extend(std::iter::repeat_n('0', wanted.saturating_sub(digits)));
    text.push_str(&format!("p{power:+}"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: f64, conversion: u8, precision: Option<usize>) -> String {
        let Class::Finite { mantissa, exponent, .. } = parts(Ty::F64, value.to_bits().into()).class else {
            return String::new();
        };
        decimal_text(mantissa, exponent, conversion, precision, false)
    }

    #[test]
    fn fixed_notation_is_exact_and_rounds_ties_to_even() {
        assert_eq!(text(0.1, b'f', Some(20)), "0.10000000000000000555");
        assert_eq!(text(2.5, b'f', Some(0)), "2");
        assert_eq!(text(3.5, b'f', Some(0)), "4");
        assert_eq!(text(0.5, b'f', Some(0)), "0");
        assert_eq!(text(0.6, b'f', Some(0)), "1");
        assert_eq!(text(9.9999, b'f', Some(2)), "10.00");
        assert_eq!(text(0.001, b'f', Some(1)), "0.0");
        assert_eq!(text(0.0, b'f', None), "0.000000");
        assert_eq!(text(1e22, b'f', Some(1)), "10000000000000000000000.0");
    }

    #[test]
    fn scientific_and_general_notation() {
        assert_eq!(text(123456.0, b'e', Some(2)), "1.23e+05");
        assert_eq!(text(0.0, b'e', None), "0.000000e+00");
        assert_eq!(text(9.995, b'e', Some(1)), "1.0e+01");
        assert_eq!(text(100000.0, b'g', None), "100000");
        assert_eq!(text(1_000_000.0, b'g', None), "1e+06");
        assert_eq!(text(0.0001, b'g', None), "0.0001");
        assert_eq!(text(0.00001, b'G', None), "1E-05");
        assert_eq!(text(f64::MIN_POSITIVE / 4503599627370496.0, b'e', Some(5)), "4.94066e-324");
    }

    #[test]
    fn hexadecimal_notation() {
        let hex = |ty, value, precision| {
            let Class::Finite { mantissa, exponent, bits } = parts(ty, value).class else { return String::new() };
            hexadecimal_text(ty, mantissa, exponent, bits, precision, false)
        };
        assert_eq!(hex(Ty::F64, 1.0f64.to_bits().into(), None), "0x1p+0");
        assert_eq!(hex(Ty::F64, 0.1f64.to_bits().into(), None), "0x1.999999999999ap-4");
        assert_eq!(hex(Ty::F64, 0.1f64.to_bits().into(), Some(2)), "0x1.9ap-4");
        assert_eq!(hex(Ty::F80, 0x3fff_8000_0000_0000_0000, None), "0x8p-3");
    }
}
