//! The limits of the interpreter.

/// The default limit on the bytes of live objects: most of the memory of a small machine.
pub(crate) const MAX_MEMORY: u64 = 4 << 30;

/// The default limit on the depth of calls. It exceeds what a stack of 8 megabytes holds for all but tiny frames.
pub(crate) const MAX_DEPTH: u32 = 100_000;

/// The number of tombstones before the first sweep. They take about 160 bytes each, so that a sweep is worth its time.
pub(crate) const FIRST_SWEEP: usize = 1 << 20;

/// The number of size classes of variable arguments whose objects are pooled. Few calls pass more arguments.
pub(crate) const POOLED_SIZES: usize = 64;

/// The longest text that one call of `printf` may produce. A longer one is a mistake and would exhaust the memory.
pub(crate) const MAX_PRINTED: usize = 256 << 20;

/// The number of leaked objects of one allocation site that a message names.
pub(crate) const NAMED_LEAKS: usize = 4;

/// The number of steps of a trace that are kept from the start of an execution, and from its end.
///
/// A reader needs both ends of a long trace, and reports stay within some megabytes.
pub(crate) const TRACE_END_STEPS: usize = 20_000;

/// The number of arguments of a call that a trace shows, so that a step fits on a line.
pub(crate) const SHOWN_ARGUMENTS: usize = 6;

/// The number of operations that are logged for slicing, the last ones. They take about 50 megabytes.
pub(crate) const LOGGED_OPERATIONS: usize = 1 << 19;

/// The number of relevant assignments that a trace shows, the last ones.
pub(crate) const SHOWN_ASSIGNMENTS: usize = 2_000;

/// The size of the largest copy whose source bytes a slice follows. Larger copies move data, seldom a wrong pointer.
pub(crate) const MAX_COPIED_BYTES: u64 = 4096;

/// The number of values per case that a dense switch table may span, so that tables stay small.
pub(crate) const DENSE_SPAN: i128 = 8;

/// The number of instructions after the start of a register's lifetime that are searched for its first assignment.
///
/// The assignment usually follows at once, and the search is repeated for every lifetime.
pub(crate) const LOOK_AHEAD: usize = 16;

/// The strings of an argument list that a step of a trace shows. The step stays readable.
pub const SHOWN_STRINGS: usize = 12;

/// The bytes of a string that a step of a trace shows. The step stays readable.
pub const SHOWN_STRING_BYTES: usize = 60;

/// The size of the largest object whose uninitialised bytes a function without a definition may initialise, as in symbolic execution.
pub(crate) const MAX_RESULT_BYTES: usize = 1024;
