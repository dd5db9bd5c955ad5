//! Replay: the interpreter executes the program on the inputs of a candidate. Only the fault that it runs into counts.

use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Loc, Program, Ty};

use crate::input::Input;
use crate::limits::{ATTEMPT_MEMORY, ATTEMPT_STEPS, REPLAY_STEPS};
use crate::task::Task;
use crate::verdict::{Asked, Property, Violation};
use cairn_interpret::trace::story::{Script, Story};
use cairn_interpret::{self, Ending, Fault, Host, Outcome};

/// A host that follows a list of inputs. After its end, values are chosen by a function and allocations succeed.
struct Scripted<'i> {
    values: std::slice::Iter<'i, Input>,
    beyond: &'i mut dyn FnMut(Ty) -> u128,
    allocations: Vec<bool>,
    asked: Vec<Asked>,
}

impl Host for Scripted<'_> {
    fn write(&mut self, _: i32, _: &[u8]) {}

    fn read_byte(&mut self) -> Option<u8> {
        u8::try_from(self.nondet(Ty::I32, Loc::NONE)? as u32).ok()
    }

    fn nondet(&mut self, ty: Ty, loc: Loc) -> Option<u128> {
        let value = self
            .values
            .find_map(|input| match input {
                Input::Value(value) => Some(*value),
                Input::Allocation(_) | Input::Leftover(..) | Input::Reused(..) => None,
            })
            .unwrap_or_else(|| (self.beyond)(ty));
        self.asked.push(Asked { loc, ty, value });
        Some(value)
    }

    fn allocation_fails(&mut self, count: u64) -> bool {
        let index = usize::try_from(count).unwrap_or(usize::MAX).wrapping_sub(1);
        self.allocations.get(index).is_some_and(|&succeeds| !succeeds)
    }

    fn time(&mut self) -> i64 {
        0
    }

    fn clock(&mut self) -> i64 {
        0
    }
}

/// The treatment of uninitialised memory and registers in a replay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unset {
    /// They hold the values of the inputs, and using them is no fault.
    Leftovers,
    /// Using them is a fault.
    Faults,
}

/// Executes the program on inputs and returns the violations of the task's properties: the fault that ends the execution, or the objects
/// that are left allocated at a normal end.
pub fn replay(program: &Program, task: &Task, inputs: &[Input], unset: Unset) -> Vec<Violation> {
    let run = run(program, task, inputs, &mut |_| 0, &Limits { unset, ..Limits::default() });
    let Some((outcome, asked)) = run else { return Vec::new() };
    violations(task, inputs, outcome, &asked)
}

/// Executes the program on inputs that are chosen on demand, and returns the first violation.
pub fn try_inputs(program: &Program, task: &Task, choose: &mut dyn FnMut(Ty) -> u128) -> Option<Violation> {
    let limits = Limits { steps: ATTEMPT_STEPS, memory: ATTEMPT_MEMORY, ..Limits::default() };
    let (outcome, asked) = run(program, task, &[], choose, &limits)?;
    let inputs: Vec<Input> = asked.iter().map(|asked| Input::Value(asked.value)).collect();
    violations(task, &inputs, outcome, &asked).into_iter().next()
}

/// Returns the violations of the task's properties that an execution shows.
fn violations(task: &Task, inputs: &[Input], outcome: Outcome, asked: &[Asked]) -> Vec<Violation> {
    let has_exited = matches!(outcome.ending, Ending::Exited(_));
    let found = match outcome.ending {
        Ending::Fault(fault) => vec![*fault],
        Ending::Exited(_) | Ending::Aborted => outcome.leaks,
        Ending::AssumptionFailed | Ending::OutOfBudget(_) => Vec::new(),
    };
    let violation = |fault: Fault| {
        let property = Property::of(fault.kind).filter(|p| task.properties.contains(p)).or_else(|| {
            // A lost object was not freed either. A program that aborts frees nothing.
            let unfreed =
                has_exited && fault.kind == CheckKind::Leak && task.properties.contains(&Property::ValidMemcleanup);
            unfreed.then_some(Property::ValidMemcleanup)
        });
        if property.is_none() && !task.besides.contains(&fault.kind) {
            return None;
        }
        let (inputs, asked, end) = (inputs.to_vec(), asked.to_vec(), outcome.end.clone());
        let strewn = outcome.strewn.clone();
        let (trace, story) = (Vec::new(), Story::default());
        Some(Violation { property, fault, inputs, asked, strewn, end, trace, story })
    };
    found.into_iter().filter_map(violation).collect()
}

