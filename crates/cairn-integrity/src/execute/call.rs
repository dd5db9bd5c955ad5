//! Calls.
//!
//! A call is executed in place when a small function returns uninitialised memory or a short one gets some. Otherwise
//! it is taken by contract: arguments and graph are valid before the call, result and graph after it.

use cairn_ir::ctype::TypeId;
use cairn_ir::inst::{Call, Passing};
use cairn_ir::program::{Origin as Source, Param};
use cairn_ir::{Body, Callee, FuncId, Loc, Operand, Ty};
use cairn_rules::Term;

use super::super::allocators::{allocator, deallocator, never_null};
use super::super::contracts::{Given, Returned};
use super::super::functions::{Parameters, result_type};
use super::super::limits::CALL_DEPTH;
use super::super::report::{Reason, Subject};
use super::super::solver::{Flow, Landmarks, Origin, Reach, Stop};
use super::super::state::{Contents, Frame, State, Value};
use super::super::types::NodeId;
use super::Execution;
use super::conditions::Effect;
use super::entry::Start;
use super::intrinsics::AllocatorKind;

/// The arguments of a call that is taken by contract.
#[derive(Default)]
struct Arguments {
    /// Pointers to nodes with links.
    nodes: Vec<Term>,
    /// The variable that a struct result goes to, and its type.
    result: Option<(Term, Option<NodeId>)>,
}

