//! Strongest postconditions from a cut-point to the next ones (papers/shape-neutral, Figure 1a): one instruction after the other.

use cairn_ir::inst::DivideOp;
use cairn_ir::{BinaryOp, CompareOp, ConvertOp, Inst, Loc, Operand, Reg, Ty};
use cairn_rules::{Lit, Term};

use super::checker::{Checker, Flow, NULL_PAGE, Stop};
use super::state::{Origin, Reach, Site, State, Value};

impl<'p> Checker<'_, 'p> {
    /// The value of an operand.
    pub fn operand(&mut self, state: &mut State, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => state.frame().regs[reg.index()],
            Operand::Int(value) => Value::Term(Term::constant(value)),
            Operand::Slot(slot) => Value::Term(state.frame().slots[slot.index()]),
            Operand::Global(_) | Operand::Function(_) | Operand::Label(_) => self.fixed(operand),
            Operand::Wide(_) => Value::Unknown,
        }
    }

    /// The address of something that is always there. What is known of it is assumed at each use: what was assumed on another
    /// path is gone.
    pub fn fixed(&mut self, operand: Operand) -> Value {
        let global = match operand {
            Operand::Global(id) => Some(&self.program.globals[id.index()]),
            _ => None,
        };
        let node = global.and_then(|global| global.ctype).and_then(|ty| self.types.of(ty));
        let term = match self.statics.get(&operand) {
            Some(&term) => term,
            None => {
                let mut origin = Origin::unknown();
                origin.hint = node;
                origin.owned = true;
                if let (Some(global), None) = (global, node) {
                    origin.block = Some((Some(global.size), Site(Vec::new())));
                }
                let term = self.variable(origin);
                self.statics.insert(operand, term);
                term
            }
        };
        if global.is_some() {
            let fixed = self.solver.constraint(self.theory.fixed, &[term]);
            self.solver.assume(fixed);
        }
        let _ = self.assume_object(node, term);
        Value::Term(term)
    }

    /// A term for an operand: what is not known gets a name.
    pub fn integer(&mut self, state: &mut State, operand: Operand, _ty: Ty) -> Term {
        let value = self.operand(state, operand);
        match value {
            Value::Term(term) => term,
            Value::Test(lit) => match self.solver.value(lit) {
                Some(truth) => Term::constant(i64::from(truth)),
                None => {
                    let term = self.variable(Origin::unknown());
                    for bound in
                        [self.solver.at_most(Term::constant(0), term), self.solver.at_most(term, Term::constant(1))]
                    {
                        self.solver.assume(bound);
                    }
                    term
                }
            },
            Value::Unknown => {
                let mut origin = Origin::unknown();
                let Operand::Reg(reg) = operand else { return self.variable(origin) };
                let declared = self.body(state.frame().function).and_then(|body| body.ctypes.reg(reg));
                // A pointer to data that went through a loop points anywhere into its array.
                let data = self.pointee(declared).map(|node| self.types.node(node));
                origin.foreign = data.is_some_and(|node| node.scalar && !node.has_links(self.types));
                origin.opaque = origin.foreign;
                let term = self.variable(origin);
                state.frame_mut().regs[reg.index()] = Value::Term(term);
                term
            }
        }
    }

    /// An instruction.
    pub fn inst(&mut self, state: &mut State, inst: &'p Inst, loc: Loc) -> Flow {
        match inst {
            Inst::Move { dst, src } => {
                let pointer =
                    self.body(state.frame().function).is_some_and(|body| body.regs[dst.index()].ty == Ty::Ptr);
                let value = match self.operand(state, *src) {
                    Value::Unknown if pointer => Value::Term(self.integer(state, *src, Ty::Ptr)),
                    value => value,
                };
                self.set(state, *dst, value)
            }
            Inst::Undef { dst } => self.set(state, *dst, Value::Unknown),
            Inst::Unary { dst, .. } => {
                self.blur(state, inst);
                self.set(state, *dst, Value::Unknown)
            }
            Inst::Divide { op, ty, dst, lhs, rhs, .. } => {
                self.blur(state, inst);
                let value = self.divide(state, *op, *ty, *lhs, *rhs);
                self.set(state, *dst, value)
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let mut value = self.binary(state, *op, *ty, *lhs, *rhs);
                if let Value::Unknown = value {
                    self.blur(state, inst);
                    value = self.bits(state, *op, *ty, *lhs, *rhs);
                }
                self.set(state, *dst, value)
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let value = self.compare(state, *op, *ty, *lhs, *rhs);
                self.set(state, *dst, value)
            }
            Inst::Convert { op, from, to, dst, src } => {
                let mut value = self.convert(state, *op, *to, *src);
                if let Value::Unknown = value {
                    self.blur(state, inst);
                    value = self.narrow(*op, *from, *to);
                }
                self.set(state, *dst, value)
            }
            Inst::PtrAdd { dst, base, index, scale } => {
                let base = self.integer(state, *base, Ty::Ptr);
                let index = self.integer(state, *index, Ty::I64);
                let term = self.offset(base, index, *scale);
                self.set(state, *dst, Value::Term(term))
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                let (lhs, rhs) = (self.integer(state, *lhs, Ty::Ptr), self.integer(state, *rhs, Ty::Ptr));
                let value = match self.solver.difference(lhs, rhs) {
                    Some(difference) => Value::Term(Term::constant(difference)),
                    None => Value::Unknown,
                };
                self.set(state, *dst, value)
            }
            Inst::Load { dst, ty, addr, offset, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let value = self.load(state, address, *ty, loc)?;
                self.set(state, *dst, value)
            }
            Inst::Store { ty, addr, offset, src, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let value = self.operand(state, *src);
                self.store(state, address, *ty, value, loc)
            }
            Inst::LoadBits { dst, addr, offset, bits, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let size = u64::from(bits.start) + u64::from(bits.width);
                self.region(state, address, size.div_ceil(8), loc)?;
                self.set(state, *dst, Value::Unknown)
            }
            Inst::StoreBits { addr, offset, bits, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let size = u64::from(bits.start) + u64::from(bits.width);
                self.scribble(state, address, size.div_ceil(8), loc)
            }
            Inst::Copy { dst, src, size, .. } => {
                let (dst, src) = (self.integer(state, *dst, Ty::Ptr), self.integer(state, *src, Ty::Ptr));
                self.copy(state, dst, src, *size, loc)
            }
            Inst::Zero { dst, offset, size } => {
                let address = self.integer(state, *dst, Ty::Ptr) + *offset;
                self.set_bytes(state, address, *size, true, loc)
            }
            Inst::Enter(local) => {
                match local {
                    cairn_ir::inst::Local::Reg(reg) => state.frame_mut().regs[reg.index()] = Value::Unknown,
                    cairn_ir::inst::Local::Slot(slot) => {
                        let address = state.frame().slots[slot.index()];
                        if let Some(node) = self.origin(address).and_then(|origin| origin.hint) {
                            self.wipe(state, address, node, false)?;
                        }
                    }
                }
                Ok(())
            }
            Inst::Leave(_) => Ok(()),
            Inst::EnterVla { .. } => {
                self.unknown("a variable-length array");
                Err(Stop::Done)
            }
            Inst::Call(call) => self.call(state, call, loc),
            Inst::Intrinsic { op, dst, args, .. } => self.intrinsic(state, *op, *dst, args, loc),
            Inst::Unsupported { what, .. } => {
                self.unknown(&format!("{what} is not supported"));
                Err(Stop::Done)
            }
        }
    }

    /// A result of which nothing is known was made of addresses: nobody knows where they go.
    pub fn blur(&mut self, state: &mut State, inst: &Inst) {
        let mut private = false;
        inst.for_operands(&mut |operand| {
            if let Operand::Reg(reg) = operand
                && let Value::Term(term) = state.frame().regs[reg.index()]
            {
                private |= self.reach(term) != Reach::Public;
            }
        });
        state.escaped |= private;
    }

    /// Assigns a register. A block without a type gets that of the variable it is put into.
    pub fn set(&mut self, state: &mut State, reg: Reg, value: Value) -> Flow {
        state.frame_mut().regs[reg.index()] = value;
        if let (Value::Term(term), Some(body)) = (value, self.body(state.frame().function)) {
            let node = self.pointee(body.ctypes.reg(reg));
            self.demand_link(term, node);
            self.demand(term, node)?;
        }
        Ok(())
    }

    pub fn binary(&mut self, state: &mut State, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Value {
        if !ty.is_int() || ty == Ty::I128 || ty == Ty::I1 {
            return Value::Unknown;
        }
        let (lhs, rhs) = (self.integer(state, lhs, ty), self.integer(state, rhs, ty));
        let constants = (self.solver.constant(lhs), self.solver.constant(rhs));
        let bits = ty.bits(self.program.target);
        let wrap = |value: i64| if bits >= 64 { value } else { (value << (64 - bits)) >> (64 - bits) };
        if let (Some(a), Some(b)) = constants {
            let amount = (b as u32) % bits.max(1);
            let unsigned = if bits >= 64 { a as u64 } else { (a as u64) & ((1 << bits) - 1) };
            return Value::Term(Term::constant(wrap(match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Shl => a.wrapping_shl(amount),
                BinaryOp::LShr => (unsigned >> amount) as i64,
                BinaryOp::AShr => a >> amount,
                BinaryOp::FDiv => return Value::Unknown,
            })));
        }
        let step = match (op, constants) {
            (BinaryOp::Add, (_, Some(b))) => Some((lhs, b)),
            (BinaryOp::Add, (Some(a), _)) => Some((rhs, a)),
            (BinaryOp::Sub, (_, Some(b))) => Some((lhs, b.wrapping_neg())),
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, (_, Some(mask))) => return self.tagged(op, lhs, mask),
            (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, (Some(mask), _)) => return self.tagged(op, rhs, mask),
            _ => None,
        };
        let Some((term, step)) = step else {
            return self.with_tag(op, lhs, rhs).unwrap_or(Value::Unknown);
        };
        if self.is_address(term) {
            // Addresses of nodes are far from where a sum wraps around.
            return if step.abs() < NULL_PAGE { Value::Term(term + step) } else { Value::Unknown };
        }
        let limit = if bits >= 63 { i64::MAX / 4 } else { (1 << (bits - 1)) - 1 };
        let wraps = if step >= 0 {
            !self.solver.at_most(term, Term::constant(limit.saturating_sub(step)))
        } else {
            !self.solver.at_most(Term::constant((-limit).saturating_sub(step)), term)
        };
        if self.prove(&[wraps]).is_ok() { Value::Term(term + step) } else { Value::Unknown }
    }

    pub fn compare(&mut self, state: &mut State, op: CompareOp, ty: Ty, lhs: Operand, rhs: Operand) -> Value {
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
        let (a, b) = (self.integer(state, lhs, ty), self.integer(state, rhs, ty));
        if ty == Ty::Ptr
            && let (false, Some(difference)) =
                (matches!(op, CompareOp::Eq | CompareOp::Ne), self.solver.difference(a, b))
        {
            // Addresses in one object are in the order of their offsets.
            let holds = match op {
                CompareOp::ULt | CompareOp::SLt => difference < 0,
                _ => difference <= 0,
            };
            return Value::Test(if holds { Lit::TRUE } else { Lit::FALSE });
        }
        Value::Test(match op {
            CompareOp::Eq => self.solver.equal(a, b),
            CompareOp::Ne => !self.solver.equal(a, b),
            CompareOp::SLt => self.solver.at_most(a + 1, b),
            CompareOp::SLe => self.solver.at_most(a, b),
            CompareOp::ULt | CompareOp::ULe if ty != Ty::Ptr => {
                // Signed and unsigned order agree where no sign is set.
                let signs = [a, b].map(|term| !self.solver.at_most(Term::constant(0), term));
                let signed = signs.into_iter().all(|sign| self.prove(&[sign]).is_ok());
                match (op, signed) {
                    (CompareOp::ULt, true) => self.solver.at_most(a + 1, b),
                    (_, true) => self.solver.at_most(a, b),
                    (CompareOp::ULt, false) => self.solver.constraint(self.theory.below, &[a, b]),
                    (_, false) => !self.solver.constraint(self.theory.below, &[b, a]),
                }
            }
            _ => return Value::Unknown,
        })
    }

    pub fn convert(&mut self, state: &mut State, op: ConvertOp, to: Ty, src: Operand) -> Value {
        let value = self.operand(state, src);
        match (op, value) {
            (ConvertOp::PtrToInt | ConvertOp::IntToPtr | ConvertOp::SExt, Value::Term(_)) => value,
            (ConvertOp::SExt, Value::Unknown) => Value::Term(self.integer(state, src, to)),
            (ConvertOp::ZExt, Value::Test(_)) => value,
            (ConvertOp::ZExt, Value::Term(term)) => {
                let negative = !self.solver.at_most(Term::constant(0), term);
                if self.prove(&[negative]).is_ok() { value } else { Value::Unknown }
            }
            (ConvertOp::Trunc, Value::Term(term)) => match self.solver.constant(term) {
                Some(constant) => {
                    let bits = to.bits(self.program.target);
                    Value::Term(Term::constant((constant << (64 - bits)) >> (64 - bits)))
                }
                None if self.is_address(term) => Value::Unknown,
                None => {
                    let most = (1_i64 << (to.bits(self.program.target).min(63) - 1)) - 1;
                    let small = self.solver.at_most(term, Term::constant(most));
                    let large = self.solver.at_most(Term::constant(-most - 1), term);
                    let fits = self.prove(&[!small]).is_ok() && self.prove(&[!large]).is_ok();
                    if fits { value } else { Value::Unknown }
                }
            },
            _ => Value::Unknown,
        }
    }

    /// An integer of which only bounds are known.
    fn between(&mut self, low: i64, high: i64) -> Value {
        let term = self.variable(Origin::unknown());
        for bound in [self.solver.at_most(Term::constant(low), term), self.solver.at_most(term, Term::constant(high))] {
            self.solver.assume(bound);
        }
        Value::Term(term)
    }

    /// What a conversion that changes the value leaves.
    fn narrow(&mut self, op: ConvertOp, from: Ty, to: Ty) -> Value {
        let bits = |ty: Ty| ty.bits(self.program.target);
        match op {
            ConvertOp::ZExt if from.is_int() && bits(from) <= 32 => self.between(0, (1 << bits(from)) - 1),
            ConvertOp::SExt if from.is_int() && bits(from) <= 32 => {
                self.between(-1 << (bits(from) - 1), (1 << (bits(from) - 1)) - 1)
            }
            ConvertOp::Trunc if (8..=16).contains(&bits(to)) => {
                self.between(-1 << (bits(to) - 1), (1 << (bits(to) - 1)) - 1)
            }
            _ => Value::Unknown,
        }
    }

    /// What masks and shifts leave.
    fn bits(&mut self, state: &mut State, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Value {
        if !ty.is_int() || ty == Ty::I128 || ty == Ty::I1 {
            return Value::Unknown;
        }
        let (lhs, rhs) = (self.integer(state, lhs, ty), self.integer(state, rhs, ty));
        let constants = (self.solver.constant(lhs), self.solver.constant(rhs));
        let bits = ty.bits(self.program.target);
        match (op, constants) {
            (BinaryOp::And, (Some(mask), _) | (_, Some(mask))) if mask >= 0 => self.between(0, mask),
            (BinaryOp::LShr, (_, Some(amount))) if (1..i64::from(bits)).contains(&amount) => {
                self.between(0, i64::MAX >> (63 - (i64::from(bits) - amount).min(63)))
            }
            _ => Value::Unknown,
        }
    }

    /// Quotients and remainders by a constant.
    fn divide(&mut self, state: &mut State, op: DivideOp, ty: Ty, lhs: Operand, rhs: Operand) -> Value {
        if ty == Ty::I128 {
            return Value::Unknown;
        }
        let (lhs, rhs) = (self.integer(state, lhs, ty), self.integer(state, rhs, ty));
        let Some(by) = self.solver.constant(rhs).filter(|&by| by > 0) else { return Value::Unknown };
        let negative = !self.solver.at_most(Term::constant(0), lhs);
        let positive = self.prove(&[negative]).is_ok();
        match op {
            DivideOp::URem => self.between(0, by - 1),
            DivideOp::SRem => self.between(if positive { 0 } else { 1 - by }, by - 1),
            DivideOp::UDiv | DivideOp::SDiv if positive => {
                let value = self.between(0, i64::MAX / by);
                if let Value::Term(quotient) = value {
                    let less = self.solver.at_most(quotient, lhs);
                    self.solver.assume(less);
                }
                value
            }
            _ => Value::Unknown,
        }
    }
}
