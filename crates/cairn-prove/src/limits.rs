//! The limits of the prover, each with the reason for its value.
//!
//! A limit bounds the work of the analysis or selects how precise it is. No value affects soundness: an exceeded limit
//! leads to a join, to a weaker condition or to an incompleteness.

// States.

/// The number of states at one program point after which the prover gives up.
///
/// Each new state is compared with all others, and programs with that many shapes rarely reach a fixpoint at all.
pub(crate) const MAX_STATES: usize = 120;

/// The number of states without a heap that are kept apart at a loop head because they differ in marks.
///
/// This is enough for a state machine with an `enum` and a few flags. Every state kept apart is executed separately,
/// so larger products are joined.
pub(crate) const MAX_MARK_STATES: usize = 24;

/// The number of states with a heap that are kept apart because they differ in marks.
///
/// It is larger than [`MAX_MARK_STATES`], because marks on the heap often decide whether a pointer is valid, and a
/// join that loses them cannot be repaired.
pub(crate) const MAX_MARK_HEAP_STATES: usize = 48;

/// The number of states that are kept apart where branches meet.
///
/// Three independent branches give eight states. Beyond that, the states would double with every further branch.
pub(crate) const MAX_BRANCH_STATES: usize = 8;

/// The number of states from which nodes are folded also where branches meet.
///
/// Joins have failed for three times [`MAX_BRANCH_STATES`] states by then, so only a common shape can reduce them.
pub(crate) const CROWDED_STATES: usize = 24;

/// The number of states that are kept apart because one has a single node where another has a list.
///
/// One state for each of the two cases is enough, since a list covers a single node.
pub(crate) const MAX_SINGLE_NODE_STATES: usize = 2;

/// The number of states that are kept apart because a list of one is empty in another.
///
/// Of several lists, usually one or another is empty but not all of them, so twelve states cover three or four lists.
pub(crate) const MAX_EMPTY_LIST_STATES: usize = 12;

/// The number of states that are kept apart because a list outside the loop's footprint is empty in one of them.
///
/// The loop cannot access these lists, so their cases matter less than those of [`MAX_EMPTY_LIST_STATES`].
pub(crate) const MAX_FRAME_LIST_STATES: usize = 4;

/// The number of states that are kept apart because a pointer is null in one and dangling in another.
///
/// When the lists of a table are freed one by one, there are too many such states to keep them all.
pub(crate) const MAX_DANGLING_STATES: usize = 8;

/// The number of states that are stepped to record the states of a program.
///
/// Recorded programs are examples for people to read, so they are small. The limit only ends a search that does not
/// converge.
pub(crate) const MAX_RECORDED_STATES: u64 = 100_000;

// Solver.

/// The number of solver conflicts after which a query is given up.
///
/// A query over products of variables may not end in reasonable time. Its unknown answer costs precision or, at a
/// branch, the proof.
pub(crate) const MAX_CONFLICTS: u64 = 20_000;

// Calls and loops.

/// The number of active calls of one function that are inlined.
///
/// Inlined recursion through pointers is usually shallow. Deeper recursion needs summaries, which join.
pub(crate) const MAX_INLINED_RECURSION: usize = 24;

/// The number of contexts of one function after which its calls are inlined, or the proof fails for a recursive one.
///
/// Every new footprint is compared with the entries of all contexts.
pub(crate) const MAX_CONTEXTS: usize = 48;

/// The number of contexts of one function from which its footprints are folded and may use more general contexts.
///
/// Below it, a summary is as precise as inlining, which matters for functions that are called on a few shapes only.
pub(crate) const FEW_CONTEXTS: usize = 4;

/// The number of contexts of one function from which a new entry state is joined with that of another context.
///
/// Folding alone has not made the footprints equal by then, at twice [`FEW_CONTEXTS`].
pub(crate) const MANY_CONTEXTS: usize = 8;

/// The number of inlined calls from which a function with a loop gets a summary.
///
/// A loop costs a fixpoint per call, so a summary pays off as soon as it is used twice.
pub(crate) const MANY_CALLS_WITH_LOOP: u64 = 2;

/// The number of inlined calls from which a function without a loop gets a summary.
///
/// Inlining a short function is cheaper than separating its footprint and comparing it with other contexts.
pub(crate) const MANY_CALLS_WITHOUT_LOOP: u64 = 16;

/// The nesting depth from which lists that the innermost loop cannot access are treated separately.
///
/// At smaller depths, states do not multiply enough to matter, and knowing which lists are empty is worth more.
pub(crate) const DEEP_NESTING: usize = 3;

/// The number of lists from which a state has many.
///
/// Four lists that may be empty give sixteen states, more than [`MAX_EMPTY_LIST_STATES`] keeps apart.
pub(crate) const MANY_LISTS: usize = 4;

// Folding.

