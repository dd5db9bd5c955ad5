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

/// The steps of a story: about as many lines as a reader takes in at one glance.
pub(crate) const STORY_STEPS: usize = 10;

/// The calls among the steps of a story. Recursion would fill it with calls otherwise.
pub(crate) const STORY_CALLS: usize = 4;

/// The dereferences in the name of an object. A longer way along one field is counted, as in "node 5 of `list`".
pub(crate) const NAMED_HOPS: usize = 3;

/// The objects that are searched for the name of an object. A reader would not follow a longer way.
pub(crate) const NAMED_OBJECTS: usize = 2_000;

/// The parts of a type that names and pictures consider, so that a huge struct costs little.
pub(crate) const NAMED_PARTS: usize = 64;

/// The elements of an array that names and pictures consider: the first ones tell what the array is about.
pub(crate) const NAMED_ELEMENTS: u64 = 8;

/// The objects of a picture. More of them do not fit on a screen.
pub(crate) const PICTURED_OBJECTS: usize = 40;

/// The fields of an object of a picture: those of a large struct would hide the other objects.
pub(crate) const PICTURED_CELLS: usize = 12;

/// The variables of a picture.
pub(crate) const PICTURED_VARIABLES: usize = 40;

/// The size of the largest object whose contents pictures keep after its end.
pub(crate) const PICTURED_BYTES: usize = 4096;

/// The bytes of a string in a picture: as wide as the other fields of a node.
pub(crate) const PICTURED_STRING_BYTES: usize = 12;

/// The objects of a leak whose pointers a slice follows. Others of the same allocation have the same story.
pub(crate) const LEFT_OBJECTS: usize = 16;

/// The distance between the condition of a loop and the values that it reads, so that a story is not about counters.
pub(crate) const LOOP_CONDITION: u32 = 5;

/// The distance between the result of a call and the steps of the call, so that a story stays in the functions that matter.
pub(crate) const RETURNED_CALL: u32 = 2;

/// The cost of a dereference in a name, compared with the following ones. The name with the least cost is chosen.
pub(crate) const NAME_HOP: u32 = 2;

/// The cost of a `*` in a name: `list->next` is preferred to `*link`.
pub(crate) const NAME_STAR: u32 = 5;

/// The cost of a variable of an outer call, which needs the name of its function, or of a global variable.
pub(crate) const NAME_OUTER: u32 = 3;

/// The returns and frees of which a trace records the objects that lost a pointer: the last ones, which explain leaks.
pub(crate) const RECORDED_ENDS: usize = 1 << 14;

/// The objects that are recorded for one of them.
pub(crate) const RECORDED_LINKS: usize = 64;

/// Numbers below this one, and negated ones, are the addresses of no object: the system leaves the first and the last page unused.
pub const NO_OBJECT_BELOW: u64 = 4096;
