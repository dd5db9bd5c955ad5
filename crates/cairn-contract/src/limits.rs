//! The limits of the analysis of library functions.

/// The effort for one function in one round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// The number of blocks that are executed, on paths with few conditions.
    pub steps: u64,
    /// The number of conflicts of one solver query. Paths whose feasibility is harder to decide are dropped.
    pub conflicts: u64,
    /// The number of queries that reach the SAT solver.
    pub queries: u64,
}

/// The rounds: every function gets the effort of a round before any gets that of the next.
///
/// Functions of real libraries are covered after a few hundred blocks; the second round goes to combinations of branches. Queries with
/// more conflicts come from products and remainders, and are rarely worth their time.
pub(crate) const ROUNDS: [Effort; 2] =
    [Effort { steps: 800, conflicts: 60, queries: 800 }, Effort { steps: 6_000, conflicts: 150, queries: 3_000 }];

/// The effort for the contract of one function: enough for all outcomes of usual functions.
pub(crate) const CONTRACT: Effort = Effort { steps: 1_500, conflicts: 100, queries: 1_500 };

/// The effort for the proof of one function: functions with more paths are rarely complete.
pub(crate) const PROOF: Effort = Effort { steps: 400, conflicts: 100, queries: 400 };

/// The cost of a block, in conditions of its path.
pub(crate) const STEP: u64 = 64;

/// The number of states that may wait for one function. The least promising ones are dropped.
///
/// A state takes up to a megabyte in functions with thousands of blocks.
pub(crate) const WAITING: usize = 800;

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

/// The number of the first descriptor that the code opens: above those that exist already, and no usual size or flag.
pub(crate) const FIRST_DESCRIPTOR: u64 = 7_001;

/// For each width, the number of bits of a number of usual size. A pointer that is never dereferenced may be such a number.
pub(crate) const USUAL_BITS: [(u32, u32); 2] = [(32, 24), (64, 46)];

/// The sizes of objects that callers pass are multiples of this.
pub(crate) const ROOM: u64 = 16;

/// The number of callers that a fault is shown for, where it depends on what they pass.
pub(crate) const CALLERS: usize = 3;

/// The number of bytes that are looked at for the end of a string.
pub(crate) const TEXT_BYTES: u64 = 64;

/// The number of cases of a contract. Beyond it, cases with the same result are joined.
pub(crate) const CASES: usize = 6;

/// The number of different numbers that a case lists.
pub(crate) const NUMBERS: usize = 6;

/// The number of path ends that a contract is made of. Later paths rarely add anything, and each costs solver queries.
pub(crate) const PATH_ENDS: usize = 200;

/// The number of sizes, offsets and characters of strings that a path chooses, where a contract is inferred.
///
/// Longer strings and other offsets show the same outcomes. Faults may need longer strings.
pub(crate) const CHOICES: u32 = 7;
