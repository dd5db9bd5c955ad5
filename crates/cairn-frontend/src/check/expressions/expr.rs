//! Checks expressions: names, constants, members, elements, casts, and generic selections.

use cairn_ir::ctype::{ArrayLen, QualType, Quals, Type, TypeId};
use cairn_ir::source::Span;

use crate::ast::{self, StringPrefix, TypeName};
use crate::check::Checker;
use crate::check::constants::float;
use crate::check::constants::integer;
use crate::check::declarations::scope::Entity;
use crate::hir::{Expr, ExprKind, LocalId, Place, PlaceKind, StringId};
use crate::symbol::Symbol;

/// A checked operand: an lvalue (or function designator), or a value.
#[derive(Debug)]
pub(crate) enum Operand {
    Place(Place),
    Value(Expr),
}

impl Checker<'_> {
    /// Checks an expression and returns its value. Lvalues are read; arrays and functions decay.
    pub(crate) fn value(&mut self, expr: &ast::Expr) -> Expr {
        match self.operand(expr) {
            Operand::Value(value) => value,
            Operand::Place(place) => self.read(place),
        }
    }

    /// Returns the value of a place.
    pub(crate) fn read(&mut self, place: Place) -> Expr {
        let span = place.span;
        let ty = place.ty.ty;
        match *self.types.get(ty) {
            Type::Array(element, _) => {
                let pointer = self.types.pointer(element);
                self.address_of(place, pointer)
            }
            Type::Function(_) => {
                let pointer = self.types.pointer(QualType::plain(ty));
                self.address_of(place, pointer)
            }
            Type::Error => self.error_expr(span),
            Type::Void => {
                // `*p` for a `void *` is permitted only if its value is discarded.
                match place.kind {
                    PlaceKind::Deref(pointer) => Expr { kind: ExprKind::Convert(pointer), ty: TypeId::VOID, span },
                    _ => Expr { kind: ExprKind::Read(Box::new(place)), ty, span },
                }
            }
            _ => {
                if self.is_incomplete(ty) && !self.is_forward_enum(ty) {
                    let text = format!("incomplete type '{}' where a complete type is required", self.print(ty));
                    self.error(span, text);
                    return self.error_expr(span);
                }
                Expr { kind: ExprKind::Read(Box::new(place)), ty, span }
            }
        }
    }

    /// Returns the address of a place, as a pointer of the given type.
    pub(crate) fn address_of(&mut self, place: Place, pointer: TypeId) -> Expr {
        let span = place.span;
        self.mark_address_taken(&place);
        match place.kind {
            PlaceKind::Deref(address) => {
                let address = *address;
                if address.ty == pointer {
                    return Expr { span, ..address };
                }
                Expr { span, ..self.convert(address, pointer) }
            }
            PlaceKind::Symbol(symbol) if self.nested.levels.contains_key(&symbol) => {
                self.use_nested(symbol);
                Expr { kind: ExprKind::NestedFunction(symbol), ty: pointer, span }
            }
            _ => Expr { kind: ExprKind::AddressOf(Box::new(place)), ty: pointer, span },
        }
    }

    pub(crate) fn mark_address_taken(&mut self, place: &Place) {
        let mut at = place;
        loop {
            match &at.kind {
                PlaceKind::Local(id) | PlaceKind::CompoundLiteral(id, _) => {
                    return self.local_mut(*id).address_taken = true;
                }
                PlaceKind::Field(inner, ..) => at = inner,
                _ => return,
            }
        }
    }

    pub(crate) fn operand(&mut self, expr: &ast::Expr) -> Operand {
        let span = expr.span;
        let value = match &expr.kind {
            ast::ExprKind::Ident(name) => return self.identifier(*name, span),
            ast::ExprKind::Int(literal) => {
                let kind = integer::literal_kind(literal, self.target);
                let value = integer::wrap(kind, self.target, literal.value as i128);
                let ty = self.types.intern(Type::Int(kind));
                let value = self.int_expr(value, ty, span);
                if literal.imaginary {
                    let real = self.int_expr(0, ty, span);
                    let ty = self.types.intern(Type::Complex(ty));
                    self.assemble(Vec::new(), vec![real, value], ty, span)
                } else {
                    value
                }
            }
            ast::ExprKind::Float(literal) => self.float_literal(literal, span),
            ast::ExprKind::Char(value, prefix) => self.char_literal(*value, *prefix, span),
            ast::ExprKind::String(literal) => return Operand::Place(self.string_literal(literal.clone(), span)),
            ast::ExprKind::Index(base, index) => return self.index(base, index, span),
            ast::ExprKind::Call(callee, args) => return self.call(callee, args, span),
            ast::ExprKind::Member(base, name, name_span) => return self.member_access(base, *name, *name_span, span),
            ast::ExprKind::Arrow(base, name, name_span) => return self.arrow(base, *name, *name_span, span),
            ast::ExprKind::Unary(op, operand) => return self.unary(*op, operand, span),
            ast::ExprKind::Binary(..) => self.binary(expr),
            ast::ExprKind::LogicalAnd(left, right) => self.logical(true, left, right, span),
            ast::ExprKind::LogicalOr(left, right) => self.logical(false, left, right, span),
            ast::ExprKind::Assign(None, left, right) => self.assign(left, right, span),
            ast::ExprKind::Assign(Some(op), left, right) => self.assign_op(*op, left, right, span),
            ast::ExprKind::Conditional(cond, middle, otherwise) => {
                self.conditional(cond, middle.as_deref(), otherwise, span)
            }
            ast::ExprKind::Comma(..) => self.comma(expr),
            ast::ExprKind::Cast(name, operand) => self.cast(name, operand, span),
            ast::ExprKind::CompoundLiteral(name, list) => return self.compound_literal(name, list, span),
            ast::ExprKind::SizeofExpr(operand) => self.sizeof_expr(operand, span),
            ast::ExprKind::SizeofType(name) => self.sizeof_type(name, span),
            ast::ExprKind::AlignofType(name, preferred) => {
                let pending = std::mem::take(&mut self.pending);
                let specified = self.type_name_aligned(name);
                self.pending = pending;
                let align = self.alignof_type(specified.ty.ty, specified.align, *preferred);
                self.int_expr(i128::from(align), self.size_type(), span)
            }
            ast::ExprKind::AlignofExpr(operand) => self.alignof_expr(operand, span),
            ast::ExprKind::LabelAddress(name) => self.label_address(*name, span),
            ast::ExprKind::StmtExpr(body) => self.statement_expression(body, span),
            ast::ExprKind::Generic(control, choices) => return self.generic(control, choices, span),
            ast::ExprKind::VaArg(list, name) => self.va_arg(list, name, span),
            ast::ExprKind::Offsetof(name, path) => self.offsetof(name, path, span),
            ast::ExprKind::ConvertVector(vector, name) => self.convert_vector(vector, name, span),
            ast::ExprKind::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name_unevaluated(a), self.type_name_unevaluated(b));
                let same = self.compatible(a.ty, b.ty) && !self.is_error(a.ty);
                self.int_expr(i128::from(same), TypeId::INT, span)
            }
            ast::ExprKind::ChooseExpr(cond, a, b) => {
                let chosen = match self.constant_integer(cond) {
                    Some(0) => b,
                    Some(_) => a,
                    None => return Operand::Value(self.error_expr(span)),
                };
                return self.operand(chosen);
            }
            ast::ExprKind::Nullptr => self.int_expr(0, TypeId::VOID_PTR, span),
            ast::ExprKind::Bool(value) => self.int_expr(i128::from(*value), TypeId::BOOL, span),
            ast::ExprKind::Error => self.error_expr(span),
        };
        Operand::Value(value)
    }

    fn identifier(&mut self, name: Symbol, span: Span) -> Operand {
        match self.scopes.lookup(name) {
            Some(Entity::Local(level, id)) => Operand::Place(self.local_place(level, id, span)),
            Some(Entity::Global(global)) => {
                let ty = self.globals[global.0 as usize].ty;
                let symbol = self.symbol_of(global);
                Operand::Place(Place { kind: PlaceKind::Symbol(symbol), ty, span })
            }
            Some(Entity::Enumerator(value, ty)) => Operand::Value(self.int_expr(value, ty, span)),
            Some(Entity::PrototypeParam(ty)) => {
                let pointer = self.types.pointer(ty);
                let address = self.unsupported("parameter of a prototype", pointer, span);
                Operand::Place(Place { kind: PlaceKind::Deref(Box::new(address)), ty, span })
            }
            Some(Entity::Typedef(..)) => {
                let text = format!("unexpected type name '{}': expected expression", self.name(name));
                self.error(span, text);
                Operand::Value(self.error_expr(span))
            }
            Some(Entity::Error) => Operand::Value(self.error_expr(span)),
            None => self.undeclared(name, span),
        }
    }

    fn undeclared(&mut self, name: Symbol, span: Span) -> Operand {
        let predefined = name == self.names.func || name == self.names.function || name == self.names.pretty_function;
        if predefined {
            let text = self.functions.last().map(|f| f.name.clone()).unwrap_or_default();
            let units = text.bytes().map(u32::from).collect();
            let literal = ast::StringLiteral { units, prefix: StringPrefix::None };
            let mut place = self.string_literal(literal, span);
            place.ty = self.qualify(place.ty, Quals::CONST);
            return Operand::Place(place);
        }
        if let Some(global) = self.builtin_function(name, span) {
            let ty = self.globals[global.0 as usize].ty;
            let symbol = self.symbol_of(global);
            return Operand::Place(Place { kind: PlaceKind::Symbol(symbol), ty, span });
        }
        if self.undeclared.insert(name) {
            let text = format!("use of undeclared identifier '{}'", self.name(name));
            self.error(span, text);
        }
        Operand::Value(self.error_expr(span))
    }

    /// Returns the place of a local of this or an enclosing function, capturing it in the latter case.
    pub(crate) fn local_place(&mut self, level: u32, id: LocalId, span: Span) -> Place {
        if level == self.level() {
            let ty = self.local_mut(id).ty;
            return Place { kind: PlaceKind::Local(id), ty, span };
        }
        self.captured_place(level, id, span)
    }

    fn float_literal(&mut self, literal: &ast::FloatLiteral, span: Span) -> Expr {
        if let Some(kind) = literal.decimal {
            return self.decimal_literal(kind, &literal.text, span);
        }
        let ty = crate::check::types::convert::float_type(literal.kind);
        if literal.imaginary {
            let real = Expr { kind: ExprKind::Float(0), ty, span };
            let Some(bits) = float::parse(literal.kind, &literal.text) else { return self.error_expr(span) };
            let imaginary = Expr { kind: ExprKind::Float(bits), ty, span };
            let ty = self.types.intern(Type::Complex(ty));
            return self.assemble(Vec::new(), vec![real, imaginary], ty, span);
        }
        match float::parse(literal.kind, &literal.text) {
            Some(bits) => Expr { kind: ExprKind::Float(bits), ty, span },
            None => {
                let text = format!("invalid floating constant '{}'", literal.text);
                self.error(span, text);
                self.error_expr(span)
            }
        }
    }

    fn char_literal(&mut self, value: i64, prefix: StringPrefix, span: Span) -> Expr {
        let ty = match prefix {
            StringPrefix::None => TypeId::INT,
            _ => self.string_element(prefix),
        };
        let value = self.int_kind(ty).map_or(0, |kind| integer::wrap(kind, self.target, i128::from(value)));
        self.int_expr(value, ty, span)
    }

    pub(crate) fn string_element(&self, prefix: StringPrefix) -> TypeId {
        match prefix {
            StringPrefix::None | StringPrefix::Utf8 => TypeId::CHAR,
            StringPrefix::Wide => self.wchar_type(),
            StringPrefix::Utf16 => TypeId::USHORT,
            StringPrefix::Utf32 => TypeId::UINT,
        }
    }

    pub(crate) fn string_literal(&mut self, literal: ast::StringLiteral, span: Span) -> Place {
        let element = self.string_element(literal.prefix);
        let len = literal.units.len() as u64 + 1;
        let ty = self.types.intern(Type::Array(QualType::plain(element), ArrayLen::Fixed(len)));
        let id = StringId(self.unit.strings.len() as u32);
        self.unit.strings.push((literal, ty));
        Place { kind: PlaceKind::String(id), ty: QualType::plain(ty), span }
    }

    fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Operand {
        let base = match self.operand(base) {
            Operand::Place(place) if self.is_vector(place.ty.ty) => self.vector_elements(place),
            Operand::Place(place) => self.read(place),
            Operand::Value(value) if self.is_vector(value.ty) => {
                let index = self.value(index);
                return self.element_of_value(value, index, span);
            }
            Operand::Value(value) => value,
        };
        let index = self.value(index);
        Operand::Place(self.element(base, index, span))
    }

    /// Returns the address of a vector's first element.
    fn vector_elements(&mut self, place: Place) -> Expr {
        let Type::Vector(element, _) = *self.types.get(place.ty.ty) else { return self.error_expr(place.span) };
        let whole = self.types.pointer(place.ty);
        let elements = self.types.pointer(QualType { ty: element, quals: place.ty.quals });
        let address = self.address_of(place, whole);
        self.convert(address, elements)
    }

    pub(crate) fn element(&mut self, base: Expr, index: Expr, span: Span) -> Place {
        let error = |this: &Self| Place {
            kind: PlaceKind::Deref(Box::new(this.error_expr(span))),
            ty: QualType::plain(TypeId::ERROR),
            span,
        };
        if self.is_error(base.ty) || self.is_error(index.ty) {
            return error(self);
        }
        let (pointer, index) = if self.is_pointer(base.ty) { (base, index) } else { (index, base) };
        let Some(to) = self.pointee(pointer.ty) else {
            self.error(span, "subscripted value is not an array, pointer, or vector");
            return error(self);
        };
        if !self.is_integer(index.ty) {
            self.error(index.span, "array subscript is not an integer");
            return error(self);
        }
        if self.is_function(to.ty) {
            let text = format!("subscript of pointer to function type '{}'", self.print_qual(to));
            self.error(span, text);
            return error(self);
        }
        if self.is_incomplete(to.ty) && to.ty != TypeId::VOID {
            let text = format!("subscript of pointer to incomplete type '{}'", self.print_qual(to));
            self.error(span, text);
            return error(self);
        }
        let address = self.pointer_add(pointer, index, false, span);
        Place { kind: PlaceKind::Deref(Box::new(address)), ty: to, span }
    }

    fn member_access(&mut self, base: &ast::Expr, name: Symbol, name_span: Span, span: Span) -> Operand {
        let place = match self.operand(base) {
            Operand::Place(place) => place,
            Operand::Value(value) if self.is_error(value.ty) => return Operand::Value(value),
            Operand::Value(value) => {
                let ty = QualType::plain(value.ty);
                let span = value.span;
                // A struct value that is not an lvalue (`(c, s).x`) needs a temporary.
                Place { kind: PlaceKind::Temporary(Box::new(value)), ty, span }
            }
        };
        self.member_of(place, name, name_span, span)
    }

    fn arrow(&mut self, base: &ast::Expr, name: Symbol, name_span: Span, span: Span) -> Operand {
        let pointer = self.value(base);
        if self.is_error(pointer.ty) {
            return Operand::Value(pointer);
        }
        let Some(to) = self.pointee(pointer.ty) else {
            let text = format!("member reference type '{}' is not a pointer", self.print(pointer.ty));
            self.error(span, text);
            return Operand::Value(self.error_expr(span));
        };
        let place = Place { span: pointer.span, kind: PlaceKind::Deref(Box::new(pointer)), ty: to };
        self.member_of(place, name, name_span, span)
    }

    /// Checks `place.name`, looking through anonymous members.
    pub(crate) fn member_of(&mut self, place: Place, name: Symbol, name_span: Span, span: Span) -> Operand {
        if self.is_error(place.ty.ty) {
            return Operand::Value(self.error_expr(span));
        }
        let Some(record) = self.record_of(place.ty.ty) else {
            let text =
                format!("member reference base type '{}' is not a structure or union", self.print_qual(place.ty));
            self.error(span, text);
            return Operand::Value(self.error_expr(span));
        };
        if !self.types.record(record).complete {
            let text = format!("incomplete definition of type '{}'", self.print_qual(place.ty));
            self.error(span, text);
            return Operand::Value(self.error_expr(span));
        }
        let whole = place.ty;
        let mut place = place;
        let mut record = record;
        loop {
            let Some(index) = self.member(record, name) else {
                let text = format!("no member named '{}' in '{}'", self.name(name), self.print_qual(whole));
                self.error(name_span, text);
                return Operand::Value(self.error_expr(span));
            };
            let Some(field) = self.types.record(record).fields.get(index as usize) else {
                return Operand::Value(self.error_expr(span));
            };
            let (field_ty, named) = (field.ty, field.name.is_some());
            let ty = self.qualify(field_ty, place.ty.quals);
            place = Place { kind: PlaceKind::Field(Box::new(place), record, index), ty, span };
            if named {
                return Operand::Place(place);
            }
            match self.record_of(field_ty.ty) {
                Some(inner) => record = inner,
                None => return Operand::Value(self.error_expr(span)),
            }
        }
    }

    fn comma(&mut self, expr: &ast::Expr) -> Expr {
        let mut spine = Vec::new();
        let mut at = expr;
        while let ast::ExprKind::Comma(left, right) = &at.kind {
            spine.push((&**right, at.span));
            at = left;
        }
        let mut left = self.value(at);
        while let Some((right, span)) = spine.pop() {
            let right = self.value(right);
            let ty = right.ty;
            left = Expr { kind: ExprKind::Comma(Box::new(left), Box::new(right)), ty, span };
        }
        left
    }

    /// Runs `check` and evaluates the dimensions that it left pending before its result.
    pub(crate) fn with_pending(&mut self, check: impl FnOnce(&mut Self) -> Expr) -> Expr {
        let saved = std::mem::take(&mut self.pending);
        let mut expr = check(self);
        let pending = std::mem::replace(&mut self.pending, saved);
        for stmt in pending.into_iter().rev() {
            let (ty, span) = (expr.ty, expr.span);
            expr = Expr { kind: ExprKind::After(Box::new(stmt), Box::new(expr)), ty, span };
        }
        expr
    }

    fn cast(&mut self, name: &TypeName, operand: &ast::Expr, span: Span) -> Expr {
        self.with_pending(|this| {
            let to = this.type_name(name);
            let value = this.value(operand);
            let mut cast = this.cast_value(value, to, span);
            cast.span = span;
            cast
        })
    }

    pub(crate) fn cast_value(&mut self, value: Expr, to: QualType, span: Span) -> Expr {
        if self.is_error(to.ty) || self.is_error(value.ty) {
            return self.error_expr(span);
        }
        if to.ty == TypeId::VOID {
            return self.convert(value, to.ty);
        }
        if self.is_scalar(to.ty) && self.is_scalar(value.ty) {
            let pointers = (self.is_pointer(to.ty), self.is_pointer(value.ty));
            let float = self.float_kind(to.ty).is_some() || self.float_kind(value.ty).is_some();
            if (pointers.0 || pointers.1) && float {
                let text = format!("cannot cast from type '{}' to '{}'", self.print(value.ty), self.print_qual(to));
                self.error(span, text);
                return self.error_expr(span);
            }
            return match pointers {
                (true, false) | (false, true) => self.convert_via_pointer_width(value, to.ty),
                // The result of a cast is not a bit-field, so it is promoted like a value of its type.
                _ if value.ty == to.ty && self.bit_field_width(&value).is_some() => {
                    Expr { kind: ExprKind::Convert(Box::new(value)), ty: to.ty, span }
                }
                _ => self.convert(value, to.ty),
            };
        }
        if self.compatible(to.ty, value.ty) && (self.record_of(to.ty).is_some() || self.is_vector(to.ty)) {
            return Expr { ty: to.ty, ..value };
        }
        if self.is_vector(to.ty) || self.is_vector(value.ty) {
            return self.cast_vector(value, to.ty, span);
        }
        if let Some(record) = self.record_of(to.ty) {
            let record = self.types.record(record);
            if record.union
                && record.complete
                && let Some(member) = record.fields.iter().position(|f| self.compatible(f.ty.ty, value.ty))
            {
                return self.union_value(value, to.ty, member as u32);
            }
        }
        let text = if self.is_scalar(to.ty) {
            format!("operand of type '{}' where arithmetic or pointer type is required", self.print(value.ty))
        } else {
            format!("used type '{}' where arithmetic or pointer type is required", self.print_qual(to))
        };
        self.error(span, text);
        self.error_expr(span)
    }

    fn generic(&mut self, control: &ast::Expr, choices: &[(Option<TypeName>, ast::Expr)], span: Span) -> Operand {
        let control = match &control.kind {
            // C2y permits a type as the control, represented as a `sizeof`. The parser does not produce this form.
            ast::ExprKind::SizeofType(name) if name.span == control.span => self.type_name_unevaluated(name).ty,
            _ => {
                let control = self.value(control);
                self.type_of_value(&control)
            }
        };
        if self.is_error(control) {
            return Operand::Value(self.error_expr(span));
        }
        let mut chosen = None;
        let mut default = None;
        let mut seen: Vec<(QualType, Span)> = Vec::new();
        for (name, expr) in choices {
            let Some(name) = name else {
                if default.replace(expr).is_some() {
                    self.error(expr.span, "duplicate default generic association");
                }
                continue;
            };
            let ty = self.type_name_unevaluated(name);
            if let Some(&(_, at)) = seen.iter().find(|(t, _)| self.compatible_qual(*t, ty) && !self.is_error(ty.ty)) {
                let text = format!(
                    "type '{}' in generic association compatible with previously specified type",
                    self.print_qual(ty)
                );
                self.error_with_note(name.span, text, at, "compatible type is specified here");
            }
            seen.push((ty, name.span));
            if ty.quals == Quals::NONE && self.compatible(ty.ty, control) && chosen.is_none() {
                chosen = Some(expr);
            }
        }
        match chosen.or(default) {
            Some(expr) => self.operand(expr),
            None => {
                let text = format!(
                    "controlling expression type '{}' not compatible with any generic association type",
                    self.print(control)
                );
                self.error(span, text);
                Operand::Value(self.error_expr(span))
            }
        }
    }
}
