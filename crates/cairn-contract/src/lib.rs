//! Library code: each function is analysed for unknown callers, and every finding comes with an input that shows it.
//!
//! # Tour
//!
//! - `mode` and `unknowns` are the mode of symbolic execution: pointers of unknown origin become objects when they are
//!   dereferenced, and only faults that do not depend on the validity of inputs count.
//! - `latent` knows which failures are up to callers.
//! - `unknown_calls` executes calls of functions without a body; `ownership` knows who owns what crosses this border.
//! - `descriptors` follows the files that the code opens.
//! - `search` goes through the paths of one function, `environment` knows which variables are unknown at its entry.
//! - `infer` makes a [`contract::Contract`] of the paths of a function.
//! - `usual` asks for numbers of usual size, and `scenario` turns a path into a concrete input; `replay` calls the function on it in the interpreter.
//! - `stated` reads contracts that the user states in comments.
//! - `proofs` finds the checks that hold for every caller that meets the contract.
//! - `trial` holds contracts against executions on random inputs.
//!
//! `docs/contract.md` says what is reported and what is assumed.

pub mod contract;
mod descriptors;
mod environment;

mod infer;
mod latent;
mod limits;
mod mode;
mod ownership;
mod proofs;
mod replay;
pub mod scenario;
mod search;
pub mod stated;
pub mod trial;
mod unknown_calls;
mod unknowns;
mod usual;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cairn_ir::analysis::call_graph::{CallGraph, Calls};
use cairn_ir::program::{Function, Linkage, Origin, Signature};
use cairn_ir::{CheckKind, FuncId, Loc, Program};
use cairn_portfolio::verdict::Violation;

use contract::Contract;
use environment::{Environment, Hooks};
use replay::Replayer;
use scenario::Scenario;
use search::{Outcome, Search};
use stated::Statements;

pub use proofs::{Proof, checks_of, proofs};

/// Options of the analysis.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// The number of threads.
    pub threads: usize,
    /// Set when the analysis is to end.
    pub cancel: Arc<AtomicBool>,
    /// The functions to analyse.
    pub scope: Scope,
    /// Statements of the user about functions.
    pub stated: Arc<Statements>,
}

/// The functions that are analysed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// All functions of the user.
    #[default]
    All,
    /// Those that `main` does not reach.
    Unreached,
}

/// A fault that a caller of a function cannot avoid.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The function that was called.
    pub function: FuncId,
    /// The violation, as the interpreter has shown it.
    pub violation: Violation,
    /// The input on which the function was called.
    pub scenario: Scenario,
    /// The descriptor that is lost, if the fault is no fault of memory.
    pub descriptor: Option<u64>,
    /// Whether branches on the path depend on the arguments.
    pub depends_on_arguments: bool,
}

/// The result of an analysis.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The findings, in the order of their locations.
    pub findings: Vec<Finding>,
    /// The number of functions that were analysed.
    pub functions: usize,
    /// The number of faults on feasible paths that no execution has shown.
    pub unconfirmed: usize,
}

/// Analyses functions with a body, all of the user's by default.
pub fn check(program: &Program, options: &Options) -> Report {
    let staged = with_unknown_function(program);
    let variables = Environment::of(&staged, Hooks::Initial, &options.stated);
    let reached = match options.scope {
        Scope::All => BTreeSet::new(),
        Scope::Unreached => reached_from_main(program),
    };
    let functions: Vec<FuncId> = (0..program.functions.len())
        .map(FuncId::new)
        .filter(|id| is_checked(program, *id) && !reached.contains(id))
        .collect();
    let results: Vec<Mutex<FunctionResult>> = functions.iter().map(|_| Mutex::default()).collect();
    for effort in limits::ROUNDS {
        let round = Round { program: &staged, variables: &variables, effort, options };
        round.run(&functions, &results);
    }
    let results = results.into_iter().map(|slot| slot.into_inner().unwrap_or_default());
    collect(program, results, functions.len())
}

/// Infers the contracts of functions of the user, in the order of the program: those with these names, or all without a name.
pub fn contracts(program: &Program, options: &Options, names: &[String]) -> Vec<Contract> {
    let staged = with_unknown_function(program);
    let variables = Environment::of(&staged, Hooks::Initial, &options.stated);
    let is_named = |id: FuncId| names.is_empty() || names.contains(&program.functions[id.index()].name);
    let functions: Vec<FuncId> = (0..program.functions.len())
        .map(FuncId::new)
        .filter(|&id| is_checked(program, id) && is_named(id) && !is_of_system(program, id))
        .collect();
    let never = infer::never_returning(program);
    let found = on_every(&functions, options, |function| {
        let effort = (limits::CONTRACT, options.malloc_fails);
        let search = Search::new(&staged, &variables, function, effort, &options.cancel).with_path_ends();
        Some(infer::contract(&staged, function, &search.look(), never[function.index()]))
    });
    found.into_iter().flatten().collect()
}

