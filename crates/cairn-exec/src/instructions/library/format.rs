//! The `printf` family.
//!
//! All accesses are checked, even where the output is unknown. The output is known if its numbers are constants; the
//! characters of strings may be symbolic.

use std::ops::ControlFlow::{Break, Continue};

use cairn_ir::Ty;
use cairn_ir::inst::VariableClass;
use cairn_memory::pointer::ObjectId;
use cairn_portfolio::Reason;
use cairn_smt::Term;

use super::IntrinsicCall;
use crate::allocation::Target;
use crate::limits::MAX_FIELD_WIDTH;
use crate::memory::access::AccessRequest;
use crate::state::State;
use crate::step::{Flow, Step, Stop};
use crate::{Machine, Mode};

/// The conversions that are modelled.
const CONVERSIONS: &[u8] = b"diouxXcspfFeEgGaA";

/// The bytes of a `wchar_t` in every data model.
const WIDE_CHARACTER: u32 = 4;

/// A conversion specification: the part between `%` and the conversion character.
#[derive(Clone, Copy, Default, Debug)]
struct Spec {
    left: bool,
    zero: bool,
    width: usize,
    /// Whether there is a part that is not modelled.
    ///
    /// Such a part is a precision, a sign, an alternative form, or a width from an argument.
    more: bool,
    /// The number of `l` modifiers, or the equivalent of another length modifier.
    longs: usize,
    /// The number of `h` modifiers.
    shorts: u32,
    long_double: bool,
    precision: bool,
}

impl Spec {
    /// Adds a flag, a digit or a modifier; returns false for any other character.
    fn add(&mut self, byte: u8) -> bool {
        match byte {
            b'.' => (self.precision, self.more) = (true, true),
            b'-' => self.left = true,
            b'0' if self.width == 0 => self.zero = true,
            b'0'..=b'9' => self.width = (self.width * 10 + usize::from(byte - b'0')).min(MAX_FIELD_WIDTH + 1),
            b'+' | b' ' | b'#' => self.more = true,
            b'h' => self.shorts += 1,
            b'l' | b'z' | b't' => self.longs += 1,
            b'j' | b'q' => self.longs = 2,
            b'L' => (self.longs, self.long_double) = (2, true),
            _ => return false,
        }
        true
    }
}

