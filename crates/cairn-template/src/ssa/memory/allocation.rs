//! Allocation chooses an instance of its site (FMCAD §III-B1), and `free` marks one (§V-B).
//!
//! Every instance is a concrete object and therefore plays the role of the single object that the paper tracks as
//! freed.

use std::collections::BTreeSet;

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_smt::Term;

use crate::reason::Reason;
use crate::ssa::Event;
use crate::ssa::builder::{Builder, Operation, State};
use crate::ssa::knowledge::{ObjectKey, Part};
use crate::ssa::value::{Base, DEAD, NOTHING, ObjectNumber, Pointee, Value, objects, only};

/// The contents of a new object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::ssa) enum Contents {
    /// All bytes are zero.
    Zeroed,
    /// The bytes are uninitialised.
    Uninitialised,
}

impl Builder<'_, '_> {
    /// Allocates an object: an instance of the site that is not allocated yet, or one of the rest.
    pub(in crate::ssa) fn allocate(
        &mut self,
        mut state: State,
        size: Term,
        contents: Contents,
        Operation { dst, loc, place, .. }: Operation,
    ) -> State {
        self.out.allocates = true;
        let constant = self.terms.as_const(size).map(|size| size as u64);
        let object = self.knowledge.object(ObjectKey::Site(place), || (format!("ao_{}", loc.line), constant, false));
        if self.knowledge.info(object).size != constant {
            self.knowledge.forget_size(object);
        }
        if !self.around.is_empty() {
            self.knowledge.set_many(object);
        }
        let many = self.knowledge.info(object).many;
        let numbers = self.numbers(object);
        let tracked = self.tracked(object);
        let mut id = self.number(numbers[numbers.len() - 1]);
        for &number in tracked.iter().rev() {
            let chosen = if many {
                let free = self.terms.variable(&format!("g^os_{}", loc.line), 1);
                let before = self.flag(&state, (number, Part::Allocated));
                let unused = self.terms.not(before);
                self.terms.and(free, unused)
            } else {
                self.terms.truth()
            };
            let this = self.number(number);
            id = self.terms.ite(chosen, this, id);
        }
        for &number in &tracked {
            let here = self.is(id, number);
            let elsewhere = self.terms.not(here);
            if many {
                let before = self.flag(&state, (number, Part::Allocated));
                let after = self.terms.or(before, here);
                self.set_cell(&mut state, object, (number, Part::Allocated), Value::integer(after));
            }
            if self.knowledge.info(object).may_be_freed {
                let before = self.flag(&state, (number, Part::Freed));
                let after = self.terms.and(before, elsewhere);
                self.set_cell(&mut state, object, (number, Part::Freed), Value::integer(after));
            }
            if self.knowledge.info(object).size.is_none() {
                let value = Value::integer(size);
                self.set_new(&mut state, object, number, Part::Size, here, value);
            }
            for (at, bytes) in self.knowledge.info(object).cells.clone() {
                let width = 8 * bytes as u32;
                let value = match contents {
                    Contents::Zeroed => Value::integer(self.terms.constant(0, width)),
                    Contents::Uninitialised => Value::anything(&mut self.terms, "uninitialised", width),
                };
                self.set_new(&mut state, object, number, Part::Bytes(at), here, value);
            }
        }
        let targets = only(Base::Object(object), Some(0));
        let bits = self.terms.constant(0, self.pointer_bits);
        let mut value = Value { bits, object: Some(Pointee { id, targets }) };
        if self.options.malloc_fails {
            let succeeds = self.terms.variable("allocated", 1);
            let null = Value::null(&mut self.terms, self.pointer_bits);
            value = Value::choose(&mut self.terms, succeeds, &value, &null);
            self.event(state.guard, Event::Allocation(succeeds));
        } else {
            let truth = self.terms.truth();
            self.event(state.guard, Event::Allocation(truth));
        }
        self.finish(state, dst, value, loc)
    }

