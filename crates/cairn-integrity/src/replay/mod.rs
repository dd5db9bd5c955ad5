//! Replays: executions that confirm a violation.
//!
//! A condition with a model that violates it is only a doubt: the model is as good as the rules. It becomes a violation
//! when the interpreter, given a valid graph, leaves the nodes or ends with an invalid graph.
//!
//! The graph of the model is tried first (`model_input`), if the path begins at the entry of the function; then some
//! graphs that are generated from the types (`generate`), the same ones in every run of cairn. `driver` calls the
//! function, `validity` checks the graph at the end, `open_facts` knows which faults depend on facts that no type declares, and `drawing` draws the graph that the function was given.

mod drawing;
mod driver;
mod generate;
mod input;
mod model_input;
mod open_facts;
mod validity;

pub(super) use driver::with_unknown_function;
pub(super) use input::Input;
pub(super) use model_input::input_of_model;

use cairn_ir::{CheckKind, FuncId, Loc, Program};

use super::Options;
use super::limits::{NULL_PAGE, REPLAY_ATTEMPTS};
use super::report::{FunctionReport, GraphNode, Reason, Report, Run, Status, Unknown, Violation};
use super::state::Contents;
use super::types::NodeTypes;
use cairn_interpret::Fault;
use driver::{Broken, Driver, Environment, Holder, Observation, Tracing};
use input::Numbers;

/// Searches for an execution of a function that refutes a proof, and returns its fault. For tests.
///
/// Such an execution starts on a valid graph and leaves the nodes or ends with an invalid graph.
pub fn refute(program: &Program, report: &Report, function: FuncId, attempts: u64) -> Option<String> {
    let mut types = NodeTypes::new(program);
    report.demands.apply(&mut types);
    let staged = with_unknown_function(program);
    let driver = Driver::new(&staged, &types, function, Contents::Anything)?;
    for attempt in 1..=attempts {
        let mut numbers = Numbers::new(attempt);
        let input = driver.generate(&mut numbers);
        let environment = Environment { numbers, failing_allocation: failing_allocation(attempt) };
        let seen = driver.run(&input, &environment, Tracing::Off)?;
        let spatial = |fault: &Fault| matches!(fault.kind, CheckKind::OutOfBounds | CheckKind::InvalidDeref);
        if let Some(fault) = seen.fault.filter(|fault| spatial(fault)) {
            return Some(fault.message);
        }
        if let Some(broken) = seen.broken {
            return Some(broken.message);
        }
    }
    None
}

/// Returns the allocation that fails in an attempt: none in most attempts.
fn failing_allocation(attempt: u64) -> Option<u64> {
    (attempt % 3 == 2).then_some(1 + attempt / 3 % 4)
}

/// The callers of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Callers {
    /// Functions outside of this program may call it.
    Any,
    /// All calls are in this program.
    Known,
}

/// The context of a search for executions that confirm doubts about a function.
pub(super) struct Confirmation<'c, 'p> {
    /// The program with an unknown function at its end.
    pub program: &'c Program,
    pub types: &'c NodeTypes<'p>,
    pub options: &'c Options,
    /// The reports of all functions.
    pub others: &'c [FunctionReport],
    pub callers: Callers,
    pub stop: &'c dyn Fn() -> bool,
}

impl Confirmation<'_, '_> {
    /// Searches for executions that confirm the doubts about a function. The inputs of models are tried first.
    pub fn confirm(&self, report: &mut FunctionReport, models: &[Input]) {
        let contents = if self.options.zero_allocation { Contents::Zero } else { Contents::Anything };
        let Some(driver) = Driver::new(self.program, self.types, report.function, contents) else { return };
        for attempt in 0..models.len() as u64 + REPLAY_ATTEMPTS {
            if (self.stop)() || !report.is_doubted() {
                return;
            }
            let mut numbers = Numbers::new(attempt + 1);
            let (input, failing_allocation) = match models.get(attempt as usize) {
                Some(model) => (driver.complete(model.clone()), None),
                None => (driver.generate(&mut numbers), failing_allocation(attempt)),
            };
            if !input.meets(&report.given) {
                continue;
            }
            let environment = Environment { numbers, failing_allocation };
            let Some(seen) = driver.run(&input, &environment, Tracing::Off) else { return };
            if seen.fault.is_none() && seen.broken.is_none() {
                continue;
            }
            let Some(seen) = driver.run(&input, &environment, Tracing::On) else { return };
            let replay = Replay { driver: &driver, input: &input, seen: &seen };
            if let Some(fault) = &seen.fault {
                self.confirm_fault(report, &replay, fault);
            }
            if let (Some(_), true, true) =
                (&seen.broken, is_integrity_open(report), self.relies_on_open_facts(report, None))
            {
                report.integrity = Status::Unknown(Reason::OpenFacts.into());
            } else if let (Some(broken), true) = (&seen.broken, is_integrity_open(report)) {
                report.integrity = Status::Violated(Box::new(self.broken_graph(report, &replay, broken)));
            }
        }
    }

