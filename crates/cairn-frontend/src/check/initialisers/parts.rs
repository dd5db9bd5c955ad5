//! The parts of an initialiser: values at byte offsets, some of them repeated. Later parts override earlier ones.

use cairn_ir::ctype::{RecordId, TypeId};
use cairn_ir::source::Span;

use crate::ast::{self, StringLiteral};
use crate::check::Checker;
use crate::check::constants::evaluate::Constant;
use crate::check::initialisers::initialise::Shape;
use crate::hir::{AggregateInit, Expr, ExprKind, InitPart, InitValue, PlaceKind, StringId};

/// One initialised part of an aggregate.
#[derive(Debug)]
pub(crate) struct Part {
    pub offset: u64,
    /// For bit-fields, the first bit in the byte at `offset` and the width.
    pub bits: Option<(u8, u32)>,
    /// The size in bytes.
    pub size: u64,
    pub value: PartValue,
    pub repeat: (u64, u64),
    pub span: Span,
}

#[derive(Debug)]
pub(crate) enum PartValue {
    Expr(Expr),
    /// The value of a part of a static initialiser.
    Constant(Constant),
    String(StringId),
    Zero,
    /// Any bytes: the part of a union beyond the member that is initialised.
    Unspecified,
}

impl Part {
    /// Returns the first bit and the end of one repetition, in bits from the start of the aggregate.
    fn bit_range(&self) -> (u128, u128) {
        let start = u128::from(self.offset) * 8;
        match self.bits {
            Some((first, width)) => (start + u128::from(first), start + u128::from(first) + u128::from(width)),
            None => (start, start + u128::from(self.size) * 8),
        }
    }

    /// Returns the first bit and the end of all repetitions.
    fn whole_range(&self) -> (u128, u128) {
        let (start, end) = self.bit_range();
        (start, end + u128::from(self.repeat.0.saturating_sub(1)) * u128::from(self.repeat.1) * 8)
    }
}

/// The parts found so far.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub list: Vec<Part>,
    /// The end of the furthest part, in bits.
    pub high: u128,
    pub is_static: bool,
    /// For each union, by offset and type, the index of the member initialised last.
    pub unions: Vec<(u64, RecordId, u64)>,
}

/// A subobject.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub ty: TypeId,
    pub offset: u64,
    pub bits: Option<(u8, u32)>,
    pub size: u64,
}

