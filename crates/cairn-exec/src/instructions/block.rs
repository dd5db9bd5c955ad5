//! The transfer function: executes one basic block, instruction by instruction (papers: slcpa, §4.2.5).

use std::ops::ControlFlow::{Break, Continue};

use cairn_ir::inst::Local;
use cairn_ir::{Body, CheckKind, Checks, FuncId, Inst, Loc, Operand, Reg, Ty};
use cairn_memory::scalar;
use cairn_portfolio::Reason;
use cairn_smt::Term;
use cairn_smt::term::Node;

use super::library::IntrinsicCall;
use crate::memory::access::{AccessRequest, Undecided};
use crate::state::{Choice, State};
use crate::step::{Step, Stop, or_stop};
use crate::{Machine, Mode};

impl<'p, M: Mode> Machine<'p, M> {
    /// Returns the body of a function that was entered.
    pub fn body(&self, function: FuncId) -> &'p Body {
        self.program.functions[function.index()].body.as_ref().expect("only functions with a body are entered")
    }

    /// Evaluates an operand of a type.
    pub fn value(&mut self, state: &mut State<M>, operand: Operand, ty: Ty) -> Term {
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
                // A slot that is not live has no address; lowering never refers to one.
                None => Self::fresh_undefined(&mut self.undefined, &mut self.terms, width),
            },
            Operand::Global(id) => self.global(id),
            Operand::Function(id) => self.function(id),
            Operand::Label(block) => self.label(state.top().function, block),
        }
    }

    /// Evaluates an operand as a pointer.
    pub fn pointer(&mut self, state: &mut State<M>, operand: Operand) -> Term {
        self.value(state, operand, Ty::Ptr)
    }

    /// Assigns a register of the innermost call.
    pub fn set(&mut self, state: &mut State<M>, reg: Reg, value: Term) {
        state.top_mut().regs[reg.index()] = Some(value);
    }

    /// Returns the type of a register of the innermost call.
    pub fn reg_ty(&self, state: &State<M>, reg: Reg) -> Ty {
        self.body(state.top().function).regs[reg.index()].ty
    }

    fn offset_pointer(&mut self, state: &mut State<M>, addr: Operand, offset: i64) -> Term {
        let base = self.pointer(state, addr);
        let offset = self.terms.constant(i128::from(offset) as u128, self.pointer_bits);
        self.terms.add(base, offset)
    }

    /// Executes a state to the end of its block, or to an instruction that splits it.
    pub fn run_block(&mut self, mut state: State<M>, out: &mut Vec<State<M>>) {
        state.arrived = false;
        loop {
            let (function, block, index) = {
                let frame = state.top();
                (frame.function, frame.block, frame.inst)
            };
            let code = &self.body(function).blocks[block.index()];
            let Some(inst) = code.insts.get(index) else {
                return self.end_block(state, &code.end, code.end_loc, out);
            };
            let calls = matches!(inst, Inst::Call(_));
            let (line, next_line) = (code.locs[index].line, code.locs.get(index + 1).map(|loc| loc.line));
            let recorded = self.mode.records() && !calls && next_line != Some(line);
            let (waiting, depth) = (out.len(), state.frames.len());
            let stepped = self.run_inst(state, inst, code.locs[index], out);
            // If the instruction has several outcomes, the other states after it are in `out`.
            for other in out.get(waiting..).into_iter().flatten().filter(|_| recorded) {
                if other.frames.len() == depth && other.top().inst == index + 1 {
                    self.record_state(other, function, line);
                }
            }
            match stepped {
                Continue(next) => state = next,
                Break(_) => return,
            }
            if recorded {
                self.record_state(&state, function, line);
            }
            // A call ends the step: the first block of the callee is another step.
            if calls {
                out.push(state);
                return;
            }
        }
    }

    fn run_inst(&mut self, mut state: State<M>, inst: &Inst, loc: Loc, out: &mut Vec<State<M>>) -> Step<M> {
        let target = self.program.target;
        match *inst {
            Inst::Move { dst, src } => {
                let ty = self.reg_ty(&state, dst);
                // Copying an unassigned register is valid and leaves the copy unassigned.
                let value = match src {
                    Operand::Reg(reg) => state.top().regs[reg.index()],
                    _ => Some(self.value(&mut state, src, ty)),
                };
                state.top_mut().regs[dst.index()] = value;
            }
            Inst::Undef { dst } => state.top_mut().regs[dst.index()] = None,
            Inst::Use { ty, src, checks } => {
                let value = self.value(&mut state, src, ty);
                self.check_initialised(&state, value, checks, loc);
            }
            Inst::Unary { op, ty, dst, src } => {
                let value = self.value(&mut state, src, ty);
                let result = scalar::terms::unary(&mut self.terms, target, op, ty, value);
                self.set(&mut state, dst, result);
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let result = scalar::terms::binary(&mut self.terms, target, op, ty, a, b);
                self.check_cancelled(a, b, result);
                self.set(&mut state, dst, result);
            }
            Inst::Divide { op, ty, dst, lhs, rhs, checks } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let (defined, result) = scalar::terms::divide(&mut self.terms, op, a, b);
                state = self.require(state, defined, CheckKind::DivisionByZero, checks, loc)?;
                self.set(&mut state, dst, result);
            }
            Inst::Fits { op, ty, lhs, rhs, checks } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let fits = scalar::terms::fits(&mut self.terms, op, a, b);
                let (good, is_reported) = self.require_or_report(state, fits, CheckKind::Overflow, checks, loc);
                state = or_stop(good, Stop::Ended)?;
                if is_reported && !M::ABSTRACTS {
                    // The violation may end the search, so that the rest of the block, which may be hard, is another step.
                    state.advance();
                    out.push(state);
                    return Break(Stop::Split);
                }
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let result = match self.compare(&mut state, op, ty, a, b) {
                    Ok(result) => result,
                    Err(Undecided::Condition(condition)) => return self.split(state, condition, out),
                    Err(Undecided::Segment(id, side)) => return self.unfold(state, id, side, out),
                };
                self.check_cancelled(a, b, result);
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
                let sum = self.terms.add(base, distance);
                let result = self.unless_between_objects(base, sum, sum);
                self.set(&mut state, dst, result);
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                let (a, b) = (self.pointer(&mut state, lhs), self.pointer(&mut state, rhs));
                let difference = self.terms.sub(a, b);
                let result = self.unless_between_objects(a, b, difference);
                self.check_cancelled(a, b, result);
                self.set(&mut state, dst, result);
            }
            Inst::Load { dst, ty, addr, offset, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                state = self.load_scalar(state, (dst, ty), AccessRequest::read(pointer, checks, loc), out)?;
            }
            Inst::Store { ty, addr, offset, src, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                let value = self.value(&mut state, src, ty);
                state = self.store_scalar(state, (value, ty), AccessRequest::write(pointer, checks, loc), out)?;
            }
            Inst::LoadBits { dst, ty, addr, offset, bits, signed, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                let request = AccessRequest::read(pointer, checks, loc);
                let (mut next, part) = self.load_bits(state, bits, request, out)?;
                let value = self.terms.resize(part, ty.bits(target), signed);
                self.set(&mut next, dst, value);
                state = next;
            }
            Inst::StoreBits { ty, addr, offset, bits, src, checks } => {
                let pointer = self.offset_pointer(&mut state, addr, offset);
                let value = self.value(&mut state, src, ty);
                state = self.store_bits(state, bits, value, AccessRequest::write(pointer, checks, loc), out)?;
            }
            Inst::Copy { dst, src, size, dst_checks, src_checks } => {
                let (to, from) = (self.pointer(&mut state, dst), self.pointer(&mut state, src));
                let from = AccessRequest::read(from, src_checks, loc);
                let to = AccessRequest::write(to, dst_checks, loc);
                state = self.copy_object(state, to, from, size, out)?;
            }
            Inst::Zero { dst, offset, size } => {
                let pointer = self.offset_pointer(&mut state, dst, offset);
                state = self.zero_bytes(state, AccessRequest::write(pointer, Checks::NONE, loc), size, out)?;
            }
            Inst::Enter(Local::Reg(reg)) | Inst::Leave(Local::Reg(reg)) => state.top_mut().regs[reg.index()] = None,
            Inst::Enter(Local::Slot(slot)) => {
                self.enter_slot(&mut state, slot, loc);
            }
            Inst::EnterVla { slot, size } => {
                let int = Ty::int(self.pointer_bits).expect("pointers have an integer's width");
                let size = self.value(&mut state, size, int);
                self.check_initialised(&state, size, Checks::NONE, loc);
                self.enter_sized(&mut state, slot, size, loc);
            }
            Inst::Leave(Local::Slot(slot)) => self.leave_slot(&mut state, slot),
            Inst::Call(ref call) => return self.call(state, call, loc, out),
            Inst::Intrinsic { op, dst, ref args, checks } => {
                let values = self.intrinsic_values(&mut state, op, dst, args);
                return self.intrinsic(state, &IntrinsicCall { op, dst, values, checks, loc }, out);
            }
            Inst::Unsupported { ref what, checks } => {
                self.gaps.insert(Reason::Unsupported(what.to_string()));
                self.report(&state, CheckKind::Unsupported, checks, loc);
                return Break(Stop::Ended);
            }
        }
        state.advance();
        Continue(state)
    }

    /// Returns the result of arithmetic on two pointers, unless it leads from one object to another.
    ///
    /// C does not define such arithmetic. Its result is any value, so that `z + (&a - z)` does not become a pointer to `a`, which it
    /// is neither to the compiler nor to the engines that follow objects.
    fn unless_between_objects(&mut self, one: Term, other: Term, result: Term) -> Term {
        match (self.base_in(one), self.base_in(other)) {
            (Some(x), Some(y)) if x != y => self.terms.variable("distance", self.pointer_bits),
            _ => result,
        }
    }

    /// Returns the address of an object that a pointer is computed from.
    fn base_in(&self, pointer: Term) -> Option<Term> {
        if self.bases.contains_key(&pointer) {
            return Some(pointer);
        }
        let Node::Sum(sum) = self.terms.node(pointer) else { return None };
        let is_base = |&&(term, factor): &&(Term, u128)| factor == 1 && self.bases.contains_key(&term);
        sum.monomials.iter().find(is_base).map(|&(term, _)| term)
    }
}
