//! Calls: executed in place when a small function returns memory that is not initialised or a short one is given some, and by
//! contract otherwise: arguments and graph are valid before the call, result and graph after it.

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::inst::{Call, Passing};
use cairn_ir::program::{AllocatedSize, Param};
use cairn_ir::{Callee, Intrinsic, Loc, Operand, Reg, Ty};
use cairn_rules::Term;

use super::allocators::{allocator, deallocator, never_null};
use super::checker::{Checker, Flow, Stop};
use super::cut::Effect;
use super::state::{Frame, Origin, Reach, Site, State, Value};
use super::types::NodeId;

/// Calls inside of calls are executed in place up to this depth.
const DEPTH: usize = 8;

impl Checker<'_, '_> {
    /// A call.
    pub fn call(&mut self, state: &mut State, call: &Call, loc: Loc) -> Flow {
        state.path.push(loc);
        if let Callee::Function(id) = call.callee {
            if let Some((bytes, zeroed)) = allocator(self.program, &self.options.allocators, id) {
                return self.allocator_call(state, call, bytes, (zeroed, never_null(self.program, id)));
            }
            if let Some(pointer) = deallocator(self.program, &self.options.deallocators, id)
                && let Some(arg) = call.args.get(pointer)
            {
                let base = self.integer(state, arg.value, Ty::Ptr);
                self.free(state, base)?;
                return match call.dst {
                    Some(dst) => self.set(state, dst, Value::Unknown),
                    None => Ok(()),
                };
            }
            let function = &self.program.functions[id.index()];
            let summary = self.summaries[id.index()];
            let recursive = state.frames.iter().any(|frame| frame.function == id);
            let in_callers = (summary.in_callers && summary.small) || summary.pure;
            if let (Some(body), true) = (&function.body, in_callers && !recursive) {
                if state.frames.len() > DEPTH {
                    self.unknown("calls that are too deep");
                    return Err(Stop::Done);
                }
                return self.in_place(state, call, id, body);
            }
            if let (Some(body), true) = (&function.body, summary.short && !recursive && state.frames.len() <= DEPTH)
                && self.may_initialise(state, call)
            {
                return self.in_place(state, call, id, body);
            }
        }
        let (types, hidden) = self.parameter_types(call.ctype, call.args.len());
        let mut arguments = Vec::new();
        let mut result = None;
        for (index, arg) in call.args.iter().enumerate() {
            let ty = types.get(index).copied().flatten();
            if let Passing::Memory { .. } = arg.passing {
                let address = self.integer(state, arg.value, Ty::Ptr);
                self.struct_argument(state, address, ty, &mut arguments, loc)?;
                continue;
            }
            if arg.passing != Passing::Scalar(Ty::Ptr) {
                continue;
            }
            let value = self.integer(state, arg.value, Ty::Ptr);
            if hidden && index == 0 {
                let local = matches!(arg.value, Operand::Slot(_)) || state.out.is_some_and(|(out, _)| out == value);
                if !local {
                    self.unknown("a struct result that goes straight into memory");
                    return Err(Stop::Done);
                }
                result = Some((value, ty.and_then(|ty| self.types.of(ty))));
                continue;
            }
            let node = self.pointee(ty);
            self.demand_link(value, node);
            self.demand(value, node)?;
            if self.is_beyond_a_model(call, arg.value, value, node) {
                self.unknown("what a library function does with memory that is a part of something is not known");
                return Err(Stop::Done);
            }
            self.valid_argument(state, node, value, loc, "an argument")?;
            self.leak(state, value);
            // Who gets a pointer to no node, or to one without links, does not come further: an access through it is not shown
            // to be safe.
            if node.is_some_and(|node| self.types.node(node).has_links(self.types)) {
                arguments.push(value);
            }
        }
        if let Some((address, Some(node))) = result {
            // What the result goes to need not be valid before.
            self.wipe(state, address, node, true)?;
        }
        let mut nonnull = false;
        if let Callee::Function(id) = call.callee {
            self.hand_over(state, call, id);
            nonnull = self.returns_nonnull(state, call, id);
        }
        self.settle_call(state, &arguments, Effect::Call(result.map(|(address, _)| address)), loc)?;
        if let Callee::Function(id) = call.callee
            && self.program.functions[id.index()].signature.noreturn
        {
            return Err(Stop::Done);
        }
        if let Some(dst) = call.dst {
            let value = self.result(state, call.ctype, call.ret)?;
            if let (Value::Term(result), true) = (value, nonnull) {
                let nonnull = !self.solver.equal(result, Term::constant(0));
                self.assume(nonnull)?;
            }
            self.set(state, dst, value)?;
        }
        Ok(())
    }

