//! The log of a traced execution: its last operations, with the registers and bytes that each of them reads and writes.

use std::collections::VecDeque;

use cairn_ir::{FuncId, Intrinsic, Ty};

use crate::arithmetic::value::Value;
use crate::limits::LOGGED_OPERATIONS;
use crate::run::machine::Machine;
use crate::translate::op::{At, NOWHERE, Op, SlowOp};
use cairn_memory::Pointer;

/// A logged operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub position: u32,
    /// The index of the first value of its frame.
    pub base: usize,
    pub what: What,
    /// The value that it wrote, if it is a single one.
    pub value: Value,
    /// The object that its destination pointed to before.
    pub before: u32,
    pub step: u64,
    pub depth: u32,
}

/// The effect of an operation besides computing with registers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Computes,
    Loads {
        at: u64,
        size: u64,
    },
    Stores {
        at: Pointer,
        size: u64,
    },
    Copies {
        to: Pointer,
        from: u64,
        size: u64,
    },
    Calls {
        function: FuncId,
        base: usize,
    },
    /// Leaves a frame; `to` is the destination of its result.
    Returns {
        to: Option<usize>,
        src: At,
        /// The position of the `return`.
        from: u32,
    },
}

/// The registers of an operation.
pub(crate) struct Parts {
    pub dst: At,
    pub reads: [At; 3],
    pub access: Option<Reached>,
}

/// The bytes that an operation accesses.
pub(crate) struct Reached {
    base: At,
    index: At,
    scale: u64,
    offset: i64,
    size: u64,
    /// The register that is stored; `NOWHERE` for a load.
    pub src: At,
}

/// The log of an execution.
#[derive(Debug, Default)]
pub(crate) struct Log {
    pub entries: VecDeque<Entry>,
}

const NONE: [At; 3] = [NOWHERE; 3];

fn computes(dst: At, reads: &[At]) -> Parts {
    let mut parts = Parts { dst, reads: NONE, access: None };
    for (slot, &read) in parts.reads.iter_mut().zip(reads) {
        *slot = read;
    }
    parts
}

fn accesses(dst: At, src: At, (base, index): (At, At), scale: u64, offset: i64, size: u64) -> Parts {
    Parts { dst, reads: [base, index, NOWHERE], access: Some(Reached { base, index, scale, offset, size, src }) }
}

/// Returns the registers that an operation reads and writes. Calls and returns are logged separately.
pub(crate) fn parts(op: Op, slow: &[SlowOp]) -> Parts {
    let load = |dst, addr, offset: i32, size| accesses(dst, NOWHERE, (addr, NOWHERE), 0, i64::from(offset), size);
    let store = |src, addr, offset: i32, size| accesses(NOWHERE, src, (addr, NOWHERE), 0, i64::from(offset), size);
    let load_at = |dst, base, index, scale: u16, size| accesses(dst, NOWHERE, (base, index), u64::from(scale), 0, size);
    let store_at =
        |src, base, index, scale: u16, size| accesses(NOWHERE, src, (base, index), u64::from(scale), 0, size);
    match op {
        Op::Move { dst, src }
        | Op::SExt { dst, src, .. }
        | Op::Trunc { dst, src, .. }
        | Op::SIntToF64 { dst, src, .. }
        | Op::PtrToInt { dst, src } => computes(dst, &[src]),
        Op::Undef { dst, .. } => computes(dst, &[]),
        Op::Add32 { dst, a, b }
        | Op::Sub32 { dst, a, b }
        | Op::Mul32 { dst, a, b }
        | Op::And { dst, a, b }
        | Op::Or { dst, a, b }
        | Op::Xor { dst, a, b }
        | Op::Shl32 { dst, a, b }
        | Op::LShr32 { dst, a, b }
        | Op::AShr32 { dst, a, b }
        | Op::Add64 { dst, a, b }
        | Op::Sub64 { dst, a, b }
        | Op::Mul64 { dst, a, b }
        | Op::Shl64 { dst, a, b }
        | Op::LShr64 { dst, a, b }
        | Op::AShr64 { dst, a, b }
        | Op::AddF64 { dst, a, b }
        | Op::SubF64 { dst, a, b }
        | Op::MulF64 { dst, a, b }
        | Op::DivF64 { dst, a, b }
        | Op::AddF32 { dst, a, b }
        | Op::SubF32 { dst, a, b }
        | Op::MulF32 { dst, a, b }
        | Op::DivF32 { dst, a, b }
        | Op::Divide { dst, a, b, .. }
        | Op::SetEq { dst, a, b }
        | Op::SetNe { dst, a, b }
        | Op::SetULt { dst, a, b }
        | Op::SetULe { dst, a, b }
        | Op::SetSLt { dst, a, b, .. }
        | Op::SetSLe { dst, a, b, .. }
        | Op::SetF64 { dst, a, b, .. }
        | Op::PtrSub { dst, a, b } => computes(dst, &[a, b]),
        Op::PtrAdd { dst, base, index, .. } => computes(dst, &[base, index]),
        Op::PtrOffset { dst, base, .. } => computes(dst, &[base]),
        Op::JumpEq { a, b, .. }
        | Op::JumpNe { a, b, .. }
        | Op::JumpULt { a, b, .. }
        | Op::JumpULe { a, b, .. }
        | Op::JumpSLt { a, b, .. }
        | Op::JumpSLe { a, b, .. } => computes(NOWHERE, &[a, b]),
        Op::JumpIf { cond, .. } | Op::JumpIfNot { cond, .. } => computes(NOWHERE, &[cond]),
        Op::Switch { value, .. } => computes(NOWHERE, &[value]),
        Op::JumpTo { addr, .. } => computes(NOWHERE, &[addr]),
        Op::Load8 { dst, addr, offset } => load(dst, addr, offset, 1),
        Op::Load16 { dst, addr, offset } => load(dst, addr, offset, 2),
        Op::Load32 { dst, addr, offset } | Op::LoadPtr32 { dst, addr, offset } => load(dst, addr, offset, 4),
        Op::Load64 { dst, addr, offset } | Op::LoadPtr64 { dst, addr, offset } => load(dst, addr, offset, 8),
        Op::Store8 { src, addr, offset } => store(src, addr, offset, 1),
        Op::Store16 { src, addr, offset } => store(src, addr, offset, 2),
        Op::Store32 { src, addr, offset } | Op::StorePtr32 { src, addr, offset } => store(src, addr, offset, 4),
        Op::Store64 { src, addr, offset } | Op::StorePtr64 { src, addr, offset } => store(src, addr, offset, 8),
        Op::Load8At { scale, dst, base, index } => load_at(dst, base, index, scale, 1),
        Op::Load32At { scale, dst, base, index } | Op::LoadPtr32At { scale, dst, base, index } => {
            load_at(dst, base, index, scale, 4)
        }
        Op::Load64At { scale, dst, base, index } | Op::LoadPtr64At { scale, dst, base, index } => {
            load_at(dst, base, index, scale, 8)
        }
        Op::Store8At { scale, src, base, index } => store_at(src, base, index, scale, 1),
        Op::Store32At { scale, src, base, index } => store_at(src, base, index, scale, 4),
        Op::Store64At { scale, src, base, index } => store_at(src, base, index, scale, 8),
        Op::Slow { index } => slow.get(index as usize).map_or_else(|| computes(NOWHERE, &[]), slow_parts),
        Op::Jump { .. }
        | Op::Enter { .. }
        | Op::Leave { .. }
        | Op::Call { .. }
        | Op::Return { .. }
        | Op::ReturnNothing
        | Op::Unreachable => computes(NOWHERE, &[]),
    }
}

