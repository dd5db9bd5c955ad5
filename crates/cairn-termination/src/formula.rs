//! The executions of a function up to each iteration of each loop, as terms.
//!
//! Blocks are executed once, in reverse postorder. At the head of a loop, everything that the loop may change becomes a fresh variable:
//! the state at the head is that of any iteration. So the conditions of branches on the way to the loop hold for the values that the loop
//! leaves alone, and a path from the head to a back edge is one iteration. Iterations of inner loops are cut in the same way.

use cairn_ir::analysis::cfg::{Cfg, DepthFirst};
use cairn_ir::analysis::loops::{Loop, Loops};
use cairn_ir::ctype::Type;
use cairn_ir::inst::{CompareOp, ConvertOp, Inst, Local, Terminator};
use cairn_ir::program::{Body, Program};
use cairn_ir::{BlockId, Intrinsic, Loc, Operand, Reg, Ty, layout};
use cairn_memory::scalar::{self, float_terms};
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::What;
use crate::effects::Effects;
use crate::limits::{INSTRUCTIONS, LAST_PAGE};
use crate::objects::{Base, Objects};

/// The values at a program point, in executions that fulfil a condition.
#[derive(Clone)]
pub(crate) struct State {
    /// The condition under which an execution gets here.
    pub guard: Term,
    /// The values of the registers, and then those of the cells.
    pub values: Vec<Term>,
}

/// A loop of a function.
pub(crate) struct LoopFormula {
    pub head: BlockId,
    /// The states in which the loop is entered.
    pub entry: State,
    /// The state at the start of any iteration. Its guard is that of the entry.
    pub start: State,
    /// The states at the end of an iteration that is followed by another one.
    pub next: State,
    /// The values that the loop changes and that an iteration may read: indices into the values of states.
    pub variables: Vec<usize>,
    /// The comparisons of the loop, as operands that are variables or constant.
    pub comparisons: Vec<(CompareOp, Side, Side)>,
}

/// A side of a comparison, as it is at the start of an iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// A value at the start of the iteration.
    Value(usize),
    /// A number that is the same in all iterations.
    Fixed(Term),
}

/// The executions of a function.
pub(crate) struct Formula {
    pub terms: Terms,
    /// Facts that hold in all executions.
    pub facts: Vec<Term>,
    pub loops: Vec<LoopFormula>,
    /// Whether each value is an integer or a pointer.
    pub is_number: Vec<bool>,
    /// Whether each value is a signed number, as far as is known: others wrap in C.
    pub is_signed: Vec<bool>,
}

impl Formula {
    /// Returns the formula of a function, or nothing if the function has no loops.
    pub fn of(program: &Program, effects: &Effects, body: &Body) -> Result<Option<Formula>, (What, Loc)> {
        let cfg = Cfg::of(body);
        let traversal = DepthFirst::of(&cfg);
        let loops = Loops::new(&cfg, &traversal);
        if loops.is_empty() {
            return Ok(None);
        }
        let start = body.blocks.first().map_or(Loc::NONE, |block| block.end_loc);
        if !loops.is_reducible() {
            return Err((What::NotModelled("a loop of several entries".to_owned()), start));
        }
        if body.blocks.iter().map(|block| block.insts.len()).sum::<usize>() > INSTRUCTIONS {
            return Err((What::TooLarge, start));
        }
        let objects = Objects::of(body, effects, &loops, program.target);
        let mut builder = Builder {
            program,
            body,
            objects: &objects,
            effects,
            facts: Vec::new(),
            terms: Terms::new(),
            addresses: FxHashMap::default(),
            edges: vec![Vec::new(); body.blocks.len()],
            back: vec![Vec::new(); body.blocks.len()],
            loops: &loops,
        };
        let heads = builder.run(&traversal)?;
        let mut found = Vec::new();
        for (head, entry, at_start) in heads {
            let Some(cycle) = loops.at(head) else { continue };
            let back = std::mem::take(&mut builder.back[head.index()]);
            // Without a way back to the head there is no second iteration.
            let Some(next) = builder.merged(back) else { continue };
            let variables = builder.variables(cycle);
            let comparisons = builder.comparisons(cycle);
            found.push(LoopFormula { head, entry, start: at_start, next, variables, comparisons });
        }
        let types = body.regs.iter().map(|reg| reg.ty).chain(objects.cells.iter().map(|cell| cell.ty));
        let is_number = types.map(|ty| !ty.is_float() && ty != Ty::I1 && ty.bits(program.target) <= 64).collect();
        let mut is_signed: Vec<bool> =
            (0..body.regs.len()).map(|reg| is_signed(program, body, Reg::new(reg))).collect();
        is_signed.resize(body.regs.len() + objects.cells.len(), true);
        for &(op, a, b) in found.iter().flat_map(|known| &known.comparisons) {
            for side in [a, b] {
                if let (Side::Value(index), CompareOp::ULt | CompareOp::ULe) = (side, op) {
                    is_signed[index] = false;
                }
            }
        }
        Ok(Some(Formula { terms: builder.terms, facts: builder.facts, loops: found, is_number, is_signed }))
    }
}