    /// Whether a call gets memory of this function that is not initialised yet, so that the graph is not valid before the call. What the
    /// callee does with it is seen by executing it.
    fn may_initialise(&mut self, state: &mut State, call: &Call) -> bool {
        let mut handed = Vec::new();
        let (types, _) = self.parameter_types(call.ctype, call.args.len());
        for (arg, ty) in call.args.iter().zip(types) {
            // Who gets a pointer to no node, or to one without links, does not look into it.
            let links = self.pointee(ty).is_some_and(|node| self.types.node(node).has_links(self.types));
            if links && arg.passing == Passing::Scalar(Ty::Ptr) {
                let value = self.integer(state, arg.value, Ty::Ptr);
                if self.is_slot(state, value)
                    || self.reach(value) == Reach::Private && self.solver.constant(value).is_none()
                {
                    handed.push(value.var);
                }
            }
        }
        if handed.is_empty() {
            return false;
        }
        let arrays = self.local_arrays(state);
        let mut candidates = Vec::new();
        self.slot_candidates(state, false, &arrays, &mut candidates);
        candidates.retain(|candidate| !handed.contains(&candidate.cell.var));
        self.settle(state, &candidates, Vec::new(), &arrays).is_err()
    }

    /// A struct that is passed by value: the callee takes its links to be valid.
    fn struct_argument(
        &mut self,
        state: &mut State,
        address: Term,
        ty: Option<TypeId>,
        arguments: &mut Vec<Term>,
        loc: Loc,
    ) -> Flow {
        let Some(node) = ty.and_then(|ty| self.types.of(ty)) else {
            self.unknown("a struct argument of a type that is not known");
            return Err(Stop::Done);
        };
        let size = self.types.node(node).size;
        for (offset, class) in self.types.node(node).touched(self.types, 0, size) {
            let Some(link) = self.types.class(class).link else { continue };
            if self.types.class(class).tag != 0 {
                self.unknown("a link with a tag in a struct that is passed by value");
                return Err(Stop::Done);
            }
            let value = self.read(state, class, address + offset as i64)?;
            self.valid_argument(state, Some(link), value, loc, "a struct argument with a link")?;
            self.leak(state, value);
            arguments.push(value);
        }
        Ok(())
    }

    /// Whether a model of the C library gets a pointer to memory of whose extent the model knows nothing here: models are not
    /// checked, and those of `strcpy` and its kin go as far as the contents say.
    fn is_beyond_a_model(&self, call: &Call, operand: Operand, value: Term, node: Option<NodeId>) -> bool {
        let Callee::Function(id) = call.callee else { return false };
        if self.program.functions[id.index()].origin != cairn_ir::program::Origin::Model
            || node.is_some_and(|node| !self.types.node(node).scalar)
            || self.solver.constant(value).is_some()
        {
            return false;
        }
        let literal = matches!(operand, Operand::Global(id) if self.program.globals[id.index()].constant);
        !literal && !self.origin(value).is_some_and(|origin| origin.foreign)
    }

