//! Floating-point builtins: infinities, NaNs, classification, and quiet comparisons.

use cairn_ir::ctype::{FloatKind, QualType, TypeId};
use cairn_ir::source::Span;

use crate::ast;
use crate::check::Checker;
use crate::check::constants::evaluate::Constant;
use crate::check::constants::float;
use crate::check::types::convert::{Assigning, float_type};
use crate::hir::{Builtin, CompareOp, Expr, ExprKind, Place, PlaceKind};

impl Checker<'_> {
    pub(crate) fn infinity(&self, kind: FloatKind, span: Span) -> Expr {
        Expr { kind: ExprKind::Float(float::infinity(kind)), ty: float_type(kind), span }
    }

    /// Evaluates `nan("0x12")`, whose string is the payload.
    pub(crate) fn nan(&mut self, kind: FloatKind, signalling: bool, args: &[ast::Expr], span: Span) -> Expr {
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
                self.value(&args[0]);
                return self.unsupported("NaN with a computed payload", float_type(kind), span);
            }
        };
        Expr { kind: ExprKind::Float(float::nan(kind, signalling, payload)), ty: float_type(kind), span }
    }

    pub(crate) fn float_comparison(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
        let (a, b) = (self.value(&args[0]), self.value(&args[1]));
        if self.is_error(a.ty) || self.is_error(b.ty) {
            return self.error_expr(span);
        }
        let ty = self.common_type(&a, &b);
        if self.float_kind(ty).is_none() {
            self.error(span, "floating-point comparison requires a floating-point argument");
            return self.error_expr(span);
        }
        let (a, b) = (self.convert(a, ty), self.convert(b, ty));
        self.folded(builtin, vec![a, b], TypeId::INT, span)
    }

    pub(crate) fn float_class(&mut self, builtin: Builtin, arg: &ast::Expr, span: Span) -> Expr {
        let mut value = self.value(arg);
        if self.is_error(value.ty) {
            return value;
        }
        // The library functions of the same names accept integers, and gcc's builtins with a fixed type convert.
        if self.is_integer(value.ty) {
            value = self.convert(value, TypeId::DOUBLE);
        }
        if self.float_kind(value.ty).is_none() {
            let text = format!("floating-point argument required, have '{}'", self.print(value.ty));
            self.error(span, text);
            return self.error_expr(span);
        }
        self.folded(builtin, vec![value], TypeId::INT, span)
    }

    /// Checks `fpclassify(nan, infinite, normal, subnormal, zero, x)`, as a chain of tests on a copy of `x`.
    pub(crate) fn fpclassify(&mut self, args: &[ast::Expr], span: Span) -> Expr {
        let mut classes: Vec<Expr> = Vec::with_capacity(5);
        for arg in &args[..5] {
            let value = self.value(arg);
            classes.push(self.assign_convert(value, TypeId::INT, Assigning::Passing));
        }
        let value = self.value(&args[5]);
        let Some(kind) = self.float_kind(value.ty) else {
            if !self.is_error(value.ty) {
                self.error(span, "floating-point argument required");
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
            return self.unsupported("fpclassify in a constant expression", TypeId::INT, span);
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
}
