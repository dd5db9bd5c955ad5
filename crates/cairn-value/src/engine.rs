//! The value analysis as an engine of the portfolio.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::program::Origin;
use cairn_ir::{CheckId, CheckKind, FuncId, Program};
use cairn_portfolio::Reason;
use cairn_portfolio::engine::{Budget, Effort, Engine, Finding, Goal, Observations, OpenChecks, Proof, Scope};
use cairn_portfolio::settings::Setup;
use cairn_portfolio::task::Task;
use rustc_hash::FxHashSet;

use crate::analysis::wild::Wild;
use crate::analysis::{Analysis, Findings, Options, Stop};
use crate::limits::MAX_RESTARTS;

/// The name of the engine.
pub const NAME: &str = "value";

/// The engine, which works in one turn.
struct Values<'p> {
    program: &'p Program,
    task: Task,
    goal: Goal,
    cancel: Arc<AtomicBool>,
    visits: u64,
}

/// Creates the engine.
///
/// # Errors
/// Never; the signature is that of all engines.
pub fn engine<'p>(setup: &Setup<'p>) -> Result<Box<dyn Engine + 'p>, String> {
    let (task, cancel) = (setup.task.clone(), setup.cancel.clone());
    Ok(Box::new(Values { program: setup.program, task, goal: setup.goal, cancel, visits: 0 }))
}

/// The result of the analysis of a program.
#[derive(Clone, Debug)]
pub struct Report {
    /// The checks that hold.
    pub findings: Findings,
    /// What the proofs rest on: functions without a body, or statements in the form of `cairn_portfolio::assumption`.
    pub assumptions: BTreeSet<String>,
    /// The blocks that were visited.
    pub visits: u64,
}

/// Returns the function to start with: the analysis itself gives `main` any arguments, better than the model that does.
fn start(program: &Program, entry: &str) -> Option<FuncId> {
    let id = program.function_named(entry)?;
    let is_model = program.functions[id.index()].origin == Origin::Model;
    let main = program.function_named("main").filter(|id| program.functions[id.index()].body.is_some());
    if is_model { main.or(Some(id)) } else { Some(id) }
}

/// Analyses a program from its entry.
///
/// # Errors
/// If the program does something that the analysis does not follow, or the work exceeds its limit.
pub fn analyse(program: &Program, entry: &str, options: Options, cancel: &Arc<AtomicBool>) -> Result<Report, Reason> {
    let Some(entry) = start(program, entry) else { return Err(Reason::EntryParameters) };
    let mut reason = Reason::Recursion;
    let mut visits = 0;
    let mut recursive = FxHashSet::default();
    let mut wild = Wild::default();
    for precision in options.precisions() {
        for _ in 0..MAX_RESTARTS {
            let mut analysis = Analysis::new(program, options, *precision, &recursive, cancel.clone());
            analysis.wild = wild;
            let result = analysis.run(entry);
            visits += analysis.visits();
            match result {
                Ok(findings) => return Ok(Report { findings, assumptions: analysis.assumptions(), visits }),
                Err(Stop::Restart) => {
                    recursive.clone_from(analysis.recursive());
                    wild = analysis.wild_after_restart();
                }
                Err(Stop::NotModelled(what)) => return Err(Reason::NotModelled(what)),
                Err(Stop::OutOfBudget | Stop::NeedsSummaries) => {
                    (recursive, wild) = (analysis.recursive().clone(), Wild::default());
                    reason = Reason::OutOfBudget;
                    break;
                }
            }
        }
    }
    Err(reason)
}

/// The values of instructions, by function, block and instruction.
pub type Observed = rustc_hash::FxHashMap<crate::analysis::world::Point, crate::domain::value::Value>;

/// Returns the values that each instruction may assign, for tests against executions.
///
/// # Errors
/// Like [`analyse`].
pub fn observe(program: &Program, entry: &str, options: Options) -> Result<(Observed, Findings), Reason> {
    let Some(entry) = start(program, entry) else { return Err(Reason::EntryParameters) };
    let mut reason = Reason::Recursion;
    let mut recursive = FxHashSet::default();
    let mut wild = Wild::default();
    for precision in options.precisions() {
        for _ in 0..MAX_RESTARTS {
            let mut analysis = Analysis::new(program, options, *precision, &recursive, Arc::default());
            analysis.observed = Some(Observed::default());
            analysis.wild = wild;
            match analysis.run(entry) {
                Ok(findings) => return Ok((analysis.observed.unwrap_or_default(), findings)),
                Err(Stop::Restart) => {
                    recursive.clone_from(analysis.recursive());
                    wild = analysis.wild_after_restart();
                }
                Err(Stop::NotModelled(what)) => return Err(Reason::NotModelled(what)),
                Err(Stop::OutOfBudget | Stop::NeedsSummaries) => {
                    (recursive, wild) = (analysis.recursive().clone(), Wild::default());
                    reason = Reason::OutOfBudget;
                    break;
                }
            }
        }
    }
    Err(reason)
}

impl Values<'_> {
    /// Returns the undefined behaviour that one answer does not show and the analysis cannot rule out, after which a property may fail.
    fn undefined_behaviour(&self, findings: &Findings) -> Option<Reason> {
        if self.goal != Goal::FirstAnswer {
            return None;
        }
        let asked: BTreeSet<CheckKind> = self.task.kinds().collect();
        let proved: FxHashSet<CheckId> = findings.proved.iter().copied().collect();
        let open = self.program.checks.iter().enumerate().find(|(index, check)| {
            let is_asked = asked.contains(&check.kind) || check.kind == CheckKind::Unsupported;
            check.kind.is_undefined_behaviour() && !is_asked && !proved.contains(&CheckId::new(*index))
        });
        open.map(|(_, check)| Reason::OtherUndefinedBehaviour(check.kind))
    }
}

impl Engine for Values<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn advance(&mut self, _: &OpenChecks, budget: &mut Budget) -> Vec<Finding> {
        budget.states = 0;
        let options = Options { malloc_fails: self.task.malloc_fails, only: None };
        match analyse(self.program, &self.task.entry, options, &self.cancel) {
            Ok(result) => {
                self.visits = result.visits;
                if let Some(reason) = self.undefined_behaviour(&result.findings) {
                    return vec![Finding::Exhausted(reason)];
                }
                let Findings { proved, resting, has_other_faults } = result.findings;
                let (assuming, certain): (Vec<CheckId>, Vec<CheckId>) =
                    proved.into_iter().partition(|check| resting.contains(check));
                let excludes_others = !has_other_faults;
                let proof = |checks: Vec<CheckId>, assumptions: BTreeSet<String>| {
                    let scope = Scope::Checks { checks, excludes_others };
                    Finding::Proved(Proof { scope, assumptions, invariants: Vec::new(), certificate: None })
                };
                let mut findings = vec![proof(certain, BTreeSet::new())];
                if !assuming.is_empty() {
                    findings.push(proof(assuming, result.assumptions));
                }
                findings.push(Finding::Exhausted(Reason::CoarseValues));
                findings
            }
            Err(reason) => vec![Finding::Exhausted(reason)],
        }
    }

    fn observations(&self) -> Observations {
        Observations::default()
    }

    fn effort(&self) -> Effort {
        Effort { states: self.visits, ..Effort::default() }
    }
}
