//! Work budgets, and the answers of decision procedures.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A limit on the number of steps, with a cancellation flag.
///
/// Each procedure defines its own steps; a step should take about a microsecond.
#[derive(Clone, Debug)]
pub struct Budget {
    left: Cell<u64>,
    spent: Cell<u64>,
    cancel: Arc<AtomicBool>,
}

impl Budget {
    /// Creates a budget of that many steps, cancelled when the flag is set.
    pub fn new(steps: u64, cancel: Arc<AtomicBool>) -> Self {
        Self { left: Cell::new(steps), spent: Cell::new(0), cancel }
    }

    /// Creates a budget of that many steps.
    pub fn steps(steps: u64) -> Self {
        Self::new(steps, Arc::default())
    }

    /// Creates a budget without limit.
    pub fn unlimited() -> Self {
        Self::steps(u64::MAX)
    }

    /// Consumes some steps; fails if the budget is exhausted or cancelled.
    pub fn spend(&self, steps: u64) -> Result<(), Reason> {
        self.spent.set(self.spent.get() + steps);
        if self.cancel.load(Ordering::Relaxed) {
            return Err(Reason::Cancelled);
        }
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.left.set(0);
                Err(Reason::OutOfBudget)
            }
        }
    }

    /// Returns the number of steps consumed so far.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Returns the number of remaining steps.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// Returns the cancellation flag.
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }

    /// Creates a separate budget of at most that many of the remaining steps.
    ///
    /// The caller charges its use to this budget with [`Self::settle`].
    pub fn part(&self, steps: u64) -> Budget {
        Budget::new(steps.min(self.left.get()), Arc::clone(&self.cancel))
    }

    /// Charges the steps that a part consumed.
    pub fn settle(&self, part: &Budget) {
        self.spent.set(self.spent.get() + part.spent());
        self.left.set(self.left.get().saturating_sub(part.spent()));
    }
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; for an entailment, a model of the left side that violates the right side.
    Sat,
    /// There is no model; an entailment is valid.
    Unsat,
    /// The query is undecided.
    Unknown(Reason),
}

/// The reason why a query is undecided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The budget is exhausted.
    OutOfBudget,
    /// The cancellation flag was set.
    Cancelled,
    /// No procedure supports the query.
    Uncovered(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::OutOfBudget => f.write_str("the budget is used up"),
            Reason::Cancelled => f.write_str("cancelled"),
            Reason::Uncovered(what) => f.write_str(what),
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Unknown(_) => "unknown",
        })
    }
}

impl From<Reason> for Answer {
    fn from(reason: Reason) -> Self {
        Answer::Unknown(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_and_parts_are_exhausted() {
        let budget = Budget::steps(3);
        assert_eq!(budget.spend(2), Ok(()));
        let part = budget.part(10);
        assert_eq!(part.spend(1), Ok(()));
        assert_eq!(part.spend(1), Err(Reason::OutOfBudget));
        budget.settle(&part);
        assert_eq!(budget.spend(1), Err(Reason::OutOfBudget));
    }
}
