//! Prints instructions and terminators.

use std::fmt::Write as _;

use super::{Printer, put};
use crate::inst::{Call, Callee, Inst, Local, Operand, Terminator};

/// Prints one instruction without its location.
pub fn print_inst(inst: &Inst) -> String {
    let mut printer = Printer { out: String::new() };
    printer.inst(inst);
    printer.out
}

/// Prints one terminator without its location.
pub fn print_terminator(end: &Terminator) -> String {
    let mut printer = Printer { out: String::new() };
    printer.terminator(end);
    printer.out
}

impl Printer {
    pub(super) fn inst(&mut self, inst: &Inst) {
        if let Some(dst) = inst.dst() {
            put!(self, "{dst} = ");
        }
        match inst {
            Inst::Move { dst: _, src } => self.with_operand("move ", *src),
            Inst::Undef { dst: _ } => self.out.push_str("undef"),
            Inst::Use { ty, src, checks } => {
                put!(self, "use {} ", ty.name());
                self.operand(*src);
                self.checks(*checks);
            }
            Inst::Unary { op, ty, dst: _, src } => {
                put!(self, "{} {} ", op.name(), ty.name());
                self.operand(*src);
            }
            Inst::Binary { op, ty, dst: _, lhs, rhs } => {
                put!(self, "{} {} ", op.name(), ty.name());
                self.pair(*lhs, *rhs);
            }
            Inst::Divide { op, ty, dst: _, lhs, rhs, checks } => {
                put!(self, "{} {} ", op.name(), ty.name());
                self.pair(*lhs, *rhs);
                self.checks(*checks);
            }
            Inst::Fits { op, ty, lhs, rhs, checks } => {
                put!(self, "fits {} {} ", op.name(), ty.name());
                self.pair(*lhs, *rhs);
                self.checks(*checks);
            }
            Inst::Compare { op, ty, dst: _, lhs, rhs } => {
                put!(self, "{} {} ", op.name(), ty.name());
                self.pair(*lhs, *rhs);
            }
            Inst::Convert { op, from, to, dst: _, src } => {
                put!(self, "{} {} ", op.name(), from.name());
                self.operand(*src);
                put!(self, " to {}", to.name());
            }
            Inst::PtrAdd { dst: _, base, index, scale } => {
                self.out.push_str("ptr_add ");
                self.pair(*base, *index);
                put!(self, " * {scale}");
            }
            Inst::PtrSub { dst: _, lhs, rhs } => {
                self.out.push_str("ptr_sub ");
                self.pair(*lhs, *rhs);
            }
            Inst::Load { dst: _, ty, addr, offset, checks } => {
                put!(self, "load {} ", ty.name());
                self.address(*addr, *offset);
                self.checks(*checks);
            }
            Inst::Store { ty, addr, offset, src, checks } => {
                put!(self, "store {} ", ty.name());
                self.address(*addr, *offset);
                self.with_operand(", ", *src);
                self.checks(*checks);
            }
            Inst::LoadBits { dst: _, ty, addr, offset, bits, signed, checks } => {
                put!(self, "load_bits {} ", ty.name());
                self.address(*addr, *offset);
                put!(self, " bits {}+{}", bits.start, bits.width);
                if *signed {
                    self.out.push_str(" signed");
                }
                self.checks(*checks);
            }
            Inst::StoreBits { ty, addr, offset, bits, src, checks } => {
                put!(self, "store_bits {} ", ty.name());
                self.address(*addr, *offset);
                put!(self, " bits {}+{}", bits.start, bits.width);
                self.with_operand(", ", *src);
                self.checks(*checks);
            }
            Inst::Copy { dst, src, size, dst_checks, src_checks } => {
                put!(self, "copy {size}");
                self.with_operand(" to ", *dst);
                self.checks(*dst_checks);
                self.with_operand(" from ", *src);
                self.checks(*src_checks);
            }
            Inst::Zero { dst, offset, size } => {
                self.out.push_str("zero ");
                self.address(*dst, *offset);
                put!(self, " size {size}");
            }
            Inst::Enter(local) => self.local("enter ", *local),
            Inst::EnterVla { slot, size } => {
                put!(self, "enter_vla {slot}");
                self.with_operand(" size ", *size);
            }
            Inst::Leave(local) => self.local("leave ", *local),
            Inst::Call(call) => self.call(call),
            Inst::Intrinsic { op, dst: _, args, checks } => {
                put!(self, "intrinsic {}(", op.name());
                for (index, &arg) in args.iter().enumerate() {
                    self.comma(index);
                    self.operand(arg);
                }
                self.out.push(')');
                self.checks(*checks);
            }
            Inst::Unsupported { what, checks } => {
                self.out.push_str("unsupported ");
                self.string(what.as_bytes(), true);
                self.checks(*checks);
            }
        }
    }

