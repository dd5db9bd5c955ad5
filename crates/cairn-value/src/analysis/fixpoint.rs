//! The fixpoint of one function.
//!
//! Blocks wait in a queue ordered by their position. At the targets of back edges, states are joined some times and then widened. When nothing
//! changes any more, two passes over all blocks compute the states again from their predecessors without widening. Each pass keeps the
//! states sound, and the alarms are those of the last pass.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::Param;
use cairn_ir::{BlockId, Body, CheckKind, FuncId, Operand, Terminator, Ty};

use super::plan::Plan;
use super::state::State;
use super::world::Kind;
use super::{Analysis, Stop, bounds};
use crate::domain::map::TEXT_FILTER;
use crate::domain::memory::Memory;
use crate::domain::number::{Num, mask};
use crate::domain::object::{Back, Object};
use crate::domain::value::{Obj, Value};
use crate::limits::{COLLAPSE_AFTER, JOINS_BEFORE_WIDENING, MAX_ITERATIONS};

/// The states of a function.
struct Blocks {
    /// The state at the start of each block.
    starts: Vec<Option<State>>,
    /// The state on each edge.
    edges: Vec<Vec<Option<State>>>,
    /// How often each loop head was changed.
    changes: Vec<u32>,
    /// The states at the returns, by block.
    exits: Vec<Option<(State, Value)>>,
}

