//! The state of a run: frames, registers, memory; and how a fault is told with its place and history.

use cairn_ir::inst::Passing;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Checks, FuncId, Loc, Program};
use rustc_hash::FxHashMap;

use super::image::{NO_GLOBAL, refusal_text};
use super::op::{At, Code, NOWHERE};
use super::trace::Recorder;
use super::translate::check_of;
use super::value::Value;
use super::{Event, Fault, Host, Options, Strewn};
use crate::memory::store::{Moment, ObjectInfo, Refusal, Request};
use crate::memory::{Access, End, Memory, MemoryFault, ObjectId, ObjectKind, Pointer};

/// Why a run stops, or why an operation can't go on.
#[derive(Debug)]
pub(super) enum Trap {
    /// A fault of the program.
    Fault(Box<Fault>),
    /// A limit was reached.
    Budget(String),
    /// `exit`.
    Exit(i32),
    /// `abort`.
    Abort,
    /// An assumption does not hold.
    Assumption,
}

/// The outcome of an operation that can stop the run.
pub(super) type Step<T = ()> = Result<T, Trap>;

/// One call that has not returned.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub function: FuncId,
    /// Where its values begin.
    pub base: usize,
    /// Position to go on at in the caller.
    pub return_to: u32,
    /// Where the caller wants the result, as an index into the caller's values.
    pub dst: At,
    /// Its node in the tree of calls, 0 when it was not needed so far.
    pub node: u32,
    /// Different for every call of the run.
    pub serial: u64,
    /// The variable arguments.
    pub variadic: Option<Pointer>,
    /// Whether something beside its slots dies with it (`alloca`, nested functions).
    pub owns: bool,
}

/// A node of the tree of calls: the call instruction, under the node of its frame.
#[derive(Clone, Copy, Debug)]
struct CallNode {
    parent: u32,
    call: u32,
}

/// A nested function with its captures.
#[derive(Clone, Debug)]
pub(super) struct ClosureInfo {
    pub function: FuncId,
    pub captures: Box<[Value]>,
}

/// A run.
pub(super) struct Machine<'a> {
    pub program: &'a Program,
    pub code: &'a Code,
    pub options: &'a Options,
    pub host: &'a mut dyn Host,
    pub memory: Memory,
    pub values: Vec<Value>,
    pub frames: Vec<Frame>,
    /// The next operation.
    pub position: u32,
    pub steps: u64,
    pub max_steps: u64,
    /// The position behind the `return` that ended the entry function.
    pub entry_returned: Option<u32>,
    pub serial: u64,
    nodes: Vec<CallNode>,
    node_of: FxHashMap<(u32, u32), u32>,
    /// Slots that can be used again, by function and slot.
    pub pools: FxHashMap<(u32, u32), Vec<ObjectId>>,
    /// Objects for variable arguments that can be used again, by their size in units of 16 bytes.
    pub variadic_pool: Vec<Vec<ObjectId>>,
    /// Objects that die with a frame, with its depth.
    pub owned: Vec<(usize, ObjectId)>,
    pub closures: FxHashMap<ObjectId, ClosureInfo>,
    /// How the variable arguments of calls are passed, by the unit of 16 bytes that each begins at.
    pub variadic_passing: FxHashMap<ObjectId, Vec<Option<Passing>>>,
    pub allocations: u64,
    /// Lives of objects that began uninitialised.
    lives: u64,
    /// What was left in objects that the program made, where it is not 0.
    pub strewn: Vec<Strewn>,
    pub next_sweep: usize,
    /// The steps of the user's code, when they are to be recorded.
    pub recorder: Option<Recorder>,
}

/// Tombstones before the first attempt to forget some.
const FIRST_SWEEP: usize = 1 << 20;

