//! The interpreter loop.
//!
//! Common operations are executed in the inner loop, [`Machine::fast`]. All others leave the inner loop with a
//! [`Pause`].

use cairn_ir::inst::{CompareOp, DivideOp};
use cairn_ir::{CheckKind, Ty};

use crate::arithmetic;
use crate::arithmetic::definedness::Scalar;
use crate::arithmetic::value::Value;
use crate::run::machine::{Machine, Step, Trap};
use crate::run::partly_initialised::DIVISION_FAILS;
use crate::translate::op::{At, NOWHERE, Op};
use cairn_memory::{Access, ObjectKind};

/// The reason why the inner loop has stopped.
enum Pause {
    Call(u32),
    Slow(u32),
    Enter(u32),
    Leave(u32),
    Return(At),
    JumpTo(At, u32),
    /// In a traced execution: the branch at this position was decided, with or without a jump.
    Branched(u32, bool),
    Switched(u32),
    /// In a traced execution: an operation is finished.
    Stepped,
    DivisionFails,
    /// Memory refused an access: the pointer, the offset, the size and the kind of the access.
    Refused(Value, i64, u64, Access),
    /// An operand is partly uninitialised, and the operation was not executed yet.
    PartlyInitialised,
    Unreachable,
    Steps,
}

impl Machine<'_> {
    /// Runs until the outermost function returns with its result, or until the execution stops.
    pub fn run(&mut self) -> Step<(Value, Value)> {
        loop {
            let is_scene = self.begins_scene();
            let pause = if self.recorder.is_some() {
                if is_scene || self.logs() {
                    self.log_operation();
                }
                self.fast::<true>()
            } else {
                self.fast::<false>()
            };
            match pause {
                Pause::Call(site) => {
                    let (depth, base) = (self.frames.len(), self.base());
                    self.call(site)?;
                    if self.recorder.is_some() && self.frames.len() > depth {
                        if is_scene || self.logs() {
                            self.log_call(base);
                        }
                        self.note_call();
                    }
                }
                Pause::Branched(from, taken) => self.note_branch(from, taken),
                Pause::Switched(from) => self.note_switch(from),
                Pause::Stepped => self.log_result(),
                Pause::Slow(index) => {
                    self.slow(index)?;
                    if self.recorder.is_some() {
                        self.log_result();
                    }
                }
                Pause::Enter(slot) => {
                    self.enter_slot(slot)?;
                }
                Pause::Leave(slot) => self.leave_slot(slot),
                Pause::Return(src) => {
                    if self.frames.len() == 1 && src != NOWHERE && self.get(src).is_undefined() {
                        return Err(self.uninitialised("exit status"));
                    }
                    if self.recorder.is_some() {
                        self.note_return(src);
                        if is_scene || self.logs() {
                            self.log_return(src);
                        }
                    }
                    let next = self.position;
                    if let Some(result) = self.return_value(src) {
                        // The entry function is the first that returns to no caller; a model of `exit` may follow.
                        self.entry_returned.get_or_insert(next);
                        return Ok(result);
                    }
                }
                Pause::JumpTo(addr, table) => self.computed_jump(addr, table)?,
                Pause::DivisionFails => return Err(self.fault(CheckKind::DivisionByZero, DIVISION_FAILS.to_owned())),
                Pause::Refused(pointer, offset, size, access) => {
                    let fault = self.memory.explain(pointer.pointer(), offset, size, access);
                    return Err(self.memory_fault(fault, pointer.pointer()));
                }
                Pause::PartlyInitialised => self.partly_initialised()?,
                Pause::Unreachable => {
                    let message = "code marked as unreachable is reached".to_owned();
                    return Err(self.fault(CheckKind::Unsupported, message));
                }
                Pause::Steps => return Err(self.out_of_steps()),
            }
            if is_scene {
                self.end_scene();
            }
        }
    }

    /// Runs operations until one needs more than registers and bytes; in a traced execution, runs one operation.
    fn fast<const TRACED: bool>(&mut self) -> Pause {
        let code = self.code;
        let ops = code.ops.as_slice();
        let base = self.base();
        let regs = self.values.get_mut(base..).unwrap_or_default();
        let memory = &mut self.memory;
        let limit = self.max_steps;
        let unset_is_zero = self.options.leftovers.is_some();
        let address_mask = if self.program.target.pointer_bits() == 32 { 0xffff_ffff } else { u64::MAX };
        let mut position = self.position as usize;
        let mut steps = self.steps;

        macro_rules! reg {
            ($at:expr) => {
                regs[$at as usize]
            };
        }
        macro_rules! binary {
            ($dst:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $result:expr) => {{
                let (left, right) = (reg!($a), reg!($b));
                if left.either_undefined(right) {
                    break Pause::PartlyInitialised;
                }
                let ($x, $y) = (left.bits, right.bits);
                reg!($dst) = Value::int($result);
            }};
        }
        macro_rules! float {
            ($dst:expr, $a:expr, $b:expr, $float:ty, $int:ty, $op:tt) => {
                binary!($dst, $a, $b, |x, y| {
                    u64::from((<$float>::from_bits(x as $int) $op <$float>::from_bits(y as $int)).to_bits())
                })
            };
        }
        macro_rules! initialised {
            ($src:expr) => {{
                let value = reg!($src);
                if value.is_undefined() {
                    break Pause::PartlyInitialised;
                }
                value.bits
            }};
        }
        macro_rules! branch {
            ($condition:expr, $to:expr) => {{
                let from = position as u32 - 1;
                let taken = $condition;
                if taken {
                    position = $to as usize;
                    if steps >= limit {
                        break Pause::Steps;
                    }
                }
                if TRACED {
                    break Pause::Branched(from, taken);
                }
            }};
        }
        macro_rules! jump_if {
            ($a:expr, $b:expr, $to:expr, |$x:ident, $y:ident| $condition:expr) => {{
                let (left, right) = (reg!($a), reg!($b));
                if left.either_undefined(right) {
                    break Pause::PartlyInitialised;
                }
                let ($x, $y) = (left.bits, right.bits);
                branch!($condition, $to);
            }};
        }
        macro_rules! load {
            ($bytes:literal, $dst:expr, $pointer:expr, $offset:expr) => {{
                let (pointer, offset) = ($pointer, $offset);
                match memory.load::<$bytes>(pointer.pointer(), offset) {
                    Some((bits, undefined)) => reg!($dst) = Value::partly(bits, undefined),
                    None => break Pause::Refused(pointer, offset, $bytes, Access::Read),
                }
            }};
        }
        macro_rules! load_pointer {
            ($bytes:literal, $dst:expr, $pointer:expr, $offset:expr) => {{
                let (pointer, offset) = ($pointer, $offset);
                match memory.load_pointer::<$bytes>(pointer.pointer(), offset) {
                    Some((value, 0)) => reg!($dst) = value.into(),
                    Some((value, undefined)) => reg!($dst) = Value::partly(value.address, undefined),
                    None => break Pause::Refused(pointer, offset, $bytes, Access::Read),
                }
            }};
        }
        macro_rules! store {
            ($bytes:literal, $src:expr, $pointer:expr, $offset:expr) => {{
                let (pointer, offset, value) = ($pointer, $offset, reg!($src));
                let (bits, undefined) = value.parts();
                if memory.store::<$bytes>(pointer.pointer(), offset, bits, undefined).is_none() {
                    break Pause::Refused(pointer, offset, $bytes, Access::Write);
                }
            }};
        }
        macro_rules! store_pointer {
            ($bytes:literal, $src:expr, $pointer:expr, $offset:expr) => {{
                let (pointer, offset, value) = ($pointer, $offset, reg!($src));
                let stored = if value.is_undefined() {
                    let (bits, undefined) = value.parts();
                    memory.store::<$bytes>(pointer.pointer(), offset, bits, undefined)
                } else {
                    memory.store_pointer::<$bytes>(pointer.pointer(), offset, value.pointer())
                };
                if stored.is_none() {
                    break Pause::Refused(pointer, offset, $bytes, Access::Write);
                }
            }};
        }
        macro_rules! element {
            ($base:expr, $index:expr, $scale:expr) => {{
                let (pointer, index) = (reg!($base), reg!($index));
                let bits = pointer.bits.wrapping_add(index.bits.wrapping_mul(u64::from($scale))) & address_mask;
                let moved = pointer.at(bits, index);
                // An address that is added to a null pointer is the pointer that it came from.
                if pointer.object() == 0 && !moved.is_undefined() { memory.find(bits).into() } else { moved }
            }};
        }

        let pause = loop {
            let op = ops[position];
            position += 1;
            steps += 1;
            match op {
                Op::Move { dst, src } => reg!(dst) = reg!(src),
                Op::Undef { width, dst } => {
                    reg!(dst) = if unset_is_zero { Value::int(0) } else { Value::unset(u32::from(width)) };
                }
                Op::Add32 { dst, a, b } => binary!(dst, a, b, |x, y| u64::from((x as u32).wrapping_add(y as u32))),
                Op::Sub32 { dst, a, b } => binary!(dst, a, b, |x, y| u64::from((x as u32).wrapping_sub(y as u32))),
                Op::Mul32 { dst, a, b } => binary!(dst, a, b, |x, y| u64::from((x as u32).wrapping_mul(y as u32))),
                Op::And { dst, a, b } => binary!(dst, a, b, |x, y| x & y),
                Op::Or { dst, a, b } => binary!(dst, a, b, |x, y| x | y),
                Op::Xor { dst, a, b } => binary!(dst, a, b, |x, y| x ^ y),
                Op::Shl32 { dst, a, b } => binary!(dst, a, b, |x, y| u64::from((x as u32).wrapping_shl(y as u32))),
                Op::LShr32 { dst, a, b } => binary!(dst, a, b, |x, y| u64::from((x as u32).wrapping_shr(y as u32))),
                Op::AShr32 { dst, a, b } => {
                    binary!(dst, a, b, |x, y| u64::from((x as i32).wrapping_shr(y as u32) as u32));
                }
                Op::Add64 { dst, a, b } => binary!(dst, a, b, |x, y| x.wrapping_add(y)),
                Op::Sub64 { dst, a, b } => binary!(dst, a, b, |x, y| x.wrapping_sub(y)),
                Op::Mul64 { dst, a, b } => binary!(dst, a, b, |x, y| x.wrapping_mul(y)),
                Op::Shl64 { dst, a, b } => binary!(dst, a, b, |x, y| x.wrapping_shl(y as u32)),
                Op::LShr64 { dst, a, b } => binary!(dst, a, b, |x, y| x.wrapping_shr(y as u32)),
                Op::AShr64 { dst, a, b } => binary!(dst, a, b, |x, y| (x as i64).wrapping_shr(y as u32) as u64),
                Op::AddF64 { dst, a, b } => float!(dst, a, b, f64, u64, +),
                Op::SubF64 { dst, a, b } => float!(dst, a, b, f64, u64, -),
                Op::MulF64 { dst, a, b } => float!(dst, a, b, f64, u64, *),
                Op::DivF64 { dst, a, b } => float!(dst, a, b, f64, u64, /),
                Op::AddF32 { dst, a, b } => float!(dst, a, b, f32, u32, +),
                Op::SubF32 { dst, a, b } => float!(dst, a, b, f32, u32, -),
                Op::MulF32 { dst, a, b } => float!(dst, a, b, f32, u32, *),
                Op::DivF32 { dst, a, b } => float!(dst, a, b, f32, u32, /),
                Op::Divide { op, bits, dst, a, b } => {
                    let (left, right) = (reg!(a), reg!(b));
                    if left.either_undefined(right) {
                        break Pause::PartlyInitialised;
                    }
                    match divide(op, bits, left.bits, right.bits) {
                        Some(result) => reg!(dst) = Value::int(result),
                        None => break Pause::DivisionFails,
                    }
                }
                Op::SetEq { dst, a, b } => binary!(dst, a, b, |x, y| u64::from(x == y)),
                Op::SetNe { dst, a, b } => binary!(dst, a, b, |x, y| u64::from(x != y)),
                Op::SetULt { dst, a, b } => binary!(dst, a, b, |x, y| u64::from(x < y)),
                Op::SetULe { dst, a, b } => binary!(dst, a, b, |x, y| u64::from(x <= y)),
                Op::SetSLt { shift, dst, a, b } => {
                    binary!(dst, a, b, |x, y| u64::from(top(x, shift) < top(y, shift)));
                }
                Op::SetSLe { shift, dst, a, b } => {
                    binary!(dst, a, b, |x, y| u64::from(top(x, shift) <= top(y, shift)));
                }
                Op::SetF64 { op, dst, a, b } => {
                    binary!(dst, a, b, |x, y| u64::from(compare64(op, f64::from_bits(x), f64::from_bits(y))));
                }
                Op::JumpEq { a, b, to } => jump_if!(a, b, to, |x, y| x == y),
                Op::JumpNe { a, b, to } => jump_if!(a, b, to, |x, y| x != y),
                Op::JumpULt { a, b, to } => jump_if!(a, b, to, |x, y| x < y),
                Op::JumpULe { a, b, to } => jump_if!(a, b, to, |x, y| x <= y),
                Op::JumpSLt { shift, a, b, to } => jump_if!(a, b, to, |x, y| top(x, shift) < top(y, shift)),
                Op::JumpSLe { shift, a, b, to } => jump_if!(a, b, to, |x, y| top(x, shift) <= top(y, shift)),
                Op::JumpIf { cond, to } => {
                    let cond = initialised!(cond);
                    branch!(cond & 1 != 0, to);
                }
                Op::JumpIfNot { cond, to } => {
                    let cond = initialised!(cond);
                    branch!(cond & 1 == 0, to);
                }
                Op::Jump { to } => {
                    position = to as usize;
                    if steps >= limit {
                        break Pause::Steps;
                    }
                }
                Op::SExt { up, down, dst, src } => {
                    let value = initialised!(src);
                    let bits = top(value, up).wrapping_shr(u32::from(up)) as u64;
                    let bits = bits.wrapping_shl(u32::from(down)).wrapping_shr(u32::from(down));
                    reg!(dst) = Value::int(bits);
                }
                Op::Trunc { drop, dst, src } => {
                    let drop = u32::from(drop);
                    reg!(dst) = Value::int(initialised!(src).wrapping_shl(drop).wrapping_shr(drop));
                }
                Op::SIntToF64 { shift, dst, src } => {
                    let number = top(initialised!(src), shift).wrapping_shr(u32::from(shift));
                    reg!(dst) = Value::int((number as f64).to_bits());
                }
                Op::PtrAdd { scale, dst, base, index } => {
                    let moved = element!(base, index, scale);
                    if moved.is_undefined() {
                        break Pause::PartlyInitialised;
                    }
                    reg!(dst) = moved;
                }
                Op::PtrOffset { dst, base, offset } => {
                    let pointer = reg!(base);
                    if pointer.is_undefined() {
                        break Pause::PartlyInitialised;
                    }
                    let bits = pointer.bits.wrapping_add(offset as u64) & address_mask;
                    reg!(dst) = pointer.at(bits, pointer);
                }
                Op::PtrSub { dst, a, b } => binary!(dst, a, b, |x, y| x.wrapping_sub(y) & address_mask),
                Op::PtrToInt { dst, src } => {
                    let pointer = reg!(src);
                    if pointer.is_undefined() {
                        break Pause::PartlyInitialised;
                    }
                    if pointer.object() != 0 {
                        memory.expose(pointer.pointer().object);
                    }
                    reg!(dst) = Value::int(pointer.bits);
                }
                Op::Load8 { dst, addr, offset } => load!(1, dst, reg!(addr), i64::from(offset)),
                Op::Load16 { dst, addr, offset } => load!(2, dst, reg!(addr), i64::from(offset)),
                Op::Load32 { dst, addr, offset } => load!(4, dst, reg!(addr), i64::from(offset)),
                Op::Load64 { dst, addr, offset } => load!(8, dst, reg!(addr), i64::from(offset)),
                Op::LoadPtr32 { dst, addr, offset } => load_pointer!(4, dst, reg!(addr), i64::from(offset)),
                Op::LoadPtr64 { dst, addr, offset } => load_pointer!(8, dst, reg!(addr), i64::from(offset)),
                Op::Store8 { src, addr, offset } => store!(1, src, reg!(addr), i64::from(offset)),
                Op::Store16 { src, addr, offset } => store!(2, src, reg!(addr), i64::from(offset)),
                Op::Store32 { src, addr, offset } => store!(4, src, reg!(addr), i64::from(offset)),
                Op::Store64 { src, addr, offset } => store!(8, src, reg!(addr), i64::from(offset)),
                Op::StorePtr32 { src, addr, offset } => store_pointer!(4, src, reg!(addr), i64::from(offset)),
                Op::StorePtr64 { src, addr, offset } => store_pointer!(8, src, reg!(addr), i64::from(offset)),
                Op::Load8At { scale, dst, base, index } => load!(1, dst, element!(base, index, scale), 0),
                Op::Load32At { scale, dst, base, index } => load!(4, dst, element!(base, index, scale), 0),
                Op::Load64At { scale, dst, base, index } => load!(8, dst, element!(base, index, scale), 0),
                Op::LoadPtr32At { scale, dst, base, index } => {
                    load_pointer!(4, dst, element!(base, index, scale), 0);
                }
                Op::LoadPtr64At { scale, dst, base, index } => {
                    load_pointer!(8, dst, element!(base, index, scale), 0);
                }
                Op::Store8At { scale, src, base, index } => store!(1, src, element!(base, index, scale), 0),
                Op::Store32At { scale, src, base, index } => store!(4, src, element!(base, index, scale), 0),
                Op::Store64At { scale, src, base, index } => store!(8, src, element!(base, index, scale), 0),
                Op::Enter { slot } => break Pause::Enter(slot),
                Op::Leave { slot } => break Pause::Leave(slot),
                Op::Call { site } => {
                    if steps >= limit {
                        break Pause::Steps;
                    }
                    break Pause::Call(site);
                }
                Op::Slow { index } => break Pause::Slow(index),
                Op::Switch { value, table } => {
                    let value = reg!(value);
                    if value.is_undefined() {
                        break Pause::PartlyInitialised;
                    }
                    if steps >= limit {
                        break Pause::Steps;
                    }
                    let from = position as u32 - 1;
                    let Some(table) = code.switches.get(table as usize) else { break Pause::Unreachable };
                    let number = if table.signed {
                        arithmetic::signed(u128::from(value.bits), table.bits)
                    } else {
                        i128::from(value.bits)
                    };
                    position = if table.dense.is_empty() {
                        let after = table.ranges.partition_point(|r| r.0 <= number);
                        match after.checked_sub(1).and_then(|i| table.ranges.get(i)) {
                            Some(&(_, high, to)) if number <= high => to,
                            _ => table.default,
                        }
                    } else {
                        let entry = usize::try_from(number - table.dense_low).ok();
                        entry.and_then(|e| table.dense.get(e)).copied().unwrap_or(table.default)
                    } as usize;
                    if TRACED {
                        break Pause::Switched(from);
                    }
                }
                Op::JumpTo { addr, table } => break Pause::JumpTo(addr, table),
                Op::Return { src } => break Pause::Return(src),
                Op::ReturnNothing => break Pause::Return(NOWHERE),
                Op::Unreachable => break Pause::Unreachable,
            }
            if TRACED {
                break if steps >= limit { Pause::Steps } else { Pause::Stepped };
            }
        };
        self.position = position as u32;
        self.steps = steps;
        pause
    }

    /// Executes `goto *addr`.
    fn computed_jump(&mut self, addr: At, table: u32) -> Step {
        let value = self.get(addr);
        if value.is_undefined() {
            return Err(self.uninitialised("jump target"));
        }
        let pointer = value.pointer();
        let function = self.frames.last().map_or(u32::MAX, |f| f.function.0);
        let info = self.memory.info(pointer.object, pointer.life);
        if let Some(info) = info
            && info.shape.kind == ObjectKind::Label
            && info.site.0 == function
            && let Ok(block) = u32::try_from(pointer.address.wrapping_sub(info.shape.base))
            && self.code.computed.get(table as usize).is_some_and(|t| t.contains(&block))
            && let Some(&to) = self.code.functions[function as usize].block_starts.get(block as usize)
        {
            self.position = to;
            return if self.steps >= self.max_steps { Err(self.out_of_steps()) } else { Ok(()) };
        }
        Err(self.fault(CheckKind::InvalidCall, "jump to a pointer that is not a label of this function".to_owned()))
    }

    pub fn out_of_steps(&self) -> Trap {
        Trap::Budget(format!("more than {} steps", self.max_steps))
    }

    /// Returns the value of a register of any type.
    pub fn read_scalar(&self, at: At, ty: Ty) -> Scalar {
        let (bits, undefined) = self.get(at).parts();
        let mut scalar = Scalar { bits: bits.into(), undefined: undefined.into() };
        if crate::translate::is_wide(ty) {
            let (bits, undefined) = self.get(at + 1).parts();
            scalar.bits |= u128::from(bits) << 64;
            scalar.undefined |= u128::from(undefined) << 64;
        }
        scalar
    }

    /// Sets a register of any type.
    pub fn write_scalar(&mut self, at: At, ty: Ty, value: Scalar) {
        if at == NOWHERE {
            return;
        }
        let width = ty.bits(self.program.target);
        let (bits, undefined) = (arithmetic::truncate(value.bits, width), arithmetic::truncate(value.undefined, width));
        if ty == Ty::Ptr && undefined == 0 {
            self.set(at, self.memory.find(bits as u64).into());
            return;
        }
        self.set(at, Value::partly(bits as u64, undefined as u64));
        if crate::translate::is_wide(ty) {
            self.set(at + 1, Value::partly((bits >> 64) as u64, (undefined >> 64) as u64));
        }
    }
}

