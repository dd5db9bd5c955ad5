//! Ownership in the pairing of two states: separation is never invented.
//!
//! The patterns of a segment say that each node has objects of its own, apart from those of all other nodes. An object
//! may therefore be paired with a pattern only if it exists once per node in its own state as well. Otherwise a list
//! whose nodes all point to one item would be covered by a list whose nodes own an item each, and freeing the items
//! would be proved safe. The same holds for nested segments: an item that the inner nodes of an outer node share is
//! not one item per inner node.

use rustc_hash::FxHashMap;

use crate::join::pairing::Pairing;
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::SymbolicMemory;

/// The segment that each pattern belongs to directly.
pub(crate) struct Owners(FxHashMap<ObjectId, ObjectId>);

impl Owners {
    /// Returns the owners of the patterns of a memory.
    pub(crate) fn of(memory: &SymbolicMemory) -> Self {
        let mut owners = FxHashMap::default();
        for (id, object) in memory.iter() {
            if let Some(segment) = &object.segment {
                owners.extend(std::iter::once(segment.node).chain(segment.owned.iter().copied()).map(|own| (own, id)));
            }
        }
        Self(owners)
    }

    /// Returns the segment that a pattern belongs to; `None` for an object that exists.
    pub(crate) fn get(&self, id: ObjectId) -> Option<ObjectId> {
        self.0.get(&id).copied()
    }
}

impl Pairing<'_> {
    /// Returns whether each object of the new state belongs to the partner of the segment that its own partner belongs
    /// to.
    ///
    /// If the new state has a single node in place of that segment, the objects exist beside this node.
    pub(crate) fn keeps_ownership(&self) -> bool {
        let (new, old) = (Owners::of(&self.new.memory), Owners::of(&self.old.memory));
        self.taken.iter().all(|(&b, &a)| {
            let expected = match old.get(b) {
                None => None,
                Some(segment) => match self.taken.get(&segment) {
                    Some(&node) if self.new.memory.get(node).segment.is_none() => new.get(node),
                    Some(&partner) => Some(partner),
                    None => return false,
                },
            };
            new.get(a) == expected
        })
    }

    /// Returns whether two nodes of one state have their objects paired level by level.
    pub(crate) fn merges_levels(&self, left: ObjectId, right: ObjectId) -> bool {
        let owners = Owners::of(&self.old.memory);
        let (top_left, top_right) = (owners.get(left), owners.get(right));
        self.partners.iter().all(|(&a, &b)| match (owners.get(a), owners.get(b)) {
            (x, y) if x == top_left && y == top_right => true,
            (Some(x), Some(y)) => self.partners.get(&x) == Some(&y),
            _ => false,
        })
    }
}
