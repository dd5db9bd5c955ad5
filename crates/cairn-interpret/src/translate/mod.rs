//! Translation of bodies to the flat code of [`op`].
//!
//! [`select`] chooses the operation of an instruction, and [`fusion`] holds the optimisations.

mod fusion;
pub(crate) mod op;
mod select;

use cairn_ir::inst::{BinaryOp, Call, Callee, CompareOp, ConvertOp, Local, Passing};
use cairn_ir::program::{Body, Param};
use cairn_ir::{CheckKind, Checks, FuncId, Inst, Intrinsic, Loc, Operand, Program, Reg, Terminator, Ty, UnaryOp};
use rustc_hash::FxHashMap;

use self::fusion::CompareBranch;
use crate::arithmetic::value::Value;
use crate::run::image::Image;
use crate::translate::op::{
    At, CallSite, CallTarget, Code, FunctionCode, NOWHERE, Op, OpInfo, ParamPlace, SlotInfo, SlowOp,
};
use crate::translate::select::{count, extend, fast_binary, switch_table};

/// Returns whether a value takes two registers.
pub(crate) const fn is_wide(ty: Ty) -> bool {
    matches!(ty, Ty::I128 | Ty::F80 | Ty::F128)
}

/// Translates the whole program.
pub(crate) fn translate(program: &Program, image: &mut Image) -> Result<Code, String> {
    let mut code = Code::default();
    for (index, function) in program.functions.iter().enumerate() {
        let mut translated = FunctionCode {
            entry: None,
            template: Box::default(),
            slots: Box::default(),
            params: Box::default(),
            signature: function.signature.clone(),
            block_starts: Box::default(),
        };
        if let Some(body) = &function.body {
            let entry = position(code.ops.len())?;
            code.starts.push((entry, FuncId::new(index)));
            translated.entry = Some(entry);
            Translator::new(program, image, &mut code, FuncId::new(index), body).body(&mut translated)?;
        }
        code.functions.push(translated);
    }
    for site in &mut code.calls {
        let CallTarget::Function(id) = site.callee else { continue };
        let Some(callee) = code.functions.get(id.index()) else { continue };
        site.simple = callee.entry.is_some()
            && !callee.signature.variadic
            && callee.params.len() == site.args.len()
            && site.fixed as usize == site.args.len()
            && site.ret == callee.signature.ret
            && !site.ret.is_some_and(is_wide)
            && site.args.iter().zip(&callee.params).all(|((_, passing), param)| match (passing, param) {
                (Passing::Scalar(given), ParamPlace::Reg(_, wanted)) => given == wanted && !is_wide(*given),
                _ => false,
            });
    }
    Ok(code)
}

fn position(len: usize) -> Result<u32, String> {
    u32::try_from(len).map_err(|_| "the program is too large".to_owned())
}

struct Translator<'a> {
    program: &'a Program,
    image: &'a mut Image,
    code: &'a mut Code,
    function: FuncId,
    body: &'a Body,
    regs: Vec<At>,
    slots: Vec<At>,
    uses: Vec<u32>,
    /// The temporaries that are passed to functions.
    passed: Vec<bool>,
    values: Vec<Value>,
    constants: FxHashMap<(u128, u32), At>,
    /// The positions of jumps whose target is still a block number.
    pending: Vec<usize>,
}

impl<'a> Translator<'a> {
    fn new(program: &'a Program, image: &'a mut Image, code: &'a mut Code, function: FuncId, body: &'a Body) -> Self {
        let mut values = Vec::new();
        let mut regs = Vec::with_capacity(body.regs.len());
        for reg in &body.regs {
            regs.push(values.len() as At);
            let width = reg.ty.bits(program.target);
            values.push(Value::unset(width));
            if is_wide(reg.ty) {
                values.push(Value::unset(width - 64));
            }
        }
        let mut slots = Vec::with_capacity(body.slots.len());
        for _ in &body.slots {
            slots.push(values.len() as At);
            values.push(Value::NO_ADDRESS);
        }
        let mut uses = vec![0; body.regs.len()];
        let mut passed = vec![false; body.regs.len()];
        for block in &body.blocks {
            for inst in &block.insts {
                inst.for_operands(&mut |operand| count(&mut uses, operand));
                if let Inst::Call(call) = inst {
                    for arg in &call.args {
                        if let Operand::Reg(reg) = arg.value {
                            passed[reg.index()] = body.regs[reg.index()].name.is_none();
                        }
                    }
                }
            }
            block.end.for_operands(&mut |operand| count(&mut uses, operand));
        }
        Self {
            program,
            image,
            code,
            function,
            body,
            regs,
            slots,
            uses,
            passed,
            values,
            constants: FxHashMap::default(),
            pending: Vec::new(),
        }
    }

