//! The operations outside of the inner loop: wide and rare types, bit-fields and aggregates.

use cairn_ir::inst::ConvertOp;
use cairn_ir::{CheckKind, Ty};

use crate::arithmetic::definedness::{self, Scalar};
use crate::arithmetic::value::Value;
use crate::run::machine::{Machine, Step};
use crate::translate::op::{At, SlowOp};
use cairn_memory::Pointer;

impl Machine<'_> {
    /// Executes an entry of the table of slow operations.
    pub fn slow(&mut self, index: u32) -> Step {
        let code = self.code;
        let target = self.program.target;
        match &code.slow[index as usize] {
            SlowOp::Unary { op, ty, dst, src } => {
                let value = self.read_scalar(*src, *ty);
                self.write_scalar(*dst, *ty, definedness::unary(*op, *ty, ty.bits(target), value));
            }
            SlowOp::Binary { op, ty, dst, a, b } => {
                let (a, b) = (self.read_scalar(*a, *ty), self.read_scalar(*b, *ty));
                self.write_scalar(*dst, *ty, definedness::binary(*op, *ty, ty.bits(target), a, b));
            }
            SlowOp::Divide { op, ty, dst, a, b } => {
                let (a, b) = (self.read_scalar(*a, *ty), self.read_scalar(*b, *ty));
                let result = self.divide(*op, ty.bits(target), a, b)?;
                self.write_scalar(*dst, *ty, result);
            }
            SlowOp::Fits { op, ty, a, b } => {
                let (a, b) = (self.read_scalar(*a, *ty), self.read_scalar(*b, *ty));
                if self.is_representative() && !(a.is_defined() && b.is_defined()) {
                    return Err(self.uninitialised("operand of an operation that may overflow"));
                }
                // An uninitialised operand has no value that could make the result too large.
                if let (Some(a), Some(b)) = (a.known(), b.known())
                    && !crate::arithmetic::fits(*op, ty.bits(target), a, b)
                {
                    let message = crate::arithmetic::describe_overflow(*op, ty.bits(target), a, b);
                    return Err(self.fault(CheckKind::Overflow, message));
                }
            }
            SlowOp::Compare { op, ty, dst, a, b } => {
                let (a, b) = (self.read_scalar(*a, *ty), self.read_scalar(*b, *ty));
                self.write_scalar(*dst, Ty::I1, definedness::compare(*op, *ty, ty.bits(target), a, b));
            }
            SlowOp::Convert { op, from, to, dst, src } => {
                let value = self.read_scalar(*src, *from);
                let (from, to_bits) = ((*from, from.bits(target)), (*to, to.bits(target)));
                self.write_scalar(*dst, *to, definedness::convert(*op, from, to_bits, value));
            }
            SlowOp::PtrAdd { dst, base, index, scale } => {
                let index = self.read_scalar(*index, Ty::I64);
                self.add_to_pointer(*dst, *base, index, *scale);
            }
            SlowOp::ComparePointers { op, dst, a, b } => self.compare_pointers(*op, *dst, *a, *b),
            SlowOp::PtrSub { dst, a, b } => self.subtract_pointers(*dst, *a, *b),
            SlowOp::PtrToInt { dst, src } => self.number_of_pointer(*dst, *src),
            SlowOp::MoveWide { dst, src } => {
                let (low, high) = (self.get(*src), self.get(*src + 1));
                self.set(*dst, low);
                self.set(*dst + 1, high);
            }
            SlowOp::Use { ty, src, is_argument } => {
                let unset = Scalar::unset(ty.bits(target)).undefined;
                if self.read_scalar(*src, *ty).undefined == unset {
                    let message = match is_argument {
                        true => "argument of a call is uninitialised",
                        false => "read of a local variable that is uninitialised",
                    };
                    return Err(self.fault(CheckKind::Uninitialised, message.to_owned()));
                }
            }
            SlowOp::UndefWide { dst } => {
                let value = self.unassigned(128);
                self.set(*dst, value);
                self.set(*dst + 1, value);
            }
            SlowOp::Load { dst, ty, addr, offset } => {
                let address = self.get(*addr).pointer().plus(*offset as u64);
                if *ty == Ty::Ptr {
                    let value = self.load_pointer(address)?;
                    self.set(*dst, value);
                    return Ok(());
                }
                let value = self.load(address, *ty)?;
                self.write_scalar(*dst, *ty, value);
            }
            SlowOp::Store { ty, addr, offset, src } => {
                let address = self.get(*addr).pointer().plus(*offset as u64);
                if *ty == Ty::Ptr {
                    let value = self.get(*src);
                    return self.store_pointer(address, value);
                }
                self.store(address, *ty, self.read_scalar(*src, *ty))?;
            }
            SlowOp::LoadBits { dst, ty, addr, offset, bits, signed } => {
                let address = self.get(*addr).pointer().plus(*offset as u64);
                let (start, width) = (u32::from(bits.start), u32::from(bits.width));
                let touched = u64::from((start + width).div_ceil(8));
                let (bits, undefined) = match self.memory.read(address, touched) {
                    Ok((bytes, at)) => bytes.load_bits(at, start, width),
                    Err(fault) => return Err(self.memory_fault(fault, address)),
                };
                let op = if *signed { ConvertOp::SExt } else { ConvertOp::ZExt };
                let (from, to) = ((*ty, width), (*ty, ty.bits(target)));
                let value = definedness::convert(op, from, to, Scalar { bits: bits & !undefined, undefined });
                self.write_scalar(*dst, *ty, value);
            }
            SlowOp::StoreBits { ty, addr, offset, bits, src } => {
                let address = self.get(*addr).pointer().plus(*offset as u64);
                let (start, width) = (u32::from(bits.start), u32::from(bits.width));
                let touched = u64::from((start + width).div_ceil(8));
                let value = self.read_scalar(*src, *ty);
                match self.memory.write(address, touched) {
                    Ok((bytes, at)) => bytes.store_bits(at, start, width, value.bits, value.undefined),
                    Err(fault) => return Err(self.memory_fault(fault, address)),
                }
            }
            SlowOp::Copy { dst, src, size, src_checks } => {
                let (to, from) = (self.get(*dst).pointer(), self.get(*src).pointer());
                if *size == 0 {
                    return Ok(());
                }
                if let Err(fault) = self.memory.read(from, *size) {
                    return Err(self.memory_fault_with(fault, from, *src_checks));
                }
                if let Err(fault) = self.memory.copy(to, from, *size) {
                    return Err(self.memory_fault(fault, to));
                }
            }
            SlowOp::Zero { dst, offset, size } => {
                let address = self.get(*dst).pointer().plus(*offset as u64);
                self.fill(address, 0, 0, *size)?;
            }
            SlowOp::EnterVla { slot, size } => {
                let size = self.get(*size);
                if size.is_undefined() {
                    return Err(self.uninitialised("size of a variable-length array"));
                }
                self.enter_vla(*slot, size.bits)?;
            }
            SlowOp::Intrinsic { op, dst, ty, args } => self.intrinsic(*op, *dst, *ty, args)?,
            SlowOp::Unsupported { what } => {
                return Err(self.fault(CheckKind::Unsupported, format!("{what} is not supported")));
            }
        }
        Ok(())
    }

    /// Loads a scalar that is not a pointer.
    pub fn load(&self, address: Pointer, ty: Ty) -> Step<Scalar> {
        let size = ty.bytes(self.program.target);
        match self.memory.read(address, size) {
            Ok((bytes, at)) => {
                let (bits, undefined) = bytes.load_bits(at, 0, (size as u32 * 8).min(128));
                Ok(Scalar { bits: bits & !undefined, undefined })
            }
            Err(fault) => Err(self.memory_fault(fault, address)),
        }
    }

    /// Stores a scalar that is not a pointer.
    pub fn store(&mut self, address: Pointer, ty: Ty, value: Scalar) -> Step {
        let size = ty.bytes(self.program.target);
        match self.memory.write(address, size) {
            Ok((bytes, at)) => {
                bytes.store_bits(at, 0, (size as u32 * 8).min(128), value.bits, value.undefined);
                Ok(())
            }
            Err(fault) => Err(self.memory_fault(fault, address)),
        }
    }

    /// Loads a pointer of the target's width.
    pub fn load_pointer(&self, address: Pointer) -> Step<Value> {
        let (loaded, size) = match self.program.target.pointer_bits() {
            32 => (self.memory.load_pointer::<4>(address, 0), 4),
            _ => (self.memory.load_pointer::<8>(address, 0), 8),
        };
        match loaded {
            Some((pointer, 0)) => Ok(pointer.into()),
            Some((pointer, undefined)) => Ok(Value::partly(pointer.address, undefined)),
            None => {
                let fault = self.memory.explain(address, 0, size, cairn_memory::Access::Read);
                Err(self.memory_fault(fault, address))
            }
        }
    }

    /// Stores a pointer of the target's width.
    pub fn store_pointer(&mut self, address: Pointer, value: Value) -> Step {
        if value.is_undefined() {
            let (bits, undefined) = value.parts();
            return self.store(address, Ty::Ptr, Scalar { bits: bits.into(), undefined: undefined.into() });
        }
        let (stored, size) = match self.program.target.pointer_bits() {
            32 => (self.memory.store_pointer::<4>(address, 0, value.pointer()), 4),
            _ => (self.memory.store_pointer::<8>(address, 0, value.pointer()), 8),
        };
        if stored.is_none() {
            let fault = self.memory.explain(address, 0, size, cairn_memory::Access::Write);
            return Err(self.memory_fault(fault, address));
        }
        Ok(())
    }

    /// Sets bytes to one value, with a mask of the uninitialised bits.
    pub fn fill(&mut self, address: Pointer, value: u8, undefined: u8, size: u64) -> Step {
        if size == 0 {
            return Ok(());
        }
        match self.memory.write(address, size) {
            Ok((bytes, at)) => {
                bytes.fill(at, size as usize, value, undefined);
                Ok(())
            }
            Err(fault) => Err(self.memory_fault(fault, address)),
        }
    }

    /// Reads bytes that must be initialised; `what` names them in the message.
    pub fn read_bytes(&self, address: Value, size: u64, what: &str) -> Step<Vec<u8>> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let pointer = address.pointer();
        match self.memory.read(pointer, size) {
            Ok((bytes, at)) => {
                if let Some(first) = bytes.first_undefined(at, size as usize) {
                    return Err(self.uninitialised(&format!("byte {first} of {what}")));
                }
                Ok(bytes.data(at, size as usize).to_vec())
            }
            Err(fault) => Err(self.memory_fault(fault, pointer)),
        }
    }

    /// Writes initialised bytes.
    pub fn write_bytes(&mut self, address: Value, data: &[u8]) -> Step {
        if data.is_empty() {
            return Ok(());
        }
        let pointer = address.pointer();
        match self.memory.write(pointer, data.len() as u64) {
            Ok((bytes, at)) => {
                bytes.write(at, data);
                Ok(())
            }
            Err(fault) => Err(self.memory_fault(fault, pointer)),
        }
    }

    /// Returns the length of a string of elements of `width` bytes.
    ///
    /// After `limit` elements the search ends, and no terminator is needed.
    pub fn string_length(&self, address: Value, width: u64, limit: u64) -> Step<u64> {
        let pointer = address.pointer();
        if limit == 0 {
            return Ok(0);
        }
        let (bytes, start) = match self.memory.read(pointer, width) {
            Ok(view) => view,
            Err(fault) => return Err(self.memory_fault(fault, pointer)),
        };
        let step = width as usize;
        let mut count = 0u64;
        let mut at = start;
        while count < limit {
            let element = bytes.data(at, step);
            if element.len() < step {
                let fault = self.memory.explain(pointer, (at - start) as i64, width, cairn_memory::Access::Read);
                return Err(self.memory_fault(fault, pointer));
            }
            // One initialised bit that is set shows that the string continues.
            if element.iter().enumerate().all(|(i, &b)| b & bytes.defined_bits(at + i) == 0) {
                if bytes.first_undefined(at, step).is_some() {
                    return Err(self.uninitialised(&format!("byte {} of a string", at - start)));
                }
                break;
            }
            count += 1;
            at += step;
        }
        Ok(count)
    }

    /// Returns an argument that must be initialised.
    pub fn defined(&self, at: At, what: &str) -> Step<u64> {
        let value = self.get(at);
        if value.is_undefined() { Err(self.uninitialised(what)) } else { Ok(value.bits) }
    }
}
