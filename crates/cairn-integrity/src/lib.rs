//! Shape-neutral data-structure integrity, function by function (papers/shape-neutral).
//!
//! A function is *proved* when, for every valid graph that it is given, its accesses stay inside of nodes, variables
//! and allocations (M), and the graph is valid again at calls and at its end (D). As in the paper, an access through
//! null stops the program, freed memory and variables out of scope are not used, and a callee (even one without a body)
//! keeps the graph valid; it is checked on its own.
//!
//! # Tour
//!
//! [`check`] goes through the steps in this order:
//!
//! - `types/` makes node types from struct declarations; `theory/` generates predicates and rules from them.
//! - `functions` collects facts about functions that need no execution, `allocators` knows which functions allocate.
//! - `execute/` computes strongest postconditions from one cut-point to the next (entry, exit, loop heads, calls). It
//!   works on a `state/` with a `solver/` that wraps the rule solver of `cairn-rules`.
//! - `cut_points/` has the conditions at cut-points; `invariants/` finds what loops preserve.
//! - `contracts/` infers what all callers of a function establish, for functions that are not safe without it.
//! - `replay/` builds a graph in the interpreter's memory and runs the function on it, to confirm a violation.
//! - `report/` has the answers, with a [`Reason`] for each that is unknown.
//! - `limits` has all limits.
//!
//! Each layer depends on those before it only, except that `report/` is used by all.

mod allocators;
mod contracts;
mod cut_points;
mod execute;
mod freeing;
mod functions;
mod invariants;
mod limits;
mod replay;
mod report;
mod solver;
mod state;
mod theory;
mod types;

pub use allocators::{Allocator, Deallocator};
pub use replay::refute;
pub use report::{
    Condition, CutPoint, FunctionReport, GraphNode, PointerDoubt, Reason, Report, Run, Status, Subject, Unknown,
    Violation,
};

use cairn_ir::program::Origin;
use cairn_ir::{Body, FuncId, Program};

use contracts::{Contracts, Purpose};
use functions::{Summary, callees_first, count_calls, summarise, unused_header_functions};
use limits::ROUNDS;
use replay::Input;
use theory::Theory;
use types::{Demands, NodeTypes};

/// Options of the engine.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Assume that all allocated memory is zero (the paper's `zmalloc`).
    pub zero_allocation: bool,
    /// Functions that return new memory, in addition to the known ones.
    pub allocators: Vec<Allocator>,
    /// Functions that free memory, in addition to the known ones.
    pub deallocators: Vec<Deallocator>,
    /// The largest number of iterations of loops that only the graph bounds; without it, any number.
    pub longest_path: Option<u32>,
}

/// The immutable facts on which the answers for a function depend.
#[derive(Clone, Copy)]
struct Context<'c, 'p> {
    program: &'p Program,
    types: &'c NodeTypes<'p>,
    theory: &'c Theory,
    summaries: &'c [Summary],
    options: &'c Options,
    contracts: &'c Contracts,
    /// The parameters that each function may free.
    freed: &'c [Vec<usize>],
    /// Returns whether the budget of the caller is spent.
    stop: &'c dyn Fn() -> bool,
}

impl<'p> Context<'_, 'p> {
    fn body(&self, id: FuncId) -> Option<&'p Body> {
        self.program.functions[id.index()].body.as_ref()
    }
}

/// Checks every function of a program. `stop` is called now and then and returns whether the caller's budget is spent.
pub fn check(program: &Program, options: &Options, stop: &dyn Fn() -> bool) -> Report {
    let mut types = NodeTypes::new(program);
    let is_unused = unused_header_functions(program);
    let is_checked = |id: &FuncId| program.functions[id.index()].origin != Origin::Model && !is_unused[id.index()];
    let functions: Vec<FuncId> = callees_first(program).into_iter().filter(is_checked).collect();
    let freed = freeing::freed_parameters(program, &options.deallocators);
    let mut demands = Demands::default();
    let mut rounds = 0;
    loop {
        let theory = Theory::new(&types, demands.maps());
        let contracts = Contracts::default();
        let summaries = summarise(program);
        let context = Context {
            program,
            types: &types,
            theory: &theory,
            summaries: &[],
            options,
            contracts: &contracts,
            freed: &freed,
            stop,
        };
        let mut round = Round { functions: Vec::new(), inputs: Vec::new(), summaries };
        let mut is_refined = round.check_functions(context, &functions, &mut demands);
        if !is_refined {
            is_refined = round.check_under_contracts(context, &mut demands);
        }
        rounds += 1;
        if is_refined && rounds < ROUNDS && !stop() {
            demands.apply(&mut types);
            continue;
        }
        round.confirm(context);
        let mut functions = round.functions;
        functions.sort_by_key(|function| function.function);
        return Report { functions, assumptions: report::assumptions(program, options), demands };
    }
}

/// The answers for all functions with the types of one round.
struct Round {
    functions: Vec<FunctionReport>,
    /// Inputs that may show why an answer is not yes, by function.
    inputs: Vec<Vec<Input>>,
    summaries: Vec<Summary>,
}

impl Round {
    /// Checks functions on their own and returns whether their code demands other types.
    fn check_functions(&mut self, context: Context<'_, '_>, functions: &[FuncId], demands: &mut Demands) -> bool {
        let mut is_refined = false;
        for &id in functions {
            let context = Context { summaries: &self.summaries, ..context };
            let (report, found) = execute::check_function(context, id, Purpose::Answers);
            self.summaries[id.index()].in_callers = report.in_callers;
            is_refined |= demands.join(found.demands);
            self.functions.push(report);
            self.inputs.push(found.inputs);
        }
        is_refined
    }

    /// Checks functions under inferred contracts and returns whether their code demands other types.
    fn check_under_contracts(&mut self, context: Context<'_, '_>, demands: &mut Demands) -> bool {
        let context = Context { summaries: &self.summaries, ..context };
        let mut is_refined = false;
        for (report, found) in contracts::infer(context, &self.functions).into_iter().flatten() {
            is_refined |= demands.join(found.demands);
            // A function that is safe for all arguments relies on no contract.
            let same = |known: &FunctionReport| known.function == report.function && !known.is_safe();
            if let Some(at) = self.functions.iter().position(same) {
                self.functions[at] = report;
                self.inputs[at] = found.inputs;
            }
        }
        is_refined
    }

    /// Searches for executions that confirm the doubts.
    fn confirm(&mut self, context: Context<'_, '_>) {
        if !self.functions.iter().any(FunctionReport::is_doubted) {
            return;
        }
        let staged = replay::with_unknown_function(context.program);
        for index in 0..self.functions.len() {
            if !self.functions[index].is_doubted() {
                continue;
            }
            let mut report = self.functions[index].clone();
            let id = report.function;
            let is_open = self.summaries[id.index()].open || count_calls(context.program, id) == 0;
            let confirmation = replay::Confirmation {
                program: &staged,
                types: context.types,
                options: context.options,
                others: &self.functions,
                callers: if is_open { replay::Callers::Any } else { replay::Callers::Known },
                stop: context.stop,
            };
            confirmation.confirm(&mut report, &self.inputs[index]);
            self.functions[index] = report;
        }
    }
}

/// Returns the rules that the declarations and the code of a program give, as text.
pub fn rules(program: &Program, options: &Options, stop: &dyn Fn() -> bool) -> String {
    let demands = check(program, options, stop).demands;
    let mut types = NodeTypes::new(program);
    demands.apply(&mut types);
    Theory::new(&types, demands.maps()).rules().print()
}
