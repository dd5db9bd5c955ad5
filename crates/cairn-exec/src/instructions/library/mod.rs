//! Intrinsics on symbolic states: the operations that the models of the C library are made of.
//!
//! - [`heap`] allocates and frees.
//! - [`bytes`] copies, fills and compares bytes, and measures strings.
//! - [`format`] is the `printf` family.

mod bytes;
mod format;
mod heap;

use std::ops::ControlFlow::{Break, Continue};
use std::rc::Rc;

use cairn_ir::analysis::{CallGraph, variable_arguments};
use cairn_ir::inst::{Inst, VariableClass};
use cairn_ir::{CheckKind, Checks, FuncId, Intrinsic, Loc, Operand, Reg, Ty};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Initial;
use cairn_portfolio::Reason;
use cairn_smt::Term;

use crate::allocation::Target;
use crate::memory::access::AccessRequest;
use crate::state::{Choice, Jump, State};
use crate::step::{Step, Stop, or_stop};
use crate::{Machine, Mode, Possible};

/// An intrinsic with the values of its arguments.
pub(super) struct IntrinsicCall {
    /// The operation.
    pub op: Intrinsic,
    /// The register that receives the result.
    pub dst: Option<Reg>,
    /// The values of the arguments.
    pub values: Vec<Term>,
    /// The checks of the instruction.
    pub checks: Checks,
    /// The location of the instruction.
    pub loc: Loc,
}

impl IntrinsicCall {
    /// Returns the request for a read through an argument.
    fn read(&self, argument: usize) -> AccessRequest {
        AccessRequest::read(self.values[argument], self.checks, self.loc)
    }

    /// Returns the request for a write through an argument.
    fn write(&self, argument: usize) -> AccessRequest {
        AccessRequest::write(self.values[argument], self.checks, self.loc)
    }
}