/// Shifts a value so that its sign bit becomes bit 63.
#[inline(always)]
fn top(bits: u64, shift: u8) -> i64 {
    bits.wrapping_shl(u32::from(shift)) as i64
}

#[inline(always)]
fn compare64(op: CompareOp, a: f64, b: f64) -> bool {
    match op {
        CompareOp::FEq => a == b,
        CompareOp::FNe => a != b,
        CompareOp::FLt => a < b,
        CompareOp::FLe => a <= b,
        _ => false,
    }
}

#[inline(always)]
fn divide(op: DivideOp, bits: u8, a: u64, b: u64) -> Option<u64> {
    if bits == 32 {
        let (a, b) = (a as u32, b as u32);
        return Some(u64::from(match op {
            DivideOp::SDiv => (a as i32).checked_div(b as i32)? as u32,
            DivideOp::SRem => (a as i32).checked_rem(b as i32)? as u32,
            DivideOp::UDiv => a.checked_div(b)?,
            DivideOp::URem => a.checked_rem(b)?,
        }));
    }
    if bits == 64 {
        return Some(match op {
            DivideOp::SDiv => (a as i64).checked_div(b as i64)? as u64,
            DivideOp::SRem => (a as i64).checked_rem(b as i64)? as u64,
            DivideOp::UDiv => a.checked_div(b)?,
            DivideOp::URem => a.checked_rem(b)?,
        });
    }
    arithmetic::divide(op, u32::from(bits), a.into(), b.into()).map(|r| r as u64)
}
