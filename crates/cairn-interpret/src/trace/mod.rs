//! Traces: the steps of the user's functions on the way to a fault.
//!
//! The steps are calls, branches, allocations, frees, inputs, and the assignments that matter for the fault. An
//! execution without a trace pays nothing: the interpreter loop is compiled in two versions, and everything else is
//! recorded outside of it.

pub(crate) mod slice;

use std::collections::VecDeque;

use cairn_ir::program::{Origin, Param, START};
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, FuncId, Terminator, Ty};

use crate::Ending;
use crate::arithmetic::value::Value;
use crate::limits::{SHOWN_ARGUMENTS, SHOWN_STRING_BYTES, SHOWN_STRINGS, TRACE_END_STEPS};
use crate::run::machine::Machine;
use crate::trace::slice::Log;
use crate::translate::op::{At, NOWHERE, Op, ParamPlace};
use cairn_memory::Pointer;

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TraceKind {
    /// A function is called.
    Call,
    /// A function returns.
    Return,
    /// A condition or a `switch` is decided.
    Branch,
    /// A heap object is allocated.
    Allocation,
    /// A heap object is freed.
    Free,
    /// The environment chooses an input.
    Input,
    /// A variable or a part of an object receives a value that matters for the fault.
    Assignment,
}

impl TraceKind {
    /// Returns the name in machine-readable reports.
    pub const fn name(self) -> &'static str {
        match self {
            TraceKind::Call => "call",
            TraceKind::Return => "return",
            TraceKind::Branch => "branch",
            TraceKind::Allocation => "allocation",
            TraceKind::Free => "free",
            TraceKind::Input => "input",
            TraceKind::Assignment => "assignment",
        }
    }
}

/// A step of the user's code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The kind of the step.
    pub kind: TraceKind,
    /// The description: "the condition is true".
    pub what: String,
    /// The location of the step.
    pub place: StackPlace,
    /// The number of active calls.
    pub depth: u32,
    /// The number of steps before this one that were dropped.
    pub left_out: u64,
}

/// The recorded steps: the first and the last ones.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// Each step with its operation number.
    first: Vec<(u64, TraceStep)>,
    last: VecDeque<(u64, TraceStep)>,
    left_out: u64,
    pub log: Log,
}

impl Recorder {
    fn push(&mut self, step: (u64, TraceStep)) {
        if self.first.len() < TRACE_END_STEPS {
            self.first.push(step);
            return;
        }
        if self.last.len() >= TRACE_END_STEPS {
            self.last.pop_front();
            self.left_out += 1;
        }
        self.last.push_back(step);
    }

    /// Returns all recorded steps, with the assignments between them.
    fn into_steps(mut self, assignments: Vec<(u64, TraceStep)>) -> Vec<TraceStep> {
        if let Some((_, step)) = self.last.front_mut() {
            step.left_out = self.left_out;
        }
        let mut steps = self.first;
        steps.extend(self.last);
        steps.extend(assignments);
        // An assignment comes after the call or the input that its value is from; the sort is stable.
        steps.sort_by_key(|(at, _)| *at);
        steps.into_iter().map(|(_, step)| step).collect()
    }
}

