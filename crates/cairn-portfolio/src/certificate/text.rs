//! The text form of certificates: words separated by blanks.
//!
//! Every list begins with its length, every choice with a word. The reader never allocates more than the text is long.

use std::collections::BTreeMap;
use std::fmt;

use cairn_ir::source::FileId;
use cairn_ir::{BlockId, CheckId, CheckKind, FuncId, Loc};

use super::{
    CallRecord, CallSiteRecord, Certificate, Claim, ContextRecord, FrameRecord, InvariantRecord, LoopRecord, Method,
    Moment, ObjectRecord, PlaceRecord, RowRecord, SegmentRecord, StateRecord, TermRecord,
};
use crate::alarm::Alarm;

/// The first word of a certificate, with the version of the form.
const HEADER: &str = "cairn-certificate-2";

/// The last word of a certificate. Without it, a text that was cut within its last number would be another certificate.
const END: &str = "end";

/// The longest text of a certificate, in bytes. Certificates of large proofs have some ten megabytes.
pub const MAX_TEXT: usize = 1 << 30;

/// Why a text is no certificate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damaged {
    /// What the reader expected.
    pub expected: &'static str,
    /// The number of the word that is wrong, from 1.
    pub word: usize,
}

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "damaged certificate: expected {} as word {}", self.expected, self.word)
    }
}

impl Certificate {
    /// Returns the text form.
    pub fn to_text(&self) -> String {
        let mut out = String::from(HEADER);
        out.push('\n');
        self.write(&mut out);
        out.push_str(END);
        out.push('\n');
        out
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// If the text is not the text form of a certificate.
    pub fn from_text(text: &str) -> Result<Self, Damaged> {
        if text.len() > MAX_TEXT {
            return Err(Damaged { expected: "a shorter text", word: 1 });
        }
        let mut reader = Reader { words: text.split_ascii_whitespace(), left: text.len(), number: 0 };
        if reader.word("the header")? != HEADER {
            return Err(reader.damaged("`cairn-certificate-2`"));
        }
        let certificate = Self::read(&mut reader)?;
        if reader.word("the end")? != END {
            return Err(reader.damaged("the end"));
        }
        match reader.words.next() {
            None => Ok(certificate),
            Some(_) => {
                reader.number += 1;
                Err(reader.damaged("the end"))
            }
        }
    }
}

/// The words that are still to be read.
struct Reader<'t> {
    words: std::str::SplitAsciiWhitespace<'t>,
    /// An upper bound on the number of further words.
    left: usize,
    number: usize,
}

impl<'t> Reader<'t> {
    fn word(&mut self, expected: &'static str) -> Result<&'t str, Damaged> {
        self.number += 1;
        let Some(word) = self.words.next() else { return Err(self.damaged(expected)) };
        self.left = self.left.saturating_sub(word.len() + 1);
        Ok(word)
    }

    fn damaged(&self, expected: &'static str) -> Damaged {
        Damaged { expected, word: self.number }
    }
}

/// A part of a certificate.
trait Part: Sized {
    fn write(&self, out: &mut String);
    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged>;
}

fn put(out: &mut String, word: impl fmt::Display) {
    use fmt::Write as _;
    // Writing to a string cannot fail.
    let _ = write!(out, "{word} ");
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Part for $number {
            fn write(&self, out: &mut String) {
                put(out, self);
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
                let word = reader.word("a number")?;
                word.parse().map_err(|_| reader.damaged("a number"))
            }
        }
    )*};
}

numbers!(u8, u32, u64, u128, i128);

macro_rules! ids {
    ($($id:ident),*) => {$(
        impl Part for $id {
            fn write(&self, out: &mut String) {
                put(out, self.0);
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
                Ok($id(Part::read(reader)?))
            }
        }
    )*};
}

ids!(FuncId, BlockId, CheckId, FileId);

impl Part for bool {
    fn write(&self, out: &mut String) {
        put(out, u8::from(*self));
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        match reader.word("0 or 1")? {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(reader.damaged("0 or 1")),
        }
    }
}

impl Part for String {
    /// Names are identifiers; other bytes are written as numbers.
    fn write(&self, out: &mut String) {
        out.push('=');
        for byte in self.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' => out.push(char::from(byte)),
                _ => out.push_str(&format!("%{byte:02x}")),
            }
        }
        out.push(' ');
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let word = reader.word("a name")?;
        let wrong = reader.damaged("a name");
        let mut rest = word.strip_prefix('=').ok_or_else(|| wrong.clone())?.bytes();
        let mut bytes = Vec::new();
        while let Some(byte) = rest.next() {
            if byte != b'%' {
                bytes.push(byte);
                continue;
            }
            let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
            let (Some(high), Some(low)) = (digit(), digit()) else { return Err(wrong) };
            bytes.push((16 * high + low) as u8);
        }
        String::from_utf8(bytes).map_err(|_| wrong)
    }
}

