//! Evaluation of terms under an assignment of the variables.
//!
//! This is the reference semantics of every operator: models are checked against it, and so are the
//! tests of all other modules.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::persistent::Map;
use crate::term::{Node, Op, Term, Terms, mask, signed};

/// Values of variables; a variable without an entry has the value 0.
///
/// Clones share their common structure.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Assignment(Map<u128>);

impl Assignment {
    /// Returns the value of a variable, or `None` if it has no entry.
    pub fn get(&self, variable: &Term) -> Option<&u128> {
        self.0.get(u64::from(variable.0))
    }

    /// Returns the number of variables with an entry.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the assignment has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all entries.
    pub fn iter(&self) -> impl Iterator<Item = (Term, u128)> {
        self.0.to_vec().into_iter().map(|(key, &value)| (Term(key as u32), value))
    }

    /// Sets the value of a variable.
    pub fn insert(&mut self, variable: Term, value: u128) {
        self.0.insert(u64::from(variable.0), value);
    }
}

impl FromIterator<(Term, u128)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (Term, u128)>>(values: I) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|(variable, value)| all.insert(variable, value));
        all
    }
}

/// Applies a binary operator to constants.
pub fn apply(op: Op, x: u128, y: u128, x_width: u32, y_width: u32) -> u128 {
    let all = mask(x_width);
    let (sx, sy) = (signed(x, x_width), signed(y, y_width));
    let amount = u32::try_from(y).unwrap_or(u32::MAX);
    match op {
        Op::Mul => x.wrapping_mul(y) & all,
        Op::UDiv => x.checked_div(y).unwrap_or(all),
        Op::URem => x.checked_rem(y).unwrap_or(x),
        Op::SDiv if y == 0 => (if sx < 0 { 1 } else { all }) & all,
        Op::SDiv => sx.wrapping_div(sy) as u128 & all,
        Op::SRem if y == 0 => x,
        Op::SRem => sx.wrapping_rem(sy) as u128 & all,
        Op::And => x & y,
        Op::Xor => x ^ y,
        Op::Shl => x.checked_shl(amount).unwrap_or(0) & all,
        Op::LShr => x.checked_shr(amount).unwrap_or(0),
        Op::AShr => (sx >> amount.min(127)) as u128 & all,
        Op::Concat => (x << y_width) | y,
        Op::Eq => u128::from(x == y),
        Op::ULt => u128::from(x < y),
        Op::SLt => u128::from(sx < sy),
    }
}

impl Terms {
    /// Evaluates a term.
    pub fn evaluate(&self, term: Term, assignment: &Assignment) -> u128 {
        self.evaluate_with(term, assignment, &mut FxHashMap::default())
    }

    /// Evaluates a term, reusing the values in `known` and adding those of all subterms.
    ///
    /// Evaluating many terms with the same cache visits each shared subterm once. The cache must
    /// belong to the same assignment.
    pub fn evaluate_with(&self, term: Term, assignment: &Assignment, known: &mut FxHashMap<Term, u128>) -> u128 {
        // Use an explicit stack, because terms of long paths are deep.
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if known.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.for_operands(top, |operand| {
                if !known.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() > before {
                continue;
            }
            let width = self.width(top);
            let value = match *self.node(top) {
                Node::Const(bits) => bits,
                Node::Var(_) => assignment.get(&top).copied().unwrap_or(0) & mask(width),
                Node::Sum(ref sum) => {
                    let parts = sum.monomials.iter().map(|&(t, c)| known[&t].wrapping_mul(c));
                    parts.fold(sum.constant, u128::wrapping_add) & mask(width)
                }
                Node::Binary(op, a, b) => apply(op, known[&a], known[&b], self.width(a), self.width(b)),
                Node::Not(a) => !known[&a] & mask(width),
                Node::SExt(a) => signed(known[&a], self.width(a)) as u128 & mask(width),
                Node::Extract(a, low) => (known[&a] >> low) & mask(width),
                Node::Ite(c, a, b) => known[&(if known[&c] == 1 { a } else { b })],
            };
            known.insert(top, value);
            stack.pop();
        }
        known[&term]
    }

    /// Returns the variables that a term depends on; the result is cached.
    pub fn variables_of(&self, term: Term) -> Rc<[Term]> {
        if let Some(known) = self.variables_in.borrow().get(&term) {
            return Rc::clone(known);
        }
        let mut found = Vec::new();
        self.for_subterms(&[term], |part| {
            if matches!(self.node(part), Node::Var(_)) {
                found.push(part);
            }
        });
        let found: Rc<[Term]> = found.into();
        self.variables_in.borrow_mut().insert(term, Rc::clone(&found));
        found
    }

    /// Calls `each` once for every subterm of `roots`, including the roots themselves.
    pub fn for_subterms(&self, roots: &[Term], mut each: impl FnMut(Term)) {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(top) = stack.pop() {
            if seen.insert(top) {
                each(top);
                self.for_operands(top, |operand| stack.push(operand));
            }
        }
    }

    /// Calls `each` for every direct operand of a term.
    pub fn for_operands(&self, term: Term, mut each: impl FnMut(Term)) {
        match *self.node(term) {
            Node::Const(_) | Node::Var(_) => {}
            Node::Sum(ref sum) => sum.monomials.iter().for_each(|&(t, _)| each(t)),
            Node::Binary(_, a, b) => {
                each(a);
                each(b);
            }
            Node::Not(a) | Node::SExt(a) | Node::Extract(a, _) => each(a),
            Node::Ite(c, a, b) => {
                each(c);
                each(a);
                each(b);
            }
        }
    }
}
