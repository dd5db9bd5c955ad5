//! The driver of the stages.

use std::collections::{BTreeSet, VecDeque};

use cairn_ir::{CheckId, CheckKind, Loc, Program};
use cairn_portfolio::Input;
use cairn_portfolio::certificate::InvariantRecord;
use cairn_portfolio::invariant::LoopInvariant;
use cairn_smt::session::Statistics;
use cairn_smt::{Session, Terms};

use crate::engine::bounded::{Bounded, Progress};
use crate::engine::certify::Shown;
use crate::engine::stages::{self, Stage};
use crate::limits::{
    BOUNDED_CONFLICT_SHARE, CONFLICTS_PER_QUERY, CONFLICTS_PER_QUERY_ALONE, FIRST_QUERIES, MAX_TRIALS, MIN_CONFLICTS,
    QUERY_GROWTH,
};
use crate::reason::{Incompleteness, Reason};
use crate::ssa::{Calls, Obligation, Options};
use crate::templates;

/// The result of a stage.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every check is proved. Holds the loop invariants that C can express, if they were requested.
    Proved(Vec<LoopInvariant>),
    /// These inputs may lead to a violation of a check of this kind.
    Candidate(CheckKind, Vec<Input>),
    /// Neither proved nor refuted. `None` if bounded model checking merely found no violation.
    Open(Option<Incompleteness>),
}

impl From<Reason> for Outcome {
    fn from(reason: Reason) -> Self {
        Self::Open(Some(reason.into()))
    }
}

/// The result of a stage, and whether the stage is tried again.
pub(super) enum Step {
    /// The stage is done.
    Finished(Outcome),
    /// The budget was not sufficient; the stage is tried again after the others.
    OutOfBudget(Outcome),
    /// The stage is the next one again.
    Postponed(Reason),
}

/// Identifies an obligation across the unwound copies and stages in which it occurs.
pub(super) type Key = (CheckKind, Option<CheckId>, Option<Reason>, Loc);

pub(super) fn key(obligation: &Obligation) -> Key {
    (obligation.kind, obligation.check, obligation.incomplete.clone(), obligation.loc)
}

/// Whether an obligation is about the formula of one stage rather than about the program.
///
/// Another stage may follow other values exactly, so it has to exclude its own gaps.
pub(super) fn is_gap(obligation: &Obligation) -> bool {
    obligation.incomplete.is_some() || obligation.kind == CheckKind::Unsupported
}

/// The template engine and its progress through the stages.
pub struct Templates<'p> {
    pub(super) program: &'p Program,
    pub(super) options: Options,
    /// The term table shared by all formulas: the clauses that the session has learned refer to its terms.
    pub(super) terms: Terms,
    pub(super) session: Session,
    pub(super) stages: VecDeque<Stage>,
    /// The number of queries of the next stage.
    pub(super) queries: u64,
    /// The largest number of terms that one formula added.
    pub(super) size: u64,
    /// Obligations proved by stages that did not prove all obligations.
    ///
    /// A stage shows its proofs only for executions up to their first violation. A stage counts only if it covered all
    /// of these, that is, if it has excluded all of its gaps. Then the first violation of an execution is never one of these
    /// obligations, and the proofs of different stages may be combined. Gaps themselves are never among these obligations.
    pub(super) proved: BTreeSet<Key>,
    /// The invariants behind `proved`, for the certification of a proof.
    pub(super) shown: Vec<Shown>,
    /// The proof as data.
    pub(super) recorded: Vec<InvariantRecord>,
    /// Whether a proof is recorded even if the engine does not check it.
    pub(super) records: bool,
    pub(super) bounded: Progress,
    /// Whether the engine chooses the templates; otherwise the user has.
    pub(super) chooses: bool,
    /// Whether no other engine takes part.
    pub(super) alone: bool,
    /// Whether to postpone programs that need summaries because another engine may handle them better.
    pub waits: bool,
    /// Whether the program needs summaries.
    pub(super) needs_summaries: bool,
    /// Whether a proof is checked again before it is reported.
    pub certifies: bool,
    /// Whether a proof comes with loop invariants.
    pub wants_invariants: bool,
    /// Functions without a body, assumed to return any value and to have no other effect.
    pub assumed_harmless: BTreeSet<String>,
}

impl std::fmt::Debug for Templates<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Templates").field("stages", &self.stages).finish_non_exhaustive()
    }
}