/// Adds the steps of the user's code to a violation that [`replay`] found, and tells the most important ones with names and pictures.
///
/// The first execution records all steps and finds those that the fault depends on. The second one tells them.
pub fn trace(program: &Program, task: &Task, violation: &mut Violation) {
    let unset = if violation.fault.kind == CheckKind::Uninitialised { Unset::Faults } else { Unset::Leftovers };
    let lost_from = violation.fault.kind.is_of_the_end().then(|| violation.fault.stack.clone());
    let limits = Limits { unset, trace: true, lost_from, ..Limits::default() };
    let Some(first) = traced(program, task, violation, &limits) else { return };
    violation.trace = first.trace.steps;
    let limits = Limits { script: Some(first.trace.script), ..limits };
    let Some(second) = traced(program, task, violation, &limits) else { return };
    let fault = &mut violation.fault;
    let told = match second.ending {
        Ending::Fault(fault) => vec![*fault],
        _ => second.leaks,
    };
    let same = told.into_iter().find(|other| (other.kind, &other.stack) == (fault.kind, &fault.stack));
    // An execution that ends differently tells another story.
    let Some(same) = same else { return };
    *fault = same;
    violation.story = Story { steps: second.trace.steps, end: second.trace.end };
}

fn traced(program: &Program, task: &Task, violation: &Violation, limits: &Limits) -> Option<Outcome> {
    match run(program, task, &violation.inputs, &mut |_| 0, limits) {
        Some((outcome @ Outcome { ending: Ending::Fault(_) | Ending::Exited(_) | Ending::Aborted, .. }, _)) => {
            Some(outcome)
        }
        _ => None,
    }
}

/// The limits and the recording of an execution.
struct Limits {
    unset: Unset,
    steps: u64,
    memory: u64,
    trace: bool,
    script: Option<Script>,
    /// The allocation of the objects that the trace is about.
    lost_from: Option<Vec<StackPlace>>,
}

impl Default for Limits {
    fn default() -> Self {
        let memory = cairn_interpret::Options::default().max_memory;
        let (script, lost_from) = (None, None);
        Self { unset: Unset::Leftovers, steps: REPLAY_STEPS, memory, trace: false, script, lost_from }
    }
}

fn run(
    program: &Program,
    task: &Task,
    inputs: &[Input],
    beyond: &mut dyn FnMut(Ty) -> u128,
    limits: &Limits,
) -> Option<(Outcome, Vec<Asked>)> {
    let allocations = inputs
        .iter()
        .filter_map(|input| match input {
            Input::Allocation(succeeds) => Some(*succeeds),
            Input::Value(_) | Input::Leftover(..) | Input::Reused(..) => None,
        })
        .collect();
    let mut leftovers = cairn_interpret::Leftovers::default();
    let mut reused = cairn_interpret::Reused::default();
    for input in inputs {
        match input {
            Input::Leftover(life, at, bytes) => leftovers.entry(*life).or_default().push((*at, bytes.clone())),
            Input::Reused(life, freed) => drop(reused.insert(*life, *freed)),
            Input::Value(_) | Input::Allocation(_) => {}
        }
    }
    let mut host = Scripted { values: inputs.iter(), beyond, allocations, asked: Vec::new() };
    let options = cairn_interpret::Options {
        entry: task.entry.clone(),
        max_steps: Some(limits.steps),
        max_memory: limits.memory,
        undefined_names_hold_anything: true,
        leftovers: (limits.unset == Unset::Leftovers).then_some(leftovers),
        reused,
        allocations_succeed: !task.malloc_fails,
        assert_faults: task.assert_faults,
        error_faults: task.properties.contains(&Property::UnreachCall),
        trace: limits.trace,
        script: limits.script.clone(),
        lost_from: limits.lost_from.clone(),
        ..cairn_interpret::Options::default()
    };
    let outcome = cairn_interpret::run(program, &options, &mut host).ok()?;
    Some((outcome, host.asked))
}
