//! The limits of the analysis of library functions.

/// The number of blocks that are executed for one function.
///
/// Functions of real libraries are covered after a few hundred; the rest of the budget goes to combinations of branches.
pub(crate) const STEPS: u64 = 6_000;

/// The number of states that may wait for one function. The least promising ones are dropped.
pub(crate) const WAITING: usize = 3_000;

/// The number of times that one branch of one call may be decided either way, and the depth of recursion.
pub(crate) const ITERATIONS: u32 = 4;

/// The depth of calls. Deeper calls return any value and may do anything with their arguments.
pub(crate) const CALL_DEPTH: usize = 12;

/// The assumed size of objects that callers pass. The replay gives each the bytes that the execution accesses.
pub(crate) const INPUT_SIZE: u64 = 1 << 20;

/// The id of the first object that stands for an input. Ids of other objects count up from 1.
pub(crate) const FIRST_INPUT: u32 = 1 << 24;

/// The number of values that an offset or a size is split into. A library function is tried on a few.
pub(crate) const SPLITS: u32 = 4;

/// The number of conflicts of one solver query. Paths whose feasibility is harder to decide are dropped.
pub(crate) const CONFLICTS: u64 = 2_000;

/// The number of replays for candidates at one location.
pub(crate) const REPLAYS: u32 = 4;

/// The number of instructions of a replay.
pub(crate) const REPLAY_STEPS: u64 = 2_000_000;

/// The bytes that a replay may allocate.
pub(crate) const REPLAY_MEMORY: u64 = 256 << 20;

/// The depth of calls in a replay.
pub(crate) const REPLAY_DEPTH: u32 = 2_000;

/// The number of bytes behind a typed pointer that an unknown function overwrites one by one. Larger objects become unknown as a whole.
pub(crate) const WRITTEN_BYTES: u64 = 256;

/// The length of chains of pointers that an unknown function follows from its arguments.
pub(crate) const CHAIN: usize = 4;

/// The assumed size of an object that a function without a body makes.
pub(crate) const MADE_BYTES: u64 = 4096;

/// The number of callers that a fault is shown for, where it depends on what they pass.
pub(crate) const CALLERS: usize = 3;
