//! cairn's own allocation check: the address of each object is a variable of its own, so the object of a pointer is read off
//! the linear normal form of its term, and no query is needed.

use cairn_smt::Term;
use cairn_smt::term::Node;

use super::Target;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;

impl Explorer<'_> {
    /// Reads the object and offset off a pointer's normal form.
    pub(in crate::engines::shape) fn target(&mut self, state: &State, pointer: Term) -> Target {
        if let Some(&id) = self.bases.get(&pointer) {
            let start = self.terms.constant(0, self.pointer_bits);
            return self.target_in(state, id, pointer, start);
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
            let offset = self.terms.sub(pointer, term);
            return self.target_in(state, id, term, offset);
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

    /// The target at an offset from a base of an object.
    fn target_in(&self, state: &State, id: ObjectId, base: Term, offset: Term) -> Target {
        match state.memory.find(id) {
            Some(object) => match &object.segment {
                None => Target::Object(id, offset),
                Some(_) if object.base == base => Target::Segment(id, Side::First, offset),
                Some(_) => Target::Segment(id, Side::Last, offset),
            },
            None => Target::Wild,
        }
    }
}