impl Analysis<'_> {
    /// Analyses the body of a function. `None` if no execution returns.
    pub fn run_body(
        &mut self,
        function: FuncId,
        args: &[Value],
        entry: Memory,
    ) -> Result<Option<(State, Value)>, Stop> {
        let Some(plan) = self.plan(function) else { return Ok(None) };
        let program = self.program;
        let Some(body) = program.functions[function.index()].body.as_ref() else { return Ok(None) };
        self.slots = self.slot_objects.get(&function).cloned().unwrap_or_else(|| Rc::from([]));
        let slots = self.slots.clone();
        let mut start = State::new(entry);
        if !self.bind_parameters(&mut start, function, body, args) {
            return Ok(None);
        }
        let count = body.blocks.len();
        let mut blocks = Blocks {
            starts: vec![None; count],
            edges: vec![Vec::new(); count],
            changes: vec![0; count],
            exits: vec![None; count],
        };
        if plan.has_loops() {
            self.ascend(&plan, body, &start, &mut blocks)?;
            self.pass(&plan, body, &start, &mut blocks)?;
            self.frame().is_final = true;
            self.pass(&plan, body, &start, &mut blocks)?;
        } else {
            self.frame().is_final = true;
            self.pass(&plan, body, &start, &mut blocks)?;
        }
        self.slots = slots;
        let mut result: Option<(State, Value)> = None;
        let width = program.functions[function.index()].signature.ret.map_or(64, |ty| self.width(ty));
        for (state, value) in blocks.exits.into_iter().flatten() {
            result = Some(match result {
                None => (state, value),
                Some((other, old)) => {
                    (other.combine(&state, &plan.widths, &self.table, None), old.join(&value, width, self.pointer))
                }
            });
        }
        let Some((mut state, value)) = result else { return Ok(None) };
        let value = self.leave_function(&mut state, function, value);
        Ok(Some((state, value)))
    }

    /// Assigns the arguments to the parameters. Returns whether an execution goes on.
    fn bind_parameters(&mut self, state: &mut State, function: FuncId, body: &Body, args: &[Value]) -> bool {
        for (param, arg) in body.params.iter().zip(args) {
            match *param {
                Param::Reg(reg) => state.assign(reg, arg.clone()),
                Param::Slot(slot) => {
                    let size = self.slot_size(slot);
                    self.enter_slot(state, slot, Num::constant(size, 64));
                    let obj = self.slots[slot.index()];
                    let to = Value::pointer(obj, Num::constant(0, self.pointer));
                    let none = cairn_ir::Checks::NONE;
                    if !self.copy(state, (&to, none), (arg, none), Num::constant(size, 64)) {
                        return false;
                    }
                }
            }
        }
        let _ = function;
        true
    }

    /// Ends the lifetimes of the objects of a function. Returns the result after that.
    fn leave_function(&mut self, state: &mut State, function: FuncId, value: Value) -> Value {
        // The result is in a register, so that it changes with the others.
        let result = cairn_ir::Reg(0);
        state.regs = crate::domain::map::Map::default();
        state.facts = Rc::default();
        state.regs.insert(result.0, value);
        let mut locals: Vec<Obj> = self.slots.to_vec();
        if self.program.functions[function.index()].signature.variadic {
            locals.push(self.table.id(Kind::Variadic(function)));
        }
        locals.append(&mut self.frame().allocas);
        for obj in locals {
            self.end_local(state, obj);
        }
        let value = state.regs.get(result.0).cloned().unwrap_or_else(Value::none);
        state.regs = crate::domain::map::Map::default();
        value
    }

    /// Visits blocks until nothing changes.
    fn ascend(&mut self, plan: &Plan, body: &Body, start: &State, blocks: &mut Blocks) -> Result<(), Stop> {
        let mut waiting: BTreeSet<u32> = BTreeSet::new();
        blocks.starts[0] = Some(start.clone());
        waiting.insert(0);
        while let Some(position) = waiting.pop_first() {
            let block = plan.order[position as usize];
            let Some(state) = blocks.starts[block.index()].clone() else { continue };
            self.visit_edges(plan, body, block, state, blocks)?;
            let mut changed: Vec<BlockId> = Vec::new();
            body.blocks[block.index()].end.for_successors(&mut |next| changed.push(next));
            changed.sort_unstable();
            changed.dedup();
            for next in changed {
                if self.update(plan, start, next, blocks)?
                    && let Some(position) = plan.positions[next.index()]
                {
                    waiting.insert(position);
                }
            }
        }
        Ok(())
    }

    /// Computes the state at the start of a block from its predecessors. Returns whether it has changed.
    fn update(&mut self, plan: &Plan, start: &State, block: BlockId, blocks: &mut Blocks) -> Result<bool, Stop> {
        let Some(new) = self.joined(plan, start, block, blocks) else { return Ok(false) };
        let index = block.index();
        let Some(old) = &blocks.starts[index] else {
            blocks.starts[index] = Some(new);
            return Ok(true);
        };
        if *old == new {
            return Ok(false);
        }
        if !plan.is_head[index] {
            blocks.starts[index] = Some(new);
            return Ok(true);
        }
        let changes = blocks.changes[index] + 1;
        if changes > MAX_ITERATIONS {
            return Err(Stop::OutOfBudget);
        }
        let next = if changes <= JOINS_BEFORE_WIDENING {
            old.combine(&new, &plan.widths, &self.table, None)
        } else if changes <= JOINS_BEFORE_WIDENING + 8 {
            old.combine(&new, &plan.widths, &self.table, Some(&self.thresholds))
        } else {
            old.combine(&new, &plan.widths, &self.table, Some(&bounds()))
        };
        if next == *old {
            return Ok(false);
        }
        blocks.changes[index] = changes;
        let next = if changes > COLLAPSE_AFTER { next.collapsed(old, &plan.widths, self.pointer) } else { next };
        blocks.starts[index] = Some(next);
        Ok(true)
    }

    /// Joins the states of all edges to a block.
    fn joined(&mut self, plan: &Plan, start: &State, block: BlockId, blocks: &Blocks) -> Option<State> {
        let mut result: Option<State> = (block.index() == 0).then(|| start.clone());
        for &(from, edge) in &plan.predecessors[block.index()] {
            let Some(Some(state)) = blocks.edges[from.index()].get(edge) else { continue };
            result = Some(match result {
                None => state.clone(),
                Some(old) => old.combine(state, &plan.widths, &self.table, None),
            });
        }
        // Joining such pointers has looked at their objects.
        if let Some(state) = &result
            && state.regs.filter() & TEXT_FILTER != 0
        {
            for (_, value) in state.regs.entries() {
                value.targets.iter().for_each(|target| self.touch(target.obj));
            }
        }
        result
    }

    /// Computes all states once more from their predecessors.
    fn pass(&mut self, plan: &Plan, body: &Body, start: &State, blocks: &mut Blocks) -> Result<(), Stop> {
        for &block in &plan.order {
            match self.joined(plan, start, block, blocks) {
                Some(state) => {
                    blocks.starts[block.index()] = Some(state.clone());
                    self.visit_edges(plan, body, block, state, blocks)?;
                }
                None => {
                    blocks.starts[block.index()] = None;
                    blocks.edges[block.index()].clear();
                    blocks.exits[block.index()] = None;
                }
            }
        }
        Ok(())
    }

    /// Executes a block: for each edge to it if the edges decide a condition in it, otherwise for their join.
    fn visit_edges(
        &mut self,
        plan: &Plan,
        body: &Body,
        block: BlockId,
        state: State,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        let index = block.index();
        if plan.is_head[index] || index == 0 || plan.reads[index].is_empty() {
            return self.visit(plan, body, block, state, blocks);
        }
        let incoming: Vec<State> = plan.predecessors[index]
            .iter()
            .filter_map(|&(from, edge)| blocks.edges[from.index()].get(edge).cloned().flatten())
            .collect();
        let decides = |reg: &cairn_ir::Reg| {
            let mut classes = incoming.iter().map(|state| self.truth(state, *reg, plan.widths[reg.index()]));
            let first = classes.next().flatten();
            first.is_some() && classes.clone().all(|class| class.is_some()) && classes.any(|class| class != first)
        };
        if incoming.len() < 2 || !plan.reads[index].iter().any(decides) {
            return self.visit(plan, body, block, state, blocks);
        }
        let mut edges: Vec<Option<State>> = Vec::new();
        let mut exit: Option<(State, Value)> = None;
        for state in incoming {
            self.visit(plan, body, block, state, blocks)?;
            for (at, new) in std::mem::take(&mut blocks.edges[index]).into_iter().enumerate() {
                if edges.len() <= at {
                    edges.resize(at + 1, None);
                }
                edges[at] = match (edges[at].take(), new) {
                    (Some(old), Some(new)) => Some(old.combine(&new, &plan.widths, &self.table, None)),
                    (old, new) => old.or(new),
                };
            }
            exit = match (exit, blocks.exits[index].take()) {
                (Some((old, a)), Some((new, b))) => {
                    let ret = self.program.functions[self.function().index()].signature.ret;
                    let width = ret.map_or(64, |ty| self.width(ty));
                    Some((old.combine(&new, &plan.widths, &self.table, None), a.join(&b, width, self.pointer)))
                }
                (old, new) => old.or(new),
            };
        }
        blocks.edges[index] = edges;
        blocks.exits[index] = exit;
        Ok(())
    }

    /// Returns whether a register is certainly zero or certainly not.
    fn truth(&self, state: &State, reg: cairn_ir::Reg, width: u32) -> Option<bool> {
        let value = state.regs.get(reg.0)?;
        match value.plain() {
            Some(num) if num.value() == Some(0) => Some(false),
            Some(num) if width <= 64 && !num.contains(0, width) => Some(true),
            Some(_) => None,
            None => crate::transfer::arithmetic::is_never_null(value, self.pointer).then_some(true),
        }
    }

    /// Executes a block and records the states at its end.
    fn visit(
        &mut self,
        plan: &Plan,
        body: &Body,
        block: BlockId,
        mut state: State,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        self.count_visit()?;
        let index = block.index();
        let code = &body.blocks[index];
        blocks.edges[index].clear();
        blocks.exits[index] = None;
        for (number, inst) in code.insts.iter().enumerate() {
            self.frame().at = (block.0, number as u32);
            let is_tainted = state.is_tainted;
            let goes_on = self.instruction(&mut state, inst)?;
            if self.frame().is_final {
                self.evaluate(inst, is_tainted);
            }
            if !goes_on {
                return Ok(());
            }
            self.observe(&state, inst);
        }
        self.frame().at = (block.0, u32::MAX);
        if let Terminator::Return(value) = &code.end {
            let ret = self.program.functions[self.function().index()].signature.ret;
            let result = match (value, ret) {
                (Some(operand), Some(ty)) => self.operand(&state, *operand, ty),
                _ => Value::uninit(),
            };
            blocks.exits[index] = Some((state, result));
            return Ok(());
        }
        if self.frame().is_final
            && let Terminator::Branch { checks, .. }
            | Terminator::Switch { checks, .. }
            | Terminator::JumpTo { checks, .. } = &code.end
        {
            checks.iter().for_each(|check| self.evaluated[check.index()] = true);
            if state.is_tainted {
                self.frame().resting.extend(checks.iter());
            }
        }
        let mut outs = self.terminator(state, &code.end);
        for state in outs.iter_mut().flatten() {
            drop_temporaries(state, plan);
        }
        blocks.edges[index] = outs;
        Ok(())
    }

    /// Records the value that an instruction assigns, for tests.
    fn observe(&mut self, state: &State, inst: &cairn_ir::Inst) {
        let (point, is_final) = (self.point(), self.frame().is_final);
        let (Some(dst), true, true) = (inst.dst(), is_final, self.observed.is_some()) else { return };
        let (width, pointer) = (self.width(self.reg_ty(dst)), self.pointer);
        let value = state.regs.get(dst.0).cloned().unwrap_or_else(Value::uninit);
        if let Some(observed) = &mut self.observed {
            let old = observed.entry(point).or_insert_with(Value::none);
            *old = old.join(&value, width, pointer);
        }
    }

    /// Records that the checks of an instruction were evaluated, and whether they rest on assumptions.
    fn evaluate(&mut self, inst: &cairn_ir::Inst, is_tainted: bool) {
        let mut found: Vec<cairn_ir::CheckId> = Vec::new();
        for_checks(inst, &mut |checks| found.extend(checks.iter()));
        found.iter().for_each(|check| self.evaluated[check.index()] = true);
        if is_tainted {
            self.frame().resting.extend(found);
        }
    }

    /// Returns the state on each edge of a terminator.
    fn terminator(&mut self, state: State, end: &Terminator) -> Vec<Option<State>> {
        match end {
            Terminator::Jump(_) => vec![Some(state)],
            Terminator::Branch { cond, checks, .. } => {
                if self.operand(&state, *cond, Ty::I1).may_be_uninit() {
                    self.alarm(*checks, CheckKind::Uninitialised);
                }
                let mut other = state.clone();
                let mut then = state;
                let takes_then = self.assume(&mut then, *cond, true);
                let takes_other = self.assume(&mut other, *cond, false);
                self.settle_filled(&mut then);
                self.settle_filled(&mut other);
                vec![takes_then.then_some(then), takes_other.then_some(other)]
            }
            Terminator::Switch { ty, signed, value, cases, checks, .. } => {
                let known = self.operand(&state, *value, *ty);
                if known.may_be_uninit() {
                    self.alarm(*checks, CheckKind::Uninitialised);
                }
                self.switch(state, (*ty, *signed), *value, &known, cases)
            }
            Terminator::JumpTo { addr, targets, checks } => {
                let value = self.operand(&state, *addr, Ty::Ptr);
                let is_plain = value.num.is_none() && value.flags == crate::domain::value::Flags::NONE;
                if value.may_be_uninit() {
                    self.alarm(*checks, CheckKind::Uninitialised);
                }
                let function = self.function();
                let is_label = |obj: Obj| matches!(self.table.kind(obj), Kind::Label(f, _) if *f == function);
                let all_labels =
                    value.targets.iter().all(|target| is_label(target.obj) && target.offset.value() == Some(0));
                if !is_plain || !all_labels {
                    self.alarm(*checks, CheckKind::InvalidCall);
                }
                // Distances between labels may lead to any other label.
                let is_plain = is_plain && all_labels;
                let may_be = |block: BlockId| {
                    !is_plain || value.targets.iter().any(|t| *self.table.kind(t.obj) == Kind::Label(function, block))
                };
                targets.iter().map(|&block| may_be(block).then(|| state.clone())).collect()
            }
            Terminator::Return(_) => Vec::new(),
            Terminator::Unreachable => {
                // The interpreter reports it as a fault without a check.
                let frame = self.frame();
                frame.has_other_faults |= frame.is_final;
                Vec::new()
            }
        }
    }

    /// Records the bytes of arrays that are initialised because a counter has reached some value.
    fn settle_filled(&mut self, state: &mut State) {
        self.settle_whole_arrays(state);
        for filled in state.filled.clone().iter().filter(|filled| !filled.is_inclusive) {
            let counter = state.regs.get(filled.counter.0).and_then(Value::plain);
            let Some(counter) = counter else { continue };
            let width = self.width(self.reg_ty(filled.counter));
            let (low, _) = counter.signed(width.min(64));
            let Some(length) = u64::try_from(low).ok().and_then(|low| low.checked_mul(u64::from(filled.size))) else {
                continue;
            };
            let Some(object) = self.object(&state.memory, filled.obj) else { continue };
            if object.is_single && length > object.init_to {
                let mut new = Object::clone(&object);
                new.initialise(length, self.pointer);
                self.set_object(state, filled.obj, new);
            }
        }
    }

    /// Records that arrays are initialised because a counter has reached the number of their elements.
    fn settle_whole_arrays(&mut self, state: &mut State) {
        for filled in state.filled.clone().iter().filter(|filled| !filled.is_inclusive) {
            let relations = &state.relations;
            let Some(room) = relations.sizes.iter().find(|room| room.obj == filled.obj) else { continue };
            let is_past = room.reg == filled.counter || relations.has_order(room.reg, filled.counter, false);
            if !is_past || room.scale != u64::from(filled.size) {
                continue;
            }
            // One more element may have been written apart, such as the null at the end.
            let is_last_written = room.add == room.scale && relations.written.contains(&(filled.obj, room.reg));
            if room.add != 0 && !is_last_written {
                continue;
            }
            let Some(object) = self.object(&state.memory, filled.obj) else { continue };
            let length = object.size.unsigned(64).1;
            if object.is_single && length > object.init_to {
                let mut new = Object::clone(&object);
                new.initialise(length, self.pointer);
                self.set_object(state, filled.obj, new);
            }
        }
    }

    fn switch(
        &mut self,
        state: State,
        (ty, is_signed): (Ty, bool),
        operand: Operand,
        known: &Value,
        cases: &[cairn_ir::inst::Case],
    ) -> Vec<Option<State>> {
        let width = self.width(ty);
        let plain = if width <= 64 { known.plain() } else { None };
        let mut outs = Vec::new();
        let mut rest = plain;
        for case in cases {
            let range = if is_signed {
                Num::between_signed(case.low, case.high, width.min(64))
            } else {
                let (low, high) = (case.low as u64 & mask(width), case.high as u64 & mask(width));
                if low > high { Num::full(width.min(64)) } else { Num::between(low, high) }
            };
            let Some(num) = plain else {
                outs.push(Some(state.clone()));
                continue;
            };
            let refined = num.meet(range, width).map(Value::num);
            outs.push(refined.and_then(|value| self.with_value(&state, operand, value)));
            if case.low == case.high {
                rest = rest.and_then(|num| num.without(case.low as u64, width));
            } else if let Some(num) = rest {
                rest = outside(num, range, width);
            }
        }
        outs.push(match plain {
            None => Some(state),
            Some(_) => rest.and_then(|num| self.with_value(&state, operand, Value::num(num))),
        });
        outs
    }

    fn with_value(&mut self, state: &State, operand: Operand, value: Value) -> Option<State> {
        let mut state = state.clone();
        match operand {
            Operand::Reg(reg) => self.refine(&mut state, reg, value, 8).then_some(state),
            _ => Some(state),
        }
    }

    /// Copies a struct argument and returns how it is passed.
    pub fn passing_of(passing: &Passing) -> bool {
        matches!(passing, Passing::Memory { .. })
    }

    /// Creates the object of the variable arguments of a call.
    pub fn variable_arguments(&mut self, state: &mut State, function: FuncId, args: &[(Value, Passing)]) {
        let obj = self.table.id(Kind::Variadic(function));
        let size: u64 = args.iter().map(|(_, passing)| passing.variable_room()).sum();
        let mut object = Object::new(Num::constant(size, 64), Back::UNINIT);
        let mut passed = vec![None; (size / 16) as usize];
        let mut at = 0;
        for (value, passing) in args {
            if let Some(unit) = passed.get_mut((at / 16) as usize) {
                *unit = Some(*passing);
            }
            match passing {
                Passing::Scalar(ty) => {
                    let bytes = ty.bytes(self.program.target) as u32;
                    object.store(obj, Num::constant(at, 64), bytes, value, &self.table);
                }
                Passing::Memory { size, .. } => {
                    let none = cairn_ir::Checks::NONE;
                    let (places, _) = self.places(
                        state,
                        value,
                        Num::constant(*size, 64),
                        crate::transfer::access::Access::Read,
                        none,
                    );
                    let pieces = match places.found[..] {
                        [(from, offset)] => {
                            let source = self.object(&state.memory, from);
                            source.map(|source| source.pieces(from, offset, *size, &self.table))
                        }
                        _ => None,
                    };
                    match pieces {
                        Some(pieces) => object.put_pieces(obj, at, &pieces, &self.table),
                        None => {
                            let byte = self.mixed_bytes(state, &places, Num::constant(*size, 64));
                            object.fill(at, *size, &byte, self.pointer);
                        }
                    }
                }
            }
            at += passing.variable_room();
        }
        object.passed = Some(passed.into());
        if let Some(outer) = state.memory.get(obj.0) {
            object = outer.combine(&object, obj, &self.table, None);
            object.is_single = false;
            object.passed = None;
        }
        self.set_object(state, obj, object);
    }
}

