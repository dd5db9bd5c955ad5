//! Terminators: the end of a block, which leads to other blocks, to the caller or to the end of the program.

use cairn_ir::inst::Case;
use cairn_ir::{BlockId, CheckKind, Checks, Loc, Operand, Terminator, Ty};
use cairn_smt::Term;
use cairn_smt::term::Node;

use crate::state::State;
use crate::{Machine, Mode};

impl<M: Mode> Machine<'_, M> {
    /// Executes the terminator of a block and adds the successors to the list.
    pub(super) fn end_block(&mut self, mut state: State<M>, end: &Terminator, loc: Loc, out: &mut Vec<State<M>>) {
        match *end {
            Terminator::Jump(block) => self.jump(state, block, out),
            Terminator::Branch { cond, then, other, checks } => {
                let condition = self.value(&mut state, cond, Ty::I1);
                self.check_initialised(&state, condition, checks, loc);
                self.branch_to(state, condition, (then, other), out);
            }
            Terminator::Switch { ty, signed, value, ref cases, default, checks } => {
                let value = self.value(&mut state, value, ty);
                self.check_initialised(&state, value, checks, loc);
                self.switch_to(state, (value, signed), cases, default, out);
            }
            Terminator::JumpTo { addr, ref targets, checks } => {
                let pointer = self.pointer(&mut state, addr);
                self.check_initialised(&state, pointer, checks, loc);
                let function = state.top().function;
                if let Node::Ite(condition, ..) = *self.terms.node(pointer) {
                    return self.add_parts(state, condition, out);
                }
                match self.label_of.get(&pointer) {
                    Some(&(owner, block)) if owner == function && targets.contains(&block) => {
                        self.jump(state, block, out);
                    }
                    _ => self.report(&state, CheckKind::InvalidCall, checks, loc),
                }
            }
            Terminator::Return(operand) => self.return_from(state, operand, loc, out),
            Terminator::Unreachable => {}
        }
    }

    /// Jumps to a block of the same function.
    fn jump(&mut self, mut state: State<M>, block: BlockId, out: &mut Vec<State<M>>) {
        let frame = state.top_mut();
        frame.block = block;
        frame.inst = 0;
        frame.visits[block.index()] += 1;
        let visits = frame.visits[block.index()];
        state.depth = state.depth.max(visits.ilog2());
        state.splits = 0;
        state.arrived = true;
        out.push(state);
    }

    /// Jumps to one of two blocks, or to both if both are feasible.
    fn branch_to(
        &mut self,
        state: State<M>,
        condition: Term,
        (then, other): (BlockId, BlockId),
        out: &mut Vec<State<M>>,
    ) {
        let (yes, no) = self.branch(state, condition);
        let forked = yes.is_some() && no.is_some();
        for (state, block) in [(no, other), (yes, then)] {
            let Some(mut state) = state else { continue };
            if forked {
                let here = state.top().block.index();
                let frame = state.top_mut();
                frame.forks[here] += 1;
                let forks = frame.forks[here];
                state.depth = state.depth.max(forks);
            }
            self.jump(state, block, out);
        }
    }

    /// Jumps to every feasible case of a switch.
    fn switch_to(
        &mut self,
        state: State<M>,
        (value, signed): (Term, bool),
        cases: &[Case],
        default: BlockId,
        out: &mut Vec<State<M>>,
    ) {
        let width = self.terms.width(value);
        let mut rest = Some(state);
        for case in cases {
            let Some(state) = rest.take() else { break };
            let low = self.terms.constant(i128::from(case.low) as u128, width);
            let high = self.terms.constant(i128::from(case.high) as u128, width);
            let inside = if case.low == case.high {
                self.terms.eq(value, low)
            } else {
                let (above, below) = if signed {
                    (self.terms.sle(low, value), self.terms.sle(value, high))
                } else {
                    (self.terms.ule(low, value), self.terms.ule(value, high))
                };
                self.terms.and(above, below)
            };
            let (yes, no) = self.branch(state, inside);
            if let Some(yes) = yes {
                self.jump(yes, case.target, out);
            }
            rest = no;
        }
        if let Some(state) = rest {
            self.jump(state, default, out);
        }
    }

    /// Returns from the innermost call.
    fn return_from(&mut self, mut state: State<M>, operand: Option<Operand>, loc: Loc, out: &mut Vec<State<M>>) {
        // The leak check at a return needs states in which the target of every pointer is decided.
        if M::ABSTRACTS
            && self.options.kinds.contains(&CheckKind::Leak)
            && let Some(condition) = self.undecided_link(&state)
        {
            return self.add_parts(state, condition, out);
        }
        let signature = &self.program.functions[state.top().function.index()].signature;
        let value = match (operand, signature.ret) {
            (Some(operand), Some(ty)) => Some((self.value(&mut state, operand, ty), ty)),
            _ => None,
        };
        let Some(mut state) = M::take_return(self, state, value, out) else { return };
        let (result, called_at) = (state.top().result, state.top().called_at);
        self.kill_frame(&mut state);
        if state.frames.is_empty() {
            if let Some((status, Ty::I32)) = value {
                self.check_initialised(&state, status, Checks::NONE, loc);
            }
            return self.leave_program(state, value.map(|(value, _)| value), loc, out);
        }
        if let Some(dst) = result {
            let ty = self.reg_ty(&state, dst);
            let width = ty.bits(self.program.target);
            let value = match value {
                Some((value, _)) if self.terms.width(value) == width => Some(value),
                _ => None,
            };
            state.top_mut().regs[dst.index()] = value;
        }
        self.check_lost_files(&mut state, called_at);
        if self.options.kinds.contains(&CheckKind::Leak) && self.check_lost(&state, called_at) {
            // A segment that may leak may also be empty, and an execution goes on after a leak.
            self.forget_lost(&mut state);
        }
        if self.mode.records() {
            self.record_return(&state, called_at);
        }
        out.push(state);
    }
}