impl Checker<'_> {
    pub(crate) fn push_value(&mut self, parts: &mut Parts, slot: Slot, value: Expr) {
        let span = value.span;
        // A complex constant is stored as two constants.
        let value = match value.kind {
            ExprKind::Elements(list) if parts.is_static => {
                let size = slot.size / (list.len() as u64).max(1);
                for (index, element) in list.into_iter().enumerate() {
                    let offset = slot.offset + index as u64 * size;
                    self.push_value(parts, Slot { ty: element.ty, offset, bits: None, size }, element);
                }
                return;
            }
            kind => Expr { kind, ..value },
        };
        let value = if parts.is_static {
            self.static_initialiser.is_active = true;
            let constant = self.evaluate(&value);
            self.static_initialiser.is_active = false;
            match constant {
                Some(constant) => PartValue::Constant(constant),
                None if slot.bits.is_none()
                    && crate::check::initialisers::label_distance::is_label_distance(&value) =>
                {
                    PartValue::Expr(value)
                }
                None => {
                    if let ExprKind::Unsupported(text) = &value.kind {
                        let text = format!("{text} in an initializer is not supported");
                        self.error(span, text);
                    } else {
                        self.error(span, "initializer element is not a compile-time constant");
                    }
                    return;
                }
            }
        } else {
            PartValue::Expr(value)
        };
        push(parts, Part { offset: slot.offset, bits: slot.bits, size: slot.size, value, repeat: (1, 0), span });
    }

    /// Leaves the bytes of a union beyond its initialised member unspecified.
    ///
    /// C11 6.2.6.1p7 makes them unspecified, and gcc 15 no longer zeroes them in automatic objects (`-fzero-init-padding-bits`).
    /// Static objects are part of the program's image, where every compiler writes zeros, so they keep their zeros. A union that
    /// no initialiser mentions (`{}`, or the rest of an array) is zero as a whole and does not come here.
    pub(crate) fn leave_rest_of_union(&mut self, parts: &mut Parts, union: TypeId, offset: u64, member: Slot) {
        if parts.is_static {
            return;
        }
        let end = offset.saturating_add(self.size_of(union).unwrap_or(0));
        // A bit-field leaves bits of its bytes over, so its bytes are part of the rest, and its value is written after them.
        let start = if member.bits.is_some() { offset } else { offset.saturating_add(member.size) };
        if start >= end {
            return;
        }
        let size = end - start;
        let rest = |part: &Part| {
            matches!(part.value, PartValue::Unspecified)
                && (part.offset, part.size, part.repeat) == (start, size, (1, 0))
        };
        let of_union = parts.list.iter().rev().take_while(|part| part.offset >= offset && part.offset < end);
        if let Some(back) = of_union.into_iter().position(rest) {
            parts.list.remove(parts.list.len() - 1 - back);
        }
        let at = parts.list.len() - usize::from(member.bits.is_some() && !parts.list.is_empty());
        let span = Span::default();
        parts.high = parts.high.max(u128::from(end) * 8);
        let value = PartValue::Unspecified;
        parts.list.insert(at, Part { offset: start, bits: None, size, value, repeat: (1, 0), span });
    }

    /// Repeats the parts of the first element, for `[a ... b] =`.
    pub(crate) fn repeat(&mut self, parts: &mut Parts, mark: usize, count: u64, stride: u64) {
        let mut copies = Vec::new();
        for part in &mut parts.list[mark..] {
            let (times, distance) = part.repeat;
            if times == 1 {
                part.repeat = (count, stride);
            } else if times.checked_mul(distance) == Some(stride) && times.checked_mul(count).is_some() {
                part.repeat = (times * count, distance);
            } else {
                for at in 1..count {
                    let value = match &part.value {
                        PartValue::Expr(Expr { kind: ExprKind::Int(v), ty, span }) => {
                            PartValue::Expr(Expr { kind: ExprKind::Int(*v), ty: *ty, span: *span })
                        }
                        PartValue::Expr(Expr { kind: ExprKind::Float(v), ty, span }) => {
                            PartValue::Expr(Expr { kind: ExprKind::Float(*v), ty: *ty, span: *span })
                        }
                        PartValue::Expr(Expr { ty, span, .. }) => PartValue::Expr(Expr {
                            kind: ExprKind::Unsupported("nested ranges of computed values".to_owned()),
                            ty: *ty,
                            span: *span,
                        }),
                        PartValue::Constant(constant) => PartValue::Constant(*constant),
                        PartValue::String(id) => PartValue::String(*id),
                        PartValue::Zero => PartValue::Zero,
                        PartValue::Unspecified => PartValue::Unspecified,
                    };
                    copies.push(Part {
                        offset: part.offset.saturating_add(stride.saturating_mul(at)),
                        bits: part.bits,
                        size: part.size,
                        value,
                        repeat: part.repeat,
                        span: part.span,
                    });
                }
            }
        }
        parts.list.append(&mut copies);
        for part in &parts.list[mark..] {
            parts.high = parts.high.max(part.whole_range().1);
        }
    }

    /// Converts the parts of an automatic object.
    ///
    /// The object is zeroed first if the parts leave out a member. Otherwise the padding keeps unspecified values, as in gcc
    /// (C11 6.2.6.1p6). The parts are evaluated in the order of their offsets, as in gcc.
    pub(crate) fn aggregate(&mut self, mut parts: Parts, ty: TypeId, size: u64) -> AggregateInit {
        let mut ranges: Vec<(u128, u128)> = Vec::with_capacity(parts.list.len());
        for part in &parts.list {
            let (start, end) = part.bit_range();
            let (times, distance) = part.repeat;
            if times == 1 || u128::from(distance) * 8 == end - start {
                ranges.push(part.whole_range());
            } else {
                // Repetitions with gaps count as uncovered, even if other parts fill the gaps.
                ranges.push((start, end));
            }
        }
        if !ranges.is_sorted() {
            ranges.sort_unstable();
            // Parts that overlap have to stay in the order in which they override each other.
            let ends: Vec<u128> = ranges.iter().map(|range| range.1).collect();
            if ranges.iter().skip(1).zip(ends).all(|(next, end)| end <= next.0) {
                parts.list.sort_by_key(Part::bit_range);
            }
        }
        let mut covered = 0;
        let mut zero = false;
        for (start, end) in ranges.into_iter().chain([(u128::from(size) * 8, 0)]) {
            zero |= start > covered && self.has_value(ty, 0, covered, start);
            covered = covered.max(end);
        }
        let parts = parts
            .list
            .into_iter()
            .filter_map(|part| {
                let value = match part.value {
                    PartValue::Expr(expr) => InitValue::Expr(expr),
                    PartValue::String(id) => InitValue::String(id, part.size),
                    PartValue::Zero => InitValue::String(self.empty_string(part.span), part.size),
                    PartValue::Unspecified => InitValue::Unspecified(part.size),
                    PartValue::Constant(_) => return None,
                };
                Some(InitPart { offset: part.offset, bits: part.bits, value, repeat: part.repeat })
            })
            .collect();
        AggregateInit { zero, size, parts }
    }

    /// Returns whether bits in a range belong to the value of an object at an offset in bits, rather than to its padding.
    fn has_value(&self, ty: TypeId, offset: u128, start: u128, end: u128) -> bool {
        let size = u128::from(self.size_of(ty).unwrap_or(0)) * 8;
        let (start, end) = (start.max(offset), end.min(offset + size));
        if start >= end {
            return false;
        }
        match self.shape(ty) {
            Shape::Scalar | Shape::Record { union: true, .. } => true,
            Shape::Array { element, stride, .. } => {
                let stride = u128::from(stride.max(1)) * 8;
                let (first, last) = ((start - offset) / stride, (end - 1 - offset) / stride);
                // Elements in the middle are covered as a whole.
                last > first + 1
                    || [first, last].iter().any(|&index| self.has_value(element, offset + index * stride, start, end))
            }
            Shape::Record { id, .. } => self.types.record(id).fields.iter().any(|field| {
                let at = offset + u128::from(field.offset) * 8;
                match field.bit_width {
                    None => self.has_value(field.ty.ty, at, start, end),
                    Some(width) => {
                        let first = at + u128::from(field.bit_start);
                        field.name.is_some() && first < end && first + u128::from(width) > start
                    }
                }
            }),
        }
    }

    /// Returns a string without characters, which fills its array with zeros.
    fn empty_string(&mut self, span: Span) -> StringId {
        let literal = StringLiteral { units: Vec::new(), prefix: ast::StringPrefix::None };
        match self.string_literal(literal, span).kind {
            PlaceKind::String(id) => id,
            _ => StringId(0),
        }
    }
}

