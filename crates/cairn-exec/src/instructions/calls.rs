//! Calls, stack frames and the lifetime of their objects.
//!
//! A local object is born when its function or block is entered, and dies when that is left.

use std::ops::ControlFlow::{Break, Continue};
use std::rc::Rc;

use cairn_ir::inst::{Call, Passing};
use cairn_ir::program::{Origin, Param};
use cairn_ir::{BlockId, Callee, CheckKind, FuncId, Loc, Reg, SlotId, Ty};
use cairn_portfolio::Reason;
use cairn_smt::Term;

use crate::allocation::Target;
use crate::limits::{MAX_CALL_DEPTH, MAX_RESULT_BYTES};
use crate::state::{Choice, Frame, State};
use crate::step::{Step, Stop};
use crate::{Machine, Mode, UnknownCall};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Initial;

impl<M: Mode> Machine<'_, M> {
    /// Enters a function. The arguments match its parameters.
    pub(crate) fn push_frame(
        &mut self,
        mut state: State<M>,
        function: FuncId,
        args: &[Term],
        result: Option<Reg>,
        called_at: Loc,
        variadic: Option<ObjectId>,
    ) -> Step<M> {
        if state.frames.len() >= MAX_CALL_DEPTH {
            self.gaps.insert(Reason::CallDepth);
            return Break(Stop::Ended);
        }
        let body = self.body(function);
        let mut frame = Frame {
            function,
            block: BlockId(0),
            inst: 0,
            regs: vec![None; body.regs.len()],
            slots: vec![None; body.slots.len()],
            owned: variadic.into_iter().collect(),
            variadic,
            result,
            called_at,
            visits: vec![0; body.blocks.len()],
            forks: vec![0; body.blocks.len()],
            serial: state.next_serial,
        };
        state.next_serial += 1;
        let mut aggregates = Vec::new();
        for (param, &arg) in body.params.iter().zip(args) {
            match *param {
                Param::Reg(reg) => frame.regs[reg.index()] = Some(arg),
                Param::Slot(slot) => aggregates.push((slot, arg)),
            }
        }
        state.frames.push(Rc::new(frame));
        for (slot, source) in aggregates {
            let size = body.slots[slot.index()].size;
            let id = self.enter_slot(&mut state, slot, called_at);
            if let Target::Object(from, offset) = self.target(&state, source)
                && let Some(offset) = self.terms.as_const(offset)
            {
                self.copy(&mut state, (id, 0), (from, offset as u64), size);
            } else {
                self.gaps.insert(Reason::UnknownLocation("a struct argument"));
                return Break(Stop::Ended);
            }
        }
        Continue(state)
    }

    /// Leaves the innermost call and ends the lifetime of its objects.
    pub fn kill_frame(&mut self, state: &mut State<M>) {
        let Some(frame) = state.frames.pop() else { return };
        for id in frame.slots.iter().flatten().chain(&frame.owned) {
            state.memory.get_mut(*id).end = End::OutOfScope;
        }
    }

    pub(crate) fn enter_slot(&mut self, state: &mut State<M>, slot: SlotId, loc: Loc) -> ObjectId {
        let function = state.top().function;
        let info = &self.body(function).slots[slot.index()];
        let size = self.terms.constant(u128::from(info.size), self.pointer_bits);
        self.enter_sized(state, slot, size, loc)
    }

    pub(crate) fn enter_sized(&mut self, state: &mut State<M>, slot: SlotId, size: Term, loc: Loc) -> ObjectId {
        self.leave_slot(state, slot);
        let function = state.top().function;
        let info = &self.body(function).slots[slot.index()];
        let name: Rc<str> = info.name.as_deref().unwrap_or("").into();
        let born = state.stack(if info.loc.is_some() { info.loc } else { loc }).into();
        let shape = (size, info.align);
        let id = self.add_object(&mut state.memory, ObjectKind::Stack, shape, Initial::Undefined, name, born);
        state.top_mut().slots[slot.index()] = Some(id);
        self.begin_life(state, id);
        id
    }

    /// Numbers the lifetime of an object that is uninitialised at first.
    pub(crate) fn begin_life(&mut self, state: &mut State<M>, id: ObjectId) {
        state.memory.get_mut(id).life = Some(state.lives);
        state.lives += 1;
    }

    pub(crate) fn leave_slot(&mut self, state: &mut State<M>, slot: SlotId) {
        if let Some(old) = state.top_mut().slots[slot.index()].take() {
            state.memory.get_mut(old).end = End::OutOfScope;
        }
    }

    /// Calls `exit` after the entry function has returned.
    ///
    /// The model of `exit` runs the functions that `atexit` registered. Without this model there are none.
    pub(crate) fn leave_program(&mut self, state: State<M>, status: Option<Term>, loc: Loc, out: &mut Vec<State<M>>) {
        let exit = self.program.function_named("exit").filter(|id| {
            let function = &self.program.functions[id.index()];
            function.body.is_some()
                && function.origin == Origin::Model
                && function.signature.params == [Passing::Scalar(Ty::I32)]
        });
        let Some(exit) = exit else { return self.check_end(&state, loc) };
        let status = status.filter(|&s| self.terms.width(s) == 32).unwrap_or_else(|| self.terms.constant(0, 32));
        out.extend(self.push_frame(state, exit, &[status], None, loc, None).continue_value());
    }

    /// Executes a call: enters the callee, or assumes that a function without a body returns any value.
    pub fn call(&mut self, mut state: State<M>, call: &Call, loc: Loc, out: &mut Vec<State<M>>) -> Step<M> {
        let mut unknown = None;
        let callee = match call.callee {
            Callee::Function(id) => id,
            Callee::Pointer(operand) => {
                let pointer = self.pointer(&mut state, operand);
                self.check_initialised(&state, pointer, call.checks, loc);
                match self.target(&state, pointer) {
                    Target::Either(condition) => return self.split(state, condition, out),
                    Target::Object(id, offset)
                        if self.terms.as_const(offset) == Some(0) && self.function_of.contains_key(&id) =>
                    {
                        self.function_of[&id]
                    }
                    Target::Wild if M::ASSUMES && !self.is_undefined(pointer) => {
                        unknown = Some(pointer);
                        FuncId(u32::MAX)
                    }
                    _ => {
                        self.report(&state, CheckKind::InvalidCall, call.checks, loc);
                        return Break(Stop::Ended);
                    }
                }
            }
        };
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let ty = match arg.passing {
                Passing::Scalar(ty) => ty,
                Passing::Memory { .. } => Ty::Ptr,
            };
            args.push(self.value(&mut state, arg.value, ty));
        }
        state.advance();
        let function = self.program.functions.get(callee.index());
        let Some(function) = function.filter(|_| unknown.is_none()) else {
            let unknown = UnknownCall { function: None, pointer: unknown, call, arguments: &args, loc };
            let goes_on = M::call_unknown(self, &mut state, &unknown, out);
            return if goes_on { Continue(state) } else { Break(Stop::Ended) };
        };
        if function.body.is_none() {
            let unknown = UnknownCall { function: Some(callee), pointer: None, call, arguments: &args, loc };
            if M::ASSUMES {
                let goes_on = M::call_unknown(self, &mut state, &unknown, out);
                return if goes_on { Continue(state) } else { Break(Stop::Ended) };
            }
            self.assumed_harmless.insert(function.name.clone());
            for (arg, &value) in call.args.iter().zip(&args) {
                if arg.passing == Passing::Scalar(Ty::Ptr) {
                    self.initialise_outside(&mut state, value);
                }
            }
            if let Some(dst) = call.dst {
                let ty = self.reg_ty(&state, dst);
                let value = self.terms.variable(&function.name, ty.bits(self.program.target));
                state.choices.push(Choice::Value(value, ty));
                self.set(&mut state, dst, value);
            }
            return Continue(state);
        }
        let params = &function.signature.params;
        let mismatch = args.len() < params.len()
            || (args.len() > params.len()
                && !function.signature.variadic
                && (call.prototyped || function.signature.prototyped))
            || call.args.iter().zip(params).any(|(arg, param)| !passes(arg.passing, *param, self.program.target))
            || match (call.ret, function.signature.ret) {
                (Some(a), Some(b)) => !passes(Passing::Scalar(a), Passing::Scalar(b), self.program.target),
                (Some(_), None) => call.dst.is_some(),
                (None, _) => false,
            };
        if mismatch {
            self.report(&state, CheckKind::InvalidCall, call.checks, loc);
            return Break(Stop::Ended);
        }
        let variadic = function.signature.variadic.then(|| {
            let extra = params.len()..args.len();
            self.variable_arguments(&mut state, call, &args, extra, loc)
        });
        // Recursion counts like the iterations of a loop.
        let turns = state.frames.iter().filter(|frame| frame.function == callee).count();
        state.depth = state.depth.max(turns as u32);
        self.push_frame(state, callee, &args[..params.len()], call.dst, loc, variadic)
    }

    /// Gives any values to the uninitialised bytes of an object that a function without a body gets.
    ///
    /// Such an object is a result of the function more often than an argument.
    fn initialise_outside(&mut self, state: &mut State<M>, pointer: Term) {
        let Target::Object(id, _) = self.target(state, pointer) else { return };
        let object = state.memory.get(id);
        let is_plain = object.end == End::Live && object.segment.is_none() && !object.pattern && !object.constant;
        let Some(size) = self.terms.as_const(object.size).filter(|&size| is_plain && size <= MAX_RESULT_BYTES) else {
            return;
        };
        for at in 0..size as u64 {
            let byte = self.read(state, id, at, 1);
            if self.is_undefined(byte) {
                let fresh = self.terms.variable("result", 8);
                self.write(state, id, at, fresh);
            }
        }
    }

    /// Stores the variable arguments in an object of their own, each at a multiple of 16 bytes.
    fn variable_arguments(
        &mut self,
        state: &mut State<M>,
        call: &Call,
        args: &[Term],
        extra: std::ops::Range<usize>,
        loc: Loc,
    ) -> ObjectId {
        let total: u64 = call.args[extra.clone()].iter().map(|a| a.passing.variable_room()).sum();
        let size = self.terms.constant(u128::from(total), self.pointer_bits);
        let born = state.stack(loc).into();
        let id = self.add_object(
            &mut state.memory,
            ObjectKind::Variadic,
            (size, 16),
            Initial::Bytes(Rc::from([])),
            Rc::from("..."),
            born,
        );
        let mut at = 0;
        for index in extra {
            match call.args[index].passing {
                Passing::Scalar(Ty::I1) => {}
                Passing::Scalar(_) => self.write(state, id, at, args[index]),
                Passing::Memory { size, .. } => {
                    if let Target::Object(from, offset) = self.target(state, args[index])
                        && let Some(offset) = self.terms.as_const(offset)
                    {
                        self.copy(state, (id, at), (from, offset as u64), size);
                    } else {
                        self.gaps.insert(Reason::UnknownLocation("a struct argument"));
                    }
                }
            }
            at += call.args[index].passing.variable_room();
        }
        id
    }
}

/// Returns whether an argument can be passed as a parameter: both have the same class and width.
fn passes(arg: Passing, param: Passing, target: cairn_ir::layout::Target) -> bool {
    match (arg, param) {
        (Passing::Scalar(a), Passing::Scalar(b)) => a.is_float() == b.is_float() && a.bits(target) == b.bits(target),
        (Passing::Memory { size: a, .. }, Passing::Memory { size: b, .. }) => a == b,
        _ => false,
    }
}
