//! The fixpoint of one function.
//!
//! Blocks wait in a queue ordered by their position. Loops whose iterations end for certain are executed iteration by iteration (`unroll.rs`).
//! At the heads of other loops, states are joined some times and then widened. When nothing changes any more, two passes over all blocks
//! compute the states again from their predecessors without widening. Each pass keeps the states sound, and the alarms are those of the last
//! pass.

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_ir::analysis::Loop;
use cairn_ir::program::Param;
use cairn_ir::{BlockId, Body, FuncId, Terminator};

use super::plan::Plan;
use super::state::State;
use super::world::Kind;
use super::{Analysis, Forgetting, Precision, Stop, bounds};
use crate::domain::map::TEXT_FILTER;
use crate::domain::memory::Memory;
use crate::domain::number::Num;
use crate::domain::value::{Obj, Value};
use crate::limits::{COLLAPSE_AFTER, JOINS_BEFORE_WIDENING, MAX_ALTERNATIVES, MAX_ITERATIONS};

/// The states of a region.
pub(super) struct Blocks {
    /// The state at the start of each block.
    pub(super) starts: Vec<Option<State>>,
    /// The state on each edge.
    pub(super) edges: Vec<Vec<Option<State>>>,
    /// How often each loop head was changed.
    changes: Vec<u32>,
    /// The states at the returns, by block.
    exits: Vec<Vec<(State, Value)>>,
    /// How each loop is computed, by its head.
    forms: Vec<Form>,
}

/// How a loop is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Not decided yet.
    Open,
    /// Iteration by iteration.
    Unrolled,
    /// By joining and widening.
    Widened,
}

/// A class of results of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    Negative,
    Zero,
    Positive,
    Any,
}

/// A part of a body that is computed at once: the whole body, or a loop.
#[derive(Clone, Copy)]
pub(super) struct Region<'a> {
    /// The plan of the body.
    pub(super) plan: &'a Plan,
    /// The body.
    pub(super) body: &'a Body,
    /// The loop.
    pub(super) within: Option<&'a Loop>,
    /// Whether only one iteration of the loop is computed: its back edges lead out of the region.
    pub(super) is_iteration: bool,
}

impl Region<'_> {
    fn first(&self) -> BlockId {
        self.within.map_or(BlockId(0), |found| found.head)
    }

    fn contains(&self, block: BlockId) -> bool {
        self.within.is_none_or(|found| found.contains(block))
    }

    /// Returns the loop inside the region that a block is the head of.
    fn loop_at(&self, block: BlockId) -> Option<&Loop> {
        let found = self.plan.loops[block.index()].as_deref()?;
        self.within.is_none_or(|within| within.head != block).then_some(found)
    }

    /// Returns whether an edge to a block is followed.
    fn follows(&self, block: BlockId) -> bool {
        self.contains(block) && !(self.is_iteration && block == self.first())
    }

    fn has_loops(&self) -> bool {
        let is_own = |block: BlockId| self.is_iteration && block == self.first();
        self.plan.order.iter().any(|&block| self.plan.is_head[block.index()] && self.contains(block) && !is_own(block))
    }
}

