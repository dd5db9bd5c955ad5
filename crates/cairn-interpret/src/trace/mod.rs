//! Traces: the steps of the user's functions on the way to a fault.
//!
//! The steps are calls, branches, allocations, frees, inputs, and the assignments that matter for the fault. An
//! execution without a trace pays nothing: the interpreter loop is compiled in two versions, and everything else is
//! recorded outside of it.

pub(crate) mod control;
pub(crate) mod fields;
pub(crate) mod log;
pub(crate) mod names;
pub mod picture;
pub(crate) mod slice;
pub mod story;
mod telling;
mod words;

use std::collections::VecDeque;

use cairn_ir::program::{Origin, Param, START};
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, FuncId, Terminator, Ty};

use crate::Ending;
use crate::arithmetic::value::Value;
use crate::limits::{RECORDED_LINKS, SHOWN_ARGUMENTS, SHOWN_STRING_BYTES, SHOWN_STRINGS, TRACE_END_STEPS};
use crate::run::machine::Machine;
use crate::trace::control::Control;
use crate::trace::log::Log;
use crate::trace::names::Except;
use crate::trace::picture::{Album, Picture};
use crate::trace::slice::Subject;
use crate::trace::story::{Scene, Script, choose};
use crate::trace::words::OUT_OF_SCOPE;
use crate::translate::op::{At, NOWHERE, Op, ParamPlace};
use cairn_memory::{ObjectKind, Pointer};
use rustc_hash::FxHashMap;

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
    /// The number of the operation.
    pub at: u64,
    /// The number of steps between this one and the fault that depend on each other; `None` if the fault does not depend on it.
    pub distance: Option<u32>,
    /// Whether the step continues a loop (true) or leaves it; `None` for other steps.
    pub iterates: Option<bool>,
    /// The object that was allocated or freed.
    pub object: Option<u32>,
    /// In a story: the loop iterations that are omitted before this step.
    pub iterations: u64,
    /// In a story: the memory after the step.
    pub picture: Option<Box<Picture>>,
}

impl TraceStep {
    /// Creates a step of which nothing else is known.
    pub fn new(kind: TraceKind, what: String, place: StackPlace, depth: u32) -> Self {
        Self {
            kind,
            what,
            place,
            depth,
            left_out: 0,
            at: 0,
            distance: None,
            iterates: None,
            object: None,
            iterations: 0,
            picture: None,
        }
    }
}

/// What a traced execution has recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// The steps that explain the end, for a second execution.
    pub script: Script,
    /// The memory at the end of an execution that followed a script.
    pub end: Option<Box<Picture>>,
}

/// The recorded steps: the first and the last ones.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    /// Each step with its operation number.
    first: Vec<(u64, TraceStep)>,
    last: VecDeque<(u64, TraceStep)>,
    left_out: u64,
    pub log: Log,
    controls: FxHashMap<u32, Control>,
    /// The last steps that ended variables or objects, each with the heap objects that these led to.
    ends: VecDeque<(u64, Vec<u32>)>,
    /// The script that the execution follows, and the scenes that are still to come.
    telling: Option<Telling>,
}

/// The progress of an execution that follows a script.
#[derive(Debug, Default)]
struct Telling {
    script: Script,
    /// The number of scenes that are over.
    next: usize,
    album: Album,
    steps: Vec<TraceStep>,
}

impl Recorder {
    pub fn new(script: Option<&Script>) -> Self {
        let telling = script.map(|script| Telling { script: script.clone(), ..Telling::default() });
        Self { telling, ..Self::default() }
    }

    /// Returns whether operations are logged.
    fn is_logging(&self) -> bool {
        self.telling.is_none()
    }

    /// Returns the scene at a step, if the script has one.
    fn scene(&self, at: u64, kind: Option<TraceKind>) -> Option<Scene> {
        let telling = self.telling.as_ref()?;
        let rest = telling.script.scenes.get(telling.next..)?;
        let here = rest.iter().take_while(|scene| scene.at <= at);
        here.filter(|scene| scene.at == at).find(|scene| kind.is_none_or(|kind| scene.kind == kind)).copied()
    }

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
        steps.into_iter().map(|(at, step)| TraceStep { at, ..step }).collect()
    }
}

impl Recorder {
    /// Adds the steps that allocated and freed an object.
    fn events_of(&self, object: Option<u32>, subject: &mut Subject) {
        let Some(object) = object else { return };
        for (at, step) in self.first.iter().chain(&self.last).filter(|(_, step)| step.object == Some(object)) {
            let distance = u32::from(step.kind != TraceKind::Free);
            subject.events.insert(*at, distance);
        }
    }
}