fn slow_parts(op: &SlowOp) -> Parts {
    match *op {
        SlowOp::Unary { dst, src, .. }
        | SlowOp::Convert { dst, src, .. }
        | SlowOp::PtrToInt { dst, src }
        | SlowOp::MoveWide { dst, src } => computes(dst, &[src]),
        SlowOp::Binary { dst, a, b, .. }
        | SlowOp::Divide { dst, a, b, .. }
        | SlowOp::ComparePointers { dst, a, b, .. }
        | SlowOp::PtrSub { dst, a, b }
        | SlowOp::Compare { dst, a, b, .. } => computes(dst, &[a, b]),
        SlowOp::PtrAdd { dst, base, index, .. } => computes(dst, &[base, index]),
        SlowOp::Load { dst, ty, addr, offset } | SlowOp::LoadBits { dst, ty, addr, offset, .. } => {
            accesses(dst, NOWHERE, (addr, NOWHERE), 0, offset, size_of(ty))
        }
        SlowOp::Store { ty, addr, offset, src } | SlowOp::StoreBits { ty, addr, offset, src, .. } => {
            accesses(NOWHERE, src, (addr, NOWHERE), 0, offset, size_of(ty))
        }
        // Bytes are copied or cleared, so no register is written.
        SlowOp::Copy { dst, src, .. } => computes(NOWHERE, &[dst, src]),
        SlowOp::Zero { dst, .. } => computes(NOWHERE, &[dst]),
        SlowOp::Fits { a, b, .. } => computes(NOWHERE, &[a, b]),
        SlowOp::Use { src, .. } => computes(NOWHERE, &[src]),
        SlowOp::Intrinsic { dst, ref args, .. } => computes(dst, args),
        SlowOp::UndefWide { dst } => computes(dst, &[]),
        SlowOp::EnterVla { size, .. } => computes(NOWHERE, &[size]),
        SlowOp::Unsupported { .. } => computes(NOWHERE, &[]),
    }
}

/// Returns the size of a type in bytes; an over-approximation is harmless here.
const fn size_of(ty: Ty) -> u64 {
    match ty {
        Ty::I1 | Ty::I8 => 1,
        Ty::I16 | Ty::F16 => 2,
        Ty::I32 | Ty::F32 => 4,
        Ty::I64 | Ty::F64 | Ty::Ptr => 8,
        Ty::I128 | Ty::F80 | Ty::F128 => 16,
    }
}

