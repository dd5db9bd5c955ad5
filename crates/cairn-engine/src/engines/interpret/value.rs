//! What a register holds.

use crate::memory::{ObjectId, Pointer};

/// A scalar of up to 64 bits. Wider ones (`i128`, `f80`, `f128`) take two neighbouring registers, low half first.
///
/// Integers are zero-extended to 64 bits and have no object. `meta` is the life of a pointer's object, plus
/// [`Value::UNDEFINED`] when the value is uninitialised; so the definedness of a result is an *or* of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub bits: u64,
    pub object: u32,
    pub meta: u32,
}

impl Value {
    /// The bit of `meta` that says that the value is uninitialised. No life of an object has it, so memory refuses an
    /// undefined pointer by itself.
    pub const UNDEFINED: u32 = 0x8000_0000;

    pub const UNDEF: Value = Value { bits: 0, object: 0, meta: Self::UNDEFINED };

    #[inline(always)]
    pub const fn int(bits: u64) -> Self {
        Value { bits, object: 0, meta: 0 }
    }

    /// An integer that is undefined when the bit is set in `meta`.
    #[inline(always)]
    pub const fn with_meta(bits: u64, meta: u32) -> Self {
        Value { bits, object: 0, meta: meta & Self::UNDEFINED }
    }

    #[inline(always)]
    pub const fn loaded(bits: u64, defined: bool) -> Self {
        Value { bits, object: 0, meta: if defined { 0 } else { Self::UNDEFINED } }
    }

    #[inline(always)]
    pub const fn is_undefined(self) -> bool {
        self.meta & Self::UNDEFINED != 0
    }

    #[inline(always)]
    pub const fn pointer(self) -> Pointer {
        Pointer { address: self.bits, object: ObjectId(self.object), life: self.meta }
    }
}

impl From<Pointer> for Value {
    #[inline(always)]
    fn from(pointer: Pointer) -> Self {
        Value { bits: pointer.address, object: pointer.object.0, meta: pointer.life }
    }
}
