//! Where paths begin: the state at the entry of a function, its variables in memory and its parameters.

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::program::Param;
use cairn_ir::{Body, Inst, Operand, Reg, Ty};
use cairn_rules::Term;

use super::checker::{Checker, Flow};
use super::state::{Frame, Origin, Reach, Site, State, Value};
use super::types::NodeId;

impl<'p> Checker<'_, 'p> {
    /// A state without a path, with closed heaps and the slots of the function.
    pub fn blank(&mut self, body: &'p Body, block: usize, first: bool) -> Flow<State> {
        let count = self.types.classes.len();
        let frame = Frame {
            function: self.function,
            regs: vec![Value::Unknown; body.regs.len()],
            slots: Vec::new(),
            block,
            inst: 0,
            result: None,
        };
        let mut state = State {
            frames: vec![frame],
            heaps: vec![0; count],
            closed: vec![0; count],
            epoch: 0,
            escaped: false,
            dangling: false,
            made: Vec::new(),
            out: None,
            leaked: if first { Vec::new() } else { self.escaping_slots(body) },
            held: Vec::new(),
            anchors: Vec::new(),
            peeled: Vec::new(),
            freed: Vec::new(),
            visited: Vec::new(),
            peeked: Vec::new(),
            path: Vec::new(),
        };
        self.fresh_heaps(&mut state)?;
        let slots = self.make_slots(&mut state, body, first)?;
        state.frame_mut().slots = slots;
        Ok(state)
    }

    /// The variables in memory of a function that starts (or goes on at a loop head).
    pub fn make_slots(&mut self, state: &mut State, body: &'p Body, first: bool) -> Flow<Vec<Term>> {
        let escaping = self.escaping_slots(body);
        let mut slots = Vec::with_capacity(body.slots.len());
        let mut end: Option<Term> = None;
        for (index, slot) in body.slots.iter().enumerate() {
            let node = body.ctypes.slot(cairn_ir::SlotId::new(index)).and_then(|ty| self.types.of(ty));
            let mut origin = Origin::unknown();
            origin.hint = node;
            origin.reach = if escaping[index] { Reach::Public } else { Reach::Private };
            origin.owned = true;
            if node.is_none() {
                origin.block = Some((Some(slot.size), Site(Vec::new())));
            }
            let address = self.variable(origin);
            // Nothing that was there before points to a variable; later, something may if its address was handed on.
            let until = if escaping[index] { state.epoch } else { i64::MAX / 2 };
            if first || !escaping[index] {
                let fresh = self.solver.constraint(self.theory.fresh, &[address, Term::constant(until)]);
                self.assume(fresh)?;
            }
            let made = self.solver.constraint(self.theory.made, &[address]);
            self.assume(made)?;
            self.assume_object(node, address)?;
            // Arrays whose cells are told apart by their order come one behind the other. Which one comes first is nothing that
            // a program can see: the order of pointers into different objects is never known.
            if let Some(node) = node.map(|node| self.types.node(node)).filter(|node| node.is_row(self.types)) {
                let size = node.size as i64;
                if let Some(end) = end {
                    let behind = self.solver.at_most(end, address);
                    self.assume(behind)?;
                }
                end = Some(address + size);
            }
            if let (Some(node), true) = (node, first) {
                self.wipe(state, address, node, false)?;
            }
            slots.push(address);
        }
        Ok(slots)
    }

    pub fn assume_object(&mut self, node: Option<NodeId>, address: Term) -> Flow {
        let nonnull = !self.solver.equal(address, Term::constant(0));
        self.assume(nonnull)?;
        if let Some(node) = node {
            let object = self.solver.constraint(self.theory.object(node), &[address]);
            self.assume(object)?;
        }
        Ok(())
    }

    /// The start of the function: whatever valid graph, and arguments in it.
    pub fn entry(&mut self, body: &'p Body) -> Flow<State> {
        let mut state = self.blank(body, 0, true)?;
        let (mut params, hidden) = self.parameter_types(body.ctypes.function, body.params.len());
        params.resize(body.params.len(), None);
        for (index, (&param, ty)) in body.params.iter().zip(params).enumerate() {
            match param {
                Param::Reg(reg) => {
                    let info = &body.regs[reg.index()];
                    let mut origin = Origin::unknown();
                    let node =
                        if hidden && index == 0 { ty.and_then(|ty| self.types.of(ty)) } else { self.pointee(ty) };
                    origin.foreign = node.is_none();
                    origin.opaque = origin.foreign && info.ty == Ty::Ptr;
                    if info.ty != Ty::Ptr {
                        let term = self.variable(origin);
                        self.inputs.push(term);
                        state.frame_mut().regs[reg.index()] = Value::Term(term);
                        continue;
                    }
                    origin.hint = node;
                    let term = self.variable(origin);
                    self.inputs.push(term);
                    if let Some(node) = node {
                        self.assume_node(node, term, 0)?;
                        if hidden && index == 0 {
                            // The memory for a struct result is the caller's, and not initialised.
                            self.assume_object(Some(node), term)?;
                            self.wipe(&mut state, term, node, false)?;
                            state.out = Some((term, node));
                        }
                    }
                    state.frame_mut().regs[reg.index()] = Value::Term(term);
                }
                Param::Slot(slot) => {
                    // A struct that is passed is valid.
                    let address = state.frame().slots[slot.index()];
                    self.inputs.push(address);
                    if let Some(node) = self.origin(address).and_then(|origin| origin.hint) {
                        self.validate(&mut state, address, node)?;
                    }
                }
            }
        }
        self.assume_given(body, &state)?;
        Ok(state)
    }

    /// The C types of parameters, the hidden one first, and whether there is a hidden one.
    pub fn parameter_types(&mut self, function: Option<TypeId>, count: usize) -> (Vec<Option<TypeId>>, bool) {
        let Some(Type::Function(ty)) = function.map(|ty| self.program.types.get(ty)) else {
            return (vec![None; count], false);
        };
        let hidden = matches!(self.program.types.get(ty.ret.ty), Type::Record(_) | Type::Complex(_));
        let first = hidden.then_some(Some(ty.ret.ty));
        (first.into_iter().chain(ty.params.iter().map(|&ty| Some(ty))).collect(), hidden)
    }

    /// The slots whose address is used for more than accesses to them and struct results.
    pub fn escaping_slots(&self, body: &Body) -> Vec<bool> {
        let mut escaping = vec![false; body.slots.len()];
        let mut mark = |operand: Operand| {
            if let Operand::Slot(slot) = operand {
                escaping[slot.index()] = true;
            }
        };
        for (number, block) in body.blocks.iter().enumerate() {
            for inst in &block.insts {
                match inst {
                    Inst::Load { .. } | Inst::LoadBits { .. } | Inst::Copy { .. } | Inst::Zero { .. } => {}
                    Inst::Store { src, .. } | Inst::StoreBits { src, .. } => mark(*src),
                    Inst::PtrAdd { dst, .. } if is_only_accessed(body, number, *dst) => {}
                    Inst::Call(call) => {
                        let ty = call.ctype.map(|ty| self.program.types.get(ty));
                        let hidden = match ty {
                            Some(Type::Function(ty)) => matches!(self.program.types.get(ty.ret.ty), Type::Record(_)),
                            _ => false,
                        };
                        call.args.iter().skip(usize::from(hidden)).for_each(|arg| mark(arg.value));
                    }
                    other => other.for_operands(&mut mark),
                }
            }
            block.end.for_operands(&mut mark);
        }
        escaping
    }
}

/// Whether an address that is computed in a block is only the address of accesses in that block.
fn is_only_accessed(body: &Body, home: usize, address: Reg) -> bool {
    let mut uses = 0;
    let mut accesses = 0;
    for (number, block) in body.blocks.iter().enumerate() {
        let mut count = |operand: Operand| uses += usize::from(operand == Operand::Reg(address));
        block.insts.iter().for_each(|inst| inst.for_operands(&mut count));
        block.end.for_operands(&mut count);
        if number == home {
            let is_access = |inst: &&Inst| match inst {
                Inst::Load { addr, .. } => *addr == Operand::Reg(address),
                Inst::Store { addr, src, .. } => *addr == Operand::Reg(address) && *src != Operand::Reg(address),
                _ => false,
            };
            accesses = block.insts.iter().filter(is_access).count();
        }
    }
    uses == accesses && body.regs[address.index()].name.is_none()
}