/// The number of folds after which a state is left as it is.
///
/// Every fold leaves fewer nodes and segments, so only a state with hundreds of nodes reaches this limit.
pub(crate) const MAX_FOLDS: usize = 200;

/// The number of rewrites that are tried to make two nodes match.
///
/// A rewrite concerns one cell, and nodes with more than a dozen optional parts are rare.
pub(crate) const MAX_REWRITES: usize = 12;

/// The length from which a chain of objects is a list, whatever their allocation sites are.
///
/// A chain of different structures that own each other is rarely that long, but a list built by straight-line code
/// is.
pub(crate) const LONG_CHAIN: usize = 10;

/// The number of stack frames, innermost first, that identify an allocation site.
///
/// Two frames distinguish the callers of an allocation wrapper. With more, one function that creates nodes would
/// count as several sites.
pub(crate) const SITE_FRAMES: usize = 2;

/// The number of runs of equal marks in one list from which the marks alternate and do not divide the list.
///
/// The same mark may occur twice, at both ends of a list. A third run suggests that the list has no bound on them.
pub(crate) const MAX_MARK_RUNS: usize = 3;

/// The number of values that are tried as flags of one optional part.
///
/// Every guess costs solver queries, and flags are usually among the first cells of a node.
pub(crate) const MAX_FLAGS: usize = 16;

/// The number of values of one cell beyond which the cell holds data and no marks.
///
/// The steps between the values grow with the square of their number.
pub(crate) const MAX_SEQUENCE_VALUES: usize = 6;

/// The number of adjacent cells from which an object is a table.
///
/// Structures with two or three pointers are common and are better described exactly.
pub(crate) const MIN_TABLE_CELLS: usize = 4;

/// The number of cells of one object that are examined for a table.
///
/// Every cell of a table becomes a segment with its own patterns.
pub(crate) const MAX_TABLE_CELLS: u64 = 64;

/// The number of tree shapes that one program may have.
///
/// Every node is tried as a root of every shape.
pub(crate) const MAX_TREE_SHAPES: usize = 8;

// Joining.

/// The number of variables up to which a value is paired as a function of them.
///
/// Sizes and offsets are sums or products of at most a count, an element size and an offset.
pub(crate) const MAX_FUNCTION_ARGUMENTS: usize = 3;

/// The largest table that a loop is assumed to traverse cell by cell.
///
/// Every index keeps a state apart, and [`MAX_MARK_HEAP_STATES`] allows only somewhat more of them.
pub(crate) const MAX_TABLE_LOOP: i64 = 32;

// Numbers.

/// The number of joins of one state after which no new conditions are guessed.
///
/// From then on the path condition only shrinks, so that joining terminates. A dozen joins suffice for bounds to
/// reach the program's constants.
pub(crate) const MAX_GUESSING_JOINS: u32 = 12;

/// The number of steps and of factors that are combined with a bound of the program to get further thresholds.
///
/// Their number multiplies the number of thresholds.
pub(crate) const MAX_THRESHOLD_STEPS: usize = 16;

/// The number of values that a fresh variable is compared with.
///
/// The guesses grow with the product of both numbers, and every guess may cost a query.
pub(crate) const MAX_PEERS: usize = 32;

/// The distance up to which an equation that no longer holds is repaired by another number.
///
/// Larger distances come from values that wrapped around or that are unrelated.
pub(crate) const MAX_DRIFT: u128 = 1 << 20;

/// The step up to which two counters are combined.
///
/// Larger steps come from values that wrapped around or that are unrelated.
pub(crate) const MAX_STEP: u128 = 1 << 20;

/// The number of sums in a function that are compared with other values.
///
/// Every sum is compared with up to [`MAX_PEERS`] values.
pub(crate) const MAX_SUMS: usize = 12;

/// The number of bounds that are guessed on each side of a value.
///
/// A constant of the program occurs with both of its neighbours, so four bounds reach the next constant.
pub(crate) const BOUNDS_PER_SIDE: usize = 4;

/// The number of derived bounds on sizes that are checked for one state.
///
/// All of them are asked in one query, and each pair of an equation and a bound gives four.
pub(crate) const MAX_SIZE_BOUNDS: usize = 24;

/// The number of variables that are eliminated from one path at once.
///
/// Each elimination rewrites all conditions, and the rest can be eliminated at the next program point.
pub(crate) const MAX_ELIMINATED: usize = 200;

/// The number of bounds that may replace those of one variable.
///
/// Fourier-Motzkin elimination pairs all lower with all upper bounds, so that repeated eliminations grow rapidly.
pub(crate) const MAX_COMBINED_BOUNDS: usize = 24;

// Output.

/// The number of variables of one loop that are compared with each other.
///
/// Each pair costs up to two queries per state, and longer invariants are hard to read.
pub(crate) const MAX_COMPARED_VARIABLES: usize = 12;
