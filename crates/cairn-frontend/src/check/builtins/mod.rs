//! Checks calls to `__builtin_…`, `__sync_…` and `__atomic_…`.
//!
//! They are folded, or turned into operators, library calls or builtin operations.

pub(crate) mod atomics;
pub(crate) mod bits;
pub(crate) mod floats;
pub(crate) mod library_names;

use cairn_ir::ctype::{FloatKind, Type, TypeId};
use cairn_ir::source::Span;

use crate::ast;
use crate::check::Checker;
use crate::check::constants::evaluate::Constant;
use crate::check::constants::integer;
use crate::check::declarations::scope::GlobalIndex;
use crate::check::types::convert::Assigning;
use crate::hir::{Builtin, CompareOp, Expr, ExprKind, PlaceKind, StaticTarget};
use crate::symbol::Symbol;

impl Checker<'_> {
    /// Returns the library function that a builtin names, for uses other than calls.
    pub(crate) fn builtin_function(&mut self, name: Symbol, span: Span) -> Option<GlobalIndex> {
        let text = self.interner.name(name).strip_prefix("__builtin_")?.to_owned();
        library_names::signature(&text)?;
        let symbol = self.interner.intern(&text);
        self.library_function(symbol, span)
    }

    /// Checks a call to a builtin; returns `None` if the name is not a builtin.
    pub(crate) fn builtin_call(&mut self, name: Symbol, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let text = self.interner.name(name);
        if !text.starts_with("__") {
            return None;
        }
        let text = text.to_owned();
        if let Some(rest) = text.strip_prefix("__builtin_") {
            return Some(self.builtin(rest, args, span));
        }
        if let Some(rest) = text.strip_prefix("__sync_") {
            return self.sync(rest, args, span);
        }
        if let Some(rest) = text.strip_prefix("__atomic_") {
            return self.atomic(rest, args, span);
        }
        None
    }

    pub(crate) fn node(&self, builtin: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Builtin(builtin, args), ty, span }
    }

    /// Creates a builtin operation, folded if its operands are constants.
    pub(crate) fn folded(&self, builtin: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        let node = self.node(builtin, args, ty, span);
        match self.evaluate(&node) {
            Some(Constant::Int(value)) => self.int_expr(value, ty, span),
            _ => node,
        }
    }

    /// Checks the number of arguments.
    pub(crate) fn arity(&mut self, name: &str, args: &[ast::Expr], count: usize, span: Span) -> bool {
        if args.len() == count {
            return true;
        }
        let word = if args.len() < count { "few" } else { "many" };
        let text = format!("too {word} arguments to '{name}', expected {count}, have {}", args.len());
        self.error(span, text);
        false
    }

    /// Returns `value`, evaluated after the side effects of `ignored`. A constant has no side effects.
    pub(crate) fn after_effects(&mut self, ignored: Expr, value: Expr, span: Span) -> Expr {
        if self.is_error(ignored.ty) || self.is_error(value.ty) || self.evaluate(&ignored).is_some() {
            return value;
        }
        let ty = value.ty;
        let ignored = self.convert(ignored, TypeId::VOID);
        Expr { kind: ExprKind::Comma(Box::new(ignored), Box::new(value)), ty, span }
    }

    fn void_value(&mut self, span: Span) -> Expr {
        let zero = self.int_expr(0, TypeId::INT, span);
        self.convert(zero, TypeId::VOID)
    }

    fn builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Expr {
        let wanted = match name {
            "va_end" | "expect_once" | "constant_p" | "alloca" | "isnan" | "isinf" | "isinf_sign" | "isfinite"
            | "finite" | "isnormal" | "signbit" | "signbitf" | "signbitl" | "classify_type" | "isnanf" | "isnanl"
            | "isinff" | "isinfl" | "finitef" | "finitel" => Some(1),
            "va_copy"
            | "expect"
            | "object_size"
            | "dynamic_object_size"
            | "isgreater"
            | "isgreaterequal"
            | "isless"
            | "islessequal"
            | "islessgreater"
            | "isunordered"
            | "complex" => Some(2),
            "unreachable" | "trap" | "huge_val" | "huge_valf" | "huge_vall" | "inf" | "inff" | "infl" => Some(0),
            "expect_with_probability"
            | "add_overflow"
            | "sub_overflow"
            | "mul_overflow"
            | "add_overflow_p"
            | "sub_overflow_p"
            | "mul_overflow_p" => Some(3),
            "fpclassify" => Some(6),
            _ => None,
        };
        if wanted.is_some_and(|count| !self.arity(name, args, count, span)) {
            return self.error_expr(span);
        }
        match name {
            "va_start" | "c23_va_start" => self.va_start(args, span),
            "va_end" => {
                let list = self.va_list_address(&args[0]);
                self.checked(Builtin::VaEnd, vec![list], TypeId::VOID, span)
            }
            "va_copy" => {
                let target = self.va_list_address(&args[0]);
                let source = self.va_list_address(&args[1]);
                self.checked(Builtin::VaCopy, vec![target, source], TypeId::VOID, span)
            }
            "alloca" => self.alloca(&args[0], span),
            "alloca_with_align" | "alloca_with_align_and_max" if !args.is_empty() => self.alloca(&args[0], span),
            "expect" | "expect_with_probability" => {
                let value = self.value(&args[0]);
                let value = self.assign_convert(value, TypeId::LONG, Assigning::Passing);
                let expected = self.value(&args[1]);
                self.after_effects(expected, value, span)
            }
            "assume_aligned" | "speculation_safe_value" if !args.is_empty() => {
                let value = self.value(&args[0]);
                if name == "assume_aligned" { self.convert(value, TypeId::VOID_PTR) } else { value }
            }
            "constant_p" => self.constant_p(&args[0], span),
            "object_size" | "dynamic_object_size" => {
                let kind = self.constant_integer(&args[1]).unwrap_or(0);
                let pointer = self.value(&args[0]);
                let unknown = if kind & 2 == 0 { -1 } else { 0 };
                let value = self.object_size(&pointer, kind & 1 != 0).unwrap_or(unknown);
                let ty = self.size_type();
                let value = self.int_kind(ty).map_or(0, |k| integer::wrap(k, self.target, value));
                self.int_expr(value, ty, span)
            }
            "unreachable" => self.node(Builtin::Unreachable, Vec::new(), TypeId::VOID, span),
            "trap" | "abort_trap" => self.node(Builtin::Trap, Vec::new(), TypeId::VOID, span),
            "classify_type" => self.classify_type(&args[0], span),
            "complex" => self.complex_of(&args[0], &args[1], span),
            "shuffle" if (2..=3).contains(&args.len()) => self.shuffle(args, span),
            "shufflevector" if args.len() > 2 => self.shuffle_by_constants(args, span),
            "prefetch" => {
                for arg in args {
                    self.value(arg);
                }
                self.void_value(span)
            }
            "FUNCTION" => {
                let text = self.functions.last().map(|f| f.name.clone()).unwrap_or_default();
                let units = text.bytes().map(u32::from).collect();
                let literal = ast::StringLiteral { units, prefix: ast::StringPrefix::None };
                let place = self.string_literal(literal, span);
                self.read(place)
            }
            "isgreater" => self.float_comparison(Builtin::IsGreater, args, span),
            "isgreaterequal" => self.float_comparison(Builtin::IsGreaterEqual, args, span),
            "isless" => self.float_comparison(Builtin::IsLess, args, span),
            "islessequal" => self.float_comparison(Builtin::IsLessEqual, args, span),
            "islessgreater" => self.float_comparison(Builtin::IsLessGreater, args, span),
            "isunordered" => self.float_comparison(Builtin::IsUnordered, args, span),
            "isnan" | "isnanf" | "isnanl" => self.float_class(Builtin::IsNan, &args[0], span),
            "isfinite" | "finite" | "finitef" | "finitel" => self.float_class(Builtin::IsFinite, &args[0], span),
            "isnormal" => self.float_class(Builtin::IsNormal, &args[0], span),
            "signbit" | "signbitf" | "signbitl" => self.float_class(Builtin::SignBit, &args[0], span),
            "isinf_sign" => self.float_class(Builtin::IsInfSign, &args[0], span),
            "isinf" | "isinff" | "isinfl" => {
                // The result is 1 for either infinity.
                let sign = self.float_class(Builtin::IsInfSign, &args[0], span);
                // For a constant, gcc keeps the sign.
                if self.is_error(sign.ty) || matches!(sign.kind, ExprKind::Int(_)) {
                    return sign;
                }
                let zero = self.int_expr(0, TypeId::INT, span);
                self.compare_node(CompareOp::Ne, sign, zero, span)
            }
            "fpclassify" => self.fpclassify(args, span),
            "huge_val" | "inf" => self.infinity(FloatKind::Double, span),
            "huge_valf" | "inff" => self.infinity(FloatKind::Float, span),
            "huge_vall" | "infl" => self.infinity(FloatKind::LongDouble, span),
            "huge_valf128" | "inff128" => self.infinity(FloatKind::Float128, span),
            "nan" => self.nan(FloatKind::Double, false, args, span),
            "nanf" => self.nan(FloatKind::Float, false, args, span),
            "nanl" => self.nan(FloatKind::LongDouble, false, args, span),
            "nanf128" => self.nan(FloatKind::Float128, false, args, span),
            "nans" => self.nan(FloatKind::Double, true, args, span),
            "nansf" => self.nan(FloatKind::Float, true, args, span),
            "nansl" => self.nan(FloatKind::LongDouble, true, args, span),
            "add_overflow" => self.overflow(Builtin::AddOverflow, args, span),
            "sub_overflow" => self.overflow(Builtin::SubOverflow, args, span),
            "mul_overflow" => self.overflow(Builtin::MulOverflow, args, span),
            "add_overflow_p" => self.overflow_p(Builtin::AddOverflowP, args, span),
            "sub_overflow_p" => self.overflow_p(Builtin::SubOverflowP, args, span),
            "mul_overflow_p" => self.overflow_p(Builtin::MulOverflowP, args, span),
            _ => self.other_builtin(name, args, span),
        }
    }

    /// Creates a builtin operation, or an error expression if an operand is invalid.
    pub(crate) fn checked(&mut self, builtin: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        if args.iter().any(|a| self.is_error(a.ty)) {
            return self.error_expr(span);
        }
        self.node(builtin, args, ty, span)
    }

    fn other_builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Expr {
        if let Some(expr) = self.bit_builtin(name, args, span) {
            return expr;
        }
        if let Some((builtin, ty)) = crate::check::builtins::bits::overflow_named(name) {
            return self.typed_overflow(builtin, ty, args, span);
        }
        if library_names::signature(name).is_some() {
            let values = args.iter().map(|a| self.value(a)).collect();
            return self.call_library(name, values, span);
        }
        if let Some(plain) = name.strip_prefix("__").and_then(|n| n.strip_suffix("_chk")) {
            return self.checked_form(plain, args, span);
        }
        let values: Vec<Expr> = args.iter().map(|a| self.value(a)).collect();
        let ty = match name {
            "frame_address"
            | "return_address"
            | "extract_return_addr"
            | "frob_return_address"
            | "stack_save"
            | "thread_pointer"
            | "apply_args" => TypeId::VOID_PTR,
            "stack_restore" | "clear_padding" | "longjmp" | "return" => TypeId::VOID,
            _ => values.iter().map(|v| v.ty).find(|&ty| self.is_vector(ty)).unwrap_or(TypeId::INT),
        };
        self.unsupported(format!("builtin '__builtin_{name}'"), ty, span)
    }

    /// Checks `__builtin___memcpy_chk(d, s, n, size)` as `memcpy(d, s, n)`, since every access is checked anyway.
    fn checked_form(&mut self, plain: &str, args: &[ast::Expr], span: Span) -> Expr {
        let dropped: &[usize] = match plain {
            "memcpy" | "memmove" | "memset" | "mempcpy" | "strncpy" | "strncat" | "stpncpy" | "strlcpy" | "strlcat" => {
                &[3]
            }
            "strcpy" | "strcat" | "stpcpy" => &[2],
            "sprintf" | "vsprintf" => &[1, 2],
            "snprintf" | "vsnprintf" => &[2, 3],
            "printf" | "vprintf" => &[0],
            "fprintf" | "vfprintf" => &[1],
            _ => {
                let text = format!("builtin '__builtin___{plain}_chk'");
                return self.unsupported(text, TypeId::INT, span);
            }
        };
        let mut values = Vec::with_capacity(args.len());
        for (index, arg) in args.iter().enumerate() {
            let value = self.value(arg);
            if !dropped.contains(&index) {
                values.push(value);
            }
        }
        self.call_library(plain, values, span)
    }

    fn va_start(&mut self, args: &[ast::Expr], span: Span) -> Expr {
        let Some(list) = args.first() else {
            self.arity("va_start", args, 2, span);
            return self.error_expr(span);
        };
        let list = self.va_list_address(list);
        if self.is_error(list.ty) {
            return list;
        }
        if !self.functions.last().is_some_and(|f| f.variadic) {
            self.error(span, "'va_start' used in function with fixed args");
            return self.error_expr(span);
        }
        self.checked(Builtin::VaStart, vec![list], TypeId::VOID, span)
    }

    /// Returns 1 for constants and string literals, like gcc without optimisation. The operand is not evaluated.
    fn constant_p(&mut self, arg: &ast::Expr, span: Span) -> Expr {
        let value = self.value(arg);
        let constant = match self.evaluate(&value) {
            Some(Constant::Int(_) | Constant::Float(_)) => !self.is_error(value.ty),
            Some(Constant::Address(StaticTarget::String(_), 0)) => true,
            _ => false,
        };
        self.int_expr(i128::from(constant), TypeId::INT, span)
    }

    /// Returns the number of bytes from an address to the end of its object.
    ///
    /// With `closest`, the innermost member counts as the object. Like gcc without optimisation, this handles only the
    /// address of a named object or its members.
    fn object_size(&self, pointer: &Expr, closest: bool) -> Option<i128> {
        let place = match &pointer.kind {
            ExprKind::AddressOf(place) => place,
            ExprKind::Convert(inner) if self.is_pointer(inner.ty) => return self.object_size(inner, closest),
            _ => return None,
        };
        let mut offset = 0;
        let mut at = &**place;
        loop {
            if closest && matches!(at.kind, PlaceKind::Field(..)) {
                break;
            }
            match &at.kind {
                PlaceKind::Local(_) | PlaceKind::Symbol(_) | PlaceKind::String(_) | PlaceKind::CompoundLiteral(..) => {
                    break;
                }
                PlaceKind::Field(base, record, index) => {
                    offset += i128::from(self.types.record(*record).fields.get(*index as usize)?.offset);
                    at = base;
                }
                _ => return None,
            }
        }
        if self.is_function(at.ty.ty) || self.is_variable_size(at.ty.ty) {
            return None;
        }
        Some(i128::from(self.size_of(at.ty.ty)?) - offset)
    }

    fn classify_type(&mut self, arg: &ast::Expr, span: Span) -> Expr {
        let value = self.value(arg);
        let class = match self.types.get(value.ty) {
            Type::Void => 0,
            Type::Int(_) | Type::Enum(_) => 1,
            Type::Pointer(_) => 5,
            Type::Float(_) => 8,
            Type::Complex(_) => 9,
            Type::Record(id) if self.types.record(*id).union => 13,
            Type::Record(_) => 12,
            Type::Vector(..) => 19,
            _ => -1,
        };
        self.int_expr(class, TypeId::INT, span)
    }
}
