//! What a state forgets where states are compared: values that nothing reads again, conditions on nothing that is left, and
//! everything that only serves to replay a path.

use std::rc::Rc;

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_smt::term::{Node, Op};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::levels::is_lower_level;
use super::shapes::locals_in;
use super::touched::LoopRegisters;
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::leak::Roots;
use crate::engines::shape::path::Path;
use crate::engines::shape::state::{Choices, State};
use crate::liveness::Liveness;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::Object;

impl Explorer<'_> {
    /// Cleans a state, and folds it where that is wanted. Values that may be one of several pointers split it first, and lists that may
    /// be empty, where the loop with these registers can look at them.
    pub(super) fn clean(&mut self, state: State, folding: bool, registers: &LoopRegisters, out: &mut Vec<State>) {
        let mut waiting = vec![state];
        while let Some(mut state) = waiting.pop() {
            self.forget_registers(&mut state);
            if let Some(condition) = self.undecided_pointer(&state) {
                let (yes, no) = self.branch(state, condition);
                waiting.extend(yes);
                waiting.extend(no);
                continue;
            }
            self.settle_choices(&mut state);
            if let Some(id) = self.possibly_empty(&state, registers) {
                self.split_empty(state, id, &mut waiting);
                continue;
            }
            self.check_nothing_lost(&mut state);
            self.remove_lost_lists(&mut state);
            if folding {
                state = self.fold(state);
            }
            self.forget_indexed(&mut state);
            self.draw_consequences(&mut state);
            self.forget_conditions(&mut state);
            state.choices = Choices::default();
            // Joining does not keep the order in which objects came.
            let dead: Vec<ObjectId> = state.memory.iter().filter(|(_, o)| o.died.is_some()).map(|(id, _)| id).collect();
            dead.into_iter().for_each(|id| state.memory.get_mut(id).died = None);
            state.depth = 0;
            state.splits = 0;
            state.lives = 0;
            state.joins = 0;
            state.own = Rc::default();
            for frame in &mut state.frames {
                if frame.visits.iter().chain(&frame.forks).any(|&count| count != 0) {
                    let frame = Rc::make_mut(frame);
                    frame.visits.fill(0);
                    frame.forks.fill(0);
                }
            }
            out.push(state);
        }
    }

    /// A list that may have no node. Lower levels of skip lists may stay so, and lists in tables.
    fn possibly_empty(&mut self, state: &State, registers: &LoopRegisters) -> Option<ObjectId> {
        let empty = |object: &Object| {
            let segment = object.segment.as_ref();
            !object.pattern && segment.is_some_and(|segment| segment.min == 0 && segment.links.len() == 1)
        };
        let found: Vec<ObjectId> = state.memory.iter().filter(|(_, object)| empty(object)).map(|(id, _)| id).collect();
        if found.is_empty() {
            return None;
        }
        let touched = self.touched(state, registers);
        let is_touched = |id: ObjectId| touched.as_ref().is_none_or(|touched| touched.contains(&id));
        found.into_iter().find(|&id| is_touched(id) && !is_lower_level(self, state, id) && !self.is_in_table(state, id))
    }

    /// A segment that may be empty is none, or one with a node: so states that differ only in how they came to their shape
    /// have the same one.
    fn split_empty(&mut self, state: State, id: ObjectId, out: &mut Vec<State>) {
        let Some(length) = state.memory.get(id).segment.as_ref().map(|segment| segment.length) else { return };
        let zero = self.terms.constant(0, self.pointer_bits);
        let none = self.terms.eq(length, zero);
        let (empty, some) = self.branch(state, none);
        out.extend(empty.and_then(|state| self.without_nodes(state, id)));
        out.extend(some.map(|mut state| {
            if let Some(segment) = &mut state.memory.get_mut(id).segment {
                Rc::make_mut(segment).min = 1;
            }
            state
        }));
    }

    /// Forgets what registers hold that are assigned before they are read. A variable that is the only way to a heap object stays,
    /// because the object is not lost while it is there.
    fn forget_registers(&mut self, state: &mut State) {
        let mut named = Vec::new();
        let count = state.frames.len();
        for index in 0..count {
            let frame = &state.frames[index];
            let Some(body) = &self.program.functions[frame.function.index()].body else { continue };
            let liveness = self.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
            let mut live = liveness.before(body, frame.block.index(), frame.inst);
            // What the call above returns is assigned when it does.
            if let Some(result) = state.frames.get(index + 1).and_then(|f| f.result) {
                live[result.index()] = false;
            }
            let dead: Vec<usize> = (0..live.len()).filter(|&r| !live[r] && frame.regs[r].is_some()).collect();
            if dead.is_empty() {
                continue;
            }
            let frame = Rc::make_mut(&mut state.frames[index]);
            for register in dead {
                let value = frame.regs[register].take();
                if body.regs[register].name.is_some() && self.options.kinds.contains(&CheckKind::Leak) {
                    named.extend(value.map(|value| (index, register, value)));
                }
            }
        }
        let mut reach = self.reach(state, Roots::Needed);
        for (index, register, value) in named {
            let (Target::Object(id, _) | Target::Segment(id, ..)) = self.target(state, value) else { continue };
            let object = state.memory.get(id);
            if object.kind == ObjectKind::Heap && object.end == End::Live && !reach.reached.contains(&id) {
                Rc::make_mut(&mut state.frames[index]).regs[register] = Some(value);
                reach = self.reach(state, Roots::Needed);
            }
        }
        // Memory of the stack that nothing points to any more.
        for index in 0..count {
            let frame = &state.frames[index];
            let lost: Vec<ObjectId> = frame
                .owned
                .iter()
                .copied()
                .filter(|id| Some(*id) != frame.variadic && !reach.reached.contains(id))
                .collect();
            if !lost.is_empty() {
                Rc::make_mut(&mut state.frames[index]).owned.retain(|id| !lost.contains(id));
                for id in lost {
                    state.memory.get_mut(id).end = End::OutOfScope;
                }
            }
        }
    }

    /// Forgets what lies at offsets that nothing else speaks of any more, except for constants: a string ends where a 0 is, whatever
    /// became of the variable with its length.
    fn forget_indexed(&mut self, state: &mut State) {
        let any: Vec<ObjectId> =
            state.memory.iter().filter(|(_, o)| !o.indexed().is_empty()).map(|(id, _)| id).collect();
        if any.is_empty() {
            return;
        }
        let mut variables: FxHashSet<Term> = FxHashSet::default();
        for value in self.values_in_reach(state, false) {
            variables.extend(self.variables_of(value).iter().copied());
        }
        for id in any {
            let mut indexed = state.memory.get(id).indexed().to_vec();
            indexed.retain(|i| {
                // Where the offset is known by now, a cell says the same.
                let cell = state.path.value(&self.terms, i.at).and_then(|at| state.memory.get(id).cell_at(at as u64));
                let known = cell.is_some_and(|cell| 8 * cell.1 == self.terms.width(i.term));
                !known
                    && (state.path.value(&self.terms, i.term).is_some()
                        || self.variables_of(i.at).iter().all(|v| variables.contains(v)))
            });
            state.memory.get_mut(id).set_indexed(indexed);
        }
    }

    /// A condition on which the target of some pointer depends.
    fn undecided_pointer(&mut self, state: &State) -> Option<Term> {
        let segments = state.memory.iter().filter_map(|(_, object)| object.segment.as_deref());
        let forks: Vec<Term> = segments.filter_map(|segment| segment.fork).collect();
        for value in self.values_in_reach(state, true) {
            if self.terms.width(value) == self.pointer_bits
                && let Target::Either(condition) = self.target(state, value)
                && !forks.contains(&condition)
            {
                return Some(condition);
            }
        }
        None
    }

    /// Replaces values that depend on a condition by what they are, where that is known. What they are not would still seem to be mentioned.
    fn settle_choices(&mut self, state: &mut State) {
        let mut values: Vec<Term> = state.frames.iter().flat_map(|f| f.regs.iter().flatten().copied()).collect();
        for (_, object) in state.memory.iter() {
            values.extend(object.values());
        }
        let mut settled: FxHashMap<Term, Term> = FxHashMap::default();
        for value in values {
            let mut chosen = value;
            while let Node::Ite(condition, a, b) = *self.terms.node(chosen)
                && let Some(truth) = state.path.value(&self.terms, condition)
            {
                chosen = if truth == 1 { a } else { b };
            }
            if chosen != value {
                settled.insert(value, chosen);
            }
        }
        if !settled.is_empty() {
            state.substitute(&mut self.terms, &mut Substitution::new(settled));
        }
    }

    /// Every value that the program can still read, with those at offsets that are terms or without.
    pub(super) fn values_in_reach(&mut self, state: &State, with_indexed: bool) -> Vec<Term> {
        let reach = self.reach(state, Roots::Needed);
        let mut values: Vec<Term> = state.frames.iter().flat_map(|f| f.regs.iter().flatten().copied()).collect();
        values.extend(state.cut.iter().copied());
        for &id in &reach.reached {
            let object = state.memory.get(id);
            values.push(object.size);
            if with_indexed {
                values.extend(object.indexed().iter().flat_map(|i| [i.at, i.term]));
            }
            values.extend(object.cells().map(|(_, _, term)| term));
            if let Some(segment) = &object.segment {
                segment.for_terms(&mut |term| values.push(term));
                for id in segment.patterns(&state.memory) {
                    let pattern = state.memory.get(id);
                    values.push(pattern.size);
                    pattern.for_values(&mut |term| values.push(term));
                }
            }
        }
        values
    }

    /// A heap object that nothing leads to is lost: it would not be seen any more after this. Where nobody asks about that, it
    /// is as good as freed.
    fn check_nothing_lost(&mut self, state: &mut State) {
        let asked = |kind: CheckKind| self.options.kinds.contains(&kind);
        if asked(CheckKind::Leak) || asked(CheckKind::Unfreed) {
            if self.check_lost(state, Loc::NONE) && self.options.kinds.contains(&CheckKind::Unfreed) {
                self.report(state, CheckKind::Unfreed, Checks::NONE, Loc::NONE);
            }
            // Once that can't be proved any more, what is lost is as good as freed here, too: it would only grow.
            let first =
                if self.options.kinds.contains(&CheckKind::Leak) { CheckKind::Leak } else { CheckKind::Unfreed };
            if !self.alarms.is_raised(first) {
                return;
            }
        }
        // Whoever looks at the states sees what was lost.
        if self.record.is_some() {
            return;
        }
        let reach = self.reach(state, Roots::Needed);
        let lost: Vec<ObjectId> = state
            .memory
            .iter()
            .filter(|(id, object)| {
                object.kind == ObjectKind::Heap
                    && object.end == End::Live
                    && !object.pattern
                    && !reach.reached.contains(id)
                    && !reach.hidden.contains(id)
            })
            .map(|(id, _)| id)
            .collect();
        for id in lost {
            if state.memory.get(id).segment.is_some() {
                Self::remove_segment(state, id);
            } else {
                state.memory.get_mut(id).end = End::Freed;
            }
        }
    }

    /// Removes lists that nothing leads to and that have no node: that they have none is not known for ever.
    fn remove_lost_lists(&mut self, state: &mut State) {
        let is_list = |object: &Object| !object.pattern && object.segment.as_ref().is_some_and(|s| s.min == 0);
        let lists: Vec<ObjectId> =
            state.memory.iter().filter(|(_, object)| is_list(object)).map(|(id, _)| id).collect();
        if lists.is_empty() {
            return;
        }
        let reach = self.reach(state, Roots::Needed);
        for id in lists {
            if !reach.reached.contains(&id) && !reach.hidden.contains(&id) && self.surely_empty(state, id) {
                Self::remove_segment(state, id);
            }
        }
    }

    /// Forgets conditions that compare something with a number that occurs nowhere else: there always is such a number, or nearly
    /// always. They would stand in the way of covering, which can't guess it. Numbers that are only bounded go, too.
    pub(super) fn forget_dangling(&mut self, state: &mut State) {
        let mut used: FxHashSet<Term> = FxHashSet::default();
        for value in self.values_in_reach(state, true) {
            used.extend(self.variables_of(value).iter().copied());
        }
        for (_, object) in state.memory.iter() {
            used.extend(self.variables_of(object.base).iter().copied());
        }
        used.extend(locals_in(&state.memory));
        self.eliminate(state, &used);
        let mut conditions = state.path.conditions();
        conditions.reverse();
        let before = conditions.clone();
        self.project(&mut conditions, &used);
        loop {
            let mut counts: FxHashMap<Term, u32> = FxHashMap::default();
            for &condition in &conditions {
                for &variable in self.variables_of(condition).iter() {
                    *counts.entry(variable).or_default() += 1;
                }
            }
            let before = conditions.len();
            conditions.retain(|&condition| {
                matches!(self.terms.node(condition), Node::Binary(Op::Eq, ..))
                    || self.variables_of(condition).iter().all(|v| used.contains(v) || counts[v] > 1)
            });
            if conditions.len() == before {
                break;
            }
        }
        if conditions != before {
            state.path = Path::with(&self.terms, conditions, state.path.model().clone());
        }
    }

    /// Forgets the conditions that say nothing of what the program can still read.
    fn forget_conditions(&mut self, state: &mut State) {
        let mut variables: FxHashSet<Term> = FxHashSet::default();
        for value in self.values_in_reach(state, true) {
            variables.extend(self.variables_of(value).iter().copied());
        }
        self.eliminate(state, &variables);
        let mut rest = state.path.conditions();
        rest.reverse();
        let all = rest.len();
        let mut kept: FxHashSet<Term> = FxHashSet::default();
        loop {
            let before = kept.len();
            rest.retain(|&condition| {
                let own = self.variables_of(condition);
                let shares = own.iter().any(|v| variables.contains(v));
                if shares {
                    variables.extend(own.iter().copied());
                    kept.insert(condition);
                }
                !shares
            });
            if kept.len() == before {
                break;
            }
        }
        if kept.len() < all || state.path.model().len() > 2 * variables.len() + 16 {
            let mut conditions = state.path.conditions();
            conditions.reverse();
            conditions.retain(|c| kept.contains(c));
            let model = state.path.model().iter().filter(|(variable, _)| variables.contains(variable)).collect();
            state.path = Path::with(&self.terms, conditions, model);
        }
    }
}
