//! Concrete attempts: executions of the program on guessed inputs.
//!
//! A violation behind a loop of a hundred thousand iterations costs a symbolic search as many steps, but an execution next to nothing.

use cairn_ir::layout::Target;
use cairn_ir::{CheckKind, Program, Ty};

use crate::candidate::Candidate;
use crate::confirm::replay::try_inputs;
use crate::engine::{Budget, Engine, Finding, Goal, OpenChecks};
use crate::reason::Reason;
use crate::settings::Setup;
use crate::task::Task;
use crate::verdict::Violation;

/// The choice of the inputs of one execution.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// All inputs are this number.
    Always(i64),
    /// All inputs are the greatest signed number of their type.
    Greatest,
    /// Random numbers below this one.
    Below(u64),
    /// Random bits.
    Any,
}

/// The attempts, the most promising first. Small numbers come first, because large ones mostly overflow.
const ATTEMPTS: [Choice; 8] = [
    Choice::Always(1),
    Choice::Always(0),
    Choice::Below(2),
    Choice::Below(4),
    Choice::Below(200_000),
    Choice::Always(-1),
    Choice::Greatest,
    Choice::Any,
];

/// Executes the program on guessed inputs, once.
pub struct Attempts<'p> {
    program: &'p Program,
    task: Task,
}

/// The name of the engine.
pub const NAME: &str = "attempt";

/// Creates the engine.
///
/// # Errors
/// Never.
pub fn engine<'p>(setup: &Setup<'p>) -> Result<Box<dyn Engine + 'p>, String> {
    Ok(Box::new(Attempts { program: setup.program, task: setup.task.clone() }))
}

impl Engine for Attempts<'_> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn advance(&mut self, open: &OpenChecks, budget: &mut Budget) -> Vec<Finding> {
        // An execution does not recognise an address that the program has computed with, so that a leak counts only where no engine has
        // seen such an address.
        let leaks = open.gaps.is_empty();
        let mut findings = Vec::new();
        for choice in ATTEMPTS {
            if budget.is_cancelled() {
                break;
            }
            let mut random = Random(0x9e37_79b9_7f4a_7c15);
            let target = self.program.target;
            let found = try_inputs(self.program, &self.task, &mut |ty| value(choice, ty, target, &mut random));
            let Some(violation) = found.filter(|violation| leaks || violation.fault.kind != CheckKind::Leak) else {
                continue;
            };
            let Violation { fault, inputs, .. } = violation;
            let candidate = Candidate { kind: fault.kind, check: fault.check, stack: fault.stack, inputs };
            findings.push(Finding::Candidate(candidate));
            if open.goal == Goal::FirstAnswer {
                break;
            }
        }
        findings.push(Finding::Exhausted(Reason::NoAttemptFails));
        findings
    }
}

fn value(choice: Choice, ty: Ty, target: Target, random: &mut Random) -> u128 {
    match choice {
        Choice::Always(value) => i128::from(value) as u128,
        Choice::Greatest => (1 << (ty.bits(target) - 1)) - 1,
        Choice::Below(limit) => u128::from(random.next() % limit),
        Choice::Any => u128::from(random.next()) << 64 | u128::from(random.next()),
    }
}

/// A deterministic pseudo-random generator (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }
}
