//! The watchdog: a thread that cancels a search when its time or its memory is used up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cairn_portfolio::Reason;

use crate::limits::WATCHDOG_INTERVAL;

/// A running watchdog.
#[derive(Clone, Debug)]
pub(crate) struct Watchdog {
    /// Set when a limit is reached.
    pub(crate) cancel: Arc<AtomicBool>,
    out_of_memory: Arc<AtomicBool>,
}

impl Watchdog {
    /// Starts the thread, which ends with the process. The default limit on memory is three quarters of what the system has.
    pub(crate) fn start(seconds: Option<u64>, memory: Option<u64>) -> Self {
        let watchdog = Self { cancel: Arc::default(), out_of_memory: Arc::default() };
        let end = seconds.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
        let shared = watchdog.clone();
        std::thread::spawn(move || {
            // Many searches end before the first look, and must not wait for the system calls below.
            std::thread::sleep(WATCHDOG_INTERVAL);
            let resident = memory.unwrap_or_else(|| available() / 4 * 3);
            let address_space = address_space().map_or(u64::MAX, |limit| limit / 8 * 7);
            loop {
                if end.is_some_and(|end| Instant::now() >= end) {
                    break;
                }
                if used().is_some_and(|now| now.resident > resident || now.reserved > address_space) {
                    shared.out_of_memory.store(true, Ordering::Relaxed);
                    break;
                }
                std::thread::sleep(WATCHDOG_INTERVAL);
            }
            shared.cancel.store(true, Ordering::Relaxed);
        });
        watchdog
    }

    /// Returns a reason with the limit that was reached: engines only know that they were cancelled.
    pub(crate) fn reason(&self, reason: &Reason) -> Reason {
        match reason {
            Reason::OutOfTime if self.out_of_memory.load(Ordering::Relaxed) => Reason::OutOfMemory,
            reason => reason.clone(),
        }
    }
}

/// The memory of this process, in bytes.
struct Used {
    resident: u64,
    reserved: u64,
}

/// Returns the memory of this process, if the system tells.
fn used() -> Option<Used> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(Used { resident: kilobytes(&status, "VmRSS:")?, reserved: kilobytes(&status, "VmSize:")? })
}

/// Returns the memory of the machine or the container, or `u64::MAX` if the system does not tell.
fn available() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemTotal:"));
    let container = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .into_iter()
        .find_map(|path| read(path)?.trim().parse().ok());
    [machine, container, address_space()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// Returns the limit on the address space of this process, if there is one.
fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Reads the number of a line like `VmRSS:  1234 kB`, in bytes.
fn kilobytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    number.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_system_are_read() {
        let text = "Name:\tcairn\nVmSize:\t   12 kB\nVmRSS:\t 7 kB\n";
        assert_eq!(kilobytes(text, "VmRSS:"), Some(7 * 1024));
        assert_eq!(kilobytes(text, "VmHWM:"), None);
        assert_eq!(kilobytes("VmRSS: 99999999999999999999 kB", "VmRSS:"), None);
    }

    #[test]
    fn reasons_name_the_limit_that_was_reached() {
        let watchdog = Watchdog { cancel: Arc::default(), out_of_memory: Arc::default() };
        assert_eq!(watchdog.reason(&Reason::OutOfTime), Reason::OutOfTime);
        watchdog.out_of_memory.store(true, Ordering::Relaxed);
        assert_eq!(watchdog.reason(&Reason::OutOfTime), Reason::OutOfMemory);
        assert_eq!(watchdog.reason(&Reason::TooManyStates), Reason::TooManyStates);
    }
}
