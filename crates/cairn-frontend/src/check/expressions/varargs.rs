//! Variable arguments: `va_list` and `va_arg`.

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::source::Span;

use crate::ast::{self, TypeName};
use crate::check::Checker;
use crate::check::expressions::expr::Operand;
use crate::hir::{Expr, ExprKind};

impl Checker<'_> {
    /// Returns the address of a `va_list`, which is an array under LP64 and a pointer under ILP32.
    pub(crate) fn va_list_address(&mut self, expr: &ast::Expr) -> Expr {
        let list = self.va_list_type();
        let operand = self.operand(expr);
        let span = expr.span;
        if let Operand::Place(place) = operand {
            if self.is_error(place.ty.ty) {
                return self.error_expr(span);
            }
            if !self.is_array(list) && self.compatible(place.ty.ty, list) {
                let pointer = self.types.pointer(place.ty);
                return self.address_of(place, pointer);
            }
            if let Type::Array(tag, _) = *self.types.get(list) {
                let value = self.read(place);
                if self.pointee(value.ty).is_some_and(|to| to.ty == tag.ty) {
                    return value;
                }
                return self.not_a_va_list(&value);
            }
            let value = self.read(place);
            return self.not_a_va_list(&value);
        }
        match operand {
            Operand::Value(value) => {
                if let Type::Array(tag, _) = *self.types.get(list)
                    && self.pointee(value.ty).is_some_and(|to| to.ty == tag.ty)
                {
                    return value;
                }
                self.not_a_va_list(&value)
            }
            Operand::Place(_) => self.error_expr(span),
        }
    }

    fn not_a_va_list(&mut self, value: &Expr) -> Expr {
        if !self.is_error(value.ty) {
            let text = format!("expected an lvalue of type 'va_list', have '{}'", self.print(value.ty));
            self.error(value.span, text);
        }
        self.error_expr(value.span)
    }

    pub(crate) fn va_arg(&mut self, list: &ast::Expr, name: &TypeName, span: Span) -> Expr {
        self.with_pending(|this| {
            let list = this.va_list_address(list);
            let ty = this.type_name(name);
            if this.is_error(list.ty) || this.is_error(ty.ty) {
                return this.error_expr(span);
            }
            if this.is_incomplete(ty.ty) && ty.ty != TypeId::VOID {
                let text = format!("second argument to 'va_arg' is of incomplete type '{}'", this.print_qual(ty));
                this.error(name.span, text);
                return this.error_expr(span);
            }
            if this.is_array(ty.ty) || this.is_function(ty.ty) {
                let text = format!("variable argument of type '{}'", this.print_qual(ty));
                let ty = this.adjust_param(ty);
                return this.unsupported(text, ty.ty, span);
            }
            Expr { kind: ExprKind::VaArg(Box::new(list)), ty: ty.ty, span }
        })
    }
}