    /// Reallocates an object. A null pointer is valid and makes it an allocation.
    pub(in crate::ssa) fn reallocate(
        &mut self,
        mut state: State,
        old: &Value,
        size: Term,
        at: Operation,
    ) -> Option<State> {
        let pointee = old.pointee(&mut self.terms);
        if pointee.targets == only(Base::Nothing, Some(0)) {
            return Some(self.allocate(state, size, Contents::Uninitialised, at));
        }
        let (checks, loc) = (at.checks, at.loc);
        let Some(dst) = at.dst.filter(|_| !self.options.malloc_fails) else {
            self.incomplete(&state, Reason::FailingRealloc, loc);
            return None;
        };
        let zero = self.terms.constant(0, self.pointer_bits);
        let nothing = self.terms.eq(size, zero);
        let unclear = self.terms.and(state.guard, nothing);
        self.incomplete_where(unclear, Reason::ReallocToZero, loc);
        let old = &self.known(&mut state, old, loc);
        let pointee = old.pointee(&mut self.terms);
        // The old contents are read before the object is freed.
        let null = self.is(pointee.id, NOTHING);
        let mut kept = Vec::new();
        let places: BTreeSet<(u64, u64)> = objects(&pointee.targets)
            .into_iter()
            .flat_map(|object| self.knowledge.info(object).cells.clone())
            .collect();
        for (at, bytes) in places {
            let from = self.moved(old, at as i64);
            let value = self.read(&mut state, &from, bytes);
            let outside = self.outside(&state, old, at, bytes);
            let lost = self.terms.or(null, outside);
            let anything = Value::anything(&mut self.terms, "uninitialised", 8 * bytes as u32);
            kept.push((at, Value::choose(&mut self.terms, lost, &anything, &value)));
        }
        self.free(&mut state, old, checks, loc);
        let mut state = self.allocate(state, size, Contents::Uninitialised, at);
        let new = state.regs[dst.index()].clone()?;
        for (at, value) in kept {
            let to = self.moved(&new, at as i64);
            self.write(&mut state, &to, &value);
        }
        Some(state)
    }

    /// Returns whether some bytes lie outside of the object whose start a pointer points to.
    fn outside(&mut self, state: &State, pointer: &Value, at: u64, bytes: u64) -> Term {
        let pointee = pointer.pointee(&mut self.terms);
        let end = self.terms.constant(u128::from(at.saturating_add(bytes)), self.pointer_bits);
        let mut outside = self.terms.falsity();
        for object in objects(&pointee.targets) {
            for number in self.numbers(object) {
                let size = match self.knowledge.info(object).size {
                    Some(size) => self.terms.constant(u128::from(size), self.pointer_bits),
                    // The size of the rest is unknown, and a read from it returns an arbitrary value anyway.
                    None => match state.cells.get(&(number, Part::Size)) {
                        Some(size) => size.bits,
                        None => continue,
                    },
                };
                let here = self.is(pointee.id, number);
                let beyond = self.terms.ult(size, end);
                let beyond = self.terms.and(here, beyond);
                outside = self.terms.or(outside, beyond);
            }
        }
        outside
    }

    /// Initialises a part of a new instance.
    fn set_new(&mut self, state: &mut State, object: ObjectNumber, number: u32, part: Part, here: Term, value: Value) {
        let value = match state.cells.get(&(number, part)).cloned() {
            Some(old) => Value::choose(&mut self.terms, here, &value, &old),
            None => value,
        };
        self.set_cell(state, object, (number, part), value);
    }

    /// Frees an object. A null pointer is valid.
    pub(in crate::ssa) fn free(&mut self, state: &mut State, pointer: &Value, checks: Checks, loc: Loc) {
        let pointer = &self.known(state, pointer, loc);
        let Pointee { id, targets } = pointer.pointee(&mut self.terms);
        let zero = self.terms.constant(0, self.pointer_bits);
        let start = self.terms.eq(pointer.bits, zero);
        let mut good = start;
        let mut alive = self.terms.truth();
        let mut maybe_gone = self.terms.falsity();
        for base in targets.iter().map(|target| target.base) {
            match base {
                Base::Unknown | Base::Nothing => {}
                Base::Dead => {
                    let dead = self.is(id, DEAD);
                    let not_dead = self.terms.not(dead);
                    good = self.terms.and(good, not_dead);
                }
                Base::Object(object) => {
                    let heap = self.knowledge.is_heap(object);
                    if heap {
                        self.knowledge.set_freed(object);
                    }
                    let rest = self.rest(object);
                    for number in self.numbers(object) {
                        let here = self.is(id, number);
                        if !heap {
                            let elsewhere = self.terms.not(here);
                            good = self.terms.and(good, elsewhere);
                        } else if Some(number) == rest {
                            maybe_gone = self.terms.or(maybe_gone, here);
                        } else {
                            let freed = self.flag(state, (number, Part::Freed));
                            let bad = self.terms.and(here, freed);
                            let fine = self.terms.not(bad);
                            alive = self.terms.and(alive, fine);
                        }
                    }
                }
            }
        }
        let null = self.is(id, NOTHING);
        let null = self.terms.and(null, start);
        let good = self.terms.or(good, null);
        self.require(state, good, CheckKind::InvalidFree, checks, loc);
        self.require_both(state, (alive, maybe_gone), CheckKind::DoubleFree, checks, loc);
        for object in objects(&targets) {
            if !self.knowledge.is_heap(object) {
                continue;
            }
            for number in self.tracked(object) {
                let here = self.is(id, number);
                let before = self.flag(state, (number, Part::Freed));
                let after = self.terms.or(before, here);
                self.set_cell(state, object, (number, Part::Freed), Value::integer(after));
            }
        }
    }
}
