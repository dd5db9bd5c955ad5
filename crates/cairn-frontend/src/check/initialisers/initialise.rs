//! Checks initialisers: flattens braces, elided braces, designators and strings into parts at byte offsets.

use cairn_ir::ctype::{ArrayLen, QualType, RecordId, Type, TypeId};
use cairn_ir::layout::int_bits;
use cairn_ir::source::Span;

use crate::ast::{self, Designator, InitEntry, InitList, Initializer, StringLiteral};
use crate::check::Checker;
use crate::check::expressions::expr::Operand;
use crate::check::initialisers::parts::{Part, PartValue, Parts, Slot, clear, push};
use crate::check::types::convert::Assigning;
use crate::hir::{Expr, LocalInit, Place, PlaceKind, StaticInit};

/// A checked initialiser.
#[derive(Debug)]
pub(crate) enum Initial {
    Value(Expr),
    Parts(Parts),
    Error,
}

/// The entries of one pair of braces.
struct Cursor<'e> {
    entries: &'e [InitEntry],
    at: usize,
    /// The value of the current entry, if it was already checked to see whether it initialises a whole struct.
    value: Option<Expr>,
    /// Whether the designators of the current entry were already followed. The entry then continues at that subobject.
    followed: bool,
}

impl<'e> Cursor<'e> {
    fn peek(&self) -> Option<&'e InitEntry> {
        self.entries.get(self.at)
    }

    fn advance(&mut self) {
        self.at += 1;
        self.value = None;
        self.followed = false;
    }
}

/// How the subobjects of an aggregate are enumerated.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Array { element: TypeId, stride: u64, len: Option<u64> },
    Record { id: RecordId, union: bool },
    Scalar,
}