/// Works on functions with several threads and returns the results in the order of the functions.
///
/// Functions have no result if the work is cancelled before their turn.
fn on_every<T: Send>(
    functions: &[FuncId],
    options: &Options,
    work: impl Fn(FuncId) -> Option<T> + Sync,
) -> Vec<Option<T>> {
    let slots: Vec<Mutex<Option<T>>> = functions.iter().map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    on_threads(options.threads, || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(&function) = functions.get(index) else { return };
            if options.cancel.load(Ordering::Relaxed) {
                return;
            }
            let found = work(function);
            if let Ok(mut slot) = slots[index].lock() {
                *slot = found;
            }
        }
    });
    slots.into_iter().map(|slot| slot.into_inner().ok().flatten()).collect()
}

/// Executes work on several threads, whose stacks are large enough for deep terms and deep calls.
fn on_threads(threads: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            drop(std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, &work));
        }
    });
}

/// The size of a thread's stack.
const STACK: usize = 256 << 20;

/// The result for one function.
#[derive(Debug, Default)]
struct FunctionResult {
    findings: Vec<Finding>,
    /// Whether each location with a candidate has a finding.
    confirmed: BTreeMap<Place, bool>,
    /// Whether all paths within the bounds were executed.
    is_done: bool,
}

/// One round of the analysis: every function that is not done gets the same effort.
struct Round<'a> {
    program: &'a Program,
    variables: &'a Environment,
    effort: limits::Effort,
    options: &'a Options,
}

impl Round<'_> {
    fn run(&self, functions: &[FuncId], results: &[Mutex<FunctionResult>]) {
        let next = AtomicUsize::new(0);
        let work = || {
            let Some(replayer) = Replayer::new(self.program) else { return };
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(&function) = functions.get(index) else { return };
                if self.options.cancel.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(mut slot) = results[index].lock()
                    && !slot.is_done
                {
                    self.check_function(&replayer, function, &mut slot);
                }
            }
        };
        on_threads(self.options.threads, work);
    }

    fn check_function(&self, replayer: &Replayer<'_>, function: FuncId, result: &mut FunctionResult) {
        let Options { malloc_fails, cancel, .. } = self.options;
        let mut search = Search::new(self.program, self.variables, function, (self.effort, *malloc_fails), cancel);
        let FunctionResult { findings, confirmed, is_done } = result;
        let outcome = search.run(|candidate| {
            let place = place_of(candidate.kind, &candidate.stack);
            if confirmed.get(&place) == Some(&true) {
                return;
            }
            let violations = replayer.confirm(function, &candidate);
            *confirmed.entry(place).or_default() |= !violations.is_empty();
            for violation in violations {
                let scenario = candidate.scenario.clone();
                let (descriptor, depends_on_arguments) = (candidate.descriptor, candidate.depends_on_arguments);
                findings.push(Finding { function, violation, scenario, descriptor, depends_on_arguments });
            }
        });
        *is_done = outcome == Outcome::Exhausted;
    }
}

fn is_checked(program: &Program, id: FuncId) -> bool {
    let function = &program.functions[id.index()];
    function.body.is_some() && function.origin == Origin::User
}

/// Returns the functions that `main` reaches, also through pointers.
fn reached_from_main(program: &Program) -> BTreeSet<FuncId> {
    let graph = CallGraph::of(program);
    let mut reached = BTreeSet::new();
    if let Some(main) = program.function_named("main") {
        reached = graph.reached_from(main, Calls::All);
        reached.insert(main);
    }
    reached
}

/// Returns whether a function comes from a header of the system.
fn is_of_system(program: &Program, id: FuncId) -> bool {
    program.file_name(program.functions[id.index()].loc).starts_with("/usr/")
}

/// The kind of a fault and its call stack, in a form that can be compared.
type Place = (CheckKind, Vec<(u32, u32, u32, u32)>);

fn place_of(kind: CheckKind, stack: &[cairn_ir::source::StackPlace]) -> Place {
    (kind, stack.iter().map(|p| (p.loc.file.0, p.loc.line, p.loc.column, p.function.0)).collect())
}

