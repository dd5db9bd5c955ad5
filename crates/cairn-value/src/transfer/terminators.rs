//! Terminators: the states on the edges out of a block.

use std::rc::Rc;

use cairn_ir::inst::Case;
use cairn_ir::{BlockId, CheckKind, Operand, Terminator, Ty};

use crate::analysis::Analysis;
use crate::analysis::state::{Filled, State};
use crate::analysis::world::Kind;
use crate::domain::number::{Num, mask};
use crate::domain::object::Object;
use crate::domain::value::{Flags, Obj, Value};
use crate::limits::MAX_FILLED;

impl Analysis<'_> {
    /// Returns the state on each edge of a terminator.
    pub fn terminator(&mut self, state: State, end: &Terminator) -> Vec<Option<State>> {
        match end {
            Terminator::Jump(_) => vec![Some(state)],
            Terminator::Branch { cond, checks, .. } => {
                if self.operand(&state, *cond, Ty::I1).may_be_uninit() {
                    self.alarm(*checks, CheckKind::Uninitialised);
                }
                let mut other = state.clone();
                let mut then = state;
                let takes_then = self.assume(&mut then, *cond, true);
                let takes_other = self.assume(&mut other, *cond, false);
                self.settle_filled(&mut then);
                self.settle_filled(&mut other);
                vec![takes_then.then_some(then), takes_other.then_some(other)]
            }
            Terminator::Switch { ty, signed, value, cases, checks, .. } => {
                let known = self.operand(&state, *value, *ty);
                if known.may_be_uninit() {
                    self.alarm(*checks, CheckKind::Uninitialised);
                }
                self.switch(state, (*ty, *signed), *value, &known, cases)
            }
            Terminator::JumpTo { addr, targets, checks } => {
                let value = self.operand(&state, *addr, Ty::Ptr);
                let is_plain = value.num.is_none() && value.flags == Flags::NONE;
                if value.may_be_uninit() {
                    self.alarm(*checks, CheckKind::Uninitialised);
                }
                let function = self.function();
                let is_label = |obj: Obj| matches!(self.table.kind(obj), Kind::Label(f, _) if *f == function);
                let all_labels =
                    value.targets.iter().all(|target| is_label(target.obj) && target.offset.value() == Some(0));
                if !is_plain || !all_labels {
                    self.alarm(*checks, CheckKind::InvalidCall);
                }
                // Distances between labels may lead to any other label.
                let is_plain = is_plain && all_labels;
                let may_be = |block: BlockId| {
                    !is_plain || value.targets.iter().any(|t| *self.table.kind(t.obj) == Kind::Label(function, block))
                };
                targets.iter().map(|&block| may_be(block).then(|| state.clone())).collect()
            }
            Terminator::Return(_) => Vec::new(),
            Terminator::Unreachable => {
                // The interpreter reports it as a fault without a check.
                let frame = self.frame();
                frame.has_other_faults |= frame.is_final;
                Vec::new()
            }
        }
    }

    /// Records the bytes of arrays that are initialised because a counter has reached some value.
    fn settle_filled(&mut self, state: &mut State) {
        self.settle_whole_arrays(state);
        self.settle_counts(state);
        for filled in state.filled.clone().iter().filter(|filled| !filled.is_inclusive) {
            let counter = state.regs.get(filled.counter.0).and_then(Value::plain);
            let Some(counter) = counter else { continue };
            let width = self.width(self.reg_ty(filled.counter));
            let (low, _) = counter.signed(width.min(64));
            let Some(length) = u64::try_from(low).ok().and_then(|low| low.checked_mul(u64::from(filled.size))) else {
                continue;
            };
            let Some(object) = self.object(&state.memory, filled.obj) else { continue };
            if object.is_single && length > object.init_to {
                let mut new = Object::clone(&object);
                new.initialise(length, self.pointer);
                self.set_object(state, filled.obj, new);
            }
        }
    }

    /// Elements that are written up to a counter are written up to every register that is not greater.
    fn settle_counts(&self, state: &mut State) {
        let mut found: Vec<Filled> = Vec::new();
        for filled in state.filled.iter().filter(|filled| !filled.is_inclusive) {
            for order in state.relations.orders.iter().filter(|order| order.high == filled.counter) {
                let new = Filled { counter: order.low, ..*filled };
                if !state.filled.contains(&new) && !found.contains(&new) {
                    found.push(new);
                }
            }
        }
        if !found.is_empty() && state.filled.len() + found.len() <= MAX_FILLED {
            let filled = Rc::make_mut(&mut state.filled);
            filled.append(&mut found);
            filled.sort_by_key(|f| (f.obj, f.counter, f.size, f.is_inclusive));
        }
    }

    /// Records that arrays are initialised because a counter has reached the number of their elements.
    fn settle_whole_arrays(&mut self, state: &mut State) {
        for filled in state.filled.clone().iter().filter(|filled| !filled.is_inclusive) {
            let relations = &state.relations;
            let Some(room) = relations.sizes.iter().find(|room| room.obj == filled.obj) else { continue };
            let is_past = room.reg == filled.counter || relations.has_order(room.reg, filled.counter, false);
            if !is_past || room.scale != u64::from(filled.size) {
                continue;
            }
            // One more element may have been written apart, such as the null at the end.
            let is_last_written = room.add == room.scale && relations.written.contains(&(filled.obj, room.reg));
            if room.add != 0 && !is_last_written {
                continue;
            }
            let Some(object) = self.object(&state.memory, filled.obj) else { continue };
            let length = object.size.unsigned(64).1;
            if object.is_single && length > object.init_to {
                let mut new = Object::clone(&object);
                new.initialise(length, self.pointer);
                self.set_object(state, filled.obj, new);
            }
        }
    }

    fn switch(
        &mut self,
        state: State,
        (ty, is_signed): (Ty, bool),
        operand: Operand,
        known: &Value,
        cases: &[Case],
    ) -> Vec<Option<State>> {
        let width = self.width(ty);
        let plain = if width <= 64 { known.plain() } else { None };
        let mut outs = Vec::new();
        let mut rest = plain;
        for case in cases {
            let range = if is_signed {
                Num::between_signed(case.low, case.high, width.min(64))
            } else {
                let (low, high) = (case.low as u64 & mask(width), case.high as u64 & mask(width));
                if low > high { Num::full(width.min(64)) } else { Num::between(low, high) }
            };
            let Some(num) = plain else {
                outs.push(Some(state.clone()));
                continue;
            };
            let refined = num.meet(range, width).map(Value::num);
            outs.push(refined.and_then(|value| self.with_value(&state, operand, value)));
            if case.low == case.high {
                rest = rest.and_then(|num| num.without(case.low as u64, width));
            } else if let Some(num) = rest {
                rest = outside(num, range, width);
            }
        }
        outs.push(match plain {
            None => Some(state),
            Some(_) => rest.and_then(|num| self.with_value(&state, operand, Value::num(num))),
        });
        outs
    }

    fn with_value(&mut self, state: &State, operand: Operand, value: Value) -> Option<State> {
        let mut state = state.clone();
        match operand {
            Operand::Reg(reg) => self.refine(&mut state, reg, value, 8).then_some(state),
            _ => Some(state),
        }
    }
}

/// Returns a set that covers the values outside a range; `None` if there are none.
fn outside(num: Num, range: Num, width: u32) -> Option<Num> {
    let next = range.lo.wrapping_add(range.span).wrapping_add(1) & mask(width);
    if range.is_full(width) {
        return None;
    }
    let complement = Num { lo: next, span: mask(width) - range.span - 1, stride: 1 };
    let complement = if complement.span == 0 { Num::constant(next, width) } else { complement };
    num.meet(complement, width)
}
