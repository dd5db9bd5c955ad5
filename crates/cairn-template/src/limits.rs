//! All limits of the engine, each with the reason for its value.
//!
//! No limit affects soundness: a reached limit makes a row top, havocs a value, or ends the search without an answer.

// Stages and solver budget.

/// Queries of a stage in the first round when the engine runs alone: enough for the cheap templates on small programs.
pub(crate) const FIRST_QUERIES: u64 = 1_000;

/// The factor by which the queries grow from round to round, so that the last round dominates the total cost.
pub(crate) const QUERY_GROWTH: u64 = 4;

/// Query limit for printing invariants and summaries: printing has a single round, which should rarely fail.
pub(crate) const MAX_PRINT_QUERIES: u64 = 20_000;

/// The least conflict limit of one query. With fewer conflicts, even queries about small loops fail.
pub(crate) const MIN_CONFLICTS: u64 = 10_000;

/// Conflicts of one query per query of the stage: single queries get harder in the same proportion as their number
/// grows.
pub(crate) const CONFLICTS_PER_QUERY: u64 = 10;

/// Replaces [`CONFLICTS_PER_QUERY`] when the engine runs alone: no other engine waits for a hard query to end.
pub(crate) const CONFLICTS_PER_QUERY_ALONE: u64 = 200;

/// Formula terms allowed per query of a stage next to other engines.
///
/// The cost of a query grows with the formula, so a larger formula waits for a round with more queries.
pub(crate) const TERMS_PER_QUERY: u64 = 16;

/// The divisor of the conflict limit for a bounded model checking query, because proofs wait for it.
pub(crate) const BOUNDED_CONFLICT_SHARE: u64 = 50;

/// The number of queries from which on the engine does bounded model checking next to other engines.
///
/// The other engines find most violations, and the formulas of unwound executions are large.
pub(crate) const BOUNDED_MIN_QUERIES: u64 = 16_000;

/// Candidates that fail to replay before bounded model checking is abandoned: further ones rarely differ.
pub(crate) const MAX_SPURIOUS: usize = 16;

/// How often a stage is tried when other engines compete for time.
pub(crate) const MAX_TRIALS: u32 = 2;

/// The round from which on the engine handles recursive functions while a shape proof still runs.
///
/// Shape proofs know more about trees, so they get the first rounds.
pub(crate) const MIN_SUMMARY_ROUND: u64 = 256_000;

/// How often a stage splits calling contexts.
///
/// The calls inside the body of a new context are known only after the next build, so once is not enough for nested
/// calls.
pub(crate) const MAX_CONTEXT_SPLITS: usize = 2;

/// Contexts that one context is split into: each is a separate body with rows of its own.
pub(crate) const MAX_CONTEXTS: usize = 6;

// The formula.

/// The number of terms that one formula may add: bounds the memory and the time of a build.
pub(crate) const MAX_TERMS: usize = 1_500_000;

/// Builds before the facts about memory must have reached a fixed point: more than programs need in practice.
pub(crate) const MAX_BUILDS: usize = 60;

/// Bodies of functions with summaries: each has rows of its own, and a program with more exceeds the query budget
/// anyway.
pub(crate) const MAX_BODIES: usize = 64;

/// The depth of nested inlined calls: bounds the recursion of the builder.
pub(crate) const MAX_CALL_DEPTH: usize = 60;

/// The depth to which recursive calls are inlined before a summary: calls may branch, so each level multiplies the
/// formula.
pub(crate) const MAX_UNWOUND_CALLS: u32 = 3;

/// Iterations that every execution takes which are unwound in addition to the depth, in the whole program.
///
/// Such iterations add no path conditions, so many of them are cheap.
pub(crate) const MAX_CERTAIN_ITERATIONS: u32 = 500;

/// Tracked instances per site: three subjects of a row and two dereferenced objects. Each multiplies the variables.
pub(crate) const MAX_INSTANCES: u32 = 5;

/// Cells of an object: each is a variable in every state.
pub(crate) const MAX_CELLS: usize = 256;

/// The bytes of one access that get cells of their own: the largest scalar has 16 bytes.
pub(crate) const MAX_CELL_BYTES: u64 = 16;

/// Array elements that get cells when the array is accessed at a variable offset: each adds a case to every access.
pub(crate) const MAX_ELEMENTS: u64 = 32;

