//! Well-formedness of instructions and terminators.

use super::FunctionVerifier;
use crate::check::{CheckKind, Checks};
use crate::ids::Reg;
use crate::inst::{
    BinaryOp, BitRange, Call, Callee, Case, CompareOp, ConvertOp, Inst, Intrinsic, Local, Operand, Passing, Shape,
    Terminator, Ty, UnaryOp,
};

impl FunctionVerifier<'_> {
    /// Returns the integer type of pointer width.
    fn size_ty(&self) -> Ty {
        Ty::int(self.program.target.pointer_bits()).unwrap_or(Ty::I64)
    }

    fn require(&mut self, holds: bool, what: &str, ty: Ty) {
        if !holds {
            self.complain(format_args!("{what} does not work on {}", ty.name()));
        }
    }

    fn in_memory(&mut self, ty: Ty) {
        if ty == Ty::I1 {
            self.complain("i1 is never in memory");
        }
    }

    pub(super) fn inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Move { dst, src } => {
                if let Some(ty) = self.reg(*dst) {
                    self.operand(*src, ty);
                }
            }
            Inst::Undef { dst } => {
                self.reg(*dst);
            }
            Inst::Use { ty, src, checks } => {
                self.operand(*src, *ty);
                self.checks(*checks);
            }
            Inst::Unary { op, ty, dst, src } => {
                let works = ty.is_int() || (*op == UnaryOp::Neg && ty.is_float());
                self.require(works, op.name(), *ty);
                self.operand(*src, *ty);
                self.target(*dst, *ty);
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let works = match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => ty.is_int() || ty.is_float(),
                    BinaryOp::FDiv => ty.is_float(),
                    _ => ty.is_int(),
                };
                self.require(works, op.name(), *ty);
                self.operand(*lhs, *ty);
                self.operand(*rhs, *ty);
                self.target(*dst, *ty);
            }
            Inst::Divide { op, ty, dst, lhs, rhs, checks } => {
                self.require(ty.is_int() && *ty != Ty::I1, op.name(), *ty);
                self.operand(*lhs, *ty);
                self.operand(*rhs, *ty);
                self.target(*dst, *ty);
                self.checks(*checks);
            }
            Inst::Fits { op, ty, lhs, rhs, checks } => {
                self.require(ty.is_int() && *ty != Ty::I1, op.name(), *ty);
                self.operand(*lhs, *ty);
                self.operand(*rhs, *ty);
                self.checks(*checks);
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let works = match op {
                    CompareOp::Eq | CompareOp::Ne | CompareOp::ULt | CompareOp::ULe => ty.is_int() || *ty == Ty::Ptr,
                    CompareOp::SLt | CompareOp::SLe => ty.is_int(),
                    CompareOp::FEq | CompareOp::FNe | CompareOp::FLt | CompareOp::FLe => ty.is_float(),
                };
                self.require(works, op.name(), *ty);
                self.operand(*lhs, *ty);
                self.operand(*rhs, *ty);
                self.target(*dst, Ty::I1);
            }
            Inst::Convert { op, from, to, dst, src } => {
                self.conversion(*op, *from, *to);
                self.operand(*src, *from);
                self.target(*dst, *to);
            }
            Inst::PtrAdd { dst, base, index, scale: _ } => {
                self.operand(*base, Ty::Ptr);
                self.operand(*index, self.size_ty());
                self.target(*dst, Ty::Ptr);
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                self.operand(*lhs, Ty::Ptr);
                self.operand(*rhs, Ty::Ptr);
                self.target(*dst, self.size_ty());
            }
            Inst::Load { dst, ty, addr, offset: _, checks } => {
                self.in_memory(*ty);
                self.operand(*addr, Ty::Ptr);
                self.target(*dst, *ty);
                self.checks(*checks);
            }
            Inst::Store { ty, addr, offset: _, src, checks } => {
                self.in_memory(*ty);
                self.operand(*addr, Ty::Ptr);
                self.operand(*src, *ty);
                self.checks(*checks);
            }
            Inst::LoadBits { dst, ty, addr, offset: _, bits, signed: _, checks } => {
                self.bits(*bits, *ty);
                self.operand(*addr, Ty::Ptr);
                self.target(*dst, *ty);
                self.checks(*checks);
            }
            Inst::StoreBits { ty, addr, offset: _, bits, src, checks } => {
                self.bits(*bits, *ty);
                self.operand(*addr, Ty::Ptr);
                self.operand(*src, *ty);
                self.checks(*checks);
            }
            Inst::Copy { dst, src, size: _, dst_checks, src_checks } => {
                self.operand(*dst, Ty::Ptr);
                self.operand(*src, Ty::Ptr);
                self.checks(*dst_checks);
                self.checks(*src_checks);
            }
            Inst::Zero { dst, offset: _, size: _ } => self.operand(*dst, Ty::Ptr),
            Inst::Enter(local) | Inst::Leave(local) => match *local {
                Local::Reg(reg) => {
                    self.reg(reg);
                }
                Local::Slot(slot) => {
                    self.slot(slot);
                }
            },
            Inst::EnterVla { slot, size } => {
                if self.slot(*slot) && self.body.is_some_and(|b| b.slots[slot.index()].size != 0) {
                    self.complain(format_args!("{slot} has a size of its own"));
                }
                self.operand(*size, self.size_ty());
            }
            Inst::Call(call) => self.call(call),
            Inst::Intrinsic { op, dst, args, checks } => {
                self.intrinsic(*op, *dst, args);
                self.checks(*checks);
            }
            Inst::Unsupported { what: _, checks } => {
                self.checks(*checks);
                self.unsupported(*checks);
            }
        }
    }

    fn conversion(&mut self, op: ConvertOp, from: Ty, to: Ty) {
        let target = self.program.target;
        let ints = from.is_int() && to.is_int();
        let legal = match op {
            ConvertOp::Trunc => ints && to.bits(target) < from.bits(target),
            ConvertOp::ZExt | ConvertOp::SExt => ints && to.bits(target) > from.bits(target),
            ConvertOp::FloatToSInt | ConvertOp::FloatToUInt => from.is_float() && to.is_int(),
            ConvertOp::SIntToFloat | ConvertOp::UIntToFloat => from.is_int() && to.is_float(),
            ConvertOp::FloatCast => from.is_float() && to.is_float() && from != to,
            ConvertOp::PtrToInt => from == Ty::Ptr && to == self.size_ty(),
            ConvertOp::IntToPtr => from == self.size_ty() && to == Ty::Ptr,
        };
        if !legal {
            self.complain(format_args!("{} does not convert {} to {}", op.name(), from.name(), to.name()));
        }
    }

    fn bits(&mut self, bits: BitRange, ty: Ty) {
        let fits = ty.is_int() && ty != Ty::I1 && u32::from(bits.width) <= ty.bits(self.program.target);
        if bits.start > 7 || bits.width == 0 || !fits {
            self.complain(format_args!("bits {}+{} make no {}", bits.start, bits.width, ty.name()));
        }
    }

    /// Returns whether one of the checks has the given kind.
    fn carries(&self, checks: Checks, kind: CheckKind) -> bool {
        let run = self.program.checks.iter().skip(checks.first.index()).take(checks.count as usize);
        run.into_iter().any(|check| check.kind == kind)
    }

    fn unsupported(&mut self, checks: Checks) {
        let kind = self.program.checks.get(checks.first.index()).map(|c| c.kind);
        if checks.count != 1 || kind.is_some_and(|k| k != CheckKind::Unsupported) {
            self.complain("it carries other checks than one of unsupported C");
        }
    }

    fn call(&mut self, call: &Call) {
        match (call.dst, call.ret) {
            (Some(dst), Some(ty)) => self.target(dst, ty),
            (Some(dst), None) => self.complain(format_args!("{dst} takes the result of a call that has none")),
            (None, _) => {}
        }
        for arg in &call.args {
            self.passing(arg.passing, "an argument");
            match arg.passing {
                Passing::Scalar(ty) => self.operand(arg.value, ty),
                Passing::Memory { .. } => self.operand(arg.value, Ty::Ptr),
            }
        }
        if call.fixed as usize > call.args.len() {
            self.complain(format_args!("{} fixed arguments of {}", call.fixed, call.args.len()));
        }
        self.checks(call.checks);
        match call.callee {
            Callee::Pointer(pointer) => self.operand(pointer, Ty::Ptr),
            Callee::Function(id) => {
                let questioned = self.carries(call.checks, CheckKind::InvalidCall);
                let Some(callee) = self.called(id) else { return };
                let signature = &callee.signature;
                // The parameters of an undefined function are unknown, and a call with an `invalid-call` check may not
                // match.
                if !call.prototyped || !signature.prototyped || callee.body.is_none() || questioned {
                    return;
                }
                let (declared, variadic) = (signature.params.len(), signature.variadic);
                if call.fixed as usize != declared {
                    self.complain(format_args!("{} fixed arguments, {id} has {declared} parameters", call.fixed));
                }
                if call.args.len() > call.fixed as usize && !variadic {
                    self.complain(format_args!("{id} takes no variable arguments"));
                }
            }
        }
    }

    fn intrinsic(&mut self, op: Intrinsic, dst: Option<Reg>, args: &[Operand]) {
        let target = self.program.target;
        let result = dst.and_then(|dst| self.reg(dst));
        if let Some(dst) = dst {
            match op.result() {
                None => self.complain(format_args!("{} has no result for {dst}", op.name())),
                Some(shape) => {
                    if let Some(ty) = shape.ty(target, result) {
                        self.target(dst, ty);
                    }
                }
            }
        }
        // Without a result register, the first argument determines the type of the operation.
        let worked_on = result.or_else(|| match args.first() {
            Some(&Operand::Reg(reg)) => self.reg(reg),
            _ => None,
        });
        if matches!(op, Intrinsic::Math(_))
            && let Some(ty) = worked_on
        {
            self.require(matches!(ty, Ty::F32 | Ty::F64 | Ty::F80), op.name(), ty);
        }
        let params = op.params();
        let enough = match op {
            Intrinsic::Closure => args.len() >= params.len(),
            _ => args.len() == params.len(),
        };
        if !enough {
            self.complain(format_args!("{} has {} arguments instead of {}", op.name(), args.len(), params.len()));
        }
        for (index, &arg) in args.iter().enumerate() {
            let shape = params.get(index).copied().unwrap_or(Shape::Is(Ty::Ptr));
            if let Some(ty) = shape.ty(target, worked_on) {
                self.operand(arg, ty);
            }
        }
    }

    pub(super) fn terminator(&mut self, end: &Terminator) {
        match end {
            Terminator::Jump(target) => self.target_block(*target),
            Terminator::Branch { cond, then, other, checks } => {
                self.operand(*cond, Ty::I1);
                self.target_block(*then);
                self.target_block(*other);
                self.checks(*checks);
            }
            Terminator::Switch { ty, signed, value, cases, default, checks } => {
                self.require(ty.is_int() && *ty != Ty::I1, "switch", *ty);
                self.operand(*value, *ty);
                self.cases(*ty, *signed, cases);
                self.target_block(*default);
                self.checks(*checks);
            }
            Terminator::JumpTo { addr, targets, checks } => {
                self.operand(*addr, Ty::Ptr);
                for &target in targets {
                    self.target_block(target);
                }
                self.checks(*checks);
            }
            // Control may reach the end of a function without setting its result.
            Terminator::Return(None) | Terminator::Unreachable => {}
            Terminator::Return(Some(value)) => match self.function.signature.ret {
                Some(ty) => self.operand(*value, ty),
                None => self.complain("it returns a value but has no result"),
            },
        }
    }

    fn cases(&mut self, ty: Ty, signed: bool, cases: &[Case]) {
        // Sign extension also preserves the order of unsigned values, provided that they are compared as unsigned.
        let order = |value: i64| if signed { value as u64 ^ (1 << 63) } else { value as u64 };
        let mut ranges = Vec::with_capacity(cases.len());
        for case in cases {
            self.target_block(case.target);
            if !self.canonical(case.low, ty) || !self.canonical(case.high, ty) {
                self.complain(format_args!("{}..{} is no range of {}", case.low, case.high, ty.name()));
            }
            if order(case.low) > order(case.high) {
                self.complain(format_args!("the range {}..{} is empty", case.low, case.high));
            }
            ranges.push((order(case.low), order(case.high), case));
        }
        ranges.sort_by_key(|&(low, high, _)| (low, high));
        for pair in ranges.windows(2) {
            if let [(_, high, first), (low, _, second)] = pair
                && low <= high
            {
                self.complain(format_args!(
                    "the ranges {}..{} and {}..{} overlap",
                    first.low, first.high, second.low, second.high
                ));
            }
        }
    }
}
