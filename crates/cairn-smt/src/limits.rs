//! The limits of the SMT solver. They trade search effort for cost and never affect soundness.

/// The number of changes that model repair tries before it gives up.
///
/// Most repairable queries need one or two changes, and each change re-evaluates the query.
pub(crate) const MAX_REPAIR_CHANGES: usize = 12;

/// The number of nested operators that model repair inverts.
///
/// Inversion is recursive; deeper terms rarely have a single variable that explains their value.
pub(crate) const MAX_REPAIR_DEPTH: u32 = 40;

/// The number of cores kept for each greatest term.
///
/// Every query scans the cores of its terms, so the cache must stay cheaper than the SAT solver.
pub(crate) const MAX_CORES_PER_TERM: usize = 16;

/// The number of recent models to try before asking the backend.
///
/// Each attempt evaluates the whole query; neighbouring queries share their models.
pub(crate) const MAX_RECENT_MODELS: usize = 8;

/// The number of needlessly assigned gates that justifies a new solver.
///
/// A new solver has to encode the query again and loses all learned clauses.
pub(crate) const MAX_WASTED_GATES: usize = 50_000;

/// The approximate number of gates per bit of a term, used to estimate the size of a query.
///
/// An addition takes three gates per bit in addition to the variables of its operands.
pub(crate) const GATES_PER_BIT: usize = 4;
