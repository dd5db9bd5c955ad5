//! Limits of the search for proofs of termination.

/// The greatest number of instructions of a function. The terms of a function are built as a whole.
pub(crate) const INSTRUCTIONS: usize = 6_000;

/// The greatest number of memory cells of a function that are treated like variables.
pub(crate) const CELLS: usize = 96;

/// The conflicts of a query about an invariant. Most are decided within hundreds; products of variables never are.
pub(crate) const CONFLICTS: u64 = 5_000;

/// The conflicts of a query about a ranking function, of which few are asked: about a second.
pub(crate) const RANKING_CONFLICTS: u64 = 50_000;

/// The greatest number of invariants of a function that are tried.
pub(crate) const INVARIANTS: usize = 240;

/// The queries about the invariants of a function.
pub(crate) const INVARIANT_QUERIES: usize = 1_500;

/// The queries about the ranking functions of a loop.
pub(crate) const RANKING_QUERIES: usize = 80;

/// The greatest number of components of a lexicographic ranking function.
pub(crate) const COMPONENTS: usize = 4;

/// The variables whose sums and differences are tried as ranking functions.
pub(crate) const COMBINED: usize = 6;

/// The bytes at the end of the memory in which no object lies: systems keep the last page free, for error codes in place of addresses.
pub(crate) const LAST_PAGE: u128 = 4096;
