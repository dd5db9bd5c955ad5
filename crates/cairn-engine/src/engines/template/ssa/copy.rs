//! Whole runs of bytes in the formula: copied cell by cell, so that pointers stay pointers, set, or forgotten.

use super::address::Spot;
use super::build::{Builder, State};
use super::knowledge::Part;
use super::value::{ObjectNumber, Value};

impl Builder<'_, '_> {
    /// Copies bytes between checked places: cell by cell, so that pointers stay pointers.
    pub(super) fn copy(&mut self, state: &mut State, to: &Value, from: &Value, size: u64) {
        let places: Vec<(ObjectNumber, Option<u64>)> =
            [from, to].into_iter().flat_map(|pointer| self.spots(pointer)).map(|s| (s.object, s.constant)).collect();
        if places.iter().any(|(_, at)| at.is_none()) {
            return self.forget(state, to, None);
        }
        let places: std::collections::BTreeSet<(ObjectNumber, u64)> =
            places.into_iter().filter_map(|(object, at)| Some((object, at?))).collect();
        // Both sides get the cells of either, as far as they lie in what is copied.
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
        // All are read before any is written: the places may be the same.
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

    /// All cells that an access of unknown extent may touch hold anything; `size` bytes where that is known.
    pub(super) fn forget(&mut self, state: &mut State, to: &Value, size: Option<u64>) {
        self.overwrite(state, to, size, None);
    }

    /// Sets bytes to zero, or to anything.
    pub(super) fn overwrite(&mut self, state: &mut State, to: &Value, size: Option<u64>, byte: Option<u8>) {
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
