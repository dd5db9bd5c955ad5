//! The states where paths begin: at the entry of the function and at loop heads.

use cairn_ir::ctype::TypeId;
use cairn_ir::program::Param;
use cairn_ir::{Body, Reg, SlotId, Ty};
use cairn_rules::Term;

use super::super::contracts::{Given, Purpose};
use super::super::functions::{Parameters, escaping_slots};
use super::super::invariants::{Lifetime, result_memory};
use super::super::solver::{Flow, Origin, Reach, Site, Stop, Untyped};
use super::super::state::{Contents, Frame, Heaps, Locals, State, Value};
use super::super::types::NodeId;
use super::Execution;

/// Where a frame begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Start {
    /// At the entry of its function: slots are new and uninitialised.
    Entry,
    /// At a loop head.
    LoopHead,
}

impl<'p> Execution<'_, 'p> {
    /// Returns the state at the entry: any valid graph, and arguments in it.
    pub(super) fn entry_state(&mut self) -> Flow<State> {
        let mut state = self.blank_state(0, Start::Entry)?;
        let body = self.body;
        let mut parameters = Parameters::of(self.context.program, body.ctypes.function, body.params.len());
        parameters.types.resize(body.params.len(), None);
        let result_memory = result_memory(body, &parameters);
        for (&param, &ty) in body.params.iter().zip(&parameters.types) {
            match param {
                Param::Reg(reg) if result_memory == Some(reg) => self.result_parameter(&mut state, reg, ty)?,
                Param::Reg(reg) => self.parameter(&mut state, reg, ty)?,
                Param::Slot(slot) => {
                    // A struct that is passed by value is valid.
                    let address = state.frame().slots[slot.index()];
                    self.parameters.push(address);
                    if let Some(node) = self.solver.hint(address) {
                        state.heaps.fill_with_valid_links(&mut self.solver, address, node)?;
                    }
                }
            }
        }
        self.assume_contract(&state, &parameters)?;
        Ok(state)
    }

    /// Makes a parameter in a register.
    fn parameter(&mut self, state: &mut State, reg: Reg, ty: Option<TypeId>) -> Flow {
        let is_pointer = self.body.regs[reg.index()].ty == Ty::Ptr;
        let node = self.pointee(ty);
        let foreign = node.is_none();
        let hint = node.filter(|_| is_pointer);
        let term = self.new_parameter(Origin { hint, foreign, opaque: foreign && is_pointer, ..Origin::default() });
        if let Some(node) = hint {
            self.solver.assume_node(node, term, 0)?;
        }
        state.set_reg(reg, Value::Term(term));
        Ok(())
    }

    /// Makes the memory for a struct result, which is the caller's and uninitialised.
    fn result_parameter(&mut self, state: &mut State, reg: Reg, ty: Option<TypeId>) -> Flow {
        let node = ty.and_then(|ty| self.types().of(ty));
        let foreign = node.is_none();
        let term = self.new_parameter(Origin { hint: node, foreign, opaque: foreign, ..Origin::default() });
        if let Some(node) = node {
            self.solver.assume_node(node, term, 0)?;
            self.solver.assume_object(Some(node), term)?;
            state.heaps.fill_node(&mut self.solver, term, node, Contents::Anything)?;
            state.locals.out = Some((term, node));
        }
        state.set_reg(reg, Value::Term(term));
        Ok(())
    }

    fn new_parameter(&mut self, origin: Origin) -> Term {
        let term = self.solver.variable(origin);
        self.parameters.push(term);
        term
    }

    /// Assumes the facts about arguments that all callers establish.
    fn assume_contract(&mut self, state: &State, parameters: &Parameters) -> Flow {
        let given = self.context.contracts.given(self.function);
        for (index, &param) in self.body.params.iter().enumerate() {
            let Param::Reg(reg) = param else { continue };
            let Value::Term(term) = state.reg(reg) else { continue };
            let is_pointer = self.body.regs[reg.index()].ty == Ty::Ptr;
            let is_nonnull =
                self.purpose == Purpose::ResultForNodes && is_pointer && self.is_node_pointer(parameters.types[index]);
            let given = if is_nonnull { Given::NonNull } else { given.get(index).copied().unwrap_or(Given::Any) };
            given.assume(&mut self.solver, term)?;
        }
        Ok(())
    }

    /// Returns whether a type is that of a pointer to nodes.
    pub(super) fn is_node_pointer(&self, ty: Option<TypeId>) -> bool {
        self.pointee(ty).is_some_and(|node| !self.types().node(node).scalar)
    }

    /// Returns the state at a loop head, with its invariant and one of its lifetimes. Fails where the invariant contradicts itself.
    pub(super) fn loop_state(&mut self, head: usize, lifetime: &Lifetime) -> Flow<State> {
        let Some(invariant) = self.loops.invariant(head).cloned() else { return Err(Stop::PathEnd) };
        let mut state = self.blank_state(head, Start::LoopHead)?;
        let parameters = Parameters::of(self.context.program, self.body.ctypes.function, self.body.params.len());
        let result_memory = result_memory(self.body, &parameters);
        invariant.assume(&mut self.solver, &mut state, self.loops.landmarks(), result_memory)?;
        for &index in &lifetime.freed {
            let address = self.address_in(&mut state, index);
            state.lifetimes.freed.push(address);
        }
        for &(one, other) in &lifetime.equal {
            let pair = (self.address_in(&mut state, one), self.address_in(&mut state, other));
            state.lifetimes.equal.push(pair);
        }
        Ok(state)
    }

    /// Returns the address in a register.
    fn address_in(&mut self, state: &mut State, index: usize) -> Term {
        let address = match state.frame().regs[index] {
            Value::Term(term) => term,
            _ => self.solver.unknown(),
        };
        state.frame_mut().regs[index] = Value::Term(address);
        address
    }

    /// Returns a state without facts, with closed heaps and the slots of the function.
    fn blank_state(&mut self, block: usize, start: Start) -> Flow<State> {
        let leaked = match start {
            Start::Entry => Vec::new(),
            Start::LoopHead => escaping_slots(self.context.program, self.body),
        };
        let frame = Frame {
            function: self.function,
            regs: vec![Value::Unknown; self.body.regs.len()],
            slots: Vec::new(),
            block,
            inst: 0,
            result: None,
        };
        let heaps = Heaps::new(&mut self.solver)?;
        let mut state = State::new(frame, heaps, Locals { leaked, ..Locals::default() });
        let slots = self.make_slots(&mut state, self.body, start)?;
        state.frame_mut().slots = slots;
        Ok(state)
    }

    /// Makes the variables in memory of a function.
    pub(super) fn make_slots(&mut self, state: &mut State, body: &'p Body, start: Start) -> Flow<Vec<Term>> {
        let escaping = escaping_slots(self.context.program, body);
        let types = self.types();
        let mut slots = Vec::with_capacity(body.slots.len());
        let mut end: Option<Term> = None;
        for (index, slot) in body.slots.iter().enumerate() {
            let node = body.ctypes.slot(SlotId::new(index)).and_then(|ty| types.of(ty));
            let reach = if escaping[index] { Reach::Public } else { Reach::Private };
            let address = self.make_slot(state, node, (slot.size, reach), start)?;
            // The cells of arrays of links are told apart by their order, so the arrays are put one behind the other. A
            // program cannot observe which one comes first: the order of pointers into different objects is never
            // known.
            if let Some(node) = node.map(|node| types.node(node)).filter(|node| node.is_row(types)) {
                if let Some(end) = end {
                    let behind = self.solver.at_most(end, address);
                    self.solver.assume(behind)?;
                }
                end = Some(address + node.size as i64);
            }
            if let (Some(node), Start::Entry) = (node, start) {
                state.heaps.fill_node(&mut self.solver, address, node, Contents::Anything)?;
            }
            slots.push(address);
        }
        Ok(slots)
    }

    /// Makes a variable in memory of a size. It is private if its address is only used for accesses to it.
    fn make_slot(
        &mut self,
        state: &State,
        node: Option<NodeId>,
        (size, reach): (u64, Reach),
        start: Start,
    ) -> Flow<Term> {
        let untyped = node.is_none().then(|| Untyped { size: Some(size), site: Site::default() });
        let address = self.solver.variable(Origin { hint: node, reach, owned: true, untyped, ..Origin::default() });
        // No older object points to a variable. Later, one may if the address was handed on.
        let until = if reach == Reach::Public { state.heaps.epoch() } else { i64::MAX / 2 };
        if start == Start::Entry || reach == Reach::Private {
            let fresh = self.solver.fresh(address, until);
            self.solver.assume(fresh)?;
        }
        let made = self.solver.made(address);
        self.solver.assume(made)?;
        self.solver.assume_object(node, address)?;
        Ok(address)
    }
}