/// Distinct offsets per object in a points-to set: each adds a case to every dereference.
pub(crate) const MAX_OFFSETS: usize = 8;

/// The length of the access paths of list iterators, which are only printed.
pub(crate) const MAX_ITERATOR_FIELDS: usize = 4;

/// The nesting depth of printed terms without a name; deeper terms are elided to keep lines readable.
pub(crate) const MAX_PRINT_DEPTH: u32 = 10;

// Synthesis.

/// How often a bound is raised before it becomes top: a bound that stabilises needs fewer raises.
pub(crate) const MAX_RAISES: u32 = 16;

/// How often a bound is raised to the exact value: later raises go to thresholds, since a counter would grow by one
/// each time.
pub(crate) const MAX_EXACT_RAISES: u32 = 2;

/// How often any other row is joined before it becomes top: more than the addresses of typical points-to sets.
pub(crate) const MAX_JOINS: u32 = 200;

/// Iterations for one location before all its rows become top: more than the rows can need.
pub(crate) const MAX_ROUNDS: usize = 2_000;

/// Thresholds above the limit of a row that are tried at a loop head: the initial value is usually near the bound.
pub(crate) const MAX_HEAD_THRESHOLDS: usize = 4;

// Templates. The number of rows of a location determines the size of its queries.

/// How often a certificate may unwind loops. The deepest stage unwinds 64 times.
pub(crate) const MAX_CERTIFIED_UNWINDING: u32 = 64;

/// The number of objects of one site that the rows of a certificate may be about. Templates use at most three.
pub(crate) const MAX_CERTIFIED_SUBJECTS: u32 = 8;

/// The width of numbers in bounds: sums of wider numbers would overflow `i128`.
pub(crate) const MAX_WIDTH: u32 = 64;

/// How often a bound that grows by joins may grow: a relation that holds is stable after one or two iterations.
pub(crate) const MAX_GROWTH: u32 = 3;

/// The largest step of such a bound: a larger one is a sign that the numbers are unrelated.
pub(crate) const MAX_STEP: i128 = 8;

/// Loops whose symbolic paths are distinguished: each doubles the number of rows.
pub(crate) const MAX_PATH_LOOPS: usize = 2;

/// Constants that define the ranges of case distinctions: the number of rows is proportional to it.
pub(crate) const MAX_CASES: usize = 6;

/// Pairs of numbers per location in zones and octagons: the number of pairs is quadratic in the variables.
pub(crate) const MAX_PAIRS: usize = 80;

/// Rows of `access-paths` per location: linear in pointers and fields.
pub(crate) const MAX_ACCESS_PATH_ROWS: usize = 100;

/// Rows of `freed` per location: quadratic in sites and linear in pointers.
pub(crate) const MAX_FREED_ROWS: usize = 200;

/// Rows of `neighbours` per location: quadratic in pointers. These clauses are cheap, as each becomes top at once if it
/// fails.
pub(crate) const MAX_NEIGHBOUR_ROWS: usize = 400;

/// Rows of `nullness` per location: quadratic in pointers.
pub(crate) const MAX_NULLNESS_ROWS: usize = 200;

/// Rows of `relative` per location: cubic in pointers, variables and fields.
pub(crate) const MAX_RELATIVE_ROWS: usize = 200;

/// Rows of `passed` per location: cubic in pointers, fields and links.
pub(crate) const MAX_PASSED_ROWS: usize = 160;

/// Rows of `cases` per location: linear in the constants, quadratic in the fields.
pub(crate) const MAX_CASE_ROWS: usize = 160;

/// Rows of `pointed` per location. These bounds are raised by queries, which makes them more expensive than clauses.
pub(crate) const MAX_POINTED_ROWS: usize = 120;

/// Rows of `fresh` per function. These bounds are raised by queries, which makes them more expensive than clauses.
pub(crate) const MAX_FRESH_ROWS: usize = 120;

/// Rows of `kept` per function: linear in the fields and parameters. A failed row becomes top at once.
pub(crate) const MAX_KEPT_ROWS: usize = 300;

/// Conflicts of one query that checks a proof again: as many as a query of a late stage may have.
pub(crate) const CERTIFICATION_CONFLICTS: u64 = 200_000;
