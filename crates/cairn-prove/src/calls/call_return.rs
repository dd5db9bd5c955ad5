//! The return of a call: an exit state of the callee is combined with the frame of the caller.
//!
//! The exit state and the frame share the values of the cut (see [`crate::calls::frame_rule`]). Variables and objects
//! of the exit state that still have the caller's meaning get the caller's names. All others are renamed, so that the
//! two parts have only the cut in common.

use cairn_portfolio::Reason;
use std::rc::Rc;

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, FuncId, Loc};
use cairn_smt::evaluate::Assignment;
use cairn_smt::term::Node;
use cairn_smt::{Answer, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::Stage;
use crate::State;
use crate::calls::frame_rule::{Caller, is_fixed};
use cairn_exec::Carried;
use cairn_exec::path::Path;
use cairn_memory::object::End;
use cairn_memory::pointer::ObjectId;

/// The renaming of an exit state into its caller's state.
#[derive(Default)]
struct Renaming {
    /// The new names of the exit state's variables.
    names: FxHashMap<Term, Term>,
    /// The ids of the exit state's objects in the caller's state.
    ids: FxHashMap<ObjectId, ObjectId>,
    /// Objects of the caller that an object of the exit state is identified with.
    taken: FxHashSet<ObjectId>,
    /// Variables of the exit state that stand for hidden values of the caller, with these values.
    revealed: FxHashMap<Term, Term>,
    /// Other hidden values of the caller, with the terms of the exit state that they equal.
    equated: Vec<(Term, Term)>,
}

impl Lattice<'_> {
    /// Combines a caller with an exit state of its call; returns `None` if the two contradict each other.
    pub(crate) fn after_call(&mut self, caller: &Caller, exit: &State) -> Option<State> {
        let mut state = caller.state.clone();
        let callee = state.frames.pop()?;
        let live = self.objects_at_exit(exit);
        let conditions: Vec<Term> = exit.path.conditions().into_iter().rev().collect();
        let mut renaming = self.kept_names(caller, exit);
        self.rename_others(exit, &live, &conditions, &mut renaming);
        let mut model = state.path.model().clone();
        for (&old, &new) in &renaming.names {
            if let Some(value) = exit.path.model().get(&old) {
                model.insert(new, *value);
            }
        }
        let mut inward = Substitution::new(renaming.names.iter().map(|(&old, &new)| (old, new)));
        let (mut outward, equal) = self.shared_values(caller, exit, &renaming, &mut inward);
        for &id in &caller.footprint {
            if !state.memory.find(id).is_some_and(is_fixed) {
                state.memory.remove(id);
            }
        }
        state.substitute(&mut self.machine.terms, &mut outward);
        let (path, _) = state.path.substitute(&mut self.machine.terms, &mut outward)?;

        let calls = match &caller.registers {
            // A loop runs in the frame of its own function.
            Some(_) => state.stack(Loc::NONE).split_off(1),
            None => state.stack(callee.called_at),
        };
        add_objects(&mut state, exit, &live, (callee.function, &calls), &mut renaming.ids);
        self.rename_objects(&mut state, caller, exit, &renaming.ids, &mut inward);
        self.return_registers(&mut state, caller, exit, &renaming.ids, &mut inward);
        // Every stack variable of the footprint must be part of the exit state.
        let slots = state.frames.iter().flat_map(|frame| frame.slots.iter().flatten().chain(&frame.owned));
        if slots.into_iter().any(|&id| state.memory.find(id).is_none()) {
            self.machine.gaps.insert(Reason::LostCallerVariable);
            return None;
        }

        let mut all: Vec<Term> = path.conditions();
        all.reverse();
        all.extend(conditions.iter().map(|&condition| inward.apply(&mut self.machine.terms, condition)));
        for (own, now) in equal {
            let own = outward.apply(&mut self.machine.terms, own);
            all.push(self.machine.terms.eq(own, now));
        }
        state.path = self.path_of(all, model)?;
        if let Some(dst) = callee.result {
            let width = self.reg_ty(&state, dst).bits(self.machine.program.target);
            let returned = exit.extra.cut.get(caller.cut.len());
            let returned = returned.map(|carried| inward.apply(&mut self.machine.terms, carried.value));
            state.top_mut().regs[dst.index()] = returned.filter(|&value| self.machine.terms.width(value) == width);
        }
        state.extra.stage = Stage::Resumed;
        state.extra.returned = exit.extra.origin;
        state.arrived = false;
        state.splits = 0;
        if self.machine.options.kinds.contains(&CheckKind::Leak) && self.check_lost(&state, callee.called_at) {
            self.forget_lost(&mut state);
        }
        if self.machine.mode.record.is_some() {
            self.record_return(&state, callee.called_at);
        }
        Some(state)
    }

    /// Finds the variables and objects of an exit state that keep the caller's names.
    fn kept_names(&self, caller: &Caller, exit: &State) -> Renaming {
        let mut renaming = Renaming::default();
        for (id, object) in exit.memory.iter().filter(|(_, object)| is_fixed(object)) {
            renaming.ids.insert(id, id);
            for &variable in self.machine.terms.variables_of(object.base).iter() {
                renaming.names.insert(variable, variable);
            }
        }
        let owners = self.owners(exit);
        let (shared, hidden) = caller.cut.split_at(caller.cut.len() - caller.hidden);
        for (&own, &Carried { value, .. }) in shared.iter().zip(exit.extra.cut.iter()) {
            self.keep_name(&caller.state, exit, (own, value), &owners, &mut renaming);
        }
        // A variable that still stands for a hidden value is replaced by that value. Otherwise the two are equated.
        let in_cut: FxHashSet<Term> = exit.extra.cut[..shared.len()]
            .iter()
            .flat_map(|carried| self.machine.terms.variables_of(carried.value).to_vec())
            .collect();
        for (&own, &Carried { value, .. }) in hidden.iter().zip(exit.extra.cut.iter().skip(shared.len())) {
            let plain = matches!(self.machine.terms.node(value), Node::Var(_)) && !owners.contains_key(&value);
            let named = renaming.names.contains_key(&value) || renaming.revealed.contains_key(&value);
            if plain && !in_cut.contains(&value) && !named {
                renaming.revealed.insert(value, own);
            } else {
                renaming.equated.push((own, value));
            }
        }
        renaming
    }

    /// Keeps the caller's name for a value of the cut that is a plain variable or object on both sides.
    fn keep_name(
        &self,
        before: &State,
        exit: &State,
        (own, value): (Term, Term),
        owners: &FxHashMap<Term, ObjectId>,
        renaming: &mut Renaming,
    ) {
        let Renaming { names, ids, taken, .. } = renaming;
        let first = |term: Term| self.machine.terms.variables_of(term).first().copied();
        let object_of = |state: &State, term: Term| {
            let id = *self.machine.bases.get(&term)?;
            let object = state.memory.find(id)?;
            (object.base == term && object.segment.is_none() && !object.pattern).then_some(id)
        };
        if let Some(id) = object_of(before, own) {
            let Some(at_exit) = object_of(exit, value) else { return };
            let (Some(old), Some(new)) = (first(value), first(own)) else { return };
            let (x, y) = (before.memory.get(id), exit.memory.get(at_exit));
            let free = !ids.contains_key(&at_exit) && !names.contains_key(&old) && !is_fixed(y);
            if free
                && x.kind == y.kind
                && self.machine.terms.width(old) == self.machine.terms.width(new)
                && taken.insert(id)
            {
                ids.insert(at_exit, id);
                names.insert(old, new);
            }
            return;
        }
        let number = |term: Term| {
            matches!(self.machine.terms.node(term), Node::Var(_)) && !self.machine.bases.contains_key(&term)
        };
        let plain = number(own) && number(value) && !owners.contains_key(&value);
        if plain && !names.contains_key(&value) && self.machine.terms.width(own) == self.machine.terms.width(value) {
            names.insert(value, own);
        }
    }

    /// Renames all other variables of an exit state, so that they do not capture variables of the frame.
    fn rename_others(&mut self, exit: &State, live: &[ObjectId], conditions: &[Term], renaming: &mut Renaming) {
        let mut variables: Vec<Term> = Vec::new();
        for &id in live {
            let object = exit.memory.get(id);
            let mut meet = |value: Term| variables.extend(self.machine.terms.variables_of(value).iter().copied());
            self.values_of(exit, object, &mut meet);
            if let Some(segment) = &object.segment {
                segment.variables(&exit.memory).into_iter().for_each(meet);
            }
        }
        let held = exit.frames.iter().flat_map(|frame| frame.regs.iter().flatten());
        let carried = exit.extra.cut.iter().map(|carried| &carried.value);
        for &value in carried.chain(conditions).chain(held) {
            variables.extend(self.machine.terms.variables_of(value).iter().copied());
        }
        for variable in variables {
            if renaming.names.contains_key(&variable) || renaming.revealed.contains_key(&variable) {
                continue;
            }
            let new = match *self.machine.terms.node(variable) {
                _ if self.machine.label_of.contains_key(&variable) => variable,
                Node::Var(number) => {
                    let name = self.machine.terms.variable_name(number).to_owned();
                    self.machine.terms.variable(&name, self.machine.terms.width(variable))
                }
                _ => variable,
            };
            if self.machine.undefined.contains(&variable) {
                self.machine.undefined.insert(new);
            }
            renaming.names.insert(variable, new);
        }
    }

    /// Maps the frame's shared values to the terms that they have become at the exit.
    ///
    /// Returns the substitution for the frame, and the equations for values that are no plain names. Hidden values
    /// are added to `inward`, the substitution for the exit state.
    fn shared_values(
        &mut self,
        caller: &Caller,
        exit: &State,
        renaming: &Renaming,
        inward: &mut Substitution,
    ) -> (Substitution, Vec<(Term, Term)>) {
        let mut outward = Substitution::default();
        let mut equal = Vec::new();
        let shared = &caller.cut[..caller.cut.len() - caller.hidden];
        for (&own, &Carried { value, .. }) in shared.iter().zip(exit.extra.cut.iter()) {
            let now = inward.apply(&mut self.machine.terms, value);
            let name = matches!(self.machine.terms.node(own), Node::Var(_)) || self.machine.bases.contains_key(&own);
            if now == own {
                continue;
            } else if name {
                self.map_base(&mut outward, own, now);
            } else {
                equal.push((own, now));
            }
        }
        for (&value, &own) in &renaming.revealed {
            let own = outward.apply(&mut self.machine.terms, own);
            inward.insert(value, own);
        }
        for &(own, value) in &renaming.equated {
            equal.push((own, inward.apply(&mut self.machine.terms, value)));
        }
        (outward, equal)
    }

    /// Copies the globals that the callee could reach, and renames the variables in all returned objects.
    fn rename_objects(
        &mut self,
        state: &mut State,
        caller: &Caller,
        exit: &State,
        ids: &FxHashMap<ObjectId, ObjectId>,
        inward: &mut Substitution,
    ) {
        for id in exit.memory.iter().filter(|(_, object)| is_fixed(object)).map(|(id, _)| id) {
            if !caller.unreached_globals.contains(&id) {
                state.memory.set(id, exit.memory.get(id).clone());
            }
        }
        for (&old, &new) in ids {
            let fixed = is_fixed(exit.memory.get(old));
            if fixed && caller.unreached_globals.contains(&old) {
                continue;
            }
            let mut object = state.memory.get(new).clone();
            object.substitute(&mut self.machine.terms, inward);
            if !fixed {
                object.base = inward.apply(&mut self.machine.terms, object.base);
                if let Some(segment) = &mut object.segment {
                    let segment = Rc::make_mut(segment);
                    segment.node = ids[&segment.node];
                    segment.owned.iter_mut().for_each(|id| *id = ids[id]);
                    let mut rename = |variable: &mut Term| *variable = inward.apply(&mut self.machine.terms, *variable);
                    segment
                        .locals
                        .iter_mut()
                        .chain(&mut segment.links)
                        .chain(&mut segment.back_link)
                        .chain(&mut segment.fork)
                        .for_each(&mut rename);
                    if let Some(last) = segment.back.as_mut().and_then(|back| back.last.as_mut()) {
                        rename(last);
                        self.machine.bases.insert(*last, new);
                    }
                }
                self.machine.bases.insert(object.base, new);
            }
            state.memory.set(new, object);
        }
    }

    /// Returns the registers and stack objects of a loop to the frame of its function.
    fn return_registers(
        &mut self,
        state: &mut State,
        caller: &Caller,
        exit: &State,
        ids: &FxHashMap<ObjectId, ObjectId>,
        inward: &mut Substitution,
    ) {
        let Some(registers) = &caller.registers else { return };
        let (left, frame) = (exit.top(), state.top_mut());
        (frame.block, frame.inst) = (left.block, left.inst);
        for (index, _) in registers.iter().enumerate().filter(|&(_, &used)| used) {
            frame.regs[index] = left.regs[index].map(|value| inward.apply(&mut self.machine.terms, value));
        }
        frame.slots = left.slots.iter().map(|slot| slot.map(|id| ids[&id])).collect();
        frame.owned = left.owned.iter().map(|id| ids[id]).collect();
    }

    /// Builds a path from conditions, searching for a model if the given one fails; returns `None` if there is none.
    fn path_of(&mut self, conditions: Vec<Term>, model: Assignment) -> Option<Path> {
        let mut known = FxHashMap::default();
        if conditions.iter().any(|&condition| self.machine.terms.is_false(condition)) {
            return None;
        }
        if conditions.iter().all(|&condition| self.machine.terms.evaluate_with(condition, &model, &mut known) == 1) {
            return Some(Path::with(&self.machine.terms, conditions, model));
        }
        match self.machine.session.check(&self.machine.terms, &conditions) {
            Answer::Sat(found) => {
                let mut model = model;
                for variable in
                    conditions.iter().flat_map(|&condition| self.machine.terms.variables_of(condition).to_vec())
                {
                    model.insert(variable, found.get(&variable).copied().unwrap_or(0));
                }
                Some(Path::with(&self.machine.terms, conditions, model))
            }
            Answer::Unsat(_) => None,
            Answer::Unknown => {
                self.machine.gaps.insert(Reason::SolverBudget);
                None
            }
        }
    }

    /// Returns the objects of an exit state that do not exist from the start.
    ///
    /// These are all live objects, and the dead objects that something still points to.
    fn objects_at_exit(&self, exit: &State) -> Vec<ObjectId> {
        let owners = self.owners(exit);
        let mut pointed: FxHashSet<ObjectId> = FxHashSet::default();
        let mut point = |value: Term| {
            pointed.extend(self.machine.terms.variables_of(value).iter().filter_map(|variable| owners.get(variable)));
        };
        exit.extra.cut.iter().for_each(|carried| point(carried.value));
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

/// Adds the objects of an exit state to the caller's state.
///
/// The allocation stack of an object that the callee allocated is extended by the caller's stack. In a recursion it is
/// not, because it would grow without end.
fn add_objects(
    state: &mut State,
    exit: &State,
    live: &[ObjectId],
    (function, calls): (FuncId, &[StackPlace]),
    ids: &mut FxHashMap<ObjectId, ObjectId>,
) {
    let recurs = calls.iter().any(|place| place.function == function);
    for &id in live {
        let mut object = exit.memory.get(id).clone();
        if !recurs && object.born.last().is_some_and(|place| place.function == function) {
            object.born = object.born.iter().chain(calls).copied().collect();
        }
        match ids.get(&id) {
            Some(&own) => state.memory.set(own, object),
            None => {
                ids.insert(id, state.memory.add(object));
            }
        }
    }
}