impl Machine<'_> {
    /// Returns what was recorded. `lost` are the objects that the finding is about if the execution has ended without a fault.
    pub fn take_trace(&mut self, ending: &Ending, lost: &[u32]) -> Trace {
        let Some(mut recorder) = self.recorder.take() else { return Trace::default() };
        let access = match ending {
            Ending::Fault(fault) => fault.access.map(|(object, _)| object.0),
            _ => None,
        };
        if let Some(Telling { script, mut album, steps, .. }) = recorder.telling.take() {
            let end = Some(Box::new(self.picture(&mut album, script.object)));
            return Trace { steps, script: Script::default(), end };
        }
        let log = std::mem::take(&mut recorder.log);
        let mut subject = Subject::default();
        match ending {
            Ending::Fault(fault) if fault.kind != CheckKind::Assertion => {
                let object = self.object_of_fault(&log, access);
                recorder.events_of(object, &mut subject);
                subject.objects.clear();
                return self.trace_of(recorder, &log, &subject, object);
            }
            Ending::Exited(_) | Ending::Aborted => {
                subject.ended = true;
                subject.objects = lost.to_vec();
                for &object in lost {
                    recorder.events_of(Some(object), &mut subject);
                }
            }
            Ending::Fault(_) => {}
            _ => return Trace::default(),
        }
        self.trace_of(recorder, &log, &subject, lost.first().copied())
    }

    fn trace_of(&self, recorder: Recorder, log: &Log, subject: &Subject, object: Option<u32>) -> Trace {
        let mut slice = self.slice(log, subject);
        // A lost object may have been lost with the variable or the object that led to it.
        let last = slice.assignments.last().map_or(0, |(at, _)| *at);
        let is_lost = |(_, led): &&(u64, Vec<u32>)| led.iter().any(|object| subject.objects.contains(object));
        if let Some(&(at, _)) = recorder.ends.iter().rev().find(is_lost).filter(|(at, _)| *at > last) {
            let mut subject = subject.clone();
            subject.events.insert(at, 0);
            slice = self.slice(log, &subject);
        }
        let mut steps = recorder.into_steps(slice.assignments);
        for step in &mut steps {
            step.distance = slice.distances.get(&step.at).copied();
        }
        let script = Script { scenes: choose(&steps), object };
        Trace { steps, script, end: None }
    }

    /// Returns whether the execution follows a script, so that objects are named by how the program reaches them.
    pub fn tells(&self) -> bool {
        self.recorder.as_ref().is_some_and(|recorder| recorder.telling.is_some())
    }

    /// Returns whether operations are logged.
    pub fn logs(&self) -> bool {
        self.recorder.as_ref().is_some_and(Recorder::is_logging)
    }

    /// Returns whether a function is the model that chooses the arguments of `main`.
    pub fn is_start(&self, function: FuncId) -> bool {
        self.program.functions.get(function.index()).is_some_and(|f| f.name == START && f.origin == Origin::Model)
    }

    fn is_user(&self, function: FuncId) -> bool {
        self.program.functions.get(function.index()).is_some_and(|f| f.origin.is_of_user())
    }

    fn record(&mut self, step: TraceStep) {
        let depth = self.frames.len() as u32;
        let at = self.steps;
        let Some(recorder) = &mut self.recorder else { return };
        let step = TraceStep { at, depth, ..step };
        match recorder.scene(at, Some(step.kind)) {
            Some(scene) => {
                if let Some(telling) = &mut recorder.telling {
                    telling.steps.push(TraceStep { iterations: scene.iterations, ..step });
                }
            }
            None if recorder.telling.is_none() => recorder.push((at, step)),
            None => {}
        }
    }

    /// Returns whether a step of this kind is recorded now.
    fn records(&self, kind: TraceKind) -> bool {
        let wants =
            |recorder: &Recorder| recorder.telling.is_none() || recorder.scene(self.steps, Some(kind)).is_some();
        self.recorder.as_ref().is_some_and(wants)
    }

    /// Records an event in the user's code, or in a library function that it called.
    pub fn note(&mut self, kind: TraceKind, object: Option<u32>, what: impl FnOnce(&Self) -> String) {
        if !self.records(kind) {
            return;
        }
        if let Some(place) = self.user_place(&self.stack()).filter(|place| !self.is_start(place.function)) {
            let what = what(self);
            self.record(TraceStep { object, ..TraceStep::new(kind, what, place, 0) });
        }
    }

    /// Records a call whose frame was pushed.
    pub fn note_call(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        let (function, base, call) = (frame.function, frame.base, frame.return_to);
        if call == 0 || !self.is_user(function) || !self.records(TraceKind::Call) {
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
                    // A pointer that has the same name outside says nothing; the strings of `main` are inputs.
                    if self.tells() && *ty == Ty::Ptr && value.object() != 0 && !is_start {
                        continue;
                    }
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
        self.record(TraceStep::new(TraceKind::Call, what, place, 0));
    }

    /// Records a return of the value in `src` before its frame is popped.
    pub fn note_return(&mut self, src: At) {
        let Some(frame) = self.frames.last() else { return };
        let function = frame.function;
        if frame.return_to == 0 || !self.is_user(function) || !self.records(TraceKind::Return) {
            return;
        }
        if self.logs() {
            let led = self.led_by_frame();
            self.note_end(led.into_iter().map(|(_, object)| object).take(RECORDED_LINKS).collect());
        }
        let name = &self.program.functions[function.index()].name;
        let what = match self.code.functions[function.index()].signature.ret {
            Some(ty) if src != NOWHERE => format!("`{name}` returns {}", self.shown(self.get(src), ty)),
            _ => format!("`{name}` returns"),
        };
        let object = self.recorder.as_ref().and_then(|recorder| recorder.telling.as_ref()?.script.object);
        let what = match self.led_by_frame().into_iter().find(|(_, led)| Some(*led) == object) {
            Some((variable, _)) if self.tells() => format!("{what}, and `{variable}`{OUT_OF_SCOPE}"),
            _ => what,
        };
        let place = StackPlace { function, loc: self.code.info(self.current()).loc };
        self.record(TraceStep::new(TraceKind::Return, what, place, 0));
    }

    /// Records the decision of the branch at `from`.
    pub fn note_branch(&mut self, from: u32, taken: bool) {
        let function = self.code.function_at(from);
        if !self.is_user(function) || !self.records(TraceKind::Branch) {
            return;
        }
        let place = StackPlace { function, loc: self.code.info(from).loc };
        let Some((_, block)) = self.block_of(from) else { return };
        let Some(body) = self.program.functions[function.index()].body.as_ref() else { return };
        let Some(Terminator::Branch { then, other, .. }) = body.blocks.get(block as usize).map(|b| &b.end) else {
            return;
        };
        // The translation jumps to the block that does not follow in the code.
        let holds = taken != (then.index() == block as usize + 1);
        let next = if holds { *then } else { *other };
        let iterates = self.recorder.as_mut().and_then(|recorder| {
            let control = recorder.controls.entry(function.0).or_insert_with(|| Control::of(body));
            control.iterates(block).then(|| control.stays(block, next))
        });
        // The location is that of an operand, and a `!` before it is part of the jump. The condition is therefore
        // that operand.
        let step = TraceStep::new(TraceKind::Branch, format!("condition is {holds}"), place, 0);
        self.record(TraceStep { iterates, ..step });
    }

    /// Records the decision of a `switch`.
    pub fn note_switch(&mut self, from: u32) {
        let Some(&Op::Switch { value, table }) = self.code.ops.get(from as usize) else { return };
        let function = self.code.function_at(from);
        let Some(table) = self.code.switches.get(table as usize).filter(|_| self.is_user(function)) else { return };
        let bits = u128::from(self.get(value).bits);
        let number = if table.signed { crate::arithmetic::signed(bits, table.bits) } else { bits as i128 };
        let place = StackPlace { function, loc: self.code.info(from).loc };
        self.record(TraceStep::new(TraceKind::Branch, format!("switch value is {number}"), place, 0));
    }

    /// Formats a value for messages.
    pub fn shown(&self, value: Value, ty: Ty) -> String {
        if value.is_undefined() {
            return "an uninitialised value".to_owned();
        }
        match ty {
            Ty::Ptr => self.shown_pointer(value.pointer(), Except::Nothing),
            Ty::F32 => f32::from_bits(value.bits as u32).to_string(),
            Ty::F64 => f64::from_bits(value.bits).to_string(),
            ty if ty.is_float() || crate::translate::is_wide(ty) => "a wide value".to_owned(),
            Ty::I1 => (value.bits & 1).to_string(),
            ty => crate::arithmetic::signed(u128::from(value.bits), ty.bits(self.program.target)).to_string(),
        }
    }

    /// Formats a value that was just assigned. The name of an object does not use the place that the value was assigned to.
    pub fn shown_except(&self, value: Value, ty: Ty, except: Except) -> String {
        match ty {
            Ty::Ptr if !value.is_undefined() => self.shown_pointer(value.pointer(), except),
            _ => self.shown(value, ty),
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

    fn shown_pointer(&self, pointer: Pointer, except: Except) -> String {
        if self.tells()
            && let Some(info) = self.memory.info(pointer.object, pointer.life)
            && info.shape.kind == ObjectKind::Heap
            && info.shape.base == pointer.address
            && let Some(name) = self.object_name(&info, pointer.object, except).or_else(|| self.unreached_name(&info))
        {
            return name;
        }
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
