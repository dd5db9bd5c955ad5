//! The state of an execution (frames, registers, memory), and the construction of faults with location and history.

use cairn_ir::inst::Passing;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Checks, FuncId, Loc, Program};
use rustc_hash::FxHashMap;

use crate::arithmetic::value::Value;
use crate::limits::FIRST_SWEEP;
use crate::run::image::{NO_GLOBAL, refusal_text};
use crate::trace::Recorder;
use crate::trace::names::Except;
use crate::translate::check_of;
use crate::translate::op::{At, Code, NOWHERE};
use crate::{Event, Fault, Host, Options, Strewn};
use cairn_memory::store::{Moment, ObjectInfo, Refusal, Request};
use cairn_memory::{Access, End, Memory, MemoryFault, ObjectId, ObjectKind, Pointer};

/// The reason why an execution stops.
#[derive(Debug)]
pub(crate) enum Trap {
    /// A fault of the program.
    Fault(Box<Fault>),
    /// A limit was reached.
    Budget(String),
    /// `exit` was called.
    Exit(i32),
    /// `abort` was called.
    Abort,
    /// An assumption does not hold.
    Assumption,
}

/// The outcome of an operation that can stop the execution.
pub(crate) type Step<T = ()> = Result<T, Trap>;

/// An active call.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub function: FuncId,
    /// The index of its first value.
    pub base: usize,
    /// The position to continue at in the caller.
    pub return_to: u32,
    /// The destination of the result, as an index into the caller's values.
    pub dst: At,
    /// Its node in the call tree; 0 as long as the node was not needed.
    pub node: u32,
    /// A number that is unique among all calls of the execution.
    pub serial: u64,
    /// The variable arguments.
    pub variadic: Option<Pointer>,
    /// Whether objects besides its slots die with the frame (`alloca`, nested functions).
    pub owns: bool,
}

/// A node of the call tree: a call instruction, below the node of its frame.
#[derive(Clone, Copy, Debug)]
struct CallNode {
    parent: u32,
    call: u32,
}

/// The tree of all calls in the histories of heap objects. Node 1 is the root, and 0 stands for none.
#[derive(Debug)]
struct CallTree {
    nodes: Vec<CallNode>,
    /// The nodes by their parent and call instruction.
    numbers: FxHashMap<(u32, u32), u32>,
}

impl CallTree {
    fn new() -> Self {
        let root = CallNode { parent: 0, call: 0 };
        Self { nodes: vec![root, root], numbers: FxHashMap::default() }
    }

    /// Returns the node of a call, and creates it if it is missing.
    fn node(&mut self, parent: u32, call: u32) -> u32 {
        let nodes = &mut self.nodes;
        *self.numbers.entry((parent, call)).or_insert_with(|| {
            nodes.push(CallNode { parent, call });
            nodes.len() as u32 - 1
        })
    }
}

/// Objects of stack variables that can be reused.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    /// The objects of slots, by function and slot.
    pub slots: FxHashMap<(u32, u32), Vec<ObjectId>>,
    /// The objects of variable arguments, by their size in units of 16 bytes.
    pub variadic: Vec<Vec<ObjectId>>,
}

/// Objects besides slots that die with a frame.
#[derive(Debug, Default)]
pub(crate) struct OwnedObjects {
    /// The objects, with the depth of their frame.
    pub objects: Vec<(usize, ObjectId)>,
    /// Those that are nested functions.
    pub closures: FxHashMap<ObjectId, ClosureInfo>,
}

/// The use of leftovers.
#[derive(Debug, Default)]
pub(crate) struct LeftoverUse {
    /// The number of lifetimes that began uninitialised.
    lives: u64,
    /// The objects whose addresses may be reused, by the numbers of their lifetimes.
    reusable: FxHashMap<u64, ObjectId>,
    /// The leftovers that objects received, where they are not 0.
    pub strewn: Vec<Strewn>,
}

/// A nested function with its captures.
#[derive(Clone, Debug)]
pub(crate) struct ClosureInfo {
    pub function: FuncId,
    pub captures: Box<[Value]>,
}

