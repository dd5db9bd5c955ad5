//! The paths from a cut-point to the next ones: where they branch, where they end, and which loops are followed turn by turn.

use cairn_ir::inst::Case;
use cairn_ir::{Block, Body, Inst, Operand, Reg, Terminator, Ty};
use cairn_rules::{Lit, Term};

use super::checker::{Checker, Flow, STEPS, Stop};
use super::state::{State, Value};

/// Paths between two cut-points beyond this number are not followed: the answer is unknown.
const PATHS: usize = 6000;

/// Iterations of a loop whose condition is a constant are followed up to this number, on all paths from a cut-point together:
/// where iterations branch, paths are many.
const PEEL: usize = 48;

/// The same for loops whose body does not branch and calls nobody.
const STRAIGHT: usize = 260;

impl<'p> Checker<'_, 'p> {
    /// Follows all paths from a state.
    pub fn run(&mut self, state: State) -> Flow {
        self.work.clear();
        self.peeled = 0;
        self.straight = 0;
        let level = self.solver.level();
        self.work.push((state, level, None));
        let mut paths = 0;
        while let Some((state, level, lit)) = self.work.pop() {
            if self.over() {
                return Ok(());
            }
            paths += 1;
            if paths > PATHS {
                self.unknown("too many paths between two cut-points");
                return Ok(());
            }
            self.solver.backtrack(level);
            if lit.is_some_and(|lit| !self.solver.assume(lit)) {
                continue;
            }
            if let Err(Stop::Restart) = self.path(state) {
                return Err(Stop::Restart);
            }
        }
        Ok(())
    }

    /// Puts a state aside that holds when the literal does.
    pub fn fork(&mut self, state: State, lit: Option<Lit>) {
        let level = self.solver.level();
        self.work.push((state, level, lit));
    }

    pub fn path(&mut self, mut state: State) -> Flow {
        loop {
            let frame = state.frame_mut();
            let Some(body) = self.body(frame.function) else { return Ok(()) };
            let block: &'p Block = &body.blocks[frame.block];
            let at = frame.inst;
            if at == block.insts.len() {
                self.end(&mut state, block)?;
                continue;
            }
            frame.inst += 1;
            self.steps += 1;
            if self.steps > STEPS {
                self.unknown("out of budget");
                return Ok(());
            }
            self.inst(&mut state, &block.insts[at], block.locs[at])?;
        }
    }

    /// Where a block goes on. Returns when the path goes on in `state`.
    pub fn end(&mut self, state: &mut State, block: &'p Block) -> Flow {
        match &block.end {
            Terminator::Jump(next) => self.go(state, next.index()),
            Terminator::Branch { cond, then, other, .. } => {
                let value = self.operand(state, *cond);
                state.path.push(block.end_loc);
                self.split(state, value, then.index(), other.index())
            }
            Terminator::Switch { ty, signed, value, cases, default, .. } => {
                state.path.push(block.end_loc);
                let term = self.integer(state, *value, *ty);
                self.switch(state, term, *signed, cases, default.index())
            }
            Terminator::JumpTo { .. } => {
                self.unknown("a computed goto");
                Err(Stop::Done)
            }
            Terminator::Return(value) => {
                let value = value.map(|value| self.operand(state, value));
                if state.frames.len() > 1 {
                    let frame = state.frames.pop();
                    if let (Some(reg), Some(value)) = (frame.and_then(|frame| frame.result), value) {
                        state.frame_mut().regs[reg.index()] = value;
                    }
                    return Ok(());
                }
                self.leaving = true;
                let left = self.leave(state, value, block.end_loc);
                self.leaving = false;
                left?;
                Err(Stop::Done)
            }
            Terminator::Unreachable => Err(Stop::Done),
        }
    }

    pub fn split(&mut self, state: &mut State, value: Value, then: usize, other: usize) -> Flow {
        let lit = match value {
            Value::Test(lit) => lit,
            Value::Term(term) => !self.solver.equal(term, Term::constant(0)),
            Value::Unknown => {
                let mut rest = state.clone();
                if self.place(&mut rest, other)? {
                    self.fork(rest, None);
                }
                return self.go(state, then);
            }
        };
        match self.solver.value(lit) {
            Some(true) => self.go(state, then),
            Some(false) => self.go(state, other),
            None => {
                let rest = state.clone();
                self.fork_to(rest, !lit, other)?;
                self.assume(lit)?;
                self.go(state, then)
            }
        }
    }

    /// Puts aside a state that goes on at a block when the literal holds. A loop head is arrived at when it is taken up again.
    pub fn fork_to(&mut self, mut state: State, lit: Lit, block: usize) -> Flow {
        if self.heads_at(&state, block) {
            let level = self.solver.level();
            if self.solver.assume(lit) {
                let arrived = self.place(&mut state, block);
                self.solver.backtrack(level);
                if arrived? {
                    self.fork(state, Some(lit));
                }
            } else {
                self.solver.backtrack(level);
            }
            return Ok(());
        }
        state.frame_mut().block = block;
        state.frame_mut().inst = 0;
        self.fork(state, Some(lit));
        Ok(())
    }

    /// Whether a block is the head of a loop. In functions that are executed in place, only going back to it counts.
    pub fn heads_at(&self, state: &State, block: usize) -> bool {
        if state.frames.len() == 1 { self.heads[block] } else { block <= state.frame().block }
    }

    pub fn switch(&mut self, state: &mut State, term: Term, signed: bool, cases: &[Case], default: usize) -> Flow {
        let mut rest = state.clone();
        let mut outcome = Ok(());
        for case in cases {
            // Ranges of an unsigned switch that go over the sign are not told apart.
            if !signed && (case.low < 0 || case.high < 0) {
                let mut copy = rest.clone();
                if self.place(&mut copy, case.target.index())? {
                    self.fork(copy, None);
                }
                continue;
            }
            if case.low == case.high {
                let lit = self.solver.equal(term, Term::constant(case.low));
                if self.solver.value(lit) != Some(false) {
                    self.fork_to(rest.clone(), lit, case.target.index())?;
                }
                if !self.solver.assume(!lit) {
                    outcome = Err(Stop::Done);
                    break;
                }
            } else {
                // A range is not told apart from the rest.
                self.fork_to(rest.clone(), Lit::TRUE, case.target.index())?;
            }
        }
        outcome?;
        std::mem::swap(state, &mut rest);
        self.go(state, default)
    }

    /// Goes on at a block; a loop head is a cut-point.
    pub fn go(&mut self, state: &mut State, block: usize) -> Flow {
        if self.place(state, block)? { Ok(()) } else { Err(Stop::Done) }
    }

    /// Puts the state at the start of a block. `false` when the block is a cut-point, where the path ends.
    pub fn place(&mut self, state: &mut State, block: usize) -> Flow<bool> {
        if state.frames.len() > 1 && self.heads_at(state, block) && !self.peels(state, block) {
            self.unknown("a loop that does not count to a constant, in a function that is executed in place");
            return Ok(false);
        }
        let outer = state.frames.len() == 1;
        if outer && self.heads_at(state, block) && !self.peels(state, block) && !self.starts_at_a_slot(state, block) {
            match self.arrive(state, block) {
                Err(Stop::Restart) => return Err(Stop::Restart),
                _ => return Ok(false),
            }
        }
        let frame = state.frame_mut();
        frame.block = block;
        frame.inst = 0;
        Ok(true)
    }

    /// Whether a variable points to a slot here and did not go through this loop yet. A list that is built behind a local
    /// anchor starts like this; after the first iteration, the anchor is like any other node.
    pub fn starts_at_a_slot(&self, state: &mut State, block: usize) -> bool {
        let Some(body) = self.body(self.function) else { return false };
        if state.peeled.contains(&block) {
            return false;
        }
        let live = self.liveness.as_ref().map_or_else(Vec::new, |live| live.before(body, block, 0));
        let frame = state.frame();
        let found = frame.regs.iter().zip(&live).any(|(value, &live)| match value {
            Value::Term(term) if live => frame.slots.iter().any(|slot| slot.var == term.var),
            _ => false,
        });
        if found {
            state.peeled.push(block);
        }
        found
    }

    /// Whether the condition of a loop that counts is a constant here: then the iteration is executed as it stands.
    pub fn peels(&mut self, state: &State, head: usize) -> bool {
        let Some(body) = self.body(state.frame().function) else { return false };
        let block = &body.blocks[head];
        let Terminator::Branch { cond: Operand::Reg(cond), .. } = block.end else { return false };
        let straight = is_straight(body, head);
        if if straight { self.straight >= STRAIGHT } else { self.peeled >= PEEL } {
            return false;
        }
        let constant = self.is_decided(state, body, head, cond);
        *if straight { &mut self.straight } else { &mut self.peeled } += usize::from(constant);
        constant
    }

    /// Whether a condition that is computed at a loop head is known there: what it compares is a counter, and its bound.
    fn is_decided(&mut self, state: &State, body: &'p Body, head: usize, cond: Reg) -> bool {
        let mut ahead = None;
        for inst in &body.blocks[head].insts {
            match inst {
                Inst::Compare { ty, dst, lhs, rhs, .. } if *dst == cond => {
                    let counts = |operand: &Operand| match operand {
                        Operand::Int(_) => true,
                        Operand::Reg(reg) => counts(body, head, *reg),
                        _ => false,
                    };
                    let steps = |operand: &Operand| *ty != Ty::Ptr || is_stepped(body, head, *operand);
                    if ![lhs, rhs].into_iter().all(counts) || ![lhs, rhs].into_iter().any(steps) {
                        return false;
                    }
                    let mut at = ahead.unwrap_or_else(|| state.clone());
                    return match (self.operand(&mut at, *lhs), self.operand(&mut at, *rhs)) {
                        (Value::Term(lhs), Value::Term(rhs)) => self.solver.difference(lhs, rhs).is_some(),
                        _ => false,
                    };
                }
                Inst::Move { .. } | Inst::Convert { .. } | Inst::Binary { .. } | Inst::PtrAdd { .. } => {
                    let at = ahead.get_or_insert_with(|| state.clone());
                    if self.inst(at, inst, body.blocks[head].end_loc).is_err() {
                        return false;
                    }
                }
                other => {
                    if let Some(dst) = other.dst() {
                        ahead.get_or_insert_with(|| state.clone()).frame_mut().regs[dst.index()] = Value::Unknown;
                    }
                }
            }
        }
        false
    }
}

