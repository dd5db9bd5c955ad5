//! Lowers builtin operations.

use cairn_ir::check::{self, Checks};
use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::inst::{BinaryOp, CompareOp, Inst, Intrinsic, MathFn, Operand, Terminator, Ty, UnaryOp};

use crate::hir::{ArithOp, Builtin, Expr};
use crate::lower::builder::{Builder, Class};
use crate::lower::expressions::place::Mem;
use crate::lower::expressions::value::{Scalar, Truth};

/// Special values of a floating format.
struct FloatFormat {
    one: u128,
    infinity: u128,
    negative_infinity: u128,
    /// The smallest positive normal number.
    normal: u128,
    negative_normal: u128,
}

fn float_format(ty: Ty) -> FloatFormat {
    // These are the exponent and fraction bits; the x87 format has an explicit leading one.
    let (exponent, fraction, leading) = match ty {
        Ty::F16 => (5, 10, 0),
        Ty::F32 => (8, 23, 0),
        Ty::F64 => (11, 52, 0),
        Ty::F80 => (15, 64, 1 << 63),
        _ => (15, 112, 0),
    };
    let sign: u128 = 1 << (exponent + fraction);
    let infinity = ((1 << exponent) - 1) << fraction | leading;
    let one = ((1 << (exponent - 1)) - 1) << fraction | leading;
    let normal = 1 << fraction | leading;
    FloatFormat { one, infinity, negative_infinity: infinity | sign, normal, negative_normal: normal | sign }
}

impl<'u> Builder<'_, 'u, '_> {
    /// Lowers a builtin. The result has the type of the expression.
    pub fn builtin(&mut self, builtin: Builtin, args: &'u [Expr], expr: &'u Expr) -> Operand {
        let arity = arity(builtin);
        if args.len() < arity {
            self.loc = self.place_of(expr.span);
            self.unsupported("builtin with too few arguments");
            return self.nothing(expr.ty);
        }
        let value = self.builtin_inner(builtin, args, expr);
        // Evaluate the remaining arguments, such as memory orders, for their side effects.
        for extra in &args[arity..] {
            self.effect(extra);
        }
        value
    }

    fn builtin_inner(&mut self, builtin: Builtin, args: &'u [Expr], expr: &'u Expr) -> Operand {
        match builtin {
            Builtin::VaStart => {
                let list = self.address(&args[0]);
                self.loc = self.place_of(expr.span);
                let first = self.intrinsic(Intrinsic::VaStart, Ty::Ptr, &[], Checks::NONE);
                self.store(list, Ty::Ptr, first);
                Operand::Int(0)
            }
            Builtin::VaEnd => {
                self.effect(&args[0]);
                Operand::Int(0)
            }
            Builtin::VaCopy => {
                let to = self.address(&args[0]);
                let from = self.address(&args[1]);
                self.loc = self.place_of(expr.span);
                let word = self.load(from, Ty::Ptr);
                self.store(to, Ty::Ptr, word);
                Operand::Int(0)
            }
            Builtin::Alloca => {
                let size = self.rvalue(&args[0]);
                self.loc = self.place_of(expr.span);
                let wanted = Scalar { ty: self.size_ty(), signed: false };
                let from = self.scalar(args[0].ty).unwrap_or(wanted);
                let size = self.convert_scalar(size, from, wanted);
                self.intrinsic(Intrinsic::StackAlloc, Ty::Ptr, &[size], Checks::NONE)
            }
            Builtin::Clz
            | Builtin::Ctz
            | Builtin::PopCount
            | Builtin::Parity
            | Builtin::Ffs
            | Builtin::Clrsb
            | Builtin::Bswap => self.bits(builtin, &args[0], expr),
            Builtin::AddOverflow
            | Builtin::SubOverflow
            | Builtin::MulOverflow
            | Builtin::AddOverflowP
            | Builtin::SubOverflowP
            | Builtin::MulOverflowP => self.overflow(builtin, args, expr),
            Builtin::Unreachable => {
                self.loc = self.place_of(expr.span);
                self.unsupported("reaching `__builtin_unreachable()`");
                self.end(Terminator::Unreachable);
                Operand::Int(0)
            }
            Builtin::Trap => {
                self.loc = self.place_of(expr.span);
                let args = Box::default();
                self.push(Inst::Intrinsic { op: Intrinsic::Abort, dst: None, args, checks: Checks::NONE });
                self.end(Terminator::Unreachable);
                Operand::Int(0)
            }
            Builtin::IsGreater
            | Builtin::IsGreaterEqual
            | Builtin::IsLess
            | Builtin::IsLessEqual
            | Builtin::IsLessGreater
            | Builtin::IsUnordered => self.float_order(builtin, args, expr),
            Builtin::IsNan | Builtin::IsInfSign | Builtin::IsFinite | Builtin::IsNormal | Builtin::SignBit => {
                self.classify(builtin, &args[0], expr)
            }
            Builtin::Fence => Operand::Int(0),
            _ => self.atomic(builtin, args, expr),
        }
    }

