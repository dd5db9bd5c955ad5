//! A call's own part of a state, and the state after it: what the callee can reach is taken out of the caller's state, and put
//! back when it returns (the frame rule of separation logic).
//!
//! The two parts share variables: the addresses of objects that the frame points to (cut-points), and numbers that both speak of.
//! These are the *cut*: a list of values that the callee's states carry along like registers that nobody writes. So whatever joins
//! and folds do to names, a state at the return says what each of the caller's values is called there.
//!
//! Invariant: nothing in the callee's part mentions an object of the frame, so the callee can't touch it, and nothing that it does
//! makes an object of the frame unreachable.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use cairn_ir::{CheckKind, Checks, GlobalId, Loc, Ty};
use cairn_smt::term::{Node, signed};
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::Inner;
use super::touched::LoopRegisters;
use crate::engines::shape::Explorer;
use crate::engines::shape::allocation::Target;
use crate::engines::shape::path::Path;
use crate::engines::shape::state::{Choices, Frame, Stage, State};
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::{Initial, Object};

/// A caller that waits for the states at the return of a call.
#[derive(Debug)]
pub(super) struct Caller {
    /// Its state, with the callee's frame on top.
    state: State,
    /// The objects that the callee has.
    lent: FxHashSet<ObjectId>,
    /// Globals that the callee can't reach: their contents stay with the caller.
    kept: FxHashSet<ObjectId>,
    /// The values that both parts speak of, and after them those that a loop does not look at.
    cut: Vec<Term>,
    /// How many of the latter there are.
    hidden: usize,
    /// Where a loop takes the place of a call, its registers.
    registers: LoopRegisters,
}

impl Caller {
    /// The number of the last state at a place that the caller comes from.
    pub(super) fn origin(&self) -> u64 {
        self.state.origin
    }

    /// Whether the caller has something on the heap that the call can't reach.
    pub(super) fn holds_heap(&self) -> bool {
        let kept = |(id, object): (ObjectId, &Object)| {
            object.kind == ObjectKind::Heap && object.end == End::Live && !object.pattern && !self.lent.contains(&id)
        };
        self.state.memory.iter().any(kept)
    }

    /// The call that the caller is a part of.
    pub(super) fn context(&self) -> u32 {
        self.state.context
    }
}

/// Whether an object exists from the start, under the same number in all states.
fn is_fixed(object: &Object) -> bool {
    !matches!(object.kind, ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Alloca | ObjectKind::Variadic)
}

