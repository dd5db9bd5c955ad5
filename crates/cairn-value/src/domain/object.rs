//! Abstract objects: lifetime, size and contents.
//!
//! The contents have three layers. *Cells* hold values at exact offsets. Where there is no cell, the *rest* holds one value for all elements
//! that were written at inexact offsets, by their position within a stride: this is how arrays of structs are kept. Below both lies the
//! *background*, the bytes that the object was created with.

use std::rc::Rc;

use cairn_ir::inst::Passing;

use super::map::{Entry, Map};
use super::number::Num;
use super::value::{Flags, Obj, Value};
use crate::limits::MAX_CELLS;

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

/// A value of all elements at one position within the stride.
#[derive(Clone, PartialEq, Debug)]
struct Part {
    phase: u64,
    size: u32,
    value: Value,
}

/// The values of elements at inexact offsets.
#[derive(Clone, PartialEq, Debug)]
pub struct Rest {
    stride: u64,
    parts: Vec<Part>,
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

const fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns the bits of an access of some bytes.
fn bits(size: u32) -> u32 {
    (size * 8).min(128)
}

impl Rest {
    fn add(rest: Option<&Rest>, offset: Num, size: u32, value: &Value, pointer: u32) -> Rest {
        let step = offset.stride;
        let mut result = match rest {
            Some(rest) => rest.clone(),
            None => {
                let stride = if step >= u64::from(size) { step } else { u64::from(if step == 0 { size } else { 1 }) };
                Rest { stride, parts: Vec::new() }
            }
        };
        let common = gcd(result.stride, step).max(1);
        if common < result.stride {
            result.narrow(common, pointer);
        }
        if u64::from(size) > result.stride {
            result.narrow(1, pointer);
        }
        let part = if result.stride == 1 && size > 1 {
            Part { phase: 0, size: 1, value: value.smear(8, pointer) }
        } else {
            Part { phase: offset.lo % result.stride, size, value: value.clone() }
        };
        result.put(part, pointer);
        result
    }

    fn put(&mut self, part: Part, pointer: u32) {
        match self.parts.iter_mut().find(|p| p.phase == part.phase && p.size == part.size) {
            Some(old) => old.value = old.value.join(&part.value, bits(part.size), pointer),
            None => {
                self.parts.push(part);
                self.parts.sort_by_key(|p| (p.phase, p.size));
            }
        }
    }

    fn narrow(&mut self, stride: u64, pointer: u32) {
        let parts = std::mem::take(&mut self.parts);
        let fits = parts.iter().all(|p| p.phase % stride + u64::from(p.size) <= stride);
        self.stride = if fits { stride } else { 1 };
        for mut part in parts {
            if fits {
                part.phase %= stride;
            } else if part.size > 1 {
                part = Part { phase: 0, size: 1, value: part.value.smear(8, pointer) };
            } else {
                part.phase = 0;
            }
            self.put(part, pointer);
        }
    }

    /// Joins what an access may read into a value.
    fn read(&self, offset: Num, size: u32, into: &mut Value, pointer: u32) {
        let grid = gcd(self.stride, offset.stride).max(1);
        for part in &self.parts {
            let ahead = (part.phase % grid + grid - offset.lo % grid) % grid;
            if part.size == size && ahead == 0 {
                *into = into.join(&part.value, bits(size), pointer);
            } else if ahead < u64::from(size) || grid - ahead < u64::from(part.size) || self.stride == 1 {
                let is_zero = part.value == Value::constant(0, bits(part.size));
                let value =
                    if is_zero { Value::constant(0, bits(size)) } else { part.value.smear(bits(size), pointer) };
                *into = into.join(&value, bits(size), pointer);
            }
        }
    }

    fn join(&self, other: &Rest, pointer: u32) -> Rest {
        let mut result = self.clone();
        let common = gcd(self.stride, other.stride);
        let mut other = other.clone();
        if common < self.stride {
            result.narrow(common, pointer);
        }
        if common < other.stride {
            other.narrow(common, pointer);
        }
        if result.stride != other.stride {
            result.narrow(1, pointer);
            other.narrow(1, pointer);
        }
        other.parts.into_iter().for_each(|part| result.put(part, pointer));
        result
    }

