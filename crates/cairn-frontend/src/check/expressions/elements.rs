//! Complex numbers and GNU vectors.
//!
//! Their values live in memory, and operators work element by element. Operands are stored in hidden variables and read
//! element by element, and the results are assembled.

use cairn_ir::ctype::{QualType, Type, TypeId};
use cairn_ir::layout::{int_bits, int_signed};
use cairn_ir::source::Span;

use crate::ast::{self, BinOp, UnOp};
use crate::check::Checker;
use crate::check::expressions::expr::Operand;
use crate::check::types::convert::Assigning;
use crate::hir::{ArithOp, CompareOp, Expr, ExprKind, LocalId, Place, PlaceKind, Scale};
use crate::limits::MAX_VECTOR_ELEMENTS;

/// The elements of an operand, each to be used once.
struct Elements {
    /// The expressions to evaluate before the elements.
    before: Vec<Expr>,
    /// The elements; a real operand of a complex operator may have only one.
    list: Vec<Expr>,
}

/// A place that can be used more than once: a variable, or the target of a hidden pointer variable.
#[derive(Clone, Copy)]
enum Named {
    Variable(LocalId),
    Through(LocalId, TypeId),
}

impl Named {
    fn place(self, ty: QualType, span: Span) -> Place {
        let kind = match self {
            Named::Variable(local) => PlaceKind::Local(local),
            Named::Through(held, pointer) => {
                let place = Place { kind: PlaceKind::Local(held), ty: QualType::plain(pointer), span };
                PlaceKind::Deref(Box::new(Expr { kind: ExprKind::Read(Box::new(place)), ty: pointer, span }))
            }
        };
        Place { kind, ty, span }
    }
}

