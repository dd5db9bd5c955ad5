//! Evaluates character constants and string literals.

use crate::ast::{StringLiteral, StringPrefix};

/// A problem with an escape sequence, at byte offsets in the literal's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    /// The start offset.
    pub start: usize,
    /// The end offset.
    pub end: usize,
    /// The message.
    pub message: String,
    /// Whether this is an error; otherwise a warning, and the value is gcc's.
    pub error: bool,
}

/// Returns the prefix of a literal and the length of its spelling.
pub fn prefix(text: &str) -> (StringPrefix, usize) {
    match text.as_bytes() {
        [b'L', ..] => (StringPrefix::Wide, 1),
        [b'u', b'8', ..] => (StringPrefix::Utf8, 2),
        [b'u', ..] => (StringPrefix::Utf16, 1),
        [b'U', ..] => (StringPrefix::Utf32, 1),
        _ => (StringPrefix::None, 0),
    }
}

/// Returns the common prefix of two adjacent literals, or `None` if their prefixes conflict.
pub fn combine(a: StringPrefix, b: StringPrefix) -> Option<StringPrefix> {
    match (a, b) {
        _ if a == b => Some(a),
        (StringPrefix::None, other) | (other, StringPrefix::None) => Some(other),
        _ => None,
    }
}

/// Appends the code units of a literal to a string, in the encoding of the string's prefix.
///
/// `text` is the spelling of the literal with prefix and quotes.
pub fn append(text: &str, string: &mut StringLiteral, complaints: &mut Vec<Complaint>) {
    let raw = raw_range(text);
    let escapes = raw.is_none();
    let body = raw.unwrap_or_else(|| body_range(text));
    let bytes = text.as_bytes();
    let mut at = body.start;
    while at < body.end {
        if escapes && bytes[at] == b'\\' {
            at = escape(text, at, body.end, string, complaints);
        } else if bytes[at] < 0x80 {
            string.units.push(bytes[at].into());
            at += 1;
        } else {
            let c = text[at..].chars().next().unwrap_or('\u{fffd}');
            push_char(c, string);
            at += c.len_utf8();
        }
    }
}

/// Returns the value of a character constant as gcc computes it, and its prefix.
pub fn character(text: &str, complaints: &mut Vec<Complaint>) -> (i64, StringPrefix) {
    let (prefix, prefix_len) = prefix(text);
    let mut string = StringLiteral { units: Vec::new(), prefix };
    append(text, &mut string, complaints);
    let mut complain = |message: &str, error| {
        complaints.push(Complaint { start: 0, end: text.len(), message: message.into(), error });
    };
    let Some(&last) = string.units.last() else {
        if text.len() - prefix_len <= 2 {
            complain("empty character constant", true);
        }
        return (0, prefix);
    };
    let value = match prefix {
        // A single character has the value of a `char`. Several characters are packed into an `int`, the first one
        // highest.
        StringPrefix::None => match string.units.as_slice() {
            &[unit] => i64::from(unit as u8 as i8),
            units => {
                if units.len() > 4 {
                    complain("character constant too long for its type", false);
                }
                i64::from(units.iter().fold(0u32, |value, unit| value << 8 | unit & 0xff) as i32)
            }
        },
        _ => {
            if string.units.len() > 1 {
                complain("character constant too long for its type", prefix != StringPrefix::Wide);
            }
            match prefix {
                StringPrefix::Wide => i64::from(last as i32),
                _ => i64::from(last),
            }
        }
    };
    (value, prefix)
}

/// Returns the range between the quotes; the closing quote may be missing.
fn body_range(text: &str) -> std::ops::Range<usize> {
    let start = (prefix(text).1 + 1).min(text.len());
    let quote = text.as_bytes().get(start - 1).copied().unwrap_or(b'"');
    let end = if text.len() > start && text.as_bytes().last() == Some(&quote) { text.len() - 1 } else { text.len() };
    start..end
}

