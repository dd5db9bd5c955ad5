//! Sizes, alignments and member offsets as gcc computes them on x86 (System V ABI for i386 and x86-64).
//!
//! `tests/layout_gcc.rs` compares the layout of records with gcc's.

use crate::ctype::{
    ArrayLen, DecimalKind, Field, FloatKind, IntKind, QualType, Quals, RecordId, Type, TypeId, TypeTable,
};
use crate::inst::Ty;

/// The data model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Target {
    /// 32-bit int, long and pointer (i386).
    Ilp32,
    /// 64-bit long and pointer (x86-64).
    #[default]
    Lp64,
}

impl Target {
    /// Returns the width of a pointer in bits.
    pub const fn pointer_bits(self) -> u32 {
        match self {
            Target::Ilp32 => 32,
            Target::Lp64 => 64,
        }
    }
}

/// Returns the width of an integer type in bits (8 for `_Bool`).
pub const fn int_bits(kind: IntKind, target: Target) -> u32 {
    match kind {
        IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar => 8,
        IntKind::Short | IntKind::UShort => 16,
        IntKind::Int | IntKind::UInt => 32,
        IntKind::Long | IntKind::ULong => target.pointer_bits(),
        IntKind::LongLong | IntKind::ULongLong => 64,
        IntKind::Int128 | IntKind::UInt128 => 128,
        IntKind::Field { width, .. } | IntKind::BitInt { width, .. } => width as u32,
    }
}

/// Returns the width of the register that holds a value of an integer type.
///
/// Only a bit-field or a `_BitInt` can be narrower than its register.
pub const fn int_register_bits(kind: IntKind, target: Target) -> u32 {
    let bits = int_bits(kind, target).next_power_of_two();
    if bits < 8 { 8 } else { bits }
}

const fn int_size(kind: IntKind, target: Target) -> u64 {
    // A `_BitInt` of more than 64 bits consists of whole machine words.
    if let IntKind::BitInt { width: width @ 65.., .. } = kind {
        return (width as u64).next_multiple_of(target.pointer_bits() as u64) / 8;
    }
    (int_register_bits(kind, target) / 8) as u64
}

/// Returns whether an integer type is signed; plain `char` is.
pub const fn int_signed(kind: IntKind) -> bool {
    matches!(
        kind,
        IntKind::Char
            | IntKind::SChar
            | IntKind::Short
            | IntKind::Int
            | IntKind::Long
            | IntKind::LongLong
            | IntKind::Int128
            | IntKind::Field { signed: true, .. }
            | IntKind::BitInt { signed: true, .. }
    )
}

/// Returns the register type of a floating type.
pub const fn float_ty(kind: FloatKind) -> Ty {
    match kind {
        FloatKind::Float16 => Ty::F16,
        FloatKind::Float => Ty::F32,
        FloatKind::Double => Ty::F64,
        FloatKind::LongDouble => Ty::F80,
        FloatKind::Float128 => Ty::F128,
    }
}

/// Returns the register type of a scalar C type, or `None` for any other type.
///
/// An enumeration has the register type of its representation, and `_Bool` has `i8`.
pub fn scalar_ty(types: &TypeTable, target: Target, ty: TypeId) -> Option<Ty> {
    match *types.get(ty) {
        Type::Int(kind) => Ty::int(int_register_bits(kind, target)),
        Type::Float(kind) => Some(float_ty(kind)),
        Type::Decimal(kind) => Ty::int(decimal_size(kind) as u32 * 8),
        Type::Pointer(_) => Some(Ty::Ptr),
        Type::Enum(id) => Ty::int(int_register_bits(types.enumeration(id).repr, target)),
        _ => None,
    }
}

/// Returns the size in bytes of a complete type of constant size, or `None` for any other type.
///
/// As in gcc, the size of `void` and of functions is 1. An array whose size exceeds `u64` or half the target's address
/// space has no size.
pub fn size_of(types: &TypeTable, target: Target, ty: TypeId) -> Option<u64> {
    match measure(types, target, ty) {
        Size::Known(size) => Some(size),
        Size::Unknown | Size::Variable | Size::TooLarge => None,
    }
}

