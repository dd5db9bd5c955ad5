//! Pointers: their possible targets, pointer arithmetic, and dereferences (FMCAD §III-B2).

use std::rc::Rc;

use cairn_ir::Loc;
use cairn_smt::Term;

use crate::reason::Reason;
use crate::ssa::Dereference;
use crate::ssa::builder::{Builder, State};
use crate::ssa::value::{
    Base, ID_BITS, ObjectNumber, Pointee, Target, Targets, UNKNOWN, Value, add_target, has, objects, only,
};

/// A possible target of a pointer: an instance and an offset.
pub(in crate::ssa) struct Spot {
    pub(in crate::ssa) object: ObjectNumber,
    pub(in crate::ssa) number: u32,
    /// The condition that the pointer points there.
    pub(in crate::ssa) here: Term,
    pub(in crate::ssa) offset: Term,
    /// The offset, if it is constant.
    pub(in crate::ssa) constant: Option<u64>,
}

impl Builder<'_, '_> {
    /// Adds a constant offset to a pointer.
    pub(in crate::ssa) fn moved(&mut self, pointer: &Value, offset: i64) -> Value {
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

    /// Adds a variable offset to a pointer.
    pub(in crate::ssa) fn moved_somewhere(&mut self, pointer: &Value, distance: Term) -> Value {
        let mut pointee = pointer.pointee(&mut self.terms);
        let mut targets = std::collections::BTreeSet::new();
        for target in &*pointee.targets {
            add_target(&mut targets, Target { offset: None, ..*target });
        }
        pointee.targets = Rc::new(targets);
        let bits = self.terms.add(pointer.bits, distance);
        Value { bits, object: Some(pointee) }
    }

    /// Returns the possible targets of a pointer.
    pub(in crate::ssa) fn spots(&mut self, pointer: &Value) -> Vec<Spot> {
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

    /// Prepares a pointer for a dereference: adds the obligation that its target is known.
    ///
    /// A pointer that was read from the rest of a site may be unknown although every concrete pointer there is known.
    /// The path therefore continues with an arbitrary choice among the other targets. It ends if there are no other
    /// targets.
    pub(in crate::ssa) fn known(&mut self, state: &mut State, pointer: &Value, loc: Loc) -> Value {
        let Pointee { id, targets } = pointer.pointee(&mut self.terms);
        self.dereference(state, id, &targets);
        if !has(&targets, Base::Unknown) {
            return Value { bits: pointer.bits, object: Some(Pointee { id, targets }) };
        }
        let unknown = self.is(id, UNKNOWN);
        let bad = self.terms.and(state.guard, unknown);
        self.incomplete_where(bad, Reason::UnknownPointer, loc);
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

    /// Records the dereference of a pointer if its targets include sites in loops.
    pub(in crate::ssa) fn dereference(&mut self, state: &State, id: Term, targets: &Targets) {
        let many = |object: &ObjectNumber| self.knowledge.info(*object).many;
        let sites: std::collections::BTreeSet<ObjectNumber> = objects(targets).into_iter().filter(many).collect();
        if !sites.is_empty() {
            let (around, body) = (self.location_indices(), self.body);
            self.out.dereferences.push(Dereference { guard: state.guard, id, sites, around, body });
        }
    }

    /// Returns a pointer with an unknown target.
    pub(in crate::ssa) fn unknown_pointer(&mut self) -> Value {
        let bits = self.terms.variable("unknown", self.pointer_bits);
        let id = self.terms.constant(u128::from(UNKNOWN), ID_BITS);
        Value { bits, object: Some(Pointee { id, targets: only(Base::Unknown, None) }) }
    }
}
