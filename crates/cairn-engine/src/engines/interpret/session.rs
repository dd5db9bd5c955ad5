//! Single functions on memory that the caller builds: what a library is given is no program with a `main`.

use cairn_ir::{FuncId, Program, Ty};

use super::image::Image;
use super::machine::{Machine, Trap};
use super::op::{Code, ParamPlace};
use super::value::Value;
use super::{Ending, Host, Options, trace, translate};
use crate::memory::{Memory, Pointer};

/// A program that is ready to be called into, as often as wanted.
#[derive(Debug)]
pub struct Session<'p> {
    program: &'p Program,
    code: Code,
    memory: Memory,
    functions: Vec<Pointer>,
    globals: Vec<Pointer>,
}

/// An argument: a scalar, or the address of a struct that is copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// An integer, zero-extended.
    Number(u64),
    /// An address.
    Pointer(Pointer),
}

/// How a call went.
#[derive(Debug)]
pub struct Called {
    /// How it ended; `Exited` when it returned.
    pub ending: Ending,
    /// The result, when it returned one and that is initialised.
    pub result: Option<Pointer>,
    /// Memory after it.
    pub memory: Memory,
    /// What the user's code did, when it was to be recorded.
    pub trace: Vec<trace::TraceStep>,
}

impl<'p> Session<'p> {
    /// Makes the program's global variables.
    ///
    /// # Errors
    /// When they do not fit, or the program can't be translated.
    pub fn new(program: &'p Program, options: &Options, host: &mut dyn Host) -> Result<Self, String> {
        let mut image = Image::new(program, options, host)?;
        let code = translate::translate(program, &mut image)?;
        Ok(Self { program, code, memory: image.memory, functions: image.functions, globals: image.globals })
    }

    /// Memory before anything is called.
    pub fn memory(&self) -> Memory {
        self.memory.clone()
    }

    /// The addresses of global variables, in the program's order.
    pub fn globals(&self) -> &[Pointer] {
        &self.globals
    }

    /// The addresses of functions, in the program's order.
    pub fn functions(&self) -> &[Pointer] {
        &self.functions
    }

    /// Calls a function with a body. A struct is passed as the address of what it is copied from. `None` where a parameter has
    /// more than 64 bits.
    pub fn call(
        &self,
        function: FuncId,
        memory: Memory,
        arguments: &[Argument],
        options: &Options,
        host: &mut dyn Host,
    ) -> Option<Called> {
        let code = &self.code.functions[function.index()];
        code.entry?;
        let wide = |place: &ParamPlace| matches!(place, ParamPlace::Reg(_, Ty::I128));
        if code.params.len() != arguments.len() || code.params.iter().any(wide) {
            return None;
        }
        let values: Vec<Value> = arguments
            .iter()
            .map(|argument| match *argument {
                Argument::Number(bits) => Value::int(bits),
                Argument::Pointer(pointer) => pointer.into(),
            })
            .collect();
        let mut machine = Machine::new(self.program, &self.code, options, host, memory);
        let mut result = None;
        let ending = match machine.run_function(function, &values) {
            Ok((value, _)) => {
                result = (code.signature.ret == Some(Ty::Ptr) && !value.is_undefined()).then(|| value.pointer());
                Ending::Exited(0)
            }
            Err(Trap::Exit(status)) => Ending::Exited(status),
            Err(Trap::Abort) => Ending::Aborted,
            Err(Trap::Fault(fault)) => Ending::Fault(fault),
            Err(Trap::Assumption) => Ending::AssumptionFailed,
            Err(Trap::Budget(limit)) => Ending::OutOfBudget(limit),
        };
        let trace = machine.take_trace(&ending);
        let ended = machine.entry_returned.is_some();
        let ending = match ending {
            // A function that calls `exit` does not return.
            Ending::Exited(_) if !ended => Ending::Aborted,
            other => other,
        };
        Some(Called { ending, result, memory: machine.memory, trace })
    }
}