/// Returns the number of locations of a stack up to the innermost one in the user's code.
fn calls_of_user(program: &Program, stack: &[cairn_ir::source::StackPlace]) -> usize {
    let is_user = |p: &cairn_ir::source::StackPlace| {
        program.functions.get(p.function.index()).is_some_and(|f| f.origin.is_of_user())
    };
    stack.iter().position(is_user).map_or(stack.len(), |index| index + 1)
}

/// Returns whether a fault belongs to code that is checked by itself: a dependency is wrong whatever its caller passes.
fn is_elsewhere(program: &Program, finding: &Finding) -> bool {
    let stack = &finding.violation.fault.stack;
    // A leak is a fault of the function that had the object last, wherever it was allocated.
    if finding.violation.fault.kind == CheckKind::Leak {
        return false;
    }
    let innermost = calls_of_user(program, stack).checked_sub(1).and_then(|index| stack.get(index));
    let function = innermost.and_then(|place| program.functions.get(place.function.index()));
    function.is_some_and(|function| function.origin == Origin::Dependency) && !finding.depends_on_arguments
}

/// Joins the results of all functions, and drops findings that several functions show.
fn collect(program: &Program, results: impl Iterator<Item = FunctionResult>, functions: usize) -> Report {
    let mut report = Report { functions, ..Report::default() };
    let mut found: BTreeMap<Place, Vec<Finding>> = BTreeMap::new();
    for result in results {
        report.unconfirmed += result.confirmed.values().filter(|confirmed| !**confirmed).count();
        for finding in result.findings.into_iter().filter(|finding| !is_elsewhere(program, finding)) {
            let fault = &finding.violation.fault;
            // An object is lost by the function that had it last; other faults belong to their location.
            let (kind, mut stack) = place_of(fault.kind, &fault.stack);
            if kind == CheckKind::Leak {
                stack.push((u32::MAX, 0, 0, finding.function.0));
            } else {
                stack.truncate(calls_of_user(program, &fault.stack));
            }
            found.entry((kind, stack)).or_default().push(finding);
        }
    }
    report.findings = found.into_values().flat_map(|findings| nearest(program, findings)).collect();
    report.findings.sort_by_key(|finding| {
        let first = finding.violation.fault.stack.first();
        first.map(|p| (p.loc.file.0, p.loc.line, p.loc.column))
    });
    report
}

/// Returns the findings to show among those at one location.
///
/// The function with the location shows the fault if it needs no particular arguments for it. Otherwise the callers that pass such
/// arguments do, if there are some: each of them is wrong by itself.
fn nearest(program: &Program, mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|finding| (finding.violation.fault.stack.len(), finding.function));
    findings.dedup_by_key(|finding| finding.function);
    let own = findings[0].violation.fault.stack.len();
    let stack = &findings[0].violation.fault.stack;
    let innermost = calls_of_user(program, stack).checked_sub(1).and_then(|index| stack.get(index));
    let is_own = innermost.is_none_or(|place| place.function == findings[0].function);
    if !is_own {
        findings.truncate(limits::CALLERS);
    } else if findings[0].depends_on_arguments
        && findings.last().is_some_and(|last| last.violation.fault.stack.len() > own)
    {
        findings.retain(|finding| finding.violation.fault.stack.len() > own);
        findings.truncate(limits::CALLERS);
    } else {
        findings.truncate(1);
    }
    findings
}

/// Returns whether a scenario answers the calls of a function: it has no body, or its model describes a machine without files.
pub fn is_answered(function: &Function) -> bool {
    function.body.is_none() || (function.origin == Origin::Model && ownership::is_of_files(&function.name))
}

/// Returns whether a function without a body is taken to end the program.
pub fn never_returns(function: &Function) -> bool {
    function.signature.noreturn || ownership::is_fatal(&function.name, None)
}

/// Returns whether a function of the C library returns a new stream.
pub fn opens_stream(name: &str) -> bool {
    ownership::opens_stream(name)
}

/// Returns the program with one more function, without a body, at its end: the target of unknown pointers to functions.
///
/// Models of a machine without files lose their bodies, too.
fn with_unknown_function(program: &Program) -> Program {
    let mut program = program.clone();
    for function in &mut program.functions {
        if function.origin == Origin::Model && ownership::is_of_files(&function.name) {
            function.body = None;
        }
    }
    program.functions.push(Function {
        name: "a function".to_owned(),
        linkage: Linkage::Internal,
        signature: Signature { ret: None, params: Vec::new(), variadic: false, prototyped: false, noreturn: false },
        origin: Origin::User,
        loc: Loc::NONE,
        body: None,
    });
    program
}
