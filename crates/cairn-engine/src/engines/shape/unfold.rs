//! Segments become objects where the program looks at them: an access to the node at an end of a segment, a comparison with it, or
//! freeing it needs that node as an object of its own.
//!
//! An empty segment is an equation, which is made true by replacing the variable that is its first node's address.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_smt::evaluate::Assignment;
use cairn_smt::{Substitution, Term};

use super::access::Stop;
use super::state::State;
use super::{Explorer, Possible};
use crate::memory::object::ObjectKind;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::{Back, Segment, Side};
use crate::memory::symbolic::Object;

impl Explorer<'_> {
    /// The states that a state with a segment stands for, with the node at one end as an object or without any node; both run the
    /// instruction again.
    pub(super) fn unfold(&mut self, state: State, id: ObjectId, side: Side, out: &mut Vec<State>) -> Stop {
        let Some(segment) = state.memory.get(id).segment.clone() else { return Stop::Again };
        let zero = self.terms.constant(0, self.pointer_bits);
        let none = self.terms.eq(segment.length, zero);
        let (empty, some) = self.branch(state, none);
        if segment.min == 0
            && let Some(empty) = empty
        {
            out.extend(self.without_nodes(empty, id));
        }
        if let Some(some) = some {
            out.extend(self.with_nodes(some, id, side));
        }
        Stop::Again
    }

    /// The state where a segment has no node. Nothing, where that is impossible.
    pub(super) fn without_nodes(&mut self, mut state: State, id: ObjectId) -> Option<State> {
        let object = state.memory.get(id);
        let (first, segment) = (object.base, object.segment.clone()?);
        Self::remove_segment(&mut state, id);
        let at = self.terms.constant(u128::from(segment.at), self.pointer_bits);
        let to = self.terms.sub(segment.next, at);
        let mut map = Substitution::new([(first, to)]);
        let mut state = self.replace(state, &mut map)?;
        for sequence in &segment.sequences {
            let (before, last) =
                (map.apply(&mut self.terms, sequence.before), map.apply(&mut self.terms, sequence.last));
            let same = self.terms.eq(before, last);
            state = self.assume(state, same)?;
        }
        let Some(Back { prev, last: Some(last) }) = segment.back else { return Some(state) };
        // What lies before may be the first node's own address in a cycle.
        let prev = map.apply(&mut self.terms, prev);
        let to = self.terms.sub(prev, at);
        self.replace(state, &mut Substitution::new([(last, to)]))
    }

    /// Removes a segment with its patterns.
    pub(super) fn remove_segment(state: &mut State, id: ObjectId) {
        let patterns = state.memory.get(id).segment.as_ref().map(|segment| segment.patterns(&state.memory));
        for pattern in patterns.into_iter().flatten() {
            state.memory.remove(pattern);
        }
        state.memory.remove(id);
    }

    /// The states where the node at one end of a segment is an object. On a path through a tree there is one for each way that leads
    /// on.
    pub(super) fn with_nodes(&mut self, state: State, id: ObjectId, side: Side) -> Vec<State> {
        if state.memory.get(id).segment.as_ref().is_none_or(|segment| segment.fork.is_none()) {
            return self.with_node(state, id, side, false).into_iter().collect();
        }
        let other = state.clone();
        self.with_node(state, id, side, true).into_iter().chain(self.with_node(other, id, side, false)).collect()
    }

    /// The state where the node at one end of a segment is an object, and the path leads on by the first of two cells or the
    /// second. Nothing, where that is impossible.
    fn with_node(&mut self, mut state: State, id: ObjectId, side: Side, first_way: bool) -> Option<State> {
        let object = state.memory.get(id);
        let (first, kind, segment) = (object.base, object.kind, object.segment.clone()?);
        let at = self.terms.constant(u128::from(segment.at), self.pointer_bits);
        let base = self.fresh_base(kind);
        let pointer = self.terms.add(base, at);
        let taken = match (side, segment.last()) {
            (Side::Last, Some(last)) => last,
            _ => first,
        };
        state = self.replace(state, &mut Substitution::new([(taken, base)]))?;
        // The ends as they are now: a cycle leads to the node that was taken out.
        let segment = state.memory.get(id).segment.clone()?;
        let mut rest = (*segment).clone();
        rest.min = segment.min.saturating_sub(1);
        let mut values = vec![(state.memory.get(segment.node).base, base)];
        let prev = segment.back_link.zip(segment.back.map(|back| back.prev));
        let way = self.terms.constant(u128::from(first_way), 1);
        values.extend(segment.fork.map(|fork| (fork, way)));
        match *segment.links {
            [] => {
                values.extend(prev);
                state = self.instantiate(state, &segment, values)?;
                Self::remove_segment(&mut state, id);
            }
            [link] => {
                let one = self.terms.constant(1, self.pointer_bits);
                rest.length = self.terms.sub(segment.length, one);
                let end = self.terms.variable("address", self.pointer_bits);
                self.bases.insert(end, id);
                let neighbour = self.terms.add(end, at);
                if taken == first {
                    values.push((link, neighbour));
                    values.extend(prev);
                    if let Some(back) = &mut rest.back {
                        back.prev = pointer;
                    }
                    state.memory.get_mut(id).base = end;
                } else {
                    values.push((link, segment.next));
                    values.extend(segment.back_link.map(|variable| (variable, neighbour)));
                    rest.next = pointer;
                    if let Some(back) = &mut rest.back {
                        back.last = Some(end);
                    }
                }
                let done = rest.min == 0 && state.path.value(&self.terms, rest.length) == Some(0);
                let from = if taken == first { Side::First } else { Side::Last };
                let steps = self.take_steps(&mut state, &mut rest, from, &mut values);
                state.memory.get_mut(id).segment = Some(Rc::new(rest));
                state = self.instantiate(state, &segment, values)?;
                for step in steps {
                    state = self.assume(state, step)?;
                }
                // A list that has no further node is no segment any more.
                if done {
                    state = self.without_nodes(state, id)?;
                }
            }
            ref links => {
                values.extend(prev);
                for &link in links {
                    let (next, child) = self.child(state, id, pointer)?;
                    state = next;
                    let there = self.terms.add(child, at);
                    values.push((link, there));
                }
                state = self.instantiate(state, &segment, values)?;
                Self::remove_segment(&mut state, id);
            }
        }
        Some(state)
    }

    /// Takes the node at one end of a list out of its sequences: what its cells hold, and what the rest begins or ends with. Returns
    /// what that means.
    fn take_steps(
        &mut self,
        state: &mut State,
        rest: &mut Segment,
        side: Side,
        values: &mut Vec<(Term, Term)>,
    ) -> Vec<Term> {
        let node = state.memory.get(rest.node).clone();
        let mut taken = Vec::new();
        let mut sequences = std::mem::take(&mut rest.sequences);
        sequences.retain_mut(|sequence| {
            // What is not a local variable of its own says nothing of this node.
            let cell = node.cell_at(sequence.at).filter(|cell| cell.0 == sequence.at).map(|cell| cell.2);
            let Some(local) = cell.filter(|value| rest.locals.contains(value)) else { return false };
            let new = self.terms.variable("mark", self.terms.width(local));
            let (before, after) = match side {
                Side::First => (std::mem::replace(&mut sequence.before, new), new),
                Side::Last => (new, std::mem::replace(&mut sequence.last, new)),
            };
            let value = self.terms.evaluate(local, state.path.model());
            state.path.give(new, value);
            values.push((local, after));
            taken.extend(self.step_between(state, &sequence.steps, before, after));
            true
        });
        rest.sequences = sequences;
        taken
    }

    /// That one value follows another.
    fn step_between(&mut self, state: &State, steps: &BTreeSet<(u128, u128)>, before: Term, after: Term) -> Vec<Term> {
        let width = self.terms.width(after);
        let known = (state.path.value(&self.terms, before), state.path.value(&self.terms, after));
        let fits = |known: Option<u128>, value: u128| known.is_none_or(|known| known == value);
        let steps: Vec<(u128, u128)> =
            steps.iter().copied().filter(|step| fits(known.0, step.0) && fits(known.1, step.1)).collect();
        let mut conditions = Vec::new();
        // How far the values go is said apart, because that is looked up rather than asked for.
        let (befores, afters) = (steps.iter().map(|step| step.0), steps.iter().map(|step| step.1));
        let ends =
            [(before, befores.clone().min().zip(befores.max())), (after, afters.clone().min().zip(afters.max()))];
        for (value, ends) in ends {
            let Some((least, most)) = ends else { return vec![self.terms.falsity()] };
            let (least, most) = (self.terms.constant(least, width), self.terms.constant(most, width));
            conditions.extend([self.terms.ule(least, value), self.terms.ule(value, most)]);
        }
        let mut any = self.terms.falsity();
        for (from, to) in steps {
            let (from, to) = (self.terms.constant(from, width), self.terms.constant(to, width));
            let (begins, ends) = (self.terms.eq(before, from), self.terms.eq(after, to));
            let both = self.terms.and(begins, ends);
            any = self.terms.or(any, both);
        }
        conditions.push(any);
        conditions
    }

    /// Adds a subtree like a given tree; of the number of its nodes nothing is known. Also returns its base.
    fn child(&mut self, mut state: State, tree: ObjectId, parent: Term) -> Option<(State, Term)> {
        let mut object = state.memory.get(tree).clone();
        let segment = object.segment.clone()?;
        let locals = segment.variables(&state.memory);
        let mut map = Substitution::default();
        let mut copy = self.copy_patterns(&mut state, &segment, &mut map);
        copy.min = 0;
        copy.length = self.terms.variable("length", self.pointer_bits);
        if let Some(back) = &mut copy.back {
            back.prev = parent;
        }
        object.base = self.terms.variable("address", self.pointer_bits);
        object.segment = Some(Rc::new(copy));
        let base = object.base;
        self.put(&mut state, object);
        Some((self.repeat(state, &locals, &mut map)?, base))
    }

    /// Copies the patterns of a segment, with new variables for all local ones that the map does not know. What the path says
    /// of the old ones is not repeated: see [`Self::repeat`].
    pub(super) fn copy_patterns(&mut self, state: &mut State, segment: &Segment, map: &mut Substitution) -> Segment {
        let mut copied = Vec::new();
        let copy = self.rename_patterns(state, segment, map, &mut copied);
        for id in copied {
            state.memory.get_mut(id).substitute(&mut self.terms, map);
        }
        copy
    }

    /// Copies the patterns of a segment as they are, and chooses new variables.
    fn rename_patterns(
        &mut self,
        state: &mut State,
        segment: &Segment,
        map: &mut Substitution,
        copied: &mut Vec<ObjectId>,
    ) -> Segment {
        let mut copy = segment.clone();
        for local in copy.locals.iter_mut().chain(&mut copy.links).chain(&mut copy.back_link).chain(&mut copy.fork) {
            *local = self.renew(state, map, *local);
        }
        for id in std::iter::once(&mut copy.node).chain(&mut copy.owned) {
            let mut object = state.memory.get(*id).clone();
            object.base = self.renew(state, map, object.base);
            if let Some(inner) = &mut object.segment {
                let mut renamed = self.rename_patterns(state, inner, map, copied);
                if let Some(Back { last: Some(last), .. }) = &mut renamed.back {
                    *last = self.renew(state, map, *last);
                }
                *inner = Rc::new(renamed);
            }
            *id = self.put(state, object);
            copied.push(*id);
        }
        copy
    }

    /// A new variable in the place of a local one, or what that is replaced by already.
    fn renew(&mut self, state: &mut State, map: &mut Substitution, old: Term) -> Term {
        if let Some(known) = map.get(old) {
            return known;
        }
        let name = self.source_name(old);
        let new = self.terms.variable(&name, self.terms.width(old));
        if self.undefined.contains(&old) {
            self.undefined.insert(new);
        }
        let value = self.terms.evaluate(old, state.path.model());
        state.path.give(new, value);
        map.insert(old, new);
        new
    }

    /// Adds the objects of one node: `values` says what its base and links are, all else that is local gets new variables.
    fn instantiate(&mut self, mut state: State, segment: &Segment, values: Vec<(Term, Term)>) -> Option<State> {
        let locals = segment.variables(&state.memory);
        let mut map = Substitution::new(values);
        for &id in &segment.owned {
            let object = state.memory.get(id);
            if object.segment.is_none() {
                // Objects that exist have aligned addresses; those of patterns are mere variables.
                let (old, kind) = (object.base, object.kind);
                let base = self.fresh_base(kind);
                map.insert(old, base);
            }
        }
        let copy = self.copy_patterns(&mut state, segment, &mut map);
        for id in std::iter::once(copy.node).chain(copy.owned) {
            state.memory.get_mut(id).pattern = false;
        }
        self.repeat(state, &locals, &mut map)
    }

    /// Assumes of new variables what the path says of the local ones that they take the place of.
    fn repeat(&mut self, mut state: State, locals: &[Term], map: &mut Substitution) -> Option<State> {
        let mut conditions = state.path.conditions();
        conditions.reverse();
        for condition in conditions {
            if self.variables_of(condition).iter().any(|variable| locals.contains(variable)) {
                let condition = map.apply(&mut self.terms, condition);
                state = self.assume(state, condition)?;
            }
        }
        Some(state)
    }

    /// Adds an object whose bases are chosen already.
    pub(super) fn put(&mut self, state: &mut State, object: Object) -> ObjectId {
        let last = object.segment.as_ref().and_then(|segment| segment.last());
        let base = object.base;
        let id = state.memory.add(object);
        self.bases.insert(base, id);
        if let Some(last) = last {
            self.bases.insert(last, id);
        }
        id
    }

    /// The address of a new object: what `malloc` gives is aligned.
    pub(super) fn fresh_base(&mut self, kind: ObjectKind) -> Term {
        let zeros = if kind == ObjectKind::Heap { 4 } else { 0 };
        let high = self.terms.variable("address", self.pointer_bits - zeros);
        if zeros == 0 {
            return high;
        }
        let low = self.terms.constant(0, zeros);
        self.terms.concat(high, low)
    }

    fn source_name(&self, variable: Term) -> String {
        match *self.terms.node(variable) {
            cairn_smt::term::Node::Var(number) => self.terms.variable_name(number).to_owned(),
            _ => String::from("value"),
        }
    }

    /// Assumes a condition. Nothing, where it can't hold.
    pub(super) fn assume(&mut self, mut state: State, condition: Term) -> Option<State> {
        if let Some(value) = state.path.value(&self.terms, condition) {
            return (value == 1).then_some(state);
        }
        if self.terms.evaluate(condition, state.path.model()) == 1 {
            state.path.assume(&self.terms, condition, None);
            return Some(state);
        }
        match self.possible(&state, condition) {
            Possible::Yes(model) => {
                state.path.assume(&self.terms, condition, Some(model));
                Some(state)
            }
            Possible::No => None,
            Possible::Unknown => {
                self.gaps.insert("the solver's budget is used up".to_owned());
                None
            }
        }
    }

    /// Replaces terms in a state. Nothing, where the path can't hold any more.
    pub(super) fn replace(&mut self, mut state: State, map: &mut Substitution) -> Option<State> {
        state.substitute(&mut self.terms, map);
        let (path, satisfied) = state.path.substitute(&mut self.terms, map)?;
        state.path = path;
        if satisfied {
            return Some(state);
        }
        let conditions = state.path.conditions();
        match self.session.check(&self.terms, &conditions) {
            cairn_smt::Answer::Sat(found) => {
                let mut model: Assignment = state.path.model().clone();
                for variable in conditions.iter().flat_map(|&condition| self.terms.variables_of(condition).to_vec()) {
                    model.insert(variable, found.get(&variable).copied().unwrap_or(0));
                }
                state.path.set_model(&self.terms, model);
                Some(state)
            }
            cairn_smt::Answer::Unsat(_) => None,
            cairn_smt::Answer::Unknown => {
                self.gaps.insert("the solver's budget is used up".to_owned());
                None
            }
        }
    }
}
