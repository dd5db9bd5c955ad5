//! Abstract objects: lifetime, size and contents.
//!
//! The contents have three layers. *Cells* hold values at exact offsets. Where there is no cell, the *rest* holds one value for all elements
//! that were written at inexact offsets, by their position within a stride: this is how arrays of structs are kept. Below both lies the
//! *background*, the bytes that the object was created with.

mod combine;
mod pieces;
mod rest;

use std::rc::Rc;

use cairn_ir::inst::Passing;

use crate::domain::map::{Entry, Map};
use crate::domain::number::Num;
use crate::domain::value::{Flags, Obj, Value};
use crate::limits::MAX_CELLS;
use rest::Part;
pub use rest::Rest;

/// The states of life that an object may be in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Life(u8);

impl Life {
    /// The object is live.
    pub const LIVE: Life = Life(1);
    /// The object was freed.
    pub const FREED: Life = Life(2);
    /// The lifetime of the local object has ended.
    pub const ENDED: Life = Life(4);

    /// Returns whether one of the given states is possible.
    pub const fn may_be(self, other: Life) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the states of both.
    pub const fn or(self, other: Life) -> Life {
        Life(self.0 | other.0)
    }
}

/// The bytes that an object was created with, as a set of possibilities.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Back(u8);

impl Back {
    /// Zero bytes.
    pub const ZERO: Back = Back(1);
    /// Uninitialised bytes.
    pub const UNINIT: Back = Back(2);
    /// Any initialised bytes.
    pub const ANY: Back = Back(4);
    /// The initial value of the global variable.
    pub const INITIAL: Back = Back(8);

    const fn has(self, other: Back) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the possibilities of both.
    pub const fn or(self, other: Back) -> Back {
        Back(self.0 | other.0)
    }
}

/// A value at an exact offset. A *run* is a sequence of bytes that all have the value.
#[derive(Clone, PartialEq, Debug)]
pub struct Cell {
    /// The size in bytes.
    pub size: u32,
    /// Whether the value is that of each byte.
    pub is_run: bool,
    /// The value.
    pub value: Value,
}

impl Entry for Cell {
    fn filter(&self) -> u64 {
        self.value.filter()
    }

    fn is_same(&self, other: &Self) -> bool {
        self == other
    }
}

/// The source of initial values.
pub trait Initial {
    /// Returns the bytes of a global variable's initial value as one scalar.
    fn initial(&self, obj: Obj, offset: Num, size: u32) -> Value;
    /// The width of pointers in bits.
    fn pointer_bits(&self) -> u32;
}

/// An abstract object.
#[derive(Clone, Debug)]
pub struct Object {
    /// The states of life.
    pub life: Life,
    /// Whether the object stands for one concrete object, so that a write replaces its value.
    pub is_single: bool,
    /// The sizes in bytes.
    pub size: Num,
    /// The bytes at the creation.
    pub back: Back,
    /// The values at exact offsets.
    pub cells: Map<Cell>,
    /// At least the number of cells.
    count: u32,
    /// At least the size of the largest cell.
    longest: u32,
    /// The values at inexact offsets.
    pub rest: Option<Rc<Rest>>,
    /// How the variable arguments of a call were passed, in units of 16 bytes.
    pub passed: Option<Rc<[Option<Passing>]>>,
    /// The offset from which on there is a zero byte for certain.
    pub zero_from: Option<u64>,
    /// The number of leading bytes that a loop has initialised.
    pub init_to: u64,
    /// Whether the contents may be anything. Then nothing else is known about them.
    pub is_unknown: bool,
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.life == other.life
            && self.is_single == other.is_single
            && self.size == other.size
            && self.back == other.back
            && self.passed == other.passed
            && self.zero_from == other.zero_from
            && self.init_to == other.init_to
            && self.is_unknown == other.is_unknown
            && self.rest == other.rest
            && (self.cells.is_same(&other.cells) || self.cells == other.cells)
    }
}

impl Entry for Rc<Object> {
    fn filter(&self) -> u64 {
        let parts = self.rest.iter().flat_map(|rest| &rest.parts);
        parts.fold(self.cells.filter(), |all, part| all | part.value.filter())
    }

    fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(self, other)
    }
}

/// Returns the bits of an access of some bytes.
fn bits(size: u32) -> u32 {
    (size * 8).min(128)
}

impl Object {
    /// Creates a live object.
    pub fn new(size: Num, back: Back) -> Self {
        Object {
            life: Life::LIVE,
            is_single: true,
            size,
            back,
            cells: Map::default(),
            count: 0,
            longest: 0,
            rest: None,
            passed: None,
            zero_from: None,
            init_to: 0,
            is_unknown: false,
        }
    }

    /// Forgets everything about the contents and the size.
    pub fn forget(&mut self) {
        let (life, is_single) = (self.life, self.is_single);
        *self = Object::new(Num::between(0, u64::MAX >> 1), Back::ANY.or(Back::UNINIT));
        (self.life, self.is_single, self.is_unknown) = (life, is_single, true);
    }

    /// Calls `each` with the cells that overlap a range of bytes.
    fn for_overlapping<'a>(&'a self, from: u64, to: u64, each: &mut dyn FnMut(u64, &'a Cell)) {
        if self.cells.is_empty() || to <= from || from > u64::from(u32::MAX) {
            return;
        }
        let low = from.saturating_sub(u64::from(self.longest.max(1) - 1)) as u32;
        let high = u32::try_from(to - 1).unwrap_or(u32::MAX);
        self.cells.for_range(low, high, &mut |key, cell| {
            if u64::from(key) + u64::from(cell.size) > from {
                each(u64::from(key), cell);
            }
        });
    }

    /// Returns the value of some bytes below the cells.
    ///
    /// Where the bytes may come from several sources, the value covers all mixtures of them.
    fn below(&self, obj: Obj, offset: Num, size: u32, env: &dyn Initial) -> Value {
        let (width, pointer) = (bits(size), env.pointer_bits());
        let mut value = Value::none();
        if self.back.has(Back::ZERO) {
            value = Value::constant(0, width);
        }
        if self.back.has(Back::ANY) {
            value = value.join(&Value::any(width), width, pointer);
        }
        let end = offset.lo.saturating_add(offset.span).saturating_add(u64::from(size));
        if self.back.has(Back::UNINIT) && end > self.init_to {
            value = value.join(&Value::uninit(), width, pointer);
        }
        if self.back.has(Back::INITIAL) {
            value = value.join(&env.initial(obj, offset, size), width, pointer);
        }
        let mut is_mixed = self.back.has(Back::ZERO) && self.back.has(Back::INITIAL);
        if let Some(rest) = &self.rest {
            is_mixed |= rest.read(offset, size, &mut value, pointer);
        }
        if is_mixed && size > 1 { value.smear(width, pointer) } else { value }
    }

    /// Returns the value that a read of some bytes may give. The offsets are inside the object and do not wrap.
    pub fn load(&self, obj: Obj, offset: Num, size: u32, env: &dyn Initial) -> Value {
        if self.is_unknown {
            return Value::anything(bits(size));
        }
        match offset.value() {
            Some(at) => self.load_at(obj, at, size, env),
            None => self.load_range(obj, offset, size, env),
        }
    }

    fn load_at(&self, obj: Obj, at: u64, size: u32, env: &dyn Initial) -> Value {
        let exact = u32::try_from(at).ok().and_then(|at| self.cells.get(at));
        if let Some(cell) = exact
            && cell.size == size
            && !cell.is_run
        {
            return cell.value.clone();
        }
        let mut found: Vec<(u64, &Cell)> = Vec::new();
        self.for_overlapping(at, at + u64::from(size), &mut |key, cell| found.push((key, cell)));
        if found.is_empty() {
            return self.below(obj, Num::constant(at, 64), size, env);
        }
        if let [(key, cell)] = found[..]
            && cell.is_run
            && key <= at
            && key + u64::from(cell.size) >= at + u64::from(size)
        {
            return stretch(&cell.value, size, env.pointer_bits());
        }
        if size <= 8
            && let Some(value) = self.constant_bytes(obj, at, size, env)
        {
            return Value::constant(value, bits(size));
        }
        let (width, pointer) = (bits(size), env.pointer_bits());
        let mut value = Value::none();
        let mut covered = 0;
        for (key, cell) in found {
            let (from, to) = (key.max(at), (key + u64::from(cell.size)).min(at + u64::from(size)));
            covered += to - from;
            value = value.join(&cell.value.smear(width, pointer), width, pointer);
        }
        if covered < u64::from(size) {
            let below = self.below(obj, Num::constant(at, 64), size, env);
            value = value.join(&below.smear(width, pointer), width, pointer);
        }
        value
    }

