//! `printf`. Every read of the format, of the arguments and of strings is checked by memory.

use cairn_ir::inst::{Passing, VariableClass};
use cairn_ir::{CheckKind, Ty};

use crate::arithmetic::definedness::Scalar;
use crate::arithmetic::value::Value;
use crate::library::decimal::{self, Class};
use crate::limits::MAX_PRINTED;
use crate::run::machine::{Machine, Step, Trap};
use cairn_memory::Pointer;

/// The length modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Length {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    LongDouble,
}

/// Parses a length modifier at `at` and moves past it.
///
/// `z` and `t` have the width of `long`, `j` and `q` that of `long long`.
pub(crate) fn length(format: &[u8], at: &mut usize) -> Length {
    let next = |offset: usize| format.get(*at + offset).copied();
    let (length, taken) = match (next(0), next(1)) {
        (Some(b'h'), Some(b'h')) => (Length::Char, 2),
        (Some(b'h'), _) => (Length::Short, 1),
        (Some(b'l'), Some(b'l')) => (Length::LongLong, 2),
        (Some(b'l' | b'z' | b't'), _) => (Length::Long, 1),
        (Some(b'j' | b'q'), _) => (Length::LongLong, 1),
        (Some(b'L'), _) => (Length::LongDouble, 1),
        _ => (Length::Int, 0),
    };
    *at += taken;
    length
}

impl Length {
    /// Returns the integer type that the modifier denotes.
    pub fn int(self, pointer_bits: u32) -> Ty {
        match self {
            Length::Char => Ty::I8,
            Length::Short => Ty::I16,
            Length::Int => Ty::I32,
            Length::Long if pointer_bits == 32 => Ty::I32,
            Length::Long | Length::LongLong | Length::LongDouble => Ty::I64,
        }
    }
}

#[derive(Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The output of `printf`.
pub(crate) struct Text {
    pub bytes: Vec<u8>,
    /// The strings that the text was made from, which must not be overwritten.
    pub sources: Vec<(Pointer, u64)>,
}

/// An iterator over variable arguments.
pub(crate) struct Arguments {
    first: (Pointer, u32),
    next: Pointer,
    index: u32,
}

impl Arguments {
    /// Moves to an argument by its number in the format, from 1.
    fn seek(&mut self, number: u32) {
        let (first, index) = self.first;
        self.next = first.plus(u64::from(number - 1) * 16);
        self.index = index.saturating_add(number - 1);
    }
}

