//! Follows the paths from one cut-point to the next ones.

use cairn_ir::inst::Case;
use cairn_ir::{Block, Terminator};
use cairn_rules::{Lit, Term};

use super::super::limits::{BRANCHING_ITERATIONS, INSTRUCTIONS, PATHS, STRAIGHT_ITERATIONS};
use super::super::report::Reason;
use super::super::solver::{Flow, Stop};
use super::super::state::{State, Value};
use super::Execution;

/// A path that is not followed yet.
#[derive(Debug)]
struct Pending {
    state: State,
    /// The mark of the solver where the path was left.
    level: usize,
    /// The condition of the path.
    lit: Option<Lit>,
}

/// The kind of a loop that is unrolled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopBody {
    /// Without calls and branches.
    Straight,
    Branching,
}

/// Paths that are not followed yet, and the work done.
#[derive(Debug, Default)]
pub(super) struct Paths {
    pending: Vec<Pending>,
    /// Instructions since the start of the function's execution.
    instructions: u64,
    /// Iterations that were executed one by one since the cut-point, in loops with branches or calls.
    branching: usize,
    /// The same in loops without branches and calls.
    straight: usize,
}

impl Paths {
    /// Forgets the paths and the iterations of the last cut-point.
    fn restart(&mut self) {
        self.pending.clear();
        self.branching = 0;
        self.straight = 0;
    }

    pub fn is_exhausted(&self) -> bool {
        self.instructions > INSTRUCTIONS
    }

    /// Returns whether one more iteration may be executed on its own.
    pub fn may_unroll(&self, body: LoopBody) -> bool {
        match body {
            LoopBody::Straight => self.straight < STRAIGHT_ITERATIONS,
            LoopBody::Branching => self.branching < BRANCHING_ITERATIONS,
        }
    }

    /// Counts an iteration that is executed on its own.
    pub fn note_unrolled(&mut self, body: LoopBody) {
        match body {
            LoopBody::Straight => self.straight += 1,
            LoopBody::Branching => self.branching += 1,
        }
    }
}