    fn body(mut self, out: &mut FunctionCode) -> Result<(), String> {
        let mut starts = Vec::with_capacity(self.body.blocks.len());
        for index in 0..self.body.blocks.len() {
            starts.push(position(self.code.ops.len())?);
            self.block(index)?;
        }
        for at in std::mem::take(&mut self.pending) {
            let Some(op) = self.code.ops.get_mut(at) else { continue };
            if let Op::JumpEq { to, .. }
            | Op::JumpNe { to, .. }
            | Op::JumpULt { to, .. }
            | Op::JumpULe { to, .. }
            | Op::JumpSLt { to, .. }
            | Op::JumpSLe { to, .. }
            | Op::JumpIf { to, .. }
            | Op::JumpIfNot { to, .. }
            | Op::Jump { to } = op
            {
                *to = start_of(&starts, *to)?;
            } else if let Op::Switch { table, .. } = op
                && let Some(switch) = self.code.switches.get_mut(*table as usize)
            {
                for (_, _, to) in &mut switch.ranges {
                    *to = start_of(&starts, *to)?;
                }
                for to in &mut switch.dense {
                    *to = start_of(&starts, *to)?;
                }
                switch.default = start_of(&starts, switch.default)?;
            }
        }
        out.slots = (self.body.slots.iter().zip(&self.slots))
            .map(|(slot, &at)| SlotInfo { at, size: slot.size, align: slot.align })
            .collect();
        out.params = (self.body.params.iter())
            .map(|param| match *param {
                Param::Reg(reg) => ParamPlace::Reg(self.reg(reg), self.ty(reg)),
                Param::Slot(slot) => ParamPlace::Slot(slot.0),
            })
            .collect();
        out.template = self.values.into_boxed_slice();
        out.block_starts = starts.into_boxed_slice();
        Ok(())
    }

    fn reg(&self, reg: Reg) -> At {
        self.regs[reg.index()]
    }

    fn ty(&self, reg: Reg) -> Ty {
        self.body.regs[reg.index()].ty
    }

    fn emit(&mut self, op: Op, loc: Loc, checks: Checks) {
        self.code.ops.push(op);
        self.code.infos.push(OpInfo { loc, checks });
    }

    fn slow(&mut self, op: SlowOp, loc: Loc, checks: Checks) -> Result<(), String> {
        let index = position(self.code.slow.len())?;
        self.code.slow.push(op);
        self.emit(Op::Slow { index }, loc, checks);
        Ok(())
    }

    fn jump(&mut self, op: Op, loc: Loc, checks: Checks) {
        self.pending.push(self.code.ops.len());
        self.emit(op, loc, checks);
    }

    /// Returns the index of a constant, which is zero-extended from the width of its type.
    fn constant(&mut self, bits: u128, ty: Ty) -> At {
        let width = ty.bits(self.program.target);
        let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        let wide = is_wide(ty);
        let values = &mut self.values;
        *self.constants.entry((bits, u32::from(wide))).or_insert_with(|| {
            let at = values.len() as At;
            values.push(Value::int(bits as u64));
            if wide {
                values.push(Value::int((bits >> 64) as u64));
            }
            at
        })
    }

    fn address(&mut self, value: Value) -> At {
        let values = &mut self.values;
        *self.constants.entry((u128::from(value.bits), 2)).or_insert_with(|| {
            let at = values.len() as At;
            values.push(value);
            at
        })
    }