    /// Returns the value of some bytes that are all constant.
    fn constant_bytes(&self, obj: Obj, at: u64, size: u32, env: &dyn Initial) -> Option<u64> {
        let mut result = 0;
        for index in 0..u64::from(size) {
            let mut byte = None;
            self.for_overlapping(at + index, at + index + 1, &mut |key, cell| {
                let value = cell.value.plain().and_then(Num::value);
                let shift = if cell.is_run { 0 } else { 8 * (at + index - key) };
                byte = Some(value.filter(|_| cell.size <= 8 || cell.is_run).map(|v| (v >> shift) & 0xff));
            });
            let byte = match byte {
                Some(byte) => byte?,
                None => self.below(obj, Num::constant(at + index, 64), 1, env).plain()?.value()?,
            };
            result |= byte << (8 * index);
        }
        Some(result)
    }

    fn load_range(&self, obj: Obj, offset: Num, size: u32, env: &dyn Initial) -> Value {
        let (width, pointer) = (bits(size), env.pointer_bits());
        let (low, high) = (offset.lo, offset.lo.saturating_add(offset.span));
        let step = offset.stride.max(1);
        let mut value = Value::none();
        let (mut matched, mut is_mixed) = (0, false);
        self.for_overlapping(low, high.saturating_add(u64::from(size)), &mut |key, cell| {
            if cell.is_run {
                if meets(offset, size, key, cell.size) {
                    value = value.join(&stretch(&cell.value, size, pointer), width, pointer);
                    is_mixed |= straddles(offset, size, key, cell.size);
                }
            } else if cell.size == size && key >= low && (key - low) % step == 0 && key <= high {
                value = value.join(&cell.value, width, pointer);
                matched += 1;
                is_mixed |= step < u64::from(size);
            } else if meets(offset, size, key, cell.size) {
                value = value.join(&cell.value.smear(width, pointer), width, pointer);
                is_mixed = true;
            }
        });
        if matched <= offset.steps() {
            value = value.join(&self.below(obj, offset, size, env), width, pointer);
        }
        // An access may read bytes of several values.
        if is_mixed && size > 1 { value.smear(width, pointer) } else { value }
    }

    fn insert(&mut self, at: u64, cell: Cell) {
        self.count += 1;
        self.longest = self.longest.max(cell.size);
        self.cells.insert(at as u32, cell);
    }

    /// Removes a range of bytes from the cells; cells that reach beyond it keep their other bytes.
    fn clear(&mut self, from: u64, to: u64, pointer: u32) {
        let mut found: Vec<(u64, Cell)> = Vec::new();
        self.for_overlapping(from, to, &mut |key, cell| found.push((key, cell.clone())));
        for (key, cell) in found {
            self.cells.remove(key as u32);
            self.count = self.count.saturating_sub(1);
            let end = key + u64::from(cell.size);
            if key < from {
                self.insert(key, split(&cell, 0, (from - key) as u32, pointer));
            }
            if end > to {
                self.insert(to, split(&cell, (to - key) as u32, (end - to) as u32, pointer));
            }
        }
    }

