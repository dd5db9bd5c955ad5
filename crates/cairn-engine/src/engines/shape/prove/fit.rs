//! Making shapes fit: two nodes are alike although one owns a list, the other a single object or nothing.
//!
//! Nothing is weakened here. A null pointer is rewritten as a pointer to a segment without nodes, and an object as a segment with one
//! node, which says the same; then the two can be paired. An object that is there in one node and not in the other
//! becomes a segment with no link, that is, an object that may be missing.

use std::rc::Rc;

use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::FxHashSet;

use super::pair::Pairing;
use super::references::{Reference, Source};
use super::shapes::locals_in;
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::state::State;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::segment::{Back, Segment, Side};
use crate::memory::symbolic::Initial;

/// A change that would let two cells be paired.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish {
    /// The cell of this object at this offset should lead to a segment without nodes that is like another.
    Empty(ObjectId, u64, ObjectId),
    /// The object that this cell leads to should be a segment with one node that is like another.
    Single(ObjectId, u64, ObjectId),
    /// The object that this cell leads to should be a segment with one node that ends with this value.
    Alone(ObjectId, u64, Term),
    /// What follows this segment should be that one, which has no node and is followed by the same.
    Follow(ObjectId, ObjectId),
    /// The bytes of this object at this offset should be one cell, as long as a pointer.
    Whole(ObjectId, u64),
    /// It should be forgotten where this cell leads: to something that is gone.
    Forget(ObjectId, u64),
}

/// The link of a node that becomes a segment.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// Its offset.
    at: u64,
    /// That of the link back, where nodes have one.
    back: Option<u64>,
    /// Whether lists of nodes of the same size that end with the same constant may be lower levels of a skip list.
    levels: bool,
}