/// Parses the number of an argument (`2$`) at `at` and moves past it.
fn argument_number(format: &[u8], at: &mut usize) -> Option<u32> {
    let digits = format.get(*at..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    if format.get(*at + digits) != Some(&b'$') {
        return None;
    }
    let number = std::str::from_utf8(&format[*at..*at + digits]).ok()?.parse().ok().filter(|&number| number > 0)?;
    *at += digits + 1;
    Some(number)
}

impl Machine<'_> {
    pub fn arguments(&self, area: Value) -> Step<Arguments> {
        if area.is_undefined() {
            return Err(self.uninitialised("variable argument list"));
        }
        let next = area.pointer();
        let base = self.memory.info(next.object, next.life).map_or(next.address, |i| i.shape.base);
        let index = (next.address.wrapping_sub(base) / 16) as u32;
        Ok(Arguments { first: (next, index), next, index })
    }

    fn next_argument(&self, arguments: &mut Arguments, ty: Ty) -> Step<Pointer> {
        let at = arguments.next;
        arguments.next = at.plus(16);
        arguments.index += 1;
        let (class, size) = Passing::Scalar(ty).variable_argument(self.program.target);
        self.variable_argument_is(at, class, size)?;
        Ok(at)
    }

    /// Checks that a variable argument has the class and size that it is taken as.
    ///
    /// With leftovers, the execution replays a path for memory safety alone. Then a mismatch is no fault, and the
    /// bytes of the argument are used, like uninitialised ones.
    pub fn variable_argument_is(&self, at: Pointer, class: VariableClass, size: u64) -> Step {
        let Some(info) = self.memory.info(at.object, at.life) else { return Ok(()) };
        let distance = at.address.wrapping_sub(info.shape.base);
        let passed = self.variadic_passing.get(&at.object).and_then(|all| all.get((distance / 16) as usize));
        let (Some(&Some(passed)), None) = (passed, &self.options.leftovers) else { return Ok(()) };
        let (given, bytes) = passed.variable_argument(self.program.target);
        if distance % 16 != 0 || (given, bytes) == (class, size) {
            return Ok(());
        }
        let number = distance / 16 + 1;
        let message =
            format!("variable argument {number} is {} but is read as {}", given.describe(bytes), class.describe(size));
        Err(self.fault(CheckKind::InvalidCall, message))
    }

    /// Returns the low bits of the next argument, an integer or a floating-point number.
    pub fn next_bits(&self, arguments: &mut Arguments, ty: Ty, width: u32) -> Step<u128> {
        let at = self.next_argument(arguments, ty)?;
        let value = self.load(at, ty)?;
        if crate::arithmetic::truncate(value.undefined, width) != 0 {
            return Err(self.uninitialised(&format!("variable argument {}", arguments.index)));
        }
        Ok(crate::arithmetic::truncate(value.bits, width))
    }

    /// Returns the next argument as an `int`.
    fn next_int(&self, arguments: &mut Arguments) -> Step<i32> {
        Ok(self.next_bits(arguments, Ty::I32, 32)? as i32)
    }

    /// Returns the next argument as a pointer.
    pub fn next_pointer(&self, arguments: &mut Arguments) -> Step<Value> {
        let at = self.next_argument(arguments, Ty::Ptr)?;
        let value = self.load_pointer(at)?;
        if value.is_undefined() {
            return Err(self.uninitialised(&format!("variable argument {}", arguments.index)));
        }
        Ok(value)
    }

    /// Returns a null-terminated string of the program, without the terminator.
    pub fn string(&self, address: Value) -> Step<Vec<u8>> {
        let length = self.string_length(address, 1, u64::MAX)?;
        self.read_bytes(address, length, "a string")
    }

    /// Formats variable arguments like `printf`.
    pub fn format(&mut self, format: Value, area: Value) -> Step<Text> {
        if format.is_undefined() {
            return Err(self.uninitialised("format string"));
        }
        let start = format.pointer();
        let format = self.string(format)?;
        let mut arguments = self.arguments(area)?;
        let bytes = Vec::with_capacity(format.len() + 16);
        let mut out = Text { bytes, sources: vec![(start, format.len() as u64 + 1)] };
        let mut at = 0;
        while let Some(&byte) = format.get(at) {
            at += 1;
            if byte != b'%' {
                out.bytes.push(byte);
                continue;
            }
            let spec = self.spec(&format, &mut at, &mut arguments)?;
            let length = length(&format, &mut at);
            let Some(&conversion) = format.get(at) else { break };
            at += 1;
            self.conversion(&spec, length, conversion, &mut arguments, &mut out)?;
            if out.bytes.len() > MAX_PRINTED {
                return Err(Trap::Budget(format!("printf output exceeds {MAX_PRINTED} bytes")));
            }
        }
        Ok(out)
    }

    fn spec(&self, format: &[u8], at: &mut usize, arguments: &mut Arguments) -> Step<Spec> {
        let mut spec = Spec::default();
        let position = argument_number(format, at);
        loop {
            match format.get(*at) {
                Some(b'-') => spec.left = true,
                Some(b'+') => spec.plus = true,
                Some(b' ') => spec.space = true,
                Some(b'#') => spec.alternate = true,
                Some(b'0') => spec.zero = true,
                Some(b'\'' | b'I') => {}
                _ => break,
            }
            *at += 1;
        }
        if format.get(*at) == Some(&b'*') {
            *at += 1;
            if let Some(number) = argument_number(format, at) {
                arguments.seek(number);
            }
            let width = self.next_int(arguments)?;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        } else {
            spec.width = number(format, at);
        }
        if format.get(*at) == Some(&b'.') {
            *at += 1;
            if format.get(*at) == Some(&b'*') {
                *at += 1;
                if let Some(number) = argument_number(format, at) {
                    arguments.seek(number);
                }
                let precision = self.next_int(arguments)?;
                spec.precision = usize::try_from(precision).ok();
            } else {
                spec.precision = Some(number(format, at));
            }
        }
        if spec.width > MAX_PRINTED || spec.precision.is_some_and(|p| p > MAX_PRINTED) {
            return Err(Trap::Budget(format!("printf output exceeds {MAX_PRINTED} bytes")));
        }
        if let Some(number) = position {
            arguments.seek(number);
        }
        Ok(spec)
    }

    fn conversion(
        &mut self,
        spec: &Spec,
        length: Length,
        conversion: u8,
        arguments: &mut Arguments,
        text: &mut Text,
    ) -> Step {
        let out = &mut text.bytes;
        let pointer_bits = self.program.target.pointer_bits();
        let ty = length.int(pointer_bits);
        // Small integers are passed as `int`.
        let passed = if matches!(ty, Ty::I8 | Ty::I16) { Ty::I32 } else { ty };
        let bits = ty.bits(self.program.target);
        match conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let value = crate::arithmetic::signed(self.next_bits(arguments, passed, bits)?, bits);
                let sign = sign_text(spec, value < 0);
                integer(spec, sign, "", value.unsigned_abs().to_string(), value == 0, out);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = self.next_bits(arguments, passed, bits)?;
                let digits = match conversion {
                    b'u' => value.to_string(),
                    b'o' => format!("{value:o}"),
                    b'x' => format!("{value:x}"),
                    _ => format!("{value:X}"),
                };
                let prefix = match conversion {
                    b'x' if spec.alternate && value != 0 => "0x",
                    b'X' if spec.alternate && value != 0 => "0X",
                    _ => "",
                };
                if conversion == b'o' && spec.alternate && !(value == 0 && spec.precision.is_none()) {
                    let wanted = digits.len() + usize::from(value != 0);
                    let precision = Some(spec.precision.unwrap_or(1).max(wanted));
                    // The zero flag has no effect on the digit that `#` adds.
                    let octal = Spec { precision, zero: false, ..*spec };
                    let octal = if spec.zero && spec.precision.is_none() {
                        Spec { precision: Some(wanted.max(if spec.left { 0 } else { spec.width })), ..octal }
                    } else {
                        octal
                    };
                    integer(&octal, "", "", digits, false, out);
                } else {
                    integer(spec, "", prefix, digits, value == 0, out);
                }
            }
            b'c' => {
                let width = if length == Length::Long { 32 } else { 8 };
                let value = self.next_bits(arguments, Ty::I32, width)? as u32;
                if length == Length::Long {
                    let character = char::from_u32(value).unwrap_or('?');
                    pad(spec, character.to_string().as_bytes(), out);
                } else {
                    pad(spec, &[value as u8], out);
                }
            }
            b's' => {
                let string = self.next_pointer(arguments)?;
                let limit = spec.precision.map_or(u64::MAX, |p| p as u64);
                if length == Length::Long {
                    let bytes = self.wide_text(string, spec.precision)?;
                    pad(spec, &bytes, out);
                } else {
                    let length = self.string_length(string, 1, limit)?;
                    let bytes = self.read_bytes(string, length, "a string")?;
                    pad(spec, &bytes, out);
                    text.sources.push((string.pointer(), length));
                }
            }
            b'p' => {
                let value = self.next_pointer(arguments)?;
                if value.object() != 0 && self.is_representative() {
                    return Err(Trap::Budget("the output contains an address".to_owned()));
                }
                let digits = if value.bits == 0 { "(nil)".to_owned() } else { format!("{:#x}", value.bits) };
                pad(spec, digits.as_bytes(), out);
            }
            b'n' => {
                let target = self.next_pointer(arguments)?;
                let count = out.len() as u128;
                self.store(target.pointer(), ty, Scalar::defined(crate::arithmetic::truncate(count, bits)))?;
            }
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                let ty = if length == Length::LongDouble { Ty::F80 } else { Ty::F64 };
                let value = self.next_bits(arguments, ty, ty.bits(self.program.target))?;
                floating(spec, ty, conversion, value, out);
            }
            other => {
                let message = format!("printf conversion `%{}` is not supported", char::from(other));
                return Err(self.fault(CheckKind::Unsupported, message));
            }
        }
        Ok(())
    }

    /// Returns a wide string as UTF-8, at most `limit` bytes.
    fn wide_text(&self, text: Value, limit: Option<usize>) -> Step<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut at = text.pointer();
        loop {
            if limit.is_some_and(|limit| bytes.len() >= limit) {
                break;
            }
            let element = self.load(at, Ty::I32)?.known();
            let value = element.ok_or_else(|| self.uninitialised("element of a wide string"))?;
            if value == 0 {
                break;
            }
            let character = char::from_u32(value as u32).unwrap_or('?').to_string();
            if limit.is_some_and(|limit| bytes.len() + character.len() > limit) {
                break;
            }
            bytes.extend_from_slice(character.as_bytes());
            at = at.plus(4);
        }
        Ok(bytes)
    }
}