pub(crate) fn push(parts: &mut Parts, part: Part) {
    parts.high = parts.high.max(part.whole_range().1);
    parts.list.push(part);
}

/// Discards the earlier parts of a subobject that is initialised again.
///
/// If a remaining part overlaps the subobject, `whole` zeroes the entire subobject.
pub(crate) fn clear(parts: &mut Parts, slot: Slot, whole: bool, span: Span) {
    let start = u128::from(slot.offset) * 8;
    if start >= parts.high {
        return;
    }
    let (start, end) = match slot.bits {
        Some((first, width)) => (start + u128::from(first), start + u128::from(first) + u128::from(width)),
        None => (start, start + u128::from(slot.size) * 8),
    };
    let mut overlap = false;
    parts.list.retain(|part| {
        let (from, to) = part.whole_range();
        if from >= start && to <= end && from < to {
            return false;
        }
        overlap |= from < end && to > start;
        true
    });
    if overlap && whole {
        let Slot { offset, size, .. } = slot;
        push(parts, Part { offset, bits: None, size, value: PartValue::Zero, repeat: (1, 0), span });
    } else if overlap {
        forget_struct_value(parts, start, end, span);
    }
}

/// Discards a struct value of which one member is initialised again.
///
/// As in gcc, members that are not initialised again are zero.
fn forget_struct_value(parts: &mut Parts, start: u128, end: u128, span: Span) {
    for index in (0..parts.list.len()).rev() {
        let part = &parts.list[index];
        let (from, to) = part.whole_range();
        if from > start || to < end || !matches!(part.value, PartValue::Zero | PartValue::Expr(_)) {
            continue;
        }
        if matches!(part.value, PartValue::Zero) {
            return;
        }
        let (times, distance) = part.repeat;
        if times == 1 {
            parts.list.remove(index);
            return;
        }
        let element = (start - u128::from(part.offset) * 8) / (u128::from(distance.max(1)) * 8);
        let offset = part.offset + u64::try_from(element).unwrap_or(0) * distance;
        let (first, size) = (u128::from(offset) * 8, part.size);
        if first <= start && end <= first + u128::from(size) * 8 && end - start < u128::from(size) * 8 {
            push(parts, Part { offset, bits: None, size, value: PartValue::Zero, repeat: (1, 0), span });
        }
        return;
    }
}
