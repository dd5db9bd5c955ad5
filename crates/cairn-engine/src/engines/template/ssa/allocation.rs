//! Allocation chooses an instance of its site (FMCAD §III-B1), and freeing marks one (§V-B). Every instance is a concrete object, so that
//! the paper's one freed object is any of them.

use std::collections::BTreeSet;

use cairn_ir::{CheckKind, Checks, Loc, Reg};
use cairn_smt::Term;

use super::Event;
use super::build::{Builder, State};
use super::knowledge::{ObjectKey, Part, Place};
use super::value::{Base, DEAD, NOTHING, ObjectNumber, Pointee, Value, objects, only};

impl Builder<'_, '_> {
    /// Allocates an object: one of the instances of the site that was not allocated yet, or one of the rest.
    pub(super) fn allocate(
        &mut self,
        mut state: State,
        size: Term,
        zeroed: bool,
        dst: Option<Reg>,
        loc: Loc,
        place: Place,
    ) -> State {
        self.allocates = true;
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
                let value = if zeroed {
                    Value::integer(self.terms.constant(0, width))
                } else {
                    Value::anything(&mut self.terms, "uninitialised", width)
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

    /// Moves an object to a new place of another size: null is fine, and like an allocation.
    #[expect(clippy::too_many_arguments, reason = "the parts of the instruction")]
    pub(super) fn reallocate(
        &mut self,
        mut state: State,
        old: &Value,
        size: Term,
        dst: Option<Reg>,
        checks: Checks,
        loc: Loc,
        place: Place,
    ) -> Option<State> {
        let pointee = old.pointee(&mut self.terms);
        if pointee.targets == only(Base::Nothing, Some(0)) {
            return Some(self.allocate(state, size, false, dst, loc, place));
        }
        let Some(dst) = dst.filter(|_| !self.options.malloc_fails) else {
            self.gap(&state, "realloc that may fail, or whose result is not used", loc);
            return None;
        };
        let zero = self.terms.constant(0, self.pointer_bits);
        let nothing = self.terms.eq(size, zero);
        let unclear = self.terms.and(state.guard, nothing);
        self.gap_where(unclear, "realloc to no bytes at all", loc);
        let old = &self.known(&mut state, old, loc);
        let pointee = old.pointee(&mut self.terms);
        // What the old place holds is read before it is gone.
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
        let mut state = self.allocate(state, size, false, Some(dst), loc, place);
        let new = state.regs[dst.index()].clone()?;
        for (at, value) in kept {
            let to = self.moved(&new, at as i64);
            self.write(&mut state, &to, &value);
        }
        Some(state)
    }

    /// Whether some bytes are outside of the object that a pointer points to the start of.
    fn outside(&mut self, state: &State, pointer: &Value, at: u64, bytes: u64) -> Term {
        let pointee = pointer.pointee(&mut self.terms);
        let end = self.terms.constant(u128::from(at.saturating_add(bytes)), self.pointer_bits);
        let mut outside = self.terms.falsity();
        for object in objects(&pointee.targets) {
            for number in self.numbers(object) {
                let size = match self.knowledge.info(object).size {
                    Some(size) => self.terms.constant(u128::from(size), self.pointer_bits),
                    // Of the rest nothing is known, and what is read there is anything.
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

    /// What a new instance holds.
    fn set_new(&mut self, state: &mut State, object: ObjectNumber, number: u32, part: Part, here: Term, value: Value) {
        let value = match state.cells.get(&(number, part)).cloned() {
            Some(old) => Value::choose(&mut self.terms, here, &value, &old),
            None => value,
        };
        self.set_cell(state, object, (number, part), value);
    }

    /// Frees an object: null is fine.
    pub(super) fn free(&mut self, state: &mut State, pointer: &Value, checks: Checks, loc: Loc) {
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
