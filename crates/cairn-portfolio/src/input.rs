//! The choices of the environment that lead to a violation.

/// One choice of the environment. An execution makes its choices in a fixed order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// A nondeterministic value.
    Value(u128),
    /// Whether an allocation succeeds.
    Allocation(bool),
    /// The bytes at an offset of an object that the program never wrote. The object is named by the number of its life.
    Leftover(u64, u64, Vec<u8>),
    /// An object has the address of one that was freed before. Both are named by the numbers of their lives.
    Reused(u64, u64),
}
