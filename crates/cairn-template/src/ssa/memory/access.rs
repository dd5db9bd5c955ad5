//! Reads and writes through pointers (FMCAD §III-B2, §III-B3).
//!
//! The accesses of the program partition each object into cells. A write to bytes without a cell is dropped and a read
//! from them returns an arbitrary value, so cells only affect precision. An access that does not match the cells
//! concatenates them on a read, and havocs the cells that it overlaps on a write.

use std::rc::Rc;

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_memory::space::NULL_PAGE;
use cairn_smt::Term;

use crate::limits::MAX_ELEMENTS;
use crate::ssa::builder::{Builder, Cell, State};
use crate::ssa::knowledge::{Name, ObjectKey, Part};
use crate::ssa::memory::pointers::Spot;
use crate::ssa::value::{Base, DEAD, NOTHING, ObjectNumber, Pointee, Value, has};

/// The kind of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::ssa) enum Access {
    Read,
    Write,
}

impl Builder<'_, '_> {
    /// Records that all enclosing loops change a variable.
    pub(in crate::ssa) fn changes(&mut self, name: Name) {
        for index in 0..self.around.len() {
            let key = self.around[index].1.clone();
            self.knowledge.change(&key, name);
        }
    }

    pub(in crate::ssa) fn set_cell(&mut self, state: &mut State, object: ObjectNumber, cell: Cell, value: Value) {
        self.changes(Name::Part(object, cell.1));
        Rc::make_mut(&mut state.cells).insert(cell, value);
    }

    /// Adds the checks of an access and restricts the path to valid accesses. Returns the pointer with known targets.
    pub(in crate::ssa) fn check_access(
        &mut self,
        state: &mut State,
        pointer: &Value,
        len: Term,
        access: Access,
        checks: Checks,
        loc: Loc,
    ) -> Value {
        let pointer = &self.known(state, pointer, loc);
        let Pointee { id, targets } = pointer.pointee(&mut self.terms);
        // Null, and integers without provenance.
        if has(&targets, Base::Nothing) {
            let plain = self.is(id, NOTHING);
            let page = self.terms.constant(u128::from(NULL_PAGE), self.pointer_bits);
            let numbers = targets.iter().filter(|t| t.base == Base::Nothing);
            let near = if numbers.clone().all(|t| t.offset.is_some_and(|at| at < NULL_PAGE)) {
                self.terms.truth()
            } else {
                self.terms.ult(pointer.bits, page)
            };
            for (kind, condition) in [(CheckKind::NullDeref, near), (CheckKind::InvalidDeref, plain)] {
                let bad = self.terms.and(plain, condition);
                let good = self.terms.not(bad);
                self.require(state, good, kind, checks, loc);
            }
        }
        if has(&targets, Base::Dead) {
            let dead = self.is(id, DEAD);
            let good = self.terms.not(dead);
            self.require(state, good, CheckKind::UseAfterScope, checks, loc);
        }
        let mut inside = self.terms.truth();
        let mut alive = self.terms.truth();
        let mut data = self.terms.truth();
        let (mut maybe_outside, mut maybe_gone) = (self.terms.falsity(), self.terms.falsity());
        for Spot { object, number, here, offset, .. } in self.spots(pointer) {
            let info = self.knowledge.info(object);
            let (size, freed) = (info.size, info.may_be_freed);
            let no_data = matches!(info.key, ObjectKey::Function(_)) || (access == Access::Write && info.constant);
            let rest = self.rest(object);
            let elsewhere = self.terms.not(here);
            if no_data {
                data = self.terms.and(data, elsewhere);
                continue;
            }
            let size = match size {
                Some(size) => Some(self.terms.constant(u128::from(size), self.pointer_bits)),
                None => state.cells.get(&(number, Part::Size)).map(|value| value.bits),
            };
            match size {
                Some(size) => {
                    let fits = self.in_bounds(offset, len, size);
                    let fits = self.terms.or(elsewhere, fits);
                    inside = self.terms.and(inside, fits);
                }
                None => maybe_outside = self.terms.or(maybe_outside, here),
            }
            if freed && Some(number) == rest {
                maybe_gone = self.terms.or(maybe_gone, here);
            } else if freed {
                let gone = self.flag(state, (number, Part::Freed));
                let bad = self.terms.and(here, gone);
                let good = self.terms.not(bad);
                alive = self.terms.and(alive, good);
            }
        }
        self.require(state, data, CheckKind::InvalidDeref, checks, loc);
        self.require_both(state, (alive, maybe_gone), CheckKind::UseAfterFree, checks, loc);
        self.require_both(state, (inside, maybe_outside), CheckKind::OutOfBounds, checks, loc);
        pointer.clone()
    }

