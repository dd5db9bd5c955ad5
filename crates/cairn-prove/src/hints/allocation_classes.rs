//! Allocation classes: which allocation sites create nodes of the same kind.
//!
//! Nodes of different kinds may have the same size and pointers in the same cells. Examples are the items of a stack
//! and the nodes of the trees that they point to. Pointers that are assigned to the same variable, or stored in the
//! same cell of nodes of one kind, have the same class (Steensgaard, POPL 1996). Nodes of different classes are not
//! folded into one list or tree. The classes only select what is folded. A class too many or too few costs precision,
//! not soundness.
//!
//! A pointer into the middle of a node is its address plus an offset, so the members of a class have distances. If
//! two distances contradict each other, nothing is known of the class.

use std::collections::BTreeMap;

use cairn_ir::program::{Origin, Param};
use cairn_ir::source::StackPlace;
use cairn_ir::{Body, Callee, FuncId, GlobalId, Inst, Intrinsic, Loc, Operand, Program, Reg, SlotId, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

/// A register that holds an address, a variable at an address, or the result of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Holder {
    Register(FuncId, Reg),
    Slot(FuncId, SlotId),
    Global(GlobalId),
    Result(FuncId),
}

/// A class of addresses, and the distance of one address from the start of the class.
type Address = (usize, i64);

/// The classes of a program's addresses: a union-find structure with distances.
#[derive(Default, Debug)]
pub(crate) struct AllocationClasses {
    holders: FxHashMap<Holder, usize>,
    /// The parent of each class, and the distance to it.
    parents: Vec<Address>,
    /// The classes of the cells of each class, by offset.
    cells: Vec<BTreeMap<i64, usize>>,
    /// Whether the distances of each class contradict each other.
    mixed: Vec<bool>,
    /// The classes of allocation sites, including calls of allocation wrappers.
    sources: FxHashMap<(FuncId, Loc), Address>,
}

impl AllocationClasses {
    /// Computes the classes of a program. A program with calls by pointer has none.
    pub(crate) fn of(program: &Program) -> Self {
        let mut classes = Self::default();
        let bodies = || {
            let functions = program.functions.iter().enumerate();
            let written = functions.filter(|(_, function)| function.origin.is_of_user());
            written.filter_map(|(index, function)| Some((FuncId::new(index), function.body.as_ref()?)))
        };
        let by_pointer = |inst: &Inst| matches!(inst, Inst::Call(call) if matches!(call.callee, Callee::Pointer(_)));
        if bodies().any(|(_, body)| insts(body).any(|(inst, _)| by_pointer(inst))) {
            return classes;
        }
        // A function that allocates as many bytes as its caller asks for is an allocation wrapper. Its caller
        // determines the class of the object.
        let mut asked: FxHashSet<FuncId> = FxHashSet::default();
        while let Some((found, _)) = bodies().find(|(id, body)| !asked.contains(id) && is_asked(body, &asked)) {
            asked.insert(found);
        }
        for (function, body) in bodies() {
            for (inst, loc) in insts(body) {
                classes.read(program, function, inst, loc, &asked);
            }
            for block in &body.blocks {
                if let Terminator::Return(Some(value)) = block.end
                    && !asked.contains(&function)
                    && let Some(value) = classes.address_of(function, value)
                {
                    let result = classes.held(Holder::Result(function));
                    classes.unite(result, value);
                }
            }
        }
        classes
    }

