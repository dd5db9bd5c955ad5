//! How much work a question is worth, and how an answer looks.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps that may still be made, and a flag that ends everything. What a step is, each procedure decides: something that takes about
/// a microsecond.
#[derive(Clone, Debug)]
pub struct Budget {
    left: Cell<u64>,
    spent: Cell<u64>,
    cancel: Arc<AtomicBool>,
}

impl Budget {
    /// That many steps, until the flag is set.
    pub fn new(steps: u64, cancel: Arc<AtomicBool>) -> Self {
        Self { left: Cell::new(steps), spent: Cell::new(0), cancel }
    }

    /// That many steps.
    pub fn steps(steps: u64) -> Self {
        Self::new(steps, Arc::default())
    }

    /// No limit.
    pub fn unlimited() -> Self {
        Self::steps(u64::MAX)
    }

    /// Takes some steps.
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

    /// Steps that were made.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Steps that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// The flag that ends everything.
    pub fn cancel_flag(&self) -> &Arc<AtomicBool> {
        &self.cancel
    }

    /// A budget of its own with at most that many of the steps that are left; what it spends is booked with [`Self::settle`].
    pub fn part(&self, steps: u64) -> Budget {
        Budget::new(steps.min(self.left.get()), Arc::clone(&self.cancel))
    }

    /// Books what a part spent.
    pub fn settle(&self, part: &Budget) {
        self.spent.set(self.spent.get() + part.spent());
        self.left.set(self.left.get().saturating_sub(part.spent()));
    }
}

/// What a question came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a model; of an entailment: a model of the left side that is none of the right side.
    Sat,
    /// There is none; an entailment is valid.
    Unsat,
    /// Not decided.
    Unknown(Reason),
}

/// Why a question was not decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The steps were used up.
    OutOfBudget,
    /// Somebody set the flag.
    Cancelled,
    /// No procedure covers it.
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
    fn a_budget_ends() {
        let budget = Budget::steps(3);
        assert_eq!(budget.spend(2), Ok(()));
        let part = budget.part(10);
        assert_eq!(part.spend(1), Ok(()));
        assert_eq!(part.spend(1), Err(Reason::OutOfBudget));
        budget.settle(&part);
        assert_eq!(budget.spend(1), Err(Reason::OutOfBudget));
    }
}