impl Machine<'_> {
    /// Logs an operation of a traced execution before it is executed.
    pub fn log_operation(&mut self) {
        let Some(&op) = self.code.ops.get(self.position as usize) else { return };
        if matches!(op, Op::Call { .. } | Op::Return { .. } | Op::ReturnNothing | Op::Jump { .. }) {
            return;
        }
        let base = self.base();
        let value_at = |at: At| self.values.get(base + at as usize).copied().unwrap_or(Value::NO_ADDRESS);
        let parts = parts(op, &self.code.slow);
        let mut what = match &parts.access {
            None => What::Computes,
            Some(access) => {
                let index = if access.index == NOWHERE { 0 } else { value_at(access.index).bits };
                let distance = index.wrapping_mul(access.scale).wrapping_add(access.offset as u64);
                let at = value_at(access.base).pointer().plus(distance);
                if access.src == NOWHERE {
                    What::Loads { at: at.address, size: access.size }
                } else {
                    What::Stores { at, size: access.size }
                }
            }
        };
        if let Op::Slow { index } = op {
            let moved = |to: At, from: At, size: u64| What::Copies {
                to: value_at(to).pointer(),
                from: value_at(from).bits,
                size,
            };
            match self.code.slow.get(index as usize) {
                Some(&SlowOp::Copy { dst, src, size, .. }) => what = moved(dst, src, size),
                Some(&SlowOp::Zero { dst, offset, size }) => {
                    what = What::Stores { at: value_at(dst).pointer().plus(offset as u64), size };
                }
                Some(SlowOp::Intrinsic { op: Intrinsic::CopyBytes | Intrinsic::MoveBytes, args, .. }) => {
                    if let [to, from, size] = **args {
                        what = moved(to, from, value_at(size).bits);
                    }
                }
                Some(SlowOp::Intrinsic { op: Intrinsic::FillBytes, args, .. }) => {
                    if let [to, _, size] = **args {
                        what = What::Stores { at: value_at(to).pointer(), size: value_at(size).bits };
                    }
                }
                _ => {}
            }
        }
        let before = if parts.dst == NOWHERE { 0 } else { value_at(parts.dst).object() };
        let value = match &parts.access {
            Some(access) if access.src != NOWHERE => value_at(access.src),
            _ => Value::NO_ADDRESS,
        };
        // This step number sorts the entry after everything that is recorded while the operation runs.
        let (position, step, depth) = (self.position, self.steps + 1, self.frames.len() as u32);
        self.log(Entry { position, base, what, value, before, step, depth });
    }

    /// Logs the value that an operation has written to a register.
    pub fn log_result(&mut self) {
        let slow = &self.code.slow;
        let Some(last) = self.recorder.as_mut().and_then(|recorder| recorder.log.entries.back_mut()) else { return };
        let Some(&op) = self.code.ops.get(last.position as usize) else { return };
        let dst = parts(op, slow).dst;
        if dst != NOWHERE
            && let Some(&value) = self.values.get(last.base + dst as usize)
        {
            last.value = value;
        }
    }

    /// Logs a call whose frame was pushed.
    pub fn log_call(&mut self, caller: usize) {
        let Some(frame) = self.frames.last() else { return };
        let what = What::Calls { function: frame.function, base: frame.base };
        let position = frame.return_to.wrapping_sub(1);
        let (value, step, depth) = (Value::NO_ADDRESS, self.steps, self.frames.len() as u32);
        self.log(Entry { position, base: caller, what, value, before: 0, step, depth });
    }

    /// Logs a return before its frame is popped.
    pub fn log_return(&mut self, src: At) {
        let Some((frame, callers)) = self.frames.split_last() else { return };
        let to = callers.last().filter(|_| frame.dst != NOWHERE).map(|caller| caller.base + frame.dst as usize);
        let value = if src == NOWHERE { Value::NO_ADDRESS } else { self.get(src) };
        let before = to.and_then(|to| self.values.get(to)).map_or(0, |value| value.object());
        let (base, step, depth) = (frame.base, self.steps, callers.len() as u32);
        let position = frame.return_to.wrapping_sub(1);
        let what = What::Returns { to, src, from: self.current() };
        self.log(Entry { position, base, what, value, before, step, depth });
    }

    fn log(&mut self, entry: Entry) {
        let Some(recorder) = &mut self.recorder else { return };
        if recorder.log.entries.len() >= LOGGED_OPERATIONS {
            recorder.log.entries.pop_front();
        }
        recorder.log.entries.push_back(entry);
    }
}

/// Returns whether an operation is a conditional branch.
pub(crate) const fn decides(op: Op) -> bool {
    matches!(
        op,
        Op::JumpEq { .. }
            | Op::JumpNe { .. }
            | Op::JumpULt { .. }
            | Op::JumpULe { .. }
            | Op::JumpSLt { .. }
            | Op::JumpSLe { .. }
            | Op::JumpIf { .. }
            | Op::JumpIfNot { .. }
            | Op::Switch { .. }
    )
}
