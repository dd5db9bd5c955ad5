//! Runs a command on a thread with a large stack, and reports a panic as a bug.

use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use crate::exit::Exit;
use crate::limits::STACK_SIZES;
use crate::system::terminal::error;

/// Runs `work` on a thread with the largest stack that the system grants.
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
    // A cell holds the work, so that it is still there when a thread cannot be started.
    let work = Arc::new(Mutex::new(Some(work)));
    for size in STACK_SIZES {
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
                error(&format!("internal error: {message}\nnote: this is a bug in cairn; please report it"));
                Exit::Failure
            }
        };
    }
    error("cannot start a thread");
    Exit::Failure
}