impl<'p> Execution<'_, 'p> {
    /// Executes a call.
    pub(super) fn call(&mut self, state: &mut State, call: &Call, loc: Loc) -> Flow {
        state.path.push(loc);
        let Callee::Function(id) = call.callee else { return self.call_by_contract(state, call, None, loc) };
        let (program, options) = (self.context.program, self.context.options);
        if let Some((bytes, zeroed)) = allocator(program, &options.allocators, id) {
            let kind = AllocatorKind {
                contents: if zeroed { Contents::Zero } else { Contents::Anything },
                never_null: never_null(program, id),
            };
            return self.allocator_call(state, call, bytes, kind);
        }
        if let Some(pointer) = deallocator(program, &options.deallocators, id)
            && let Some(arg) = call.args.get(pointer)
        {
            let base = self.term(state, arg.value);
            self.free(state, base, loc)?;
            return self.assign_result(state, call.dst, Value::Unknown);
        }
        let summary = self.context.summaries[id.index()];
        let is_recursive = state.frames.iter().any(|frame| frame.function == id);
        if let (Some(body), false) = (self.context.body(id), is_recursive) {
            if (summary.in_callers && summary.small) || summary.pure {
                if state.frames.len() > CALL_DEPTH {
                    return self.give_up(Reason::CallDepth);
                }
                return self.call_in_place(state, call, id, body);
            }
            if summary.short && state.frames.len() <= CALL_DEPTH && self.may_initialise(state, call) {
                return self.call_in_place(state, call, id, body);
            }
        }
        self.call_by_contract(state, call, Some(id), loc)
    }

    /// Executes the code of the callee.
    fn call_in_place(&mut self, state: &mut State, call: &Call, id: FuncId, body: &'p Body) -> Flow {
        let values: Vec<Value> = call.args.iter().map(|arg| self.operand(state, arg.value)).collect();
        if values.len() < body.params.len() {
            return self.give_up(Reason::TooFewArguments);
        }
        let slots = self.make_slots(state, body, Start::Entry)?;
        let mut regs = vec![Value::Unknown; body.regs.len()];
        for (param, value) in body.params.iter().zip(values) {
            match param {
                Param::Reg(reg) => regs[reg.index()] = value,
                Param::Slot(_) => return self.give_up(Reason::StructArgumentInPlace),
            }
        }
        state.frames.push(Frame { function: id, regs, slots, block: 0, inst: 0, result: call.dst });
        Ok(())
    }

    /// Returns whether a call gets uninitialised memory of this function.
    ///
    /// The graph is not valid before such a call, and the effect of the callee is seen by executing it.
    fn may_initialise(&mut self, state: &mut State, call: &Call) -> bool {
        let mut handed = Vec::new();
        let parameters = Parameters::of(self.context.program, call.ctype, call.args.len());
        for (arg, ty) in call.args.iter().zip(parameters.types) {
            // A callee does not look into memory through a pointer to no node, or to one without links.
            if self.points_to_links(ty) && arg.passing == Passing::Scalar(Ty::Ptr) {
                let value = self.term(state, arg.value);
                if state.is_slot(&self.solver, value)
                    || self.solver.reach(value) == Reach::Private && self.solver.constant(value).is_none()
                {
                    handed.push(value);
                }
            }
        }
        !handed.is_empty() && self.is_open_because_of(state, &handed)
    }

    fn points_to_links(&self, ty: Option<TypeId>) -> bool {
        self.pointee(ty).is_some_and(|node| self.types().node(node).has_links(self.types()))
    }

    /// Takes a call by the contract of the callee.
    fn call_by_contract(&mut self, state: &mut State, call: &Call, id: Option<FuncId>, loc: Loc) -> Flow {
        let arguments = self.pass_arguments(state, call, loc)?;
        if let Some((address, Some(node))) = arguments.result {
            // The memory for the result need not be valid before.
            state.heaps.fill_node(&mut self.solver, address, node, Contents::Zero)?;
        }
        let mut is_nonnull = false;
        if let Some(id) = id {
            self.weaken_contract(state, call, id);
            is_nonnull = self.returns_nonnull(state, call, id);
        }
        let freed: Vec<Term> = self.freed_arguments(state, call, id);
        let result = arguments.result.map(|(address, _)| address);
        self.settle_call(state, &arguments.nodes, Effect::Call(result), loc)?;
        if id.is_some_and(|id| self.context.program.functions[id.index()].signature.noreturn) {
            return Err(Stop::PathEnd);
        }
        state.freed.extend(freed);
        if let Some(dst) = call.dst {
            let value = self.result(state, call)?;
            if let (Value::Term(result), true) = (value, is_nonnull) {
                let nonnull = !self.solver.is_null(result);
                self.solver.assume(nonnull)?;
            }
            self.assign(state, dst, value)?;
        }
        Ok(())
    }

    /// Returns the arguments that the callee may free.
    fn freed_arguments(&mut self, state: &mut State, call: &Call, id: Option<FuncId>) -> Vec<Term> {
        let Some(id) = id else { return Vec::new() };
        let positions = &self.context.freed[id.index()];
        let args = positions.iter().filter_map(|&position| call.args.get(position));
        let mut freed: Vec<Term> = args.map(|arg| self.term(state, arg.value)).collect();
        freed.retain(|&term| self.solver.constant(term).is_none());
        freed
    }

    /// Requires that the arguments are valid.
    fn pass_arguments(&mut self, state: &mut State, call: &Call, loc: Loc) -> Flow<Arguments> {
        let parameters = Parameters::of(self.context.program, call.ctype, call.args.len());
        let mut arguments = Arguments::default();
        for (index, arg) in call.args.iter().enumerate() {
            let ty = parameters.types.get(index).copied().flatten();
            if let Passing::Memory { .. } = arg.passing {
                let address = self.term(state, arg.value);
                self.pass_struct(state, address, ty, &mut arguments, loc)?;
                continue;
            }
            if arg.passing != Passing::Scalar(Ty::Ptr) {
                continue;
            }
            let value = self.term(state, arg.value);
            if parameters.has_result_memory && index == 0 {
                let is_local =
                    matches!(arg.value, Operand::Slot(_)) || state.locals.out.is_some_and(|(out, _)| out == value);
                if !is_local {
                    return self.give_up(Reason::StructResultInMemory);
                }
                arguments.result = Some((value, ty.and_then(|ty| self.types().of(ty))));
                continue;
            }
            let node = self.pointee(ty);
            self.values().demand_link(value, node);
            self.give_type(value, node)?;
            if self.is_beyond_model(call, arg.value, value, node) {
                return self.give_up(Reason::LibraryAccess);
            }
            self.require_not_freed(state, value, loc);
            self.require_valid_pointer(state, node, value, loc, Subject::Argument)?;
            state.leak(&mut self.solver, value);
            // A callee comes no further through a pointer to no node, or to one without links: accesses through it are
            // not proved safe.
            if self.points_to_links(ty) {
                arguments.nodes.push(value);
            }
        }
        Ok(arguments)
    }

    /// Requires that the links of a struct that is passed by value are valid.
    fn pass_struct(
        &mut self,
        state: &mut State,
        address: Term,
        ty: Option<TypeId>,
        arguments: &mut Arguments,
        loc: Loc,
    ) -> Flow {
        let types = self.types();
        let Some(node) = ty.and_then(|ty| types.of(ty)) else { return self.give_up(Reason::UnknownStructArgument) };
        for (offset, class) in types.node(node).all_cells(types) {
            let Some(link) = types.class(class).link else { continue };
            if types.class(class).tag != 0 {
                return self.give_up(Reason::TaggedStructArgument);
            }
            let value = state.heaps.read(&mut self.solver, class, address + offset as i64)?;
            self.require_valid_pointer(state, Some(link), value, loc, Subject::StructArgument)?;
            state.leak(&mut self.solver, value);
            arguments.nodes.push(value);
        }
        Ok(())
    }

    /// Returns whether a model of the C library gets a pointer to memory whose extent it does not know here.
    ///
    /// Models are not checked, and those of `strcpy` and its relatives access as much as the contents say.
    fn is_beyond_model(&self, call: &Call, operand: Operand, value: Term, node: Option<NodeId>) -> bool {
        let program = self.context.program;
        let Callee::Function(id) = call.callee else { return false };
        if program.functions[id.index()].origin != Source::Model
            || node.is_some_and(|node| !self.types().node(node).scalar)
            || self.solver.constant(value).is_some()
        {
            return false;
        }
        let is_literal = matches!(operand, Operand::Global(id) if program.globals[id.index()].constant);
        !is_literal && !self.solver.origin(value).is_some_and(|origin| origin.foreign)
    }

    /// Returns the result of a call.
    fn result(&mut self, state: &State, call: &Call) -> Flow<Value> {
        if call.ret.is_none_or(|ret| ret.is_float() || ret == Ty::I128) {
            return Ok(Value::Unknown);
        }
        let node = self.pointee(result_type(self.context.program, call.ctype));
        let foreign = node.is_none();
        let opaque = foreign && call.ret == Some(Ty::Ptr);
        let term = self.solver.variable(Origin { hint: node, foreign, opaque, ..Origin::default() });
        if let Some(node) = node {
            self.solver.assume_node(node, term, state.heaps.epoch())?;
        }
        Ok(Value::Term(term))
    }
}