    fn operand(&mut self, operand: Operand, ty: Ty) -> Result<At, String> {
        Ok(match operand {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Int(bits) => self.constant(bits as i128 as u128, ty),
            Operand::Wide(id) => {
                let bits = self.program.wide.get(id.index()).copied().unwrap_or(0);
                self.constant(bits, ty)
            }
            Operand::Slot(slot) => self.slots[slot.index()],
            Operand::Global(id) => {
                let pointer = self.image.globals[id.index()];
                self.address(pointer.into())
            }
            Operand::Function(id) => {
                let pointer = self.image.functions[id.index()];
                self.address(pointer.into())
            }
            Operand::Label(block) => {
                let pointer = self.image.label(self.program, self.function.0, block.0)?;
                self.address(pointer.into())
            }
        })
    }

    /// Returns whether values of a type are addresses that the execution must not observe.
    fn hides(&self, ty: Ty) -> bool {
        ty == Ty::Ptr && self.image.memory.hides_addresses()
    }

    /// Returns the integer type of pointer width.
    fn word(&self) -> Ty {
        if self.program.target.pointer_bits() == 32 { Ty::I32 } else { Ty::I64 }
    }

    fn block(&mut self, index: usize) -> Result<(), String> {
        let block = &self.body.blocks[index];
        let mut at = 0;
        while let Some(inst) = block.insts.get(at) {
            let loc = block.locs.get(at).copied().unwrap_or(Loc::NONE);
            if let Some(next) = block.insts.get(at + 1) {
                let next_loc = block.locs.get(at + 1).copied().unwrap_or(Loc::NONE);
                if self.access_at(inst, next, next_loc)? {
                    at += 2;
                    continue;
                }
            } else if let (Inst::Compare { op, ty, dst, lhs, rhs }, Terminator::Branch { cond, then, other, checks }) =
                (inst, &block.end)
                && self.only_use(*dst, *cond)
                && !ty.is_float()
                && *ty != Ty::I128
                && !self.hides(*ty)
            {
                let (a, b) = (self.operand(*lhs, *ty)?, self.operand(*rhs, *ty)?);
                let compare = CompareBranch {
                    op: *op,
                    ty: *ty,
                    a,
                    b,
                    then: *then,
                    other: *other,
                    loc: block.end_loc,
                    checks: *checks,
                };
                self.compare_branch(compare, index);
                return Ok(());
            }
            if !self.is_pointless(block, at) {
                self.inst(inst, loc)?;
            }
            at += 1;
        }
        self.end(&block.end, index, block.end_loc)
    }

    fn end(&mut self, end: &Terminator, index: usize, loc: Loc) -> Result<(), String> {
        let next = index + 1;
        match end {
            Terminator::Jump(to) => {
                if to.index() != next {
                    self.jump(Op::Jump { to: to.0 }, loc, Checks::NONE);
                }
            }
            Terminator::Branch { cond, then, other, checks } => {
                let cond = self.operand(*cond, Ty::I1)?;
                if then.index() == next {
                    self.jump(Op::JumpIfNot { cond, to: other.0 }, loc, *checks);
                } else {
                    self.jump(Op::JumpIf { cond, to: then.0 }, loc, *checks);
                    if other.index() != next {
                        self.jump(Op::Jump { to: other.0 }, loc, Checks::NONE);
                    }
                }
            }
            Terminator::Switch { ty: Ty::I128, .. } => {
                let what = "a switch on a 128-bit value".into();
                self.slow(SlowOp::Unsupported { what }, loc, Checks::NONE)?;
            }
            Terminator::Switch { ty, signed, value, cases, default, checks } => {
                let value = self.operand(*value, *ty)?;
                let bits = ty.bits(self.program.target);
                let table = position(self.code.switches.len())?;
                let ranges = cases
                    .iter()
                    .map(|case| (extend(case.low, bits, *signed), extend(case.high, bits, *signed), case.target.0));
                let switch = switch_table(bits, *signed, ranges.collect(), default.0);
                self.code.switches.push(switch);
                self.jump(Op::Switch { value, table }, loc, *checks);
            }
            Terminator::JumpTo { addr, targets, checks } => {
                let addr = self.operand(*addr, Ty::Ptr)?;
                let table = position(self.code.computed.len())?;
                self.code.computed.push(targets.iter().map(|t| t.0).collect());
                self.emit(Op::JumpTo { addr, table }, loc, *checks);
            }
            Terminator::Return(None) => self.emit(Op::ReturnNothing, loc, Checks::NONE),
            Terminator::Return(Some(value)) => {
                let ty = self.program.functions[self.function.index()].signature.ret.unwrap_or(Ty::I32);
                let src = self.operand(*value, ty)?;
                self.emit(Op::Return { src }, loc, Checks::NONE);
            }
            Terminator::Unreachable => self.emit(Op::Unreachable, loc, Checks::NONE),
        }
        Ok(())
    }