impl Explorer<'_> {
    /// What would help where a cell of one node holds this and the same cell of another holds that.
    pub(super) fn wish(&mut self, state: &State, a: (ObjectId, Term), b: (ObjectId, Term), at: u64) -> Option<Wish> {
        let (x, y) = (self.target(state, a.1), self.target(state, b.1));
        // A node that points into itself has nothing of its own where the other one has.
        let own = |holder: ObjectId, target: &Target| matches!(target, Target::Object(id, _) if *id == holder);
        let (own_a, own_b) = (own(a.0, &x), own(b.0, &y));
        let is_gone =
            |target: &Target| matches!(target, Target::Object(id, _) if state.memory.get(*id).end != End::Live);
        if is_gone(&x) {
            return Some(Wish::Forget(a.0, at));
        }
        if is_gone(&y) {
            return Some(Wish::Forget(b.0, at));
        }
        let wish = match (x, y) {
            (_, Target::Segment(like, Side::First, _)) if own_a => Wish::Empty(a.0, at, like),
            (Target::Segment(like, Side::First, _), _) if own_b => Wish::Empty(b.0, at, like),
            (_, Target::Object(..)) if own_a => Wish::Alone(b.0, at, self.moved(state, a.1, a.0, b.0)),
            (Target::Object(..), _) if own_b => Wish::Alone(a.0, at, self.moved(state, b.1, b.0, a.0)),
            // Where a flag says that there is nothing, the pointer may be anything.
            (Target::Constant(_) | Target::Wild, Target::Segment(like, Side::First, _)) => Wish::Empty(a.0, at, like),
            (Target::Segment(like, Side::First, _), Target::Constant(_) | Target::Wild) => Wish::Empty(b.0, at, like),
            (Target::Object(..), Target::Segment(like, Side::First, _)) => Wish::Single(a.0, at, like),
            (Target::Segment(like, Side::First, _), Target::Object(..)) => Wish::Single(b.0, at, like),
            (Target::Object(..), Target::Constant(_)) => Wish::Alone(a.0, at, b.1),
            (Target::Constant(_), Target::Object(..)) => Wish::Alone(b.0, at, a.1),
            (Target::Object(..), Target::Wild) => Wish::Alone(a.0, at, b.1),
            (Target::Wild, Target::Object(..)) => Wish::Alone(b.0, at, a.1),
            _ => return None,
        };
        Some(wish)
    }

    /// What would help where one node has a pointer to something of its own, and the other one has no pointer there at all: its bytes
    /// were never set, or hold something else.
    pub(super) fn wish_for_whole_cells(&mut self, state: &State, a: ObjectId, b: ObjectId) -> Option<Wish> {
        for (from, to) in [(a, b), (b, a)] {
            let (holder, other) = (state.memory.get(from), state.memory.get(to));
            for (at, len, value) in holder.cells() {
                let fits = |cell: (u64, u32, Term)| (cell.0, cell.1) == (at, len);
                if 8 * len != self.pointer_bits
                    || other.cell_at(at).is_some_and(fits)
                    || matches!(other.initial(), Initial::Bytes(_))
                {
                    continue;
                }
                let (Target::Object(id, _) | Target::Segment(id, ..)) = self.target(state, value) else { continue };
                let object = state.memory.get(id);
                if object.kind == ObjectKind::Heap
                    && object.end == End::Live
                    && object.size != holder.size
                    && self.references(state).only_from(id, &FxHashSet::from_iter([from, id]))
                {
                    return Some(Wish::Whole(to, at));
                }
            }
        }
        None
    }

    /// A pointer into one object at the same place in another.
    fn moved(&mut self, state: &State, pointer: Term, from: ObjectId, to: ObjectId) -> Term {
        let offset = self.terms.sub(pointer, state.memory.get(from).base);
        self.terms.add(state.memory.get(to).base, offset)
    }

    /// What would help where one thing follows a segment and another follows that of another node.
    pub(super) fn wish_to_follow(&mut self, p: &Pairing<'_>, a: (ObjectId, Term), b: (ObjectId, Term)) -> Option<Wish> {
        let state = p.old;
        // The segment that follows the one, and its partner, which follows the other if it has no node.
        if let Target::Segment(follower, Side::First, _) = self.target(state, b.1)
            && let Some(&partner) = p.taken.get(&follower)
            && self.is_no_more_than(state, partner, a.1)
        {
            return Some(Wish::Follow(a.0, partner));
        }
        if let Target::Segment(follower, Side::First, _) = self.target(state, a.1)
            && let Some(&partner) = p.partners.get(&follower)
            && self.is_no_more_than(state, partner, b.1)
        {
            return Some(Wish::Follow(b.0, partner));
        }
        None
    }

    /// Whether a segment has no node and is followed by a value.
    pub(super) fn is_no_more_than(&self, state: &State, id: ObjectId, value: Term) -> bool {
        let segment = &state.memory.get(id).segment;
        segment.as_ref().is_some_and(|s| self.terms.as_const(s.length) == Some(0) && s.next == value)
    }

    /// The state with a wish come true: another way to say the same.
    pub(super) fn grant(&mut self, state: &State, wish: Wish) -> Option<State> {
        match wish {
            Wish::Empty(holder, at, like) => self.insert_empty(state, holder, at, like),
            Wish::Single(holder, at, like) => {
                let segment = state.memory.get(like).segment.clone()?;
                let node = state.memory.get(segment.node);
                let offset_of = |variable: Term| node.cells().find(|cell| cell.2 == variable).map(|cell| cell.0);
                let links = segment.links.iter().map(|&link| offset_of(link)).collect::<Option<Vec<u64>>>()?;
                if segment.fork.is_some() || links.len() > 1 {
                    return None;
                }
                let back = match segment.back_link {
                    Some(link) => Some(offset_of(link)?),
                    None => None,
                };
                // Nodes of the other one own lists that end where its link leads, or they do not.
                let ends = |id: &ObjectId| state.memory.get(*id).segment.as_ref().map(|segment| segment.next);
                let levels = segment.owned.iter().filter_map(ends).any(|end| segment.links.contains(&end));
                let link = links.first().map(|&link| Link { at: link, back, levels });
                self.enclose(state, holder, at, link, segment.next)
            }
            Wish::Alone(holder, at, end) => {
                let value = state.memory.get(holder).cell_at(at)?.2;
                let Target::Object(id, _) = self.target(state, value) else { return None };
                let bytes = self.pointer_bits / 8;
                // A cell that holds the same as where there is no node is a link that ends there. In nodes of the same kind the
                // lower levels of a skip list go on where they begin.
                let same = state.memory.get(id).size == state.memory.get(holder).size;
                let object = state.memory.get(id);
                let ends = object.cells().filter(|cell| cell.1 == bytes && cell.2 == end).map(|cell| cell.0);
                let likely = self.likely_link(object, ends);
                let level = object.cells().find(|cell| same && cell.1 == bytes && cell.0 == at);
                let link = level.map(|cell| cell.0).or(likely).map(|at| Link { at, back: None, levels: true });
                self.enclose(state, holder, at, link, end)
            }
            Wish::Whole(holder, at) => {
                let mut state = state.clone();
                let (mut made, bytes) = (Vec::new(), self.pointer_bits / 8);
                let (terms, undefined) = (&mut self.terms, &mut self.undefined);
                let mut fresh = |terms: &mut Terms, _, bits: u32| {
                    made.push(Self::fresh_undefined(undefined, terms, bits));
                    made[made.len() - 1]
                };
                let object = state.memory.get_mut(holder);
                let value = object.read(at, bytes, terms, &mut fresh);
                object.write(at, value, terms);
                for variable in made {
                    state.path.give(variable, 0);
                    Self::own(&mut state, holder, variable)?;
                }
                Some(state)
            }
            Wish::Forget(holder, at) => {
                let mut state = state.clone();
                let value = state.memory.get(holder).cell_at(at).filter(|cell| cell.0 == at)?.2;
                let variable = self.terms.variable("anything", self.pointer_bits);
                state.path.give(variable, self.terms.evaluate(value, state.path.model()));
                state.memory.get_mut(holder).write(at, variable, &mut self.terms);
                Self::own(&mut state, holder, variable)?;
                Some(state)
            }
            Wish::Follow(id, follower) => {
                let mut state = state.clone();
                let object = state.memory.get(follower);
                let start = self.terms.constant(u128::from(object.segment.as_ref()?.at), self.pointer_bits);
                let pointer = self.terms.add(object.base, start);
                Rc::make_mut(state.memory.get_mut(id).segment.as_mut()?).next = pointer;
                Some(state)
            }
        }
    }

    /// Lets a cell that holds a value lead to a segment without nodes that ends with that value.
    fn insert_empty(&mut self, state: &State, holder: ObjectId, at: u64, like: ObjectId) -> Option<State> {
        let mut state = state.clone();
        let value = state.memory.get(holder).cell_at(at).filter(|cell| cell.0 == at)?.2;
        let mut object = state.memory.get(like).clone();
        let segment = object.segment.clone()?;
        if segment.fork.is_some() || segment.back.is_some_and(|back| self.terms.as_const(back.prev).is_none()) {
            return None;
        }
        let locals: FxHashSet<Term> = segment.variables(&state.memory).into_iter().collect();
        let mut map = self.values_instead(&mut state, holder, at, like)?;
        let mut copy = self.copy_patterns(&mut state, &segment, &mut map);
        copy.min = 0;
        copy.length = self.terms.constant(0, self.pointer_bits);
        copy.next = value;
        copy.sequences.clear();
        object.size = map.apply(&mut self.terms, object.size);
        object.base = self.terms.variable("address", self.pointer_bits);
        let start = self.terms.constant(u128::from(segment.at), self.pointer_bits);
        let first = self.terms.sub(value, start);
        state.path.give(object.base, self.terms.evaluate(first, state.path.model()));
        if let Some(Back { last: Some(last), .. }) = &mut copy.back {
            *last = self.terms.variable("address", self.pointer_bits);
        }
        object.segment = Some(Rc::new(copy));
        object.pattern = state.memory.get(holder).pattern;
        let pointer = self.terms.add(object.base, start);
        let id = self.put(&mut state, object);
        self.adopt(&mut state, holder, &FxHashSet::default(), id)?;
        state.memory.get_mut(holder).write(at, pointer, &mut self.terms);
        // Where there is no node, nothing that ties the values of nodes to anything else need be true.
        for condition in state.path.conditions() {
            if self.variables_of(condition).iter().all(|variable| locals.contains(variable)) {
                let condition = map.apply(&mut self.terms, condition);
                state = self.assume(state, condition)?;
            }
        }
        Some(state)
    }

    /// What the patterns of a segment that one node owns mention of this node, and what takes its place in another one: what that has
    /// in the same cells, or anything. Local variables belong to the nodes of one segment.
    fn values_instead(&mut self, state: &mut State, holder: ObjectId, at: u64, like: ObjectId) -> Option<Substitution> {
        let segment = state.memory.get(like).segment.clone()?;
        let own: FxHashSet<Term> = segment.variables(&state.memory).into_iter().collect();
        let mut mentioned: FxHashSet<Term> = FxHashSet::default();
        for id in segment.patterns(&state.memory).into_iter().chain([like]) {
            let object = state.memory.get(id);
            let mut values = vec![object.size];
            object.for_values(&mut |value| values.push(value));
            values.into_iter().for_each(|value| mentioned.extend(self.variables_of(value).iter().copied()));
        }
        mentioned.retain(|variable| !own.contains(variable));
        let mut map = Substitution::default();
        let pointer = self.pointer_at(state, like, segment.at);
        let owner = state.memory.iter().find(|(_, object)| object.cell_at(at).is_some_and(|cell| cell.2 == pointer));
        let owner_base = owner.map(|(_, object)| object.base);
        let cells: Vec<(u64, u32, Term)> = owner.into_iter().flat_map(|(_, object)| object.cells()).collect();
        // What leads back to the node that owns the list leads to the other one.
        if let Some(base) = owner_base {
            let here = state.memory.get(holder).base;
            self.instead(&mut map, base, here);
            self.variables_of(base).iter().for_each(|variable| {
                mentioned.remove(variable);
            });
        }
        for (at, len, value) in cells {
            let here = state.memory.get(holder).cell_at(at).filter(|cell| (cell.0, cell.1) == (at, len));
            if let Some((_, _, here)) = here
                && mentioned.remove(&value)
            {
                map.insert(value, here);
            }
        }
        let locals = locals_in(&state.memory);
        for variable in mentioned.into_iter().filter(|variable| locals.contains(variable)) {
            let new = self.terms.variable("anything", self.terms.width(variable));
            state.path.give(new, self.terms.evaluate(variable, state.path.model()));
            Self::own(state, holder, new)?;
            map.insert(variable, new);
        }
        Some(map)
    }

    /// Makes a segment with one node of the object that a cell leads to. Its link is at an offset, or it has none.
    fn enclose(&mut self, state: &State, holder: ObjectId, at: u64, link: Option<Link>, end: Term) -> Option<State> {
        let value = state.memory.get(holder).cell_at(at).filter(|cell| cell.0 == at)?.2;
        let Target::Object(id, offset) = self.target(state, value) else { return None };
        let offset = self.terms.as_const(offset)? as u64;
        let node = state.memory.get(id);
        if node.kind != ObjectKind::Heap || node.end != End::Live || node.pattern != state.memory.get(holder).pattern {
            return None;
        }
        let group = self.owned_by(state, holder, (id, offset))?;
        let mut state = state.clone();
        let mut whole = node.clone();
        let mut links = Vec::new();
        let mut next = end;
        if link.is_none() && matches!(self.target(&state, end), Target::Wild) {
            // What the pointer would be if there were nothing may differ from what it is in the other node.
            next = self.terms.variable("anything", self.pointer_bits);
            state.path.give(next, self.terms.evaluate(end, state.path.model()));
            Self::own(&mut state, holder, next)?;
        }
        if let Some(Link { at: link, levels, .. }) = link {
            let (start, len, value) = node.cell_at(link)?;
            if start != link || 8 * len != self.pointer_bits {
                return None;
            }
            next = value;
            let variable = self.terms.variable("next", self.pointer_bits);
            state.path.give(variable, self.terms.evaluate(value, state.path.model()));
            state.memory.get_mut(id).write(link, variable, &mut self.terms);
            links.push(variable);
            // Lower levels of a skip list end where the link leads, too.
            for &member in &group {
                let object = state.memory.get_mut(member);
                let lower = object.segment.as_ref().is_some_and(|segment| segment.next == value);
                if self.terms.as_const(value).is_none() {
                    object.substitute(&mut self.terms, &mut Substitution::new([(value, variable)]));
                } else if lower && levels && object.size == node.size {
                    object.segment = object.segment.as_deref().map(|segment| {
                        let next = variable;
                        Rc::new(Segment { next, ..segment.clone() })
                    });
                }
            }
        }
        // What the only node points back to is what comes before the first, and this is the last one, too.
        let mut back_link = None;
        let mut back = None;
        if let Some(at) = link.and_then(|link| link.back) {
            let (start, len, prev) = node.cell_at(at)?;
            if start != at || 8 * len != self.pointer_bits || links.is_empty() {
                return None;
            }
            let variable = self.terms.variable("prev", self.pointer_bits);
            state.path.give(variable, self.terms.evaluate(prev, state.path.model()));
            state.memory.get_mut(id).write(at, variable, &mut self.terms);
            let last = self.terms.variable("address", self.pointer_bits);
            state.path.give(last, self.terms.evaluate(node.base, state.path.model()));
            back_link = Some(variable);
            back = Some(Back { prev, last: Some(last) });
        }
        let mut inside = Substitution::default();
        let address = node.base;
        for &member in &group {
            let object = state.memory.get_mut(member);
            object.pattern = true;
            let variable = matches!(self.terms.node(object.base), cairn_smt::term::Node::Var(_));
            if object.segment.is_none() && (member == id || !variable) {
                let base = self.terms.variable("address", self.pointer_bits);
                state.path.give(base, self.terms.evaluate(object.base, state.path.model()));
                self.instead(&mut inside, object.base, base);
                object.base = base;
                self.bases.insert(base, member);
            }
        }
        for &member in &group {
            state.memory.get_mut(member).substitute(&mut self.terms, &mut inside);
        }
        whole.base = self.terms.variable("address", self.pointer_bits);
        whole.pattern = state.memory.get(holder).pattern;
        whole.forget(crate::memory::symbolic::Initial::Undefined);
        let first = whole.base;
        state.path.give(first, self.terms.evaluate(address, state.path.model()));
        let one = self.terms.constant(1, self.pointer_bits);
        let inner: FxHashSet<ObjectId> = group
            .iter()
            .filter_map(|&member| state.memory.get(member).segment.clone())
            .flat_map(|segment| segment.patterns(&state.memory))
            .collect();
        whole.segment = Some(Rc::new(Segment {
            node: id,
            owned: group.iter().copied().filter(|member| *member != id && !inner.contains(member)).collect(),
            locals: Vec::new(),
            links,
            back_link,
            fork: None,
            at: offset,
            next,
            back,
            min: 1,
            length: one,
            sequences: Vec::new(),
        }));
        let new = self.put(&mut state, whole);
        self.adopt(&mut state, holder, &group, new)?;
        let mut outside = Substitution::default();
        self.instead(&mut outside, address, first);
        self.replace(state, &mut outside)
    }

    /// An object and what only it leads to, if it can be the first node of a segment.
    fn owned_by(
        &mut self,
        state: &State,
        holder: ObjectId,
        (id, offset): (ObjectId, u64),
    ) -> Option<FxHashSet<ObjectId>> {
        let references = self.references(state);
        let mut group = FxHashSet::from_iter([id]);
        loop {
            let before = group.len();
            let mut found = Vec::new();
            for &member in &group {
                let mut values = Vec::new();
                let object = state.memory.get(member);
                object.for_values(&mut |value| values.push(value));
                if let Some(segment) = &object.segment {
                    found.extend(segment.patterns(&state.memory));
                }
                for value in values {
                    if self.terms.width(value) == self.pointer_bits
                        && let Target::Object(to, _) | Target::Segment(to, ..) = self.target(state, value)
                        && to != holder
                    {
                        found.push(to);
                    }
                }
            }
            for candidate in found {
                let object = state.memory.get(candidate);
                let owned = object.kind == ObjectKind::Heap
                    && object.end == End::Live
                    && references.only_from(candidate, &group);
                if owned {
                    group.insert(candidate);
                }
            }
            if group.len() == before {
                break;
            }
        }
        // Anything may point to the first node of a segment, but what a variable points to is not owned.
        let known = |source: Source| source.object().is_some_and(|from| group.contains(&from));
        let first = |r: &Reference| r.source != Source::Root && r.offset == Some(offset);
        let alone = references.to.get(&id).into_iter().flatten().all(|r| known(r.source) || first(r));
        let seen = group.iter().all(|member| !references.hidden.contains(member));
        (alone && seen && !group.contains(&holder)).then_some(group)
    }

    /// A segment that takes the place of objects in a pattern belongs to that pattern's segment.
    fn adopt(
        &mut self,
        state: &mut State,
        holder: ObjectId,
        instead: &FxHashSet<ObjectId>,
        new: ObjectId,
    ) -> Option<()> {
        Self::change_owner(state, holder, |segment| {
            segment.owned.retain(|id| !instead.contains(id));
            segment.owned.push(new);
        })
    }

    /// A variable that takes the place of something in a pattern is local to that pattern's segment.
    fn own(state: &mut State, holder: ObjectId, variable: Term) -> Option<()> {
        Self::change_owner(state, holder, |segment| segment.locals.push(variable))
    }

    /// Changes the segment that a pattern belongs to, if it is one.
    fn change_owner(state: &mut State, holder: ObjectId, change: impl FnOnce(&mut Segment)) -> Option<()> {
        if !state.memory.get(holder).pattern {
            return Some(());
        }
        let owner = state.memory.iter().find_map(|(id, object)| {
            let segment = object.segment.as_ref()?;
            (segment.node == holder || segment.owned.contains(&holder)).then_some(id)
        })?;
        change(Rc::make_mut(state.memory.get_mut(owner).segment.as_mut()?));
        Some(())
    }
}
