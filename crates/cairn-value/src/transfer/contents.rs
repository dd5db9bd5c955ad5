//! Loads, stores and copies: what instructions read from objects and write to them.

use cairn_ir::inst::BitRange;
use cairn_ir::{Checks, Operand, Reg, Ty};

use super::access::{Access, Places};
use super::arithmetic::{self};
use crate::analysis::Analysis;
use crate::analysis::state::{Filled, Origin, State};
use crate::domain::number::Num;
use crate::domain::object::Object;
use crate::domain::value::{Flags, Value};
use crate::limits::MAX_COPY;

impl Analysis<'_> {
    pub(super) fn load(
        &mut self,
        state: &mut State,
        dst: Reg,
        ty: Ty,
        addr: Operand,
        offset: i64,
        checks: Checks,
    ) -> bool {
        let old = self.operand(state, addr, Ty::Ptr);
        let moved = self.add_to_pointer(&old, &Value::constant(offset as u64, self.pointer));
        let size = ty.bytes(self.program.target) as u32;
        self.is_in_bounds = self.is_element_inside(state, addr, offset, size);
        let (places, valid) = self.places(state, &moved, Num::constant(u64::from(size), 64), Access::Read, checks);
        self.is_in_bounds = false;
        if places.is_empty() || !self.settle_address(state, addr, &old, offset, valid) {
            return false;
        }
        // A value that was loaded from the same place before may be known better.
        let known = self.loaded(state, addr, offset, ty);
        let value = match known {
            Some(reg) => state.regs.get(reg.0).cloned().unwrap_or_else(Value::uninit),
            None if offset == 0 && self.element_value(state, addr, ty).is_some() => {
                self.element_value(state, addr, ty).unwrap_or_else(Value::uninit)
            }
            None => {
                let value = self.read(state, &places, size);
                if ty != Ty::Ptr && !value.targets.is_empty() {
                    self.expose_pointers(state, &places, &value);
                }
                if ty.is_float() && value.has_objects() { value.smear(self.width(ty), self.pointer) } else { value }
            }
        };
        let is_overwritten = self.wild.stores_uninit();
        let value =
            if value.may_be_uninit() && !is_overwritten && offset == 0 && self.is_element_filled(state, addr, size) {
                Value { flags: value.flags.without(Flags::UNINIT), ..value }
            } else {
                value
            };
        if value.is_none() {
            return false;
        }
        let value =
            if ty == Ty::Ptr && self.wild.exposes() { arithmetic::as_address(value, self.pointer) } else { value };
        let object = match (&places.found[..], places.anywhere) {
            ([(obj, at)], false) => Some((*obj, at.value())),
            _ => None,
        };
        state.assign(dst, value);
        if addr == Operand::Reg(dst) {
            return true;
        }
        let at = object.and_then(|(_, at)| at).filter(|_| !ty.is_float());
        state.note(dst, Origin::Load { addr, offset, ty, object: object.map(|(obj, _)| obj), at });
        if let Some(reg) = known.filter(|reg| *reg != dst) {
            state.note(dst, Origin::Copy(reg));
        }
        true
    }

    /// Takes note if bytes of pointers are read as a number. Mixtures of bytes come from imprecise states.
    pub(super) fn expose_pointers(&mut self, state: &State, places: &Places, value: &Value) {
        if !arithmetic::is_mixture(value, self.pointer) {
            return self.expose(value);
        }
        // Where a pointer has several targets, the others hold the numbers that are meant.
        let ([(obj, offset)], bytes) = (&places.found[..], self.pointer / 8) else { return };
        let Some(object) = self.object(&state.memory, *obj) else { return };
        let (low, high) = offset.unsigned(self.pointer);
        if high - low >= u64::from(bytes) {
            return;
        }
        for start in low.saturating_sub(u64::from(bytes) - 1)..=high {
            let whole = self.contents(&object, *obj, Num::constant(start, self.pointer), bytes);
            if !whole.targets.is_empty() && !arithmetic::is_mixture(&whole, self.pointer) {
                self.expose(&whole);
            }
        }
    }

    /// Returns whether a loop has written the array element at an address.
    pub(super) fn is_element_filled(&self, state: &State, addr: Operand, size: u32) -> bool {
        let Some((base, index, scale)) = self.element_of(state, addr) else { return false };
        let Some(obj) = self.start_of(state, base) else { return false };
        let width = self.width(self.reg_ty(index));
        let num = state.regs.get(index.0).and_then(Value::plain);
        let is_natural = width <= 64 && num.is_some_and(|num| num.signed(width).0 >= 0);
        let covers = |filled: &&Filled| {
            let is_same = filled.obj == obj && filled.size == size && !filled.is_inclusive;
            is_same && state.relations.has_order(index, filled.counter, true)
        };
        is_natural && scale == i64::from(size) && state.filled.iter().any(|filled| covers(&filled))
    }

    /// Returns the value of an array element that was written before.
    pub(super) fn element_value(&self, state: &State, addr: Operand, ty: Ty) -> Option<Value> {
        let (base, index, scale) = self.element_of(state, addr)?;
        let found = state.relations.elements.iter().find(|element| {
            element.base == base && element.index == index && element.scale == scale && element.ty == ty
        })?;
        Some(found.value.clone())
    }

    /// Returns a register that holds the value at an address.
    pub(super) fn loaded(&self, state: &State, addr: Operand, offset: i64, ty: Ty) -> Option<Reg> {
        let root = |operand: Operand| match operand {
            Operand::Reg(reg) => Operand::Reg(state.root(reg)),
            other => other,
        };
        let addr = root(addr);
        state.facts.iter().rev().find_map(|(reg, origin)| match origin {
            Origin::Load { addr: other, offset: other_offset, ty: other_ty, .. }
                if *other_offset == offset && *other_ty == ty && root(*other) == addr =>
            {
                Some(*reg)
            }
            _ => None,
        })
    }

    pub(super) fn store(
        &mut self,
        state: &mut State,
        ty: Ty,
        (addr, offset): (Operand, i64),
        value: &Value,
        src: Operand,
        checks: Checks,
    ) -> bool {
        let old = self.operand(state, addr, Ty::Ptr);
        let moved = self.add_to_pointer(&old, &Value::constant(offset as u64, self.pointer));
        let size = ty.bytes(self.program.target) as u32;
        self.is_in_bounds = self.is_element_inside(state, addr, offset, size);
        let (places, valid) = self.places(state, &moved, Num::constant(u64::from(size), 64), Access::Write, checks);
        self.is_in_bounds = false;
        if places.is_empty() || !self.settle_address(state, addr, &old, offset, valid) {
            return false;
        }
        self.write(state, &places, size, value);
        if let ([(obj, _)], false, 0) = (&places.found[..], places.anywhere, offset) {
            self.note_element(state, addr, *obj, (ty, size), value);
        }
        if let ([(obj, at)], false, Operand::Reg(src)) = (&places.found[..], places.anywhere, src)
            && !ty.is_float()
            && addr != Operand::Reg(src)
        {
            let at = at.value();
            state.note(src, Origin::Load { addr, offset, ty, object: Some(*obj), at });
        }
        true
    }

    pub(super) fn load_bits(
        &mut self,
        state: &mut State,
        (dst, ty): (Reg, Ty),
        (addr, offset): (Operand, i64),
        bits: BitRange,
        is_signed: bool,
        checks: Checks,
    ) -> bool {
        let old = self.operand(state, addr, Ty::Ptr);
        let moved = self.add_to_pointer(&old, &Value::constant(offset as u64, self.pointer));
        let touched = (u32::from(bits.start) + u32::from(bits.width)).div_ceil(8);
        let (places, valid) = self.places(state, &moved, Num::constant(u64::from(touched), 64), Access::Read, checks);
        if places.is_empty() || !self.settle_address(state, addr, &old, offset, valid) {
            return false;
        }
        let raw = self.read(state, &places, touched);
        let (width, field) = (self.width(ty), u32::from(bits.width));
        let value = if width <= 64 && field <= 64 {
            let num = match raw.plain().and_then(Num::value) {
                Some(value) if touched <= 8 => Num::constant(value >> bits.start, field),
                _ => Num::full(field),
            };
            let num = if is_signed && field < width { num.sign_extend(field, width) } else { num };
            // The bits of an address may become an address again.
            let known = if raw.has_objects() { None } else { Some(num) };
            let mixed = raw.smear(width, self.pointer);
            Value { num: known.or(mixed.num), ..mixed }
        } else {
            raw.smear(width, self.pointer)
        };
        state.assign(dst, value);
        true
    }

    pub(super) fn store_bits(
        &mut self,
        state: &mut State,
        (addr, offset): (Operand, i64),
        bits: BitRange,
        value: &Value,
        checks: Checks,
    ) -> bool {
        let old = self.operand(state, addr, Ty::Ptr);
        let moved = self.add_to_pointer(&old, &Value::constant(offset as u64, self.pointer));
        let touched = (u32::from(bits.start) + u32::from(bits.width)).div_ceil(8);
        let (places, valid) = self.places(state, &moved, Num::constant(u64::from(touched), 64), Access::Write, checks);
        if places.is_empty() || !self.settle_address(state, addr, &old, offset, valid) {
            return false;
        }
        // Byte by byte, so that a neighbouring field in other bytes keeps its value.
        for index in 0..touched {
            let first = Num::constant(u64::from(index), self.pointer);
            let mut part = places.clone();
            part.found.iter_mut().for_each(|(_, at)| *at = at.add(first, self.pointer));
            let before = self.read(state, &part, 1);
            let is_whole =
                u32::from(bits.start) <= 8 * index && u32::from(bits.start) + u32::from(bits.width) >= 8 * index + 8;
            let exact = value.plain().and_then(Num::value).filter(|_| bits.width <= 64);
            // The bytes of an address may become an address again.
            let mut byte = arithmetic::mixed(&before, value, 8, self.pointer);
            byte.num = Some(Num::full(8));
            if let (Some(old), Some(new)) = (before.plain().and_then(Num::value), exact) {
                let field = (u128::from(new) & ((1u128 << bits.width) - 1)) << bits.start;
                let keep = !(((1u128 << bits.width) - 1) << bits.start);
                let merged = (u128::from(old) & (keep >> (8 * index)) & 0xff) | ((field >> (8 * index)) & 0xff);
                byte = Value::constant(merged as u64, 8);
            }
            let is_uninit = value.may_be_uninit() || (before.may_be_uninit() && !is_whole);
            byte.flags = byte.flags.without(Flags::UNINIT);
            if is_uninit {
                byte.flags = byte.flags.with(Flags::UNINIT);
            }
            self.write(state, &part, 1, &byte);
        }
        true
    }

    /// Sets bytes to one value. Returns whether an execution goes on.
    pub fn fill(&mut self, state: &mut State, to: &Value, byte: &Value, size: Num, checks: Checks) -> bool {
        if size.value() == Some(0) {
            return true;
        }
        let may_be_empty = size.contains(0, 64);
        let (places, _) = self.places(state, to, nonzero(size), Access::Write, checks);
        if places.is_empty() {
            return may_be_empty;
        }
        let is_only = places.found.len() == 1 && !places.anywhere && !may_be_empty;
        for &(obj, offset) in &places.found {
            let Some(object) = self.object(&state.memory, obj) else { continue };
            let mut new = Object::clone(&object);
            let is_single = new.is_single;
            new.is_single &= is_only;
            let (least, most) = size.unsigned(64);
            match offset.value() {
                Some(at) if least == most => new.fill(at, least, byte, self.pointer),
                Some(at) => {
                    // The bytes that every size covers are set; those beyond them may be.
                    if least > 0 {
                        new.fill(at, least, byte, self.pointer);
                    }
                    let end = new.size.unsigned(64).1.min(at.saturating_add(most));
                    if let Some(rest) = end.checked_sub(at + least).filter(|rest| *rest > 0) {
                        new.fill_some(at + least, rest, byte, self.pointer);
                    }
                }
                None => {
                    let end = new.size.unsigned(64).1;
                    let (low, _) = offset.unsigned(self.pointer);
                    new.fill_some(low, end.saturating_sub(low), byte, self.pointer);
                }
            }
            self.note_fill(&mut new, offset, size, byte);
            new.is_single = is_single;
            if byte.may_be_uninit() {
                state.forget_filled(obj);
            }
            self.settle_text(state, obj, &mut new, byte);
            self.set_object(state, obj, new);
        }
        if places.anywhere {
            self.write_anywhere(state, byte);
        }
        state.forget_loads(&|obj| places.anywhere || places.found.iter().any(|(found, _)| *found == obj));
        true
    }

    pub(super) fn note_fill(&mut self, object: &mut Object, offset: Num, size: Num, byte: &Value) {
        let is_zero = byte.plain().and_then(Num::value) == Some(0);
        if !is_zero {
            object.zero_from = None;
        } else if let (Some(at), Some(length), true) = (offset.value(), size.value(), object.is_single)
            && length > 0
        {
            object.zero_from = Some(object.zero_from.map_or(at + length - 1, |old| old.max(at + length - 1)));
        }
    }

    /// Copies bytes. Returns whether an execution goes on.
    pub fn copy(&mut self, state: &mut State, to: (&Value, Checks), from: (&Value, Checks), size: Num) -> bool {
        if size.value() == Some(0) {
            return true;
        }
        let may_be_empty = size.contains(0, 64);
        let (sources, _) = self.places(state, from.0, nonzero(size), Access::Read, from.1);
        let (targets, _) = self.places(state, to.0, nonzero(size), Access::Write, to.1);
        if sources.is_empty() || targets.is_empty() {
            return may_be_empty;
        }
        let length = size.value().filter(|&length| length <= MAX_COPY);
        let pieces = match (&sources.found[..], length, sources.anywhere) {
            ([(obj, offset)], Some(length), false) => {
                let object = self.object(&state.memory, *obj);
                object.map(|object| object.pieces(*obj, *offset, length, &self.table))
            }
            _ => None,
        };
        // Otherwise all bytes of the sources are mixed.
        let byte = match &pieces {
            Some(_) => Value::none(),
            None => self.mixed_bytes(state, &sources, size),
        };
        let is_only = targets.found.len() == 1 && !targets.anywhere && !may_be_empty;
        for &(obj, offset) in &targets.found {
            let Some(object) = self.object(&state.memory, obj) else { continue };
            let mut new = Object::clone(&object);
            let is_single = new.is_single;
            new.is_single &= is_only;
            match (&pieces, offset.value()) {
                (Some(pieces), Some(at)) => new.put_pieces(obj, at, pieces, &self.table),
                (Some(pieces), None) => {
                    for (start, size, is_run, value) in pieces {
                        let at = offset.add(Num::constant(*start, 64), self.pointer);
                        if *is_run {
                            let all = at.add(Num::between(0, u64::from(*size) - 1), self.pointer);
                            new.store(obj, all, 1, value, &self.table);
                        } else {
                            new.store(obj, at, *size, value, &self.table);
                        }
                    }
                }
                (None, _) => {
                    let (low, high) = offset.unsigned(self.pointer);
                    let end = high.saturating_add(size.unsigned(64).1).min(new.size.unsigned(64).1);
                    match (offset.value(), size.value()) {
                        (Some(at), Some(length)) => new.fill(at, length, &byte, self.pointer),
                        _ => new.fill_some(low, end.saturating_sub(low), &byte, self.pointer),
                    }
                }
            }
            new.is_single = is_single;
            new.zero_from = None;
            state.forget_filled(obj);
            self.settle_text(state, obj, &mut new, &Value::any(8));
            self.set_object(state, obj, new);
        }
        if targets.anywhere {
            let values = pieces.iter().flatten().map(|(.., value)| value);
            let all = values.fold(byte, |all, value| all.join(&value.smear(8, self.pointer), 8, self.pointer));
            self.write_anywhere(state, &all);
        }
        state.forget_loads(&|obj| targets.anywhere || targets.found.iter().any(|(found, _)| *found == obj));
        true
    }

    /// Returns a value that covers each byte of some places.
    pub fn mixed_bytes(&mut self, state: &State, places: &super::access::Places, size: Num) -> Value {
        let mut byte = Value::none();
        let most = size.unsigned(64).1;
        for &(obj, offset) in &places.found {
            let Some(object) = self.object(&state.memory, obj) else { continue };
            let (low, high) = offset.unsigned(self.pointer);
            let end = high.saturating_add(most).min(object.size.unsigned(64).1).max(low + 1);
            let all = Num::between(low, end - 1);
            byte = byte.join(&self.contents(&object, obj, all, 1), 8, self.pointer);
        }
        if places.anywhere {
            let mut any = Value::anywhere(8);
            any.flags = any.flags.with(Flags::UNINIT);
            byte = byte.join(&any, 8, self.pointer);
        }
        byte
    }
}

/// Returns the sizes without 0.
fn nonzero(size: Num) -> Num {
    size.without(0, 64).unwrap_or(size)
}
