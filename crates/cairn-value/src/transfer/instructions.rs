//! The effect of single instructions.

use std::rc::Rc;

use cairn_ir::inst::{BinaryOp, DivideOp, Local};
use cairn_ir::{CheckKind, Checks, ConvertOp, Inst, Operand, Reg, SlotId, Ty};

use super::arithmetic::{self, GAP, is_ambiguous};
use crate::analysis::state::{Origin, State};
use crate::analysis::world::Kind;
use crate::analysis::{Analysis, Stop};
use crate::domain::map::{Entry, filter_of};
use crate::domain::memory::{Fate, Rename};
use crate::domain::number::Num;
use crate::domain::object::{Back, Object};
use crate::domain::value::{Flags, Obj, Value};

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
            Operand::Slot(slot) => Value::pointer(self.objects.slots[slot.index()], Num::constant(0, self.pointer)),
            Operand::Global(id) => Value::pointer(self.table.global(id), Num::constant(0, self.pointer)),
            Operand::Function(id) => Value::pointer(self.table.function(id), Num::constant(0, self.pointer)),
            Operand::Label(block) => match self.objects.labels.get(&(self.function(), block)) {
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
                let obj = self.objects.slots[slot.index()];
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

    /// Starts the lifetime of a local variable.
    pub fn enter_slot(&mut self, state: &mut State, slot: SlotId, size: Num) {
        let obj = self.objects.slots[slot.index()];
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
