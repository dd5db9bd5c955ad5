//! Calls that a proof analyses apart from their callers: the frame rule.
//!
//! A calling state is divided into the *footprint*, which the callee gets, and the *frame*, which it does not. They are separate because
//! the objects of a state are. The callee cannot access the frame: to its states, an address of the frame is an address of nothing, and
//! every access through it fails. The two parts share only values. Those that the frame needs again after the call are the *cut*: the
//! states of the callee carry them along, unchanged.
//!
//! Let `c₁ … cₙ` be the cut in the calling state, and `x₁ … xₙ` the carried values in a state at the return. An execution that goes from
//! the one to the other gives `cᵢ` and `xᵢ` the same value. The state after the call is therefore the frame and the returned state
//! together with `c₁ = x₁ ∧ … ∧ cₙ = xₙ`, where the returned state has variables of its own.
//!
//! *Leaks.* While the callee works, an object of the footprint may be reachable through the frame only, and the other way round.
//! - A carried value is a *root* for the callee only if the frame holds it.
//! - An object of the frame must be reachable in the frame, or through a value that the callee *owes*. The execution checks at
//!   every return, end and recorded state that it is still there.

use std::rc::Rc;

use cairn_exec::leak::Roots;
use cairn_exec::{Carried, Machine, Role, State};
use cairn_ir::{CheckKind, Loc};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Initial, Object, SymbolicMemory};
use cairn_portfolio::certificate::{CallRecord, LoopRecord};
use cairn_smt::term::Node;
use cairn_smt::{Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::entail::is_fixed;
use crate::import::{Malformed, Table, path_of};
use crate::mode::Checking;

/// A calling state that is divided into footprint and frame.
pub(crate) struct Division<const A: bool> {
    /// The calling state. For a loop, its frame is divided into the registers of the loop and the others.
    calling: State<Checking<A>>,
    footprint: FxHashSet<ObjectId>,
    cut: Vec<Term>,
    /// The registers of the loop, if the callee is a loop.
    registers: Option<Vec<u32>>,
}

impl<const A: bool> Division<A> {
    /// Divides a calling state.
    pub(crate) fn new(
        machine: &Machine<'_, Checking<A>>,
        table: &Table,
        record: &CallRecord,
        region: Option<&LoopRecord>,
        mut calling: State<Checking<A>>,
    ) -> Result<Self, Malformed> {
        let footprint: FxHashSet<ObjectId> = record.footprint.iter().map(|&id| ObjectId(id)).collect();
        if let Some(region) = region {
            divide_frame(machine, &mut calling, region)?;
        } else if calling.frames.len() < 2 || calling.top().block.0 != 0 || calling.top().inst != 0 {
            return Err("a call that does not begin");
        }
        let top = calling.top();
        if top.slots.iter().flatten().chain(&top.owned).chain(&top.variadic).any(|id| !footprint.contains(id)) {
            return Err("a callee without its variables");
        }
        for (id, object) in calling.memory.iter() {
            let patterns = object.segment.iter().flat_map(|segment| segment.patterns(&calling.memory));
            if patterns.into_iter().any(|pattern| footprint.contains(&pattern) != footprint.contains(&id)) {
                return Err("a segment without its patterns");
            }
        }
        let cut = record.cut.iter().map(|&value| table.get(value)).collect::<Result<Vec<Term>, Malformed>>()?;
        let registers = region.map(|region| region.registers.clone());
        Ok(Self { calling, footprint, cut, registers })
    }

    fn is_in_frame(&self, id: ObjectId, object: &Object) -> bool {
        !is_fixed(object.kind) && !self.footprint.contains(&id)
    }

    /// Returns the footprint as a state that carries the cut with the given roles.
    pub(crate) fn footprint(&self, roles: &[Role], untouched: &[u32]) -> Option<State<Checking<A>>> {
        if roles.len() != self.cut.len() {
            return None;
        }
        let mut part = self.calling.clone();
        let frame = Rc::make_mut(part.frames.last_mut()?);
        (frame.result, frame.called_at, frame.serial) = (None, Loc::NONE, 0);
        part.frames = part.frames.split_off(part.frames.len() - 1);
        let outside: Vec<ObjectId> =
            part.memory.iter().filter(|&(id, object)| self.is_in_frame(id, object)).map(|(id, _)| id).collect();
        outside.into_iter().for_each(|id| part.memory.remove(id));
        set_untouched(&mut part.memory, untouched);
        let cut = self.cut.iter().zip(roles);
        part.extra.cut = Rc::new(cut.map(|(&value, &role)| Carried { value, role }).collect());
        Some(part)
    }

    /// Returns the frame as a state. The contents of globals that the callee may write are unknown.
    fn frame(&self, untouched: &[u32]) -> State<Checking<A>> {
        let mut frame = self.calling.clone();
        frame.frames.pop();
        let all: Vec<(ObjectId, ObjectKind)> = frame.memory.iter().map(|(id, object)| (id, object.kind)).collect();
        for (id, kind) in all {
            if !is_fixed(kind) {
                if self.footprint.contains(&id) {
                    frame.memory.remove(id);
                }
            } else if kind.is_data() && !untouched.contains(&id.0) {
                frame.memory.get_mut(id).forget(Initial::Undefined);
            }
        }
        frame
    }

    /// Checks that no object of the frame is lost while the callee works, and that the frame holds the roots.
    pub(crate) fn check_roles(
        &self,
        machine: &mut Machine<'_, Checking<A>>,
        roles: &[Role],
        untouched: &[u32],
    ) -> Result<(), Malformed> {
        if !machine.options.kinds.contains(&CheckKind::Leak) {
            return Ok(());
        }
        let frame = self.frame(untouched);
        let mut reach = machine.reach_with_values(&frame, Roots::Named);
        let owed: Vec<Term> =
            self.cut.iter().zip(roles).filter(|(_, role)| **role == Role::Owed).map(|(&value, _)| value).collect();
        for &value in &owed {
            machine.reach_from(&frame, value, &mut reach);
        }
        for (&value, _) in self.cut.iter().zip(roles).filter(|(_, role)| **role == Role::Root) {
            if !machine.holds(&reach, value) {
                return Err("a root that the frame does not hold");
            }
        }
        let lost = machine.heap_of(&frame, |id| !reach.reached.contains(&id));
        if !lost.is_empty() {
            return Err("an object of the frame that only the callee reaches");
        }
        let debts = frame.extra.cut.iter().filter(|carried| carried.role == Role::Owed);
        for debt in debts.map(|carried| carried.value) {
            let is_owed = owed.iter().any(|&value| value == debt || machine.is_offset_of(value, debt));
            if !is_owed && !machine.holds(&reach, debt) {
                return Err("a debt that the callee does not know of");
            }
        }
        Ok(())
    }

    /// Returns whether the frame has a live heap object.
    pub(crate) fn holds_heap(&self, machine: &mut Machine<'_, Checking<A>>) -> bool {
        let frame = self.frame(&[]);
        !machine.heap_of(&frame, |_| true).is_empty()
    }

    /// Returns the context of the caller.
    pub(crate) fn context(&self) -> u32 {
        self.calling.extra.context
    }

    /// Returns the state after the call, for a state at the return; `None` if the two contradict each other.
    pub(crate) fn after_call(
        &self,
        machine: &mut Machine<'_, Checking<A>>,
        exit: &State<Checking<A>>,
        untouched: &[u32],
    ) -> Result<Option<State<Checking<A>>>, Malformed> {
        let mut state = self.calling.clone();
        let Some(callee) = state.frames.pop() else { return Err("a call without a caller") };
        let Combined { names, ids } = self.name(machine, exit)?;
        let Related { mut inward, mut outward, equal } = self.relate(machine, exit, names)?;
        let gone: Vec<ObjectId> = self
            .footprint
            .iter()
            .copied()
            .filter(|&id| state.memory.find(id).is_some_and(|object| !is_fixed(object.kind)))
            .collect();
        gone.into_iter().for_each(|id| state.memory.remove(id));
        state.substitute(&mut machine.terms, &mut outward);

        for (id, object) in exit.memory.iter().filter(|(_, object)| is_fixed(object.kind) && object.kind.is_data()) {
            if !untouched.contains(&id.0) {
                let mut object = object.clone();
                substitute(machine, &mut object, &mut inward, &mut outward);
                state.memory.set(id, object);
            }
        }
        for (&old, &new) in &ids {
            let mut object = exit.memory.get(old).clone();
            rename(machine, &mut object, &ids, &mut inward, &mut outward, new);
            state.memory.reserve(new);
            state.memory.set(new, object);
        }
        if let Some(registers) = &self.registers {
            let (left, frame) = (exit.top(), state.top_mut());
            (frame.block, frame.inst) = (left.block, left.inst);
            for &register in registers {
                let value = left.regs.get(register as usize).copied().flatten();
                let value = value.map(|value| both(machine, value, &mut inward, &mut outward));
                *frame.regs.get_mut(register as usize).ok_or("a register that does not exist")? = value;
            }
            let own = |id: &ObjectId| ids.get(id).copied().ok_or("a variable without an object");
            frame.slots =
                left.slots.iter().map(|slot| slot.as_ref().map(own).transpose()).collect::<Result<_, Malformed>>()?;
            frame.owned = left.owned.iter().map(own).collect::<Result<_, Malformed>>()?;
        }
        let slots = state.frames.iter().flat_map(|frame| frame.slots.iter().flatten().chain(&frame.owned));
        if slots.into_iter().any(|&id| state.memory.find(id).is_none_or(|object| object.end != End::Live)) {
            return Err("a variable of the caller that the callee loses");
        }
        let mut conditions: Vec<Term> = state.path.conditions().into_iter().rev().collect();
        conditions.iter_mut().for_each(|condition| *condition = outward.apply(&mut machine.terms, *condition));
        let mut model = state.path.model().clone();
        for &condition in exit.path.conditions().iter().rev() {
            for &variable in machine.terms.variables_of(condition).iter() {
                let now = inward.apply(&mut machine.terms, variable);
                if matches!(machine.terms.node(now), Node::Var(_))
                    && let (Some(&value), None) = (exit.path.model().get(&variable), model.get(&now))
                {
                    model.insert(now, value);
                }
            }
            conditions.push(both(machine, condition, &mut inward, &mut outward));
        }
        conditions.extend(equal.into_iter().map(|equation| outward.apply(&mut machine.terms, equation)));
        conditions.retain(|&condition| !machine.terms.is_true(condition));
        let Some(path) = path_of(machine, conditions, model)? else { return Ok(None) };
        state.path = path;
        if let Some(dst) = callee.result {
            let width = machine.reg_ty(&state, dst).bits(machine.program.target);
            let value = exit.extra.cut.get(self.cut.len()).map(|carried| carried.value);
            let value = value.map(|value| both(machine, value, &mut inward, &mut outward));
            state.top_mut().regs[dst.index()] = value.filter(|&value| machine.terms.width(value) == width);
        }
        (state.arrived, state.splits) = (false, 0);
        Ok(Some(state))
    }

    /// Relates the values of the cut before the call to those at the exit.
    fn relate(
        &self,
        machine: &mut Machine<'_, Checking<A>>,
        exit: &State<Checking<A>>,
        names: FxHashMap<Term, Term>,
    ) -> Result<Related, Malformed> {
        let mut related =
            Related { inward: Substitution::new(names), outward: Substitution::default(), equal: Vec::new() };
        let mut replaced: FxHashSet<Term> = FxHashSet::default();
        let cut: Vec<(Term, Term)> =
            self.cut.iter().copied().zip(exit.extra.cut.iter().map(|carried| carried.value)).collect();
        if cut.len() != self.cut.len() || cut.iter().any(|&(c, x)| machine.terms.width(c) != machine.terms.width(x)) {
            return Err("a cut of another length");
        }
        for (own, value) in cut {
            let now = related.inward.apply(&mut machine.terms, value);
            if now == own {
                continue;
            }
            related.equal.push(machine.terms.eq(own, now));
            // The address of an object of the footprint is that of an object of the exit state from now on.
            let variables = machine.terms.variables_of(own);
            let [variable] = variables[..] else { continue };
            let is_free =
                machine.terms.variables_of(now).iter().all(|part| *part != variable && !replaced.contains(part));
            if !is_free || !replaced.insert(variable) {
                continue;
            }
            if own == variable {
                related.outward.insert(variable, now);
            } else if machine.bases.contains_key(&own) {
                let width = machine.terms.width(variable);
                let high = machine.terms.extract(now, machine.pointer_bits - width, width);
                related.outward.insert(own, now);
                related.outward.insert(variable, high);
            }
        }
        Ok(related)
    }

    /// Chooses names for the variables and objects of an exit state: those of the caller where the cut relates them, and fresh ones.
    fn name(&self, machine: &mut Machine<'_, Checking<A>>, exit: &State<Checking<A>>) -> Result<Combined, Malformed> {
        let mut names: FxHashMap<Term, Term> = FxHashMap::default();
        let mut ids: FxHashMap<ObjectId, ObjectId> = FxHashMap::default();
        let mut owners: FxHashMap<Term, ObjectId> = FxHashMap::default();
        for (id, object) in exit.memory.iter() {
            let last = object.segment.as_ref().and_then(|segment| segment.last());
            for address in std::iter::once(object.base).chain(last) {
                for &variable in machine.terms.variables_of(address).iter() {
                    if is_fixed(object.kind) {
                        names.insert(variable, variable);
                    }
                    owners.insert(variable, id);
                }
            }
        }
        let plain = |state: &State<Checking<A>>, machine: &Machine<'_, Checking<A>>, base: Term| {
            let id = *machine.bases.get(&base)?;
            let object = state.memory.find(id)?;
            let fits = object.base == base && object.segment.is_none() && !object.pattern && !is_fixed(object.kind);
            fits.then_some(id)
        };
        let mut taken: FxHashSet<ObjectId> = FxHashSet::default();
        for (&own, carried) in self.cut.iter().zip(exit.extra.cut.iter()) {
            let value = carried.value;
            if let (Some(before), Some(after)) = (plain(&self.calling, machine, own), plain(exit, machine, value)) {
                let (old, new) = (machine.terms.variables_of(value), machine.terms.variables_of(own));
                if let ([old], [new]) = (&old[..], &new[..])
                    && machine.terms.width(*old) == machine.terms.width(*new)
                    && self.footprint.contains(&before)
                    && !names.contains_key(old)
                    && !ids.contains_key(&after)
                    && taken.insert(before)
                {
                    names.insert(*old, *new);
                    ids.insert(after, before);
                }
            } else if matches!(machine.terms.node(value), Node::Var(_))
                && !owners.contains_key(&value)
                && !names.contains_key(&value)
                && machine.terms.width(value) == machine.terms.width(own)
            {
                names.insert(value, own);
            }
        }
        let mut variables: Vec<Term> = Vec::new();
        let mut mention = |machine: &Machine<'_, Checking<A>>, value: Term| {
            variables.extend(machine.terms.variables_of(value).iter().copied());
        };
        exit.extra.cut.iter().for_each(|carried| mention(machine, carried.value));
        exit.frames.iter().flat_map(|frame| frame.regs.iter().flatten()).for_each(|&value| mention(machine, value));
        let mut pointed: FxHashSet<ObjectId> = FxHashSet::default();
        for (id, object) in exit.memory.iter() {
            if object.end == End::Live {
                mention(machine, object.size);
                object.for_values(&mut |value| mention(machine, value));
                object.indexed().iter().for_each(|indexed| mention(machine, indexed.at));
            }
            if object.end == End::Live && !is_fixed(object.kind) {
                pointed.insert(id);
            }
        }
        // Dead objects matter only where something still points to them.
        pointed.extend(variables.iter().filter_map(|variable| owners.get(variable)));
        for &condition in &exit.path.conditions() {
            variables.extend(machine.terms.variables_of(condition).iter().copied());
        }
        let mut count = self.calling.memory.clone();
        let mut all: Vec<ObjectId> = pointed.into_iter().collect();
        all.sort_unstable();
        for id in all {
            let object = exit.memory.get(id);
            if is_fixed(object.kind) {
                continue;
            }
            variables.extend(machine.terms.variables_of(object.base).iter().copied());
            variables.extend(machine.terms.variables_of(object.size).iter().copied());
            if let Some(segment) = &object.segment {
                variables.extend(segment.variables(&exit.memory));
                variables.extend(segment.fork);
                variables.extend(segment.last());
            }
            ids.entry(id).or_insert_with(|| count.add(object.clone()));
        }
        for variable in variables {
            if names.contains_key(&variable) || machine.label_of.contains_key(&variable) {
                continue;
            }
            let new = machine.terms.variable("returned", machine.terms.width(variable));
            if machine.undefined.contains(&variable) {
                machine.undefined.insert(new);
            }
            names.insert(variable, new);
        }
        Ok(Combined { names, ids })
    }
}

