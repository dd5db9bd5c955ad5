//! Relations between registers: what an instruction adds to them, and what they say about an address.

use std::rc::Rc;

use cairn_ir::{ConvertOp, Operand, Reg, Ty};

use crate::analysis::Analysis;
use crate::analysis::relations::{Affine, Element, Order, Relations};
use crate::analysis::state::{Filled, Origin, State};
use crate::domain::value::{Flags, Obj, Value};

impl Analysis<'_> {
    /// Returns a register that was computed in the same way before.
    pub(super) fn same_value(&self, state: &State, origin: &Origin) -> Option<Reg> {
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

    pub(super) fn note_same(&self, state: &mut State, dst: Reg, same: Option<Reg>) {
        if let Some(same) = same.filter(|same| *same != dst) {
            if let Some(value) = state.regs.get(same.0).cloned() {
                state.regs.insert(dst.0, value);
            }
            state.note(dst, Origin::Copy(same));
        }
    }

    pub(super) fn assign_sum(&self, state: &mut State, dst: Reg, base: Operand, distance: Option<u64>, value: Value) {
        match distance {
            Some(distance) => self.assign_sum_of(state, dst, base, distance, self.pointer, value),
            None => state.assign(dst, value),
        }
    }

    /// Assigns the sum of a register and a constant, and keeps what is known of both.
    pub(super) fn assign_sum_of(
        &self,
        state: &mut State,
        dst: Reg,
        base: Operand,
        distance: u64,
        width: u32,
        value: Value,
    ) {
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
    pub(super) fn move_affine(&self, state: &mut State, reg: Reg, distance: u64, relations: &Relations) {
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
    pub(super) fn count_up(&self, state: &mut State, counter: Reg, filled: &[Filled], relations: &Relations) {
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
    pub(super) fn element_of(&self, state: &State, addr: Operand) -> Option<(Operand, Reg, i64)> {
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
    pub(super) fn index_root(&self, state: &State, index: Reg) -> Reg {
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
    pub(super) fn start_of(&self, state: &State, base: Operand) -> Option<Obj> {
        let base = self.operand(state, base, Ty::Ptr);
        match &base.targets[..] {
            [target] if target.offset.value() == Some(0) && base.num.is_none() && base.flags == Flags::NONE => {
                Some(target.obj)
            }
            _ => None,
        }
    }

    /// Records that a loop writes an array from its start: `addr` is the element of a counter.
    pub(super) fn note_element(
        &self,
        state: &mut State,
        addr: Operand,
        obj: Obj,
        (ty, size): (Ty, u32),
        value: &Value,
    ) {
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
    pub(super) fn is_element_inside(&self, state: &State, addr: Operand, offset: i64, size: u32) -> bool {
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
}
