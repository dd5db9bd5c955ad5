//! Pointers: an address and the object it was made from.

/// An entry of the table of objects. 0 is no object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object: null, and integers that are no address of anything.
    pub const NONE: ObjectId = ObjectId(0);

    /// Whether it names an object.
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// A pointer value.
///
/// A stack variable that no stored pointer can reach is brought back to life in the same entry of the table when its block
/// is entered again. `life` tells those lives apart: a pointer kept in a register from an earlier one is stale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pointer {
    /// The address bits.
    pub address: u64,
    /// The object that it was made from.
    pub object: ObjectId,
    /// Which life of that object.
    pub life: u32,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer::without_object(0);

    /// An address that points to nothing.
    pub const fn without_object(address: u64) -> Self {
        Pointer { address, object: ObjectId::NONE, life: 0 }
    }

    /// The pointer that many bytes further, in the address arithmetic of 64 bits.
    pub const fn plus(self, bytes: u64) -> Self {
        Pointer { address: self.address.wrapping_add(bytes), ..self }
    }
}