    /// What a call returns.
    fn result(&mut self, state: &State, function: Option<TypeId>, ret: Option<Ty>) -> Flow<Value> {
        let ty = match function.map(|ty| self.program.types.get(ty)) {
            Some(Type::Function(ty)) => Some(ty.ret.ty),
            _ => None,
        };
        if ret.is_none_or(|ret| ret.is_float() || ret == Ty::I128) {
            return Ok(Value::Unknown);
        }
        let node = self.pointee(ty);
        let mut origin = Origin::unknown();
        origin.hint = node;
        origin.foreign = node.is_none();
        origin.opaque = origin.foreign && ret == Some(Ty::Ptr);
        let term = self.variable(origin);
        if let Some(node) = node {
            self.assume_node(node, term, state.epoch)?;
        }
        Ok(Value::Term(term))
    }

    /// Executes the callee's code.
    fn in_place(&mut self, state: &mut State, call: &Call, id: cairn_ir::FuncId, body: &cairn_ir::Body) -> Flow {
        let values: Vec<Value> = call.args.iter().map(|arg| self.operand(state, arg.value)).collect();
        let Some(body) = self.body(id).filter(|other| std::ptr::eq(*other, body)) else { return Err(Stop::Done) };
        if values.len() < body.params.len() {
            self.unknown("a call with too few arguments");
            return Err(Stop::Done);
        }
        let slots = self.make_slots(state, body, true)?;
        let mut regs = vec![Value::Unknown; body.regs.len()];
        for (param, value) in body.params.iter().zip(values) {
            match param {
                Param::Reg(reg) => regs[reg.index()] = value,
                Param::Slot(_) => {
                    self.unknown("a struct that is passed by value to a function that allocates");
                    return Err(Stop::Done);
                }
            }
        }
        state.frames.push(Frame { function: id, regs, slots, block: 0, inst: 0, result: call.dst });
        Ok(())
    }