    /// Writes a value. The offsets are inside the object and do not wrap.
    pub fn store(&mut self, obj: Obj, offset: Num, size: u32, value: &Value, env: &dyn Initial) {
        if self.is_unknown {
            return;
        }
        let pointer = env.pointer_bits();
        let exact = offset.value().filter(|&at| at + u64::from(size) <= u64::from(u32::MAX));
        let is_known = exact.is_some_and(|at| self.cells.get(at as u32).is_some_and(|cell| cell.size == size));
        if let Some(at) = exact
            && (self.count < MAX_CELLS || is_known)
        {
            if self.is_single {
                if is_known {
                    self.cells.insert(at as u32, Cell { size, is_run: false, value: value.clone() });
                } else {
                    self.clear(at, at + u64::from(size), pointer);
                    self.insert(at, Cell { size, is_run: false, value: value.clone() });
                }
                return;
            }
            let joined = self.load_at(obj, at, size, env).join(value, bits(size), pointer);
            self.clear(at, at + u64::from(size), pointer);
            self.insert(at, Cell { size, is_run: false, value: joined });
            return;
        }
        let (low, high) = (offset.lo, offset.lo.saturating_add(offset.span));
        let mut changed: Vec<(u64, Cell)> = Vec::new();
        let step = offset.stride.max(1);
        // Otherwise the write may overwrite a part of a cell that it may also overwrite as a whole.
        let is_whole = offset.span == 0 || step >= u64::from(size);
        self.for_overlapping(low, high.saturating_add(u64::from(size)), &mut |key, cell| {
            let is_reached = (low..=high).contains(&key) && (key - low) % step == 0;
            let is_aligned = is_whole && is_reached && cell.size == size && !cell.is_run;
            let width = if cell.is_run { 8 } else { bits(cell.size) };
            if is_aligned {
                let value = cell.value.join(value, width, pointer);
                changed.push((key, Cell { value, ..cell.clone() }));
            } else if meets(offset, size, key, cell.size) {
                let mixed = if size == 1 && cell.is_run { value.clone() } else { value.smear(width, pointer) };
                let old = if cell.is_run { cell.value.clone() } else { cell.value.smear(width, pointer) };
                changed.push((key, Cell { value: old.join(&mixed, width, pointer), ..cell.clone() }));
            }
        });
        changed.into_iter().for_each(|(key, cell)| self.cells.insert(key as u32, cell));
        self.rest = Some(Rc::new(Rest::add(self.rest.as_deref(), offset, size, value, pointer)));
    }

    /// Sets a range of bytes to one value, at an exact place.
    pub fn fill(&mut self, from: u64, length: u64, byte: &Value, pointer: u32) {
        if length == 0 || self.is_unknown {
            return;
        }
        let is_whole = from == 0 && self.size.value() == Some(length);
        let back = match byte.plain() {
            Some(num) if num.value() == Some(0) => Some(Back::ZERO),
            Some(num) if num.is_full(8) => Some(Back::ANY),
            _ => None,
        };
        if self.is_single {
            if is_whole && let Some(back) = back {
                self.cells = Map::default();
                (self.count, self.longest) = (0, 0);
                self.rest = None;
                self.back = back;
                return;
            }
            let Ok(size) = u32::try_from(length) else { return self.blur(byte, pointer) };
            if from + length > u64::from(u32::MAX) {
                return self.blur(byte, pointer);
            }
            self.clear(from, from + length, pointer);
            self.insert(from, Cell { size, is_run: true, value: byte.clone() });
            return;
        }
        self.join_bytes(from, length, byte, pointer, true);
    }

    /// Sets some bytes of a range to one value.
    pub fn fill_some(&mut self, from: u64, length: u64, byte: &Value, pointer: u32) {
        if length > 0 && !self.is_unknown {
            self.join_bytes(from, length, byte, pointer, false);
        }
    }

