//! The checking interpreter: executes a program concretely and stops at the first fault.
//!
//! A program is first translated to flat code, which the interpreter loop executes on the concrete memory of
//! `cairn-memory`. Values that the program does not determine come from a [`Host`]. A trace of the execution is
//! recorded on demand ([`trace`]). [`session`] calls single functions on memory that the caller builds.

mod arithmetic;
mod library;
mod limits;
mod run;
pub mod session;
pub mod trace;
mod translate;

#[cfg(test)]
mod tests;

use cairn_ir::inst::Passing;
use cairn_ir::program::Origin;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Program, Ty};

use cairn_memory::store::Moment;
use cairn_memory::{Memory, ObjectId, Pointer};

use arithmetic::value::Value;
use run::image::Image;
use run::machine::{Machine, Step, Trap};
use translate::op::{NOWHERE, ParamPlace};

/// The environment of an execution: the source of all values that are not a function of the program.
pub trait Host {
    /// Writes bytes of the program to a descriptor (1 or 2).
    fn write(&mut self, fd: i32, bytes: &[u8]);
    /// Returns the next byte of standard input.
    fn read_byte(&mut self) -> Option<u8>;
    /// Returns a nondeterministic value: its low bits, as many as the type has.
    ///
    /// If there are no more values, returns `None`, and the execution is given up.
    fn nondet(&mut self, ty: Ty, loc: Loc) -> Option<u128>;
    /// Answers a call of a function without a body: writes to memory, and returns the result.
    ///
    /// `None` leaves the result to [`Host::nondet`]. Other arguments than pointers are passed by their bits.
    /// `moment` is the moment of the call, for objects that it allocates.
    fn answer(&mut self, _arguments: &[Pointer], _memory: &mut Memory, _moment: Moment) -> Option<Pointer> {
        None
    }
    /// Returns the objects that functions without a body may have kept or freed, so that they are not lost.
    fn taken(&self) -> Vec<ObjectId> {
        Vec::new()
    }
    /// Returns whether this allocation (counted from 1) fails.
    fn allocation_fails(&mut self, count: u64) -> bool;
    /// Returns the seconds since 1970.
    fn time(&mut self) -> i64;
    /// Returns the processor time in microseconds.
    fn clock(&mut self) -> i64;
}

/// The limits and arguments of an execution.
#[derive(Clone, Debug)]
pub struct Options {
    /// `argv`, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// The function to execute.
    pub entry: String,
    /// The number of instructions before the execution is given up; `None` for no limit.
    pub max_steps: Option<u64>,
    /// The number of bytes of live objects before the execution is given up.
    pub max_memory: u64,
    /// The depth of calls before the execution is given up.
    pub max_depth: u32,
    /// The contents of uninitialised memory.
    ///
    /// If present, using an uninitialised value is not a fault. Bytes without an entry, and all uninitialised
    /// registers, are 0.
    pub leftovers: Option<Leftovers>,
    /// Heap objects that get the address of a freed one, by the numbers of their lifetimes as in [`Leftovers`].
    ///
    /// This needs leftovers. An object that does not fit there is allocated elsewhere.
    pub reused: Reused,
    /// Whether executions count only if all allocations succeed.
    ///
    /// If not, an allocation of more than half of the address space returns null.
    pub allocations_succeed: bool,
    /// Whether a failed `assert` is a fault. If not, it ends the program like `abort`.
    pub assert_faults: bool,
    /// Whether a call of the error function is a fault. If not, it ends the program like `exit`.
    pub error_faults: bool,
    /// Whether functions without a body return any value and variables without a definition hold any value.
    ///
    /// If not, calling or accessing one is `unsupported`.
    pub undefined_names_hold_anything: bool,
    /// Whether the execution has to stand for all others, and what is known of their results.
    ///
    /// Inputs, addresses as numbers, and everything else that another execution may choose differently are uninitialised values then. No
    /// such value may decide anything, so that an execution without a fault is the same as all others, up to these values.
    pub representative: Option<Representative>,
    /// Whether to record the steps of the user's code, which slows the execution down.
    pub trace: bool,
    /// With `trace`: the steps to tell with names and pictures, instead of recording all of them.
    pub script: Option<trace::story::Script>,
    /// With `trace`: the allocation of the objects that the trace is about, if the execution ends without a fault.
    pub lost_from: Option<Vec<StackPlace>>,
}

