//! Control flow: functions are inlined, blocks are visited in an order in which edges go forward, and states join.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::Param;
use cairn_ir::{FuncId, Loc, Terminator, Ty};

use crate::limits::MAX_CALL_DEPTH;
use crate::reason::Reason;
use crate::ssa::builder::{Beyond, Builder, Calls, Cell, Failure, Frame, State};
use crate::ssa::control_flow::natural_loops::{Loop, Loops};
use crate::ssa::knowledge::Context;
use crate::ssa::value::{ID_BITS, Value};
use cairn_ir::analysis::liveness::Liveness;

/// The edges out of a region: the target block and the state.
pub(in crate::ssa) type Edges = Vec<(usize, State)>;

impl<'p> Builder<'p, '_> {
    /// Inlines a function. Returns the state after it and its result; `None` if it does not return.
    pub(in crate::ssa) fn function(
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
        let far = depth > 0 && depth >= self.unwinding.depth;
        if far && self.unwinding.beyond == Beyond::LeftOut {
            self.out.left_out.push(state.guard);
            return Ok(None);
        }
        let unknown = self.unwinding.beyond == Beyond::Cut && self.knowledge.recursion(function).is_none();
        if far || (depth > 0 && unknown) {
            self.out.recursive = true;
            if self.calls != Calls::Inline {
                let start = self.frames.iter().position(|frame| frame.function == function).unwrap_or(0);
                let cycle: Vec<FuncId> = self.frames[start..].iter().map(|frame| frame.function).collect();
                self.knowledge.set_recursive(&cycle);
            }
            let name = self.program.functions[function.index()].name.clone();
            self.incomplete(&state, Reason::Recursion(name), loc);
            return Ok(None);
        }
        if self.frames.len() >= MAX_CALL_DEPTH {
            self.incomplete(&state, Reason::CallDepth, loc);
            return Ok(None);
        }
        let (loops, liveness) = self
            .analysed
            .entry(function)
            .or_insert_with(|| (Rc::new(Loops::of(body)), Rc::new(Liveness::of(body))))
            .clone();
        if loops.irreducible {
            self.incomplete(&state, Reason::IrreducibleLoop, loc);
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
            // The result is held in a register of its own, so that it is joined, and invalidated with dead slots, like
            // any register.
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

    pub(in crate::ssa) fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("a function is being inlined")
    }

    /// Encodes the blocks of a loop or a function from one block on.
    ///
    /// Returns the states at the edges back to that block and those at the edges out.
    pub(in crate::ssa) fn region(
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
            if self.terms.len() > self.most_terms || self.numbering.next >= 1 << ID_BITS {
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
                Some(inner) if !own => self.encode_loop(inner, state)?,
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

    /// Encodes a block. Returns the states at its outgoing edges.
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
            Terminator::JumpTo { .. } => self.incomplete(&state, Reason::ComputedGoto, loc),
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

    /// Joins the states of two mutually exclusive paths.
    pub(in crate::ssa) fn join(&mut self, a: State, b: State) -> State {
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
                // The contents of an instance are irrelevant on a path that has not allocated it. A local variable that
                // is not live on one path has no contents.
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

    /// Clears the registers that are dead at the start of a block.
    pub(in crate::ssa) fn forget_dead_registers(&mut self, block: usize, state: &mut State) {
        let frame = self.frame();
        let live = frame.liveness.before(frame.body, block, 0);
        for (reg, live) in state.regs.iter_mut().zip(live) {
            if !live {
                *reg = None;
            }
        }
    }
}