    /// Joins a byte into a range: into all bytes at once, or into some of them.
    fn join_bytes(&mut self, from: u64, length: u64, byte: &Value, pointer: u32, is_whole: bool) {
        let mut changed: Vec<(u64, Cell)> = Vec::new();
        self.for_overlapping(from, from.saturating_add(length), &mut |key, cell| {
            let (width, old) =
                if cell.is_run { (8, cell.value.clone()) } else { (bits(cell.size), cell.value.clone()) };
            let is_inside = key >= from && key + u64::from(cell.size) <= from.saturating_add(length);
            let new = if cell.is_run { byte.clone() } else { stretch(byte, cell.size, pointer) };
            let joined = old.join(&new, width, pointer);
            let is_exact = cell.is_run || cell.size == 1 || (is_inside && is_whole);
            let value = if is_exact { joined } else { joined.smear(width, pointer) };
            changed.push((key, Cell { value, ..cell.clone() }));
        });
        changed.into_iter().for_each(|(key, cell)| self.cells.insert(key as u32, cell));
        let back = match byte.plain() {
            Some(num) if num.value() == Some(0) => Some(Back::ZERO),
            Some(num) if num.is_full(8) => Some(Back::ANY),
            _ => None,
        };
        match back {
            Some(back) => self.back = self.back.or(back),
            None => {
                let offset = Num::between(from, from.saturating_add(length - 1));
                self.rest = Some(Rc::new(Rest::add(self.rest.as_deref(), offset, 1, byte, pointer)));
            }
        }
    }

    /// Joins a byte into all contents.
    pub fn blur(&mut self, byte: &Value, pointer: u32) {
        if self.is_unknown {
            return;
        }
        let change = |value: &Value, width: u32| {
            let mixed = byte.smear(width, pointer);
            value.smear(width, pointer).join(&mixed, width, pointer)
        };
        self.map_values(&change);
        let offset = Num::full(pointer);
        self.rest = Some(Rc::new(Rest::add(self.rest.as_deref(), offset, 1, byte, pointer)));
    }

    /// Changes all values; the second argument of the function is the width.
    pub fn map_values(&mut self, change: &dyn Fn(&Value, u32) -> Value) {
        let cells: Vec<(u32, Cell)> = self.cells.entries().into_iter().map(|(k, c)| (k, c.clone())).collect();
        for (key, cell) in cells {
            let width = if cell.is_run { 8 } else { bits(cell.size) };
            let value = change(&cell.value, width);
            if value != cell.value {
                self.cells.insert(key, Cell { value, ..cell });
            }
        }
        if let Some(rest) = &self.rest {
            self.rest = Some(Rc::new(rest.map_values(change)));
        }
    }

    /// Replaces all contents by values that cover anything an unknown function may write, which includes the given value.
    pub fn havoc(&mut self, anything: &Value, pointer: u32) {
        if self.is_unknown {
            return;
        }
        // Bytes that were not initialised may stay so: the background is kept.
        let value = anything.smear(8, pointer);
        let cells: Vec<(u32, Cell)> = self.cells.entries().into_iter().map(|(k, c)| (k, c.clone())).collect();
        for (key, cell) in cells {
            let width = if cell.is_run { 8 } else { bits(cell.size) };
            let new = cell.value.join(&anything.smear(width, pointer), width, pointer);
            self.cells.insert(key, Cell { value: new, ..cell });
        }
        let rest = Rest::add(self.rest.as_deref(), Num::full(pointer), 1, &value, pointer);
        self.rest = Some(Rc::new(rest));
        self.back = self.back.or(Back::ANY);
        self.zero_from = None;
    }

    /// Forgets the integers and offsets of the values that differ from those of an older object.
    pub fn loosen(&mut self, old: &Object, pointer: u32) {
        let loose = |value: &Value, width: u32| {
            let mut value = value.smear(width, pointer);
            value.num = value.num.map(|_| Num::full(width.min(64)));
            value
        };
        let cells: Vec<(u32, Cell)> = self.cells.entries().into_iter().map(|(k, c)| (k, c.clone())).collect();
        for (key, cell) in cells.into_iter().filter(|(key, cell)| old.cells.get(*key) != Some(cell)) {
            let width = if cell.is_run { 8 } else { bits(cell.size) };
            self.cells.insert(key, Cell { value: loose(&cell.value, width), ..cell });
        }
        if let Some(rest) = self.rest.as_ref().filter(|_| self.rest != old.rest) {
            self.rest = Some(Rc::new(rest.map_values(&loose)));
        }
        if self.size != old.size {
            self.size = Num::between(0, self.size.unsigned(64).1.max(u64::MAX >> 1));
        }
        self.zero_from = self.zero_from.filter(|_| self.zero_from == old.zero_from);
        self.init_to = if self.init_to == old.init_to { self.init_to } else { 0 };
    }

