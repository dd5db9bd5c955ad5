//! Calls and frames: a function's objects are born when it or a block of it is entered and die when that is left.

use std::rc::Rc;

use cairn_ir::inst::{Call, Passing};
use cairn_ir::program::{Origin, Param};
use cairn_ir::{BlockId, Callee, CheckKind, FuncId, Loc, Reg, SlotId, Ty};
use cairn_smt::Term;

use super::Explorer;
use super::access::Stop;
use super::allocation::Target;
use super::state::{Choice, Frame, Stage, State};
use super::transfer::Step;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::Initial;

/// Calls nested deeper than this end the path.
const MAX_DEPTH: usize = 2_000;

impl Explorer<'_> {
    /// Enters a function with arguments that match its parameters.
    pub(super) fn push_frame(
        &mut self,
        mut state: State,
        function: FuncId,
        args: &[Term],
        result: Option<Reg>,
        called_at: Loc,
        variadic: Option<ObjectId>,
    ) -> Step {
        if state.frames.len() >= MAX_DEPTH {
            self.gaps.insert("calls are nested too deep".to_owned());
            return Err(Stop::Ended);
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
                self.gaps.insert("a struct that is passed lies at an unknown place".to_owned());
                return Err(Stop::Ended);
            }
        }
        Ok(state)
    }

    /// The objects of a call's frame die with it.
    pub(super) fn kill_frame(&mut self, state: &mut State) {
        let Some(frame) = state.frames.pop() else { return };
        for id in frame.slots.iter().flatten().chain(&frame.owned) {
            state.memory.get_mut(*id).end = End::OutOfScope;
        }
    }

    /// A call that is analysed apart from its callers has returned: what it owned dies, and the value that it returns is kept with
    /// what the callers want to find again.
    pub(super) fn leave_context(&mut self, mut state: State, value: Option<(Term, Ty)>) -> State {
        let function = state.top().function;
        let body = self.body(function);
        let (slots, owned) = (state.top().slots.clone(), state.top().owned.clone());
        for id in slots.into_iter().flatten().chain(owned) {
            state.memory.get_mut(id).end = End::OutOfScope;
        }
        let frame = state.top_mut();
        (frame.block, frame.inst, frame.variadic) = (BlockId(0), 0, None);
        frame.regs = vec![None; body.regs.len()];
        frame.slots = vec![None; body.slots.len()];
        frame.owned.clear();
        if let Some(ty) = self.program.functions[function.index()].signature.ret {
            let width = ty.bits(self.program.target);
            // A function that returns without a value returns anything.
            let value = value
                .map(|(value, _)| value)
                .unwrap_or_else(|| Self::fresh_undefined(&mut self.undefined, &mut self.terms, width));
            Rc::make_mut(&mut state.cut).push(value);
        }
        state.stage = Stage::Returned;
        state.arrived = false;
        state
    }

    pub(super) fn enter_slot(&mut self, state: &mut State, slot: SlotId, loc: Loc) -> ObjectId {
        let function = state.top().function;
        let info = &self.body(function).slots[slot.index()];
        let size = self.terms.constant(u128::from(info.size), self.pointer_bits);
        self.enter_sized(state, slot, size, loc)
    }

    pub(super) fn enter_sized(&mut self, state: &mut State, slot: SlotId, size: Term, loc: Loc) -> ObjectId {
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

    /// Numbers the life of an object that begins uninitialised.
    pub(super) fn begin_life(&mut self, state: &mut State, id: ObjectId) {
        state.memory.get_mut(id).life = Some(state.lives);
        state.lives += 1;
    }

    pub(super) fn leave_slot(&mut self, state: &mut State, slot: SlotId) {
        if let Some(old) = state.top_mut().slots[slot.index()].take() {
            state.memory.get_mut(old).end = End::OutOfScope;
        }
    }

    /// The entry function has returned: `exit` is called with its result. Its model runs the functions that `atexit`
    /// registered; without one there are none.
    pub(super) fn leave_program(&mut self, state: State, status: Option<Term>, loc: Loc, out: &mut Vec<State>) -> Step {
        let exit = self.program.function_named("exit").filter(|id| {
            let function = &self.program.functions[id.index()];
            function.body.is_some()
                && function.origin == Origin::Model
                && function.signature.params == [Passing::Scalar(Ty::I32)]
        });
        let Some(exit) = exit else {
            self.check_end(&state, loc);
            return Err(Stop::Ended);
        };
        let status = status.filter(|&s| self.terms.width(s) == 32).unwrap_or_else(|| self.terms.constant(0, 32));
        let state = self.push_frame(state, exit, &[status], None, loc, None)?;
        out.push(state);
        Err(Stop::Again)
    }

    pub(super) fn call(&mut self, mut state: State, call: &Call, loc: Loc, out: &mut Vec<State>) -> Step {
        let callee = match call.callee {
            Callee::Function(id) => id,
            Callee::Pointer(operand) => {
                let pointer = self.pointer(&mut state, operand);
                match self.target(&state, pointer) {
                    Target::Either(condition) => return Err(self.split(state, condition, out)),
                    Target::Object(id, offset)
                        if self.terms.as_const(offset) == Some(0) && self.function_of.contains_key(&id) =>
                    {
                        self.function_of[&id]
                    }
                    _ => {
                        self.report(&state, CheckKind::InvalidCall, call.checks, loc);
                        return Err(Stop::Ended);
                    }
                }
            }
        };
        let function = &self.program.functions[callee.index()];
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let ty = match arg.passing {
                Passing::Scalar(ty) => ty,
                Passing::Memory { .. } => Ty::Ptr,
            };
            args.push(self.value(&mut state, arg.value, ty));
        }
        state.advance();
        if function.body.is_none() {
            self.assumed_harmless.insert(function.name.clone());
            if let Some(dst) = call.dst {
                let ty = self.reg_ty(&state, dst);
                let value = self.terms.variable(&function.name, ty.bits(self.program.target));
                state.choices.push(Choice::Value(value, ty));
                self.set(&mut state, dst, value);
            }
            return Ok(state);
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
            return Err(Stop::Ended);
        }
        let variadic = function.signature.variadic.then(|| {
            let extra = params.len()..args.len();
            self.variable_arguments(&mut state, call, &args, extra, loc)
        });
        // Recursion is a loop, too.
        let turns = state.frames.iter().filter(|frame| frame.function == callee).count();
        state.depth = state.depth.max(turns as u32);
        self.push_frame(state, callee, &args[..params.len()], call.dst, loc, variadic)
    }

    /// Puts variable arguments in an object of their own, each at the next multiple of 16 bytes.
    fn variable_arguments(
        &mut self,
        state: &mut State,
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
                        self.gaps.insert("a struct that is passed lies at an unknown place".to_owned());
                    }
                }
            }
            at += call.args[index].passing.variable_room();
        }
        id
    }
}

/// Whether an argument can be taken as a parameter: of one class and width.
fn passes(arg: Passing, param: Passing, target: cairn_ir::layout::Target) -> bool {
    match (arg, param) {
        (Passing::Scalar(a), Passing::Scalar(b)) => a.is_float() == b.is_float() && a.bits(target) == b.bits(target),
        (Passing::Memory { size: a, .. }, Passing::Memory { size: b, .. }) => a == b,
        _ => false,
    }
}
