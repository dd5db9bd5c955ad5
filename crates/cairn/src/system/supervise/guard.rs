//! The connection between a command and its supervisor.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cairn_portfolio::Reason;

use crate::exit::Exit;
use crate::limits::MAX_REPRODUCER;

/// The outputs of a command that is cut short.
#[derive(Debug, Default)]
pub(crate) struct LastWords {
    /// The text for standard output.
    pub(crate) output: String,
    /// The error for standard error, or nothing.
    pub(crate) message: String,
    pub(crate) exit: Exit,
}

/// The end of a phase without a limit: longer than any process runs.
const FAR: Duration = Duration::from_secs(1 << 32);

type Conclude = Box<dyn FnOnce(&Reason) -> LastWords + Send>;

/// The limits of a command, and what to do when one is reached.
#[derive(Clone)]
pub(crate) struct Guard {
    shared: Arc<Shared>,
}

struct Shared {
    started: Instant,
    cancel: Arc<AtomicBool>,
    interrupts: AtomicU32,
    state: Mutex<State>,
}

struct State {
    end: Option<Instant>,
    memory: Option<u64>,
    /// The flags of phases that end before the command, with their ends.
    phases: Vec<(Instant, Arc<AtomicBool>)>,
    /// Why the command was stopped.
    stopped: Option<Reason>,
    conclude: Option<Conclude>,
    /// The texts of the program, by name.
    inputs: Vec<(String, String)>,
    /// The panics so far: the message with its location, and where it came from.
    panics: Vec<(String, String)>,
}

