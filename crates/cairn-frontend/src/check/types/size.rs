//! Computes sizes, alignments and offsets.

use cairn_ir::ctype::{ArrayLen, Type, TypeId, VlaId};
use cairn_ir::layout;
use cairn_ir::source::Span;

use crate::ast::{self, Designator, TypeName};
use crate::check::Checker;
use crate::check::expressions::expr::Operand;
use crate::hir::{ArithOp, Expr, ExprKind, Place, PlaceKind, SymbolId};

impl Checker<'_> {
    /// Returns the size of a type as an expression, which reads variable dimensions from their variables.
    pub(crate) fn size_expr(&mut self, ty: TypeId, span: Span) -> Expr {
        let size_type = self.size_type();
        if let Type::Array(element, len) = *self.types.get(ty)
            && self.is_variable_size(ty)
        {
            let inner = self.size_expr(element.ty, span);
            let len = match len {
                ArrayLen::Fixed(n) => self.int_expr(i128::from(n), size_type, span),
                ArrayLen::Unknown => self.int_expr(0, size_type, span),
                ArrayLen::Variable(id) => self.dimension(id, span),
            };
            return self.arith_node(ArithOp::Mul, len, inner, size_type, span);
        }
        let size = self.size_of(ty).unwrap_or(0);
        self.int_expr(i128::from(size), size_type, span)
    }

    fn dimension(&mut self, id: VlaId, span: Span) -> Expr {
        let ty = self.size_type();
        let known = self.vla_locals.get(&id).copied().filter(|&(level, number, _)| {
            let function = (level as usize).checked_sub(1).and_then(|l| self.functions.get(l));
            function.is_some_and(|f| f.number == number)
        });
        match known {
            Some((level, _, local)) => {
                let place = self.local_place(level, local, span);
                self.read(place)
            }
            None => self.unsupported("unknown array dimension", ty, span),
        }
    }

    pub(crate) fn sizeof_expr(&mut self, operand: &ast::Expr, span: Span) -> Expr {
        let ty = match self.operand(operand) {
            Operand::Place(place) => {
                if self.place_bit_width(&place).is_some() {
                    self.error(span, "invalid application of 'sizeof' to bit-field");
                }
                let ty = place.ty.ty;
                // The operand is evaluated if its size is not constant (C11 6.5.3.4). Computing its address has all its
                // side effects.
                if self.is_variable_size(ty) && matches!(place.kind, PlaceKind::Deref(_)) {
                    let pointer = self.types.pointer(place.ty);
                    let address = Expr { kind: ExprKind::AddressOf(Box::new(place)), ty: pointer, span };
                    let size = self.sizeof(ty, span);
                    let size_type = size.ty;
                    return Expr { kind: ExprKind::Comma(Box::new(address), Box::new(size)), ty: size_type, span };
                }
                ty
            }
            Operand::Value(value) => self.type_of_value(&value),
        };
        self.sizeof(ty, span)
    }

    pub(crate) fn sizeof_type(&mut self, name: &TypeName, span: Span) -> Expr {
        self.with_pending(|this| {
            let ty = this.type_name(name);
            this.sizeof(ty.ty, span)
        })
    }

    fn sizeof(&mut self, ty: TypeId, span: Span) -> Expr {
        if self.is_error(ty) {
            return self.error_expr(span);
        }
        if !self.is_variable_size(ty) && self.size_of(ty).is_none() {
            let text = format!("invalid application of 'sizeof' to an incomplete type '{}'", self.print(ty));
            self.error(span, text);
            return self.error_expr(span);
        }
        self.size_expr(ty, span)
    }

    pub(crate) fn alignof_expr(&mut self, operand: &ast::Expr, span: Span) -> Expr {
        let place = match self.operand(operand) {
            Operand::Place(place) => place,
            Operand::Value(value) => {
                let align = layout::preferred_align_of(self.types, self.target, value.ty);
                return self.int_expr(i128::from(align), self.size_type(), span);
            }
        };
        let declared = match &place.kind {
            PlaceKind::Local(id) => self.local_mut(*id).align,
            PlaceKind::Symbol(symbol) => self.symbol_align(*symbol),
            PlaceKind::Field(_, record, index) => {
                let record = *record;
                let field = &self.types.record(record).fields[*index as usize];
                let natural = if field.packed { 1 } else { layout::align_of(self.types, self.target, field.ty.ty) };
                natural.max(field.align)
            }
            _ => 0,
        };
        let natural = match place.kind {
            PlaceKind::Field(..) => layout::align_of(self.types, self.target, place.ty.ty),
            _ => layout::preferred_align_of(self.types, self.target, place.ty.ty),
        };
        let align = if declared != 0 { declared } else { natural };
        self.int_expr(i128::from(align), self.size_type(), span)
    }

    fn symbol_align(&self, symbol: SymbolId) -> u64 {
        self.global_of(symbol).map_or(0, |g| g.align)
    }

    pub(crate) fn offsetof(&mut self, name: &TypeName, path: &[Designator], span: Span) -> Expr {
        let ty = self.type_name_unevaluated(name);
        if self.is_error(ty.ty) {
            return self.error_expr(span);
        }
        if self.is_incomplete(ty.ty) {
            let text = format!("offsetof of incomplete type '{}'", self.print_qual(ty));
            self.error(span, text);
            return self.error_expr(span);
        }
        let pointer = self.types.pointer(ty);
        let null = self.int_expr(0, pointer, span);
        let mut operand = Operand::Place(Place { kind: PlaceKind::Deref(Box::new(null)), ty, span });
        for designator in path {
            operand = match (operand, designator) {
                (Operand::Place(place), Designator::Field(name, name_span)) => {
                    self.member_of(place, *name, *name_span, span)
                }
                (Operand::Place(place), Designator::Index(index)) => {
                    let base = self.read(place);
                    let index = self.value(index);
                    Operand::Place(self.element(base, index, span))
                }
                _ => return self.error_expr(span),
            };
        }
        let Operand::Place(place) = operand else { return self.error_expr(span) };
        if self.is_error(place.ty.ty) {
            return self.error_expr(span);
        }
        if self.place_bit_width(&place).is_some() {
            self.error(span, "cannot compute offset of bit-field");
            return self.error_expr(span);
        }
        let pointer = self.types.pointer(place.ty);
        let size = self.size_type();
        let address = self.address_of(place, pointer);
        match self.evaluate_integer(&address) {
            Some(offset) => self.int_expr(offset, size, span),
            None => self.convert(address, size),
        }
    }
}
