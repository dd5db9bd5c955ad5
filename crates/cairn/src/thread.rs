//! Runs a command where deep recursion has room and a panic becomes a report.

use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use crate::exit::Exit;
use crate::terminal::complain;

/// Stack sizes to try, largest first: only address space is taken, but a limit on that may refuse the first ones.
const STACKS: [usize; 4] = [1 << 30, 256 << 20, 64 << 20, 8 << 20];

/// Runs `work` on a thread with as large a stack as can be had.
pub(crate) fn on_large_stack(work: impl FnOnce() -> Exit + Send + 'static) -> Exit {
    let message = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&message);
    panic::set_hook(Box::new(move |info| {
        let payload = info.payload();
        let what = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
            (Some(text), _) => text,
            (_, Some(text)) => text.as_str(),
            _ => "no message",
        };
        let place = info.location().map(|l| format!(" at {}:{}", l.file(), l.line())).unwrap_or_default();
        *heard.lock().unwrap_or_else(PoisonError::into_inner) = format!("{what}{place}");
    }));
    // The work is handed over through a cell, so that it is still there when a thread could not be started.
    let work = Arc::new(Mutex::new(Some(work)));
    for size in STACKS {
        let work = Arc::clone(&work);
        let taken = move || {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            work.map(|work| work())
        };
        let Ok(thread) = Builder::new().name("work".to_owned()).stack_size(size).spawn(taken) else { continue };
        return match thread.join() {
            Ok(exit) => exit.unwrap_or(Exit::Failure),
            Err(_) => {
                let message = message.lock().unwrap_or_else(PoisonError::into_inner);
                complain(&format!("cairn: internal error: {message}\nThis is a mistake in cairn; please report it."));
                Exit::Failure
            }
        };
    }
    complain("cairn: no thread could be started");
    Exit::Failure
}
