//! The limits of the engine, each with the reason for its value.
//!
//! They count steps, not seconds, so that an answer does not depend on the machine unless the caller stops the engine.
//! A limit that is reached makes an answer weaker (`unknown`, or fewer facts at a loop head), never wrong.

/// Rounds in which all functions are executed anew because their code shows more about the cells of nodes.
///
/// A round refines each class at most once: a link in an integer, then a tag in that link, then an operation on the
/// tag. Six rounds are enough for two such sequences of which one depends on the other.
pub(super) const ROUNDS: usize = 6;

/// Instructions of a function that is executed in place of its calls wherever it is called.
///
/// It has to cover allocation wrappers and accessors. The callee's paths multiply with those of the caller, so it must
/// be small.
pub(super) const SMALL_FUNCTION: usize = 60;

/// Instructions of a function that is executed in place of a call which passes uninitialised memory to it.
///
/// It has to cover constructors that set every member of a large struct. Only calls with uninitialised arguments count,
/// so it is higher than [`SMALL_FUNCTION`].
pub(super) const SHORT_FUNCTION: usize = 200;

/// Calls inside of calls that are executed in place.
///
/// Each frame multiplies the paths. The depth has to cover wrappers of wrappers of an allocator.
pub(super) const CALL_DEPTH: usize = 8;

/// Instructions that are executed for one function, over all of its paths and all rounds of its loops.
///
/// A backstop for functions with many loop heads, where [`PATHS`] is counted anew from each of them.
pub(super) const INSTRUCTIONS: u64 = 2_000_000;

/// Paths between two cut-points.
///
/// Twelve independent branches make 4096 paths. One more doubles the work.
pub(super) const PATHS: usize = 6000;

/// Iterations that are executed one by one, on all paths from a cut-point together, in loops that branch or call.
///
/// Where iterations branch, the paths multiply, so this has to stay small.
pub(super) const BRANCHING_ITERATIONS: usize = 48;

/// Iterations that are executed one by one, on all paths from a cut-point together, in other loops.
///
/// Loops over the 256 values of a byte fit, with a few iterations to spare.
pub(super) const STRAIGHT_ITERATIONS: usize = 260;

/// Steps of the rule solver for one condition.
///
/// It ends searches for a model in graphs with many links, in which rules with disjunctions branch over all pairs of
/// cells.
pub(super) const SOLVER_STEPS: u64 = 10_000;

/// Steps of the rule solver for one attempt to show how far an array is filled.
///
/// Many candidates are tried at each loop head and most of them fail, so each one gets less than [`SOLVER_STEPS`].
pub(super) const FILLED_ARRAY_STEPS: u64 = 4_000;

/// Addresses below this belong to no object: a member of null is as invalid as null itself.
///
/// The size of a page, which operating systems leave unmapped at address zero.
pub(super) const NULL_PAGE: i64 = 4096;

/// Alignment of an allocation, as `malloc` guarantees it on the supported targets.
pub(super) const ALLOCATION_ALIGNMENT: i64 = 16;

/// Largest tag in the low bits of a link: all bits that [`ALLOCATION_ALIGNMENT`] leaves zero.
pub(super) const LARGEST_TAG: i64 = ALLOCATION_ALIGNMENT - 1;

/// Elements of an array of structs in a node that are cells of the node.
///
/// Every element has cells of its own in the type, and rules go through all of them. Larger arrays are bytes without
/// structure.
pub(super) const STRUCT_ELEMENTS: u64 = 256;

/// Cells of a union member.
///
/// The members of a union are compared cell by cell, which is quadratic. Larger unions are bytes without structure.
pub(super) const UNION_CELLS: usize = 1024;

/// Cells of an array that are written one by one.
///
/// One write per cell keeps the cells apart, which is what small arrays need; larger ones are filled by one constraint.
pub(super) const CELLS_WRITTEN: u64 = 8;

/// Cells of an array of links in a node that are written one by one.
///
/// Code initialises links one by one, and each has to be known at the next cut-point. So the limit is that of
/// [`STRUCT_ELEMENTS`] rather than that of data.
pub(super) const LINKS_WRITTEN: u64 = 256;