/// Returns the minimum alignment of an object of this type (`_Alignof`); 1 for incomplete types.
pub fn align_of(types: &TypeTable, target: Target, ty: TypeId) -> u64 {
    member_align(types, target, QualType::plain(ty))
}

/// Returns the preferred alignment (`__alignof__`), which is 8 for `double` and `long long` under ILP32.
pub fn preferred_align_of(types: &TypeTable, target: Target, ty: TypeId) -> u64 {
    let element = element_of(types, QualType::plain(ty));
    let least = member_align(types, target, element);
    match *types.get(element.ty) {
        Type::Int(kind) => least.max(preferred_int_align(kind, target)),
        Type::Enum(id) => least.max(preferred_int_align(types.enumeration(id).repr, target)),
        Type::Float(FloatKind::Double) => least.max(8),
        Type::Complex(real) => preferred_align_of(types, target, real),
        _ => least,
    }
}

/// Computes the offsets, bit positions, size and alignment of a complete record with complete members.
///
/// A record that is too large for the target gets the size `u64::MAX`, for which [`size_of`] returns `None`.
pub fn layout_record(types: &mut TypeTable, target: Target, record: RecordId) {
    let Some(slot) = types.records.get_mut(record.0 as usize) else { return };
    // Take the members out so that the table stays readable while they change.
    let mut fields = std::mem::take(&mut slot.fields);
    let mut state = RecordLayout {
        union: slot.union,
        packed: slot.packed,
        pragma_pack: slot.pragma_pack,
        align: slot.min_align.max(1),
        at: 0,
        size: 0,
        variable: false,
    };
    for field in &mut fields {
        state.place(types, target, field);
    }
    let bytes = state.size.div_ceil(8).next_multiple_of(u128::from(state.align));
    let slot = &mut types.records[record.0 as usize];
    slot.fields = fields;
    slot.align = state.align;
    slot.variable = state.variable;
    slot.size = u64::try_from(bytes).unwrap_or(u64::MAX);
}

/// The size of a type, as far as it is a constant.
enum Size {
    /// A constant size.
    Known(u64),
    /// The type is incomplete or an array of unknown length.
    Unknown,
    /// The size depends on values at run time.
    Variable,
    /// The size exceeds the largest possible object.
    TooLarge,
}

/// Returns the largest size of an object: half the address space, so that pointer differences fit.
const fn largest_size(target: Target) -> u64 {
    match target {
        Target::Ilp32 => i32::MAX as u64,
        Target::Lp64 => i64::MAX as u64,
    }
}

fn measure(types: &TypeTable, target: Target, ty: TypeId) -> Size {
    // Iterate instead of recursing: the program may nest arrays to any depth.
    let (mut ty, mut count) = (ty, Some(1u64));
    let (mut variable, mut unknown, mut empty) = (false, false, false);
    while let Type::Array(element, len) = *types.get(ty) {
        match len {
            ArrayLen::Fixed(len) => {
                empty |= len == 0;
                count = count.and_then(|c| c.checked_mul(len.max(1)));
            }
            ArrayLen::Unknown => unknown = true,
            ArrayLen::Variable(_) => variable = true,
        }
        ty = element.ty;
    }
    let pointer = u64::from(target.pointer_bits() / 8);
    let one = match *types.get(ty) {
        Type::Void | Type::Function(_) => 1,
        Type::Int(kind) => int_size(kind, target),
        Type::Float(kind) => float_size(kind, target),
        Type::Decimal(kind) => decimal_size(kind),
        Type::Complex(real) => match measure(types, target, real) {
            Size::Known(size) => 2 * size,
            other => return other,
        },
        Type::Pointer(_) => pointer,
        Type::Vector(_, size) => size,
        Type::Enum(id) => {
            let enumeration = types.enumeration(id);
            if !enumeration.complete {
                return Size::Unknown;
            }
            int_size(enumeration.repr, target)
        }
        Type::Record(id) => {
            let record = types.record(id);
            if !record.complete {
                return Size::Unknown;
            }
            variable |= record.variable;
            record.size
        }
        Type::Array(..) | Type::Error => return Size::Unknown,
    };
    if unknown {
        return Size::Unknown;
    }
    if variable {
        return Size::Variable;
    }
    match count.and_then(|c| c.checked_mul(one)) {
        // gcc rejects even an empty array whose element size is too large. Such an element fails the test by itself.
        _ if empty && one <= largest_size(target) => Size::Known(0),
        Some(size) if size <= largest_size(target) => Size::Known(size),
        _ => Size::TooLarge,
    }
}

