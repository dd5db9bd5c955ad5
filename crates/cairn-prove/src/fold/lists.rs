//! Folding of lists: two linked nodes that match become one list segment.
//!
//! Two neighbours ([`crate::fold::neighbours`]) are merged by the pairing that also joins two states. Contents that
//! the nodes share stay. Contents that differ become a local variable of the segment, constrained by the conditions
//! that hold for both nodes. Folding therefore only weakens a state and never adds a fact.

use std::rc::Rc;

use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use crate::Lattice;
use crate::State;
use crate::fold::neighbours::{Neighbours, is_list};
use crate::fold::normalise::Rewrite;
use crate::fold::references::{References, Source, is_node, is_owned};
use crate::fold::skip_levels::{becomes_link, lower_levels_first};
use crate::join::pairing::{Pairing, Purpose};
use crate::limits::{MAX_FOLDS, MAX_REWRITES};
use cairn_exec::allocation::Target;
use cairn_exec::planted;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Back, Segment, Sequence, Side};
use cairn_memory::symbolic::{Initial, Object};
/// The least number that may be an address: the null page lies below it.
const LEAST_ADDRESS: u128 = 4096;

/// Whether nodes that hold different marks may be folded together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Marks {
    /// Different marks keep nodes apart, because the program distinguishes them.
    Divide,
    /// Marks are data like any other.
    Ignored,
}

/// The position of two neighbours on a path through a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forked {
    /// The variables that select the cell on the path, in the first and in the second node.
    pub(crate) forks: (Term, Term),
    /// The values of these cells.
    pub(crate) ends: (Term, Term),
}

/// The values at the ends of a segment that two neighbours are folded into.
struct Ends {
    /// The back link of the first node, if nodes have one.
    prev: Option<Term>,
    /// The links of the two nodes.
    links: (Term, Term),
    /// The value after the last node.
    next: Term,
}

/// The local variables for the links of a segment's nodes.
struct LinkVariables {
    link: Term,
    fork: Option<Term>,
    back_link: Option<Term>,
}

/// Two neighbours that were paired and may be folded.
struct MatchedNeighbours {
    ends: Ends,
    links: LinkVariables,
    /// The first node and the objects that it owns.
    lefts: FxHashSet<ObjectId>,
    /// The second node and the objects that it owns.
    rights: FxHashSet<ObjectId>,
    sequences: Vec<Sequence>,
}

