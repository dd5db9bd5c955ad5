//! Replaying a candidate: the interpreter runs the program with the inputs that the candidate names. Only what it runs into
//! counts.

use cairn_ir::{CheckKind, Loc, Program, Ty};

use crate::engines::interpret::trace::TraceStep;
use crate::engines::interpret::{self, Ending, Fault, Host, Outcome};
use crate::engines::shape::Input;
use crate::portfolio::{REPLAY_STEPS, Task};
use crate::verdict::{Asked, Property, Violation};

/// A world that does what the inputs say; when they are used up, values are 0 and allocations succeed.
struct Scripted<'i> {
    values: std::iter::Peekable<std::slice::Iter<'i, Input>>,
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
                Input::Allocation(_) | Input::Leftover(..) => None,
            })
            .unwrap_or(0);
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

/// What a run makes of memory and registers that nothing was written to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unset {
    /// They hold what the inputs say, and using them is no fault.
    Leftovers,
    /// Using them is a fault.
    Faults,
}

/// Runs the program with these inputs and returns the violations of what the task asks: the fault that the run ends in, or
/// what is left when it ends by itself.
pub fn replay(program: &Program, task: &Task, inputs: &[Input], unset: Unset) -> Vec<Violation> {
    let Some((outcome, asked)) = run(program, task, inputs, unset, REPLAY_STEPS, false) else { return Vec::new() };
    let found = match outcome.ending {
        Ending::Fault(fault) => vec![*fault],
        Ending::Exited(_) => outcome.leaks,
        Ending::Aborted | Ending::AssumptionFailed | Ending::OutOfBudget(_) => Vec::new(),
    };
    let violation = |fault: Fault| {
        let property = Property::of(fault.kind).filter(|p| task.properties.contains(p)).or_else(|| {
            // An object that is lost was not freed either.
            let unfreed = fault.kind == CheckKind::Leak && task.properties.contains(&Property::ValidMemcleanup);
            unfreed.then_some(Property::ValidMemcleanup)
        });
        if property.is_none() && !task.besides.contains(&fault.kind) {
            return None;
        }
        let (inputs, asked, end) = (inputs.to_vec(), asked.clone(), outcome.end.clone());
        let strewn = outcome.strewn.clone();
        Some(Violation { property, fault, inputs, asked, strewn, end, trace: Vec::new() })
    };
    found.into_iter().filter_map(violation).collect()
}

/// The steps of the user's code on the way to a fault that [`replay`] found.
pub fn trace(program: &Program, task: &Task, violation: &Violation) -> Vec<TraceStep> {
    let unset = if violation.fault.kind == CheckKind::Uninitialised { Unset::Faults } else { Unset::Leftovers };
    match run(program, task, &violation.inputs, unset, REPLAY_STEPS, true) {
        Some((Outcome { ending: Ending::Fault(_) | Ending::Exited(_), trace, .. }, _)) => trace,
        _ => Vec::new(),
    }
}

fn run(
    program: &Program,
    task: &Task,
    inputs: &[Input],
    unset: Unset,
    max_steps: u64,
    trace: bool,
) -> Option<(Outcome, Vec<Asked>)> {
    let allocations = inputs
        .iter()
        .filter_map(|input| match input {
            Input::Allocation(succeeds) => Some(*succeeds),
            Input::Value(_) | Input::Leftover(..) => None,
        })
        .collect();
    let mut leftovers = interpret::Leftovers::default();
    for input in inputs {
        if let Input::Leftover(life, at, bytes) = input {
            leftovers.entry(*life).or_default().push((*at, bytes.clone()));
        }
    }
    let mut host = Scripted { values: inputs.iter().peekable(), allocations, asked: Vec::new() };
    let options = interpret::Options {
        entry: task.entry.clone(),
        max_steps: Some(max_steps),
        undefined_names_hold_anything: true,
        leftovers: (unset == Unset::Leftovers).then_some(leftovers),
        assert_faults: task.assert_faults,
        error_faults: task.properties.contains(&Property::UnreachCall),
        trace,
        ..interpret::Options::default()
    };
    let outcome = interpret::run(program, &options, &mut host).ok()?;
    Some((outcome, host.asked))
}
