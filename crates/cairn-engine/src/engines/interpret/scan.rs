//! scanf and strtod: reading numbers and words from text; results are written through memory's doors.

use cairn_ir::{CheckKind, Ty};

use super::float;
use super::format::{Length, length, number};
use super::machine::{Machine, Step};
use super::value::Value;

/// Where the characters come from.
enum Source {
    Input,
    Text(Value),
}

/// A source with one character of look-ahead.
struct Reader {
    source: Source,
    peeked: Option<Option<u8>>,
    consumed: usize,
}

impl Reader {
    fn peek(&mut self, machine: &mut Machine<'_>) -> Step<Option<u8>> {
        if let Some(byte) = self.peeked {
            return Ok(byte);
        }
        let byte = match &mut self.source {
            Source::Input => machine.next_byte(),
            Source::Text(at) => {
                let byte = machine.read_bytes(*at, 1, "a string")?.first().copied().filter(|&b| b != 0);
                if byte.is_some() {
                    at.bits = at.bits.wrapping_add(1);
                }
                byte
            }
        };
        self.peeked = Some(byte);
        Ok(byte)
    }

    fn take(&mut self) {
        self.peeked = None;
        self.consumed += 1;
    }

    /// Takes the next character when it satisfies a condition and the width allows it.
    fn take_if(
        &mut self,
        machine: &mut Machine<'_>,
        left: &mut usize,
        accept: impl Fn(u8) -> bool,
    ) -> Step<Option<u8>> {
        if *left == 0 {
            return Ok(None);
        }
        match self.peek(machine)? {
            Some(byte) if accept(byte) => {
                self.take();
                *left -= 1;
                Ok(Some(byte))
            }
            _ => Ok(None),
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// One `%…` of a format.
struct Directive {
    store: bool,
    width: Option<usize>,
    length: Length,
    conversion: u8,
    /// For `%[…]`: which bytes are in the set.
    set: Option<[bool; 256]>,
}

/// Reads what follows a `%`.
fn directive(format: &[u8], at: &mut usize) -> Option<Directive> {
    let store = format.get(*at) != Some(&b'*');
    *at += usize::from(!store);
    let width = Some(number(format, at)).filter(|&w| w != 0);
    let length = length(format, at);
    let conversion = *format.get(*at)?;
    *at += 1;
    let mut set = None;
    if conversion == b'[' {
        let negated = format.get(*at) == Some(&b'^');
        *at += usize::from(negated);
        let mut members = [negated; 256];
        let mut first = true;
        loop {
            let byte = *format.get(*at)?;
            if byte == b']' && !first {
                *at += 1;
                break;
            }
            first = false;
            let last = match (format.get(*at + 1), format.get(*at + 2)) {
                (Some(b'-'), Some(&last)) if last != b']' && last >= byte => {
                    *at += 2;
                    last
                }
                _ => byte,
            };
            *at += 1;
            (byte..=last).for_each(|b| members[usize::from(b)] = !negated);
        }
        set = Some(members);
    }
    Some(Directive { store, width, length, conversion, set })
}

/// What a directive did.
enum Done {
    Matched,
    NoMatch,
    EndOfInput,
}

impl Machine<'_> {
    /// scanf from standard input, or from a string.
    pub fn scan(&mut self, text: Option<Value>, format: Value, area: Value) -> Step<i32> {
        let format = self.string(format)?;
        let mut arguments = self.arguments(area)?;
        let source = text.map_or(Source::Input, Source::Text);
        let mut reader = Reader { source, peeked: None, consumed: 0 };
        let result = self.scan_directives(&mut reader, &format, &mut arguments);
        if let (Source::Input, Some(Some(byte))) = (&reader.source, reader.peeked) {
            self.unread = Some(byte);
        }
        result
    }

    fn scan_directives(
        &mut self,
        reader: &mut Reader,
        format: &[u8],
        arguments: &mut super::format::Arguments,
    ) -> Step<i32> {
        let mut at = 0;
        let mut stored = 0;
        let mut converted = false;
        while let Some(&byte) = format.get(at) {
            at += 1;
            if is_space(byte) {
                self.skip_space(reader)?;
                continue;
            }
            let literal = if byte == b'%' && format.get(at) == Some(&b'%') {
                at += 1;
                self.skip_space(reader)?;
                Some(b'%')
            } else {
                Some(byte).filter(|&b| b != b'%')
            };
            if let Some(literal) = literal {
                match reader.peek(self)? {
                    Some(next) if next == literal => reader.take(),
                    Some(_) => return Ok(stored),
                    None => return Ok(if stored == 0 && !converted { -1 } else { stored }),
                }
                continue;
            }
            let Some(directive) = directive(format, &mut at) else {
                return Err(self.fault(CheckKind::Unsupported, "a malformed format of scanf".to_owned()));
            };
            match self.scan_one(reader, &directive, arguments)? {
                Done::Matched => {
                    converted = true;
                    stored += i32::from(directive.store && directive.conversion != b'n');
                }
                Done::NoMatch => return Ok(stored),
                Done::EndOfInput => return Ok(if stored == 0 && !converted { -1 } else { stored }),
            }
        }
        Ok(stored)
    }

    fn skip_space(&mut self, reader: &mut Reader) -> Step {
        while reader.peek(self)?.is_some_and(is_space) {
            reader.take();
        }
        Ok(())
    }

    fn scan_one(
        &mut self,
        reader: &mut Reader,
        directive: &Directive,
        arguments: &mut super::format::Arguments,
    ) -> Step<Done> {
        let pointer_bits = self.program.target.pointer_bits();
        let ty = directive.length.int(pointer_bits);
        let mut left = directive.width.unwrap_or(usize::MAX);
        match directive.conversion {
            b'n' => {
                if directive.store {
                    let target = self.next_pointer(arguments)?;
                    self.store(target.pointer(), ty, reader.consumed as u128, true)?;
                }
                Ok(Done::Matched)
            }
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
                self.skip_space(reader)?;
                if reader.peek(self)?.is_none() {
                    return Ok(Done::EndOfInput);
                }
                let base = match directive.conversion {
                    b'd' | b'u' => 10,
                    b'o' => 8,
                    b'i' => 0,
                    _ => 16,
                };
                let Some(value) = self.scan_int(reader, &mut left, base)? else { return Ok(Done::NoMatch) };
                if directive.store {
                    let target = self.next_pointer(arguments)?.pointer();
                    if directive.conversion == b'p' {
                        let pointer = self.memory.find(value as u64);
                        self.store_pointer(target, pointer.into())?;
                    } else {
                        self.store(target, ty, value as u128, true)?;
                    }
                }
                Ok(Done::Matched)
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                self.skip_space(reader)?;
                if reader.peek(self)?.is_none() {
                    return Ok(Done::EndOfInput);
                }
                let text = self.scan_float(reader, &mut left)?;
                let ty = match directive.length {
                    Length::Long | Length::LongLong => Ty::F64,
                    Length::LongDouble => Ty::F80,
                    _ => Ty::F32,
                };
                let Some(value) = float_value(ty, &text) else { return Ok(Done::NoMatch) };
                if directive.store {
                    let target = self.next_pointer(arguments)?.pointer();
                    self.store(target, ty, value, true)?;
                }
                Ok(Done::Matched)
            }
            b'c' | b's' | b'[' => self.scan_text(reader, directive, arguments),
            other => {
                let message = format!("the conversion `%{}` of scanf is not supported", char::from(other));
                Err(self.fault(CheckKind::Unsupported, message))
            }
        }
    }

    fn scan_text(
        &mut self,
        reader: &mut Reader,
        directive: &Directive,
        arguments: &mut super::format::Arguments,
    ) -> Step<Done> {
        if directive.length == Length::Long {
            let message = "wide characters in scanf are not supported".to_owned();
            return Err(self.fault(CheckKind::Unsupported, message));
        }
        let is_char = directive.conversion == b'c';
        let default = if is_char { 1 } else { usize::MAX };
        let mut left = directive.width.unwrap_or(default);
        if directive.conversion == b's' {
            self.skip_space(reader)?;
        }
        if reader.peek(self)?.is_none() {
            return Ok(Done::EndOfInput);
        }
        let mut target = if directive.store { Some(self.next_pointer(arguments)?) } else { None };
        let mut count = 0usize;
        let accept = |byte: u8| match (&directive.set, is_char) {
            (Some(set), _) => set[usize::from(byte)],
            (None, true) => true,
            (None, false) => !is_space(byte),
        };
        while let Some(byte) = reader.take_if(self, &mut left, accept)? {
            count += 1;
            if let Some(target) = &mut target {
                self.write_bytes(*target, &[byte])?;
                target.bits = target.bits.wrapping_add(1);
            }
        }
        if count == 0 || (is_char && left != 0) {
            return Ok(if count == 0 && !is_char { Done::NoMatch } else { Done::EndOfInput });
        }
        if let (Some(target), false) = (target, is_char) {
            self.write_bytes(target, &[0])?;
        }
        Ok(Done::Matched)
    }

    /// Reads an integer; values that do not fit 64 bits saturate as strtol does.
    fn scan_int(&mut self, reader: &mut Reader, left: &mut usize, base: u32) -> Step<Option<i128>> {
        let sign = reader.take_if(self, left, |b| b == b'-' || b == b'+')?;
        let mut base = base;
        let mut any = false;
        if (base == 0 || base == 16) && reader.take_if(self, left, |b| b == b'0')?.is_some() {
            any = true;
            if reader.take_if(self, left, |b| b == b'x' || b == b'X')?.is_some() {
                base = 16;
                any = false;
            } else if base == 0 {
                base = 8;
            }
        }
        if base == 0 {
            base = 10;
        }
        let mut value = 0i128;
        while let Some(byte) = reader.take_if(self, left, |b| char::from(b).is_digit(base))? {
            let digit = char::from(byte).to_digit(base).unwrap_or(0);
            value = value.saturating_mul(i128::from(base)).saturating_add(i128::from(digit));
            any = true;
        }
        let value = if sign == Some(b'-') { -value } else { value };
        Ok(any.then(|| value.clamp(i128::from(i64::MIN), i128::from(u64::MAX))))
    }

    /// Takes the characters of a floating number.
    fn scan_float(&mut self, reader: &mut Reader, left: &mut usize) -> Step<Vec<u8>> {
        let mut text = Vec::new();
        while let Some(byte) = reader.take_if(self, left, |b| {
            let mut longer = text.clone();
            longer.push(b);
            may_begin_float(&longer)
        })? {
            text.push(byte);
        }
        Ok(text)
    }

    /// strtod: the value and, in `*end`, where it stopped.
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
            return Err(self.uninitialised("the end pointer"));
        }
        if end.bits != 0 {
            let taken = if length == 0 { 0 } else { spaces + length as u64 };
            self.store_pointer(end.pointer(), text.pointer().plus(taken).into())?;
        }
        Ok(float_value(ty, &bytes[..length]).unwrap_or(0))
    }
}

/// Whether some number begins with these characters.
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

/// How many of the characters are a complete number.
fn float_prefix(text: &[u8]) -> usize {
    (1..=text.len()).rev().find(|&length| float_value(Ty::F64, &text[..length]).is_some()).unwrap_or(0)
}

/// The value of a complete number in C's notation.
pub(super) fn float_value(ty: Ty, text: &[u8]) -> Option<u128> {
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

    #[test]
    fn sets_hold_ranges_and_brackets() {
        let mut at = 0;
        let set = directive(b"[]a-c-]x", &mut at).unwrap().set.unwrap();
        assert_eq!(at, 7);
        assert!(set[usize::from(b']')] && set[usize::from(b'b')] && set[usize::from(b'-')]);
        assert!(!set[usize::from(b'x')]);
        let mut at = 0;
        let set = directive(b"[^\n]", &mut at).unwrap().set.unwrap();
        assert!(set[usize::from(b'q')] && !set[usize::from(b'\n')]);
    }
}
