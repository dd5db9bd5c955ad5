//! The limits of the rule solver.

/// The largest number of variables in a rule; the set of bound variables is a 16-bit mask.
pub(crate) const MAX_RULE_VARIABLES: usize = 16;

/// The number of steps of an assumption or refutation unless the caller sets a budget.
///
/// Rule sets need not terminate, so there is always a limit.
pub(crate) const DEFAULT_STEPS: u64 = 200_000;