impl Explorer<'_> {
    /// Splits a state whose innermost call has just begun: the callee's part, and what waits for it. Where it is `related`, what the
    /// call returns with is told by what numbers it was passed.
    pub(super) fn split_call(&mut self, state: State, globals: &FxHashSet<GlobalId>, related: bool) -> (State, Caller) {
        self.split_hiding(state, globals, related, &[])
    }

    /// The same where some values of the callee's part are hidden from it: each is in the frame, and in its place is a variable, of which
    /// the callee knows nothing.
    fn split_hiding(
        &mut self,
        state: State,
        globals: &FxHashSet<GlobalId>,
        related: bool,
        hidden: &[(Term, Term)],
    ) -> (State, Caller) {
        let owners = self.owners(&state);
        let callee = state.top().clone();
        // What the callee can reach, in the order in which a walk from its registers finds it.
        let mut order: Vec<Term> = Vec::new();
        let mut known: FxHashSet<Term> = FxHashSet::default();
        let mut lent: FxHashSet<ObjectId> = FxHashSet::default();
        let mut waiting: Vec<ObjectId> = Vec::new();
        let mut reach = |explorer: &Self, value: Term, waiting: &mut Vec<ObjectId>| {
            for &variable in explorer.terms.variables_of(value).iter() {
                if known.insert(variable) {
                    order.push(variable);
                    waiting.extend(owners.get(&variable).copied());
                }
            }
        };
        for &value in callee.regs.iter().flatten() {
            reach(self, value, &mut waiting);
        }
        waiting.extend(callee.slots.iter().flatten().chain(&callee.owned).copied());
        let mut touched: Vec<ObjectId> = globals.iter().map(|global| self.globals[global.index()]).collect();
        touched.sort_unstable();
        waiting.extend(touched);
        // Breadth first, so that like heaps are walked alike.
        let mut next = 0;
        while let Some(&id) = waiting.get(next) {
            next += 1;
            if !lent.insert(id) {
                continue;
            }
            let object = state.memory.get(id);
            if object.end != End::Live {
                reach(self, object.base, &mut waiting);
                reach(self, object.size, &mut waiting);
            } else {
                self.values_of(&state, object, |value| reach(self, value, &mut waiting));
                if let Some(segment) = &object.segment {
                    lent.extend(segment.patterns(&state.memory));
                }
            }
        }
        let kept: FxHashSet<ObjectId> = state
            .memory
            .iter()
            .filter(|(id, object)| is_fixed(object) && object.kind.is_data() && !lent.contains(id))
            .map(|(id, _)| id)
            .collect();

        // What the frame holds.
        let mut framed: FxHashSet<Term> = FxHashSet::default();
        let mut speak = |value: Term| framed.extend(self.terms.variables_of(value).iter().copied());
        for frame in &state.frames[..state.frames.len() - 1] {
            frame.regs.iter().flatten().for_each(|&value| speak(value));
            let own = frame.slots.iter().flatten().chain(&frame.owned);
            own.for_each(|&id| speak(state.memory.get(id).base));
        }
        state.cut.iter().for_each(|&value| speak(value));
        hidden.iter().for_each(|&(value, _)| speak(value));
        for (id, object) in state.memory.iter() {
            if !lent.contains(&id) && object.end == End::Live && !object.pattern {
                self.values_of(&state, object, &mut speak);
            }
        }

        // Conditions on what the callee can reach go with it, except for those that speak of what only the frame holds: each
        // call of a recursion would add its own.
        let mut conditions = Vec::new();
        let mut rest = state.path.conditions();
        rest.reverse();
        let foreign =
            |variable: &Term| framed.contains(variable) || owners.get(variable).is_some_and(|id| !lent.contains(id));
        let order: Vec<Term> = order;
        loop {
            let before = conditions.len();
            rest.retain(|&condition| {
                let own = self.terms.variables_of(condition);
                let goes =
                    own.iter().any(|v| known.contains(v)) && own.iter().all(|v| known.contains(v) || !foreign(v));
                if goes {
                    conditions.push(condition);
                    known.extend(own.iter().copied());
                }
                !goes
            });
            if conditions.len() == before {
                break;
            }
        }
        for &condition in &rest {
            framed.extend(self.terms.variables_of(condition).iter().copied());
        }
        let mut cut = if related { self.numbers_passed(&callee) } else { Vec::new() };
        let passed: FxHashSet<Term> = cut.iter().copied().collect();
        for variable in order.into_iter().filter(|variable| framed.contains(variable) && !passed.contains(variable)) {
            let object = owners.get(&variable).map(|&id| state.memory.get(id));
            match object {
                Some(object) if is_fixed(object) => {}
                Some(object) if self.terms.variables_of(object.base).contains(&variable) => cut.push(object.base),
                _ if self.label_of.contains_key(&variable) => {}
                _ => cut.push(variable),
            }
        }
        let mut own = cut.clone();
        own.extend(hidden.iter().map(|&(_, variable)| variable));
        cut.extend(hidden.iter().map(|&(value, _)| value));

        let mut part = state.clone();
        let mut frame = callee;
        (frame.result, frame.called_at, frame.serial) = (None, Loc::NONE, 0);
        part.frames = vec![Rc::new(frame)];
        for (id, object) in state.memory.iter() {
            if kept.contains(&id) {
                part.memory.get_mut(id).forget(Initial::Undefined);
            } else if !is_fixed(object) && !lent.contains(&id) {
                part.memory.remove(id);
            }
        }
        let model = state.path.model().iter().filter(|(variable, _)| known.contains(variable)).collect();
        part.path = Path::with(&self.terms, conditions, model);
        part.cut = Rc::new(own);
        part.stage = Stage::Entered;
        part.choices = Choices::default();
        (part.depth, part.splits, part.lives, part.joins, part.next_serial) = (0, 0, 0, 0, 1);
        part.own = Rc::default();
        (part, Caller { state, lent, kept, cut, hidden: hidden.len(), registers: None })
    }

    /// The arguments of a call that has just begun that are no pointers.
    fn numbers_passed(&self, callee: &Frame) -> Vec<Term> {
        let kinds = &self.body(callee.function).regs;
        let numbers = callee.regs.iter().zip(kinds).filter(|(_, register)| register.ty != Ty::Ptr);
        numbers.filter_map(|(value, _)| *value).collect()
    }

    /// Splits a state that stands at the head of a loop, as if the loop was a call: it takes its registers and the
    /// slots with it, and gives them back where it is left.
    pub(super) fn split_loop(
        &mut self,
        mut state: State,
        globals: &FxHashSet<GlobalId>,
        inner: &Inner,
    ) -> (State, Caller) {
        let hidden = self.hide(&mut state, inner);
        let mut own = state.top().clone();
        let outer = state.top_mut();
        for (index, &used) in inner.registers.iter().enumerate() {
            let other = if used { &mut outer.regs[index] } else { &mut own.regs[index] };
            *other = None;
        }
        outer.slots.fill(None);
        outer.owned.clear();
        state.frames.push(Rc::new(own));
        let (part, caller) = self.split_hiding(state, globals, false, &hidden);
        (part, Caller { registers: Some(Rc::clone(&inner.registers)), ..caller })
    }

    /// Puts variables in the place of what nodes hold where a loop does not look at it, and returns the values with these variables.
    ///
    /// A loop that works on what a node owns does not look at the link to the next node. All that is known of the variable in
    /// its place is that it is some value. So a loop that gets to look at it all the same by some other way does so for any value: where it
    /// follows the pointer, that is an alarm, and where it is not alarmed it would not be with the value that is there.
    fn hide(&mut self, state: &mut State, inner: &Inner) -> Vec<(Term, Term)> {
        // The bytes of each node that the loop looks at by way of the registers that point there.
        let mut seen: BTreeMap<ObjectId, Option<Vec<Range<i128>>>> = BTreeMap::new();
        let values: Vec<Option<Term>> = state.top().regs.clone();
        for (index, value) in values.into_iter().enumerate().filter(|&(index, _)| inner.registers[index]) {
            let Some((id, offset)) = value.and_then(|value| match self.target(state, value) {
                Target::Object(id, offset) => Some((id, self.terms.as_const(offset))),
                _ => None,
            }) else {
                continue;
            };
            let all = seen.entry(id).or_insert_with(|| Some(Vec::new()));
            match (all.as_mut(), &inner.fields[index], offset) {
                (Some(all), Some(fields), Some(offset)) => {
                    let start = signed(offset, self.pointer_bits);
                    all.extend(
                        fields.iter().map(|range| start + i128::from(range.start)..start + i128::from(range.end)),
                    );
                }
                _ => *all = None,
            }
        }
        let mut hidden = Vec::new();
        for (id, ranges) in seen {
            let object = state.memory.get(id);
            let is_node = object.kind == ObjectKind::Heap && object.end == End::Live && object.segment.is_none();
            let (true, true, Some(ranges)) = (is_node, object.indexed().is_empty(), ranges) else { continue };
            for (at, len, value) in object.cells().collect::<Vec<_>>() {
                let end = i128::from(at) + i128::from(len);
                if ranges.iter().any(|range| range.start < end && i128::from(at) < range.end) {
                    continue;
                }
                let variable = self.terms.variable("hidden", self.terms.width(value));
                if self.terms.variables_of(value).iter().any(|variable| self.undefined.contains(variable)) {
                    self.undefined.insert(variable);
                }
                let now = self.terms.evaluate(value, state.path.model());
                state.path.give(variable, now);
                state.memory.get_mut(id).write(at, variable, &mut self.terms);
                hidden.push((value, variable));
            }
        }
        hidden
    }

    /// Reports what is not freed of that part of a caller that it did not lend, where the call ends the program.
    pub(super) fn check_kept(&mut self, caller: &Caller, loc: Loc) {
        if self.options.kinds.contains(&CheckKind::Unfreed)
            && !self.heap_of(&caller.state, |id| !caller.lent.contains(&id)).is_empty()
        {
            self.report(&caller.state, CheckKind::Unfreed, Checks::NONE, loc);
        }
    }

    /// The object that each variable of an address belongs to.
    fn owners(&self, state: &State) -> FxHashMap<Term, ObjectId> {
        let mut owners = FxHashMap::default();
        for (id, object) in state.memory.iter() {
            let last = object.segment.as_ref().and_then(|segment| segment.last());
            for address in std::iter::once(object.base).chain(last) {
                owners.extend(self.terms.variables_of(address).iter().map(|&variable| (variable, id)));
            }
        }
        owners
    }

    /// Calls `each` with the address, the size and every value of an object and of the patterns of its nodes.
    pub(super) fn values_of(&self, state: &State, object: &Object, mut each: impl FnMut(Term)) {
        let patterns = object.segment.iter().flat_map(|segment| segment.patterns(&state.memory));
        for object in std::iter::once(object).chain(patterns.map(|id| state.memory.get(id))) {
            each(object.base);
            each(object.size);
            object.for_values(&mut each);
            object.indexed().iter().for_each(|indexed| each(indexed.at));
            object.segment.iter().filter_map(|segment| segment.last()).for_each(&mut each);
        }
    }

    /// The state after a call: a caller's with the callee's part as it is at the return. Nothing, where the two can't be.
    pub(super) fn after_call(&mut self, caller: &Caller, exit: &State) -> Option<State> {
        let mut state = caller.state.clone();
        let callee = state.frames.pop()?;
        let live = self.objects_at_exit(exit);
        // Names at the return: the caller's own where they are still about the same, new ones for all else.
        let mut names: FxHashMap<Term, Term> = FxHashMap::default();
        let mut ids: FxHashMap<ObjectId, ObjectId> = FxHashMap::default();
        for (id, object) in exit.memory.iter().filter(|(_, object)| is_fixed(object)) {
            ids.insert(id, id);
            for &variable in self.terms.variables_of(object.base).iter() {
                names.insert(variable, variable);
            }
        }
        let owners = self.owners(exit);
        let mut taken: FxHashSet<ObjectId> = FxHashSet::default();
        let (shared, hidden) = caller.cut.split_at(caller.cut.len() - caller.hidden);
        for (&own, &value) in shared.iter().zip(exit.cut.iter()) {
            self.keep_names(&caller.state, exit, own, value, &owners, &mut names, &mut ids, &mut taken);
        }
        // What was hidden is seen again in the place of the variables that it was hidden by, where these are still variables.
        let spoken: FxHashSet<Term> =
            exit.cut[..shared.len()].iter().flat_map(|&value| self.terms.variables_of(value).to_vec()).collect();
        let mut revealed: FxHashMap<Term, Term> = FxHashMap::default();
        let mut told: Vec<(Term, Term)> = Vec::new();
        for (&own, &value) in hidden.iter().zip(exit.cut.iter().skip(shared.len())) {
            let plain = matches!(self.terms.node(value), Node::Var(_)) && !owners.contains_key(&value);
            if plain && !spoken.contains(&value) && !names.contains_key(&value) && !revealed.contains_key(&value) {
                revealed.insert(value, own);
            } else {
                told.push((own, value));
            }
        }
        let mut variables: Vec<Term> = Vec::new();
        let conditions: Vec<Term> = exit.path.conditions().into_iter().rev().collect();
        for &id in &live {
            let object = exit.memory.get(id);
            let mut meet = |value: Term| variables.extend(self.terms.variables_of(value).iter().copied());
            self.values_of(exit, object, &mut meet);
            if let Some(segment) = &object.segment {
                segment.variables(&exit.memory).into_iter().for_each(meet);
            }
        }
        let held = exit.frames.iter().flat_map(|frame| frame.regs.iter().flatten());
        for &value in exit.cut.iter().chain(&conditions).chain(held) {
            variables.extend(self.terms.variables_of(value).iter().copied());
        }
        let mut model = state.path.model().clone();
        for variable in variables {
            if names.contains_key(&variable) || revealed.contains_key(&variable) {
                continue;
            }
            let new = match *self.terms.node(variable) {
                _ if self.label_of.contains_key(&variable) => variable,
                Node::Var(number) => {
                    let name = self.terms.variable_name(number).to_owned();
                    self.terms.variable(&name, self.terms.width(variable))
                }
                _ => variable,
            };
            if self.undefined.contains(&variable) {
                self.undefined.insert(new);
            }
            names.insert(variable, new);
        }
        for (&old, &new) in &names {
            if let Some(value) = exit.path.model().get(&old) {
                model.insert(new, *value);
            }
        }
        let mut inward = Substitution::new(names.iter().map(|(&old, &new)| (old, new)));

        // The frame gets to know what became of the values that it shares.
        let mut outward = Substitution::default();
        let mut equal = Vec::new();
        for (&own, &value) in shared.iter().zip(exit.cut.iter()) {
            let now = inward.apply(&mut self.terms, value);
            let name = matches!(self.terms.node(own), Node::Var(_)) || self.bases.contains_key(&own);
            if now == own {
                continue;
            } else if name {
                self.instead(&mut outward, own, now);
            } else {
                equal.push((own, now));
            }
        }
        for (&value, &own) in &revealed {
            let own = outward.apply(&mut self.terms, own);
            inward.insert(value, own);
        }
        equal.extend(told.into_iter().map(|(own, value)| (own, inward.apply(&mut self.terms, value))));
        for &id in &caller.lent {
            if !state.memory.find(id).is_some_and(is_fixed) {
                state.memory.remove(id);
            }
        }
        state.substitute(&mut self.terms, &mut outward);
        let (path, _) = state.path.substitute(&mut self.terms, &mut outward)?;

        // The callee's objects come back. Of those that it has made it knows only its own part of the way there.
        // In a recursion that way has no end.
        let calls = match &caller.registers {
            // A loop is a part of the call that runs.
            Some(_) => state.stack(Loc::NONE).split_off(1),
            None => state.stack(callee.called_at),
        };
        let recurs = calls.iter().any(|place| place.function == callee.function);
        for &id in &live {
            let mut object = exit.memory.get(id).clone();
            if !recurs && object.born.last().is_some_and(|place| place.function == callee.function) {
                object.born = object.born.iter().chain(&calls).copied().collect();
            }
            match ids.get(&id) {
                Some(&own) => state.memory.set(own, object),
                None => {
                    ids.insert(id, state.memory.add(object));
                }
            }
        }
        for id in exit.memory.iter().filter(|(_, object)| is_fixed(object)).map(|(id, _)| id) {
            if !caller.kept.contains(&id) {
                state.memory.set(id, exit.memory.get(id).clone());
            }
        }
        for (&old, &new) in &ids {
            let fixed = is_fixed(exit.memory.get(old));
            if fixed && caller.kept.contains(&old) {
                continue;
            }
            let mut object = state.memory.get(new).clone();
            object.substitute(&mut self.terms, &mut inward);
            if !fixed {
                object.base = inward.apply(&mut self.terms, object.base);
                if let Some(segment) = &mut object.segment {
                    let segment = Rc::make_mut(segment);
                    segment.node = ids[&segment.node];
                    segment.owned.iter_mut().for_each(|id| *id = ids[id]);
                    let mut rename = |variable: &mut Term| *variable = inward.apply(&mut self.terms, *variable);
                    segment
                        .locals
                        .iter_mut()
                        .chain(&mut segment.links)
                        .chain(&mut segment.back_link)
                        .chain(&mut segment.fork)
                        .for_each(&mut rename);
                    if let Some(last) = segment.back.as_mut().and_then(|back| back.last.as_mut()) {
                        rename(last);
                        self.bases.insert(*last, new);
                    }
                }
                self.bases.insert(object.base, new);
            }
            state.memory.set(new, object);
        }
        if let Some(registers) = &caller.registers {
            let (left, frame) = (exit.top(), state.top_mut());
            (frame.block, frame.inst) = (left.block, left.inst);
            for (index, _) in registers.iter().enumerate().filter(|&(_, &used)| used) {
                frame.regs[index] = left.regs[index].map(|value| inward.apply(&mut self.terms, value));
            }
            // What the loop's frame owns is there at its end.
            frame.slots = left.slots.iter().map(|slot| slot.map(|id| ids[&id])).collect();
            frame.owned = left.owned.iter().map(|id| ids[id]).collect();
        }
        // Variables of the stack that were lent must be back.
        let slots = state.frames.iter().flat_map(|frame| frame.slots.iter().flatten().chain(&frame.owned));
        if slots.into_iter().any(|&id| state.memory.find(id).is_none()) {
            self.gaps.insert("a call loses a variable of its caller".to_owned());
            return None;
        }

        let mut all: Vec<Term> = path.conditions();
        all.reverse();
        all.extend(conditions.iter().map(|&condition| inward.apply(&mut self.terms, condition)));
        for (own, now) in equal {
            let own = outward.apply(&mut self.terms, own);
            all.push(self.terms.eq(own, now));
        }
        state.path = self.path_of(all, model)?;
        if let Some(dst) = callee.result {
            let width = self.reg_ty(&state, dst).bits(self.program.target);
            let returned = exit.cut.get(caller.cut.len()).map(|&value| inward.apply(&mut self.terms, value));
            state.top_mut().regs[dst.index()] = returned.filter(|&value| self.terms.width(value) == width);
        }
        state.stage = Stage::Resumed;
        state.returned = exit.origin;
        state.arrived = false;
        state.splits = 0;
        if self.options.kinds.contains(&CheckKind::Leak) && self.check_lost(&state, callee.called_at) {
            return None;
        }
        if self.record.is_some() {
            self.record_return(&state, callee.called_at);
        }
        Some(state)
    }

    /// A path with these conditions; a model of them is looked for where the one at hand is none. Nothing, where there is none.
    fn path_of(&mut self, conditions: Vec<Term>, model: cairn_smt::evaluate::Assignment) -> Option<Path> {
        let mut known = FxHashMap::default();
        if conditions.iter().any(|&condition| self.terms.is_false(condition)) {
            return None;
        }
        if conditions.iter().all(|&condition| self.terms.evaluate_with(condition, &model, &mut known) == 1) {
            return Some(Path::with(&self.terms, conditions, model));
        }
        match self.session.check(&self.terms, &conditions) {
            cairn_smt::Answer::Sat(found) => {
                let mut model = model;
                for variable in conditions.iter().flat_map(|&condition| self.terms.variables_of(condition).to_vec()) {
                    model.insert(variable, found.get(&variable).copied().unwrap_or(0));
                }
                Some(Path::with(&self.terms, conditions, model))
            }
            cairn_smt::Answer::Unsat(_) => None,
            cairn_smt::Answer::Unknown => {
                self.gaps.insert("the solver's budget is used up".to_owned());
                None
            }
        }
    }

    /// Lets what a cut value is at the return have the caller's name for it, where both are plain.
    #[expect(clippy::too_many_arguments, reason = "the maps belong together only here")]
    fn keep_names(
        &self,
        before: &State,
        exit: &State,
        own: Term,
        value: Term,
        owners: &FxHashMap<Term, ObjectId>,
        names: &mut FxHashMap<Term, Term>,
        ids: &mut FxHashMap<ObjectId, ObjectId>,
        taken: &mut FxHashSet<ObjectId>,
    ) {
        let first = |term: Term| self.terms.variables_of(term).first().copied();
        let object_of = |state: &State, term: Term| {
            let id = *self.bases.get(&term)?;
            let object = state.memory.find(id)?;
            (object.base == term && object.segment.is_none() && !object.pattern).then_some(id)
        };
        if let Some(id) = object_of(before, own) {
            let Some(at_exit) = object_of(exit, value) else { return };
            let (Some(old), Some(new)) = (first(value), first(own)) else { return };
            let (x, y) = (before.memory.get(id), exit.memory.get(at_exit));
            let free = !ids.contains_key(&at_exit) && !names.contains_key(&old) && !is_fixed(y);
            if free && x.kind == y.kind && self.terms.width(old) == self.terms.width(new) && taken.insert(id) {
                ids.insert(at_exit, id);
                names.insert(old, new);
            }
            return;
        }
        let number = |term: Term| matches!(self.terms.node(term), Node::Var(_)) && !self.bases.contains_key(&term);
        let plain = number(own) && number(value) && !owners.contains_key(&value);
        if plain && !names.contains_key(&value) && self.terms.width(own) == self.terms.width(value) {
            names.insert(value, own);
        }
    }

    /// The objects that a state at a return has besides those that exist from the start: all that are live, and those dead ones that
    /// something still points to.
    fn objects_at_exit(&self, exit: &State) -> Vec<ObjectId> {
        let owners = self.owners(exit);
        let mut pointed: FxHashSet<ObjectId> = FxHashSet::default();
        let mut point = |value: Term| {
            pointed.extend(self.terms.variables_of(value).iter().filter_map(|variable| owners.get(variable)));
        };
        exit.cut.iter().for_each(|&value| point(value));
        exit.frames.iter().flat_map(|frame| frame.regs.iter().flatten()).for_each(|&value| point(value));
        for (_, object) in exit.memory.iter().filter(|(_, object)| object.end == End::Live && !object.pattern) {
            self.values_of(exit, object, &mut point);
        }
        exit.memory
            .iter()
            .filter(|(id, object)| !is_fixed(object) && (object.end == End::Live || pointed.contains(id)))
            .map(|(id, _)| id)
            .collect()
    }
}
