//! Refinement: what a condition says about the registers and the memory that it was computed from.

use cairn_ir::inst::{CompareOp, ConvertOp};
use cairn_ir::{Operand, Reg, Ty};

use crate::analysis::Analysis;
use crate::analysis::relations::Order;
use crate::analysis::state::{Origin, State};
use crate::domain::number::{Num, mask, signed};
use crate::domain::value::{Flags, Text, Value, is_near};
use crate::transfer::arithmetic::{convert, is_ambiguous};

/// The longest chain of computations that a condition is followed through.
const DEPTH: u32 = 8;

/// Returns the common values of two descriptions of one value.
fn meet(a: &Value, b: &Value, width: u32, pointer: u32) -> Value {
    let num = match (a.num, b.num) {
        (Some(x), Some(y)) if width <= 64 => x.meet(y, width),
        (Some(x), Some(_)) => Some(x),
        _ => None,
    };
    let mut result = Value { num, ..Value::none() };
    // An uninitialised value stays one, whatever a branch assumes about it.
    let common = Flags::FREED.with(Flags::ENDED).with(Flags::ANYWHERE);
    result.flags = a.flags.without(common.minus(b.flags));
    if b.flags.has(Flags::ANYWHERE) {
        result.targets.clone_from(&a.targets);
        return result;
    }
    if a.flags.has(Flags::ANYWHERE) {
        result.targets.clone_from(&b.targets);
        return result;
    }
    for target in &a.targets {
        if let Ok(at) = b.targets.binary_search_by_key(&target.obj, |t| t.obj) {
            let other = b.targets[at];
            if let Some(offset) = target.offset.meet(other.offset, pointer) {
                let mut target = *target;
                target.offset = offset;
                target.text = target.text.max(other.text);
                result.targets.push(target);
            }
        }
    }
    result
}

/// Returns whether a value is a number other than 0.
fn excludes_zero(value: &Value) -> bool {
    value.plain().is_some_and(|num| !num.contains(0, 8))
}

