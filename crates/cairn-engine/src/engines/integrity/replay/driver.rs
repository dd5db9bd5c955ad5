//! Calls one function: builds a graph in the interpreter's memory, makes arguments up, and looks at what is left.

use cairn_ir::ctype::Type;
use cairn_ir::inst::Passing;
use cairn_ir::program::{Function, Linkage, Origin, Param, Signature};
use cairn_ir::{FuncId, Loc, Program, Ty};

use super::super::contracts::Given;
use super::super::report::GraphNode;
use super::super::types::{Cells, NodeId, NodeTypes};
use super::input::{Cell, Input, InputNode, Numbers};
use super::walk::Walk;
use crate::engines::interpret::session::{Argument, Called, Session};
use crate::engines::interpret::{Ending, Fault, Host, Options};
use crate::memory::store::{Moment, Request};
use crate::memory::{Memory, ObjectKind, Pointer};

/// Bytes of what a pointer to no node points to.
const BLOCK: u64 = 64;
/// Elements of what a pointer to data points to.
const ELEMENTS: u64 = 4096;
/// Cells of one global variable that get a value.
const GLOBAL_CELLS: usize = 16;
/// Cells of a node that are drawn.
const CELLS_DRAWN: usize = 16;
/// Types of nodes that a graph is made of.
const TYPES: usize = 24;

/// What a parameter takes.
#[derive(Clone, Copy, Debug)]
enum Parameter {
    /// Any bits.
    Number(Ty),
    /// A pointer to nodes of a type.
    Link(NodeId),
    /// A pointer to something else.
    Pointer,
    /// A pointer to a function.
    Code,
    /// A struct that is passed, or memory for one that is returned.
    Struct(NodeId),
}

