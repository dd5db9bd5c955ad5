//! The limits of the portfolio.

/// Instructions of one replay: two orders of magnitude more than the longest confirmed trace of the benchmarks.
pub const REPLAY_STEPS: u64 = 50_000_000;

/// Instructions of an execution on guessed inputs. Most violations that such executions find come within the first million.
pub const ATTEMPT_STEPS: u64 = 5_000_000;

/// Instructions of an execution that is to be a proof: about a second. Test suites of libraries take less.
pub const PROVING_STEPS: u64 = 50_000_000;

/// Bytes of live objects in an execution on guessed inputs.
pub const ATTEMPT_MEMORY: u64 = 256 << 20;

/// Candidates at one location that are replayed. One is enough to show a fault; more are tried because a leak has a second location,
/// where the object was allocated, and because a candidate that does not replay says nothing about the next.
pub const REPLAYS_PER_PLACE: u32 = 4;

/// Candidates at one location whose executions violate another check first. They are cheap, but not free.
pub const SHADOWED_PER_PLACE: u32 = 256;

/// Findings after which the search ends: nobody reads more of them before fixing some.
pub const MAX_FINDINGS: usize = 100;

/// States of the first round. Most violations are found within it. Each round is twice as long as the one before.
pub const FIRST_ROUND: u64 = 1_000;

/// States that a proof may step for the invariants of a program that exploring has proved first.
pub const INVARIANT_STATES: u64 = 20_000;

/// How much longer the last round is than the round in which the checker has rejected a proof. It leaves three more rounds for another
/// proof: with calls followed, by another engine, or with more checks granted.
pub const GROWTH_AFTER_REJECTION: u64 = 8;
