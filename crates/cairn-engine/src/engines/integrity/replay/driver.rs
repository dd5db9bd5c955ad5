//! A program around one function: it builds a graph on the heap, calls the function, and keeps where everything is.

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::inst::{Call, Passing};
use cairn_ir::program::{Linkage, Origin, Param, RegInfo};
use cairn_ir::{
    Arg, Block, Body, Callee, Checks, FuncId, Function, Global, GlobalId, Inst, Intrinsic, Loc, Operand, Program, Reg,
    Signature, Terminator, Ty,
};

use super::super::report::GraphNode;
use super::super::types::{NodeId, NodeTypes};
use super::input::{Cell, Input, InputNode, Numbers};
use super::walk::Walk;
use crate::engines::interpret::{Ending, Fault, Host, Options, run_then};
use crate::memory::{Memory, Pointer};

/// Bytes of what a pointer to no node points to.
const BLOCK: u64 = 64;
/// Cells of one global variable that get a value.
const GLOBAL_CELLS: usize = 16;
/// Types of nodes that a graph is made of.
const TYPES: usize = 24;
const ENTRY: &str = ".driver";

/// What a parameter takes.
#[derive(Clone, Copy, Debug)]
enum Parameter {
    /// Any bits.
    Number(Ty),
    /// A pointer to nodes of a type.
    Link(NodeId),
    /// A pointer to something else.
    Pointer,
    /// A pointer to a function: there is none to give.
    Code,
    /// A struct, by value.
    Struct(NodeId),
}

/// What was seen in a run.
pub(super) struct Seen {
    pub fault: Option<Box<Fault>>,
    /// A link that is not valid at the end, and the node of the input that holds it.
    pub broken: Option<(String, Option<usize>)>,
    /// The branches and calls of the function.
    pub path: Vec<Loc>,
}

pub(super) struct Driver<'d, 'p> {
    program: &'d Program,
    types: &'d NodeTypes<'p>,
    function: FuncId,
    parameters: Vec<Parameter>,
    names: Vec<String>,
    result: Option<NodeId>,
    returns: Option<Ty>,
    ctype: Option<TypeId>,
    /// The types of nodes that can be reached from the parameters and the global variables.
    reachable: Vec<NodeId>,
    globals: Vec<(usize, NodeId)>,
}

