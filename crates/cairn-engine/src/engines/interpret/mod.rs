//! The checking interpreter: runs a program exactly and stops at the first fault.

mod arith;
mod call;
mod decimal;
mod definedness;
mod execute;
pub(crate) mod float;
mod format;
mod image;
mod intrinsic;
mod leak;
mod machine;
mod op;
mod parse_float;
mod partly;
mod select;
pub mod session;
mod slice;
mod slow;
pub mod trace;
mod translate;
mod value;

#[cfg(test)]
mod tests;

use cairn_ir::inst::Passing;
use cairn_ir::program::Origin;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Program, Ty};

use crate::memory::ObjectId;
use image::Image;
use machine::{Machine, Step, Trap};
use op::{NOWHERE, ParamPlace};
use value::Value;

/// What the interpreter asks of the world. Everything that is not a function of the program comes through here.
pub trait Host {
    /// The program writes bytes to a descriptor (1 or 2).
    fn write(&mut self, fd: i32, bytes: &[u8]);
    /// The next byte of standard input.
    fn read_byte(&mut self) -> Option<u8>;
    /// A nondeterministic value: the low bits of the result, as many as the type has. `None` when there are no more: the run is
    /// given up.
    fn nondet(&mut self, ty: Ty, loc: Loc) -> Option<u128>;
    /// Whether this allocation (counted from 1) fails.
    fn allocation_fails(&mut self, count: u64) -> bool;
    /// Seconds since 1970.
    fn time(&mut self) -> i64;
    /// Processor time in microseconds.
    fn clock(&mut self) -> i64;
}

/// Limits and arguments of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// `argv`, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// The function to run.
    pub entry: String,
    /// Instructions before the run is given up; `None` for no limit.
    pub max_steps: Option<u64>,
    /// Bytes of live objects before the run is given up.
    pub max_memory: u64,
    /// Depth of calls before the run is given up.
    pub max_depth: u32,
    /// What uninitialised memory holds. With it, using what was never written is no fault: a byte that it does not name and
    /// every uninitialised register are 0.
    pub leftovers: Option<Leftovers>,
    /// Whether a failed `assert` is a fault (otherwise it ends the program like `abort`).
    pub assert_faults: bool,
    /// Whether a call of the error function is a fault (otherwise it ends the program like `exit`).
    pub error_faults: bool,
    /// Whether functions without a body return any value and variables without a definition hold any (otherwise calling or
    /// accessing one is `unsupported`).
    pub undefined_names_hold_anything: bool,
    /// Whether the steps of the user's code are recorded. Such a run is slower.
    pub trace: bool,
}

/// Bytes of objects that nobody wrote: by the number of the object's life (counted from 0 over all lives of stack variables and
/// of heap and alloca objects that are not zeroed) and the offset.
pub type Leftovers = rustc_hash::FxHashMap<u64, Vec<(u64, Vec<u8>)>>;

impl Default for Options {
    fn default() -> Self {
        Self {
            args: vec![b"program".to_vec()],
            entry: "main".to_owned(),
            max_steps: None,
            max_memory: 4 << 30,
            max_depth: 100_000,
            leftovers: None,
            assert_faults: true,
            error_faults: true,
            undefined_names_hold_anything: false,
            trace: false,
        }
    }
}

/// A place with what happened there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// What happened ("allocated here", "freed here", "left its scope here").
    pub what: String,
    /// The stack at that time, innermost first.
    pub stack: Vec<StackPlace>,
}

/// A fault: the program did what C does not allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// What went wrong.
    pub kind: CheckKind,
    /// The check that found it, when the instruction has it.
    pub check: Option<CheckId>,
    /// One sentence: "write of 4 bytes at offset 40 of `a` (40 bytes, heap)".
    pub message: String,
    /// The object that an access went to that went wrong (none, where it is no object's), and the address.
    pub access: Option<(ObjectId, u64)>,
    /// Where, innermost call first.
    pub stack: Vec<StackPlace>,
    /// What happened to the object before.
    pub history: Vec<Event>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// `main` returned or `exit` was called.
    Exited(i32),
    /// `abort` was called.
    Aborted,
    /// A fault. `unsupported` is one of them.
    Fault(Box<Fault>),
    /// An assumption did not hold: the run does not count.
    AssumptionFailed,
    /// A limit was reached; which.
    OutOfBudget(String),
}

