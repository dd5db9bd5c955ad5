//! Operations on ranges of bytes and on strings.

use std::ops::ControlFlow::{Break, Continue};

use cairn_ir::{CheckKind, Intrinsic, Ty};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Initial;
use cairn_smt::Term;

use super::IntrinsicCall;
use crate::memory::access::AccessRequest;
use crate::state::{Choice, State};
use crate::step::{Flow, Step, Stop, or_stop};
use crate::{Machine, Mode};

impl<M: Mode> Machine<'_, M> {
    pub(super) fn copy_bytes(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let (state, len) = self.length(state, call.values[2], out)?;
        if self.terms.as_const(len) == Some(0) {
            return self.done(state);
        }
        let (state, from, at_from) = self.resolve_symbolic(state, call.read(1), len, out)?;
        let (state, to, at_to) = self.resolve_symbolic(state, call.write(0), len, out)?;
        let (state, at_from) = self.place_of(state, at_from, out)?;
        let (mut state, at_to) = self.place_of(state, at_to, out)?;
        if call.op == Intrinsic::CopyBytes && !self.surely_apart((to, at_to), (from, at_from), len) {
            self.report(&state, CheckKind::Overlap, call.checks, call.loc);
        }
        self.transfer(&mut state, (to, at_to), (from, at_from), len);
        self.done(state)
    }

    pub(super) fn fill_bytes(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let (state, len) = self.length(state, call.values[2], out)?;
        if self.terms.as_const(len) == Some(0) {
            return self.done(state);
        }
        let (state, id, at) = self.resolve_symbolic(state, call.write(0), len, out)?;
        let (mut state, at) = self.place_of(state, at, out)?;
        let byte = self.terms.extract(call.values[1], 0, 8);
        self.fill_range(&mut state, id, at, len, byte);
        self.done(state)
    }

    /// Fills bytes with inputs.
    pub(super) fn nondet_bytes(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let (mut state, len) = self.length(state, call.values[1], out)?;
        let Some(len) = self.terms.as_const(len) else {
            let (mut state, id, at) = self.resolve_symbolic(state, call.write(0), len, out)?;
            self.forget_written(&mut state, (id, at), len);
            return self.done(state);
        };
        if len > 0 {
            let (next, id, at) = self.resolve(state, call.write(0), len as u64, out)?;
            state = next;
            for i in 0..len as u64 {
                let byte = self.terms.variable("nondet", 8);
                state.choices.push(Choice::Value(byte, Ty::I8));
                self.write(&mut state, id, at + i, byte);
            }
        }
        self.done(state)
    }

    pub(super) fn compare_bytes(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let (state, len) = self.length(state, call.values[2], out)?;
        let mut result = self.terms.constant(0, 32);
        let Some(len) = self.terms.as_const(len) else {
            let (state, a, _) = self.resolve_symbolic(state, call.read(0), len, out)?;
            let (state, b, _) = self.resolve_symbolic(state, call.read(1), len, out)?;
            self.doubt_contents(&state, &[a, b], call.read(0));
            return self.finish_anything(state, call.dst, "order");
        };
        if len == 0 {
            return self.finish(state, call.dst, result);
        }
        let len = len as u64;
        let (state, a, at_a) = self.resolve(state, call.read(0), len, out)?;
        let (mut state, b, at_b) = self.resolve(state, call.read(1), len, out)?;
        let (less, greater) = (self.terms.constant(u128::MAX, 32), self.terms.constant(1, 32));
        for i in (0..len).rev() {
            let (x, y) = (self.read(&mut state, a, at_a + i, 1), self.read(&mut state, b, at_b + i, 1));
            let (equal, below) = (self.terms.eq(x, y), self.terms.ult(x, y));
            let differ = self.terms.ite(below, less, greater);
            result = self.terms.ite(equal, result, differ);
        }
        self.check_initialised(&state, result, call.checks, call.loc);
        let (state, order) = self.any_of_sign(state, result)?;
        self.finish(state, call.dst, order)
    }

    /// Returns any number with the sign of another one.
    pub(super) fn any_of_sign(&mut self, state: State<M>, number: Term) -> Flow<(State<M>, Term)> {
        let zero = self.terms.constant(0, self.terms.width(number));
        if number == zero || self.is_undefined(number) {
            return Continue((state, number));
        }
        let order = self.terms.variable("order", self.terms.width(number));
        let (below, own_below) = (self.terms.slt(number, zero), self.terms.slt(order, zero));
        let (equal, own_equal) = (self.terms.eq(number, zero), self.terms.eq(order, zero));
        let (same_below, same_equal) = (self.terms.eq(below, own_below), self.terms.eq(equal, own_equal));
        let same = self.terms.and(same_below, same_equal);
        let (state, _) = self.branch(state, same);
        Continue((or_stop(state, Stop::Ended)?, order))
    }

    pub(super) fn string_length(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let (state, len) = if M::ABSTRACTS {
            self.symbolic_length_of_string(state, call.read(0), out)?
        } else {
            let (state, len) = self.length_of_string(state, call.read(0), 1, out)?;
            (state, self.terms.constant(u128::from(len), self.pointer_bits))
        };
        self.finish(state, call.dst, len)
    }

    /// Returns the length of a string in characters of `width` bytes.
    ///
    /// The state is split at each character that may or may not be the terminator.
    pub(super) fn length_of_string(
        &mut self,
        mut state: State<M>,
        string: AccessRequest,
        width: u32,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, u64)> {
        let zero = self.terms.constant(0, 8 * width);
        let mut len = 0;
        loop {
            let distance = self.terms.constant(u128::from(len) * u128::from(width), self.pointer_bits);
            let pointer = self.terms.add(string.pointer, distance);
            let request = AccessRequest { pointer, ..string };
            let (mut next, id, offset) = self.resolve(state, request, u64::from(width), out)?;
            let character = self.read(&mut next, id, offset, width);
            self.check_initialised(&next, character, string.checks, string.loc);
            let end = self.terms.eq(character, zero);
            match next.path.value(&self.terms, end) {
                Some(1) => return Continue((next, len)),
                Some(_) => {}
                None => {
                    M::note_choice(&mut next);
                    return self.split(next, end, out);
                }
            }
            state = next;
            len += 1;
        }
    }

    /// Reports that bytes of objects may be uninitialised where it is not known which bytes are read.
    fn doubt_contents(&mut self, state: &State<M>, objects: &[ObjectId], request: AccessRequest) {
        if !self.options.kinds.contains(&CheckKind::Uninitialised) {
            return;
        }
        let is_set = |id: &ObjectId| {
            let object = state.memory.get(*id);
            *object.initial() != Initial::Undefined && !object.values().any(|value| self.is_undefined(value))
        };
        if !objects.iter().all(is_set) {
            self.doubt(state, CheckKind::Uninitialised, request.checks, request.loc);
        }
    }

    /// Returns the length of a string as a term, for modes that abstract.
    fn symbolic_length_of_string(
        &mut self,
        state: State<M>,
        string: AccessRequest,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, Term)> {
        let (mut state, id, at) = self.resolve_offset(state, string, 1, out)?;
        match self.string_end(&mut state, id, at) {
            Some(length) => {
                let constant = |term| self.terms.as_const(term).map(|value| value as u64);
                match (constant(at), constant(length)) {
                    // All bytes of the string are known.
                    (Some(_), Some(_)) => {}
                    _ => self.doubt_contents(&state, &[id], string),
                }
                Continue((state, length))
            }
            None => {
                self.doubt(&state, CheckKind::OutOfBounds, string.checks, string.loc);
                Break(Stop::Ended)
            }
        }
    }
}
