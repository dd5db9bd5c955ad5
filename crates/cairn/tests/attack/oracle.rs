//! The truth about small executions: the interpreter executes a program on all small choices of its inputs.

use std::collections::BTreeMap;

use cairn_interpret::{Ending, Host};
use cairn_ir::{CheckId, CheckKind, Loc, Program, Ty};

use super::random::Random;

/// The instructions of one execution. Loops of generated programs end after a few rounds, or never.
const STEPS: u64 = 20_000;

/// The executions for each number of choices that are tried exhaustively, and of random ones.
const EXECUTIONS: usize = 1500;

/// Values of numbers, the most likely first. Truth values are 0 and 1.
const NUMBERS: [u128; 4] = [0, 1, 3, u128::MAX];

/// A violation that an execution shows first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shown {
    pub kind: CheckKind,
    pub check: Option<CheckId>,
    /// The line in the innermost function of the user.
    pub line: u32,
}

/// The inputs of one execution: a prefix that is enumerated, then zeros or random values.
struct Choices<'r> {
    prefix: Vec<(usize, usize)>,
    at: usize,
    depth: usize,
    random: Option<&'r mut Random>,
}

impl Choices<'_> {
    fn choose(&mut self, count: usize) -> usize {
        if let Some(random) = &mut self.random {
            return random.below(count as u64) as usize;
        }
        self.at += 1;
        match self.prefix.get(self.at - 1) {
            Some(&(choice, _)) => choice,
            None if self.at <= self.depth => {
                self.prefix.push((0, count));
                0
            }
            None => 0,
        }
    }

    /// Goes on to the next prefix; returns whether there is one.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((choice, count)) = self.prefix.pop() {
            if choice + 1 < count {
                self.prefix.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

impl Host for Choices<'_> {
    fn write(&mut self, _: i32, _: &[u8]) {}

    fn read_byte(&mut self) -> Option<u8> {
        None
    }

    fn nondet(&mut self, ty: Ty, _: Loc) -> Option<u128> {
        let is_number = ty == Ty::I32;
        let choice = self.choose(if is_number { NUMBERS.len() } else { 2 });
        Some(if is_number { NUMBERS[choice] } else { choice as u128 })
    }

    fn allocation_fails(&mut self, _: u64) -> bool {
        false
    }

    fn time(&mut self) -> i64 {
        0
    }

    fn clock(&mut self) -> i64 {
        0
    }
}

/// Whether an execution goes on after the use of an uninitialised value, and after a call of the error function.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub uninitialised_faults: bool,
    pub error_faults: bool,
}

/// Returns the violations that small executions show, with the number of executions that show each.
pub fn violations(program: &Program, rules: Rules, seed: u64) -> BTreeMap<Shown, u32> {
    let mut shown = BTreeMap::new();
    for depth in [8, 12, 16] {
        let mut choices = Choices { prefix: Vec::new(), at: 0, depth, random: None };
        for _ in 0..EXECUTIONS {
            execute(program, rules, &mut choices, &mut shown);
            if !choices.advance() {
                break;
            }
        }
    }
    let mut random = Random::new(seed);
    for _ in 0..EXECUTIONS / 3 {
        let mut choices = Choices { prefix: Vec::new(), at: 0, depth: 0, random: Some(&mut random) };
        execute(program, rules, &mut choices, &mut shown);
    }
    shown
}

fn execute(program: &Program, rules: Rules, choices: &mut Choices<'_>, shown: &mut BTreeMap<Shown, u32>) {
    let options = cairn_interpret::Options {
        max_steps: Some(STEPS),
        max_depth: 200,
        leftovers: (!rules.uninitialised_faults).then(cairn_interpret::Leftovers::default),
        error_faults: rules.error_faults,
        assert_faults: rules.error_faults,
        ..cairn_interpret::Options::default()
    };
    let Ok(outcome) = cairn_interpret::run(program, &options, choices) else { return };
    let faults = match outcome.ending {
        Ending::Fault(fault) => vec![*fault],
        Ending::Exited(_) => outcome.leaks,
        Ending::Aborted | Ending::AssumptionFailed | Ending::OutOfBudget(_) => Vec::new(),
    };
    for fault in faults {
        let is_user = |function: cairn_ir::FuncId| program.functions[function.index()].origin.is_of_user();
        let line = fault.stack.iter().find(|place| is_user(place.function)).map_or(0, |place| place.loc.line);
        *shown.entry(Shown { kind: fault.kind, check: fault.check, line }).or_default() += 1;
    }
}