impl<'a> Machine<'a> {
    pub fn new(
        program: &'a Program,
        code: &'a Code,
        options: &'a Options,
        host: &'a mut dyn Host,
        memory: Memory,
    ) -> Self {
        Machine {
            program,
            code,
            options,
            host,
            memory,
            values: Vec::with_capacity(1 << 12),
            frames: Vec::new(),
            position: 0,
            steps: 0,
            max_steps: options.max_steps.unwrap_or(u64::MAX),
            entry_returned: None,
            serial: 0,
            nodes: vec![CallNode { parent: 0, call: 0 }, CallNode { parent: 0, call: 0 }],
            node_of: FxHashMap::default(),
            pools: FxHashMap::default(),
            variadic_pool: Vec::new(),
            owned: Vec::new(),
            closures: FxHashMap::default(),
            variadic_passing: FxHashMap::default(),
            allocations: 0,
            lives: 0,
            strewn: Vec::new(),
            next_sweep: FIRST_SWEEP,
            recorder: options.trace.then(Recorder::default),
        }
    }

    /// The operation that is being executed.
    pub fn current(&self) -> u32 {
        self.position.saturating_sub(1)
    }

    pub fn base(&self) -> usize {
        self.frames.last().map_or(0, |f| f.base)
    }

    pub fn get(&self, at: At) -> Value {
        self.values[self.base() + at as usize]
    }

    pub fn set(&mut self, at: At, value: Value) {
        if at != NOWHERE {
            let base = self.base();
            self.values[base + at as usize] = value;
        }
    }

    /// The current moment, for the history of a heap object. Nodes are made for the frames that do not have one yet.
    pub fn moment(&mut self) -> Moment {
        let first = self.frames.iter().rposition(|f| f.node != 0).map_or(0, |i| i + 1);
        for index in first..self.frames.len() {
            let node = match index.checked_sub(1) {
                None => 1,
                Some(caller) => {
                    let key = (self.frames[caller].node, self.frames[index].return_to);
                    let nodes = &mut self.nodes;
                    *self.node_of.entry(key).or_insert_with(|| {
                        nodes.push(CallNode { parent: key.0, call: key.1 });
                        nodes.len() as u32 - 1
                    })
                }
            };
            self.frames[index].node = node;
        }
        Moment { node: self.frames.last().map_or(0, |f| f.node), instruction: self.position }
    }

    /// The current place alone: cheap, for variables.
    pub fn place(&self) -> Moment {
        Moment { node: 0, instruction: self.position }
    }

    pub fn stack_place(&self, next: u32) -> StackPlace {
        let position = next.saturating_sub(1);
        StackPlace { function: self.code.function_at(position), loc: self.code.info(position).loc }
    }

    /// The stack at a moment, innermost first.
    pub fn stack_of(&self, moment: Moment) -> Vec<StackPlace> {
        if moment.instruction == 0 {
            return Vec::new();
        }
        let mut stack = vec![self.stack_place(moment.instruction)];
        let mut node = moment.node;
        while node > 1 {
            let CallNode { parent, call } = self.nodes[node as usize];
            if call != 0 {
                stack.push(self.stack_place(call));
            }
            node = parent;
        }
        stack
    }

    /// The stack now, innermost first.
    pub fn stack(&self) -> Vec<StackPlace> {
        let mut stack = Vec::with_capacity(self.frames.len());
        let mut next = self.position;
        for frame in self.frames.iter().rev() {
            if next != 0 {
                stack.push(self.stack_place(next));
            }
            next = frame.return_to;
        }
        stack
    }

    /// A fault at the current operation.
    pub fn fault(&self, kind: CheckKind, message: String) -> Trap {
        let checks = self.code.info(self.current()).checks;
        self.fault_with(kind, message, checks, Vec::new())
    }

    pub fn fault_with(&self, kind: CheckKind, message: String, checks: Checks, history: Vec<Event>) -> Trap {
        let check = check_of(self.program, checks, kind);
        Trap::Fault(Box::new(Fault { kind, check, message, access: None, stack: self.stack(), history }))
    }

    pub fn uninitialised(&self, what: &str) -> Trap {
        self.fault(CheckKind::Uninitialised, format!("{what} is uninitialised"))
    }

    /// The fault that memory found.
    pub fn memory_fault(&self, fault: MemoryFault, pointer: Pointer) -> Trap {
        let checks = self.code.info(self.current()).checks;
        self.memory_fault_with(fault, pointer, checks)
    }

