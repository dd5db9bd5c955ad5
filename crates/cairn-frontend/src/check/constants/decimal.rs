//! Decimal floating types.
//!
//! A value is represented by the integer that encodes it (IEEE 754 binary integer decimal, as on x86). Values can be
//! loaded, stored, passed and copied. Arithmetic, comparisons and most conversions are `unsupported`.

use cairn_ir::ctype::{DecimalKind, Type, TypeId};
use cairn_ir::source::Span;

use crate::check::Checker;
use crate::hir::{Expr, ExprKind};

/// The encoding of a decimal type: total bits, coefficient digits, exponent bits and exponent bias.
struct Format {
    bits: u32,
    digits: u32,
    exponent_bits: u32,
    bias: i64,
}

const fn format(kind: DecimalKind) -> Format {
    match kind {
        DecimalKind::Decimal32 => Format { bits: 32, digits: 7, exponent_bits: 8, bias: 101 },
        DecimalKind::Decimal64 => Format { bits: 64, digits: 16, exponent_bits: 10, bias: 398 },
        DecimalKind::Decimal128 => Format { bits: 128, digits: 34, exponent_bits: 14, bias: 6176 },
    }
}

impl Checker<'_> {
    pub(crate) fn decimal_kind(&self, ty: TypeId) -> Option<DecimalKind> {
        match *self.types.get(ty) {
            Type::Decimal(kind) => Some(kind),
            _ => None,
        }
    }

    /// Returns the unsupported expression that replaces a computation with decimal numbers.
    pub(crate) fn decimal_unsupported(&self, ty: TypeId, span: Span) -> Expr {
        self.unsupported("arithmetic on decimal floating numbers", ty, span)
    }

    /// Encodes a constant, given as digits, point and exponent.
    pub(crate) fn decimal_literal(&mut self, kind: DecimalKind, text: &str, span: Span) -> Expr {
        let ty = self.types.intern(Type::Decimal(kind));
        match encode_text(kind, text) {
            Some(bits) => self.int_expr(bits as i128, ty, span),
            None => self.unsupported("decimal floating constant out of range", ty, span),
        }
    }

    /// Converts from or to a decimal type. Only integer constants, which occur in initialisers, are supported.
    pub(crate) fn convert_decimal(&mut self, expr: Expr, to: TypeId) -> Expr {
        let from = self.int_kind(expr.ty);
        if let (ExprKind::Int(value), Some(_), Some(kind)) = (&expr.kind, from, self.decimal_kind(to))
            && let Some(bits) = encode(kind, value.unsigned_abs(), 0)
        {
            let sign = if *value < 0 { 1u128 << (format(kind).bits - 1) } else { 0 };
            return self.int_expr((bits | sign) as i128, to, expr.span);
        }
        self.unsupported("conversion of decimal floating numbers", to, expr.span)
    }

    /// Negates a constant.
    pub(crate) fn decimal_negation(&self, value: Expr, span: Span) -> Expr {
        match (&value.kind, self.decimal_kind(value.ty)) {
            (ExprKind::Int(bits), Some(kind)) => {
                self.int_expr((*bits as u128 ^ 1 << (format(kind).bits - 1)) as i128, value.ty, span)
            }
            _ => self.decimal_unsupported(value.ty, span),
        }
    }
}

fn encode_text(kind: DecimalKind, text: &str) -> Option<u128> {
    let lower = text.to_ascii_lowercase();
    let (number, exponent) = match lower.split_once('e') {
        Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
        None => (lower.as_str(), 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).skip_while(|&b| b == b'0').collect();
    let mut exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let kept = digits.len().min(format(kind).digits as usize);
    let mut value = digits[..kept].iter().fold(0u128, |value, &b| value * 10 + u128::from(b - b'0'));
    // Round to nearest, ties to even.
    if let Some((&first, rest)) = digits[kept..].split_first() {
        let more = rest.iter().any(|&b| b != b'0');
        let up = first > b'5' || (first == b'5' && (more || value % 2 == 1));
        value += u128::from(up);
        exponent = exponent.checked_add(i64::try_from(rest.len() + 1).ok()?)?;
    }
    encode(kind, value, exponent)
}

/// Encodes `coefficient * 10^exponent`, if that is possible exactly.
fn encode(kind: DecimalKind, coefficient: u128, exponent: i64) -> Option<u128> {
    let Format { bits, digits, exponent_bits, bias } = format(kind);
    let limit = 10u128.pow(digits);
    let (mut coefficient, mut exponent) = (coefficient, exponent);
    while coefficient >= limit {
        if coefficient % 10 != 0 {
            return None;
        }
        coefficient /= 10;
        exponent += 1;
    }
    let greatest = 3 * (1i64 << (exponent_bits - 2)) - 1;
    if coefficient == 0 {
        exponent = exponent.clamp(-bias, greatest - bias);
    }
    while exponent + bias > greatest {
        coefficient *= 10;
        exponent -= 1;
        if coefficient >= limit {
            return None;
        }
    }
    let biased = u128::try_from(exponent + bias).ok()?;
    let plain = bits - 1 - exponent_bits;
    if coefficient >> plain == 0 {
        return Some(biased << plain | coefficient);
    }
    // Two one bits announce a coefficient that begins with the bits 100.
    let short = plain - 2;
    Some(3 << (bits - 3) | biased << short | (coefficient & ((1 << short) - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_encoded_like_gcc() {
        assert_eq!(encode_text(DecimalKind::Decimal64, "1.5"), Some(0x31a0_0000_0000_000f));
        assert_eq!(encode_text(DecimalKind::Decimal32, "0.1"), Some(0x3200_0001));
        assert_eq!(encode_text(DecimalKind::Decimal32, "9999999"), Some(0x6cb8_967f));
        assert_eq!(encode_text(DecimalKind::Decimal32, "12345675"), encode_text(DecimalKind::Decimal32, "1.234568e7"));
        assert_eq!(encode_text(DecimalKind::Decimal32, "12345665"), encode_text(DecimalKind::Decimal32, "1.234566e7"));
        assert_eq!(encode_text(DecimalKind::Decimal128, "1"), Some(0x3040u128 << 112 | 1));
        assert_eq!(encode_text(DecimalKind::Decimal32, "1e97"), None);
        assert_eq!(encode_text(DecimalKind::Decimal32, "1e96"), encode_text(DecimalKind::Decimal32, "1000000e90"));
    }
}
