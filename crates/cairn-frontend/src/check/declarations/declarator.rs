//! Declarators: computes the type of the declared name from the specified type.

use cairn_ir::ctype::{ArrayLen, FunctionType, QualType, Quals, Type, TypeId, VlaId};
use cairn_ir::source::Span;

use crate::ast::{ArraySize, DeclStep, Expr, FunctionDeclarator, Param};
use crate::check::Checker;
use crate::check::declarations::scope::Entity;
use crate::check::declarations::specifier::Attributes;
use crate::hir::{self, CompareOp, LocalId, LocalInit, StmtKind};

impl Checker<'_> {
    /// Applies the steps of a declarator to the specified type. `span` is the position of the name.
    pub(crate) fn declarator_type(&mut self, base: QualType, steps: &[DeclStep], span: Span) -> QualType {
        let mut ty = base;
        for step in steps {
            ty = match step {
                DeclStep::Pointer(quals) => QualType { ty: self.types.pointer(ty), quals: *quals },
                DeclStep::Array { len, span: brackets, .. } => self.array_type(ty, len, *brackets),
                DeclStep::Function(function) => {
                    if self.is_function(ty.ty) || self.is_array(ty.ty) {
                        let what = if self.is_array(ty.ty) { "array" } else { "function" };
                        let text = format!("function cannot return {what} type '{}'", self.print_qual(ty));
                        self.error(span, text);
                        ty = QualType::plain(TypeId::ERROR);
                    }
                    self.prototype(ty, function)
                }
            };
        }
        ty
    }

    fn array_type(&mut self, element: QualType, len: &ArraySize, span: Span) -> QualType {
        if self.is_error(element.ty) {
            if let ArraySize::Expr(expr) = len {
                self.value(expr);
            }
            return element;
        }
        let element_incomplete = self.is_incomplete(element.ty) && !self.is_forward_enum(element.ty);
        if self.is_function(element.ty) {
            let text = format!("array of functions of type '{}'", self.print_qual(element));
            self.error(span, text);
            return QualType::plain(TypeId::ERROR);
        }
        let unknown_rows = self.rows_of_unknown_length(element.ty);
        if element_incomplete && !unknown_rows {
            let text = format!("array has incomplete element type '{}'", self.print_qual(element));
            self.error(span, text);
            return QualType::plain(TypeId::ERROR);
        }
        let len = match len {
            ArraySize::Unknown | ArraySize::Star => ArrayLen::Unknown,
            ArraySize::Expr(expr) => match self.array_length(expr) {
                Some(_) if unknown_rows => ArrayLen::Unknown,
                Some(len) => len,
                None => return QualType::plain(TypeId::ERROR),
            },
        };
        let ty = self.types.intern(Type::Array(element, len));
        if matches!(len, ArrayLen::Fixed(_)) && !self.is_variable_size(element.ty) && self.size_of(ty).is_none() {
            self.error(span, "array is too large");
            return QualType::plain(TypeId::ERROR);
        }
        QualType::plain(ty)
    }

    fn array_length(&mut self, expr: &Expr) -> Option<ArrayLen> {
        let value = self.value(expr);
        if self.is_error(value.ty) {
            return None;
        }
        if !self.is_integer(value.ty) {
            let text = format!("size of array has non-integer type '{}'", self.print(value.ty));
            self.error(expr.span, text);
            return None;
        }
        if let Some(length) = self.evaluate_integer(&value) {
            return match u64::try_from(length) {
                Ok(length) => Some(ArrayLen::Fixed(length)),
                Err(_) => {
                    self.error(expr.span, "array size is negative");
                    None
                }
            };
        }
        if self.scopes.at_file_scope() || self.functions.is_empty() {
            if self.in_prototype() {
                return Some(ArrayLen::Unknown);
            }
            self.error(expr.span, "variable length array declaration not allowed at file scope");
            return None;
        }
        if self.in_prototype() {
            return Some(ArrayLen::Unknown);
        }
        Some(ArrayLen::Variable(self.new_dimension(value, expr.span)))
    }

    /// Creates a variable for a dimension, to be set before the current construct.
    fn new_dimension(&mut self, value: hir::Expr, span: Span) -> VlaId {
        let id = VlaId(self.types.vla_count);
        self.types.vla_count += 1;
        let size = self.size_type();
        let value = self.convert(value, size);
        let local = self.new_local(None, QualType::plain(size), 0, span);
        self.pending.push(hir::Stmt { kind: StmtKind::Declare(local, Some(LocalInit::Value(value))), span });
        let level = self.level();
        self.bound_dimension(level, local, span);
        if let Some(function) = self.functions.last_mut() {
            self.vla_locals.insert(id, (level, function.number, local));
            function.vla_dimensions.push((id, local));
        }
        id
    }

    /// Makes a negative dimension 0. Its behaviour is undefined, and an array without elements makes every access invalid.
    fn bound_dimension(&mut self, level: u32, local: LocalId, span: Span) {
        let place = self.local_place(level, local, span);
        let length = self.read(place);
        let signed = self.ptrdiff_type();
        let length = self.convert(length, signed);
        let zero = self.int_expr(0, signed, span);
        let is_negative = self.compare_node(CompareOp::Lt, length, zero, span);
        let ty = self.size_type();
        let none = self.int_expr(0, ty, span);
        let place = self.local_place(level, local, span);
        let kind = hir::ExprKind::Assign(Box::new(place), Box::new(none));
        let clear = hir::Stmt { kind: StmtKind::Expr(hir::Expr { kind, ty, span }), span };
        self.pending.push(hir::Stmt { kind: StmtKind::If(is_negative, Box::new(clear), None), span });
    }

    /// Checks a parameter list that does not belong to a function definition.
    fn prototype(&mut self, ret: QualType, declarator: &FunctionDeclarator) -> QualType {
        let mut params = Vec::with_capacity(declarator.params.len());
        if !declarator.params.is_empty() {
            self.scopes.enter();
            self.enter_prototype();
            for param in &declarator.params {
                let ty = self.param_type(param);
                if ty.ty == TypeId::VOID {
                    if declarator.params.len() > 1 || param.declarator.name.is_some() {
                        self.error(param.declarator.span, "argument may not have 'void' type");
                    }
                    continue;
                }
                params.push(ty.ty);
                if let Some(name) = param.declarator.name {
                    if let Some(at) = self.scopes.lookup_here(name).map(|b| b.span) {
                        let text = format!("redefinition of parameter '{}'", self.name(name));
                        self.error_with_note(param.declarator.span, text, at, "previous declaration is here");
                    }
                    self.scopes.bind(name, Entity::PrototypeParam(ty), param.declarator.span);
                }
            }
            self.leave_prototype();
            self.scopes.leave();
        }
        let function = FunctionType { ret, params, variadic: declarator.variadic, prototyped: declarator.prototyped };
        QualType::plain(self.types.intern(Type::Function(function)))
    }

    /// Returns the adjusted type of a parameter.
    pub(crate) fn param_type(&mut self, param: &Param) -> QualType {
        let specified = self.specifiers(&param.specs, false);
        let mut base = specified.ty;
        if !(param.specs.attributes.is_empty() && param.attributes.is_empty()) {
            let mut attributes = Attributes::default();
            self.attributes(&param.specs.attributes, &mut attributes);
            self.attributes(&param.attributes, &mut attributes);
            base = self.apply_type_attributes(base, &attributes, param.declarator.span);
        }
        let steps = &param.declarator.steps;
        // The outermost array of a parameter becomes a pointer. Its length is evaluated only for side effects.
        if let Some((DeclStep::Array { len, quals, span }, inner)) = steps.split_last() {
            let element = self.declarator_type(base, inner, param.declarator.span);
            return self.array_param(element, len, *quals, *span);
        }
        let ty = self.declarator_type(base, steps, param.declarator.span);
        self.adjust_param(ty)
    }

    fn array_param(&mut self, element: QualType, len: &ArraySize, quals: Quals, span: Span) -> QualType {
        if self.is_error(element.ty) {
            return element;
        }
        let incomplete = self.is_incomplete(element.ty)
            && !self.is_forward_enum(element.ty)
            && !self.rows_of_unknown_length(element.ty);
        if self.is_function(element.ty) || incomplete {
            let text = format!("array has incomplete element type '{}'", self.print_qual(element));
            self.error(span, text);
            return QualType::plain(TypeId::ERROR);
        }
        if let ArraySize::Expr(expr) = len {
            let value = self.value(expr);
            let constant = self.evaluate_integer(&value).is_some();
            if !constant && !self.in_prototype() && !self.is_error(value.ty) {
                self.pending.push(hir::Stmt { kind: StmtKind::Expr(value), span });
            }
        }
        QualType { ty: self.types.pointer(element), quals }
    }

    /// Returns whether the type is an array whose length a prototype leaves open, as in `int m[][n]`.
    fn rows_of_unknown_length(&self, ty: TypeId) -> bool {
        self.in_prototype() && matches!(self.types.get(ty), Type::Array(_, ArrayLen::Unknown))
    }

    /// Returns whether the type is an enumeration, which gcc permits to be used before its definition.
    pub(crate) fn is_forward_enum(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Enum(_))
    }
}
