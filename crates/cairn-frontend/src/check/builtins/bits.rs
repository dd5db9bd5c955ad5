//! Integer builtins: bit counting, byte swapping, and overflow-checked arithmetic.

use cairn_ir::ctype::{IntKind, QualType, TypeId};
use cairn_ir::source::Span;

use crate::ast;
use crate::check::Checker;
use crate::check::constants::integer;
use crate::check::types::convert::Assigning;
use crate::hir::{Builtin, Expr};

impl Checker<'_> {
    /// Checks a builtin that counts, finds or swaps bits.
    pub(crate) fn bit_builtin(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let swap = match name {
            "bswap16" => Some(TypeId::USHORT),
            "bswap32" => Some(TypeId::UINT),
            "bswap64" => {
                Some(if self.target == cairn_ir::layout::Target::Lp64 { TypeId::ULONG } else { TypeId::ULONG_LONG })
            }
            "bswap128" => Some(TypeId::UINT128),
            _ => None,
        };
        let (builtin, ty, result) = if let Some(ty) = swap {
            (Builtin::Bswap, ty, ty)
        } else {
            let (stem, signed) = [
                ("clz", false),
                ("ctz", false),
                ("popcount", false),
                ("parity", false),
                ("ffs", true),
                ("clrsb", true),
            ]
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

    /// Checks `__builtin_clzg(x)` and the like, which take any integer type.
    fn generic_bit_builtin(&mut self, stem: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let builtin = bit_operation(stem)?;
        if args.len() != 1 {
            for arg in args {
                self.value(arg);
            }
            let text = format!("builtin '__builtin_{stem}g' with a value for zero");
            return Some(self.unsupported(text, TypeId::INT, span));
        }
        let value = self.value(&args[0]);
        if !self.is_integer(value.ty) {
            if !self.is_error(value.ty) {
                self.error(span, "integer argument required");
            }
            return Some(self.error_expr(span));
        }
        Some(self.folded(builtin, vec![value], TypeId::INT, span))
    }

    pub(crate) fn overflow(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
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

    pub(crate) fn overflow_p(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
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

    /// Checks `__builtin_uaddl_overflow` and the like, whose name determines the operand type.
    pub(crate) fn typed_overflow(&mut self, builtin: Builtin, ty: TypeId, args: &[ast::Expr], span: Span) -> Expr {
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

/// Returns the operation and operand type of a name such as `saddl_overflow`.
pub(crate) fn overflow_named(name: &str) -> Option<(Builtin, TypeId)> {
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