/// Returns the innermost element type of a possibly nested array; any other type is returned unchanged.
fn element_of(types: &TypeTable, ty: QualType) -> QualType {
    let mut element = ty;
    while let Type::Array(inner, _) = *types.get(element.ty) {
        element = inner;
    }
    element
}

/// Returns the alignment of a struct member of this type without attributes.
fn member_align(types: &TypeTable, target: Target, ty: QualType) -> u64 {
    let element = element_of(types, ty);
    let align = match *types.get(element.ty) {
        Type::Int(kind) => int_align(kind, target),
        Type::Enum(id) => int_align(types.enumeration(id).repr, target),
        Type::Float(kind) => float_align(kind, target),
        Type::Decimal(kind) => decimal_size(kind),
        Type::Complex(real) => member_align(types, target, QualType::plain(real)),
        Type::Pointer(_) => u64::from(target.pointer_bits() / 8),
        Type::Vector(_, size) => size.max(1),
        Type::Record(id) => types.record(id).align.max(1),
        Type::Void | Type::Function(_) | Type::Array(..) | Type::Error => 1,
    };
    if element.quals.has(Quals::ATOMIC) {
        // An atomic object is aligned to its size if the machine can access that size in one operation.
        if let Size::Known(size @ (1 | 2 | 4 | 8 | 16)) = measure(types, target, element.ty) {
            return align.max(size);
        }
    }
    align
}

const fn int_align(kind: IntKind, target: Target) -> u64 {
    if let IntKind::BitInt { width: 65.., .. } = kind {
        return (target.pointer_bits() / 8) as u64;
    }
    let bytes = int_size(kind, target);
    match target {
        Target::Ilp32 if bytes == 8 => 4,
        _ => bytes,
    }
}

const fn preferred_int_align(kind: IntKind, target: Target) -> u64 {
    match kind {
        IntKind::BitInt { width: 65.., .. } => int_align(kind, target),
        _ => int_size(kind, target),
    }
}

const fn decimal_size(kind: DecimalKind) -> u64 {
    match kind {
        DecimalKind::Decimal32 => 4,
        DecimalKind::Decimal64 => 8,
        DecimalKind::Decimal128 => 16,
    }
}

const fn float_size(kind: FloatKind, target: Target) -> u64 {
    match (kind, target) {
        (FloatKind::Float16, _) => 2,
        (FloatKind::Float, _) => 4,
        (FloatKind::Double, _) => 8,
        (FloatKind::LongDouble, Target::Ilp32) => 12,
        (FloatKind::LongDouble, Target::Lp64) | (FloatKind::Float128, _) => 16,
    }
}

const fn float_align(kind: FloatKind, target: Target) -> u64 {
    match (kind, target) {
        (FloatKind::Double | FloatKind::LongDouble, Target::Ilp32) => 4,
        _ => float_size(kind, target),
    }
}

/// A struct or union under construction. Positions count bits in `u128`, which holds any sum of member sizes.
struct RecordLayout {
    union: bool,
    packed: bool,
    pragma_pack: u64,
    /// The alignment in bytes.
    align: u64,
    /// The bit position at which the next member of a struct may begin.
    at: u128,
    /// The end of the furthest member, in bits.
    size: u128,
    variable: bool,
}

