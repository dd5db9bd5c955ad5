//! Calls of single functions on memory that the caller builds, for libraries without a `main`.

use cairn_ir::{FuncId, Program, Ty};

use crate::arithmetic::value::Value;
use crate::run::image::Image;
use crate::run::machine::{Machine, Trap};
use crate::translate::op::{Code, ParamPlace};
use crate::{Ending, Fault, Host, Options, trace, translate};
use cairn_memory::{Memory, ObjectId, Pointer};

/// A program whose functions can be called any number of times.
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

/// The result of a call.
#[derive(Debug)]
pub struct Called {
    /// How the call ended; `Exited` if it returned.
    pub ending: Ending,
    /// The returned pointer, if the function returned one that is initialised.
    pub result: Option<Pointer>,
    /// The bits of the result, if the function returned an initialised scalar.
    pub number: Option<u64>,
    /// The memory after the call.
    pub memory: Memory,
    /// The heap objects of the call that nothing leads to any more, if it returned.
    ///
    /// Objects that existed before the call are never lost.
    pub leaks: Vec<Fault>,
    /// The steps of the user's code, if they were recorded.
    pub trace: trace::Trace,
}

impl<'p> Session<'p> {
    /// Translates a program and creates its global variables.
    ///
    /// # Errors
    /// If the variables do not fit into memory, or the program cannot be translated.
    pub fn new(program: &'p Program, options: &Options, host: &mut dyn Host) -> Result<Self, String> {
        let mut image = Image::new(program, options, host)?;
        let code = translate::translate(program, &mut image)?;
        Ok(Self { program, code, memory: image.memory, functions: image.functions, globals: image.globals })
    }

    /// Returns the memory before any call.
    pub fn memory(&self) -> Memory {
        self.memory.clone()
    }

    /// Returns the addresses of the global variables, in the program's order.
    pub fn globals(&self) -> &[Pointer] {
        &self.globals
    }

    /// Returns the addresses of the functions, in the program's order.
    pub fn functions(&self) -> &[Pointer] {
        &self.functions
    }

    /// Calls a function with a body.
    ///
    /// A struct is passed as the address of its source. Returns `None` if the arguments do not match the parameters,
    /// or if a parameter is an `i128`.
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
        let before = memory.table_len();
        let mut machine = Machine::new(self.program, &self.code, options, host, memory);
        let (mut result, mut number) = (None, None);
        let ending = match machine.run_function(function, &values) {
            Ok((value, _)) => {
                number = (code.signature.ret.is_some() && !value.is_undefined()).then(|| value.pointer().address);
                result = (code.signature.ret == Some(Ty::Ptr) && !value.is_undefined()).then(|| value.pointer());
                Ending::Exited(0)
            }
            Err(Trap::Exit(status)) => Ending::Exited(status),
            Err(Trap::Abort) => Ending::Aborted,
            Err(Trap::Fault(fault)) => Ending::Fault(fault),
            Err(Trap::Assumption) => Ending::AssumptionFailed,
            Err(Trap::Budget(limit)) => Ending::OutOfBudget(limit),
        };
        let lost = if options.trace { machine.left_at(options.lost_from.as_deref()) } else { Vec::new() };
        let trace = machine.take_trace(&ending, &lost);
        let ended = machine.entry_returned.is_some();
        let ending = match ending {
            // A function that calls `exit` does not return.
            Ending::Exited(_) if !ended => Ending::Aborted,
            other => other,
        };
        let leaks = match ending {
            Ending::Exited(_) => {
                let mut roots: Vec<ObjectId> = (1..before as u32).map(ObjectId).collect();
                roots.extend(result.map(|pointer| pointer.object));
                roots.extend(machine.host.taken());
                machine.lost(&roots)
            }
            _ => Vec::new(),
        };
        Some(Called { ending, result, number, memory: machine.memory, leaks, trace })
    }
}