impl<M: Mode> Machine<'_, M> {
    /// Evaluates the arguments of an intrinsic.
    pub(super) fn intrinsic_values(
        &mut self,
        state: &mut State<M>,
        op: Intrinsic,
        dst: Option<Reg>,
        args: &[Operand],
    ) -> Vec<Term> {
        let target = self.program.target;
        let result_ty = dst.map(|dst| self.reg_ty(state, dst));
        let mut values = Vec::with_capacity(args.len());
        for (index, &arg) in args.iter().enumerate() {
            let shape = op.params().get(index).copied();
            let ty = shape.and_then(|s| s.ty(target, result_ty)).unwrap_or(Ty::Ptr);
            values.push(self.value(state, arg, ty));
        }
        values
    }

    /// Executes an intrinsic.
    pub(super) fn intrinsic(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let &IntrinsicCall { op, dst, ref values, checks, loc } = call;
        self.check_arguments(&state, call);
        match op {
            Intrinsic::HeapAlloc => self.allocate(state, call, values[0], Initial::Undefined, out),
            Intrinsic::HeapAllocAligned => self.allocate_aligned(state, call, out),
            Intrinsic::HeapAllocZeroed => self.allocate_zeroed(state, call, out),
            Intrinsic::StackAlloc => self.allocate_on_stack(state, call),
            Intrinsic::HeapFree => {
                let (state, _) = self.free(state, call, ObjectKind::Heap, End::Freed, out)?;
                self.done(state)
            }
            Intrinsic::HeapRealloc => self.reallocate(state, call, out),
            Intrinsic::CopyBytes | Intrinsic::MoveBytes => self.copy_bytes(state, call, out),
            Intrinsic::FillBytes => self.fill_bytes(state, call, out),
            Intrinsic::CompareBytes => self.compare_bytes(state, call, out),
            Intrinsic::StringLength => self.string_length(state, call, out),
            Intrinsic::ObjectSize => self.object_size(state, call, out),
            Intrinsic::Nondet => self.nondet(state, dst),
            Intrinsic::NondetBytes => self.nondet_bytes(state, call, out),
            Intrinsic::Assume => {
                let zero = self.terms.constant(0, self.terms.width(values[0]));
                let holds = self.terms.ne(values[0], zero);
                let (good, _) = self.branch(state, holds);
                self.done(or_stop(good, Stop::Ended)?)
            }
            // An error function that is not to be checked ends the program.
            Intrinsic::ReachError if !self.options.kinds.contains(&CheckKind::Assertion) => {
                self.check_end(&state, loc);
                Break(Stop::Ended)
            }
            Intrinsic::AssertFail if !self.options.assert_faults => {
                self.check_abort(&state, loc);
                Break(Stop::Ended)
            }
            Intrinsic::AssertFail | Intrinsic::ReachError => {
                self.report(&state, CheckKind::Assertion, checks, loc);
                Break(Stop::Ended)
            }
            Intrinsic::Exit => {
                self.check_end(&state, loc);
                Break(Stop::Ended)
            }
            Intrinsic::Abort => {
                self.check_abort(&state, loc);
                Break(Stop::Ended)
            }
            Intrinsic::VaStart => {
                let base = match state.top().variadic {
                    Some(id) => state.memory.get(id).base,
                    None => self.terms.constant(0, self.pointer_bits),
                };
                self.finish(state, dst, base)
            }
            Intrinsic::VaArg => {
                let constant = |term| self.terms.as_const(term);
                match (constant(values[1]).and_then(VariableClass::from_number), constant(values[2])) {
                    (Some(class), Some(size)) => self.take_variable_argument(&state, values[0], (class, size as u64)),
                    _ => self.other_variable_argument(),
                }
                self.done(state)
            }
            Intrinsic::Setjmp => self.setjmp(state, call),
            Intrinsic::Longjmp => self.longjmp(state, call),
            Intrinsic::Write => self.write_file(state, call, out),
            Intrinsic::FormatFile => {
                // Writing may fail, so the number of written bytes is unknown even where the text is known.
                let (state, _) = self.format(state, call.read(1), values[2], None, out)?;
                self.finish_anything(state, dst, "printed")
            }
            Intrinsic::FormatBuffer => self.format_buffer(state, call, out),
            Intrinsic::ReadChar => self.read_char(state, dst),
            Intrinsic::Math(function) => match self.math(function, &state, dst, values) {
                Some(value) => self.finish(state, dst, value),
                None => self.finish_anything(state, dst, "float"),
            },
            Intrinsic::Time | Intrinsic::Clock => self.finish_anything(state, dst, "time"),
            Intrinsic::Vary => self.finish_anything(state, dst, "varied"),
            Intrinsic::Order => {
                let (state, order) = self.any_of_sign(state, values[0])?;
                self.finish(state, dst, order)
            }
            Intrinsic::OneAnswer => {
                self.gaps.insert(Reason::SingleOutcome);
                self.done(state)
            }
            // Proofs by abstraction do not follow memory of the system.
            Intrinsic::OpenResource if !M::ABSTRACTS => self.open_resource(state, call),
            Intrinsic::CloseResource if !M::ABSTRACTS => {
                let (state, _) = self.free(state, call, ObjectKind::Resource, End::Freed, out)?;
                self.done(state)
            }
            Intrinsic::MapMemory if !M::ABSTRACTS => self.map_memory(state, call),
            Intrinsic::UnmapMemory if !M::ABSTRACTS => self.unmap_memory(state, call, out),
            Intrinsic::ParseFloat
            | Intrinsic::Closure
            | Intrinsic::MapMemory
            | Intrinsic::UnmapMemory
            | Intrinsic::OpenResource
            | Intrinsic::CloseResource => {
                self.gaps.insert(Reason::NotModelled(format!("`{}`", op.name())));
                Break(Stop::Ended)
            }
        }
    }

    /// Checks that the arguments of an intrinsic are initialised, apart from numbers that it only computes with or copies.
    fn check_arguments(&mut self, state: &State<M>, call: &IntrinsicCall) {
        for (index, &value) in call.values.iter().enumerate() {
            let is_copied = match call.op {
                Intrinsic::Math(_) | Intrinsic::ObjectSize => true,
                Intrinsic::FillBytes => index == 1,
                _ => false,
            };
            if !is_copied {
                self.check_initialised(state, value, call.checks, call.loc);
            }
        }
    }

    /// Returns a nondeterministic value.
    fn nondet(&mut self, mut state: State<M>, dst: Option<Reg>) -> Step<M> {
        let Some(dst) = dst else { return self.done(state) };
        let ty = self.reg_ty(&state, dst);
        let value = self.terms.variable("nondet", ty.bits(self.program.target));
        state.choices.push(Choice::Value(value, ty));
        self.finish(state, Some(dst), value)
    }

    /// Reads a character: a byte, or -1 for the end of the input.
    fn read_char(&mut self, mut state: State<M>, dst: Option<Reg>) -> Step<M> {
        let value = self.terms.variable("input", 32);
        let (least, greatest) = (self.terms.constant(u128::MAX, 32), self.terms.constant(255, 32));
        let (above, below) = (self.terms.sle(least, value), self.terms.sle(value, greatest));
        let inside = self.terms.and(above, below);
        state.choices.push(Choice::Value(value, Ty::I32));
        let (state, _) = self.branch(state, inside);
        self.finish(or_stop(state, Stop::Ended)?, dst, value)
    }

    /// Writes bytes to a file: they are only read.
    fn write_file(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let (mut state, len) = self.length(state, call.values[2], out)?;
        if self.terms.as_const(len) != Some(0) {
            let (next, id, at) = self.resolve_symbolic(state, call.read(1), len, out)?;
            state = next;
            self.check_output(&mut state, (id, at), len, call);
        }
        let written = self.terms.extract(len, 0, 32);
        self.finish(state, call.dst, written)
    }

    /// Checks that bytes that are written to a file are initialised.
    fn check_output(&mut self, state: &mut State<M>, (id, at): (ObjectId, Term), len: Term, call: &IntrinsicCall) {
        if !self.options.kinds.contains(&CheckKind::Uninitialised) {
            return;
        }
        let known = |term| state.path.value(&self.terms, term);
        let (Some(at), Some(len)) = (known(at), known(len)) else {
            if *state.memory.get(id).initial() == Initial::Undefined || !self.undefined.is_empty() {
                self.doubt(state, CheckKind::Uninitialised, call.checks, call.loc);
            }
            return;
        };
        let object = state.memory.get(id);
        let is_touched = |byte: u64| object.cell_at(byte).is_some() || *object.initial() == Initial::Undefined;
        let bytes: Vec<u64> = (at as u64..(at + len) as u64).filter(|&byte| is_touched(byte)).collect();
        for byte in bytes {
            let value = self.read(state, id, byte, 1);
            self.check_initialised(state, value, call.checks, call.loc);
        }
    }

    /// Returns the number of bytes from a pointer to the end of its object.
    fn object_size(&mut self, state: State<M>, call: &IntrinsicCall, out: &mut Vec<State<M>>) -> Step<M> {
        let size = match self.target(&state, call.values[0]) {
            Target::Either(condition) => return self.split(state, condition, out),
            Target::Segment(id, side, _) => return self.unfold(state, id, side, out),
            Target::Object(id, offset) if state.memory.get(id).end == End::Live => {
                let size = state.memory.get(id).size;
                let beyond = self.terms.ult(size, offset);
                let (none, rest) = (self.terms.constant(0, self.pointer_bits), self.terms.sub(size, offset));
                self.terms.ite(beyond, none, rest)
            }
            _ => self.terms.constant(0, self.pointer_bits),
        };
        self.finish(state, call.dst, size)
    }

    /// Checks that the call passed the variable argument at an address with the given class and size.
    ///
    /// A mismatch makes the execution incomplete. An argument that does not exist fails when it is read.
    pub(crate) fn take_variable_argument(&mut self, state: &State<M>, at: Term, taken: (VariableClass, u64)) {
        let (id, at) = match self.target(state, at) {
            Target::Object(id, at) => (id, at),
            Target::Segment(..) | Target::Either(_) => return self.other_variable_argument(),
            Target::Constant(_) | Target::Wild => return,
        };
        if state.memory.get(id).end != End::Live {
            return;
        }
        let depth = state.frames.iter().position(|frame| frame.variadic == Some(id));
        let Some((depth, caller)) = depth.and_then(|depth| Some((depth, &state.frames[depth.checked_sub(1)?]))) else {
            // The function is analysed apart from its callers.
            let outermost = &state.frames[0];
            if !outermost.owned.contains(&id) || !self.takes_what_is_passed(outermost.function) {
                self.other_variable_argument();
            }
            return;
        };
        let block = &self.body(caller.function).blocks[caller.block.index()];
        let call = caller.inst.checked_sub(1).and_then(|inst| block.insts.get(inst));
        let Some(Inst::Call(call)) = call else { return self.other_variable_argument() };
        let named = self.program.functions[state.frames[depth].function.index()].signature.params.len();
        let mut offset = 0u128;
        for arg in call.args.iter().skip(named) {
            let room = u128::from(arg.passing.variable_room());
            // In a loop over the arguments, the address may be that of any of them.
            if room > 0 && arg.passing.variable_argument(self.program.target) != taken {
                let here = self.terms.constant(offset, self.pointer_bits);
                let here = self.terms.eq(at, here);
                let never = state.path.value(&self.terms, here) == Some(0);
                if !never && !matches!(self.possible(state, here), Possible::No) {
                    return self.other_variable_argument();
                }
            }
            offset += room;
        }
    }

    fn takes_what_is_passed(&mut self, function: FuncId) -> bool {
        let program = self.program;
        let compute = || variable_arguments::takes_what_is_passed(program, &CallGraph::of(program), function);
        *self.own_lists.entry(function).or_insert_with(compute)
    }

    fn other_variable_argument(&mut self) {
        self.gaps.insert(Reason::VariableArgumentType);
    }

    fn done(&mut self, mut state: State<M>) -> Step<M> {
        state.advance();
        Continue(state)
    }

    /// Assigns the result of an intrinsic and moves to the next instruction.
    fn finish(&mut self, mut state: State<M>, dst: Option<Reg>, value: Term) -> Step<M> {
        if let Some(dst) = dst {
            self.set(&mut state, dst, value);
        }
        self.done(state)
    }

    /// Havocs the result and moves to the next instruction.
    fn finish_anything(&mut self, state: State<M>, dst: Option<Reg>, name: &str) -> Step<M> {
        let Some(dst) = dst else { return self.done(state) };
        let width = self.reg_ty(&state, dst).bits(self.program.target);
        let value = self.terms.variable(name, width);
        self.finish(state, Some(dst), value)
    }

    fn setjmp(&mut self, mut state: State<M>, call: &IntrinsicCall) -> Step<M> {
        let buffer = call.values[0];
        if !matches!(self.target(&state, buffer), Target::Object(_, at) if self.terms.as_const(at).is_some()) {
            self.gaps.insert(Reason::UnknownLocation("the buffer of `setjmp`"));
            return Break(Stop::Ended);
        }
        let frame = state.top();
        let jump = Jump { serial: frame.serial, block: frame.block, inst: frame.inst + 1, dst: call.dst };
        let jumps = Rc::make_mut(&mut state.jumps);
        jumps.retain(|(known, _)| *known != buffer);
        jumps.push((buffer, jump));
        let zero = self.terms.constant(0, 32);
        self.finish(state, call.dst, zero)
    }

    fn longjmp(&mut self, mut state: State<M>, call: &IntrinsicCall) -> Step<M> {
        let values = &call.values;
        let found = state.jumps.iter().find(|(buffer, _)| *buffer == values[0]).map(|&(_, jump)| jump);
        let frame = found.and_then(|jump| Some((jump, state.frames.iter().position(|f| f.serial == jump.serial)?)));
        let Some((jump, index)) = frame else {
            self.report(&state, CheckKind::InvalidCall, call.checks, call.loc);
            return Break(Stop::Ended);
        };
        while state.frames.len() > index + 1 {
            let Some(frame) = state.frames.pop() else { break };
            for id in frame.slots.iter().flatten().chain(&frame.owned) {
                state.memory.get_mut(*id).end = End::OutOfScope;
            }
        }
        let (zero, one) = (self.terms.constant(0, 32), self.terms.constant(1, 32));
        let is_zero = self.terms.eq(values[1], zero);
        let value = self.terms.ite(is_zero, one, values[1]);
        let top = state.top_mut();
        top.block = jump.block;
        top.inst = jump.inst;
        if let Some(dst) = jump.dst {
            self.set(&mut state, dst, value);
        }
        Continue(state)
    }
}
