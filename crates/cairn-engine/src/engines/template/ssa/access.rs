//! Memory in the formula: reads and writes through dereferenced pointers (FMCAD §III-B2, §III-B3), over cells that the accesses of
//! the program cut objects into.
//!
//! What is written to bytes without a cell is forgotten and what is read from them is anything, so cells are a matter of precision
//! only. An access that does not fit the cells reads them together, or leaves what it touches unknown.

use std::rc::Rc;

use cairn_ir::program::Symbol;
use cairn_ir::{CheckKind, Checks, Loc};
use cairn_smt::Term;

use super::Dereference;
use super::build::{Builder, Cell, State};
use super::compare::NULL_PAGE;
use super::knowledge::{Name, ObjectKey, Part};
use super::value::{
    Base, DEAD, ID_BITS, NOTHING, ObjectNumber, Pointee, Target, Targets, UNKNOWN, Value, add_target, has, objects,
    only,
};

/// Elements of an array that is accessed at a variable place which get cells.
const MAX_ELEMENTS: u64 = 32;

/// Where a pointer may point to: an instance and an offset in it.
struct Spot {
    object: ObjectNumber,
    number: u32,
    /// Whether the pointer points there.
    here: Term,
    offset: Term,
    /// The offset, where it is constant.
    constant: Option<u64>,
}

/// How memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
}

impl Builder<'_, '_> {
    /// Gives globals their initial contents.
    pub(super) fn set_up_globals(&mut self, state: &mut State) {
        for index in 0..self.program.globals.len() {
            let object = self.global_object(index);
            let global = &self.program.globals[index];
            let id = self.numbers(object)[0];
            for (at, len) in self.knowledge.info(object).cells.clone() {
                let width = 8 * len as u32;
                let relocation = global.relocations.iter().find(|r| {
                    let end = r.offset + u64::from(self.pointer_bits / 8);
                    r.offset < at + len && at < end
                });
                let value = match relocation {
                    _ if !global.defined => Value::anything(&mut self.terms, &global.name, width),
                    Some(r) if r.offset == at && width == self.pointer_bits => {
                        let target = match r.target {
                            Symbol::Global(target) => Some(self.global_object(target.index())),
                            Symbol::Function(target) => Some(self.function_object(target.index())),
                            Symbol::Label(..) => None,
                        };
                        match target {
                            Some(target) => {
                                let start = self.address(target);
                                self.moved(&start, r.addend)
                            }
                            None => Value::anything(&mut self.terms, &global.name, width),
                        }
                    }
                    Some(_) => Value::anything(&mut self.terms, &global.name, width),
                    None => {
                        let byte = |i: u64| global.bytes.get(i as usize).copied().unwrap_or(0);
                        let bits = (0..len).map(|i| u128::from(byte(at + i)) << (8 * i)).sum();
                        Value::integer(self.terms.constant(bits, width))
                    }
                };
                Rc::make_mut(&mut state.cells).insert((id, Part::Bytes(at)), value);
            }
        }
    }

    pub(super) fn global_object(&mut self, index: usize) -> ObjectNumber {
        let global = &self.program.globals[index];
        let key = ObjectKey::Global(cairn_ir::GlobalId::new(index));
        self.knowledge.object(key, || (global.name.clone(), Some(global.size), global.constant))
    }

    pub(super) fn function_object(&mut self, index: usize) -> ObjectNumber {
        let function = &self.program.functions[index];
        let key = ObjectKey::Function(cairn_ir::FuncId::new(index));
        self.knowledge.object(key, || (function.name.clone(), Some(1), true))
    }

    /// A local variable comes to life, uninitialised.
    pub(super) fn begin_slot(&mut self, state: &mut State, object: ObjectNumber) {
        self.end_slot(state, object);
        let id = self.numbers(object)[0];
        for (at, len) in self.knowledge.info(object).cells.clone() {
            let value = Value::anything(&mut self.terms, "uninitialised", 8 * len as u32);
            self.set_cell(state, object, (id, Part::Bytes(at)), value);
        }
    }

    /// A local variable dies: pointers to it point to nothing that is alive.
    pub(super) fn end_slot(&mut self, state: &mut State, object: ObjectNumber) {
        // Nobody has its address where it has no number yet.
        let Some(id) = self.first_number(object) else { return };
        let base = Base::Object(object);
        let points = |value: &Value| value.object.as_ref().is_some_and(|p| has(&p.targets, base));
        for reg in 0..state.regs.len() {
            if let Some(value) = &state.regs[reg]
                && points(value)
            {
                let value = self.with_dead(value.clone(), id, base);
                state.regs[reg] = Some(value);
                self.changes(Name::Reg(reg as u32));
            }
        }
        let stale: Vec<(Cell, Value)> =
            state.cells.iter().filter(|(_, value)| points(value)).map(|(&cell, value)| (cell, value.clone())).collect();
        for (cell, value) in stale {
            let value = self.with_dead(value, id, base);
            if let Some(owner) = self.owner_of(cell.0) {
                self.set_cell(state, owner, cell, value);
            }
        }
        if state.cells.keys().any(|cell| cell.0 == id) {
            Rc::make_mut(&mut state.cells).retain(|cell, _| cell.0 != id);
        }
    }

