//! Calls one function: builds a graph in the interpreter's memory, passes arguments, and observes the outcome.

use cairn_ir::ctype::{FunctionType, Type, TypeId};
use cairn_ir::inst::Passing;
use cairn_ir::program::{Function, Linkage, Origin, Param, Signature};
use cairn_ir::{Body, FuncId, Loc, Program, Ty};

use super::super::contracts::Given;
use super::super::limits::{
    DATA_ELEMENTS, REPLAY_DEPTH, REPLAY_INSTRUCTIONS, REPLAY_MEMORY, REPLAY_NODE_BYTES, REPLAY_TYPES, UNTYPED_BYTES,
};
use super::super::state::Contents;
use super::super::types::{NodeId, NodeTypes};
use super::input::{CellValue, Input, InputNode, Numbers};
use super::validity::GraphWalk;
use cairn_interpret::session::{Argument, Called, Session};
use cairn_interpret::{Ending, Fault, Host, Options};
use cairn_memory::store::{Moment, Request};
use cairn_memory::{Memory, ObjectKind, Pointer};

/// The kind of a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parameter {
    /// An integer.
    Number(Ty),
    /// A pointer to nodes of a type.
    Link(NodeId),
    /// A pointer to something else.
    Pointer,
    /// A pointer to a function.
    Code,
    /// A struct that is passed by value, or memory for one that is returned.
    Struct(NodeId),
}

/// Returns the program with one more function, without a body, at its end: the target of all pointers to functions.
pub(crate) fn with_unknown_function(program: &Program) -> Program {
    let mut program = program.clone();
    program.functions.push(Function {
        name: "a function".to_owned(),
        linkage: Linkage::External,
        signature: Signature { ret: None, params: Vec::new(), variadic: false, prototyped: false, noreturn: false },
        origin: Origin::User,
        loc: Loc::NONE,
        body: None,
    });
    program
}

/// The outcome of an execution.
pub(super) struct Observation {
    pub fault: Option<Box<Fault>>,
    /// An invalid link at the end.
    pub broken: Option<Broken>,
    /// The branches and calls of the function.
    pub path: Vec<Loc>,
}

/// An invalid link at the end of an execution.
pub(super) struct Broken {
    pub message: String,
    pub holder: Holder,
}

/// The holder of an invalid link.
pub(super) enum Holder {
    /// A node of the input, by its number.
    Given(usize),
    /// A node of this type that the function allocated.
    Made(String),
    /// A variable.
    Variable,
}

/// Whether an execution records its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tracing {
    On,
    Off,
}

/// A function that can be called.
pub(super) struct Driver<'d, 'p> {
    program: &'d Program,
    session: Session<'d>,
    pub(super) types: &'d NodeTypes<'p>,
    function: FuncId,
    pub(super) parameters: Vec<Parameter>,
    /// The names of the parameters.
    pub(super) names: Vec<String>,
    result: Option<NodeId>,
    /// The types of nodes that can be reached from the parameters and the global variables.
    pub(super) reachable: Vec<NodeId>,
    /// Global variables with links.
    pub(super) globals: Vec<(usize, NodeId)>,
    /// The contents of memory that was not written.
    unwritten: Contents,
}

impl<'d, 'p> Driver<'d, 'p> {
    /// Returns a driver, or `None` for functions that cannot be called from here.
    pub fn new(program: &'d Program, types: &'d NodeTypes<'p>, function: FuncId, unwritten: Contents) -> Option<Self> {
        let called = &program.functions[function.index()];
        let body = called.body.as_ref()?;
        let Type::Function(ty) = program.types.get(body.ctypes.function?) else { return None };
        let parameters = parameters(program, types, &called.signature, ty)?;
        let result = types.pointee(ty.ret.ty).filter(|_| called.signature.ret == Some(Ty::Ptr));
        let mut globals = Vec::new();
        for (index, global) in program.globals.iter().enumerate() {
            if let (Some(node), false) = (global.ctype.and_then(|ty| types.of(ty)), global.constant)
                && types.node(node).has_links(types)
            {
                globals.push((index, node));
            }
        }
        let reachable = reachable_types(types, &parameters, &globals);
        let mut environment = Environment { numbers: Numbers::new(1), failing_allocation: None };
        let session = Session::new(program, &Options::default(), &mut environment).ok()?;
        let names = parameter_names(body);
        Some(Self { program, session, types, function, parameters, names, result, reachable, globals, unwritten })
    }

