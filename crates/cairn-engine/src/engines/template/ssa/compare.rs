//! When two pointers are equal: where their objects decide it, and where nothing does.

use cairn_smt::Term;

use super::build::{Builder, State};
use super::knowledge::Part;
use super::value::{Base, DEAD, NOTHING, ObjectNumber, UNKNOWN, Value, has, objects};

/// Addresses below this are null with an offset.
pub(super) const NULL_PAGE: u128 = 4096;

impl Builder<'_, '_> {
    /// Whether two pointers are equal, where that can be told (thesis: two pointers to what stands for many may be equal or not).
    pub(super) fn pointers_equal(&mut self, state: &State, a: &Value, b: &Value) -> Term {
        if a == b {
            return self.terms.truth();
        }
        let (p, q) = (a.pointee(&mut self.terms), b.pointee(&mut self.terms));
        let same_object = self.terms.eq(p.id, q.id);
        let same_bits = self.terms.eq(a.bits, b.bits);
        let equal = self.terms.and(same_object, same_bits);
        // Where the objects do not decide it.
        let mut open = self.terms.falsity();
        let objects_differ = self.terms.not(same_object);
        for (pointee, value) in [(&p, a), (&q, b)] {
            for &target in &*pointee.targets {
                match target.base {
                    Base::Unknown | Base::Dead => {
                        let number = if target.base == Base::Unknown { UNKNOWN } else { DEAD };
                        let here = self.is(pointee.id, number);
                        open = self.terms.or(open, here);
                    }
                    Base::Nothing if target.offset.is_some_and(|at| u128::from(at) < NULL_PAGE) => {}
                    Base::Nothing => {
                        // A number that is no null pointer may be any address.
                        let plain = self.is(pointee.id, NOTHING);
                        let page = self.terms.constant(NULL_PAGE, self.pointer_bits);
                        let near = self.terms.ult(value.bits, page);
                        let far = self.terms.not(near);
                        let wild = self.terms.and(plain, far);
                        let wild = self.terms.and(wild, objects_differ);
                        open = self.terms.or(open, wild);
                    }
                    Base::Object(object) => {
                        let offset = match target.offset {
                            Some(at) => self.terms.constant(u128::from(at), self.pointer_bits),
                            None => value.bits,
                        };
                        let past_end = self.past_end(object, offset);
                        for number in self.numbers(object) {
                            let here = self.is(pointee.id, number);
                            let gone = self.may_be_gone(state, object, number);
                            let reused = self.terms.or(past_end, gone);
                            let here = self.terms.and(here, reused);
                            let here = self.terms.and(here, objects_differ);
                            // Null is the address of nothing that was ever alive.
                            let other = if std::ptr::eq(pointee, &p) { &q } else { &p };
                            let null = self.is(other.id, NOTHING);
                            let not_null = self.terms.not(null);
                            let here = self.terms.and(here, not_null);
                            open = self.terms.or(open, here);
                        }
                    }
                }
            }
        }
        for object in objects(&p.targets) {
            if !has(&q.targets, Base::Object(object)) {
                continue;
            }
            if let Some(rest) = self.rest(object)
                && p.id != q.id
            {
                let here = self.is(p.id, rest);
                let both = self.terms.and(here, same_object);
                // They may be different objects.
                open = self.terms.or(open, both);
            }
        }
        if self.terms.is_false(open) {
            return equal;
        }
        let either = self.terms.variable("equal", 1);
        self.terms.ite(open, either, equal)
    }

    /// Whether an object may be freed by now, so that another may have its address. Two that are there do not.
    fn may_be_gone(&mut self, state: &State, object: ObjectNumber, number: u32) -> Term {
        if !self.knowledge.info(object).may_be_freed {
            self.terms.falsity()
        } else if self.rest(object) == Some(number) {
            self.terms.truth()
        } else {
            self.flag(state, (number, Part::Freed))
        }
    }

    /// Whether an address with this offset may be that of another object because it is past the end.
    fn past_end(&mut self, object: ObjectNumber, offset: Term) -> Term {
        if self.terms.as_const(offset) == Some(0) {
            return self.terms.falsity();
        }
        match self.knowledge.info(object).size {
            Some(size) => {
                let size = self.terms.constant(u128::from(size), self.pointer_bits);
                self.terms.ule(size, offset)
            }
            None => self.terms.truth(),
        }
    }
}
