//! Programs in the text form of the IR, executed by the interpreter.

mod calls;
mod faults;
mod library;
mod scalars;

use cairn_ir::{CheckKind, Loc, Ty};

use super::{Ending, Fault, Host, Options, Outcome, run};

/// A host that records output and returns preset inputs.
#[derive(Default)]
struct World {
    output: Vec<u8>,
    input: Vec<u8>,
    nondet: Vec<u128>,
    failing: Option<u64>,
}

impl Host for World {
    fn write(&mut self, _fd: i32, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
    }
    fn read_byte(&mut self) -> Option<u8> {
        (!self.input.is_empty()).then(|| self.input.remove(0))
    }
    fn nondet(&mut self, _ty: Ty, _loc: Loc) -> Option<u128> {
        Some(if self.nondet.is_empty() { 0 } else { self.nondet.remove(0) })
    }
    fn allocation_fails(&mut self, count: u64) -> bool {
        self.failing == Some(count)
    }
    fn time(&mut self) -> i64 {
        1_700_000_000
    }
    fn clock(&mut self) -> i64 {
        42
    }
}

fn run_in(text: &str, world: &mut World, options: &Options) -> Outcome {
    let program = cairn_ir::parse::parse(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    run(&program, options, world).unwrap()
}

/// Returns a program with a function `main` that has registers of every type.
///
/// The registers are v0..v9 i32, v10..v19 i64, v20..v29 ptr, v30..v34 i1, v35..v39 f64, v40..v41 f32, v42..v44 f80,
/// v45..v47 i128, v48 i8, v49 i16. The slots are s0 `buffer` of 16 bytes, s1 `other` of 8 bytes, s2 a variable-length
/// array. The globals are g0 `counter` (4 bytes, with value 7), g1 a string literal "hello", g2 `root` of 16 bytes.
fn main_with(code: &str) -> String {
    program_with(code, "")
}

fn program_with(code: &str, others: &str) -> String {
    let list = |from: u32, to: u32| (from..=to).map(|i| format!("v{i}")).collect::<Vec<_>>().join(", ");
    format!(
        "program lp64\nfile 0 \"t.c\"\n\
         global g0 external \"counter\" size 4 align 4 @0:1:1 = \"\\07\"\n\
         global g1 internal \".str\" size 6 align 1 constant = \"hello\"\n\
         global g2 external \"root\" size 16 align 8 @0:2:1\n\
         function f0 external \"main\" () -> i32 @0:3:5 {{\n\
         reg {}: i32\nreg {}: i64\nreg {}: ptr\nreg {}: i1\nreg {}: f64\nreg {}: f32\nreg {}: f80\nreg {}: i128\n\
         reg v48: i8\nreg v49: i16\n\
         slot s0 \"buffer\" size 16 align 8 @0:4:8\nslot s1 \"other\" size 8 align 8 @0:5:8\n\
         slot s2 \"vla\" size 0 align 8 @0:6:8\nb0:\n{code}\n}}\n{others}",
        list(0, 9),
        list(10, 19),
        list(20, 29),
        list(30, 34),
        list(35, 39),
        list(40, 41),
        list(42, 44),
        list(45, 47),
    )
}

/// Executes code and returns the exit status.
#[track_caller]
fn status(code: &str) -> i32 {
    let outcome = run_in(&main_with(code), &mut World::default(), &Options::default());
    match outcome.ending {
        Ending::Exited(status) => status,
        other => panic!("{other:?}"),
    }
}

/// Executes code that must fault, and returns the fault.
#[track_caller]
fn fault(code: &str) -> Fault {
    fault_in(&main_with(code))
}

#[track_caller]
fn fault_in(text: &str) -> Fault {
    match run_in(text, &mut World::default(), &Options::default()).ending {
        Ending::Fault(fault) => *fault,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check_fault(code: &str, kind: CheckKind, message: &str) {
    let fault = fault(code);
    assert_eq!((fault.kind, fault.message.as_str()), (kind, message));
}
