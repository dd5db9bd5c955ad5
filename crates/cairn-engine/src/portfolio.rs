//! From a program and properties to a verdict: engines answer, replay confirms, and only what rests on nothing is called true.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::{CheckKind, Program};
use cairn_smt::Session;
use cairn_smt::session::Statistics;

use crate::engines::shape::allocation::AllocationCheck;
use crate::engines::shape::{Explorer, Options};
use crate::reach::{Budget, Ended, Order, reach};
use crate::replay::{Unset, replay, trace};
use crate::verdict::{Property, Verdict, Violation};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Task {
    /// The function that the program starts in.
    pub entry: String,
    /// The properties.
    pub properties: Vec<Property>,
    /// Checks that are asked about, too, and belong to no property.
    pub besides: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` violates `unreach-call`; otherwise it only ends the program.
    pub assert_faults: bool,
}

impl Task {
    /// The checks that the properties consist of.
    pub fn kinds(&self) -> impl Iterator<Item = CheckKind> {
        self.properties.iter().flat_map(|p| p.kinds()).chain(self.besides.iter().copied())
    }

    pub(crate) fn exploring(&self) -> Options {
        Options {
            entry: self.entry.clone(),
            kinds: self.kinds().collect(),
            malloc_fails: self.malloc_fails,
            assert_faults: self.assert_faults,
            max_splits: 64,
            allocation_check: AllocationCheck::default(),
        }
    }
}

/// States that may wait at once where nobody watches the memory; with a few kilobytes each they stay within a few gigabytes.
const MAX_WAITING: usize = 200_000;

/// The reason for what is unknown because the search was cancelled: whoever cancelled it may know better.
pub const CANCELLED: &str = "out of time";

/// Instructions of one replay.
pub(crate) const REPLAY_STEPS: u64 = 50_000_000;

/// How to search for the answer.
#[derive(Debug)]
pub struct Search {
    /// The solver.
    pub session: Session,
    /// How a pointer is resolved to an object.
    pub allocation_check: AllocationCheck,
    /// In which order paths are followed.
    pub order: Order,
    /// States that may wait at once.
    pub waiting: usize,
}

impl Search {
    /// The search that `verify` makes, with the embedded solver.
    pub fn new(cancel: &Arc<AtomicBool>) -> Self {
        Self {
            session: Session::new(cancel.clone()),
            allocation_check: AllocationCheck::default(),
            order: Order::LoopBounded,
            waiting: MAX_WAITING,
        }
    }
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// What was asked of the solver.
    pub solver: Statistics,
    /// States that were stepped.
    pub states: u64,
}

/// Answers a task.
///
/// # Errors
/// When there is nothing to verify: the entry function is missing.
pub fn verify(program: &Program, task: &Task, cancel: &Arc<AtomicBool>) -> Result<Verdict, String> {
    verify_with(program, task, Search::new(cancel), cancel).map(|(verdict, _)| verdict)
}

/// Answers a task by a search of the caller's choice, and says what it took.
///
/// # Errors
/// When there is nothing to verify: the entry function is missing.
pub fn verify_with(
    program: &Program,
    task: &Task,
    search: Search,
    cancel: &Arc<AtomicBool>,
) -> Result<(Verdict, Effort), String> {
    let options = Options { allocation_check: search.allocation_check, ..task.exploring() };
    let mut explorer = Explorer::new(program, options, search.session)?;
    let budget = Budget { states: u64::MAX, waiting: search.waiting, cancel: cancel.clone() };
    let mut judge = Judge { explorer: &mut explorer, program, task, violation: None, unconfirmed: None };
    let ended = reach(&mut judge, search.order, &budget);
    let Judge { violation, unconfirmed, .. } = judge;
    let effort = Effort { solver: explorer.statistics(), states: explorer.steps() };
    let verdict = if let Some(violation) = violation {
        Verdict::False(Box::new(violation))
    } else if let Some(kind) = unconfirmed {
        Verdict::Unknown(format!("a candidate for {kind} did not replay"))
    } else if ended != Ended::Complete {
        let stopped = cancel.load(std::sync::atomic::Ordering::Relaxed);
        Verdict::Unknown(if stopped { CANCELLED } else { "too many states" }.to_owned())
    } else if let Some(gap) = explorer.gaps.first() {
        Verdict::Unknown(gap.clone())
    } else {
        Verdict::True
    };
    Ok((verdict, effort))
}

/// The explorer with replay behind every step: the search stops at the first violation that is confirmed.
struct Judge<'a, 'p> {
    explorer: &'a mut Explorer<'p>,
    program: &'p Program,
    task: &'a Task,
    violation: Option<Violation>,
    unconfirmed: Option<CheckKind>,
}

impl<'p> crate::reach::Domain for Judge<'_, 'p> {
    type State = <Explorer<'p> as crate::reach::Domain>::State;
    type Place = ();

    fn entry(&mut self) -> Vec<Self::State> {
        self.explorer.entry()
    }

    fn step(&mut self, state: Self::State, out: &mut Vec<Self::State>) {
        self.explorer.step(state, out);
        for candidate in std::mem::take(&mut self.explorer.candidates) {
            match replay(self.program, self.task, &candidate.inputs, Unset::Leftovers).into_iter().next() {
                Some(mut violation) => {
                    violation.trace = trace(self.program, self.task, &violation);
                    self.violation = Some(violation);
                    self.explorer.stop();
                    return;
                }
                None => self.unconfirmed = Some(candidate.kind),
            }
        }
    }

    fn place(&self, state: &Self::State) -> Option<()> {
        self.explorer.place(state)
    }

    fn merge(&mut self, new: &Self::State, old: &Self::State) -> crate::reach::Merge<Self::State> {
        self.explorer.merge(new, old)
    }

    fn covered(&mut self, new: &Self::State, reached: &[Self::State]) -> bool {
        self.explorer.covered(new, reached)
    }

    fn depth(&self, state: &Self::State) -> u32 {
        self.explorer.depth(state)
    }

    fn done(&self) -> bool {
        self.explorer.done()
    }
}
