//! Control flow in the formula: functions are inlined where they are called, blocks are taken in an order in which edges go forward,
//! and states join where paths do.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::Param;
use cairn_ir::{FuncId, Loc, Terminator, Ty};

use super::build::{Beyond, Builder, Calls, Cell, Failure, Frame, State};
use super::knowledge::Context;
use super::loops::{Loop, Loops};
use super::value::{ID_BITS, Value};
use crate::liveness::Liveness;

/// Calls nested deeper than this are not followed.
const MAX_DEPTH: usize = 60;

/// Edges out of a region: where they go and with what.
pub(super) type Edges = Vec<(usize, State)>;

impl<'p> Builder<'p, '_> {
    /// Inlines a function: the state after it, with its result; `None` when it does not return.
    pub(super) fn function(
        &mut self,
        mut state: State,
        function: FuncId,
        context: Context,
        args: &[Value],
        variadic: Vec<Passing>,
    ) -> Result<Option<(State, Option<Value>)>, Failure> {
        let loc = self.program.functions[function.index()].loc;
        let Some(body) = &self.program.functions[function.index()].body else { return Ok(None) };
        let depth = self.depth_of(function);
        let far = depth > 0 && depth >= self.unwind;
        if far && self.beyond == Beyond::LeftOut {
            self.left_out.push(state.guard);
            return Ok(None);
        }
        let unknown = self.beyond == Beyond::Cut && self.knowledge.recursion(function).is_none();
        if far || (depth > 0 && unknown) {
            self.recursive = true;
            if self.calls != Calls::Inline {
                let start = self.frames.iter().position(|frame| frame.function == function).unwrap_or(0);
                let turns: Vec<FuncId> = self.frames[start..].iter().map(|frame| frame.function).collect();
                self.knowledge.set_recursive(&turns);
            }
            let name = &self.program.functions[function.index()].name;
            self.gap(&state, &format!("`{name}` calls itself"), loc);
            return Ok(None);
        }
        if self.frames.len() >= MAX_DEPTH {
            self.gap(&state, "calls are nested too deep", loc);
            return Ok(None);
        }
        let (loops, liveness) = self
            .analysed
            .entry(function)
            .or_insert_with(|| (Rc::new(Loops::of(body)), Rc::new(Liveness::of(body))))
            .clone();
        if loops.irreducible {
            self.gap(&state, "a loop is entered in its middle", loc);
            return Ok(None);
        }
        let caller = std::mem::replace(&mut state.regs, vec![None; body.regs.len()]);
        self.frames.push(Frame {
            function,
            context,
            body,
            loops: loops.clone(),
            liveness,
            returns: Vec::new(),
            caller,
            variadic,
        });
        for (param, arg) in body.params.iter().zip(args) {
            match *param {
                Param::Reg(reg) => state.regs[reg.index()] = Some(arg.clone()),
                Param::Slot(slot) => {
                    let size = body.slots[slot.index()].size;
                    let object = self.slot_object(slot);
                    self.begin_slot(&mut state, object);
                    let to = self.address(object);
                    self.copy(&mut state, &to, arg, size);
                }
            }
        }
        let (_, exits) = self.region(None, 0, state)?;
        debug_assert!(exits.is_empty(), "edges stay in their function");
        let returns = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.returns)).unwrap_or_default();
        let mut joined: Option<(State, Option<Value>)> = None;
        for (mut state, value) in returns {
            // The result travels in a register of its own, so that it joins, and dies, as registers do.
            state.regs = vec![value];
            joined = Some(match joined {
                None => (state, None),
                Some((known, _)) => (self.join(known, state), None),
            });
        }
        let result = joined.map(|(mut state, _)| {
            for slot in 0..body.slots.len() {
                let object = self.slot_object(cairn_ir::SlotId::new(slot));
                self.end_slot(&mut state, object);
            }
            let value = state.regs.pop().flatten();
            (state, value)
        });
        let caller = self.frames.pop().map(|frame| frame.caller).unwrap_or_default();
        Ok(result.map(|(state, value)| (State { regs: caller, ..state }, value)))
    }

    pub(super) fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("a function is being inlined")
    }

    /// Runs the blocks of a loop, or of a whole function, from one block on: the states at the edges back to that block, and
    /// those at the edges out.
    pub(super) fn region(
        &mut self,
        inside: Option<&Loop>,
        head: usize,
        state: State,
    ) -> Result<(Vec<State>, Edges), Failure> {
        let loops = self.frame().loops.clone();
        let mut waiting: BTreeMap<usize, State> = BTreeMap::from([(loops.position[head], state)]);
        let (mut backs, mut exits) = (Vec::new(), Vec::new());
        let mut first = true;
        while let Some((position, state)) = waiting.pop_first() {
            if self.terms.len() > self.most_terms || self.next_id >= 1 << ID_BITS {
                return Err(Failure::TooLarge);
            }
            let block = loops.order[position];
            if self.terms.is_false(state.guard) {
                first = false;
                continue;
            }
            let own = first && inside.is_some();
            first = false;
            let edges = match loops.at(block) {
                Some(inner) if !own => self.turns(inner, state)?,
                _ => self.block(block, state)?,
            };
            for (next, state) in edges {
                if inside.is_some() && next == head {
                    backs.push(state);
                } else if inside.is_some_and(|l| !l.blocks.contains(&next)) {
                    exits.push((next, state));
                } else {
                    let at = loops.position[next];
                    let state = match waiting.remove(&at) {
                        Some(known) => self.join(known, state),
                        None => state,
                    };
                    waiting.insert(at, state);
                }
            }
        }
        Ok((backs, exits))
    }

    /// Runs a block: the states at its ends.
    fn block(&mut self, block: usize, mut state: State) -> Result<Edges, Failure> {
        let body = self.frame().body;
        let code = &body.blocks[block];
        let line = code.locs.first().copied().unwrap_or(code.end_loc).line;
        self.define(format!("g_{line}"), state.guard, None);
        for (index, inst) in code.insts.iter().enumerate() {
            let place = self.place(block, index);
            match self.instruction(state, inst, code.locs[index], place)? {
                Some(next) if !self.terms.is_false(next.guard) => state = next,
                _ => return Ok(Vec::new()),
            }
        }
        self.end(state, &code.end, code.end_loc)
    }

    fn end(&mut self, mut state: State, end: &Terminator, loc: Loc) -> Result<Edges, Failure> {
        let mut edges = Vec::new();
        match *end {
            Terminator::Jump(next) => edges.push((next.index(), state)),
            Terminator::Branch { cond, then, other, .. } => {
                let condition = self.operand(&mut state, cond, Ty::I1);
                let condition = condition.number(&mut self.terms);
                let negation = self.terms.not(condition);
                for (condition, next) in [(condition, then), (negation, other)] {
                    let guard = self.terms.and(state.guard, condition);
                    edges.push((next.index(), State { guard, ..state.clone() }));
                }
            }
            Terminator::Switch { ty, signed, value, ref cases, default, .. } => {
                let value = self.operand(&mut state, value, ty).number(&mut self.terms);
                let width = ty.bits(self.program.target);
                let mut rest = state.guard;
                for case in cases {
                    let low = self.terms.constant(i128::from(case.low) as u128, width);
                    let high = self.terms.constant(i128::from(case.high) as u128, width);
                    let (above, below) = if signed {
                        (self.terms.sle(low, value), self.terms.sle(value, high))
                    } else {
                        (self.terms.ule(low, value), self.terms.ule(value, high))
                    };
                    let inside = self.terms.and(above, below);
                    let guard = self.terms.and(rest, inside);
                    let outside = self.terms.not(inside);
                    rest = self.terms.and(rest, outside);
                    edges.push((case.target.index(), State { guard, ..state.clone() }));
                }
                edges.push((default.index(), State { guard: rest, ..state }));
            }
            Terminator::JumpTo { .. } => self.gap(&state, "a computed goto", loc),
            Terminator::Return(operand) => {
                let ret = self.program.functions[self.frame().function.index()].signature.ret;
                let value = match (operand, ret) {
                    (Some(operand), Some(ty)) => Some(self.operand(&mut state, operand, ty)),
                    _ => None,
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.returns.push((state, value));
                }
            }
            Terminator::Unreachable => {}
        }
        edges.retain(|(_, state)| !self.terms.is_false(state.guard));
        Ok(edges)
    }

    /// One state for two paths, which exclude each other.
    pub(super) fn join(&mut self, a: State, b: State) -> State {
        let mut regs = Vec::with_capacity(a.regs.len());
        for (x, y) in a.regs.iter().zip(&b.regs) {
            regs.push(match (x, y) {
                (Some(x), Some(y)) => Some(Value::choose(&mut self.terms, b.guard, y, x)),
                _ => None,
            });
        }
        let mut cells = BTreeMap::new();
        if Rc::ptr_eq(&a.cells, &b.cells) {
            let guard = self.terms.or(a.guard, b.guard);
            return State { guard, regs, cells: a.cells };
        }
        let keys: BTreeSet<Cell> = a.cells.keys().chain(b.cells.keys()).copied().collect();
        for cell in keys {
            let absent = self.default_of(cell.1);
            let (x, y) = (a.cells.get(&cell).or(absent.as_ref()), b.cells.get(&cell).or(absent.as_ref()));
            match (x, y) {
                (Some(x), Some(y)) => {
                    let value = Value::choose(&mut self.terms, b.guard, y, x);
                    cells.insert(cell, value);
                }
                // An instance that one path has not allocated is of no interest there. A variable that one path has not brought to
                // life has no contents.
                (Some(only), None) | (None, Some(only)) if self.is_heap_cell(cell) => {
                    cells.insert(cell, only.clone());
                }
                _ => {}
            }
        }
        let guard = self.terms.or(a.guard, b.guard);
        State { guard, regs, cells: Rc::new(cells) }
    }

    fn is_heap_cell(&self, cell: Cell) -> bool {
        self.owner_of(cell.0).is_some_and(|object| self.knowledge.is_heap(object))
    }

    /// A register that is not read again holds nothing.
    pub(super) fn forget_dead_registers(&mut self, block: usize, state: &mut State) {
        let frame = self.frame();
        let live = frame.liveness.before(frame.body, block, 0);
        for (reg, live) in state.regs.iter_mut().zip(live) {
            if !live {
                *reg = None;
            }
        }
    }
}