/// The names of an exit state's variables and objects in the state after the call.
struct Combined {
    names: FxHashMap<Term, Term>,
    ids: FxHashMap<ObjectId, ObjectId>,
}

/// How the values on both sides of a call correspond.
struct Related {
    /// The values of the exit state in terms of the caller.
    inward: Substitution,
    /// The values of the caller in terms of the exit state.
    outward: Substitution,
    /// Equations between values before and after the call.
    equal: Vec<Term>,
}

/// Divides the innermost frame of a state at the head of a loop: the loop gets its registers and all slots.
fn divide_frame<const A: bool>(
    machine: &Machine<'_, Checking<A>>,
    state: &mut State<Checking<A>>,
    region: &LoopRecord,
) -> Result<(), Malformed> {
    let body = machine.body(state.top().function);
    let registers: FxHashSet<usize> = region.registers.iter().map(|&register| register as usize).collect();
    // The other registers keep their values, so the loop must not assign them.
    for &block in &region.blocks {
        let code = body.blocks.get(block as usize).ok_or("a block that the function does not have")?;
        if code.insts.iter().filter_map(|inst| inst.dst()).any(|dst| !registers.contains(&dst.index())) {
            return Err("a loop that assigns a register of its caller");
        }
    }
    if !region.blocks.contains(&state.top().block.0) || state.top().inst != 0 || state.top().variadic.is_some() {
        return Err("a loop that does not begin");
    }
    let mut own = state.top().clone();
    let outer = state.top_mut();
    for index in 0..own.regs.len() {
        let other = if registers.contains(&index) { &mut outer.regs[index] } else { &mut own.regs[index] };
        *other = None;
    }
    outer.slots.fill(None);
    outer.owned.clear();
    own.result = None;
    state.frames.push(Rc::new(own));
    Ok(())
}

