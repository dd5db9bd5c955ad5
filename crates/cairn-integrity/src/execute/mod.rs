//! Symbolic execution of one function between cut-points: strongest postconditions (papers/shape-neutral, Figure 1a).
//!
//! [`Execution`] follows all paths from the entry and from each loop head to the next cut-points until the invariants
//! are inductive. `entry` makes the states where paths begin, `paths` follows them and `counted_loops` decides which
//! loops are unrolled. `instructions` has one instruction after the other, with `arithmetic` and `tagged_links` for
//! values, `access`, `array_elements` and `bytes` for memory, and `call` and `intrinsics` for calls. `conditions`
//! states the conditions at cut-points and `findings` collects the answers.

mod access;
mod arithmetic;
mod array_elements;
mod bytes;
mod call;
mod conditions;
mod counted_loops;
mod entry;
mod findings;
mod instructions;
mod intrinsics;
mod paths;
mod tagged_links;

use cairn_ir::ctype::TypeId;
use cairn_ir::{Body, FuncId};
use cairn_rules::Term;
use rustc_hash::FxHashMap;

use super::Context;
use super::contracts::{Given, Purpose};
use super::freeing::frees_memory;
use super::invariants::Loops;
use super::replay::Input;
use super::report::{FunctionReport, Reason, Status, Unknown};
use super::solver::{Flow, PathSolver, Site, Stop};
use super::types::{Demands, NodeId, NodeTypes};

use arithmetic::ValueOps;
pub(super) use counted_loops::counts_to_a_constant;
use findings::Findings;
use paths::Paths;

/// Facts learned from a function beside its answers.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Inputs that may show why an answer is not yes.
    pub inputs: Vec<Input>,
    /// Facts about cells that its code shows.
    pub demands: Demands,
    /// Facts about the arguments that it passes to functions whose calls are all analysed.
    pub handed: FxHashMap<FuncId, Vec<Given>>,
    /// Whether no path returns null.
    pub returns_nonnull: bool,
    /// Whether all paths were followed to their ends.
    pub complete: bool,
}

/// Checks a function.
pub(super) fn check_function(context: Context<'_, '_>, id: FuncId, purpose: Purpose) -> (FunctionReport, Found) {
    match context.body(id) {
        Some(body) => Execution::new(context, id, body, purpose).check(),
        None => {
            let none = Status::Unknown(Reason::NoBody.into());
            (FunctionReport::new(id, none.clone(), none), Found::default())
        }
    }
}

/// The execution of one function.
pub(super) struct Execution<'c, 'p> {
    context: Context<'c, 'p>,
    function: FuncId,
    body: &'p Body,
    purpose: Purpose,
    solver: PathSolver<'c, 'p>,
    loops: Loops,
    paths: Paths,
    findings: Findings,
    demands: Demands,
    /// The types of allocations, by the use of their results.
    site_types: FxHashMap<Site, NodeId>,
    /// Facts about the arguments that are passed to functions whose calls are all analysed.
    handed: FxHashMap<FuncId, Vec<Given>>,
    /// Whether no path so far returns null.
    returns_nonnull: bool,
    /// The parameters on paths from the entry; empty on others.
    parameters: Vec<Term>,
}

impl<'c, 'p> Execution<'c, 'p> {
    fn new(context: Context<'c, 'p>, function: FuncId, body: &'p Body, purpose: Purpose) -> Self {
        Self {
            context,
            function,
            body,
            purpose,
            solver: PathSolver::new(context.types, context.theory),
            loops: Loops::new(body, context.types, frees_memory(body, context.freed)),
            paths: Paths::default(),
            findings: Findings::default(),
            demands: Demands::default(),
            site_types: FxHashMap::default(),
            handed: FxHashMap::default(),
            returns_nonnull: true,
            parameters: Vec::new(),
        }
    }

    /// Returns the answers, and other facts learned from the execution.
    fn check(mut self) -> (FunctionReport, Found) {
        while let Err(Stop::Restart) = self.follow_segments() {
            self.findings.restart();
            self.handed.clear();
            self.returns_nonnull = true;
            self.loops.restart();
        }
        let (report, inputs, complete) = self.findings.into_report(self.function, self.solver.conditions());
        let (demands, handed, returns_nonnull) = (self.demands, self.handed, self.returns_nonnull);
        (report, Found { inputs, demands, handed, returns_nonnull, complete })
    }

    /// Follows the paths from the entry, and from the loop heads until their invariants are inductive.
    fn follow_segments(&mut self) -> Flow {
        self.begin_segment();
        let state = self.entry_state()?;
        self.follow_paths(state)?;
        while let Some(head) = self.loops.next() {
            for lifetime in self.loops.lifetimes().at(head) {
                if self.is_over() {
                    return Ok(());
                }
                self.begin_segment();
                let Ok(state) = self.loop_state(head, &lifetime) else { continue };
                self.follow_paths(state)?;
            }
        }
        Ok(())
    }

    fn begin_segment(&mut self) {
        self.solver.reset();
        self.parameters.clear();
    }

    /// Returns whether to stop: both answers are known not to be yes, or the budget is spent.
    fn is_over(&mut self) -> bool {
        if self.findings.is_settled() {
            return true;
        }
        if self.paths.is_exhausted() || (self.context.stop)() {
            self.findings.give_up(Reason::OutOfBudget);
            return true;
        }
        false
    }

    /// Gives up a path, and with it both answers.
    fn give_up<T>(&mut self, reason: Reason) -> Flow<T> {
        self.findings.give_up(reason);
        Err(Stop::PathEnd)
    }

    fn types(&self) -> &'c NodeTypes<'p> {
        self.context.types
    }

    /// Returns the node type of the target of a pointer type.
    fn pointee(&self, ty: Option<TypeId>) -> Option<NodeId> {
        ty.and_then(|ty| self.types().pointee(ty))
    }

    /// Returns the operations on values, which need no state.
    fn values(&mut self) -> ValueOps<'_, 'c, 'p> {
        ValueOps::new(&mut self.solver, &mut self.demands, self.context.program.target)
    }

    /// Returns the input of a model, if the path begins at the entry.
    fn input_of(&self, model: &cairn_rules::Model) -> Option<Input> {
        super::replay::input_of_model(&self.solver, self.body, &self.parameters, model)
    }
}

impl Status {
    /// Replaces a proof by a reason for not having one.
    fn weaken(&mut self, unknown: impl Into<Unknown>) {
        if *self == Status::Proved {
            *self = Status::Unknown(unknown.into());
        }
    }
}