/// What an object held that nobody wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strewn {
    /// Which heap allocation made the object, counted from 1; `None` for objects on the stack.
    pub allocation: Option<u64>,
    /// The offset.
    pub at: u64,
    /// The bytes, not all of them 0.
    pub bytes: Vec<u8>,
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Heap objects that nothing points to at the end (`leak`) and those that something still points to (`unfreed`), grouped
    /// by where they were allocated. Only when the program exited.
    pub leaks: Vec<Fault>,
    /// Where the program was when it exited, innermost call first: at the end of the entry function or at a call of `exit`.
    pub end: Vec<StackPlace>,
    /// Instructions that were run.
    pub steps: u64,
    /// What the user's code did, when it was to be recorded.
    pub trace: Vec<trace::TraceStep>,
    /// The leftovers that objects were given, where they are not 0.
    pub strewn: Vec<Strewn>,
}

/// Runs a program.
///
/// # Errors
/// When there is nothing to run: the entry function is missing or takes parameters that `main` can't have.
pub fn run(program: &Program, options: &Options, host: &mut dyn Host) -> Result<Outcome, String> {
    let entry = program
        .function_named(&options.entry)
        .filter(|id| program.functions.get(id.index()).is_some_and(|f| f.body.is_some()))
        .ok_or_else(|| format!("there is no function `{}` to run", options.entry))?;
    let params = &program.functions[entry.index()].signature.params;
    let allowed = [Passing::Scalar(Ty::I32), Passing::Scalar(Ty::Ptr), Passing::Scalar(Ty::Ptr)];
    if params.len() > allowed.len() || params.iter().zip(&allowed).any(|(given, allowed)| given != allowed) {
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
                trace: Vec::new(),
                strewn: Vec::new(),
            });
        }
    };
    let code = translate::translate(program, &mut image)?;
    let arguments = [Value::int(options.args.len() as u64), argv.into(), envp.into()];
    let mut machine = Machine::new(program, &code, options, host, image.memory);
    let ending = match machine.run_program(entry, &arguments) {
        Ok(status) | Err(Trap::Exit(status)) => Ending::Exited(status),
        Err(Trap::Abort) => Ending::Aborted,
        Err(Trap::Fault(fault)) => Ending::Fault(fault),
        Err(Trap::Assumption) => Ending::AssumptionFailed,
        Err(Trap::Budget(limit)) => Ending::OutOfBudget(limit),
    };
    let leaks = if matches!(ending, Ending::Exited(_)) { machine.leaks() } else { Vec::new() };
    let trace = machine.take_trace(&ending);
    let end = match (&ending, machine.entry_returned) {
        (Ending::Exited(_), Some(next)) => vec![machine.stack_place(next)],
        (Ending::Exited(_), None) => machine.stack(),
        _ => Vec::new(),
    };
    let strewn = std::mem::take(&mut machine.strewn);
    Ok(Outcome { ending, leaks, end, steps: machine.steps, trace, strewn })
}

impl Machine<'_> {
    /// Runs the entry function and then, as the C standard says, `exit` with its result.
    fn run_program(&mut self, entry: FuncId, arguments: &[Value]) -> Step<i32> {
        let (status, _) = self.run_function(entry, arguments)?;
        let returns = self.code.functions[entry.index()].signature.ret;
        let status = match returns {
            Some(Ty::I32) => status,
            _ => Value::int(0),
        };
        // A model of `exit` runs the functions that `atexit` registered; without one there are none.
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
