//! Unfolding: turns a segment into objects where the program needs its nodes.
//!
//! An access to the node at an end of a segment, a comparison with it, or freeing it needs that node as an object of
//! its own. An empty segment is an equation, which is established by replacing the variable that is the address of
//! its first node.

use std::collections::BTreeSet;
use std::ops::ControlFlow::Break;
use std::rc::Rc;

use cairn_portfolio::Reason;
use cairn_smt::evaluate::Assignment;
use cairn_smt::{Substitution, Term};

use crate::planted;
use crate::state::State;
use crate::step::{Flow, Stop};
use crate::{Machine, Mode, Possible};
use cairn_memory::object::ObjectKind;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Back, Segment, Side};
use cairn_memory::symbolic::Object;

impl<M: Mode> Machine<'_, M> {
    /// Splits a state into one where a segment is empty and one where the node at one end is an object.
    ///
    /// Both execute the instruction again.
    pub(crate) fn unfold<T>(&mut self, state: State<M>, id: ObjectId, side: Side, out: &mut Vec<State<M>>) -> Flow<T> {
        let Some(segment) = state.memory.get(id).segment.clone() else { return Break(Stop::Split) };
        let zero = self.terms.constant(0, self.pointer_bits);
        let none = self.terms.eq(segment.length, zero);
        let (empty, some) = self.branch(state, none);
        if planted!(59, segment.min == 0, false)
            && let Some(empty) = empty
        {
            out.extend(self.without_nodes(empty, id));
        }
        if let Some(some) = some {
            out.extend(self.with_nodes(some, id, side));
        }
        Break(Stop::Split)
    }

    /// Returns the state where a segment has no node; `None` if that is infeasible.
    pub fn without_nodes(&mut self, mut state: State<M>, id: ObjectId) -> Option<State<M>> {
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
        // In a cycle, the value before the segment may be the address of its own first node.
        let prev = map.apply(&mut self.terms, prev);
        let to = self.terms.sub(prev, at);
        self.replace(state, &mut Substitution::new([(last, to)]))
    }

    /// Removes a segment with its patterns.
    pub fn remove_segment(state: &mut State<M>, id: ObjectId) {
        let patterns = state.memory.get(id).segment.as_ref().map(|segment| segment.patterns(&state.memory));
        for pattern in patterns.into_iter().flatten() {
            state.memory.remove(pattern);
        }
        state.memory.remove(id);
    }

    /// Returns the states where the node at one end of a segment is an object.
    ///
    /// A segment that is a path through a tree yields one state for each child through which the path may continue.
    pub fn with_nodes(&mut self, state: State<M>, id: ObjectId, side: Side) -> Vec<State<M>> {
        if state.memory.get(id).segment.as_ref().is_none_or(|segment| segment.fork.is_none()) {
            return self.with_node(state, id, side, false).into_iter().collect();
        }
        let other = state.clone();
        self.with_node(state, id, side, true).into_iter().chain(self.with_node(other, id, side, false)).collect()
    }

    /// Returns the state where the node at one end of a segment is an object; `None` if that is infeasible.
    ///
    /// On a path through a tree, `first_way` selects the child through which the path continues.
    fn with_node(&mut self, mut state: State<M>, id: ObjectId, side: Side, first_way: bool) -> Option<State<M>> {
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
        // The ends are read again, because in a cycle they lead to the node that was materialised.
        let segment = state.memory.get(id).segment.clone()?;
        let mut rest = (*segment).clone();
        rest.min = planted!(60, segment.min.saturating_sub(1), segment.min);
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
                // A list without further nodes is no longer a segment.
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

    /// Removes the node at one end of a list from the sequences of the list.
    ///
    /// Sets the values of the node's cells, and the value that the rest begins or ends with. Returns the conditions
    /// that relate them.
    fn take_steps(
        &mut self,
        state: &mut State<M>,
        rest: &mut Segment,
        side: Side,
        values: &mut Vec<(Term, Term)>,
    ) -> Vec<Term> {
        let node = state.memory.get(rest.node).clone();
        let mut taken = Vec::new();
        let mut sequences = std::mem::take(&mut rest.sequences);
        sequences.retain_mut(|sequence| {
            // If the cell does not hold a local variable, the sequence tells nothing about this node.
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

    /// Returns the conditions that one value follows another.
    fn step_between(
        &mut self,
        state: &State<M>,
        steps: &BTreeSet<(u128, u128)>,
        before: Term,
        after: Term,
    ) -> Vec<Term> {
        let width = self.terms.width(after);
        let known = (state.path.value(&self.terms, before), state.path.value(&self.terms, after));
        let fits = |known: Option<u128>, value: u128| known.is_none_or(|known| known == value);
        let steps: Vec<(u128, u128)> =
            steps.iter().copied().filter(|step| fits(known.0, step.0) && fits(known.1, step.1)).collect();
        let mut conditions = Vec::new();
        // The ranges of the values are separate conditions, so that they can be looked up without a query.
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

    /// Adds a subtree that is like a given tree but of unknown size. Also returns its base.
    fn child(&mut self, mut state: State<M>, tree: ObjectId, parent: Term) -> Option<(State<M>, Term)> {
        let mut object = state.memory.get(tree).clone();
        let segment = object.segment.clone()?;
        let locals = segment.variables(&state.memory);
        let mut map = Substitution::default();
        let mut copy = self.copy_patterns(&mut state, &segment, &mut map);
        copy.min = planted!(61, 0, 1);
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

    /// Copies the patterns of a segment, with fresh variables for all local ones that the map does not contain.
    ///
    /// The path conditions on the old variables are not copied: see [`Self::repeat`].
    pub fn copy_patterns(&mut self, state: &mut State<M>, segment: &Segment, map: &mut Substitution) -> Segment {
        let mut copied = Vec::new();
        let copy = self.rename_patterns(state, segment, map, &mut copied);
        for id in copied {
            state.memory.get_mut(id).substitute(&mut self.terms, map);
        }
        copy
    }

    /// Copies the patterns of a segment unchanged, and chooses fresh variables.
    fn rename_patterns(
        &mut self,
        state: &mut State<M>,
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

    /// Returns the replacement of a local variable, which is a fresh variable if there is none yet.
    fn renew(&mut self, state: &mut State<M>, map: &mut Substitution, old: Term) -> Term {
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

    /// Adds the objects of one node. `values` maps its base and links; all other local variables become fresh ones.
    fn instantiate(&mut self, mut state: State<M>, segment: &Segment, values: Vec<(Term, Term)>) -> Option<State<M>> {
        let locals = segment.variables(&state.memory);
        let mut map = Substitution::new(values);
        for &id in &segment.owned {
            let object = state.memory.get(id);
            if object.segment.is_none() {
                // Existing objects have aligned addresses, while those of patterns are plain variables.
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

    /// Assumes the path conditions on local variables for the variables that replace them.
    fn repeat(&mut self, mut state: State<M>, locals: &[Term], map: &mut Substitution) -> Option<State<M>> {
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

    /// Adds an object whose addresses are chosen already.
    pub fn put(&mut self, state: &mut State<M>, object: Object) -> ObjectId {
        let last = object.segment.as_ref().and_then(|segment| segment.last());
        let base = object.base;
        let id = state.memory.add(object);
        self.bases.insert(base, id);
        if let Some(last) = last {
            self.bases.insert(last, id);
        }
        id
    }

    /// Returns the address of a new object; addresses on the heap are aligned.
    pub fn fresh_base(&mut self, kind: ObjectKind) -> Term {
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

    /// Assumes a condition; `None` if it cannot hold.
    pub fn assume(&mut self, mut state: State<M>, condition: Term) -> Option<State<M>> {
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
                self.gaps.insert(Reason::SolverBudget);
                None
            }
        }
    }

    /// Replaces terms in a state; `None` if the path becomes infeasible.
    pub fn replace(&mut self, mut state: State<M>, map: &mut Substitution) -> Option<State<M>> {
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
                self.gaps.insert(Reason::SolverBudget);
                None
            }
        }
    }
}