    /// Returns whether the function takes an integer about which its contract says nothing.
    pub fn takes_any_number(&self, given: &[Given]) -> bool {
        let is_any = |at: usize| given.get(at).is_none_or(|given| *given == Given::Any);
        let is_number = |parameter: &Parameter| matches!(parameter, Parameter::Number(_));
        self.parameters.iter().enumerate().any(|(at, parameter)| is_number(parameter) && is_any(at))
    }

    /// Completes the input of a model: everything that it leaves open gets a value.
    pub fn complete(&self, mut input: Input) -> Input {
        for (index, parameter) in self.parameters.iter().enumerate() {
            let held = input.arguments[index];
            let wanted = match (parameter, held) {
                (Parameter::Link(_) | Parameter::Pointer, CellValue::Address(..) | CellValue::Number(0))
                | (Parameter::Struct(_), CellValue::Address(..)) => None,
                (Parameter::Link(node) | Parameter::Struct(node), _) => Some(Some(*node)),
                (Parameter::Pointer, _) => Some(None),
                (Parameter::Code, _) => {
                    input.arguments[index] = CellValue::Code;
                    None
                }
                (Parameter::Number(_), CellValue::Address(..) | CellValue::Code) => {
                    input.arguments[index] = CellValue::Number(0);
                    None
                }
                (Parameter::Number(_), _) => None,
            };
            if let Some(node) = wanted {
                input.arguments[index] = CellValue::Address(input.nodes.len(), 0);
                input.nodes.push(InputNode::zero(node));
            }
        }
        for made in &mut input.nodes {
            let Some(node) = made.node else { continue };
            for (offset, class) in self.types.node(node).touched(self.types, 0, REPLAY_NODE_BYTES) {
                let class = self.types.class(class);
                if class.code && !made.cells.iter().any(|&(at, ..)| at == offset) {
                    made.cells.push((offset, class.width, CellValue::Code));
                }
            }
        }
        input
    }

    /// Executes the function. Returns `None` when further executions are pointless.
    pub fn run(&self, input: &Input, environment: &Environment, tracing: Tracing) -> Option<Observation> {
        let options = Options {
            max_steps: Some(REPLAY_INSTRUCTIONS),
            max_memory: REPLAY_MEMORY,
            max_depth: REPLAY_DEPTH,
            assert_faults: false,
            error_faults: false,
            trace: tracing == Tracing::On,
            undefined_names_hold_anything: true,
            leftovers: (self.unwritten == Contents::Zero).then(Default::default),
            ..Options::default()
        };
        let mut memory = self.session.memory();
        let nodes = self.build(input, &mut memory)?;
        let mut arguments = Vec::new();
        for (parameter, &cell) in self.parameters.iter().zip(&input.arguments) {
            arguments.push(match (parameter, self.pointer(cell, &nodes)) {
                (Parameter::Number(ty), Pointer { address, .. }) => {
                    let bits = ty.bits(self.program.target).min(64);
                    Argument::Number(if bits == 64 { address } else { address & ((1 << bits) - 1) })
                }
                (_, pointer) => Argument::Pointer(pointer),
            });
        }
        let called = self.session.call(self.function, memory, &arguments, &options, &mut environment.clone())?;
        let broken = match called.ending {
            Ending::Exited(_) => self.find_broken(input, &nodes, &called),
            _ => None,
        };
        let fault = match called.ending {
            // The extent of the memory behind a pointer to data is not known.
            Ending::Fault(fault) => Some(fault).filter(|fault| {
                let is_untyped = |made: &InputNode| made.node.is_none_or(|node| self.types.node(node).scalar);
                let is_hit = |at: &Pointer| fault.access.is_some_and(|(object, _)| object == at.object);
                !input.nodes.iter().zip(&nodes).any(|(made, at)| is_untyped(made) && is_hit(at))
            }),
            _ => None,
        };
        let own = called.trace.steps.iter().filter(|step| step.place.function == self.function);
        let mut path: Vec<Loc> = own.map(|step| step.place.loc).collect();
        path.dedup();
        Some(Observation { fault, broken, path })
    }

