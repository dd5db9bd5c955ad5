//! Helpers of sweeps over many programs.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether sweeps take every program. By default, they take a sample of a fixed size.
pub fn takes_all() -> bool {
    std::env::var_os("CAIRN_SWEEP").is_some_and(|value| value == "all")
}

/// Applies `work` to every item, on as many threads as there are processors. Returns the results in no particular order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    results.lock().expect("no worker panics here").push(result);
                }
            });
        }
    });
    results.into_inner().expect("no worker panics here")
}
