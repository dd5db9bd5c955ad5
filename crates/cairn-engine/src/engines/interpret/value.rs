//! What a register holds.

use crate::memory::{ObjectId, Pointer};

/// A scalar of up to 64 bits. Wider ones (`i128`, `f80`, `f128`) take two neighbouring registers, low half first.
///
/// Integers are zero-extended to 64 bits and have no object. `meta` is the life of a pointer's object, or has the bit
/// [`Value::UNDEFINED`] when some bits of the value are uninitialised.
///
/// A partly initialised value has no object, so its other fields say which bits those are, and nothing needs more room than
/// an initialised one: `object` and the rest of `meta` hold the mask of bits 0 to 62. Whether bit 63 is uninitialised, too, is
/// said by the lowest uninitialised bit, which has no value to say; without such a bit it is bit 63 that is uninitialised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub bits: u64,
    object: u32,
    meta: u32,
}

impl Value {
    /// The bit of `meta` that says that the value is partly uninitialised. No life of an object has it, so memory refuses such
    /// a pointer by itself.
    pub const UNDEFINED: u32 = 0x8000_0000;

    /// What stands for the address of a variable that is not alive: an uninitialised value.
    pub const NO_ADDRESS: Value = Value { bits: 0, object: 0, meta: Self::UNDEFINED };

    #[inline(always)]
    pub const fn int(bits: u64) -> Self {
        Value { bits, object: 0, meta: 0 }
    }

    /// An integer with the bits that `undefined` has uninitialised.
    #[inline(always)]
    pub const fn partly(bits: u64, undefined: u64) -> Self {
        if undefined == 0 { Value::int(bits) } else { Value::pack(bits, undefined) }
    }

    #[cold]
    const fn pack(bits: u64, undefined: u64) -> Self {
        let low = undefined & (u64::MAX >> 1);
        let lowest = low & low.wrapping_neg();
        let top = if undefined >> 63 != 0 { lowest } else { 0 };
        Value { bits: bits & !undefined | top, object: low as u32, meta: (low >> 32) as u32 | Self::UNDEFINED }
    }

    /// A value of so many bits, none of which is initialised.
    #[inline]
    pub const fn unset(width: u32) -> Self {
        Value::partly(0, u64::MAX >> (64 - if width > 64 { 64 } else { width }))
    }

    #[inline(always)]
    pub const fn is_undefined(self) -> bool {
        self.meta & Self::UNDEFINED != 0
    }

    /// Whether one of two values is partly uninitialised.
    #[inline(always)]
    pub const fn either_undefined(self, other: Value) -> bool {
        (self.meta | other.meta) & Self::UNDEFINED != 0
    }

    /// The bits, zero where they are uninitialised, and which those are.
    #[inline(always)]
    pub const fn parts(self) -> (u64, u64) {
        if self.is_undefined() { self.unpack() } else { (self.bits, 0) }
    }

    #[cold]
    const fn unpack(self) -> (u64, u64) {
        let low = self.object as u64 | ((self.meta & !Self::UNDEFINED) as u64) << 32;
        let lowest = low & low.wrapping_neg();
        let top = low == 0 || self.bits & lowest != 0;
        let undefined = low | (top as u64) << 63;
        (self.bits & !undefined, undefined)
    }

    /// The object that it points to; 0 for none.
    #[inline(always)]
    pub const fn object(self) -> u32 {
        if self.is_undefined() { 0 } else { self.object }
    }

    /// The same pointer at another address; `index` is what the distance was computed from.
    #[inline(always)]
    pub const fn at(self, bits: u64, index: Value) -> Self {
        Value { bits, object: self.object, meta: self.meta | (index.meta & Self::UNDEFINED) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_says_which_bits_are_uninitialised() {
        let masks =
            [0, 1, 2, 1 << 31, 1 << 32, 1 << 62, 1 << 63, 3 << 62, (1 << 63) | 1, 0xff00, u64::MAX, u64::MAX >> 1];
        for bits in [0, 1, u64::MAX, 0x8000_0000_0000_0000, 0x0123_4567_89ab_cdef] {
            for undefined in masks {
                let value = Value::partly(bits, undefined);
                assert_eq!(value.parts(), (bits & !undefined, undefined), "{bits:#x} {undefined:#x}");
                assert_eq!(value.is_undefined(), undefined != 0);
                assert_eq!(value.object(), 0);
            }
        }
        assert_eq!(Value::unset(8).parts(), (0, 0xff));
        assert_eq!(Value::unset(80).parts(), (0, u64::MAX));
        assert!(Value::NO_ADDRESS.is_undefined());
        assert_eq!(size_of::<Value>(), 16);
    }
}
