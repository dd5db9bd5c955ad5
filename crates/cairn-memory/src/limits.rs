//! The limits of concrete memory.

/// The largest allocation that is made without asking first whether the system has the memory.
///
/// The test costs a system call, and smaller allocations hardly ever fail.
pub(crate) const MAX_UNTESTED: usize = 64 << 20;