    pub fn memory_fault_with(&self, fault: MemoryFault, pointer: Pointer, checks: Checks) -> Trap {
        if pointer.life & Value::UNDEFINED != 0 {
            let what = format!("the address of {} is uninitialised", access_text(fault.access, fault.size));
            return self.fault_with(CheckKind::Uninitialised, what, checks, Vec::new());
        }
        let access = access_text(fault.access, fault.size);
        let info = self.memory.info(fault.object, pointer.life);
        let message = match (&info, fault.kind) {
            (None, CheckKind::NullDeref) if fault.address == 0 => format!("{access} through a null pointer"),
            (None, CheckKind::NullDeref) => {
                format!("{access} at offset {} of a null pointer", fault.address)
            }
            (None, _) => format!("{access} at address {:#x}, which belongs to no object", fault.address),
            (Some(info), kind) => {
                let name = self.describe(info);
                let offset = self.offset_in(fault.address, info);
                match kind {
                    CheckKind::OutOfBounds => format!("{access} at offset {offset} of {name}"),
                    CheckKind::UseAfterFree => format!("{access} at offset {offset} of {name} after it was freed"),
                    CheckKind::UseAfterScope => {
                        format!("{access} at offset {offset} of {name} after it left its scope")
                    }
                    CheckKind::Unsupported => format!("{access} at {name}, which nobody defines, is not supported"),
                    _ if info.shape.constant => format!("{access} to {name}, which is constant"),
                    _ => format!("{access} at {name}, which holds no data"),
                }
            }
        };
        let history = info.map(|info| self.history(&info)).unwrap_or_default();
        let mut trap = self.fault_with(fault.kind, message, checks, history);
        if let Trap::Fault(found) = &mut trap {
            found.access = Some((fault.object, fault.address));
        }
        trap
    }

    /// The signed distance of an address from an object's start.
    pub fn offset_in(&self, address: u64, info: &ObjectInfo) -> i64 {
        let offset = address.wrapping_sub(info.shape.base);
        if self.program.target.pointer_bits() == 32 { i64::from(offset as i32) } else { offset as i64 }
    }

    /// What happened to an object.
    pub fn history(&self, info: &ObjectInfo) -> Vec<Event> {
        let mut events = Vec::new();
        let mut event = |what: &str, stack: Vec<StackPlace>| {
            if stack.iter().any(|p| p.loc.is_some()) {
                events.push(Event { what: what.to_owned(), stack });
            }
        };
        match info.shape.kind {
            ObjectKind::Heap | ObjectKind::Alloca => event("allocated here", self.stack_of(info.made)),
            ObjectKind::Stack => {
                let function = FuncId(info.site.0);
                let loc = (self.program.functions.get(function.index()))
                    .and_then(|f| f.body.as_ref())
                    .and_then(|b| b.slots.get(info.site.1 as usize))
                    .map_or(Loc::NONE, |s| s.loc);
                event("declared here", vec![StackPlace { function, loc }]);
            }
            ObjectKind::Closure => event("made here", self.stack_of(info.made)),
            _ => {}
        }
        match info.shape.end {
            End::Live => {}
            End::Freed => event("freed here", self.stack_of(info.ended)),
            End::Reallocated => event("reallocated here", self.stack_of(info.ended)),
            End::OutOfScope => event("left its scope here", self.stack_of(info.ended)),
        }
        events
    }

