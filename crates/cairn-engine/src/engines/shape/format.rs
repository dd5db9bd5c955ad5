//! printf and its kin. What they touch is checked whatever they print; what they print is known where the numbers are constant, the
//! characters of strings may be any.

use cairn_ir::inst::VariableClass;
use cairn_ir::{Checks, Loc, Reg, Ty};
use cairn_smt::Term;

use super::Explorer;
use super::access::Stop;
use super::state::State;
use super::transfer::Step;
use crate::memory::fault::Access;
use crate::memory::pointer::ObjectId;

/// Longer fields are not written out.
const WIDEST: usize = 4096;

/// What stands between `%` and the conversion.
#[derive(Clone, Copy, Default, Debug)]
struct Spec {
    left: bool,
    zero: bool,
    width: usize,
    /// There is more than that: a precision, a sign, an argument for the width.
    more: bool,
    /// How often `l` stands before the conversion, or stands for.
    longs: usize,
    /// How often `h` does.
    shorts: u32,
    long_double: bool,
    precision: bool,
}

impl Explorer<'_> {
    /// `snprintf`: the text and a zero behind it, as much as there is room for.
    pub(super) fn format_buffer(
        &mut self,
        state: State,
        values: &[Term],
        dst: Option<Reg>,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Step {
        let (to, format, args) = (values[0], values[2], values[3]);
        let Some(room) = state.path.value(&self.terms, values[1]) else {
            self.gaps.insert("the room for a text that is printed to memory is not constant".to_owned());
            return Err(Stop::Ended);
        };
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let over = (room > 0).then_some(to);
        let (state, text) = self.format(state, (format, args), over, checks, loc, out)?;
        let Some(mut text) = text else {
            self.gaps.insert("a text that is printed to memory is not constant".to_owned());
            return Err(Stop::Ended);
        };
        let length = self.terms.constant(text.len() as u128, 32);
        if room == 0 {
            return self.finish(state, dst, length);
        }
        text.truncate(room - 1);
        text.push(self.terms.constant(0, 8));
        let (mut state, id, at) = self.resolve(state, to, text.len() as u64, Access::Write, checks, loc, out)?;
        for (index, byte) in text.into_iter().enumerate() {
            self.write(&mut state, id, at + index as u64, byte);
        }
        self.finish(state, dst, length)
    }

    /// What printf touches, the format and the strings it names, and the bytes that it prints where they are known. What is
    /// printed over one of the strings is not known.
    pub(super) fn format(
        &mut self,
        state: State,
        (format, args): (Term, Term),
        over: Option<Term>,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Result<(State, Option<Vec<Term>>), Stop> {
        let (mut state, len) = self.string_length(state, format, checks, loc, out)?;
        let mut text = Vec::new();
        for i in 0..len {
            let distance = self.terms.constant(u128::from(i), self.pointer_bits);
            let at = self.terms.add(format, distance);
            let (mut next, id, offset) = self.resolve(state, at, 1, Access::Read, checks, loc, out)?;
            let byte = self.read(&mut next, id, offset, 1);
            let Some(byte) = next.path.value(&self.terms, byte) else {
                self.gaps.insert("a format string is not constant".to_owned());
                return Err(Stop::Ended);
            };
            text.push(byte as u8);
            state = next;
        }
        let mut printed = Some(Vec::new());
        let mut arg = 0u128;
        let pointer = u64::from(self.pointer_bits / 8);
        let mut bytes = text.into_iter();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                let byte = self.terms.constant(u128::from(byte), 8);
                printed.iter_mut().for_each(|text| text.push(byte));
                continue;
            }
            let mut spec = Spec::default();
            for byte in bytes.by_ref() {
                match byte {
                    b'%' => {
                        let byte = self.terms.constant(u128::from(b'%'), 8);
                        printed.iter_mut().for_each(|text| text.push(byte));
                        break;
                    }
                    b'*' => {
                        let distance = self.terms.constant(16 * arg, self.pointer_bits);
                        let at = self.terms.add(args, distance);
                        self.take_variable_argument(&state, at, (VariableClass::Word, 4));
                        spec.more = true;
                        arg += 1;
                    }
                    b'.' => (spec.precision, spec.more) = (true, true),
                    b'-' => spec.left = true,
                    b'0' if spec.width == 0 => spec.zero = true,
                    b'0'..=b'9' => spec.width = (spec.width * 10 + usize::from(byte - b'0')).min(WIDEST + 1),
                    b'+' | b' ' | b'#' => spec.more = true,
                    b'h' => spec.shorts += 1,
                    b'l' | b'z' | b't' => spec.longs += 1,
                    b'j' | b'q' => spec.longs = 2,
                    b'L' => (spec.longs, spec.long_double) = (2, true),
                    b'n' => {
                        self.gaps.insert("%n is not modelled symbolically".to_owned());
                        return Err(Stop::Ended);
                    }
                    b's' if spec.precision => {
                        self.gaps.insert("printing a part of a string is not modelled symbolically".to_owned());
                        return Err(Stop::Ended);
                    }
                    kind if !b"diouxXcspfFeEgGaA".contains(&kind) => {
                        let kind = char::from(kind);
                        self.gaps.insert(format!("the conversion {kind:?} of a format is not modelled symbolically"));
                        return Err(Stop::Ended);
                    }
                    kind => {
                        let distance = self.terms.constant(16 * arg, self.pointer_bits);
                        let at = self.terms.add(args, distance);
                        let taken = match kind {
                            b's' | b'p' => (VariableClass::Word, pointer),
                            b'c' => (VariableClass::Word, 4),
                            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => {
                                (VariableClass::Word, [4, pointer, 8][spec.longs.min(2)])
                            }
                            _ if spec.long_double => (VariableClass::Float, Ty::F80.bytes(self.program.target)),
                            _ => (VariableClass::Float, 8),
                        };
                        self.take_variable_argument(&state, at, taken);
                        let len = if kind == b's' { pointer } else { taken.1 };
                        let (mut next, id, offset) = self.resolve(state, at, len, Access::Read, checks, loc, out)?;
                        let field = if kind == b's' {
                            let string = self.read(&mut next, id, offset, len as u32);
                            let (next_, length) = self.string_length(next, string, checks, loc, out)?;
                            next = next_;
                            let apart = over.is_none_or(|to| !self.may_share(&next, to, string));
                            if length == 0 {
                                Some(Vec::new())
                            } else if spec.longs == 0 && apart {
                                let (next_, id, at) =
                                    self.resolve(next, string, length, Access::Read, checks, loc, out)?;
                                next = next_;
                                Some((0..length).map(|i| self.read(&mut next, id, at + i, 1)).collect())
                            } else {
                                None
                            }
                        } else {
                            self.number_text(&mut next, (id, offset), kind, taken.1, spec)
                        };
                        let field = field.filter(|_| !spec.more && spec.width <= WIDEST);
                        let field = field.map(|field| self.padded(field, kind, spec));
                        printed = printed.zip(field).map(|(mut text, field)| {
                            text.extend(field);
                            text
                        });
                        state = next;
                        arg += 1;
                        break;
                    }
                }
            }
        }
        Ok((state, printed))
    }

    /// Whether two pointers may be to one object.
    fn may_share(&mut self, state: &State, a: Term, b: Term) -> bool {
        use super::allocation::Target;
        match (self.target(state, a), self.target(state, b)) {
            (Target::Object(p, _), Target::Object(q, _)) => p == q,
            _ => true,
        }
    }

    /// The digits of an integer argument, or its character.
    fn number_text(
        &mut self,
        state: &mut State,
        (id, at): (ObjectId, u64),
        kind: u8,
        bytes: u64,
        spec: Spec,
    ) -> Option<Vec<Term>> {
        let value = self.read(state, id, at, bytes as u32);
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

    /// A field filled to its width.
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
