//! Accesses with symbolic offsets and lengths, for modes that abstract.
//!
//! Exploration tries the values of an offset one by one. A proof cannot, so it keeps partial knowledge of bytes at
//! symbolic offsets. A read is constrained by the known bytes that it may read. A write makes the bytes that it may
//! touch unknown, and is remembered with its offset.
//!
//! For example, after `s[n - 1] = 0` a read of `s[i]` yields a value that is 0 if `i = n - 1`. A loop that continues
//! because `s[i]` is not 0 has therefore not reached the end of the string.

use std::ops::ControlFlow::{Break, Continue};
use std::rc::Rc;

use cairn_portfolio::Reason;
use cairn_smt::Term;
use cairn_smt::facts::Facts;

use crate::limits::{
    LONGEST_ASSUMED, MAX_INDEXED, MAX_KNOWN_RANGES, MAX_OFFSET, MAX_STRING_SEARCH, MAX_SYMBOLIC_OFFSETS, SMALL_LENGTH,
};
use crate::state::State;
use crate::step::{Flow, Stop};
use crate::{Machine, Mode, Possible};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Indexed, Initial};

impl<M: Mode> Machine<'_, M> {
    /// Returns the length of an access as a constant.
    ///
    /// In a mode that abstracts, the length may stay a term, of which it is known whether it is 0.
    pub fn length(&mut self, state: State<M>, len: Term, out: &mut Vec<State<M>>) -> Flow<(State<M>, Term)> {
        if let Some(value) = state.path.value(&self.terms, len) {
            return Continue((state, self.terms.constant(value, self.pointer_bits)));
        }
        if !M::ABSTRACTS {
            let state = if M::ASSUMES { self.with_small_length(state, len) } else { state };
            let (state, value) = self.concrete(state, len, out)?;
            if M::ASSUMES && value > u128::from(LONGEST_ASSUMED) {
                self.gaps.insert(Reason::SymbolicOffset);
                return Break(Stop::Ended);
            }
            return Continue((state, self.terms.constant(value, self.pointer_bits)));
        }
        let zero = self.terms.constant(0, self.pointer_bits);
        let none = self.terms.eq(len, zero);
        match state.path.value(&self.terms, none) {
            Some(_) => Continue((state, len)),
            None => self.split(state, none, out),
        }
    }

    /// Returns a state in which a length that callers decide is small, if it can be.
    fn with_small_length(&mut self, state: State<M>, len: Term) -> State<M> {
        let most = self.terms.constant(u128::from(SMALL_LENGTH), self.terms.width(len));
        let small = self.terms.ule(len, most);
        let unchanged = state.clone();
        let mut state = self.branch(state, small).0.unwrap_or(unchanged);
        M::note_choice(&mut state);
        state
    }

    /// Returns the offset of an access as a constant; in a mode that abstracts, it may stay a term.
    pub(crate) fn place_of(&mut self, state: State<M>, at: Term, out: &mut Vec<State<M>>) -> Flow<(State<M>, Term)> {
        if M::ABSTRACTS && state.path.value(&self.terms, at).is_none() {
            return Continue((state, at));
        }
        let (state, value) = self.concrete(state, at, out)?;
        Continue((state, self.terms.constant(value, self.pointer_bits)))
    }

    /// Returns whether two ranges of the same length are certain to be disjoint or identical.
    pub(crate) fn surely_apart(&mut self, to: (ObjectId, Term), from: (ObjectId, Term), len: Term) -> bool {
        let constant = |term| self.terms.as_const(term);
        match (constant(to.1), constant(from.1), constant(len)) {
            _ if to.0 != from.0 || to.1 == from.1 => true,
            (Some(to), Some(from), Some(len)) => from + len <= to || to + len <= from,
            _ => false,
        }
    }

    /// Reads bytes. The access was checked before.
    pub fn load(&mut self, state: &mut State<M>, id: ObjectId, at: Term, len: u32) -> Term {
        if let Some(place) = self.terms.as_const(at) {
            let place = place as u64;
            let known = self.has_values(state, id, place, len);
            let value = self.read(state, id, place, len);
            if M::ABSTRACTS && !known && !state.memory.get(id).indexed().is_empty() {
                self.constrain(state, id, at, value);
            }
            return value;
        }
        if let Some(known) = self.indexed_at(state, id, at, len) {
            return known;
        }
        if let Some(places) = self.places(state, id, at, len)
            && places.clone().all(|place| self.has_values(state, id, place, len))
        {
            // There are few possible offsets: select the value at the right one.
            let mut result = None;
            for place in places {
                let value = self.read(state, id, place, len);
                let here = self.terms.constant(u128::from(place), self.pointer_bits);
                let here = self.terms.eq(at, here);
                result = Some(match result {
                    None => value,
                    Some(rest) => self.terms.ite(here, value, rest),
                });
            }
            if let Some(result) = result {
                return result;
            }
        }
        let object = state.memory.get(id);
        let untouched = matches!(object.initial(), Initial::Bytes(bytes) if bytes.iter().all(|&b| b == 0));
        if untouched && object.values().next().is_none() {
            return self.terms.constant(0, 8 * len);
        }
        let value = Self::fresh_undefined(&mut self.undefined, &mut self.terms, 8 * len);
        self.constrain(state, id, at, value);
        self.remember(state, id, at, value);
        value
    }

    /// Returns whether all of these bytes have values, in cells or from the start.
    fn has_values(&self, state: &State<M>, id: ObjectId, at: u64, len: u32) -> bool {
        let object = state.memory.get(id);
        *object.initial() != Initial::Undefined || (at..at + u64::from(len)).all(|byte| object.cell_at(byte).is_some())
    }

    /// Constrains a fresh value that was read at an offset by the known bytes that may be at this offset.
    fn constrain(&mut self, state: &mut State<M>, id: ObjectId, at: Term, value: Term) {
        let known = self.known_bytes(state, id, self.terms.width(value) / 8);
        let mut model = state.path.model().clone();
        let offset = self.terms.evaluate(at, &model);
        let mut says = self.terms.truth();
        for (place, there) in known.into_iter().filter(|&(_, there)| there != value) {
            let here = self.terms.eq(at, place);
            let same = self.terms.eq(value, there);
            let elsewhere = self.terms.not(here);
            let either = self.terms.or(elsewhere, same);
            says = self.terms.and(says, either);
            if self.terms.evaluate(place, state.path.model()) == offset {
                model.insert(value, self.terms.evaluate(there, state.path.model()));
            }
        }
        self.assume_of_fresh(state, says, model);
    }

    /// Assumes a condition that a fresh variable can always satisfy. If no model is found, nothing is assumed.
    fn assume_of_fresh(&mut self, state: &mut State<M>, condition: Term, model: cairn_smt::evaluate::Assignment) {
        if self.terms.is_true(condition) {
            return;
        }
        if self.terms.evaluate(condition, &model) == 1 {
            state.path.assume(&self.terms, condition, Some(model));
        } else if let Possible::Yes(model) = self.possible(state, condition) {
            state.path.assume(&self.terms, condition, Some(model));
        }
    }

    /// Returns the offsets and values of known ranges of `len` bytes.
    fn known_bytes(&mut self, state: &State<M>, id: ObjectId, len: u32) -> Vec<(Term, Term)> {
        let object = state.memory.get(id);
        let mut known = Vec::new();
        for indexed in object.indexed() {
            if self.terms.width(indexed.term) == 8 * len {
                known.push((indexed.at, indexed.term));
            }
        }
        let cells: Vec<(u64, u32, Term)> = object.cells().collect();
        for (at, cell_len, term) in cells.into_iter().rev() {
            if known.len() >= MAX_KNOWN_RANGES {
                break;
            }
            for part in 0..(cell_len / len).min(16) {
                let place = self.terms.constant(u128::from(at) + u128::from(part * len), self.pointer_bits);
                known.push((place, self.terms.extract(term, 8 * part * len, 8 * len)));
            }
        }
        known
    }

    /// Returns the value of an earlier access at the same offset.
    fn indexed_at(&self, state: &State<M>, id: ObjectId, at: Term, len: u32) -> Option<Term> {
        let indexed = state.memory.get(id).indexed().iter();
        indexed.rev().find(|i| i.at == at && self.terms.width(i.term) == 8 * len).map(|i| i.term)
    }

    /// Remembers the value of the bytes at an offset.
    fn remember(&mut self, state: &mut State<M>, id: ObjectId, at: Term, term: Term) {
        let object = state.memory.get_mut(id);
        let mut indexed = object.indexed().to_vec();
        if indexed.len() == MAX_INDEXED {
            indexed.remove(0);
        }
        indexed.push(Indexed { at, term });
        object.set_indexed(indexed);
    }

    /// Returns every possible offset of an access, if there are few.
    fn places(
        &self,
        state: &State<M>,
        id: ObjectId,
        at: Term,
        len: u32,
    ) -> Option<impl Iterator<Item = u64> + Clone + use<M>> {
        let facts = state.path.facts(&self.terms, at);
        let size = state.path.facts(&self.terms, state.memory.get(id).size);
        let last = facts.max.min(size.max.checked_sub(u128::from(len))?);
        let step = step_of(facts);
        let first = facts.min.next_multiple_of(u128::from(step));
        let few = last.checked_sub(first)? / u128::from(step) < u128::from(MAX_SYMBOLIC_OFFSETS);
        (few && last < MAX_OFFSET).then(|| (first as u64..=last as u64).step_by(step as usize))
    }

    /// Writes bytes. The access was checked before.
    pub fn store(&mut self, state: &mut State<M>, id: ObjectId, at: Term, value: Term) {
        let len = self.terms.width(value) / 8;
        if let Some(at) = self.terms.as_const(at) {
            self.write(state, id, at as u64, value);
            return;
        }
        let kept = self.apart_from(state, id, at, len);
        if let Some(places) = self.places(state, id, at, len)
            && step_of(state.path.facts(&self.terms, at)) >= u64::from(len)
        {
            for place in places {
                let here = self.terms.constant(u128::from(place), self.pointer_bits);
                let here = self.terms.eq(at, here);
                let before = self.read(state, id, place, len);
                let after = self.terms.ite(here, value, before);
                state.memory.get_mut(id).write(place, after, &mut self.terms);
            }
        } else {
            self.forget_between(state, id, at, u64::from(len));
        }
        state.memory.get_mut(id).set_indexed(kept);
        self.remember(state, id, at, value);
    }

    /// Havocs all bytes that an access of at most `len` bytes at an offset may write.
    fn forget_between(&mut self, state: &mut State<M>, id: ObjectId, at: Term, len: u64) {
        let facts = state.path.facts(&self.terms, at);
        let start = u64::try_from(facts.min).unwrap_or(u64::MAX);
        let end = u64::try_from(facts.max).unwrap_or(u64::MAX).saturating_add(len);
        state.memory.get_mut(id).forget_range(start..end, &mut self.terms);
    }

    /// Returns the remembered accesses that a write of `len` bytes at an offset is certain not to touch.
    fn apart_from(&mut self, state: &State<M>, id: ObjectId, at: Term, len: u32) -> Vec<Indexed> {
        let mut kept = Vec::new();
        for indexed in state.memory.get(id).indexed().to_vec() {
            let other = self.terms.width(indexed.term) / 8;
            // Each range begins after the end of the other: the distance in each direction is at least a length.
            let (there, back) = (self.terms.sub(indexed.at, at), self.terms.sub(at, indexed.at));
            let (own, others) = (
                self.terms.constant(u128::from(len), self.pointer_bits),
                self.terms.constant(u128::from(other), self.pointer_bits),
            );
            let (behind, before) = (self.terms.ule(own, there), self.terms.ule(others, back));
            let apart = self.terms.and(behind, before);
            if self.follows(state, apart) {
                kept.push(indexed);
            }
        }
        kept
    }

    /// Like [`Self::apart_from`], for a write at a constant offset.
    pub(crate) fn not_overwritten(&mut self, state: &State<M>, id: ObjectId, at: u64, value: Term) -> Vec<Indexed> {
        if state.memory.get(id).indexed().is_empty() {
            return Vec::new();
        }
        let len = self.terms.width(value) / 8;
        let at = self.terms.constant(u128::from(at), self.pointer_bits);
        self.apart_from(state, id, at, len)
    }

    /// Copies bytes. Both accesses were checked before.
    pub fn transfer(&mut self, state: &mut State<M>, to: (ObjectId, Term), from: (ObjectId, Term), len: Term) {
        let constant = |term| self.terms.as_const(term).map(|value| value as u64);
        match (constant(to.1), constant(from.1), constant(len)) {
            (Some(at_to), Some(at_from), Some(len)) => self.copy(state, (to.0, at_to), (from.0, at_from), len),
            (_, _, Some(len)) if matches!(len, 1 | 2 | 4 | 8 | 16) => {
                let value = self.load(state, from.0, from.1, len as u32);
                self.store(state, to.0, to.1, value);
            }
            _ => {
                let carried = self.carried(state, from, to.1, len);
                self.forget_written(state, to, len);
                for (at, value) in carried {
                    self.remember(state, to.0, at, value);
                }
            }
        }
    }

    /// Returns the remembered bytes of a range, at the offsets that they are copied to.
    fn carried(&mut self, state: &State<M>, from: (ObjectId, Term), to: Term, len: Term) -> Vec<(Term, Term)> {
        let mut carried = Vec::new();
        for indexed in state.memory.get(from.0).indexed().to_vec() {
            let distance = self.terms.sub(indexed.at, from.1);
            let bytes = self.terms.constant(u128::from(self.terms.width(indexed.term) / 8), self.pointer_bits);
            let inside = self.in_bounds(distance, bytes, len);
            if self.follows(state, inside) {
                carried.push((self.terms.add(to, distance), indexed.term));
            }
        }
        carried
    }

    /// Copies the cells of a reallocated object that are certain to fit into the new one.
    pub(crate) fn keep_cells(&mut self, state: &mut State<M>, id: ObjectId, old: ObjectId) {
        let (cells, size): (Vec<_>, _) = (state.memory.get(old).cells().collect(), state.memory.get(id).size);
        for (at, len, term) in cells {
            let end = self.terms.constant(u128::from(at) + u128::from(len), self.pointer_bits);
            let fits = self.terms.ule(end, size);
            if self.follows(state, fits) {
                self.write(state, id, at, term);
            }
        }
    }

    /// Returns the length of a string without splitting the state on its bytes.
    ///
    /// The string ends at a byte that is known to be 0, or before it. Returns `None` if no such byte is known; then
    /// the string may be unterminated.
    pub(crate) fn string_end(&mut self, state: &mut State<M>, id: ObjectId, start: Term) -> Option<Term> {
        let (length, ends) = self.possible_ends(state, id, start);
        if let Some(length) = length {
            return Some(self.terms.constant(u128::from(length), self.pointer_bits));
        }
        let mut bounds = Vec::new();
        for end in ends {
            let (distance, inside) = (self.terms.sub(end, start), self.terms.ule(start, end));
            if self.follows(state, inside) {
                bounds.push(distance);
            }
        }
        if bounds.is_empty() {
            return None;
        }
        let length = self.terms.variable("length", self.pointer_bits);
        let mut within = self.terms.truth();
        for bound in bounds {
            let below = self.terms.ule(length, bound);
            within = self.terms.and(within, below);
        }
        let mut model = state.path.model().clone();
        model.insert(length, 0);
        state.path.assume(&self.terms, within, Some(model));
        let (end, zero) = (self.terms.add(start, length), self.terms.constant(0, 8));
        self.remember(state, id, end, zero);
        Some(length)
    }

    /// Returns the length of a string if all its bytes are known, and the offsets of bytes that are certain to be 0.
    fn possible_ends(&mut self, state: &State<M>, id: ObjectId, start: Term) -> (Option<u64>, Vec<Term>) {
        let object = state.memory.get(id);
        let mut ends = Vec::new();
        for indexed in object.indexed() {
            if state.path.value(&self.terms, indexed.term) == Some(0) {
                ends.push(indexed.at);
            }
        }
        let size = state.path.facts(&self.terms, object.size).min;
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        let from = self.terms.as_const(start).map(|at| at as u64);
        let first = from.unwrap_or_else(|| state.path.facts(&self.terms, start).max.min(MAX_OFFSET) as u64);
        let mut all_known = from.is_some();
        for at in first..size.min(first.saturating_add(MAX_STRING_SEARCH)) {
            let byte = match object.cell_at(at) {
                Some((cell, _, term)) => Some(self.terms.extract(term, 8 * (at - cell) as u32, 8)),
                None => object.known_initial(at, 1, &mut self.terms),
            };
            let value = byte.and_then(|byte| state.path.value(&self.terms, byte));
            if value == Some(0) {
                if all_known {
                    return (Some(at - first), ends);
                }
                ends.push(self.terms.constant(u128::from(at), self.pointer_bits));
                break;
            }
            all_known &= value.is_some();
        }
        (None, ends)
    }

    /// Fills bytes with a value. The access was checked before.
    pub(crate) fn fill_range(&mut self, state: &mut State<M>, id: ObjectId, at: Term, len: Term, byte: Term) {
        let constant = |term| self.terms.as_const(term).map(|value| value as u64);
        match (constant(at), constant(len)) {
            (Some(at), Some(len)) => {
                let byte = (self.terms.as_const(byte) != Some(0)).then_some(byte);
                self.fill(state, id, at, len, byte);
            }
            // The whole of an object whose size is a term.
            (Some(0), None) if len == state.memory.get(id).size && self.terms.as_const(byte) == Some(0) => {
                state.memory.get_mut(id).forget(Initial::Bytes(Rc::from([])));
            }
            _ => self.forget_written(state, (id, at), len),
        }
    }

    /// Havocs all bytes that a write of a symbolic length may touch.
    pub(crate) fn forget_written(&mut self, state: &mut State<M>, to: (ObjectId, Term), len: Term) {
        let most = state.path.facts(&self.terms, len).max;
        self.forget_between(state, to.0, to.1, u64::try_from(most).unwrap_or(u64::MAX));
    }
}

/// Returns the greatest power of two, up to 16, that divides all values with these facts.
fn step_of(facts: Facts) -> u64 {
    1 << (!facts.zeros).trailing_zeros().min(4)
}