    fn confirm_fault(&self, report: &mut FunctionReport, replay: &Replay<'_, '_>, fault: &Fault) {
        match self.blame(report, fault) {
            // If all callers are known and no contract was inferred, the integers that they pass are not known.
            Some(Blame::Memory(loc))
                if self.callers == Callers::Known && replay.driver.takes_any_number(&report.given) =>
            {
                let reason = Reason::FaultFromCallers(fault.message.clone());
                report.memory = Status::Unknown(Unknown::at(loc, reason));
            }
            Some(Blame::Memory(loc)) if self.relies_on_open_facts(report, Some(loc.line)) => {
                report.memory = Status::Unknown(Unknown::at(loc, Reason::OpenFacts));
            }
            Some(Blame::Memory(loc)) => {
                let message = format!("{}: {}", fault.kind.name(), fault.message);
                let violation = replay.violation(&report.memory, fault.kind, message, loc);
                report.memory = Status::Violated(Box::new(violation));
            }
            Some(Blame::Integrity(loc)) if is_integrity_open(report) => {
                let message = format!("fault in a called function: {}: {}", fault.kind.name(), fault.message);
                let violation = replay.violation(&report.integrity, CheckKind::Integrity, message, loc);
                report.integrity = Status::Violated(Box::new(violation));
            }
            _ => {}
        }
    }

    /// Returns whether a fault of a function may depend on facts that no type declares.
    fn relies_on_open_facts(&self, report: &FunctionReport, line: Option<u32>) -> bool {
        let body = self.program.functions[report.function.index()].body.as_ref();
        let nodes = self.types.nodes().map(|(_, node)| node).filter(|node| !node.scalar && node.size > 0);
        let sizes: Vec<u64> = nodes.map(|node| node.size).collect();
        body.is_some_and(|body| open_facts::relies_on_open_facts(body, line, &sizes))
    }

    /// Returns the violation of an execution that ends with an invalid graph.
    fn broken_graph(&self, report: &FunctionReport, replay: &Replay<'_, '_>, broken: &Broken) -> Violation {
        let message = broken.message.clone();
        let mut violation = replay.violation(&report.integrity, CheckKind::Integrity, message, Loc::NONE);
        if violation.loc == Loc::NONE {
            violation.loc = self.program.functions[report.function.index()].loc;
        }
        match &broken.holder {
            Holder::Given(node) => {
                let name = format!("n{}", node + 1);
                violation.graph.iter_mut().filter(|drawn| drawn.name == name).for_each(|drawn| drawn.breaks = true);
            }
            Holder::Made(ty) => violation.graph.push(GraphNode {
                name: "made".to_owned(),
                ty: ty.clone(),
                address: 0,
                cells: Vec::new(),
                variables: Vec::new(),
                made: true,
                breaks: true,
            }),
            Holder::Variable => {}
        }
        violation
    }

    /// Returns what a fault says about the function that was executed.
    fn blame(&self, report: &FunctionReport, fault: &Fault) -> Option<Blame> {
        let is_doubted_at = |status: &Status, line: u32| match status {
            Status::Unconfirmed(doubt) => doubt.loc.line == line,
            _ => false,
        };
        // Null stops the program, and lifetimes are not a concern of this engine.
        let is_uninitialised = fault.kind == CheckKind::Uninitialised;
        if !is_uninitialised && !matches!(fault.kind, CheckKind::OutOfBounds | CheckKind::InvalidDeref) {
            return None;
        }
        let is_wide = self.program.target.pointer_bits() == 64;
        let signed = fault.access.map(|(_, address)| if is_wide { address as i64 } else { i64::from(address as i32) });
        if signed.is_some_and(|address| address.unsigned_abs() < NULL_PAGE as u64) {
            return None;
        }
        let is_user = |id: FuncId| self.program.functions.get(id.index()).is_some_and(|f| f.origin.is_of_user());
        let culprit = fault.stack.iter().find(|place| is_user(place.function))?;
        let place = fault.stack.iter().find(|place| place.function == report.function)?;
        if report.by_contract.iter().any(|loc| loc.line == place.loc.line) {
            return None;
        }
        if culprit.function == report.function {
            // Data may be used before it is initialised; a doubted address may not.
            let counts = !is_uninitialised || is_doubted_at(&report.memory, place.loc.line);
            return counts.then_some(Blame::Memory(place.loc));
        }
        if is_uninitialised && !is_doubted_at(&report.integrity, place.loc.line) {
            return None;
        }
        let other = self.others.iter().find(|report| report.function == culprit.function)?;
        match (&other.memory, other.in_callers) {
            (_, true) => Some(Blame::Memory(place.loc)),
            (Status::Proved, false) => Some(Blame::Integrity(place.loc)),
            _ => None,
        }
    }
}

/// Returns whether an execution may show a violation of integrity.
fn is_integrity_open(report: &FunctionReport) -> bool {
    report.integrity != Status::Proved && !report.casts
}

/// The meaning of a fault for the function that was executed.
enum Blame {
    /// It left the nodes.
    Memory(Loc),
    /// It handed on an invalid graph, so that another function left the nodes which does not do so on its own.
    Integrity(Loc),
}

/// An execution with its input.
struct Replay<'r, 'p> {
    driver: &'r Driver<'r, 'p>,
    input: &'r Input,
    seen: &'r Observation,
}

impl Replay<'_, '_> {
    /// Returns the violation that the execution shows.
    ///
    /// Condition and location are those of the doubt, as far as the execution has none.
    fn violation(&self, doubt: &Status, kind: CheckKind, message: String, loc: Loc) -> Violation {
        let (what, doubted) = match doubt {
            Status::Unconfirmed(doubt) => (doubt.what.clone(), doubt.loc),
            _ => (message.clone(), loc),
        };
        let loc = if loc.line == 0 { doubted } else { loc };
        let run = Some(Run { arguments: self.driver.arguments(self.input), seen: message });
        Violation { kind, what, loc, path: self.seen.path.clone(), graph: self.driver.draw(self.input), run }
    }
}
