//! Instructions: scalars are exact bit-vectors, and memory is encoded as in [`crate::ssa::memory::access`].

use cairn_ir::inst::{BitRange, Local};
use cairn_ir::{CheckKind, ConvertOp, Inst, Loc, Operand, Ty};
use cairn_smt::Term;

use crate::reason::Reason;
use crate::ssa::builder::{Builder, Calls, Failure, Operation, State};
use crate::ssa::knowledge::{Part, Place};
use crate::ssa::memory::access::Access;
use crate::ssa::value::Value;
use cairn_memory::scalar::{float_terms, terms as scalar_terms};

impl Builder<'_, '_> {
    /// Returns the value of an operand.
    pub(in crate::ssa) fn operand(&mut self, state: &mut State, operand: Operand, ty: Ty) -> Value {
        let width = ty.bits(self.program.target);
        match operand {
            Operand::Reg(reg) => match &state.regs[reg.index()] {
                Some(value) => value.clone(),
                None => {
                    let value = Value::anything(&mut self.terms, "uninitialised", width);
                    state.regs[reg.index()] = Some(value.clone());
                    value
                }
            },
            Operand::Int(bits) => {
                let bits = self.terms.constant(i128::from(bits) as u128, width);
                Value::integer(bits)
            }
            Operand::Wide(id) => Value::integer(self.terms.constant(self.program.wide[id.index()], width)),
            Operand::Slot(slot) => {
                let object = self.slot_object(slot);
                self.address(object)
            }
            Operand::Global(id) => {
                let object = self.global_object(id.index());
                self.address(object)
            }
            Operand::Function(id) => {
                let object = self.function_object(id.index());
                self.address(object)
            }
            Operand::Label(_) => self.unknown_pointer(),
        }
    }

    /// Returns the value of an operand as an integer.
    fn number_of(&mut self, state: &mut State, operand: Operand, ty: Ty) -> Term {
        self.operand(state, operand, ty).number(&mut self.terms)
    }

    fn set(&mut self, state: &mut State, dst: cairn_ir::Reg, value: Value, loc: Loc) {
        let frame = self.frames.last().expect("a function is being inlined");
        if let Some(name) = frame.body.regs[dst.index()].name.clone() {
            self.define_value(format!("{name}_{}", loc.line), &value);
        }
        state.regs[dst.index()] = Some(value);
    }

    /// Assigns the result of an instruction, if it has a destination.
    pub(in crate::ssa) fn finish(
        &mut self,
        mut state: State,
        dst: Option<cairn_ir::Reg>,
        value: Value,
        loc: Loc,
    ) -> State {
        if let Some(dst) = dst {
            self.set(&mut state, dst, value, loc);
        }
        state
    }

