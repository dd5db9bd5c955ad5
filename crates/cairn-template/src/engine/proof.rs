//! Proofs: a stage builds the formula, synthesises an invariant, and checks the obligations against it.

use std::collections::{BTreeSet, VecDeque};

use crate::engine::certify::Shown;
use crate::engine::staged::{Key, Outcome, Step, Templates, is_gap, key};
use crate::engine::stages::Stage;
use crate::hints::hints;
use crate::limits::{MAX_CONTEXT_SPLITS, TERMS_PER_QUERY};
use crate::reason::{Incompleteness, Reason};
use crate::ssa::{Calls, Contexts, Formula, NoFormula, Obligation, Options};
use crate::synthesis::{Precision, Stop, Synthesis};
use crate::templates::{self, Template};

/// The result of synthesising an invariant for a formula.
struct Attempt {
    step: Step,
    /// Refined calling contexts that may prove more.
    contexts: Option<Contexts>,
}

impl Templates<'_> {
    /// Runs the proof of a stage. Recursive functions are postponed if the engine `postpones` summaries.
    pub(super) fn prove(&mut self, stage: &Stage, postpones: bool) -> Step {
        let calls = if postpones { Calls::Inline } else { self.options.calls };
        let options = Options { calls, ..self.options.clone() };
        let (subjects, terms) = (templates::subjects(&stage.templates), std::mem::take(&mut self.terms));
        let known = terms.len();
        let mut formula = match Formula::of(self.program, &options, stage.unwind, subjects, terms) {
            Ok(formula) if postpones && formula.recursive => {
                (self.needs_summaries, self.terms) = (true, formula.terms);
                return Step::Postponed(Reason::RecursionPostponed);
            }
            Ok(formula) => formula,
            Err(failed) => {
                let NoFormula { reason, terms } = *failed;
                // Deeper unwinding gives an even larger formula.
                self.terms = terms;
                self.stages.retain(|other| other.unwind < stage.unwind || other.templates.is_empty());
                return Step::Finished(Outcome::Open(Some(reason.into())));
            }
        };
        self.size = self.size.max((formula.terms.len() - known) as u64);
        if !self.alone && self.size > self.queries.saturating_mul(TERMS_PER_QUERY) {
            self.terms = formula.terms;
            return Step::Postponed(Reason::FormulaPostponed);
        }
        if let Some(kind) = self.unanswered().filter(|_| formula.allocates) {
            (self.terms, self.stages) = (formula.terms, VecDeque::new());
            return Step::Finished(Outcome::Open(Some(Reason::UnansweredCheck(kind).into())));
        }
        self.assumed_harmless.extend(formula.assumed_harmless.iter().cloned());
        let mut attempt = self.attempt(stage, &options, &mut formula);
        for _ in 0..MAX_CONTEXT_SPLITS {
            let Some(contexts) = attempt.contexts.take() else { break };
            let split = Options { contexts: contexts.clone(), ..options.clone() };
            let terms = std::mem::take(&mut formula.terms);
            match Formula::of(self.program, &split, stage.unwind, subjects, terms) {
                Ok(built) => (formula, self.options.contexts) = (built, contexts),
                Err(failed) => {
                    formula.terms = failed.terms;
                    break;
                }
            }
            attempt = self.attempt(stage, &split, &mut formula);
        }
        self.terms = formula.terms;
        attempt.step
    }

    /// Synthesises an invariant for the formula of a stage and checks the obligations against it.
    fn attempt(&mut self, stage: &Stage, options: &Options, formula: &mut Formula) -> Attempt {
        let hints = hints(self.program, formula);
        let all = templates::all();
        let chosen: Vec<&dyn Template> =
            all.iter().map(|t| &**t).filter(|template| stage.templates.contains(&template.name())).collect();
        // A function with a summary has rows of its own.
        let bodies = if self.alone { formula.bodies.len() as u64 } else { 1 };
        let precision = Precision { bounds: stage.bounds, queries: self.queries.saturating_mul(bodies) };
        let obligations: Vec<Obligation> =
            formula.obligations.iter().filter(|o| is_gap(o) || !self.proved.contains(&key(o))).cloned().collect();
        let mut excluded: BTreeSet<Key> = obligations.iter().map(key).collect();
        let shown = |rows, excluded| Shown {
            options: options.clone(),
            unwind: stage.unwind,
            subjects: templates::subjects(&stage.templates),
            rows,
            excluded,
        };
        let mut synthesis = Synthesis::new(formula, &mut self.session, &chosen, &hints, precision);
        match not_excluded(&mut synthesis, obligations) {
            Ok(open) if open.is_empty() => {
                // Unwound copies of a body have heads of their own, which no row describes.
                let wanted = self.wants_invariants && stage.unwind == 1;
                let facts = if wanted { synthesis.facts(self.program) } else { Ok(Vec::new()) };
                self.shown.push(shown(synthesis.into_rows(), excluded));
                if self.certifies || self.records {
                    self.record();
                }
                let outcome = if !self.certifies || self.is_certified() {
                    Outcome::Proved(facts.unwrap_or_default())
                } else {
                    self.proved.clear();
                    Reason::CertificateRejected.into()
                };
                Attempt { step: Step::Finished(outcome), contexts: None }
            }
            Ok(open) => {
                let first = &open[0];
                let reason = first.incomplete.clone().unwrap_or(Reason::CheckMayFail(first.kind));
                let why = Incompleteness { reason, loc: Some(first.loc) };
                let contexts = synthesis.split_contexts(&self.options.contexts).unwrap_or_default();
                if !open.iter().any(is_gap) {
                    let open: BTreeSet<Key> = open.iter().map(key).collect();
                    excluded.retain(|key| !open.contains(key));
                    if !excluded.is_empty() {
                        self.proved.extend(excluded.iter().cloned());
                        self.shown.push(shown(synthesis.into_rows(), excluded));
                    }
                }
                Attempt { step: Step::Finished(Outcome::Open(Some(why))), contexts }
            }
            Err(Stop::OutOfBudget) => {
                let outcome = Outcome::Open(Some(Reason::SolverBudget.into()));
                Attempt { step: Step::OutOfBudget(outcome), contexts: None }
            }
        }
    }
}

/// Synthesises an invariant and returns the obligations that it does not exclude.
fn not_excluded(synthesis: &mut Synthesis<'_>, obligations: Vec<Obligation>) -> Result<Vec<Obligation>, Stop> {
    synthesis.grow()?;
    let left = synthesis.not_excluded(obligations)?;
    if left.is_empty() {
        return Ok(left);
    }
    // The bounds may have lost the missing precision by growing in large steps.
    synthesis.shrink()?;
    synthesis.not_excluded(left)
}