/// What an execution that stands for all others may rely on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Representative {
    /// Whether the program uses the results of comparisons of memory for their signs only. The C standard fixes nothing else of them.
    pub compares_by_sign: bool,
}

/// The contents of uninitialised bytes, by the number of the object's lifetime and the offset.
///
/// Lifetimes are counted from 0, over all stack variables and all heap and `alloca` objects that are not zeroed.
pub type Leftovers = rustc_hash::FxHashMap<u64, Vec<(u64, Vec<u8>)>>;

/// Heap objects that get the address of a freed one: the number of a lifetime, and that of the earlier lifetime.
pub type Reused = rustc_hash::FxHashMap<u64, u64>;

impl Default for Options {
    fn default() -> Self {
        Self {
            args: vec![b"program".to_vec()],
            entry: "main".to_owned(),
            max_steps: None,
            max_memory: limits::MAX_MEMORY,
            max_depth: limits::MAX_DEPTH,
            leftovers: None,
            reused: Reused::default(),
            allocations_succeed: false,
            assert_faults: true,
            error_faults: true,
            undefined_names_hold_anything: false,
            representative: None,
            trace: false,
            script: None,
            lost_from: None,
        }
    }
}

/// An event in the history of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The description of the event ("allocated here", "freed here", "lifetime ended here").
    pub what: String,
    /// The call stack at that time, innermost call first.
    pub stack: Vec<StackPlace>,
}

/// A fault: the program did something that C does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: CheckKind,
    /// The violated check, if the instruction has one of this kind.
    pub check: Option<CheckId>,
    /// The message: "write of 4 bytes at offset 40 of `a` (40 bytes, heap)".
    pub message: String,
    /// The object and the address of an invalid access. [`ObjectId::NONE`] if the address belongs to no object.
    pub access: Option<(ObjectId, u64)>,
    /// The location of the fault, innermost call first.
    pub stack: Vec<StackPlace>,
    /// The earlier events of the object.
    pub history: Vec<Event>,
}

/// How an execution ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// `main` returned or `exit` was called.
    Exited(i32),
    /// `abort` was called.
    Aborted,
    /// A fault, which may also be `unsupported`.
    Fault(Box<Fault>),
    /// An assumption did not hold, so the execution does not count.
    AssumptionFailed,
    /// The limit that was reached.
    OutOfBudget(String),
}

/// Uninitialised contents of an object that came from the [`Leftovers`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strewn {
    /// The number of the heap allocation of the object, counted from 1; `None` for objects on the stack.
    pub allocation: Option<u64>,
    /// The offset.
    pub at: u64,
    /// The bytes, not all of them 0.
    pub bytes: Vec<u8>,
}

/// The result of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How the execution ended.
    pub ending: Ending,
    /// Heap objects that are unreachable (`leak`) or still reachable (`unfreed`) at the end.
    ///
    /// They are grouped by the location of their allocation. Empty unless the program exited.
    pub leaks: Vec<Fault>,
    /// The location at which the program exited, innermost call first.
    ///
    /// This is the end of the entry function or a call of `exit`.
    pub end: Vec<StackPlace>,
    /// The number of executed instructions.
    pub steps: u64,
    /// The steps of the user's code, if they were recorded.
    pub trace: trace::Trace,
    /// The leftovers that objects received, where they are not 0.
    pub strewn: Vec<Strewn>,
}