impl<'d, 'p> Driver<'d, 'p> {
    /// `None` for functions that can't be called from here.
    pub fn new(program: &'d Program, types: &'d mut NodeTypes<'p>, function: FuncId) -> Option<Self> {
        let called = &program.functions[function.index()];
        let body = called.body.as_ref()?;
        let ctype = body.ctypes.function;
        let Type::Function(ty) = program.types.get(ctype?) else { return None };
        if called.signature.variadic || called.signature.params.len() != ty.params.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (passing, &ty) in called.signature.params.iter().zip(&ty.params) {
            parameters.push(match *passing {
                Passing::Scalar(Ty::Ptr) => match program.types.get(ty) {
                    Type::Pointer(to) if matches!(program.types.get(to.ty), Type::Function(_)) => Parameter::Code,
                    _ => types.pointee(ty).map_or(Parameter::Pointer, Parameter::Link),
                },
                Passing::Scalar(ty) if ty.is_float() || ty == Ty::I128 => return None,
                Passing::Scalar(ty) => Parameter::Number(ty),
                Passing::Memory { .. } => Parameter::Struct(types.of(ty)?),
            });
        }
        let name = |param: &Param| match param {
            Param::Reg(reg) => body.regs[reg.index()].name.as_deref(),
            Param::Slot(slot) => body.slots[slot.index()].name.as_deref(),
        };
        let names = body.params.iter().map(|param| name(param).unwrap_or("argument").to_owned()).collect();
        let result = types.pointee(ty.ret.ty);
        let mut globals = Vec::new();
        for (index, global) in program.globals.iter().enumerate() {
            if let (Some(node), false) = (global.ctype.and_then(|ty| types.of(ty)), global.constant)
                && types.node(node).cells.iter().any(|cells| types.class(cells.class).link.is_some())
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
        let (types, returns) = (&*types, called.signature.ret);
        Some(Self { program, types, function, parameters, names, result, returns, ctype, reachable, globals })
    }

    /// Gives everything that a model leaves open a value.
    pub fn complete(&mut self, mut input: Input) -> Input {
        for (index, parameter) in self.parameters.iter().enumerate() {
            let held = input.arguments[index];
            let wanted = match (parameter, held) {
                (Parameter::Struct(node), _) => Some(Some(*node)),
                (Parameter::Link(_) | Parameter::Pointer, Cell::Address(..) | Cell::Number(0)) => None,
                (Parameter::Link(node), _) => Some(Some(*node)),
                (Parameter::Pointer, _) => Some(None),
                (Parameter::Code, _) => {
                    input.arguments[index] = Cell::Number(0);
                    None
                }
                (Parameter::Number(_), Cell::Address(..)) => {
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
                    None if class.pointer => [Cell::Number(0), Cell::Address(block, 0)][numbers.below(2) as usize],
                    None => Cell::Number(numbers.value()),
                };
                cells.push((offset, class.width, held));
            }
            input.nodes[index].cells = cells;
        }
        for parameter in &self.parameters {
            let argument = match *parameter {
                Parameter::Number(_) => Cell::Number(numbers.value()),
                Parameter::Link(node) => link(node, numbers),
                Parameter::Pointer => [Cell::Number(0), Cell::Address(block, 0)][numbers.below(2) as usize],
                Parameter::Code => Cell::Number(0),
                Parameter::Struct(node) => {
                    let pool = pools.iter().find(|(ty, _)| *ty == node).map_or(block, |(_, pool)| pool[0]);
                    Cell::Address(pool, 0)
                }
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

    /// Runs the function. `None` when nothing can be learned from further runs.
    pub fn run(&self, input: &Input, numbers: Numbers) -> Option<Seen> {
        let mut program = self.program.clone();
        let pointer = program.target.pointer_bits() as u64 / 8;
        let kept = GlobalId::new(program.globals.len());
        program.globals.push(Global {
            name: ".kept".to_owned(),
            size: (input.nodes.len() as u64 + 1) * pointer,
            align: pointer,
            bytes: Vec::new(),
            relocations: Vec::new(),
            constant: false,
            linkage: Linkage::Internal,
            defined: true,
            loc: Loc::NONE,
            ctype: None,
        });
        let entry = self.entry(input, kept, pointer);
        program.functions.push(entry);
        let options = Options {
            entry: ENTRY.to_owned(),
            max_steps: Some(50_000),
            max_memory: 64 << 20,
            max_depth: 400,
            assert_faults: false,
            error_faults: false,
            trace: true,
            ..Options::default()
        };
        let mut broken = None;
        let outcome = run_then(&program, &options, &mut World(numbers), |memory, globals| {
            broken = self.look(input, memory, globals, kept, pointer);
        })
        .ok()?;
        let fault = match outcome.ending {
            Ending::Fault(fault) => Some(fault),
            _ => None,
        };
        let mine = outcome.trace.iter().filter(|step| step.place.function == self.function);
        let mut path: Vec<Loc> = mine.map(|step| step.place.loc).collect();
        path.dedup();
        Some(Seen { fault, broken, path })
    }

    fn entry(&self, input: &Input, kept: GlobalId, pointer: u64) -> Function {
        let mut code = Code::default();
        let nodes: Vec<Reg> = input
            .nodes
            .iter()
            .map(|made| {
                let size = made.node.map_or(BLOCK, |node| self.types.node(node).size);
                let dst = code.reg(Ty::Ptr);
                let args = [Operand::Int(1), Operand::Int(size as i64)];
                let op = Intrinsic::HeapAllocZeroed;
                code.insts.push(Inst::Intrinsic { op, dst: Some(dst), args: args.into(), checks: Checks::NONE });
                dst
            })
            .collect();
        for (index, made) in input.nodes.iter().enumerate() {
            for &(offset, width, cell) in &made.cells {
                code.store(Operand::Reg(nodes[index]), offset, width, cell, &nodes);
            }
            code.store(Operand::Global(kept), index as u64 * pointer, pointer, Cell::Address(index, 0), &nodes);
        }
        for &(global, offset, cell) in &input.globals {
            code.store(Operand::Global(GlobalId::new(global)), offset, pointer, cell, &nodes);
        }
        let mut args = Vec::new();
        for ((parameter, &cell), &passing) in self
            .parameters
            .iter()
            .zip(&input.arguments)
            .zip(&self.program.functions[self.function.index()].signature.params)
        {
            let value = match (parameter, cell) {
                (Parameter::Number(ty), Cell::Number(value)) => {
                    let bits = ty.bits(self.program.target).min(64);
                    Operand::Int(if bits >= 64 { value } else { (value << (64 - bits)) >> (64 - bits) })
                }
                _ => code.value(cell, &nodes),
            };
            args.push(Arg { value, passing });
        }
        let dst = self.returns.map(|ty| code.reg(ty));
        let fixed = args.len() as u32;
        let callee = Callee::Function(self.function);
        let (ret, checks, ctype) = (self.returns, Checks::NONE, self.ctype);
        code.insts.push(Inst::Call(Box::new(Call { dst, callee, args, ret, fixed, prototyped: true, checks, ctype })));
        if let (Some(dst), Some(Ty::Ptr)) = (dst, self.returns) {
            code.insts.push(Inst::Store {
                ty: Ty::Ptr,
                addr: Operand::Global(kept),
                offset: (input.nodes.len() as u64 * pointer) as i64,
                src: Operand::Reg(dst),
                checks: Checks::NONE,
            });
        }
        let locs = vec![Loc::NONE; code.insts.len()];
        let end = Terminator::Return(Some(Operand::Int(0)));
        let block = Block { insts: code.insts, locs, end, end_loc: Loc::NONE };
        let body = Body { regs: code.regs, blocks: vec![block], ..Body::default() };
        let signature =
            Signature { ret: Some(Ty::I32), params: Vec::new(), variadic: false, prototyped: true, noreturn: false };
        Function {
            name: ENTRY.to_owned(),
            linkage: Linkage::External,
            signature,
            origin: Origin::Model,
            loc: Loc::NONE,
            body: Some(body),
        }
    }

    /// What is wrong with the graph at the end.
    fn look(
        &self,
        input: &Input,
        memory: &Memory,
        globals: &[Pointer],
        kept: GlobalId,
        pointer: u64,
    ) -> Option<(String, Option<usize>)> {
        let mut walk = Walk::new(self.program, self.types, memory);
        let at = |index: usize| {
            let from = globals.get(kept.index()).copied()?;
            let loaded = match pointer {
                4 => memory.load_pointer::<4>(from, index as i64 * 4),
                _ => memory.load_pointer::<8>(from, index as i64 * 8),
            };
            loaded.filter(|&(_, defined)| defined).map(|(pointer, _)| pointer)
        };
        let mut objects = Vec::new();
        for (index, made) in input.nodes.iter().enumerate() {
            let pointer = at(index)?;
            objects.push(pointer.object);
            if let Some(node) = made.node
                && let Err(what) = walk.visit(pointer, node)
            {
                return Some((what, Some(index)));
            }
        }
        for &(global, node) in &self.globals {
            if let Err(what) = walk.visit(*globals.get(global)?, node) {
                return Some((what, None));
            }
        }
        if let (Some(node), Some(Ty::Ptr)) = (self.result, self.returns) {
            match at(input.nodes.len()) {
                Some(result) => {
                    if let Err(what) = walk.visit(result, node) {
                        return Some((format!("the result is {what}"), None));
                    }
                }
                None => return Some(("the result is not initialised".to_owned(), None)),
            }
        }
        match walk.follow() {
            Ok(()) => None,
            Err((what, object)) => {
                let node = object.and_then(|object| objects.iter().position(|&other| other == object));
                Some((what, node))
            }
        }
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
            for &(offset, width, cell) in &made.cells {
                let class = made.node.and_then(|node| self.types.node(node).cell(self.types, offset as i64, width));
                let Some(class) = class else { continue };
                let name = self.types.class(class).name.rsplit('.').next().unwrap_or("").to_owned();
                cells.push((name, spell(cell)));
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
        Cell::Address(index, 0) => format!("n{}", index + 1),
        Cell::Address(index, offset) => format!("n{}+{offset}", index + 1),
    }
}

/// Instructions of the driver.
#[derive(Default)]
struct Code {
    insts: Vec<Inst>,
    regs: Vec<RegInfo>,
}

impl Code {
    fn reg(&mut self, ty: Ty) -> Reg {
        self.regs.push(RegInfo { ty, name: None });
        Reg::new(self.regs.len() - 1)
    }

    fn value(&mut self, cell: Cell, nodes: &[Reg]) -> Operand {
        match cell {
            Cell::Number(value) => Operand::Int(value),
            Cell::Address(index, 0) => Operand::Reg(nodes[index]),
            Cell::Address(index, offset) => {
                let dst = self.reg(Ty::Ptr);
                let (base, index) = (Operand::Reg(nodes[index]), Operand::Int(offset));
                self.insts.push(Inst::PtrAdd { dst, base, index, scale: 1 });
                Operand::Reg(dst)
            }
        }
    }

    fn store(&mut self, addr: Operand, offset: u64, width: u64, cell: Cell, nodes: &[Reg]) {
        if cell == Cell::Number(0) {
            return;
        }
        let src = self.value(cell, nodes);
        let ty = match (cell, width) {
            (Cell::Address(..), _) => Ty::Ptr,
            (_, 1) => Ty::I8,
            (_, 2) => Ty::I16,
            (_, 4) => Ty::I32,
            (_, 8) => Ty::I64,
            _ => return,
        };
        let src = match src {
            Operand::Int(value) if width < 8 => {
                let shift = 64 - 8 * width as u32;
                Operand::Int((value << shift) >> shift)
            }
            other => other,
        };
        self.insts.push(Inst::Store { ty, addr, offset: offset as i64, src, checks: Checks::NONE });
    }
}

/// The world of a run.
struct World(Numbers);

impl Host for World {
    fn write(&mut self, _fd: i32, _bytes: &[u8]) {}
    fn read_byte(&mut self) -> Option<u8> {
        None
    }
    fn nondet(&mut self, _ty: Ty, _loc: Loc) -> Option<u128> {
        Some(self.0.value() as u128)
    }
    fn allocation_fails(&mut self, _count: u64) -> bool {
        false
    }
    fn time(&mut self) -> i64 {
        0
    }
    fn clock(&mut self) -> i64 {
        0
    }
}
