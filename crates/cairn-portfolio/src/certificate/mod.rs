//! Certificates: proofs as data that an independent checker can verify.
//!
//! A certificate of an over-approximating proof holds, for each program point at which the proof compares states, the symbolic states
//! that cover all executions there. Calls that the proof analyses apart from their callers are *contexts*: an entry state, and the
//! states at the return. The states refer to one table of terms. An engine writes the certificate; `cairn-certificate` checks it and
//! trusts nothing in it. See `docs/certificates.md`.

mod text;

use std::collections::BTreeMap;

use cairn_ir::{BlockId, CheckId, CheckKind, FuncId, Loc, Program};

use crate::alarm::Alarm;
use crate::task::Task;
pub use text::{Damaged, MAX_TEXT};

/// A proof as data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The question that the proof answers, with what it takes for granted.
    pub claim: Claim,
    /// The terms. A term refers only to terms before it.
    pub terms: Vec<TermRecord>,
    /// The contexts. The context with number `n` is at index `n - 1`; 0 is the program itself.
    pub contexts: Vec<ContextRecord>,
    /// The states at program points.
    pub places: Vec<PlaceRecord>,
    /// The calls that use contexts.
    pub calls: Vec<CallRecord>,
    /// The invariants of a proof by templates.
    pub invariants: Vec<InvariantRecord>,
}

