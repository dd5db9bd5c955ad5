//! The engines of cairn and when they work.

use cairn_portfolio::concrete_attempts;
use cairn_portfolio::limits::FIRST_ROUND;
use cairn_portfolio::schedule::Entry;
use cairn_portfolio::settings::Engines::{All, Explore, Prove, Template};

/// The schedule of `check` and `svcomp`, in the order of a round.
///
/// Most violations are close to the entry, so exploring has the first round for itself. Later proofs come first. Executions on guessed
/// inputs find violations behind many iterations; by the third round a shorter trace would have been found.
pub const SCHEDULE: &[Entry] = &[
    Entry { create: cairn_prove::engine::engine, with: &[All, Prove, Template], from: 2 * FIRST_ROUND },
    Entry { create: cairn_explore::engine::engine, with: &[All, Explore], from: FIRST_ROUND },
    Entry { create: cairn_template::engine::engine, with: &[All, Template], from: FIRST_ROUND },
    Entry { create: concrete_attempts::engine, with: &[All], from: 4 * FIRST_ROUND },
];
