//! Segments: unboundedly many linked objects of the same shape as one object.
//!
//! A segment stands for `length` nodes. With one link per node, it is a list from its first node to `next`. With
//! several links, it is a tree whose absent children are `next`. Without links, it is an optional object. An empty
//! segment is just an equation: the pointer to its first node equals `next`, and the pointer to its last node equals
//! `prev`. This is the meaning of `ls` in separation logic (papers: sl-dataflow, section 5).
//!
//! *Patterns* describe the nodes. A pattern is an object of the same memory that stands for no particular node. Its
//! local variables have a value of their own in each node. The path conditions on local variables hold in every node,
//! and are satisfiable even if there is no node. All other variables of a pattern mean the same in every node. A node
//! may own objects, which may be segments themselves, so that lists nest to any depth. The path from the root of a
//! tree to one of its nodes is a list, too; its link is in one of two cells of each node.
//!
//! Invariants:
//! - All nodes are live heap objects, separate from each other and from everything else.
//! - Only the first node is referred to from outside, and in a list with back links also the last node.
//! - The base of a segment is a variable, never a variable with alignment bits.
//! - A local variable occurs only in the patterns of its segment and in the path condition.

use std::collections::BTreeSet;

use cairn_smt::{Substitution, Term, Terms};

use super::pointer::ObjectId;
use super::symbolic::SymbolicMemory;

/// A list segment, a tree segment, or an optional object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The pattern of a node.
    pub node: ObjectId,
    /// The patterns of the objects that each node owns.
    pub owned: Vec<ObjectId>,
    /// The local variables, except for the bases of patterns and the links.
    pub locals: Vec<Term>,
    /// The local variables in the link cells of the node.
    pub links: Vec<Term>,
    /// The local variable in the back link cell of the node.
    pub back_link: Option<Term>,
    /// For a path through a tree: the local variable that selects the cell through which a node continues the path.
    ///
    /// One of two cells holds the link if the variable is 1, the other if it is 0.
    pub fork: Option<Term>,
    /// The offset in a node that links point to.
    pub at: u64,
    /// The value of the last link.
    ///
    /// This is the link of a list's last node, every absent child of a tree, or the pointer to an optional object
    /// that does not exist.
    pub next: Term,
    /// The ends of the back links, if nodes have back links.
    pub back: Option<Back>,
    /// A lower bound on the number of nodes.
    pub min: u32,
    /// The number of nodes, of pointer width.
    pub length: Term,
    /// For a list: how the values of some cells change from node to node.
    pub sequences: Vec<Sequence>,
}

/// The values of one cell along a list, where each value depends on the one in the previous node.
///
/// Examples are alternating colours, or a mark that may only follow certain others. The sequence is a run of an
/// automaton whose states are the values of the cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// The offset of the cell in a node.
    pub at: u64,
    /// The pairs of a value and a value that may follow it.
    ///
    /// The value in the first node follows `before`, that in every other node the value in the previous node.
    pub steps: BTreeSet<(u128, u128)>,
    /// The value before the first node; unconstrained if no node precedes the list.
    pub before: Term,
    /// The value in the last node; equal to `before` if the list is empty.
    pub last: Term,
}

/// The ends of the back links of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Back {
    /// The value of the first node's back link.
    pub prev: Term,
    /// The variable that is the address of a list's last node; `None` for a tree.
    pub last: Option<Term>,
}

/// One of the two ends of a list.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    /// The first node.
    First,
    /// The last node.
    Last,
}

impl Segment {
    /// Calls `each` with every term that is not local, except for the address of the last node.
    pub fn for_terms(&self, each: &mut dyn FnMut(Term)) {
        each(self.next);
        each(self.length);
        if let Some(back) = self.back {
            each(back.prev);
        }
        for sequence in &self.sequences {
            each(sequence.before);
            each(sequence.last);
        }
    }

    /// Returns the variable that is the address of the last node.
    pub fn last(&self) -> Option<Term> {
        self.back?.last
    }

    /// Replaces terms. The address of the last node is unchanged: callers that replace it set it themselves.
    pub fn substitute(&mut self, terms: &mut Terms, map: &mut Substitution) {
        self.next = map.apply(terms, self.next);
        self.length = map.apply(terms, self.length);
        if let Some(back) = &mut self.back {
            back.prev = map.apply(terms, back.prev);
        }
        for sequence in &mut self.sequences {
            sequence.before = map.apply(terms, sequence.before);
            sequence.last = map.apply(terms, sequence.last);
        }
    }

    /// Returns all patterns of the segment and of the segments that its nodes own, the pattern of its node first.
    pub fn patterns(&self, memory: &SymbolicMemory) -> Vec<ObjectId> {
        let mut found = vec![self.node];
        found.extend(&self.owned);
        let mut next = 1;
        while let Some(&id) = found.get(next) {
            if let Some(inner) = &memory.get(id).segment {
                found.push(inner.node);
                found.extend(&inner.owned);
            }
            next += 1;
        }
        found
    }

    /// Returns the local variables of the segment and of the segments that its nodes own.
    ///
    /// The bases of patterns are among them.
    pub fn variables(&self, memory: &SymbolicMemory) -> Vec<Term> {
        let mut found = Vec::new();
        let mut own = |segment: &Segment| {
            found.extend(segment.locals.iter().chain(&segment.links).chain(&segment.back_link));
        };
        own(self);
        let patterns = self.patterns(memory);
        patterns.iter().filter_map(|&id| memory.get(id).segment.as_deref()).for_each(&mut own);
        for id in patterns {
            let object = memory.get(id);
            found.push(object.base);
            found.extend(object.segment.as_ref().and_then(|inner| inner.last()));
        }
        found
    }
}