impl<'p> Templates<'p> {
    /// Creates an engine that uses the given templates, or chooses templates by itself if none are given.
    ///
    /// # Errors
    /// Fails if a template name is unknown.
    pub fn new(program: &'p Program, options: Options, session: Session, chosen: &[String]) -> Result<Self, String> {
        let names = templates::named(chosen)?;
        Ok(Self {
            program,
            options,
            terms: Terms::new(),
            session,
            stages: stages::all(&names),
            queries: FIRST_QUERIES,
            size: 0,
            proved: BTreeSet::new(),
            shown: Vec::new(),
            recorded: Vec::new(),
            records: false,
            bounded: Progress::default(),
            chooses: names.is_empty(),
            alone: false,
            waits: false,
            needs_summaries: false,
            certifies: true,
            wants_invariants: false,
            assumed_harmless: BTreeSet::new(),
        })
    }

    /// Sets the number of queries of the next stage, from which its conflict limit follows.
    pub fn set_effort(&mut self, queries: u64) {
        self.queries = queries;
    }

    /// Returns the conflict limit of one query of the next stage.
    fn conflicts(&self) -> u64 {
        let conflicts = if self.alone { CONFLICTS_PER_QUERY_ALONE } else { CONFLICTS_PER_QUERY };
        MIN_CONFLICTS.max(self.queries.saturating_mul(conflicts))
    }

    /// Prepares the engine to run without other engines: adds an octagon stage and stages for bounded model checking.
    pub fn be_alone(&mut self) {
        self.alone = true;
        self.set_effort(FIRST_QUERIES);
        if self.chooses {
            stages::add_octagons(&mut self.stages);
        }
        stages::add_bounded(&mut self.stages);
    }

    /// Returns whether no stages are left.
    pub fn is_done(&self) -> bool {
        self.stages.is_empty()
    }

    /// Returns whether the current budget was not enough for any of the remaining stages.
    pub fn needs_more_effort(&self) -> bool {
        self.stages.front().is_some_and(|stage| stage.tried >= self.queries)
    }

    /// Raises the budget for the next round.
    pub fn try_harder(&mut self) {
        self.set_effort(self.queries.saturating_mul(QUERY_GROWTH));
    }

    /// Returns the solver statistics.
    pub fn statistics(&self) -> Statistics {
        self.session.statistics()
    }

    /// Runs the next stage.
    ///
    /// # Errors
    /// Never fails at present. A missing entry function results in [`Outcome::Open`].
    pub fn turn(&mut self) -> Result<Outcome, String> {
        let postpones = self.waits && self.options.calls == Calls::Auto;
        if postpones && self.needs_summaries {
            return Ok(Reason::RecursionPostponed.into());
        }
        let Some(stage) = self.stages.pop_front() else {
            return Ok(Reason::NoStageLeft.into());
        };
        // A bounded model checking query is as large as the unwound executions, and proofs wait for it.
        self.session.set_conflict_budget(Some(self.conflicts() / BOUNDED_CONFLICT_SHARE));
        let bounded = self.check_bounded(&stage);
        self.session.set_conflict_budget(Some(self.conflicts()));
        let step = match bounded {
            Bounded::Violated(key, inputs) => {
                // A further call of this function means that the candidate did not replay.
                let kind = key.0;
                self.bounded.add_candidate(stage.unwind, key);
                self.stages.push_front(stage);
                return Ok(Outcome::Candidate(kind, inputs));
            }
            Bounded::Proved => {
                self.record_bounded(stage.unwind);
                let is_certified = !self.certifies || self.is_certified();
                let outcome = Outcome::Proved(Vec::new());
                Step::Finished(if is_certified { outcome } else { Reason::CertificateRejected.into() })
            }
            Bounded::Unknown if stage.templates.is_empty() => Step::OutOfBudget(Outcome::Open(None)),
            _ if stage.templates.is_empty() => Step::Finished(Outcome::Open(None)),
            _ => self.prove(&stage, postpones),
        };
        Ok(match step {
            Step::Finished(outcome) => outcome,
            Step::OutOfBudget(outcome) => {
                if self.alone || stage.trials + 1 < MAX_TRIALS {
                    self.stages.push_back(Stage { tried: self.queries, trials: stage.trials + 1, ..stage });
                }
                outcome
            }
            Step::Postponed(reason) => {
                self.stages.push_front(stage);
                reason.into()
            }
        })
    }

    /// Returns a requested check kind that templates cannot answer.
    pub(super) fn unanswered(&self) -> Option<CheckKind> {
        [CheckKind::Leak, CheckKind::Unfreed].into_iter().find(|kind| self.options.kinds.contains(kind))
    }
}
