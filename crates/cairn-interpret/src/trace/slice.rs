//! The assignments that matter for a fault: a dynamic slice of a traced execution.
//!
//! The execution logs its last operations. The slice (Korel and Laski, "Dynamic program slicing", 1988) walks the log
//! backwards from the fault, with the set of registers and bytes whose values matter. An operation that wrote one of
//! them matters, and so do the values that it read. For a leak at the end, the relevant assignments are those that
//! stored or overwrote a pointer to the object.

use std::collections::VecDeque;

use cairn_ir::source::StackPlace;
use cairn_ir::{FuncId, Intrinsic, Ty};
use rustc_hash::FxHashSet;

use crate::arithmetic::value::Value;
use crate::limits::{LOGGED_OPERATIONS, MAX_COPIED_BYTES, SHOWN_ASSIGNMENTS};
use crate::run::machine::Machine;
use crate::trace::{TraceKind, TraceStep};
use crate::translate::is_wide;
use crate::translate::op::{At, NOWHERE, Op, ParamPlace, SlowOp};
use cairn_memory::{ObjectKind, Pointer};

/// A logged operation.
#[derive(Clone, Copy, Debug)]
struct Entry {
    position: u32,
    /// The index of the first value of its frame.
    base: usize,
    what: What,
    /// The value that it wrote, if it is a single one.
    value: Value,
    /// The object that its destination pointed to before.
    before: u32,
    step: u64,
    depth: u32,
}

/// The effect of an operation besides computing with registers.
#[derive(Clone, Copy, Debug)]
enum What {
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
    },
}

/// The registers of an operation.
struct Parts {
    dst: At,
    reads: [At; 3],
    access: Option<Reached>,
}

/// The bytes that an operation accesses.
struct Reached {
    base: At,
    index: At,
    scale: u64,
    offset: i64,
    size: u64,
    /// The register that is stored; `NOWHERE` for a load.
    src: At,
}

