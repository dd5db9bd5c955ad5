//! The interface of the engines.
//!
//! An engine works in turns. In each turn it gets the open checks and a budget, and it reports findings. It never reports a violation:
//! a failed check is a [`Finding::Candidate`], which the portfolio confirms by replay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_ir::{CheckId, CheckKind};
use cairn_smt::session::Statistics;

use crate::alarm::{Alarm, Site};
use crate::candidate::Candidate;
use crate::certificate::Certificate;
use crate::invariant::LoopInvariant;
use crate::reason::Reason;

/// A technique that answers checks.
pub trait Engine {
    /// The name of the engine on the command line and in the schedule.
    fn name(&self) -> &'static str;

    /// Works on the open checks until the budget is used up or there is a finding, and returns the findings.
    ///
    /// The engine subtracts its work from the budget. It returns early with each candidate, so that the portfolio can stop it.
    fn advance(&mut self, open: &OpenChecks, budget: &mut Budget) -> Vec<Finding>;

    /// Takes notice that the certificate of its last proof was rejected. Returns whether the engine tries another way.
    fn rejected(&mut self) -> bool {
        false
    }

    /// Whether the engine has nothing to do until another engine has made progress.
    fn waits(&self, _open: &OpenChecks) -> bool {
        false
    }

    /// Returns what the engine has observed so far, whatever its findings are.
    fn observations(&self) -> Observations {
        Observations::default()
    }

    /// Returns the work that the engine has done so far.
    fn effort(&self) -> Effort {
        Effort::default()
    }
}

/// A result of an engine.
#[derive(Clone, Debug)]
pub enum Finding {
    /// Some checks hold in every execution, up to its first violation of another check.
    Proved(Proof),
    /// A check fails on a feasible path.
    Candidate(Candidate),
    /// A check may fail in a state of an over-approximation.
    Alarm(Alarm, Site),
    /// The engine has nothing more to contribute.
    Exhausted(Reason),
}

/// Checks that hold, with what they rest on.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The checks.
    pub scope: Scope,
    /// The functions without a definition that the proof assumes to return any value and to do nothing else.
    ///
    /// A proof of all checks may leave them out: those of [`Observations`] count for every check that can be reached after their calls.
    pub assumptions: BTreeSet<String>,
    /// The invariants of the loops, if they were asked for.
    pub invariants: Vec<LoopInvariant>,
    /// The proof as data, if it was asked for and the engine can give it.
    pub certificate: Option<Box<Certificate>>,
}

/// The checks that a proof covers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Scope {
    /// Every check of the task.
    All,
    /// Every check without an alarm of this engine in the same turn. The flag says that executions which violate no such check were
    /// followed to their end, so that a search for violations may look for the alarms alone.
    AllButAlarms {
        /// Whether a search may skip paths that reach no alarm.
        guides: bool,
    },
    /// Every check of these kinds.
    Kinds(Vec<CheckKind>),
    /// These checks, whatever other engines find out about the rest.
    ///
    /// The proof holds in every execution up to its first undefined behaviour. A violation after which executions go on is followed.
    Checks {
        /// The checks.
        checks: Vec<CheckId>,
        /// Whether faults that belong to no check, such as a direct call with a wrong number of arguments, are excluded, too.
        excludes_others: bool,
    },
}

/// What an engine has observed about the program.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// Why the engine cannot claim to have covered everything.
    pub gaps: BTreeSet<Reason>,
    /// Functions without a body, which are assumed to return any value and to have no effect.
    pub assumed_harmless: BTreeSet<String>,
    /// Whether an uninitialised value is read.
    pub reads_uninitialised: bool,
}

/// The work of an engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// The questions to the solver.
    pub solver: Statistics,
    /// The states that were stepped.
    pub states: u64,
    /// The calling contexts that were analysed apart from their callers.
    pub summaries: u64,
    /// The calls that reused such a context.
    pub reused: u64,
    /// The proofs whose certificates the checker has accepted.
    pub certified: u64,
    /// The proofs whose certificates it has rejected.
    pub rejected: u64,
}

impl Effort {
    /// Adds the work of another engine or turn.
    pub fn add(&mut self, other: &Effort) {
        self.states += other.states;
        self.summaries += other.summaries;
        self.reused += other.reused;
        self.certified += other.certified;
        self.rejected += other.rejected;
        self.add_solver(&other.solver);
    }

    /// Adds the questions of a solver session.
    pub fn add_solver(&mut self, other: &Statistics) {
        self.solver.queries += other.queries;
        self.solver.trivial += other.trivial;
        self.solver.cached += other.cached;
        self.solver.repaired += other.repaired;
        self.solver.solved += other.solved;
    }
}

/// What is asked of a portfolio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// One answer for all properties: the first violation, or a proof.
    FirstAnswer,
    /// An answer for every check.
    EveryCheck,
}

/// The state of a portfolio that engines look at.
#[derive(Clone, Debug)]
pub struct OpenChecks {
    /// What is asked.
    pub goal: Goal,
    /// The checks that a complete proof has left open; `None` while there is no such proof.
    pub alarms: Option<BTreeMap<Alarm, Site>>,
    /// Whether a search for violations may look for the alarms alone.
    pub guides: bool,
    /// The kinds of checks that hold because some engine has proved all checks of the kind.
    pub granted: BTreeSet<CheckKind>,
    /// The checks that some engine has proved one by one.
    pub proved: Arc<BTreeSet<CheckId>>,
    /// The kinds of candidates that did not replay, by the engine that found them.
    pub unconfirmed: BTreeMap<&'static str, BTreeSet<CheckKind>>,
    /// The gaps of all engines.
    pub gaps: BTreeSet<Reason>,
    /// The engines that work.
    pub working: Vec<&'static str>,
    /// The engines that wait for others.
    pub waiting: Vec<&'static str>,
    /// The length of the round, in states.
    pub round: u64,
}

impl OpenChecks {
    /// Whether an engine works in this round.
    pub fn is_working(&self, engine: &str) -> bool {
        self.working.contains(&engine)
    }

    /// Whether an engine waits for another one.
    pub fn is_waiting(&self, engine: &str) -> bool {
        self.waiting.contains(&engine)
    }

    /// Returns the kinds of candidates of an engine that did not replay.
    pub fn unconfirmed_of(&self, engine: &str) -> Option<CheckKind> {
        self.unconfirmed.get(engine).and_then(|kinds| kinds.first().copied())
    }
}

/// The limit of one turn.
#[derive(Clone, Debug)]
pub struct Budget {
    /// The states that may be stepped, or work of about the same cost.
    pub states: u64,
    /// Set from outside to stop, for instance when the time is over.
    pub cancel: Arc<AtomicBool>,
}

impl Budget {
    /// Whether the search was stopped from outside.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}