impl Checker<'_> {
    /// Returns the type and number of elements of a complex or vector type.
    pub(crate) fn elements_of(&self, ty: TypeId) -> Option<(TypeId, u64)> {
        match *self.types.get(ty) {
            Type::Complex(real) => Some((real, 2)),
            Type::Vector(element, bytes) => Some((element, bytes / self.size_of(element).filter(|&s| s > 0)?)),
            _ => None,
        }
    }

    fn not_computed(&self, ty: TypeId, span: Span) -> Expr {
        let what =
            if self.is_vector(ty) { "vector arithmetic of this kind" } else { "complex arithmetic of this kind" };
        self.unsupported(what, ty, span)
    }

    /// Stores a value in a hidden variable and returns its place; `None` outside functions.
    fn hold(&mut self, value: Expr, before: &mut Vec<Expr>) -> Option<Place> {
        if self.functions.is_empty() {
            return None;
        }
        let (ty, span) = (QualType::plain(value.ty), value.span);
        let local = self.new_local(None, ty, 0, span);
        let place = |kind| Place { kind, ty, span };
        let target = Box::new(place(PlaceKind::Local(local)));
        before.push(Expr { kind: ExprKind::Assign(target, Box::new(value)), ty: ty.ty, span });
        Some(place(PlaceKind::Local(local)))
    }

    /// Returns the place of element `index` of a complex or vector object.
    pub(crate) fn element_place(&mut self, whole: Place, index: Expr, span: Span) -> Place {
        let ty = whole.ty;
        let element = self.elements_of(ty.ty).map_or(TypeId::ERROR, |(element, _)| element);
        let element = QualType { ty: element, quals: ty.quals };
        let (from, to) = (self.types.pointer(ty), self.types.pointer(element));
        let address = self.address_of(whole, from);
        let base = Box::new(self.convert(address, to));
        let index_type = self.ptrdiff_type();
        let index = Box::new(self.convert(index, index_type));
        let scale = Scale::Fixed(self.size_of(element.ty).unwrap_or(0));
        let address = Expr { kind: ExprKind::PtrAdd { base, index, scale, negative: false }, ty: to, span };
        Place { kind: PlaceKind::Deref(Box::new(address)), ty: element, span }
    }

    /// Splits a value into its elements.
    fn elements(&mut self, value: Expr) -> Option<Elements> {
        let (element, count) = self.elements_of(value.ty)?;
        if count > MAX_VECTOR_ELEMENTS {
            return None;
        }
        let mut value = value;
        let mut before = Vec::new();
        while let ExprKind::Comma(first, second) = value.kind {
            before.push(*first);
            value = *second;
        }
        if let ExprKind::Elements(list) = value.kind {
            return Some(Elements { before, list });
        }
        let span = value.span;
        let Place { kind: PlaceKind::Local(local), ty, .. } = self.hold(value, &mut before)? else { return None };
        let mut list = Vec::new();
        for index in 0..count {
            let whole = Place { kind: PlaceKind::Local(local), ty, span };
            let index = self.int_expr(i128::from(index), TypeId::INT, span);
            let place = self.element_place(whole, index, span);
            list.push(Expr { kind: ExprKind::Read(Box::new(place)), ty: element, span });
        }
        Some(Elements { before, list })
    }

    /// Repeats a scalar `count` times, evaluating it once.
    fn repeated(&mut self, value: Expr, count: u64) -> Option<Elements> {
        let (ty, span) = (value.ty, value.span);
        let mut before = Vec::new();
        let list = match value.kind {
            ExprKind::Int(v) => (0..count).map(|_| Expr { kind: ExprKind::Int(v), ty, span }).collect(),
            ExprKind::Float(v) => (0..count).map(|_| Expr { kind: ExprKind::Float(v), ty, span }).collect(),
            _ if count == 1 => vec![value],
            _ => {
                let Place { kind: PlaceKind::Local(local), ty: held, .. } = self.hold(value, &mut before)? else {
                    return None;
                };
                let read = || Place { kind: PlaceKind::Local(local), ty: held, span };
                (0..count).map(|_| Expr { kind: ExprKind::Read(Box::new(read())), ty, span }).collect()
            }
        };
        Some(Elements { before, list })
    }

    /// Returns `value`, evaluated after `before`.
    fn after(&self, before: Vec<Expr>, value: Expr) -> Expr {
        before.into_iter().rev().fold(value, |value, first| {
            let (ty, span) = (value.ty, value.span);
            Expr { kind: ExprKind::Comma(Box::new(first), Box::new(value)), ty, span }
        })
    }

    /// Assembles a complex or vector value from its elements.
    pub(crate) fn assemble(&self, before: Vec<Expr>, list: Vec<Expr>, ty: TypeId, span: Span) -> Expr {
        self.after(before, Expr { kind: ExprKind::Elements(list), ty, span })
    }

    /// Checks an operator on two vectors, or on a vector and a scalar that applies to all elements.
    pub(crate) fn vector_binary(&mut self, op: BinOp, left: Expr, right: Expr, span: Span) -> Expr {
        let ty = if self.is_vector(left.ty) { left.ty } else { right.ty };
        let Some((element, count)) = self.elements_of(ty) else { return self.error_expr(span) };
        let both = self.is_vector(left.ty) && self.is_vector(right.ty);
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        let fits = if both {
            let same =
                |this: &Self, a: TypeId| this.elements_of(a).map(|(e, n)| (this.size_of(e), n, this.is_integer(e)));
            same(self, left.ty) == same(self, right.ty)
        } else {
            self.is_arithmetic(left.ty) || self.is_arithmetic(right.ty)
        };
        if !fits {
            return self.invalid_operands(left.ty, right.ty, span);
        }
        let operand = |this: &mut Self, value: Expr| {
            if this.is_vector(value.ty) {
                return this.elements(value);
            }
            // A scalar is first converted to the element type.
            let value = if shift { value } else { this.convert(value, element) };
            this.repeated(value, count)
        };
        let (Some(a), Some(b)) = (operand(self, left), operand(self, right)) else {
            return self.not_computed(ty, span);
        };
        let compares = matches!(op, BinOp::Lt | BinOp::Gt | BinOp::Le | BinOp::Ge | BinOp::Eq | BinOp::Ne);
        let result = if compares { self.mask_type(ty) } else { Some(ty) };
        let Some(result) = result else { return self.not_computed(ty, span) };
        let (result_element, _) = self.elements_of(result).unwrap_or((TypeId::ERROR, 0));
        let mut list = Vec::with_capacity(a.list.len());
        for (x, y) in a.list.into_iter().zip(b.list) {
            let value = self.binary_values(op, x, y, span);
            if self.is_error(value.ty) {
                return value;
            }
            // A comparison that holds gives all ones.
            let value = if compares { self.arithmetic_unary(UnOp::Minus, value, span) } else { value };
            list.push(self.convert(value, result_element));
        }
        let before = a.before.into_iter().chain(b.before).collect();
        self.assemble(before, list, result, span)
    }

    /// Returns the type of a vector comparison: signed integers of the same width.
    fn mask_type(&mut self, ty: TypeId) -> Option<TypeId> {
        let (element, count) = self.elements_of(ty)?;
        if self.int_kind(element).is_some_and(int_signed) {
            return Some(ty);
        }
        let size = self.size_of(element)?;
        let kind = self.int_of_width(u32::try_from(size * 8).ok()?, true)?;
        let element = self.types.intern(Type::Int(kind));
        Some(self.types.intern(Type::Vector(element, size * count)))
    }

    /// Checks `-v`, `~v` and `+v`, element by element. For a complex number, `~z` is the conjugate.
    pub(crate) fn elements_unary(&mut self, op: UnOp, value: Expr, span: Span) -> Expr {
        let ty = value.ty;
        let complex = self.is_complex(ty);
        let Some((element, _)) = self.elements_of(ty) else { return self.error_expr(span) };
        if op == UnOp::Plus {
            return value;
        }
        let Some(Elements { before, list }) = self.elements(value) else { return self.not_computed(ty, span) };
        let mut results = Vec::with_capacity(list.len());
        for (index, value) in list.into_iter().enumerate() {
            let value = match op {
                UnOp::BitNot if complex && index == 0 => value,
                UnOp::BitNot if complex => self.arithmetic_unary(UnOp::Minus, value, span),
                _ => self.arithmetic_unary(op, value, span),
            };
            if self.is_error(value.ty) {
                return value;
            }
            results.push(self.convert(value, element));
        }
        self.assemble(before, results, ty, span)
    }

    /// Checks arithmetic with at least one complex operand; `ty` is the common type.
    ///
    /// As in gcc, a real operand other than a dividend stays real, which preserves the sign of zero.
    pub(crate) fn complex_arithmetic(&mut self, op: ArithOp, left: Expr, right: Expr, ty: TypeId, span: Span) -> Expr {
        let Type::Complex(real) = *self.types.get(ty) else { return self.error_expr(span) };
        let (left_complex, right_complex) = (self.is_complex(left.ty), self.is_complex(right.ty));
        let whole = op == ArithOp::Div && !left_complex;
        let operand = |this: &mut Self, value: Expr, complex: bool| {
            if complex || whole {
                let value = this.convert(value, ty);
                return this.elements(value);
            }
            let value = this.convert(value, real);
            let times = if matches!(op, ArithOp::Mul | ArithOp::Div) { 2 } else { 1 };
            this.repeated(value, times)
        };
        let a = operand(self, left, left_complex);
        let b = operand(self, right, right_complex);
        let (Some(a), Some(b)) = (a, b) else { return self.not_computed(ty, span) };
        let before = a.before.into_iter().chain(b.before).collect();
        let (mut a, mut b) = (a.list.into_iter(), b.list.into_iter());
        let both = (left_complex && right_complex) || whole;
        if both && matches!(op, ArithOp::Mul | ArithOp::Div) {
            let parts = a.chain(b).collect();
            let result = if op == ArithOp::Mul && self.is_integer(real) {
                self.integer_product(parts, ty, real, span)
            } else {
                self.complex_call(op, ty, real, parts, span)
            };
            return self.after(before, result);
        }
        let next = |this: &mut Self, a: Option<Expr>, b: Option<Expr>| match (a, b) {
            (Some(a), Some(b)) => this.arith_node(op, a, b, real, span),
            (Some(a), None) => a,
            (None, Some(b)) if op == ArithOp::Sub => this.arithmetic_unary(UnOp::Minus, b, span),
            (None, Some(b)) => b,
            (None, None) => this.error_expr(span),
        };
        let first = next(self, a.next(), b.next());
        let second = next(self, a.next(), b.next());
        self.assemble(before, vec![first, second], ty, span)
    }

    /// Multiplies or divides complex numbers by a call to the compiler's runtime library.
    ///
    /// The library functions handle infinities. Quotients of integers are computed in 64 bits.
    fn complex_call(&mut self, op: ArithOp, ty: TypeId, real: TypeId, parts: Vec<Expr>, span: Span) -> Expr {
        let (name, wide) = match (op, real) {
            (ArithOp::Mul, TypeId::FLOAT) => ("__mulsc3", real),
            (ArithOp::Mul, TypeId::DOUBLE) => ("__muldc3", real),
            (ArithOp::Mul, TypeId::LONG_DOUBLE) => ("__mulxc3", real),
            (ArithOp::Div, TypeId::FLOAT) => ("__divsc3", real),
            (ArithOp::Div, TypeId::DOUBLE) => ("__divdc3", real),
            (ArithOp::Div, TypeId::LONG_DOUBLE) => ("__divxc3", real),
            (ArithOp::Div, _) => match self.int_kind(real) {
                Some(kind) if int_bits(kind, self.target) > 64 => return self.not_computed(ty, span),
                Some(kind) if int_signed(kind) => ("__divcdi3", TypeId::LONG_LONG),
                Some(_) => ("__udivcdi3", TypeId::ULONG_LONG),
                None => return self.not_computed(ty, span),
            },
            _ => return self.not_computed(ty, span),
        };
        let parts = parts.into_iter().map(|part| self.convert(part, wide)).collect();
        let result = self.call_library(name, parts, span);
        self.convert(result, ty)
    }

    /// Computes `(a + bi) * (c + di)` on integers, using each part twice.
    fn integer_product(&mut self, parts: Vec<Expr>, ty: TypeId, real: TypeId, span: Span) -> Expr {
        let mut before = Vec::new();
        let mut held = Vec::with_capacity(parts.len());
        for part in parts {
            match self.repeated(part, 2) {
                Some(twice) => {
                    before.extend(twice.before);
                    held.push(twice.list.into_iter());
                }
                None => return self.not_computed(ty, span),
            }
        }
        let [a, b, c, d] = held.as_mut_slice() else { return self.error_expr(span) };
        let times = |this: &mut Self, x: &mut std::vec::IntoIter<Expr>, y: &mut std::vec::IntoIter<Expr>| {
            let (Some(x), Some(y)) = (x.next(), y.next()) else { return this.error_expr(span) };
            this.arith_node(ArithOp::Mul, x, y, real, span)
        };
        let (ac, bd) = (times(self, a, c), times(self, b, d));
        let (ad, bc) = (times(self, a, d), times(self, b, c));
        let first = self.arith_node(ArithOp::Sub, ac, bd, real, span);
        let second = self.arith_node(ArithOp::Add, ad, bc, real, span);
        self.assemble(before, vec![first, second], ty, span)
    }

    /// Checks `==` and `!=` with at least one complex operand.
    pub(crate) fn complex_comparison(
        &mut self,
        op: CompareOp,
        left: Expr,
        right: Expr,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
            return self.invalid_operands(left.ty, right.ty, span);
        }
        let (left, right) = (self.convert(left, ty), self.convert(right, ty));
        let (Some(a), Some(b)) = (self.elements(left), self.elements(right)) else {
            return self.not_computed(TypeId::INT, span);
        };
        let pairs: Vec<_> = a.list.into_iter().zip(b.list).collect();
        let before = a.before.into_iter().chain(b.before).collect();
        let mut parts =
            pairs.into_iter().map(|(x, y)| self.compare_node(op, x, y, span)).collect::<Vec<_>>().into_iter();
        let (Some(first), Some(second)) = (parts.next(), parts.next()) else { return self.error_expr(span) };
        let (first, second) = (Box::new(first), Box::new(second));
        let kind = if op == CompareOp::Eq { ExprKind::And(first, second) } else { ExprKind::Or(first, second) };
        self.after(before, Expr { kind, ty: TypeId::INT, span })
    }

    /// Creates the comparison of a complex number with zero.
    pub(crate) fn complex_truth(&mut self, value: Expr, span: Span) -> Expr {
        let ty = value.ty;
        let zero = self.int_expr(0, TypeId::INT, span);
        self.complex_comparison(CompareOp::Ne, value, zero, ty, span)
    }

    /// Converts from or to a complex type.
    pub(crate) fn convert_complex(&mut self, value: Expr, to: TypeId) -> Expr {
        let span = value.span;
        if to == TypeId::BOOL {
            let truth = self.complex_truth(value, span);
            return self.convert(truth, to);
        }
        let target = self.elements_of(to).filter(|_| self.is_complex(to));
        if !self.is_complex(value.ty) {
            let Some((element, _)) = target else { return self.not_computed(to, span) };
            let real = self.convert(value, element);
            let zero = self.int_expr(0, TypeId::INT, span);
            let zero = self.convert(zero, element);
            return self.assemble(Vec::new(), vec![real, zero], to, span);
        }
        let Some(Elements { before, list }) = self.elements(value) else { return self.not_computed(to, span) };
        let Some((element, _)) = target else {
            // Drop the imaginary part, which has no side effects.
            let Some(real) = list.into_iter().next() else { return self.error_expr(span) };
            let real = self.convert(real, to);
            return self.after(before, real);
        };
        let list = list.into_iter().map(|part| self.convert(part, element)).collect();
        self.assemble(before, list, to, span)
    }

    /// Checks `__builtin_complex(x, y)`.
    pub(crate) fn complex_of(&mut self, real: &ast::Expr, imaginary: &ast::Expr, span: Span) -> Expr {
        let (real, imaginary) = (self.value(real), self.value(imaginary));
        if self.is_error(real.ty) || self.is_error(imaginary.ty) {
            return self.error_expr(span);
        }
        if self.float_kind(real.ty).is_none() || real.ty != imaginary.ty {
            return self.invalid_operands(real.ty, imaginary.ty, span);
        }
        let ty = self.types.intern(Type::Complex(real.ty));
        self.assemble(Vec::new(), vec![real, imaginary], ty, span)
    }

    /// Checks `__builtin_shuffle(v, mask)` and `__builtin_shuffle(v, w, mask)`.
    ///
    /// The mask selects elements of `v`, or of the concatenation of both vectors, by index.
    pub(crate) fn shuffle(&mut self, args: &[ast::Expr], span: Span) -> Expr {
        let mut values: Vec<Expr> = args.iter().map(|arg| self.value(arg)).collect();
        if values.iter().any(|value| self.is_error(value.ty)) {
            return self.error_expr(span);
        }
        let ty = values[0].ty;
        let mask = values.pop().filter(|mask| {
            let number = |ty| self.elements_of(ty).map(|(_, count)| count);
            self.is_vector(ty)
                && self.is_vector(mask.ty)
                && number(ty) == number(mask.ty)
                && self.elements_of(mask.ty).is_some_and(|(element, _)| self.is_integer(element))
                && values.iter().all(|value| self.compatible(value.ty, ty))
        });
        let (Some(mask), Some((element, count))) = (mask, self.elements_of(ty)) else {
            self.error(span, "'__builtin_shuffle' requires vectors of one type and an integer mask of the same length");
            return self.error_expr(span);
        };
        let total = count * values.len() as u64;
        let Some(mask) = self.elements(mask) else { return self.not_computed(ty, span) };
        let mut indexes = Vec::with_capacity(mask.list.len());
        for index in mask.list {
            let limit = self.int_expr(i128::from(total - 1), TypeId::INT, span);
            indexes.push(self.binary_values(BinOp::And, index, limit, span));
        }
        self.pick(values, mask.before, indexes, element, ty, span)
    }

    /// Checks `__builtin_shufflevector(v, w, 0, 4, …)`.
    ///
    /// The constants are indices into the concatenation of both vectors; -1 stands for any element.
    pub(crate) fn shuffle_by_constants(&mut self, args: &[ast::Expr], span: Span) -> Expr {
        let (vectors, numbers) = args.split_at(2);
        let values: Vec<Expr> = vectors.iter().map(|arg| self.value(arg)).collect();
        if values.iter().any(|value| self.is_error(value.ty)) {
            return self.error_expr(span);
        }
        let number = |this: &Self, ty| this.elements_of(ty).filter(|_| this.is_vector(ty));
        let (Some((element, first)), Some((other, second))) = (number(self, values[0].ty), number(self, values[1].ty))
        else {
            self.error(span, "'__builtin_shufflevector' requires two vectors");
            return self.error_expr(span);
        };
        let mut indexes = Vec::with_capacity(numbers.len());
        for arg in numbers {
            let Some(index) = self.constant_integer(arg) else { return self.error_expr(span) };
            if element != other || !(-1..i128::from(first + second)).contains(&index) {
                self.error(arg.span, "'__builtin_shufflevector' requires constant element indices");
                return self.error_expr(span);
            }
            indexes.push(self.int_expr(index.max(0), TypeId::INT, span));
        }
        let size = self.size_of(element).unwrap_or(0) * indexes.len() as u64;
        let ty = self.types.intern(Type::Vector(element, size));
        self.pick(values, Vec::new(), indexes, element, ty, span)
    }

    /// Selects elements of the concatenation of several vectors. `middle` is evaluated between vectors and indices.
    fn pick(
        &mut self,
        values: Vec<Expr>,
        middle: Vec<Expr>,
        indexes: Vec<Expr>,
        element: TypeId,
        ty: TypeId,
        span: Span,
    ) -> Expr {
        // The concatenated operands form an array.
        let mut row = Vec::new();
        let mut before = Vec::new();
        for value in values {
            let Some(part) = self.elements(value) else { return self.not_computed(ty, span) };
            before.extend(part.before);
            row.extend(part.list);
        }
        let size = self.size_of(element).unwrap_or(0) * row.len() as u64;
        let row_type = self.types.intern(Type::Vector(element, size));
        let row = Expr { kind: ExprKind::Elements(row), ty: row_type, span };
        let Some(Place { kind: PlaceKind::Local(held), ty: held_type, .. }) = self.hold(row, &mut before) else {
            return self.not_computed(ty, span);
        };
        before.extend(middle);
        let mut list = Vec::with_capacity(indexes.len());
        for index in indexes {
            let whole = Place { kind: PlaceKind::Local(held), ty: held_type, span };
            let place = self.element_place(whole, index, span);
            list.push(Expr { kind: ExprKind::Read(Box::new(place)), ty: element, span });
        }
        self.assemble(before, list, ty, span)
    }

    /// Checks `__builtin_convertvector(v, type)`, which converts each element.
    pub(crate) fn convert_vector(&mut self, vector: &ast::Expr, name: &ast::TypeName, span: Span) -> Expr {
        let value = self.value(vector);
        let ty = self.type_name_unevaluated(name).ty;
        if self.is_error(value.ty) || self.is_error(ty) {
            return self.error_expr(span);
        }
        let number = |this: &Self, ty| this.elements_of(ty).filter(|_| this.is_vector(ty));
        let (Some((_, count)), Some((element, wanted))) = (number(self, value.ty), number(self, ty)) else {
            self.error(span, "'__builtin_convertvector' requires a vector and a vector type");
            return self.error_expr(span);
        };
        if count != wanted {
            self.error(span, "'__builtin_convertvector' requires vectors with the same number of elements");
            return self.error_expr(span);
        }
        let Some(Elements { before, list }) = self.elements(value) else { return self.not_computed(ty, span) };
        let list = list.into_iter().map(|value| self.convert(value, element)).collect();
        self.assemble(before, list, ty, span)
    }

    /// Checks a cast from or to a vector, which reinterprets the bytes.
    pub(crate) fn cast_vector(&mut self, value: Expr, to: TypeId, span: Span) -> Expr {
        if self.size_of(value.ty) != self.size_of(to) {
            let text =
                format!("cannot cast from type '{}' to '{}' of another size", self.print(value.ty), self.print(to));
            self.error(span, text);
            return self.error_expr(span);
        }
        let mut before = Vec::new();
        let Some(held) = self.hold(value, &mut before) else { return self.not_computed(to, span) };
        let (from, into) = (self.types.pointer(held.ty), self.types.pointer(QualType::plain(to)));
        let address = self.address_of(held, from);
        let address = self.convert(address, into);
        let place = Place { kind: PlaceKind::Deref(Box::new(address)), ty: QualType::plain(to), span };
        self.after(before, Expr { kind: ExprKind::Read(Box::new(place)), ty: to, span })
    }

    /// Returns an element of a vector that is not an lvalue.
    pub(crate) fn element_of_value(&mut self, vector: Expr, index: Expr, span: Span) -> Operand {
        let ty = vector.ty;
        let mut before = Vec::new();
        let Some(held) = self.hold(vector, &mut before) else { return Operand::Value(self.not_computed(ty, span)) };
        let place = self.element_place(held, index, span);
        let value = self.read(place);
        Operand::Value(self.after(before, value))
    }

    /// Checks `place op= value`, `++place` and `place++` with a complex or vector operand.
    ///
    /// The place is evaluated once.
    pub(crate) fn assign_elements(&mut self, op: BinOp, place: Place, value: Expr, postfix: bool, span: Span) -> Expr {
        let (ty, at) = (place.ty, place.span);
        if self.place_bit_width(&place).is_some() || self.functions.is_empty() {
            return self.not_computed(ty.ty, span);
        }
        let mut before = Vec::new();
        let named = if let PlaceKind::Local(local) = place.kind {
            Named::Variable(local)
        } else {
            let pointer = self.types.pointer(ty);
            let address = self.address_of(place, pointer);
            let Some(Place { kind: PlaceKind::Local(held), .. }) = self.hold(address, &mut before) else {
                return self.not_computed(ty.ty, span);
            };
            Named::Through(held, pointer)
        };
        let mut old = self.read(named.place(ty, at));
        let mut result = None;
        if postfix {
            let Some(Place { kind: PlaceKind::Local(held), .. }) = self.hold(old, &mut before) else {
                return self.not_computed(ty.ty, span);
            };
            let read = || Place { kind: PlaceKind::Local(held), ty: QualType::plain(ty.ty), span };
            old = self.read(read());
            result = Some(self.read(read()));
        }
        let value = self.binary_values(op, old, value, span);
        let value = self.assign_convert(value, ty.ty, Assigning::Assignment);
        if self.is_error(value.ty) {
            return value;
        }
        let place = Box::new(named.place(ty, at));
        let mut assigned = Expr { kind: ExprKind::Assign(place, Box::new(value)), ty: ty.ty, span };
        if let Some(result) = result {
            before.push(assigned);
            assigned = result;
        }
        self.after(before, assigned)
    }
}
