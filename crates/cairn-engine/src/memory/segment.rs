//! Many objects as one: nodes that hang together by links and are all alike.
//!
//! A segment stands for `length` nodes. With one link per node it is a list from its first node to `next`; with several it is a
//! tree whose absent children are `next`; with none it is an object that is there or not. An empty segment is nothing but the
//! equation that the pointer to its first node equals `next` (and that to its last equals `prev`), as for `ls` in
//! separation logic (papers: sl-dataflow, section 5).
//!
//! What every node is like is said by *patterns*: objects of the same memory that stand for no node in particular. Their local
//! variables have values of their own in each node; what the path says of local variables holds in every node, and of at
//! least one choice of values even where there is no node. All other variables in a pattern mean the same in every node. A node
//! may own objects, and these may be segments: lists of lists to any depth. A path from the root of a tree to one of its nodes is a
//! list, too, whose link is in one of two cells of each node.
//!
//! Invariants: all nodes are live heap objects, apart from each other and from everything else; nothing outside refers to a node
//! except to the first, and in a list with back links to the last; the base of a segment is a variable, never aligned bits; a
//! local variable occurs in the patterns of its segment and in the path, nowhere else.

use std::collections::BTreeSet;

use cairn_smt::{Substitution, Term, Terms};

use super::pointer::ObjectId;
use super::symbolic::SymbolicMemory;

/// Nodes in a row, or a tree of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Segment {
    /// The pattern of a node.
    pub node: ObjectId,
    /// The patterns of what each node owns.
    pub owned: Vec<ObjectId>,
    /// The local variables, apart from the bases of patterns and from links.
    pub locals: Vec<Term>,
    /// The local variables that stand in the link cells of the node.
    pub links: Vec<Term>,
    /// The local variable that stands in the back link cell of the node.
    pub back_link: Option<Term>,
    /// For a path through a tree: the local variable that says by which of two cells a node leads on. One of them holds the link
    /// where it is 1, the other where it is 0.
    pub fork: Option<Term>,
    /// The offset inside a node at which links point.
    pub at: u64,
    /// What the last link holds: that of a list's last node, every absent child of a tree, or the pointer to an object that is
    /// not there.
    pub next: Term,
    /// For nodes that point back.
    pub back: Option<Back>,
    /// There are at least that many nodes.
    pub min: u32,
    /// How many nodes there are; of pointer width.
    pub length: Term,
    /// For a list: what some of the cells hold from node to node.
    pub sequences: Vec<Sequence>,
}

/// What one cell holds along a list, where that depends on what it holds in the node before: colours that take turns, a mark that
/// only certain others follow. A run of an automaton whose states are the values of the cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sequence {
    /// The offset of the cell in a node.
    pub at: u64,
    /// Which value follows which: in the first node one that follows `before`, in every other one that follows the value of the
    /// node before it.
    pub steps: BTreeSet<(u128, u128)>,
    /// What comes before the first node; any value, where no node does.
    pub before: Term,
    /// What the cell of the last node holds. In a list without nodes it is what comes before.
    pub last: Term,
}

/// The other direction of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Back {
    /// What the back link of the first node holds.
    pub prev: Term,
    /// The variable that is the address of a list's last node. A tree has none.
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

    /// The variable that is the address of the last node.
    pub fn last(&self) -> Option<Term> {
        self.back?.last
    }

    /// The same with terms replaced. The address of the last node stays as it is: whoever replaces it sets it.
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

    /// Every pattern of the segment and of those segments that its nodes own, the node's own first.
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

    /// The local variables of the segment and of those that its nodes own, bases of patterns among them.
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