    fn inst(&mut self, inst: &Inst, loc: Loc) -> Result<(), String> {
        match inst {
            Inst::Move { dst, src } => {
                let ty = self.ty(*dst);
                let (dst, src) = (self.reg(*dst), self.operand(*src, ty)?);
                if is_wide(ty) {
                    return self.slow(SlowOp::MoveWide { dst, src }, loc, Checks::NONE);
                }
                self.emit(Op::Move { dst, src }, loc, Checks::NONE);
            }
            Inst::Undef { dst } => self.undef(*dst, loc)?,
            Inst::Use { ty, src, checks } => {
                let is_argument = matches!(*src, Operand::Reg(reg) if self.passed[reg.index()]);
                let src = self.operand(*src, *ty)?;
                self.slow(SlowOp::Use { ty: *ty, src, is_argument }, loc, *checks)?;
            }
            Inst::Unary { op: UnaryOp::Neg, ty: ty @ (Ty::I32 | Ty::I64), dst, src } => {
                let (dst, zero, src) = (self.reg(*dst), self.constant(0, *ty), self.operand(*src, *ty)?);
                let op = fast_binary(BinaryOp::Sub, *ty, dst, zero, src);
                self.emit(op.unwrap_or(Op::Unreachable), loc, Checks::NONE);
            }
            Inst::Unary { op: UnaryOp::Not, ty, dst, src } if !is_wide(*ty) => {
                let (dst, ones, src) = (self.reg(*dst), self.constant(u128::MAX, *ty), self.operand(*src, *ty)?);
                self.emit(Op::Xor { dst, a: src, b: ones }, loc, Checks::NONE);
            }
            Inst::Unary { op, ty, dst, src } => {
                let (dst, src) = (self.reg(*dst), self.operand(*src, *ty)?);
                self.slow(SlowOp::Unary { op: *op, ty: *ty, dst, src }, loc, Checks::NONE)?;
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let (dst, a, b) = (self.reg(*dst), self.operand(*lhs, *ty)?, self.operand(*rhs, *ty)?);
                match fast_binary(*op, *ty, dst, a, b) {
                    Some(op) => self.emit(op, loc, Checks::NONE),
                    None => self.slow(SlowOp::Binary { op: *op, ty: *ty, dst, a, b }, loc, Checks::NONE)?,
                }
            }
            Inst::Divide { op, ty, dst, lhs, rhs, checks } => {
                let (dst, a, b) = (self.reg(*dst), self.operand(*lhs, *ty)?, self.operand(*rhs, *ty)?);
                if *ty == Ty::I128 {
                    return self.slow(SlowOp::Divide { op: *op, ty: *ty, dst, a, b }, loc, *checks);
                }
                let bits = ty.bits(self.program.target) as u8;
                self.emit(Op::Divide { op: *op, bits, dst, a, b }, loc, *checks);
            }
            Inst::Fits { op, ty, lhs, rhs, checks } => {
                let (a, b) = (self.operand(*lhs, *ty)?, self.operand(*rhs, *ty)?);
                self.slow(SlowOp::Fits { op: *op, ty: *ty, a, b }, loc, *checks)?;
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => self.compare(*op, *ty, *dst, (*lhs, *rhs), loc)?,
            Inst::Convert { op, from, to, dst, src } => {
                let (dst, src) = (self.reg(*dst), self.operand(*src, *from)?);
                let target = self.program.target;
                if *op == ConvertOp::PtrToInt && self.hides(*from) {
                    return self.slow(SlowOp::PtrToInt { dst, src }, loc, Checks::NONE);
                }
                let (from_bits, to_bits) = (from.bits(target), to.bits(target));
                let narrow = !is_wide(*from) && !is_wide(*to);
                let fast = match op {
                    ConvertOp::ZExt if narrow => Op::Move { dst, src },
                    ConvertOp::Trunc if narrow => Op::Trunc { drop: (64 - to_bits) as u8, dst, src },
                    ConvertOp::SExt if narrow => {
                        Op::SExt { up: (64 - from_bits) as u8, down: (64 - to_bits) as u8, dst, src }
                    }
                    ConvertOp::PtrToInt => Op::PtrToInt { dst, src },
                    ConvertOp::SIntToFloat if narrow && *to == Ty::F64 => {
                        Op::SIntToF64 { shift: (64 - from_bits) as u8, dst, src }
                    }
                    _ => {
                        let slow = SlowOp::Convert { op: *op, from: *from, to: *to, dst, src };
                        return self.slow(slow, loc, Checks::NONE);
                    }
                };
                self.emit(fast, loc, Checks::NONE);
            }
            Inst::PtrAdd { dst, base, index, scale } => self.ptr_add(*dst, *base, (*index, *scale), loc)?,
            Inst::PtrSub { dst, lhs, rhs } => {
                let (dst, a, b) = (self.reg(*dst), self.operand(*lhs, Ty::Ptr)?, self.operand(*rhs, Ty::Ptr)?);
                if self.hides(Ty::Ptr) {
                    return self.slow(SlowOp::PtrSub { dst, a, b }, loc, Checks::NONE);
                }
                self.emit(Op::PtrSub { dst, a, b }, loc, Checks::NONE);
            }
            Inst::Load { dst, ty, addr, offset, checks } => self.load(*dst, *ty, *addr, *offset, loc, *checks)?,
            Inst::Store { ty, addr, offset, src, checks } => self.store(*ty, *addr, *offset, *src, loc, *checks)?,
            Inst::LoadBits { dst, ty, addr, offset, bits, signed, checks } => {
                let (dst, addr) = (self.reg(*dst), self.operand(*addr, Ty::Ptr)?);
                let op = SlowOp::LoadBits { dst, ty: *ty, addr, offset: *offset, bits: *bits, signed: *signed };
                self.slow(op, loc, *checks)?;
            }
            Inst::StoreBits { ty, addr, offset, bits, src, checks } => {
                let (addr, src) = (self.operand(*addr, Ty::Ptr)?, self.operand(*src, *ty)?);
                self.slow(SlowOp::StoreBits { ty: *ty, addr, offset: *offset, bits: *bits, src }, loc, *checks)?;
            }
            Inst::Copy { dst, src, size, dst_checks, src_checks } => {
                let (dst, src) = (self.operand(*dst, Ty::Ptr)?, self.operand(*src, Ty::Ptr)?);
                self.slow(SlowOp::Copy { dst, src, size: *size, src_checks: *src_checks }, loc, *dst_checks)?;
            }
            Inst::Zero { dst, offset, size } => {
                let dst = self.operand(*dst, Ty::Ptr)?;
                self.slow(SlowOp::Zero { dst, offset: *offset, size: *size }, loc, Checks::NONE)?;
            }
            Inst::Enter(Local::Reg(reg)) => self.undef(*reg, loc)?,
            Inst::Enter(Local::Slot(slot)) => self.emit(Op::Enter { slot: slot.0 }, loc, Checks::NONE),
            // A pointer in a variable that has left its scope keeps no heap object reachable.
            Inst::Leave(Local::Reg(reg)) => self.undef(*reg, loc)?,
            Inst::Leave(Local::Slot(slot)) => self.emit(Op::Leave { slot: slot.0 }, loc, Checks::NONE),
            Inst::EnterVla { slot, size } => {
                let word = self.word();
                let size = self.operand(*size, word)?;
                self.slow(SlowOp::EnterVla { slot: slot.0, size }, loc, Checks::NONE)?;
            }
            Inst::Call(call) => self.call(call, loc)?,
            Inst::Intrinsic { op, dst, args, checks } => {
                let ty = dst.map(|reg| self.ty(reg));
                let mut places = Vec::with_capacity(args.len());
                for (index, &arg) in args.iter().enumerate() {
                    let param = self.param_type(*op, index, ty);
                    places.push(self.operand(arg, param)?);
                }
                let dst = dst.map_or(NOWHERE, |reg| self.reg(reg));
                self.slow(SlowOp::Intrinsic { op: *op, dst, ty, args: places.into_boxed_slice() }, loc, *checks)?;
            }
            Inst::Unsupported { what, checks } => {
                self.slow(SlowOp::Unsupported { what: what.clone() }, loc, *checks)?;
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        op: CompareOp,
        ty: Ty,
        dst: Reg,
        (lhs, rhs): (Operand, Operand),
        loc: Loc,
    ) -> Result<(), String> {
        let (dst, a, b) = (self.reg(dst), self.operand(lhs, ty)?, self.operand(rhs, ty)?);
        if self.hides(ty) {
            return self.slow(SlowOp::ComparePointers { op, dst, a, b }, loc, Checks::NONE);
        }
        let shift = (64 - ty.bits(self.program.target).min(64)) as u8;
        let fast = match (op, ty) {
            (_, Ty::F64) => Op::SetF64 { op, dst, a, b },
            (_, Ty::I128 | Ty::F16 | Ty::F32 | Ty::F80 | Ty::F128) => {
                return self.slow(SlowOp::Compare { op, ty, dst, a, b }, loc, Checks::NONE);
            }
            (CompareOp::Eq, _) => Op::SetEq { dst, a, b },
            (CompareOp::Ne, _) => Op::SetNe { dst, a, b },
            (CompareOp::ULt, _) => Op::SetULt { dst, a, b },
            (CompareOp::ULe, _) => Op::SetULe { dst, a, b },
            (CompareOp::SLt, _) => Op::SetSLt { shift, dst, a, b },
            _ => Op::SetSLe { shift, dst, a, b },
        };
        self.emit(fast, loc, Checks::NONE);
        Ok(())
    }

    fn ptr_add(&mut self, dst: Reg, base: Operand, (index, scale): (Operand, i64), loc: Loc) -> Result<(), String> {
        let word = self.word();
        let (dst, base) = (self.reg(dst), self.operand(base, Ty::Ptr)?);
        let offset = match index {
            Operand::Int(index) => index.checked_mul(scale).and_then(|b| i32::try_from(b).ok()),
            _ => None,
        };
        if let Some(offset) = offset {
            self.emit(Op::PtrOffset { dst, base, offset }, loc, Checks::NONE);
            return Ok(());
        }
        let index = self.operand(index, word)?;
        match u16::try_from(scale) {
            Ok(scale) => self.emit(Op::PtrAdd { scale, dst, base, index }, loc, Checks::NONE),
            Err(_) => self.slow(SlowOp::PtrAdd { dst, base, index, scale }, loc, Checks::NONE)?,
        }
        Ok(())
    }

    fn call(&mut self, call: &Call, loc: Loc) -> Result<(), String> {
        let callee = match call.callee {
            Callee::Function(id) => CallTarget::Function(id),
            Callee::Pointer(pointer) => CallTarget::Pointer(self.operand(pointer, Ty::Ptr)?),
        };
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            let ty = match arg.passing {
                Passing::Scalar(ty) => ty,
                Passing::Memory { .. } => Ty::Ptr,
            };
            args.push((self.operand(arg.value, ty)?, arg.passing));
        }
        let site = position(self.code.calls.len())?;
        self.code.calls.push(CallSite {
            dst: call.dst.map_or(NOWHERE, |reg| self.regs[reg.index()]),
            callee,
            args: args.into_boxed_slice(),
            ret: call.ret,
            fixed: call.fixed,
            prototyped: call.prototyped,
            simple: false,
        });
        self.emit(Op::Call { site }, loc, call.checks);
        Ok(())
    }

    fn undef(&mut self, reg: Reg, loc: Loc) -> Result<(), String> {
        let dst = self.reg(reg);
        if is_wide(self.ty(reg)) {
            return self.slow(SlowOp::UndefWide { dst }, loc, Checks::NONE);
        }
        let width = self.ty(reg).bits(self.program.target) as u8;
        self.emit(Op::Undef { width, dst }, loc, Checks::NONE);
        Ok(())
    }

    fn load(&mut self, dst: Reg, ty: Ty, addr: Operand, offset: i64, loc: Loc, checks: Checks) -> Result<(), String> {
        let (dst, addr) = (self.reg(dst), self.operand(addr, Ty::Ptr)?);
        let bytes = ty.bytes(self.program.target);
        if let Ok(offset) = i32::try_from(offset) {
            let op = match (ty, bytes) {
                (Ty::Ptr, 4) => Some(Op::LoadPtr32 { dst, addr, offset }),
                (Ty::Ptr, _) => Some(Op::LoadPtr64 { dst, addr, offset }),
                (Ty::I1, _) => None,
                (_, 1) => Some(Op::Load8 { dst, addr, offset }),
                (_, 2) => Some(Op::Load16 { dst, addr, offset }),
                (_, 4) => Some(Op::Load32 { dst, addr, offset }),
                (_, 8) => Some(Op::Load64 { dst, addr, offset }),
                _ => None,
            };
            if let Some(op) = op {
                self.emit(op, loc, checks);
                return Ok(());
            }
        }
        self.slow(SlowOp::Load { dst, ty, addr, offset }, loc, checks)
    }

    fn store(
        &mut self,
        ty: Ty,
        addr: Operand,
        offset: i64,
        src: Operand,
        loc: Loc,
        checks: Checks,
    ) -> Result<(), String> {
        let (addr, src) = (self.operand(addr, Ty::Ptr)?, self.operand(src, ty)?);
        let bytes = ty.bytes(self.program.target);
        if let Ok(offset) = i32::try_from(offset) {
            let op = match (ty, bytes) {
                (Ty::Ptr, 4) => Some(Op::StorePtr32 { src, addr, offset }),
                (Ty::Ptr, _) => Some(Op::StorePtr64 { src, addr, offset }),
                (_, 1) => Some(Op::Store8 { src, addr, offset }),
                (_, 2) => Some(Op::Store16 { src, addr, offset }),
                (_, 4) => Some(Op::Store32 { src, addr, offset }),
                (_, 8) => Some(Op::Store64 { src, addr, offset }),
                _ => None,
            };
            if let Some(op) = op {
                self.emit(op, loc, checks);
                return Ok(());
            }
        }
        self.slow(SlowOp::Store { ty, addr, offset, src }, loc, checks)
    }

    /// Returns the type of an intrinsic's parameter, which decides how a constant argument is extended.
    fn param_type(&self, op: Intrinsic, index: usize, result: Option<Ty>) -> Ty {
        let shape = op.params().get(index);
        let otherwise = if matches!(op, Intrinsic::Math(_)) { Ty::F64 } else { Ty::Ptr };
        shape.and_then(|shape| shape.ty(self.program.target, result)).unwrap_or(otherwise)
    }
}

fn start_of(starts: &[u32], block: u32) -> Result<u32, String> {
    starts.get(block as usize).copied().ok_or_else(|| format!("a jump goes to b{block}, which is not there"))
}

/// Returns the check of a kind among some checks, if there is one.
pub(crate) fn check_of(program: &Program, checks: Checks, kind: CheckKind) -> Option<cairn_ir::CheckId> {
    checks.iter().find(|id| program.checks.get(id.index()).is_some_and(|c| c.kind == kind))
}