    fn widen(&self, other: &Rest, pointer: u32, thresholds: &[u64]) -> Rest {
        let mut result = self.join(other, pointer);
        if result.stride == self.stride {
            for part in &mut result.parts {
                if let Some(old) = self.parts.iter().find(|p| p.phase == part.phase && p.size == part.size) {
                    part.value = old.value.widen(&part.value, bits(part.size), pointer, thresholds);
                }
            }
        }
        result
    }

    fn map_values(&self, change: &dyn Fn(&Value, u32) -> Value) -> Rest {
        let parts = self.parts.iter().map(|p| Part { value: change(&p.value, bits(p.size)), ..p.clone() }).collect();
        Rest { stride: self.stride, parts }
    }
}

/// A part of some contents: the offset, the size, whether it is a run, and the value.
pub type Piece = (u64, u32, bool, Value);

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
        }
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
        if let Some(rest) = &self.rest {
            rest.read(offset, size, &mut value, pointer);
        }
        value
    }

    /// Returns the value that a read of some bytes may give. The offsets are inside the object and do not wrap.
    pub fn load(&self, obj: Obj, offset: Num, size: u32, env: &dyn Initial) -> Value {
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
        let mut matched = 0;
        self.for_overlapping(low, high.saturating_add(u64::from(size)), &mut |key, cell| {
            if cell.is_run {
                let first = key.saturating_sub(u64::from(size) - 1).max(low);
                let at = low + (first - low).div_ceil(step) * step;
                if at <= high && at < key + u64::from(cell.size) {
                    value = value.join(&stretch(&cell.value, size, pointer), width, pointer);
                }
            } else if cell.size == size && key >= low && (key - low) % step == 0 && key <= high {
                value = value.join(&cell.value, width, pointer);
                matched += 1;
            } else if meets(offset, size, key, cell.size) {
                value = value.join(&cell.value.smear(width, pointer), width, pointer);
            }
        });
        if matched <= offset.steps() {
            value = value.join(&self.below(obj, offset, size, env), width, pointer);
        }
        value
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
        self.for_overlapping(low, high.saturating_add(u64::from(size)), &mut |key, cell| {
            let is_aligned = cell.size == size && !cell.is_run && key >= low && (key - low) % step == 0;
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
        if length == 0 {
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
        let mut changed: Vec<(u64, Cell)> = Vec::new();
        self.for_overlapping(from, from.saturating_add(length), &mut |key, cell| {
            let (width, old) =
                if cell.is_run { (8, cell.value.clone()) } else { (bits(cell.size), cell.value.clone()) };
            let is_inside = key >= from && key + u64::from(cell.size) <= from.saturating_add(length);
            let new = if cell.is_run { byte.clone() } else { stretch(byte, cell.size, pointer) };
            let value = if is_inside {
                old.join(&new, width, pointer)
            } else {
                old.smear(width, pointer).join(&new.smear(width, pointer), width, pointer)
            };
            changed.push((key, Cell { value, ..cell.clone() }));
        });
        changed.into_iter().for_each(|(key, cell)| self.cells.insert(key as u32, cell));
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

    /// Forgets the layout of the contents: every byte may hold a byte of any value in the object.
    pub fn collapse(&mut self, pointer: u32) {
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

    /// Returns all objects that the contents may point to, as one value.
    pub fn references(&self, obj: Obj, env: &dyn Initial) -> Value {
        let pointer = env.pointer_bits();
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

    /// Combines two objects. Without `thresholds` this is the join, otherwise widening.
    pub fn combine(&self, other: &Object, obj: Obj, env: &dyn Initial, thresholds: Option<&[u64]>) -> Object {
        let pointer = env.pointer_bits();
        let merge = |a: &Value, b: &Value, width: u32| match thresholds {
            Some(thresholds) => a.widen(b, width, pointer, thresholds),
            None => a.join(b, width, pointer),
        };
        let mut result = self.clone();
        result.life = self.life.or(other.life);
        result.is_single = self.is_single && other.is_single;
        result.back = self.back.or(other.back);
        result.count = self.count.max(other.count);
        result.longest = self.longest.max(other.longest);
        result.size = match thresholds {
            Some(thresholds) => self.size.widen(other.size, 64, thresholds),
            None => self.size.join(other.size, 64),
        };
        result.rest = match (&self.rest, &other.rest) {
            (Some(a), Some(b)) if Rc::ptr_eq(a, b) => Some(a.clone()),
            (Some(a), Some(b)) => Some(Rc::new(match thresholds {
                Some(thresholds) => a.widen(b, pointer, thresholds),
                None => a.join(b, pointer),
            })),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        if self.passed != other.passed {
            result.passed = None;
        }
        result.zero_from = match (self.zero_from, other.zero_from) {
            (Some(a), Some(b)) => Some(a.min(b)),
            _ => None,
        };
        result.init_to = self.init_to.min(other.init_to);
        let mut clashes: Vec<u32> = Vec::new();
        result.cells = self.cells.merge(&other.cells, &mut |key, a, b| match (a, b) {
            (Some(a), Some(b)) if a.size == b.size && a.is_run == b.is_run => {
                let width = if a.is_run { 8 } else { bits(a.size) };
                Some(Cell { value: merge(&a.value, &b.value, width), ..a.clone() })
            }
            (a, b) => {
                clashes.push(key);
                a.or(b).cloned()
            }
        });
        self.settle(other, obj, env, &mut result, &clashes, &merge);
        result
    }

    /// Sets the cells that only one of two joined objects has, or that have different sizes.
    fn settle(
        &self,
        other: &Object,
        obj: Obj,
        env: &dyn Initial,
        result: &mut Object,
        clashes: &[u32],
        merge: &dyn Fn(&Value, &Value, u32) -> Value,
    ) {
        let pointer = env.pointer_bits();
        // The bytes of all cells that are not in both objects, as disjoint ranges.
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for &key in clashes {
            for cell in [self.cells.get(key), other.cells.get(key)].into_iter().flatten() {
                ranges.push((u64::from(key), u64::from(key) + u64::from(cell.size)));
            }
        }
        ranges.sort_unstable();
        let mut regions: Vec<(u64, u64, u32)> = Vec::new();
        for (from, to) in ranges {
            match regions.last_mut() {
                Some(last) if from < last.1 => {
                    last.1 = last.1.max(to);
                    last.2 = 0;
                }
                _ => regions.push((from, to, (to - from) as u32)),
            }
        }
        for (from, to, size) in regions {
            let at = from as u32;
            let cell = self.cells.get(at).or(other.cells.get(at));
            let is_plain = size > 0 && size <= 16 && cell.is_some_and(|cell| !cell.is_run);
            // Cells of the other object may reach into the region.
            let mut reach = (from, to);
            for object in [self, other] {
                object.for_overlapping(from, to, &mut |key, cell| {
                    reach = (reach.0.min(key), reach.1.max(key + u64::from(cell.size)));
                });
            }
            let has_partner = |object: &Object| {
                let mut only = true;
                object.for_overlapping(from, to, &mut |key, cell| {
                    only &= (key == from && cell.size == size) || cell.is_run;
                });
                only
            };
            if is_plain && has_partner(self) && has_partner(other) {
                let (a, b) = (self.load_at(obj, from, size, env), other.load_at(obj, from, size, env));
                result.clear(from, to, pointer);
                result.insert(from, Cell { size, is_run: false, value: merge(&a, &b, bits(size)) });
                continue;
            }
            // Different layouts: one run of bytes covers both.
            let (from, to) = reach;
            let span = Num::between(0, (to - from).max(1) - 1).add(Num::constant(from, 64), 64);
            let (a, b) = (self.load(obj, span, 1, env), other.load(obj, span, 1, env));
            result.clear(from, to, pointer);
            result.insert(from, Cell { size: (to - from) as u32, is_run: true, value: merge(&a, &b, 8) });
        }
    }
}

/// Returns whether accesses at some offsets may touch a range.
fn meets(offset: Num, size: u32, from: u64, length: u32) -> bool {
    let (low, high) = (offset.lo, offset.lo.saturating_add(offset.span));
    let step = offset.stride.max(1);
    let first = (from + 1).saturating_sub(u64::from(size)).max(low);
    let Some(at) = (first - low).div_ceil(step).checked_mul(step).and_then(|skip| low.checked_add(skip)) else {
        return false;
    };
    at <= high && at < from + u64::from(length)
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