/// Elements of one array whose offsets are enumerated to find the bounds of an index.
///
/// Larger arrays are found by their description alone; enumeration is only for arrays of structs.
pub(super) const ARRAY_ELEMENTS: i64 = 4096;

/// Links that a path remembers, to look for links to freed memory at its end.
///
/// Each remembered link costs a proof per freed object at every cut-point.
pub(super) const VISITED_LINKS: usize = 64;

/// Uninitialised cells that one condition leaves out.
///
/// Each of them costs a proof that fails. The limit has to cover the links of all objects under construction.
pub(super) const EXEMPT_CELLS: usize = 64;

/// Numbers among which the bounds of integers at loop heads are searched.
///
/// Bounds move along this list only, so that the search for an inductive invariant ends.
pub(super) const LANDMARKS: usize = 24;

/// Numbers among which the bounds of arguments are searched.
///
/// Twice [`LANDMARKS`], because the lengths of all arrays of the program are added to the numbers of the callee.
pub(super) const ARGUMENT_LANDMARKS: usize = 48;

/// Links of one local variable for which a loop head remembers whether they are null.
///
/// Anchors of lists and trees have one or two links. Each one costs a proof per arrival at a loop head.
pub(super) const ANCHOR_LINKS: usize = 8;

/// Registers that are tried as the index up to which a local array is filled.
///
/// The candidates are all pairs of registers, so their number is quadratic in this.
pub(super) const INDEX_REGISTERS: usize = 3;

/// Executions of one function while contracts are inferred.
///
/// Each execution weakens a contract. Pointers weaken once, but bounds of arguments can move along
/// [`ARGUMENT_LANDMARKS`] one step per execution.
pub(super) const CONTRACT_EXECUTIONS: usize = 24;

/// Graphs that are generated from the types to confirm a violation.
///
/// Each attempt executes at most [`REPLAY_INSTRUCTIONS`], so all of them together execute about three million
/// instructions at most.
pub(super) const REPLAY_ATTEMPTS: u64 = 64;

/// Instructions of one replay. Functions on graphs of a few nodes end far earlier, unless they do not terminate.
pub(super) const REPLAY_INSTRUCTIONS: u64 = 50_000;

/// Bytes that one replay may allocate.
///
/// Enough for any graph of a few nodes, and little enough for an allocation in an endless loop.
pub(super) const REPLAY_MEMORY: u64 = 64 << 20;

/// Call depth of one replay. Recursion over a graph of a few nodes is not deeper, unless it does not terminate.
pub(super) const REPLAY_DEPTH: u32 = 400;

/// Bytes of the target of a pointer to no node. Faults in such memory show nothing, so the size does not matter much.
pub(super) const UNTYPED_BYTES: u64 = 64;

/// Elements of the target of a pointer to data in a replay.
///
/// The length of such an array is not known. It has to be large enough that no access which a caller may intend leaves
/// it.
pub(super) const DATA_ELEMENTS: u64 = 4096;

/// Types of nodes from which a graph is generated.
///
/// Functions that reach more types are replayed with null for the other links.
pub(super) const REPLAY_TYPES: usize = 24;

/// Links of one global variable that are set in a replay. A table of links is set in part; the other links are null.
pub(super) const GLOBAL_LINKS: usize = 16;

/// Bytes of a node whose cells are set in a replay. The rest of a larger node is zero.
pub(super) const REPLAY_NODE_BYTES: u64 = 4096;

/// Nodes that are looked at after a replay.
///
/// A function on a graph of a few nodes allocates fewer, unless it does not terminate.
pub(super) const VALIDATED_NODES: usize = 4000;

/// Bytes of a node of a model that are drawn; more is not readable.
pub(super) const DRAWN_BYTES: u64 = 512;

/// Cells of a node of a replay that are drawn; more is not readable.
pub(super) const DRAWN_CELLS: usize = 16;

/// Lifetimes that are told apart at one loop head. Each costs the paths of the loop once more; functions have one or two.
pub(super) const LIFETIMES: usize = 6;

/// The most names in one assumption: a reader wants to see of what kind they are, not all of them.
pub(crate) const SHOWN_NAMES: usize = 8;
