//! `strtod`: parses a floating-point number.

use cairn_ir::Ty;

use crate::arithmetic::value::Value;
use crate::run::machine::{Machine, Step};
use cairn_memory::scalar::float;

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Machine<'_> {
    /// Executes `strtod`: returns the value and stores in `*end` where the number ends.
    pub fn parse_float(&mut self, ty: Ty, text: Value, end: Value) -> Step<u128> {
        let mut bytes = Vec::new();
        let mut at = text;
        let mut spaces = 0;
        loop {
            let byte = self.read_bytes(at, 1, "a string")?.first().copied().unwrap_or(0);
            if bytes.is_empty() && is_space(byte) {
                spaces += 1;
            } else {
                bytes.push(byte);
                if !may_begin_float(&bytes) {
                    bytes.pop();
                    break;
                }
            }
            at.bits = at.bits.wrapping_add(1);
        }
        let length = float_prefix(&bytes);
        if end.is_undefined() {
            return Err(self.uninitialised("end pointer"));
        }
        if end.bits != 0 {
            let taken = if length == 0 { 0 } else { spaces + length as u64 };
            self.store_pointer(end.pointer(), text.pointer().plus(taken).into())?;
        }
        Ok(float_value(ty, &bytes[..length]).unwrap_or(0))
    }
}

/// Returns whether some number begins with these characters.
fn may_begin_float(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    let lower = text.to_ascii_lowercase();
    if b"infinity".starts_with(&lower) || b"nan".starts_with(&lower) {
        return true;
    }
    let (digits, hex) = match lower.strip_prefix(b"0x") {
        Some(rest) => (rest, true),
        None => (lower.as_slice(), false),
    };
    let (mut point, mut any) = (false, false);
    for (index, &byte) in digits.iter().enumerate() {
        match byte {
            b'.' if !point => point = true,
            b'p' if hex && any => return exponent(&digits[index + 1..]),
            b'e' if !hex && any => return exponent(&digits[index + 1..]),
            _ if byte.is_ascii_digit() || (hex && byte.is_ascii_hexdigit()) => any = true,
            _ => return false,
        }
    }
    true
}

fn exponent(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    text.iter().all(u8::is_ascii_digit)
}

/// Returns the length of the longest prefix that is a complete number.
fn float_prefix(text: &[u8]) -> usize {
    (1..=text.len()).rev().find(|&length| float_value(Ty::F64, &text[..length]).is_some()).unwrap_or(0)
}

/// Returns the value of a complete number in C's notation.
pub(crate) fn float_value(ty: Ty, text: &[u8]) -> Option<u128> {
    let text = std::str::from_utf8(text).ok()?.to_ascii_lowercase();
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(&text)),
    };
    let from64 = |value: f64| float::cast(Ty::F64, ty, value.to_bits().into());
    let bits = match magnitude {
        "inf" | "infinity" => from64(f64::INFINITY),
        "nan" => from64(f64::NAN),
        _ if magnitude.starts_with("0x") => {
            let complete = if magnitude.contains('p') { magnitude.to_owned() } else { format!("{magnitude}p0") };
            if !magnitude[2..].starts_with(|c: char| c.is_ascii_hexdigit() || c == '.') {
                return None;
            }
            float::parse(ty, &complete)?
        }
        _ if !magnitude.starts_with(|c: char| c.is_ascii_digit() || c == '.') => return None,
        _ => match ty {
            Ty::F32 => magnitude.parse::<f32>().ok()?.to_bits().into(),
            Ty::F64 => magnitude.parse::<f64>().ok()?.to_bits().into(),
            _ => {
                magnitude.parse::<f64>().ok()?;
                float::parse(ty, magnitude)?
            }
        },
    };
    let sign = match ty {
        Ty::F32 => 1 << 31,
        Ty::F80 => 1 << 79,
        _ => 1 << 63,
    };
    Some(if negative { bits ^ sign } else { bits })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_strtod_ends_them() {
        assert_eq!(float_prefix(b"1.5e"), 3);
        assert_eq!(float_prefix(b"1.5e+"), 3);
        assert_eq!(float_prefix(b"0x"), 1);
        assert_eq!(float_prefix(b"-.5"), 3);
        assert_eq!(float_prefix(b"."), 0);
        assert_eq!(float_prefix(b"inf"), 3);
        assert!(may_begin_float(b"-0x1.8p-"));
        assert!(!may_begin_float(b"1.2."));
        assert_eq!(float_value(Ty::F64, b"0x1.8p1"), Some(3f64.to_bits().into()));
        assert_eq!(float_value(Ty::F64, b"0x10"), Some(16f64.to_bits().into()));
        assert_eq!(float_value(Ty::F64, b"-2.5"), Some((-2.5f64).to_bits().into()));
        assert_eq!(float_value(Ty::F32, b"1e50"), Some(f32::INFINITY.to_bits().into()));
    }
}
