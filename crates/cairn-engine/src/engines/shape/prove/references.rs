//! Who points to what in a state.

use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;
use crate::memory::symbolic::Object;

/// Where a reference comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A register or something else that is no object.
    Root,
    /// A cell of an object.
    Cell(ObjectId, u64),
    /// What follows a segment.
    Next(ObjectId),
    /// What comes before a segment.
    Prev(ObjectId),
}

impl Source {
    pub(super) fn object(self) -> Option<ObjectId> {
        match self {
            Source::Root => None,
            Source::Cell(id, _) | Source::Next(id) | Source::Prev(id) => Some(id),
        }
    }
}

/// A pointer to an object or to the end of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) source: Source,
    pub(super) side: Side,
    /// Where in the object it points; `None` where that varies.
    pub(super) offset: Option<u64>,
}

/// Who points to what.
#[derive(Default)]
pub(super) struct References {
    pub(super) to: FxHashMap<ObjectId, Vec<Reference>>,
    /// Objects whose address occurs where it is no pointer.
    pub(super) hidden: FxHashSet<ObjectId>,
}

impl References {
    /// Whether all pointers to an object come from a group.
    pub(super) fn only_from(&self, id: ObjectId, group: &FxHashSet<ObjectId>) -> bool {
        let inside = |source: Source| source.object().is_some_and(|from| group.contains(&from));
        self.to.get(&id).into_iter().flatten().all(|r| inside(r.source))
    }
}

impl Explorer<'_> {
    /// All pointers of a state.
    pub(super) fn references(&mut self, state: &State) -> References {
        let mut references = References::default();
        for value in state.frames.iter().flat_map(|frame| frame.regs.iter().flatten()) {
            self.refer(state, *value, Source::Root, &mut references);
        }
        for (buffer, _) in state.jumps.iter() {
            self.refer(state, *buffer, Source::Root, &mut references);
        }
        for &value in state.cut.iter() {
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
            if let Some(segment) = object.segment.clone() {
                self.refer(state, segment.next, Source::Next(id), &mut references);
                if let Some(back) = segment.back {
                    self.refer(state, back.prev, Source::Prev(id), &mut references);
                }
            }
        }
        references
    }

    fn refer(&mut self, state: &State, value: Term, source: Source, references: &mut References) {
        if self.terms.as_const(value).is_some() {
            return;
        }
        // The two ways of a path through a tree are pointers both.
        if let Node::Ite(fork, one, other) = *self.terms.node(value)
            && state.path.value(&self.terms, fork).is_none()
        {
            self.refer(state, one, source, references);
            self.refer(state, other, source, references);
            return;
        }
        let found = if self.terms.width(value) == self.pointer_bits {
            match self.target(state, value) {
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
            let offset = self.terms.as_const(offset).map(|offset| offset as u64);
            references.to.entry(id).or_default().push(Reference { source, side, offset });
        }
        self.mentioned(rest, &mut FxHashSet::default(), |id| {
            references.hidden.insert(id);
        });
    }

    /// The node that a value points to, as an object or as the first of a segment, and where in it.
    pub(super) fn node_at(&mut self, state: &State, value: Term) -> Option<(ObjectId, u64)> {
        let (id, offset) = match self.target(state, value) {
            Target::Object(id, offset) | Target::Segment(id, Side::First, offset) => (id, offset),
            _ => return None,
        };
        let offset = self.terms.as_const(offset)? as u64;
        is_node(state.memory.get(id)).then_some((id, offset))
    }

    /// The pointer to a place in an object.
    pub(super) fn pointer_at(&mut self, state: &State, id: ObjectId, at: u64) -> Term {
        let at = self.terms.constant(u128::from(at), self.pointer_bits);
        self.terms.add(state.memory.get(id).base, at)
    }
}

/// Whether an object is or has nodes that may be folded.
pub(super) fn is_node(object: &Object) -> bool {
    !object.pattern && is_owned(object)
}

/// Whether an object can belong to a node.
pub(super) fn is_owned(object: &Object) -> bool {
    object.kind == ObjectKind::Heap && object.end == End::Live
}
