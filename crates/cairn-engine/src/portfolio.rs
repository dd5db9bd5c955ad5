//! From a program and properties to a verdict: engines answer, replay confirms, and only what rests on nothing is called true.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::{CheckKind, Program};
use cairn_smt::Session;

use crate::engines::shape::{Explorer, Options};
use crate::reach::{Budget, Ended, Order, reach};
use crate::replay::{replay, trace};
use crate::verdict::{Property, Verdict, Violation};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Task {
    /// The function that the program starts in.
    pub entry: String,
    /// The properties.
    pub properties: Vec<Property>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` violates `unreach-call`; otherwise it only ends the program.
    pub assert_faults: bool,
}

impl Task {
    /// The checks that the properties consist of.
    pub fn kinds(&self) -> impl Iterator<Item = CheckKind> {
        self.properties.iter().flat_map(|p| p.kinds())
    }

    pub(crate) fn exploring(&self) -> Options {
        Options {
            entry: self.entry.clone(),
            kinds: self.kinds().collect(),
            malloc_fails: self.malloc_fails,
            assert_faults: self.assert_faults,
            max_splits: 64,
        }
    }
}

/// States that may wait at once; with a few kilobytes each they stay within a few gigabytes.
pub(crate) const MAX_WAITING: usize = 200_000;

/// Instructions of one replay.
pub(crate) const REPLAY_STEPS: u64 = 50_000_000;

/// Answers a task.
///
/// # Errors
/// When there is nothing to verify: the entry function is missing.
pub fn verify(program: &Program, task: &Task, cancel: &Arc<AtomicBool>) -> Result<Verdict, String> {
    let mut explorer = Explorer::new(program, task.exploring(), Session::new(cancel.clone()))?;
    let budget = Budget { states: u64::MAX, waiting: MAX_WAITING, cancel: cancel.clone() };
    let mut judge = Judge { explorer: &mut explorer, program, task, violation: None, unconfirmed: None };
    let ended = reach(&mut judge, Order::LoopBounded, &budget);
    let Judge { violation, unconfirmed, .. } = judge;
    if let Some(violation) = violation {
        return Ok(Verdict::False(Box::new(violation)));
    }
    if let Some(kind) = unconfirmed {
        return Ok(Verdict::Unknown(format!("a candidate for {kind} did not replay")));
    }
    if ended != Ended::Complete {
        let stopped = cancel.load(std::sync::atomic::Ordering::Relaxed);
        let reason = if stopped { "out of time" } else { "too many states" };
        return Ok(Verdict::Unknown(reason.to_owned()));
    }
    if let Some(gap) = explorer.gaps.first() {
        return Ok(Verdict::Unknown(gap.clone()));
    }
    Ok(Verdict::True)
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
            match replay(self.program, self.task, &candidate.inputs, REPLAY_STEPS).into_iter().next() {
                Some(mut violation) => {
                    violation.trace = trace(self.program, self.task, &violation.inputs);
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
