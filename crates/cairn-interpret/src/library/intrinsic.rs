//! Intrinsics: the heap, bulk memory operations, inputs and outputs.

use cairn_ir::inst::{MathFn, VariableClass};
use cairn_ir::{CheckKind, FuncId, Intrinsic, Ty};
use cairn_memory::scalar::float;

use crate::arithmetic;
use crate::arithmetic::definedness::Scalar;
use crate::arithmetic::value::Value;
use crate::run::image::INPUTS_USED_UP;
use crate::run::machine::{ClosureInfo, Machine, Step, Trap, bytes_text};
use crate::trace::TraceKind;
use crate::translate::op::At;
use cairn_memory::store::Request;
use cairn_memory::{End, ObjectKind, Pointer};

/// The sign bit of an `int`.
const SIGN: u64 = 1 << 31;

/// Why an execution that meets one of several behaviours does not stand for all others.
const ONE_OF_SEVERAL: &str = "one of several behaviours of the environment";

/// The size of a memory page, to which mappings are aligned.
const PAGE: u64 = 4096;

impl Machine<'_> {
    /// Executes an intrinsic.
    pub fn intrinsic(&mut self, op: Intrinsic, dst: At, ty: Option<Ty>, args: &[At]) -> Step {
        let arg = |index: usize| argument(args, index);
        match op {
            Intrinsic::HeapAlloc => {
                let size = self.defined(arg(0), "allocation size")?;
                let value = self.heap_alloc(size, 16, false)?;
                self.set(dst, value);
            }
            Intrinsic::HeapAllocZeroed => {
                let count = self.defined(arg(0), "element count of an allocation")?;
                let size = self.defined(arg(1), "element size of an allocation")?;
                let value = match count.checked_mul(size) {
                    Some(total) => self.heap_alloc(total, 16, true)?,
                    None => Pointer::NULL.into(),
                };
                self.set(dst, value);
            }
            Intrinsic::HeapAllocAligned => {
                let align = self.defined(arg(0), "allocation alignment")?;
                let size = self.defined(arg(1), "allocation size")?;
                let value = if align.is_power_of_two() {
                    self.heap_alloc(size, align.max(16), false)?
                } else {
                    Pointer::NULL.into()
                };
                self.set(dst, value);
            }
            Intrinsic::HeapRealloc => {
                let size = self.defined(arg(1), "allocation size")?;
                let any = self.defined(arg(2), "behaviours of realloc")? != 0;
                let value = self.heap_realloc(self.get(arg(0)), size, any)?;
                self.set(dst, value);
            }
            Intrinsic::HeapFree => {
                let value = self.get(arg(0));
                self.heap_free(value, End::Freed)?;
            }
            Intrinsic::OpenResource => {
                let size = self.defined(arg(0), "the size of a stream")?;
                let (kind, moment) = (ObjectKind::Resource, self.moment());
                let request = Request { kind, size, align: 16, zeroed: true, site: (0, 0), moment };
                let pointer = self.allocate(request)?;
                self.set(dst, pointer.into());
            }
            Intrinsic::CloseResource => {
                if let Some(pointer) = self.freeable(self.get(arg(0)), ObjectKind::Resource)? {
                    let moment = self.moment();
                    self.memory.end(pointer.object, End::Freed, moment);
                }
            }
            Intrinsic::StackAlloc => {
                let size = self.defined(arg(0), "alloca size")?;
                let moment = self.moment();
                let kind = ObjectKind::Alloca;
                let pointer = self.allocate(Request { kind, size, align: 16, zeroed: false, site: (0, 0), moment })?;
                self.own(pointer.object);
                self.strew(pointer, None);
                self.set(dst, pointer.into());
            }
            Intrinsic::MapMemory => {
                let size = self.defined(arg(0), "the size of a mapping")?;
                let (kind, moment) = (ObjectKind::Mapping, self.moment());
                let request = Request { kind, size, align: PAGE, zeroed: true, site: (0, 0), moment };
                let pointer = self.allocate(request)?;
                self.set(dst, pointer.into());
            }
            Intrinsic::UnmapMemory => {
                let size = self.defined(arg(1), "the size of a mapping")?;
                let value = self.get(arg(0));
                if value.is_undefined() {
                    return Err(self.uninitialised("the address of a mapping"));
                }
                let pointer = value.pointer();
                let found = self.memory.info(pointer.object, pointer.life).is_some_and(|info| {
                    let shape = info.shape;
                    let whole = shape.base == pointer.address && shape.size == size;
                    shape.kind == ObjectKind::Mapping && shape.end == End::Live && whole
                });
                if found {
                    let moment = self.moment();
                    self.memory.end(pointer.object, End::Freed, moment);
                }
                self.set(dst, Value::int(found.into()));
            }
            Intrinsic::CopyBytes => {
                let size = self.defined(arg(2), "copy size")?;
                self.copy_bytes(self.get(arg(0)), self.get(arg(1)), size, false)?;
            }
            Intrinsic::MoveBytes => {
                let size = self.defined(arg(2), "copy size")?;
                self.copy_bytes(self.get(arg(0)), self.get(arg(1)), size, true)?;
            }
            Intrinsic::FillBytes => {
                let size = self.defined(arg(2), "number of bytes to set")?;
                let (value, undefined) = self.get(arg(1)).parts();
                self.fill(self.get(arg(0)).pointer(), value as u8, undefined as u8, size)?;
            }
            Intrinsic::CompareBytes => {
                let size = self.defined(arg(2), "number of bytes to compare")?;
                let order = self.compare_bytes(self.get(arg(0)), self.get(arg(1)), size)?;
                let order = self.any_of_sign(order);
                self.set(dst, order);
            }
            Intrinsic::StringLength => {
                let length = self.string_length(self.get(arg(0)), 1, u64::MAX)?;
                self.set(dst, Value::int(length));
            }
            Intrinsic::ObjectSize => self.object_size(dst, self.get(arg(0))),
            Intrinsic::Nondet => {
                let ty = ty.unwrap_or(Ty::I32);
                if self.is_representative() {
                    self.set_anything(dst, ty);
                } else {
                    let loc = self.user_loc();
                    let value = self.nondet(ty, loc)?;
                    self.write_scalar(dst, ty, Scalar::defined(value));
                }
            }
            Intrinsic::NondetBytes => self.nondet_bytes(args)?,
            // Executions in which the assumption does not hold do not count.
            Intrinsic::Assume if self.is_representative() && self.get(arg(0)).is_undefined() => {}
            Intrinsic::Assume => {
                let value = self.defined(arg(0), "assumed condition")?;
                if value as u32 == 0 {
                    return Err(Trap::Assumption);
                }
            }
            Intrinsic::AssertFail if !self.options.assert_faults => return Err(Trap::Abort),
            Intrinsic::ReachError if !self.options.error_faults => return Err(Trap::Exit(1)),
            Intrinsic::ReachError => {
                return Err(self.fault(CheckKind::Assertion, "error function called".to_owned()));
            }
            Intrinsic::AssertFail => {
                return Err(self.fault(CheckKind::Assertion, "assertion failed".to_owned()));
            }
            Intrinsic::Exit => {
                let status = self.defined(arg(0), "exit status")?;
                return Err(Trap::Exit(status as i32));
            }
            Intrinsic::Abort => return Err(Trap::Abort),
            Intrinsic::VaStart => {
                let area = self.frames.last().and_then(|f| f.variadic).unwrap_or(Pointer::NULL);
                self.set(dst, area.into());
            }
            Intrinsic::VaArg => {
                let at = self.get(arg(0));
                let class = VariableClass::from_number(u128::from(self.defined(arg(1), "argument class")?));
                let size = self.defined(arg(2), "argument size")?;
                if let (Some(class), false) = (class, at.is_undefined()) {
                    self.variable_argument_is(at.pointer(), class, size)?;
                }
            }
            Intrinsic::Setjmp => self.setjmp(self.get(arg(0)), dst)?,
            Intrinsic::Longjmp => self.longjmp(self.get(arg(0)), self.get(arg(1)))?,
            Intrinsic::Write => {
                let fd = self.defined(arg(0), "file descriptor")? as i32;
                let size = self.defined(arg(2), "number of bytes to write")?;
                let bytes = self.read_bytes(self.get(arg(1)), size, "the output")?;
                self.host.write(fd, &bytes);
                self.set_length(dst, size as u32);
            }
            Intrinsic::ReadChar if self.is_representative() => self.set_anything(dst, Ty::I32),
            Intrinsic::ReadChar => {
                let byte = self.host.read_byte();
                self.set(dst, Value::int(byte.map_or(0xffff_ffff, u64::from)));
            }
            Intrinsic::FormatFile => {
                let fd = self.defined(arg(0), "file descriptor")? as i32;
                let text = self.format(self.get(arg(1)), self.get(arg(2)))?;
                self.host.write(fd, &text.bytes);
                self.set_length(dst, text.bytes.len() as u32);
            }
            Intrinsic::FormatBuffer => self.format_buffer(dst, args)?,
            Intrinsic::ParseFloat => {
                let ty = ty.unwrap_or(Ty::F64);
                let value = self.parse_float(ty, self.get(arg(0)), self.get(arg(1)))?;
                self.write_scalar(dst, ty, Scalar::defined(value));
            }
            Intrinsic::Math(function) => self.math(function, dst, ty.unwrap_or(Ty::F64), args)?,
            Intrinsic::Time | Intrinsic::Clock if self.is_representative() => {
                self.set_anything(dst, ty.unwrap_or(Ty::I64));
            }
            Intrinsic::OneAnswer if self.is_representative() => {
                return Err(Trap::Budget(ONE_OF_SEVERAL.to_owned()));
            }
            Intrinsic::Vary if self.is_representative() => self.set_anything(dst, Ty::I32),
            Intrinsic::Order if self.is_representative() => {
                let order = self.defined(arg(0), "difference")? as u32 as i32;
                let order = self.any_of_sign(order);
                self.set(dst, order);
            }
            Intrinsic::Time => {
                let time = self.host.time();
                self.write_scalar(dst, ty.unwrap_or(Ty::I64), Scalar::defined(time as u128));
            }
            Intrinsic::Clock => {
                let clock = self.host.clock();
                self.write_scalar(dst, ty.unwrap_or(Ty::I64), Scalar::defined(clock as u128));
            }
            Intrinsic::OneAnswer => {}
            Intrinsic::Vary | Intrinsic::Order => {
                let value = self.get(arg(0));
                self.set(dst, value);
            }
            Intrinsic::Closure => self.closure(dst, args)?,
        }
        Ok(())
    }

    /// Returns the number of bytes from a pointer to the end of its object.
    fn object_size(&mut self, dst: At, value: Value) {
        let pointer = value.pointer();
        let size = match self.memory.info(pointer.object, pointer.life) {
            Some(info) if info.shape.end == End::Live && info.shape.kind.is_data() => {
                let offset = pointer.address.wrapping_sub(info.shape.base);
                info.shape.size.saturating_sub(offset)
            }
            _ => 0,
        };
        self.set(dst, if value.is_undefined() { self.unassigned(64) } else { Value::int(size) });
    }

    /// Returns whether the execution has to stand for all others.
    pub fn is_representative(&self) -> bool {
        self.options.representative.is_some()
    }

    /// Sets a register to a value that differs between executions.
    fn set_anything(&mut self, dst: At, ty: Ty) {
        let width = ty.bits(self.program.target);
        self.write_scalar(dst, ty, Scalar::unset(width));
    }

    /// Sets a register to the number of bytes of an output, which may fail.
    fn set_length(&mut self, dst: At, length: u32) {
        let value = if self.is_representative() { Value::unset(32) } else { Value::int(length.into()) };
        self.set(dst, value);
    }

    /// Returns the result of a comparison, of which C fixes the sign only.
    fn any_of_sign(&self, order: i32) -> Value {
        match self.options.representative {
            Some(known) if order != 0 && !known.compares_by_sign => {
                Value::partly(u64::from(order as u32) & SIGN, SIGN - 1)
            }
            _ => Value::int(u64::from(order as u32)),
        }
    }

    /// Fills bytes with inputs.
    fn nondet_bytes(&mut self, args: &[At]) -> Step {
        let size = self.defined(argument(args, 1), "number of bytes")?;
        let address = self.get(argument(args, 0));
        if let Err(fault) = self.memory.write(address.pointer(), size) {
            return Err(self.memory_fault(fault, address.pointer()));
        }
        if self.is_representative() {
            return self.fill(address.pointer(), 0, 0xff, size);
        }
        let loc = self.user_loc();
        let mut bytes = Vec::new();
        for _ in 0..size {
            bytes.push(self.nondet(Ty::I8, loc)? as u8);
        }
        self.write_bytes(address, &bytes)?;
        Ok(())
    }

    /// Executes `snprintf`.
    fn format_buffer(&mut self, dst: At, args: &[At]) -> Step {
        let capacity = self.defined(argument(args, 1), "buffer capacity")?;
        let buffer = self.get(argument(args, 0));
        let text = self.format(self.get(argument(args, 2)), self.get(argument(args, 3)))?;
        if capacity > 0 {
            let mut kept = text.bytes[..text.bytes.len().min((capacity - 1) as usize)].to_vec();
            kept.push(0);
            self.apart_from(buffer.pointer(), kept.len() as u64, &text.sources)?;
            self.write_bytes(buffer, &kept)?;
        }
        self.set(dst, Value::int(u64::from(text.bytes.len() as u32)));
        Ok(())
    }

    /// Executes a function of `math.h`.
    fn math(&mut self, function: MathFn, dst: At, ty: Ty, args: &[At]) -> Step {
        let (mut bits, mut undefined) = ([0; 2], 0);
        for (value, &at) in bits.iter_mut().zip(args) {
            let argument = self.read_scalar(at, ty);
            *value = argument.bits;
            undefined |= argument.undefined;
        }
        let Some(result) = float::math(function, ty, &bits) else {
            let message = format!("`{}` for types other than `float` and `double` is not supported", function.name());
            return Err(self.fault(CheckKind::Unsupported, message));
        };
        // The last digits of an inexact function are those of one machine.
        let varies = self.is_representative() && !function.is_exact();
        let undefined = if undefined == 0 && !varies { 0 } else { u128::MAX };
        self.write_scalar(dst, ty, Scalar { bits: result & !undefined, undefined });
        Ok(())
    }

    /// Asks the host for a nondeterministic value. If there are no more, the execution is given up.
    pub fn nondet(&mut self, ty: Ty, loc: cairn_ir::Loc) -> Step<u128> {
        let value = self.host.nondet(ty, loc).ok_or_else(|| Trap::Budget(INPUTS_USED_UP.to_owned()))?;
        self.note(TraceKind::Input, None, |machine| {
            let bits = arithmetic::truncate(value, ty.bits(machine.program.target));
            format!("input is {}", machine.shown(Value::int(bits as u64), ty))
        });
        Ok(value)
    }

    /// Returns the current location in the innermost user function, to which inputs are attributed.
    fn user_loc(&self) -> cairn_ir::Loc {
        let mut next = self.position;
        for frame in self.frames.iter().rev() {
            let origin = self.program.functions.get(frame.function.index()).map(|f| f.origin);
            if origin.is_some_and(cairn_ir::program::Origin::is_of_user) {
                break;
            }
            if frame.return_to == 0 {
                break;
            }
            next = frame.return_to;
        }
        self.code.info(next.saturating_sub(1)).loc
    }

    fn heap_alloc(&mut self, size: u64, align: u64, zeroed: bool) -> Step<Value> {
        let largest = (1u64 << (self.program.target.pointer_bits() - 1)) - 1;
        self.allocations += 1;
        if self.options.allocations_succeed && size.max(align) > largest {
            return Err(Trap::Budget(format!("an allocation of {} cannot succeed", bytes_text(size))));
        }
        if size > largest || align > largest || self.host.allocation_fails(self.allocations) {
            self.note(TraceKind::Allocation, None, |_| format!("allocation of {} fails", bytes_text(size)));
            return Ok(Pointer::NULL.into());
        }
        let moment = self.moment();
        let kind = ObjectKind::Heap;
        let site = (self.allocations as u32, 0);
        let mut pointer = self.allocate(Request { kind, size, align, zeroed, site, moment })?;
        if !zeroed {
            if let Some(freed) = self.reused() {
                pointer = self.memory.take_place(pointer, freed);
            }
            self.strew(pointer, Some(self.allocations));
        }
        self.note(TraceKind::Allocation, Some(pointer.object.0), |machine| match machine.tells() {
            true => format!("a new object of {} is allocated", bytes_text(size)),
            false => format!("heap object #{} ({}) is allocated", site.0, bytes_text(size)),
        });
        Ok(pointer.into())
    }

    /// Checks that the object of a pointer can be freed or closed; `None` for null.
    fn freeable(&self, value: Value, wanted: ObjectKind) -> Step<Option<Pointer>> {
        let (done, is_wanted) = match wanted {
            ObjectKind::Resource => ("closed", "which is no stream or folder"),
            _ => ("freed", "which is not on the heap"),
        };
        if value.is_undefined() {
            return Err(self.uninitialised("pointer passed to `free`"));
        }
        let pointer = value.pointer();
        let checks = self.code.info(self.current()).checks;
        let Some(info) = self.memory.info(pointer.object, pointer.life) else {
            if pointer.address == 0 {
                return Ok(None);
            }
            let message = format!("free of address {:#x}, which is not in any object", pointer.address);
            return Err(self.fault(CheckKind::InvalidFree, message));
        };
        let name = self.name_or_description(&info, pointer.object);
        let offset = self.offset_in(pointer.address, &info);
        let (kind, message) = match (info.shape.kind == wanted, info.shape.end) {
            (true, End::Live) if offset == 0 => return Ok(Some(pointer)),
            (true, End::Live) => {
                (CheckKind::InvalidFree, format!("free of a pointer to offset {offset} of {name}, not to its start"))
            }
            (true, _) if offset == 0 => (CheckKind::DoubleFree, format!("free of {name}, which was {done} before")),
            (true, _) => (
                CheckKind::InvalidFree,
                format!("free of a pointer to offset {offset} of {name}, which was {done} before"),
            ),
            _ => (CheckKind::InvalidFree, format!("free of {name}, {is_wanted}")),
        };
        Err(self.fault_with(kind, message, checks, self.history(&info)))
    }

    fn heap_free(&mut self, value: Value, end: End) -> Step {
        if let Some(pointer) = self.freeable(value, ObjectKind::Heap)? {
            self.note(TraceKind::Free, Some(pointer.object.0), |machine| machine.freed_text(pointer));
            self.bury(pointer);
            let moment = self.moment();
            self.memory.end(pointer.object, end, moment);
        }
        Ok(())
    }

    /// Executes `realloc`: size 0 frees the object and returns null.
    ///
    /// If `any` behaviour is permitted, the host may choose a new object of size 0 instead.
    fn heap_realloc(&mut self, old: Value, size: u64, any: bool) -> Step<Value> {
        let Some(pointer) = self.freeable(old, ObjectKind::Heap)? else { return self.heap_alloc(size, 16, false) };
        if size == 0 && any {
            if self.is_representative() {
                return Err(Trap::Budget(ONE_OF_SEVERAL.to_owned()));
            }
            self.allocations += 1;
        }
        if size == 0 && (!any || self.host.allocation_fails(self.allocations)) {
            self.heap_free(old, End::Freed)?;
            return Ok(Pointer::NULL.into());
        }
        let reused = self.reused();
        let new = self.heap_alloc(size, 16, false)?;
        if new.bits == 0 {
            return Ok(new);
        }
        let old_size = self.memory.info(pointer.object, pointer.life).map_or(0, |i| i.shape.size);
        if let Err(fault) = self.memory.copy(new.pointer(), pointer, old_size.min(size)) {
            return Err(self.memory_fault(fault, pointer));
        }
        self.note(TraceKind::Free, Some(pointer.object.0), |machine| machine.moved_text(pointer));
        self.bury(pointer);
        let moment = self.moment();
        self.memory.end(pointer.object, End::Reallocated, moment);
        // Only now is the place of the old object free.
        Ok(match reused {
            Some(freed) if freed == pointer.object => self.memory.take_place(new.pointer(), freed).into(),
            _ => new,
        })
    }

    fn copy_bytes(&mut self, to: Value, from: Value, size: u64, overlap: bool) -> Step {
        if size == 0 {
            return Ok(());
        }
        let (to, from) = (to.pointer(), from.pointer());
        if let Err(fault) = self.memory.write(to, size) {
            return Err(self.memory_fault(fault, to));
        }
        if let Err(fault) = self.memory.read(from, size) {
            return Err(self.memory_fault(fault, from));
        }
        let distance = to.address.abs_diff(from.address);
        if !overlap && to.object == from.object && distance != 0 && distance < size {
            let message = format!("copy of {size} bytes between overlapping regions, {distance} bytes apart");
            return Err(self.fault(CheckKind::Overlap, message));
        }
        match self.memory.copy(to, from, size) {
            Ok(()) => Ok(()),
            Err(fault) => Err(self.memory_fault(fault, to)),
        }
    }

    /// Checks that the target of a write does not overlap the strings that the text was made from.
    fn apart_from(&self, to: Pointer, size: u64, sources: &[(Pointer, u64)]) -> Step {
        let meets = |&&(from, length): &&(Pointer, u64)| {
            let ahead = from.address.wrapping_sub(to.address);
            let behind = to.address.wrapping_sub(from.address);
            from.object == to.object && (ahead < size || behind < length) && length > 0
        };
        match sources.iter().find(meets) {
            None => Ok(()),
            Some((_, length)) => {
                let message = format!("output overlaps an argument string of {length} bytes");
                Err(self.fault(CheckKind::Overlap, message))
            }
        }
    }

    fn compare_bytes(&self, a: Value, b: Value, size: u64) -> Step<i32> {
        if size == 0 {
            return Ok(0);
        }
        let (a, b) = (a.pointer(), b.pointer());
        let left = self.memory.read(a, size).map_err(|fault| self.memory_fault(fault, a))?;
        let right = self.memory.read(b, size).map_err(|fault| self.memory_fault(fault, b))?;
        let (left, left_at) = left;
        let (right, right_at) = right;
        let len = size as usize;
        let (x, y) = (left.data(left_at, len), right.data(right_at, len));
        let decided = x.iter().zip(y).position(|(x, y)| x != y);
        // Only the bytes up to the first difference affect the result.
        let read = decided.map_or(len, |d| d + 1);
        for (bytes, at) in [(left, left_at), (right, right_at)] {
            if let Some(first) = bytes.first_undefined(at, read) {
                return Err(self.uninitialised(&format!("byte {first} of the compared memory")));
            }
        }
        Ok(decided.map_or(0, |d| i32::from(x[d]) - i32::from(y[d])))
    }

    fn closure(&mut self, dst: At, args: &[At]) -> Step {
        let Some((&function, captures)) = args.split_first() else { return Ok(()) };
        let function = self.get(function).pointer();
        let info = self.memory.info(function.object, function.life);
        let Some(info) = info.filter(|i| i.shape.kind == ObjectKind::Function) else {
            return Err(self.fault(CheckKind::InvalidCall, "closure of a value that is not a function".to_owned()));
        };
        let captures: Box<[Value]> = captures.iter().map(|&at| self.get(at)).collect();
        let moment = self.moment();
        let request = Request { kind: ObjectKind::Closure, size: 1, align: 16, zeroed: true, site: info.site, moment };
        let pointer = self.allocate(request)?;
        self.own(pointer.object);
        self.owned.closures.insert(pointer.object, ClosureInfo { function: FuncId(info.site.0), captures });
        self.set(dst, pointer.into());
        Ok(())
    }
}

/// Returns an argument; the verifier ensures that it exists.
fn argument(args: &[At], index: usize) -> At {
    args.get(index).copied().unwrap_or(0)
}
