//! The operations that C has no operator for, on symbolic states.

use std::rc::Rc;

use cairn_ir::inst::{Inst, VariableClass};
use cairn_ir::{CheckKind, Checks, Intrinsic, Loc, Operand, Reg, Ty};
use cairn_smt::Term;

use super::access::Stop;
use super::allocation::Target;
use super::state::{Choice, Jump, State};
use super::transfer::Step;
use super::{Explorer, Possible};
use crate::memory::fault::Access;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::Initial;

impl Explorer<'_> {
    #[expect(clippy::too_many_arguments, reason = "the parts of the instruction")]
    pub(super) fn intrinsic(
        &mut self,
        mut state: State,
        op: Intrinsic,
        dst: Option<Reg>,
        args: &[Operand],
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Step {
        let target = self.program.target;
        let result_ty = dst.map(|dst| self.reg_ty(&state, dst));
        let mut values = Vec::with_capacity(args.len());
        for (index, &arg) in args.iter().enumerate() {
            let shape = op.params().get(index).copied();
            let ty = shape.and_then(|s| s.ty(target, result_ty)).unwrap_or(Ty::Ptr);
            values.push(self.value(&mut state, arg, ty));
        }
        match op {
            Intrinsic::HeapAlloc => self.allocate(state, values[0], false, dst, loc, out),
            Intrinsic::HeapAllocAligned => {
                // An alignment that is no power of two gets no memory.
                let (state, align) = self.concrete(state, values[0], out)?;
                if align.is_power_of_two() {
                    self.allocate(state, values[1], false, dst, loc, out)
                } else {
                    let null = self.terms.constant(0, self.pointer_bits);
                    self.finish(state, dst, null)
                }
            }
            Intrinsic::HeapAllocZeroed => {
                let size = self.terms.mul(values[0], values[1]);
                // The product must not wrap: in twice the width it has no high half.
                let wide = 2 * self.pointer_bits;
                if wide <= 128 {
                    let (x, y) = (self.terms.zext(values[0], wide), self.terms.zext(values[1], wide));
                    let product = self.terms.mul(x, y);
                    let high = self.terms.extract(product, self.pointer_bits, self.pointer_bits);
                    let zero = self.terms.constant(0, self.pointer_bits);
                    let fits = self.terms.eq(high, zero);
                    let (good, bad) = self.branch(state, fits);
                    if let Some(bad) = bad {
                        let next = self.finish(bad, dst, zero);
                        out.extend(next.ok());
                    }
                    state = good.ok_or(Stop::Again)?;
                }
                self.allocate(state, size, true, dst, loc, out)
            }
            Intrinsic::StackAlloc => {
                let born = state.stack(loc).into();
                let name = Rc::from("alloca");
                let shape = (values[0], 16);
                let id = self.add_object(&mut state.memory, ObjectKind::Alloca, shape, Initial::Undefined, name, born);
                state.top_mut().owned.push(id);
                self.begin_life(&mut state, id);
                let base = state.memory.get(id).base;
                self.finish(state, dst, base)
            }
            Intrinsic::HeapFree => {
                let (state, _) = self.free(state, values[0], End::Freed, checks, loc, out)?;
                self.done(state)
            }
            Intrinsic::HeapRealloc => self.reallocate(state, &values, dst, checks, loc, out),
            Intrinsic::CopyBytes | Intrinsic::MoveBytes => {
                let (next, len) = self.length(state, values[2], out)?;
                state = next;
                if self.terms.as_const(len) != Some(0) {
                    let (next, from, at_from) =
                        self.resolve_symbolic(state, values[1], len, Access::Read, checks, loc, out)?;
                    let (next, to, at_to) =
                        self.resolve_symbolic(next, values[0], len, Access::Write, checks, loc, out)?;
                    let (next, at_from) = self.place_of(next, at_from, out)?;
                    let (next, at_to) = self.place_of(next, at_to, out)?;
                    state = next;
                    if op == Intrinsic::CopyBytes && !self.surely_apart((to, at_to), (from, at_from), len) {
                        self.report(&state, CheckKind::Overlap, checks, loc);
                    }
                    self.transfer(&mut state, (to, at_to), (from, at_from), len);
                }
                self.done(state)
            }
            Intrinsic::FillBytes => {
                let (next, len) = self.length(state, values[2], out)?;
                state = next;
                if self.terms.as_const(len) != Some(0) {
                    let (next, id, at) =
                        self.resolve_symbolic(state, values[0], len, Access::Write, checks, loc, out)?;
                    let (next, at) = self.place_of(next, at, out)?;
                    state = next;
                    let byte = self.terms.extract(values[1], 0, 8);
                    self.fill_range(&mut state, id, at, len, byte);
                }
                self.done(state)
            }
            Intrinsic::CompareBytes => self.compare_bytes(state, &values, dst, checks, loc, out),
            Intrinsic::StringLength => {
                let (state, len) = if self.proving {
                    self.length_of_string(state, values[0], checks, loc, out)?
                } else {
                    let (state, len) = self.string_length(state, values[0], checks, loc, out)?;
                    (state, self.terms.constant(u128::from(len), self.pointer_bits))
                };
                self.finish(state, dst, len)
            }
            Intrinsic::ObjectSize => {
                let size = match self.target(&state, values[0]) {
                    Target::Either(condition) => return Err(self.split(state, condition, out)),
                    Target::Segment(id, side, _) => return Err(self.unfold(state, id, side, out)),
                    Target::Object(id, offset) if state.memory.get(id).end == End::Live => {
                        let size = state.memory.get(id).size;
                        let beyond = self.terms.ult(size, offset);
                        let (none, rest) = (self.terms.constant(0, self.pointer_bits), self.terms.sub(size, offset));
                        self.terms.ite(beyond, none, rest)
                    }
                    _ => self.terms.constant(0, self.pointer_bits),
                };
                self.finish(state, dst, size)
            }
            Intrinsic::Nondet => {
                let Some(dst) = dst else { return self.done(state) };
                let ty = self.reg_ty(&state, dst);
                let value = self.terms.variable("nondet", ty.bits(target));
                state.choices.push(Choice::Value(value, ty));
                self.finish(state, Some(dst), value)
            }
            Intrinsic::NondetBytes => {
                let (next, len) = self.length(state, values[1], out)?;
                state = next;
                let Some(len) = self.terms.as_const(len) else {
                    let (mut next, id, at) =
                        self.resolve_symbolic(state, values[0], len, Access::Write, checks, loc, out)?;
                    self.forget_written(&mut next, (id, at), len);
                    return self.done(next);
                };
                if len > 0 {
                    let (next, id, at) = self.resolve(state, values[0], len as u64, Access::Write, checks, loc, out)?;
                    state = next;
                    for i in 0..len as u64 {
                        let byte = self.terms.variable("nondet", 8);
                        state.choices.push(Choice::Value(byte, Ty::I8));
                        self.write(&mut state, id, at + i, byte);
                    }
                }
                self.done(state)
            }
            Intrinsic::Assume => {
                let zero = self.terms.constant(0, self.terms.width(values[0]));
                let holds = self.terms.ne(values[0], zero);
                let (good, _) = self.branch(state, holds);
                self.done(good.ok_or(Stop::Ended)?)
            }
            // An error function that is not asked about ends the program.
            Intrinsic::ReachError if !self.options.kinds.contains(&CheckKind::Assertion) => {
                self.check_end(&state, loc);
                Err(Stop::Ended)
            }
            Intrinsic::AssertFail if !self.options.assert_faults => Err(Stop::Ended),
            Intrinsic::AssertFail | Intrinsic::ReachError => {
                self.report(&state, CheckKind::Assertion, checks, loc);
                Err(Stop::Ended)
            }
            Intrinsic::Exit => {
                self.check_end(&state, loc);
                Err(Stop::Ended)
            }
            Intrinsic::Abort => Err(Stop::Ended),
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
            Intrinsic::Setjmp => {
                if !matches!(self.target(&state, values[0]), Target::Object(_, at) if self.terms.as_const(at).is_some())
                {
                    self.gaps.insert("setjmp with a buffer at an unknown place".to_owned());
                    return Err(Stop::Ended);
                }
                let frame = state.top();
                let jump = Jump { serial: frame.serial, block: frame.block, inst: frame.inst + 1, dst };
                let jumps = Rc::make_mut(&mut state.jumps);
                jumps.retain(|(buffer, _)| *buffer != values[0]);
                jumps.push((values[0], jump));
                let zero = self.terms.constant(0, 32);
                self.finish(state, dst, zero)
            }
            Intrinsic::Longjmp => self.longjmp(state, &values, checks, loc),
            Intrinsic::Write => {
                let (next, len) = self.length(state, values[2], out)?;
                state = next;
                if self.terms.as_const(len) != Some(0) {
                    state = self.resolve_symbolic(state, values[1], len, Access::Read, checks, loc, out)?.0;
                }
                let written = self.terms.extract(len, 0, 32);
                self.finish(state, dst, written)
            }
            Intrinsic::FormatFile => {
                // Writing may fail, so how much was written is not known even where the text is.
                let (state, _) = self.format(state, (values[1], values[2]), None, checks, loc, out)?;
                self.finish_anything(state, dst, "printed")
            }
            Intrinsic::ReadChar => {
                // A byte or the end of the input.
                let value = self.terms.variable("input", 32);
                let (least, greatest) = (self.terms.constant(u128::MAX, 32), self.terms.constant(255, 32));
                let (above, below) = (self.terms.sle(least, value), self.terms.sle(value, greatest));
                let inside = self.terms.and(above, below);
                state.choices.push(Choice::Value(value, Ty::I32));
                let (state, _) = self.branch(state, inside);
                self.finish(state.ok_or(Stop::Ended)?, dst, value)
            }
            Intrinsic::Math(function) => match self.math(function, &state, dst, &values) {
                Some(value) => self.finish(state, dst, value),
                None => self.finish_anything(state, dst, "float"),
            },
            Intrinsic::Time | Intrinsic::Clock => {
                let Some(dst) = dst else { return self.done(state) };
                let ty = self.reg_ty(&state, dst);
                let value = self.terms.variable("time", ty.bits(target));
                self.finish(state, Some(dst), value)
            }
            Intrinsic::OneAnswer => {
                self.gaps.insert("a library function gives one answer where the world may give others".to_owned());
                self.done(state)
            }
            Intrinsic::FormatBuffer => self.format_buffer(state, &values, dst, checks, loc, out),
            Intrinsic::ParseFloat | Intrinsic::Closure => {
                self.gaps.insert(format!("{} is not modelled symbolically", op.name()));
                Err(Stop::Ended)
            }
        }
    }

    /// The variable argument at an address is taken as one of a class and size; the call that passed it says whether it is. One
    /// that is not there fails where it is read.
    pub(super) fn take_variable_argument(&mut self, state: &State, at: Term, taken: (VariableClass, u64)) {
        let Target::Object(id, at) = self.target(state, at) else { return };
        let Some(depth) = state.frames.iter().position(|frame| frame.variadic == Some(id)) else { return };
        let Some(caller) = depth.checked_sub(1).map(|above| &state.frames[above]) else { return };
        let block = &self.body(caller.function).blocks[caller.block.index()];
        let call = caller.inst.checked_sub(1).and_then(|inst| block.insts.get(inst));
        let Some(Inst::Call(call)) = call else { return self.other_variable_argument() };
        let named = self.program.functions[state.frames[depth].function.index()].signature.params.len();
        let mut offset = 0u128;
        for arg in call.args.iter().skip(named) {
            let room = u128::from(arg.passing.variable_room());
            // Where a loop takes one after the other, the address may be that of any of them.
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

    fn other_variable_argument(&mut self) {
        self.gaps.insert("a variable argument may be taken as one of another type".to_owned());
    }

    fn done(&mut self, mut state: State) -> Step {
        state.advance();
        Ok(state)
    }

    pub(super) fn finish(&mut self, mut state: State, dst: Option<Reg>, value: Term) -> Step {
        if let Some(dst) = dst {
            self.set(&mut state, dst, value);
        }
        self.done(state)
    }

    /// The result may be anything.
    fn finish_anything(&mut self, state: State, dst: Option<Reg>, name: &str) -> Step {
        let Some(dst) = dst else { return self.done(state) };
        let width = self.reg_ty(&state, dst).bits(self.program.target);
        let value = self.terms.variable(name, width);
        self.finish(state, Some(dst), value)
    }

    fn allocate(
        &mut self,
        mut state: State,
        size: Term,
        zeroed: bool,
        dst: Option<Reg>,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Step {
        if self.options.malloc_fails {
            let mut failed = state.clone();
            failed.choices.push(Choice::Allocation(false));
            let null = self.terms.constant(0, self.pointer_bits);
            out.extend(self.finish(failed, dst, null).ok());
        }
        state.choices.push(Choice::Allocation(true));
        let id = self.heap_object(&mut state, size, zeroed, loc);
        let base = state.memory.get(id).base;
        self.finish(state, dst, base)
    }

    fn heap_object(&mut self, state: &mut State, size: Term, zeroed: bool, loc: Loc) -> ObjectId {
        let initial = if zeroed { Initial::Bytes(Rc::from([])) } else { Initial::Undefined };
        let born = state.stack(loc).into();
        let id = self.add_object(&mut state.memory, ObjectKind::Heap, (size, 16), initial, Rc::from(""), born);
        if !zeroed {
            self.begin_life(state, id);
        }
        id
    }

    /// Ends the life of a heap object; null is fine and names none.
    fn free(
        &mut self,
        mut state: State,
        pointer: Term,
        end: End,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Result<(State, Option<ObjectId>), Stop> {
        let (id, offset) = match self.locate(&state, pointer) {
            Target::Object(id, offset) => (id, offset),
            Target::Segment(id, side, _) => return Err(self.unfold(state, id, side, out)),
            Target::Constant(0) => return Ok((state, None)),
            Target::Either(condition) => return Err(self.split(state, condition, out)),
            Target::Constant(_) | Target::Wild => {
                let zero = self.terms.constant(0, self.pointer_bits);
                let null = self.terms.eq(pointer, zero);
                return match self.require(state, null, CheckKind::InvalidFree, checks, loc) {
                    Some(state) => Ok((state, None)),
                    None => Err(Stop::Ended),
                };
            }
        };
        let zero = self.terms.constant(0, self.pointer_bits);
        let start = self.terms.eq(offset, zero);
        state = self.require(state, start, CheckKind::InvalidFree, checks, loc).ok_or(Stop::Ended)?;
        let object = state.memory.get(id);
        let fault = match (object.kind, object.end) {
            (ObjectKind::Heap, End::Live) => None,
            (ObjectKind::Heap, _) => Some(CheckKind::DoubleFree),
            _ => Some(CheckKind::InvalidFree),
        };
        if let Some(kind) = fault {
            self.report(&state, kind, checks, loc);
            return Err(Stop::Ended);
        }
        let count = state.memory.len() as u32;
        let object = state.memory.get_mut(id);
        object.end = end;
        object.died = Some(count);
        Ok((state, Some(id)))
    }

    fn reallocate(
        &mut self,
        state: State,
        values: &[Term],
        dst: Option<Reg>,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Step {
        let zero = self.terms.constant(0, self.pointer_bits);
        match self.target(&state, values[0]) {
            Target::Constant(0) => return self.allocate(state, values[1], false, dst, loc, out),
            Target::Either(condition) => return Err(self.split(state, condition, out)),
            Target::Segment(id, side, _) => return Err(self.unfold(state, id, side, out)),
            _ => {}
        }
        // realloc(p, 0) frees and gives null.
        let empty = self.terms.eq(values[1], zero);
        match state.path.value(&self.terms, empty) {
            None => return Err(self.split(state, empty, out)),
            Some(1) => {
                let (state, _) = self.free(state, values[0], End::Freed, checks, loc, out)?;
                return self.finish(state, dst, zero);
            }
            Some(_) => {}
        }
        if self.options.malloc_fails {
            let mut failed = state.clone();
            failed.choices.push(Choice::Allocation(false));
            out.extend(self.finish(failed, dst, zero).ok());
        }
        let (state, new_size) = self.length(state, values[1], out)?;
        let (mut state, old) = self.free(state, values[0], End::Reallocated, checks, loc, out)?;
        // Null after all, which only the solver could tell.
        let Some(old) = old else { return self.allocate(state, values[1], false, dst, loc, out) };
        let old_size = state.memory.get(old).size;
        let (new_size, old_size) = match (self.terms.as_const(new_size), state.path.value(&self.terms, old_size)) {
            (Some(new_size), Some(old_size)) => (new_size, old_size),
            _ if self.proving => {
                let id = self.heap_object(&mut state, values[1], false, loc);
                self.keep_cells(&mut state, id, old);
                let base = state.memory.get(id).base;
                return self.finish(state, dst, base);
            }
            _ => {
                self.gaps.insert("realloc of an object whose size is not known".to_owned());
                return Err(Stop::Ended);
            }
        };
        state.choices.push(Choice::Allocation(true));
        let id = self.heap_object(&mut state, values[1], false, loc);
        let len = old_size.min(new_size) as u64;
        if len > 0 {
            self.copy(&mut state, (id, 0), (old, 0), len);
        }
        let base = state.memory.get(id).base;
        self.finish(state, dst, base)
    }

    /// The length of a string: the state is split where a byte may or may not be its end.
    pub(super) fn string_length(
        &mut self,
        mut state: State,
        pointer: Term,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Result<(State, u64), Stop> {
        let zero = self.terms.constant(0, 8);
        let mut len = 0;
        loop {
            let distance = self.terms.constant(u128::from(len), self.pointer_bits);
            let at = self.terms.add(pointer, distance);
            let (mut next, id, offset) = self.resolve(state, at, 1, Access::Read, checks, loc, out)?;
            let byte = self.read(&mut next, id, offset, 1);
            let end = self.terms.eq(byte, zero);
            match next.path.value(&self.terms, end) {
                Some(1) => return Ok((next, len)),
                Some(_) => {}
                None => return Err(self.split(next, end, out)),
            }
            state = next;
            len += 1;
        }
    }

    /// The length of a string in a proof.
    fn length_of_string(
        &mut self,
        state: State,
        pointer: Term,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Result<(State, Term), Stop> {
        let (mut state, id, at) = self.resolve_offset(state, pointer, 1, Access::Read, checks, loc, out)?;
        match self.string_end(&mut state, id, at) {
            Some(length) => Ok((state, length)),
            None => {
                self.doubt(&state, CheckKind::OutOfBounds, checks, loc);
                Err(Stop::Ended)
            }
        }
    }

    fn compare_bytes(
        &mut self,
        state: State,
        values: &[Term],
        dst: Option<Reg>,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Step {
        let (state, len) = self.length(state, values[2], out)?;
        let mut result = self.terms.constant(0, 32);
        let Some(len) = self.terms.as_const(len) else {
            let (state, ..) = self.resolve_symbolic(state, values[0], len, Access::Read, checks, loc, out)?;
            let (state, ..) = self.resolve_symbolic(state, values[1], len, Access::Read, checks, loc, out)?;
            return self.finish_anything(state, dst, "order");
        };
        if len == 0 {
            return self.finish(state, dst, result);
        }
        let len = len as u64;
        let (state, a, at_a) = self.resolve(state, values[0], len, Access::Read, checks, loc, out)?;
        let (mut state, b, at_b) = self.resolve(state, values[1], len, Access::Read, checks, loc, out)?;
        let (less, greater) = (self.terms.constant(u128::MAX, 32), self.terms.constant(1, 32));
        for i in (0..len).rev() {
            let (x, y) = (self.read(&mut state, a, at_a + i, 1), self.read(&mut state, b, at_b + i, 1));
            let (equal, below) = (self.terms.eq(x, y), self.terms.ult(x, y));
            let differ = self.terms.ite(below, less, greater);
            result = self.terms.ite(equal, result, differ);
        }
        self.finish(state, dst, result)
    }

    fn longjmp(&mut self, mut state: State, values: &[Term], checks: Checks, loc: Loc) -> Step {
        let found = state.jumps.iter().find(|(buffer, _)| *buffer == values[0]).map(|&(_, jump)| jump);
        let frame = found.and_then(|jump| Some((jump, state.frames.iter().position(|f| f.serial == jump.serial)?)));
        let Some((jump, index)) = frame else {
            self.report(&state, CheckKind::InvalidCall, checks, loc);
            return Err(Stop::Ended);
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
        Ok(state)
    }
}
