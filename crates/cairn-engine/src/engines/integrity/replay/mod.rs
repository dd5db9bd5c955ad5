//! Runs that show a violation. A condition with a model that breaks it is only a doubt: the model is as good as the rules. It
//! becomes a violation when the interpreter, given a valid graph, leaves the nodes or ends with a graph that is not valid.
//!
//! The graph of the model is tried first, if the path begins at the entry of the function; then some graphs that are made of the
//! types alone, the same ones in every run of cairn.

mod driver;
mod input;
mod walk;

pub(super) use input::Input;

use cairn_ir::program::Origin;
use cairn_ir::{CheckKind, FuncId, Loc, Program};

use super::Options;
use super::checker::NULL_PAGE;
use super::report::{FunctionReport, GraphNode, Report, Run, Status, Violation};
use super::types::NodeTypes;
use crate::engines::interpret::Fault;
pub(super) use driver::with_stranger;
use driver::{Driver, Holder, Seen};
use input::Numbers;

/// Graphs that are made of the types and tried.
const ATTEMPTS: u64 = 64;

/// A run of a function on a valid graph that leaves the nodes or ends with a graph that is not valid, whatever was proved:
/// what it did. For tests.
pub fn refute(program: &Program, report: &Report, function: FuncId, attempts: u64) -> Option<String> {
    let mut types = NodeTypes::new(program);
    super::collect(program, &mut types);
    report.demands.apply(&mut types);
    let staged = with_stranger(program);
    let mut driver = Driver::new(&staged, &mut types, function, false)?;
    for attempt in 1..=attempts {
        let mut numbers = Numbers::new(attempt);
        let input = driver.invent(&mut numbers);
        let seen = driver.run(&input, &numbers, failing(attempt), false)?;
        let spatial = |fault: &Fault| matches!(fault.kind, CheckKind::OutOfBounds | CheckKind::InvalidDeref);
        if let Some(fault) = seen.fault.filter(|fault| spatial(fault)) {
            return Some(fault.message);
        }
        if let Some(broken) = seen.broken {
            return Some(broken.what);
        }
    }
    None
}

/// The allocation that fails in an attempt: none in most of them.
fn failing(attempt: u64) -> Option<u64> {
    (attempt % 3 == 2).then_some(1 + attempt / 3 % 4)
}

