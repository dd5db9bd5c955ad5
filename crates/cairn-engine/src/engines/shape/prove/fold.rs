//! Folding: neighbours that hang together by a link and are alike become one segment.
//!
//! Two neighbours ([`super::neighbours`]) become one by pairing them as two states are paired: what they share stays, what differs becomes a
//! local variable of which the path says what both satisfy. So folding weakens a state and never invents anything.

use std::rc::Rc;

use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use super::fit::Wish;
use super::levels::{leads_on, lower_levels_first};
use super::neighbours::{Neighbours, is_row};
use super::pair::{Pairing, Purpose};
use super::references::{References, Source, is_node, is_owned};
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::{Back, Segment, Side};
use crate::memory::symbolic::Object;

/// Folds of one state after which it is left as it is.
const MAX_FOLDS: usize = 200;

/// Changes that are made to let two nodes fit.
const MAX_WISHES: usize = 12;

/// Numbers below this are no addresses.
const LEAST_ADDRESS: u128 = 4096;

/// Whether nodes that hold different marks become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Marks {
    /// They stay apart: the program tells these nodes from one another.
    Divide,
    /// They are data as any other.
    Ignored,
}

/// How two neighbours lie on a path through a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Forked {
    /// The variables that say which cell of each is on the path.
    pub(super) forks: (Term, Term),
    /// What that cell holds.
    pub(super) ends: (Term, Term),
}

