//! The operations of the inner loop for operands that are partly uninitialised.
//!
//! The inner loop leaves to here when it meets such an operand. Initialised values, which are nearly all, thus cost a
//! single test.

use cairn_ir::inst::{BinaryOp, CompareOp, ConvertOp, DivideOp};
use cairn_ir::{CheckKind, Ty};

use crate::arithmetic::definedness::{self, Scalar};
use crate::arithmetic::value::Value;
use crate::run::machine::{Machine, Step, Trap};
use crate::translate::op::{At, Op, SwitchTable};

impl Machine<'_> {
    /// Executes the current operation with partly uninitialised operands.
    pub fn partly_initialised(&mut self) -> Step {
        let Some(&op) = self.code.ops.get(self.current() as usize) else { return Ok(()) };
        let pointer_bits = self.program.target.pointer_bits();
        let word = if pointer_bits == 32 { Ty::I32 } else { Ty::I64 };
        let width = |shift: u8| 64 - u32::from(shift);
        match op {
            Op::Add32 { dst, a, b } => self.binary(BinaryOp::Add, Ty::I32, dst, a, b),
            Op::Sub32 { dst, a, b } => self.binary(BinaryOp::Sub, Ty::I32, dst, a, b),
            Op::Mul32 { dst, a, b } => self.binary(BinaryOp::Mul, Ty::I32, dst, a, b),
            Op::Shl32 { dst, a, b } => self.binary(BinaryOp::Shl, Ty::I32, dst, a, b),
            Op::LShr32 { dst, a, b } => self.binary(BinaryOp::LShr, Ty::I32, dst, a, b),
            Op::AShr32 { dst, a, b } => self.binary(BinaryOp::AShr, Ty::I32, dst, a, b),
            // Narrower operands are zero-extended, and so is the result.
            Op::And { dst, a, b } => self.binary(BinaryOp::And, Ty::I64, dst, a, b),
            Op::Or { dst, a, b } => self.binary(BinaryOp::Or, Ty::I64, dst, a, b),
            Op::Xor { dst, a, b } => self.binary(BinaryOp::Xor, Ty::I64, dst, a, b),
            Op::Add64 { dst, a, b } => self.binary(BinaryOp::Add, Ty::I64, dst, a, b),
            Op::Sub64 { dst, a, b } => self.binary(BinaryOp::Sub, Ty::I64, dst, a, b),
            Op::Mul64 { dst, a, b } => self.binary(BinaryOp::Mul, Ty::I64, dst, a, b),
            Op::Shl64 { dst, a, b } => self.binary(BinaryOp::Shl, Ty::I64, dst, a, b),
            Op::LShr64 { dst, a, b } => self.binary(BinaryOp::LShr, Ty::I64, dst, a, b),
            Op::AShr64 { dst, a, b } => self.binary(BinaryOp::AShr, Ty::I64, dst, a, b),
            Op::PtrSub { dst, a, b } => self.binary(BinaryOp::Sub, word, dst, a, b),
            Op::AddF64 { dst, .. } | Op::SubF64 { dst, .. } | Op::MulF64 { dst, .. } | Op::DivF64 { dst, .. } => {
                self.set(dst, Value::unset(64));
            }
            Op::AddF32 { dst, .. } | Op::SubF32 { dst, .. } | Op::MulF32 { dst, .. } | Op::DivF32 { dst, .. } => {
                self.set(dst, Value::unset(32));
            }
            Op::Divide { op, bits, dst, a, b } => {
                let (a, b) = (self.scalar(a), self.scalar(b));
                let result = self.divide(op, bits.into(), a, b)?;
                self.set(dst, Value::partly(result.bits as u64, result.undefined as u64));
            }
            Op::SetEq { dst, a, b } => self.compare(CompareOp::Eq, 64, dst, a, b),
            Op::SetNe { dst, a, b } => self.compare(CompareOp::Ne, 64, dst, a, b),
            Op::SetULt { dst, a, b } => self.compare(CompareOp::ULt, 64, dst, a, b),
            Op::SetULe { dst, a, b } => self.compare(CompareOp::ULe, 64, dst, a, b),
            Op::SetSLt { shift, dst, a, b } => self.compare(CompareOp::SLt, width(shift), dst, a, b),
            Op::SetSLe { shift, dst, a, b } => self.compare(CompareOp::SLe, width(shift), dst, a, b),
            Op::SetF64 { dst, .. } => self.set(dst, Value::unset(1)),
            Op::SExt { up, down, dst, src } => {
                let (from, to) = ((Ty::I64, width(up)), (Ty::I64, width(down)));
                self.convert(ConvertOp::SExt, from, to, dst, src);
            }
            Op::Trunc { drop, dst, src } => {
                self.convert(ConvertOp::Trunc, (Ty::I64, 64), (Ty::I64, width(drop)), dst, src);
            }
            Op::SIntToF64 { dst, .. } => self.set(dst, Value::unset(64)),
            Op::PtrToInt { dst, src } => self.set(dst, self.get(src)),
            Op::PtrAdd { scale, dst, base, index } => {
                self.add_to_pointer(dst, base, self.scalar(index), i64::from(scale));
            }
            Op::PtrOffset { dst, base, offset } => {
                self.add_to_pointer(dst, base, Scalar::defined(1), i64::from(offset));
            }
            Op::JumpEq { a, b, to } => return self.jump_where(CompareOp::Eq, 64, a, b, to),
            Op::JumpNe { a, b, to } => return self.jump_where(CompareOp::Ne, 64, a, b, to),
            Op::JumpULt { a, b, to } => return self.jump_where(CompareOp::ULt, 64, a, b, to),
            Op::JumpULe { a, b, to } => return self.jump_where(CompareOp::ULe, 64, a, b, to),
            Op::JumpSLt { shift, a, b, to } => return self.jump_where(CompareOp::SLt, width(shift), a, b, to),
            Op::JumpSLe { shift, a, b, to } => return self.jump_where(CompareOp::SLe, width(shift), a, b, to),
            Op::Switch { value, table } => {
                let value = self.scalar(value);
                let to = self.code.switches.get(table as usize).and_then(|table| target(table, value));
                let from = self.current();
                self.jump_to(to.ok_or_else(|| self.undecided())?)?;
                if self.recorder.is_some() {
                    self.note_switch(from);
                }
                return Ok(());
            }
            // The remaining operations jump on a single bit, or have no operand that could lead here.
            _ => return Err(self.undecided()),
        }
        if self.recorder.is_some() {
            self.log_result();
        }
        Ok(())
    }

    /// Divides; the result is uninitialised unless both operands are initialised.
    pub fn divide(&self, op: DivideOp, width: u32, a: Scalar, b: Scalar) -> Step<Scalar> {
        let fails = match (a.known(), b.known()) {
            (Some(a), Some(b)) => match crate::arithmetic::divide(op, width, a, b) {
                Some(result) => return Ok(Scalar::defined(result)),
                None => true,
            },
            _ if self.is_representative() => return Err(self.uninitialised("operand of a division")),
            // An uninitialised operand has no value that could make the division fail.
            (_, divisor) => divisor == Some(0),
        };
        if fails {
            return Err(self.fault(CheckKind::DivisionByZero, DIVISION_FAILS.to_owned()));
        }
        Ok(Scalar::unset(width))
    }

    /// Computes `base + index * scale`.
    pub fn add_to_pointer(&mut self, dst: At, base: At, index: Scalar, scale: i64) {
        let width = self.program.target.pointer_bits();
        let ty = if width == 32 { Ty::I32 } else { Ty::I64 };
        let scale = Scalar::defined(crate::arithmetic::truncate(scale as i128 as u128, width));
        let distance = definedness::binary(BinaryOp::Mul, ty, width, index, scale);
        let sum = definedness::binary(BinaryOp::Add, ty, width, self.scalar(base), distance);
        let pointer = self.get(base);
        let value = match sum.known() {
            Some(bits) if pointer.object() == 0 => self.memory.find(bits as u64).into(),
            Some(bits) => pointer.at(bits as u64, Value::int(0)),
            None => Value::partly(sum.bits as u64, sum.undefined as u64),
        };
        self.set(dst, value);
    }

    fn scalar(&self, at: At) -> Scalar {
        let (bits, undefined) = self.get(at).parts();
        Scalar { bits: bits.into(), undefined: undefined.into() }
    }

    fn binary(&mut self, op: BinaryOp, ty: Ty, dst: At, a: At, b: At) {
        let width = ty.bits(self.program.target);
        let result = definedness::binary(op, ty, width, self.scalar(a), self.scalar(b));
        self.set(dst, Value::partly(result.bits as u64, result.undefined as u64));
    }

    fn compare(&mut self, op: CompareOp, width: u32, dst: At, a: At, b: At) {
        let result = definedness::compare(op, Ty::I64, width, self.scalar(a), self.scalar(b));
        self.set(dst, Value::partly(result.bits as u64, result.undefined as u64));
    }

    fn convert(&mut self, op: ConvertOp, from: (Ty, u32), to: (Ty, u32), dst: At, src: At) {
        let result = definedness::convert(op, from, to, self.scalar(src));
        self.set(dst, Value::partly(result.bits as u64, result.undefined as u64));
    }

    fn jump_where(&mut self, op: CompareOp, width: u32, a: At, b: At, to: u32) -> Step {
        let result = definedness::compare(op, Ty::I64, width, self.scalar(a), self.scalar(b));
        let taken = result.known().ok_or_else(|| self.undecided())? != 0;
        let from = self.current();
        if taken {
            self.jump_to(to)?;
        }
        if self.recorder.is_some() {
            self.note_branch(from, taken);
        }
        Ok(())
    }

    fn jump_to(&mut self, to: u32) -> Step {
        self.position = to;
        if self.steps >= self.max_steps { Err(self.out_of_steps()) } else { Ok(()) }
    }

    /// Creates the fault for a branch that depends on uninitialised bits.
    fn undecided(&self) -> Trap {
        self.fault(CheckKind::Uninitialised, "branch depends on an uninitialised value".to_owned())
    }
}

/// The message for a division that fails.
pub(crate) const DIVISION_FAILS: &str = "division by zero or quotient overflow";

/// Returns the target of a switch; `None` if it depends on uninitialised bits.
fn target(table: &SwitchTable, value: Scalar) -> Option<u32> {
    for &(low, high, to) in &table.ranges {
        if definedness::within(value, table.bits, table.signed, (low, high))? {
            return Some(to);
        }
    }
    Some(table.default)
}
