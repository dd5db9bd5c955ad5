//! cairn's own allocation check: the address of each object is a variable of its own, so the object of a pointer is read off
//! the linear normal form of its term, and no query is needed.

use cairn_smt::Term;
use cairn_smt::term::Node;

use super::Target;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;

impl Explorer<'_> {
    /// Reads the object and offset off a pointer's normal form.
    pub(in crate::engines::shape) fn target(&mut self, state: &State, pointer: Term) -> Target {
        if let Some(&id) = self.bases.get(&pointer) {
            return Target::Object(id, self.terms.constant(0, self.pointer_bits));
        }
        let (mut base, mut choice) = (None, None);
        match self.terms.node(pointer) {
            Node::Const(bits) => return Target::Constant(*bits),
            Node::Sum(sum) => {
                for &(term, coefficient) in &sum.monomials {
                    if coefficient != 1 {
                        continue;
                    }
                    if let Some(&id) = self.bases.get(&term) {
                        base = base.or(Some((id, term)));
                    } else if matches!(self.terms.node(term), Node::Ite(..)) {
                        choice = choice.or(Some(term));
                    }
                }
            }
            Node::Ite(..) => choice = Some(pointer),
            _ => {}
        }
        if let Some((id, term)) = base {
            return Target::Object(id, self.terms.sub(pointer, term));
        }
        if let Some(term) = choice
            && let Node::Ite(condition, a, b) = *self.terms.node(term)
        {
            let rest = self.terms.sub(pointer, term);
            return match state.path.value(&self.terms, condition) {
                Some(truth) => {
                    let taken = self.terms.add(rest, if truth == 1 { a } else { b });
                    self.target(state, taken)
                }
                None => Target::Either(condition),
            };
        }
        match state.path.value(&self.terms, pointer) {
            Some(bits) => Target::Constant(bits),
            None => Target::Wild,
        }
    }
}