impl<'p> Execution<'_, 'p> {
    /// Follows all paths from a state.
    pub(super) fn follow_paths(&mut self, state: State) -> Flow {
        self.paths.restart();
        self.fork(state, None);
        let mut paths = 0;
        while let Some(Pending { state, level, lit }) = self.paths.pending.pop() {
            if self.is_over() {
                return Ok(());
            }
            paths += 1;
            if paths > PATHS {
                self.findings.give_up(Reason::TooManyPaths);
                return Ok(());
            }
            self.solver.backtrack(level);
            if lit.is_some_and(|lit| !self.solver.note(lit)) {
                continue;
            }
            if let Err(Stop::Restart) = self.follow_path(state) {
                return Err(Stop::Restart);
            }
        }
        Ok(())
    }

    /// Puts aside a state that holds when the literal does.
    pub(super) fn fork(&mut self, state: State, lit: Option<Lit>) {
        let level = self.solver.level();
        self.paths.pending.push(Pending { state, level, lit });
    }

    fn follow_path(&mut self, mut state: State) -> Flow {
        loop {
            let frame = state.frame_mut();
            let Some(body) = self.context.body(frame.function) else { return Ok(()) };
            let block: &'p Block = &body.blocks[frame.block];
            let at = frame.inst;
            if at == block.insts.len() {
                self.terminator(&mut state, block)?;
                continue;
            }
            frame.inst += 1;
            self.paths.instructions += 1;
            if self.paths.is_exhausted() {
                self.findings.give_up(Reason::OutOfBudget);
                return Ok(());
            }
            self.instruction(&mut state, &block.insts[at], block.locs[at])?;
        }
    }

    /// Executes the end of a block. Returns when the path goes on in `state`.
    fn terminator(&mut self, state: &mut State, block: &'p Block) -> Flow {
        match &block.end {
            Terminator::Jump(next) => self.jump(state, next.index()),
            Terminator::Branch { cond, then, other, .. } => {
                let value = self.operand(state, *cond);
                state.path.push(block.end_loc);
                self.branch(state, value, then.index(), other.index())
            }
            Terminator::Switch { signed, value, cases, default, .. } => {
                state.path.push(block.end_loc);
                let term = self.term(state, *value);
                // Cases of an unsigned switch beyond the sign are not told apart.
                let is_known = |case: &Case| *signed || (case.low >= 0 && case.high >= 0);
                self.switch(state, term, cases, &is_known, default.index())
            }
            Terminator::JumpTo { .. } => self.give_up(Reason::ComputedGoto),
            Terminator::Return(value) => {
                let value = value.map(|value| self.operand(state, value));
                if state.is_in_call() {
                    let frame = state.frames.pop();
                    if let (Some(reg), Some(value)) = (frame.and_then(|frame| frame.result), value) {
                        state.set_reg(reg, value);
                    }
                    return Ok(());
                }
                self.leave(state, value, block.end_loc)?;
                Err(Stop::PathEnd)
            }
            Terminator::Unreachable => Err(Stop::PathEnd),
        }
    }

    fn branch(&mut self, state: &mut State, value: Value, then: usize, other: usize) -> Flow {
        let lit = match value {
            Value::Test(lit) => lit,
            Value::Term(term) => !self.solver.is_null(term),
            Value::Unknown => {
                let mut rest = state.clone();
                if self.enter(&mut rest, other)? {
                    self.fork(rest, None);
                }
                return self.jump(state, then);
            }
        };
        match self.solver.value(lit) {
            Some(true) => self.jump(state, then),
            Some(false) => self.jump(state, other),
            None => {
                let rest = state.clone();
                self.fork_to(rest, !lit, other)?;
                self.solver.assume(lit)?;
                self.jump(state, then)
            }
        }
    }

    /// Puts aside a state that goes on at a block when the literal holds.
    fn fork_to(&mut self, mut state: State, lit: Lit, block: usize) -> Flow {
        if self.is_head(&state, block) {
            let level = self.solver.level();
            if self.solver.note(lit) {
                let entered = self.enter(&mut state, block);
                self.solver.backtrack(level);
                if entered? {
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

    /// Returns whether a block is the head of a loop.
    ///
    /// In functions that are executed in place, only a jump back to it counts.
    fn is_head(&self, state: &State, block: usize) -> bool {
        if state.is_in_call() { block <= state.frame().block } else { self.loops.is_head(block) }
    }

    fn switch(
        &mut self,
        state: &mut State,
        term: Term,
        cases: &[Case],
        is_known: &dyn Fn(&Case) -> bool,
        default: usize,
    ) -> Flow {
        let rest = state.clone();
        for case in cases {
            if !is_known(case) {
                let mut copy = rest.clone();
                if self.enter(&mut copy, case.target.index())? {
                    self.fork(copy, None);
                }
                continue;
            }
            if case.low == case.high {
                let lit = self.solver.equal(term, Term::constant(case.low));
                if self.solver.value(lit) != Some(false) {
                    self.fork_to(rest.clone(), lit, case.target.index())?;
                }
                self.solver.assume(!lit)?;
            } else {
                // A range is not told apart from the other cases.
                self.fork_to(rest.clone(), Lit::TRUE, case.target.index())?;
            }
        }
        self.jump(state, default)
    }

    /// Goes on at a block, or ends the path at a cut-point.
    fn jump(&mut self, state: &mut State, block: usize) -> Flow {
        if self.enter(state, block)? { Ok(()) } else { Err(Stop::PathEnd) }
    }

    /// Puts the state at the start of a block. Returns `false` when the block is a cut-point, where the path ends.
    fn enter(&mut self, state: &mut State, block: usize) -> Flow<bool> {
        if self.is_head(state, block) && !self.unrolls(state, block) {
            if state.is_in_call() {
                self.findings.give_up(Reason::UnboundedLoopInCallee);
                return Ok(false);
            }
            if !self.starts_at_slot(state, block) {
                return match self.arrive(state, block) {
                    Err(Stop::Restart) => Err(Stop::Restart),
                    _ => Ok(false),
                };
            }
        }
        let frame = state.frame_mut();
        frame.block = block;
        frame.inst = 0;
        Ok(true)
    }

    /// Returns whether a variable points to a slot and the path did not pass this loop head yet.
    ///
    /// A list that is built behind a local anchor starts like this. After the first iteration, the anchor is like any
    /// other node.
    fn starts_at_slot(&self, state: &mut State, block: usize) -> bool {
        if state.peeled.contains(&block) {
            return false;
        }
        let live = self.loops.live_at(self.body, block);
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
}
