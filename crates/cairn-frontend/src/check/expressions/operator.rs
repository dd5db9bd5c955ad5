//! Checks binary operators, assignments and the conditional operator.

use cairn_ir::ctype::{QualType, Quals, TypeId};
use cairn_ir::layout::int_bits;
use cairn_ir::source::Span;

use crate::ast::{self, BinOp};
use crate::check::constants::float;
use crate::check::constants::integer;
use crate::check::expressions::expr::Operand;
use crate::check::types::convert::Assigning;
use crate::check::{Checker, Folding};
use crate::hir::{ArithOp, CompareOp, Expr, ExprKind, Place, Scale, arith_op};

impl Checker<'_> {
    /// Checks `a op b`. The left spine is walked iteratively, since generated code chains thousands of operators.
    pub(crate) fn binary(&mut self, expr: &ast::Expr) -> Expr {
        let mut spine = Vec::new();
        let mut at = expr;
        while let ast::ExprKind::Binary(op, left, right) = &at.kind {
            spine.push((*op, &**right, at.span));
            at = left;
        }
        let mut left = self.value(at);
        while let Some((op, right, span)) = spine.pop() {
            let right = self.value(right);
            left = self.binary_values(op, left, right, span);
        }
        left
    }

    pub(crate) fn binary_values(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Expr {
        if self.is_error(left.ty) || self.is_error(right.ty) {
            return self.error_expr(span);
        }
        if self.is_vector(left.ty) || self.is_vector(right.ty) {
            return self.vector_binary(op, left, right, span);
        }
        match op {
            BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::Eq | BinOp::Ne => {
                self.comparison(op, left, right, span)
            }
            BinOp::Add if self.is_pointer(left.ty) && self.is_integer(right.ty) => {
                self.pointer_add(left, right, false, span)
            }
            BinOp::Add if self.is_pointer(right.ty) && self.is_integer(left.ty) => {
                self.pointer_add(right, left, false, span)
            }
            BinOp::Sub if self.is_pointer(left.ty) && self.is_integer(right.ty) => {
                self.pointer_add(left, right, true, span)
            }
            BinOp::Sub if self.is_pointer(left.ty) && self.is_pointer(right.ty) => {
                self.pointer_difference(left, right, span)
            }
            _ => match arith_op(op) {
                Some(op) => self.arithmetic(op, left, right, span),
                None => self.error_expr(span),
            },
        }
    }

    pub(crate) fn invalid_operands(&mut self, left: TypeId, right: TypeId, span: Span) -> Expr {
        let text =
            format!("invalid operands to binary expression ('{}' and '{}')", self.print(left), self.print(right));
        self.error(span, text);
        self.error_expr(span)
    }

    /// Returns whether an operator accepts operands of these types.
    fn operands_fit(&self, op: ArithOp, left: TypeId, right: TypeId) -> bool {
        match op {
            ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div => {
                self.is_arithmetic(left) && self.is_arithmetic(right)
            }
            _ => self.is_integer(left) && self.is_integer(right),
        }
    }

    fn arithmetic(&mut self, op: ArithOp, left: Expr, right: Expr, span: Span) -> Expr {
        if !self.operands_fit(op, left.ty, right.ty) {
            return self.invalid_operands(left.ty, right.ty, span);
        }
        let (left, right, ty) = if matches!(op, ArithOp::Shl | ArithOp::Shr) {
            let left = self.promote(left);
            let right = self.promote(right);
            let ty = left.ty;
            (left, right, ty)
        } else {
            let ty = self.common_type(&left, &right);
            (left, right, ty)
        };
        if self.is_complex(ty) {
            return self.complex_arithmetic(op, left, right, ty, span);
        }
        let left = self.convert(left, ty);
        let right = self.shift_amount_or_operand(op, right, ty);
        self.arith_node(op, left, right, ty, span)
    }

    /// Converts the right operand to the type of the computation. A shift amount that does not fit stays out of range.
    fn shift_amount_or_operand(&mut self, op: ArithOp, right: Expr, ty: TypeId) -> Expr {
        if !matches!(op, ArithOp::Shl | ArithOp::Shr) {
            return self.convert(right, ty);
        }
        if let (ExprKind::Int(value), Some(kind)) = (&right.kind, self.int_kind(ty))
            && integer::wrap(kind, self.target, *value) != *value
        {
            return self.int_expr(integer::wrap(kind, self.target, -1), ty, right.span);
        }
        self.convert(right, ty)
    }

    /// Creates an operation on operands of its type, folded if both are constants.
    pub(crate) fn arith_node(&mut self, op: ArithOp, left: Expr, right: Expr, ty: TypeId, span: Span) -> Expr {
        if self.decimal_kind(ty).is_some() {
            return self.decimal_unsupported(ty, span);
        }
        match (&left.kind, &right.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) => {
                if let Some(kind) = self.int_kind(ty) {
                    if matches!(op, ArithOp::Div | ArithOp::Rem) && *b == 0 {
                        self.warning(
                            span,
                            if op == ArithOp::Div {
                                "division by zero is undefined"
                            } else {
                                "remainder by zero is undefined"
                            },
                        );
                    }
                    if matches!(op, ArithOp::Shl | ArithOp::Shr) && *b >= i128::from(int_bits(kind, self.target)) {
                        self.warning(span, "shift count >= width of type");
                    }
                    let folds = self.folding == Folding::Wraps || integer::is_defined(op, kind, self.target, *a, *b);
                    if let Some(value) = integer::arith(op, kind, self.target, *a, *b).filter(|_| folds) {
                        return self.int_expr(value, ty, span);
                    }
                }
            }
            (ExprKind::Float(a), ExprKind::Float(b)) => {
                if let Some(kind) = self.float_kind(ty)
                    && let Some(bits) = float::arith(op, kind, *a, *b)
                {
                    return Expr { kind: ExprKind::Float(bits), ty, span };
                }
            }
            _ => {}
        }
        Expr { kind: ExprKind::Arith(op, Box::new(left), Box::new(right)), ty, span }
    }

    fn comparison(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Expr {
        let op = match op {
            BinOp::Lt => CompareOp::Lt,
            BinOp::Gt => CompareOp::Gt,
            BinOp::Le => CompareOp::Le,
            BinOp::Ge => CompareOp::Ge,
            BinOp::Eq => CompareOp::Eq,
            _ => CompareOp::Ne,
        };
        let (left, right) = if self.is_arithmetic(left.ty) && self.is_arithmetic(right.ty) {
            let ty = self.common_type(&left, &right);
            if self.is_complex(ty) {
                return self.complex_comparison(op, left, right, ty, span);
            }
            let left = self.convert(left, ty);
            (left, self.convert(right, ty))
        } else {
            match (self.pointee(left.ty), self.pointee(right.ty)) {
                (Some(a), Some(b)) => {
                    let void = a.ty == TypeId::VOID || b.ty == TypeId::VOID;
                    let null = self.is_null_constant(&left) || self.is_null_constant(&right);
                    if !void && !null && !self.compatible(a.ty, b.ty) {
                        let text = format!(
                            "comparison of distinct pointer types ('{}' and '{}')",
                            self.print(left.ty),
                            self.print(right.ty)
                        );
                        self.warning(span, text);
                    }
                    let ty = left.ty;
                    let right = self.convert(right, ty);
                    (left, right)
                }
                (Some(_), None) if self.is_integer(right.ty) => {
                    self.warn_pointer_integer(&left, &right, span);
                    let ty = left.ty;
                    let right = self.convert_via_pointer_width(right, ty);
                    (left, right)
                }
                (None, Some(_)) if self.is_integer(left.ty) => {
                    self.warn_pointer_integer(&right, &left, span);
                    let ty = right.ty;
                    let left = self.convert_via_pointer_width(left, ty);
                    (left, right)
                }
                _ => return self.invalid_operands(left.ty, right.ty, span),
            }
        };
        self.compare_node(op, left, right, span)
    }

    pub(crate) fn compare_node(&mut self, op: CompareOp, left: Expr, right: Expr, span: Span) -> Expr {
        if self.decimal_kind(left.ty).is_some() {
            return self.decimal_unsupported(TypeId::INT, span);
        }
        let folded = match (&left.kind, &right.kind) {
            (ExprKind::Int(a), ExprKind::Int(b)) => {
                let wide = self.is_wide_unsigned(left.ty);
                Some(integer::compare(op, wide, *a, *b))
            }
            (ExprKind::Float(a), ExprKind::Float(b)) => {
                self.float_kind(left.ty).map(|kind| float::compare(op, kind, *a, *b))
            }
            _ => None,
        };
        if let Some(value) = folded {
            return self.int_expr(i128::from(value), TypeId::INT, span);
        }
        Expr { kind: ExprKind::Compare(op, Box::new(left), Box::new(right)), ty: TypeId::INT, span }
    }

    fn warn_pointer_integer(&mut self, pointer: &Expr, integer: &Expr, span: Span) {
        if !matches!(integer.kind, ExprKind::Int(0)) {
            let text = format!(
                "comparison between pointer and integer ('{}' and '{}')",
                self.print(pointer.ty),
                self.print(integer.ty)
            );
            self.warning(span, text);
        }
    }

    /// Returns the number of bytes per step of a pointer to this type.
    pub(crate) fn scale(&mut self, to: QualType, span: Span) -> Option<Scale> {
        if self.is_variable_size(to.ty) {
            let size = self.size_expr(to.ty, span);
            return Some(Scale::Variable(Box::new(size)));
        }
        match self.size_of(to.ty) {
            Some(size) => Some(Scale::Fixed(size)),
            None => {
                if !self.is_error(to.ty) {
                    let text = format!("arithmetic on a pointer to an incomplete type '{}'", self.print_qual(to));
                    self.error(span, text);
                }
                None
            }
        }
    }

    pub(crate) fn pointer_add(&mut self, base: Expr, index: Expr, negative: bool, span: Span) -> Expr {
        let Some(to) = self.pointee(base.ty) else { return self.error_expr(span) };
        let Some(scale) = self.scale(to, span) else { return self.error_expr(span) };
        let index_type = self.ptrdiff_type();
        let index = self.convert(index, index_type);
        let ty = base.ty;
        Expr { kind: ExprKind::PtrAdd { base: Box::new(base), index: Box::new(index), scale, negative }, ty, span }
    }

    fn pointer_difference(&mut self, left: Expr, right: Expr, span: Span) -> Expr {
        let (Some(a), Some(b)) = (self.pointee(left.ty), self.pointee(right.ty)) else {
            return self.error_expr(span);
        };
        if !self.compatible(a.ty, b.ty) && a.ty != TypeId::VOID && b.ty != TypeId::VOID {
            let text = format!(
                "'{}' and '{}' are not pointers to compatible types",
                self.print(left.ty),
                self.print(right.ty)
            );
            self.error(span, text);
            return self.error_expr(span);
        }
        let Some(scale) = self.scale(a, span) else { return self.error_expr(span) };
        let ty = self.ptrdiff_type();
        Expr { kind: ExprKind::PtrSub(Box::new(left), Box::new(right), scale), ty, span }
    }

    /// Checks `a && b` or `a || b`.
    pub(crate) fn logical(&mut self, and: bool, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let left = self.value(left);
        let left = self.condition(left);
        let mark = self.diagnostics.len();
        let right = self.value(right);
        let right = self.condition(right);
        if self.constant_truth(&left).is_some_and(|l| l != and) {
            self.drop_warnings(mark, self.diagnostics.len());
        }
        if self.is_error(left.ty) || self.is_error(right.ty) {
            return self.error_expr(span);
        }
        match (self.constant_truth(&left), self.constant_truth(&right)) {
            (Some(l), _) if l != and => return self.int_expr(i128::from(!and), TypeId::INT, span),
            (Some(_), Some(r)) => return self.int_expr(i128::from(r), TypeId::INT, span),
            _ => {}
        }
        let (left, right) = (Box::new(left), Box::new(right));
        let kind = if and { ExprKind::And(left, right) } else { ExprKind::Or(left, right) };
        Expr { kind, ty: TypeId::INT, span }
    }

    /// Drops the warnings about code that is never evaluated.
    fn drop_warnings(&mut self, from: usize, to: usize) {
        if from == to {
            return;
        }
        let mut index = 0;
        self.diagnostics.retain(|d| {
            let inside = (from..to).contains(&index);
            index += 1;
            !inside || d.severity == cairn_ir::diagnostic::Severity::Error
        });
    }

    /// Returns the truth value of a constant.
    pub(crate) fn constant_truth(&self, expr: &Expr) -> Option<bool> {
        match expr.kind {
            ExprKind::Int(value) => Some(value != 0),
            ExprKind::Float(bits) => self.float_kind(expr.ty).map(|kind| !float::is_zero(kind, bits)),
            _ => None,
        }
    }

    /// Checks `place = value`.
    pub(crate) fn assign(&mut self, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let place = self.modifiable_place(left);
        let value = self.value(right);
        let Some(place) = place else { return self.error_expr(span) };
        if self.is_error(place.ty.ty) || self.is_error(value.ty) {
            return self.error_expr(span);
        }
        let ty = place.ty.ty;
        let value = self.assign_convert(value, ty, Assigning::Assignment);
        Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, span }
    }

    /// Checks that an operand can be assigned to.
    pub(crate) fn modifiable_place(&mut self, expr: &ast::Expr) -> Option<Place> {
        let place = match self.operand(expr) {
            Operand::Place(place) => place,
            Operand::Value(value) => {
                if !self.is_error(value.ty) {
                    self.error(expr.span, "expression is not assignable");
                }
                return None;
            }
        };
        if self.is_error(place.ty.ty) {
            return Some(place);
        }
        if self.is_array(place.ty.ty) || self.is_function(place.ty.ty) {
            let text = format!(
                "{} type '{}' is not assignable",
                if self.is_array(place.ty.ty) { "array" } else { "function" },
                self.print_qual(place.ty)
            );
            self.error(expr.span, text);
            return None;
        }
        if place.ty.quals.has(Quals::CONST) {
            let text = format!("cannot assign to lvalue with const-qualified type '{}'", self.print_qual(place.ty));
            self.error(expr.span, text);
            return None;
        }
        if matches!(place.kind, crate::hir::PlaceKind::Temporary(_)) || temporary_inside(&place) {
            self.error(expr.span, "expression is not assignable");
            return None;
        }
        if self.is_incomplete(place.ty.ty) && !self.is_forward_enum(place.ty.ty) {
            let text = format!("incomplete type '{}' is not assignable", self.print_qual(place.ty));
            self.error(expr.span, text);
            return None;
        }
        Some(place)
    }

    /// Checks `place op= value`.
    pub(crate) fn assign_op(&mut self, op: BinOp, left: &ast::Expr, right: &ast::Expr, span: Span) -> Expr {
        let place = self.modifiable_place(left);
        let value = self.value(right);
        let Some(place) = place else { return self.error_expr(span) };
        let ty = place.ty.ty;
        if self.is_error(ty) || self.is_error(value.ty) {
            return self.error_expr(span);
        }
        if self.elements_of(ty).is_some() || self.elements_of(value.ty).is_some() {
            return self.assign_elements(op, place, value, false, span);
        }
        let Some(op) = arith_op(op) else { return self.error_expr(span) };
        if let (Some(to), true) = (self.pointee(ty), matches!(op, ArithOp::Add | ArithOp::Sub)) {
            if !self.is_integer(value.ty) {
                return self.invalid_operands(ty, value.ty, span);
            }
            let Some(scale) = self.scale(to, span) else { return self.error_expr(span) };
            let index_type = self.ptrdiff_type();
            let index = self.convert(value, index_type);
            let kind = ExprKind::AssignPtr {
                place: Box::new(place),
                index: Box::new(index),
                scale,
                negative: op == ArithOp::Sub,
            };
            return Expr { kind, ty, span };
        }
        if !self.operands_fit(op, ty, value.ty) {
            return self.invalid_operands(ty, value.ty, span);
        }
        if self.decimal_kind(ty).is_some() || self.decimal_kind(value.ty).is_some() {
            return self.decimal_unsupported(ty, span);
        }
        // Determine the type of the left operand's value without reading it twice.
        let promoted = match self.place_bit_width(&place) {
            Some(width) => self.bit_field_type(ty, width),
            None => ty,
        };
        let promoted = self.promoted_int(promoted);
        let compute = if matches!(op, ArithOp::Shl | ArithOp::Shr) {
            promoted
        } else {
            let stand_in = self.int_expr(0, promoted, span);
            self.common_type(&stand_in, &value)
        };
        let value = self.shift_amount_or_operand(op, value, compute);
        let kind = ExprKind::AssignOp { place: Box::new(place), op, value: Box::new(value), compute };
        Expr { kind, ty, span }
    }

    /// Checks `c ? a : b`.
    pub(crate) fn conditional(
        &mut self,
        cond: &ast::Expr,
        middle: Option<&ast::Expr>,
        otherwise: &ast::Expr,
        span: Span,
    ) -> Expr {
        let cond = self.value(cond);
        let cond = self.condition(cond);
        let Some(middle) = middle else {
            let otherwise = self.value(otherwise);
            return self.else_if_zero(cond, otherwise, span);
        };
        let before = self.diagnostics.len();
        let a = self.value(middle);
        let between = self.diagnostics.len();
        let b = self.value(otherwise);
        match self.constant_truth(&cond) {
            Some(true) => self.drop_warnings(between, self.diagnostics.len()),
            Some(false) => self.drop_warnings(before, between),
            None => {}
        }
        if self.is_error(cond.ty) {
            return self.error_expr(span);
        }
        let Some(ty) = self.conditional_type(&a, &b, span) else { return self.error_expr(span) };
        let a = self.convert_branch(a, ty);
        let b = self.convert_branch(b, ty);
        if let Some(truth) = self.constant_truth(&cond) {
            let chosen = if truth { a } else { b };
            return Expr { span, ..chosen };
        }
        Expr { kind: ExprKind::Conditional(Box::new(cond), Box::new(a), Box::new(b)), ty, span }
    }

    fn else_if_zero(&mut self, cond: Expr, otherwise: Expr, span: Span) -> Expr {
        if self.is_error(cond.ty) {
            return self.error_expr(span);
        }
        let Some(ty) = self.conditional_type(&cond, &otherwise, span) else { return self.error_expr(span) };
        let otherwise = self.convert_branch(otherwise, ty);
        if let Some(truth) = self.constant_truth(&cond) {
            return if truth { self.convert_branch(cond, ty) } else { otherwise };
        }
        Expr { kind: ExprKind::ElseIfZero(Box::new(cond), Box::new(otherwise)), ty, span }
    }

    fn convert_branch(&mut self, expr: Expr, ty: TypeId) -> Expr {
        if expr.ty == ty || self.record_of(ty).is_some() {
            return expr;
        }
        if self.is_pointer(ty) != self.is_pointer(expr.ty) && ty != TypeId::VOID {
            return self.convert_via_pointer_width(expr, ty);
        }
        self.convert(expr, ty)
    }

    fn conditional_type(&mut self, a: &Expr, b: &Expr, span: Span) -> Option<TypeId> {
        if self.is_error(a.ty) || self.is_error(b.ty) {
            return None;
        }
        if self.is_arithmetic(a.ty) && self.is_arithmetic(b.ty) {
            // Even two operands of one enumeration type are promoted.
            return Some(self.common_type(a, b));
        }
        if a.ty == TypeId::VOID || b.ty == TypeId::VOID {
            return Some(TypeId::VOID);
        }
        if a.ty == b.ty {
            return Some(a.ty);
        }
        match (self.pointee(a.ty), self.pointee(b.ty)) {
            (Some(_), None) if self.is_integer(b.ty) => {
                self.warn_conditional(a, b, span);
                Some(a.ty)
            }
            (None, Some(_)) if self.is_integer(a.ty) => {
                self.warn_conditional(b, a, span);
                Some(b.ty)
            }
            (Some(x), Some(y)) => {
                let quals = x.quals.with(y.quals);
                let to = if self.is_null_constant(a) {
                    y.ty
                } else if self.is_null_constant(b) {
                    x.ty
                } else if x.ty == TypeId::VOID || y.ty == TypeId::VOID {
                    TypeId::VOID
                } else if self.compatible(x.ty, y.ty) {
                    self.composite(x.ty, y.ty)
                } else {
                    let text = format!("pointer type mismatch ('{}' and '{}')", self.print(a.ty), self.print(b.ty));
                    self.warning(span, text);
                    TypeId::VOID
                };
                Some(self.types.pointer(QualType { ty: to, quals }))
            }
            _ if self.compatible(a.ty, b.ty) => Some(a.ty),
            _ => {
                let text = format!("incompatible operand types ('{}' and '{}')", self.print(a.ty), self.print(b.ty));
                self.error(span, text);
                None
            }
        }
    }

    fn warn_conditional(&mut self, pointer: &Expr, integer: &Expr, span: Span) {
        if !matches!(integer.kind, ExprKind::Int(0)) {
            let text = format!(
                "pointer/integer type mismatch in conditional expression ('{}' and '{}')",
                self.print(pointer.ty),
                self.print(integer.ty)
            );
            self.warning(span, text);
        }
    }
}

/// Returns whether the place is part of an rvalue.
fn temporary_inside(place: &Place) -> bool {
    match &place.kind {
        crate::hir::PlaceKind::Field(inner, ..) => temporary_inside(inner),
        crate::hir::PlaceKind::Temporary(_) => true,
        _ => false,
    }
}
