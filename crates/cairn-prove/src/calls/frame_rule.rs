//! The frame rule: a call is analysed on its footprint, and the frame is added again at the return.
//!
//! The two parts share variables: the addresses of objects that the frame points to (cut-points), and numbers that
//! occur in both parts. These are the *cut*: a list of values that the states of the callee carry along like
//! registers that are never written. Joins and folds may rename variables, but a state at the return still gives a
//! term for each of the caller's values.
//!
//! Invariant: nothing in the footprint mentions an object of the frame. The callee therefore cannot access the frame.
//! It can make an object of the frame unreachable only by losing a hidden value, which it *owes* to its callers.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use cairn_ir::{CheckKind, Checks, GlobalId, Loc, Ty};
use cairn_smt::Term;
use cairn_smt::term::signed;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::Stage;
use crate::State;
use crate::control_flow::NestedLoop;
use crate::footprint::LoopRegisters;
use cairn_exec::allocation::Target;
use cairn_exec::leak::Roots;
use cairn_exec::path::Path;
use cairn_exec::planted;
use cairn_exec::state::{Choices, Frame};
use cairn_exec::{Carried, Role};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Initial, Object};

/// A caller that waits for the exit states of a call.
#[derive(Debug)]
pub(crate) struct Caller {
    /// The state of the caller, with the callee's frame on top.
    pub(super) state: State,
    /// The state of the caller before values were hidden and registers were divided, for the certificate.
    pub(crate) calling: State,
    /// The objects of the footprint.
    pub(crate) footprint: FxHashSet<ObjectId>,
    /// Globals that the callee cannot reach. Their contents stay with the caller.
    pub(crate) unreached_globals: FxHashSet<ObjectId>,
    /// The values that both parts mention, followed by the values that are hidden from the callee.
    pub(crate) cut: Vec<Term>,
    /// The number of hidden values.
    pub(super) hidden: usize,
    /// The registers of the loop, if the callee is a loop.
    pub(super) registers: LoopRegisters,
}

impl Caller {
    /// Returns the number of the caller's last state at a program point.
    pub(crate) fn origin(&self) -> u64 {
        self.state.extra.origin
    }

    /// Returns whether the frame has a heap object.
    pub(crate) fn holds_heap(&self) -> bool {
        let in_frame = |(id, object): (ObjectId, &Object)| {
            object.kind == ObjectKind::Heap
                && object.end == End::Live
                && !object.pattern
                && !self.footprint.contains(&id)
        };
        self.state.memory.iter().any(in_frame)
    }

    /// Returns the context that the caller belongs to.
    pub(crate) fn context(&self) -> u32 {
        self.state.extra.context
    }
}

/// Whether exit states are related to the numeric arguments of the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arguments {
    /// The arguments are part of the cut, so that exit states are related to them.
    InCut,
    /// Only arguments that the frame mentions are part of the cut.
    Unrelated,
}

/// The part of a state that a call can reach.
struct Reached {
    /// The reached variables in the order of the walk, which is the order of the cut.
    order: Vec<Term>,
    variables: FxHashSet<Term>,
    objects: FxHashSet<ObjectId>,
}

/// Returns whether an object exists from the start and has the same id in all states.
pub(super) fn is_fixed(object: &Object) -> bool {
    !matches!(object.kind, ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Alloca | ObjectKind::Variadic)
}

