//! Evaluates integer and floating constants.

use cairn_ir::ctype::{DecimalKind, FloatKind};

use crate::ast::{FloatLiteral, IntLiteral};

/// A numeric constant.
#[derive(Clone, PartialEq, Debug)]
pub enum Number {
    /// An integer constant.
    Int(IntLiteral),
    /// A floating constant.
    Float(FloatLiteral),
}

/// Evaluates a preprocessing number without line continuations; returns a message if it is invalid.
pub fn read(text: &str) -> Result<Number, String> {
    // Fast path: most numbers are short and decimal.
    if text.len() <= 9 && !(text.len() > 1 && text.starts_with('0')) && text.bytes().all(|b| b.is_ascii_digit()) {
        let value = text.bytes().fold(0, |value, b| value * 10 + u32::from(b - b'0'));
        return Ok(Number::Int(IntLiteral {
            value: value.into(),
            decimal: true,
            unsigned: false,
            longs: 0,
            imaginary: false,
            bit_precise: false,
        }));
    }
    let stripped;
    let text = if text.contains('\'') {
        stripped = text.replace('\'', "");
        &stripped
    } else {
        text
    };
    let bytes = text.as_bytes();
    match bytes {
        [b'0', b'x' | b'X', ..] => hexadecimal(text),
        [b'0', b'b' | b'B', ..] => integer(text, &text[2..], 2, "binary"),
        _ => {
            let digits = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
            match bytes.get(digits) {
                Some(b'.' | b'e' | b'E') => decimal_float(text),
                _ if bytes[0] == b'0' && digits > 1 => integer(text, &text[1..], 8, "octal"),
                _ => integer(text, text, 10, "decimal"),
            }
        }
    }
}

fn hexadecimal(text: &str) -> Result<Number, String> {
    let body = &text[2..];
    let digits = body.bytes().take_while(u8::is_ascii_hexdigit).count();
    let floating = matches!(body.as_bytes().get(digits), Some(b'.' | b'p' | b'P'));
    if !floating {
        return integer(text, body, 16, "hexadecimal");
    }
    let after_point = body[digits..].strip_prefix('.');
    let fraction = after_point.map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_hexdigit).count());
    if digits + fraction == 0 {
        return Err(format!("hexadecimal floating constant '{text}' has no digits"));
    }
    let at = 2 + digits + if after_point.is_some() { 1 + fraction } else { 0 };
    match exponent(&text[at..], b'p')? {
        0 => Err(format!("hexadecimal floating constant '{text}' requires an exponent")),
        len => float(text, at + len),
    }
}

fn decimal_float(text: &str) -> Result<Number, String> {
    let is_digit = |b: &u8| b.is_ascii_digit();
    let mut at = text.bytes().take_while(is_digit).count();
    if text[at..].starts_with('.') {
        at += 1;
        at += text[at..].bytes().take_while(is_digit).count();
    }
    at += exponent(&text[at..], b'e')?;
    float(text, at)
}

/// Returns the length of an exponent that starts with `letter`, or 0 if there is none.
fn exponent(text: &str, letter: u8) -> Result<usize, String> {
    let bytes = text.as_bytes();
    if bytes.first().is_none_or(|b| b.to_ascii_lowercase() != letter) {
        return Ok(0);
    }
    let sign = usize::from(matches!(bytes.get(1), Some(b'+' | b'-')));
    let digits = bytes[1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 { Err("exponent has no digits".into()) } else { Ok(1 + sign + digits) }
}

/// Evaluates a floating constant whose suffix starts at `at`.
fn float(text: &str, at: usize) -> Result<Number, String> {
    let (digits, suffix) = text.split_at(at);
    let mut kind_text = suffix;
    let (mut imaginary, mut decimal) = (false, None);
    if let Some(rest) = suffix.strip_suffix(['i', 'j', 'I', 'J']).or_else(|| suffix.strip_prefix(['i', 'j', 'I', 'J']))
    {
        kind_text = rest;
        imaginary = true;
    }
    let kind = match kind_text {
        "" => FloatKind::Double,
        "f" | "F" | "f32" | "F32" => FloatKind::Float,
        "l" | "L" | "f64x" | "F64x" | "w" | "W" => FloatKind::LongDouble,
        "f16" | "F16" => FloatKind::Float16,
        "f64" | "F64" | "f32x" | "F32x" => FloatKind::Double,
        "f128" | "F128" | "q" | "Q" => FloatKind::Float128,
        "df" | "dd" | "dl" | "DF" | "DD" | "DL"
            if !imaginary && !digits.starts_with("0x") && !digits.starts_with("0X") =>
        {
            decimal = Some(match kind_text.as_bytes()[1] {
                b'f' | b'F' => DecimalKind::Decimal32,
                b'd' | b'D' => DecimalKind::Decimal64,
                _ => DecimalKind::Decimal128,
            });
            FloatKind::Double
        }
        _ => return Err(format!("invalid suffix '{suffix}' on floating constant")),
    };
    Ok(Number::Float(FloatLiteral { text: digits.into(), kind, decimal, imaginary }))
}

/// Evaluates an integer constant. `body` is `text` without its prefix.
fn integer(text: &str, body: &str, radix: u32, radix_name: &str) -> Result<Number, String> {
    let mut value = 0u128;
    let mut len = 0;
    for byte in body.bytes() {
        let Some(digit) = char::from(byte).to_digit(radix.max(10)).filter(|_| radix != 2 || byte.is_ascii_digit())
        else {
            break;
        };
        if digit >= radix {
            return Err(format!("invalid digit '{}' in {radix_name} constant", char::from(byte)));
        }
        value = value
            .checked_mul(u128::from(radix))
            .and_then(|v| v.checked_add(u128::from(digit)))
            .ok_or_else(|| format!("integer constant '{text}' is too large"))?;
        len += 1;
    }
    if len == 0 && matches!(radix, 2 | 16) {
        return Err(format!("{radix_name} constant '{text}' has no digits"));
    }
    let suffix = &body[len..];
    let mut literal =
        IntLiteral { value, decimal: radix == 10, unsigned: false, longs: 0, imaginary: false, bit_precise: false };
    let mut rest = suffix.as_bytes();
    let (mut has_unsigned, mut has_long, mut has_imaginary) = (false, false, false);
    let invalid = || format!("invalid suffix '{suffix}' on integer constant");
    while let Some(&first) = rest.first() {
        let (seen, taken) = match first {
            b'u' | b'U' => {
                literal.unsigned = true;
                (&mut has_unsigned, 1)
            }
            b'l' | b'L' => {
                let double = rest.get(1) == Some(&first);
                literal.longs = if double { 2 } else { 1 };
                (&mut has_long, 1 + usize::from(double))
            }
            // `z` denotes `size_t` or its signed counterpart, which has the width of `long` in both data models.
            b'z' | b'Z' => {
                literal.longs = 1;
                (&mut has_long, 1)
            }
            b'i' | b'I' | b'j' | b'J' => {
                literal.imaginary = true;
                (&mut has_imaginary, 1)
            }
            b'w' | b'W' if rest.get(1) == Some(&if first == b'w' { b'b' } else { b'B' }) => {
                literal.bit_precise = true;
                (&mut has_long, 2)
            }
            _ => return Err(invalid()),
        };
        if std::mem::replace(seen, true) {
            return Err(invalid());
        }
        rest = &rest[taken..];
    }
    Ok(Number::Int(literal))
}