impl RecordLayout {
    fn place(&mut self, types: &TypeTable, target: Target, field: &mut Field) {
        let (align_bits, size_bits) = match field.bit_width {
            Some(width) => (self.place_bits(types, target, field, width), u128::from(width)),
            None => {
                let align = self.field_align(types, target, field);
                self.align = self.align.max(align);
                let size = match measure(types, target, field.ty.ty) {
                    Size::Known(size) => size,
                    Size::Unknown => 0,
                    Size::Variable => {
                        self.variable = true;
                        0
                    }
                    Size::TooLarge => u64::MAX,
                };
                (u128::from(align) * 8, u128::from(size) * 8)
            }
        };
        let start = if self.union { 0 } else { self.at.next_multiple_of(align_bits) };
        field.offset = u64::try_from(start / 8).unwrap_or(u64::MAX);
        field.bit_start = (start % 8) as u8;
        self.at = start + size_bits;
        self.size = self.size.max(self.at);
    }

    /// Returns the alignment of an ordinary member in bytes.
    ///
    /// A member's explicit alignment overrides `packed`. `#pragma pack` limits the explicit alignment too.
    fn field_align(&self, types: &TypeTable, target: Target, field: &Field) -> u64 {
        let align = if field.packed || self.packed {
            field.align.max(1)
        } else {
            member_align(types, target, field.ty).max(field.align)
        };
        self.cap(align)
    }

    fn cap(&self, align: u64) -> u64 {
        if self.pragma_pack == 0 { align } else { align.min(self.pragma_pack) }
    }

