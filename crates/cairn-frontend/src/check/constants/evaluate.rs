//! The constant evaluator: integer constant expressions and address constants, as liberal as gcc.

use cairn_ir::ctype::{FloatKind, IntKind, Quals, Type, TypeId};
use cairn_ir::layout::{int_bits, int_signed};

use crate::check::Checker;

use crate::check::constants::float;

use crate::ast;
use crate::check::constants::integer;
use crate::hir::{
    ArithOp, Builtin, CompareOp, Expr, ExprKind, Place, PlaceKind, Scale, StaticTarget, SymbolId, SymbolKind,
};

/// The value of a constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Constant {
    Int(i128),
    Float(u128),
    /// An address, possibly converted to an integer of pointer width.
    Address(StaticTarget, i64),
}

impl Checker<'_> {
    /// Evaluates an integer constant expression, and reports other expressions.
    pub(crate) fn constant_integer(&mut self, expr: &ast::Expr) -> Option<i128> {
        let value = self.value(expr);
        if self.is_error(value.ty) {
            return None;
        }
        let result = self.evaluate_integer(&value);
        if result.is_none() || !(self.is_integer(value.ty)) {
            if result.is_some() && self.is_pointer(value.ty) {
                return result;
            }
            self.error(expr.span, "expression is not an integer constant expression");
            return None;
        }
        result
    }

    /// Evaluates an expression to an integer or a constant pointer without a target.
    pub(crate) fn evaluate_integer(&self, expr: &Expr) -> Option<i128> {
        if let ExprKind::Int(value) = expr.kind {
            return Some(value);
        }
        match self.evaluate(expr)? {
            Constant::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Evaluates an expression; returns `None` if it is not constant.
    pub(crate) fn evaluate(&self, expr: &Expr) -> Option<Constant> {
        match &expr.kind {
            ExprKind::Int(value) => Some(Constant::Int(*value)),
            ExprKind::Float(bits) => Some(Constant::Float(*bits)),
            ExprKind::AddressOf(place) => self.evaluate_address(place),
            ExprKind::LabelAddress(label) => Some(Constant::Address(StaticTarget::Label(*label), 0)),
            ExprKind::Neg(inner) => match self.evaluate(inner)? {
                Constant::Int(value) => self.wrapped(expr.ty, value.wrapping_neg()),
                Constant::Float(bits) => Some(Constant::Float(float::negate(self.float_kind(expr.ty)?, bits))),
                Constant::Address(..) => None,
            },
            ExprKind::BitNot(inner) => match self.evaluate(inner)? {
                Constant::Int(value) => self.wrapped(expr.ty, !value),
                _ => None,
            },
            ExprKind::Not(inner) => Some(Constant::Int(i128::from(!self.truth(inner)?))),
            ExprKind::Arith(op, left, right) => self.evaluate_arith(*op, expr.ty, left, right),
            ExprKind::Compare(op, left, right) => self.evaluate_compare(*op, left, right),
            ExprKind::PtrAdd { base, index, scale, negative } => {
                let Scale::Fixed(scale) = scale else { return None };
                let Constant::Int(index) = self.evaluate(index)? else { return None };
                let bytes = index.wrapping_mul(i128::from(*scale));
                let bytes = if *negative { bytes.wrapping_neg() } else { bytes };
                self.offset(self.evaluate(base)?, bytes)
            }
            ExprKind::PtrSub(left, right, scale) => {
                let Scale::Fixed(scale) = scale else { return None };
                let bytes = match (self.evaluate(left)?, self.evaluate(right)?) {
                    (Constant::Int(a), Constant::Int(b)) => a.wrapping_sub(b),
                    (Constant::Address(s, a), Constant::Address(t, b)) if s == t => i128::from(a) - i128::from(b),
                    _ => return None,
                };
                let count = bytes.checked_div(i128::from(*scale))?;
                self.wrapped(expr.ty, count)
            }
            ExprKind::And(left, right) => {
                let value = self.truth(left)? && self.truth(right)?;
                Some(Constant::Int(i128::from(value)))
            }
            ExprKind::Or(left, right) => {
                let value = self.truth(left)? || self.truth(right)?;
                Some(Constant::Int(i128::from(value)))
            }
            ExprKind::Conditional(cond, a, b) => {
                if self.truth(cond)? {
                    self.evaluate(a)
                } else {
                    self.evaluate(b)
                }
            }
            ExprKind::ElseIfZero(cond, otherwise) => {
                if self.truth(cond)? {
                    let value = self.evaluate(cond)?;
                    self.convert_constant(value, cond.ty, expr.ty)
                } else {
                    self.evaluate(otherwise)
                }
            }
            ExprKind::Convert(inner) => {
                let value = self.evaluate(inner)?;
                self.convert_constant(value, inner.ty, expr.ty)
            }
            ExprKind::Read(place) => self.evaluate_read(place),
            ExprKind::Builtin(builtin, args) => self.evaluate_builtin(*builtin, args, expr.ty),
            _ => None,
        }
    }

    fn wrapped(&self, ty: TypeId, value: i128) -> Option<Constant> {
        if self.is_pointer(ty) {
            return Some(Constant::Int(integer::wrap_bits(self.target.pointer_bits(), false, value)));
        }
        Some(Constant::Int(integer::wrap(self.int_kind(ty)?, self.target, value)))
    }

    fn truth(&self, expr: &Expr) -> Option<bool> {
        match self.evaluate(expr)? {
            Constant::Int(value) => Some(value != 0),
            Constant::Float(bits) => Some(!float::is_zero(self.float_kind(expr.ty)?, bits)),
            // A weak symbol may be null.
            Constant::Address(StaticTarget::Symbol(symbol), _) => {
                let weak = self.global_of(symbol).is_some_and(|g| g.weak);
                (!weak).then_some(true)
            }
            Constant::Address(..) => Some(true),
        }
    }

    fn offset(&self, base: Constant, bytes: i128) -> Option<Constant> {
        match base {
            Constant::Int(value) => {
                let sum = value.wrapping_add(bytes);
                Some(Constant::Int(integer::wrap_bits(self.target.pointer_bits(), false, sum)))
            }
            Constant::Address(target, addend) => {
                let addend = i64::try_from(i128::from(addend).checked_add(bytes)?).ok()?;
                Some(Constant::Address(target, addend))
            }
            Constant::Float(_) => None,
        }
    }

    fn evaluate_address(&self, place: &Place) -> Option<Constant> {
        match &place.kind {
            PlaceKind::Symbol(symbol) => {
                // The address of a thread-local object differs between threads.
                let own = self.global_of(*symbol).is_some_and(|g| g.thread_local);
                (!own).then_some(Constant::Address(StaticTarget::Symbol(*symbol), 0))
            }
            PlaceKind::String(string) => Some(Constant::Address(StaticTarget::String(*string), 0)),
            PlaceKind::Deref(pointer) => self.evaluate(pointer),
            PlaceKind::Field(base, record, index) => {
                let base = self.evaluate_address(base)?;
                let field = self.types.record(*record).fields.get(*index as usize)?;
                self.offset(base, i128::from(field.offset))
            }
            PlaceKind::Local(_) | PlaceKind::Temporary(_) | PlaceKind::CompoundLiteral(..) => None,
        }
    }

    /// Evaluates a read.
    ///
    /// Like gcc, accepts a character of a string literal, and in static initialisers also a `const` object.
    fn evaluate_read(&self, place: &Place) -> Option<Constant> {
        if let PlaceKind::Symbol(symbol) = place.kind {
            return self.evaluate_constant_object(symbol, place);
        }
        let kind = self.int_kind(place.ty.ty)?;
        let PlaceKind::Deref(pointer) = &place.kind else { return None };
        let Constant::Address(StaticTarget::String(string), offset) = self.evaluate(pointer)? else { return None };
        let (literal, ty) = self.unit.strings.get(string.0 as usize)?;
        let Type::Array(element, _) = *self.types.get(*ty) else { return None };
        if int_bits(self.int_kind(element.ty)?, self.target) != int_bits(kind, self.target) {
            return None;
        }
        let index = usize::try_from(offset).ok()? / (int_bits(kind, self.target) as usize / 8);
        let unit = match literal.units.get(index) {
            Some(&unit) => unit,
            None if index == literal.units.len() => 0,
            None => return None,
        };
        Some(Constant::Int(integer::wrap(kind, self.target, i128::from(unit))))
    }

    /// Returns the value of a `const` scalar, which is its initial value.
    fn evaluate_constant_object(&self, symbol: SymbolId, place: &Place) -> Option<Constant> {
        let global = self.global_of(symbol)?;
        let quals = global.ty.quals;
        if !(self.static_initialiser.is_active || global.constexpr)
            || !quals.has(Quals::CONST)
            || quals.has(Quals::VOLATILE)
        {
            return None;
        }
        let Some(SymbolKind::Object { init: Some(init), thread_local: false }) = &global.kind else { return None };
        if global.weak || global.ty.ty != place.ty.ty {
            return None;
        }
        match init.addresses.as_slice() {
            [] => {}
            [address] if self.is_pointer(place.ty.ty) => {
                return Some(Constant::Address(address.target, address.addend));
            }
            _ => return None,
        }
        let mut bytes = [0; 16];
        bytes.get_mut(..init.bytes.len())?.copy_from_slice(&init.bytes);
        let bits = u128::from_le_bytes(bytes);
        if self.float_kind(place.ty.ty).is_some() {
            return Some(Constant::Float(bits));
        }
        self.wrapped(place.ty.ty, bits as i128)
    }

    fn evaluate_arith(&self, op: ArithOp, ty: TypeId, left: &Expr, right: &Expr) -> Option<Constant> {
        match (self.evaluate(left)?, self.evaluate(right)?) {
            (Constant::Int(a), Constant::Int(b)) => {
                integer::arith_constant(op, self.int_kind(ty)?, self.target, a, b).map(Constant::Int)
            }
            (Constant::Float(a), Constant::Float(b)) => {
                float::arith(op, self.float_kind(ty)?, a, b).map(Constant::Float)
            }
            // Multiplication by 0 or `&` with 0 discards the address.
            (Constant::Address(..), Constant::Int(0)) | (Constant::Int(0), Constant::Address(..))
                if matches!(op, ArithOp::Mul | ArithOp::And) =>
            {
                Some(Constant::Int(0))
            }
            (Constant::Address(target, addend), Constant::Int(value)) => match op {
                ArithOp::Add => self.offset(Constant::Address(target, addend), value),
                ArithOp::Sub => self.offset(Constant::Address(target, addend), value.wrapping_neg()),
                _ => None,
            },
            (Constant::Int(value), Constant::Address(target, addend)) if op == ArithOp::Add => {
                self.offset(Constant::Address(target, addend), value)
            }
            (Constant::Address(s, a), Constant::Address(t, b)) if s == t && op == ArithOp::Sub => {
                self.wrapped(ty, i128::from(a) - i128::from(b))
            }
            _ => None,
        }
    }

    fn evaluate_compare(&self, op: CompareOp, left: &Expr, right: &Expr) -> Option<Constant> {
        let value = match (self.evaluate(left)?, self.evaluate(right)?) {
            (Constant::Int(a), Constant::Int(b)) => {
                let wide = self.is_wide_unsigned(left.ty);
                integer::compare(op, wide, a, b)
            }
            (Constant::Float(a), Constant::Float(b)) => float::compare(op, self.float_kind(left.ty)?, a, b),
            (Constant::Address(s, a), Constant::Address(t, b)) if s == t => {
                integer::compare(op, false, i128::from(a), i128::from(b))
            }
            (Constant::Address(..), Constant::Int(0)) => match op {
                CompareOp::Eq => !self.truth(left)?,
                CompareOp::Ne => self.truth(left)?,
                _ => return None,
            },
            (Constant::Int(0), Constant::Address(..)) => match op {
                CompareOp::Eq => !self.truth(right)?,
                CompareOp::Ne => self.truth(right)?,
                _ => return None,
            },
            _ => return None,
        };
        Some(Constant::Int(i128::from(value)))
    }

    /// Converts a constant. An address is kept only if the target type holds all of its bits.
    pub(crate) fn convert_constant(&self, value: Constant, from: TypeId, to: TypeId) -> Option<Constant> {
        match (value, self.types.get(to)) {
            (Constant::Address(..), Type::Pointer(_)) => Some(value),
            (Constant::Address(..), Type::Int(IntKind::Bool)) => Some(Constant::Int(1)),
            (Constant::Address(..), _) => {
                let bits = int_bits(self.int_kind(to)?, self.target);
                (bits == self.target.pointer_bits()).then_some(value)
            }
            (Constant::Int(value), Type::Float(kind)) => {
                self.int_kind(from)?;
                let wide = self.is_wide_unsigned(from);
                Some(Constant::Float(float::from_int(*kind, value, wide)))
            }
            (Constant::Int(value), _) => self.wrapped(to, value),
            (Constant::Float(bits), Type::Float(kind)) => {
                Some(Constant::Float(float::convert(self.float_kind(from)?, *kind, bits)))
            }
            (Constant::Float(bits), _) => {
                let (from, kind) = (self.float_kind(from)?, self.int_kind(to)?);
                if kind == IntKind::Bool {
                    return Some(Constant::Int(i128::from(!float::is_zero(from, bits))));
                }
                // Out of range, gcc folds to the nearest value.
                let (value, _) = float::to_int(from, bits, int_bits(kind, self.target), int_signed(kind));
                Some(Constant::Int(value))
            }
        }
    }

    fn evaluate_builtin(&self, builtin: Builtin, args: &[Expr], ty: TypeId) -> Option<Constant> {
        let first = args.first()?;
        let int = |value: i128| Some(Constant::Int(value));
        if let Some(kind) = self.float_kind(first.ty) {
            return self.evaluate_float_builtin(builtin, args, kind).map(|v| Constant::Int(i128::from(v)));
        }
        let kind = self.int_kind(first.ty)?;
        let bits = int_bits(kind, self.target);
        let Constant::Int(value) = self.evaluate(first)? else { return None };
        let raw = integer::wrap_bits(bits, false, value) as u128;
        match builtin {
            Builtin::Clz if raw != 0 => int(i128::from(raw.leading_zeros() - (128 - bits))),
            Builtin::Ctz if raw != 0 => int(i128::from(raw.trailing_zeros())),
            Builtin::PopCount => int(i128::from(raw.count_ones())),
            Builtin::Parity => int(i128::from(raw.count_ones() & 1)),
            Builtin::Ffs => int(if raw == 0 { 0 } else { i128::from(raw.trailing_zeros()) + 1 }),
            Builtin::Clrsb => {
                let signed = integer::wrap_bits(bits, true, value);
                let magnitude = if signed < 0 { !signed } else { signed };
                int(i128::from(magnitude.leading_zeros() - (128 - bits)) - 1)
            }
            Builtin::Bswap => {
                let swapped = raw.swap_bytes() >> (128 - bits);
                self.wrapped(ty, swapped as i128)
            }
            Builtin::AddOverflowP | Builtin::SubOverflowP | Builtin::MulOverflowP => {
                let (second, third) = (args.get(1)?, args.get(2)?);
                let Constant::Int(other) = self.evaluate(second)? else { return None };
                let exact = match builtin {
                    Builtin::AddOverflowP => value.checked_add(other),
                    Builtin::SubOverflowP => value.checked_sub(other),
                    _ => value.checked_mul(other),
                };
                let kind = self.int_kind(third.ty)?;
                // These operands need more than a signed 128-bit integer, so leave them to run time.
                if [first.ty, second.ty, third.ty].iter().any(|&ty| self.is_wide_unsigned(ty)) {
                    return None;
                }
                let overflow = exact.is_none_or(|e| integer::wrap(kind, self.target, e) != e);
                int(i128::from(overflow))
            }
            _ => None,
        }
    }

    fn evaluate_float_builtin(&self, builtin: Builtin, args: &[Expr], kind: FloatKind) -> Option<i32> {
        let Constant::Float(a) = self.evaluate(args.first()?)? else { return None };
        let class = float::classify(kind, a);
        let value = match builtin {
            Builtin::IsNan => class.nan,
            Builtin::IsFinite => !class.nan && !class.infinite,
            Builtin::IsNormal => class.normal,
            Builtin::SignBit => class.negative,
            Builtin::IsInfSign => {
                return Some(match (class.infinite, class.negative) {
                    (true, true) => -1,
                    (true, false) => 1,
                    _ => 0,
                });
            }
            _ => {
                let Constant::Float(b) = self.evaluate(args.get(1)?)? else { return None };
                match builtin {
                    Builtin::IsGreater => float::compare(CompareOp::Gt, kind, a, b),
                    Builtin::IsGreaterEqual => float::compare(CompareOp::Ge, kind, a, b),
                    Builtin::IsLess => float::compare(CompareOp::Lt, kind, a, b),
                    Builtin::IsLessEqual => float::compare(CompareOp::Le, kind, a, b),
                    Builtin::IsLessGreater => {
                        float::compare(CompareOp::Ne, kind, a, b) && !float::unordered(kind, a, b)
                    }
                    Builtin::IsUnordered => float::unordered(kind, a, b),
                    _ => return None,
                }
            }
        };
        Some(i32::from(value))
    }
}
