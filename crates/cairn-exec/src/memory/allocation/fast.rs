//! The default allocation check, which needs no query.
//!
//! The address of each object is a variable of its own. The object of a pointer can therefore be read off the linear
//! normal form of the pointer's term.

use cairn_smt::Term;
use cairn_smt::term::Node;

use super::Target;
use crate::state::State;
use crate::{Machine, Mode};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;

impl<M: Mode> Machine<'_, M> {
    /// Reads the object and the offset off a pointer's normal form.
    ///
    /// The address of a pattern is local to the nodes of its segment. Outside of the segment it is the address of nothing that is
    /// known, and an access through it must not change the nodes.
    pub fn target(&mut self, state: &State<M>, pointer: Term) -> Target {
        match self.any_target(state, pointer) {
            Target::Object(id, _) | Target::Segment(id, ..) if state.memory.get(id).pattern => Target::Wild,
            target => target,
        }
    }

    /// Like [`Self::target`], for values inside of patterns, which may point to other patterns of the same node.
    pub fn any_target(&mut self, state: &State<M>, pointer: Term) -> Target {
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
                    self.any_target(state, taken)
                }
                None => Target::Either(condition),
            };
        }
        match state.path.value(&self.terms, pointer) {
            Some(bits) => Target::Constant(bits),
            None => Target::Wild,
        }
    }

    /// Returns the target at an offset from a base address of an object.
    fn target_in(&self, state: &State<M>, id: ObjectId, base: Term, offset: Term) -> Target {
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