impl Analysis<'_> {
    /// Assumes that a truth value is as given. Returns whether that is possible.
    pub fn assume(&self, state: &mut State, cond: Operand, truth: bool) -> bool {
        let value = self.operand(state, cond, Ty::I1);
        if let Some(num) = value.plain()
            && !num.contains(u64::from(truth), 1)
        {
            return false;
        }
        match cond {
            Operand::Reg(reg) => {
                let mut new = Value::constant(u64::from(truth), 1);
                if value.may_be_uninit() {
                    new.flags = Flags::UNINIT;
                }
                self.refine(state, reg, new, DEPTH)
            }
            _ => true,
        }
    }

    /// Gives a register a more exact value, and follows what that says about other registers and about memory.
    pub fn refine(&self, state: &mut State, reg: Reg, value: Value, depth: u32) -> bool {
        if value.is_none() {
            return false;
        }
        let old = state.regs.get(reg.0).cloned().unwrap_or_else(Value::uninit);
        if old == value && depth < DEPTH {
            return true;
        }
        state.regs.insert(reg.0, value.clone());
        if depth == 0 {
            return true;
        }
        if let Some(origin) = state.origin(reg)
            && !self.refine_origin(state, origin, &value, depth)
        {
            return false;
        }
        let dependents: Vec<(Reg, Origin)> = state
            .facts
            .iter()
            .filter(|(_, origin)| match origin {
                Origin::Copy(src) | Origin::Sum(src, ..) => *src == reg,
                Origin::Convert(op, .., src) => {
                    *src == reg && !matches!(op, ConvertOp::FloatToSInt | ConvertOp::FloatToUInt)
                }
                _ => false,
            })
            .copied()
            .collect();
        if let (Some(num), true) = (value.plain(), !state.relations.affine.is_empty())
            && !self.refine_affine(state, reg, num, depth)
        {
            return false;
        }
        for (other, origin) in dependents {
            let Some(known) = state.regs.get(other.0).cloned() else { continue };
            let (new, width) = match origin {
                Origin::Sum(_, distance, width) => (self.shifted(&value, distance, width), width),
                Origin::Convert(op, from, to, _) => (convert(op, from, to, self.pointer, &value), to),
                _ => (value.clone(), self.width(self.reg_ty(other))),
            };
            let new = meet(&known, &new, width.min(64), self.pointer);
            if new != known && !self.refine(state, other, new, depth - 1) {
                return false;
            }
        }
        true
    }

    /// Follows the bounds of a counter to the pointers that move with it.
    fn refine_affine(&self, state: &mut State, counter: Reg, num: Num, depth: u32) -> bool {
        let width = self.width(self.reg_ty(counter));
        if width > 64 {
            return true;
        }
        let related: Vec<_> =
            state.relations.affine.iter().filter(|affine| affine.counter == counter).copied().collect();
        for affine in related {
            let Some(old) = state.regs.get(affine.pointer.0).cloned() else { continue };
            let [target] = &old.targets[..] else { continue };
            let (low, high) = num.signed(width);
            let ends = [low, high].map(|end| end.checked_mul(affine.scale)?.checked_add(affine.add));
            let [Some(a), Some(b)] = ends else { continue };
            let range = Num::between_signed(a.min(b), a.max(b), 64);
            let range = if affine.scale.unsigned_abs() > 1 && range.span > 0 {
                Num { stride: affine.scale.unsigned_abs(), ..range }
            } else {
                range
            };
            if self.pointer != 64 {
                continue;
            }
            let Some(offset) = target.offset.meet(range, self.pointer) else { return false };
            let mut new = old.clone();
            new.targets[0].offset = offset;
            if new != old && !self.refine(state, affine.pointer, new, depth - 1) {
                return false;
            }
        }
        true
    }

    fn shifted(&self, value: &Value, distance: u64, width: u32) -> Value {
        crate::transfer::arithmetic::binary(
            cairn_ir::BinaryOp::Add,
            Ty::I64,
            width,
            self.pointer,
            value,
            &Value::constant(distance, width),
        )
    }

    /// Follows a refinement to the registers and the memory that a value was computed from.
    fn refine_origin(&self, state: &mut State, origin: Origin, value: &Value, depth: u32) -> bool {
        let pass = |state: &mut State, src: Reg, new: Value, width: u32| {
            let known = state.regs.get(src.0).cloned().unwrap_or_else(Value::uninit);
            let new = meet(&known, &new, width.min(64), self.pointer);
            new == known || self.refine(state, src, new, depth - 1)
        };
        match origin {
            Origin::Copy(src) => pass(state, src, value.clone(), self.width(self.reg_ty(src))),
            Origin::Sum(src, distance, width) => {
                let back = self.shifted(value, distance.wrapping_neg(), width);
                pass(state, src, back, width)
            }
            Origin::Convert(op, from, to, src) => match op {
                ConvertOp::PtrToInt | ConvertOp::IntToPtr => pass(state, src, value.clone(), from),
                ConvertOp::ZExt | ConvertOp::SExt if from < to && to <= 64 && !value.has_objects() => {
                    let Some(num) = value.num else { return true };
                    let all = match op {
                        ConvertOp::ZExt => Num::full(from),
                        _ => {
                            let top = 1u64 << (from - 1);
                            Num::between_signed(signed(top, from), signed(top - 1, from), to)
                        }
                    };
                    let Some(num) = num.meet(all, to) else { return value.may_be_uninit() };
                    let known = state.regs.get(src.0).cloned().unwrap_or_else(Value::uninit);
                    let new = Value { num: Some(num.truncate(from)), flags: known.flags, ..Value::none() };
                    if known.has_objects() { true } else { pass(state, src, new, from) }
                }
                ConvertOp::Trunc if from <= 64 && !value.has_objects() => {
                    let known = state.regs.get(src.0).cloned().unwrap_or_else(Value::uninit);
                    match (known.plain(), value.plain()) {
                        (Some(old), Some(new)) if old.unsigned(from).1 <= mask(to) => {
                            pass(state, src, Value::num(new.zero_extend(to)), from)
                        }
                        _ => true,
                    }
                }
                _ => true,
            },
            Origin::Compare(op, ty, lhs, rhs) => match value.plain().and_then(Num::value) {
                Some(truth) => self.assume_compare(state, op, ty, lhs, rhs, truth != 0, depth - 1),
                None => true,
            },
            Origin::Load { addr: Operand::Reg(addr), offset: 0, ty: Ty::I8, at: None, .. } if excludes_zero(value) => {
                self.before_zero(state, addr, depth)
            }
            Origin::Load { object: Some(obj), at: Some(at), addr, offset, ty } => {
                if let (Operand::Reg(addr), 0, Ty::I8, true) = (addr, offset, ty, excludes_zero(value))
                    && !self.before_zero(state, addr, depth)
                {
                    return false;
                }
                if let Some(object) = state.memory.get(obj.0).cloned()
                    && object.is_single
                {
                    let size = ty.bytes(self.program.target) as u32;
                    let known = self.contents(&object, obj, Num::constant(at, 64), size);
                    let new = meet(&known, value, (size * 8).min(64), self.pointer);
                    if new.is_none() {
                        return false;
                    }
                    if new != known && !known.may_be_uninit() {
                        let mut object = crate::domain::object::Object::clone(&object);
                        object.store(obj, Num::constant(at, 64), size, &new, &self.table);
                        state.memory.insert(obj.0, std::rc::Rc::new(object));
                    }
                }
                true
            }
            Origin::Load { .. } | Origin::Element(..) | Origin::Product(..) => true,
        }
    }

    /// The byte at an address is not zero, so that a pointer inside a string is before its end.
    fn before_zero(&self, state: &mut State, addr: Reg, depth: u32) -> bool {
        let Some(old) = state.regs.get(addr.0).cloned() else { return true };
        let mut new = old.clone();
        for target in &mut new.targets {
            let high = target.offset.unsigned(self.pointer).1;
            let zero = match state.memory.get(target.obj.0) {
                Some(object) => object.zero_from,
                None => self.objects.initial.get(&target.obj).and_then(|object| object.zero_from),
            };
            if self.wild.stores_nothing() && (target.text != Text::Unknown || zero.is_some_and(|zero| high <= zero)) {
                target.text = Text::Before;
            }
        }
        new == old || self.refine(state, addr, new, depth - 1)
    }

    /// Assumes the outcome of a comparison. Returns whether that is possible.
    #[expect(clippy::too_many_arguments, reason = "the parts of one comparison")]
    fn assume_compare(
        &self,
        state: &mut State,
        op: CompareOp,
        ty: Ty,
        lhs: Operand,
        rhs: Operand,
        truth: bool,
        depth: u32,
    ) -> bool {
        let width = ty.bits(self.program.target);
        if ty.is_float() || width > 64 {
            return true;
        }
        let (op, lhs, rhs) = match (op, truth) {
            (_, true) => (op, lhs, rhs),
            (CompareOp::Eq, false) => (CompareOp::Ne, lhs, rhs),
            (CompareOp::Ne, false) => (CompareOp::Eq, lhs, rhs),
            (CompareOp::SLt, false) => (CompareOp::SLe, rhs, lhs),
            (CompareOp::SLe, false) => (CompareOp::SLt, rhs, lhs),
            (CompareOp::ULt, false) => (CompareOp::ULe, rhs, lhs),
            (CompareOp::ULe, false) => (CompareOp::ULt, rhs, lhs),
            _ => return true,
        };
        let (a, b) = (self.operand(state, lhs, ty), self.operand(state, rhs, ty));
        self.note_order(state, op, width, (lhs, &a), (rhs, &b));
        let (new_a, new_b) = self.compared(state, op, width, &a, &b);
        for (operand, old, new) in [(lhs, &a, new_a), (rhs, &b, new_b)] {
            let Some(new) = new else { continue };
            if new.is_none() {
                return false;
            }
            if let Operand::Reg(reg) = operand
                && new != *old
                && !self.refine(state, reg, new, depth)
            {
                return false;
            }
        }
        true
    }

    /// Records the order of two registers.
    fn note_order(&self, state: &mut State, op: CompareOp, width: u32, lhs: (Operand, &Value), rhs: (Operand, &Value)) {
        let ((Operand::Reg(low), a), (Operand::Reg(high), b)) = (lhs, rhs) else { return };
        let (Some(x), Some(y)) = (a.plain(), b.plain()) else { return };
        let is_signed = match op {
            CompareOp::SLt | CompareOp::SLe => true,
            CompareOp::ULt | CompareOp::ULe => false,
            _ => return,
        };
        // Unsigned orders are signed ones where the greater number is not negative.
        if !is_signed && (y.signed(width).0 < 0 || x.signed(width).0 < 0) {
            return;
        }
        let is_strict = matches!(op, CompareOp::SLt | CompareOp::ULt);
        let (mut low, mut high) = (state.root(low), state.root(high));
        // Both sides may be conversions from one narrower type.
        let convert = |reg: Reg| match state.conversion(reg) {
            Some(Origin::Convert(ConvertOp::SExt, from, to, src)) if from < to && is_signed => {
                Some((from, state.root(src)))
            }
            _ => None,
        };
        if let (Some((from, a)), Some((other, b))) = (convert(low), convert(high))
            && from == other
        {
            (low, high) = (a, b);
        }
        std::rc::Rc::make_mut(&mut state.relations).add_order(Order { low, high, is_strict });
    }

    /// Returns what a comparison that holds says about its operands; `None` if nothing.
    fn compared(
        &self,
        state: &State,
        op: CompareOp,
        width: u32,
        a: &Value,
        b: &Value,
    ) -> (Option<Value>, Option<Value>) {
        let with = |value: &Value, num: Option<Num>| Some(Value { num, ..value.clone() });
        match op {
            CompareOp::Eq => (self.equal_to(a, b, width), self.equal_to(b, a, width)),
            CompareOp::Ne => (self.differs_from(a, b, width), self.differs_from(b, a, width)),
            CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => {
                if is_ambiguous(state, a, b) {
                    return (None, None);
                }
                if a.has_objects() || b.has_objects() {
                    return self.ordered_pointers(op, a, b);
                }
                // An uninitialised operand may be anything, on both sides of the comparison.
                if a.may_be_uninit() || b.may_be_uninit() {
                    return (None, None);
                }
                let (Some(x), Some(y)) = (a.num, b.num) else { return (None, None) };
                let (low, high) = ordered(op, width, x, y);
                (with(a, low), with(b, high))
            }
            _ => (None, None),
        }
    }

    fn equal_to(&self, a: &Value, b: &Value, width: u32) -> Option<Value> {
        if a.may_be_uninit() || b.may_be_uninit() || b.flags.has(Flags::ANYWHERE) {
            return None;
        }
        let Some(y) = b.plain() else {
            // A pointer that equals a pointer to an object is not null, apart from addresses in integers.
            let is_pointer = b.num.is_none() && b.targets.iter().all(|t| is_near(t.offset, self.pointer));
            if is_pointer && width == self.pointer && b.flags == Flags::NONE && a.num.and_then(Num::value) == Some(0) {
                return Some(Value { num: None, ..a.clone() });
            }
            return None;
        };
        let num = a.num.and_then(|x| x.meet(y, width));
        let (low, high) = y.signed(width);
        if low > -4096 && high < 4096 {
            // No object lies there, unless the offset is far outside.
            let mut value = Value { num, flags: Flags::NONE, ..a.clone() };
            value.targets.retain(|target| !is_near(target.offset, self.pointer));
            return Some(value);
        }
        if a.has_objects() { None } else { Some(Value { num, ..a.clone() }) }
    }

    fn differs_from(&self, a: &Value, b: &Value, width: u32) -> Option<Value> {
        if b.may_be_uninit() {
            return None;
        }
        if let Some(y) = b.plain()?.value() {
            let num = a.num.and_then(|x| x.without(y, width));
            return Some(Value { num, ..a.clone() });
        }
        None
    }

    fn ordered_pointers(&self, op: CompareOp, a: &Value, b: &Value) -> (Option<Value>, Option<Value>) {
        let ([x], [y]) = (&a.targets[..], &b.targets[..]) else { return (None, None) };
        let is_only = |value: &Value| value.num.is_none() && value.flags == Flags::NONE;
        let is_comparable = x.obj == y.obj && is_only(a) && is_only(b);
        if !is_comparable || !is_near(x.offset, self.pointer) || !is_near(y.offset, self.pointer) {
            return (None, None);
        }
        let op = match op {
            CompareOp::ULt => CompareOp::SLt,
            CompareOp::ULe => CompareOp::SLe,
            other => other,
        };
        let (low, high) = ordered(op, self.pointer, x.offset, y.offset);
        let with = |value: &Value, offset: Option<Num>| match offset {
            Some(offset) => {
                let mut value = value.clone();
                value.targets[0].offset = offset;
                Some(value)
            }
            None => Some(Value::none()),
        };
        (with(a, low), with(b, high))
    }
}

/// Returns what an order between two numbers says about each.
fn ordered(op: CompareOp, width: u32, x: Num, y: Num) -> (Option<Num>, Option<Num>) {
    let top = 1u64 << (width - 1);
    let (least, most) = (signed(top, width), signed(top - 1, width));
    match op {
        CompareOp::SLt | CompareOp::SLe => {
            let ((a, _), (_, d)) = (x.signed(width), y.signed(width));
            let strict = i64::from(op == CompareOp::SLt);
            let (Some(d), Some(a)) = (d.checked_sub(strict), a.checked_add(strict)) else { return (None, None) };
            if d < least || a > most {
                return (None, None);
            }
            let (low, high) = (Num::between_signed(least, d, width), Num::between_signed(a, most, width));
            (x.meet(low, width), y.meet(high, width))
        }
        _ => {
            let ((a, _), (_, d)) = (x.unsigned(width), y.unsigned(width));
            let strict = u64::from(op == CompareOp::ULt);
            let (Some(d), Some(a)) = (d.checked_sub(strict), a.checked_add(strict)) else { return (None, None) };
            if a > mask(width) {
                return (None, None);
            }
            (x.meet(Num::between(0, d), width), y.meet(Num::between(a, mask(width)), width))
        }
    }
}
