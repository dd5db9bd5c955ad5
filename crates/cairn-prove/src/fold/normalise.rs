//! Rewriting of nodes so that they match: one owns a list where the other owns a single object or nothing.
//!
//! A null pointer is rewritten as a pointer to an empty segment, and an object as a segment with one node. Both forms
//! say the same, and they can be paired with longer segments. An object that only one of two nodes owns becomes a
//! segment without a link, that is, an optional object. One rewrite loses information: a pointer to a freed object
//! becomes an arbitrary value.

use std::rc::Rc;

use cairn_smt::term::Node;
use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::FxHashSet;

use crate::State;
use crate::fold::references::{Reference, Source};
use crate::join::ownership::Owners;
use crate::join::pairing::Pairing;
use crate::join::shapes::locals_in;
use crate::{Lattice, Proving};
use cairn_exec::Machine;
use cairn_exec::allocation::Target;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Back, Segment, Side};
use cairn_memory::symbolic::{Initial, Object};

/// A rewrite that would let two cells be paired.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rewrite {
    /// The cell of this object at this offset should point to an empty segment like another one.
    EmptySegment(ObjectId, u64, ObjectId),
    /// The object that this cell points to should be a segment with one node like another segment.
    SingleNode(ObjectId, u64, ObjectId),
    /// The object that this cell points to should be a segment with one node that ends with this value.
    SingleNodeWithEnd(ObjectId, u64, Term),
    /// This segment should be followed by that one, which is empty and has the same `next`.
    InsertFollower(ObjectId, ObjectId),
    /// The bytes of this object at this offset should be one cell of pointer size.
    WholeCell(ObjectId, u64),
    /// This cell should hold an arbitrary value instead of a pointer to a freed object.
    ForgetTarget(ObjectId, u64),
}

/// The link of a node that becomes a segment.
#[derive(Clone, Copy, Debug)]
struct Link {
    /// The offset of the link.
    at: u64,
    /// The offset of the back link, if nodes have one.
    back: Option<u64>,
    /// Whether lists of nodes of the same size that end with the same constant may be lower levels of a skip list.
    levels: bool,
}

