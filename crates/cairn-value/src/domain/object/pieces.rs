//! The contents of objects as pieces, for copies, and the objects that they refer to.

use super::{Back, Initial, Object};
use crate::domain::number::Num;
use crate::domain::value::{Obj, Value};

/// A part of some contents: the offset, the size, whether it is a run, and the value.
pub type Piece = (u64, u32, bool, Value);

impl Object {
    /// Returns all objects that the contents may point to, as one value.
    pub fn references(&self, obj: Obj, env: &dyn Initial) -> Value {
        let pointer = env.pointer_bits();
        if self.is_unknown {
            return Value::anything(pointer);
        }
        let mut all = Value::none();
        for (_, cell) in self.cells.entries() {
            if cell.value.has_objects() {
                all = all.join(&cell.value.smear(pointer, pointer), pointer, pointer);
            }
        }
        for part in self.rest.iter().flat_map(|rest| &rest.parts) {
            if part.value.has_objects() {
                all = all.join(&part.value.smear(pointer, pointer), pointer, pointer);
            }
        }
        if self.back.has(Back::INITIAL) {
            let everything = Num::full(pointer);
            let value = env.initial(obj, everything, pointer / 8);
            if value.has_objects() {
                all = all.join(&value.smear(pointer, pointer), pointer, pointer);
            }
        }
        all
    }

    /// Returns the contents of a range as pieces, with offsets relative to it. The offset may be inexact.
    pub fn pieces(&self, obj: Obj, offset: Num, length: u64, env: &dyn Initial) -> Vec<Piece> {
        let pointer = env.pointer_bits();
        if let Some(size) = u32::try_from(length).ok().filter(|_| self.is_unknown) {
            return vec![(0, size, true, Value::anything(8))];
        }
        let mut layout: Vec<(u64, u32, bool)> = Vec::new();
        let low = offset.lo;
        if let Some(at) = offset.value() {
            self.for_overlapping(at, at + length, &mut |key, cell| {
                if key >= at && key + u64::from(cell.size) <= at + length {
                    layout.push((key - at, cell.size, cell.is_run));
                }
            });
        } else if offset.stride > 0 {
            self.for_overlapping(low, low.saturating_add(offset.stride), &mut |key, cell| {
                if key >= low && key - low + u64::from(cell.size) <= length && !cell.is_run {
                    layout.push((key - low, cell.size, false));
                }
            });
        }
        if let Some(rest) = &self.rest
            && rest.stride > 1
            && length / rest.stride < 1024
        {
            for part in &rest.parts {
                let mut at = (part.phase + rest.stride - low % rest.stride) % rest.stride;
                while at + u64::from(part.size) <= length {
                    layout.push((at, part.size, false));
                    at += rest.stride;
                }
            }
        }
        if self.back.has(Back::INITIAL) {
            // Pointers in the initial value lie at multiples of their size.
            let word = u64::from(pointer / 8);
            let mut at = (word - low % word) % word;
            while at + word <= length && at < 512 {
                layout.push((at, word as u32, false));
                at += word;
            }
        }
        layout.sort_unstable();
        let mut pieces = Vec::new();
        let mut done = 0;
        let gap = |from: u64, to: u64, pieces: &mut Vec<Piece>| {
            if from < to {
                let step = Num::between(0, to - from - 1);
                let value = self.load(obj, offset.add(Num::constant(from, 64), 64).add(step, 64), 1, env);
                pieces.push((from, (to - from) as u32, true, value));
            }
        };
        for (at, size, is_run) in layout {
            if at < done {
                continue;
            }
            gap(done, at, &mut pieces);
            let start = offset.add(Num::constant(at, 64), 64);
            let value = if is_run {
                self.load(obj, start.add(Num::between(0, u64::from(size) - 1), 64), 1, env)
            } else {
                self.load(obj, start, size, env)
            };
            pieces.push((at, size, is_run, value));
            done = at + u64::from(size);
        }
        gap(done, length, &mut pieces);
        pieces
    }

    /// Writes pieces at an exact offset.
    pub fn put_pieces(&mut self, obj: Obj, at: u64, pieces: &[Piece], env: &dyn Initial) {
        for (offset, size, is_run, value) in pieces {
            if *is_run {
                self.fill(at + offset, u64::from(*size), value, env.pointer_bits());
            } else {
                self.store(obj, Num::constant(at + offset, 64), *size, value, env);
            }
        }
    }
}
