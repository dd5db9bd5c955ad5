//! Simplification of states before they are compared.
//!
//! A state forgets values that are never read again, conditions that mention no reachable value, and everything that
//! only serves to replay an execution.

use std::rc::Rc;

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_smt::term::{Node, Op};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::State;
use crate::fold::skip_levels::is_lower_level;
use crate::footprint::LoopRegisters;
use crate::join::shapes::locals_in;
use crate::{Lattice, Proving};
use cairn_exec::Machine;
use cairn_exec::allocation::Target;
use cairn_exec::leak::Roots;
use cairn_exec::path::Path;
use cairn_exec::state::Choices;
use cairn_ir::analysis::liveness::Liveness;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Object;

/// Whether the simplification of a state folds its nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Folding {
    /// Nodes are folded into segments.
    Fold,
    /// Nodes are kept as they are.
    Keep,
}

impl Folding {
    /// Returns [`Folding::Fold`] if a condition holds.
    pub(crate) fn when(condition: bool) -> Self {
        if condition { Self::Fold } else { Self::Keep }
    }
}

impl Lattice<'_> {
    /// Simplifies a state, and folds its nodes where that is wanted.
    ///
    /// The state is split first if a value may be one of several pointers. It is also split if a list may be empty
    /// that the loop with these registers can access.
    pub(crate) fn simplify(&mut self, state: State, folding: Folding, registers: &LoopRegisters, out: &mut Vec<State>) {
        let mut waiting = vec![state];
        while let Some(mut state) = waiting.pop() {
            self.forget_registers(&mut state);
            if let Some(condition) = self.undecided_pointer(&state) {
                let (yes, no) = self.branch(state, condition);
                waiting.extend(yes);
                waiting.extend(no);
                continue;
            }
            self.resolve_choices(&mut state);
            if let Some(id) = self.possibly_empty(&state, registers) {
                self.split_empty(state, id, &mut waiting);
                continue;
            }
            self.check_unreachable(&mut state);
            self.remove_unreachable_lists(&mut state);
            let Some(settled) = self.resolve_partial_pointers(state) else { continue };
            state = settled;
            self.forget_indexed(&mut state);
            if folding == Folding::Fold {
                self.name_sizes(&mut state);
                state = self.fold(state);
                self.forget_indexed(&mut state);
            }
            self.add_consequences(&mut state);
            self.forget_conditions(&mut state);
            state.choices = Choices::default();
            // Joining does not preserve the order in which objects were created.
            let dead: Vec<ObjectId> = state.memory.iter().filter(|(_, o)| o.died.is_some()).map(|(id, _)| id).collect();
            dead.into_iter().for_each(|id| state.memory.get_mut(id).died = None);
            state.depth = 0;
            state.splits = 0;
            state.lives = 0;
            state.extra.joins = 0;
            state.extra.join_variables = Rc::default();
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

    /// Returns a list that may be empty. Lower levels of skip lists and lists of tables are not split.
    fn possibly_empty(&mut self, state: &State, registers: &LoopRegisters) -> Option<ObjectId> {
        let empty = |object: &Object| {
            let segment = object.segment.as_ref();
            !object.pattern && segment.is_some_and(|segment| segment.min == 0 && segment.links.len() == 1)
        };
        let found: Vec<ObjectId> = state.memory.iter().filter(|(_, object)| empty(object)).map(|(id, _)| id).collect();
        if found.is_empty() {
            return None;
        }
        let accessed = self.footprint(state, registers);
        let is_accessed = |id: ObjectId| accessed.as_ref().is_none_or(|accessed| accessed.contains(&id));
        found
            .into_iter()
            .find(|&id| is_accessed(id) && !is_lower_level(self, state, id) && !self.is_in_table(state, id))
    }

    /// Splits a state by whether a segment is empty or has at least one node.
    ///
    /// States that reached the same shape in different ways become equal.
    fn split_empty(&mut self, state: State, id: ObjectId, out: &mut Vec<State>) {
        let Some(length) = state.memory.get(id).segment.as_ref().map(|segment| segment.length) else { return };
        let zero = self.machine.terms.constant(0, self.machine.pointer_bits);
        let none = self.machine.terms.eq(length, zero);
        let (empty, some) = self.branch(state, none);
        out.extend(empty.and_then(|state| self.without_nodes(state, id)));
        out.extend(some.map(|mut state| {
            if let Some(segment) = &mut state.memory.get_mut(id).segment {
                Rc::make_mut(segment).min = 1;
            }
            state
        }));
    }

    /// Introduces variables for values in nodes that sizes are computed from.
    ///
    /// When two nodes are merged, both the values and the terms that they were computed from differ. The variable
    /// shows that the size of a part depends on a value of its node.
    fn name_sizes(&mut self, state: &mut State) {
        let mut parts: FxHashSet<Term> = FxHashSet::default();
        let mut waiting: Vec<Term> = Vec::new();
        // A value in a pattern differs from node to node, so one variable cannot name it.
        let is_node = |object: &Object| object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern;
        for (_, object) in state.memory.iter().filter(|(_, object)| is_node(object)) {
            waiting.push(object.size);
        }
        while let Some(term) = waiting.pop() {
            if self.machine.terms.as_const(term).is_none() && parts.insert(term) {
                self.machine.terms.for_operands(term, |operand| waiting.push(operand));
            }
        }
        parts.retain(|&term| {
            !matches!(self.machine.terms.node(term), Node::Var(_)) && self.machine.terms.width(term) > 8
        });
        if parts.is_empty() {
            return;
        }
        let mut values: Vec<Term> = Vec::new();
        for (_, object) in state.memory.iter().filter(|(_, object)| is_node(object)) {
            values.extend(object.cells().map(|cell| cell.2).filter(|value| parts.contains(value)));
        }
        values.sort_unstable();
        values.dedup();
        for value in values {
            let name = self.machine.terms.variable("size", self.machine.terms.width(value));
            state.path.give(name, self.machine.terms.evaluate(value, state.path.model()));
            if self.is_undefined(value) {
                self.machine.undefined.insert(name);
            }
            let facts = state.path.facts(&self.machine.terms, value);
            state.substitute(&mut self.machine.terms, &mut Substitution::new([(value, name)]));
            let width = self.machine.terms.width(value);
            let (least, most) =
                (self.machine.terms.constant(facts.min, width), self.machine.terms.constant(facts.max, width));
            let known = [
                self.machine.terms.eq(name, value),
                self.machine.terms.ule(least, name),
                self.machine.terms.ule(name, most),
            ];
            for condition in known {
                if self.machine.terms.as_const(condition).is_none() {
                    state.path.assume(&self.machine.terms, condition, None);
                }
            }
        }
    }

    /// Forgets the values of registers that are assigned before they are read.
    ///
    /// A named variable that is the only pointer to a heap object stays, because the object is not leaked while it
    /// exists.
    fn forget_registers(&mut self, state: &mut State) {
        let mut named = Vec::new();
        let count = state.frames.len();
        for index in 0..count {
            let frame = &state.frames[index];
            let Some(body) = &self.machine.program.functions[frame.function.index()].body else { continue };
            let liveness = self.machine.liveness.entry(frame.function).or_insert_with(|| Liveness::of(body));
            let mut live = liveness.before(body, frame.block.index(), frame.inst);
            // The result of the active call is assigned when the call returns.
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
                if body.regs[register].name.is_some() && self.machine.options.kinds.contains(&CheckKind::Leak) {
                    named.extend(value.map(|value| (index, register, value)));
                }
            }
        }
        let mut reach = self.reach(state, Roots::Kept);
        for (index, register, value) in named {
            let is_only_pointer = match self.any_target(state, value) {
                Target::Object(id, _) | Target::Segment(id, ..) => {
                    let object = state.memory.get(id);
                    object.kind == ObjectKind::Heap && object.end == End::Live && !reach.reached.contains(&id)
                }
                _ => self.debts(state, &reach).into_iter().any(|debt| self.is_offset_of(value, debt)),
            };
            if is_only_pointer {
                Rc::make_mut(&mut state.frames[index]).regs[register] = Some(value);
                reach = self.reach(state, Roots::Kept);
            }
        }
        let reach = self.reach(state, Roots::Needed);
        // Stack memory that no pointer leads to any more goes out of scope.
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

    /// Forgets cells at symbolic offsets whose variables occur nowhere else.
    ///
    /// Constants stay: a string ends at a 0 byte even if the variable with its length is gone.
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
                // If the offset is known by now, an ordinary cell holds the value.
                let cell =
                    state.path.value(&self.machine.terms, i.at).and_then(|at| state.memory.get(id).cell_at(at as u64));
                let known = cell.is_some_and(|cell| 8 * cell.1 == self.machine.terms.width(i.term));
                !known
                    && (state.path.value(&self.machine.terms, i.term).is_some()
                        || self.variables_of(i.at).iter().all(|v| variables.contains(v)))
            });
            state.memory.get_mut(id).set_indexed(indexed);
        }
    }

    /// Replaces conditional values by the selected alternative if the path decides the condition.
    ///
    /// Otherwise the other alternative would count as mentioned.
    fn resolve_choices(&mut self, state: &mut State) {
        let mut values: Vec<Term> = state.frames.iter().flat_map(|f| f.regs.iter().flatten().copied()).collect();
        for (_, object) in state.memory.iter() {
            values.extend(object.values());
        }
        let mut settled: FxHashMap<Term, Term> = FxHashMap::default();
        for value in values {
            let mut chosen = value;
            while let Node::Ite(condition, a, b) = *self.machine.terms.node(chosen)
                && let Some(truth) = state.path.value(&self.machine.terms, condition)
            {
                chosen = if truth == 1 { a } else { b };
            }
            if chosen != value {
                settled.insert(value, chosen);
            }
        }
        if !settled.is_empty() {
            state.substitute(&mut self.machine.terms, &mut Substitution::new(settled));
        }
    }

    /// Checks for unreachable heap objects, which would disappear from the state after this point.
    ///
    /// If no check asks about leaks, unreachable objects are treated as freed.
    fn check_unreachable(&mut self, state: &mut State) {
        let asked = |kind: CheckKind| self.machine.options.kinds.contains(&kind);
        if asked(CheckKind::Leak) || asked(CheckKind::Unfreed) {
            if self.check_lost(state, Loc::NONE) && self.machine.options.kinds.contains(&CheckKind::Unfreed) {
                self.report(state, CheckKind::Unfreed, Checks::NONE, Loc::NONE);
            }
            // Once the check has failed, unreachable objects are treated as freed too, so that they do not
            // accumulate.
            let first = if self.machine.options.kinds.contains(&CheckKind::Leak) {
                CheckKind::Leak
            } else {
                CheckKind::Unfreed
            };
            if !self.machine.mode.alarms.is_raised(first) {
                return;
            }
        }
        // Recorded states show leaked objects.
        if self.machine.mode.record.is_some() {
            return;
        }
        self.forget_lost(state);
    }

    /// Removes unreachable lists that are empty on this path. A later join may lose the fact that they are empty.
    fn remove_unreachable_lists(&mut self, state: &mut State) {
        let is_list = |object: &Object| !object.pattern && object.segment.as_ref().is_some_and(|s| s.min == 0);
        let lists: Vec<ObjectId> =
            state.memory.iter().filter(|(_, object)| is_list(object)).map(|(id, _)| id).collect();
        if lists.is_empty() {
            return;
        }
        let reach = self.reach(state, Roots::Needed);
        for id in lists {
            if !reach.reached.contains(&id) && !reach.hidden.contains(&id) && self.surely_empty(state, id) {
                Machine::<Proving>::remove_segment(state, id);
            }
        }
    }

    /// Resolves partial pointers to lists that are known to be empty.
    ///
    /// Only a part of such a pointer may be left, for instance in a union that holds another member by now. It
    /// becomes the part of the value that the pointer to the empty list equals.
    fn resolve_partial_pointers(&mut self, mut state: State) -> Option<State> {
        let is_list = |object: &Object| !object.pattern && object.segment.as_ref().is_some_and(|s| s.min == 0);
        if !state.memory.iter().any(|(_, object)| is_list(object)) {
            return Some(state);
        }
        let reach = self.reach(&state, Roots::Needed);
        let mut hidden: Vec<ObjectId> = reach.hidden.difference(&reach.reached).copied().collect();
        hidden.sort_unstable();
        for id in hidden {
            if state.memory.find(id).is_some_and(is_list) && self.surely_empty(&state, id) {
                state = self.without_nodes(state, id)?;
            }
        }
        Some(state)
    }

    /// Forgets conditions that relate a value to a variable that occurs nowhere else.
    ///
    /// Such a condition says almost nothing, because a suitable value nearly always exists. It would prevent
    /// covering, which cannot guess that value. Variables that only have bounds are eliminated too. Dropping
    /// conditions only weakens the state.
    pub(crate) fn forget_dangling_conditions(&mut self, state: &mut State) {
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
                matches!(self.machine.terms.node(condition), Node::Binary(Op::Eq, ..))
                    || self.variables_of(condition).iter().all(|v| used.contains(v) || counts[v] > 1)
            });
            if conditions.len() == before {
                break;
            }
        }
        if conditions != before {
            state.path = Path::with(&self.machine.terms, conditions, state.path.model().clone());
        }
    }

    /// Forgets the conditions that are unrelated to values that the program can still read.
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
            state.path = Path::with(&self.machine.terms, conditions, model);
        }
    }
}
