//! Comparison of numbers and pointers.
//!
//! The equality of two pointers follows from their objects and offsets, except where these do not decide it. Then the
//! result is arbitrary.

use cairn_ir::{CompareOp, Ty};
use cairn_memory::scalar::float_terms;
use cairn_memory::space::NULL_PAGE;
use cairn_smt::Term;

use crate::ssa::builder::{Builder, State};
use crate::ssa::knowledge::Part;
use crate::ssa::value::{Base, DEAD, NOTHING, ObjectNumber, UNKNOWN, Value, has, objects};

impl Builder<'_, '_> {
    /// Returns the result of a comparison.
    pub(in crate::ssa) fn compare(&mut self, state: &State, op: CompareOp, ty: Ty, a: &Value, b: &Value) -> Term {
        if ty.is_float() {
            let (a, b) = (a.number(&mut self.terms), b.number(&mut self.terms));
            return float_terms::compare(&mut self.terms, op, ty, a, b);
        }
        if ty == Ty::Ptr {
            return match op {
                CompareOp::Eq => self.pointers_equal(state, a, b),
                CompareOp::Ne => {
                    let equal = self.pointers_equal(state, a, b);
                    self.terms.not(equal)
                }
                CompareOp::ULt | CompareOp::ULe => {
                    // Within one object the order is that of the offsets.
                    let near = self.in_one_object(a, b);
                    let half = self.terms.constant(1 << (self.pointer_bits - 1), self.pointer_bits);
                    let (x, y) = (self.terms.add(a.bits, half), self.terms.add(b.bits, half));
                    let order = if op == CompareOp::ULt { self.terms.ult(x, y) } else { self.terms.ule(x, y) };
                    let anything = self.terms.variable("order", 1);
                    self.terms.ite(near, order, anything)
                }
                _ => self.terms.variable("order", 1),
            };
        }
        let (a, b) = (a.number(&mut self.terms), b.number(&mut self.terms));
        match op {
            CompareOp::Eq => self.terms.eq(a, b),
            CompareOp::Ne => self.terms.ne(a, b),
            CompareOp::SLt => self.terms.slt(a, b),
            CompareOp::SLe => self.terms.sle(a, b),
            CompareOp::ULt => self.terms.ult(a, b),
            CompareOp::ULe => self.terms.ule(a, b),
            _ => self.terms.variable("float", 1),
        }
    }

    /// Returns whether two pointers certainly point into the same object.
    pub(in crate::ssa) fn in_one_object(&mut self, a: &Value, b: &Value) -> Term {
        let (p, q) = (a.pointee(&mut self.terms), b.pointee(&mut self.terms));
        let mut same = self.terms.eq(p.id, q.id);
        let unknown = self.is(p.id, UNKNOWN);
        let dead = self.is(p.id, DEAD);
        let nothing = self.is(p.id, NOTHING);
        for bad in [unknown, dead, nothing] {
            let good = self.terms.not(bad);
            same = self.terms.and(same, good);
        }
        for object in objects(&p.targets) {
            if let Some(rest) = self.rest(object)
                && p.id != q.id
            {
                let rest = self.is(p.id, rest);
                let good = self.terms.not(rest);
                same = self.terms.and(same, good);
            }
        }
        same
    }

    /// Returns whether two pointers are equal. Where the objects do not decide it, the result is arbitrary.
    fn pointers_equal(&mut self, state: &State, a: &Value, b: &Value) -> Term {
        if a == b {
            return self.terms.truth();
        }
        let (p, q) = (a.pointee(&mut self.terms), b.pointee(&mut self.terms));
        let same_object = self.terms.eq(p.id, q.id);
        let same_bits = self.terms.eq(a.bits, b.bits);
        let equal = self.terms.and(same_object, same_bits);
        // The condition that the objects do not decide the result.
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
                    Base::Nothing if target.offset.is_some_and(|at| at < NULL_PAGE) => {}
                    Base::Nothing => {
                        // An integer outside of the null page may be any address.
                        let plain = self.is(pointee.id, NOTHING);
                        let page = self.terms.constant(u128::from(NULL_PAGE), self.pointer_bits);
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
                            // No object has ever had the null address.
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
                // Both point to the rest, possibly to different objects.
                open = self.terms.or(open, both);
            }
        }
        if self.terms.is_false(open) {
            return equal;
        }
        let either = self.terms.variable("equal", 1);
        self.terms.ite(open, either, equal)
    }

    /// Returns whether an object may be freed, so that its address may be reused. Two live objects have different
    /// addresses.
    fn may_be_gone(&mut self, state: &State, object: ObjectNumber, number: u32) -> Term {
        if !self.knowledge.info(object).may_be_freed {
            self.terms.falsity()
        } else if self.rest(object) == Some(number) {
            self.terms.truth()
        } else {
            self.flag(state, (number, Part::Freed))
        }
    }

    /// Returns whether an offset may be past the end of an object, where another object may begin.
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