    /// Forgets the layout of the contents: every byte may hold a byte of any value in the object.
    pub fn collapse(&mut self, pointer: u32) {
        if self.is_unknown {
            return;
        }
        let mut byte = Value::none();
        for (_, cell) in self.cells.entries() {
            byte = byte.join(&cell.value.smear(8, pointer), 8, pointer);
        }
        for part in self.rest.iter().flat_map(|rest| &rest.parts) {
            byte = byte.join(&part.value.smear(8, pointer), 8, pointer);
        }
        self.cells = Map::default();
        (self.count, self.longest) = (0, 0);
        self.rest = None;
        if !byte.is_none() {
            let byte = if byte.plain().and_then(Num::value) == Some(0) { byte } else { byte.smear(8, pointer) };
            self.rest = Some(Rc::new(Rest { stride: 1, parts: vec![Part { phase: 0, size: 1, value: byte }] }));
        }
        self.size = Num::between(0, self.size.unsigned(64).1.max(u64::MAX >> 1));
        (self.passed, self.zero_from, self.init_to) = (None, None, 0);
    }

    /// Records that the leading bytes were initialised.
    pub fn initialise(&mut self, length: u64, pointer: u32) {
        let _ = pointer;
        if self.is_unknown {
            return;
        }
        self.init_to = self.init_to.max(length);
        let mut cells: Vec<(u32, Cell)> = Vec::new();
        self.for_overlapping(0, length, &mut |key, cell| {
            if key + u64::from(cell.size) <= length && cell.value.may_be_uninit() {
                cells.push((key as u32, cell.clone()));
            }
        });
        for (key, mut cell) in cells {
            cell.value.flags = cell.value.flags.without(Flags::UNINIT);
            self.cells.insert(key, cell);
        }
    }
}

/// Returns whether accesses at some offsets may touch a range.
fn meets(offset: Num, size: u32, from: u64, length: u32) -> bool {
    hits(offset, (from + 1).saturating_sub(u64::from(size)), from + u64::from(length))
}

/// Returns whether accesses at some offsets may touch a part of a range and bytes outside of it.
fn straddles(offset: Num, size: u32, from: u64, length: u32) -> bool {
    let (size, end) = (u64::from(size), from + u64::from(length));
    let touches = |border: u64| hits(offset, (border + 1).saturating_sub(size), border);
    touches(from) || touches(end)
}

/// Returns whether one of some offsets lies in a range, which does not include `to`.
fn hits(offset: Num, from: u64, to: u64) -> bool {
    let (low, high) = (offset.lo, offset.lo.saturating_add(offset.span));
    let step = offset.stride.max(1);
    let first = from.max(low);
    let Some(at) = (first - low).div_ceil(step).checked_mul(step).and_then(|skip| low.checked_add(skip)) else {
        return false;
    };
    at <= high && at < to
}

/// Returns the value of several bytes that each have a value.
fn stretch(byte: &Value, size: u32, pointer: u32) -> Value {
    match byte.plain().and_then(Num::value) {
        _ if size == 1 => byte.clone(),
        Some(value) if size <= 8 => Value::constant(u64::from_le_bytes([value as u8; 8]), bits(size)),
        _ => byte.smear(bits(size), pointer),
    }
}

/// Returns some bytes of a cell as a cell.
fn split(cell: &Cell, from: u32, size: u32, pointer: u32) -> Cell {
    if cell.is_run {
        return Cell { size, ..cell.clone() };
    }
    match cell.value.plain().and_then(Num::value) {
        Some(value) if cell.size <= 8 => {
            Cell { size, is_run: false, value: Value::constant(value >> (8 * from), bits(size)) }
        }
        _ => Cell { size, is_run: true, value: cell.value.smear(8, pointer) },
    }
}
