//! One execution as a proof: a program that nothing from outside decides does the same in every execution.
//!
//! The program is executed with all inputs, results of the environment and addresses as uninitialised values. If it reaches its end
//! without using such a value for a branch, an address or an operation that can fail, then all executions take the same path, and the
//! interpreter has checked each operation on it. A fault on the way ends all executions.

mod signs;

use cairn_interpret::{Ending, Fault, Host, Representative};
use cairn_ir::program::Program;
use cairn_ir::{CheckKind, Loc, Ty};

use crate::alarm::Alarm;
use crate::candidate::Candidate;
use crate::engine::{Budget, Engine, Finding, OpenChecks, Proof, Scope};
use crate::limits::{ATTEMPT_MEMORY, PROVING_STEPS};
use crate::reason::Reason;
use crate::settings::Setup;
use crate::task::Task;
use crate::verdict::Property;

/// The name of the engine.
pub const NAME: &str = "execution";

/// Executes the program once.
struct Execution<'p> {
    program: &'p Program,
    task: Task,
}

/// Creates the engine.
///
/// # Errors
/// Never.
pub fn engine<'p>(setup: &Setup<'p>) -> Result<Box<dyn Engine + 'p>, String> {
    Ok(Box::new(Execution { program: setup.program, task: setup.task.clone() }))
}

/// The world outside of an execution that stands for all others.
#[derive(Default)]
struct Nowhere {
    allocations: u64,
}

impl Host for Nowhere {
    fn write(&mut self, _: i32, _: &[u8]) {}

    fn read_byte(&mut self) -> Option<u8> {
        None
    }

    fn nondet(&mut self, _: Ty, _: Loc) -> Option<u128> {
        None
    }

    fn allocation_fails(&mut self, _: u64) -> bool {
        self.allocations += 1;
        false
    }

    fn time(&mut self) -> i64 {
        0
    }

    fn clock(&mut self) -> i64 {
        0
    }
}

/// The faults that end all executions, or `None` if the execution does not stand for all others.
fn faults(program: &Program, task: &Task) -> Option<Vec<Fault>> {
    let mut host = Nowhere::default();
    let options = cairn_interpret::Options {
        entry: task.entry.clone(),
        max_steps: Some(PROVING_STEPS),
        max_memory: ATTEMPT_MEMORY,
        allocations_succeed: !task.malloc_fails,
        assert_faults: task.assert_faults,
        error_faults: task.properties.contains(&Property::UnreachCall),
        representative: Some(Representative { compares_by_sign: signs::suffice(program) }),
        ..cairn_interpret::Options::default()
    };
    let outcome = cairn_interpret::run(program, &options, &mut host).ok()?;
    if task.malloc_fails && host.allocations > 0 {
        return None;
    }
    match outcome.ending {
        Ending::Exited(_) | Ending::Aborted => Some(outcome.leaks),
        Ending::AssumptionFailed => Some(Vec::new()),
        Ending::Fault(fault) if fault.kind != CheckKind::Unsupported && !fault.kind.goes_on() => Some(vec![*fault]),
        Ending::Fault(_) | Ending::OutOfBudget(_) => None,
    }
}

impl Engine for Execution<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn advance(&mut self, _: &OpenChecks, _: &mut Budget) -> Vec<Finding> {
        let Some(faults) = faults(self.program, &self.task) else {
            return vec![Finding::Exhausted(Reason::DependsOnInputs)];
        };
        let mut findings = Vec::new();
        let kinds: Vec<CheckKind> = self.task.kinds().collect();
        let asked = |fault: &&Fault| kinds.contains(&fault.kind);
        // Nothing is known of an execution after undefined behaviour, also if the task does not ask about it.
        if let Some(fault) = faults.iter().find(|fault| fault.kind.is_undefined_behaviour() && !asked(fault)) {
            return vec![Finding::Exhausted(Reason::OtherUndefinedBehaviour(fault.kind))];
        }
        // The execution does not see an address that the program has computed with, so that another engine has to decide about a loss.
        let is_lost = |fault: &Fault| matches!(fault.kind, CheckKind::Leak | CheckKind::FileLeak);
        let loses = faults.iter().any(is_lost);
        // A lost object was not freed either.
        let unfreed = |fault: &Fault| fault.kind == CheckKind::Leak && kinds.contains(&CheckKind::Unfreed);
        for fault in faults.iter().filter(asked) {
            let Fault { kind, check, ref stack, .. } = *fault;
            let loc = stack.first().map_or(Loc::NONE, |place| place.loc);
            let candidate = Candidate { kind, check, stack: stack.clone(), inputs: Vec::new() };
            if !(loses && kind.is_of_the_end()) {
                findings.push(Finding::Candidate(candidate));
            }
            let check = check.filter(|_| !kind.is_of_the_end());
            findings.push(Finding::Alarm(Alarm { kind, loc, check }, None));
            if unfreed(fault) {
                findings.push(Finding::Alarm(Alarm { kind: CheckKind::Unfreed, loc, check }, None));
            }
        }
        let scope = if findings.is_empty() { Scope::All } else { Scope::AllButAlarms { guides: false } };
        let (assumptions, invariants) = Default::default();
        findings.push(Finding::Proved(Proof { scope, assumptions, invariants, certificate: None }));
        findings.push(Finding::Exhausted(Reason::DependsOnInputs));
        findings
    }
}