impl Analysis<'_> {
    /// Analyses the body of a function. Returns the states in which executions return, with their results.
    ///
    /// States with results of different classes are kept apart.
    pub fn run_body(&mut self, function: FuncId, args: &[Value], entry: Memory) -> Result<Vec<(State, Value)>, Stop> {
        let Some(plan) = self.plan(function) else { return Ok(Vec::new()) };
        let program = self.program;
        let Some(body) = program.functions[function.index()].body.as_ref() else { return Ok(Vec::new()) };
        self.objects.slots = self.objects.slots_of.get(&function).cloned().unwrap_or_else(|| Rc::from([]));
        let slots = self.objects.slots.clone();
        let mut start = State::new(entry);
        if !self.bind_parameters(&mut start, function, body, args) {
            return Ok(Vec::new());
        }
        let region = Region { plan: &plan, body, within: None, is_iteration: false };
        self.frame().is_final = true;
        let blocks = self.solve(region, &start)?;
        let ty = program.functions[function.index()].signature.ret;
        let width = ty.map_or(64, |ty| self.width(ty));
        let mut results: Vec<(Class, State, Value)> = Vec::new();
        for (state, value) in blocks.exits.into_iter().flatten() {
            let class = if self.is_recursive(function) { Class::Any } else { self.class(&value, width) };
            match results.iter_mut().find(|(other, ..)| *other == class) {
                Some((_, old, result)) => {
                    *old = old.combine(&state, &plan.widths, &self.table, None);
                    *result = result.join(&value, width, self.pointer);
                }
                None => results.push((class, state, value)),
            }
        }
        // Where only the result differs, one state says it all.
        if results.windows(2).all(|pair| pair[0].1.memory == pair[1].1.memory)
            && let Some((_, mut state, mut value)) = results.pop()
        {
            for (_, other, result) in results.drain(..) {
                state = state.combine(&other, &plan.widths, &self.table, None);
                value = value.join(&result, width, self.pointer);
            }
            results.push((Class::Any, state, value));
        }
        let mut locals: Vec<Obj> = self.objects.slots.to_vec();
        if self.program.functions[function.index()].signature.variadic {
            locals.push(self.table.id(Kind::Variadic(function)));
        }
        locals.append(&mut self.frame().allocas);
        let mut left = Vec::new();
        for (_, mut state, value) in results {
            let value = self.leave_function(&mut state, &locals, value);
            left.push((state, value));
        }
        self.objects.slots = slots;
        Ok(left)
    }

    /// Returns the class of a result: error codes and null are told apart from other results.
    pub(super) fn class(&self, value: &Value, width: u32) -> Class {
        match value.plain() {
            Some(num) if width <= 64 => match num.signed(width) {
                (0, 0) => Class::Zero,
                (low, _) if low > 0 => Class::Positive,
                (_, high) if high < 0 => Class::Negative,
                _ => Class::Any,
            },
            _ if crate::transfer::arithmetic::is_never_null(value, self.pointer) => Class::Positive,
            _ => Class::Any,
        }
    }

    /// Assigns the arguments to the parameters. Returns whether an execution goes on.
    fn bind_parameters(&mut self, state: &mut State, function: FuncId, body: &Body, args: &[Value]) -> bool {
        for (param, arg) in body.params.iter().zip(args) {
            match *param {
                Param::Reg(reg) => state.assign(reg, arg.clone()),
                Param::Slot(slot) => {
                    let size = self.slot_size(slot);
                    self.enter_slot(state, slot, Num::constant(size, 64));
                    let obj = self.objects.slots[slot.index()];
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
    fn leave_function(&mut self, state: &mut State, locals: &[Obj], value: Value) -> Value {
        // The result is in a register, so that it changes with the others.
        let result = cairn_ir::Reg(0);
        state.regs = crate::domain::map::Map::default();
        state.facts = Rc::default();
        state.regs.insert(result.0, value);
        for &obj in locals {
            self.end_local(state, obj);
        }
        let value = state.regs.get(result.0).cloned().unwrap_or_else(Value::none);
        state.regs = crate::domain::map::Map::default();
        value
    }

    /// Computes the states of a region. The alarms of the last pass are recorded if the frame asks for it.
    pub(super) fn solve(&mut self, region: Region<'_>, start: &State) -> Result<Blocks, Stop> {
        let count = region.body.blocks.len();
        let mut blocks = Blocks {
            starts: vec![None; count],
            edges: vec![Vec::new(); count],
            changes: vec![0; count],
            exits: vec![Vec::new(); count],
            forms: vec![Form::Open; count],
        };
        let is_final = self.frame().is_final;
        if region.has_loops() {
            self.frame().is_final = false;
            self.ascend(region, start, &mut blocks)?;
            let is_widened = blocks.changes.iter().any(|&changes| changes > 0);
            if is_widened {
                self.pass(region, start, &mut blocks)?;
            }
            self.frame().is_final = is_final;
            if !is_final {
                return Ok(blocks);
            }
        }
        self.pass(region, start, &mut blocks)?;
        Ok(blocks)
    }

    /// Visits blocks until nothing changes.
    fn ascend(&mut self, region: Region<'_>, start: &State, blocks: &mut Blocks) -> Result<(), Stop> {
        let plan = region.plan;
        let mut waiting: BTreeSet<u32> = BTreeSet::new();
        let first = region.first();
        blocks.starts[first.index()] = Some(start.clone());
        waiting.extend(plan.positions[first.index()]);
        while let Some(position) = waiting.pop_first() {
            let block = plan.order[position as usize];
            let Some(state) = blocks.starts[block.index()].clone() else { continue };
            let mut changed: Vec<BlockId> = Vec::new();
            if blocks.forms[block.index()] != Form::Widened
                && let Some(found) = region.loop_at(block)
            {
                blocks.forms[block.index()] = Form::Widened;
                if self.execute_loop(region, start, found, blocks)? {
                    blocks.forms[block.index()] = Form::Unrolled;
                    let leaves = |next: &BlockId| !found.contains(*next);
                    changed.extend(found.blocks().flat_map(|block| successors(region.body, block)).filter(leaves));
                }
            }
            if blocks.forms[block.index()] != Form::Unrolled {
                self.visit_edges(region, block, state, blocks)?;
                changed = successors(region.body, block);
            }
            changed.sort_unstable();
            changed.dedup();
            for next in changed.into_iter().filter(|&next| region.follows(next)) {
                if self.update(region, start, next, blocks)?
                    && let Some(position) = plan.positions[next.index()]
                {
                    waiting.insert(position);
                }
            }
        }
        Ok(())
    }

    /// Executes a loop iteration by iteration and records the states on the edges out of it. Returns whether that was possible.
    fn execute_loop(
        &mut self,
        region: Region<'_>,
        start: &State,
        found: &Loop,
        blocks: &mut Blocks,
    ) -> Result<bool, Stop> {
        let Some(entry) = self.joined(region, start, found.head, blocks, &|from| !found.contains(from)) else {
            return Ok(false);
        };
        let Some(edges) = self.unroll(region, found, entry)? else { return Ok(false) };
        for block in found.blocks() {
            blocks.edges[block.index()].clear();
        }
        for (block, edge, state) in edges {
            let states = &mut blocks.edges[block.index()];
            if states.len() <= edge {
                states.resize(edge + 1, None);
            }
            states[edge] = Some(state);
        }
        Ok(true)
    }

    /// Computes the state at the start of a block from its predecessors. Returns whether it has changed.
    fn update(&mut self, region: Region<'_>, start: &State, block: BlockId, blocks: &mut Blocks) -> Result<bool, Stop> {
        let plan = region.plan;
        let Some(new) = self.joined(region, start, block, blocks, &|_| true) else { return Ok(false) };
        let index = block.index();
        let Some(old) = &blocks.starts[index] else {
            blocks.starts[index] = Some(new);
            return Ok(true);
        };
        if *old == new {
            return Ok(false);
        }
        if !plan.is_head[index] || blocks.forms[index] == Form::Unrolled {
            blocks.starts[index] = Some(new);
            return Ok(true);
        }
        let changes = blocks.changes[index] + 1;
        if changes > MAX_ITERATIONS && self.precision == Precision::Contexts {
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
        let next = match Forgetting::after(changes, COLLAPSE_AFTER) {
            Some(how) => next.collapsed(old, &plan.widths, self.pointer, how),
            None => next,
        };
        blocks.starts[index] = Some(next);
        Ok(true)
    }

    /// Joins the states of the edges to a block whose source is wanted.
    fn joined(
        &mut self,
        region: Region<'_>,
        start: &State,
        block: BlockId,
        blocks: &Blocks,
        is_wanted: &dyn Fn(BlockId) -> bool,
    ) -> Option<State> {
        let plan = region.plan;
        let is_first = block == region.first();
        let mut result: Option<State> = is_first.then(|| start.clone());
        if is_first && region.is_iteration {
            return result;
        }
        for &(from, edge) in plan.predecessors[block.index()].iter().filter(|(from, _)| is_wanted(*from)) {
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
    fn pass(&mut self, region: Region<'_>, start: &State, blocks: &mut Blocks) -> Result<(), Stop> {
        let mut done: Vec<&Loop> = Vec::new();
        for &block in region.plan.order.iter().filter(|&&block| region.contains(block)) {
            if done.iter().any(|found| found.contains(block)) {
                continue;
            }
            if blocks.forms[block.index()] == Form::Unrolled
                && let Some(found) = region.plan.loops[block.index()].as_deref()
            {
                self.repeat_loop(region, start, found, blocks)?;
                done.push(found);
                continue;
            }
            match self.joined(region, start, block, blocks, &|_| true) {
                Some(state) => {
                    blocks.starts[block.index()] = Some(state.clone());
                    self.visit_edges(region, block, state, blocks)?;
                }
                None => {
                    blocks.starts[block.index()] = None;
                    blocks.edges[block.index()].clear();
                    blocks.exits[block.index()].clear();
                }
            }
        }
        Ok(())
    }

    /// Executes a loop once more that was executed iteration by iteration before.
    fn repeat_loop(
        &mut self,
        region: Region<'_>,
        start: &State,
        found: &Loop,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        if self.execute_loop(region, start, found, blocks)? {
            return Ok(());
        }
        for block in found.blocks() {
            blocks.edges[block.index()].clear();
        }
        let entry = self.joined(region, start, found.head, blocks, &|from| !found.contains(from));
        let Some(entry) = entry else { return Ok(()) };
        let whole = Region { within: Some(found), is_iteration: false, ..region };
        let solved = self.solve(whole, &entry)?;
        for block in found.blocks() {
            blocks.edges[block.index()].clone_from(&solved.edges[block.index()]);
        }
        Ok(())
    }

    /// Executes a block: for each edge to it if the edges decide a condition in it, otherwise for their join.
    fn visit_edges(
        &mut self,
        region: Region<'_>,
        block: BlockId,
        state: State,
        blocks: &mut Blocks,
    ) -> Result<(), Stop> {
        let (plan, index) = (region.plan, block.index());
        if plan.is_head[index] || index == 0 || plan.reads[index].is_empty() {
            return self.visit(region, block, state, blocks);
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
            return self.visit(region, block, state, blocks);
        }
        let mut edges: Vec<Option<State>> = Vec::new();
        let mut exits: Vec<(State, Value)> = Vec::new();
        for state in incoming {
            self.visit(region, block, state, blocks)?;
            let new = std::mem::take(&mut blocks.edges[index]);
            self.join_edges(&mut edges, new, &plan.widths);
            exits.append(&mut blocks.exits[index]);
        }
        blocks.edges[index] = edges;
        blocks.exits[index] = exits;
        Ok(())
    }

    fn join_edges(&self, edges: &mut Vec<Option<State>>, new: Vec<Option<State>>, widths: &[u32]) {
        if edges.len() < new.len() {
            edges.resize(new.len(), None);
        }
        for (old, new) in edges.iter_mut().zip(new) {
            *old = match (old.take(), new) {
                (Some(old), Some(new)) => Some(old.combine(&new, widths, &self.table, None)),
                (old, new) => old.or(new),
            };
        }
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
    ///
    /// A call may have several outcomes. The rest of the block is executed for each of them.
    fn visit(&mut self, region: Region<'_>, block: BlockId, state: State, blocks: &mut Blocks) -> Result<(), Stop> {
        self.count_visit()?;
        let index = block.index();
        let code = &region.body.blocks[index];
        let mut edges: Vec<Option<State>> = Vec::new();
        blocks.exits[index].clear();
        let (mut waiting, mut spare) = (vec![(0, state)], MAX_ALTERNATIVES);
        'outcomes: while let Some((from, mut state)) = waiting.pop() {
            for (number, inst) in code.insts.iter().enumerate().skip(from) {
                self.frame().at = (block.0, number as u32);
                let is_tainted = state.is_tainted;
                let mut goes_on = self.instruction(&mut state, inst)?;
                if self.frame().is_final {
                    self.evaluate(inst, is_tainted);
                }
                for other in std::mem::take(&mut self.alternatives) {
                    self.observe(&other, inst);
                    if !goes_on {
                        (state, goes_on) = (other, true);
                    } else if spare > 0 {
                        spare -= 1;
                        waiting.push((number + 1, other));
                    } else {
                        state = state.combine(&other, &region.plan.widths, &self.table, None);
                    }
                }
                if !goes_on {
                    continue 'outcomes;
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
                blocks.exits[index].push((state, result));
                continue;
            }
            self.evaluate_end(&state, &code.end);
            let mut outs = self.terminator(state, &code.end);
            for state in outs.iter_mut().flatten() {
                drop_temporaries(state, region.plan);
            }
            self.join_edges(&mut edges, outs, &region.plan.widths);
        }
        blocks.edges[index] = edges;
        Ok(())
    }

    /// Records that the checks of a terminator were evaluated, and whether they rest on assumptions.
    fn evaluate_end(&mut self, state: &State, end: &Terminator) {
        if self.frame().is_final
            && let Terminator::Branch { checks, .. }
            | Terminator::Switch { checks, .. }
            | Terminator::JumpTo { checks, .. } = end
        {
            checks.iter().for_each(|check| self.evaluated[check.index()] = true);
            if state.is_tainted {
                self.frame().resting.extend(checks.iter());
            }
        }
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
}

/// Returns the successors of a block.
pub(crate) fn successors(body: &Body, block: BlockId) -> Vec<BlockId> {
    let mut found = Vec::new();
    body.blocks[block.index()].end.for_successors(&mut |next| found.push(next));
    found
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
        | Inst::Fits { checks, .. }
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
