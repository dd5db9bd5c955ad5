//! Instructions that access memory.

use std::ops::ControlFlow::Continue;
use std::rc::Rc;

use cairn_ir::inst::BitRange;
use cairn_ir::{Reg, Ty};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Initial;
use cairn_smt::Term;

use crate::memory::access::AccessRequest;
use crate::state::State;
use crate::step::{Flow, Step};
use crate::{Machine, Mode};

impl<M: Mode> Machine<'_, M> {
    /// Loads a scalar into a register.
    pub(super) fn load_scalar(
        &mut self,
        state: State<M>,
        (dst, ty): (Reg, Ty),
        request: AccessRequest,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        let len = ty.bytes(self.program.target);
        let bytes = self.terms.constant(u128::from(len), self.pointer_bits);
        let (mut state, id, at) = self.resolve_symbolic(state, request, bytes, out)?;
        let value = match self.read_exact(&mut state, id, at, len as u32) {
            Some(value) => value,
            None => {
                let (next, at) = self.place_of(state, at, out)?;
                state = next;
                self.load(&mut state, id, at, len as u32)
            }
        };
        self.set(&mut state, dst, value);
        Continue(state)
    }

    /// Stores a scalar.
    pub(super) fn store_scalar(
        &mut self,
        state: State<M>,
        (value, ty): (Term, Ty),
        request: AccessRequest,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        let bytes = self.terms.constant(u128::from(ty.bytes(self.program.target)), self.pointer_bits);
        let (mut state, id, at) = self.resolve_symbolic(state, request, bytes, out)?;
        if !self.write_exact(&mut state, id, at, value) {
            let (next, at) = self.place_of(state, at, out)?;
            state = next;
            self.store(&mut state, id, at, value);
        }
        Continue(state)
    }

    /// Loads a bit-field.
    pub(super) fn load_bits(
        &mut self,
        state: State<M>,
        bits: BitRange,
        request: AccessRequest,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, Term)> {
        let len = window(bits);
        let (mut state, id, at) = self.resolve_offset(state, request, u64::from(len), out)?;
        let whole = self.load(&mut state, id, at, len);
        Continue((state, self.terms.extract(whole, u32::from(bits.start), u32::from(bits.width))))
    }

    /// Stores a bit-field and keeps the bits around it.
    pub(super) fn store_bits(
        &mut self,
        state: State<M>,
        bits: BitRange,
        value: Term,
        request: AccessRequest,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        let len = window(bits);
        let (mut state, id, at) = self.resolve_offset(state, request, u64::from(len), out)?;
        let whole = self.load(&mut state, id, at, len);
        let (start, width) = (u32::from(bits.start), u32::from(bits.width));
        let mut value = self.terms.extract(value, 0, width);
        if start > 0 {
            let below = self.terms.extract(whole, 0, start);
            value = self.terms.concat(value, below);
        }
        if start + width < 8 * len {
            let above = self.terms.extract(whole, start + width, 8 * len - start - width);
            value = self.terms.concat(above, value);
        }
        self.store(&mut state, id, at, value);
        Continue(state)
    }

    /// Copies an aggregate.
    pub(super) fn copy_object(
        &mut self,
        state: State<M>,
        to: AccessRequest,
        from: AccessRequest,
        size: u64,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        let (state, from, at_from) = self.resolve_offset(state, from, size, out)?;
        let (mut state, to, at_to) = self.resolve_offset(state, to, size, out)?;
        let size = self.terms.constant(u128::from(size), self.pointer_bits);
        self.transfer(&mut state, (to, at_to), (from, at_from), size);
        Continue(state)
    }

    /// Sets bytes to zero.
    pub(super) fn zero_bytes(
        &mut self,
        state: State<M>,
        request: AccessRequest,
        size: u64,
        out: &mut Vec<State<M>>,
    ) -> Step<M> {
        let (mut state, id, at) = self.resolve_offset(state, request, size, out)?;
        let size = self.terms.constant(u128::from(size), self.pointer_bits);
        let zero = self.terms.constant(0, 8);
        self.fill_range(&mut state, id, at, size, zero);
        Continue(state)
    }

    /// Sets bytes to a value, or to zero.
    pub fn fill(&mut self, state: &mut State<M>, id: ObjectId, at: u64, len: u64, byte: Option<Term>) {
        let whole = self.terms.as_const(state.memory.get(id).size) == Some(u128::from(len)) && at == 0;
        if whole && byte.is_none() {
            state.memory.get_mut(id).forget(Initial::Bytes(Rc::from([])));
            return;
        }
        let byte = byte.unwrap_or_else(|| self.terms.constant(0, 8));
        let mut done = 0;
        while done < len {
            // Write aligned groups of eight bytes, so that reads of pointers and integers find whole cells.
            let run = (8 - (at + done) % 8).min(len - done);
            let value = (1..run).fold(byte, |value, _| self.terms.concat(byte, value));
            self.write(state, id, at + done, value);
            done += run;
        }
    }
}

/// Returns the number of bytes that a bit-field touches.
fn window(bits: BitRange) -> u32 {
    (u32::from(bits.start) + u32::from(bits.width)).div_ceil(8)
}