/// The program with one more function, without a body, at its end: what pointers to functions point to.
pub(in super::super) fn with_stranger(program: &Program) -> Program {
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

/// What was seen in a run.
pub(super) struct Seen {
    pub fault: Option<Box<Fault>>,
    /// A link that is not valid at the end.
    pub broken: Option<Broken>,
    /// The branches and calls of the function.
    pub path: Vec<Loc>,
}

/// What is wrong with the graph at the end, and with which node.
pub(super) struct Broken {
    pub what: String,
    pub holder: Holder,
}

/// What holds a link.
pub(super) enum Holder {
    /// A node of the input, by its number.
    Given(usize),
    /// A node that the function made, of this type.
    Made(String),
    /// A variable.
    Variable,
}

pub(super) struct Driver<'d, 'p> {
    program: &'d Program,
    session: Session<'d>,
    types: &'d NodeTypes<'p>,
    function: FuncId,
    parameters: Vec<Parameter>,
    names: Vec<String>,
    result: Option<NodeId>,
    /// The types of nodes that can be reached from the parameters and the global variables.
    reachable: Vec<NodeId>,
    globals: Vec<(usize, NodeId)>,
    /// Whether memory that nobody wrote is zero.
    zero_allocation: bool,
}

impl<'d, 'p> Driver<'d, 'p> {
    /// `None` for functions that can't be called from here.
    pub fn new(
        program: &'d Program,
        types: &'d mut NodeTypes<'p>,
        function: FuncId,
        zero_allocation: bool,
    ) -> Option<Self> {
        let called = &program.functions[function.index()];
        let body = called.body.as_ref()?;
        let Type::Function(ty) = program.types.get(body.ctypes.function?) else { return None };
        let hidden = matches!(program.types.get(ty.ret.ty), Type::Record(_));
        let hidden = hidden.then_some(ty.ret.ty);
        let declared: Vec<_> = hidden.iter().chain(&ty.params).copied().collect();
        if called.signature.variadic || called.signature.params.len() != declared.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (index, (passing, &ty)) in called.signature.params.iter().zip(&declared).enumerate() {
            parameters.push(match *passing {
                Passing::Memory { .. } => Parameter::Struct(types.of(ty)?),
                Passing::Scalar(Ty::Ptr) if index == 0 && hidden.is_some() => Parameter::Struct(types.of(ty)?),
                Passing::Scalar(Ty::Ptr) => match program.types.get(ty) {
                    Type::Pointer(to) if matches!(program.types.get(to.ty), Type::Function(_)) => Parameter::Code,
                    _ => types.pointee(ty).map_or(Parameter::Pointer, Parameter::Link),
                },
                Passing::Scalar(ty) if ty.is_float() || ty == Ty::I128 => return None,
                Passing::Scalar(ty) => Parameter::Number(ty),
            });
        }
        let name = |param: &Param| match param {
            Param::Reg(reg) => body.regs[reg.index()].name.as_deref(),
            Param::Slot(slot) => body.slots[slot.index()].name.as_deref(),
        };
        let names = body.params.iter().map(|param| name(param).unwrap_or("argument").to_owned()).collect();
        let result = types.pointee(ty.ret.ty).filter(|_| called.signature.ret == Some(Ty::Ptr));
        let mut globals = Vec::new();
        for (index, global) in program.globals.iter().enumerate() {
            if let (Some(node), false) = (global.ctype.and_then(|ty| types.of(ty)), global.constant)
                && types.node(node).has_links(types)
            {
                globals.push((index, node));
            }
        }
        let mut reachable: Vec<NodeId> = Vec::new();
        let mut waiting: Vec<NodeId> = globals.iter().map(|&(_, node)| node).collect();
        waiting.extend(parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Link(node) | Parameter::Struct(node) => Some(*node),
            _ => None,
        }));
        while let Some(node) = waiting.pop() {
            if reachable.contains(&node) || reachable.len() >= TYPES {
                continue;
            }
            reachable.push(node);
            waiting.extend(types.node(node).cells.iter().filter_map(|cells| types.class(cells.class).link));
        }
        let session =
            Session::new(program, &Options::default(), &mut World { numbers: Numbers::new(1), fails: None }).ok()?;
        Some(Self { program, session, types, function, parameters, names, result, reachable, globals, zero_allocation })
    }

    /// Whether it takes an integer of which nothing is known.
    pub fn takes_any_number(&self, given: &[Given]) -> bool {
        let any = |at: usize| given.get(at).is_none_or(|given| *given == Given::Any);
        self.parameters.iter().enumerate().any(|(at, parameter)| matches!(parameter, Parameter::Number(_)) && any(at))
    }

    /// Gives everything that a model leaves open a value.
    pub fn complete(&mut self, mut input: Input) -> Input {
        for (index, parameter) in self.parameters.iter().enumerate() {
            let held = input.arguments[index];
            let wanted = match (parameter, held) {
                (Parameter::Link(_) | Parameter::Pointer, Cell::Address(..) | Cell::Number(0))
                | (Parameter::Struct(_), Cell::Address(..)) => None,
                (Parameter::Link(node) | Parameter::Struct(node), _) => Some(Some(*node)),
                (Parameter::Pointer, _) => Some(None),
                (Parameter::Code, _) => {
                    input.arguments[index] = Cell::Code;
                    None
                }
                (Parameter::Number(_), Cell::Address(..) | Cell::Code) => {
                    input.arguments[index] = Cell::Number(0);
                    None
                }
                (Parameter::Number(_), _) => None,
            };
            if let Some(node) = wanted {
                input.arguments[index] = Cell::Address(input.nodes.len(), 0);
                input.nodes.push(InputNode { node, cells: Vec::new() });
            }
        }
        for made in &mut input.nodes {
            let Some(node) = made.node else { continue };
            for (offset, class) in self.types.node(node).touched(self.types, 0, 4096) {
                let class = self.types.class(class);
                if class.code && !made.cells.iter().any(|&(at, ..)| at == offset) {
                    made.cells.push((offset, class.width, Cell::Code));
                }
            }
        }
        input
    }

    /// Makes a graph up.
    pub fn invent(&mut self, numbers: &mut Numbers) -> Input {
        let mut input = Input::default();
        let mut pools: Vec<(NodeId, Vec<usize>)> = Vec::new();
        for &node in &self.reachable {
            let count = 1 + numbers.below(4) as usize;
            let first = input.nodes.len();
            input.nodes.extend((0..count).map(|_| InputNode { node: Some(node), cells: Vec::new() }));
            pools.push((node, (first..first + count).collect()));
        }
        let block = input.nodes.len();
        input.nodes.push(InputNode { node: None, cells: Vec::new() });
        // Some graphs have many links, some few.
        let nulls = 1 + numbers.below(4);
        let link = |node: NodeId, numbers: &mut Numbers| {
            let pool = pools.iter().find(|(ty, _)| *ty == node).map_or(&[][..], |(_, pool)| pool);
            if pool.is_empty() || numbers.below(6) < nulls {
                return Cell::Number(0);
            }
            Cell::Address(pool[numbers.below(pool.len() as u64) as usize], 0)
        };
        for index in 0..input.nodes.len() {
            let Some(node) = input.nodes[index].node else { continue };
            let mut cells = Vec::new();
            for (offset, class) in self.types.node(node).touched(self.types, 0, 4096) {
                let class = self.types.class(class);
                let held = match class.link {
                    Some(to) => link(to, numbers),
                    None if class.code => [Cell::Number(0), Cell::Code][numbers.below(4).min(1) as usize],
                    None if class.pointer => [Cell::Number(0), Cell::Address(block, 0)][numbers.below(2) as usize],
                    None if class.mixed => Cell::Number(0),
                    None => Cell::Number(numbers.value()),
                };
                cells.push((offset, class.width, held));
            }
            input.nodes[index].cells = cells;
        }
        for parameter in &self.parameters {
            let mut passed = |node: NodeId| {
                let like = pools.iter().find(|(ty, _)| *ty == node).and_then(|(_, pool)| pool.first());
                let copy = like.map(|&like| input.nodes[like].clone());
                input.nodes.push(copy.unwrap_or(InputNode { node: Some(node), cells: Vec::new() }));
                Cell::Address(input.nodes.len() - 1, 0)
            };
            let argument = match *parameter {
                Parameter::Struct(node) => passed(node),
                Parameter::Number(_) => Cell::Number(numbers.value()),
                Parameter::Link(node) => link(node, numbers),
                Parameter::Pointer => [Cell::Number(0), Cell::Address(block, 0)][numbers.below(2) as usize],
                Parameter::Code => Cell::Code,
            };
            input.arguments.push(argument);
        }
        for &(global, node) in &self.globals {
            let touched = self.types.node(node).touched(self.types, 0, 4096);
            let links = touched.iter().filter_map(|&(offset, class)| Some((offset, self.types.class(class).link?)));
            for (offset, to) in links.take(GLOBAL_CELLS) {
                input.globals.push((global, offset, link(to, numbers)));
            }
        }
        input
    }

    /// Runs the function; one allocation may fail. `None` when nothing can be learned from further runs.
    pub fn run(&self, input: &Input, numbers: &Numbers, fails: Option<u64>, trace: bool) -> Option<Seen> {
        let options = Options {
            max_steps: Some(50_000),
            max_memory: 64 << 20,
            max_depth: 400,
            assert_faults: false,
            error_faults: false,
            trace,
            undefined_names_hold_anything: true,
            leftovers: self.zero_allocation.then(Default::default),
            ..Options::default()
        };
        let mut memory = self.session.memory();
        let nodes = self.build(input, &mut memory)?;
        let mut arguments = Vec::new();
        for (parameter, &cell) in self.parameters.iter().zip(&input.arguments) {
            arguments.push(match (parameter, self.address(cell, &nodes)) {
                (Parameter::Number(ty), Pointer { address, .. }) => {
                    let bits = ty.bits(self.program.target).min(64);
                    Argument::Number(if bits == 64 { address } else { address & ((1 << bits) - 1) })
                }
                (_, pointer) => Argument::Pointer(pointer),
            });
        }
        let mut world = World { numbers: numbers.clone(), fails };
        let called = self.session.call(self.function, memory, &arguments, &options, &mut world)?;
        let broken = match called.ending {
            Ending::Exited(_) => self.look(input, &nodes, &called),
            _ => None,
        };
        let fault = match called.ending {
            // How far the memory behind a pointer to data goes is not known.
            Ending::Fault(fault) => Some(fault).filter(|fault| {
                let untyped = |made: &InputNode| made.node.is_none_or(|node| self.types.node(node).scalar);
                let hit = |at: &Pointer| fault.access.is_some_and(|(object, _)| object == at.object);
                !input.nodes.iter().zip(&nodes).any(|(made, at)| untyped(made) && hit(at))
            }),
            _ => None,
        };
        let mine = called.trace.iter().filter(|step| step.place.function == self.function);
        let mut path: Vec<Loc> = mine.map(|step| step.place.loc).collect();
        path.dedup();
        Some(Seen { fault, broken, path })
    }

    /// Builds the graph: the addresses of its objects.
    fn build(&self, input: &Input, memory: &mut Memory) -> Option<Vec<Pointer>> {
        let mut nodes = Vec::new();
        for made in &input.nodes {
            // How many elements there are behind a pointer to data is not known: enough, for what such a run may show.
            let size = made.node.map_or(BLOCK, |node| match self.types.node(node) {
                data if data.scalar => data.size * ELEMENTS,
                node => node.size,
            });
            let (kind, moment) = (ObjectKind::Heap, Moment::default());
            let request = Request { kind, size, align: 16, zeroed: true, site: (0, 0), moment };
            nodes.push(memory.allocate(request).ok()?);
        }
        let pointer = u64::from(self.program.target.pointer_bits() / 8);
        for (made, &base) in input.nodes.iter().zip(&nodes) {
            for &(offset, width, cell) in &made.cells {
                store(memory, base, offset, width, self.address(cell, &nodes), cell)?;
            }
        }
        for &(global, offset, cell) in &input.globals {
            let base = *self.session.globals().get(global)?;
            store(memory, base, offset, pointer, self.address(cell, &nodes), cell)?;
        }
        Some(nodes)
    }

    /// What a cell holds, as an address.
    fn address(&self, cell: Cell, nodes: &[Pointer]) -> Pointer {
        match cell {
            Cell::Number(value) => Pointer::without_object(value as u64),
            Cell::Address(index, offset) => nodes[index].plus(offset as u64),
            Cell::Code => self.session.functions().last().copied().unwrap_or(Pointer::NULL),
        }
    }

    /// What is wrong with the graph at the end.
    fn look(&self, input: &Input, nodes: &[Pointer], called: &Called) -> Option<Broken> {
        let mut walk = Walk::new(self.program, self.types, &called.memory);
        for (index, (made, &pointer)) in input.nodes.iter().zip(nodes).enumerate() {
            if let Some(node) = made.node
                && let Err(what) = walk.visit(pointer, node)
            {
                return Some(Broken { what, holder: Holder::Given(index) });
            }
        }
        for &(global, node) in &self.globals {
            if let Err(what) = walk.visit(*self.session.globals().get(global)?, node) {
                return Some(Broken { what, holder: Holder::Variable });
            }
        }
        if let Some(node) = self.result {
            let visited = called.result.map(|result| walk.visit(result, node));
            let what = match visited {
                Some(Ok(())) => None,
                Some(Err(what)) => Some(format!("the result is {what}")),
                None => Some("the result is not initialised".to_owned()),
            };
            if let Some(what) = what {
                return Some(Broken { what, holder: Holder::Variable });
            }
        }
        let (what, object, node) = walk.follow().err()?;
        let is_it = |pointer: &Pointer| pointer.object == object;
        let holder = match nodes.iter().position(is_it) {
            Some(index) => Holder::Given(index),
            None if self.session.globals().iter().any(is_it) => Holder::Variable,
            None => Holder::Made(self.types.node(node).name.clone()),
        };
        Some(Broken { what, holder })
    }

    /// The arguments, for people.
    pub fn arguments(&self, input: &Input) -> Vec<(String, String)> {
        let values = input.arguments.iter().map(|&cell| spell(cell));
        self.names.iter().cloned().zip(values).collect()
    }

    /// The graph that the function is given.
    pub fn draw(&self, input: &Input) -> Vec<GraphNode> {
        let mut out = Vec::new();
        for (index, made) in input.nodes.iter().enumerate() {
            let mut cells = Vec::new();
            let mut more = 0;
            for &(offset, width, cell) in &made.cells {
                let Some(ty) = made.node.map(|node| self.types.node(node)) else { continue };
                let Some(class) = ty.cell(self.types, offset as i64, width) else { continue };
                let name = self.types.class(class).name.rsplit('.').next().unwrap_or("");
                let of = |row: &&Cells| row.class == class && row.offset <= offset;
                let row = ty.cells.iter().rev().find(of).filter(|row| row.count > 1);
                // An array is mostly zeros; what is left out is counted.
                if cells.len() >= CELLS_DRAWN || (row.is_some() && cell == Cell::Number(0)) {
                    more += usize::from(cell != Cell::Number(0));
                    continue;
                }
                let index = row.map(|row| format!("[{}]", (offset - row.offset) / width)).unwrap_or_default();
                cells.push((format!("{name}{index}"), spell(cell)));
            }
            if more > 0 {
                cells.push(("…".to_owned(), format!("{more} more")));
            }
            let points = |cell: &Cell| matches!(cell, Cell::Address(to, _) if *to == index);
            let linked = input.nodes.iter().flat_map(|node| &node.cells).any(|(.., cell)| points(cell));
            if made.node.is_none() && !linked && !input.arguments.iter().any(points) {
                continue;
            }
            let variables = self.names.iter().zip(&input.arguments).filter(|(_, cell)| points(cell));
            out.push(GraphNode {
                name: format!("n{}", index + 1),
                ty: made.node.map_or_else(|| "bytes".to_owned(), |node| self.types.node(node).name.clone()),
                address: 0,
                cells,
                variables: variables.map(|(name, _)| name.clone()).collect(),
                made: false,
                breaks: false,
            });
        }
        out
    }
}