impl Part for CheckKind {
    fn write(&self, out: &mut String) {
        put(out, self.name());
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let word = reader.word("the name of a check")?;
        CheckKind::from_name(word).ok_or_else(|| reader.damaged("the name of a check"))
    }
}

impl<T: Part> Part for Option<T> {
    fn write(&self, out: &mut String) {
        match self {
            None => put(out, "-"),
            Some(value) => {
                put(out, "+");
                value.write(out);
            }
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        match reader.word("`+` or `-`")? {
            "-" => Ok(None),
            "+" => Ok(Some(T::read(reader)?)),
            _ => Err(reader.damaged("`+` or `-`")),
        }
    }
}

impl<T: Part> Part for Vec<T> {
    fn write(&self, out: &mut String) {
        put(out, self.len());
        self.iter().for_each(|item| item.write(out));
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let len = u64::read(reader)?;
        // Every item is at least one letter and a blank.
        if len > reader.left as u64 {
            return Err(reader.damaged("a length that the text has room for"));
        }
        let mut items = Vec::new();
        for _ in 0..len {
            items.push(T::read(reader)?);
        }
        Ok(items)
    }
}

impl Part for BTreeMap<u32, u128> {
    fn write(&self, out: &mut String) {
        self.iter().map(|(&key, &value)| (key, value)).collect::<Vec<_>>().write(out);
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        Ok(Vec::<(u32, u128)>::read(reader)?.into_iter().collect())
    }
}

macro_rules! tuples {
    ($(($($name:ident),*)),*) => {$(
        impl<$($name: Part),*> Part for ($($name,)*) {
            #[allow(non_snake_case)]
            fn write(&self, out: &mut String) {
                let ($($name,)*) = self;
                $($name.write(out);)*
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
                Ok(($($name::read(reader)?,)*))
            }
        }
    )*};
}

tuples!((A, B), (A, B, C), (A, B, C, D));

macro_rules! structs {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Part for $name {
            fn write(&self, out: &mut String) {
                $(self.$field.write(out);)*
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
                Ok(Self { $($field: Part::read(reader)?,)* })
            }
        }
    )*};
}

structs! {
    Certificate { claim, terms, contexts, places, calls, invariants }
    Claim {
        engine, entry, kinds, granted, malloc_fails, assert_faults, alarms, harmless, reads_uninitialised, program, method,
    }
    Alarm { kind, loc, check }
    Loc { file, line, column }
    InvariantRecord { unwind, is_bounded, subjects, calls, contexts, rows, proved }
    CallSiteRecord { body, function, at, callee }
    RowRecord { location, path, form, numbers }
    PlaceRecord { context, moment, stack, states }
    ContextRecord { region, entry, untouched }
    LoopRecord { blocks, registers }
    CallRecord { calling, context, footprint, cut, targets }
    StateRecord { frames, objects, conditions, model, cut }
    FrameRecord { at, regs, slots, owned, variadic, result }
    ObjectRecord { id, kind, end, base, size, constant, pattern, initial, cells, indexed, segment }
    SegmentRecord { node, owned, locals, links, back_link, fork, at, next, back, min, length, sequences }
}

macro_rules! choices {
    ($($name:ident { $($word:literal => $variant:ident),* $(,)? })*) => {$(
        impl Part for $name {
            fn write(&self, out: &mut String) {
                put(out, match self { $($name::$variant => $word,)* });
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
                match reader.word("a known word")? {
                    $($word => Ok($name::$variant),)*
                    _ => Err(reader.damaged("a known word")),
                }
            }
        }
    )*};
}

choices! {
    Method { "states" => States, "paths" => Paths, "invariants" => Invariants }
    Moment { "arrived" => Arrived, "resumed" => Resumed, "returned" => Returned }
}

macro_rules! variants {
    ($name:ident { $($word:literal => $variant:ident($($field:ident),*)),* $(,)? }) => {
        impl Part for $name {
            fn write(&self, out: &mut String) {
                match self {
                    $($name::$variant($($field),*) => {
                        put(out, $word);
                        $($field.write(out);)*
                    })*
                }
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
                match reader.word("a term")? {
                    $($word => {
                        $(let $field = Part::read(reader)?;)*
                        Ok($name::$variant($($field),*))
                    })*
                    _ => Err(reader.damaged("a term")),
                }
            }
        }
    };
}

variants! {
    TermRecord {
        "c" => Constant(width, bits),
        "v" => Variable(width, undefined),
        "f" => Fixed(object),
        "l" => Label(function, block),
        "+" => Sum(width, constant, parts),
        "b" => Binary(operator, left, right),
        "n" => Not(term),
        "s" => SignExtend(term, width),
        "x" => Extract(term, low, width),
        "i" => Ite(condition, then, other),
    }
}