impl Machine<'_> {
    /// Returns the recorded steps, if they were to be recorded.
    pub fn take_trace(&mut self, ending: &Ending) -> Vec<TraceStep> {
        let Some(mut recorder) = self.recorder.take() else { return Vec::new() };
        let log = std::mem::take(&mut recorder.log);
        let assignments = match ending {
            Ending::Fault(fault) => self.assignments(&log, false, fault.kind == CheckKind::Assertion),
            Ending::Exited(_) | Ending::Aborted => self.assignments(&log, true, false),
            _ => Vec::new(),
        };
        recorder.into_steps(assignments)
    }

    /// Returns whether a function is the model that chooses the arguments of `main`.
    pub fn is_start(&self, function: FuncId) -> bool {
        self.program.functions.get(function.index()).is_some_and(|f| f.name == START && f.origin == Origin::Model)
    }

    fn is_user(&self, function: FuncId) -> bool {
        self.program.functions.get(function.index()).is_some_and(|f| f.origin.is_of_user())
    }

    fn record(&mut self, kind: TraceKind, what: String, place: StackPlace) {
        let depth = self.frames.len() as u32;
        if let Some(recorder) = &mut self.recorder {
            recorder.push((self.steps, TraceStep { kind, what, place, depth, left_out: 0 }));
        }
    }

    /// Records an event in the user's code, or in a library function that it called.
    pub fn note(&mut self, kind: TraceKind, what: impl FnOnce(&Self) -> String) {
        if self.recorder.is_none() {
            return;
        }
        if let Some(place) = self.user_place(&self.stack()).filter(|place| !self.is_start(place.function)) {
            let what = what(self);
            self.record(kind, what, place);
        }
    }

    /// Records a call whose frame was pushed.
    pub fn note_call(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let (function, base, call) = (frame.function, frame.base, frame.return_to);
        if call == 0 || !self.is_user(function) {
            return;
        }
        let declared = &self.program.functions[function.index()];
        let caller = self.code.function_at(call - 1);
        let is_start = self.is_start(caller);
        let mut arguments = Vec::new();
        if let Some(body) = &declared.body {
            for (param, place) in body.params.iter().zip(&self.code.functions[function.index()].params) {
                if let (Param::Reg(reg), ParamPlace::Reg(at, ty)) = (param, place)
                    && let Some(name) = body.regs.get(reg.index()).and_then(|r| r.name.as_deref())
                {
                    let value = self.values[base + *at as usize];
                    let strings = if is_start && *ty == Ty::Ptr { self.shown_strings(value.pointer()) } else { None };
                    arguments.push(format!("{name} = {}", strings.unwrap_or_else(|| self.shown(value, *ty))));
                }
            }
        }
        let more = arguments.len() > SHOWN_ARGUMENTS;
        arguments.truncate(SHOWN_ARGUMENTS);
        if more {
            arguments.push("…".to_owned());
        }
        let with = if arguments.is_empty() { String::new() } else { format!(" with {}", arguments.join(", ")) };
        let what = format!("`{}` is called{with}", declared.name);
        let place = match is_start {
            true => StackPlace { function, loc: declared.loc },
            false => StackPlace { function: caller, loc: self.code.info(call - 1).loc },
        };
        self.record(TraceKind::Call, what, place);
    }

    /// Records a return of the value in `src` before its frame is popped.
    pub fn note_return(&mut self, src: At) {
        let Some(frame) = self.frames.last() else { return };
        let function = frame.function;
        if frame.return_to == 0 || !self.is_user(function) {
            return;
        }
        let name = &self.program.functions[function.index()].name;
        let what = match self.code.functions[function.index()].signature.ret {
            Some(ty) if src != NOWHERE => format!("`{name}` returns {}", self.shown(self.get(src), ty)),
            _ => format!("`{name}` returns"),
        };
        let place = StackPlace { function, loc: self.code.info(self.current()).loc };
        self.record(TraceKind::Return, what, place);
    }

    /// Records the decision of the branch at `from`.
    pub fn note_branch(&mut self, from: u32, taken: bool) {
        let function = self.code.function_at(from);
        if !self.is_user(function) {
            return;
        }
        let place = StackPlace { function, loc: self.code.info(from).loc };
        let starts = &self.code.functions[function.index()].block_starts;
        let block = starts.partition_point(|&start| start <= from).saturating_sub(1);
        let body = self.program.functions[function.index()].body.as_ref();
        let Some(Terminator::Branch { then, .. }) = body.and_then(|b| b.blocks.get(block)).map(|b| &b.end) else {
            return;
        };
        // The translation jumps to the block that does not follow in the code.
        let holds = taken != (then.index() == block + 1);
        // The location is that of an operand, and a `!` before it is part of the jump. The condition is therefore
        // that operand.
        self.record(TraceKind::Branch, format!("condition is {holds}"), place);
    }

    /// Records the decision of a `switch`.
    pub fn note_switch(&mut self, from: u32) {
        let Some(&Op::Switch { value, table }) = self.code.ops.get(from as usize) else { return };
        let function = self.code.function_at(from);
        let Some(table) = self.code.switches.get(table as usize).filter(|_| self.is_user(function)) else { return };
        let bits = u128::from(self.get(value).bits);
        let number = if table.signed { crate::arithmetic::signed(bits, table.bits) } else { bits as i128 };
        let place = StackPlace { function, loc: self.code.info(from).loc };
        self.record(TraceKind::Branch, format!("switch value is {number}"), place);
    }

    /// Formats a value for messages.
    pub fn shown(&self, value: Value, ty: Ty) -> String {
        if value.is_undefined() {
            return "an uninitialised value".to_owned();
        }
        match ty {
            Ty::Ptr => self.shown_pointer(value.pointer()),
            Ty::F32 => f32::from_bits(value.bits as u32).to_string(),
            Ty::F64 => f64::from_bits(value.bits).to_string(),
            ty if ty.is_float() || crate::translate::is_wide(ty) => "a wide value".to_owned(),
            Ty::I1 => (value.bits & 1).to_string(),
            ty => crate::arithmetic::signed(u128::from(value.bits), ty.bits(self.program.target)).to_string(),
        }
    }

    /// Formats an array of strings that ends with null.
    fn shown_strings(&self, array: Pointer) -> Option<String> {
        let mut strings = Vec::new();
        for index in 0.. {
            let (string, undefined) = match self.program.target.pointer_bits() {
                64 => self.memory.load_pointer::<8>(array, 8 * index)?,
                _ => self.memory.load_pointer::<4>(array, 4 * index)?,
            };
            if undefined != 0 || string.address == 0 {
                break;
            }
            if index as usize == SHOWN_STRINGS {
                strings.push("…".to_owned());
                break;
            }
            let mut bytes = Vec::new();
            while let Some((byte, 0)) = self.memory.load::<1>(string, bytes.len() as i64)
                && byte != 0
                && bytes.len() < SHOWN_STRING_BYTES
            {
                bytes.push(byte as u8);
            }
            strings.push(format!("\"{}\"", bytes.escape_ascii()));
        }
        Some(format!("{{{}}}", strings.join(", ")))
    }

    fn shown_pointer(&self, pointer: Pointer) -> String {
        match self.memory.info(pointer.object, pointer.life) {
            None if pointer.address == 0 => "null".to_owned(),
            None => format!("address {:#x}", pointer.address),
            Some(info) => {
                let name = self.describe(&info);
                match self.offset_in(pointer.address, &info) {
                    0 => format!("a pointer to {name}"),
                    offset => format!("a pointer to offset {offset} of {name}"),
                }
            }
        }
    }
}
