//! Accesses at an offset with several values, without a split: what is read is a choice between the cells, and what is written a
//! choice in each of them. This is exact; where it can't be, because the places overlap or hold what nobody wrote, or where
//! there are too many, the state is split on the offset.

use cairn_smt::Term;
use cairn_smt::term::{Node, mask};

use super::Explorer;
use super::state::State;
use crate::memory::pointer::ObjectId;

/// Places that one access may choose between.
const MAX_PLACES: u128 = 256;

impl Explorer<'_> {
    /// The value of bytes at an offset that is known to be in bounds; nothing where the state has to be split.
    pub(super) fn read_anywhere(&mut self, state: &mut State, id: ObjectId, offset: Term, len: u32) -> Option<Term> {
        let mut values = self.values_anywhere(state, id, offset, len)?.into_iter().rev();
        // It is one of them, so the last needs no condition.
        let mut result = values.next()?.1;
        for (at, value) in values {
            let here = self.is_offset(offset, at);
            result = self.terms.ite(here, value, result);
        }
        Some(result)
    }

    /// Writes bytes at an offset that is known to be in bounds; false where the state has to be split.
    pub(super) fn write_anywhere(&mut self, state: &mut State, id: ObjectId, offset: Term, value: Term) -> bool {
        let len = self.terms.width(value) / 8;
        let Some(places) = self.values_anywhere(state, id, offset, len) else { return false };
        if places.windows(2).any(|pair| pair[0].0 + u64::from(len) > pair[1].0) {
            return false;
        }
        for (at, old) in places {
            let here = self.is_offset(offset, at);
            let new = self.terms.ite(here, value, old);
            self.write(state, id, at, new);
        }
        true
    }

    fn is_offset(&mut self, offset: Term, at: u64) -> Term {
        let at = self.terms.constant(u128::from(at), self.pointer_bits);
        self.terms.eq(offset, at)
    }

    /// Every offset that is possible, ascending, and what lies there.
    fn values_anywhere(&mut self, state: &mut State, id: ObjectId, offset: Term, len: u32) -> Option<Vec<(u64, Term)>> {
        if self.proving || state.path.value(&self.terms, offset).is_some() {
            return None;
        }
        let places = self.possible_offsets(state, id, offset, len)?;
        if places.iter().any(|&at| !state.memory.get(id).is_set(at, len)) {
            return None;
        }
        let values: Vec<(u64, Term)> = places.into_iter().map(|at| (at, self.read(state, id, at, len))).collect();
        // Whether a value was ever set must not depend on cells that were not chosen.
        values.iter().all(|&(_, value)| !self.is_undefined(value)).then_some(values)
    }

    /// The offsets that are possible as far as bounds, known bits and the scale of an index tell.
    fn possible_offsets(&self, state: &State, id: ObjectId, offset: Term, len: u32) -> Option<Vec<u64>> {
        let size = state.path.value(&self.terms, state.memory.get(id).size)?;
        let facts = state.path.facts(&self.terms, offset);
        let (mut first, last) = (facts.min, facts.max.min(size.checked_sub(u128::from(len))?));
        let known = (facts.zeros | facts.ones).trailing_ones().min(self.pointer_bits);
        let mut step = mask(known) + 1;
        // Up to the next number with the low bits that are known.
        first += (facts.ones & mask(known)).wrapping_sub(first) & mask(known);
        if let Node::Sum(sum) = self.terms.node(offset)
            && let [(index, scale)] = *sum.monomials
        {
            let index = state.path.facts(&self.terms, index);
            let greatest = index.max.checked_mul(scale).and_then(|most| most.checked_add(sum.constant));
            // Where nothing wraps around, the offsets are as far apart as the scale says.
            if greatest.is_some_and(|greatest| greatest <= mask(self.pointer_bits)) {
                let start = sum.constant + index.min * scale;
                first = start + first.saturating_sub(start).div_ceil(scale) * scale;
                step = scale;
            }
        }
        if first > last || (last - first) / step >= MAX_PLACES {
            return None;
        }
        Some((0..=(last - first) / step).map(|i| (first + i * step) as u64).collect())
    }
}
