//! Operations on byte ranges: copy, fill, and havoc. Copies go cell by cell, so that pointers remain pointers.

use crate::ssa::builder::{Builder, State};
use crate::ssa::knowledge::Part;
use crate::ssa::memory::pointers::Spot;
use crate::ssa::value::{ObjectNumber, Value};

impl Builder<'_, '_> {
    /// Copies bytes between checked ranges, cell by cell.
    pub(in crate::ssa) fn copy(&mut self, state: &mut State, to: &Value, from: &Value, size: u64) {
        let places: Vec<(ObjectNumber, Option<u64>)> =
            [from, to].into_iter().flat_map(|pointer| self.spots(pointer)).map(|s| (s.object, s.constant)).collect();
        if places.iter().any(|(_, at)| at.is_none()) {
            return self.forget(state, to, None);
        }
        let places: std::collections::BTreeSet<(ObjectNumber, u64)> =
            places.into_iter().filter_map(|(object, at)| Some((object, at?))).collect();
        // Both ranges get the cells of either one, as far as they lie inside the copied bytes.
        let mut pieces = std::collections::BTreeSet::new();
        for &(object, at) in &places {
            let end = at.saturating_add(size);
            for &(offset, bytes) in &self.knowledge.info(object).cells {
                let (start, stop) = (offset.max(at), (offset + bytes).min(end));
                if start < stop {
                    pieces.insert((start - at, stop - start));
                }
            }
        }
        for &(object, at) in &places {
            for &(offset, bytes) in &pieces {
                self.knowledge.access(object, at.saturating_add(offset), bytes);
            }
        }
        // All cells are read before any is written because the ranges may coincide.
        let mut values = Vec::new();
        for &(offset, bytes) in &pieces {
            let place = self.moved(from, offset as i64);
            values.push((offset, self.read(state, &place, bytes)));
        }
        for (offset, value) in values {
            let place = self.moved(to, offset as i64);
            self.write(state, &place, &value);
        }
    }

    /// Havocs the cells that a write may touch: `size` bytes, or all bytes if the size is unknown.
    pub(in crate::ssa) fn forget(&mut self, state: &mut State, to: &Value, size: Option<u64>) {
        self.overwrite(state, to, size, None);
    }

    /// Sets bytes to a constant byte, or havocs them.
    pub(in crate::ssa) fn overwrite(&mut self, state: &mut State, to: &Value, size: Option<u64>, byte: Option<u8>) {
        for spot in self.spots(to) {
            let Spot { object, number, here, constant, .. } = spot;
            if Some(number) == self.rest(object) {
                continue;
            }
            let range = constant.zip(size).map(|(from, size)| (from, from.saturating_add(size)));
            for (at, bytes) in self.knowledge.info(object).cells.clone() {
                let width = 8 * bytes as u32;
                if range.is_some_and(|(from, end)| at + bytes <= from || end <= at) {
                    continue;
                }
                let whole = range.is_some_and(|(from, end)| from <= at && at + bytes <= end);
                let new = match byte {
                    Some(byte) if whole => {
                        let bits = (0..bytes).map(|i| u128::from(byte) << (8 * i)).sum();
                        Value::integer(self.terms.constant(bits, width))
                    }
                    _ => Value::anything(&mut self.terms, "anything", width),
                };
                let cell = (number, Part::Bytes(at));
                let Some(old) = state.cells.get(&cell).cloned() else { continue };
                let value = Value::choose(&mut self.terms, here, &new, &old);
                self.set_cell(state, object, cell, value);
            }
        }
    }
}