    fn with_dead(&mut self, value: Value, id: u32, base: Base) -> Value {
        let Some(pointee) = value.object else { return value };
        let dies = self.is(pointee.id, id);
        let dead = self.number(DEAD);
        let id = self.terms.ite(dies, dead, pointee.id);
        let mut targets = (*pointee.targets).clone();
        targets.retain(|target| target.base != base);
        targets.insert(Target { base: Base::Dead, offset: None });
        Value { bits: value.bits, object: Some(Pointee { id, targets: Rc::new(targets) }) }
    }

    /// Something changes in all loops around the place at hand.
    pub(super) fn changes(&mut self, name: Name) {
        for index in 0..self.around.len() {
            let key = self.around[index].1.clone();
            self.knowledge.change(&key, name);
        }
    }

    pub(super) fn set_cell(&mut self, state: &mut State, object: ObjectNumber, cell: Cell, value: Value) {
        self.changes(Name::Part(object, cell.1));
        Rc::make_mut(&mut state.cells).insert(cell, value);
    }

    /// A pointer with an offset added.
    pub(super) fn moved(&mut self, pointer: &Value, offset: i64) -> Value {
        let mut pointee = pointer.pointee(&mut self.terms);
        if offset == 0 {
            return Value { bits: pointer.bits, object: Some(pointee) };
        }
        let mask = u64::MAX >> (64 - self.pointer_bits);
        let mut targets = std::collections::BTreeSet::new();
        for target in &*pointee.targets {
            let offset = target.offset.map(|at| at.wrapping_add(offset as u64) & mask);
            add_target(&mut targets, Target { offset, ..*target });
        }
        pointee.targets = Rc::new(targets);
        let distance = self.terms.constant(i128::from(offset) as u128, self.pointer_bits);
        let bits = self.terms.add(pointer.bits, distance);
        Value { bits, object: Some(pointee) }
    }

    /// A pointer with an offset added that varies.
    pub(super) fn moved_somewhere(&mut self, pointer: &Value, distance: Term) -> Value {
        let mut pointee = pointer.pointee(&mut self.terms);
        let mut targets = std::collections::BTreeSet::new();
        for target in &*pointee.targets {
            add_target(&mut targets, Target { offset: None, ..*target });
        }
        pointee.targets = Rc::new(targets);
        let bits = self.terms.add(pointer.bits, distance);
        Value { bits, object: Some(pointee) }
    }

    /// Where a pointer may point to.
    fn spots(&mut self, pointer: &Value) -> Vec<Spot> {
        let Pointee { id, targets } = pointer.pointee(&mut self.terms);
        let mut spots = Vec::new();
        for &target in &*targets {
            let Base::Object(object) = target.base else { continue };
            let alone = targets.iter().filter(|other| other.base == target.base).count() == 1;
            let offset = match target.offset {
                Some(at) => self.terms.constant(u128::from(at), self.pointer_bits),
                None => pointer.bits,
            };
            let constant = self.terms.as_const(offset).map(|at| at as u64);
            debug_assert!(
                !alone
                    || targets.len() > 1
                    || self.terms.as_const(pointer.bits).is_none_or(|at| constant == Some(at as u64)),
                "the offset of a pointer is the one that its targets say"
            );
            for number in self.numbers(object) {
                let mut here = self.is(id, number);
                if !alone {
                    let there = self.terms.eq(pointer.bits, offset);
                    here = self.terms.and(here, there);
                }
                spots.push(Spot { object, number, here, offset, constant });
            }
        }
        spots
    }

