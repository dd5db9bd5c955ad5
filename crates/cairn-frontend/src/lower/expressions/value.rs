//! Scalar values: constants, conversions and arithmetic, folded if the operands are constants.

use cairn_ir::check::Checks;
use cairn_ir::ctype::{IntKind, Type, TypeId};
use cairn_ir::inst::{BinaryOp, CompareOp, ConvertOp, DivideOp, Inst, Operand, Ty, UnaryOp};
use cairn_ir::program::Symbol;
use cairn_ir::{CheckKind, layout};

use crate::hir::ArithOp;
use crate::lower::builder::Builder;

/// A register type with the signedness of its C type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Scalar {
    pub ty: Ty,
    pub signed: bool,
}

/// A truth value: a constant, or an `i1`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Truth {
    Known(bool),
    Computed(Operand),
}

impl Builder<'_, '_, '_> {
    /// Returns the register type and signedness of a C type; `None` if the type is not scalar.
    pub fn scalar(&self, ty: TypeId) -> Option<Scalar> {
        let kind = |kind: IntKind| {
            let ty = Ty::int(layout::int_register_bits(kind, self.target()))?;
            Some(Scalar { ty, signed: layout::int_signed(kind) })
        };
        match *self.types.get(ty) {
            Type::Int(int) => kind(int),
            Type::Enum(id) => kind(self.types.enumeration(id).repr),
            Type::Float(float) => Some(Scalar { ty: layout::float_ty(float), signed: true }),
            Type::Decimal(_) => Some(Scalar { ty: layout::scalar_ty(self.types, self.target(), ty)?, signed: false }),
            Type::Pointer(_) => Some(Scalar { ty: Ty::Ptr, signed: false }),
            _ => None,
        }
    }

    /// Returns whether a type is `_Bool`, or an enum represented by it.
    pub fn is_bool(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Int(IntKind::Bool) => true,
            Type::Enum(id) => self.types.enumeration(id).repr == IntKind::Bool,
            _ => false,
        }
    }

    /// Creates an integer constant of a type, truncated to its width.
    pub fn int(&mut self, value: i128, ty: Ty) -> Operand {
        let unused = 128 - ty.bits(self.target());
        let value = value << unused >> unused;
        match i64::try_from(value) {
            Ok(value) => Operand::Int(value),
            Err(_) => Operand::Wide(self.linker.wide(value as u128)),
        }
    }

    /// Creates a floating constant from the bits of its format.
    pub fn float(&mut self, bits: u128, ty: Ty) -> Operand {
        match ty {
            Ty::F80 | Ty::F128 => Operand::Wide(self.linker.wide(bits)),
            _ => Operand::Int(bits as u64 as i64),
        }
    }

    /// Returns the value of an integer or pointer constant.
    pub fn known(&self, operand: Operand, of: Scalar) -> Option<i128> {
        let value = match operand {
            Operand::Int(value) if !of.ty.is_float() => i128::from(value),
            Operand::Wide(id) if of.ty == Ty::I128 => self.linker.program.wide[id.index()] as i128,
            _ => return None,
        };
        let bits = of.ty.bits(self.target());
        Some(if of.signed || bits == 128 { value } else { value & ((1 << bits) - 1) })
    }

    /// Emits a conversion instruction.
    pub fn convert_by(&mut self, op: ConvertOp, from: Ty, to: Ty, src: Operand) -> Operand {
        let dst = self.temporary(to);
        self.push(Inst::Convert { op, from, to, dst, src });
        Operand::Reg(dst)
    }

    /// Converts between scalar types other than `_Bool`.
    pub fn convert_scalar(&mut self, value: Operand, from: Scalar, to: Scalar) -> Operand {
        if from.ty == to.ty {
            return value;
        }
        if let (Some(known), false) = (self.known(value, from), to.ty.is_float()) {
            // gcc sign-extends a pointer that is converted to a wider integer.
            let known =
                if from.ty == Ty::Ptr { self.known(value, Scalar { signed: true, ..from }) } else { Some(known) };
            return self.int(known.unwrap_or(0), to.ty);
        }
        let size = self.size_ty();
        match (from.ty, to.ty) {
            (Ty::Ptr, _) if to.ty.is_int() => {
                let value = self.convert_by(ConvertOp::PtrToInt, Ty::Ptr, size, value);
                self.convert_scalar(value, Scalar { ty: size, signed: true }, to)
            }
            (_, Ty::Ptr) if from.ty.is_int() => {
                let value = self.convert_scalar(value, from, Scalar { ty: size, signed: false });
                self.convert_by(ConvertOp::IntToPtr, size, Ty::Ptr, value)
            }
            (a, b) if a.is_int() && b.is_int() => {
                let op = if a.bits(self.target()) > b.bits(self.target()) {
                    ConvertOp::Trunc
                } else if from.signed {
                    ConvertOp::SExt
                } else {
                    ConvertOp::ZExt
                };
                self.convert_by(op, a, b, value)
            }
            // x86 has no conversion to less than 32 bits; gcc truncates the 32-bit result.
            (a, b @ (Ty::I8 | Ty::I16)) if a.is_float() => {
                let value = self.convert_by(ConvertOp::FloatToSInt, a, Ty::I32, value);
                self.convert_by(ConvertOp::Trunc, Ty::I32, b, value)
            }
            (a, b) if a.is_float() && b.is_int() => {
                let op = if to.signed { ConvertOp::FloatToSInt } else { ConvertOp::FloatToUInt };
                self.convert_by(op, a, b, value)
            }
            (a, b) if a.is_int() && b.is_float() => {
                let op = if from.signed { ConvertOp::SIntToFloat } else { ConvertOp::UIntToFloat };
                self.convert_by(op, a, b, value)
            }
            (a, b) if a.is_float() && b.is_float() => self.convert_by(ConvertOp::FloatCast, a, b, value),
            (_, b) => {
                self.unsupported("conversion between a pointer and a floating-point value");
                self.undefined(b)
            }
        }
    }

    /// Converts a value between C types. Conversion to `_Bool` compares with zero.
    pub fn convert(&mut self, value: Operand, from: TypeId, to: TypeId) -> Operand {
        let (Some(source), Some(target)) = (self.scalar(from), self.scalar(to)) else { return value };
        if self.is_bool(to) && !self.is_bool(from) {
            let truth = self.nonzero(value, source);
            return self.truth_as(truth, target.ty);
        }
        if source.ty.is_float() && target.ty.is_int() {
            self.require_integer(value, source.ty, to);
        }
        let value = self.convert_scalar(value, source, target);
        self.cut(value, to)
    }

    /// Truncates a value to a type narrower than its register, such as that of a bit-field or a `_BitInt`.
    pub fn cut(&mut self, value: Operand, ty: TypeId) -> Operand {
        match *self.types.get(ty) {
            Type::Int(IntKind::Field { width, signed } | IntKind::BitInt { width, signed }) => {
                let Some(of) = self.scalar(ty) else { return value };
                self.low_bits(value, of.ty, width.into(), signed)
            }
            _ => value,
        }
    }

    /// Returns the value of the low bits of a register.
    pub fn low_bits(&mut self, value: Operand, ty: Ty, width: u32, signed: bool) -> Operand {
        let unused = ty.bits(self.target()).saturating_sub(width);
        if unused == 0 {
            return value;
        }
        if let Some(known) = self.known(value, Scalar { ty, signed: true }) {
            let high = known << (128 - width);
            let low = if signed { high >> (128 - width) } else { ((high as u128) >> (128 - width)) as i128 };
            return self.int(low, ty);
        }
        let amount = self.int(unused.into(), ty);
        let high = self.binary(BinaryOp::Shl, ty, value, amount);
        self.binary(if signed { BinaryOp::AShr } else { BinaryOp::LShr }, ty, high, amount)
    }

    /// Returns whether a value is nonzero, if that is known. An undefined weak symbol is null.
    pub fn nonzero_known(&self, value: Operand, of: Scalar) -> Option<bool> {
        match value {
            Operand::Slot(_) | Operand::Label(_) => Some(true),
            Operand::Function(id) => (!self.linker.may_be_absent(Symbol::Function(id))).then_some(true),
            Operand::Global(id) => (!self.linker.may_be_absent(Symbol::Global(id))).then_some(true),
            _ => self.known(value, of).map(|v| v != 0),
        }
    }

    /// Evaluates whether a value differs from zero.
    pub fn nonzero(&mut self, value: Operand, of: Scalar) -> Truth {
        if let Some(known) = self.nonzero_known(value, of) {
            return Truth::Known(known);
        }
        let zero = if of.ty.is_float() { self.float(0, of.ty) } else { Operand::Int(0) };
        let op = if of.ty.is_float() { CompareOp::FNe } else { CompareOp::Ne };
        Truth::Computed(self.compare_by(op, of.ty, value, zero))
    }

    /// Converts a truth value to 0 or 1 of an integer type.
    pub fn truth_as(&mut self, truth: Truth, ty: Ty) -> Operand {
        match truth {
            Truth::Known(known) => Operand::Int(known.into()),
            Truth::Computed(value) => self.convert_by(ConvertOp::ZExt, Ty::I1, ty, value),
        }
    }

    /// Emits a comparison, whose result is an `i1`.
    pub fn compare_by(&mut self, op: CompareOp, ty: Ty, lhs: Operand, rhs: Operand) -> Operand {
        let dst = self.temporary(Ty::I1);
        self.push(Inst::Compare { op, ty, dst, lhs, rhs });
        Operand::Reg(dst)
    }

    /// Emits an operation with one operand, folded if possible.
    pub fn unary(&mut self, op: UnaryOp, ty: Ty, src: Operand) -> Operand {
        if let (Some(value), UnaryOp::Neg | UnaryOp::Not) = (self.known(src, Scalar { ty, signed: true }), op) {
            return self.int(if op == UnaryOp::Neg { value.wrapping_neg() } else { !value }, ty);
        }
        let dst = self.temporary(ty);
        self.push(Inst::Unary { op, ty, dst, src });
        Operand::Reg(dst)
    }

    /// Emits an operation with two operands, folded if possible.
    pub fn binary(&mut self, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Operand {
        let signed = Scalar { ty, signed: true };
        if let (Some(a), Some(b)) = (self.known(lhs, signed), self.known(rhs, signed)) {
            let folded = match op {
                BinaryOp::Add => Some(a.wrapping_add(b)),
                BinaryOp::Sub => Some(a.wrapping_sub(b)),
                BinaryOp::Mul => Some(a.wrapping_mul(b)),
                BinaryOp::And => Some(a & b),
                BinaryOp::Or => Some(a | b),
                BinaryOp::Xor => Some(a ^ b),
                BinaryOp::FDiv | BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => None,
            };
            if let Some(folded) = folded {
                return self.int(folded, ty);
            }
        }
        let dst = self.temporary(ty);
        self.push(Inst::Binary { op, ty, dst, lhs, rhs });
        Operand::Reg(dst)
    }

    /// Emits a C arithmetic operator on operands of one type.
    pub fn arith(&mut self, op: ArithOp, of: Scalar, lhs: Operand, rhs: Operand) -> Operand {
        let binary = match op {
            ArithOp::Add => BinaryOp::Add,
            ArithOp::Sub => BinaryOp::Sub,
            ArithOp::Mul => BinaryOp::Mul,
            ArithOp::Shl => BinaryOp::Shl,
            ArithOp::Shr if of.signed => BinaryOp::AShr,
            ArithOp::Shr => BinaryOp::LShr,
            ArithOp::And => BinaryOp::And,
            ArithOp::Or => BinaryOp::Or,
            ArithOp::Xor => BinaryOp::Xor,
            ArithOp::Div if of.ty.is_float() => BinaryOp::FDiv,
            ArithOp::Div | ArithOp::Rem => {
                let divide = match (op, of.signed) {
                    (ArithOp::Div, true) => DivideOp::SDiv,
                    (ArithOp::Div, false) => DivideOp::UDiv,
                    (_, true) => DivideOp::SRem,
                    (_, false) => DivideOp::URem,
                };
                let safe = self.known(rhs, of).is_some_and(|d| d != 0 && !(of.signed && d == -1));
                let checks = if safe { Checks::NONE } else { self.checks(&[CheckKind::DivisionByZero]) };
                return self.divide(divide, of.ty, lhs, rhs, checks);
            }
        };
        self.binary(binary, of.ty, lhs, rhs)
    }

    /// Emits a division.
    pub fn divide(&mut self, op: DivideOp, ty: Ty, lhs: Operand, rhs: Operand, checks: Checks) -> Operand {
        let dst = self.temporary(ty);
        self.push(Inst::Divide { op, ty, dst, lhs, rhs, checks });
        Operand::Reg(dst)
    }

    /// Emits pointer arithmetic; the index has pointer width.
    pub fn ptr_add(&mut self, base: Operand, index: Operand, scale: i64) -> Operand {
        let dst = self.temporary(Ty::Ptr);
        self.push(Inst::PtrAdd { dst, base, index, scale });
        Operand::Reg(dst)
    }
}