    /// Returns `offset + len ≤ size` without overflow.
    fn in_bounds(&mut self, offset: Term, len: Term, size: Term) -> Term {
        let fits = self.terms.ule(len, size);
        let last = self.terms.sub(size, len);
        let before = self.terms.ule(offset, last);
        self.terms.and(fits, before)
    }

    /// Reads through a checked pointer.
    pub(in crate::ssa) fn read(&mut self, state: &mut State, pointer: &Value, len: u64) -> Value {
        let mut result: Option<Value> = None;
        for spot in self.spots(pointer) {
            let value = if Some(spot.number) == self.rest(spot.object) {
                Value::anything(&mut self.terms, "rest", 8 * len as u32)
            } else {
                self.read_spot(state, &spot, len)
            };
            // The path continues only where the pointer points to one of the spots.
            result = Some(match result {
                None => value,
                Some(other) => Value::choose(&mut self.terms, spot.here, &value, &other),
            });
        }
        result.unwrap_or_else(|| Value::anything(&mut self.terms, "anything", 8 * len as u32))
    }

    fn read_spot(&mut self, state: &State, spot: &Spot, len: u64) -> Value {
        let Spot { object, number, offset, .. } = *spot;
        let width = 8 * len as u32;
        if let Some(at) = spot.constant {
            return self.read_at(state, object, number, at, len);
        }
        self.cut_array(object, len);
        let mut value = Value::anything(&mut self.terms, "element", width);
        for (at, bytes) in self.knowledge.info(object).cells.clone() {
            if bytes == len
                && let Some(cell) = state.cells.get(&(number, Part::Bytes(at))).cloned()
            {
                let place = self.terms.constant(u128::from(at), self.pointer_bits);
                let here = self.terms.eq(offset, place);
                value = Value::choose(&mut self.terms, here, &cell, &value);
            }
        }
        value
    }

    /// Gives cells to the elements of a small array that is accessed at a variable offset.
    fn cut_array(&mut self, object: ObjectNumber, len: u64) {
        if let Some(size) = self.knowledge.info(object).size
            && size / len <= MAX_ELEMENTS
        {
            for index in 0..size / len {
                self.knowledge.access(object, index * len, len);
            }
        }
    }

    fn read_at(&mut self, state: &State, object: ObjectNumber, number: u32, at: u64, len: u64) -> Value {
        self.knowledge.access(object, at, len);
        let cells: Vec<(u64, u64)> = self
            .knowledge
            .info(object)
            .cells
            .iter()
            .copied()
            .filter(|&(offset, bytes)| offset < at.saturating_add(len) && at < offset + bytes)
            .collect();
        let width = 8 * len as u32;
        let mut values = Vec::new();
        let mut next = at;
        for (offset, bytes) in cells {
            match state.cells.get(&(number, Part::Bytes(offset))) {
                Some(value) if offset == next && self.terms.width(value.bits) == 8 * bytes as u32 => {
                    values.push(value.clone());
                    next = offset + bytes;
                }
                _ => return Value::anything(&mut self.terms, "anything", width),
            }
        }
        if next != at.saturating_add(len) {
            return Value::anything(&mut self.terms, "anything", width);
        }
        let mut values = values.into_iter();
        let Some(mut whole) = values.next() else { return Value::anything(&mut self.terms, "anything", width) };
        for value in values {
            whole = self.above(&value, &whole);
        }
        whole
    }