    /// Builds the graph and returns the addresses of its objects.
    fn build(&self, input: &Input, memory: &mut Memory) -> Option<Vec<Pointer>> {
        let mut nodes = Vec::new();
        for made in &input.nodes {
            let size = made.node.map_or(UNTYPED_BYTES, |node| match self.types.node(node) {
                data if data.scalar => data.size * DATA_ELEMENTS,
                node => node.size,
            });
            let (kind, moment) = (ObjectKind::Heap, Moment::default());
            let request = Request { kind, size, align: 16, zeroed: true, site: (0, 0), moment };
            nodes.push(memory.allocate(request).ok()?);
        }
        let pointer = u64::from(self.program.target.pointer_bits() / 8);
        for (made, &base) in input.nodes.iter().zip(&nodes) {
            for &(offset, width, cell) in &made.cells {
                store(memory, base, (offset, width), self.pointer(cell, &nodes), cell)?;
            }
        }
        for &(global, offset, cell) in &input.globals {
            let base = *self.session.globals().get(global)?;
            store(memory, base, (offset, pointer), self.pointer(cell, &nodes), cell)?;
        }
        Some(nodes)
    }

    /// Returns the contents of a cell as a pointer.
    fn pointer(&self, cell: CellValue, nodes: &[Pointer]) -> Pointer {
        match cell {
            CellValue::Number(value) => Pointer::without_object(value as u64),
            CellValue::Address(index, offset) => nodes[index].plus(offset as u64),
            CellValue::Code => self.session.functions().last().copied().unwrap_or(Pointer::NULL),
        }
    }

    /// Finds an invalid link at the end.
    fn find_broken(&self, input: &Input, nodes: &[Pointer], called: &Called) -> Option<Broken> {
        let mut walk = GraphWalk::new(self.program, self.types, &called.memory);
        for (index, (made, &pointer)) in input.nodes.iter().zip(nodes).enumerate() {
            if let Some(node) = made.node
                && let Err(message) = walk.visit(pointer, node)
            {
                return Some(Broken { message, holder: Holder::Given(index) });
            }
        }
        for &(global, node) in &self.globals {
            if let Err(message) = walk.visit(*self.session.globals().get(global)?, node) {
                return Some(Broken { message, holder: Holder::Variable });
            }
        }
        if let Some(node) = self.result {
            let visited = called.result.map(|result| walk.visit(result, node));
            let message = match visited {
                Some(Ok(())) => None,
                Some(Err(target)) => Some(format!("result is {target}")),
                None => Some("result is uninitialised".to_owned()),
            };
            if let Some(message) = message {
                return Some(Broken { message, holder: Holder::Variable });
            }
        }
        let invalid = walk.follow().err()?;
        let is_holder = |pointer: &Pointer| pointer.object == invalid.holder;
        let holder = match nodes.iter().position(is_holder) {
            Some(index) => Holder::Given(index),
            None if self.session.globals().iter().any(is_holder) => Holder::Variable,
            None => Holder::Made(self.types.node(invalid.node).name.clone()),
        };
        Some(Broken { message: invalid.message, holder })
    }
}