impl Lattice<'_> {
    /// Folds a state until nothing more can be folded. The result covers the state.
    pub(crate) fn fold(&mut self, mut state: State) -> State {
        let mut folds = 0;
        while folds < MAX_FOLDS
            && let Some(folded) = self.fold_once(&state)
        {
            state = folded;
            folds += 1;
        }
        if folds > 0 {
            self.forget_dangling_conditions(&mut state);
        }
        state = self.complete_tables(state);
        self.bound_lengths(&mut state);
        state
    }

    /// Folds once, trying the forms that keep most of the shape first.
    fn fold_once(&mut self, state: &State) -> Option<State> {
        let folded = self.fold_tree(state).or_else(|| self.fold_whole_path(state));
        folded.or_else(|| self.fold_path(state)).or_else(|| self.fold_list(state))
    }

    fn fold_list(&mut self, state: &State) -> Option<State> {
        let nodes: Vec<ObjectId> =
            state.memory.iter().filter(|(_, object)| is_node(object)).map(|(id, _)| id).collect();
        if nodes.len() < 2 {
            return None;
        }
        let references = self.references(state);
        let neighbours: Vec<Neighbours> = nodes.iter().flat_map(|&first| self.neighbours_of(state, first)).collect();
        let neighbours: Vec<Neighbours> =
            neighbours.iter().copied().filter(|&pair| is_list(state, &neighbours, pair)).collect();
        let mut neighbours: Vec<Neighbours> = neighbours
            .into_iter()
            .filter(|pair| !self.is_tree_link(state, &references, pair.first, pair.link))
            .collect();
        lower_levels_first(state, &mut neighbours);
        for &pair in &neighbours {
            if let Some(folded) = self.fold_with_rewrites(state, &references, pair, Marks::Divide) {
                return Some(folded);
            }
        }
        for &pair in &neighbours {
            if self.marks_alternate(state, &neighbours, pair)
                && let Some(folded) = self.fold_with_rewrites(state, &references, pair, Marks::Ignored)
            {
                return Some(folded);
            }
        }
        None
    }

    /// Returns whether the pairing pairs a null pointer with a number.
    ///
    /// Objects from different allocation sites that merely have the same size are not nodes of one list.
    fn mixes_types(&mut self, state: &State, pairing: &Pairing<'_>) -> bool {
        let mut numbers =
            pairing.numbers.iter().filter(|number| self.machine.terms.width(number.0) == self.machine.pointer_bits);
        numbers.any(|&(_, x, y)| {
            let (x_value, y_value) =
                (state.path.value(&self.machine.terms, x), state.path.value(&self.machine.terms, y));
            // A cell that is known to hold a small number holds no pointer.
            let is_length = |term: Term| {
                let mut segments = state.memory.iter().filter_map(|(_, object)| object.segment.as_deref());
                segments.any(|segment| segment.length == term)
            };
            let anything = |term: Term, value: Option<u128>| {
                let large = state.path.facts(&self.machine.terms, term).max >= LEAST_ADDRESS || is_length(term);
                value.is_none() && large && !self.machine.undefined.contains(&term)
            };
            (x_value == Some(0) && anything(y, y_value)) || (y_value == Some(0) && anything(x, x_value))
        })
    }

    /// Returns whether one of two nodes has a pointer where the other has a shorter number.
    fn differ_in_layout(&self, x: &Object, y: &Object) -> bool {
        let bytes = self.machine.pointer_bits / 8;
        let shorter = |a: &Object, b: &Object| {
            a.cells().filter(|cell| cell.1 == bytes).any(|(at, ..)| b.cell_at(at).is_some_and(|cell| cell.1 < bytes))
        };
        shorter(x, y) || shorter(y, x)
    }

    /// Folds two neighbours into one segment, after rewriting the parts they own where that makes them match.
    fn fold_with_rewrites(
        &mut self,
        state: &State,
        references: &References,
        n: Neighbours,
        marks: Marks,
    ) -> Option<State> {
        let mut rewrite = None;
        if let Some(folded) = self.fold_neighbours(state, references, n, marks, None, &mut rewrite) {
            return Some(folded);
        }
        let mut rewritten = self.apply_rewrite(state, rewrite.take()?)?;
        for _ in 1..MAX_REWRITES {
            // A rewrite may have turned one neighbour into a part that the other one owns.
            if [n.first, n.second].into_iter().any(|id| !rewritten.memory.find(id).is_some_and(is_node)) {
                return None;
            }
            let references = self.references(&rewritten);
            if let Some(folded) = self.fold_neighbours(&rewritten, &references, n, marks, None, &mut rewrite) {
                return Some(folded);
            }
            rewritten = self.apply_rewrite(&rewritten, rewrite.take()?)?;
        }
        None
    }

    /// Folds two neighbours on a path through a tree into one path segment.
    pub(crate) fn fold_forked(
        &mut self,
        state: &State,
        references: &References,
        n: Neighbours,
        forked: Forked,
    ) -> Option<State> {
        self.fold_neighbours(state, references, n, Marks::Ignored, Some(forked), &mut None)
    }

    /// Folds two neighbours into one segment if they match and nothing outside tells them apart.
    fn fold_neighbours(
        &mut self,
        state: &State,
        references: &References,
        n: Neighbours,
        marks: Marks,
        forked: Option<Forked>,
        rewrite: &mut Option<Rewrite>,
    ) -> Option<State> {
        let (e, f) = (state.memory.get(n.first), state.memory.get(n.second));
        let (left, right) = (e.segment.clone(), f.segment.clone());
        let (a, b) = (node_of(state, n.first), node_of(state, n.second));
        if e.size != f.size || self.classes.differ(&e.born, &f.born) {
            return None;
        }
        let ends = self.ends_of(state, n, forked)?;
        if forked.is_none() && self.differ_in_level((state, a, &left), (state, b, &right)) {
            return None;
        }
        if forked.is_none()
            && let Some(found) = self.rewrite_for_levels(state, a, b, Some(n.link))
        {
            *rewrite = Some(found);
            return None;
        }
        let mut pairing = Pairing::new(state, state, Purpose::Merge);
        let links = self.seed_links(&mut pairing, n, &ends, forked)?;
        self.pair_objects(&mut pairing, a, b)?;
        if self.pair_pending(&mut pairing).is_none() {
            *rewrite = pairing.merge.rewrite;
            return None;
        }
        let (x, y) = (state.memory.get(a), state.memory.get(b));
        if e.born != f.born && (self.mixes_types(state, &pairing) || self.differ_in_layout(x, y)) {
            return None;
        }
        // A number that tells nodes with a part from nodes without it becomes local to the nodes. It does not divide
        // the list.
        let alternatives = self.are_alternatives(&pairing);
        if marks == Marks::Divide
            && !alternatives
            && pairing.differences.iter().any(|&difference| self.is_mark(difference))
        {
            return None;
        }
        self.assign_locals(&mut pairing)?;
        if planted!(11, !pairing.merges_levels(a, b), false) {
            return None;
        }
        let lefts: FxHashSet<ObjectId> = pairing.partners.keys().copied().collect();
        let rights: FxHashSet<ObjectId> = pairing.taken.keys().copied().collect();
        let apart = lefts.iter().all(|id| !rights.contains(id));
        let becomes_link = |source: Source| becomes_link(&pairing, source, links.link);
        // A part that every node of a segment owns must not get lost because the other node has no such part.
        let kept = |segment: &Option<Rc<Segment>>, group: &FxHashSet<ObjectId>| {
            segment.iter().flat_map(|segment| &segment.owned).all(|id| group.contains(id))
        };
        if planted!(12, !kept(&left, &lefts) || !kept(&right, &rights), false) {
            return None;
        }
        if !apart || !self.may_fold(state, references, n, ends.next, (&lefts, &rights), &becomes_link) {
            return None;
        }
        let in_order = forked.is_none() && !alternatives;
        let sequences = if in_order { self.sequences_of(state, n) } else { Vec::new() };
        self.build_segment(pairing, n, MatchedNeighbours { ends, links, lefts, rights, sequences })
    }

    /// Returns the values at the ends of the segment that two neighbours are folded into.
    ///
    /// Returns `None` if a link is missing, or if the second neighbour does not point back to the first where nodes
    /// have back links.
    fn ends_of(&mut self, state: &State, n: Neighbours, forked: Option<Forked>) -> Option<Ends> {
        let (e, f) = (state.memory.get(n.first), state.memory.get(n.second));
        let (left, right) = (&e.segment, &f.segment);
        let last_of_first = match left {
            None => e.base,
            Some(segment) => segment.last().unwrap_or(e.base),
        };
        let offset = self.machine.terms.constant(u128::from(n.at), self.machine.pointer_bits);
        let here = self.machine.terms.add(last_of_first, offset);
        let mut prev = None;
        if let Some(back) = n.back {
            let second = match right {
                None => value_at(f, back)?,
                Some(segment) => segment.back?.prev,
            };
            if planted!(13, second != here, false) {
                return None;
            }
            prev = Some(match left {
                None => value_at(e, back)?,
                Some(segment) => segment.back?.prev,
            });
        }
        let links = match forked {
            Some(forked) => forked.ends,
            None => {
                let link = |id: ObjectId| value_at(state.memory.get(node_of(state, id)), n.link);
                (link(n.first)?, link(n.second)?)
            }
        };
        let next = match right {
            None => links.1,
            Some(segment) => segment.next,
        };
        Some(Ends { prev, links, next })
    }

    /// Seeds the pairing of two neighbours with variables for their links.
    fn seed_links(
        &mut self,
        pairing: &mut Pairing<'_>,
        n: Neighbours,
        ends: &Ends,
        forked: Option<Forked>,
    ) -> Option<LinkVariables> {
        let link = self.machine.terms.variable("next", self.machine.pointer_bits);
        pairing.seed(ends.links.0, ends.links.1, link);
        pairing.merge.ends = Some(ends.links);
        let fork = forked.map(|forked| {
            let fork = self.machine.terms.variable("fork", 1);
            pairing.seed(forked.forks.0, forked.forks.1, fork);
            fork
        });
        let back_link = match n.back {
            Some(back) => {
                // In a cycle of two nodes, the link and the back link have the same values and cannot be told apart.
                let state = pairing.old;
                let value = |id: ObjectId| value_at(state.memory.get(node_of(state, id)), back);
                let backs = (value(n.first)?, value(n.second)?);
                if backs == ends.links {
                    return None;
                }
                let variable = self.machine.terms.variable("prev", self.machine.pointer_bits);
                pairing.seed(backs.0, backs.1, variable);
                Some(variable)
            }
            None => None,
        };
        Some(LinkVariables { link, fork, back_link })
    }

    /// Replaces two neighbours by the segment that their pairing describes.
    fn build_segment(&mut self, pairing: Pairing<'_>, n: Neighbours, merged: MatchedNeighbours) -> Option<State> {
        let MatchedNeighbours { ends, links: LinkVariables { link, fork, back_link }, lefts, rights, sequences } =
            merged;
        let state = pairing.old;
        let (e, f) = (state.memory.get(n.first), state.memory.get(n.second));
        let (left, right) = (&e.segment, &f.segment);
        let node = node_of(state, n.second);
        let path = self.joined_path(&pairing);
        let inner: FxHashSet<Term> = rights
            .iter()
            .filter_map(|&id| pairing.result.memory.get(id).segment.as_ref())
            .flat_map(|segment| segment.locals.clone())
            .collect();
        let own = pairing.fresh.iter().copied().filter(|variable| !inner.contains(variable));
        let locals: Vec<Term> = own.chain(fork).collect();
        let mut folded = pairing.result;
        folded.path = path;
        let one = self.machine.terms.constant(1, self.machine.pointer_bits);
        let count = |segment: &Option<Rc<Segment>>| segment.as_ref().map_or((one, 1), |s| (s.length, s.min));
        let ((length, min), (more, more_min)) = (count(left), count(right));
        let length = planted!(20, self.machine.terms.add(length, more), length);

        // The second node becomes the pattern in place, and the first node is removed. Patterns of segments that the
        // nodes own stay with these segments.
        let nested: FxHashSet<ObjectId> = rights
            .iter()
            .filter_map(|&id| folded.memory.get(id).segment.clone())
            .flat_map(|segment| std::iter::once(segment.node).chain(segment.owned.clone()).collect::<Vec<_>>())
            .collect();
        let owned: Vec<ObjectId> = rights.iter().copied().filter(|id| *id != node && !nested.contains(id)).collect();
        self.make_patterns(&mut folded, &rights);
        let mut whole = e.clone();
        for id in lefts {
            folded.memory.remove(id);
        }
        for (id, segment) in [(n.first, left), (n.second, right)] {
            if segment.is_some() {
                folded.memory.remove(id);
            }
        }

        // Both ends get new address variables, because an address variable belongs to one object in all states.
        let mut outside = Substitution::default();
        let mut rename = |lattice: &mut Self, old: Term| {
            let new = lattice.machine.terms.variable("address", lattice.machine.pointer_bits);
            folded.path.give(new, lattice.machine.terms.evaluate(old, folded.path.model()));
            lattice.map_base(&mut outside, old, new);
            new
        };
        whole.base = rename(self, e.base);
        let last = match right {
            Some(segment) => segment.last(),
            None => Some(f.base),
        };
        let back = match (ends.prev, last) {
            (Some(prev), Some(last)) => Some(Back { prev, last: Some(rename(self, last)) }),
            _ => None,
        };
        whole.forget(Initial::Undefined);
        whole.segment = Some(Rc::new(Segment {
            node,
            owned,
            locals,
            links: vec![link],
            back_link,
            fork,
            at: n.at,
            next: planted!(21, ends.next, self.machine.terms.constant(0, self.machine.pointer_bits)),
            back,
            min: planted!(19, min.saturating_add(more_min), min.saturating_add(more_min) + 1),
            length,
            sequences,
        }));
        if fork.is_none() {
            self.remember_link(e, n.link);
        }
        self.put(&mut folded, whole);
        self.replace(folded, &mut outside)
    }

    /// Turns objects into patterns. A pattern is no concrete object, and its address is a plain variable.
    pub(crate) fn make_patterns(&mut self, state: &mut State, ids: &FxHashSet<ObjectId>) {
        let mut inside = Substitution::default();
        for &id in ids {
            let object = state.memory.get_mut(id);
            object.pattern = true;
            if object.segment.is_some() || matches!(self.machine.terms.node(object.base), cairn_smt::term::Node::Var(_))
            {
                continue;
            }
            let base = self.machine.terms.variable("address", self.machine.pointer_bits);
            state.path.give(base, self.machine.terms.evaluate(object.base, state.path.model()));
            self.map_base(&mut inside, object.base, base);
            object.base = base;
            self.machine.bases.insert(base, id);
        }
        for &id in ids {
            state.memory.get_mut(id).substitute(&mut self.machine.terms, &mut inside);
        }
    }

    /// Bounds the lengths of all segments.
    ///
    /// Nodes are disjoint in memory and aligned, so there are fewer nodes than addresses, and counting them does not
    /// wrap around.
    pub(crate) fn bound_lengths(&mut self, state: &mut State) {
        let lengths: Vec<Term> = state.memory.iter().filter_map(|(_, o)| Some(o.segment.as_ref()?.length)).collect();
        let most = self.machine.terms.constant(1 << (self.machine.pointer_bits - 4), self.machine.pointer_bits);
        for length in lengths {
            let bounded = self.machine.terms.ult(length, most);
            let known = state.path.conditions().contains(&bounded);
            if !known && self.machine.terms.evaluate(bounded, state.path.model()) == 1 {
                state.path.assume(&self.machine.terms, bounded, None);
            }
        }
    }

    /// Maps the base of an object, and the variable for its upper bits, to a new address variable.
    pub(crate) fn map_base(&mut self, map: &mut Substitution, base: Term, variable: Term) {
        map.insert(base, variable);
        if let Some(&high) = self.machine.terms.variables_of(base).first()
            && high != base
        {
            let (all, bits) = (self.machine.pointer_bits, self.machine.terms.width(high));
            let part = self.machine.terms.extract(variable, all - bits, bits);
            map.insert(high, part);
        }
    }

    /// Returns whether only the links and the ends tell the nodes of a future segment apart.
    fn may_fold(
        &mut self,
        state: &State,
        references: &References,
        n: Neighbours,
        next: Term,
        (lefts, rights): (&FxHashSet<ObjectId>, &FxHashSet<ObjectId>),
        becomes_link: &dyn Fn(Source) -> bool,
    ) -> bool {
        let (left, right) = (&state.memory.get(n.first).segment, &state.memory.get(n.second).segment);
        let none = Vec::new();
        let to = |id: ObjectId| references.to.get(&id).unwrap_or(&none).iter();
        let involved = [n.first, n.second];
        let of_left = |source: Source| source.object().is_some_and(|id| id == n.first || lefts.contains(&id));
        let of_right = |source: Source| source.object().is_some_and(|id| id == n.second || rights.contains(&id));
        if involved.iter().chain(lefts).chain(rights).any(|id| references.hidden.contains(id)) {
            return false;
        }
        // The pointers that become the link and the back link of the segment.
        let link = |id: ObjectId, segment: &Option<Rc<Segment>>, source: Source| match segment {
            None => source == Source::Cell(id, n.link),
            Some(_) => source == Source::Next(id),
        };
        let back = |id: ObjectId, segment: &Option<Rc<Segment>>, source: Source| match segment {
            None => n.back.is_some_and(|back| source == Source::Cell(id, back)),
            Some(_) => source == Source::Prev(id),
        };
        // Any pointer may lead to the first node, but of the second node's cells only its link and its back link.
        let first = to(n.first).all(|r| match (left, r.side) {
            (Some(_), Side::Last) => back(n.second, right, r.source),
            _ if of_right(r.source) => link(n.second, right, r.source) || back(n.second, right, r.source),
            _ => true,
        });
        // Only the link leads to the second node, and in a doubly linked list also the back link of its successor.
        let successor = match self.any_target(state, next) {
            Target::Object(id, _) | Target::Segment(id, ..) => Some(id),
            _ => None,
        };
        let second = to(n.second).all(|r| match (right, r.side) {
            (Some(_), Side::Last) => true,
            _ if of_left(r.source) => {
                let linked = link(n.first, left, r.source) || becomes_link(r.source);
                (linked || (right.is_none() && back(n.first, left, r.source))) && r.offset == Some(n.at)
            }
            (None, _) if of_right(r.source) => true,
            (None, _) => {
                n.back.is_some()
                    && r.offset == Some(n.at)
                    && r.source.object().is_some()
                    && r.source.object() == successor
            }
            (Some(_), _) => false,
        });
        // Only the node itself points to the parts that it owns. An object that all nodes of a segment point to and
        // that is no pattern is shared by all of them. It is not one object for each node.
        let alone = |group: &FxHashSet<ObjectId>, id: ObjectId, segment: &Option<Rc<Segment>>| {
            let node = segment.as_ref().map_or(id, |segment| segment.node);
            group.iter().filter(|&&id| id != node).all(|&id| {
                let object = state.memory.get(id);
                is_owned(object)
                    && planted!(18, object.pattern || segment.is_none(), true)
                    && to(id).all(|r| r.source.object().is_some_and(|from| from == node || group.contains(&from)))
            })
        };
        planted!(14, first, true)
            && planted!(15, second, true)
            && planted!(16, alone(lefts, n.first, left), true)
            && planted!(17, alone(rights, n.second, right), true)
    }
}

/// Returns the id of a node, or of the pattern of a segment's nodes.
fn node_of(state: &State, id: ObjectId) -> ObjectId {
    state.memory.get(id).segment.as_ref().map_or(id, |segment| segment.node)
}

/// Returns the value of the cell that contains an offset.
fn value_at(object: &Object, at: u64) -> Option<Term> {
    object.cell_at(at).map(|(_, _, value)| value)
}
