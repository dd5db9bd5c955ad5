//! Pointers: an address and the object that it was derived from.

/// The index of an object in the object table; 0 stands for no object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object: the object of null, and of integers that are not the address of anything.
    pub const NONE: ObjectId = ObjectId(0);

    /// Returns whether this is an object.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// A pointer value.
///
/// When a block is entered again, a stack variable is revived in the same table entry, unless a stored pointer can
/// reach it. `life` tells these lifetimes apart: a pointer in a register to an earlier lifetime is dangling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The bits of the address.
    pub address: u64,
    /// The object that the pointer was derived from.
    pub object: ObjectId,
    /// The number of the lifetime of that object.
    pub life: u32,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer::without_object(0);

    /// Creates a pointer without an object.
    pub const fn without_object(address: u64) -> Self {
        Pointer { address, object: ObjectId::NONE, life: 0 }
    }

    /// Returns the pointer advanced by some bytes, in wrapping 64-bit arithmetic.
    pub const fn plus(self, bytes: u64) -> Self {
        Pointer { address: self.address.wrapping_add(bytes), ..self }
    }
}