/// Contracts at calls and returns.
impl Execution<'_, '_> {
    /// Weakens the contract of a callee, if all of its calls are analysed, to the arguments of this call.
    fn weaken_contract(&mut self, state: &mut State, call: &Call, id: FuncId) {
        let Some(contract) = self.context.contracts.closed(id) else { return };
        let Some(body) = self.context.body(id) else { return };
        let known = self.handed.remove(&id).or_else(|| contract.map(<[Given]>::to_vec));
        let mut landmarks = None;
        let mut given = Vec::with_capacity(body.params.len());
        for (index, param) in body.params.iter().enumerate() {
            let before = known.as_ref().map(|known| known[index]);
            let arg = call.args.get(index).filter(|_| call.args.len() == body.params.len());
            let (Param::Reg(reg), Some(arg)) = (param, arg) else {
                given.push(Given::Any);
                continue;
            };
            let ty = body.regs[reg.index()].ty;
            if arg.passing != Passing::Scalar(ty) {
                given.push(Given::Any);
                continue;
            }
            let value = self.term(state, arg.value);
            given.push(if ty == Ty::Ptr {
                Given::weaken_pointer(&mut self.solver, before, value)
            } else {
                let landmarks = landmarks.get_or_insert_with(|| Landmarks::of_arguments(body, self.context.types));
                Given::weaken_integer(&mut self.solver, landmarks, before, value)
            });
        }
        self.handed.insert(id, given);
    }

    /// Returns whether the contract of a callee says that a call does not return null.
    fn returns_nonnull(&mut self, state: &mut State, call: &Call, id: FuncId) -> bool {
        match self.context.contracts.returned(id) {
            Returned::Anything => false,
            Returned::NonNull => true,
            Returned::NonNullForNodes => {
                let parameters = Parameters::of(self.context.program, call.ctype, call.args.len());
                call.args.iter().zip(parameters.types).all(|(arg, ty)| {
                    if arg.passing != Passing::Scalar(Ty::Ptr) || !self.is_node_pointer(ty) {
                        return true;
                    }
                    let value = self.term(state, arg.value);
                    let null = self.solver.is_null(value);
                    self.solver.is_refuted(&[null])
                })
            }
        }
    }

    /// Records whether the function may return null.
    pub(super) fn note_result(&mut self, value: Value) {
        if !self.context.contracts.are_inferred() || !self.returns_nonnull {
            return;
        }
        self.returns_nonnull = match value {
            Value::Term(term) => {
                let null = self.solver.is_null(term);
                self.solver.is_refuted(&[null])
            }
            _ => false,
        };
    }
}