/// The log of an execution.
#[derive(Debug, Default)]
pub(crate) struct Log {
    entries: VecDeque<Entry>,
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
fn parts(op: Op, slow: &[SlowOp]) -> Parts {
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
        SlowOp::Unary { dst, src, .. } | SlowOp::Convert { dst, src, .. } | SlowOp::MoveWide { dst, src } => {
            computes(dst, &[src])
        }
        SlowOp::Binary { dst, a, b, .. } | SlowOp::Divide { dst, a, b, .. } | SlowOp::Compare { dst, a, b, .. } => {
            computes(dst, &[a, b])
        }
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

/// The values that matter at a point of the backward walk.
#[derive(Default)]
struct Wanted {
    registers: FxHashSet<usize>,
    bytes: FxHashSet<u64>,
    /// Objects all of whose pointers matter, wherever they are stored.
    objects: FxHashSet<u32>,
}

impl Wanted {
    fn read(&mut self, base: usize, reads: &[At]) {
        self.registers.extend(reads.iter().filter(|at| **at != NOWHERE).map(|at| base + *at as usize));
    }

    /// Removes bytes from the set, and returns whether one of them was in it.
    fn take_bytes(&mut self, at: u64, size: u64) -> bool {
        if self.bytes.is_empty() {
            return false;
        }
        if size > self.bytes.len() as u64 {
            let before = self.bytes.len();
            self.bytes.retain(|byte| byte.wrapping_sub(at) >= size);
            return self.bytes.len() < before;
        }
        (0..size).filter(|i| self.bytes.remove(&at.wrapping_add(*i))).count() > 0
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
        self.log(Entry { position, base, what: What::Returns { to, src }, value, before, step, depth });
    }

    fn log(&mut self, entry: Entry) {
        let Some(recorder) = &mut self.recorder else { return };
        if recorder.log.entries.len() >= LOGGED_OPERATIONS {
            recorder.log.entries.pop_front();
        }
        recorder.log.entries.push_back(entry);
    }

    /// Returns the assignments of the user's code that matter, each with its step number.
    ///
    /// `by_branch` is set if the fault is that a location was reached, so that the last branch matters.
    pub fn assignments(&self, log: &Log, ended: bool, by_branch: bool) -> Vec<(u64, TraceStep)> {
        let mut wanted = Wanted::default();
        let mut entries = log.entries.iter().rev().peekable();
        if ended {
            let left = self.memory.live_objects().filter(|(_, kind)| *kind == ObjectKind::Heap);
            wanted.objects.extend(left.map(|(id, _)| id.0));
        } else if let Some(fault) = entries.next_if(|entry| !matches!(entry.what, What::Calls { .. })) {
            self.want(&mut wanted, fault);
        }
        let mut branch = by_branch;
        let mut found = Vec::new();
        for entry in entries {
            let op = self.code.ops.get(entry.position as usize).copied();
            if branch && op.is_some_and(decides) {
                branch = false;
                self.want(&mut wanted, entry);
            }
            if self.matters(entry, op, &mut wanted) && found.len() < SHOWN_ASSIGNMENTS {
                found.extend(self.assignment(entry, op).map(|step| (entry.step, step)));
            }
        }
        found.reverse();
        found
    }

    /// Marks all registers that an operation reads; for a store, only those of its address.
    fn want(&self, wanted: &mut Wanted, entry: &Entry) {
        if let Some(&op) = self.code.ops.get(entry.position as usize) {
            wanted.read(entry.base, &parts(op, &self.code.slow).reads);
        }
    }

    /// Returns whether an operation wrote a value that matters. If so, marks the values that it read.
    fn matters(&self, entry: &Entry, op: Option<Op>, wanted: &mut Wanted) -> bool {
        let points = wanted.objects.contains(&entry.value.object()) || wanted.objects.contains(&entry.before);
        match entry.what {
            What::Calls { function, base } => {
                let Some(Op::Call { site }) = op else { return false };
                let params = &self.code.functions[function.index()].params;
                for ((arg, _), param) in self.code.calls[site as usize].args.iter().zip(params) {
                    if let ParamPlace::Reg(at, _) = *param
                        && wanted.registers.remove(&(base + at as usize))
                    {
                        wanted.read(entry.base, &[*arg]);
                    }
                }
                // The other values of the frame do not exist before the call.
                wanted.registers.retain(|register| *register < base);
                false
            }
            What::Returns { to, src } => {
                let matters = to.is_some_and(|to| wanted.registers.remove(&to)) || (to.is_some() && points);
                if matters {
                    wanted.read(entry.base, &[src]);
                }
                matters
            }
            What::Copies { to, from, size } => {
                let matters = wanted.take_bytes(to.address, size);
                if matters && size <= MAX_COPIED_BYTES {
                    wanted.bytes.extend((0..size).map(|i| from.wrapping_add(i)));
                }
                matters
            }
            What::Stores { at, size } => {
                let matters = wanted.take_bytes(at.address, size) || points;
                if matters
                    && let Some(op) = op
                    && let Some(access) = parts(op, &self.code.slow).access
                {
                    wanted.read(entry.base, &[access.src]);
                }
                matters
            }
            What::Computes | What::Loads { .. } => {
                let Some(op) = op else { return false };
                let parts = parts(op, &self.code.slow);
                if parts.dst == NOWHERE {
                    return false;
                }
                let matters = wanted.registers.remove(&(entry.base + parts.dst as usize));
                if matters {
                    wanted.read(entry.base, &parts.reads);
                    if let What::Loads { at, size } = entry.what {
                        wanted.bytes.extend((0..size).map(|i| at.wrapping_add(i)));
                    }
                }
                matters || points
            }
        }
    }

    /// Returns the trace step for an operation that matters, if it is an assignment of the user's code.
    fn assignment(&self, entry: &Entry, op: Option<Op>) -> Option<TraceStep> {
        let function = self.code.function_at(entry.position);
        let user = self.program.functions.get(function.index()).is_some_and(|f| f.origin.is_of_user());
        let loc = self.code.info(entry.position).loc;
        if !user || !loc.is_some() {
            return None;
        }
        let what = match entry.what {
            What::Calls { .. } => return None,
            What::Returns { .. } => {
                let Some(Op::Call { site }) = op else { return None };
                self.named(function, self.code.calls[site as usize].dst, entry.value)?
            }
            What::Copies { to, size, .. } => format!("{} are overwritten by a copy", self.shown_bytes(to, size)?),
            What::Stores { at, size } => {
                let access = op.and_then(|op| parts(op, &self.code.slow).access);
                let target = self.shown_bytes(at, size)?;
                match access {
                    Some(_) if stores_pointer(op) => format!("{target} becomes {}", self.shown(entry.value, Ty::Ptr)),
                    Some(_) => format!("{target} becomes {}", self.shown_raw(entry.value, size)),
                    None => format!("{target} is overwritten"),
                }
            }
            What::Computes | What::Loads { .. } => {
                self.named(function, parts(op?, &self.code.slow).dst, entry.value)?
            }
        };
        let place = StackPlace { function, loc };
        Some(TraceStep { kind: TraceKind::Assignment, what, place, depth: entry.depth, left_out: 0 })
    }

    /// Describes an assignment as "`x` becomes 5", if the register is a variable.
    fn named(&self, function: FuncId, dst: At, value: Value) -> Option<String> {
        let body = self.program.functions.get(function.index())?.body.as_ref()?;
        let mut at = 0;
        for register in &body.regs {
            if at == dst {
                return register
                    .name
                    .as_ref()
                    .map(|name| format!("`{name}` becomes {}", self.shown(value, register.ty)));
            }
            at += if is_wide(register.ty) { 2 } else { 1 };
        }
        None
    }

    /// Describes a stored value of which only the size is known.
    fn shown_raw(&self, value: Value, size: u64) -> String {
        if value.object() != 0 {
            return self.shown(value, Ty::Ptr);
        }
        let ty = match size {
            1 => Ty::I8,
            2 => Ty::I16,
            4 => Ty::I32,
            _ => Ty::I64,
        };
        self.shown(value, ty)
    }

    /// Describes bytes as "offset 8 of a heap object of 16 bytes", or as the name of a variable that they fill.
    fn shown_bytes(&self, at: Pointer, size: u64) -> Option<String> {
        let info = self.memory.info(at.object, at.life)?;
        let name = self.describe(&info);
        match self.offset_in(at.address, &info) {
            0 if size == info.shape.size => Some(name),
            offset => Some(format!("offset {offset} of {name}")),
        }
    }
}

/// Returns whether an operation stores a pointer.
const fn stores_pointer(op: Option<Op>) -> bool {
    matches!(op, Some(Op::StorePtr32 { .. } | Op::StorePtr64 { .. }))
}

/// Returns whether an operation is a conditional branch.
const fn decides(op: Op) -> bool {
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