    /// An object for messages: "`a` (40 bytes, stack)".
    pub fn describe(&self, info: &ObjectInfo) -> String {
        let size = bytes_text(info.shape.size);
        let kind = info.shape.kind;
        let named = |name: &str| format!("`{name}` ({size}, {})", kind.name());
        match kind {
            ObjectKind::Static if info.site.0 == NO_GLOBAL => format!("an argument of the program ({size})"),
            ObjectKind::Static => match self.program.globals.get(info.site.0 as usize) {
                Some(global) if global.name == ".str" => format!("a string literal ({size})"),
                Some(global) => named(&global.name),
                None => format!("a static object ({size})"),
            },
            ObjectKind::Stack => {
                let slot = (self.program.functions.get(info.site.0 as usize))
                    .and_then(|f| f.body.as_ref())
                    .and_then(|b| b.slots.get(info.site.1 as usize))
                    .and_then(|s| s.name.as_deref());
                slot.map_or_else(|| format!("a temporary object ({size}, stack)"), named)
            }
            // In a trace there may be many of one size.
            ObjectKind::Heap if self.options.trace => format!("heap object #{} ({size})", info.site.0),
            ObjectKind::Heap => format!("a heap object of {size}"),
            ObjectKind::Alloca => format!("an alloca object of {size}"),
            ObjectKind::Variadic => format!("the variable arguments of a call ({} of them)", info.shape.size / 16),
            ObjectKind::Function => {
                let name = self.program.functions.get(info.site.0 as usize).map_or("?", |f| f.name.as_str());
                format!("the function `{name}`")
            }
            ObjectKind::Label => "a label".to_owned(),
            ObjectKind::Undefined => {
                let name = self.program.globals.get(info.site.0 as usize).map_or("?", |g| g.name.as_str());
                format!("the variable `{name}`")
            }
            ObjectKind::Closure => "a nested function".to_owned(),
        }
    }

    /// Makes an object, within the budget.
    pub fn allocate(&mut self, request: Request) -> Step<Pointer> {
        if self.memory.live_bytes().saturating_add(request.size) > self.options.max_memory {
            return Err(Trap::Budget(format!("more than {} bytes of memory are in use", self.options.max_memory)));
        }
        if self.memory.tombstones() > self.next_sweep {
            self.sweep();
        }
        self.memory.allocate(request).map_err(refused)
    }

    /// An object's uninitialised life has begun: where leftovers are given, it holds them. `allocation` is the number of the
    /// heap allocation that it began with, if it was one.
    pub fn strew(&mut self, pointer: Pointer, allocation: Option<u64>) {
        let Some(leftovers) = &self.options.leftovers else { return };
        let life = self.lives;
        self.lives += 1;
        let Some(bytes) = self.memory.bytes_of_mut(pointer.object) else { return };
        bytes.fill(0, bytes.len(), 0, 0);
        for (at, values) in leftovers.get(&life).into_iter().flatten() {
            bytes.write(*at as usize, values);
            if values.iter().any(|&byte| byte != 0) {
                self.strewn.push(Strewn { allocation, at: *at, bytes: values.clone() });
            }
        }
    }

    /// What a register of so many bits holds that nothing was assigned to.
    pub fn unassigned(&self, width: u32) -> Value {
        if self.options.leftovers.is_some() { Value::int(0) } else { Value::unset(width) }
    }

    /// Forgets the tombstones that no register and no stored pointer names.
    fn sweep(&mut self) {
        let mut named = vec![false; self.memory.table_len()];
        let mut name = |id: u32| {
            if let Some(entry) = named.get_mut(id as usize) {
                *entry = true;
            }
        };
        self.values.iter().for_each(|v| name(v.object()));
        self.frames.iter().filter_map(|f| f.variadic).for_each(|p| name(p.object.0));
        self.owned.iter().for_each(|o| name(o.1.0));
        for (id, _) in self.memory.live_objects() {
            if let Some(bytes) = self.memory.bytes_of(id) {
                bytes.links().iter().for_each(|&link| name(link));
            }
        }
        for pool in self.pools.values().chain(&self.variadic_pool) {
            pool.iter().for_each(|id| name(id.0));
        }
        for closure in self.closures.values() {
            closure.captures.iter().for_each(|v| name(v.object()));
        }
        self.memory.sweep(&named);
        self.next_sweep = FIRST_SWEEP.max(self.memory.tombstones() * 2);
    }
}

pub(super) fn refused(refusal: Refusal) -> Trap {
    Trap::Budget(refusal_text(refusal).to_owned())
}

pub(super) fn bytes_text(size: u64) -> String {
    if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") }
}

fn access_text(access: Access, size: u64) -> String {
    let word = match access {
        Access::Read => "read",
        Access::Write => "write",
    };
    format!("{word} of {}", bytes_text(size))
}
