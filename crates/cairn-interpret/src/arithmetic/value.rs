//! Register values.

use cairn_memory::{ObjectId, Pointer};

/// A scalar of up to 64 bits.
///
/// Wider values (`i128`, `f80`, `f128`) take two neighbouring registers, low half first. Integers are zero-extended
/// to 64 bits and have no object. `meta` is the lifetime number of a pointer's object, or has the bit
/// [`Value::UNDEFINED`] if some bits of the value are uninitialised.
///
/// A partly initialised value has no object, so its fields are free to hold the mask of uninitialised bits. `object`
/// and the rest of `meta` hold the mask of bits 0 to 62. The lowest uninitialised bit of these, which has no value of
/// its own, tells whether bit 63 is uninitialised as well. If there is no such bit, bit 63 is the uninitialised one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub bits: u64,
    object: u32,
    meta: u32,
}

impl Value {
    /// The bit of `meta` that marks a partly uninitialised value.
    ///
    /// No lifetime number has this bit, so memory refuses such a pointer without a further test.
    pub const UNDEFINED: u32 = 0x8000_0000;

    /// The address of a variable that is not live: an uninitialised value.
    pub const NO_ADDRESS: Value = Value { bits: 0, object: 0, meta: Self::UNDEFINED };

    #[inline(always)]
    pub const fn int(bits: u64) -> Self {
        Value { bits, object: 0, meta: 0 }
    }

    /// Creates an integer with a mask of uninitialised bits.
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

    /// Creates a wholly uninitialised value of `width` bits.
    #[inline]
    pub const fn unset(width: u32) -> Self {
        Value::partly(0, u64::MAX >> (64 - if width > 64 { 64 } else { width }))
    }

    #[inline(always)]
    pub const fn is_undefined(self) -> bool {
        self.meta & Self::UNDEFINED != 0
    }

    /// Returns whether one of two values is partly uninitialised.
    #[inline(always)]
    pub const fn either_undefined(self, other: Value) -> bool {
        (self.meta | other.meta) & Self::UNDEFINED != 0
    }

    /// Returns the bits, zero where they are uninitialised, and the mask of uninitialised bits.
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

    /// Returns the object that the value points to; 0 for none.
    #[inline(always)]
    pub const fn object(self) -> u32 {
        if self.is_undefined() { 0 } else { self.object }
    }

    /// Returns the pointer at another address, where `index` is the value that the distance was computed from.
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
    fn values_track_uninitialised_bits() {
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
