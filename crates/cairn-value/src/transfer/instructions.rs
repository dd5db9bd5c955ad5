//! The effect of single instructions.

use std::rc::Rc;

use cairn_ir::inst::{BinaryOp, BitRange, DivideOp, Local};
use cairn_ir::{CheckKind, Checks, ConvertOp, Inst, Operand, Reg, SlotId, Ty};

use super::access::{Access, Places};
use super::arithmetic::{self, GAP, is_ambiguous};
use crate::analysis::relations::{Affine, Element, Order, Relations};
use crate::analysis::state::{Filled, Origin, State};
use crate::analysis::world::Kind;
use crate::analysis::{Analysis, Stop};
use crate::domain::map::{Entry, filter_of};
use crate::domain::memory::{Fate, Rename};
use crate::domain::number::Num;
use crate::domain::object::{Back, Object};
use crate::domain::value::{Flags, Obj, Value};
use crate::limits::MAX_COPY;

/// Whether an execution goes on after an instruction.
pub type Step = Result<bool, Stop>;

impl Analysis<'_> {
    /// Returns the width of a type in bits.
    pub fn width(&self, ty: Ty) -> u32 {
        ty.bits(self.program.target)
    }

    /// Returns the value of an operand.
    pub fn operand(&self, state: &State, operand: Operand, ty: Ty) -> Value {
        match operand {
            Operand::Reg(reg) => state.regs.get(reg.0).cloned().unwrap_or_else(Value::uninit),
            Operand::Int(value) => Value::constant(value as u64, self.width(ty).min(64)),
            Operand::Wide(_) => Value::any(128),
            Operand::Slot(slot) => Value::pointer(self.slots[slot.index()], Num::constant(0, self.pointer)),
            Operand::Global(id) => Value::pointer(self.table.global(id), Num::constant(0, self.pointer)),
            Operand::Function(id) => Value::pointer(self.table.function(id), Num::constant(0, self.pointer)),
            Operand::Label(block) => match self.labels.get(&(self.function(), block)) {
                Some(obj) => Value::pointer(*obj, Num::constant(0, self.pointer)),
                None => Value::anywhere(self.pointer),
            },
        }
    }

    /// Executes an instruction. Returns whether an execution goes on after it.
    pub fn instruction(&mut self, state: &mut State, inst: &Inst) -> Step {
        match inst {
            Inst::Move { dst, src } => {
                let ty = self.reg_ty(*dst);
                let value = self.operand(state, *src, ty);
                let grows = match *src {
                    Operand::Reg(src) => match state.origin(src) {
                        Some(Origin::Sum(base, distance, _)) if base == *dst => Some(distance),
                        _ => None,
                    },
                    _ => None,
                };
                let (filled, relations) = (state.filled.clone(), state.relations.clone());
                state.assign(*dst, value);
                if grows == Some(1) {
                    self.count_up(state, *dst, &filled, &relations);
                }
                if let Some(distance) = grows {
                    self.move_affine(state, *dst, distance, &relations);
                }
                if let Operand::Reg(src) = *src {
                    state.note(*dst, Origin::Copy(src));
                }
            }
            Inst::Undef { dst } => state.assign(*dst, Value::uninit()),
            Inst::Use { ty, src, checks } => {
                if self.operand(state, *src, *ty).may_be_uninit() {
                    self.alarm(*checks, CheckKind::Uninitialised);
                }
            }
            Inst::Unary { op, ty, dst, src } => {
                let value = self.operand(state, *src, *ty);
                let value = arithmetic::unary(*op, *ty, self.width(*ty), self.pointer, &value);
                state.assign(*dst, value);
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => self.binary(state, *op, *ty, *dst, *lhs, *rhs),
            Inst::Divide { op, ty, dst, lhs, rhs, checks } => {
                return Ok(self.divide(state, *op, *ty, *dst, (*lhs, *rhs), *checks));
            }
            Inst::Fits { op, ty, lhs, rhs, checks } => {
                return Ok(self.require_result(state, *op, *ty, (*lhs, *rhs), *checks));
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.operand(state, *lhs, *ty), self.operand(state, *rhs, *ty));
                let outcome = arithmetic::compare(*op, *ty, self.width(*ty), self.pointer, &a, &b);
                let mut value = match outcome.filter(|_| !is_ambiguous(state, &a, &b)) {
                    Some(answer) => Value::constant(u64::from(answer), 1),
                    None => Value::any(1),
                };
                if a.may_be_uninit() || b.may_be_uninit() {
                    value.flags = Flags::UNINIT;
                }
                state.assign(*dst, value);
                state.note(*dst, Origin::Compare(*op, *ty, *lhs, *rhs));
            }
            Inst::Convert { op, from, to, dst, src } => {
                let value = self.operand(state, *src, *from);
                let (from_width, to_width) = (self.width(*from), self.width(*to));
                if *op == ConvertOp::PtrToInt {
                    self.expose(&value);
                }
                let mut value = arithmetic::convert(*op, from_width, to_width, self.pointer, &value);
                if *op == ConvertOp::IntToPtr && self.may_be_elsewhere(state, &value) {
                    value.flags = value.flags.with(Flags::ANYWHERE);
                    value.num = Some(Num::full(self.pointer));
                }
                let origin = match *src {
                    Operand::Reg(src) => Some(Origin::Convert(*op, from_width, to_width, src)),
                    _ => None,
                };
                let same = origin.and_then(|origin| self.same_value(state, &origin));
                state.assign(*dst, value);
                if let Some(origin) = origin {
                    state.note(*dst, origin);
                    self.note_same(state, *dst, same);
                }
            }
            Inst::PtrAdd { dst, base, index, scale } => {
                let word = self.word();
                let (pointer, distance) = (self.operand(state, *base, Ty::Ptr), self.operand(state, *index, word));
                let scale_of = *scale;
                let scale = Value::constant(*scale as u64, self.pointer);
                let distance = arithmetic::binary(BinaryOp::Mul, word, self.pointer, self.pointer, &distance, &scale);
                let known = distance.plain().and_then(Num::value);
                let value = self.add_to_pointer(&pointer, &distance);
                let element = match *index {
                    Operand::Reg(index) => Some(Origin::Element(*base, index, scale_of)),
                    _ => None,
                };
                let same = element.and_then(|element| self.same_value(state, &element));
                self.assign_sum(state, *dst, *base, known, value);
                if let Some(element) = element {
                    state.note(*dst, element);
                    match known {
                        Some(distance) => {
                            if let Operand::Reg(base) = *base {
                                state.note(*dst, Origin::Sum(base, distance, self.pointer));
                            }
                        }
                        None => self.note_same(state, *dst, same),
                    }
                }
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                let (a, b) = (self.operand(state, *lhs, Ty::Ptr), self.operand(state, *rhs, Ty::Ptr));
                let value = if is_ambiguous(state, &a, &b) {
                    arithmetic::distance_between(&a, &b, self.pointer, self.pointer)
                } else {
                    arithmetic::difference(&a, &b, self.pointer)
                };
                state.assign(*dst, value);
            }
            Inst::Load { dst, ty, addr, offset, checks } => {
                return Ok(self.load(state, *dst, *ty, *addr, *offset, *checks));
            }
            Inst::Store { ty, addr, offset, src, checks } => {
                let value = self.operand(state, *src, *ty);
                return Ok(self.store(state, *ty, (*addr, *offset), &value, *src, *checks));
            }
            Inst::LoadBits { dst, ty, addr, offset, bits, signed, checks } => {
                return Ok(self.load_bits(state, (*dst, *ty), (*addr, *offset), *bits, *signed, *checks));
            }
            Inst::StoreBits { addr, offset, bits, checks, ty, src } => {
                let value = self.operand(state, *src, *ty);
                return Ok(self.store_bits(state, (*addr, *offset), *bits, &value, *checks));
            }
            Inst::Copy { dst, src, size, dst_checks, src_checks } => {
                let (to, from) = (self.operand(state, *dst, Ty::Ptr), self.operand(state, *src, Ty::Ptr));
                return Ok(self.copy(state, (&to, *dst_checks), (&from, *src_checks), Num::constant(*size, 64)));
            }
            Inst::Zero { dst, offset, size } => {
                let to = self.operand(state, *dst, Ty::Ptr);
                let to = self.add_to_pointer(&to, &Value::constant(*offset as u64, self.pointer));
                let zero = Value::constant(0, 8);
                return Ok(self.fill(state, &to, &zero, Num::constant(*size, 64), Checks::NONE));
            }
            Inst::Enter(Local::Reg(reg)) | Inst::Leave(Local::Reg(reg)) => state.assign(*reg, Value::uninit()),
            Inst::Enter(Local::Slot(slot)) => {
                let size = self.slot_size(*slot);
                self.enter_slot(state, *slot, Num::constant(size, 64));
            }
            Inst::EnterVla { slot, size } => {
                let word = self.word();
                let size = self.operand(state, *size, word);
                let size = size.plain().unwrap_or(Num::full(self.pointer));
                let size = if self.pointer < 64 { size.zero_extend(self.pointer) } else { size };
                self.enter_slot(state, *slot, size);
            }
            Inst::Leave(Local::Slot(slot)) => {
                let obj = self.slots[slot.index()];
                self.end_local(state, obj);
            }
            Inst::Call(call) => return self.call(state, call),
            Inst::Intrinsic { op, dst, args, checks } => return self.intrinsic(state, *op, *dst, args, *checks),
            Inst::Unsupported { what, checks } => {
                self.alarm(*checks, CheckKind::Unsupported);
                self.unsupported(what);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a number that was computed from addresses may be the address of another object.
    fn may_be_elsewhere(&mut self, state: &State, value: &Value) -> bool {
        value.flags.has(Flags::FREED.with(Flags::ENDED))
            || value.targets.iter().any(|target| {
                let (low, high) = target.offset.signed(self.pointer);
                let room = match self.object(&state.memory, target.obj) {
                    Some(object) => object.size.unsigned(64).0,
                    None => 0,
                };
                low <= -GAP || high >= GAP.saturating_add_unsigned(room)
            })
    }

    fn binary(&mut self, state: &mut State, op: BinaryOp, ty: Ty, dst: Reg, lhs: Operand, rhs: Operand) {
        let (a, b) = (self.operand(state, lhs, ty), self.operand(state, rhs, ty));
        let width = self.width(ty);
        let mut value = arithmetic::binary(op, ty, width, self.pointer, &a, &b);
        if op == BinaryOp::Sub && is_ambiguous(state, &a, &b) {
            value = arithmetic::distance_between(&a, &b, width, self.pointer);
        }
        let distance = match op {
            BinaryOp::Add => b.plain().and_then(Num::value),
            BinaryOp::Sub => b.plain().and_then(Num::value).map(u64::wrapping_neg),
            _ => None,
        };
        match distance {
            Some(distance) if width <= 64 && ty.is_int() => {
                self.assign_sum_of(state, dst, lhs, distance, width, value);
            }
            _ => {
                state.assign(dst, value);
                let factor = match op {
                    BinaryOp::Mul => b.plain().and_then(Num::value),
                    BinaryOp::Shl => b.plain().and_then(Num::value).filter(|&n| n < 32).map(|n| 1 << n),
                    _ => None,
                };
                if let (Some(factor), Operand::Reg(src)) = (factor, lhs) {
                    state.note(dst, Origin::Product(src, factor, width));
                }
            }
        }
    }

    /// Returns a register that was computed in the same way before.
    fn same_value(&self, state: &State, origin: &Origin) -> Option<Reg> {
        let root = |operand: Operand| match operand {
            Operand::Reg(reg) => Operand::Reg(state.root(reg)),
            other => other,
        };
        state.facts.iter().rev().find_map(|(reg, other)| {
            let is_same = match (other, origin) {
                (Origin::Element(a, i, s), Origin::Element(b, j, t)) => {
                    s == t && root(*a) == root(*b) && state.root(*i) == state.root(*j)
                }
                (Origin::Convert(op, from, to, a), Origin::Convert(other_op, other_from, other_to, b)) => {
                    (op, from, to) == (other_op, other_from, other_to) && state.root(*a) == state.root(*b)
                }
                _ => false,
            };
            is_same.then_some(*reg)
        })
    }

    fn note_same(&self, state: &mut State, dst: Reg, same: Option<Reg>) {
        if let Some(same) = same.filter(|same| *same != dst) {
            if let Some(value) = state.regs.get(same.0).cloned() {
                state.regs.insert(dst.0, value);
            }
            state.note(dst, Origin::Copy(same));
        }
    }

    fn assign_sum(&self, state: &mut State, dst: Reg, base: Operand, distance: Option<u64>, value: Value) {
        match distance {
            Some(distance) => self.assign_sum_of(state, dst, base, distance, self.pointer, value),
            None => state.assign(dst, value),
        }
    }

    /// Assigns the sum of a register and a constant, and keeps what is known of both.
    fn assign_sum_of(&self, state: &mut State, dst: Reg, base: Operand, distance: u64, width: u32, value: Value) {
        let Operand::Reg(base) = base else { return state.assign(dst, value) };
        if base != dst {
            state.assign(dst, value);
            state.note(dst, Origin::Sum(base, distance, width));
            return;
        }
        // Copies of the old value are the new value minus the constant.
        let copies: Vec<Reg> = state
            .facts
            .iter()
            .filter(|(_, origin)| matches!(origin, Origin::Copy(src) if *src == dst))
            .map(|(reg, _)| *reg)
            .collect();
        let (filled, relations) = (state.filled.clone(), state.relations.clone());
        state.assign(dst, value);
        for copy in copies {
            state.note(copy, Origin::Sum(dst, distance.wrapping_neg(), width));
        }
        if distance == 1 {
            self.count_up(state, dst, &filled, &relations);
        }
        self.move_affine(state, dst, distance, &relations);
    }

    /// After a pointer or a counter has moved by a constant, the relation between them has another constant.
    fn move_affine(&self, state: &mut State, reg: Reg, distance: u64, relations: &Relations) {
        let width = self.width(self.reg_ty(reg)).min(64);
        let distance = crate::domain::number::signed(distance & crate::domain::number::mask(width), width);
        for old in relations.affine.iter().filter(|old| old.pointer == reg || old.counter == reg) {
            let add = if old.pointer == reg {
                old.add.checked_add(distance)
            } else {
                // The counter must not wrap.
                let is_exact = state.regs.get(reg.0).and_then(Value::plain).is_some_and(|num| {
                    let (low, high) = num.signed(width);
                    let most = if width == 64 { i64::MAX } else { (1 << (width - 1)) - 1 };
                    low.checked_sub(distance).is_some_and(|before| before >= -most && before <= most)
                        && high.checked_sub(distance).is_some_and(|before| before >= -most && before <= most)
                });
                distance.checked_mul(old.scale).and_then(|step| old.add.checked_sub(step)).filter(|_| is_exact)
            };
            if let Some(add) = add.filter(|add| add.unsigned_abs() < 1 << 40) {
                Rc::make_mut(&mut state.relations).affine.push(Affine { add, ..*old });
            }
        }
    }

    /// After a counter has grown by one, it counts the element that was written last.
    fn count_up(&self, state: &mut State, counter: Reg, filled: &[Filled], relations: &Relations) {
        for order in relations.orders.iter().filter(|order| order.low == counter && order.is_strict) {
            Rc::make_mut(&mut state.relations).add_order(Order { is_strict: false, ..*order });
        }
        for old in filled.iter().filter(|old| old.counter == counter && old.is_inclusive) {
            Rc::make_mut(&mut state.filled).push(Filled { is_inclusive: false, ..*old });
        }
        if filled.iter().any(|old| old.counter == counter) {
            Rc::make_mut(&mut state.filled).sort_by_key(|f| (f.obj, f.counter, f.size, f.is_inclusive));
        }
    }

    /// Returns the base and the index of the array element that an address was computed as.
    fn element_of(&self, state: &State, addr: Operand) -> Option<(Operand, Reg, i64)> {
        let Operand::Reg(addr) = addr else { return None };
        let (base, index, scale) = state.facts.iter().rev().find_map(|(reg, origin)| match origin {
            Origin::Element(base, index, scale) if *reg == addr => Some((*base, *index, *scale)),
            _ => None,
        })?;
        let base = match base {
            Operand::Reg(reg) => Operand::Reg(state.root(reg)),
            other => other,
        };
        Some((base, self.index_root(state, index), scale))
    }

    /// Returns the register at the root of copies and conversions to a wider type that keep the value.
    fn index_root(&self, state: &State, index: Reg) -> Reg {
        let root = state.root(index);
        let Some(Origin::Convert(op, from, _, src)) = state.conversion(root) else { return root };
        let is_natural = |ty: Ty| {
            let value = self.operand(state, Operand::Reg(src), ty).plain();
            value.is_some_and(|num| num.signed(from).0 >= 0)
        };
        let keeps = match op {
            ConvertOp::SExt => true,
            // The two extensions of a negative number differ.
            ConvertOp::ZExt => Ty::int(from).is_some_and(is_natural),
            _ => false,
        };
        if keeps { state.root(src) } else { root }
    }

    /// Returns the only object that an address is the start of.
    fn start_of(&self, state: &State, base: Operand) -> Option<Obj> {
        let base = self.operand(state, base, Ty::Ptr);
        match &base.targets[..] {
            [target] if target.offset.value() == Some(0) && base.num.is_none() && base.flags == Flags::NONE => {
                Some(target.obj)
            }
            _ => None,
        }
    }

    /// Records that a loop writes an array from its start: `addr` is the element of a counter.
    fn note_element(&self, state: &mut State, addr: Operand, obj: Obj, (ty, size): (Ty, u32), value: &Value) {
        let Some((base, counter, scale)) = self.element_of(state, addr) else { return };
        let is_start = self.start_of(state, base) == Some(obj);
        let width = self.width(ty).min(128);
        let element = Element { base, index: counter, scale, ty, width, obj, is_start, value: value.clone() };
        Rc::make_mut(&mut state.relations).add_element(element);
        let is_single = state.memory.get(obj.0).is_some_and(|object| object.is_single);
        if !is_start || !is_single || value.may_be_uninit() || scale != i64::from(size) {
            return;
        }
        let relations = Rc::make_mut(&mut state.relations);
        if !relations.written.contains(&(obj, counter)) && relations.written.len() < 12 {
            relations.written.push((obj, counter));
        }
        if state.is_filled(obj, counter, size) {
            let filled = Rc::make_mut(&mut state.filled);
            filled.retain(|f| !(f.obj == obj && f.counter == counter && f.size == size));
            filled.push(Filled { obj, counter, size, is_inclusive: true });
            filled.sort_by_key(|f| (f.obj, f.counter, f.size, f.is_inclusive));
        }
    }

    /// Returns whether a relation shows that an element lies inside its array.
    fn is_element_inside(&self, state: &State, addr: Operand, offset: i64, size: u32) -> bool {
        let Some((base, index, scale)) = self.element_of(state, addr) else { return false };
        let (Some(obj), true) = (self.start_of(state, base), scale > 0 && offset >= 0) else { return false };
        let Some(room) = state.relations.sizes.iter().find(|room| room.obj == obj) else { return false };
        let at_least = |reg: Reg, least: i64| {
            let width = self.width(self.reg_ty(reg));
            let num = state.regs.get(reg.0).and_then(Value::plain);
            width <= 64 && num.is_some_and(|num| num.signed(width).0 >= least)
        };
        if !at_least(index, 0) || room.scale != scale as u64 {
            return false;
        }
        let end = (offset as u64).saturating_add(u64::from(size));
        let relations = &state.relations;
        // The element ends at most one stride, or an index later two strides, behind the start of element `index`.
        let fits = |spare: u64| end <= spare.saturating_add(room.add);
        (relations.has_order(index, room.reg, true) && fits(room.scale))
            || ((index == room.reg || relations.has_order(index, room.reg, false)) && fits(0))
    }

    /// Returns an operand as a register times a factor plus a constant, if no step overflows.
    pub fn linear(&self, state: &State, operand: Operand) -> Option<(Reg, u64, u64)> {
        let Operand::Reg(mut reg) = operand else { return None };
        let (mut scale, mut add) = (1u64, 0u64);
        for _ in 0..8 {
            let fact = state.facts.iter().rev().find(|(r, origin)| {
                *r == reg && !matches!(origin, Origin::Load { .. } | Origin::Element(..) | Origin::Compare(..))
            });
            let Some((_, origin)) = fact else { break };
            let range = |reg: Reg| {
                let width = self.width(self.reg_ty(reg));
                let num = state.regs.get(reg.0).and_then(Value::plain)?;
                (width <= 64).then(|| num.signed(width))
            };
            match *origin {
                Origin::Copy(src) => reg = src,
                Origin::Convert(ConvertOp::SExt | ConvertOp::ZExt, _, _, src) => {
                    range(src).filter(|(low, _)| *low >= 0)?;
                    reg = src;
                }
                Origin::Sum(src, distance, width) if distance < 1 << 31 => {
                    let (low, high) = range(src)?;
                    let most = if width == 64 { i64::MAX } else { (1 << (width - 1)) - 1 };
                    if low < 0 || high > most - distance as i64 {
                        return None;
                    }
                    add = add.checked_add(distance.checked_mul(scale)?)?;
                    reg = src;
                }
                Origin::Product(src, factor, width) if factor < 1 << 31 => {
                    let (low, high) = range(src)?;
                    let most = if width == 64 { i64::MAX } else { (1 << (width - 1)) - 1 };
                    if low < 0 || factor == 0 || high > most / factor as i64 {
                        return None;
                    }
                    scale = scale.checked_mul(factor)?;
                    reg = src;
                }
                _ => break,
            }
        }
        Some((reg, scale, add))
    }

    /// Adds a number of bytes to a pointer.
    pub fn add_to_pointer(&self, pointer: &Value, distance: &Value) -> Value {
        // An address that is added to a number is a pointer. One that is added to a pointer leads out of its object, and engines differ
        // in whether the result is a pointer to the other object.
        if distance.has_objects() {
            let mut anywhere = Value::anywhere(self.pointer);
            anywhere.flags = anywhere.flags.with(pointer.flags).with(distance.flags);
            return anywhere;
        }
        arithmetic::binary(BinaryOp::Add, self.word(), self.pointer, self.pointer, pointer, distance)
    }

    fn divide(
        &mut self,
        state: &mut State,
        op: DivideOp,
        ty: Ty,
        dst: Reg,
        (lhs, rhs): (Operand, Operand),
        checks: Checks,
    ) -> bool {
        let (a, b) = (self.operand(state, lhs, ty), self.operand(state, rhs, ty));
        let width = self.width(ty);
        let may_be_zero =
            width > 64 || b.has_objects() || b.may_be_uninit() || b.num.is_some_and(|num| num.contains(0, width));
        let is_signed = matches!(op, DivideOp::SDiv | DivideOp::SRem);
        let least = 1u64 << (width.min(64) - 1);
        let may_overflow = is_signed
            && (width > 64
                || (a.number(width).contains(least, width)
                    && b.number(width).contains(crate::domain::number::mask(width), width)));
        if may_be_zero || may_overflow {
            self.alarm(checks, CheckKind::DivisionByZero);
        }
        let value = arithmetic::divide(op, width, self.pointer, &a, &b);
        if value.is_none() && !a.may_be_uninit() {
            return false;
        }
        state.assign(dst, value);
        true
    }

    fn load(&mut self, state: &mut State, dst: Reg, ty: Ty, addr: Operand, offset: i64, checks: Checks) -> bool {
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
    fn expose_pointers(&mut self, state: &State, places: &Places, value: &Value) {
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
    fn is_element_filled(&self, state: &State, addr: Operand, size: u32) -> bool {
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
    fn element_value(&self, state: &State, addr: Operand, ty: Ty) -> Option<Value> {
        let (base, index, scale) = self.element_of(state, addr)?;
        let found = state.relations.elements.iter().find(|element| {
            element.base == base && element.index == index && element.scale == scale && element.ty == ty
        })?;
        Some(found.value.clone())
    }

    /// Returns a register that holds the value at an address.
    fn loaded(&self, state: &State, addr: Operand, offset: i64, ty: Ty) -> Option<Reg> {
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

    fn store(
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

    fn load_bits(
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

    fn store_bits(
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

    fn note_fill(&mut self, object: &mut Object, offset: Num, size: Num, byte: &Value) {
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

    /// Starts the lifetime of a local variable.
    pub fn enter_slot(&mut self, state: &mut State, slot: SlotId, size: Num) {
        let obj = self.slots[slot.index()];
        self.touch(obj);
        self.frame().created.insert(obj.0);
        if state.memory.get(obj.0).is_some() {
            self.end_local(state, obj);
        }
        let mut object = Object::new(size, Back::UNINIT);
        if let Some(outer) = state.memory.get(obj.0) {
            // A recursive function has one object for the variable of all its calls.
            object = outer.combine(&object, obj, &self.table, None);
            object.is_single = false;
        }
        self.set_object(state, obj, object);
        state.forget_loads(&|other| other == obj);
        state.forget_filled(obj);
    }

    /// Ends the lifetime of a local object: pointers to it dangle.
    pub fn end_local(&mut self, state: &mut State, obj: Obj) {
        self.touch(obj);
        let Some(object) = state.memory.get(obj.0).cloned() else { return };
        let is_shared = self.is_recursive(self.function());
        let fate = if is_shared { Fate::MayEnd } else { Fate::Ended };
        let _ = object;
        let rename = Rename { from: obj, to: None, fate };
        if is_shared {
            self.rename(state, rename);
        } else {
            self.rename_local(state, rename);
        }
        if !is_shared {
            self.frame().written.insert(obj.0);
            state.memory.remove(obj.0);
        }
        state.forget_loads(&|other| other == obj);
    }

    /// Changes all pointers to an object, and records the change for callers.
    pub fn rename(&mut self, state: &mut State, rename: Rename) {
        let pointer = self.pointer;
        let mut touched = Vec::new();
        rename.apply_to_memory(&mut state.memory, pointer, &mut |key| {
            touched.push(key);
            true
        });
        state.rename_registers(&rename, pointer);
        state.forget_filled(rename.from);
        let frame = self.frame();
        frame.written.extend(&touched);
        frame.touched.extend(touched);
    }

    /// Changes all pointers to an object that was created in the call at hand: only objects written since then can hold them.
    fn rename_local(&mut self, state: &mut State, rename: Rename) {
        let (pointer, filter) = (self.pointer, filter_of(rename.from.0));
        let written: Vec<u32> = self.frame().written.iter().copied().collect();
        let mut touched = Vec::new();
        for key in written {
            let Some(object) = state.memory.get(key).filter(|object| object.filter() & filter != 0) else { continue };
            let mut new = Object::clone(object);
            new.map_values(&|value, _| rename.apply(value, pointer).unwrap_or_else(|| value.clone()));
            state.memory.insert(key, Rc::new(new));
            touched.push(key);
        }
        state.rename_registers(&rename, pointer);
        state.forget_filled(rename.from);
        self.frame().touched.extend(touched);
    }

    /// Returns the kind of an object.
    pub fn kind(&self, obj: Obj) -> Kind {
        self.table.kind(obj).clone()
    }
}

/// Returns the sizes without 0.
fn nonzero(size: Num) -> Num {
    size.without(0, 64).unwrap_or(size)
}
