//! Sizes, alignments and member offsets as gcc lays types out on x86 (System V ABI, i386 and x86-64).

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
    /// Bits of a pointer.
    pub const fn pointer_bits(self) -> u32 {
        match self {
            Target::Ilp32 => 32,
            Target::Lp64 => 64,
        }
    }
}

use crate::ctype::{FloatKind, IntKind, RecordId, TypeId, TypeTable};
use crate::inst::Ty;

/// Bits of an integer type (8 for `_Bool`).
pub const fn int_bits(kind: IntKind, target: Target) -> u32 {
    match kind {
        IntKind::Bool | IntKind::Char | IntKind::SChar | IntKind::UChar => 8,
        IntKind::Short | IntKind::UShort => 16,
        IntKind::Int | IntKind::UInt => 32,
        IntKind::Long | IntKind::ULong => target.pointer_bits(),
        IntKind::LongLong | IntKind::ULongLong => 64,
        IntKind::Int128 | IntKind::UInt128 => 128,
    }
}

/// Whether an integer type is signed; plain `char` is.
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
    )
}

/// The register type of a floating type.
pub const fn float_ty(kind: FloatKind) -> Ty {
    match kind {
        FloatKind::Float16 => Ty::F16,
        FloatKind::Float => Ty::F32,
        FloatKind::Double => Ty::F64,
        FloatKind::LongDouble => Ty::F80,
        FloatKind::Float128 => Ty::F128,
    }
}

/// The register type of a scalar C type (enums by their representation, `_Bool` as `i8`); `None` for all others.
pub fn scalar_ty(_types: &TypeTable, _target: Target, _ty: TypeId) -> Option<Ty> {
    todo!()
}

/// Bytes of a complete type of constant size (`void` and functions: 1, as gcc says); `None` for all others. An array whose
/// size does not fit `u64` (or half the address space of the target) has none either.
pub fn size_of(_types: &TypeTable, _target: Target, _ty: TypeId) -> Option<u64> {
    todo!()
}

/// `_Alignof`: the least alignment that an object (a struct member) of this type has; 1 for incomplete types.
pub fn align_of(_types: &TypeTable, _target: Target, _ty: TypeId) -> u64 {
    todo!()
}

/// `__alignof__`: the preferred alignment (8 for `double` and `long long` under ILP32).
pub fn preferred_align_of(_types: &TypeTable, _target: Target, _ty: TypeId) -> u64 {
    todo!()
}

/// Computes offsets, bit positions, size and alignment of a complete record whose members are complete.
pub fn layout_record(_types: &mut TypeTable, _target: Target, _record: RecordId) {
    todo!()
}