/// Returns the range between the parentheses of a raw string.
fn raw_range(text: &str) -> Option<std::ops::Range<usize>> {
    let prefix = prefix(text).1;
    let after = text.get(prefix..)?.strip_prefix("R\"")?;
    let open = after.find('(')?;
    let start = prefix + 2 + open + 1;
    let end = text.len().checked_sub(open + 2)?;
    (start <= end && text.is_char_boundary(end)).then_some(start..end)
}

/// Returns the largest value of a code unit.
fn unit_max(prefix: StringPrefix) -> u32 {
    match prefix {
        StringPrefix::None | StringPrefix::Utf8 => 0xff,
        StringPrefix::Utf16 => 0xffff,
        StringPrefix::Wide | StringPrefix::Utf32 => u32::MAX,
    }
}

fn push_char(c: char, string: &mut StringLiteral) {
    match string.prefix {
        StringPrefix::None | StringPrefix::Utf8 => {
            string.units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        StringPrefix::Utf16 => string.units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u))),
        StringPrefix::Wide | StringPrefix::Utf32 => string.units.push(c as u32),
    }
}

/// Evaluates the escape sequence at `at` and returns its end.
fn escape(text: &str, at: usize, end: usize, string: &mut StringLiteral, complaints: &mut Vec<Complaint>) -> usize {
    let bytes = &text.as_bytes()[..end];
    let mut complain = |end: usize, message: String, error| {
        complaints.push(Complaint { start: at, end, message, error });
    };
    let Some(&letter) = bytes.get(at + 1) else { return end };
    let simple = match letter {
        b'n' => 10,
        b't' => 9,
        b'r' => 13,
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'v' => 11,
        b'e' | b'E' => 27,
        b'\\' | b'\'' | b'"' | b'?' => letter.into(),
        b'0'..=b'7' => {
            let digits = bytes[at + 1..].iter().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
            let stop = at + 1 + digits;
            let value = bytes[at + 1..stop].iter().fold(0, |value, b| value * 8 + u32::from(b - b'0'));
            if value > unit_max(string.prefix) {
                complain(stop, "octal escape sequence out of range".into(), false);
            }
            string.units.push(value & unit_max(string.prefix));
            return stop;
        }
        b'x' => {
            let digits = bytes[at + 2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
            let stop = at + 2 + digits;
            if digits == 0 {
                complain(stop, "'\\x' used with no following hex digits".into(), true);
            }
            let mut value = 0u64;
            let mut overflow = false;
            for &b in &bytes[at + 2..stop] {
                overflow |= value >> 60 != 0;
                value = value << 4 | u64::from(char::from(b).to_digit(16).unwrap_or(0));
            }
            if overflow || value > unit_max(string.prefix).into() {
                complain(stop, "hex escape sequence out of range".into(), false);
            }
            string.units.push(value as u32 & unit_max(string.prefix));
            return stop;
        }
        b'u' | b'U' => {
            let wanted = if letter == b'u' { 4 } else { 8 };
            let digits = bytes[at + 2..].iter().take(wanted).take_while(|b| b.is_ascii_hexdigit()).count();
            let stop = at + 2 + digits;
            let value = u32::from_str_radix(&text[at + 2..stop], 16).ok().filter(|_| digits == wanted);
            match value.map(char::from_u32) {
                Some(Some(c)) => push_char(c, string),
                Some(None) => complain(stop, format!("'{}' is not a character", &text[at..stop]), true),
                None => complain(stop, "incomplete universal character name".into(), true),
            }
            return stop;
        }
        _ => {
            let c = text[at + 1..].chars().next().unwrap_or('\u{fffd}');
            let stop = at + 1 + c.len_utf8();
            complain(stop, format!("unknown escape sequence '\\{}'", c.escape_debug()), false);
            push_char(c, string);
            return stop;
        }
    };
    string.units.push(simple);
    at + 2
}