impl<M: Mode> Machine<'_, M> {
    /// Executes `snprintf`: writes the text and a terminating zero, as far as there is room.
    pub(super) fn format_buffer(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let Some(room) = state.path.value(&self.terms, call.values[1]) else {
            self.gaps.insert(Reason::NotModelled("printing to memory of symbolic size".to_owned()));
            return Break(Stop::Ended);
        };
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let over = (room > 0).then_some(call.values[0]);
        let (state, text) = self.format(state, call.read(2), call.values[3], over, out)?;
        let Some(mut text) = text else {
            self.gaps.insert(Reason::NotModelled("printing symbolic text to memory".to_owned()));
            return Break(Stop::Ended);
        };
        let length = self.terms.constant(text.len() as u128, 32);
        if room == 0 {
            return self.finish(state, call.dst, length);
        }
        text.truncate(room - 1);
        text.push(self.terms.constant(0, 8));
        let (mut state, id, at) = self.resolve(state, call.write(0), text.len() as u64, out)?;
        for (index, byte) in text.into_iter().enumerate() {
            self.write(&mut state, id, at + index as u64, byte);
        }
        self.finish(state, call.dst, length)
    }

    /// Checks the accesses of `printf` and returns the printed bytes where they are known.
    ///
    /// The accesses are to the format and to the strings that it names. A string that may share an object with the
    /// destination `over` is not known, because the output may overwrite it.
    pub(super) fn format(
        &mut self,
        state: State<M>,
        format: AccessRequest,
        args: Term,
        over: Option<Term>,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, Option<Vec<Term>>)> {
        let (mut state, text) = self.format_text(state, format, out)?;
        let mut printed = Some(Vec::new());
        let mut arg = 0u128;
        let mut bytes = text.into_iter();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                self.print_byte(&mut printed, byte);
                continue;
            }
            let mut spec = Spec::default();
            for byte in bytes.by_ref() {
                if byte == b'%' {
                    self.print_byte(&mut printed, b'%');
                    break;
                }
                if spec.add(byte) {
                    continue;
                }
                let distance = self.terms.constant(16 * arg, self.pointer_bits);
                let pointer = self.terms.add(args, distance);
                arg += 1;
                if byte == b'*' {
                    self.take_variable_argument(&state, pointer, (VariableClass::Word, 4));
                    spec.more = true;
                    continue;
                }
                self.require_modelled(byte, spec)?;
                let request = AccessRequest { pointer, ..format };
                let (next, field) = self.format_argument(state, (byte, spec), request, over, out)?;
                state = next;
                let field = field.filter(|_| !spec.more && spec.width <= MAX_FIELD_WIDTH);
                let field = field.map(|field| self.padded(field, byte, spec));
                printed = printed.zip(field).map(|(mut text, field)| {
                    text.extend(field);
                    text
                });
                break;
            }
        }
        Continue((state, printed))
    }

    /// Reads a format string, which must be constant.
    fn format_text(
        &mut self,
        state: State<M>,
        format: AccessRequest,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, Vec<u8>)> {
        let (mut state, len) = self.length_of_string(state, format, 1, out)?;
        let mut text = Vec::new();
        for i in 0..len {
            let distance = self.terms.constant(u128::from(i), self.pointer_bits);
            let pointer = self.terms.add(format.pointer, distance);
            let (mut next, id, offset) = self.resolve(state, AccessRequest { pointer, ..format }, 1, out)?;
            let byte = self.read(&mut next, id, offset, 1);
            let Some(byte) = next.path.value(&self.terms, byte) else {
                self.gaps.insert(Reason::NotModelled("a symbolic format string".to_owned()));
                return Break(Stop::Ended);
            };
            text.push(byte as u8);
            state = next;
        }
        Continue((state, text))
    }

    fn print_byte(&mut self, printed: &mut Option<Vec<Term>>, byte: u8) {
        let byte = self.terms.constant(u128::from(byte), 8);
        printed.iter_mut().for_each(|text| text.push(byte));
    }

    /// Ends the path at a conversion that is not modelled.
    fn require_modelled(&mut self, kind: u8, spec: Spec) -> Flow<()> {
        let what = match kind {
            b'n' => "`%n`".to_owned(),
            b's' if spec.precision => "printing a part of a string".to_owned(),
            kind if !CONVERSIONS.contains(&kind) => {
                format!("the conversion {:?} of a format string", char::from(kind))
            }
            _ => return Continue(()),
        };
        self.gaps.insert(Reason::NotModelled(what));
        Break(Stop::Ended)
    }

    /// Reads an argument, and returns its text where it is known.
    fn format_argument(
        &mut self,
        state: State<M>,
        (kind, spec): (u8, Spec),
        request: AccessRequest,
        over: Option<Term>,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, Option<Vec<Term>>)> {
        let pointer = u64::from(self.pointer_bits / 8);
        let taken = match kind {
            b's' | b'p' => (VariableClass::Word, pointer),
            b'c' => (VariableClass::Word, 4),
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => (VariableClass::Word, [4, pointer, 8][spec.longs.min(2)]),
            _ if spec.long_double => (VariableClass::Float, Ty::F80.bytes(self.program.target)),
            _ => (VariableClass::Float, 8),
        };
        self.take_variable_argument(&state, request.pointer, taken);
        let len = if kind == b's' { pointer } else { taken.1 };
        let (mut state, id, offset) = self.resolve(state, request, len, out)?;
        if kind != b's' {
            let text = self.number_text(&mut state, (id, offset), (kind, taken.1, spec), request);
            return Continue((state, text));
        }
        let string = self.read(&mut state, id, offset, len as u32);
        let request = AccessRequest { pointer: string, ..request };
        let width = if spec.longs == 0 { 1 } else { WIDE_CHARACTER };
        let (state, length) = self.length_of_string(state, request, width, out)?;
        let apart = over.is_none_or(|to| !self.may_share(&state, to, string));
        if length == 0 {
            return Continue((state, Some(Vec::new())));
        }
        if spec.longs != 0 || !apart {
            return Continue((state, None));
        }
        let (mut state, id, at) = self.resolve(state, request, length, out)?;
        let text = (0..length).map(|i| self.read(&mut state, id, at + i, 1)).collect();
        Continue((state, Some(text)))
    }

    /// Returns whether two pointers may point into the same object.
    fn may_share(&mut self, state: &State<M>, a: Term, b: Term) -> bool {
        match (self.target(state, a), self.target(state, b)) {
            (Target::Object(p, _), Target::Object(q, _)) => p == q,
            _ => true,
        }
    }

    /// Returns the digits of an integer argument, or the character of a `%c`; `None` if unknown.
    fn number_text(
        &mut self,
        state: &mut State<M>,
        (id, at): (ObjectId, u64),
        (kind, bytes, spec): (u8, u64, Spec),
        request: AccessRequest,
    ) -> Option<Vec<Term>> {
        let value = self.read(state, id, at, bytes as u32);
        self.check_initialised(state, value, request.checks, request.loc);
        if kind == b'c' {
            return (spec.longs == 0).then(|| vec![self.terms.extract(value, 0, 8)]);
        }
        if !b"diouxX".contains(&kind) {
            return None;
        }
        let bits = state.path.value(&self.terms, value)?;
        let width = match spec.shorts {
            0 => 8 * bytes as u32,
            1 => 16,
            _ => 8,
        };
        let bits = bits & cairn_smt::term::mask(width);
        let text = match kind {
            b'd' | b'i' => cairn_smt::term::signed(bits, width).to_string(),
            b'u' => bits.to_string(),
            b'o' => format!("{bits:o}"),
            b'x' => format!("{bits:x}"),
            _ => format!("{bits:X}"),
        };
        Some(text.bytes().map(|byte| self.terms.constant(u128::from(byte), 8)).collect())
    }

    /// Pads a field to its width.
    fn padded(&mut self, mut field: Vec<Term>, kind: u8, spec: Spec) -> Vec<Term> {
        let missing = spec.width.saturating_sub(field.len());
        let zeros = spec.zero && !spec.left && !matches!(kind, b'c' | b's');
        let fill = self.terms.constant(u128::from(if zeros { b'0' } else { b' ' }), 8);
        let minus = self.terms.constant(u128::from(b'-'), 8);
        let at = match (spec.left, zeros && field.first() == Some(&minus)) {
            (true, _) => field.len(),
            (false, true) => 1,
            (false, false) => 0,
        };
        field.splice(at..at, std::iter::repeat_n(fill, missing));
        field
    }
}