    /// Concatenates two neighbouring values. The parts of a pointer are numbers and do not form a pointer again.
    fn above(&mut self, high: &Value, low: &Value) -> Value {
        let (a, b) = (high.number(&mut self.terms), low.number(&mut self.terms));
        Value::integer(self.terms.concat(a, b))
    }

    /// Writes a value through a checked pointer.
    pub(in crate::ssa) fn write(&mut self, state: &mut State, pointer: &Value, value: &Value) {
        let targets = pointer.pointee(&mut self.terms).targets;
        let alone = targets.iter().filter(|target| matches!(target.base, Base::Object(_))).count() == 1;
        for mut spot in self.spots(pointer) {
            let info = self.knowledge.info(spot.object);
            let many = info.many;
            if info.constant || Some(spot.number) == self.rest(spot.object) {
                continue;
            }
            if alone && !many {
                // The path continues only where the pointer points to this object.
                spot.here = self.terms.truth();
            }
            self.write_spot(state, &spot, value);
        }
    }

    fn write_spot(&mut self, state: &mut State, spot: &Spot, value: &Value) {
        let Spot { object, number, here, offset, constant } = *spot;
        let len = u64::from(self.terms.width(value.bits) / 8);
        match constant {
            Some(at) => self.knowledge.access(object, at, len),
            None => self.cut_array(object, len),
        }
        for (at, bytes) in self.knowledge.info(object).cells.clone() {
            let cell = (number, Part::Bytes(at));
            let Some(old) = state.cells.get(&cell).cloned() else { continue };
            let new = match constant {
                Some(from) if from.saturating_add(len) <= at || at + bytes <= from => continue,
                Some(from) if from <= at && at + bytes <= from.saturating_add(len) => {
                    let part = self.part(value, (at - from) as u32 * 8, bytes as u32 * 8);
                    Value::choose(&mut self.terms, here, &part, &old)
                }
                Some(_) => {
                    let anything = Value::anything(&mut self.terms, "overlapped", 8 * bytes as u32);
                    Value::choose(&mut self.terms, here, &anything, &old)
                }
                None => {
                    let anything = Value::anything(&mut self.terms, "overlapped", 8 * bytes as u32);
                    let touched = self.touches(offset, len, at, bytes);
                    let touched = self.terms.and(here, touched);
                    let mut new = Value::choose(&mut self.terms, touched, &anything, &old);
                    if bytes == len {
                        let place = self.terms.constant(u128::from(at), self.pointer_bits);
                        let exact = self.terms.eq(offset, place);
                        let exact = self.terms.and(here, exact);
                        new = Value::choose(&mut self.terms, exact, value, &new);
                    }
                    new
                }
            };
            if new != old {
                self.set_cell(state, object, cell, new);
            }
        }
    }

    /// Returns whether the bytes from a variable offset on overlap a cell. The access is in bounds, so nothing wraps.
    fn touches(&mut self, offset: Term, len: u64, at: u64, bytes: u64) -> Term {
        let end = self.terms.constant(u128::from(at + bytes), self.pointer_bits);
        let before_end = self.terms.ult(offset, end);
        let len = self.terms.constant(u128::from(len), self.pointer_bits);
        let last = self.terms.add(offset, len);
        let at = self.terms.constant(u128::from(at), self.pointer_bits);
        let after_start = self.terms.ult(at, last);
        self.terms.and(before_end, after_start)
    }

    /// Extracts some bits of a value; a part of a pointer is an unknown number.
    fn part(&mut self, value: &Value, low: u32, width: u32) -> Value {
        if low == 0 && width == self.terms.width(value.bits) {
            return value.clone();
        }
        let number = value.number(&mut self.terms);
        Value::integer(self.terms.extract(number, low, width))
    }
}
