//! Substitution of terms; the results are in normal form.

use rustc_hash::FxHashMap;

use crate::term::{Node, Op, Term, Terms};

/// A substitution with a cache of its results.
///
/// Applying it to many terms visits each shared subterm once.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    done: FxHashMap<Term, Term>,
}

impl Substitution {
    /// Creates a substitution from pairs of replaced term and replacement.
    ///
    /// Keys are variables or compound terms. A compound key is replaced only where it occurs as a
    /// subterm. Normalisation may have dissolved other occurrences, so the variables of a compound
    /// key should be keys as well.
    pub fn new(pairs: impl IntoIterator<Item = (Term, Term)>) -> Self {
        Self { done: pairs.into_iter().collect() }
    }

    /// Adds a pair. No term that contains `from` may have been substituted before.
    pub fn insert(&mut self, from: Term, to: Term) {
        self.done.insert(from, to);
    }

    /// Returns the image of a term if it is a key or was computed before.
    pub fn get(&self, term: Term) -> Option<Term> {
        self.done.get(&term).copied()
    }

    /// Returns whether the substitution is empty.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }

    /// Applies the substitution to a term.
    pub fn apply(&mut self, terms: &mut Terms, term: Term) -> Term {
        if self.done.is_empty() {
            return term;
        }
        // Use an explicit stack, because terms of long paths are deep.
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if self.done.contains_key(&top) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            terms.for_operands(top, |operand| {
                if !self.done.contains_key(&operand) {
                    stack.push(operand);
                }
            });
            if stack.len() == before {
                let new = self.rebuild(terms, top);
                self.done.insert(top, new);
                stack.pop();
            }
        }
        self.done[&term]
    }

    /// Rebuilds a term from the images of its operands.
    fn rebuild(&self, terms: &mut Terms, term: Term) -> Term {
        let width = terms.width(term);
        let new = |operand: Term| self.done[&operand];
        let mut changed = false;
        terms.for_operands(term, |operand| changed |= new(operand) != operand);
        if !changed {
            return term;
        }
        match terms.node(term).clone() {
            Node::Const(_) | Node::Var(_) => term,
            Node::Sum(sum) => {
                let start = terms.constant(sum.constant, width);
                sum.monomials.iter().fold(start, |total, &(part, factor)| {
                    let scaled = terms.scale(new(part), factor);
                    terms.add(total, scaled)
                })
            }
            Node::Binary(op, a, b) => {
                let (a, b) = (new(a), new(b));
                match op {
                    Op::Mul => terms.mul(a, b),
                    Op::UDiv => terms.udiv(a, b),
                    Op::URem => terms.urem(a, b),
                    Op::SDiv => terms.sdiv(a, b),
                    Op::SRem => terms.srem(a, b),
                    Op::And => terms.and(a, b),
                    Op::Xor => terms.xor(a, b),
                    Op::Shl => terms.shl(a, b),
                    Op::LShr => terms.lshr(a, b),
                    Op::AShr => terms.ashr(a, b),
                    Op::Concat => terms.concat(a, b),
                    Op::Eq => terms.eq(a, b),
                    Op::ULt => terms.ult(a, b),
                    Op::SLt => terms.slt(a, b),
                }
            }
            Node::Not(a) => terms.not(new(a)),
            Node::SExt(a) => terms.sext(new(a), width),
            Node::Extract(a, low) => terms.extract(new(a), low, width),
            Node::Ite(c, a, b) => terms.ite(new(c), new(a), new(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutes_variables_and_normalises() {
        let mut terms = Terms::new();
        let (x, y) = (terms.variable("x", 32), terms.variable("y", 32));
        let (one, seven) = (terms.constant(1, 32), terms.constant(7, 32));
        let sum = terms.add(x, y);
        let less = terms.ult(sum, seven);
        let mut map = Substitution::new([(x, one), (y, one)]);
        let truth = map.apply(&mut terms, less);
        assert!(terms.is_true(truth), "1 + 1 < 7");
    }

    #[test]
    fn substitutes_compound_terms() {
        let mut terms = Terms::new();
        let (high, zeros, first) = (terms.variable("high", 28), terms.constant(0, 4), terms.variable("first", 32));
        let base = terms.concat(high, zeros);
        let eight = terms.constant(8, 32);
        let pointer = terms.add(base, eight);
        let mut map = Substitution::new([(base, first)]);
        assert_eq!(map.apply(&mut terms, pointer), terms.add(first, eight));
    }
}