    /// Returns a value for an expression that could not be evaluated.
    fn nothing(&mut self, ty: TypeId) -> Operand {
        match self.scalar(ty) {
            Some(of) => self.undefined(of.ty),
            None => Operand::Int(0),
        }
    }

    /// Lowers bit counting and byte reversal.
    fn bits(&mut self, builtin: Builtin, arg: &'u Expr, expr: &Expr) -> Operand {
        let value = self.rvalue(arg);
        self.loc = self.place_of(expr.span);
        let (Some(of), Some(result)) = (self.scalar(arg.ty), self.scalar(expr.ty)) else {
            return self.nothing(expr.ty);
        };
        let ty = of.ty;
        let count = match builtin {
            Builtin::Clz => self.unary(UnaryOp::CountLeadingZeros, ty, value),
            Builtin::Ctz => self.unary(UnaryOp::CountTrailingZeros, ty, value),
            Builtin::PopCount => self.unary(UnaryOp::PopCount, ty, value),
            Builtin::Parity => {
                let ones = self.unary(UnaryOp::PopCount, ty, value);
                self.binary(BinaryOp::And, ty, ones, Operand::Int(1))
            }
            Builtin::Ffs => {
                // The result is one more than the trailing zeros, multiplied by 0 if there is no one bit.
                let zeros = self.unary(UnaryOp::CountTrailingZeros, ty, value);
                let index = self.binary(BinaryOp::Add, ty, zeros, Operand::Int(1));
                let any = self.nonzero(value, of);
                let any = self.truth_as(any, ty);
                self.binary(BinaryOp::Mul, ty, index, any)
            }
            Builtin::Clrsb => {
                let last = self.int(i128::from(ty.bits(self.target())) - 1, ty);
                let sign = self.binary(BinaryOp::AShr, ty, value, last);
                let differing = self.binary(BinaryOp::Xor, ty, value, sign);
                let same = self.unary(UnaryOp::CountLeadingZeros, ty, differing);
                self.binary(BinaryOp::Sub, ty, same, Operand::Int(1))
            }
            _ => self.unary(UnaryOp::ByteSwap, ty, value),
        };
        self.convert_scalar(count, Scalar { ty, signed: false }, result)
    }

    /// Lowers `isgreater` and the like.
    fn float_order(&mut self, builtin: Builtin, args: &'u [Expr], expr: &Expr) -> Operand {
        let a = self.rvalue(&args[0]);
        let b = self.rvalue(&args[1]);
        self.loc = self.place_of(expr.span);
        let (Some(of), Some(result)) = (self.scalar(args[0].ty), self.scalar(expr.ty)) else {
            return self.nothing(expr.ty);
        };
        let ty = of.ty;
        let simple = match builtin {
            Builtin::IsGreater => Some((CompareOp::FLt, b, a)),
            Builtin::IsGreaterEqual => Some((CompareOp::FLe, b, a)),
            Builtin::IsLess => Some((CompareOp::FLt, a, b)),
            Builtin::IsLessEqual => Some((CompareOp::FLe, a, b)),
            _ => None,
        };
        if let Some((op, lhs, rhs)) = simple {
            return self.compare_as(op, ty, lhs, rhs, result.ty);
        }
        let (first, second) = if builtin == Builtin::IsLessGreater {
            (self.compare_as(CompareOp::FLt, ty, a, b, result.ty), self.compare_as(CompareOp::FLt, ty, b, a, result.ty))
        } else {
            (self.compare_as(CompareOp::FNe, ty, a, a, result.ty), self.compare_as(CompareOp::FNe, ty, b, b, result.ty))
        };
        self.binary(BinaryOp::Or, result.ty, first, second)
    }

    /// Compares and converts the result to 0 or 1 of an integer type.
    pub fn compare_as(&mut self, op: CompareOp, of: Ty, lhs: Operand, rhs: Operand, to: Ty) -> Operand {
        let truth = self.compare_by(op, of, lhs, rhs);
        self.truth_as(Truth::Computed(truth), to)
    }

