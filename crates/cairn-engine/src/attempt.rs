//! Attempts: runs of the program with simple choices of its inputs. What lies behind a loop of a hundred thousand rounds costs a
//! search as many steps, but a run next to nothing; and a run into a fault is a violation like any other.

use std::sync::atomic::{AtomicBool, Ordering};

use cairn_ir::layout::Target;
use cairn_ir::{CheckKind, Program, Ty};

use crate::portfolio::Task;
use crate::replay::{trace, try_inputs};
use crate::verdict::Violation;

/// How the inputs of an attempt are chosen.
#[derive(Clone, Copy, Debug)]
enum Choice {
    /// All of them are this number.
    Always(i64),
    /// All of them are the greatest signed number of their type.
    Greatest,
    /// They are numbers below this one, at random.
    Below(u64),
    /// They are any bits, at random.
    Any,
}

/// The attempts, the likeliest first. Nothing here is large without need: what overflows is seldom what a program is about.
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

/// Runs the attempts until one ends in a violation of what the task asks. A leak counts only with `leaks`: a run does not know an
/// address again that the program has computed with.
pub(crate) fn attempts(program: &Program, task: &Task, leaks: bool, cancel: &AtomicBool) -> Option<Violation> {
    let mut found = ATTEMPTS.iter().filter_map(|&choice| {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        try_inputs(program, task, &mut |ty| value(choice, ty, program.target, &mut random))
    });
    let mut violation = found.find(|violation| leaks || violation.fault.kind != CheckKind::Leak)?;
    trace(program, task, &mut violation);
    Some(violation)
}

fn value(choice: Choice, ty: Ty, target: Target, random: &mut Random) -> u128 {
    match choice {
        Choice::Always(value) => i128::from(value) as u128,
        Choice::Greatest => (1 << (ty.bits(target) - 1)) - 1,
        Choice::Below(limit) => u128::from(random.next() % limit),
        Choice::Any => u128::from(random.next()) << 64 | u128::from(random.next()),
    }
}

/// A generator whose numbers are the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }
}
