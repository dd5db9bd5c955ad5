//! Conversions: promotions, the usual arithmetic conversions, and conversions by assignment.
//!
//! All conversions are explicit in the typed tree. Conversions of constants are folded.

use cairn_ir::ctype::{FloatKind, IntKind, QualType, Quals, Type, TypeId};
use cairn_ir::layout::{int_bits, int_signed};
use cairn_ir::source::Span;

use crate::check::Checker;

use crate::check::constants::float;

use crate::check::constants::integer;
use crate::hir::{AggregateInit, Expr, ExprKind, InitPart, InitValue, LocalInit, Place, PlaceKind};

/// The context of an assignment, for messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Assigning {
    Assignment,
    Initialising,
    Passing,
    Returning,
}

impl Checker<'_> {
    pub(crate) fn int_expr(&self, value: i128, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Int(value), ty, span }
    }

    /// Returns the expression that replaces an invalid one.
    pub(crate) fn error_expr(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Int(0), ty: TypeId::ERROR, span }
    }

    pub(crate) fn unsupported(&self, text: impl Into<String>, ty: TypeId, span: Span) -> Expr {
        Expr { kind: ExprKind::Unsupported(text.into()), ty, span }
    }

    /// Converts between scalar types, or to void, even if C would not convert implicitly.
    pub(crate) fn convert(&mut self, expr: Expr, to: TypeId) -> Expr {
        if expr.ty == to {
            return expr;
        }
        if self.is_error(expr.ty) || self.is_error(to) {
            return Expr { ty: TypeId::ERROR, ..expr };
        }
        let span = expr.span;
        if let ExprKind::Unsupported(_) = expr.kind {
            return Expr { ty: to, ..expr };
        }
        if to != TypeId::VOID && (self.decimal_kind(expr.ty).is_some() || self.decimal_kind(to).is_some()) {
            return self.convert_decimal(expr, to);
        }
        match expr.kind {
            ExprKind::Int(value) => {
                if let Some(kind) = self.convert_int(value, expr.ty, to) {
                    return Expr { kind, ty: to, span };
                }
            }
            ExprKind::Float(bits) => {
                if let Some(kind) = self.convert_float(bits, expr.ty, to) {
                    return Expr { kind, ty: to, span };
                }
            }
            _ => {}
        }
        if to != TypeId::VOID && (self.is_complex(expr.ty) || self.is_complex(to)) {
            return self.convert_complex(expr, to);
        }
        Expr { kind: ExprKind::Convert(Box::new(expr)), ty: to, span }
    }

    fn convert_int(&self, value: i128, from: TypeId, to: TypeId) -> Option<ExprKind> {
        match *self.types.get(to) {
            Type::Float(kind) => {
                let wide = self.is_wide_unsigned(from);
                self.int_kind(from)?;
                Some(ExprKind::Float(float::from_int(kind, value, wide)))
            }
            Type::Pointer(_) => Some(ExprKind::Int(integer::wrap_bits(self.target.pointer_bits(), false, value))),
            _ => {
                let kind = self.int_kind(to)?;
                Some(ExprKind::Int(integer::wrap(kind, self.target, value)))
            }
        }
    }

    fn convert_float(&self, bits: u128, from: TypeId, to: TypeId) -> Option<ExprKind> {
        let from = self.float_kind(from)?;
        if let Some(to) = self.float_kind(to) {
            return Some(ExprKind::Float(float::convert(from, to, bits)));
        }
        let kind = self.int_kind(to)?;
        if kind == IntKind::Bool {
            return Some(ExprKind::Int(i128::from(!float::is_zero(from, bits))));
        }
        // Out of range, gcc folds to the nearest value.
        let (value, _) = float::to_int(from, bits, int_bits(kind, self.target), int_signed(kind));
        Some(ExprKind::Int(value))
    }

    /// Returns the type after integer promotion.
    pub(crate) fn promoted_int(&self, ty: TypeId) -> TypeId {
        match self.int_kind(ty) {
            Some(IntKind::BitInt { .. }) | None => ty,
            Some(kind) if int_bits(kind, self.target) < 32 => TypeId::INT,
            Some(IntKind::Field { .. }) => ty,
            Some(kind) => integer::type_of(kind),
        }
    }

    /// Returns the type of a bit-field's value, which has the field's width, as in gcc.
    pub(crate) fn bit_field_type(&mut self, declared: TypeId, width: u32) -> TypeId {
        let Some(kind) = self.int_kind(declared) else { return declared };
        if matches!(kind, IntKind::Bool | IntKind::BitInt { .. }) || width == int_bits(kind, self.target) {
            return declared;
        }
        let signed = int_signed(kind);
        match self.int_of_width(width, signed) {
            Some(kind) => integer::type_of(kind),
            None => {
                let width = u8::try_from(width).unwrap_or(u8::MAX);
                self.types.intern(Type::Int(IntKind::Field { width, signed }))
            }
        }
    }

    /// Returns the first standard integer type of a width.
    pub(crate) fn int_of_width(&self, bits: u32, signed: bool) -> Option<IntKind> {
        const CANDIDATES: [IntKind; 6] =
            [IntKind::SChar, IntKind::Short, IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::Int128];
        let found = CANDIDATES.into_iter().find(|&k| int_bits(k, self.target) == bits)?;
        Some(if signed { found } else { integer::to_unsigned(found) })
    }

    /// Returns the width of the bit-field that an expression reads or assigns.
    pub(crate) fn bit_field_width(&self, expr: &Expr) -> Option<u32> {
        let place = match &expr.kind {
            ExprKind::Read(place)
            | ExprKind::Assign(place, _)
            | ExprKind::AssignOp { place, .. }
            | ExprKind::IncDec { place, .. } => place,
            ExprKind::Comma(_, value) | ExprKind::StmtExpr(_, Some(value)) | ExprKind::After(_, value) => {
                return self.bit_field_width(value);
            }
            _ => return None,
        };
        self.place_bit_width(place)
    }

    pub(crate) fn place_bit_width(&self, place: &Place) -> Option<u32> {
        match place.kind {
            PlaceKind::Field(_, record, index) => {
                self.types.record(record).fields.get(index as usize).and_then(|f| f.bit_width)
            }
            _ => None,
        }
    }

    /// Returns the promoted type of an expression. A bit-field is promoted by its width.
    pub(crate) fn promotion_of(&mut self, expr: &Expr) -> TypeId {
        let ty = self.type_of_value(expr);
        self.promoted_int(ty)
    }

    /// Returns the type of an expression's value. That of a bit-field has the field's width.
    pub(crate) fn type_of_value(&mut self, expr: &Expr) -> TypeId {
        match self.bit_field_width(expr) {
            Some(width) => self.bit_field_type(expr.ty, width),
            None => expr.ty,
        }
    }

    /// Promotes an integer expression; other expressions are unchanged.
    pub(crate) fn promote(&mut self, expr: Expr) -> Expr {
        if !self.is_integer(expr.ty) {
            return expr;
        }
        let to = self.promotion_of(&expr);
        self.convert(expr, to)
    }

    /// Applies the default argument promotions.
    pub(crate) fn promote_argument(&mut self, expr: Expr) -> Expr {
        if expr.ty == TypeId::FLOAT {
            return self.convert(expr, TypeId::DOUBLE);
        }
        self.promote(expr)
    }

    /// Returns the common type of the usual arithmetic conversions.
    pub(crate) fn common_type(&mut self, a: &Expr, b: &Expr) -> TypeId {
        let complex = self.is_complex(a.ty) || self.is_complex(b.ty);
        let (a, b) = (self.real_part_type(a), self.real_part_type(b));
        let decimal = self.decimal_kind(a).max(self.decimal_kind(b));
        let float = self.float_kind(a).max(self.float_kind(b));
        let real = match (decimal, float, self.int_kind(a), self.int_kind(b)) {
            (Some(kind), ..) => self.types.intern(Type::Decimal(kind)),
            (None, Some(kind), ..) => float_type(kind),
            (None, None, Some(a), Some(b)) => self.types.intern(Type::Int(integer::common(a, b, self.target))),
            _ => return TypeId::ERROR,
        };
        if complex { self.types.intern(Type::Complex(real)) } else { real }
    }

    /// Returns the real type that an operand is computed in. The parts of a complex number are not promoted.
    fn real_part_type(&mut self, expr: &Expr) -> TypeId {
        match *self.types.get(expr.ty) {
            Type::Complex(real) => real,
            _ => self.promotion_of(expr),
        }
    }

    /// Returns whether the expression is an integer constant 0, possibly cast to `void *`.
    pub(crate) fn is_null_constant(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Int(0)) && (self.is_integer(expr.ty) || expr.ty == TypeId::VOID_PTR)
    }

    /// Converts a value by assignment to the unqualified type `to`, and checks C's constraints.
    pub(crate) fn assign_convert(&mut self, expr: Expr, to: TypeId, assigning: Assigning) -> Expr {
        let from = expr.ty;
        if from == to {
            return expr;
        }
        if self.is_error(from) || self.is_error(to) {
            return Expr { ty: TypeId::ERROR, ..expr };
        }
        if let ExprKind::Unsupported(_) = expr.kind {
            return Expr { ty: to, ..expr };
        }
        if from == TypeId::VOID {
            let text = format!("{} from incompatible type 'void'", self.assigning_text(assigning, to));
            self.error(expr.span, text);
            return self.error_expr(expr.span);
        }
        let (from_arithmetic, to_arithmetic) = (self.is_arithmetic(from), self.is_arithmetic(to));
        if from_arithmetic && to_arithmetic {
            return self.convert(expr, to);
        }
        match (self.pointee(from), self.pointee(to)) {
            (Some(x), Some(y)) => {
                self.check_pointer_assignment(&expr, x, y, to, assigning);
                return self.convert(expr, to);
            }
            (None, Some(_)) if self.is_integer(from) => {
                if !matches!(expr.kind, ExprKind::Int(0)) {
                    let text = format!(
                        "incompatible integer to pointer conversion {} '{}' from '{}'",
                        assigning_word(assigning),
                        self.print(to),
                        self.print(from)
                    );
                    self.warning(expr.span, text);
                }
                return self.convert_via_pointer_width(expr, to);
            }
            (Some(_), None) if self.is_integer(to) => {
                if to != TypeId::BOOL {
                    let text = format!(
                        "incompatible pointer to integer conversion {} '{}' from '{}'",
                        assigning_word(assigning),
                        self.print(to),
                        self.print(from)
                    );
                    self.warning(expr.span, text);
                }
                return self.convert_via_pointer_width(expr, to);
            }
            _ => {}
        }
        if self.compatible(from, to) {
            return Expr { ty: to, ..expr };
        }
        if let Some(converted) = self.transparent_union(to, &expr) {
            return self.union_value(expr, to, converted);
        }
        if self.is_vector(from) && self.is_vector(to) && self.size_of(from) == self.size_of(to) {
            return Expr { ty: to, ..expr };
        }
        let text = format!("{} from incompatible type '{}'", self.assigning_text(assigning, to), self.print(from));
        self.error(expr.span, text);
        self.error_expr(expr.span)
    }

    /// Converts between integers and pointers. As in gcc, an integer is first converted to pointer width.
    pub(crate) fn convert_via_pointer_width(&mut self, expr: Expr, to: TypeId) -> Expr {
        if to == TypeId::BOOL {
            return self.convert(expr, to);
        }
        if self.is_pointer(to) && self.is_integer(expr.ty) {
            let width = self.target.pointer_bits();
            let kind = self.int_kind(expr.ty);
            if kind.is_some_and(|k| int_bits(k, self.target) != width || k == IntKind::Bool) {
                let middle = if kind.is_some_and(int_signed) { self.ptrdiff_type() } else { self.size_type() };
                let expr = self.convert(expr, middle);
                return self.convert(expr, to);
            }
        } else if self.is_pointer(expr.ty) && self.is_integer(to) {
            let width = self.target.pointer_bits();
            if self.int_kind(to).is_some_and(|k| int_bits(k, self.target) != width) {
                let middle = self.size_type();
                let expr = self.convert(expr, middle);
                return self.convert(expr, to);
            }
        }
        self.convert(expr, to)
    }

    fn check_pointer_assignment(
        &mut self,
        expr: &Expr,
        from: QualType,
        to: QualType,
        to_type: TypeId,
        assigning: Assigning,
    ) {
        if self.is_null_constant(expr) {
            return;
        }
        let ignored = Quals::RESTRICT.with(Quals::ATOMIC);
        let lost = from.quals.0 & !to.quals.0 & !ignored.0;
        let void = from.ty == TypeId::VOID || to.ty == TypeId::VOID;
        let similar = void || self.compatible(from.ty, to.ty) || self.same_but_sign(from.ty, to.ty);
        if !similar {
            let text = format!(
                "incompatible pointer types {} '{}' from '{}'",
                assigning_word(assigning),
                self.print(to_type),
                self.print(expr.ty)
            );
            self.warning(expr.span, text);
        } else if lost != 0 && !self.is_function(from.ty) {
            let text = format!(
                "{} '{}' from '{}' discards qualifiers",
                assigning_word(assigning),
                self.print(to_type),
                self.print(expr.ty)
            );
            self.warning(expr.span, text);
        }
    }

    /// Returns whether two integer types differ only in signedness. Pointers to such types cause no warning.
    fn same_but_sign(&self, a: TypeId, b: TypeId) -> bool {
        match (self.int_kind(a), self.int_kind(b)) {
            (Some(a), Some(b)) => integer::to_unsigned(a) == integer::to_unsigned(b),
            _ => false,
        }
    }

    fn assigning_text(&self, assigning: Assigning, to: TypeId) -> String {
        let to = self.print(to);
        match assigning {
            Assigning::Assignment => format!("assigning to '{to}'"),
            Assigning::Initialising => format!("initializing '{to}'"),
            Assigning::Passing => format!("passing to parameter of type '{to}'"),
            Assigning::Returning => format!("returning a value of type '{to}'"),
        }
    }

    /// Returns the member of a transparent union that an argument is passed as.
    fn transparent_union(&self, to: TypeId, expr: &Expr) -> Option<u32> {
        let record = self.types.record(self.record_of(to)?);
        if !record.union || !record.transparent {
            return None;
        }
        let exact = record.fields.iter().position(|f| self.compatible(f.ty.ty, expr.ty));
        let found = exact.or_else(|| {
            record.fields.iter().position(|f| {
                self.pointee(f.ty.ty).is_some_and(|to| {
                    self.is_null_constant(expr)
                        || self.pointee(expr.ty).is_some_and(|from| {
                            to.ty == TypeId::VOID || from.ty == TypeId::VOID || self.compatible(from.ty, to.ty)
                        })
                })
            })
        });
        found.map(|i| i as u32)
    }

    /// Creates a union value with one member set.
    pub(crate) fn union_value(&mut self, expr: Expr, to: TypeId, member: u32) -> Expr {
        let span = expr.span;
        let Some(record) = self.record_of(to) else { return expr };
        let Some(field) = self.types.record(record).fields.get(member as usize) else { return expr };
        let (field_ty, offset) = (field.ty.ty, field.offset);
        let value = self.convert(expr, field_ty);
        let size = self.size_of(to).unwrap_or(0);
        let named = self.size_of(field_ty).unwrap_or(0);
        if self.functions.is_empty() {
            return self.unsupported("cast to a union in a constant expression", to, span);
        }
        let local = self.new_local(None, QualType::plain(to), 0, span);
        let part = |offset, value| InitPart { offset, bits: None, value, repeat: (1, 0) };
        let mut parts = vec![part(offset, InitValue::Expr(value))];
        if named < size {
            parts.push(part(named, InitValue::Unspecified(size - named)));
        }
        let init = LocalInit::Aggregate(AggregateInit { zero: false, size, parts });
        let place = Place { kind: PlaceKind::CompoundLiteral(local, Box::new(init)), ty: QualType::plain(to), span };
        Expr { kind: ExprKind::Read(Box::new(place)), ty: to, span }
    }

    /// Checks that a value can be compared with zero.
    pub(crate) fn condition(&mut self, expr: Expr) -> Expr {
        if self.is_error(expr.ty) || self.is_scalar(expr.ty) {
            if self.is_complex(expr.ty) {
                let span = expr.span;
                return self.complex_truth(expr, span);
            }
            if self.decimal_kind(expr.ty).is_some() {
                return self.decimal_unsupported(TypeId::INT, expr.span);
            }
            return expr;
        }
        let text = format!("statement requires expression of scalar type ('{}' invalid)", self.print(expr.ty));
        self.error(expr.span, text);
        self.error_expr(expr.span)
    }
}

fn assigning_word(assigning: Assigning) -> &'static str {
    match assigning {
        Assigning::Assignment => "assigning to",
        Assigning::Initialising => "initializing",
        Assigning::Passing => "passing to parameter of type",
        Assigning::Returning => "returning a value of type",
    }
}

/// Returns the predefined id of a floating type.
pub(crate) fn float_type(kind: FloatKind) -> TypeId {
    match kind {
        FloatKind::Float16 => TypeId::FLOAT16,
        FloatKind::Float => TypeId::FLOAT,
        FloatKind::Double => TypeId::DOUBLE,
        FloatKind::LongDouble => TypeId::LONG_DOUBLE,
        FloatKind::Float128 => TypeId::FLOAT128,
    }
}
