//! The limits of the command line, each with the reason for its value.

use std::time::Duration;

/// Errors of the front-end that are shown; the rest is only counted. More than a screen of them helps nobody.
pub(crate) const SHOWN_ERRORS: usize = 50;

/// Stack sizes for the thread that does the work, to be tried from the first to the last.
///
/// Trees of deeply nested programs are walked recursively. A stack takes address space only, but a limit on that may refuse
/// the larger ones.
pub(crate) const STACK_SIZES: [usize; 4] = [1 << 30, 256 << 20, 64 << 20, SMALLEST_STACK];

/// The stack size that every system grants.
pub(crate) const SMALLEST_STACK: usize = 8 << 20;

/// The interval at which the watchdog looks at the clock and the memory. A search allocates some megabytes in that time.
pub(crate) const WATCHDOG_INTERVAL: Duration = Duration::from_millis(20);

/// The interval at which waiting for an external solver looks whether the search was cancelled.
pub(crate) const SOLVER_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Proofs of `cairn bench growth` below this many seconds are mostly the start of a process; they count as this many.
pub(crate) const SHORTEST_PROOF_SECONDS: f64 = 0.01;

/// Proofs of `cairn bench growth` below this many seconds are repeated, because noise would matter.
pub(crate) const REPEATED_BELOW_SECONDS: f64 = 1.0;

/// How often a short proof is measured; the least time counts.
pub(crate) const REPETITIONS: usize = 3;

/// The time in which a command has to end by itself after a limit was reached or a signal arrived. Then it is cut short. Searches end
/// within a tenth of that.
pub(crate) const GRACE: Duration = Duration::from_secs(1);

/// The time in which a command has to print its result after a limit was reached. A report of 100,000 unknown checks takes some seconds.
pub(crate) const PRINTING_GRACE: Duration = Duration::from_secs(30);

/// The maximum size of a file that is read, in bytes, and of the output of the preprocessor. The largest translation units that are
/// compiled in practice have some tens of megabytes.
pub(crate) const MAX_SOURCE: u64 = 256 << 20;

/// Bytes of the preprocessor's messages that are shown.
pub(crate) const MAX_MESSAGES: u64 = 64 << 10;

/// The address space of the preprocessor, in bytes, whatever the limit of the search is. gcc and clang take some hundred megabytes for
/// the largest inputs.
pub(crate) const PREPROCESSOR_MEMORY: u64 = 4 << 30;

/// The interval at which waiting for the preprocessor looks whether the command was stopped.
pub(crate) const CHILD_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Bytes of input texts that are kept for a bug report.
pub(crate) const MAX_REPRODUCER: usize = 64 << 20;

/// Names of temporary folders that are tried. Another process has taken all of them only on purpose.
pub(crate) const MAX_FOLDER_NAMES: u32 = 1000;

/// Links shown at each end of a chain of inclusions in the preprocessor's messages.
pub(crate) const SHOWN_INCLUSIONS: usize = 3;

/// The levels of files of options inside each other that are read. Builds use one.
pub(crate) const MAX_RESPONSE_FILES: usize = 8;

/// The entries of a compilation database. The Linux kernel has about 3,000, the largest products some ten thousand.
pub(crate) const MAX_DATABASE_ENTRIES: usize = 1_000_000;

/// The files that are looked for below a folder.
pub(crate) const MAX_FOLDER_FILES: usize = 200_000;

/// The share of the time in which faults of library functions are searched for. Proofs get the rest, since most checks of a library hold.
pub(crate) const FAULTS_SHARE: f64 = 0.6;

/// The units that are linked to a file of a library because it calls them. More of them cost time and rarely decide anything.
pub(crate) const MAX_DEPENDENCIES: usize = 24;
/// The time that an analysis of the language server has beyond its time limit, to print its results.
pub(crate) const LSP_GRACE: Duration = Duration::from_secs(5);

/// How often the language server looks whether an analysis has ended. A reader does not notice the delay.
pub(crate) const LSP_POLL: Duration = Duration::from_millis(10);

/// The work limit of the first check after a change: enough for most findings, and done within half a second on a file of 2,000 lines.
pub(crate) const LSP_QUICK_WORK: &str = "300";

/// The bytes of an analysis that the language server reads.
pub(crate) const LSP_OUTPUT: u64 = 256 << 20;

/// The bytes of a document that the language server checks.
pub(crate) const LSP_TEXT: usize = 16 << 20;

/// The requests that may wait for an analysis of a document.
pub(crate) const LSP_WAITING: usize = 64;