/// Forgets the contents of globals that stay with the callers. A context must not write them.
pub(crate) fn set_untouched(memory: &mut SymbolicMemory, untouched: &[u32]) {
    for &id in untouched {
        if memory.find(ObjectId(id)).is_some_and(|object| object.kind == ObjectKind::Static) {
            let object = memory.get_mut(ObjectId(id));
            object.forget(Initial::Undefined);
            object.constant = true;
        }
    }
}

fn both<const A: bool>(
    machine: &mut Machine<'_, Checking<A>>,
    value: Term,
    inward: &mut Substitution,
    outward: &mut Substitution,
) -> Term {
    let value = inward.apply(&mut machine.terms, value);
    outward.apply(&mut machine.terms, value)
}

fn substitute<const A: bool>(
    machine: &mut Machine<'_, Checking<A>>,
    object: &mut Object,
    inward: &mut Substitution,
    outward: &mut Substitution,
) {
    object.substitute(&mut machine.terms, inward);
    object.substitute(&mut machine.terms, outward);
}

/// Renames everything in an object of the exit state, which gets a new id.
fn rename<const A: bool>(
    machine: &mut Machine<'_, Checking<A>>,
    object: &mut Object,
    ids: &FxHashMap<ObjectId, ObjectId>,
    inward: &mut Substitution,
    outward: &mut Substitution,
    new: ObjectId,
) {
    substitute(machine, object, inward, outward);
    object.base = inward.apply(&mut machine.terms, object.base);
    (object.died, object.life) = (None, None);
    if let Some(segment) = &mut object.segment {
        let segment = Rc::make_mut(segment);
        let own = |id: ObjectId| ids.get(&id).copied().unwrap_or(id);
        segment.node = own(segment.node);
        segment.owned.iter_mut().for_each(|id| *id = own(*id));
        let mut rename = |variable: &mut Term| *variable = inward.apply(&mut machine.terms, *variable);
        let locals = segment.locals.iter_mut().chain(&mut segment.links);
        locals.chain(&mut segment.back_link).chain(&mut segment.fork).for_each(&mut rename);
        if let Some(last) = segment.back.as_mut().and_then(|back| back.last.as_mut()) {
            rename(last);
            machine.bases.insert(*last, new);
        }
    }
    machine.bases.insert(object.base, new);
    if let [variable] = machine.terms.variables_of(object.base)[..]
        && variable != object.base
    {
        machine.address_of.insert(variable, object.base);
    }
}