    /// Checks an access of some bytes: the path goes on only where it is fine, with a pointer that points somewhere known.
    pub(super) fn check_access(
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
        // Null, and numbers that are no pointers.
        if has(&targets, Base::Nothing) {
            let plain = self.is(id, NOTHING);
            let page = self.terms.constant(NULL_PAGE, self.pointer_bits);
            let numbers = targets.iter().filter(|t| t.base == Base::Nothing);
            let near = if numbers.clone().all(|t| t.offset.is_some_and(|at| u128::from(at) < NULL_PAGE)) {
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

    /// A pointer that is about to be dereferenced. That it is not known what it points to must be impossible; where it is, which may
    /// be only because it was read from an object of the rest, it points to any of the places that it is otherwise seen to point to.
    pub(super) fn known(&mut self, state: &mut State, pointer: &Value, loc: Loc) -> Value {
        let Pointee { id, targets } = pointer.pointee(&mut self.terms);
        self.dereference(state, id, &targets);
        if !has(&targets, Base::Unknown) {
            return Value { bits: pointer.bits, object: Some(Pointee { id, targets }) };
        }
        let unknown = self.is(id, UNKNOWN);
        let bad = self.terms.and(state.guard, unknown);
        self.gap_where(bad, "a pointer is used of which it is not known what it points to", loc);
        let mut any: Option<Value> = None;
        for &target in targets.iter().filter(|target| target.base != Base::Unknown) {
            let bits = match target.offset {
                Some(at) => self.terms.constant(u128::from(at), self.pointer_bits),
                None => self.terms.variable("offset", self.pointer_bits),
            };
            for number in self.expand(target.base) {
                let id = self.number(number);
                let value = Value { bits, object: Some(Pointee { id, targets: only(target.base, target.offset) }) };
                any = Some(match any {
                    None => value,
                    Some(other) => {
                        let choice = self.terms.variable("somewhere", 1);
                        Value::choose(&mut self.terms, choice, &value, &other)
                    }
                });
            }
        }
        match any {
            Some(any) => {
                let mut known = Value { bits: pointer.bits, object: Some(Pointee { id, targets }) };
                known = Value::choose(&mut self.terms, unknown, &any, &known);
                if let Some(pointee) = &mut known.object {
                    let mut targets = (*pointee.targets).clone();
                    targets.retain(|target| target.base != Base::Unknown);
                    pointee.targets = Rc::new(targets);
                }
                known
            }
            None => {
                let good = self.terms.not(unknown);
                state.guard = self.terms.and(state.guard, good);
                pointer.clone()
            }
        }
    }

    /// Remembers that a pointer is dereferenced, where it matters which instance it points to.
    pub(super) fn dereference(&mut self, state: &State, id: Term, targets: &Targets) {
        let many = |object: &ObjectNumber| self.knowledge.info(*object).many;
        let sites: std::collections::BTreeSet<ObjectNumber> = objects(targets).into_iter().filter(many).collect();
        if !sites.is_empty() {
            let loops = self.loop_indices();
            self.dereferences.push(Dereference { guard: state.guard, id, sites, loops });
        }
    }

    /// `offset + len ≤ size` without overflow.
    fn in_bounds(&mut self, offset: Term, len: Term, size: Term) -> Term {
        let fits = self.terms.ule(len, size);
        let last = self.terms.sub(size, len);
        let before = self.terms.ule(offset, last);
        self.terms.and(fits, before)
    }

    /// Reads bytes through a pointer that was checked.
    pub(super) fn read(&mut self, state: &mut State, pointer: &Value, len: u64) -> Value {
        let mut result: Option<Value> = None;
        for spot in self.spots(pointer) {
            let value = if Some(spot.number) == self.rest(spot.object) {
                Value::anything(&mut self.terms, "rest", 8 * len as u32)
            } else {
                self.read_spot(state, &spot, len)
            };
            // The path goes on only where the pointer points to one of these.
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

    /// The elements of a small array that is accessed at a variable place are cells.
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

    /// Two neighbours as one value. Parts of a pointer do not make a pointer again that is known.
    fn above(&mut self, high: &Value, low: &Value) -> Value {
        let (a, b) = (high.number(&mut self.terms), low.number(&mut self.terms));
        Value::integer(self.terms.concat(a, b))
    }

    /// Writes a value through a pointer that was checked.
    pub(super) fn write(&mut self, state: &mut State, pointer: &Value, value: &Value) {
        let targets = pointer.pointee(&mut self.terms).targets;
        let alone = targets.iter().filter(|target| matches!(target.base, Base::Object(_))).count() == 1;
        for mut spot in self.spots(pointer) {
            let info = self.knowledge.info(spot.object);
            let many = info.many;
            if info.constant || Some(spot.number) == self.rest(spot.object) {
                continue;
            }
            if alone && !many {
                // The path goes on only where the pointer points there.
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

    /// Whether bytes from a variable offset on meet a cell; the access is in bounds, so nothing wraps.
    fn touches(&mut self, offset: Term, len: u64, at: u64, bytes: u64) -> Term {
        let end = self.terms.constant(u128::from(at + bytes), self.pointer_bits);
        let before_end = self.terms.ult(offset, end);
        let len = self.terms.constant(u128::from(len), self.pointer_bits);
        let last = self.terms.add(offset, len);
        let at = self.terms.constant(u128::from(at), self.pointer_bits);
        let after_start = self.terms.ult(at, last);
        self.terms.and(before_end, after_start)
    }

    /// Some bits of a value; a part of a pointer is an unknown number.
    fn part(&mut self, value: &Value, low: u32, width: u32) -> Value {
        if low == 0 && width == self.terms.width(value.bits) {
            return value.clone();
        }
        let number = value.number(&mut self.terms);
        Value::integer(self.terms.extract(number, low, width))
    }

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

    /// A pointer of which it is known only that it points to one of these.
    pub(super) fn unknown_pointer(&mut self) -> Value {
        let bits = self.terms.variable("unknown", self.pointer_bits);
        let id = self.terms.constant(u128::from(UNKNOWN), ID_BITS);
        Value { bits, object: Some(Pointee { id, targets: only(Base::Unknown, None) }) }
    }
}