/// Parses a decimal number, saturating.
pub(crate) fn number(format: &[u8], at: &mut usize) -> usize {
    let mut value = 0usize;
    while let Some(digit) = format.get(*at).filter(|b| b.is_ascii_digit()) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *at += 1;
    }
    value
}

fn sign_text(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, _, _) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn pad(spec: &Spec, text: &[u8], out: &mut Vec<u8>) {
    let padding = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.extend(std::iter::repeat_n(b' ', padding));
    }
    out.extend_from_slice(text);
    if spec.left {
        out.extend(std::iter::repeat_n(b' ', padding));
    }
}

fn integer(spec: &Spec, sign: &str, prefix: &str, digits: String, is_zero: bool, out: &mut Vec<u8>) {
    let digits = if is_zero && spec.precision == Some(0) { String::new() } else { digits };
    let mut zeros = spec.precision.unwrap_or(1).saturating_sub(digits.len());
    if spec.zero && !spec.left && spec.precision.is_none() {
        zeros = spec.width.saturating_sub(sign.len() + prefix.len() + digits.len());
    }
    let text = format!("{sign}{prefix}{}{digits}", "0".repeat(zeros));
    pad(spec, text.as_bytes(), out);
}

fn floating(spec: &Spec, ty: Ty, conversion: u8, value: u128, out: &mut Vec<u8>) {
    let parts = decimal::parts(ty, value);
    let sign = sign_text(spec, parts.negative);
    let upper = conversion.is_ascii_uppercase();
    let (prefix, mut text) = match parts.class {
        Class::Nan => ("", "nan".to_owned()),
        Class::Infinite => ("", "inf".to_owned()),
        Class::Finite { mantissa, exponent, bits } if conversion.eq_ignore_ascii_case(&b'a') => {
            let text = decimal::hexadecimal_text(ty, mantissa, exponent, bits, spec.precision, spec.alternate);
            ("0x", text[2..].to_owned())
        }
        Class::Finite { mantissa, exponent, .. } => {
            ("", decimal::decimal_text(mantissa, exponent, conversion, spec.precision, spec.alternate))
        }
    };
    let finite = matches!(parts.class, Class::Finite { .. });
    let mut prefix = prefix.to_owned();
    if upper {
        text.make_ascii_uppercase();
        prefix.make_ascii_uppercase();
    }
    let zeros = if spec.zero && !spec.left && finite {
        spec.width.saturating_sub(sign.len() + prefix.len() + text.len())
    } else {
        0
    };
    let text = format!("{sign}{prefix}{}{text}", "0".repeat(zeros));
    pad(spec, text.as_bytes(), out);
}
