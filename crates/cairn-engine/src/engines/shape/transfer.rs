//! How a state steps: one basic block at a time, instruction by instruction (papers: slcpa, §4.2.5).

use std::rc::Rc;

use cairn_ir::inst::{BitRange, Call, DivideOp, Local, Passing};
use cairn_ir::program::{Origin, Param, Symbol};
use cairn_ir::{BlockId, Body, Callee, CheckKind, FuncId, Inst, Loc, Operand, Reg, SlotId, Terminator, Ty};
use cairn_smt::Term;

use super::Explorer;
use super::access::{Stop, Undecided};
use super::allocation::Target;
use super::path::Path;
use super::state::{Choice, Choices, Frame, State};
use crate::memory::fault::Access;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::{Initial, Object, SymbolicMemory};

/// Calls nested deeper than this end the path.
const MAX_DEPTH: usize = 2_000;

/// An instruction's outcome: the state after it, or why there is none.
pub(super) type Step = Result<State, Stop>;

impl<'p> Explorer<'p> {
    /// Makes the objects that exist before the program starts.
    pub(super) fn lay_out(&mut self) {
        let mut memory = SymbolicMemory::default();
        let program = self.program;
        let born: Rc<[_]> = Rc::from([]);
        for function in &program.functions {
            let size = self.terms.constant(1, self.pointer_bits);
            let name = Rc::from(function.name.as_str());
            let id =
                self.add_object(&mut memory, ObjectKind::Function, (size, 1), Initial::Undefined, name, born.clone());
            self.function_of.insert(id, FuncId::new(self.functions.len()));
            self.functions.push(id);
        }
        for global in &program.globals {
            let size = self.terms.constant(u128::from(global.size), self.pointer_bits);
            let initial = if global.defined { Initial::Bytes(global.bytes.clone().into()) } else { Initial::Undefined };
            let name = Rc::from(global.name.as_str());
            let id =
                self.add_object(&mut memory, ObjectKind::Static, (size, global.align), initial, name, born.clone());
            memory.get_mut(id).constant = global.constant;
            self.globals.push(id);
        }
        self.initial = memory;
        for (index, global) in program.globals.iter().enumerate() {
            for relocation in &global.relocations {
                let base = match relocation.target {
                    Symbol::Global(target) => self.global(target),
                    Symbol::Function(target) => self.function(target),
                    Symbol::Label(function, block) => self.label(function, block),
                };
                let addend = self.terms.constant(relocation.addend as u128, self.pointer_bits);
                let value = self.terms.add(base, addend);
                self.initial.get_mut(self.globals[index]).write(relocation.offset, value, &mut self.terms);
            }
        }
    }

    /// Adds an object of a size and alignment with an address of its own.
    pub(super) fn add_object(
        &mut self,
        memory: &mut SymbolicMemory,
        kind: ObjectKind,
        (size, align): (Term, u64),
        initial: Initial,
        name: Rc<str>,
        born: Rc<[cairn_ir::source::StackPlace]>,
    ) -> ObjectId {
        // More than the declared alignment would be a choice of ours that the world need not make.
        let zeros = align.trailing_zeros().min(4);
        let high = self.terms.variable("address", self.pointer_bits - zeros);
        let base = if zeros == 0 {
            high
        } else {
            let low = self.terms.constant(0, zeros);
            self.terms.concat(high, low)
        };
        let id = memory.add(Object::new(kind, base, size, initial, name, born));
        self.bases.insert(base, id);
        self.address_of.insert(high, base);
        id
    }

    fn label(&mut self, function: FuncId, block: BlockId) -> Term {
        if let Some(&term) = self.labels.get(&(function, block)) {
            return term;
        }
        // Labels are no objects: nothing but a computed goto can use them.
        let term = self.terms.variable("label", self.pointer_bits);
        self.labels.insert((function, block), term);
        self.label_of.insert(term, (function, block));
        term
    }

    /// The state at the start of the entry function.
    pub(super) fn start(&mut self) -> Vec<State> {
        let entry = self.program.function_named(&self.options.entry).expect("checked when the explorer was made");
        let mut state = State {
            frames: Vec::new(),
            memory: self.initial.clone(),
            path: Path::default(),
            choices: Choices::default(),
            depth: 0,
            splits: 0,
            jumps: Rc::default(),
            next_serial: 0,
            lives: 0,
            arrived: false,
            joins: 0,
            own: Rc::default(),
        };
        // What an object holds that no file defines is asked for byte by byte before anything runs.
        for (index, global) in self.program.globals.iter().enumerate() {
            for at in 0..if global.defined { 0 } else { global.size.min(1 << 20) } {
                let byte = self.terms.variable(&global.name, 8);
                state.choices.push(Choice::Value(byte, Ty::I8));
                let id = self.globals[index];
                self.write(&mut state, id, at, byte);
            }
        }
        if self.reads_arguments(entry) {
            self.gaps.insert("the program reads its arguments, of which only one choice is tried".to_owned());
        }
        let params = self.program.functions[entry.index()].signature.params.clone();
        let mut args = Vec::new();
        for (index, passing) in params.iter().enumerate() {
            let Passing::Scalar(ty) = passing else {
                self.gaps.insert("the entry function takes a struct".to_owned());
                return Vec::new();
            };
            let width = ty.bits(self.program.target);
            // `argc` is 1 and `argv` holds the program's name, as when the interpreter replays.
            let value = match (index, ty) {
                (0, _) => self.terms.constant(1, width),
                (1, Ty::Ptr) => {
                    let born: Rc<[_]> = Rc::from([]);
                    let bytes = |bytes: &[u8]| Initial::Bytes(Rc::from(bytes));
                    let word = u128::from(self.pointer_bits / 8);
                    let (one, two) =
                        (self.terms.constant(8, self.pointer_bits), self.terms.constant(2 * word, self.pointer_bits));
                    let name = self.add_object(
                        &mut state.memory,
                        ObjectKind::Static,
                        (one, 1),
                        bytes(b"program\0"),
                        Rc::from("argv[0]"),
                        born.clone(),
                    );
                    let argv = self.add_object(
                        &mut state.memory,
                        ObjectKind::Static,
                        (two, 4),
                        bytes(&[]),
                        Rc::from("argv"),
                        born,
                    );
                    let pointer = state.memory.get(name).base;
                    self.write(&mut state, argv, 0, pointer);
                    state.memory.get(argv).base
                }
                _ => self.terms.constant(0, width),
            };
            args.push(value);
        }
        match self.push_frame(state, entry, &args, None, Loc::NONE, None) {
            Ok(state) => vec![state],
            Err(_) => Vec::new(),
        }
    }

