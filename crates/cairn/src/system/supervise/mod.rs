//! Supervision of a command: its stack, its limits, its signals and its panics.
//!
//! A command works on a thread with a large stack, because trees of deeply nested programs are walked recursively. The main thread
//! supervises it. When a limit is reached or a signal arrives, the supervisor first asks the search to end ([`Guard::cancel`]). A
//! phase that does not listen is cut short after [`GRACE`]: the supervisor prints the results so far and ends the process. So every
//! limit holds in every phase, whether the phase looks at it or not.
//!
//! [`guard`] is the connection between the two threads, [`memory`] reads the use of memory, and [`bug_report`] reports panics.

mod bug_report;
mod guard;
mod memory;

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Instant;

use cairn_portfolio::Reason;

pub(crate) use guard::{Guard, LastWords};

use crate::exit::Exit;
use crate::limits::{GRACE, PRINTING_GRACE, SMALLEST_STACK, STACK_SIZES, WATCHDOG_INTERVAL};
use crate::system::terminal::{self, error};

/// Whether a command ends with its partial result when it is interrupted, or as the system ends a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signals {
    Handled,
    Default,
}

/// Runs `work` on a thread with the largest stack that the system grants, and supervises it.
pub(crate) fn run(signals: Signals, work: impl FnOnce(&Guard) -> Exit + Send + 'static) -> Exit {
    let guard = Guard::new();
    bug_report::record_panics(&guard);
    if signals == Signals::Handled {
        let interrupted = guard.clone();
        // Without a handler, a signal ends the process without a result.
        let _ = ctrlc::set_handler(move || interrupted.interrupt());
    }
    // A cell holds the work, so that it is still there when a thread cannot be started.
    let work = Arc::new(Mutex::new(Some(work)));
    // A stack takes address space, of which the rest of the command needs more.
    let largest = memory::address_space().map_or(u64::MAX, |limit| limit / 2);
    for size in STACK_SIZES.into_iter().filter(|&size| size as u64 <= largest || size == SMALLEST_STACK) {
        let (work, of_work) = (Arc::clone(&work), guard.clone());
        let (ends, ended) = channel::<()>();
        let taken = move || {
            // The supervisor hears of the end, also by a panic, when this is dropped.
            let _ends = ends;
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            work.map(|work| work(&of_work))
        };
        let Ok(thread) = Builder::new().name("work".to_owned()).stack_size(size).spawn(taken) else { continue };
        if let Some(reason) = watch(&guard, &ended) {
            cut_short(&guard, &reason);
        }
        return match thread.join() {
            Ok(exit) => exit.unwrap_or(Exit::Failure),
            Err(_) => {
                bug_report::report(&guard, None);
                Exit::Failure
            }
        };
    }
    error("cannot start a thread");
    Exit::Failure
}

/// Returns an equal share of the memory that one command may use by default, or `None` if the system does not tell.
pub(crate) fn share_of_memory(shares: u64) -> Option<u64> {
    memory::Limits::of_system(None).resident().map(|bytes| bytes / shares.max(1))
}

/// Reports the internal errors of a search, which other engines may have survived.
pub(crate) fn report_failures(guard: &Guard, failures: &[Reason]) {
    for failure in failures {
        bug_report::report(guard, Some(failure));
    }
}

/// Waits for the end of the work. Returns a reason if the work must be cut short.
fn watch(guard: &Guard, ended: &Receiver<()>) -> Option<Reason> {
    let mut stopped: Option<(Instant, Reason)> = None;
    let mut limits: Option<memory::Limits> = None;
    loop {
        match ended.recv_timeout(WATCHDOG_INTERVAL) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        // Many commands end before the first look, and must not wait for the system calls behind this.
        let limits = limits.get_or_insert_with(|| memory::Limits::of_system(guard.memory_limit()));
        let used = memory::used();
        guard.end_phases();
        match &stopped {
            None => {
                let reason = if guard.interrupts() > 0 {
                    Reason::Interrupted
                } else if guard.is_out_of_time() {
                    Reason::OutOfTime
                } else if limits.are_reached(&used, 0) {
                    Reason::OutOfMemory
                } else {
                    continue;
                };
                guard.stop(reason.clone());
                stopped = Some((Instant::now(), reason));
            }
            Some((since, reason)) => {
                // The result of a large program takes a while to print, and must not be lost.
                let grace = if guard.has_concluded() { PRINTING_GRACE } else { GRACE };
                if since.elapsed() >= grace || guard.interrupts() > 1 || limits.are_reached(&used, 1) {
                    return Some(reason.clone());
                }
            }
        }
    }
}

/// Prints the results so far and ends the process.
fn cut_short(guard: &Guard, reason: &Reason) -> ! {
    let Some(LastWords { output, message, exit }) = guard.last_words(reason) else {
        // The result is being printed already.
        std::process::exit(Exit::Undecided.code());
    };
    if !message.is_empty() {
        error(&message);
    }
    terminal::print(output.as_bytes());
    std::process::exit(exit.code());
}