impl Explorer<'_> {
    /// Folds what can be folded. The result covers the state.
    pub(super) fn fold(&mut self, mut state: State) -> State {
        let mut folds = 0;
        while folds < MAX_FOLDS
            && let Some(folded) = self.fold_any(&state)
        {
            state = folded;
            folds += 1;
        }
        if folds > 0 {
            self.forget_dangling(&mut state);
        }
        state = self.complete_tables(state);
        self.bound_lengths(&mut state);
        state
    }

    /// Folds once, by what says most about the shape.
    fn fold_any(&mut self, state: &State) -> Option<State> {
        let folded = self.fold_tree(state).or_else(|| self.fold_whole_path(state));
        folded.or_else(|| self.fold_path(state)).or_else(|| self.fold_once(state))
    }

    fn fold_once(&mut self, state: &State) -> Option<State> {
        let nodes: Vec<ObjectId> =
            state.memory.iter().filter(|(_, object)| is_node(object)).map(|(id, _)| id).collect();
        if nodes.len() < 2 {
            return None;
        }
        let references = self.references(state);
        let neighbours: Vec<Neighbours> = nodes.iter().flat_map(|&first| self.neighbours_of(state, first)).collect();
        let neighbours: Vec<Neighbours> =
            neighbours.iter().copied().filter(|&pair| is_row(state, &neighbours, pair)).collect();
        let mut neighbours: Vec<Neighbours> = neighbours
            .into_iter()
            .filter(|pair| !self.is_tree_link(state, &references, pair.first, pair.link))
            .collect();
        lower_levels_first(state, &mut neighbours);
        for &pair in &neighbours {
            if let Some(folded) = self.fold_fitting(state, &references, pair, Marks::Divide) {
                return Some(folded);
            }
        }
        for &pair in &neighbours {
            if self.marks_take_turns(state, &neighbours, pair)
                && let Some(folded) = self.fold_fitting(state, &references, pair, Marks::Ignored)
            {
                return Some(folded);
            }
        }
        None
    }

    /// Whether a null pointer would be paired with a number: objects that come from different places and merely have the same size
    /// are not nodes of one list.
    fn mixes_types(&mut self, state: &State, pairing: &Pairing<'_>) -> bool {
        let mut numbers = pairing.numbers.iter().filter(|number| self.terms.width(number.0) == self.pointer_bits);
        numbers.any(|&(_, x, y)| {
            let (x_value, y_value) = (state.path.value(&self.terms, x), state.path.value(&self.terms, y));
            // A cell that is known to hold a small number holds no pointer.
            let is_length = |term: Term| {
                let mut segments = state.memory.iter().filter_map(|(_, object)| object.segment.as_deref());
                segments.any(|segment| segment.length == term)
            };
            let anything = |term: Term, value: Option<u128>| {
                let large = state.path.facts(&self.terms, term).max >= LEAST_ADDRESS || is_length(term);
                value.is_none() && large && !self.undefined.contains(&term)
            };
            (x_value == Some(0) && anything(y, y_value)) || (y_value == Some(0) && anything(x, x_value))
        })
    }

    /// Whether one of two nodes has a pointer where the other has a shorter number.
    fn differ_in_layout(&self, x: &Object, y: &Object) -> bool {
        let bytes = self.pointer_bits / 8;
        let shorter = |a: &Object, b: &Object| {
            a.cells().filter(|cell| cell.1 == bytes).any(|(at, ..)| b.cell_at(at).is_some_and(|cell| cell.1 < bytes))
        };
        shorter(x, y) || shorter(y, x)
    }

    /// Makes one segment of two neighbours, after what they own was made to fit where that is possible.
    fn fold_fitting(&mut self, state: &State, references: &References, n: Neighbours, marks: Marks) -> Option<State> {
        let mut wish = None;
        if let Some(folded) = self.fold_neighbours(state, references, n, marks, None, &mut wish) {
            return Some(folded);
        }
        let mut fitted = self.grant(state, wish.take()?)?;
        for _ in 1..MAX_WISHES {
            // A neighbour that has become something that the other one owns is none any more.
            if [n.first, n.second].into_iter().any(|id| !fitted.memory.find(id).is_some_and(is_node)) {
                return None;
            }
            let references = self.references(&fitted);
            if let Some(folded) = self.fold_neighbours(&fitted, &references, n, marks, None, &mut wish) {
                return Some(folded);
            }
            fitted = self.grant(&fitted, wish.take()?)?;
        }
        None
    }

    /// Makes one path of two neighbours on a path through a tree.
    pub(super) fn fold_forked(
        &mut self,
        state: &State,
        references: &References,
        n: Neighbours,
        forked: Forked,
    ) -> Option<State> {
        self.fold_neighbours(state, references, n, Marks::Ignored, Some(forked), &mut None)
    }

    /// Makes one segment of two neighbours, if they are alike and nothing else needs to tell them apart.
    fn fold_neighbours(
        &mut self,
        state: &State,
        references: &References,
        n: Neighbours,
        marks: Marks,
        forked: Option<Forked>,
        wish: &mut Option<Wish>,
    ) -> Option<State> {
        let (e, f) = (state.memory.get(n.first), state.memory.get(n.second));
        let (left, right) = (e.segment.clone(), f.segment.clone());
        let cell = |object: &Object, at: u64| object.cell_at(at).map(|(_, _, value)| value);
        let node_of = |id: ObjectId, segment: &Option<Rc<Segment>>| segment.as_ref().map_or(id, |s| s.node);
        let (a, b) = (node_of(n.first, &left), node_of(n.second, &right));
        let (x, y) = (state.memory.get(a), state.memory.get(b));
        if e.size != f.size || self.kinds.differ(&e.born, &f.born) {
            return None;
        }
        // Both point back or neither does, and the second points back to the first.
        let last_of_first = match &left {
            None => e.base,
            Some(segment) => segment.last().unwrap_or(e.base),
        };
        let offset = self.terms.constant(u128::from(n.at), self.pointer_bits);
        let here = self.terms.add(last_of_first, offset);
        let mut prev = None;
        if let Some(back) = n.back {
            let second = match &right {
                None => cell(f, back)?,
                Some(segment) => segment.back?.prev,
            };
            if second != here {
                return None;
            }
            prev = Some(match &left {
                None => cell(e, back)?,
                Some(segment) => segment.back?.prev,
            });
        }
        let ends = match forked {
            Some(forked) => forked.ends,
            None => (cell(x, n.link)?, cell(y, n.link)?),
        };
        let next = match &right {
            None => ends.1,
            Some(segment) => segment.next,
        };

        if forked.is_none() && self.differ_in_level((state, a, &left), (state, b, &right)) {
            return None;
        }
        if forked.is_none()
            && let Some(found) = self.level_wish(state, a, b, Some(n.link))
        {
            *wish = Some(found);
            return None;
        }
        let mut pairing = Pairing::new(state, state, Purpose::Merge);
        let link = self.terms.variable("next", self.pointer_bits);
        pairing.seed(ends.0, ends.1, link);
        pairing.ends = Some(ends);
        let fork = forked.map(|forked| {
            let fork = self.terms.variable("fork", 1);
            pairing.seed(forked.forks.0, forked.forks.1, fork);
            fork
        });
        let back_link = match n.back {
            Some(back) => {
                // Two nodes in a cycle of their own: one cell could not be told from the other.
                let backs = (cell(x, back)?, cell(y, back)?);
                if backs == ends {
                    return None;
                }
                let variable = self.terms.variable("prev", self.pointer_bits);
                pairing.seed(backs.0, backs.1, variable);
                Some(variable)
            }
            None => None,
        };
        self.pair_objects(&mut pairing, a, b)?;
        if self.pair_what_waits(&mut pairing).is_none() {
            *wish = pairing.wish;
            return None;
        }
        if e.born != f.born && (self.mixes_types(state, &pairing) || self.differ_in_layout(x, y)) {
            return None;
        }
        // What tells the kinds of nodes apart goes with them and divides no list.
        let alternatives = self.are_alternatives(&pairing);
        if marks == Marks::Divide && !alternatives && pairing.constants.iter().any(|&constants| self.is_mark(constants))
        {
            return None;
        }
        self.settle_locals(&mut pairing)?;
        let lefts: FxHashSet<ObjectId> = pairing.partners.keys().copied().collect();
        let rights: FxHashSet<ObjectId> = pairing.taken.keys().copied().collect();
        let apart = lefts.iter().all(|id| !rights.contains(id));
        let leads_on = |source: Source| leads_on(&pairing, source, link);
        // What every node of a segment owns may not get lost where another one has nothing.
        let kept = |segment: &Option<Rc<Segment>>, group: &FxHashSet<ObjectId>| {
            segment.iter().flat_map(|segment| &segment.owned).all(|id| group.contains(id))
        };
        // What all nodes of a segment point to is one thing that they share, and not one for each.
        let of_each = |segment: &Option<Rc<Segment>>, group: &FxHashSet<ObjectId>| {
            segment.is_none() || group.iter().all(|&id| state.memory.get(id).pattern)
        };
        if !of_each(&left, &lefts) || !of_each(&right, &rights) {
            return None;
        }
        if !kept(&left, &lefts) || !kept(&right, &rights) {
            return None;
        }
        if !apart || !self.may_fold(state, references, n, next, (&lefts, &rights), &leads_on) {
            return None;
        }

        let in_order = forked.is_none() && !alternatives;
        let sequences = if in_order { self.sequences_of(state, n) } else { Vec::new() };
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
        let one = self.terms.constant(1, self.pointer_bits);
        let count = |segment: &Option<Rc<Segment>>| segment.as_ref().map_or((one, 1), |s| (s.length, s.min));
        let ((length, min), (more, more_min)) = (count(&left), count(&right));
        let length = self.terms.add(length, more);

        // The second node becomes the pattern, in place; the first one goes. Patterns within patterns belong to segments there.
        let nested: FxHashSet<ObjectId> = rights
            .iter()
            .filter_map(|&id| folded.memory.get(id).segment.clone())
            .flat_map(|segment| std::iter::once(segment.node).chain(segment.owned.clone()).collect::<Vec<_>>())
            .collect();
        let owned: Vec<ObjectId> = rights.iter().copied().filter(|id| *id != b && !nested.contains(id)).collect();
        self.make_patterns(&mut folded, &rights);
        let mut whole = e.clone();
        for id in lefts {
            folded.memory.remove(id);
        }
        for (id, segment) in [(n.first, &left), (n.second, &right)] {
            if segment.is_some() {
                folded.memory.remove(id);
            }
        }

        // Both ends get new names: a name belongs to one object in all states.
        let mut outside = Substitution::default();
        let mut rename = |explorer: &mut Self, old: Term| {
            let new = explorer.terms.variable("address", explorer.pointer_bits);
            folded.path.give(new, explorer.terms.evaluate(old, folded.path.model()));
            explorer.instead(&mut outside, old, new);
            new
        };
        whole.base = rename(self, e.base);
        let last = match &right {
            Some(segment) => segment.last(),
            None => Some(f.base),
        };
        let back = match (prev, last) {
            (Some(prev), Some(last)) => Some(Back { prev, last: Some(rename(self, last)) }),
            _ => None,
        };
        whole.forget(crate::memory::symbolic::Initial::Undefined);
        whole.segment = Some(Rc::new(Segment {
            node: b,
            owned,
            locals,
            links: vec![link],
            back_link,
            fork,
            at: n.at,
            next,
            back,
            min: min.saturating_add(more_min),
            length,
            sequences,
        }));
        if forked.is_none() {
            self.remember_link(e, n.link);
        }
        self.put(&mut folded, whole);
        self.replace(folded, &mut outside)
    }

    /// Lets objects be patterns: no object that exists, with mere variables for addresses.
    pub(super) fn make_patterns(&mut self, state: &mut State, ids: &FxHashSet<ObjectId>) {
        let mut inside = Substitution::default();
        for &id in ids {
            let object = state.memory.get_mut(id);
            object.pattern = true;
            if object.segment.is_some() || matches!(self.terms.node(object.base), cairn_smt::term::Node::Var(_)) {
                continue;
            }
            let base = self.terms.variable("address", self.pointer_bits);
            state.path.give(base, self.terms.evaluate(object.base, state.path.model()));
            self.instead(&mut inside, object.base, base);
            object.base = base;
            self.bases.insert(base, id);
        }
        for &id in ids {
            state.memory.get_mut(id).substitute(&mut self.terms, &mut inside);
        }
    }

    /// Says of all segments what is true of them by nature: nodes are apart in memory, so there are less of them than addresses,
    /// and counting them does not wrap around.
    pub(super) fn bound_lengths(&mut self, state: &mut State) {
        let lengths: Vec<Term> = state.memory.iter().filter_map(|(_, o)| Some(o.segment.as_ref()?.length)).collect();
        let most = self.terms.constant(1 << (self.pointer_bits - 4), self.pointer_bits);
        for length in lengths {
            let bounded = self.terms.ult(length, most);
            let known = state.path.conditions().contains(&bounded);
            if !known && self.terms.evaluate(bounded, state.path.model()) == 1 {
                state.path.assume(&self.terms, bounded, None);
            }
        }
    }

    /// Replaces the base of an object by a variable, as a whole and in parts.
    pub(super) fn instead(&mut self, map: &mut Substitution, base: Term, variable: Term) {
        map.insert(base, variable);
        if let Some(&high) = self.terms.variables_of(base).first()
            && high != base
        {
            let (all, bits) = (self.pointer_bits, self.terms.width(high));
            let part = self.terms.extract(variable, all - bits, bits);
            map.insert(high, part);
        }
    }

    /// Whether nothing but the links and the ends tells the nodes of a future segment apart.
    fn may_fold(
        &mut self,
        state: &State,
        references: &References,
        n: Neighbours,
        next: Term,
        (lefts, rights): (&FxHashSet<ObjectId>, &FxHashSet<ObjectId>),
        leads_on: &dyn Fn(Source) -> bool,
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
        // The links themselves.
        let link = |id: ObjectId, segment: &Option<Rc<Segment>>, source: Source| match segment {
            None => source == Source::Cell(id, n.link),
            Some(_) => source == Source::Next(id),
        };
        let back = |id: ObjectId, segment: &Option<Rc<Segment>>, source: Source| match segment {
            None => n.back.is_some_and(|back| source == Source::Cell(id, back)),
            Some(_) => source == Source::Prev(id),
        };
        // Anything may point to the first node, but what the second holds is its link or back link.
        let first = to(n.first).all(|r| match (left, r.side) {
            (Some(_), Side::Last) => back(n.second, right, r.source),
            _ if of_right(r.source) => link(n.second, right, r.source) || back(n.second, right, r.source),
            _ => true,
        });
        // Only the link points to the second one, and where lists go both ways its successor points back.
        let successor = match self.target(state, next) {
            Target::Object(id, _) | Target::Segment(id, ..) => Some(id),
            _ => None,
        };
        let second = to(n.second).all(|r| match (right, r.side) {
            (Some(_), Side::Last) => true,
            _ if of_left(r.source) => {
                let linked = link(n.first, left, r.source) || leads_on(r.source);
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
        // What a node owns nobody else knows.
        let alone = |group: &FxHashSet<ObjectId>, node: ObjectId| {
            group.iter().filter(|&&id| id != node).all(|&id| {
                let object = state.memory.get(id);
                is_owned(object)
                    && to(id).all(|r| r.source.object().is_some_and(|from| from == node || group.contains(&from)))
            })
        };
        let node_of = |id: ObjectId, segment: &Option<Rc<Segment>>| segment.as_ref().map_or(id, |s| s.node);
        first && second && alone(lefts, node_of(n.first, left)) && alone(rights, node_of(n.second, right))
    }
}
