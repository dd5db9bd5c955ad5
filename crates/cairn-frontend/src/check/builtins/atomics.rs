//! Checks `__sync_…` and `__atomic_…` builtins. There is only one thread, so memory orders do not matter.

use cairn_ir::ctype::{QualType, TypeId};
use cairn_ir::source::Span;

use crate::ast;
use crate::check::Checker;
use crate::check::types::convert::Assigning;
use crate::hir::{ArithOp, Builtin, Expr, ExprKind, Place, PlaceKind};

impl Checker<'_> {
    /// Checks the address operand of an atomic operation; returns it and its pointee type.
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
                let text = format!(
                    "address argument to atomic operation must be a pointer to a scalar ('{}' invalid)",
                    self.print(address.ty)
                );
                self.error(arg.span, text);
                None
            }
        }
    }

    /// Checks a value operand and converts it to the type of the object.
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

    pub(crate) fn sync(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        // `__sync_fetch_and_add_4` and the like have the size in the name.
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

    pub(crate) fn atomic(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
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

    /// Checks the generic forms, which pass values and results through pointers.
    fn generic_atomic(&mut self, builtin: Builtin, args: &[ast::Expr], span: Span) -> Expr {
        let values: Vec<Expr> = args.iter().map(|a| self.value(a)).collect();
        if values.iter().any(|v| self.is_error(v.ty)) {
            return self.error_expr(span);
        }
        let result = if builtin == Builtin::AtomicCas { TypeId::BOOL } else { TypeId::VOID };
        let to = values.first().and_then(|v| self.pointee(v.ty)).map(|to| to.ty);
        let Some(ty) = to.filter(|&to| self.is_scalar(to) || self.record_of(to).is_some()) else {
            return self.unsupported("atomic operation on a type other than a scalar or struct", result, span);
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
        let assign =
            |to: Expr, value: Expr| Expr { kind: ExprKind::Assign(Box::new(place(to)), Box::new(value)), ty, span };
        let expr = match builtin {
            Builtin::AtomicLoad => {
                let value = self.read(place(address));
                assign(second, value)
            }
            Builtin::AtomicStore => {
                let value = self.read(place(second));
                assign(address, value)
            }
            Builtin::AtomicExchange if !self.is_scalar(ty) || self.is_complex(ty) => {
                let third = next(self);
                self.exchange_in_memory([address, second, third], ty, span)
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

    /// Emits `old = *p, *p = *q, *r = old` for structs, evaluating each pointer once.
    fn exchange_in_memory(&mut self, pointers: [Expr; 3], ty: TypeId, span: Span) -> Expr {
        if self.functions.is_empty() {
            return self.unsupported("atomic operation in a constant expression", TypeId::VOID, span);
        }
        let pointer = pointers[0].ty;
        let local = |id, ty| Place { kind: PlaceKind::Local(id), ty: QualType::plain(ty), span };
        let assign =
            |to: Place, value: Expr| Expr { ty: value.ty, kind: ExprKind::Assign(Box::new(to), Box::new(value)), span };
        let mut steps = Vec::new();
        let held = pointers.map(|value| {
            let id = self.new_local(None, QualType::plain(pointer), 0, span);
            steps.push(assign(local(id, pointer), value));
            id
        });
        let old = self.new_local(None, QualType::plain(ty), 0, span);
        let target = |this: &mut Self, id| {
            let address = this.read(local(id, pointer));
            Place { kind: PlaceKind::Deref(Box::new(address)), ty: QualType::plain(ty), span }
        };
        for (to, from) in [(None, Some(held[0])), (Some(held[0]), Some(held[1])), (Some(held[2]), None)] {
            let from = from.map_or_else(|| local(old, ty), |id| target(self, id));
            let value = self.read(from);
            let to = to.map_or_else(|| local(old, ty), |id| target(self, id));
            steps.push(assign(to, value));
        }
        let all = steps.into_iter().reduce(|first, second| Expr {
            ty: second.ty,
            kind: ExprKind::Comma(Box::new(first), Box::new(second)),
            span,
        });
        all.unwrap_or_else(|| self.error_expr(span))
    }

    /// Checks `__atomic_test_and_set` and `__atomic_clear`, which act on one byte.
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