impl Checker<'_> {
    /// Checks the initialiser of an automatic variable.
    ///
    /// Also returns the type, completed for an array of unknown size.
    pub(crate) fn local_initialiser(
        &mut self,
        ty: QualType,
        init: &Initializer,
        span: Span,
    ) -> (TypeId, Option<LocalInit>) {
        let (completed, initial) = self.initialise(ty.ty, init, false, span);
        let init = match initial {
            Initial::Error => None,
            Initial::Value(value) => Some(LocalInit::Value(value)),
            Initial::Parts(parts) => {
                let size = self.size_of(completed).unwrap_or(0);
                if parts.high > u128::from(size) * 8 {
                    self.error(span, "initialization of flexible array member is not allowed");
                }
                Some(LocalInit::Aggregate(self.aggregate(parts, completed, size)))
            }
        };
        (completed, init)
    }

    /// Checks the initialiser of an object with static storage.
    pub(crate) fn static_initialiser(
        &mut self,
        ty: QualType,
        init: &Initializer,
        span: Span,
    ) -> (TypeId, Option<StaticInit>) {
        if self.is_error(ty.ty) {
            if let Initializer::Expr(expr) = init {
                self.value(expr);
            }
            return (ty.ty, None);
        }
        let (completed, initial) = self.initialise(ty.ty, init, true, span);
        (completed, self.static_init(completed, initial, span))
    }

    /// Returns the bytes of an object with static storage.
    pub(crate) fn static_init(&mut self, ty: TypeId, initial: Initial, span: Span) -> Option<StaticInit> {
        let parts = match initial {
            Initial::Error => return None,
            Initial::Parts(parts) => parts,
            Initial::Value(value) => {
                let mut parts = Parts { is_static: true, ..Parts::default() };
                let size = self.size_of(ty).unwrap_or(0);
                self.push_value(&mut parts, Slot { ty, offset: 0, bits: None, size }, value);
                parts
            }
        };
        let end = u64::try_from(parts.high.div_ceil(8)).unwrap_or(u64::MAX);
        let size = self.size_of(ty).unwrap_or(0).max(end);
        self.static_bytes(parts.list, size, span)
    }

    fn initialise(&mut self, ty: TypeId, init: &Initializer, is_static: bool, span: Span) -> (TypeId, Initial) {
        if self.is_error(ty) {
            return (ty, Initial::Error);
        }
        if self.is_incomplete(ty) && !self.is_array(ty) && !self.is_forward_enum(ty) {
            let text = format!("variable has incomplete type '{}'", self.print(ty));
            self.error(span, text);
            return (TypeId::ERROR, Initial::Error);
        }
        let mut parts = Parts { is_static, ..Parts::default() };
        let aggregate = !matches!(self.shape(ty), Shape::Scalar);
        match init {
            Initializer::List(list) => {
                if !aggregate {
                    return match self.scalar_list(ty, list) {
                        Some(value) => (ty, Initial::Value(value)),
                        None => (ty, Initial::Error),
                    };
                }
                let count = self.braced(ty, 0, list, &mut parts);
                (self.complete_array(ty, count), Initial::Parts(parts))
            }
            Initializer::Expr(expr) => {
                if self.is_array(ty) {
                    if let (ast::ExprKind::String(literal), true) = (&expr.kind, self.string_fits(ty, expr)) {
                        let count = self.push_string(&mut parts, ty, 0, literal, expr.span);
                        return (self.complete_array(ty, count), Initial::Parts(parts));
                    }
                    return self.array_from_expr(ty, expr, parts);
                }
                if aggregate && is_static && self.static_literal(ty, 0, expr, &mut parts) {
                    return (ty, Initial::Parts(parts));
                }
                let value = self.value(expr);
                let value = self.assign_convert(value, ty, Assigning::Initialising);
                if self.is_error(value.ty) { (ty, Initial::Error) } else { (ty, Initial::Value(value)) }
            }
        }
    }

    /// Checks an array initialised by an expression: like gcc, accepts a compound literal of the same type.
    fn array_from_expr(&mut self, ty: TypeId, expr: &ast::Expr, mut parts: Parts) -> (TypeId, Initial) {
        if let ast::ExprKind::CompoundLiteral(name, list) = &expr.kind {
            let literal = self.type_name_unevaluated(name);
            if self.compatible(literal.ty, ty) {
                let wanted = if self.is_incomplete(ty) { literal.ty } else { ty };
                let count = self.braced(wanted, 0, list, &mut parts);
                return (self.complete_array(wanted, count), Initial::Parts(parts));
            }
        }
        // `__func__` and the like are strings too.
        if let Operand::Place(Place { kind: PlaceKind::String(id), ty: string, .. }) = self.operand(expr)
            && self.string_elements_fit(ty, string.ty)
            && matches!(expr.kind, ast::ExprKind::Ident(_) | ast::ExprKind::Generic(..) | ast::ExprKind::ChooseExpr(..))
        {
            let literal = self.unit.strings[id.0 as usize].0.clone();
            let count = self.push_string(&mut parts, ty, 0, &literal, expr.span);
            return (self.complete_array(ty, count), Initial::Parts(parts));
        }
        self.error(expr.span, "array initializer must be an initializer list or string literal");
        (ty, Initial::Error)
    }

    pub(crate) fn complete_array(&mut self, ty: TypeId, count: u64) -> TypeId {
        if let Type::Array(element, ArrayLen::Unknown) = *self.types.get(ty) {
            return self.types.intern(Type::Array(element, ArrayLen::Fixed(count)));
        }
        ty
    }

    pub(crate) fn shape(&self, ty: TypeId) -> Shape {
        match *self.types.get(ty) {
            Type::Array(element, len) => Shape::Array {
                element: element.ty,
                stride: self.size_of(element.ty).unwrap_or(0),
                len: match len {
                    ArrayLen::Fixed(n) => Some(n),
                    _ => None,
                },
            },
            Type::Vector(element, bytes) => {
                let stride = self.size_of(element).unwrap_or(1).max(1);
                Shape::Array { element, stride, len: Some(bytes / stride) }
            }
            Type::Record(id) => Shape::Record { id, union: self.types.record(id).union },
            _ => Shape::Scalar,
        }
    }

    /// Checks `{ 1 }` for a scalar; `{}` is zero.
    pub(crate) fn scalar_list(&mut self, ty: TypeId, list: &InitList) -> Option<Expr> {
        let Some(first) = list.entries.first() else {
            let zero = self.int_expr(0, TypeId::INT, list.span);
            return Some(self.convert_scalar_zero(zero, ty));
        };
        if !first.designators.is_empty() {
            self.error(list.span, "designator in initializer for scalar type");
            return None;
        }
        if list.entries.len() > 1 {
            self.warning(list.span, "excess elements in scalar initializer");
            for entry in &list.entries[1..] {
                self.check_dropped(&entry.value);
            }
        }
        match &first.value {
            Initializer::Expr(expr) => {
                let value = self.value(expr);
                let value = self.assign_convert(value, ty, Assigning::Initialising);
                (!self.is_error(value.ty)).then_some(value)
            }
            Initializer::List(inner) => self.scalar_list(ty, inner),
        }
    }

    fn convert_scalar_zero(&mut self, zero: Expr, ty: TypeId) -> Expr {
        if self.is_pointer(ty) { Expr { ty, ..zero } } else { self.convert(zero, ty) }
    }

    /// Checks an initialiser that has no effect.
    fn check_dropped(&mut self, init: &Initializer) {
        match init {
            Initializer::Expr(expr) => {
                self.value(expr);
            }
            Initializer::List(list) => {
                for entry in &list.entries {
                    self.check_dropped(&entry.value);
                }
            }
        }
    }

    /// Checks a braced list; returns the number of elements that an array gets.
    pub(crate) fn braced(&mut self, ty: TypeId, offset: u64, list: &InitList, parts: &mut Parts) -> u64 {
        if let [InitEntry { designators, value: Initializer::Expr(expr) }] = list.entries.as_slice()
            && let (true, ast::ExprKind::String(literal)) = (designators.is_empty(), &expr.kind)
            && self.is_array(ty)
            && self.string_fits(ty, expr)
        {
            return self.push_string(parts, ty, offset, literal, expr.span);
        }
        let mut cursor = Cursor { entries: &list.entries, at: 0, value: None, followed: false };
        self.fill(ty, offset, &mut cursor, &[], true, parts)
    }

    /// Assigns entries to the subobjects of an aggregate; returns the number of elements that an array gets.
    ///
    /// Without braces of its own, the aggregate ends when it is full or when an entry has a designator.
    fn fill<'e>(
        &mut self,
        ty: TypeId,
        offset: u64,
        cursor: &mut Cursor<'e>,
        designators: &'e [Designator],
        braced: bool,
        parts: &mut Parts,
    ) -> u64 {
        let shape = self.shape(ty);
        let mut designators = designators;
        let mut index = 0u64;
        let mut highest = 0u64;
        let mut warned = false;
        loop {
            let mut rest: &[Designator] = &[];
            let mut count = 1u64;
            let mut designated = false;
            if designators.is_empty() {
                let Some(entry) = cursor.peek() else { break };
                if !entry.designators.is_empty() && !cursor.followed {
                    if !braced {
                        break;
                    }
                    designators = &entry.designators;
                }
            }
            if let Some((first, tail)) = designators.split_first() {
                match self.designate(&shape, first, ty) {
                    Some((at, repeated, consumed)) => {
                        index = at;
                        count = repeated;
                        rest = if consumed { tail } else { designators };
                        designated = true;
                    }
                    None => {
                        self.drop_entry(cursor);
                        designators = &[];
                        if braced {
                            continue;
                        }
                        break;
                    }
                }
                designators = &[];
                cursor.followed = rest.is_empty();
            }
            let Some(slot) = self.slot(&shape, &mut index, offset) else {
                if !braced {
                    break;
                }
                self.warn_excess(&shape, cursor, &mut warned);
                self.drop_entry(cursor);
                continue;
            };
            if let Shape::Record { union: true, id } = shape {
                self.choose_member(parts, ty, offset, id, index);
            }
            let mark = parts.list.len();
            let before = cursor.at;
            self.fill_slot(slot, cursor, rest, parts);
            if matches!(shape, Shape::Record { union: true, .. }) {
                self.leave_rest_of_union(parts, ty, offset, slot);
            }
            if let Shape::Array { stride, .. } = shape
                && count > 1
            {
                self.repeat(parts, mark, count, stride);
            }
            // The subobject consumed no entry, because it is empty. Drop a designated entry, and an entry that no
            // further array element would consume either.
            if cursor.at == before && (designated || matches!(shape, Shape::Array { .. })) {
                if !designated && !braced {
                    break;
                }
                self.warn_excess(&shape, cursor, &mut warned);
                self.drop_entry(cursor);
            }
            index = index.saturating_add(count);
            highest = highest.max(index);
            if let Shape::Record { union: true, id } = shape {
                index = self.types.record(id).fields.len() as u64;
            }
        }
        highest
    }

    /// Records the initialised member of a union, which replaces a previously initialised one.
    fn choose_member(&mut self, parts: &mut Parts, ty: TypeId, offset: u64, id: RecordId, index: u64) {
        match parts.unions.iter_mut().find(|(at, union, _)| (*at, *union) == (offset, id)) {
            Some((_, _, last)) if *last == index => {}
            Some((_, _, last)) => {
                *last = index;
                let size = self.size_of(ty).unwrap_or(0);
                clear(parts, Slot { ty, offset, bits: None, size }, false, Span::default());
            }
            None => parts.unions.push((offset, id, index)),
        }
    }

    fn warn_excess(&mut self, shape: &Shape, cursor: &Cursor<'_>, warned: &mut bool) {
        if std::mem::replace(warned, true) {
            return;
        }
        let span = cursor.peek().map_or(Span::default(), |e| initialiser_span(&e.value));
        let word = match shape {
            Shape::Array { .. } => "array",
            Shape::Record { union: true, .. } => "union",
            _ => "struct",
        };
        self.warning(span, format!("excess elements in {word} initializer"));
    }

    fn drop_entry(&mut self, cursor: &mut Cursor<'_>) {
        if let Some(entry) = cursor.peek()
            && cursor.value.is_none()
        {
            self.check_dropped(&entry.value);
        }
        cursor.advance();
    }

    /// Resolves a designator: the index, the number of elements, and whether the designator is used up.
    ///
    /// It is not used up if it names a member of an anonymous member.
    fn designate(&mut self, shape: &Shape, designator: &Designator, ty: TypeId) -> Option<(u64, u64, bool)> {
        match (designator, shape) {
            (Designator::Field(name, span), Shape::Record { id, .. }) => {
                let Some(index) = self.member(*id, *name) else {
                    let text = format!(
                        "field designator '{}' does not refer to any field in type '{}'",
                        self.name(*name),
                        self.print(ty)
                    );
                    self.error(*span, text);
                    return None;
                };
                let named = self.types.record(*id).fields.get(index as usize).is_some_and(|f| f.name.is_some());
                Some((u64::from(index), 1, named))
            }
            (Designator::Index(expr), Shape::Array { len, .. }) => {
                let index = self.array_index(expr, *len)?;
                Some((index, 1, true))
            }
            (Designator::Range(low, high), Shape::Array { len, .. }) => {
                let first = self.array_index(low, *len)?;
                let last = self.array_index(high, *len)?;
                if last < first {
                    let text = format!("array designator range [{first}, {last}] is empty");
                    self.error(low.span, text);
                    return None;
                }
                Some((first, last - first + 1, true))
            }
            (Designator::Field(_, span), _) => {
                let text =
                    format!("field designator cannot initialize a non-struct, non-union type '{}'", self.print(ty));
                self.error(*span, text);
                None
            }
            (Designator::Index(expr) | Designator::Range(expr, _), _) => {
                let text = format!("array designator cannot initialize non-array type '{}'", self.print(ty));
                self.error(expr.span, text);
                None
            }
        }
    }

    fn array_index(&mut self, expr: &ast::Expr, len: Option<u64>) -> Option<u64> {
        let value = self.constant_integer(expr)?;
        let limit = len.unwrap_or(1 << (self.target.pointer_bits() - 2));
        match u64::try_from(value) {
            Ok(index) if index < limit => Some(index),
            _ => {
                let text = format!("array designator index ({value}) exceeds array bounds ({limit})");
                self.error(expr.span, text);
                None
            }
        }
    }

    /// Returns the subobject at `index`, or `None` past the end. Skips unnamed bit-fields.
    fn slot(&self, shape: &Shape, index: &mut u64, offset: u64) -> Option<Slot> {
        match *shape {
            Shape::Scalar => None,
            Shape::Array { element, stride, len } => {
                if len.is_some_and(|len| *index >= len) {
                    return None;
                }
                let offset = stride.checked_mul(*index)?.checked_add(offset)?;
                Some(Slot { ty: element, offset, bits: None, size: stride })
            }
            Shape::Record { id, .. } => {
                let fields = &self.types.record(id).fields;
                loop {
                    let field = fields.get(usize::try_from(*index).ok()?)?;
                    if field.name.is_none() && field.bit_width.is_some() {
                        *index += 1;
                        continue;
                    }
                    let bits = field.bit_width.map(|width| (field.bit_start, width));
                    let size = self.size_of(field.ty.ty).unwrap_or(0);
                    return Some(Slot { ty: field.ty.ty, offset: offset + field.offset, bits, size });
                }
            }
        }
    }

    /// Initialises one subobject from the entry at the cursor.
    fn fill_slot<'e>(&mut self, slot: Slot, cursor: &mut Cursor<'e>, rest: &'e [Designator], parts: &mut Parts) {
        if !rest.is_empty() {
            self.fill(slot.ty, slot.offset, cursor, rest, false, parts);
            return;
        }
        let Some(entry) = cursor.peek() else { return };
        let aggregate = !matches!(self.shape(slot.ty), Shape::Scalar);
        let expr = match &entry.value {
            Initializer::List(list) => {
                cursor.advance();
                if !aggregate {
                    if let Some(value) = self.scalar_list(slot.ty, list) {
                        clear(parts, slot, false, list.span);
                        self.push_value(parts, slot, value);
                    }
                    return;
                }
                clear(parts, slot, true, list.span);
                self.braced(slot.ty, slot.offset, list, parts);
                return;
            }
            Initializer::Expr(expr) => expr,
        };
        if !aggregate {
            let value = match cursor.value.take() {
                Some(value) => value,
                None => self.value(expr),
            };
            cursor.advance();
            let value = self.assign_convert(value, slot.ty, Assigning::Initialising);
            if !self.is_error(value.ty) {
                clear(parts, slot, false, expr.span);
                self.push_value(parts, slot, value);
            }
            return;
        }
        if self.is_array(slot.ty) {
            if let (ast::ExprKind::String(literal), true) = (&expr.kind, self.string_fits(slot.ty, expr)) {
                cursor.advance();
                clear(parts, slot, true, expr.span);
                self.push_string(parts, slot.ty, slot.offset, literal, expr.span);
                return;
            }
            self.fill(slot.ty, slot.offset, cursor, &[], false, parts);
            return;
        }
        if parts.is_static && cursor.value.is_none() && matches!(expr.kind, ast::ExprKind::CompoundLiteral(..)) {
            let mut inner = Parts { is_static: true, ..Parts::default() };
            if self.static_literal(slot.ty, slot.offset, expr, &mut inner) {
                cursor.advance();
                clear(parts, slot, true, expr.span);
                parts.high = parts.high.max(inner.high);
                parts.list.append(&mut inner.list);
                return;
            }
        }
        let value = match cursor.value.take() {
            Some(value) => value,
            None => self.value(expr),
        };
        if self.is_error(value.ty) {
            cursor.advance();
        } else if self.compatible(value.ty, slot.ty) {
            cursor.advance();
            clear(parts, slot, false, expr.span);
            self.push_value(parts, slot, value);
        } else {
            // An empty struct consumes no entry; the checked value is then used for the next subobject.
            cursor.value = Some(value);
            self.fill(slot.ty, slot.offset, cursor, &[], false, parts);
        }
    }

    /// Initialises a static object from a compound literal of the same type, as gcc permits.
    fn static_literal(&mut self, ty: TypeId, offset: u64, expr: &ast::Expr, parts: &mut Parts) -> bool {
        let ast::ExprKind::CompoundLiteral(name, list) = &expr.kind else { return false };
        let literal = self.type_name_unevaluated(name);
        if !self.compatible(literal.ty, ty) {
            return false;
        }
        self.braced(ty, offset, list, parts);
        true
    }

    /// Returns whether a string literal can initialise an array of this type.
    fn string_fits(&self, ty: TypeId, expr: &ast::Expr) -> bool {
        let ast::ExprKind::String(literal) = &expr.kind else { return false };
        let element = self.string_element(literal.prefix);
        self.elements_match(ty, element)
    }

    fn string_elements_fit(&self, ty: TypeId, string: TypeId) -> bool {
        match *self.types.get(string) {
            Type::Array(element, _) => self.elements_match(ty, element.ty),
            _ => false,
        }
    }

    fn elements_match(&self, ty: TypeId, literal_element: TypeId) -> bool {
        let Type::Array(element, _) = *self.types.get(ty) else { return false };
        let (Some(a), Some(b)) = (self.int_kind(element.ty), self.int_kind(literal_element)) else { return false };
        if element.ty == TypeId::BOOL {
            return false;
        }
        let char_sized = int_bits(a, self.target) == 8 && int_bits(b, self.target) == 8;
        char_sized
            || crate::check::constants::integer::to_unsigned(a) == crate::check::constants::integer::to_unsigned(b)
    }

    /// Initialises an array from a string; returns the number of elements of an array of unknown size.
    fn push_string(&mut self, parts: &mut Parts, ty: TypeId, offset: u64, literal: &StringLiteral, span: Span) -> u64 {
        let Shape::Array { stride, len, .. } = self.shape(ty) else { return 0 };
        let units = literal.units.len() as u64 + 1;
        let count = len.unwrap_or(units);
        if units - 1 > count {
            self.warning(span, "initializer-string for char array is too long");
        }
        let place = self.string_literal(literal.clone(), span);
        let PlaceKind::String(id) = place.kind else { return count };
        let size = count.saturating_mul(stride);
        push(parts, Part { offset, bits: None, size, value: PartValue::String(id), repeat: (1, 0), span });
        count
    }
}

fn initialiser_span(init: &Initializer) -> Span {
    match init {
        Initializer::Expr(expr) => expr.span,
        Initializer::List(list) => list.span,
    }
}