/// Looks for runs that confirm the doubts about a function. Whether it is open: others than the functions of this program may call it.
pub(super) fn confirm(
    program: &Program,
    types: &mut NodeTypes<'_>,
    options: &Options,
    report: &mut FunctionReport,
    models: &[Input],
    (others, open): (&[FunctionReport], bool),
    stop: &dyn Fn() -> bool,
) {
    let doubted = |status: &Status| matches!(status, Status::Unconfirmed(_));
    if !doubted(&report.memory) && !doubted(&report.integrity) {
        return;
    }
    let zero = options.zero_allocation;
    let Some(mut driver) = Driver::new(program, types, report.function, zero) else { return };
    for attempt in 0..models.len() as u64 + ATTEMPTS {
        if stop() || !(doubted(&report.memory) || doubted(&report.integrity)) {
            return;
        }
        let mut numbers = Numbers::new(attempt + 1);
        let (input, fails) = match models.get(attempt as usize) {
            Some(model) => (driver.complete(model.clone()), None),
            None => (driver.invent(&mut numbers), failing(attempt)),
        };
        if !input.meets(&report.given) {
            continue;
        }
        let Some(seen) = driver.run(&input, &numbers, fails, false) else { return };
        if seen.fault.is_none() && seen.broken.is_none() {
            continue;
        }
        let Some(seen) = driver.run(&input, &numbers, fails, true) else { return };
        if let Some(fault) = &seen.fault {
            match blame(program, fault, report, others) {
                // Which integers callers pass to a function that only they can call is not known where it was not found out.
                Some(Blame::Memory(loc)) if !open && driver.takes_any_number(&report.given) => {
                    let line = loc.line;
                    let why = "whether that happens depends on the integers that callers pass, which all are here";
                    report.memory = Status::Unknown(format!("line {line}: {}: {why}", fault.message));
                }
                Some(Blame::Memory(loc)) => {
                    let what = format!("{}: {}", fault.kind.name(), fault.message);
                    let mut violation = violation(&report.memory, &driver, &input, &seen, what, loc);
                    violation.kind = fault.kind;
                    report.memory = Status::Violated(Box::new(violation));
                }
                Some(Blame::Integrity(loc)) if report.integrity != Status::Proved && !report.casts => {
                    let what = format!("a function that was called fails: {}: {}", fault.kind.name(), fault.message);
                    let violation = violation(&report.integrity, &driver, &input, &seen, what, loc);
                    report.integrity = Status::Violated(Box::new(violation));
                }
                _ => {}
            }
        }
        if let (Some(broken), true) = (&seen.broken, report.integrity != Status::Proved && !report.casts) {
            let place = program.functions[report.function.index()].loc;
            let what = broken.what.clone();
            let mut violation = violation(&report.integrity, &driver, &input, &seen, what, Loc::NONE);
            if violation.loc == Loc::NONE {
                violation.loc = place;
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
            report.integrity = Status::Violated(Box::new(violation));
        }
    }
}

/// What a fault says about the function that was run.
enum Blame {
    /// It left the nodes.
    Memory(Loc),
    /// It handed a graph on that is not valid, so that a function left the nodes that does not do so on its own.
    Integrity(Loc),
}

fn blame(program: &Program, fault: &Fault, report: &FunctionReport, others: &[FunctionReport]) -> Option<Blame> {
    let function = report.function;
    let doubt = |status: &Status| match status {
        Status::Unconfirmed(doubt) => Some(doubt.loc.line),
        _ => None,
    };
    // Null stops the program, and when memory dies is no matter of this engine.
    let uninitialised = fault.kind == CheckKind::Uninitialised;
    if !uninitialised && !matches!(fault.kind, CheckKind::OutOfBounds | CheckKind::InvalidDeref) {
        return None;
    }
    let wide = program.target.pointer_bits() == 64;
    let signed = fault.access.map(|(_, address)| if wide { address as i64 } else { i64::from(address as i32) });
    if signed.is_some_and(|address| address.unsigned_abs() < NULL_PAGE as u64) {
        return None;
    }
    let user = |id: FuncId| program.functions.get(id.index()).is_some_and(|f| f.origin == Origin::User);
    let culprit = fault.stack.iter().find(|place| user(place.function))?;
    let place = fault.stack.iter().find(|place| place.function == function)?;
    if report.by_contract.iter().any(|loc| loc.line == place.loc.line) {
        return None;
    }
    if culprit.function == function {
        // Data may be used before it is initialised; an address that is doubted may not.
        let counts = !uninitialised || doubt(&report.memory) == Some(place.loc.line);
        return counts.then_some(Blame::Memory(place.loc));
    }
    if uninitialised && doubt(&report.integrity) != Some(place.loc.line) {
        return None;
    }
    let other = others.iter().find(|report| report.function == culprit.function)?;
    match (&other.memory, other.in_callers) {
        (_, true) => Some(Blame::Memory(place.loc)),
        (Status::Proved, false) => Some(Blame::Integrity(place.loc)),
        _ => None,
    }
}

fn violation(doubt: &Status, driver: &Driver<'_, '_>, input: &Input, seen: &Seen, what: String, loc: Loc) -> Violation {
    let (condition, place) = match doubt {
        Status::Unconfirmed(doubt) => (doubt.what.clone(), doubt.loc),
        _ => (what.clone(), loc),
    };
    let place = if loc.line == 0 { place } else { loc };
    let run = Some(Run { arguments: driver.arguments(input), seen: what });
    let kind = CheckKind::Integrity;
    Violation { kind, what: condition, loc: place, path: seen.path.clone(), graph: driver.draw(input), run }
}