fn spell(cell: Cell) -> String {
    match cell {
        Cell::Number(value) => value.to_string(),
        Cell::Code => "a function".to_owned(),
        Cell::Address(index, 0) => format!("n{}", index + 1),
        Cell::Address(index, offset) => format!("n{}+{offset}", index + 1),
    }
}

fn store(memory: &mut Memory, base: Pointer, offset: u64, width: u64, held: Pointer, cell: Cell) -> Option<()> {
    let at = offset as i64;
    match (cell, width) {
        (Cell::Address(..) | Cell::Code, 4) => memory.store_pointer::<4>(base, at, held),
        (Cell::Address(..) | Cell::Code, _) => memory.store_pointer::<8>(base, at, held),
        (_, 1) => memory.store::<1>(base, at, held.address & 0xff, 0),
        (_, 2) => memory.store::<2>(base, at, held.address & 0xffff, 0),
        (_, 4) => memory.store::<4>(base, at, held.address & 0xffff_ffff, 0),
        (_, 8) => memory.store::<8>(base, at, held.address, 0),
        _ => Some(()),
    }
}

/// The world of a run.
struct World {
    numbers: Numbers,
    /// The allocation that fails, counted from 1.
    fails: Option<u64>,
}

impl Host for World {
    fn write(&mut self, _fd: i32, _bytes: &[u8]) {}
    fn read_byte(&mut self) -> Option<u8> {
        None
    }
    fn nondet(&mut self, ty: Ty, _loc: Loc) -> Option<u128> {
        // Functions that are not there keep graphs valid: null is.
        Some(if ty == Ty::Ptr { 0 } else { self.numbers.value() as u128 })
    }
    fn allocation_fails(&mut self, count: u64) -> bool {
        self.fails == Some(count)
    }
    fn time(&mut self) -> i64 {
        0
    }
    fn clock(&mut self) -> i64 {
        0
    }
}