/// Returns the kinds of the parameters; `None` if there are some that cannot be passed.
fn parameters(
    program: &Program,
    types: &NodeTypes<'_>,
    signature: &Signature,
    ty: &FunctionType,
) -> Option<Vec<Parameter>> {
    let result = matches!(program.types.get(ty.ret.ty), Type::Record(_)).then_some(ty.ret.ty);
    let declared: Vec<TypeId> = result.iter().chain(&ty.params).copied().collect();
    if signature.variadic || signature.params.len() != declared.len() {
        return None;
    }
    let mut out = Vec::new();
    for (index, (passing, &ty)) in signature.params.iter().zip(&declared).enumerate() {
        out.push(match *passing {
            Passing::Memory { .. } => Parameter::Struct(types.of(ty)?),
            Passing::Scalar(Ty::Ptr) if index == 0 && result.is_some() => Parameter::Struct(types.of(ty)?),
            Passing::Scalar(Ty::Ptr) => match program.types.get(ty) {
                Type::Pointer(to) if matches!(program.types.get(to.ty), Type::Function(_)) => Parameter::Code,
                _ => types.pointee(ty).map_or(Parameter::Pointer, Parameter::Link),
            },
            Passing::Scalar(ty) if ty.is_float() || ty == Ty::I128 => return None,
            Passing::Scalar(ty) => Parameter::Number(ty),
        });
    }
    Some(out)
}

fn parameter_names(body: &Body) -> Vec<String> {
    let name = |param: &Param| match param {
        Param::Reg(reg) => body.regs[reg.index()].name.as_deref(),
        Param::Slot(slot) => body.slots[slot.index()].name.as_deref(),
    };
    body.params.iter().map(|param| name(param).unwrap_or("argument").to_owned()).collect()
}

/// Returns the types of nodes that can be reached from parameters and global variables.
fn reachable_types(types: &NodeTypes<'_>, parameters: &[Parameter], globals: &[(usize, NodeId)]) -> Vec<NodeId> {
    let mut reachable: Vec<NodeId> = Vec::new();
    let mut waiting: Vec<NodeId> = globals.iter().map(|&(_, node)| node).collect();
    waiting.extend(parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Link(node) | Parameter::Struct(node) => Some(*node),
        _ => None,
    }));
    while let Some(node) = waiting.pop() {
        if reachable.contains(&node) || reachable.len() >= REPLAY_TYPES {
            continue;
        }
        reachable.push(node);
        waiting.extend(types.node(node).cells.iter().filter_map(|cells| types.class(cells.class).link));
    }
    reachable
}

fn store(
    memory: &mut Memory,
    base: Pointer,
    (offset, width): (u64, u64),
    held: Pointer,
    cell: CellValue,
) -> Option<()> {
    let at = offset as i64;
    match (cell, width) {
        (CellValue::Address(..) | CellValue::Code, 4) => memory.store_pointer::<4>(base, at, held),
        (CellValue::Address(..) | CellValue::Code, _) => memory.store_pointer::<8>(base, at, held),
        (_, 1) => memory.store::<1>(base, at, held.address & 0xff, 0),
        (_, 2) => memory.store::<2>(base, at, held.address & 0xffff, 0),
        (_, 4) => memory.store::<4>(base, at, held.address & 0xffff_ffff, 0),
        (_, 8) => memory.store::<8>(base, at, held.address, 0),
        _ => Some(()),
    }
}

/// The environment of an execution.
#[derive(Clone)]
pub(super) struct Environment {
    pub numbers: Numbers,
    /// The allocation that fails, counted from 1.
    pub failing_allocation: Option<u64>,
}

impl Host for Environment {
    fn write(&mut self, _fd: i32, _bytes: &[u8]) {}
    fn read_byte(&mut self) -> Option<u8> {
        None
    }
    fn nondet(&mut self, ty: Ty, _loc: Loc) -> Option<u128> {
        // Functions without a body keep graphs valid, and null is a valid link.
        Some(if ty == Ty::Ptr { 0 } else { self.numbers.value() as u128 })
    }
    fn allocation_fails(&mut self, count: u64) -> bool {
        self.failing_allocation == Some(count)
    }
    fn time(&mut self) -> i64 {
        0
    }
    fn clock(&mut self) -> i64 {
        0
    }
}
