//! Exact accesses at an offset that has several values, without splitting the state.
//!
//! A read yields an if-then-else over the possible cells, and a write makes each of these cells an if-then-else. The
//! state is split on the offset instead if there are too many cells, or if the result would not be exact because the
//! cells overlap or are uninitialised.

use cairn_smt::Term;
use cairn_smt::term::{Node, mask};

use crate::limits::MAX_EXACT_OFFSETS;
use crate::state::State;
use crate::{Machine, Mode};
use cairn_memory::pointer::ObjectId;

impl<M: Mode> Machine<'_, M> {
    /// Reads bytes at an offset that is in bounds; `None` if the state must be split.
    pub(crate) fn read_exact(&mut self, state: &mut State<M>, id: ObjectId, offset: Term, len: u32) -> Option<Term> {
        let mut values = self.exact_values(state, id, offset, len)?.into_iter().rev();
        // The offset is one of these, so the last value needs no condition.
        let mut result = values.next()?.1;
        for (at, value) in values {
            let here = self.is_offset(offset, at);
            result = self.terms.ite(here, value, result);
        }
        Some(result)
    }

    /// Writes bytes at an offset that is in bounds; returns false if the state must be split.
    pub(crate) fn write_exact(&mut self, state: &mut State<M>, id: ObjectId, offset: Term, value: Term) -> bool {
        let len = self.terms.width(value) / 8;
        let Some(places) = self.exact_values(state, id, offset, len) else { return false };
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

    /// Returns every possible offset in ascending order, with the value at it.
    fn exact_values(&mut self, state: &mut State<M>, id: ObjectId, offset: Term, len: u32) -> Option<Vec<(u64, Term)>> {
        if M::ABSTRACTS || state.path.value(&self.terms, offset).is_some() {
            return None;
        }
        let places = self.possible_offsets(state, id, offset, len)?;
        if places.iter().any(|&at| !state.memory.get(id).is_set(at, len)) {
            return None;
        }
        let values: Vec<(u64, Term)> = places.into_iter().map(|at| (at, self.read(state, id, at, len))).collect();
        // The result must not count as uninitialised because of a cell that was not selected.
        values.iter().all(|&(_, value)| !self.is_undefined(value)).then_some(values)
    }

    /// Returns the offsets that are possible according to bounds, known bits and the scale of an index.
    fn possible_offsets(&self, state: &State<M>, id: ObjectId, offset: Term, len: u32) -> Option<Vec<u64>> {
        let size = state.path.value(&self.terms, state.memory.get(id).size)?;
        let facts = state.path.facts(&self.terms, offset);
        let (mut first, last) = (facts.min, facts.max.min(size.checked_sub(u128::from(len))?));
        let known = (facts.zeros | facts.ones).trailing_ones().min(self.pointer_bits);
        let mut step = mask(known) + 1;
        // Round up to the next number that has the known low bits.
        first += (facts.ones & mask(known)).wrapping_sub(first) & mask(known);
        if let Node::Sum(sum) = self.terms.node(offset)
            && let [(index, scale)] = *sum.monomials
        {
            let index = state.path.facts(&self.terms, index);
            let greatest = index.max.checked_mul(scale).and_then(|most| most.checked_add(sum.constant));
            // If nothing wraps around, the offsets are `scale` apart.
            if greatest.is_some_and(|greatest| greatest <= mask(self.pointer_bits)) {
                let start = sum.constant + index.min * scale;
                first = start + first.saturating_sub(start).div_ceil(scale) * scale;
                step = scale;
            }
        }
        if first > last || (last - first) / step >= MAX_EXACT_OFFSETS {
            return None;
        }
        Some((0..=(last - first) / step).map(|i| (first + i * step) as u64).collect())
    }
}
