//! The use of memory, as the system tells it.

/// The limits on memory, in bytes.
pub(super) struct Limits {
    resident: u64,
    address_space: u64,
}

impl Limits {
    /// Returns the user's limit, by default three quarters of the memory of the system, and the limit of the system.
    pub(super) fn of_system(limit: Option<u64>) -> Self {
        Self {
            resident: limit.unwrap_or_else(|| available() / 4 * 3),
            address_space: address_space().map_or(u64::MAX, |limit| limit / 8 * 7),
        }
    }

    /// Returns the limit on memory in use, if the system tells.
    pub(super) fn resident(&self) -> Option<u64> {
        // Three quarters of an unknown amount.
        (self.resident < u64::MAX / 2).then_some(self.resident)
    }

    /// Whether a process uses more than the limits and this many eighths of them.
    pub(super) fn are_reached(&self, used: &Option<Used>, eighths: u64) -> bool {
        let more = |limit: u64| limit.saturating_add(limit / 8 * eighths);
        used.as_ref().is_some_and(|now| now.resident > more(self.resident) || now.reserved > more(self.address_space))
    }
}

/// The memory of this process, in bytes.
pub(super) struct Used {
    resident: u64,
    reserved: u64,
}

/// Returns the memory of this process, if the system tells.
pub(super) fn used() -> Option<Used> {
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
pub(super) fn address_space() -> Option<u64> {
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
}
