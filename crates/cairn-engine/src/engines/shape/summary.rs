//! Accesses at offsets and of lengths that are no constants. Exploring tries their values one by one; a proof can't, and says of
//! bytes at a term's offset what it knows: a read is constrained by what lies where it may read, a write makes unknown what
//! lies where it may write and is remembered with its offset.
//!
//! A string's end, for instance: after `s[n - 1] = 0` a read of `s[i]` gives a value that is 0 if `i = n - 1`, so a loop that goes on
//! because it is not 0 has not come to the end yet.

use std::rc::Rc;

use cairn_smt::Term;
use cairn_smt::facts::Facts;

use super::access::Stop;
use super::state::State;
use super::{Explorer, Possible};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::{Indexed, Initial};

/// Places that an offset may be at and that are told apart.
const MAX_PLACES: u64 = 32;

/// Known bytes that constrain a read.
const MAX_KNOWN: usize = 24;

/// Bytes that are searched for the end of a string.
const LONGEST_SEARCH: u64 = 1 << 16;

/// Writes and reads at terms' offsets that an object remembers.
const MAX_INDEXED: usize = 8;

impl Explorer<'_> {
    /// The length of an access: a constant unless this is a proof, where it is 0 or surely not.
    pub(super) fn length(&mut self, state: State, len: Term, out: &mut Vec<State>) -> Result<(State, Term), Stop> {
        if let Some(value) = state.path.value(&self.terms, len) {
            return Ok((state, self.terms.constant(value, self.pointer_bits)));
        }
        if !self.proving {
            let (state, value) = self.concrete(state, len, out)?;
            return Ok((state, self.terms.constant(value, self.pointer_bits)));
        }
        let zero = self.terms.constant(0, self.pointer_bits);
        let none = self.terms.eq(len, zero);
        match state.path.value(&self.terms, none) {
            Some(_) => Ok((state, len)),
            None => Err(self.split(state, none, out)),
        }
    }

    /// The offset of an access: a constant unless this is a proof.
    pub(super) fn place_of(&mut self, state: State, at: Term, out: &mut Vec<State>) -> Result<(State, Term), Stop> {
        if self.proving && state.path.value(&self.terms, at).is_none() {
            return Ok((state, at));
        }
        let (state, value) = self.concrete(state, at, out)?;
        Ok((state, self.terms.constant(value, self.pointer_bits)))
    }

    /// Whether two ranges of one length do not overlap, or are the same.
    pub(super) fn surely_apart(&mut self, to: (ObjectId, Term), from: (ObjectId, Term), len: Term) -> bool {
        let constant = |term| self.terms.as_const(term);
        match (constant(to.1), constant(from.1), constant(len)) {
            _ if to.0 != from.0 || to.1 == from.1 => true,
            (Some(to), Some(from), Some(len)) => from + len <= to || to + len <= from,
            _ => false,
        }
    }

    /// Reads bytes that are known to be there.
    pub(super) fn load(&mut self, state: &mut State, id: ObjectId, at: Term, len: u32) -> Term {
        if let Some(place) = self.terms.as_const(at) {
            let place = place as u64;
            let known = self.has_values(state, id, place, len);
            let value = self.read(state, id, place, len);
            if self.proving && !known && !state.memory.get(id).indexed().is_empty() {
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
            // Few places: the value is that of the right one.
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

    /// Whether these bytes have values: in cells, or from the start.
    fn has_values(&self, state: &State, id: ObjectId, at: u64, len: u32) -> bool {
        let object = state.memory.get(id);
        *object.initial() != Initial::Undefined || (at..at + u64::from(len)).all(|byte| object.cell_at(byte).is_some())
    }

    /// Assumes of a fresh value, read at an offset, that it is what is known to lie there.
    fn constrain(&mut self, state: &mut State, id: ObjectId, at: Term, value: Term) {
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

    /// Assumes a condition that a fresh variable can always satisfy. Where nobody finds out how, nothing is assumed.
    fn assume_of_fresh(&mut self, state: &mut State, condition: Term, model: cairn_smt::evaluate::Assignment) {
        if self.terms.is_true(condition) {
            return;
        }
        if self.terms.evaluate(condition, &model) == 1 {
            state.path.assume(&self.terms, condition, Some(model));
        } else if let Possible::Yes(model) = self.possible(state, condition) {
            state.path.assume(&self.terms, condition, Some(model));
        }
    }

    /// Offsets and values of runs of `len` bytes of which something is known.
    fn known_bytes(&mut self, state: &State, id: ObjectId, len: u32) -> Vec<(Term, Term)> {
        let object = state.memory.get(id);
        let mut known = Vec::new();
        for indexed in object.indexed() {
            if self.terms.width(indexed.term) == 8 * len {
                known.push((indexed.at, indexed.term));
            }
        }
        let cells: Vec<(u64, u32, Term)> = object.cells().collect();
        for (at, cell_len, term) in cells.into_iter().rev() {
            if known.len() >= MAX_KNOWN {
                break;
            }
            for part in 0..(cell_len / len).min(16) {
                let place = self.terms.constant(u128::from(at) + u128::from(part * len), self.pointer_bits);
                known.push((place, self.terms.extract(term, 8 * part * len, 8 * len)));
            }
        }
        known
    }

    /// The value of bytes that were accessed at the same offset before.
    fn indexed_at(&self, state: &State, id: ObjectId, at: Term, len: u32) -> Option<Term> {
        let indexed = state.memory.get(id).indexed().iter();
        indexed.rev().find(|i| i.at == at && self.terms.width(i.term) == 8 * len).map(|i| i.term)
    }

    /// Remembers what bytes at an offset hold.
    fn remember(&mut self, state: &mut State, id: ObjectId, at: Term, term: Term) {
        let object = state.memory.get_mut(id);
        let mut indexed = object.indexed().to_vec();
        if indexed.len() == MAX_INDEXED {
            indexed.remove(0);
        }
        indexed.push(Indexed { at, term });
        object.set_indexed(indexed);
    }

    /// Every offset that an access may have, when these are few.
    fn places(
        &self,
        state: &State,
        id: ObjectId,
        at: Term,
        len: u32,
    ) -> Option<impl Iterator<Item = u64> + Clone + use<>> {
        let facts = state.path.facts(&self.terms, at);
        let size = state.path.facts(&self.terms, state.memory.get(id).size);
        let last = facts.max.min(size.max.checked_sub(u128::from(len))?);
        let step = step_of(facts);
        let first = facts.min.next_multiple_of(u128::from(step));
        let few = last.checked_sub(first)? / u128::from(step) < u128::from(MAX_PLACES);
        (few && last < 1 << 40).then(|| (first as u64..=last as u64).step_by(step as usize))
    }

    /// Writes bytes that are known to be there.
    pub(super) fn store(&mut self, state: &mut State, id: ObjectId, at: Term, value: Term) {
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

    /// Forgets what lies where an access of at most `len` bytes at an offset may write.
    fn forget_between(&mut self, state: &mut State, id: ObjectId, at: Term, len: u64) {
        let facts = state.path.facts(&self.terms, at);
        let start = u64::try_from(facts.min).unwrap_or(u64::MAX);
        let end = u64::try_from(facts.max).unwrap_or(u64::MAX).saturating_add(len);
        state.memory.get_mut(id).forget_range(start..end, &mut self.terms);
    }

    /// What an object remembers of bytes that a write of `len` bytes at an offset surely does not touch.
    fn apart_from(&mut self, state: &State, id: ObjectId, at: Term, len: u32) -> Vec<Indexed> {
        let mut kept = Vec::new();
        for indexed in state.memory.get(id).indexed().to_vec() {
            let other = self.terms.width(indexed.term) / 8;
            // One begins where the other has ended: the distance, either way around, is not less than the one's length.
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

    /// The same for a write at a constant offset.
    pub(super) fn not_overwritten(&mut self, state: &State, id: ObjectId, at: u64, value: Term) -> Vec<Indexed> {
        if state.memory.get(id).indexed().is_empty() {
            return Vec::new();
        }
        let len = self.terms.width(value) / 8;
        let at = self.terms.constant(u128::from(at), self.pointer_bits);
        self.apart_from(state, id, at, len)
    }

    /// Copies bytes that are known to be there.
    pub(super) fn transfer(&mut self, state: &mut State, to: (ObjectId, Term), from: (ObjectId, Term), len: Term) {
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

    /// What is known of the bytes in a range, at the offsets that it is copied to.
    fn carried(&mut self, state: &State, from: (ObjectId, Term), to: Term, len: Term) -> Vec<(Term, Term)> {
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

    /// Gives an object those cells of another, of which it is the successor, that surely fit into it.
    pub(super) fn keep_cells(&mut self, state: &mut State, id: ObjectId, old: ObjectId) {
        let (cells, size): (Vec<_>, _) = (state.memory.get(old).cells().collect(), state.memory.get(id).size);
        for (at, len, term) in cells {
            let end = self.terms.constant(u128::from(at) + u128::from(len), self.pointer_bits);
            let fits = self.terms.ule(end, size);
            if self.follows(state, fits) {
                self.write(state, id, at, term);
            }
        }
    }

    /// The length of a string in a proof, where no byte may be the state's only way on: its end is one that is known, or lies
    /// before it. `None` where no end is known; then the string may not end inside of its object.
    pub(super) fn string_end(&mut self, state: &mut State, id: ObjectId, start: Term) -> Option<Term> {
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

    /// The length of a string whose bytes up to its end are all known; and offsets of bytes that are surely 0.
    fn possible_ends(&mut self, state: &State, id: ObjectId, start: Term) -> (Option<u64>, Vec<Term>) {
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
        let first = from.unwrap_or_else(|| state.path.facts(&self.terms, start).max.min(1 << 40) as u64);
        let mut all_known = from.is_some();
        for at in first..size.min(first.saturating_add(LONGEST_SEARCH)) {
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

    /// Fills bytes that are known to be there.
    pub(super) fn fill_range(&mut self, state: &mut State, id: ObjectId, at: Term, len: Term, byte: Term) {
        let constant = |term| self.terms.as_const(term).map(|value| value as u64);
        match (constant(at), constant(len)) {
            (Some(at), Some(len)) => {
                let byte = (self.terms.as_const(byte) != Some(0)).then_some(byte);
                self.fill(state, id, at, len, byte);
            }
            // All of an object whose size is a term.
            (Some(0), None) if len == state.memory.get(id).size && self.terms.as_const(byte) == Some(0) => {
                state.memory.get_mut(id).forget(Initial::Bytes(Rc::from([])));
            }
            _ => self.forget_written(state, (id, at), len),
        }
    }

    /// Forgets what lies where a write of so many bytes may reach.
    pub(super) fn forget_written(&mut self, state: &mut State, to: (ObjectId, Term), len: Term) {
        let most = state.path.facts(&self.terms, len).max;
        self.forget_between(state, to.0, to.1, u64::try_from(most).unwrap_or(u64::MAX));
    }
}

/// The power of two, up to 16, that all values with these facts are multiples of.
fn step_of(facts: Facts) -> u64 {
    1 << (!facts.zeros).trailing_zeros().min(4)
}