impl Lattice<'_> {
    /// Splits a state at the start of its innermost call into the footprint and the waiting caller.
    ///
    /// `globals` are the globals that the callee can access by name.
    pub(crate) fn split_call(
        &mut self,
        state: State,
        globals: &FxHashSet<GlobalId>,
        arguments: Arguments,
    ) -> (State, Caller) {
        self.split_hiding(state, globals, arguments, &[])
    }

    /// Splits a state like [`Self::split_call`] while hiding some values from the callee.
    ///
    /// Each hidden value goes to the frame. The footprint has an unconstrained variable in its place.
    pub(crate) fn split_hiding(
        &mut self,
        state: State,
        globals: &FxHashSet<GlobalId>,
        arguments: Arguments,
        hidden: &[(Term, Term)],
    ) -> (State, Caller) {
        let owners = self.owners(&state);
        let callee = state.top().clone();
        let Reached { order, variables: mut known, objects: footprint } =
            self.reached_by_callee(&state, &callee, globals, &owners);
        let unreached_globals: FxHashSet<ObjectId> = state
            .memory
            .iter()
            .filter(|(id, object)| is_fixed(object) && object.kind.is_data() && !footprint.contains(id))
            .map(|(id, _)| id)
            .collect();
        let mut in_frame = self.frame_variables(&state, &footprint, hidden);
        let foreign = |variable: &Term| {
            in_frame.contains(variable) || owners.get(variable).is_some_and(|id| !footprint.contains(id))
        };
        let (conditions, rest) = self.split_conditions(&state, &mut known, foreign);
        for &condition in &rest {
            in_frame.extend(self.machine.terms.variables_of(condition).iter().copied());
        }
        let mut cut = match arguments {
            Arguments::InCut => self.numeric_arguments(&callee),
            Arguments::Unrelated => Vec::new(),
        };
        let passed: FxHashSet<Term> = cut.iter().copied().collect();
        for variable in order.into_iter().filter(|variable| in_frame.contains(variable) && !passed.contains(variable)) {
            let object = owners.get(&variable).map(|&id| state.memory.get(id));
            match object {
                Some(object) if is_fixed(object) => {}
                Some(object) if self.machine.terms.variables_of(object.base).contains(&variable) => {
                    cut.push(object.base)
                }
                _ if self.machine.label_of.contains_key(&variable) => {}
                _ => cut.push(variable),
            }
        }
        let own = self.carried_by_callee(&state, &footprint, &mut cut, hidden);
        cut.extend(hidden.iter().map(|&(value, _)| value));

        let mut part = state.clone();
        let mut frame = callee;
        (frame.result, frame.called_at, frame.serial) = (None, Loc::NONE, 0);
        part.frames = vec![Rc::new(frame)];
        for (id, object) in state.memory.iter() {
            if unreached_globals.contains(&id) {
                if planted!(55, true, false) {
                    part.memory.get_mut(id).forget(Initial::Undefined);
                }
            } else if !is_fixed(object) && !footprint.contains(&id) {
                part.memory.remove(id);
            }
        }
        let model = state.path.model().iter().filter(|(variable, _)| known.contains(variable)).collect();
        part.path = Path::with(&self.machine.terms, conditions, model);
        part.extra.cut = Rc::new(own);
        part.extra.stage = Stage::Entered;
        part.choices = Choices::default();
        (part.depth, part.splits, part.lives, part.extra.joins, part.next_serial) = (0, 0, 0, 0, 1);
        part.extra.join_variables = Rc::default();
        let calling = state.clone();
        (part, Caller { state, calling, footprint, unreached_globals, cut, hidden: hidden.len(), registers: None })
    }

    /// Returns the values that the footprint carries: the cut, and the variables in place of the hidden values.
    ///
    /// Values that the frame owes and that the footprint holds are added to the cut. A pointer that the frame holds
    /// keeps its object reachable. A hidden value is owed if only this value leads to some object of the frame.
    fn carried_by_callee(
        &mut self,
        state: &State,
        footprint: &FxHashSet<ObjectId>,
        cut: &mut Vec<Term>,
        hidden: &[(Term, Term)],
    ) -> Vec<Carried> {
        let mut frame = state.clone();
        frame.frames.pop();
        for &id in footprint {
            let object = frame.memory.get_mut(id);
            object.forget(Initial::Undefined);
            object.segment = None;
        }
        let reach = self.reach_with_values(&frame, Roots::Named);
        let pointed: FxHashSet<Term> =
            reach.held.iter().flatten().filter_map(|&value| self.pointed(value)).map(|(_, base)| base).collect();
        let owed = state.extra.cut.iter().filter(|carried| carried.role == Role::Owed).map(|carried| carried.value);
        let mut debts: Vec<Term> = owed.collect();
        debts.retain(|&value| !self.holds(&reach, value));
        let mut owed = debts.clone();
        let mut carried_hidden = Vec::new();
        for &(value, variable) in hidden {
            let mut further = reach.clone();
            self.reach_from(&frame, value, &mut further);
            let is_kept = |id: &ObjectId| reach.reached.contains(id) || footprint.contains(id);
            let leads_on =
                further.reached.iter().chain(further.hidden.difference(&reach.hidden)).any(|id| !is_kept(id));
            // The frame holds these debts behind the hidden value.
            owed.retain(|&debt| !self.holds(&further, debt));
            let is_needed = leads_on || debts.iter().any(|&debt| self.holds(&further, debt));
            let role = if planted!(52, is_needed, false) { Role::Owed } else { Role::Mentioned };
            carried_hidden.push(Carried { value: variable, role });
        }
        for &debt in &owed {
            if !cut.contains(&debt) {
                cut.push(debt);
            }
        }
        let role_of = |value: Term| match (owed.contains(&value), pointed.contains(&value)) {
            (true, _) => planted!(53, Role::Owed, Role::Root),
            (false, true) => Role::Root,
            (false, false) => planted!(54, Role::Mentioned, Role::Root),
        };
        let carried = cut.iter().map(|&value| Carried { value, role: role_of(value) });
        carried.chain(carried_hidden).collect()
    }

    /// Returns the objects and variables that the innermost call can reach.
    fn reached_by_callee(
        &self,
        state: &State,
        callee: &Frame,
        globals: &FxHashSet<GlobalId>,
        owners: &FxHashMap<Term, ObjectId>,
    ) -> Reached {
        let mut order: Vec<Term> = Vec::new();
        let mut variables: FxHashSet<Term> = FxHashSet::default();
        let mut objects: FxHashSet<ObjectId> = FxHashSet::default();
        let mut waiting: Vec<ObjectId> = Vec::new();
        let mut reach = |value: Term, waiting: &mut Vec<ObjectId>| {
            for &variable in self.machine.terms.variables_of(value).iter() {
                if variables.insert(variable) {
                    order.push(variable);
                    waiting.extend(owners.get(&variable).copied());
                }
            }
        };
        for &value in callee.regs.iter().flatten() {
            reach(value, &mut waiting);
        }
        waiting.extend(callee.slots.iter().flatten().chain(&callee.owned).copied());
        let mut accessed: Vec<ObjectId> = globals.iter().map(|global| self.machine.globals[global.index()]).collect();
        accessed.sort_unstable();
        waiting.extend(accessed);
        // The walk is breadth-first, so that equal heaps are walked in the same order.
        let mut next = 0;
        while let Some(&id) = waiting.get(next) {
            next += 1;
            if !objects.insert(id) {
                continue;
            }
            let object = state.memory.get(id);
            if object.end != End::Live {
                reach(object.base, &mut waiting);
                reach(object.size, &mut waiting);
            } else {
                self.values_of(state, object, |value| reach(value, &mut waiting));
                if let Some(segment) = &object.segment {
                    objects.extend(segment.patterns(&state.memory));
                }
            }
        }
        Reached { order, variables, objects }
    }

    /// Returns the variables that the frame mentions.
    fn frame_variables(
        &self,
        state: &State,
        footprint: &FxHashSet<ObjectId>,
        hidden: &[(Term, Term)],
    ) -> FxHashSet<Term> {
        let mut in_frame: FxHashSet<Term> = FxHashSet::default();
        let mut mention = |value: Term| in_frame.extend(self.machine.terms.variables_of(value).iter().copied());
        for frame in &state.frames[..state.frames.len() - 1] {
            frame.regs.iter().flatten().for_each(|&value| mention(value));
            let own = frame.slots.iter().flatten().chain(&frame.owned);
            own.for_each(|&id| mention(state.memory.get(id).base));
        }
        state.extra.cut.iter().for_each(|carried| mention(carried.value));
        hidden.iter().for_each(|&(value, _)| mention(value));
        for (id, object) in state.memory.iter() {
            if !footprint.contains(&id) && object.end == End::Live && !object.pattern {
                self.values_of(state, object, &mut mention);
            }
        }
        in_frame
    }

    /// Splits the path condition into the conditions of the callee and the rest.
    ///
    /// Conditions on `known` variables go to the callee, unless they mention a `foreign` variable, which only the frame
    /// holds. Each call of a recursion would add such conditions. Other variables of these conditions become known.
    fn split_conditions(
        &self,
        state: &State,
        known: &mut FxHashSet<Term>,
        foreign: impl Fn(&Term) -> bool,
    ) -> (Vec<Term>, Vec<Term>) {
        let mut conditions = Vec::new();
        let mut rest = state.path.conditions();
        rest.reverse();
        loop {
            let before = conditions.len();
            rest.retain(|&condition| {
                let own = self.machine.terms.variables_of(condition);
                let goes =
                    own.iter().any(|v| known.contains(v)) && own.iter().all(|v| known.contains(v) || !foreign(v));
                if goes {
                    conditions.push(condition);
                    known.extend(own.iter().copied());
                }
                !goes
            });
            if conditions.len() == before {
                return (conditions, rest);
            }
        }
    }

    /// Returns the arguments of a new call that are no pointers.
    fn numeric_arguments(&self, callee: &Frame) -> Vec<Term> {
        let registers = &self.body(callee.function).regs;
        let numbers = callee.regs.iter().zip(registers).filter(|(_, register)| register.ty != Ty::Ptr);
        numbers.filter_map(|(value, _)| *value).collect()
    }

    /// Splits a state at a loop head as if the loop were a call.
    ///
    /// The loop takes its registers and all slots of the frame, and returns them at its exit.
    pub(crate) fn split_loop(
        &mut self,
        mut state: State,
        globals: &FxHashSet<GlobalId>,
        inner: &NestedLoop,
    ) -> (State, Caller) {
        let calling = state.clone();
        let hidden = self.hide_unaccessed_cells(&mut state, inner);
        let mut own = state.top().clone();
        let outer = state.top_mut();
        for (index, &used) in inner.registers.iter().enumerate() {
            let other = if used { &mut outer.regs[index] } else { &mut own.regs[index] };
            *other = None;
        }
        outer.slots.fill(None);
        outer.owned.clear();
        state.frames.push(Rc::new(own));
        let (part, caller) = self.split_hiding(state, globals, Arguments::Unrelated, &hidden);
        (part, Caller { registers: Some(Rc::clone(&inner.registers)), calling, ..caller })
    }

    /// Hides the cells of nodes that a loop does not access, and returns their values with the variables instead.
    ///
    /// For example, a loop over the parts of a node does not access the link to the next node. The variable is
    /// unconstrained, so a loop that still accesses the cell in another way does so for an arbitrary value. If it
    /// follows the pointer, that is an alarm. If there is no alarm, there would be none for the actual value either.
    fn hide_unaccessed_cells(&mut self, state: &mut State, inner: &NestedLoop) -> Vec<(Term, Term)> {
        // The bytes of each node that the loop accesses through registers that point to the node.
        let mut seen: BTreeMap<ObjectId, Option<Vec<Range<i128>>>> = BTreeMap::new();
        let values: Vec<Option<Term>> = state.top().regs.clone();
        for (index, value) in values.into_iter().enumerate().filter(|&(index, _)| inner.registers[index]) {
            let Some((id, offset)) = value.and_then(|value| match self.any_target(state, value) {
                Target::Object(id, offset) => Some((id, self.machine.terms.as_const(offset))),
                _ => None,
            }) else {
                continue;
            };
            let all = seen.entry(id).or_insert_with(|| Some(Vec::new()));
            match (all.as_mut(), &inner.fields[index], offset) {
                (Some(all), Some(fields), Some(offset)) => {
                    let start = signed(offset, self.machine.pointer_bits);
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
                let variable = self.machine.terms.variable("hidden", self.machine.terms.width(value));
                if self
                    .machine
                    .terms
                    .variables_of(value)
                    .iter()
                    .any(|variable| self.machine.undefined.contains(variable))
                {
                    self.machine.undefined.insert(variable);
                }
                let now = self.machine.terms.evaluate(value, state.path.model());
                state.path.give(variable, now);
                state.memory.get_mut(id).write(at, variable, &mut self.machine.terms);
                hidden.push((value, variable));
            }
        }
        hidden
    }

    /// Reports memory of the frame that is not freed when the call ends the program.
    pub(crate) fn check_frame_freed(&mut self, caller: &Caller, loc: Loc) {
        if self.machine.options.kinds.contains(&CheckKind::Unfreed)
            && !self.heap_of(&caller.state, |id| !caller.footprint.contains(&id)).is_empty()
        {
            self.report(&caller.state, CheckKind::Unfreed, Checks::NONE, loc);
        }
    }

    /// Maps the variables of addresses to their objects.
    pub(super) fn owners(&self, state: &State) -> FxHashMap<Term, ObjectId> {
        let mut owners = FxHashMap::default();
        for (id, object) in state.memory.iter() {
            let last = object.segment.as_ref().and_then(|segment| segment.last());
            for address in std::iter::once(object.base).chain(last) {
                owners.extend(self.machine.terms.variables_of(address).iter().map(|&variable| (variable, id)));
            }
        }
        owners
    }

    /// Calls `each` with the address, the size and every value of an object and of the patterns of its nodes.
    pub(crate) fn values_of(&self, state: &State, object: &Object, mut each: impl FnMut(Term)) {
        let patterns = object.segment.iter().flat_map(|segment| segment.patterns(&state.memory));
        for object in std::iter::once(object).chain(patterns.map(|id| state.memory.get(id))) {
            each(object.base);
            each(object.size);
            object.for_values(&mut each);
            object.indexed().iter().for_each(|indexed| each(indexed.at));
            object.segment.iter().filter_map(|segment| segment.last()).for_each(&mut each);
        }
    }
}
