//! Which allocations of a program give nodes of one kind, as far as its text tells.
//!
//! Nodes of different kinds may have the same size and pointers in the same cells: the items of a stack and the nodes of the trees that they
//! lead to. What is assigned to one variable, or stored in the same cell of nodes of one kind, is of one kind (Steensgaard, POPL 1996); what
//! is never mixed in this way is not taken for neighbours in a list or in a tree. This only says what is folded, and not what that means: a
//! kind too many or too few costs a proof, not its soundness.
//!
//! Pointers into the middle of a node are its address and an offset, so classes are kept with distances. Where two distances contradict
//! each other nothing is known of the class.

use std::collections::BTreeMap;

use cairn_ir::program::{Origin, Param};
use cairn_ir::source::StackPlace;
use cairn_ir::{Body, Callee, FuncId, GlobalId, Inst, Intrinsic, Loc, Operand, Program, Reg, SlotId, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};

/// Something that holds an address, or is at one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Holder {
    Register(FuncId, Reg),
    Slot(FuncId, SlotId),
    Global(GlobalId),
    Result(FuncId),
}

/// A class of addresses and how far into what it stands for one of them leads.
type Address = (usize, i64);

/// The kinds of nodes.
#[derive(Default, Debug)]
pub(in crate::engines::shape) struct Kinds {
    holders: FxHashMap<Holder, usize>,
    /// For each class the one that it belongs to, and the distance to that.
    parents: Vec<Address>,
    /// What the cells of a class hold.
    cells: Vec<BTreeMap<i64, usize>>,
    /// Whether its distances contradict each other.
    mixed: Vec<bool>,
    /// What the places of the program give that allocate, or call what allocates for whoever asks.
    sources: FxHashMap<(FuncId, Loc), Address>,
}

impl Kinds {
    /// The kinds of nodes of a program. Of one that calls by pointers nothing is known.
    pub(super) fn of(program: &Program) -> Self {
        let mut kinds = Self::default();
        let bodies = || {
            let functions = program.functions.iter().enumerate();
            let written = functions.filter(|(_, function)| function.origin == Origin::User);
            written.filter_map(|(index, function)| Some((FuncId::new(index), function.body.as_ref()?)))
        };
        let by_pointer = |inst: &Inst| matches!(inst, Inst::Call(call) if matches!(call.callee, Callee::Pointer(_)));
        if bodies().any(|(_, body)| insts(body).any(|(inst, _)| by_pointer(inst))) {
            return kinds;
        }
        // Who allocates as much as it is asked for, or asks another one: of what kind that is, the caller knows.
        let mut asked: FxHashSet<FuncId> = FxHashSet::default();
        while let Some((found, _)) = bodies().find(|(id, body)| !asked.contains(id) && is_asked(body, &asked)) {
            asked.insert(found);
        }
        for (function, body) in bodies() {
            for (inst, loc) in insts(body) {
                kinds.read(program, function, inst, loc, &asked);
            }
            for block in &body.blocks {
                if let Terminator::Return(Some(value)) = block.end
                    && !asked.contains(&function)
                    && let Some(value) = kinds.address_of(function, value)
                {
                    let result = kinds.held(Holder::Result(function));
                    kinds.unite(result, value);
                }
            }
        }
        kinds
    }

    /// Whether what was allocated at two places, each given with the calls that led there, the innermost first, is of different kinds.
    pub(super) fn differ(&self, one: &[StackPlace], other: &[StackPlace]) -> bool {
        match (self.kind_at(one), self.kind_at(other)) {
            (Some(one), Some(other)) => one != other,
            _ => false,
        }
    }

    fn kind_at(&self, born: &[StackPlace]) -> Option<Address> {
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
                    // Which element of an array it is makes no difference.
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
                // What the C library is passed is of any kind, and what it allocates its caller knows.
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

    /// The address that an operand is.
    fn address_of(&mut self, function: FuncId, operand: Operand) -> Option<Address> {
        let holder = match operand {
            Operand::Reg(reg) => Holder::Register(function, reg),
            Operand::Slot(slot) => Holder::Slot(function, slot),
            Operand::Global(global) => Holder::Global(global),
            _ => return None,
        };
        Some(self.held(holder))
    }

    /// The address in a register, or that of a variable.
    fn held(&mut self, holder: Holder) -> Address {
        if let Some(&known) = self.holders.get(&holder) {
            return self.find((known, 0));
        }
        let class = self.add();
        self.holders.insert(holder, class);
        (class, 0)
    }

    /// The address that a cell holds.
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

    /// Lets two addresses be the same, and with them what lies there.
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

/// Whether a function allocates as much as it is asked for.
fn is_asked(body: &Body, others: &FxHashSet<FuncId>) -> bool {
    let mut asked: FxHashSet<Reg> =
        body.params.iter().filter_map(|param| if let Param::Reg(reg) = param { Some(*reg) } else { None }).collect();
    // One that is passed pointers, too, does more with what it allocates.
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
