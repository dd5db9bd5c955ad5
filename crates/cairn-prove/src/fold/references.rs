//! The pointers of a state, by the objects that they point to.

use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use cairn_exec::Carried;
use cairn_exec::allocation::Target;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;
use cairn_memory::symbolic::Object;

/// The origin of a reference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A register, or another value that is in no object.
    Root,
    /// A cell of an object.
    Cell(ObjectId, u64),
    /// The `next` pointer of a segment.
    Next(ObjectId),
    /// The `prev` pointer of a segment.
    Prev(ObjectId),
}

impl Source {
    pub(crate) fn object(self) -> Option<ObjectId> {
        match self {
            Source::Root => None,
            Source::Cell(id, _) | Source::Next(id) | Source::Prev(id) => Some(id),
        }
    }
}

/// A pointer to an object or to one end of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reference {
    pub(crate) source: Source,
    pub(crate) side: Side,
    /// The offset in the object that it points to; `None` if that is not a constant.
    pub(crate) offset: Option<u64>,
}

/// All pointers of a state.
#[derive(Default)]
pub(crate) struct References {
    pub(crate) to: FxHashMap<ObjectId, Vec<Reference>>,
    /// Objects whose address occurs in a value that is no pointer to them.
    pub(crate) hidden: FxHashSet<ObjectId>,
}

impl References {
    /// Returns whether all pointers to an object come from the objects of a group.
    pub(crate) fn only_from(&self, id: ObjectId, group: &FxHashSet<ObjectId>) -> bool {
        let inside = |source: Source| source.object().is_some_and(|from| group.contains(&from));
        self.to.get(&id).into_iter().flatten().all(|r| inside(r.source))
    }
}

impl Lattice<'_> {
    /// Collects all pointers of a state.
    pub(crate) fn references(&mut self, state: &State) -> References {
        let mut references = References::default();
        for value in state.frames.iter().flat_map(|frame| frame.regs.iter().flatten()) {
            self.refer(state, *value, Source::Root, &mut references);
        }
        for (buffer, _) in state.jumps.iter() {
            self.refer(state, *buffer, Source::Root, &mut references);
        }
        for &Carried { value, .. } in state.extra.cut.iter() {
            self.refer(state, value, Source::Root, &mut references);
        }
        for (id, object) in state.memory.iter() {
            self.refer(state, object.size, Source::Root, &mut references);
            if object.end != End::Live {
                continue;
            }
            for (at, _, value) in object.cells() {
                self.refer(state, value, Source::Cell(id, at), &mut references);
            }
            // No fold follows a value at a symbolic offset, so that its target must stay as it is.
            for indexed in object.indexed() {
                self.refer(state, indexed.at, Source::Root, &mut references);
                self.refer(state, indexed.term, Source::Root, &mut references);
            }
            if let Some(segment) = object.segment.clone() {
                for sequence in &segment.sequences {
                    self.refer(state, sequence.before, Source::Root, &mut references);
                    self.refer(state, sequence.last, Source::Root, &mut references);
                }
                self.refer(state, segment.length, Source::Root, &mut references);
                self.refer(state, segment.next, Source::Next(id), &mut references);
                if let Some(back) = segment.back {
                    self.refer(state, back.prev, Source::Prev(id), &mut references);
                }
            }
        }
        references
    }

    fn refer(&mut self, state: &State, value: Term, source: Source, references: &mut References) {
        if self.machine.terms.as_const(value).is_some() {
            return;
        }
        // A cell on a path through a tree may hold either of two pointers.
        if let Node::Ite(fork, one, other) = *self.machine.terms.node(value)
            && state.path.value(&self.machine.terms, fork).is_none()
        {
            self.refer(state, one, source, references);
            self.refer(state, other, source, references);
            return;
        }
        let found = if self.machine.terms.width(value) == self.machine.pointer_bits {
            match self.any_target(state, value) {
                Target::Object(id, offset) => Some((id, Side::First, offset)),
                Target::Segment(id, side, offset) => Some((id, side, offset)),
                _ => None,
            }
        } else {
            None
        };
        let mut rest = value;
        if let Some((id, side, offset)) = found {
            rest = offset;
            let offset = self.machine.terms.as_const(offset).map(|offset| offset as u64);
            references.to.entry(id).or_default().push(Reference { source, side, offset });
        }
        self.mentioned(rest, &mut FxHashSet::default(), |id| {
            references.hidden.insert(id);
        });
    }

    /// Returns the node that a value points to, as an object or as the first node of a segment, and the offset in it.
    pub(crate) fn node_at(&mut self, state: &State, value: Term) -> Option<(ObjectId, u64)> {
        let (id, offset) = match self.any_target(state, value) {
            Target::Object(id, offset) | Target::Segment(id, Side::First, offset) => (id, offset),
            _ => return None,
        };
        let offset = self.machine.terms.as_const(offset)? as u64;
        is_node(state.memory.get(id)).then_some((id, offset))
    }

    /// Returns the pointer to an offset in an object.
    pub(crate) fn pointer_at(&mut self, state: &State, id: ObjectId, at: u64) -> Term {
        let at = self.machine.terms.constant(u128::from(at), self.machine.pointer_bits);
        self.machine.terms.add(state.memory.get(id).base, at)
    }
}

/// Returns whether an object is a node, or a segment of nodes, that may be folded.
pub(crate) fn is_node(object: &Object) -> bool {
    !object.pattern && is_owned(object)
}

/// Returns whether a node may own an object.
pub(crate) fn is_owned(object: &Object) -> bool {
    object.kind == ObjectKind::Heap && object.end == End::Live
}