/// The state of an execution.
pub(crate) struct Machine<'a> {
    pub program: &'a Program,
    pub code: &'a Code,
    pub options: &'a Options,
    pub host: &'a mut dyn Host,
    pub memory: Memory,
    pub values: Vec<Value>,
    pub frames: Vec<Frame>,
    /// The position of the next operation.
    pub position: u32,
    pub steps: u64,
    pub max_steps: u64,
    /// The position after the `return` that ended the entry function.
    pub entry_returned: Option<u32>,
    pub serial: u64,
    calls: CallTree,
    pub pools: Pools,
    pub owned: OwnedObjects,
    /// How the variable arguments of calls are passed, by the unit of 16 bytes that each begins at.
    pub variadic_passing: FxHashMap<ObjectId, Vec<Option<Passing>>>,
    pub allocations: u64,
    pub leftovers: LeftoverUse,
    pub next_sweep: usize,
    /// The recorder of the user's steps, if they are to be recorded.
    pub recorder: Option<Recorder>,
}

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
            calls: CallTree::new(),
            pools: Pools::default(),
            owned: OwnedObjects::default(),
            variadic_passing: FxHashMap::default(),
            allocations: 0,
            leftovers: LeftoverUse::default(),
            next_sweep: FIRST_SWEEP,
            recorder: options.trace.then(|| Recorder::new(options.script.as_ref())),
        }
    }

    /// Returns the position of the operation that is being executed.
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

    /// Returns the current moment, for the history of a heap object. Creates missing nodes of the call tree.
    pub fn moment(&mut self) -> Moment {
        let first = self.frames.iter().rposition(|f| f.node != 0).map_or(0, |i| i + 1);
        for index in first..self.frames.len() {
            let node = match index.checked_sub(1) {
                None => 1,
                Some(caller) => self.calls.node(self.frames[caller].node, self.frames[index].return_to),
            };
            self.frames[index].node = node;
        }
        Moment { node: self.frames.last().map_or(0, |f| f.node), instruction: self.position }
    }

    /// Returns the current position without its calls, which is cheap enough for variables.
    pub fn place(&self) -> Moment {
        Moment { node: 0, instruction: self.position }
    }

    pub fn stack_place(&self, next: u32) -> StackPlace {
        let position = next.saturating_sub(1);
        StackPlace { function: self.code.function_at(position), loc: self.code.info(position).loc }
    }

    /// Returns the call stack at a moment, innermost call first.
    pub fn stack_of(&self, moment: Moment) -> Vec<StackPlace> {
        if moment.instruction == 0 {
            return Vec::new();
        }
        let mut stack = vec![self.stack_place(moment.instruction)];
        let mut node = moment.node;
        while node > 1 {
            let CallNode { parent, call } = self.calls.nodes[node as usize];
            if call != 0 {
                stack.push(self.stack_place(call));
            }
            node = parent;
        }
        // The model that calls `main` is no part of the program.
        if stack.len() > 1 && stack.last().is_some_and(|place| self.is_start(place.function)) {
            stack.pop();
        }
        stack
    }

    /// Returns the current call stack, innermost call first.
    pub fn stack(&self) -> Vec<StackPlace> {
        let mut stack = Vec::with_capacity(self.frames.len());
        let mut next = self.position;
        for frame in self.frames.iter().rev() {
            // The model that calls `main` is no part of the program.
            if next != 0 && !(frame.return_to == 0 && self.is_start(frame.function) && self.frames.len() > 1) {
                stack.push(self.stack_place(next));
            }
            next = frame.return_to;
        }
        stack
    }

    /// Creates a fault at the current operation.
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

    /// Creates the fault for an access that memory refused.
    pub fn memory_fault(&self, fault: MemoryFault, pointer: Pointer) -> Trap {
        let checks = self.code.info(self.current()).checks;
        self.memory_fault_with(fault, pointer, checks)
    }

    pub fn memory_fault_with(&self, fault: MemoryFault, pointer: Pointer, checks: Checks) -> Trap {
        if pointer.life & Value::UNDEFINED != 0 {
            let what = format!("{} at an uninitialised address", access_text(fault.access, fault.size));
            return self.fault_with(CheckKind::Uninitialised, what, checks, Vec::new());
        }
        let access = access_text(fault.access, fault.size);
        let info = self.memory.info(fault.object, pointer.life);
        let message = match (&info, fault.kind) {
            (None, CheckKind::NullDeref) if fault.address == 0 => format!("{access} through a null pointer"),
            (None, CheckKind::NullDeref) => {
                format!("{access} at offset {} of a null pointer", fault.address)
            }
            (None, _) => format!("{access} at address {:#x}, which is not in any object", fault.address),
            (Some(info), kind) => {
                let name = self.name_or_description(info, fault.object);
                let offset = self.offset_in(fault.address, info);
                let at = Pointer { address: fault.address, ..pointer };
                match (kind, self.told_place(at, fault.size, info)) {
                    (CheckKind::UseAfterFree, Some(place)) => format!("{access} at {place} after {name} was freed"),
                    (CheckKind::UseAfterScope, Some(place)) => {
                        format!("{access} at {place} after the lifetime of {name} ended")
                    }
                    (kind, _) => match kind {
                        CheckKind::OutOfBounds => format!("{access} at offset {offset} of {name}"),
                        CheckKind::UseAfterFree if info.shape.kind == ObjectKind::Resource => {
                            format!("use of {name} after it was closed")
                        }
                        CheckKind::UseAfterFree => format!("{access} at offset {offset} of {name} after it was freed"),
                        CheckKind::UseAfterScope => {
                            format!("{access} at offset {offset} of {name} after its lifetime ended")
                        }
                        CheckKind::Unsupported => format!("{access} of {name}, which is not defined, is not supported"),
                        _ if info.shape.constant => format!("{access} to {name}, which is constant"),
                        _ => format!("{access} of {name}, which is not data"),
                    },
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

    /// Returns the signed distance of an address from the start of an object.
    pub fn offset_in(&self, address: u64, info: &ObjectInfo) -> i64 {
        let offset = address.wrapping_sub(info.shape.base);
        if self.program.target.pointer_bits() == 32 { i64::from(offset as i32) } else { offset as i64 }
    }

    /// Returns the history of an object.
    pub fn history(&self, info: &ObjectInfo) -> Vec<Event> {
        let mut events = Vec::new();
        let mut event = |what: &str, stack: Vec<StackPlace>| {
            if stack.iter().any(|p| p.loc.is_some()) {
                events.push(Event { what: what.to_owned(), stack });
            }
        };
        match info.shape.kind {
            ObjectKind::Heap | ObjectKind::Alloca | ObjectKind::Mapping => {
                event("allocated here", self.stack_of(info.made))
            }
            ObjectKind::Resource => event("opened here", self.stack_of(info.made)),
            ObjectKind::Stack => {
                let function = FuncId(info.site.0);
                let loc = (self.program.functions.get(function.index()))
                    .and_then(|f| f.body.as_ref())
                    .and_then(|b| b.slots.get(info.site.1 as usize))
                    .map_or(Loc::NONE, |s| s.loc);
                event("declared here", vec![StackPlace { function, loc }]);
            }
            ObjectKind::Closure => event("created here", self.stack_of(info.made)),
            _ => {}
        }
        match info.shape.end {
            End::Live => {}
            End::Freed if info.shape.kind == ObjectKind::Resource => event("closed here", self.stack_of(info.ended)),
            End::Freed => event("freed here", self.stack_of(info.ended)),
            End::Reallocated => event("reallocated here", self.stack_of(info.ended)),
            End::OutOfScope => event("lifetime ended here", self.stack_of(info.ended)),
        }
        events
    }

    /// Names an object by how the program reaches it if the execution tells a story, and describes it otherwise.
    pub fn name_or_description(&self, info: &ObjectInfo, object: ObjectId) -> String {
        let is_told = self.tells() && info.shape.kind == ObjectKind::Heap;
        let name = is_told.then(|| self.object_name(info, object, Except::Nothing)).flatten();
        match (name, info.shape.end) {
            (Some(name), End::Live) => format!("{name} ({}, heap)", bytes_text(info.shape.size)),
            (Some(name), _) => name,
            (None, _) => self.describe(info),
        }
    }

    /// Returns the expression for the bytes of an access outside of its object's life, in a story.
    fn told_place(&self, at: Pointer, size: u64, info: &ObjectInfo) -> Option<String> {
        let is_dead = info.shape.end != End::Live;
        (self.tells() && is_dead).then(|| self.place_name(at, size)).flatten()
    }

    /// Describes an object for messages: "`a` (40 bytes, stack)".
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
            ObjectKind::Heap if self.tells() => format!("a heap object of {size}"),
            // A trace may contain many objects of the same size, so they are numbered.
            ObjectKind::Heap if self.options.trace => format!("heap object #{} ({size})", info.site.0),
            ObjectKind::Heap => format!("a heap object of {size}"),
            ObjectKind::Alloca => format!("an alloca object of {size}"),
            ObjectKind::Mapping => format!("a memory mapping of {size}"),
            ObjectKind::Resource => "a stream or folder".to_owned(),
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

    /// Allocates an object within the memory limit.
    pub fn allocate(&mut self, request: Request) -> Step<Pointer> {
        if self.memory.live_bytes().saturating_add(request.size) > self.options.max_memory {
            return Err(Trap::Budget(format!("memory use exceeds {} bytes", self.options.max_memory)));
        }
        if self.memory.tombstones() > self.next_sweep {
            self.sweep();
        }
        self.memory.allocate(request).map_err(refused)
    }

    /// Returns the object whose address the next uninitialised object gets, if there is one.
    pub fn reused(&self) -> Option<ObjectId> {
        let freed = self.options.reused.get(&self.leftovers.lives)?;
        self.leftovers.reusable.get(freed).copied()
    }

    /// Fills an object with leftovers at the start of an uninitialised lifetime, if there are leftovers.
    ///
    /// `allocation` is the number of the heap allocation, if the object is one.
    pub fn strew(&mut self, pointer: Pointer, allocation: Option<u64>) {
        let Some(leftovers) = &self.options.leftovers else { return };
        let life = self.leftovers.lives;
        self.leftovers.lives += 1;
        if !self.options.reused.is_empty() && self.options.reused.values().any(|&freed| freed == life) {
            self.leftovers.reusable.insert(life, pointer.object);
        }
        let Some(bytes) = self.memory.bytes_of_mut(pointer.object) else { return };
        bytes.fill(0, bytes.len(), 0, 0);
        for (at, values) in leftovers.get(&life).into_iter().flatten() {
            bytes.write(*at as usize, values);
            if values.iter().any(|&byte| byte != 0) {
                self.leftovers.strewn.push(Strewn { allocation, at: *at, bytes: values.clone() });
            }
        }
    }

    /// Returns the value of an unassigned register of `width` bits.
    pub fn unassigned(&self, width: u32) -> Value {
        if self.options.leftovers.is_some() { Value::int(0) } else { Value::unset(width) }
    }

    /// Frees the tombstones that no register and no stored pointer refers to.
    fn sweep(&mut self) {
        let mut named = vec![false; self.memory.table_len()];
        let mut name = |id: u32| {
            if let Some(entry) = named.get_mut(id as usize) {
                *entry = true;
            }
        };
        self.values.iter().for_each(|v| name(v.object()));
        self.frames.iter().filter_map(|f| f.variadic).for_each(|p| name(p.object.0));
        self.owned.objects.iter().for_each(|o| name(o.1.0));
        for (id, _) in self.memory.live_objects() {
            if let Some(bytes) = self.memory.bytes_of(id) {
                bytes.links().iter().for_each(|&link| name(link));
            }
        }
        for pool in self.pools.slots.values().chain(&self.pools.variadic) {
            pool.iter().for_each(|id| name(id.0));
        }
        for closure in self.owned.closures.values() {
            closure.captures.iter().for_each(|v| name(v.object()));
        }
        self.memory.sweep(&named);
        self.next_sweep = FIRST_SWEEP.max(self.memory.tombstones() * 2);
    }
}

pub(crate) fn refused(refusal: Refusal) -> Trap {
    Trap::Budget(refusal_text(refusal).to_owned())
}

pub(crate) fn bytes_text(size: u64) -> String {
    if size == 1 { "1 byte".to_owned() } else { format!("{size} bytes") }
}

fn access_text(access: Access, size: u64) -> String {
    let word = match access {
        Access::Read => "read",
        Access::Write => "write",
    };
    format!("{word} of {}", bytes_text(size))
}