impl Lattice<'_> {
    /// Returns the rewrite that helps where the same cell of two nodes holds values that cannot be paired.
    pub(crate) fn rewrite_for(
        &mut self,
        state: &State,
        a: (ObjectId, Term),
        b: (ObjectId, Term),
        at: u64,
    ) -> Option<Rewrite> {
        let (x, y) = (self.any_target(state, a.1), self.any_target(state, b.1));
        // A pointer into the node itself means that the node owns nothing here.
        let own = |holder: ObjectId, target: &Target| matches!(target, Target::Object(id, _) if *id == holder);
        let (own_a, own_b) = (own(a.0, &x), own(b.0, &y));
        let is_dead =
            |target: &Target| matches!(target, Target::Object(id, _) if state.memory.get(*id).end != End::Live);
        if is_dead(&x) {
            return Some(Rewrite::ForgetTarget(a.0, at));
        }
        if is_dead(&y) {
            return Some(Rewrite::ForgetTarget(b.0, at));
        }
        let rewrite = match (x, y) {
            (_, Target::Segment(like, Side::First, _)) if own_a => Rewrite::EmptySegment(a.0, at, like),
            (Target::Segment(like, Side::First, _), _) if own_b => Rewrite::EmptySegment(b.0, at, like),
            (_, Target::Object(..)) if own_a => Rewrite::SingleNodeWithEnd(b.0, at, self.rebased(state, a.1, a.0, b.0)),
            (Target::Object(..), _) if own_b => Rewrite::SingleNodeWithEnd(a.0, at, self.rebased(state, b.1, b.0, a.0)),
            // Where a flag says that the part is absent, the pointer may hold any value.
            (Target::Constant(_) | Target::Wild, Target::Segment(like, Side::First, _)) => {
                Rewrite::EmptySegment(a.0, at, like)
            }
            (Target::Segment(like, Side::First, _), Target::Constant(_) | Target::Wild) => {
                Rewrite::EmptySegment(b.0, at, like)
            }
            (Target::Object(..), Target::Segment(like, Side::First, _)) => Rewrite::SingleNode(a.0, at, like),
            (Target::Segment(like, Side::First, _), Target::Object(..)) => Rewrite::SingleNode(b.0, at, like),
            (Target::Object(..), Target::Constant(_)) => Rewrite::SingleNodeWithEnd(a.0, at, b.1),
            (Target::Constant(_), Target::Object(..)) => Rewrite::SingleNodeWithEnd(b.0, at, a.1),
            (Target::Object(..), Target::Wild) => Rewrite::SingleNodeWithEnd(a.0, at, b.1),
            (Target::Wild, Target::Object(..)) => Rewrite::SingleNodeWithEnd(b.0, at, a.1),
            _ => return None,
        };
        Some(rewrite)
    }

    /// Returns the rewrite for a node that owns an object through a cell where the other node has no such cell.
    ///
    /// The bytes of the other node were never written there, or belong to cells with other boundaries.
    pub(crate) fn rewrite_for_missing_cells(&mut self, state: &State, a: ObjectId, b: ObjectId) -> Option<Rewrite> {
        for (from, to) in [(a, b), (b, a)] {
            let (holder, other) = (state.memory.get(from), state.memory.get(to));
            for (at, len, value) in holder.cells() {
                let fits = |cell: (u64, u32, Term)| (cell.0, cell.1) == (at, len);
                if 8 * len != self.machine.pointer_bits
                    || other.cell_at(at).is_some_and(fits)
                    || matches!(other.initial(), Initial::Bytes(_))
                {
                    continue;
                }
                let (Target::Object(id, _) | Target::Segment(id, ..)) = self.any_target(state, value) else { continue };
                let object = state.memory.get(id);
                if object.kind == ObjectKind::Heap
                    && object.end == End::Live
                    && object.size != holder.size
                    && self.references(state).only_from(id, &FxHashSet::from_iter([from, id]))
                {
                    return Some(Rewrite::WholeCell(to, at));
                }
            }
        }
        None
    }

    /// Returns the pointer to the same offset in another object.
    fn rebased(&mut self, state: &State, pointer: Term, from: ObjectId, to: ObjectId) -> Term {
        let offset = self.machine.terms.sub(pointer, state.memory.get(from).base);
        self.machine.terms.add(state.memory.get(to).base, offset)
    }

    /// Returns the rewrite for two segments whose `next` pointers cannot be paired.
    pub(crate) fn rewrite_for_next(
        &mut self,
        p: &Pairing<'_>,
        a: (ObjectId, Term),
        b: (ObjectId, Term),
    ) -> Option<Rewrite> {
        let state = p.old;
        // One segment is followed by another segment. That segment's partner is empty and ends where the other one
        // does.
        if let Target::Segment(follower, Side::First, _) = self.any_target(state, b.1)
            && let Some(&partner) = p.taken.get(&follower)
            && self.is_empty_with_next(state, partner, a.1)
        {
            return Some(Rewrite::InsertFollower(a.0, partner));
        }
        if let Target::Segment(follower, Side::First, _) = self.any_target(state, a.1)
            && let Some(&partner) = p.partners.get(&follower)
            && self.is_empty_with_next(state, partner, b.1)
        {
            return Some(Rewrite::InsertFollower(b.0, partner));
        }
        None
    }

    /// Returns whether a segment is empty and has a value as its `next`.
    pub(crate) fn is_empty_with_next(&self, state: &State, id: ObjectId, value: Term) -> bool {
        let segment = &state.memory.get(id).segment;
        segment.as_ref().is_some_and(|s| self.machine.terms.as_const(s.length) == Some(0) && s.next == value)
    }

    /// Applies a rewrite to a state.
    ///
    /// The result is equivalent to the state, except that [`Rewrite::ForgetTarget`] loses the target of a pointer.
    pub(crate) fn apply_rewrite(&mut self, state: &State, rewrite: Rewrite) -> Option<State> {
        match rewrite {
            Rewrite::EmptySegment(holder, at, like) => self.insert_empty(state, holder, at, like),
            Rewrite::SingleNode(holder, at, like) => {
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
                // The nodes of the other segment may own lists that end where its link leads: levels of a skip list.
                let ends = |id: &ObjectId| state.memory.get(*id).segment.as_ref().map(|segment| segment.next);
                let levels = segment.owned.iter().filter_map(ends).any(|end| segment.links.contains(&end));
                let link = links.first().map(|&link| Link { at: link, back, levels });
                let shared = self.shared_cells(state, like);
                self.make_single_node(state, (holder, at), link, segment.next, &shared)
            }
            Rewrite::SingleNodeWithEnd(holder, at, end) => {
                let value = state.memory.get(holder).cell_at(at)?.2;
                let Target::Object(id, _) = self.any_target(state, value) else { return None };
                let bytes = self.machine.pointer_bits / 8;
                // A cell that holds the end value is a link that ends there. In nodes of the same size, a lower level
                // of a skip list continues in the cell in which it begins.
                let same = state.memory.get(id).size == state.memory.get(holder).size;
                let object = state.memory.get(id);
                let ends = object.cells().filter(|cell| cell.1 == bytes && cell.2 == end).map(|cell| cell.0);
                let likely = self.likely_link(object, ends);
                let level = object.cells().find(|cell| same && cell.1 == bytes && cell.0 == at);
                let link = level.map(|cell| cell.0).or(likely).map(|at| Link { at, back: None, levels: true });
                self.make_single_node(state, (holder, at), link, end, &[])
            }
            Rewrite::WholeCell(holder, at) => {
                let mut state = state.clone();
                let (mut made, bytes) = (Vec::new(), self.machine.pointer_bits / 8);
                let (terms, undefined) = (&mut self.machine.terms, &mut self.machine.undefined);
                let mut fresh = |terms: &mut Terms, _, bits: u32| {
                    made.push(Machine::<Proving>::fresh_undefined(undefined, terms, bits));
                    made[made.len() - 1]
                };
                let object = state.memory.get_mut(holder);
                let value = object.read(at, bytes, terms, &mut fresh);
                object.write(at, value, terms);
                for variable in made {
                    state.path.give(variable, 0);
                    Self::add_local(&mut state, holder, variable)?;
                }
                Some(state)
            }
            Rewrite::ForgetTarget(holder, at) => {
                let mut state = state.clone();
                let value = state.memory.get(holder).cell_at(at).filter(|cell| cell.0 == at)?.2;
                let variable = self.machine.terms.variable("anything", self.machine.pointer_bits);
                state.path.give(variable, self.machine.terms.evaluate(value, state.path.model()));
                state.memory.get_mut(holder).write(at, variable, &mut self.machine.terms);
                Self::add_local(&mut state, holder, variable)?;
                Some(state)
            }
            Rewrite::InsertFollower(id, follower) => {
                let mut state = state.clone();
                let object = state.memory.get(follower);
                let start =
                    self.machine.terms.constant(u128::from(object.segment.as_ref()?.at), self.machine.pointer_bits);
                let pointer = self.machine.terms.add(object.base, start);
                Rc::make_mut(state.memory.get_mut(id).segment.as_mut()?).next = pointer;
                Some(state)
            }
        }
    }

    /// Makes a cell point to an empty segment whose `next` is the former value of the cell.
    fn insert_empty(&mut self, state: &State, holder: ObjectId, at: u64, like: ObjectId) -> Option<State> {
        let mut state = state.clone();
        let value = state.memory.get(holder).cell_at(at).filter(|cell| cell.0 == at)?.2;
        let mut object = state.memory.get(like).clone();
        let segment = object.segment.clone()?;
        if segment.fork.is_some() || segment.back.is_some_and(|back| self.machine.terms.as_const(back.prev).is_none()) {
            return None;
        }
        let locals: FxHashSet<Term> = segment.variables(&state.memory).into_iter().collect();
        let mut map = self.values_for_copy(&mut state, holder, at, like)?;
        let mut copy = self.copy_patterns(&mut state, &segment, &mut map);
        copy.min = 0;
        copy.length = self.machine.terms.constant(0, self.machine.pointer_bits);
        copy.next = value;
        copy.sequences.clear();
        object.size = map.apply(&mut self.machine.terms, object.size);
        object.base = self.machine.terms.variable("address", self.machine.pointer_bits);
        let start = self.machine.terms.constant(u128::from(segment.at), self.machine.pointer_bits);
        let first = self.machine.terms.sub(value, start);
        state.path.give(object.base, self.machine.terms.evaluate(first, state.path.model()));
        if let Some(Back { last: Some(last), .. }) = &mut copy.back {
            *last = self.machine.terms.variable("address", self.machine.pointer_bits);
        }
        object.segment = Some(Rc::new(copy));
        object.pattern = state.memory.get(holder).pattern;
        let pointer = self.machine.terms.add(object.base, start);
        let id = self.put(&mut state, object);
        self.add_owned(&mut state, holder, &FxHashSet::default(), id)?;
        state.memory.get_mut(holder).write(at, pointer, &mut self.machine.terms);
        // The copy has no node. Conditions that tie the values of nodes to other values therefore need not hold for
        // it.
        for condition in state.path.conditions() {
            if self.variables_of(condition).iter().all(|variable| locals.contains(variable)) {
                let condition = map.apply(&mut self.machine.terms, condition);
                state = self.assume(state, condition)?;
            }
        }
        Some(state)
    }

    /// Maps the values of a node that the patterns of its list mention to the values of another node.
    ///
    /// A value of the same cell of the other node takes the place of each, or an arbitrary value if there is none.
    /// Local variables cannot be reused, because they belong to the nodes of one segment.
    fn values_for_copy(
        &mut self,
        state: &mut State,
        holder: ObjectId,
        at: u64,
        like: ObjectId,
    ) -> Option<Substitution> {
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
        // Pointers back to the node that owns the list become pointers to the other node.
        if let Some(base) = owner_base {
            let here = state.memory.get(holder).base;
            self.map_base(&mut map, base, here);
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
            let new = self.machine.terms.variable("anything", self.machine.terms.width(variable));
            state.path.give(new, self.machine.terms.evaluate(variable, state.path.model()));
            Self::add_local(state, holder, new)?;
            map.insert(variable, new);
        }
        Some(map)
    }

    /// Returns the offsets of the cells through which the nodes of a segment point to objects that they share.
    fn shared_cells(&mut self, state: &State, id: ObjectId) -> Vec<u64> {
        let Some(segment) = state.memory.get(id).segment.clone() else { return Vec::new() };
        let patterns = segment.patterns(&state.memory);
        let cells = state.memory.get(segment.node).cells().filter(|cell| 8 * cell.1 == self.machine.pointer_bits);
        let is_shared = |target: Target| match target {
            Target::Object(to, _) | Target::Segment(to, ..) => !patterns.contains(&to),
            _ => false,
        };
        let cells: Vec<(u64, u32, Term)> = cells.collect();
        cells.into_iter().filter(|cell| is_shared(self.any_target(state, cell.2))).map(|cell| cell.0).collect()
    }

    /// Turns the object that a cell points to into a segment with one node, with a link at an offset or without one.
    ///
    /// Objects that the node points to through `shared` cells do not become its own.
    fn make_single_node(
        &mut self,
        state: &State,
        (holder, at): (ObjectId, u64),
        link: Option<Link>,
        end: Term,
        shared: &[u64],
    ) -> Option<State> {
        let value = state.memory.get(holder).cell_at(at).filter(|cell| cell.0 == at)?.2;
        let Target::Object(id, offset) = self.any_target(state, value) else { return None };
        let offset = self.machine.terms.as_const(offset)? as u64;
        let node = state.memory.get(id);
        if node.kind != ObjectKind::Heap || node.end != End::Live || node.pattern != state.memory.get(holder).pattern {
            return None;
        }
        let kept = shared.iter().filter_map(|&at| match self.any_target(state, node.cell_at(at)?.2) {
            Target::Object(to, _) | Target::Segment(to, ..) => Some(to),
            _ => None,
        });
        let kept: Vec<ObjectId> = kept.collect();
        let group = self.owned_group(state, holder, (id, offset), &kept)?;
        let mut state = state.clone();
        let mut whole = node.clone();
        let mut links = Vec::new();
        let mut next = end;
        if link.is_none() && matches!(self.any_target(&state, end), Target::Wild) {
            // The pointer that means "absent" may differ from the value in the other node.
            next = self.machine.terms.variable("anything", self.machine.pointer_bits);
            state.path.give(next, self.machine.terms.evaluate(end, state.path.model()));
            Self::add_local(&mut state, holder, next)?;
        }
        if let Some(link) = link {
            let variable;
            (next, variable) = self.open_link(&mut state, node, id, &group, link)?;
            links.push(variable);
        }
        // The back link of the only node becomes the segment's `prev`, and the node is also the last one.
        let mut back_link = None;
        let mut back = None;
        if let Some(at) = link.and_then(|link| link.back) {
            let (start, len, prev) = node.cell_at(at)?;
            if start != at || 8 * len != self.machine.pointer_bits || links.is_empty() {
                return None;
            }
            let variable = self.machine.terms.variable("prev", self.machine.pointer_bits);
            state.path.give(variable, self.machine.terms.evaluate(prev, state.path.model()));
            state.memory.get_mut(id).write(at, variable, &mut self.machine.terms);
            let last = self.machine.terms.variable("address", self.machine.pointer_bits);
            state.path.give(last, self.machine.terms.evaluate(node.base, state.path.model()));
            back_link = Some(variable);
            back = Some(Back { prev, last: Some(last) });
        }
        let address = node.base;
        self.make_group_patterns(&mut state, &group, id);
        whole.base = self.machine.terms.variable("address", self.machine.pointer_bits);
        whole.pattern = state.memory.get(holder).pattern;
        whole.forget(Initial::Undefined);
        let first = whole.base;
        state.path.give(first, self.machine.terms.evaluate(address, state.path.model()));
        let one = self.machine.terms.constant(1, self.machine.pointer_bits);
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
        self.add_owned(&mut state, holder, &group, new)?;
        let mut outside = Substitution::default();
        self.map_base(&mut outside, address, first);
        self.replace(state, &mut outside)
    }

    /// Writes a local variable to the link cell of a node; returns the former value of the link and the variable.
    fn open_link(
        &mut self,
        state: &mut State,
        node: &Object,
        id: ObjectId,
        group: &FxHashSet<ObjectId>,
        link: Link,
    ) -> Option<(Term, Term)> {
        let (start, len, value) = node.cell_at(link.at)?;
        if start != link.at || 8 * len != self.machine.pointer_bits {
            return None;
        }
        let variable = self.machine.terms.variable("next", self.machine.pointer_bits);
        state.path.give(variable, self.machine.terms.evaluate(value, state.path.model()));
        state.memory.get_mut(id).write(link.at, variable, &mut self.machine.terms);
        // The lower levels of a skip list end where the link leads.
        for &member in group {
            let object = state.memory.get_mut(member);
            let lower = object.segment.as_ref().is_some_and(|segment| segment.next == value);
            if self.machine.terms.as_const(value).is_none() {
                object.substitute(&mut self.machine.terms, &mut Substitution::new([(value, variable)]));
            } else if lower && link.levels && object.size == node.size {
                object.segment = object.segment.as_deref().map(|segment| {
                    let next = variable;
                    Rc::new(Segment { next, ..segment.clone() })
                });
            }
        }
        Some((value, variable))
    }

    /// Turns a node and the objects that it owns into patterns.
    fn make_group_patterns(&mut self, state: &mut State, group: &FxHashSet<ObjectId>, node: ObjectId) {
        let mut inside = Substitution::default();
        for &member in group {
            let object = state.memory.get_mut(member);
            object.pattern = true;
            let variable = matches!(self.machine.terms.node(object.base), Node::Var(_));
            if object.segment.is_none() && (member == node || !variable) {
                let base = self.machine.terms.variable("address", self.machine.pointer_bits);
                state.path.give(base, self.machine.terms.evaluate(object.base, state.path.model()));
                self.map_base(&mut inside, object.base, base);
                object.base = base;
                self.machine.bases.insert(base, member);
            }
        }
        for &member in group {
            state.memory.get_mut(member).substitute(&mut self.machine.terms, &mut inside);
        }
    }

    /// Returns an object and everything that only it leads to, if it can be the first node of a segment.
    ///
    /// The objects in `kept` stay outside.
    fn owned_group(
        &mut self,
        state: &State,
        holder: ObjectId,
        (id, offset): (ObjectId, u64),
        kept: &[ObjectId],
    ) -> Option<FxHashSet<ObjectId>> {
        let references = self.references(state);
        let owners = Owners::of(&state.memory);
        if owners.get(id) != owners.get(holder) {
            return None;
        }
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
                    if self.machine.terms.width(value) == self.machine.pointer_bits
                        && let Target::Object(to, _) | Target::Segment(to, ..) = self.any_target(state, value)
                        && to != holder
                    {
                        found.push(to);
                    }
                }
            }
            for candidate in found {
                let object = state.memory.get(candidate);
                // An object that belongs to another segment than the node is shared by all nodes.
                let owner = owners.get(candidate);
                let owned = object.kind == ObjectKind::Heap
                    && object.end == End::Live
                    && !kept.contains(&candidate)
                    && (owner == owners.get(holder) || owner.is_some_and(|owner| group.contains(&owner)))
                    && references.only_from(candidate, &group);
                if owned {
                    group.insert(candidate);
                }
            }
            if group.len() == before {
                break;
            }
        }
        // Other objects may point to the first node of a segment, but a node that a register points to is not owned.
        let known = |source: Source| source.object().is_some_and(|from| group.contains(&from));
        let first = |r: &Reference| r.source != Source::Root && r.offset == Some(offset);
        let alone = references.to.get(&id).into_iter().flatten().all(|r| known(r.source) || first(r));
        let seen = group.iter().all(|member| !references.hidden.contains(member));
        (alone && seen && !group.contains(&holder)).then_some(group)
    }

    /// Adds a segment that replaces objects of a pattern to the segment of that pattern.
    fn add_owned(
        &mut self,
        state: &mut State,
        holder: ObjectId,
        instead: &FxHashSet<ObjectId>,
        new: ObjectId,
    ) -> Option<()> {
        Self::update_owner(state, holder, |segment| {
            segment.owned.retain(|id| !instead.contains(id));
            segment.owned.push(new);
        })
    }

    /// Makes a variable that occurs in a pattern local to the segment of that pattern.
    fn add_local(state: &mut State, holder: ObjectId, variable: Term) -> Option<()> {
        Self::update_owner(state, holder, |segment| segment.locals.push(variable))
    }

    /// Changes the segment that an object is a pattern of; does nothing if the object is no pattern.
    fn update_owner(state: &mut State, holder: ObjectId, change: impl FnOnce(&mut Segment)) -> Option<()> {
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