/// The head of a loop with the states in which it is entered and in which iterations start.
type Head = (BlockId, State, State);

struct Builder<'p> {
    program: &'p Program,
    body: &'p Body,
    objects: &'p Objects<'p>,
    effects: &'p Effects,
    loops: &'p Loops,
    /// Facts about addresses.
    facts: Vec<Term>,
    terms: Terms,
    addresses: FxHashMap<Operand, Term>,
    /// The states on the edges to each block, apart from back edges.
    edges: Vec<Vec<State>>,
    /// The states on the back edges to each block.
    back: Vec<Vec<State>>,
}

impl Builder<'_> {
    /// Executes all blocks. Returns the heads of loops with the states in which they are entered and in which iterations start.
    fn run(&mut self, traversal: &DepthFirst) -> Result<Vec<Head>, (What, Loc)> {
        let mut heads = Vec::new();
        let values = (0..self.body.regs.len() + self.objects.cells.len()).map(|index| self.fresh(index)).collect();
        let guard = self.terms.truth();
        let mut first = Some(State { guard, values });
        for &block in traversal.reverse_postorder() {
            let mut incoming = std::mem::take(&mut self.edges[block.index()]);
            incoming.extend(first.take());
            let Some(mut state) = self.merged(incoming) else { continue };
            if let Some(cycle) = self.loops.at(block) {
                let entry = state.clone();
                for index in self.changed(cycle) {
                    state.values[index] = self.fresh(index);
                }
                heads.push((block, entry, state.clone()));
            }
            self.block(block, state)?;
        }
        Ok(heads)
    }

    /// Returns a fresh value in place of a register or cell.
    fn fresh(&mut self, index: usize) -> Term {
        let ty = match self.body.regs.get(index) {
            Some(reg) => reg.ty,
            None => self.objects.cells[index - self.body.regs.len()].ty,
        };
        self.terms.variable("value", ty.bits(self.program.target))
    }

    /// Returns the registers and cells that a loop may change.
    fn changed(&self, cycle: &Loop) -> Vec<usize> {
        let mut changed = vec![false; self.body.regs.len() + self.objects.cells.len()];
        for inst in cycle.blocks().flat_map(|block| &self.body.blocks[block.index()].insts) {
            if let Some(reg) = assigned(inst) {
                changed[reg.index()] = true;
            }
            for cell in self.objects.changed(inst) {
                changed[self.body.regs.len() + cell] = true;
            }
        }
        (0..changed.len()).filter(|&index| changed[index]).collect()
    }

    /// Returns the values that a loop changes and that an iteration may read before it writes them.
    fn variables(&self, cycle: &Loop) -> Vec<usize> {
        let changed = self.changed(cycle);
        let registers = self.body.regs.len();
        // A register that is written in the block that reads it, before that, carries nothing from one iteration to the next.
        let mut read = vec![false; registers];
        for block in cycle.blocks() {
            let mut written = vec![false; registers];
            let mut note = |operand: Operand, written: &[bool]| {
                if let Operand::Reg(reg) = operand {
                    read[reg.index()] |= !written[reg.index()];
                }
            };
            let known = &self.body.blocks[block.index()];
            for inst in &known.insts {
                inst.for_operands(&mut |operand| note(operand, &written));
                if let Some(reg) = assigned(inst) {
                    written[reg.index()] = true;
                }
            }
            known.end.for_operands(&mut |operand| note(operand, &written));
        }
        changed.into_iter().filter(|&index| index >= registers || read[index]).collect()
    }

    /// Returns the comparisons of numbers in a loop.
    fn comparisons(&mut self, cycle: &Loop) -> Vec<(CompareOp, Side, Side)> {
        let mut found = Vec::new();
        let body = self.body;
        for inst in cycle.blocks().flat_map(|block| &body.blocks[block.index()].insts) {
            let Inst::Compare { op, ty, lhs, rhs, .. } = *inst else { continue };
            if ty.is_float() {
                continue;
            }
            if let (Some(a), Some(b)) = (self.side(lhs, ty), self.side(rhs, ty))
                && !found.contains(&(op, a, b))
            {
                found.push((op, a, b));
            }
        }
        found
    }

    fn side(&mut self, operand: Operand, ty: Ty) -> Option<Side> {
        if let Some(cell) = self.objects.loaded(operand) {
            return Some(Side::Value(self.body.regs.len() + cell));
        }
        let address = self.objects.resolve(operand).and_then(|address| {
            let base = match address.base {
                Base::Slot(slot) => Operand::Slot(slot),
                Base::Global(global) => Operand::Global(global),
                Base::Allocated(_) => return None,
            };
            Some((base, address.offset?))
        });
        if let Some((base, offset)) = address {
            let base = self.constant(base, ty)?;
            let offset = self.constant(Operand::Int(offset), ty)?;
            return Some(Side::Fixed(self.terms.add(base, offset)));
        }
        match operand {
            Operand::Reg(reg) => Some(Side::Value(reg.index())),
            _ => self.constant(operand, ty).map(Side::Fixed),
        }
    }

    /// Joins the states of edges.
    fn merged(&mut self, mut edges: Vec<State>) -> Option<State> {
        let mut state = edges.pop()?;
        while let Some(other) = edges.pop() {
            for (value, &second) in state.values.iter_mut().zip(&other.values) {
                if *value != second {
                    *value = self.terms.ite(other.guard, second, *value);
                }
            }
            state.guard = self.terms.or(state.guard, other.guard);
        }
        Some(state)
    }

    /// Executes a block, and leaves the states on its edges.
    fn block(&mut self, id: BlockId, mut state: State) -> Result<(), (What, Loc)> {
        let block = &self.body.blocks[id.index()];
        for inst in &block.insts {
            if !self.inst(&mut state, inst) {
                return Ok(());
            }
        }
        match &block.end {
            Terminator::Jump(to) => self.edge(id, *to, state),
            Terminator::Branch { cond, then, other, .. } => {
                let cond = self.value(&state, *cond, Ty::I1);
                let not = self.terms.not(cond);
                for (to, cond) in [(then, cond), (other, not)] {
                    let guard = self.terms.and(state.guard, cond);
                    self.edge(id, *to, State { guard, values: state.values.clone() });
                }
            }
            Terminator::Switch { ty, signed, value, cases, default, .. } => {
                let value = self.value(&state, *value, *ty);
                let width = ty.bits(self.program.target);
                let mut rest = state.guard;
                for case in cases {
                    let bound = |terms: &mut Terms, bound: i64| {
                        terms.constant(low_bits(i128::from(bound) as u128, width), width)
                    };
                    let (low, high) = (bound(&mut self.terms, case.low), bound(&mut self.terms, case.high));
                    let (above, below) = if *signed {
                        (self.terms.sle(low, value), self.terms.sle(value, high))
                    } else {
                        (self.terms.ule(low, value), self.terms.ule(value, high))
                    };
                    let inside = self.terms.and(above, below);
                    let outside = self.terms.not(inside);
                    let guard = self.terms.and(state.guard, inside);
                    rest = self.terms.and(rest, outside);
                    self.edge(id, case.target, State { guard, values: state.values.clone() });
                }
                self.edge(id, *default, State { guard: rest, values: state.values });
            }
            Terminator::JumpTo { .. } => {
                return Err((What::NotModelled("jumps to computed labels".to_owned()), block.end_loc));
            }
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
        Ok(())
    }

    fn edge(&mut self, from: BlockId, to: BlockId, state: State) {
        if self.terms.is_false(state.guard) {
            return;
        }
        let is_back = self.loops.at(to).is_some_and(|cycle| cycle.contains(from));
        let edges = if is_back { &mut self.back } else { &mut self.edges };
        edges[to.index()].push(state);
    }

    fn value(&mut self, state: &State, operand: Operand, ty: Ty) -> Term {
        match operand {
            Operand::Reg(reg) => state.values[reg.index()],
            _ => self.constant(operand, ty).unwrap_or(state.guard),
        }
    }

    /// Returns the value of an operand that is no register.
    fn constant(&mut self, operand: Operand, ty: Ty) -> Option<Term> {
        let width = ty.bits(self.program.target);
        let size = match operand {
            Operand::Reg(_) => return None,
            Operand::Int(value) => return Some(self.terms.constant(low_bits(i128::from(value) as u128, width), width)),
            Operand::Wide(id) => {
                return Some(self.terms.constant(low_bits(self.program.wide[id.index()], width), width));
            }
            Operand::Slot(slot) => self.body.slots[slot.index()].size,
            Operand::Global(global) => self.program.globals[global.index()].size,
            Operand::Function(_) | Operand::Label(_) => 0,
        };
        if let Some(&known) = self.addresses.get(&operand) {
            return Some(known);
        }
        let address = self.terms.variable("address", width);
        self.addresses.insert(operand, address);
        // Objects lie neither at address 0 nor in the last page of the memory.
        let last = low_bits(u128::MAX, width).checked_sub(u128::from(size) + LAST_PAGE)?;
        let (one, last) = (self.terms.constant(1, width), self.terms.constant(last, width));
        let (above, below) = (self.terms.ule(one, address), self.terms.ule(address, last));
        self.facts.extend([above, below]);
        Some(address)
    }

    /// Executes an instruction. Returns whether execution goes on.
    fn inst(&mut self, state: &mut State, inst: &Inst) -> bool {
        let changed = self.objects.changed(inst);
        let registers = self.body.regs.len();
        for cell in changed {
            state.values[registers + cell] = self.fresh(registers + cell);
        }
        if let Inst::Store { ty, addr, offset, src, .. } = *inst
            && let Some(cell) = self.objects.cell(addr, offset, ty)
        {
            state.values[registers + cell] = self.value(state, src, ty);
        }
        if let Inst::Intrinsic { op: Intrinsic::Assume, args, .. } = inst
            && let Some(&condition) = args.first()
        {
            let condition = self.value(state, condition, Ty::I32);
            let zero = self.terms.constant(0, 32);
            let holds = self.terms.ne(condition, zero);
            state.guard = self.terms.and(state.guard, holds);
        }
        if !self.effects.goes_on(inst) {
            return false;
        }
        let Some(dst) = assigned(inst) else { return true };
        let result = self.result(state, inst);
        let width = self.body.regs[dst.index()].ty.bits(self.program.target);
        state.values[dst.index()] = match result {
            Some(value) if self.terms.width(value) == width => value,
            _ => self.fresh(dst.index()),
        };
        true
    }

    /// Returns the result of an instruction, if it is followed.
    fn result(&mut self, state: &mut State, inst: &Inst) -> Option<Term> {
        let target = self.program.target;
        let word = Ty::int(target.pointer_bits())?;
        let result = match *inst {
            Inst::Move { dst, src } => self.value(state, src, self.body.regs[dst.index()].ty),
            Inst::Unary { op, ty, src, .. } => {
                let value = self.value(state, src, ty);
                scalar::terms::unary(&mut self.terms, target, op, ty, value)
            }
            Inst::Binary { op, ty, lhs, rhs, .. } => {
                let (a, b) = (self.value(state, lhs, ty), self.value(state, rhs, ty));
                scalar::terms::binary(&mut self.terms, target, op, ty, a, b)
            }
            Inst::Divide { op, ty, lhs, rhs, .. } => {
                let (a, b) = (self.value(state, lhs, ty), self.value(state, rhs, ty));
                let (defined, result) = scalar::terms::divide(&mut self.terms, op, a, b);
                // The program stops otherwise.
                state.guard = self.terms.and(state.guard, defined);
                result
            }
            Inst::Compare { op, ty, lhs, rhs, .. } => {
                let (a, b) = (self.value(state, lhs, ty), self.value(state, rhs, ty));
                self.compare(op, ty, a, b)
            }
            Inst::Convert { op, from, to, src, .. } => {
                let value = self.value(state, src, from);
                let width = to.bits(target);
                match op {
                    ConvertOp::Trunc => self.terms.extract(value, 0, width),
                    ConvertOp::ZExt => self.terms.zext(value, width),
                    ConvertOp::SExt => self.terms.sext(value, width),
                    ConvertOp::PtrToInt | ConvertOp::IntToPtr => value,
                    _ => float_terms::convert(&mut self.terms, op, from, to, target, value),
                }
            }
            Inst::PtrAdd { base, index, scale, .. } => {
                let base = self.value(state, base, Ty::Ptr);
                let index = self.value(state, index, word);
                let distance = self.terms.scale(index, i128::from(scale) as u128);
                self.terms.add(base, distance)
            }
            Inst::PtrSub { lhs, rhs, .. } => {
                let (a, b) = (self.value(state, lhs, Ty::Ptr), self.value(state, rhs, Ty::Ptr));
                self.terms.sub(a, b)
            }
            Inst::Load { ty, addr, offset, .. } => {
                let cell = self.objects.cell(addr, offset, ty)?;
                state.values[self.body.regs.len() + cell]
            }
            _ => return None,
        };
        Some(result)
    }

    fn compare(&mut self, op: CompareOp, ty: Ty, a: Term, b: Term) -> Term {
        if ty.is_float() {
            return float_terms::compare(&mut self.terms, op, ty, a, b);
        }
        match op {
            CompareOp::Eq => self.terms.eq(a, b),
            CompareOp::Ne => self.terms.ne(a, b),
            CompareOp::SLt => self.terms.slt(a, b),
            CompareOp::SLe => self.terms.sle(a, b),
            CompareOp::ULt => self.terms.ult(a, b),
            CompareOp::ULe => self.terms.ule(a, b),
            _ => self.terms.variable("float", 1),
        }
    }
}

/// Returns whether a register holds a signed number. Without a type, it is taken for one.
fn is_signed(program: &Program, body: &Body, reg: Reg) -> bool {
    match body.ctypes.reg(reg).map(|ty| program.types.get(ty)) {
        Some(Type::Int(kind)) => layout::int_signed(*kind),
        Some(Type::Enum(id)) => layout::int_signed(program.types.enumeration(*id).repr),
        Some(_) => false,
        None => body.regs[reg.index()].ty != Ty::Ptr,
    }
}

/// Returns the register whose value an instruction changes.
fn assigned(inst: &Inst) -> Option<Reg> {
    match inst {
        Inst::Enter(Local::Reg(reg)) | Inst::Leave(Local::Reg(reg)) => Some(*reg),
        _ => inst.dst(),
    }
}

/// Returns the low bits of a number.
fn low_bits(number: u128, width: u32) -> u128 {
    if width >= 128 { number } else { number & ((1 << width) - 1) }
}