impl Guard {
    pub(crate) fn new() -> Self {
        let conclude: Conclude =
            Box::new(|reason| LastWords { output: String::new(), message: reason.to_string(), exit: Exit::Undecided });
        let state = State {
            end: None,
            memory: None,
            phases: Vec::new(),
            stopped: None,
            conclude: Some(conclude),
            inputs: Vec::new(),
            panics: Vec::new(),
        };
        let shared = Shared {
            started: Instant::now(),
            cancel: Arc::default(),
            interrupts: AtomicU32::new(0),
            state: Mutex::new(state),
        };
        Self { shared: Arc::new(shared) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the limits of the command. Time counts from the start of the command.
    pub(crate) fn limit(&self, seconds: Option<u64>, memory: Option<u64>) {
        let end = seconds.and_then(|seconds| self.shared.started.checked_add(Duration::from_secs(seconds)));
        let mut state = self.state();
        state.end = end;
        state.memory = memory;
    }

    /// Sets the outputs in case the command is cut short. The new ones replace those that were set before.
    pub(crate) fn in_case_of_end(&self, conclude: impl FnOnce(&Reason) -> LastWords + Send + 'static) {
        self.state().conclude = Some(Box::new(conclude));
    }

    /// Says that the command prints its own result now.
    pub(crate) fn concludes(&self) {
        self.state().conclude = None;
    }

    /// Returns whether the command prints its own result.
    pub(super) fn has_concluded(&self) -> bool {
        self.state().conclude.is_none()
    }

    /// Returns the outputs of the command if it is cut short now, or `None` if it prints its own result.
    pub(super) fn last_words(&self, reason: &Reason) -> Option<LastWords> {
        let conclude = self.state().conclude.take()?;
        Some(conclude(reason))
    }

    /// Returns the flag that is set when the search has to end.
    pub(crate) fn cancel(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.cancel)
    }

    /// Returns a flag that is set when a phase has to end, after the given share of the time that is left.
    pub(crate) fn cancel_after(&self, share: f64) -> Arc<AtomicBool> {
        let mut state = self.state();
        let flag = Arc::new(AtomicBool::new(self.is_cancelled()));
        let now = Instant::now();
        // Without a limit of time, the phase ends by itself or with the command.
        let left = state.end.map_or(Duration::MAX, |end| end.saturating_duration_since(now).mul_f64(share));
        let end = now.checked_add(left).unwrap_or_else(|| now + FAR);
        state.phases.push((end, Arc::clone(&flag)));
        flag
    }

    /// Sets the flags of the phases that have to end.
    pub(super) fn end_phases(&self) {
        let is_cancelled = self.is_cancelled();
        self.state().phases.retain(|(end, flag)| {
            let ends = is_cancelled || Instant::now() >= *end;
            flag.fetch_or(ends, Ordering::Relaxed);
            !ends
        });
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.shared.cancel.load(Ordering::Relaxed)
    }

    /// Returns why the command was stopped, if it was.
    pub(crate) fn stopped(&self) -> Option<Reason> {
        self.state().stopped.clone()
    }

    /// Returns a reason with the limit that was reached: engines only know that they were cancelled.
    pub(crate) fn reason(&self, reason: &Reason) -> Reason {
        match reason {
            Reason::OutOfTime => self.stopped().unwrap_or(Reason::OutOfTime),
            reason => reason.clone(),
        }
    }

    pub(super) fn stop(&self, reason: Reason) {
        self.state().stopped = Some(reason);
        self.shared.cancel.store(true, Ordering::Relaxed);
        self.end_phases();
    }

    pub(super) fn interrupt(&self) {
        self.shared.interrupts.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn interrupts(&self) -> u32 {
        self.shared.interrupts.load(Ordering::Relaxed)
    }

    pub(super) fn is_out_of_time(&self) -> bool {
        self.state().end.is_some_and(|end| Instant::now() >= end)
    }

    pub(super) fn memory_limit(&self) -> Option<u64> {
        self.state().memory
    }

    /// Keeps a text of the program for a bug report.
    pub(crate) fn keep_input(&self, name: &str, text: &str) {
        let mut state = self.state();
        let kept: usize = state.inputs.iter().map(|(_, text)| text.len()).sum();
        if kept.saturating_add(text.len()) <= MAX_REPRODUCER {
            state.inputs.push((name.to_owned(), text.to_owned()));
        }
    }

    pub(super) fn inputs(&self) -> Vec<(String, String)> {
        self.state().inputs.clone()
    }

    pub(super) fn add_panic(&self, message: String, backtrace: String) {
        self.state().panics.push((message, backtrace));
    }

    pub(super) fn panics(&self) -> Vec<(String, String)> {
        self.state().panics.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_the_limit_that_was_reached() {
        let guard = Guard::new();
        assert_eq!(guard.reason(&Reason::OutOfTime), Reason::OutOfTime);
        guard.stop(Reason::OutOfMemory);
        assert!(guard.is_cancelled());
        assert_eq!(guard.reason(&Reason::OutOfTime), Reason::OutOfMemory);
        assert_eq!(guard.reason(&Reason::TooManyStates), Reason::TooManyStates);
    }

    #[test]
    fn phases_end_with_their_share_of_time_or_the_command() {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let guard = Guard::new();
        let unlimited = guard.cancel_after(0.5);
        guard.limit(Some(0), None);
        let ended = guard.cancel_after(0.5);
        guard.end_phases();
        assert!(is_set(&ended) && !is_set(&unlimited) && !guard.is_cancelled());
        guard.stop(Reason::Interrupted);
        assert!(is_set(&unlimited));
        assert!(is_set(&guard.cancel_after(0.5)));
    }

    #[test]
    fn last_words_are_said_once_and_never_after_the_result() {
        let guard = Guard::new();
        guard.in_case_of_end(|reason| LastWords { message: format!("ended: {reason}"), ..LastWords::default() });
        assert_eq!(guard.last_words(&Reason::Interrupted).expect("set above").message, "ended: interrupted");
        assert!(guard.last_words(&Reason::Interrupted).is_none());
        let guard = Guard::new();
        guard.concludes();
        assert!(guard.last_words(&Reason::OutOfTime).is_none());
    }
}