    /// Returns the alignment in bits of a bit-field at the current position, and updates the alignment of the record.
    ///
    /// The target sets gcc's `PCC_BITFIELD_TYPE_MATTERS`: a bit-field may not touch more units of its type's alignment
    /// than an object of that type does. A named bit-field aligns the record as such an object would.
    fn place_bits(&mut self, types: &TypeTable, target: Target, field: &Field, width: u32) -> u128 {
        let type_align = member_align(types, target, field.ty);
        if width == 0 {
            // Neither packing attributes nor the pragma affect a zero-width bit-field, and it does not align the
            // record.
            return u128::from(type_align.max(field.align)) * 8;
        }
        let packed = field.packed || self.packed;
        let mut asked = field.align;
        if asked != 0 && width == 64 && target == Target::Ilp32 && !packed && (self.union || self.at.is_multiple_of(64))
        {
            // gcc treats this field as an integer and keeps that integer's alignment because the user requested one.
            asked = asked.max(8);
        }
        let own = if asked == 0 { 1 } else { u128::from(self.cap(asked)) * 8 };
        if field.name.is_some() {
            let natural = match (self.pragma_pack, packed) {
                (0, true) => 1,
                _ => self.cap(type_align),
            };
            self.align = self.align.max(natural).max(self.cap(asked));
        }
        if packed || self.pragma_pack != 0 || self.union {
            return own;
        }
        let unit = u128::from(type_align) * 8;
        let type_bits = match measure(types, target, field.ty.ty) {
            Size::Known(size) => u128::from(size) * 8,
            _ => unit,
        };
        let start = self.at.next_multiple_of(own);
        let touched = (start % unit + u128::from(width)).div_ceil(unit);
        if touched > type_bits / unit { own.max(unit) } else { own }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctype::{Record, VlaId};

    fn array(types: &mut TypeTable, element: TypeId, len: ArrayLen) -> TypeId {
        types.intern(Type::Array(QualType::plain(element), len))
    }

    fn record(types: &mut TypeTable, target: Target, members: &[TypeId]) -> TypeId {
        let field = |&ty| Field {
            name: Some("f".into()),
            ty: QualType::plain(ty),
            bit_width: None,
            packed: false,
            align: 0,
            offset: 0,
            bit_start: 0,
        };
        types.records.push(Record {
            tag: None,
            union: false,
            complete: true,
            fields: members.iter().map(field).collect(),
            packed: false,
            pragma_pack: 0,
            min_align: 0,
            transparent: false,
            size: 0,
            align: 0,
            variable: false,
        });
        let id = RecordId(types.records.len() as u32 - 1);
        layout_record(types, target, id);
        types.intern(Type::Record(id))
    }

    #[test]
    fn impossible_sizes_are_none() {
        let mut types = TypeTable::default();
        let half = array(&mut types, TypeId::CHAR, ArrayLen::Fixed(1 << 31));
        assert_eq!(size_of(&types, Target::Lp64, half), Some(1 << 31));
        assert_eq!(size_of(&types, Target::Ilp32, half), None);
        let huge = array(&mut types, half, ArrayLen::Fixed(u64::MAX));
        assert_eq!(size_of(&types, Target::Lp64, huge), None);
        let most = array(&mut types, TypeId::CHAR, ArrayLen::Fixed(i64::MAX as u64));
        let sum = record(&mut types, Target::Lp64, &[most, most, TypeId::INT]);
        assert_eq!(size_of(&types, Target::Lp64, sum), None);
        let nested = record(&mut types, Target::Lp64, &[huge, sum, TypeId::INT]);
        assert_eq!(size_of(&types, Target::Lp64, nested), None);
        let none = array(&mut types, half, ArrayLen::Fixed(0));
        let many = array(&mut types, none, ArrayLen::Fixed(5));
        assert_eq!(size_of(&types, Target::Lp64, many), Some(0));
    }

    #[test]
    fn incomplete_and_variable_types_have_no_size() {
        let mut types = TypeTable::default();
        let open = array(&mut types, TypeId::INT, ArrayLen::Unknown);
        assert_eq!(size_of(&types, Target::Lp64, open), None);
        let variable = array(&mut types, TypeId::INT, ArrayLen::Variable(VlaId(0)));
        assert_eq!(size_of(&types, Target::Lp64, variable), None);
        let holder = record(&mut types, Target::Lp64, &[TypeId::INT, variable]);
        assert_eq!(size_of(&types, Target::Lp64, holder), None);
        let Type::Record(id) = *types.get(holder) else { panic!("it is a record") };
        assert!(types.record(id).variable);
        assert_eq!(size_of(&types, Target::Lp64, TypeId::ERROR), None);
        assert_eq!(size_of(&types, Target::Lp64, TypeId::VOID), Some(1));
        assert_eq!(align_of(&types, Target::Lp64, open), 4);
    }

    #[test]
    fn deeply_nested_arrays_are_measured_without_recursion() {
        let mut types = TypeTable::default();
        let mut ty = TypeId::INT;
        for _ in 0..200_000 {
            ty = array(&mut types, ty, ArrayLen::Fixed(1));
        }
        assert_eq!(size_of(&types, Target::Lp64, ty), Some(4));
        assert_eq!(preferred_align_of(&types, Target::Lp64, ty), 4);
    }

    #[test]
    fn scalars_have_register_types() {
        let types = TypeTable::default();
        assert_eq!(scalar_ty(&types, Target::Ilp32, TypeId::LONG), Some(Ty::I32));
        assert_eq!(scalar_ty(&types, Target::Lp64, TypeId::LONG), Some(Ty::I64));
        assert_eq!(scalar_ty(&types, Target::Lp64, TypeId::BOOL), Some(Ty::I8));
        assert_eq!(scalar_ty(&types, Target::Lp64, TypeId::LONG_DOUBLE), Some(Ty::F80));
        assert_eq!(scalar_ty(&types, Target::Lp64, TypeId::CHAR_PTR), Some(Ty::Ptr));
        assert_eq!(scalar_ty(&types, Target::Lp64, TypeId::VOID), None);
    }
}