/// Executes a program.
///
/// # Errors
/// If the entry function is missing or has a parameter that is neither a number of at most 64 bits nor a pointer.
pub fn run(program: &Program, options: &Options, host: &mut dyn Host) -> Result<Outcome, String> {
    let entry = program
        .start_of(&options.entry)
        .filter(|id| program.functions.get(id.index()).is_some_and(|f| f.body.is_some()))
        .ok_or_else(|| format!("no function `{}`", options.entry))?;
    let params = &program.functions[entry.index()].signature.params;
    let narrow = |passing: &Passing| matches!(passing, Passing::Scalar(ty) if ty.bits(program.target) <= 64);
    if !params.iter().all(narrow) {
        return Err(format!("`{}` takes parameters that the start of a program does not give", options.entry));
    }
    let start = Image::new(program, options, host).and_then(|mut image| {
        let argv = image.strings(&options.args)?;
        let envp = image.strings(&[])?;
        Ok((image, argv, envp))
    });
    let (mut image, argv, envp) = match start {
        Ok(start) => start,
        Err(limit) => {
            return Ok(Outcome {
                ending: Ending::OutOfBudget(limit),
                leaks: Vec::new(),
                end: Vec::new(),
                steps: 0,
                trace: trace::Trace::default(),
                strewn: Vec::new(),
            });
        }
    };
    let code = translate::translate(program, &mut image)?;
    // Any other parameter is 0, as in symbolic execution.
    let arguments: Vec<Value> = params
        .iter()
        .enumerate()
        .map(|(index, passing)| match (index, passing) {
            (_, &Passing::Scalar(ty)) if options.representative.is_some() => Value::unset(ty.bits(program.target)),
            (0, _) => Value::int(options.args.len() as u64),
            (1, Passing::Scalar(Ty::Ptr)) => argv.into(),
            (2, Passing::Scalar(Ty::Ptr)) => envp.into(),
            _ => Value::int(0),
        })
        .collect();
    let mut machine = Machine::new(program, &code, options, host, image.memory);
    let ending = match machine.run_program(entry, &arguments) {
        Ok(status) | Err(Trap::Exit(status)) => Ending::Exited(status),
        Err(Trap::Abort) => Ending::Aborted,
        Err(Trap::Fault(fault)) => Ending::Fault(fault),
        Err(Trap::Assumption) => Ending::AssumptionFailed,
        Err(Trap::Budget(limit)) => Ending::OutOfBudget(limit),
    };
    let leaks = match ending {
        Ending::Exited(_) => machine.leaks(),
        // Memory that the program still holds is no fault where it aborts.
        Ending::Aborted => machine.lost(&[]),
        _ => Vec::new(),
    };
    let lost = if options.trace { machine.left_at(options.lost_from.as_deref()) } else { Vec::new() };
    let trace = machine.take_trace(&ending, &lost);
    let end = match (&ending, machine.entry_returned) {
        (Ending::Exited(_), Some(next)) => vec![machine.stack_place(next)],
        (Ending::Exited(_), None) | (Ending::Aborted, _) => machine.stack(),
        _ => Vec::new(),
    };
    let strewn = std::mem::take(&mut machine.leftovers.strewn);
    Ok(Outcome { ending, leaks, end, steps: machine.steps, trace, strewn })
}

impl Machine<'_> {
    /// Executes the entry function and then `exit` with its result, as the C standard demands.
    fn run_program(&mut self, entry: FuncId, arguments: &[Value]) -> Step<i32> {
        let (status, _) = self.run_function(entry, arguments)?;
        let returns = self.code.functions[entry.index()].signature.ret;
        let status = match returns {
            Some(Ty::I32) => status,
            _ => Value::int(0),
        };
        // The model of `exit` runs the functions that `atexit` registered; without this model there are none.
        let exit = self.program.function_named("exit").filter(|id| {
            let function = &self.program.functions[id.index()];
            function.body.is_some()
                && function.origin == Origin::Model
                && function.signature.params == [Passing::Scalar(Ty::I32)]
        });
        if let Some(exit) = exit {
            self.run_function(exit, &[status])?;
        }
        Ok(status.bits as i32)
    }

    /// Calls a function from outside and runs until it returns.
    fn run_function(&mut self, function: FuncId, arguments: &[Value]) -> Step<(Value, Value)> {
        self.push_frame(function, NOWHERE, 0)?;
        let code = self.code;
        let base = self.base();
        for (value, param) in arguments.iter().zip(&code.functions[function.index()].params) {
            match *param {
                ParamPlace::Reg(at, _) => self.values[base + at as usize] = *value,
                ParamPlace::Slot(slot) => {
                    let (source, target) = (value.pointer(), self.enter_slot(slot)?);
                    let size = code.functions[function.index()].slots[slot as usize].size;
                    self.memory.copy(target, source, size).map_err(|fault| self.memory_fault(fault, source))?;
                }
            }
        }
        self.run()
    }
}