    /// Lowers `isnan` and the like by comparisons with the bounds of the class.
    fn classify(&mut self, builtin: Builtin, arg: &'u Expr, expr: &Expr) -> Operand {
        let value = self.rvalue(arg);
        self.loc = self.place_of(expr.span);
        let (Some(of), Some(result)) = (self.scalar(arg.ty), self.scalar(expr.ty)) else {
            return self.nothing(expr.ty);
        };
        let (ty, to) = (of.ty, result.ty);
        if !ty.is_float() {
            self.unsupported("class of a non-floating value");
            return self.undefined(to);
        }
        let format = float_format(ty);
        let infinity = self.float(format.infinity, ty);
        let negative_infinity = self.float(format.negative_infinity, ty);
        match builtin {
            Builtin::IsNan => self.compare_as(CompareOp::FNe, ty, value, value, to),
            Builtin::IsInfSign => {
                let positive = self.compare_as(CompareOp::FEq, ty, value, infinity, to);
                let negative = self.compare_as(CompareOp::FEq, ty, value, negative_infinity, to);
                self.binary(BinaryOp::Sub, to, positive, negative)
            }
            Builtin::IsFinite => {
                let below = self.compare_as(CompareOp::FLt, ty, value, infinity, to);
                let above = self.compare_as(CompareOp::FLt, ty, negative_infinity, value, to);
                self.binary(BinaryOp::And, to, below, above)
            }
            Builtin::IsNormal => {
                let normal = self.float(format.normal, ty);
                let negative_normal = self.float(format.negative_normal, ty);
                let large = self.compare_as(CompareOp::FLe, ty, normal, value, to);
                let below = self.compare_as(CompareOp::FLt, ty, value, infinity, to);
                let positive = self.binary(BinaryOp::And, to, large, below);
                let small = self.compare_as(CompareOp::FLe, ty, value, negative_normal, to);
                let above = self.compare_as(CompareOp::FLt, ty, negative_infinity, value, to);
                let negative = self.binary(BinaryOp::And, to, small, above);
                self.binary(BinaryOp::Or, to, positive, negative)
            }
            _ => {
                // Copy the sign to 1, where it is visible even for a zero or a NaN.
                let one = self.float(format.one, ty);
                let zero = self.float(0, ty);
                let op = Intrinsic::Math(MathFn::Copysign);
                let signed = self.intrinsic(op, ty, &[one, value], Checks::NONE);
                self.compare_as(CompareOp::FLt, ty, signed, zero, to)
            }
        }
    }

    /// Lowers atomic operations to plain loads and stores, since there is only one thread.
    fn atomic(&mut self, builtin: Builtin, args: &'u [Expr], expr: &'u Expr) -> Operand {
        let mem = self.address(&args[0]);
        let pointee = match self.types.get(args[0].ty) {
            Type::Pointer(to) => to.ty,
            _ => expr.ty,
        };
        let Some(of) = self.scalar(pointee) else {
            if let (Builtin::AtomicCas, Class::Memory { size, .. }) = (builtin, self.class(pointee)) {
                return self.compare_and_swap_memory(mem, args, size, expr);
            }
            self.loc = self.place_of(expr.span);
            self.unsupported("atomic operation on a non-scalar");
            return self.nothing(expr.ty);
        };
        let mut operands = [Operand::Int(0); 2];
        // The second operand of `__atomic_compare_exchange_n` is an address.
        let mut expected = None;
        for (index, arg) in args[1..arity(builtin)].iter().enumerate() {
            if builtin == Builtin::AtomicCas && index == 0 {
                expected = Some(self.address(arg));
                continue;
            }
            let value = self.rvalue(arg);
            self.loc = self.place_of(expr.span);
            operands[index] = self.convert(value, arg.ty, pointee);
        }
        self.loc = self.place_of(expr.span);
        let ty = of.ty;
        let result = match builtin {
            Builtin::AtomicLoad => self.load(mem, ty),
            Builtin::AtomicStore => {
                self.store(mem, ty, operands[0]);
                return Operand::Int(0);
            }
            Builtin::AtomicExchange => {
                let old = self.load(mem, ty);
                self.store(mem, ty, operands[0]);
                old
            }
            Builtin::AtomicFetch(op) | Builtin::AtomicOp(op) => {
                let old = self.load(mem, ty);
                let new = self.atomic_step(op, of, old, operands[0]);
                self.store(mem, ty, new);
                if matches!(builtin, Builtin::AtomicFetch(_)) { old } else { new }
            }
            Builtin::AtomicFetchNand | Builtin::AtomicNandFetch => {
                let old = self.load(mem, ty);
                let both = self.binary(BinaryOp::And, ty, old, operands[0]);
                let new = self.unary(UnaryOp::Not, ty, both);
                self.store(mem, ty, new);
                if builtin == Builtin::AtomicFetchNand { old } else { new }
            }
            Builtin::SyncValCas | Builtin::SyncBoolCas | Builtin::AtomicCas => {
                return self.compare_and_swap(builtin, mem, expected, of, operands, (pointee, expr.ty));
            }
            _ => {
                self.unsupported("unknown builtin");
                return self.nothing(expr.ty);
            }
        };
        self.convert(result, pointee, expr.ty)
    }

