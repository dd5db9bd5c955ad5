//! Time and memory: a thread looks at both and cancels the search when one of them is used up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use cairn_engine::portfolio::CANCELLED;

/// How often the thread looks. A search takes some megabytes in that time.
const INTERVAL: Duration = Duration::from_millis(20);

/// The limits of one search.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// Set when one of them is reached.
    pub(crate) cancel: Arc<AtomicBool>,
    out_of_memory: Arc<AtomicBool>,
}

impl Limits {
    /// Starts to watch; the thread ends with the process. Without a limit on memory, most of what the system would give is one.
    pub(crate) fn start(seconds: Option<u64>, memory: Option<u64>) -> Self {
        let limits = Self { cancel: Arc::default(), out_of_memory: Arc::default() };
        let end = seconds.and_then(|seconds| Instant::now().checked_add(Duration::from_secs(seconds)));
        let watched = limits.clone();
        std::thread::spawn(move || {
            // Many searches are over before the first look, and need not wait for what it takes.
            std::thread::sleep(INTERVAL);
            let resident = memory.unwrap_or_else(|| available() / 4 * 3);
            let address_space = address_space().map_or(u64::MAX, |limit| limit / 8 * 7);
            loop {
                if end.is_some_and(|end| Instant::now() >= end) {
                    break;
                }
                if used().is_some_and(|now| now.resident > resident || now.reserved > address_space) {
                    watched.out_of_memory.store(true, Ordering::Relaxed);
                    break;
                }
                std::thread::sleep(INTERVAL);
            }
            watched.cancel.store(true, Ordering::Relaxed);
        });
        limits
    }

    /// A reason for what is unknown. The engines only know that they were stopped.
    pub(crate) fn reason(&self, reason: &str) -> String {
        if self.out_of_memory.load(Ordering::Relaxed) {
            reason.replacen(CANCELLED, "out of memory", 1)
        } else {
            reason.to_owned()
        }
    }
}

/// Bytes of this process.
struct Used {
    resident: u64,
    reserved: u64,
}

/// What this process uses, where the system tells.
fn used() -> Option<Used> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    Some(Used { resident: kilobytes(&status, "VmRSS:")?, reserved: kilobytes(&status, "VmSize:")? })
}

/// What the machine or the container has; without an answer, as much as anybody has.
fn available() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| kilobytes(&text, "MemTotal:"));
    let container = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .into_iter()
        .find_map(|path| read(path)?.trim().parse().ok());
    [machine, container, address_space()].into_iter().flatten().min().unwrap_or(u64::MAX)
}

/// The limit that was set on this process's addresses.
fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The number of a line like `VmRSS:  1234 kB`, in bytes.
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
    fn whoever_cancels_knows_why() {
        let limits = Limits { cancel: Arc::default(), out_of_memory: Arc::default() };
        assert_eq!(limits.reason(CANCELLED), "out of time");
        limits.out_of_memory.store(true, Ordering::Relaxed);
        assert_eq!(limits.reason(CANCELLED), "out of memory");
        assert_eq!(limits.reason("too many states"), "too many states");
    }
}
