//! The limits of symbolic execution.

/// The number of values that an offset or a size is split into before the path is given up.
///
/// This suffices for one value per element of a small array.
pub const MAX_SPLITS: u32 = 64;

/// The number of states that may wait at once. At a few kilobytes each, they stay within a few gigabytes.
pub const MAX_WAITING: usize = 200_000;

/// The deepest call stack. Deeper calls end the path.
///
/// Recursion this deep is usually unbounded, and each state holds all of its frames.
pub(crate) const MAX_CALL_DEPTH: usize = 2_000;

/// The number of bytes of a global without a definition that become inputs.
///
/// Each byte is a variable of its own. Larger globals are rare, and the bytes beyond count as uninitialised.
pub(crate) const MAX_INPUT_BYTES: u64 = 1 << 20;

/// The number of offsets that one exact access may choose between.
///
/// The access yields a term of this size. Tables of one entry per byte value are still exact.
pub(crate) const MAX_EXACT_OFFSETS: u128 = 256;

/// The number of possible offsets of a symbolic access that are told apart.
///
/// This is less than for exact accesses, because a proof joins and compares the resulting terms again and again.
pub(crate) const MAX_SYMBOLIC_OFFSETS: u64 = 32;

/// The number of known byte ranges that constrain a read at a symbolic offset. Each adds a clause to the path.
pub(crate) const MAX_KNOWN_RANGES: usize = 24;

/// The number of accesses at symbolic offsets that an object remembers.
///
/// Every write asks the solver about each of them.
pub(crate) const MAX_INDEXED: usize = 8;

/// The number of bytes that are searched for the end of a string, which bounds the cost of one `strlen`.
pub(crate) const MAX_STRING_SEARCH: u64 = 1 << 16;

/// The greatest offset at which a symbolic access is looked at byte by byte.
///
/// No object is that large. A greater bound results from a sum that may wrap around.
pub(crate) const MAX_OFFSET: u128 = 1 << 40;

/// The widest field of `printf` whose padding is written out, as one term per byte.
pub(crate) const MAX_FIELD_WIDTH: usize = 4096;

/// The number of levels of operands from which facts about a term are derived. Addresses are a sum of a scaled index.
pub(crate) const FACT_DEPTH: u32 = 3;

/// The number of conflicts that the inner solver may use before the linear solver tries.
///
/// Fewer conflicts are cheaper than a translation to integers.
pub(crate) const EASY_CONFLICTS: u64 = 200;

/// The number of cases that the linear solver splits disjunctions into. Each case is an integer problem of its own.
pub(crate) const MAX_CASES: u32 = 400;

/// The widest terms that the linear solver translates: the product of two such numbers fits into an `i128`.
pub(crate) const MAX_LINEAR_WIDTH: u32 = 64;

/// The number of rounds in which the linear solver propagates bounds. Most are found after a few.
pub(crate) const BOUND_ROUNDS: u32 = 3;

/// The number of steps of the first dive of a search. Dives grow from there.
///
/// It is short enough to leave most of a small budget to the bounded search.
pub(crate) const FIRST_DIVE: u64 = 2_000;

/// The length that is tried first where callers decide how many bytes are copied or filled.
pub const SMALL_LENGTH: u64 = 64;

/// The largest length that callers may decide. Each byte costs memory.
pub const LONGEST_ASSUMED: u64 = 1 << 16;

/// The bytes of an object of unknown size that one copy takes over.
///
/// The assumed size of such an object is far above the real one, and every copied byte costs a variable.
pub const COPIED_INPUT: u64 = 1024;

/// The size of the largest object whose uninitialised bytes a function without a body may initialise. Each byte costs a variable.
pub const MAX_RESULT_BYTES: u128 = 1024;