    fn atomic_step(&mut self, op: ArithOp, of: Scalar, old: Operand, value: Operand) -> Operand {
        if of.ty != Ty::Ptr {
            return self.arith(op, of, old, value);
        }
        // On pointers, these operations count bytes.
        let size = Scalar { ty: self.size_ty(), signed: true };
        let bytes = self.convert_scalar(value, of, size);
        match op {
            ArithOp::Add => self.ptr_add(old, bytes, 1),
            ArithOp::Sub => self.ptr_add(old, bytes, -1),
            _ => {
                let old = self.convert_scalar(old, of, size);
                let new = self.arith(op, size, old, bytes);
                self.convert_scalar(new, size, of)
            }
        }
    }

    /// Lowers `__atomic_compare_exchange` of a struct. As on the machine, all bytes are compared, including padding.
    fn compare_and_swap_memory(&mut self, mem: Mem, args: &'u [Expr], size: u64, expr: &Expr) -> Operand {
        let expected = self.address(&args[1]);
        let desired = self.aggregate(&args[2]);
        self.loc = self.place_of(expr.span);
        let word = self.size_ty();
        let operands = [self.pointer(mem), self.pointer(expected), self.int(size.into(), word)];
        let checks = self.checks(check::DEREF);
        let order = self.intrinsic(Intrinsic::CompareBytes, Ty::I32, &operands, checks);
        let equal = self.compare_by(CompareOp::Eq, Ty::I32, order, Operand::Int(0));
        let (same, differs, join) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(Truth::Computed(equal), same, differs);
        self.start(same);
        self.copy(mem, desired, size);
        self.jump(join);
        self.start(differs);
        self.copy(expected, mem, size);
        self.jump(join);
        self.start(join);
        let ty = self.scalar(expr.ty).map_or(Ty::I8, |s| s.ty);
        self.truth_as(Truth::Computed(equal), ty)
    }

    fn compare_and_swap(
        &mut self,
        builtin: Builtin,
        mem: Mem,
        expected: Option<Mem>,
        of: Scalar,
        operands: [Operand; 2],
        (pointee, result): (TypeId, TypeId),
    ) -> Operand {
        let old = self.load(mem, of.ty);
        // The machine compares bits: zeros of different signs differ, and a NaN equals itself.
        let bits = match of.ty {
            Ty::F32 => Ty::I32,
            Ty::F64 => Ty::I64,
            other => other,
        };
        let equal = match expected {
            Some(expected) if bits != of.ty => {
                let (found, wanted) = (self.load(mem, bits), self.load(expected, bits));
                self.compare_by(CompareOp::Eq, bits, found, wanted)
            }
            _ => {
                let wanted = expected.map_or(operands[0], |expected| self.load(expected, of.ty));
                let op = if of.ty.is_float() { CompareOp::FEq } else { CompareOp::Eq };
                self.compare_by(op, of.ty, old, wanted)
            }
        };
        let (same, differs, join) = (self.new_block(), self.new_block(), self.new_block());
        self.branch(Truth::Computed(equal), same, differs);
        self.start(same);
        self.store(mem, of.ty, operands[1]);
        self.jump(join);
        self.start(differs);
        if let Some(expected) = expected {
            self.store(expected, of.ty, old);
        }
        self.jump(join);
        self.start(join);
        if builtin == Builtin::SyncValCas {
            return self.convert(old, pointee, result);
        }
        let ty = self.scalar(result).map_or(Ty::I8, |s| s.ty);
        self.truth_as(Truth::Computed(equal), ty)
    }
}

/// Returns the number of significant arguments.
fn arity(builtin: Builtin) -> usize {
    match builtin {
        Builtin::Unreachable | Builtin::Trap | Builtin::Fence => 0,
        Builtin::VaCopy
        | Builtin::IsGreater
        | Builtin::IsGreaterEqual
        | Builtin::IsLess
        | Builtin::IsLessEqual
        | Builtin::IsLessGreater
        | Builtin::IsUnordered
        | Builtin::AtomicFetch(_)
        | Builtin::AtomicOp(_)
        | Builtin::AtomicFetchNand
        | Builtin::AtomicNandFetch
        | Builtin::AtomicStore
        | Builtin::AtomicExchange => 2,
        Builtin::AddOverflow
        | Builtin::SubOverflow
        | Builtin::MulOverflow
        | Builtin::AddOverflowP
        | Builtin::SubOverflowP
        | Builtin::MulOverflowP
        | Builtin::SyncBoolCas
        | Builtin::SyncValCas
        | Builtin::AtomicCas => 3,
        _ => 1,
    }
}
