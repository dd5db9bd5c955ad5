//! Calls of `__builtin_…`, `__sync_…` and `__atomic_…`: folded, turned into operators, library calls or builtin operations.

use cairn_ir::ctype::{FloatKind, IntKind, QualType, Type, TypeId};
use cairn_ir::source::Span;

use super::constant::Constant;
use super::convert::{Assigning, float_type};
use super::scope::GlobalIndex;
use super::{Checker, float, integer, library_names};
use crate::ast;
use crate::hir::{ArithOp, Builtin, CompareOp, Expr, ExprKind, Place, PlaceKind, StaticTarget};
use crate::symbol::Symbol;

impl Checker<'_> {
    /// The library function that a builtin names, when it is used other than by a call.
    pub(super) fn builtin_function(&mut self, name: Symbol, span: Span) -> Option<GlobalIndex> {
        let text = self.interner.name(name).strip_prefix("__builtin_")?.to_owned();
        library_names::signature(&text)?;
        let symbol = self.interner.intern(&text);
        self.library_function(symbol, span)
    }

    /// A call of a builtin, or `None` when the name is none.
    pub(super) fn builtin_call(&mut self, name: Symbol, args: &[ast::Expr], span: Span) -> Option<Expr> {
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

    fn node(&self, builtin: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Builtin(builtin, args), ty, span }
    }

    /// A builtin on values, folded when they are constants.
    fn folded(&self, builtin: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        let node = self.node(builtin, args, ty, span);
        match self.evaluate(&node) {
            Some(Constant::Int(value)) => self.int_expr(value, ty, span),
            _ => node,
        }
    }

    /// Checks the number of arguments.
    fn arity(&mut self, name: &str, args: &[ast::Expr], count: usize, span: Span) -> bool {
        if args.len() == count {
            return true;
        }
        let word = if args.len() < count { "few" } else { "many" };
        let text = format!("too {word} arguments to '{name}', expected {count}, have {}", args.len());
        self.error(span, text);
        false
    }

    fn void_value(&mut self, span: Span) -> Expr {
        let zero = self.int_expr(0, TypeId::INT, span);
        self.convert(zero, TypeId::VOID)
    }

    fn builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Expr {
        let wanted = match name {
            "va_end" | "expect_once" | "constant_p" | "alloca" | "isnan" | "isinf" | "isinf_sign" | "isfinite"
            | "finite" | "isnormal" | "signbit" | "signbitf" | "signbitl" | "classify_type" => Some(1),
            "va_copy" | "expect" | "object_size" | "dynamic_object_size" | "isgreater" | "isgreaterequal" | "isless"
            | "islessequal" | "islessgreater" | "isunordered" => Some(2),
            "unreachable" | "trap" | "huge_val" | "huge_valf" | "huge_vall" | "inf" | "inff" | "infl" => Some(0),
            "expect_with_probability" | "add_overflow" | "sub_overflow" | "mul_overflow" | "add_overflow_p"
            | "sub_overflow_p" | "mul_overflow_p" => Some(3),
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
                self.assign_convert(value, TypeId::LONG, Assigning::Passing)
            }
            "assume_aligned" | "speculation_safe_value" if !args.is_empty() => {
                let value = self.value(&args[0]);
                if name == "assume_aligned" { self.convert(value, TypeId::VOID_PTR) } else { value }
            }
            "constant_p" => self.constant_p(&args[0], span),
            "object_size" | "dynamic_object_size" => {
                let kind = self.constant_integer(&args[1]).unwrap_or(0);
                let ty = self.size_type();
                let value = if kind & 2 == 0 { -1 } else { 0 };
                let value = self.int_kind(ty).map_or(0, |k| integer::wrap(k, self.target, value));
                self.int_expr(value, ty, span)
            }
            "unreachable" => self.node(Builtin::Unreachable, Vec::new(), TypeId::VOID, span),
            "trap" | "abort_trap" => self.node(Builtin::Trap, Vec::new(), TypeId::VOID, span),
            "classify_type" => self.classify_type(&args[0], span),
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
            "isnan" => self.float_class(Builtin::IsNan, &args[0], span),
            "isfinite" | "finite" => self.float_class(Builtin::IsFinite, &args[0], span),
            "isnormal" => self.float_class(Builtin::IsNormal, &args[0], span),
            "signbit" | "signbitf" | "signbitl" => self.float_class(Builtin::SignBit, &args[0], span),
            "isinf_sign" => self.float_class(Builtin::IsInfSign, &args[0], span),
            "isinf" => {
                // Without the sign: 1 for either infinity.
                let sign = self.float_class(Builtin::IsInfSign, &args[0], span);
                if self.is_error(sign.ty) {
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

    /// A builtin whose operands may have failed.
    fn checked(&mut self, builtin: Builtin, args: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        if args.iter().any(|a| self.is_error(a.ty)) {
            return self.error_expr(span);
        }
        self.node(builtin, args, ty, span)
    }

    fn other_builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Expr {
        if let Some(expr) = self.bit_builtin(name, args, span) {
            return expr;
        }
        if let Some((builtin, ty)) = typed_overflow(name) {
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
            "frame_address" | "return_address" | "extract_return_addr" | "frob_return_address" | "stack_save"
            | "thread_pointer" | "apply_args" => TypeId::VOID_PTR,
            "stack_restore" | "clear_padding" | "longjmp" | "return" => TypeId::VOID,
            _ => values.iter().map(|v| v.ty).find(|&ty| self.is_vector(ty)).unwrap_or(TypeId::INT),
        };
        self.unsupported(format!("the builtin '__builtin_{name}'"), ty, span)
    }

    /// `__builtin___memcpy_chk(d, s, n, size)` is `memcpy(d, s, n)`: what the size would catch is checked anyway.
    fn checked_form(&mut self, plain: &str, args: &[ast::Expr], span: Span) -> Expr {
        let dropped: &[usize] = match plain {
            "memcpy" | "memmove" | "memset" | "mempcpy" | "strncpy" | "strncat" | "stpncpy" | "strlcpy" | "strlcat" => &[3],
            "strcpy" | "strcat" | "stpcpy" => &[2],
            "sprintf" | "vsprintf" => &[1, 2],
            "snprintf" | "vsnprintf" => &[2, 3],
            "printf" | "vprintf" => &[0],
            "fprintf" | "vfprintf" => &[1],
            _ => {
                let text = format!("the builtin '__builtin___{plain}_chk'");
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
        if !self.functions.last().is_some_and(|f| f.variadic) {
            self.error(span, "'va_start' used in function with fixed args");
            return self.error_expr(span);
        }
        self.checked(Builtin::VaStart, vec![list], TypeId::VOID, span)
    }

    /// 1 for constants and string literals, as gcc says without optimising; the operand is not evaluated.
    fn constant_p(&mut self, arg: &ast::Expr, span: Span) -> Expr {
        let value = self.value(arg);
        let constant = match self.evaluate(&value) {
            Some(Constant::Int(_) | Constant::Float(_)) => !self.is_error(value.ty),
            Some(Constant::Address(StaticTarget::String(_), 0)) => true,
            _ => false,
        };
        self.int_expr(i128::from(constant), TypeId::INT, span)
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

    fn infinity(&self, kind: FloatKind, span: Span) -> Expr {
        Expr { kind: ExprKind::Float(float::infinity(kind)), ty: float_type(kind), span }
    }

    /// `nan("0x12")`: the string is the payload.
    fn nan(&mut self, kind: FloatKind, signalling: bool, args: &[ast::Expr], span: Span) -> Expr {
        if !self.arity("nan", args, 1, span) {
            return self.error_expr(span);
        }
        let payload = match &args[0].kind {
            ast::ExprKind::String(literal) => {
                let text: String = literal.units.iter().filter_map(|&u| char::from_u32(u)).collect();
                let text = text.trim();
                if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
                    u128::from_str_radix(hex, 16).unwrap_or(0)
                } else if let Some(octal) = text.strip_prefix('0') {
                    u128::from_str_radix(octal, 8).unwrap_or(0)
                } else {
                    text.parse().unwrap_or(0)
                }
            }
            _ => {
                let value = self.value(&args[0]);
                return self.call_library_or_unsupported(kind, value, span);
            }
        };
        Expr { kind: ExprKind::Float(float::nan(kind, signalling, payload)), ty: float_type(kind), span }
    }

    fn call_library_or_unsupported(&mut self, kind: FloatKind, _value: Expr, span: Span) -> Expr {
        self.unsupported("a NaN with a computed payload", float_type(kind), span)
    }

    fn float_comparison(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
        let (a, b) = (self.value(&args[0]), self.value(&args[1]));
        if self.is_error(a.ty) || self.is_error(b.ty) {
            return self.error_expr(span);
        }
        let ty = self.common_type(&a, &b);
        if self.float_kind(ty).is_none() {
            self.error(span, "a comparison of floating values needs a floating argument");
            return self.error_expr(span);
        }
        let (a, b) = (self.convert(a, ty), self.convert(b, ty));
        self.folded(builtin, vec![a, b], TypeId::INT, span)
    }

    fn float_class(&mut self, builtin: Builtin, arg: &ast::Expr, span: Span) -> Expr {
        let mut value = self.value(arg);
        if self.is_error(value.ty) {
            return value;
        }
        // The library's functions of that name take integers too; gcc's builtins of a fixed type convert.
        if self.is_integer(value.ty) {
            value = self.convert(value, TypeId::DOUBLE);
        }
        if self.float_kind(value.ty).is_none() {
            let text = format!("a floating-point argument is required, have '{}'", self.print(value.ty));
            self.error(span, text);
            return self.error_expr(span);
        }
        self.folded(builtin, vec![value], TypeId::INT, span)
    }

    /// `fpclassify(nan, infinite, normal, subnormal, zero, x)` as a chain of questions about a copy of `x`.
    fn fpclassify(&mut self, args: &[ast::Expr], span: Span) -> Expr {
        let mut classes: Vec<Expr> = Vec::with_capacity(5);
        for arg in &args[..5] {
            let value = self.value(arg);
            classes.push(self.assign_convert(value, TypeId::INT, Assigning::Passing));
        }
        let value = self.value(&args[5]);
        let Some(kind) = self.float_kind(value.ty) else {
            if !self.is_error(value.ty) {
                self.error(span, "a floating-point argument is required");
            }
            return self.error_expr(span);
        };
        if classes.iter().any(|c| self.is_error(c.ty)) {
            return self.error_expr(span);
        }
        if let Some(Constant::Float(bits)) = self.evaluate(&value) {
            let class = float::classify(kind, bits);
            let at = match class {
                float::Class { nan: true, .. } => 0,
                float::Class { infinite: true, .. } => 1,
                float::Class { normal: true, .. } => 2,
                float::Class { zero: true, .. } => 4,
                _ => 3,
            };
            return classes.swap_remove(at);
        }
        if self.functions.is_empty() {
            return self.unsupported("fpclassify in a constant", TypeId::INT, span);
        }
        let ty = value.ty;
        let copy = self.new_local(None, QualType::plain(ty), 0, span);
        let place = |ty| Place { kind: PlaceKind::Local(copy), ty: QualType::plain(ty), span };
        let read = |ty| Expr { kind: ExprKind::Read(Box::new(place(ty))), ty, span };
        let assign = Expr { kind: ExprKind::Assign(Box::new(place(ty)), Box::new(value)), ty, span };
        let zero = Expr { kind: ExprKind::Float(float::from_int(kind, 0, false)), ty, span };
        let is_zero = self.compare_node(CompareOp::Eq, read(ty), zero, span);
        let mut classes = classes.into_iter();
        let (Some(nan), Some(infinite), Some(normal), Some(subnormal), Some(zero)) =
            (classes.next(), classes.next(), classes.next(), classes.next(), classes.next())
        else {
            return self.error_expr(span);
        };
        let choose = |cond: Expr, a: Expr, b: Expr| Expr {
            kind: ExprKind::Conditional(Box::new(cond), Box::new(a), Box::new(b)),
            ty: TypeId::INT,
            span,
        };
        let is_normal = self.node(Builtin::IsNormal, vec![read(ty)], TypeId::INT, span);
        let is_infinite = self.node(Builtin::IsInfSign, vec![read(ty)], TypeId::INT, span);
        let is_nan = self.node(Builtin::IsNan, vec![read(ty)], TypeId::INT, span);
        let chain = choose(is_zero, zero, subnormal);
        let chain = choose(is_normal, normal, chain);
        let chain = choose(is_infinite, infinite, chain);
        let chain = choose(is_nan, nan, chain);
        Expr { kind: ExprKind::Comma(Box::new(assign), Box::new(chain)), ty: TypeId::INT, span }
    }

    /// Counting, finding and swapping of bits.
    fn bit_builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let swap = match name {
            "bswap16" => Some(TypeId::USHORT),
            "bswap32" => Some(TypeId::UINT),
            "bswap64" => Some(if self.target == cairn_ir::layout::Target::Lp64 {
                TypeId::ULONG
            } else {
                TypeId::ULONG_LONG
            }),
            "bswap128" => Some(TypeId::UINT128),
            _ => None,
        };
        let (builtin, ty, result) = if let Some(ty) = swap {
            (Builtin::Bswap, ty, ty)
        } else {
            let (stem, signed) = [("clz", false), ("ctz", false), ("popcount", false), ("parity", false), ("ffs", true), ("clrsb", true)]
                .into_iter()
                .find(|(stem, _)| name.starts_with(stem))?;
            let kind = match &name[stem.len()..] {
                "" => IntKind::Int,
                "l" => IntKind::Long,
                "ll" | "imax" => IntKind::LongLong,
                "g" => return self.generic_bit_builtin(stem, args, span),
                _ => return None,
            };
            let kind = if signed { kind } else { integer::to_unsigned(kind) };
            (bit_operation(stem)?, integer::type_of(kind), TypeId::INT)
        };
        if !self.arity(name, args, 1, span) {
            return Some(self.error_expr(span));
        }
        let value = self.value(&args[0]);
        let value = self.assign_convert(value, ty, Assigning::Passing);
        if self.is_error(value.ty) {
            return Some(value);
        }
        Some(self.folded(builtin, vec![value], result, span))
    }

    /// `__builtin_clzg(x)` and the like, on any integer type.
    fn generic_bit_builtin(&mut self, stem: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let builtin = bit_operation(stem)?;
        if args.len() != 1 {
            for arg in args {
                self.value(arg);
            }
            let text = format!("the builtin '__builtin_{stem}g' with a value for zero");
            return Some(self.unsupported(text, TypeId::INT, span));
        }
        let value = self.value(&args[0]);
        if !self.is_integer(value.ty) {
            if !self.is_error(value.ty) {
                self.error(span, "an integer argument is required");
            }
            return Some(self.error_expr(span));
        }
        Some(self.folded(builtin, vec![value], TypeId::INT, span))
    }

    fn overflow(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
        let (a, b, result) = (self.value(&args[0]), self.value(&args[1]), self.value(&args[2]));
        if self.is_error(a.ty) || self.is_error(b.ty) || self.is_error(result.ty) {
            return self.error_expr(span);
        }
        let to = self.pointee(result.ty).filter(|to| self.is_integer(to.ty));
        if !self.is_integer(a.ty) || !self.is_integer(b.ty) || to.is_none() {
            self.error(span, "operands must be integers and a pointer to an integer");
            return self.error_expr(span);
        }
        self.node(builtin, vec![a, b, result], TypeId::BOOL, span)
    }

    fn overflow_p(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
        let (a, b, like) = (self.value(&args[0]), self.value(&args[1]), self.value(&args[2]));
        if self.is_error(a.ty) || self.is_error(b.ty) || self.is_error(like.ty) {
            return self.error_expr(span);
        }
        if !self.is_integer(a.ty) || !self.is_integer(b.ty) || !self.is_integer(like.ty) {
            self.error(span, "operands must be integers");
            return self.error_expr(span);
        }
        // Only the type of the third operand matters.
        let like = self.int_expr(0, like.ty, like.span);
        self.folded(builtin, vec![a, b, like], TypeId::BOOL, span)
    }

    /// `__builtin_uaddl_overflow` and the like: the operands have the type in the name.
    fn typed_overflow(&mut self, builtin: Builtin, ty: TypeId, args: &[ast::Expr], span: Span) -> Expr {
        if !self.arity("overflow builtin", args, 3, span) {
            return self.error_expr(span);
        }
        let mut values = Vec::with_capacity(3);
        let pointer = self.types.pointer(QualType::plain(ty));
        for (arg, to) in args.iter().zip([ty, ty, pointer]) {
            let value = self.value(arg);
            values.push(self.assign_convert(value, to, Assigning::Passing));
        }
        self.checked(builtin, values, TypeId::BOOL, span)
    }

    /// The address operand of an atomic operation and what it points to.
    fn atomic_address(&mut self, arg: Option<&ast::Expr>, span: Span) -> Option<(Expr, TypeId)> {
        let Some(arg) = arg else {
            self.error(span, "too few arguments to atomic operation");
            return None;
        };
        let address = self.value(arg);
        if self.is_error(address.ty) {
            return None;
        }
        let to = self.pointee(address.ty).map(|to| to.ty);
        match to {
            Some(to) if self.is_scalar(to) && !self.is_complex(to) => Some((address, to)),
            _ => {
                let text = format!("address argument to atomic operation must be a pointer to a scalar ('{}' invalid)", self.print(address.ty));
                self.error(arg.span, text);
                None
            }
        }
    }

    /// A value operand in the type of the object.
    fn atomic_value(&mut self, arg: Option<&ast::Expr>, ty: TypeId, span: Span) -> Option<Expr> {
        let Some(arg) = arg else {
            self.error(span, "too few arguments to atomic operation");
            return None;
        };
        let value = self.value(arg);
        if self.is_pointer(ty) && self.is_integer(value.ty) {
            return Some(self.convert_via_pointer_width(value, ty));
        }
        let value = self.assign_convert(value, ty, Assigning::Passing);
        (!self.is_error(value.ty)).then_some(value)
    }

    fn sync(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        // `__sync_fetch_and_add_4` is the same with the size in the name.
        let name = ["_1", "_2", "_4", "_8", "_16"].into_iter().find_map(|s| name.strip_suffix(s)).unwrap_or(name);
        if name == "synchronize" {
            return Some(self.node(Builtin::Fence, Vec::new(), TypeId::VOID, span));
        }
        let plan = match name {
            "lock_test_and_set" => Some(Builtin::AtomicExchange),
            "lock_release" => Some(Builtin::AtomicStore),
            "bool_compare_and_swap" => Some(Builtin::SyncBoolCas),
            "val_compare_and_swap" => Some(Builtin::SyncValCas),
            _ => {
                let (before, after) = (name.strip_prefix("fetch_and_"), name.strip_suffix("_and_fetch"));
                match (before, after) {
                    (Some("nand"), _) => Some(Builtin::AtomicFetchNand),
                    (_, Some("nand")) => Some(Builtin::AtomicNandFetch),
                    (Some(op), _) => atomic_op(op).map(Builtin::AtomicFetch),
                    (_, Some(op)) => atomic_op(op).map(Builtin::AtomicOp),
                    _ => None,
                }
            }
        };
        let builtin = plan?;
        let Some((address, ty)) = self.atomic_address(args.first(), span) else { return Some(self.error_expr(span)) };
        let mut values = vec![address];
        let count = match builtin {
            Builtin::SyncBoolCas | Builtin::SyncValCas => 2,
            Builtin::AtomicStore => 0,
            _ => 1,
        };
        for index in 0..count {
            match self.atomic_value(args.get(index + 1), ty, span) {
                Some(value) => values.push(value),
                None => return Some(self.error_expr(span)),
            }
        }
        if builtin == Builtin::AtomicStore {
            let zero = self.int_expr(0, TypeId::INT, span);
            values.push(self.convert(zero, ty));
        }
        let result = match builtin {
            Builtin::SyncBoolCas => TypeId::BOOL,
            Builtin::AtomicStore => TypeId::VOID,
            _ => ty,
        };
        Some(self.node(builtin, values, result, span))
    }

    fn atomic(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        match name {
            "thread_fence" | "signal_fence" => return Some(self.node(Builtin::Fence, Vec::new(), TypeId::VOID, span)),
            "always_lock_free" | "is_lock_free" => {
                let size = args.first().map(|a| self.value(a)).and_then(|v| self.evaluate_integer(&v));
                let free = size.is_none_or(|s| matches!(s, 1 | 2 | 4 | 8));
                return Some(self.int_expr(i128::from(free), TypeId::BOOL, span));
            }
            "test_and_set" | "clear" => return Some(self.atomic_flag(name == "clear", args, span)),
            _ => {}
        }
        let generic = matches!(name, "load" | "store" | "exchange" | "compare_exchange");
        let builtin = match name {
            "load" | "load_n" => Builtin::AtomicLoad,
            "store" | "store_n" => Builtin::AtomicStore,
            "exchange" | "exchange_n" => Builtin::AtomicExchange,
            "compare_exchange" | "compare_exchange_n" => Builtin::AtomicCas,
            _ => match (name.strip_prefix("fetch_"), name.strip_suffix("_fetch")) {
                (Some("nand"), _) => Builtin::AtomicFetchNand,
                (_, Some("nand")) => Builtin::AtomicNandFetch,
                (Some(op), _) => Builtin::AtomicFetch(atomic_op(op)?),
                (_, Some(op)) => Builtin::AtomicOp(atomic_op(op)?),
                _ => return None,
            },
        };
        if generic {
            return Some(self.generic_atomic(builtin, args, span));
        }
        let Some((address, ty)) = self.atomic_address(args.first(), span) else { return Some(self.error_expr(span)) };
        let mut values = vec![address];
        if builtin == Builtin::AtomicCas {
            let pointer = self.types.pointer(QualType::plain(ty));
            match args.get(1).map(|a| self.value(a)) {
                Some(expected) => values.push(self.assign_convert(expected, pointer, Assigning::Passing)),
                None => {
                    self.error(span, "too few arguments to atomic operation");
                    return Some(self.error_expr(span));
                }
            }
        }
        if builtin != Builtin::AtomicLoad {
            match self.atomic_value(args.get(values.len()), ty, span) {
                Some(value) => values.push(value),
                None => return Some(self.error_expr(span)),
            }
        }
        let result = match builtin {
            Builtin::AtomicStore => TypeId::VOID,
            Builtin::AtomicCas => TypeId::BOOL,
            _ => ty,
        };
        Some(self.checked(builtin, values, result, span))
    }

    /// The forms that take values and results through pointers.
    fn generic_atomic(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
        let values: Vec<Expr> = args.iter().map(|a| self.value(a)).collect();
        if values.iter().any(|v| self.is_error(v.ty)) {
            return self.error_expr(span);
        }
        let result = if builtin == Builtin::AtomicCas { TypeId::BOOL } else { TypeId::VOID };
        let to = values.first().and_then(|v| self.pointee(v.ty)).map(|to| to.ty);
        let Some(ty) = to.filter(|&to| self.is_scalar(to) && !self.is_complex(to)) else {
            return self.unsupported("an atomic operation on something other than a scalar", result, span);
        };
        let pointer = self.types.pointer(QualType::plain(ty));
        let wanted = if builtin == Builtin::AtomicCas || builtin == Builtin::AtomicExchange { 3 } else { 2 };
        if values.len() < wanted {
            self.error(span, "too few arguments to atomic operation");
            return self.error_expr(span);
        }
        let mut values = values.into_iter();
        let mut next = |this: &mut Self| {
            let value = values.next().unwrap_or_else(|| this.error_expr(span));
            this.convert(value, pointer)
        };
        let address = next(self);
        let second = next(self);
        let place = |pointer: Expr| Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: QualType::plain(ty), span };
        let assign = |to: Expr, value: Expr| Expr {
            kind: ExprKind::Assign(Box::new(place(to)), Box::new(value)),
            ty,
            span,
        };
        let expr = match builtin {
            Builtin::AtomicLoad => {
                let value = self.node(builtin, vec![address], ty, span);
                assign(second, value)
            }
            Builtin::AtomicStore => {
                let value = self.read(place(second));
                self.node(builtin, vec![address, value], TypeId::VOID, span)
            }
            Builtin::AtomicExchange => {
                let third = next(self);
                let value = self.read(place(second));
                let old = self.node(builtin, vec![address, value], ty, span);
                assign(third, old)
            }
            _ => {
                let third = next(self);
                let value = self.read(place(third));
                self.node(builtin, vec![address, second, value], TypeId::BOOL, span)
            }
        };
        self.convert(expr, result)
    }

    /// `__atomic_test_and_set` and `__atomic_clear` on one byte.
    fn atomic_flag(&mut self, clear: bool, args: &[ast::Expr], span: Span) -> Expr {
        let Some(arg) = args.first() else {
            self.error(span, "too few arguments to atomic operation");
            return self.error_expr(span);
        };
        let address = self.value(arg);
        let bytes = self.types.pointer(QualType::plain(TypeId::UCHAR));
        let address = self.convert(address, bytes);
        if self.is_error(address.ty) {
            return self.error_expr(span);
        }
        let value = self.int_expr(i128::from(!clear), TypeId::UCHAR, span);
        if clear {
            return self.node(Builtin::AtomicStore, vec![address, value], TypeId::VOID, span);
        }
        let old = self.node(Builtin::AtomicExchange, vec![address, value], TypeId::UCHAR, span);
        self.convert(old, TypeId::BOOL)
    }
}

fn bit_operation(stem: &str) -> Option<Builtin> {
    Some(match stem {
        "clz" => Builtin::Clz,
        "ctz" => Builtin::Ctz,
        "popcount" => Builtin::PopCount,
        "parity" => Builtin::Parity,
        "ffs" => Builtin::Ffs,
        "clrsb" => Builtin::Clrsb,
        _ => return None,
    })
}

fn atomic_op(name: &str) -> Option<ArithOp> {
    Some(match name {
        "add" => ArithOp::Add,
        "sub" => ArithOp::Sub,
        "and" => ArithOp::And,
        "or" => ArithOp::Or,
        "xor" => ArithOp::Xor,
        _ => return None,
    })
}

/// `saddl_overflow` and the like: the operation and the type of its operands.
fn typed_overflow(name: &str) -> Option<(Builtin, TypeId)> {
    let stem = name.strip_suffix("_overflow")?;
    let signed = match stem.as_bytes().first()? {
        b's' => true,
        b'u' => false,
        _ => return None,
    };
    let rest = stem.get(1..)?;
    let (builtin, length) = match rest.get(..3)? {
        "add" => (Builtin::AddOverflow, &rest[3..]),
        "sub" => (Builtin::SubOverflow, &rest[3..]),
        "mul" => (Builtin::MulOverflow, &rest[3..]),
        _ => return None,
    };
    let kind = match length {
        "" => IntKind::Int,
        "l" => IntKind::Long,
        "ll" => IntKind::LongLong,
        _ => return None,
    };
    Some((builtin, integer::type_of(if signed { kind } else { integer::to_unsigned(kind) })))
}
