//! Executes instructions, one after the other.

use cairn_ir::inst::Local;
use cairn_ir::{BinaryOp, CompareOp, Inst, Loc, Operand, Reg, Ty};
use cairn_rules::Term;

use super::super::report::Reason;
use super::super::solver::{Flow, Origin, Reach, Site, Stop, Untyped};
use super::super::state::{Contents, State, Value};
use super::super::types::NodeId;
use super::Execution;

impl<'p> Execution<'_, 'p> {
    /// Returns the value of an operand.
    pub(super) fn operand(&mut self, state: &mut State, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => state.reg(reg),
            Operand::Int(value) => Value::constant(value),
            Operand::Slot(slot) => Value::Term(state.frame().slots[slot.index()]),
            Operand::Global(_) | Operand::Function(_) | Operand::Label(_) => self.static_address(operand),
            Operand::Wide(_) => Value::Unknown,
        }
    }

    /// Returns the address of a global, a function or a label.
    ///
    /// The facts about it are assumed at each use, because assumptions of another path are gone.
    fn static_address(&mut self, operand: Operand) -> Value {
        let global = match operand {
            Operand::Global(id) => Some(&self.context.program.globals[id.index()]),
            _ => None,
        };
        let node = global.and_then(|global| global.ctype).and_then(|ty| self.types().of(ty));
        let untyped = global.filter(|_| node.is_none());
        let term = self.solver.static_address(operand, || Origin {
            hint: node,
            owned: true,
            untyped: untyped.map(|global| Untyped { size: Some(global.size), site: Site::default() }),
            ..Origin::default()
        });
        if global.is_some() {
            let fixed = self.solver.constraint(self.context.theory.objects().fixed, &[term]);
            self.solver.note(fixed);
        }
        let _ = self.solver.assume_object(node, term);
        Value::Term(term)
    }

    /// Returns a term for an operand. An unknown value gets a variable.
    pub(super) fn term(&mut self, state: &mut State, operand: Operand) -> Term {
        match self.operand(state, operand) {
            Value::Term(term) => term,
            Value::Test(lit) => match self.solver.value(lit) {
                Some(truth) => Term::constant(i64::from(truth)),
                None => self.solver.between(0, 1),
            },
            Value::Unknown => {
                let Operand::Reg(reg) = operand else { return self.solver.unknown() };
                let body = self.context.body(state.frame().function);
                let node = self.pointee(body.and_then(|body| body.ctypes.reg(reg)));
                // A pointer to data that went through a loop points anywhere into its array.
                let foreign = node
                    .map(|node| self.types().node(node))
                    .is_some_and(|node| node.scalar && !node.has_links(self.types()));
                let term = self.solver.variable(Origin { foreign, opaque: foreign, ..Origin::default() });
                state.set_reg(reg, Value::Term(term));
                term
            }
        }
    }

    /// Executes an instruction.
    pub(super) fn instruction(&mut self, state: &mut State, inst: &'p Inst, loc: Loc) -> Flow {
        match inst {
            Inst::Move { dst, src } => {
                let body = self.context.body(state.frame().function);
                let is_pointer = body.is_some_and(|body| body.regs[dst.index()].ty == Ty::Ptr);
                let value = match self.operand(state, *src) {
                    Value::Unknown if is_pointer => Value::Term(self.term(state, *src)),
                    value => value,
                };
                self.assign(state, *dst, value)
            }
            Inst::Undef { dst } => self.assign(state, *dst, Value::Unknown),
            Inst::Unary { dst, .. } => {
                self.blur(state, inst);
                self.assign(state, *dst, Value::Unknown)
            }
            Inst::Divide { op, ty, dst, lhs, rhs, .. } => {
                self.blur(state, inst);
                let value = if *ty == Ty::I128 {
                    Value::Unknown
                } else {
                    let (lhs, rhs) = (self.term(state, *lhs), self.term(state, *rhs));
                    self.values().divide(*op, lhs, rhs)
                };
                self.assign(state, *dst, value)
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let value = self.binary(state, inst, (*op, *ty), *lhs, *rhs);
                self.assign(state, *dst, value)
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let value = self.compare(state, *op, *ty, *lhs, *rhs);
                self.assign(state, *dst, value)
            }
            Inst::Convert { op, from, to, dst, src } => {
                let value = self.operand(state, *src);
                let value = match self.values().convert(*op, *to, value) {
                    Some(value) => value,
                    // The sign extension of an unknown value is some value.
                    None => Value::Term(self.term(state, *src)),
                };
                let value = match value {
                    Value::Unknown => {
                        self.blur(state, inst);
                        self.values().bounds_after_conversion(*op, *from, *to)
                    }
                    value => value,
                };
                self.assign(state, *dst, value)
            }
            Inst::PtrAdd { dst, base, index, scale } => {
                let base = self.term(state, *base);
                let index = self.term(state, *index);
                if self.solver.constant(index) != Some(0) {
                    self.values().demand_array(base);
                }
                let term = self.solver.element(base, index, *scale);
                self.assign(state, *dst, Value::Term(term))
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                let (lhs, rhs) = (self.term(state, *lhs), self.term(state, *rhs));
                let value = self.solver.difference(lhs, rhs).map_or(Value::Unknown, Value::constant);
                self.assign(state, *dst, value)
            }
            Inst::Load { dst, ty, addr, offset, .. } => {
                let address = self.term(state, *addr) + *offset;
                let value = self.load(state, address, *ty, loc)?;
                self.assign(state, *dst, value)
            }
            Inst::Store { ty, addr, offset, src, .. } => {
                let address = self.term(state, *addr) + *offset;
                let value = self.operand(state, *src);
                self.store(state, address, *ty, value, loc)
            }
            Inst::LoadBits { dst, addr, offset, bits, .. } => {
                let address = self.term(state, *addr) + *offset;
                let size = u64::from(bits.start) + u64::from(bits.width);
                if size > 0 {
                    self.resolve(state, address, size.div_ceil(8), loc)?;
                }
                self.assign(state, *dst, Value::Unknown)
            }
            Inst::StoreBits { addr, offset, bits, .. } => {
                let address = self.term(state, *addr) + *offset;
                let size = u64::from(bits.start) + u64::from(bits.width);
                self.scramble_bytes(state, address, size.div_ceil(8), loc)
            }
            Inst::Copy { dst, src, size, .. } => {
                let (dst, src) = (self.term(state, *dst), self.term(state, *src));
                self.copy(state, dst, src, *size, loc)
            }
            Inst::Zero { dst, offset, size } => {
                let address = self.term(state, *dst) + *offset;
                self.set_bytes(state, (address, *size), Contents::Zero, loc)
            }
            Inst::Enter(Local::Reg(reg)) => {
                state.set_reg(*reg, Value::Unknown);
                Ok(())
            }
            Inst::Enter(Local::Slot(slot)) => {
                let address = state.frame().slots[slot.index()];
                match self.solver.hint(address) {
                    Some(node) => state.heaps.fill_node(&mut self.solver, address, node, Contents::Anything),
                    None => Ok(()),
                }
            }
            Inst::Leave(_) | Inst::Use { .. } | Inst::Fits { .. } => Ok(()),
            Inst::EnterVla { .. } => self.give_up(Reason::VariableLengthArray),
            Inst::Call(call) => self.call(state, call, loc),
            Inst::Intrinsic { op, dst, args, .. } => self.intrinsic(state, *op, *dst, args, loc),
            Inst::Unsupported { what, .. } => self.give_up(Reason::Unsupported(what.to_string())),
        }
    }

    /// Records that addresses escape into a result of which nothing is known.
    fn blur(&mut self, state: &mut State, inst: &Inst) {
        let mut private = false;
        inst.for_operands(&mut |operand| {
            if let Operand::Reg(reg) = operand
                && let Value::Term(term) = state.reg(reg)
            {
                private |= self.solver.reach(term) != Reach::Public;
            }
        });
        state.locals.escaped |= private;
    }

    /// Assigns a register. An allocation without a type gets that of the variable.
    pub(super) fn assign(&mut self, state: &mut State, reg: Reg, value: Value) -> Flow {
        state.set_reg(reg, value);
        if let (Value::Term(term), Some(body)) = (value, self.context.body(state.frame().function)) {
            let node = self.pointee(body.ctypes.reg(reg));
            self.values().demand_link(term, node);
            self.give_type(term, node)?;
        }
        Ok(())
    }

    /// Assigns the result of a call, if it is used.
    pub(super) fn assign_result(&mut self, state: &mut State, dst: Option<Reg>, value: Value) -> Flow {
        match dst {
            Some(dst) => self.assign(state, dst, value),
            None => Ok(()),
        }
    }

    /// Gives an allocation without a type the type that it is used with. The function is executed anew then.
    pub(super) fn give_type(&mut self, term: Term, node: Option<NodeId>) -> Flow {
        let Some(node) = node else { return Ok(()) };
        let untyped = self.solver.origin(term).and_then(|origin| origin.untyped.as_ref());
        let Some(Untyped { size: Some(size), site }) = untyped else { return Ok(()) };
        let fits = *size >= self.types().node(node).size && term.offset == 0;
        if !fits || site.0.is_empty() || self.site_types.contains_key(site) {
            return Ok(());
        }
        self.site_types.insert(site.clone(), node);
        Err(Stop::Restart)
    }

    fn binary(
        &mut self,
        state: &mut State,
        inst: &Inst,
        (op, ty): (BinaryOp, Ty),
        lhs: Operand,
        rhs: Operand,
    ) -> Value {
        if !ty.is_int() || ty == Ty::I128 || ty == Ty::I1 {
            self.blur(state, inst);
            return Value::Unknown;
        }
        let (a, b) = (self.term(state, lhs), self.term(state, rhs));
        match self.values().binary(op, ty, a, b) {
            Value::Unknown => {
                self.blur(state, inst);
                let (a, b) = (self.term(state, lhs), self.term(state, rhs));
                self.values().bounds_of_bits(op, ty, a, b)
            }
            value => value,
        }
    }

    fn compare(&mut self, state: &mut State, op: CompareOp, ty: Ty, lhs: Operand, rhs: Operand) -> Value {
        if ty.is_float() || ty == Ty::I128 {
            return Value::Unknown;
        }
        // A truth value that went through an integer.
        if let (Value::Test(lit), Operand::Int(value)) = (self.operand(state, lhs), rhs) {
            return match (op, value) {
                (CompareOp::Ne, 0) | (CompareOp::Eq, 1) => Value::Test(lit),
                (CompareOp::Eq, 0) | (CompareOp::Ne, 1) => Value::Test(!lit),
                _ => Value::Unknown,
            };
        }
        let (a, b) = (self.term(state, lhs), self.term(state, rhs));
        self.values().compare(op, ty, a, b)
    }
}
