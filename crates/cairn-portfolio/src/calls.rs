//! The treatment of calls in proofs.

/// The treatment of calls in proofs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Calls {
    /// Calls are inlined where that is cheap. Recursive functions and functions that would be inlined too often get summaries.
    #[default]
    Auto,
    /// Calls are inlined. Recursion is not analysed.
    Inline,
    /// Every function gets a summary.
    Summaries,
}