    /// Encodes an instruction. Returns the state after it; `None` if no execution continues.
    pub(in crate::ssa) fn instruction(
        &mut self,
        mut state: State,
        inst: &Inst,
        loc: Loc,
        place: Place,
    ) -> Result<Option<State>, Failure> {
        let target = self.program.target;
        match *inst {
            Inst::Move { dst, src } => {
                let frame = self.frames.last().expect("a function is being inlined");
                let ty = frame.body.regs[dst.index()].ty;
                match src {
                    Operand::Reg(reg) if state.regs[reg.index()].is_none() => state.regs[dst.index()] = None,
                    _ => {
                        let value = self.operand(&mut state, src, ty);
                        self.set(&mut state, dst, value, loc);
                    }
                }
            }
            Inst::Undef { dst } => state.regs[dst.index()] = None,
            // Templates do not answer checks of initialisation.
            Inst::Use { .. } => {}
            Inst::Unary { op, ty, dst, src } => {
                let value = self.number_of(&mut state, src, ty);
                let result = scalar_terms::unary(&mut self.terms, target, op, ty, value);
                self.set(&mut state, dst, Value::integer(result), loc);
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.number_of(&mut state, lhs, ty), self.number_of(&mut state, rhs, ty));
                let result = scalar_terms::binary(&mut self.terms, target, op, ty, a, b);
                self.set(&mut state, dst, Value::integer(result), loc);
            }
            Inst::Divide { op, ty, dst, lhs, rhs, checks } => {
                let (a, b) = (self.number_of(&mut state, lhs, ty), self.number_of(&mut state, rhs, ty));
                let (defined, result) = scalar_terms::divide(&mut self.terms, op, a, b);
                self.require(&mut state, defined, CheckKind::DivisionByZero, checks, loc);
                self.set(&mut state, dst, Value::integer(result), loc);
            }
            Inst::Fits { op, ty, lhs, rhs, checks } => {
                let (a, b) = (self.number_of(&mut state, lhs, ty), self.number_of(&mut state, rhs, ty));
                let fits = scalar_terms::fits(&mut self.terms, op, a, b);
                self.require(&mut state, fits, CheckKind::Overflow, checks, loc);
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let (a, b) = (self.operand(&mut state, lhs, ty), self.operand(&mut state, rhs, ty));
                let result = self.compare(&state, op, ty, &a, &b);
                self.set(&mut state, dst, Value::integer(result), loc);
            }
            Inst::Convert { op, from, to, dst, src } => {
                let value = self.operand(&mut state, src, from);
                let result = self.convert(op, from, to, &value);
                self.set(&mut state, dst, result, loc);
            }
            Inst::PtrAdd { dst, base, index, scale } => {
                let base = self.operand(&mut state, base, Ty::Ptr);
                let int = Ty::int(self.pointer_bits).unwrap_or(Ty::I64);
                let index = self.number_of(&mut state, index, int);
                let distance = self.terms.scale(index, i128::from(scale) as u128);
                let result = match self.terms.as_const(distance) {
                    Some(distance) => self.moved(&base, distance as i64),
                    None => self.moved_somewhere(&base, distance),
                };
                self.set(&mut state, dst, result, loc);
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                let (a, b) = (self.operand(&mut state, lhs, Ty::Ptr), self.operand(&mut state, rhs, Ty::Ptr));
                let near = self.in_one_object(&a, &b);
                let difference = self.terms.sub(a.bits, b.bits);
                let anything = self.terms.variable("distance", self.pointer_bits);
                let result = self.terms.ite(near, difference, anything);
                self.set(&mut state, dst, Value::integer(result), loc);
            }
            Inst::Load { dst, ty, addr, offset, checks } => {
                let base = self.operand(&mut state, addr, Ty::Ptr);
                let pointer = self.moved(&base, offset);
                let len = ty.bytes(target);
                let bytes = self.terms.constant(u128::from(len), self.pointer_bits);
                let pointer = self.check_access(&mut state, &pointer, bytes, Access::Read, checks, loc);
                let value = self.read(&mut state, &pointer, len);
                self.pointer_at(&pointer, ty);
                let value = if ty == Ty::Ptr { value } else { Value::integer(value.number(&mut self.terms)) };
                self.set(&mut state, dst, value, loc);
            }
            Inst::Store { ty, addr, offset, src, checks } => {
                let base = self.operand(&mut state, addr, Ty::Ptr);
                let pointer = self.moved(&base, offset);
                let value = self.operand(&mut state, src, ty);
                let bytes = self.terms.constant(u128::from(ty.bytes(target)), self.pointer_bits);
                let pointer = self.check_access(&mut state, &pointer, bytes, Access::Write, checks, loc);
                self.write(&mut state, &pointer, &value);
                self.pointer_at(&pointer, ty);
                self.define_write(&state, &pointer, loc.line);
            }
            Inst::LoadBits { dst, ty, addr, offset, bits, signed, checks } => {
                let base = self.operand(&mut state, addr, Ty::Ptr);
                let pointer = self.moved(&base, offset);
                let len = window(bits);
                let bytes = self.terms.constant(u128::from(len), self.pointer_bits);
                let pointer = self.check_access(&mut state, &pointer, bytes, Access::Read, checks, loc);
                let whole = self.read(&mut state, &pointer, u64::from(len)).number(&mut self.terms);
                let part = self.terms.extract(whole, u32::from(bits.start), u32::from(bits.width));
                let value = self.terms.resize(part, ty.bits(target), signed);
                self.set(&mut state, dst, Value::integer(value), loc);
            }
            Inst::StoreBits { ty, addr, offset, bits, src, checks } => {
                let base = self.operand(&mut state, addr, Ty::Ptr);
                let pointer = self.moved(&base, offset);
                let value = self.number_of(&mut state, src, ty);
                let len = window(bits);
                let bytes = self.terms.constant(u128::from(len), self.pointer_bits);
                let pointer = self.check_access(&mut state, &pointer, bytes, Access::Write, checks, loc);
                let whole = self.read(&mut state, &pointer, u64::from(len)).number(&mut self.terms);
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
                self.write(&mut state, &pointer, &Value::integer(value));
            }
            Inst::Copy { dst, src, size, dst_checks, src_checks } => {
                let to = self.operand(&mut state, dst, Ty::Ptr);
                let from = self.operand(&mut state, src, Ty::Ptr);
                let bytes = self.terms.constant(u128::from(size), self.pointer_bits);
                let from = self.check_access(&mut state, &from, bytes, Access::Read, src_checks, loc);
                let to = self.check_access(&mut state, &to, bytes, Access::Write, dst_checks, loc);
                self.copy(&mut state, &to, &from, size);
            }
            Inst::Zero { dst, offset, size } => {
                let base = self.operand(&mut state, dst, Ty::Ptr);
                let pointer = self.moved(&base, offset);
                self.overwrite(&mut state, &pointer, Some(size), Some(0));
            }
            Inst::Enter(Local::Reg(reg)) | Inst::Leave(Local::Reg(reg)) => state.regs[reg.index()] = None,
            Inst::Enter(Local::Slot(slot)) => {
                let object = self.slot_object(slot);
                self.begin_slot(&mut state, object);
            }
            Inst::EnterVla { slot, size } => {
                let int = Ty::int(self.pointer_bits).unwrap_or(Ty::I64);
                let size = self.number_of(&mut state, size, int);
                let object = self.slot_object(slot);
                // The slot itself has no static size.
                self.knowledge.forget_size(object);
                self.begin_slot(&mut state, object);
                let number = self.numbers(object)[0];
                self.set_cell(&mut state, object, (number, Part::Size), Value::integer(size));
            }
            Inst::Leave(Local::Slot(slot)) => {
                let object = self.slot_object(slot);
                self.end_slot(&mut state, object);
            }
            Inst::Call(ref call) => return self.call(state, call, loc, place),
            Inst::Intrinsic { op, dst, ref args, checks } => {
                return Ok(self.intrinsic(state, op, args, Operation { dst, checks, loc, place }));
            }
            Inst::Unsupported { ref what, .. } => {
                self.incomplete(&state, Reason::UnsupportedConstruct(what.to_string()), loc);
                return Ok(None);
            }
        }
        Ok(Some(state))
    }

    /// Records the parts of objects that are accessed as pointers.
    ///
    /// The resulting points-to rows cost queries, so this is limited to programs with summaries, where integers are
    /// passed between functions.
    fn pointer_at(&mut self, pointer: &Value, ty: Ty) {
        if ty == Ty::Ptr && (self.calls == Calls::Summaries || self.knowledge.is_recursive()) {
            for spot in self.spots(pointer) {
                if let Some(at) = spot.constant {
                    self.knowledge.set_pointer(spot.object, at);
                }
            }
        }
    }

    fn convert(&mut self, op: ConvertOp, from: Ty, to: Ty, value: &Value) -> Value {
        let width = to.bits(self.program.target);
        let number = match op {
            ConvertOp::IntToPtr => return Value { bits: value.bits, object: Some(value.pointee(&mut self.terms)) },
            _ => value.number(&mut self.terms),
        };
        Value::integer(match op {
            ConvertOp::Trunc => self.terms.extract(number, 0, width),
            ConvertOp::ZExt => self.terms.zext(number, width),
            ConvertOp::SExt => self.terms.sext(number, width),
            ConvertOp::PtrToInt => number,
            _ => float_terms::convert(&mut self.terms, op, from, to, self.program.target, number),
        })
    }
}

/// Returns the number of bytes that a bit-field spans.
fn window(bits: BitRange) -> u32 {
    (u32::from(bits.start) + u32::from(bits.width)).div_ceil(8)
}
