//! The result of a portfolio for every check of a program.

use std::sync::Arc;

use cairn_ir::{CheckId, CheckKind};

use crate::certificate::Certificate;
use crate::reason::Reason;
use crate::verdict::Violation;

/// The answers for all checks of a program.
#[derive(Clone, Default, Debug)]
pub struct Survey {
    /// The violations, each once, in the order of their locations.
    pub findings: Vec<Violation>,
    /// The checks in the user's functions that are reachable from the entry.
    pub checks: Counts,
    /// Why the unknown checks are not decided; empty if there are none.
    pub reasons: Vec<Reason>,
    /// The checks that are unknown, without those of the program's end.
    pub unknown: Vec<CheckId>,
    /// The checks that are proved without an assumption.
    pub proved: Vec<CheckId>,
    /// The kinds of checks of the program's end that are proved without an assumption.
    pub proved_at_end: Vec<CheckKind>,
    /// The assumptions that proved checks rest on, in words.
    pub assumptions: Vec<String>,
    /// The internal errors of the search, whatever the answers are.
    pub failures: Vec<Reason>,
    /// The certificate of the proved checks, if their proof has one.
    pub certificate: Option<Arc<Certificate>>,
}

/// The numbers of checks by their answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Checks that hold in every execution, up to its first violation of another check.
    pub proved: usize,
    /// Those of them that rest on an assumption.
    pub assuming: usize,
    /// Checks that an execution violates.
    pub violated: usize,
    /// Checks that are neither proved nor violated.
    pub unknown: usize,
}
