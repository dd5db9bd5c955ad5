//! Differences between label addresses (`&&a - &&b`) in static tables, as used by threaded interpreters.

use cairn_ir::ctype::{QualType, Quals, Type, TypeId};
use cairn_ir::source::Span;

use crate::check::Checker;
use crate::check::declarations::scope::GlobalIndex;
use crate::hir::{ArithOp, Expr, ExprKind, Place, PlaceKind, Stmt, StmtKind};

/// Returns whether the value is `&&a - &&b`, possibly converted. Only the code layout determines this constant.
pub(crate) fn is_label_distance(value: &Expr) -> bool {
    fn is_label(value: &Expr) -> bool {
        match &value.kind {
            ExprKind::LabelAddress(_) => true,
            ExprKind::Convert(inner) => is_label(inner),
            _ => false,
        }
    }
    match &value.kind {
        ExprKind::Convert(inner) => is_label_distance(inner),
        ExprKind::PtrSub(left, right, _) | ExprKind::Arith(ArithOp::Sub, left, right) => {
            is_label(left) && is_label(right)
        }
        _ => false,
    }
}

impl Checker<'_> {
    /// Emits stores of the label distances in a static object at the entry of the enclosing function.
    ///
    /// Label addresses are known only inside that function. No other code can observe the object before the stores or
    /// modify it later, since it is constant.
    pub(crate) fn store_label_distances(&mut self, index: GlobalIndex, span: Span) {
        let distances = std::mem::take(&mut self.static_initialiser.label_distances);
        if distances.is_empty() {
            return;
        }
        let ty = self.globals[index.0 as usize].ty;
        if !self.outer_quals(ty).quals.has(Quals::CONST) || self.functions.is_empty() {
            self.error(span, "label differences are only supported in const static objects");
            return;
        }
        let symbol = self.symbol_of(index);
        let byte = self.types.pointer(QualType::plain(TypeId::UCHAR));
        for (offset, value) in distances {
            let whole = Place { kind: PlaceKind::Symbol(symbol), ty, span };
            let base = Expr { kind: ExprKind::AddressOf(Box::new(whole)), ty: byte, span };
            let steps = self.int_expr(i128::from(offset), self.ptrdiff_type(), span);
            let address = self.pointer_add(base, steps, false, span);
            let to = QualType::plain(value.ty);
            let pointer = self.types.pointer(to);
            let address = self.convert(address, pointer);
            let place = Place { kind: PlaceKind::Deref(Box::new(address)), ty: to, span };
            let kind = ExprKind::Assign(Box::new(place), Box::new(value));
            let store = Stmt { kind: StmtKind::Expr(Expr { kind, ty: to.ty, span }), span };
            if let Some(function) = self.functions.last_mut() {
                function.on_entry.push(store);
            }
        }
        // The stores require a writable object.
        self.globals[index.0 as usize].ty = self.without_const(ty);
    }

    fn without_const(&mut self, ty: QualType) -> QualType {
        let quals = Quals(ty.quals.0 & !Quals::CONST.0);
        let ty = match *self.types.get(ty.ty) {
            Type::Array(element, len) => {
                let element = self.without_const(element);
                self.types.intern(Type::Array(element, len))
            }
            _ => ty.ty,
        };
        QualType { ty, quals }
    }
}