/// Whether the condition of a loop compares a counter with a constant.
pub(super) fn counts_to_a_constant(body: &Body, head: usize) -> bool {
    let block = &body.blocks[head];
    let Terminator::Branch { cond: Operand::Reg(cond), .. } = block.end else { return false };
    block.insts.iter().any(|inst| match inst {
        Inst::Compare { dst, lhs: Operand::Reg(reg), rhs: Operand::Int(_), .. } if *dst == cond => {
            counts(body, head, *reg)
        }
        _ => false,
    })
}

/// The blocks of a loop. Blocks are numbered in reverse postorder: a loop ends with the last block that goes back to its head.
fn blocks_of(body: &Body, head: usize) -> &[Block] {
    let mut last = head;
    for (number, block) in body.blocks.iter().enumerate().skip(head) {
        block.end.for_successors(&mut |next| last = if next.index() == head { number } else { last });
    }
    &body.blocks[head..=last]
}

/// Whether a pointer goes from element to element in a loop.
fn is_stepped(body: &Body, head: usize, pointer: Operand) -> bool {
    let mut insts = blocks_of(body, head).iter().flat_map(|block| &block.insts);
    matches!(pointer, Operand::Reg(_))
        && insts.any(|inst| matches!(inst, Inst::PtrAdd { base, .. } if *base == pointer))
}

/// Whether nothing but the condition of a loop branches or calls in it.
fn is_straight(body: &Body, head: usize) -> bool {
    let blocks = blocks_of(body, head);
    let mut insts = blocks.iter().flat_map(|block| &block.insts);
    blocks[1..].iter().all(|block| matches!(block.end, Terminator::Jump(_)))
        && !insts.any(|inst| matches!(inst, Inst::Call(_)))
}

/// Whether a register is assigned at one place at most in a loop, by computing: what was read from memory in the last iteration says
/// nothing about this one.
fn counts(body: &Body, head: usize, reg: Reg) -> bool {
    let insts = blocks_of(body, head).iter().flat_map(|block| &block.insts);
    let mut assignments = insts.filter(|inst| inst.dst() == Some(reg));
    let computed = |inst: &Inst| {
        matches!(inst, Inst::Move { .. } | Inst::Convert { .. } | Inst::Binary { .. } | Inst::PtrAdd { .. })
    };
    assignments.next().is_none_or(computed) && assignments.next().is_none()
}
