//! Accesses to memory: which checks they may violate, and which objects they touch.

use std::rc::Rc;

use cairn_ir::{CheckKind, Checks, Operand, Reg};

use crate::analysis::Analysis;
use crate::analysis::state::State;
use crate::analysis::world::Kind;
use crate::domain::map::{Map, TEXT_FILTER};
use crate::domain::memory::{Fate, Rename, World};
use crate::domain::number::Num;
use crate::domain::object::{Life, Object};
use crate::domain::value::{Flags, NULL_PAGE, Obj, Text, Value};

/// The kind of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// A read.
    Read,
    /// A write.
    Write,
}

/// The places that a valid access may touch.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Objects and offsets inside them.
    pub found: Vec<(Obj, Num)>,
    /// Whether any object may be touched.
    pub anywhere: bool,
}

impl Places {
    /// Returns whether no valid access exists.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && !self.anywhere
    }
}

impl Analysis<'_> {
    /// Returns an object of a state.
    pub fn object(&mut self, memory: &Map<Rc<Object>>, obj: Obj) -> Option<Rc<Object>> {
        self.touch(obj);
        self.peek(memory, obj)
    }

    /// Returns an object of a state, without recording that the analysis depends on it.
    pub fn peek(&mut self, memory: &Map<Rc<Object>>, obj: Obj) -> Option<Rc<Object>> {
        if let Some(object) = memory.get(obj.0) {
            return Some(object.clone());
        }
        if let Some(object) = self.objects.initial.get(&obj) {
            return Some(object.clone());
        }
        let object = Rc::new(self.table.unchanged(obj)?);
        self.objects.initial.insert(obj, object.clone());
        Some(object)
    }

    /// Returns the places that an access of `size` bytes may touch, and raises alarms for the checks that it may violate.
    ///
    /// The sizes are a set; the places are those of the smallest one, so that every byte of them may be touched.
    pub fn places(
        &mut self,
        state: &State,
        addr: &Value,
        size: Num,
        access: Access,
        checks: Checks,
    ) -> (Places, Value) {
        use CheckKind::{InvalidDeref, NullDeref, OutOfBounds, Uninitialised, UseAfterFree, UseAfterScope};
        let pointer = self.pointer;
        let (least, most) = size.unsigned(64);
        let mut valid = Value::none();
        let mut places = Places::default();
        if addr.may_be_uninit() {
            self.alarm(checks, Uninitialised);
        }
        if let Some(num) = addr.num {
            let (low, high) = num.unsigned(pointer);
            if low < NULL_PAGE {
                self.alarm(checks, NullDeref);
            }
            if high >= NULL_PAGE {
                self.alarm(checks, InvalidDeref);
            }
        }
        if addr.flags.has(Flags::FREED) {
            self.alarm(checks, UseAfterFree);
        }
        if addr.flags.has(Flags::ENDED) {
            self.alarm(checks, UseAfterScope);
        }
        if addr.flags.has(Flags::ANYWHERE) {
            for kind in [NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, InvalidDeref] {
                self.alarm(checks, kind);
            }
            places.anywhere = true;
            valid.flags = Flags::ANYWHERE;
            valid.num = addr.num;
        }
        for target in &addr.targets {
            if !self.table.is_data(target.obj) {
                self.alarm(checks, InvalidDeref);
                continue;
            }
            let Some(object) = self.object(&state.memory, target.obj) else {
                self.alarm(checks, UseAfterFree);
                self.alarm(checks, UseAfterScope);
                continue;
            };
            let is_heap =
                matches!(self.table.kind(target.obj), Kind::Heap(..) | Kind::Mapping(..) | Kind::Resource(..));
            if object.life.may_be(Life::FREED) || (is_heap && self.wild.frees()) {
                self.alarm(checks, UseAfterFree);
            }
            if object.life.may_be(Life::ENDED) {
                self.alarm(checks, UseAfterScope);
            }
            if !object.life.may_be(Life::LIVE) {
                continue;
            }
            // A write behind the end of a constant may count as either fault.
            let is_forbidden = access == Access::Write && self.table.is_constant(target.obj);
            if is_forbidden {
                self.alarm(checks, InvalidDeref);
            }
            let (room, largest) = object.size.unsigned(64);
            let (_, high) = target.offset.unsigned(pointer);
            // A pointer that is not behind a zero byte is inside the object.
            let is_text = self.wild.stores_nothing()
                && target.text != Text::Unknown
                && most <= 1
                && target.offset.signed(pointer).0 >= 0;
            if high.checked_add(most).is_none_or(|end| end > room) && !is_text && !self.is_in_bounds {
                self.alarm(checks, OutOfBounds);
            }
            if is_forbidden {
                continue;
            }
            let Some(last) = largest.checked_sub(least) else { continue };
            let Some(offset) = target.offset.meet(Num::between(0, last), pointer) else { continue };
            // Two arcs that meet at both ends keep offsets outside.
            let offset = if offset.unsigned(pointer).1 > last { Num::between(0, last) } else { offset };
            places.found.push((target.obj, offset));
            let mut target = *target;
            target.offset = offset;
            valid.targets.push(target);
        }
        (places, valid)
    }

    /// After an access, the address is a valid one.
    pub fn settle_address(
        &mut self,
        state: &mut State,
        addr: Operand,
        old: &Value,
        distance: i64,
        valid: Value,
    ) -> bool {
        let Operand::Reg(reg) = addr else { return true };
        let mut new = valid;
        for target in &mut new.targets {
            target.offset = target.offset.sub(Num::constant(distance as u64, self.pointer), self.pointer);
        }
        // Only the least of several sizes bounds the offsets, so that offsets are kept where they were exact before.
        if new == *old {
            return true;
        }
        self.refine(state, reg, new, 4)
    }

    /// Returns the value that a read may give.
    pub fn read(&mut self, state: &State, places: &Places, size: u32) -> Value {
        let width = (size * 8).min(128);
        let mut value = Value::none();
        for &(obj, offset) in &places.found {
            if let Some(object) = self.object(&state.memory, obj) {
                value = value.join(&self.contents(&object, obj, offset, size), width, self.pointer);
            }
        }
        if places.anywhere {
            let mut any = Value::anywhere(width);
            any.flags = any.flags.with(Flags::UNINIT);
            value = value.join(&any, width, self.pointer);
        }
        value
    }

    /// Replaces an object.
    pub fn set_object(&mut self, state: &mut State, obj: Obj, object: Object) {
        self.touch(obj);
        self.frame().written.insert(obj.0);
        if state.memory.get(obj.0).is_none_or(|old| **old != object) {
            state.memory.insert(obj.0, Rc::new(object));
        }
    }

    /// Writes a value to places.
    pub fn write(&mut self, state: &mut State, places: &Places, size: u32, value: &Value) {
        let is_only = places.found.len() == 1 && !places.anywhere;
        for &(obj, offset) in &places.found {
            let Some(object) = self.object(&state.memory, obj) else { continue };
            let mut new = Object::clone(&object);
            let is_single = new.is_single;
            new.is_single &= is_only;
            new.store(obj, offset, size, value, &self.table);
            // A write to one of several objects sets no zero byte for certain.
            self.note_zero(&mut new, offset, size, value);
            new.is_single = is_single;
            if value.may_be_uninit() {
                state.forget_filled(obj);
            }
            self.settle_text(state, obj, &mut new, value);
            self.set_object(state, obj, new);
        }
        if places.anywhere {
            self.write_anywhere(state, value);
        } else {
            state.forget_loads(&|obj| places.found.iter().any(|(found, _)| *found == obj));
        }
    }

    /// Keeps track of the last zero byte of an object.
    fn note_zero(&mut self, object: &mut Object, offset: Num, size: u32, value: &Value) {
        let (low, high) = offset.unsigned(self.pointer);
        let is_zero = value.plain().and_then(Num::value) == Some(0);
        match is_zero {
            // Wherever the byte is, it is not before the least offset.
            true if object.is_single => {
                let last = low + u64::from(size) - 1;
                object.zero_from = Some(object.zero_from.map_or(last, |old| old.max(last)));
            }
            true => {}
            false => {
                if object.zero_from.is_some_and(|zero| high.saturating_add(u64::from(size)) > zero) {
                    object.zero_from = None;
                }
            }
        }
    }

    /// Forgets which pointers are before the last zero byte, if a write may have removed it.
    pub fn settle_text(&mut self, state: &mut State, obj: Obj, new: &mut Object, value: &Value) {
        let is_zero = value.plain().and_then(Num::value) == Some(0);
        if is_zero || new.zero_from.is_some() {
            return;
        }
        let pointer = self.pointer;
        state.leave_text(obj, pointer);
        let rename = Rename { from: obj, to: None, fate: Fate::LeavesText };
        if state.memory.filter() & TEXT_FILTER != 0 {
            let mut changed = Vec::new();
            rename.apply_to_memory(&mut state.memory, pointer, &mut |key| {
                changed.push(key);
                true
            });
            let frame = self.frame();
            frame.written.extend(&changed);
            frame.touched.extend(changed);
            new.map_values(&|value, _| rename.apply(value, pointer).unwrap_or_else(|| value.clone()));
        }
        if state.fates.filter() & TEXT_FILTER != 0 {
            state.fates.replace(TEXT_FILTER, &mut |_, value| rename.apply(value, pointer));
        }
    }

    /// Returns the register of an operand.
    pub fn register(operand: Operand) -> Option<Reg> {
        match operand {
            Operand::Reg(reg) => Some(reg),
            _ => None,
        }
    }
}
