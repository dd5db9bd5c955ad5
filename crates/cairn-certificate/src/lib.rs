//! The checker of proof certificates.
//!
//! A certificate holds the symbolic states that a proof kept. The checker executes every recorded state with the machine of
//! `cairn-exec` until its successors are at recorded points again. Each successor must entail a recorded state of its point ([`entail`]).
//! Every check must hold on the way. By induction over the steps of an execution, some recorded state then stands for every concrete
//! state that an execution reaches, and no check fails.
//!
//! The checker folds, joins and widens nothing, and it shares no code with `cairn-prove`. See `docs/certificates.md` for the form of
//! certificates and for everything that has to be trusted.
//!
//! | module | holds |
//! | --- | --- |
//! | `import` | from records to states, with validation |
//! | `checker` | the walk over all recorded states |
//! | `entail` | entailment between states |
//! | `calls` | the frame rule, for calls that were analysed apart from their callers |
//! | `mode` | the checking mode of the machine |
//! | `compare` | equivalence of certificates, for tests of the checker |

mod calls;
mod checker;
mod compare;
mod entail;
mod import;
pub mod limits;
mod mode;
mod repeats;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_exec::Options;
use cairn_exec::allocation::AllocationCheck;
use cairn_ir::Program;
use cairn_portfolio::Reason;
use cairn_portfolio::alarm::Alarm;
use cairn_portfolio::certificate::{Certificate, Claim, Method};

use self::checker::Checker;
pub use self::compare::covers_proof;

/// The limits of a check.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The blocks to execute and queries to ask.
    pub effort: u64,
    /// Set from outside to stop.
    pub cancel: Arc<AtomicBool>,
}

/// Why a certificate is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// A record makes no sense.
    Malformed(&'static str),
    /// The certificate is about another program or question.
    OtherProgram,
    /// A check may fail, and is not among the alarms.
    Fails(Alarm),
    /// The execution is incomplete.
    Incomplete(Reason),
    /// A successor entails no recorded state of its point.
    NotCovered {
        /// The function.
        function: String,
        /// The line.
        line: u32,
        /// What the state would continue with.
        at: &'static str,
    },
    /// A division of a calling state is not justified.
    Call(&'static str),
    /// An assumption is not stated.
    Unstated(String),
    /// The budget is used up.
    OutOfBudget,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejection::Malformed(what) => write!(f, "malformed record: {what}"),
            Rejection::OtherProgram => f.write_str("certificate of another program"),
            Rejection::Fails(alarm) => alarm.fmt(f),
            Rejection::Incomplete(reason) => reason.fmt(f),
            Rejection::NotCovered { function, line, at } => {
                write!(f, "no recorded state of `{function}` covers a state at {at} in line {line}")
            }
            Rejection::Call(what) => write!(f, "unjustified use of a context: {what}"),
            Rejection::Unstated(what) => write!(f, "unstated assumption: {what}"),
            Rejection::OutOfBudget => f.write_str("out of budget"),
        }
    }
}

/// The work of a check.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Work {
    /// The blocks that were executed.
    pub blocks: u64,
    /// The entailments that were tried.
    pub entailments: u64,
    /// The questions to the solver.
    pub queries: u64,
    /// Which of the recorded states the check needed: those of places, then the entries of contexts, then calling states.
    pub used: Vec<bool>,
}

/// Checks that a certificate proves its claim about a program.
///
/// # Errors
/// If the certificate does not prove the claim, or the check is too expensive.
pub fn check(program: &Program, certificate: &Certificate, budget: &Budget) -> Result<Work, Rejection> {
    match certificate.claim.method {
        Method::States => Checker::<true>::run(program, certificate, budget),
        Method::Paths => Checker::<false>::run(program, certificate, budget),
        // `cairn-template` checks these: its formulas have nothing in common with symbolic states.
        Method::Invariants => Err(Rejection::Malformed("a proof without states")),
    }
}

/// Returns the options of the execution that a claim is about.
fn options(claim: &Claim) -> Options {
    Options {
        entry: claim.entry.clone(),
        kinds: claim.kinds.clone(),
        granted: claim.granted.clone(),
        malloc_fails: claim.malloc_fails,
        assert_faults: claim.assert_faults,
        max_splits: cairn_exec::limits::MAX_SPLITS,
        allocation_check: AllocationCheck::Fast,
    }
}
