//! The limits of the checker.

/// The number of ways in which one state is matched with another. Lists that are empty or not give two each; skip lists have many.
pub(crate) const MAX_ALTERNATIVES: u32 = 1_000;

/// The number of steps of one matching. States have some hundred values and objects.
pub(crate) const MAX_TASKS: u32 = 200_000;

/// The number of pairs of conditions that are compared to find the meaning of variables.
pub(crate) const MAX_COMPARISONS: usize = 1_000;

/// How often a state is split before it is matched. An array of pointers may need one split for each element.
pub(crate) const MAX_SPLITS: u32 = 16;

/// The number of conflicts that a query may use, as in proofs.
pub(crate) const MAX_CONFLICTS: u64 = 20_000;

/// The cost that a proof counts as at least, in blocks and queries.
pub const MIN_BUDGET: u64 = 20_000;

/// How often the checker may spend the cost of a proof by states.
pub const COST_RATIO: u64 = 2;

/// How often the checker may spend the cost of a proof by paths. Explorations recognise equal states, which the checker executes again.
pub const PATHS_COST_RATIO: u64 = 10;

/// The number of similar states that the check of a proof by paths remembers. Few states are similar and not equal.
pub(crate) const MAX_REMEMBERED: usize = 8;

/// The number of states that the check of a proof by paths remembers at first. Most programs with such a proof have fewer.
pub(crate) const REMEMBERED_TO_START: usize = 4_000;

/// The number of further states for each one that was met again. Programs whose states never repeat should not fill the memory.
pub(crate) const REMEMBERED_PER_HIT: usize = 16;

/// The greatest id of an object. Ids are counters.
pub(crate) const MAX_ID: u32 = 1 << 30;

/// The greatest offset of a cell, so that sums of offsets do not overflow.
pub(crate) const MAX_OFFSET: u64 = 1 << 40;