    pub(super) fn terminator(&mut self, end: &Terminator) {
        match end {
            Terminator::Jump(target) => {
                put!(self, "jump {target}");
            }
            Terminator::Branch { cond, then, other, checks } => {
                self.with_operand("branch ", *cond);
                put!(self, ", {then}, {other}");
                self.checks(*checks);
            }
            Terminator::Switch { ty, signed, value, cases, default, checks } => {
                put!(self, "switch {} ", ty.name());
                if *signed {
                    self.out.push_str("signed ");
                }
                self.operand(*value);
                self.out.push_str(" { ");
                for case in cases {
                    if case.low == case.high {
                        put!(self, "{}: {}, ", case.low, case.target);
                    } else {
                        put!(self, "{}..{}: {}, ", case.low, case.high, case.target);
                    }
                }
                put!(self, "else: {default} }}");
                self.checks(*checks);
            }
            Terminator::JumpTo { addr, targets, checks } => {
                self.with_operand("jump_to ", *addr);
                self.out.push_str(" [");
                for (index, target) in targets.iter().enumerate() {
                    self.comma(index);
                    put!(self, "{target}");
                }
                self.out.push(']');
                self.checks(*checks);
            }
            Terminator::Return(None) => self.out.push_str("return"),
            Terminator::Return(Some(value)) => self.with_operand("return ", *value),
            Terminator::Unreachable => self.out.push_str("unreachable"),
        }
    }

    fn call(&mut self, call: &Call) {
        match call.callee {
            Callee::Function(id) => {
                put!(self, "call {id}(");
            }
            Callee::Pointer(pointer) => {
                self.with_operand("call_ptr ", pointer);
                self.out.push('(');
            }
        }
        for (index, arg) in call.args.iter().enumerate() {
            self.comma(index);
            if index == call.fixed as usize {
                self.out.push_str("..., ");
            }
            self.passing(arg.passing);
            self.with_operand(" ", arg.value);
        }
        self.out.push(')');
        if let Some(ret) = call.ret {
            put!(self, " -> {}", ret.name());
        }
        if !call.prototyped {
            self.out.push_str(" unprototyped");
        }
        self.checks(call.checks);
    }

    fn operand(&mut self, operand: Operand) {
        match operand {
            Operand::Reg(id) => {
                put!(self, "{id}");
            }
            Operand::Int(value) => {
                put!(self, "{value}");
            }
            Operand::Wide(id) => {
                put!(self, "{id}");
            }
            Operand::Slot(id) => {
                put!(self, "{id}");
            }
            Operand::Global(id) => {
                put!(self, "{id}");
            }
            Operand::Function(id) => {
                put!(self, "{id}");
            }
            Operand::Label(id) => {
                put!(self, "{id}");
            }
        }
    }

    fn with_operand(&mut self, before: &str, operand: Operand) {
        self.out.push_str(before);
        self.operand(operand);
    }

    fn pair(&mut self, lhs: Operand, rhs: Operand) {
        self.operand(lhs);
        self.with_operand(", ", rhs);
    }

    fn address(&mut self, base: Operand, offset: i64) {
        self.operand(base);
        self.offset(offset);
    }

    fn local(&mut self, before: &str, local: Local) {
        self.out.push_str(before);
        match local {
            Local::Reg(reg) => {
                put!(self, "{reg}");
            }
            Local::Slot(slot) => {
                put!(self, "{slot}");
            }
        }
    }
}