    /// Whether a function reads its parameters.
    fn reads_arguments(&self, function: FuncId) -> bool {
        let body = self.body(function);
        let params: Vec<Operand> = body
            .params
            .iter()
            .map(|param| match *param {
                Param::Reg(reg) => Operand::Reg(reg),
                Param::Slot(slot) => Operand::Slot(slot),
            })
            .collect();
        let mut read = false;
        for block in &body.blocks {
            block.insts.iter().for_each(|inst| inst.for_operands(&mut |operand| read |= params.contains(&operand)));
            block.end.for_operands(&mut |operand| read |= params.contains(&operand));
        }
        read
    }

    pub(super) fn body(&self, function: FuncId) -> &'p Body {
        self.program.functions[function.index()].body.as_ref().expect("only functions with a body are entered")
    }

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
    fn kill_frame(&mut self, state: &mut State) {
        let Some(frame) = state.frames.pop() else { return };
        for id in frame.slots.iter().flatten().chain(&frame.owned) {
            state.memory.get_mut(*id).end = End::OutOfScope;
        }
    }

    pub(super) fn enter_slot(&mut self, state: &mut State, slot: SlotId, loc: Loc) -> ObjectId {
        let function = state.top().function;
        let info = &self.body(function).slots[slot.index()];
        let size = self.terms.constant(u128::from(info.size), self.pointer_bits);
        self.enter_sized(state, slot, size, loc)
    }

    fn enter_sized(&mut self, state: &mut State, slot: SlotId, size: Term, loc: Loc) -> ObjectId {
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

    fn leave_slot(&mut self, state: &mut State, slot: SlotId) {
        if let Some(old) = state.top_mut().slots[slot.index()].take() {
            state.memory.get_mut(old).end = End::OutOfScope;
        }
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
                let result = self.unary(op, ty, value);
                self.set(&mut state, dst, result);
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let result = self.binary(op, ty, a, b);
                self.set(&mut state, dst, result);
            }
            Inst::Divide { op, ty, dst, lhs, rhs, checks } => {
                let (a, b) = (self.value(&mut state, lhs, ty), self.value(&mut state, rhs, ty));
                let width = ty.bits(target);
                let zero = self.terms.constant(0, width);
                let mut fine = self.terms.ne(b, zero);
                if matches!(op, DivideOp::SDiv | DivideOp::SRem) {
                    let least = self.terms.constant(1 << (width - 1), width);
                    let minus_one = self.terms.constant(u128::MAX, width);
                    let (x, y) = (self.terms.eq(a, least), self.terms.eq(b, minus_one));
                    let overflow = self.terms.and(x, y);
                    let no_overflow = self.terms.not(overflow);
                    fine = self.terms.and(fine, no_overflow);
                }
                state = self.require(state, fine, CheckKind::DivisionByZero, checks, loc).ok_or(Stop::Ended)?;
                let result = match op {
                    DivideOp::SDiv => self.terms.sdiv(a, b),
                    DivideOp::UDiv => self.terms.udiv(a, b),
                    DivideOp::SRem => self.terms.srem(a, b),
                    DivideOp::URem => self.terms.urem(a, b),
                };
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
                let signature = &self.program.functions[state.top().function.index()].signature;
                let value = match (operand, signature.ret) {
                    (Some(operand), Some(ty)) => Some((self.value(&mut state, operand, ty), ty)),
                    _ => None,
                };
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
                    let frame = state.top();
                    let code = &self.body(frame.function).blocks[frame.block.index()];
                    if code.locs.get(frame.inst).is_none_or(|next| next.line != called_at.line) {
                        self.record_state(&state, frame.function, called_at.line);
                    }
                }
                out.push(state);
                Err(Stop::Again)
            }
            Terminator::Unreachable => Err(Stop::Ended),
        }
    }

    /// The entry function has returned: `exit` is called with its result. Its model runs the functions that `atexit`
    /// registered; without one there are none.
    fn leave_program(&mut self, state: State, status: Option<Term>, loc: Loc, out: &mut Vec<State>) -> Step {
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
        if self.is_known(&state, block) {
            return Err(Stop::Ended);
        }
        out.push(state);
        Err(Stop::Again)
    }

    fn call(&mut self, mut state: State, call: &Call, loc: Loc, out: &mut Vec<State>) -> Step {
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

/// Whether an argument can be taken as a parameter: of one class and width.
fn passes(arg: Passing, param: Passing, target: cairn_ir::layout::Target) -> bool {
    match (arg, param) {
        (Passing::Scalar(a), Passing::Scalar(b)) => a.is_float() == b.is_float() && a.bits(target) == b.bits(target),
        (Passing::Memory { size: a, .. }, Passing::Memory { size: b, .. }) => a == b,
        _ => false,
    }
}
