//! Model repair: changes an assignment, variable by variable, until it satisfies a query.
//!
//! Starting from a truth value that should be 1, operators are inverted down to a variable, which
//! is then changed. Most queries of a path exploration add one condition to a path whose model is
//! at hand, so one or two changes suffice. The inversion rules may guess, because the result is
//! evaluated before it is returned. If repair fails, the caller asks a solver.

use rustc_hash::FxHashMap;

use crate::build::inverse_of_odd;
use crate::evaluate::Assignment;
use crate::limits;
use crate::term::{Node, Op, Term, Terms, mask, signed};

impl Terms {
    /// Changes the assignment such that all truth values in `wanted` are 1; returns `None` if repair fails.
    pub fn repair(&self, wanted: &[Term], assignment: &Assignment) -> Option<Assignment> {
        let mut repair = Repair { terms: self, assignment: assignment.clone(), known: FxHashMap::default() };
        for _ in 0..limits::MAX_REPAIR_CHANGES {
            let Some(&broken) = wanted.iter().find(|&&term| repair.value(term) != 1) else {
                return Some(repair.assignment);
            };
            if !repair.make(broken, 1, limits::MAX_REPAIR_DEPTH) {
                return None;
            }
            repair.known.clear();
        }
        wanted.iter().all(|&term| repair.value(term) == 1).then_some(repair.assignment)
    }
}

struct Repair<'t> {
    terms: &'t Terms,
    assignment: Assignment,
    /// Values of terms under the assignment before the current change.
    known: FxHashMap<Term, u128>,
}

impl Repair<'_> {
    fn value(&mut self, term: Term) -> u128 {
        // Read variables from the assignment, because `known` may be stale for them.
        if let Node::Var(_) = self.terms.node(term) {
            return self.assignment.get(&term).copied().unwrap_or(0) & mask(self.terms.width(term));
        }
        self.terms.evaluate_with(term, &self.assignment, &mut self.known)
    }

    /// Changes variables to give `term` the value, on a best-effort basis; returns false if no rule applies.
    fn make(&mut self, term: Term, value: u128, depth: u32) -> bool {
        if self.value(term) == value {
            return true;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let width = self.terms.width(term);
        let all = mask(width);
        match *self.terms.node(term) {
            Node::Const(_) => false,
            Node::Var(_) => {
                self.assignment.insert(term, value);
                true
            }
            Node::Not(a) => self.make(a, !value & all, depth),
            Node::Sum(ref sum) => {
                let total = self.value(term);
                let more = value.wrapping_sub(total);
                sum.monomials.iter().any(|&(part, coefficient)| {
                    // Solve `more = coefficient · change`, where the coefficient is an odd number times a power of two.
                    let twos = coefficient.trailing_zeros();
                    let more = more & all;
                    if more & mask(twos) != 0 && twos > 0 {
                        return false;
                    }
                    let change = (more >> twos).wrapping_mul(inverse_of_odd(coefficient >> twos));
                    let changed = self.value(part).wrapping_add(change) & mask(width - twos);
                    self.make(part, changed, depth)
                })
            }
            Node::SExt(a) => {
                let from = self.terms.width(a);
                signed(value, from) as u128 & all == value && self.make(a, value & mask(from), depth)
            }
            Node::Extract(a, low) => {
                let kept = self.value(a) & !(all << low);
                self.make(a, kept | value << low, depth)
            }
            Node::Ite(c, a, b) => {
                let truth = self.value(c);
                let (taken, other) = if truth == 1 { (a, b) } else { (b, a) };
                self.make(taken, value, depth) || (self.value(other) == value && self.make(c, 1 - truth, depth))
            }
            Node::Binary(op, a, b) => self.make_binary(op, a, b, value, depth),
        }
    }

    fn make_binary(&mut self, op: Op, a: Term, b: Term, value: u128, depth: u32) -> bool {
        let (x, y) = (self.value(a), self.value(b));
        let width = self.terms.width(a);
        let all = mask(width);
        match op {
            Op::Concat => {
                let split = self.terms.width(b);
                self.make(a, value >> split, depth) && self.make(b, value & mask(split), depth)
            }
            Op::Eq if value == 1 => self.make(a, y, depth) || self.make(b, x, depth),
            Op::Eq => {
                self.make(a, x.wrapping_add(1) & all, depth)
                    || self.make(b, y.wrapping_add(1) & all, depth)
                    || self.make(a, x ^ 1 << (width - 1), depth)
            }
            Op::ULt if value == 1 => {
                (x < all && self.make(b, x + 1, depth))
                    || (y > 0 && self.make(a, y - 1, depth))
                    || (x == all && self.make(a, 0, depth) && self.make(b, 1, depth))
            }
            Op::ULt => self.make(a, y, depth) || self.make(b, x, depth),
            Op::SLt if value == 1 => {
                let (greatest, least) = (all >> 1, all ^ all >> 1);
                (x != greatest && self.make(b, x.wrapping_add(1) & all, depth))
                    || (y != least && self.make(a, y.wrapping_sub(1) & all, depth))
            }
            Op::SLt => self.make(a, y, depth) || self.make(b, x, depth),
            Op::And if width == 1 => {
                if value == 1 {
                    self.make(a, 1, depth) && self.make(b, 1, depth)
                } else {
                    self.make(a, 0, depth) || self.make(b, 0, depth)
                }
            }
            Op::And => {
                // Keep the bits that the other operand masks out.
                (value & !y == 0 && self.make(a, value | (x & !y), depth))
                    || (value & !x == 0 && self.make(b, value | (y & !x), depth))
            }
            Op::Xor => self.make(a, value ^ y, depth) || self.make(b, value ^ x, depth),
            Op::Mul => {
                (y & 1 == 1 && self.make(a, value.wrapping_mul(inverse_of_odd(y)) & all, depth))
                    || (x & 1 == 1 && self.make(b, value.wrapping_mul(inverse_of_odd(x)) & all, depth))
                    || (value == 0 && self.make(a, 0, depth))
            }
            Op::UDiv | Op::SDiv => y != 0 && self.make(a, value.wrapping_mul(y) & all, depth),
            Op::URem => {
                let rest = x.checked_rem(y).unwrap_or(0);
                value < y && self.make(a, (x - rest).wrapping_add(value) & all, depth)
            }
            Op::SRem => self.make(a, value, depth),
            Op::LShr | Op::AShr => {
                let amount = u32::try_from(y).unwrap_or(u32::MAX);
                amount < width && self.make(a, value << amount & all, depth)
            }
            Op::Shl => {
                let amount = u32::try_from(y).unwrap_or(u32::MAX);
                amount < width && self.make(a, value >> amount, depth)
            }
        }
    }
}