    /// Returns whether objects from two allocation stacks, each innermost frame first, have different classes.
    pub(crate) fn differ(&self, one: &[StackPlace], other: &[StackPlace]) -> bool {
        match (self.class_at(one), self.class_at(other)) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        }
    }

    fn class_at(&self, born: &[StackPlace]) -> Option<Address> {
        for place in born {
            if let Some(&address) = self.sources.get(&(place.function, place.loc)) {
                let found = self.find(address);
                return (!self.mixed[found.0]).then_some(found);
            }
        }
        None
    }

    fn read(&mut self, program: &Program, function: FuncId, inst: &Inst, loc: Loc, asked: &FxHashSet<FuncId>) {
        let register = |reg: Reg| Holder::Register(function, reg);
        match inst {
            Inst::Move { dst, src } | Inst::Convert { dst, src, .. } => {
                if let Some(src) = self.address_of(function, *src) {
                    let dst = self.held(register(*dst));
                    self.unite(dst, src);
                }
            }
            Inst::PtrAdd { dst, base, index, scale } => {
                if let Some((class, distance)) = self.address_of(function, *base) {
                    // All elements of an array are treated alike.
                    let offset = if let Operand::Int(index) = index { index.wrapping_mul(*scale) } else { 0 };
                    let dst = self.held(register(*dst));
                    self.unite(dst, (class, distance.wrapping_add(offset)));
                }
            }
            Inst::Load { dst, ty: cairn_ir::Ty::Ptr, addr, offset, .. } => {
                if let Some(addr) = self.address_of(function, *addr) {
                    let (cell, dst) = (self.cell(addr, *offset), self.held(register(*dst)));
                    self.unite(dst, cell);
                }
            }
            Inst::Store { ty: cairn_ir::Ty::Ptr, addr, offset, src, .. } => {
                if let (Some(addr), Some(src)) = (self.address_of(function, *addr), self.address_of(function, *src)) {
                    let cell = self.cell(addr, *offset);
                    self.unite(cell, src);
                }
            }
            Inst::Copy { dst, src, .. } => {
                if let (Some(dst), Some(src)) = (self.address_of(function, *dst), self.address_of(function, *src)) {
                    self.unite(dst, src);
                }
            }
            Inst::Call(call) => {
                let Callee::Function(callee) = call.callee else { return };
                let dst = call.dst.map(|dst| self.held(register(dst)));
                if asked.contains(&callee) {
                    if let Some(dst) = dst {
                        self.sources.insert((function, loc), dst);
                    }
                    return;
                }
                // Arguments of library functions may have any class, and the caller determines the class of the
                // objects that they allocate.
                if program.functions[callee.index()].origin == Origin::Model {
                    if let Some(dst) = dst {
                        self.sources.insert((function, loc), dst);
                    }
                    return;
                }
                let body = program.functions[callee.index()].body.as_ref();
                for (param, arg) in body.iter().flat_map(|body| &body.params).zip(&call.args) {
                    if let (Param::Reg(reg), Some(arg)) = (param, self.address_of(function, arg.value)) {
                        let param = self.held(Holder::Register(callee, *reg));
                        self.unite(param, arg);
                    }
                }
                if let Some(dst) = dst {
                    let result = self.held(Holder::Result(callee));
                    self.unite(dst, result);
                }
            }
            Inst::Intrinsic { op, dst: Some(dst), args, .. } => {
                let dst = self.held(register(*dst));
                if *op == Intrinsic::HeapRealloc
                    && let Some(before) = args.first().and_then(|&before| self.address_of(function, before))
                {
                    self.unite(dst, before);
                }
                if allocates(*op) && !asked.contains(&function) {
                    self.sources.insert((function, loc), dst);
                }
            }
            _ => {}
        }
    }

    /// Returns the class of the address in an operand.
    fn address_of(&mut self, function: FuncId, operand: Operand) -> Option<Address> {
        let holder = match operand {
            Operand::Reg(reg) => Holder::Register(function, reg),
            Operand::Slot(slot) => Holder::Slot(function, slot),
            Operand::Global(global) => Holder::Global(global),
            _ => return None,
        };
        Some(self.held(holder))
    }

    /// Returns the class of the address in a register, or of the address of a variable.
    fn held(&mut self, holder: Holder) -> Address {
        if let Some(&known) = self.holders.get(&holder) {
            return self.find((known, 0));
        }
        let class = self.add();
        self.holders.insert(holder, class);
        (class, 0)
    }

    /// Returns the class of the address in a cell.
    fn cell(&mut self, (class, distance): Address, offset: i64) -> Address {
        let (class, distance) = self.find((class, distance));
        let at = distance.wrapping_add(offset);
        if let Some(&known) = self.cells[class].get(&at) {
            return self.find((known, 0));
        }
        let content = self.add();
        self.cells[class].insert(at, content);
        (content, 0)
    }

    fn add(&mut self) -> usize {
        let class = self.parents.len();
        self.parents.push((class, 0));
        self.cells.push(BTreeMap::new());
        self.mixed.push(false);
        class
    }

    fn find(&self, (mut class, mut distance): Address) -> Address {
        while self.parents[class].0 != class {
            distance = distance.wrapping_add(self.parents[class].1);
            class = self.parents[class].0;
        }
        (class, distance)
    }

    /// Unites the classes of two addresses and of their contents.
    fn unite(&mut self, one: Address, other: Address) {
        let mut waiting = vec![(one, other)];
        while let Some((one, other)) = waiting.pop() {
            let (one, other) = (self.find(one), self.find(other));
            if one.0 == other.0 {
                self.mixed[one.0] |= one.1 != other.1;
                continue;
            }
            let distance = one.1.wrapping_sub(other.1);
            self.parents[other.0] = (one.0, distance);
            let mixed = self.mixed[other.0];
            self.mixed[one.0] |= mixed;
            for (at, content) in std::mem::take(&mut self.cells[other.0]) {
                let at = at.wrapping_add(distance);
                match self.cells[one.0].get(&at) {
                    Some(&known) => waiting.push(((known, 0), (content, 0))),
                    None => {
                        self.cells[one.0].insert(at, content);
                    }
                }
            }
        }
    }
}

fn insts(body: &Body) -> impl Iterator<Item = (&Inst, Loc)> {
    body.blocks.iter().flat_map(|block| block.insts.iter().zip(block.locs.iter().copied()))
}

fn allocates(op: Intrinsic) -> bool {
    matches!(
        op,
        Intrinsic::HeapAlloc | Intrinsic::HeapAllocZeroed | Intrinsic::HeapAllocAligned | Intrinsic::HeapRealloc
    )
}

/// Returns whether a function allocates as many bytes as its caller asks for.
fn is_asked(body: &Body, others: &FxHashSet<FuncId>) -> bool {
    let mut asked: FxHashSet<Reg> =
        body.params.iter().filter_map(|param| if let Param::Reg(reg) = param { Some(*reg) } else { None }).collect();
    // A function with pointer parameters does more than allocate.
    if asked.iter().any(|reg| body.regs[reg.index()].ty == cairn_ir::Ty::Ptr) {
        return false;
    }
    for (inst, _) in insts(body) {
        if let Inst::Convert { dst, src: Operand::Reg(src), .. } | Inst::Move { dst, src: Operand::Reg(src) } = inst
            && asked.contains(src)
        {
            asked.insert(*dst);
        }
    }
    let is = |operand: Operand| matches!(operand, Operand::Reg(reg) if asked.contains(&reg));
    insts(body).any(|(inst, _)| match inst {
        Inst::Intrinsic { op, args, .. } => allocates(*op) && args.iter().any(|&arg| is(arg)),
        Inst::Call(call) => {
            let knows = matches!(call.callee, Callee::Function(callee) if others.contains(&callee));
            knows && call.args.iter().any(|arg| is(arg.value))
        }
        _ => false,
    })
}