/// The question that a proof answers, with what it takes for granted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The name of the engine that found the proof.
    pub engine: String,
    /// The entry function.
    pub entry: String,
    /// The kinds of checks that hold, apart from the alarms.
    pub kinds: Vec<CheckKind>,
    /// The kinds of checks that another proof has shown to hold.
    pub granted: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` violates a check.
    pub assert_faults: bool,
    /// The checks that the proof leaves open.
    pub alarms: Vec<Alarm>,
    /// Functions without a body, which are assumed to return any value and to have no effect.
    pub harmless: Vec<String>,
    /// Whether an uninitialised value may be read.
    pub reads_uninitialised: bool,
    /// A fingerprint of the program, to notice a certificate of another program early.
    pub program: Option<u64>,
    /// The method of the proof.
    pub method: Method,
}

impl Claim {
    /// Returns the claim that all checks of a task hold.
    pub fn of(engine: &str, task: &Task, method: Method) -> Self {
        let mut kinds: Vec<CheckKind> = task.kinds().collect();
        kinds.sort_unstable();
        kinds.dedup();
        Self {
            engine: engine.to_owned(),
            entry: task.entry.clone(),
            kinds,
            granted: Vec::new(),
            malloc_fails: task.malloc_fails,
            assert_faults: task.assert_faults,
            alarms: Vec::new(),
            harmless: Vec::new(),
            reads_uninitialised: false,
            program: None,
            method,
        }
    }

    /// Returns whether the claim answers a task up to these alarms.
    pub fn is_about(&self, task: &Task, alarms: &[Alarm]) -> bool {
        let asked = Self::of("", task, self.method);
        self.entry == asked.entry
            && self.kinds == asked.kinds
            && self.malloc_fails == asked.malloc_fails
            && self.assert_faults == asked.assert_faults
            && self.alarms.iter().all(|alarm| alarms.contains(alarm))
    }
}

/// How a proof covers all executions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// Recorded states cover the executions.
    States,
    /// The program has few paths: execution without abstraction ends.
    Paths,
    /// Formulas over the variables at loop heads are inductive invariants.
    Invariants,
}

/// The invariant of a formula of `cairn-template`, with the checks that it proves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InvariantRecord {
    /// How often loops are unwound.
    pub unwind: u32,
    /// Whether no execution exceeds the unwinding depth, so that no invariant is needed.
    pub is_bounded: bool,
    /// The number of objects of a site that a row may be about.
    pub subjects: u32,
    /// Whether calls get summaries: 0 where that helps, 1 never, 2 always.
    pub calls: u8,
    /// The calls with a calling context of their own.
    pub contexts: Vec<CallSiteRecord>,
    /// The rows of the invariant.
    pub rows: Vec<RowRecord>,
    /// The checks that no execution violates first.
    pub proved: Vec<(CheckKind, Option<CheckId>, Loc)>,
}

/// A call with a calling context of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallSiteRecord {
    /// The function of the body that contains the call, and the number of its context.
    pub body: (FuncId, u32),
    /// The function that contains the call.
    pub function: FuncId,
    /// The block and the instruction.
    pub at: (u64, u64),
    /// The called function, and the number of its context.
    pub callee: (FuncId, u32),
}

/// A row of an invariant. `cairn-template` gives the numbers their meaning.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowRecord {
    /// The location.
    pub location: u32,
    /// The loops before the location that must have been entered, or must not have been.
    pub path: Vec<(u32, bool)>,
    /// The number of the form of the row.
    pub form: u8,
    /// The parts of the row.
    pub numbers: Vec<i128>,
}

/// A term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TermRecord {
    /// A constant: its width and its bits.
    Constant(u32, u128),
    /// A variable: its width, and whether it may be uninitialised.
    Variable(u32, bool),
    /// The variable in the address of an object that exists from the start.
    Fixed(u32),
    /// The address of a label.
    Label(FuncId, BlockId),
    /// A linear polynomial: its width, its constant, and its terms with their coefficients.
    Sum(u32, u128, Vec<(u32, u128)>),
    /// A binary operation: the operator (see [`OPERATORS`]) and the operands.
    Binary(u8, u32, u32),
    /// The bitwise complement.
    Not(u32),
    /// The sign extension of a term to a width.
    SignExtend(u32, u32),
    /// A part of a term: the term, the lowest bit and the width.
    Extract(u32, u32, u32),
    /// A choice: condition, then, else.
    Ite(u32, u32, u32),
}

/// The binary operators of [`TermRecord::Binary`], in the order of their numbers.
pub const OPERATORS: [cairn_smt::term::Op; 14] = {
    use cairn_smt::term::Op;
    [
        Op::Mul,
        Op::UDiv,
        Op::URem,
        Op::SDiv,
        Op::SRem,
        Op::And,
        Op::Xor,
        Op::Shl,
        Op::LShr,
        Op::AShr,
        Op::Concat,
        Op::Eq,
        Op::ULt,
        Op::SLt,
    ]
};

/// The position of a function's execution: function, block, instruction.
pub type Point = (u32, u32, u32);

/// When a state is recorded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Moment {
    /// When control has entered a block.
    Arrived,
    /// When a call that was analysed as a context has returned.
    Resumed,
    /// When the context itself has returned.
    Returned,
}

/// The states at a program point of a context.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceRecord {
    /// The context.
    pub context: u32,
    /// When the states are recorded.
    pub moment: Moment,
    /// The points of the active calls, the outermost first.
    pub stack: Vec<Point>,
    /// The states.
    pub states: Vec<StateRecord>,
}

/// A function or a loop that is analysed apart from its callers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContextRecord {
    /// The loop, if the context is a loop.
    pub region: Option<LoopRecord>,
    /// The state at the entry.
    pub entry: StateRecord,
    /// The globals whose contents stay with the callers.
    pub untouched: Vec<u32>,
}

/// A loop that is analysed like a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopRecord {
    /// The blocks of the loop.
    pub blocks: Vec<u32>,
    /// The registers that the loop reads or writes.
    pub registers: Vec<u32>,
}

/// A call that uses contexts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallRecord {
    /// The calling state: with the callee's frame on top, or at the head of a loop.
    pub calling: StateRecord,
    /// The context of the calling state.
    pub context: u32,
    /// The objects of the footprint.
    pub footprint: Vec<u32>,
    /// The values that the caller shares with the callee.
    pub cut: Vec<u32>,
    /// The contexts that cover the footprint.
    pub targets: Vec<u32>,
}

/// A symbolic state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateRecord {
    /// The active calls, the outermost first.
    pub frames: Vec<FrameRecord>,
    /// The objects, except those that are as at the start of the program.
    pub objects: Vec<ObjectRecord>,
    /// The path condition.
    pub conditions: Vec<u32>,
    /// A model of the path condition. It only saves time.
    pub model: BTreeMap<u32, u128>,
    /// The values that the state carries for its callers, each with the number of its role.
    pub cut: Vec<(u32, u8)>,
}

/// An active call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameRecord {
    /// The point of execution.
    pub at: Point,
    /// The registers that have a value.
    pub regs: Vec<(u32, u32)>,
    /// The slots that are live, with their objects.
    pub slots: Vec<(u32, u32)>,
    /// Further objects that die with the call.
    pub owned: Vec<u32>,
    /// The object of the variable arguments.
    pub variadic: Option<u32>,
    /// The register of the caller that receives the result.
    pub result: Option<u32>,
}

/// An object, a segment or a pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectRecord {
    /// The id, which is the same in all states for the same base.
    pub id: u32,
    /// The number of the kind (see [`KINDS`]).
    pub kind: u8,
    /// The number of the end (see [`ENDS`]).
    pub end: u8,
    /// The address.
    pub base: u32,
    /// The size.
    pub size: u32,
    /// Whether a write is a fault.
    pub constant: bool,
    /// Whether this is a pattern of a segment.
    pub pattern: bool,
    /// The bytes outside of all cells; `None` if they are uninitialised.
    pub initial: Option<Vec<u8>>,
    /// The offset and the value of each cell.
    pub cells: Vec<(u64, u32)>,
    /// The bytes at symbolic offsets: offset and value.
    pub indexed: Vec<(u32, u32)>,
    /// The segment that the object stands for.
    pub segment: Option<SegmentRecord>,
}

/// The kinds of objects in the order of their numbers; others are not recorded.
pub const KINDS: [&str; 6] = ["static", "stack", "heap", "alloca", "mapping", "variable arguments"];

/// The ends of objects in the order of their numbers.
pub const ENDS: [&str; 4] = ["live", "freed", "reallocated", "out of scope"];

/// A segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SegmentRecord {
    /// The pattern of a node.
    pub node: u32,
    /// The patterns of the objects that a node owns.
    pub owned: Vec<u32>,
    /// The local variables.
    pub locals: Vec<u32>,
    /// The links.
    pub links: Vec<u32>,
    /// The back link.
    pub back_link: Option<u32>,
    /// The variable that selects the cell with the link.
    pub fork: Option<u32>,
    /// The offset that links point to.
    pub at: u64,
    /// The value of the last link.
    pub next: u32,
    /// The value of the first back link, and the address of the last node.
    pub back: Option<(u32, Option<u32>)>,
    /// The least number of nodes.
    pub min: u32,
    /// The number of nodes.
    pub length: u32,
    /// The sequences: offset, steps, value before the first node, value in the last node.
    pub sequences: Vec<SequenceRecord>,
}

/// The offset of a sequence's cell, its steps, the value before the first node and the value in the last node.
pub type SequenceRecord = (u64, Vec<(u128, u128)>, u32, u32);

/// Returns a fingerprint of a program: a hash of its text form.
pub fn fingerprint(program: &Program) -> u64 {
    let text = cairn_ir::print::print(program);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