    /// An operation that C has no operator for.
    pub fn intrinsic(
        &mut self,
        state: &mut State,
        op: Intrinsic,
        dst: Option<Reg>,
        args: &[Operand],
        loc: Loc,
    ) -> Flow {
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            values.push(self.integer(state, arg, Ty::Ptr));
        }
        let constant = |checker: &Self, index: usize| values.get(index).and_then(|&term| checker.solver.constant(term));
        let value = match op {
            Intrinsic::HeapAlloc | Intrinsic::HeapAllocAligned | Intrinsic::HeapAllocZeroed => {
                let size = match op {
                    Intrinsic::HeapAlloc => constant(self, 0),
                    Intrinsic::HeapAllocAligned => constant(self, 1),
                    _ => constant(self, 0).zip(constant(self, 1)).and_then(|(count, size)| count.checked_mul(size)),
                };
                self.fork_failure(state, dst);
                self.heap_allocation(state, size, op == Intrinsic::HeapAllocZeroed)?
            }
            Intrinsic::StackAlloc => {
                self.allocate(state, constant(self, 0).and_then(|s| u64::try_from(s).ok()), false)?
            }
            Intrinsic::HeapFree => {
                self.free(state, values[0])?;
                Value::Unknown
            }
            Intrinsic::FillBytes => {
                let (byte, size) = (constant(self, 1), constant(self, 2).and_then(|size| u64::try_from(size).ok()));
                let Some(size) = size else { return self.unclear(state, loc) };
                self.set_bytes(state, values[0], size, byte == Some(0), loc)?;
                Value::Unknown
            }
            Intrinsic::CopyBytes | Intrinsic::MoveBytes => {
                let Some(size) = constant(self, 2).and_then(|size| u64::try_from(size).ok()) else {
                    return self.unclear(state, loc);
                };
                self.copy(state, values[0], values[1], size, loc)?;
                Value::Unknown
            }
            Intrinsic::Nondet | Intrinsic::Math(_) | Intrinsic::Time | Intrinsic::Clock | Intrinsic::ReadChar => {
                Value::Unknown
            }
            Intrinsic::OneAnswer => Value::Unknown,
            Intrinsic::Assume => {
                let nonzero = !self.solver.equal(values[0], Term::constant(0));
                self.assume(nonzero)?;
                Value::Unknown
            }
            Intrinsic::AssertFail | Intrinsic::ReachError | Intrinsic::Exit | Intrinsic::Abort | Intrinsic::Longjmp => {
                return Err(Stop::Done);
            }
            _ => return self.unclear(state, loc),
        };
        match dst {
            Some(dst) => self.set(state, dst, value),
            None => Ok(()),
        }
    }

    /// An operation on memory of which too little is known.
    fn unclear(&mut self, _state: &State, _loc: Loc) -> Flow {
        self.unknown("an operation on memory whose extent is not known");
        Err(Stop::Done)
    }

    /// A call of an allocator that is not C's own.
    fn allocator_call(
        &mut self,
        state: &mut State,
        call: &Call,
        bytes: AllocatedSize,
        (zeroed, never_null): (bool, bool),
    ) -> Flow {
        let mut argument = |index: u32| {
            let arg = call.args.get(index as usize)?;
            let term = self.integer(state, arg.value, Ty::I64);
            self.solver.constant(term).filter(|&size| size >= 0)
        };
        let size = match bytes.count {
            Some(count) => argument(bytes.size).zip(argument(count)).and_then(|(size, count)| size.checked_mul(count)),
            None => argument(bytes.size),
        };
        if !never_null {
            self.fork_failure(state, call.dst);
        }
        let value = self.heap_allocation(state, size, zeroed)?;
        match call.dst {
            Some(dst) => self.set(state, dst, value),
            None => Ok(()),
        }
    }

    /// An allocation that fails.
    fn fork_failure(&mut self, state: &State, dst: Option<Reg>) {
        let mut failed = state.clone();
        if let Some(dst) = dst {
            failed.frame_mut().regs[dst.index()] = Value::Term(Term::constant(0));
        }
        self.fork(failed, None);
    }

    /// An allocation on the heap.
    fn heap_allocation(&mut self, state: &mut State, size: Option<i64>, zeroed: bool) -> Flow<Value> {
        let zero = self.options.zero_allocation || zeroed;
        self.allocate(state, size.and_then(|size| u64::try_from(size).ok()), zero)
    }

    /// Memory is given back. What was freed is not used any more: its links need not be valid.
    fn free(&mut self, state: &mut State, base: Term) -> Flow {
        state.freed.push(base);
        let Some(node) = self.origin(base).and_then(|origin| origin.hint).filter(|_| base.offset == 0) else {
            return Ok(());
        };
        let object = self.solver.constraint(self.theory.object(node), &[base]);
        let null = self.solver.equal(base, Term::constant(0));
        if !self.types.node(node).scalar
            && self.prove(&[!object, !null]).is_ok()
            && self.solver.value(!null) != Some(false)
        {
            self.wipe(state, base, node, true)?;
        }
        Ok(())
    }

    /// New memory.
    fn allocate(&mut self, state: &mut State, size: Option<u64>, zero: bool) -> Flow<Value> {
        let site = Site(state.frames.iter().map(|f| (f.function.0, f.block as u32, f.inst as u32)).collect());
        let ty: Option<NodeId> = self.site_types.get(&site).copied();
        let mut origin = Origin::unknown();
        origin.reach = Reach::Private;
        origin.hint = ty;
        origin.owned = true;
        if ty.is_none() {
            origin.block = Some((size, site));
        }
        let base = self.variable(origin);
        let fresh = self.solver.constraint(self.theory.fresh, &[base, Term::constant(state.epoch)]);
        self.assume(fresh)?;
        let made = self.solver.constraint(self.theory.made, &[base]);
        self.assume(made)?;
        self.assume_object(ty, base)?;
        if let Some(node) = ty {
            self.wipe(state, base, node, zero)?;
            state.made.push((base, node));
        }
        Ok(Value::Term(base))
    }
}
