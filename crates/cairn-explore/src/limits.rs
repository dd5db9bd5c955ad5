//! The limits of exploration.
//!
//! Canonical forms are paid for by a budget of words: a deposit, plus an income per step and per covered state. If
//! they cover nothing, the search thus stops computing them.

/// The words of canonical forms that the search may spend at the start.
///
/// This is enough to find the first repetitions, and takes a fraction of a second.
pub(crate) const WORDS_TO_START: u64 = 200_000;

/// The words of canonical forms that each step pays for, so that forms never cost more than a part of the steps.
pub(crate) const WORDS_PER_STEP: u64 = 20;

/// The words of canonical forms that each covered state pays for.
///
/// A covered state saves the exploration of all its successors.
pub(crate) const WORDS_PER_HIT: u64 = 5_000;

/// The words of the longest canonical form.
///
/// Larger states seldom recur, and comparing them would cost more than it saves.
pub(crate) const MAX_WORDS: usize = 20_000;