/// Returns a set that covers the values outside a range; `None` if there are none.
fn outside(num: Num, range: Num, width: u32) -> Option<Num> {
    let next = range.lo.wrapping_add(range.span).wrapping_add(1) & mask(width);
    if range.is_full(width) {
        return None;
    }
    let complement = Num { lo: next, span: mask(width) - range.span - 1, stride: 1 };
    let complement = if complement.span == 0 { Num::constant(next, width) } else { complement };
    num.meet(complement, width)
}

/// Forgets registers that no other block reads.
fn drop_temporaries(state: &mut State, plan: &Plan) {
    let dead: Vec<u32> =
        state.regs.entries().iter().map(|(key, _)| *key).filter(|&key| !plan.crosses[key as usize]).collect();
    if dead.is_empty() {
        return;
    }
    for &key in &dead {
        state.regs.remove(key);
    }
    let is_dead = |reg: cairn_ir::Reg| !plan.crosses[reg.index()];
    if !state.relations.is_empty() {
        let mut mentioned = false;
        state.relations.for_registers(&mut |reg| mentioned |= is_dead(reg));
        if mentioned {
            Rc::make_mut(&mut state.relations).retain(&|reg| !is_dead(reg));
        }
    }
    if state.filled.iter().any(|filled| is_dead(filled.counter)) {
        Rc::make_mut(&mut state.filled).retain(|filled| !is_dead(filled.counter));
    }
    if state.facts.iter().any(|(reg, origin)| is_dead(*reg) || origin.reads(&is_dead)) {
        Rc::make_mut(&mut state.facts).retain(|(reg, origin)| !is_dead(*reg) && !origin.reads(&is_dead));
    }
}

/// Calls `each` with the checks of an instruction.
pub fn for_checks(inst: &cairn_ir::Inst, each: &mut dyn FnMut(cairn_ir::Checks)) {
    use cairn_ir::Inst;
    match inst {
        Inst::Use { checks, .. }
        | Inst::Divide { checks, .. }
        | Inst::Load { checks, .. }
        | Inst::Store { checks, .. }
        | Inst::LoadBits { checks, .. }
        | Inst::StoreBits { checks, .. }
        | Inst::Intrinsic { checks, .. }
        | Inst::Unsupported { checks, .. } => each(*checks),
        Inst::Copy { dst_checks, src_checks, .. } => {
            each(*dst_checks);
            each(*src_checks);
        }
        Inst::Call(call) => each(call.checks),
        _ => {}
    }
}
