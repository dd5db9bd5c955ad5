//! Lowers struct values, which stay in memory.

use cairn_ir::CheckKind;
use cairn_ir::inst::{Inst, Intrinsic, Operand, Passing, Ty};

use crate::hir::{Expr, ExprKind};
use crate::lower::builder::{Builder, Class};
use crate::lower::expressions::place::{Mem, Spot};
use crate::lower::link;

impl<'u> Builder<'_, 'u, '_> {
    /// Fetches the next variable argument, and checks that it was passed as `passing`.
    ///
    /// The first word of the list points to the argument. Arguments are at multiples of 16 bytes.
    pub fn va_arg(&mut self, list: &'u Expr, passing: Passing, expr: &Expr) -> Mem {
        let list = self.address(list);
        self.loc = self.place_of(expr.span);
        let current = self.load(list, Ty::Ptr);
        let ty = self.size_ty();
        let (class, size) = passing.variable_argument(self.target());
        if size > 0 {
            let args = [current, Operand::Int(class as i64), self.int(size.into(), ty)];
            let checks = self.checks(&[CheckKind::InvalidCall]);
            self.push(Inst::Intrinsic { op: Intrinsic::VaArg, dst: None, args: args.into(), checks });
        }
        let step = self.int(passing.variable_room().into(), ty);
        let next = self.ptr_add(current, step, 1);
        self.store(list, Ty::Ptr, next);
        Mem::deref(current)
    }

    /// Evaluates a struct expression; returns memory that holds its value until the end of the full expression.
    pub fn aggregate(&mut self, expr: &'u Expr) -> Mem {
        if !self.descend() {
            let base = self.undefined(Ty::Ptr);
            return Mem::deref(base);
        }
        let mem = self.aggregate_inner(expr);
        self.ascend();
        mem
    }

    pub fn aggregate_inner(&mut self, expr: &'u Expr) -> Mem {
        match &expr.kind {
            ExprKind::Read(place) => match self.spot(place) {
                Spot::Memory(mem) | Spot::Bits(mem, ..) => mem,
                Spot::Reg(_) => Mem::deref(Operand::Int(0)),
            },
            ExprKind::Assign(place, value) => {
                let to = match self.spot(place) {
                    Spot::Memory(mem) | Spot::Bits(mem, ..) => mem,
                    Spot::Reg(_) => Mem::deref(Operand::Int(0)),
                };
                let from = self.aggregate(value);
                self.loc = self.place_of(expr.span);
                let size = self.size_of(place.ty.ty);
                self.copy(to, from, size);
                to
            }
            ExprKind::Comma(first, second) => {
                self.effect(first);
                self.aggregate(second)
            }
            ExprKind::Convert(inner) if matches!(self.class(inner.ty), Class::Memory { .. }) => self.aggregate(inner),
            ExprKind::VaArg(list) => {
                let passing = link::passing(self.types, self.target(), expr.ty);
                self.va_arg(list, passing, expr)
            }
            ExprKind::After(stmt, value) => {
                self.stmt(stmt);
                self.aggregate(value)
            }
            _ => {
                self.loc = self.place_of(expr.span);
                let Class::Memory { size, align } = self.class(expr.ty) else {
                    self.effect(expr);
                    return Mem::deref(Operand::Int(0));
                };
                let slot = self.temporary_slot(size, align);
                let mem = Mem::named(Operand::Slot(slot), size);
                self.aggregate_into(expr, mem);
                mem
            }
        }
    }

    /// Evaluates a struct expression into memory that the expression itself does not access.
    pub fn aggregate_into(&mut self, expr: &'u Expr, to: Mem) {
        if !self.descend() {
            return;
        }
        match &expr.kind {
            ExprKind::Call(call) => {
                let address = self.pointer(to);
                self.call(call, expr.span, None, Some(address));
            }
            ExprKind::Conditional(cond, then, other) => {
                let (yes, no, join) = (self.new_block(), self.new_block(), self.new_block());
                self.condition(cond, yes, no);
                for (block, value) in [(yes, then), (no, other)] {
                    self.start(block);
                    self.aggregate_into(value, to);
                    self.jump(join);
                }
                self.start(join);
            }
            ExprKind::StmtExpr(block, value) => self.stmt_expr(block, |builder| {
                if let Some(value) = value {
                    builder.full(|b| b.aggregate_into(value, to));
                }
            }),
            ExprKind::Elements(list) => {
                let mut at = to;
                for element in list {
                    let value = self.rvalue(element);
                    let Class::Scalar(ty) = self.class(element.ty) else { continue };
                    self.loc = self.place_of(element.span);
                    self.store(at, ty, value);
                    at = at.plus(self.size_of(element.ty) as i64);
                }
            }
            ExprKind::Unsupported(what) => {
                self.loc = self.place_of(expr.span);
                self.unsupported(what);
            }
            ExprKind::Read(_)
            | ExprKind::Assign(..)
            | ExprKind::Comma(..)
            | ExprKind::Convert(_)
            | ExprKind::VaArg(_)
            | ExprKind::After(..) => {
                let from = self.aggregate(expr);
                self.loc = self.place_of(expr.span);
                let size = self.size_of(expr.ty);
                self.copy(to, from, size);
            }
            _ => {
                self.loc = self.place_of(expr.span);
                self.unsupported("arithmetic on non-scalar values");
            }
        }
        self.ascend();
    }
}
