//! How a state steps: one basic block at a time, instruction by instruction (papers: slcpa, §4.2.5).

use std::rc::Rc;

use cairn_ir::inst::{BitRange, Local};
use cairn_ir::{BlockId, Body, CheckKind, FuncId, Inst, Loc, Operand, Reg, Terminator, Ty};
use cairn_smt::Term;

use super::Explorer;
use super::access::{Stop, Undecided};
use super::state::{Choice, State};
use crate::memory::fault::Access;
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::Initial;
use crate::scalar_terms;

/// An instruction's outcome: the state after it, or why there is none.
pub(super) type Step = Result<State, Stop>;

impl<'p> Explorer<'p> {
    pub(super) fn body(&self, function: FuncId) -> &'p Body {
        self.program.functions[function.index()].body.as_ref().expect("only functions with a body are entered")
    }

    /// The value of an operand of a type.
    pub(super) fn value(&mut self, state: &mut State, operand: Operand, ty: Ty) -> Term {
        let width = ty.bits(self.program.target);
        match operand {
            Operand::Reg(reg) => match state.top().regs[reg.index()] {
                Some(term) => term,
                None => {
                    let term = Self::fresh_undefined(&mut self.undefined, &mut self.terms, width);
                    state.choices.push(Choice::Unassigned(term));
                    state.top_mut().regs[reg.index()] = Some(term);
                    term
                }
            },
            Operand::Int(bits) => self.terms.constant(i128::from(bits) as u128, width),
            Operand::Wide(id) => self.terms.constant(self.program.wide[id.index()], width),
            Operand::Slot(slot) => match state.top().slots[slot.index()] {
                Some(id) => state.memory.get(id).base,
                // A slot that is not alive has no address; lowering does not do that.
                None => Self::fresh_undefined(&mut self.undefined, &mut self.terms, width),
            },
            Operand::Global(id) => self.global(id),
            Operand::Function(id) => self.function(id),
            Operand::Label(block) => self.label(state.top().function, block),
        }
    }

    pub(super) fn pointer(&mut self, state: &mut State, operand: Operand) -> Term {
        self.value(state, operand, Ty::Ptr)
    }

    pub(super) fn set(&mut self, state: &mut State, reg: Reg, value: Term) {
        state.top_mut().regs[reg.index()] = Some(value);
    }

    pub(super) fn reg_ty(&self, state: &State, reg: Reg) -> Ty {
        self.body(state.top().function).regs[reg.index()].ty
    }

    fn offset_pointer(&mut self, state: &mut State, addr: Operand, offset: i64) -> Term {
        let base = self.pointer(state, addr);
        let offset = self.terms.constant(i128::from(offset) as u128, self.pointer_bits);
        self.terms.add(base, offset)
    }

    /// Runs a state to the end of its block, or to where it splits.
    pub(super) fn run_block(&mut self, mut state: State, out: &mut Vec<State>) {
        state.arrived = false;
        loop {
            let (function, block, index) = {
                let frame = state.top();
                (frame.function, frame.block, frame.inst)
            };
            let code = &self.body(function).blocks[block.index()];
            let Some(inst) = code.insts.get(index) else {
                let _ = self.end_block(state, &code.end, code.end_loc, out);
                return;
            };
            let calls = matches!(inst, Inst::Call(_));
            let (line, next_line) = (code.locs[index].line, code.locs.get(index + 1).map(|loc| loc.line));
            let recorded = self.record.is_some() && !calls && next_line != Some(line);
            let (waiting, depth) = (out.len(), state.frames.len());
            let stepped = self.run_inst(state, inst, code.locs[index], out);
            // Where the world has a choice, the other states after the instruction are in `out`.
            for other in out.get(waiting..).into_iter().flatten().filter(|_| recorded) {
                if other.frames.len() == depth && other.top().inst == index + 1 {
                    self.record_state(other, function, line);
                }
            }
            match stepped {
                Ok(next) => state = next,
                Err(_) => return,
            }
            if recorded {
                self.record_state(&state, function, line);
            }
            // A call ends the step: the callee's first block is another.
            if calls {
                out.push(state);
                return;
            }
        }
    }

    fn run_inst(&mut self, mut state: State, inst: &Inst, loc: Loc, out: &mut Vec<State>) -> Step {
        let target = self.program.target;
        match *inst {
            Inst::Move { dst, src } => {
                let ty = self.reg_ty(&state, dst);
                // Copying an uninitialised register is fine and leaves the copy uninitialised.
                let value = match src {
                    Operand::Reg(reg) => state.top().regs[reg.index()],
                    _ => Some(self.value(&mut state, src, ty)),
                };
                state.top_mut().regs[dst.index()] = value;
            }
            Inst::Undef { dst } => state.top_mut().regs[dst.index()] = None,
            Inst::Unary { op, ty, dst, src } => {
                let value = self.value(&mut state, src, ty);
                let result = scalar_terms::unary(&mut self.terms, target, op, ty, value);
                self.set(&mut state, dst, result);
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let result = scalar_terms::binary(&mut self.terms, target, op, ty, a, b);
                self.set(&mut state, dst, result);
            }
            Inst::Divide { op, ty, dst, lhs, rhs, checks } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let (defined, result) = scalar_terms::divide(&mut self.terms, op, a, b);
                state = self.require(state, defined, CheckKind::DivisionByZero, checks, loc).ok_or(Stop::Ended)?;
                self.set(&mut state, dst, result);
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let result = match self.compare(&state, op, ty, a, b) {
                    Ok(result) => result,
                    Err(Undecided::Condition(condition)) => return Err(self.split(state, condition, out)),
                    Err(Undecided::Segment(id, side)) => return Err(self.unfold(state, id, side, out)),
                };
                self.set(&mut state, dst, result);
            }
            Inst::Convert { op, from, to, dst, src } => {
                let value = self.value(&mut state, src, from);
                let result = self.convert(op, from, to, value);
                self.set(&mut state, dst, result);
            }
            Inst::PtrAdd { dst, base, index, scale } => {
                let base = self.pointer(&mut state, base);
                let int = Ty::int(self.pointer_bits).expect("pointers have an integer's width");
                let index = self.value(&mut state, index, int);
                let distance = self.terms.scale(index, i128::from(scale) as u128);
                let result = self.terms.add(base, distance);
                self.set(&mut state, dst, result);
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                let (a, b) = (self.pointer(&mut state, lhs), self.pointer(&mut state, rhs));
                let result = self.terms.sub(a, b);
                self.set(&mut state, dst, result);
            }
            Inst::Load { dst, ty, addr, offset, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                let len = ty.bytes(target);
                let bytes = self.terms.constant(u128::from(len), self.pointer_bits);
                let (mut next, id, at) =
                    self.resolve_symbolic(state, pointer, bytes, Access::Read, checks, loc, out)?;
                let value = match self.read_anywhere(&mut next, id, at, len as u32) {
                    Some(value) => value,
                    None => {
                        let (state, at) = self.place_of(next, at, out)?;
                        next = state;
                        self.load(&mut next, id, at, len as u32)
                    }
                };
                self.set(&mut next, dst, value);
                state = next;
            }
            Inst::Store { ty, addr, offset, src, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                let value = self.value(&mut state, src, ty);
                let bytes = self.terms.constant(u128::from(ty.bytes(target)), self.pointer_bits);
                let (mut next, id, at) =
                    self.resolve_symbolic(state, pointer, bytes, Access::Write, checks, loc, out)?;
                if !self.write_anywhere(&mut next, id, at, value) {
                    let (state, at) = self.place_of(next, at, out)?;
                    next = state;
                    self.store(&mut next, id, at, value);
                }
                state = next;
            }
            Inst::LoadBits { dst, ty, addr, offset, bits, signed, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                let len = window(bits);
                let (mut next, id, at) =
                    self.resolve_offset(state, pointer, u64::from(len), Access::Read, checks, loc, out)?;
                let whole = self.load(&mut next, id, at, len);
                let part = self.terms.extract(whole, u32::from(bits.start), u32::from(bits.width));
                let value = self.terms.resize(part, ty.bits(target), signed);
                self.set(&mut next, dst, value);
                state = next;
            }
            Inst::StoreBits { ty, addr, offset, bits, src, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                let value = self.value(&mut state, src, ty);
                let len = window(bits);
                let (mut next, id, at) =
                    self.resolve_offset(state, pointer, u64::from(len), Access::Write, checks, loc, out)?;
                let whole = self.load(&mut next, id, at, len);
                let (start, width) = (u32::from(bits.start), u32::from(bits.width));
                let mut value = self.terms.extract(value, 0, width);
                if start > 0 {
                    let below = self.terms.extract(whole, 0, start);
                    value = self.terms.concat(value, below);
                }
                if start + width < 8 * len {
                    let above = self.terms.extract(whole, start + width, 8 * len - start - width);
                    value = self.terms.concat(above, value);
                }
                self.store(&mut next, id, at, value);
                state = next;
            }
            Inst::Copy { dst, src, size, dst_checks, src_checks } => {
                let (to, from) = (self.pointer(&mut state, dst), self.pointer(&mut state, src));
                let (state_, from, at_from) =
                    self.resolve_offset(state, from, size, Access::Read, src_checks, loc, out)?;
                let (mut next, to, at_to) =
                    self.resolve_offset(state_, to, size, Access::Write, dst_checks, loc, out)?;
                let size = self.terms.constant(u128::from(size), self.pointer_bits);
                self.transfer(&mut next, (to, at_to), (from, at_from), size);
                state = next;
            }
            Inst::Zero { dst, offset, size } => {
                let pointer = self.offset_pointer(&mut state, dst, offset);
                let (mut next, id, at) =
                    self.resolve_offset(state, pointer, size, Access::Write, cairn_ir::Checks::NONE, loc, out)?;
                let size = self.terms.constant(u128::from(size), self.pointer_bits);
                let zero = self.terms.constant(0, 8);
                self.fill_range(&mut next, id, at, size, zero);
                state = next;
            }
            Inst::Enter(Local::Reg(reg)) | Inst::Leave(Local::Reg(reg)) => state.top_mut().regs[reg.index()] = None,
            Inst::Enter(Local::Slot(slot)) => {
                self.enter_slot(&mut state, slot, loc);
            }
            Inst::EnterVla { slot, size } => {
                let int = Ty::int(self.pointer_bits).expect("pointers have an integer's width");
                let size = self.value(&mut state, size, int);
                self.enter_sized(&mut state, slot, size, loc);
            }
            Inst::Leave(Local::Slot(slot)) => self.leave_slot(&mut state, slot),
            Inst::Call(ref call) => return self.call(state, call, loc, out),
            Inst::Intrinsic { op, dst, ref args, checks } => {
                return self.intrinsic(state, op, dst, args, checks, loc, out);
            }
            Inst::Unsupported { ref what, checks } => {
                self.gaps.insert(format!("{what} is not modelled"));
                self.report(&state, CheckKind::Unsupported, checks, loc);
                return Err(Stop::Ended);
            }
        }
        state.advance();
        Ok(state)
    }

    fn end_block(&mut self, mut state: State, end: &Terminator, loc: Loc, out: &mut Vec<State>) -> Step {
        match *end {
            Terminator::Jump(block) => self.jump(state, block, out),
            Terminator::Branch { cond, then, other, checks } => {
                let condition = self.value(&mut state, cond, Ty::I1);
                if self.is_undefined(condition) {
                    self.report(&state, CheckKind::Uninitialised, checks, loc);
                }
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
                    let _ = self.jump(state, block, out);
                }
                Err(Stop::Again)
            }
            Terminator::Switch { ty, signed, value, ref cases, default, checks } => {
                let value = self.value(&mut state, value, ty);
                if self.is_undefined(value) {
                    self.report(&state, CheckKind::Uninitialised, checks, loc);
                }
                let width = ty.bits(self.program.target);
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
                        let _ = self.jump(yes, case.target, out);
                    }
                    rest = no;
                }
                match rest {
                    Some(state) => self.jump(state, default, out),
                    None => Err(Stop::Again),
                }
            }
            Terminator::JumpTo { addr, ref targets, checks } => {
                let pointer = self.pointer(&mut state, addr);
                let function = state.top().function;
                if let cairn_smt::term::Node::Ite(condition, ..) = *self.terms.node(pointer) {
                    return Err(self.split(state, condition, out));
                }
                match self.label_of.get(&pointer) {
                    Some(&(owner, block)) if owner == function && targets.contains(&block) => {
                        self.jump(state, block, out)
                    }
                    _ => {
                        self.report(&state, CheckKind::InvalidCall, checks, loc);
                        Err(Stop::Ended)
                    }
                }
            }
            Terminator::Return(operand) => {
                // What is lost when a call returns is looked for in states that know where their pointers lead.
                if self.proving
                    && self.options.kinds.contains(&CheckKind::Leak)
                    && let Some(condition) = self.undecided_link(&state)
                {
                    return Err(self.split(state, condition, out));
                }
                let signature = &self.program.functions[state.top().function.index()].signature;
                let value = match (operand, signature.ret) {
                    (Some(operand), Some(ty)) => Some((self.value(&mut state, operand, ty), ty)),
                    _ => None,
                };
                if state.context != 0 && state.frames.len() == 1 {
                    out.push(self.leave_context(state, value));
                    return Err(Stop::Again);
                }
                let (result, called_at) = (state.top().result, state.top().called_at);
                self.kill_frame(&mut state);
                if state.frames.is_empty() {
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
                if self.options.kinds.contains(&CheckKind::Leak) && self.check_lost(&state, called_at) {
                    return Err(Stop::Ended);
                }
                if self.record.is_some() {
                    self.record_return(&state, called_at);
                }
                out.push(state);
                Err(Stop::Again)
            }
            Terminator::Unreachable => Err(Stop::Ended),
        }
    }

    /// Goes to a block of the same function.
    fn jump(&mut self, mut state: State, block: BlockId, out: &mut Vec<State>) -> Step {
        let frame = state.top_mut();
        frame.block = block;
        frame.inst = 0;
        frame.visits[block.index()] += 1;
        let visits = frame.visits[block.index()];
        state.depth = state.depth.max(visits.ilog2());
        state.splits = 0;
        state.arrived = true;
        if !self.is_wanted(&state) || self.is_known(&state, block) {
            return Err(Stop::Ended);
        }
        out.push(state);
        Err(Stop::Again)
    }

    /// Sets bytes to zero, or to a byte.
    pub(super) fn fill(&mut self, state: &mut State, id: ObjectId, at: u64, len: u64, byte: Option<Term>) {
        let whole = self.terms.as_const(state.memory.get(id).size) == Some(u128::from(len)) && at == 0;
        if whole && byte.is_none() {
            state.memory.get_mut(id).forget(Initial::Bytes(Rc::from([])));
            return;
        }
        let byte = byte.unwrap_or_else(|| self.terms.constant(0, 8));
        let mut done = 0;
        while done < len {
            // Eight bytes at a time, so that pointers and integers find whole cells.
            let run = (8 - (at + done) % 8).min(len - done);
            let value = (1..run).fold(byte, |value, _| self.terms.concat(byte, value));
            self.write(state, id, at + done, value);
            done += run;
        }
    }
}

/// Bytes that a bit-field touches.
fn window(bits: BitRange) -> u32 {
    (u32::from(bits.start) + u32::from(bits.width)).div_ceil(8)
}
