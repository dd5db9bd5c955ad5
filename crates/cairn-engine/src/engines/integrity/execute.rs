//! Strongest postconditions from a cut-point to the next ones (papers/shape-neutral, Figure 1a), along every path.

use cairn_ir::ctype::{Type, TypeId};
use cairn_ir::inst::Case;
use cairn_ir::program::Param;
use cairn_ir::{BinaryOp, Block, Body, CompareOp, ConvertOp, FuncId, Inst, Loc, Operand, Program, Reg, Terminator, Ty};
use cairn_rules::{Answer, Lit, Model, Solver, Term};
use rustc_hash::FxHashMap;

use super::cut::Invariant;
use super::report::{FunctionReport, Status, Violation};
use super::state::{Element, Frame, Origin, Reach, Site, State, Value};
use super::theory::Theory;
use super::types::{ClassId, NodeId, NodeTypes};
use super::{Options, Summary};
use crate::liveness::Liveness;

/// Paths between two cut-points beyond this number are not followed: the answer is unknown.
const PATHS: usize = 6000;
/// Instructions of one function beyond this number are not executed.
const STEPS: u64 = 2_000_000;
/// Iterations of a loop whose condition is a constant are followed up to this number.
const PEEL: usize = 40;
/// Below this, addresses belong to nothing: a small offset from null is null as well.
pub(super) const NULL_PAGE: i64 = 4096;

/// Why a path ends.
#[derive(Debug)]
pub(super) enum Stop {
    /// It can't be followed, or is done.
    Done,
    /// An allocation was given a type: the function is executed anew.
    Restart,
}

/// How a step went.
pub(super) type Flow<T = ()> = Result<T, Stop>;

/// Checks one function.
pub(super) struct Checker<'c, 'p> {
    pub program: &'p Program,
    pub types: &'c mut NodeTypes<'p>,
    pub theory: &'c Theory,
    pub summaries: &'c [Summary],
    pub options: Options,
    stop: &'c dyn Fn() -> bool,
    pub solver: Solver<'c>,
    pub origins: Vec<Option<Origin>>,
    pub next_heap: i64,
    elements: FxHashMap<Element, Term>,
    statics: FxHashMap<Operand, Term>,
    pub site_types: FxHashMap<Site, NodeId>,
    pub function: FuncId,
    pub invariants: FxHashMap<usize, Invariant>,
    /// Loop heads whose invariant changed.
    pub agenda: Vec<usize>,
    pub heads: Vec<bool>,
    pub liveness: Option<Liveness>,
    work: Vec<(State, usize, Option<Lit>)>,
    pub memory: Status,
    pub integrity: Status,
    pub in_callers: bool,
    pub conditions: usize,
    /// Whether some path comes to an end, and whether one of them can be taken.
    pub ends: bool,
    pub alive: bool,
    steps: u64,
}

impl<'c, 'p> Checker<'c, 'p> {
    pub fn new(
        program: &'p Program,
        types: &'c mut NodeTypes<'p>,
        theory: &'c Theory,
        summaries: &'c [Summary],
        options: Options,
        stop: &'c dyn Fn() -> bool,
    ) -> Self {
        Self {
            program,
            types,
            theory,
            summaries,
            options,
            stop,
            solver: Solver::new(&theory.rules),
            origins: Vec::new(),
            next_heap: 1,
            elements: FxHashMap::default(),
            statics: FxHashMap::default(),
            site_types: FxHashMap::default(),
            function: FuncId(0),
            invariants: FxHashMap::default(),
            agenda: Vec::new(),
            heads: Vec::new(),
            liveness: None,
            work: Vec::new(),
            memory: Status::Proved,
            integrity: Status::Proved,
            in_callers: false,
            conditions: 0,
            ends: false,
            alive: false,
            steps: 0,
        }
    }

    /// The answers for a function with a body.
    pub fn function(mut self, id: FuncId) -> FunctionReport {
        self.function = id;
        let Some(body) = self.body(id) else {
            let none = Status::Unknown("it has no body".to_owned());
            let (memory, integrity) = (none.clone(), none);
            return FunctionReport { function: id, memory, integrity, in_callers: false, conditions: 0 };
        };
        self.liveness = Some(Liveness::of(body));
        self.heads = vec![false; body.blocks.len()];
        for (number, block) in body.blocks.iter().enumerate() {
            block.end.for_successors(&mut |next| self.heads[next.index()] |= next.index() <= number);
        }
        loop {
            self.memory = Status::Proved;
            self.integrity = Status::Proved;
            self.in_callers = false;
            self.invariants.clear();
            self.agenda.clear();
            match self.segments(body) {
                Err(Stop::Restart) => {}
                _ => break,
            }
        }
        if self.ends && !self.alive {
            // Everything follows from a contradiction; nothing is claimed from one.
            self.unknown("no path to the end of the function can be taken");
        }
        FunctionReport {
            function: id,
            memory: self.memory,
            integrity: self.integrity,
            in_callers: self.in_callers,
            conditions: self.conditions,
        }
    }

    pub fn body(&self, id: FuncId) -> Option<&'p Body> {
        self.program.functions[id.index()].body.as_ref()
    }

    fn segments(&mut self, body: &'p Body) -> Flow {
        self.begin();
        let state = self.entry(body)?;
        self.run(state)?;
        while let Some(head) = self.agenda.pop() {
            if self.over() {
                break;
            }
            self.begin();
            let Some(state) = self.resume(body, head) else { continue };
            self.run(state)?;
        }
        Ok(())
    }

    /// Whether nothing more can be won: both answers are known not to be yes, or time is up.
    fn over(&mut self) -> bool {
        if self.memory != Status::Proved && self.integrity != Status::Proved {
            return true;
        }
        if self.steps > STEPS || (self.stop)() {
            self.unknown("out of budget");
            return true;
        }
        false
    }

    pub fn unknown(&mut self, reason: &str) {
        for status in [&mut self.memory, &mut self.integrity] {
            if *status == Status::Proved {
                *status = Status::Unknown(reason.to_owned());
            }
        }
    }

    /// A new solver for a new segment.
    fn begin(&mut self) {
        self.solver = Solver::new(&self.theory.rules);
        self.solver.set_budget(50_000);
        self.origins.clear();
        self.elements.clear();
        self.statics.clear();
        self.next_heap = 1;
    }

    /// A new variable, and what it is.
    pub fn variable(&mut self, origin: Origin) -> Term {
        let term = self.solver.fresh();
        let index = term.var.0 as usize;
        if self.origins.len() <= index {
            self.origins.resize(index + 1, None);
        }
        self.origins[index] = Some(origin);
        term
    }

    pub fn origin(&self, term: Term) -> Option<&Origin> {
        self.origins.get(term.var.0 as usize).and_then(Option::as_ref)
    }

    pub fn reach(&self, term: Term) -> Reach {
        self.origin(term).map_or(Reach::Public, |origin| origin.reach)
    }

    /// What a pointer type points to, as far as there are rules for it.
    pub fn pointee(&mut self, ty: Option<TypeId>) -> Option<NodeId> {
        ty.and_then(|ty| self.types.pointee(ty))
    }

    /// Assumes something on this path; the path ends where it can't be.
    pub fn assume(&mut self, lit: Lit) -> Flow {
        if self.solver.assume(lit) { Ok(()) } else { Err(Stop::Done) }
    }

    pub fn assume_node(&mut self, node: NodeId, term: Term, epoch: i64) -> Flow {
        let lit = self.solver.constraint(self.theory.node(node), &[term, Term::constant(epoch)]);
        self.assume(lit)
    }

    /// Whether the negation of a condition contradicts the path; a model otherwise.
    pub fn prove(&mut self, negated: &[Lit]) -> Result<(), Option<Box<Model>>> {
        self.conditions += 1;
        match self.solver.refute(negated) {
            Answer::Refuted => Ok(()),
            Answer::Satisfied(model) => Err(Some(Box::new(model))),
            Answer::Exhausted => Err(None),
        }
    }

    /// A memory condition fails: the path ends.
    pub fn memory_fails(&mut self, state: &State, loc: Loc, what: &str, model: Option<Box<Model>>) -> Stop {
        if self.memory == Status::Proved {
            self.memory = self.failure(state, loc, what, model, None);
        }
        Stop::Done
    }

    /// An integrity condition fails: the path ends.
    pub fn integrity_fails(
        &mut self,
        state: &State,
        loc: Loc,
        what: &str,
        model: Option<Box<Model>>,
        breaks: Option<Term>,
    ) -> Stop {
        if self.integrity == Status::Proved {
            self.integrity = self.failure(state, loc, what, model, breaks);
        }
        Stop::Done
    }

    fn failure(
        &mut self,
        state: &State,
        loc: Loc,
        what: &str,
        model: Option<Box<Model>>,
        breaks: Option<Term>,
    ) -> Status {
        let Some(model) = model else { return Status::Unknown(format!("{what}: out of budget")) };
        let graph = self.picture(&model, state, breaks);
        Status::Violated(Box::new(Violation { what: what.to_owned(), loc, path: state.path.clone(), graph }))
    }

    /// New closed heaps: everything may have changed, and is valid.
    pub fn new_epoch(&mut self, state: &mut State) -> Flow {
        state.epoch += 1;
        self.fresh_heaps(state)
    }

    pub fn fresh_heaps(&mut self, state: &mut State) -> Flow {
        state.peeked.clear();
        state.held.clear();
        for class in 0..self.types.classes.len() {
            let heap = self.next_heap;
            self.next_heap += 1;
            state.heaps[class] = heap;
            state.closed[class] = heap;
            if let Some(closed) = self.theory.closed(ClassId(class as u32)) {
                let lit = self.solver.constraint(closed, &[Term::constant(heap), Term::constant(state.epoch)]);
                self.assume(lit)?;
            }
        }
        Ok(())
    }

    /// A state without a path, with closed heaps and the slots of the function.
    pub fn blank(&mut self, body: &'p Body, block: usize, first: bool) -> Flow<State> {
        let count = self.types.classes.len();
        let frame = Frame {
            function: self.function,
            regs: vec![Value::Unknown; body.regs.len()],
            slots: Vec::new(),
            block,
            inst: 0,
            result: None,
        };
        let mut state = State {
            frames: vec![frame],
            heaps: vec![0; count],
            closed: vec![0; count],
            epoch: 0,
            escaped: false,
            dangling: false,
            made: Vec::new(),
            out: None,
            leaked: if first { Vec::new() } else { self.escaping_slots(body) },
            held: Vec::new(),
            peeled: Vec::new(),
            peeked: Vec::new(),
            path: Vec::new(),
        };
        self.fresh_heaps(&mut state)?;
        let slots = self.make_slots(&mut state, body, first)?;
        state.frame_mut().slots = slots;
        Ok(state)
    }

    /// The variables in memory of a function that starts (or goes on at a loop head).
    pub fn make_slots(&mut self, state: &mut State, body: &'p Body, first: bool) -> Flow<Vec<Term>> {
        let escaping = self.escaping_slots(body);
        let mut slots = Vec::with_capacity(body.slots.len());
        for (index, slot) in body.slots.iter().enumerate() {
            let node = body.ctypes.slot(cairn_ir::SlotId::new(index)).and_then(|ty| self.types.of(ty));
            let mut origin = Origin::unknown();
            origin.hint = node;
            origin.reach = if escaping[index] { Reach::Public } else { Reach::Private };
            origin.owned = true;
            if node.is_none() {
                origin.block = Some((Some(slot.size), Site(Vec::new())));
            }
            let address = self.variable(origin);
            // Nothing that was there before points to a variable; later, something may if its address was handed on.
            let until = if escaping[index] { state.epoch } else { i64::MAX / 2 };
            if first || !escaping[index] {
                let fresh = self.solver.constraint(self.theory.fresh, &[address, Term::constant(until)]);
                self.assume(fresh)?;
            }
            let made = self.solver.constraint(self.theory.made, &[address]);
            self.assume(made)?;
            self.assume_object(node, address)?;
            if let (Some(node), true) = (node, first) {
                self.wipe(state, address, node, false)?;
            }
            slots.push(address);
        }
        Ok(slots)
    }

    pub fn assume_object(&mut self, node: Option<NodeId>, address: Term) -> Flow {
        let nonnull = !self.solver.equal(address, Term::constant(0));
        self.assume(nonnull)?;
        if let Some(node) = node {
            let object = self.solver.constraint(self.theory.object(node), &[address]);
            self.assume(object)?;
        }
        Ok(())
    }

    /// The start of the function: whatever valid graph, and arguments in it.
    fn entry(&mut self, body: &'p Body) -> Flow<State> {
        let mut state = self.blank(body, 0, true)?;
        let (mut params, hidden) = self.parameter_types(body.ctypes.function, body.params.len());
        params.resize(body.params.len(), None);
        for (index, (&param, ty)) in body.params.iter().zip(params).enumerate() {
            match param {
                Param::Reg(reg) => {
                    let info = &body.regs[reg.index()];
                    let mut origin = Origin::unknown();
                    let node =
                        if hidden && index == 0 { ty.and_then(|ty| self.types.of(ty)) } else { self.pointee(ty) };
                    if info.ty != Ty::Ptr {
                        let term = self.variable(origin);
                        state.frame_mut().regs[reg.index()] = Value::Term(term);
                        continue;
                    }
                    origin.hint = node;
                    let term = self.variable(origin);
                    if let Some(node) = node {
                        self.assume_node(node, term, 0)?;
                        if hidden && index == 0 {
                            // The memory for a struct result is the caller's, and not initialised.
                            self.assume_object(Some(node), term)?;
                            self.wipe(&mut state, term, node, false)?;
                            state.out = Some((term, node));
                        }
                    }
                    state.frame_mut().regs[reg.index()] = Value::Term(term);
                }
                Param::Slot(slot) => {
                    // A struct that is passed is valid.
                    let address = state.frame().slots[slot.index()];
                    if let Some(node) = self.origin(address).and_then(|origin| origin.hint) {
                        self.validate(&mut state, address, node)?;
                    }
                }
            }
        }
        Ok(state)
    }

    /// The C types of parameters, the hidden one first, and whether there is a hidden one.
    pub fn parameter_types(&mut self, function: Option<TypeId>, count: usize) -> (Vec<Option<TypeId>>, bool) {
        let Some(Type::Function(ty)) = function.map(|ty| self.program.types.get(ty)) else {
            return (vec![None; count], false);
        };
        let hidden = matches!(self.program.types.get(ty.ret.ty), Type::Record(_) | Type::Complex(_));
        let first = hidden.then_some(Some(ty.ret.ty));
        (first.into_iter().chain(ty.params.iter().map(|&ty| Some(ty))).collect(), hidden)
    }

    /// Follows all paths from a state.
    fn run(&mut self, state: State) -> Flow {
        self.work.clear();
        let level = self.solver.level();
        self.work.push((state, level, None));
        let mut paths = 0;
        while let Some((state, level, lit)) = self.work.pop() {
            if self.over() {
                return Ok(());
            }
            paths += 1;
            if paths > PATHS {
                self.unknown("too many paths between two cut-points");
                return Ok(());
            }
            self.solver.backtrack(level);
            if lit.is_some_and(|lit| !self.solver.assume(lit)) {
                continue;
            }
            if let Err(Stop::Restart) = self.path(state) {
                return Err(Stop::Restart);
            }
        }
        Ok(())
    }

    /// Puts a state aside that holds when the literal does.
    pub fn fork(&mut self, state: State, lit: Option<Lit>) {
        let level = self.solver.level();
        self.work.push((state, level, lit));
    }

    fn path(&mut self, mut state: State) -> Flow {
        loop {
            let frame = state.frame_mut();
            let Some(body) = self.body(frame.function) else { return Ok(()) };
            let block: &'p Block = &body.blocks[frame.block];
            let at = frame.inst;
            if at == block.insts.len() {
                self.end(&mut state, block)?;
                continue;
            }
            frame.inst += 1;
            self.steps += 1;
            if self.steps > STEPS {
                self.unknown("out of budget");
                return Ok(());
            }
            self.inst(&mut state, &block.insts[at], block.locs[at])?;
        }
    }

    /// Where a block goes on. Returns when the path goes on in `state`.
    fn end(&mut self, state: &mut State, block: &'p Block) -> Flow {
        match &block.end {
            Terminator::Jump(next) => self.go(state, next.index()),
            Terminator::Branch { cond, then, other, .. } => {
                let value = self.operand(state, *cond);
                state.path.push(block.end_loc);
                self.split(state, value, then.index(), other.index())
            }
            Terminator::Switch { ty, signed, value, cases, default, .. } => {
                state.path.push(block.end_loc);
                let term = self.integer(state, *value, *ty);
                self.switch(state, term, *signed, cases, default.index())
            }
            Terminator::JumpTo { .. } => {
                self.unknown("a computed goto");
                Err(Stop::Done)
            }
            Terminator::Return(value) => {
                let value = value.map(|value| self.operand(state, value));
                if state.frames.len() > 1 {
                    let frame = state.frames.pop();
                    if let (Some(reg), Some(value)) = (frame.and_then(|frame| frame.result), value) {
                        state.frame_mut().regs[reg.index()] = value;
                    }
                    return Ok(());
                }
                self.leave(state, value, block.end_loc)?;
                Err(Stop::Done)
            }
            Terminator::Unreachable => Err(Stop::Done),
        }
    }

    fn split(&mut self, state: &mut State, value: Value, then: usize, other: usize) -> Flow {
        let lit = match value {
            Value::Test(lit) => lit,
            Value::Term(term) => !self.solver.equal(term, Term::constant(0)),
            Value::Unknown => {
                let mut rest = state.clone();
                if self.place(&mut rest, other)? {
                    self.fork(rest, None);
                }
                return self.go(state, then);
            }
        };
        match self.solver.value(lit) {
            Some(true) => self.go(state, then),
            Some(false) => self.go(state, other),
            None => {
                let rest = state.clone();
                self.fork_to(rest, !lit, other)?;
                self.assume(lit)?;
                self.go(state, then)
            }
        }
    }

    /// Puts aside a state that goes on at a block when the literal holds. A loop head is arrived at when it is taken up again.
    fn fork_to(&mut self, mut state: State, lit: Lit, block: usize) -> Flow {
        if self.heads_at(&state, block) {
            let level = self.solver.level();
            if self.solver.assume(lit) {
                let arrived = self.place(&mut state, block);
                self.solver.backtrack(level);
                if arrived? {
                    self.fork(state, Some(lit));
                }
            } else {
                self.solver.backtrack(level);
            }
            return Ok(());
        }
        state.frame_mut().block = block;
        state.frame_mut().inst = 0;
        self.fork(state, Some(lit));
        Ok(())
    }

    fn heads_at(&self, state: &State, block: usize) -> bool {
        state.frames.len() == 1 && self.heads[block]
    }

    fn switch(&mut self, state: &mut State, term: Term, signed: bool, cases: &[Case], default: usize) -> Flow {
        let mut rest = state.clone();
        let mut outcome = Ok(());
        for case in cases {
            // Ranges of an unsigned switch that go over the sign are not told apart.
            if !signed && (case.low < 0 || case.high < 0) {
                let mut copy = rest.clone();
                if self.place(&mut copy, case.target.index())? {
                    self.fork(copy, None);
                }
                continue;
            }
            if case.low == case.high {
                let lit = self.solver.equal(term, Term::constant(case.low));
                if self.solver.value(lit) != Some(false) {
                    self.fork_to(rest.clone(), lit, case.target.index())?;
                }
                if !self.solver.assume(!lit) {
                    outcome = Err(Stop::Done);
                    break;
                }
            } else {
                // A range is not told apart from the rest.
                self.fork_to(rest.clone(), Lit::TRUE, case.target.index())?;
            }
        }
        outcome?;
        std::mem::swap(state, &mut rest);
        self.go(state, default)
    }

    /// Goes on at a block; a loop head is a cut-point.
    fn go(&mut self, state: &mut State, block: usize) -> Flow {
        if self.place(state, block)? { Ok(()) } else { Err(Stop::Done) }
    }

    /// Puts the state at the start of a block. `false` when the block is a cut-point, where the path ends.
    fn place(&mut self, state: &mut State, block: usize) -> Flow<bool> {
        if self.heads_at(state, block) && !self.peels(state, block) && !self.starts_at_a_slot(state, block) {
            match self.arrive(state, block) {
                Err(Stop::Restart) => return Err(Stop::Restart),
                _ => return Ok(false),
            }
        }
        let frame = state.frame_mut();
        frame.block = block;
        frame.inst = 0;
        Ok(true)
    }

    /// Whether a variable points to a slot here and did not go through this loop yet. A list that is built behind a local
    /// anchor starts like this; after the first iteration, the anchor is like any other node.
    fn starts_at_a_slot(&self, state: &mut State, block: usize) -> bool {
        let Some(body) = self.body(self.function) else { return false };
        if state.peeled.contains(&block) {
            return false;
        }
        let live = self.liveness.as_ref().map_or_else(Vec::new, |live| live.before(body, block, 0));
        let frame = state.frame();
        let found = frame.regs.iter().zip(&live).any(|(value, &live)| match value {
            Value::Term(term) if live => frame.slots.iter().any(|slot| slot.var == term.var),
            _ => false,
        });
        if found {
            state.peeled.push(block);
        }
        found
    }

    /// Whether the condition of a loop is a constant here: then the iteration is executed as it stands.
    fn peels(&self, state: &State, block: usize) -> bool {
        let Some(body) = self.body(state.frame().function) else { return false };
        let block = &body.blocks[block];
        let Terminator::Branch { cond: Operand::Reg(cond), .. } = block.end else { return false };
        if state.path.len() > PEEL * 4 {
            return false;
        }
        block.insts.iter().any(|inst| match inst {
            Inst::Compare { dst, lhs, rhs, .. } if *dst == cond => {
                [lhs, rhs].into_iter().all(|operand| match operand {
                    Operand::Int(_) => true,
                    Operand::Reg(reg) => match state.frame().regs[reg.index()] {
                        Value::Term(term) => self.solver.constant(term).is_some(),
                        _ => false,
                    },
                    _ => false,
                })
            }
            _ => false,
        })
    }

    /// The value of an operand.
    pub fn operand(&mut self, state: &mut State, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => state.frame().regs[reg.index()],
            Operand::Int(value) => Value::Term(Term::constant(value)),
            Operand::Slot(slot) => Value::Term(state.frame().slots[slot.index()]),
            Operand::Global(_) | Operand::Function(_) | Operand::Label(_) => self.fixed(operand),
            Operand::Wide(_) => Value::Unknown,
        }
    }

    /// The address of something that is always there. What is known of it is assumed at each use: what was assumed on another
    /// path is gone.
    fn fixed(&mut self, operand: Operand) -> Value {
        let global = match operand {
            Operand::Global(id) => Some(&self.program.globals[id.index()]),
            _ => None,
        };
        let node = global.and_then(|global| global.ctype).and_then(|ty| self.types.of(ty));
        let term = match self.statics.get(&operand) {
            Some(&term) => term,
            None => {
                let mut origin = Origin::unknown();
                origin.hint = node;
                origin.owned = true;
                if let (Some(global), None) = (global, node) {
                    origin.block = Some((Some(global.size), Site(Vec::new())));
                }
                let term = self.variable(origin);
                self.statics.insert(operand, term);
                term
            }
        };
        if global.is_some() {
            let fixed = self.solver.constraint(self.theory.fixed, &[term]);
            self.solver.assume(fixed);
        }
        let _ = self.assume_object(node, term);
        Value::Term(term)
    }

    /// A term for an operand: what is not known gets a name.
    pub fn integer(&mut self, state: &mut State, operand: Operand, _ty: Ty) -> Term {
        let value = self.operand(state, operand);
        match value {
            Value::Term(term) => term,
            Value::Test(_) | Value::Unknown => {
                let term = self.variable(Origin::unknown());
                if let (Operand::Reg(reg), Value::Unknown) = (operand, value) {
                    state.frame_mut().regs[reg.index()] = Value::Term(term);
                }
                term
            }
        }
    }

    /// An instruction.
    fn inst(&mut self, state: &mut State, inst: &'p Inst, loc: Loc) -> Flow {
        match inst {
            Inst::Move { dst, src } => {
                let value = self.operand(state, *src);
                self.set(state, *dst, value)
            }
            Inst::Undef { dst } => self.set(state, *dst, Value::Unknown),
            Inst::Unary { dst, .. } | Inst::Divide { dst, .. } => {
                self.blur(state, inst);
                self.set(state, *dst, Value::Unknown)
            }
            Inst::Binary { op, ty, dst, lhs, rhs } => {
                let value = self.binary(state, *op, *ty, *lhs, *rhs);
                if let Value::Unknown = value {
                    self.blur(state, inst);
                }
                self.set(state, *dst, value)
            }
            Inst::Compare { op, ty, dst, lhs, rhs } => {
                let value = self.compare(state, *op, *ty, *lhs, *rhs);
                self.set(state, *dst, value)
            }
            Inst::Convert { op, to, dst, src, .. } => {
                let value = self.convert(state, *op, *to, *src);
                if let Value::Unknown = value {
                    self.blur(state, inst);
                }
                self.set(state, *dst, value)
            }
            Inst::PtrAdd { dst, base, index, scale } => {
                let base = self.integer(state, *base, Ty::Ptr);
                let index = self.integer(state, *index, Ty::I64);
                let term = self.offset(base, index, *scale);
                self.set(state, *dst, Value::Term(term))
            }
            Inst::PtrSub { dst, lhs, rhs } => {
                let (lhs, rhs) = (self.integer(state, *lhs, Ty::Ptr), self.integer(state, *rhs, Ty::Ptr));
                let value = match self.solver.difference(lhs, rhs) {
                    Some(difference) => Value::Term(Term::constant(difference)),
                    None => Value::Unknown,
                };
                self.set(state, *dst, value)
            }
            Inst::Load { dst, ty, addr, offset, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let value = self.load(state, address, *ty, loc)?;
                self.set(state, *dst, value)
            }
            Inst::Store { ty, addr, offset, src, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let value = self.operand(state, *src);
                self.store(state, address, *ty, value, loc)
            }
            Inst::LoadBits { dst, addr, offset, bits, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let size = u64::from(bits.start) + u64::from(bits.width);
                self.region(state, address, size.div_ceil(8), loc)?;
                self.set(state, *dst, Value::Unknown)
            }
            Inst::StoreBits { addr, offset, bits, .. } => {
                let address = self.integer(state, *addr, Ty::Ptr) + *offset;
                let size = u64::from(bits.start) + u64::from(bits.width);
                self.scribble(state, address, size.div_ceil(8), loc)
            }
            Inst::Copy { dst, src, size, .. } => {
                let (dst, src) = (self.integer(state, *dst, Ty::Ptr), self.integer(state, *src, Ty::Ptr));
                self.copy(state, dst, src, *size, loc)
            }
            Inst::Zero { dst, offset, size } => {
                let address = self.integer(state, *dst, Ty::Ptr) + *offset;
                self.set_bytes(state, address, *size, true, loc)
            }
            Inst::Enter(local) => {
                match local {
                    cairn_ir::inst::Local::Reg(reg) => state.frame_mut().regs[reg.index()] = Value::Unknown,
                    cairn_ir::inst::Local::Slot(slot) => {
                        let address = state.frame().slots[slot.index()];
                        if let Some(node) = self.origin(address).and_then(|origin| origin.hint) {
                            self.wipe(state, address, node, false)?;
                        }
                    }
                }
                Ok(())
            }
            Inst::Leave(_) => Ok(()),
            Inst::EnterVla { .. } => {
                self.unknown("a variable-length array");
                Err(Stop::Done)
            }
            Inst::Call(call) => self.call(state, call, loc),
            Inst::Intrinsic { op, dst, args, .. } => self.intrinsic(state, *op, *dst, args, loc),
            Inst::Unsupported { what, .. } => {
                self.unknown(&format!("{what} is not supported"));
                Err(Stop::Done)
            }
        }
    }

    /// A result of which nothing is known was made of addresses: nobody knows where they go.
    fn blur(&mut self, state: &mut State, inst: &Inst) {
        let mut private = false;
        inst.for_operands(&mut |operand| {
            if let Operand::Reg(reg) = operand
                && let Value::Term(term) = state.frame().regs[reg.index()]
            {
                private |= self.reach(term) != Reach::Public;
            }
        });
        state.escaped |= private;
    }

    /// Assigns a register. A block without a type gets that of the variable it is put into.
    pub fn set(&mut self, state: &mut State, reg: Reg, value: Value) -> Flow {
        state.frame_mut().regs[reg.index()] = value;
        if let (Value::Term(term), Some(body)) = (value, self.body(state.frame().function)) {
            let node = self.pointee(body.ctypes.reg(reg));
            self.demand(term, node)?;
        }
        Ok(())
    }

    fn offset(&mut self, base: Term, index: Term, scale: i64) -> Term {
        let constant = self.solver.constant(index);
        if let Some(index) = constant {
            let array = self.origin(base).and_then(|origin| origin.hint).is_some_and(|node| {
                let mut cells = self.types.node(node).cells.iter();
                cells.any(|cells| cells.count > 1 && self.types.class(cells.class).width as i64 == scale)
            });
            if !array || scale <= 1 {
                return base + index.wrapping_mul(scale);
            }
        }
        let element = Element { base, index, scale };
        if let Some(&known) = self.elements.get(&element) {
            // What was assumed of it on another path is gone.
            if let Some(index) = constant {
                self.exactly(known, base + index.wrapping_mul(scale));
            }
            return known;
        }
        let mut origin = Origin::unknown();
        origin.element = Some(element);
        origin.reach = self.reach(base);
        let term = self.variable(origin);
        self.elements.insert(element, term);
        if let Some(index) = constant {
            self.exactly(term, base + index.wrapping_mul(scale));
        }
        term
    }

    fn exactly(&mut self, term: Term, value: Term) {
        let equal = self.solver.equal(term, value);
        self.solver.assume(equal);
    }

    fn binary(&mut self, state: &mut State, op: BinaryOp, ty: Ty, lhs: Operand, rhs: Operand) -> Value {
        if !ty.is_int() || ty == Ty::I128 || ty == Ty::I1 {
            return Value::Unknown;
        }
        let (lhs, rhs) = (self.integer(state, lhs, ty), self.integer(state, rhs, ty));
        let constants = (self.solver.constant(lhs), self.solver.constant(rhs));
        let bits = ty.bits(self.program.target);
        let wrap = |value: i64| if bits >= 64 { value } else { (value << (64 - bits)) >> (64 - bits) };
        if let (Some(a), Some(b)) = constants {
            let amount = (b as u32) % bits.max(1);
            let unsigned = if bits >= 64 { a as u64 } else { (a as u64) & ((1 << bits) - 1) };
            return Value::Term(Term::constant(wrap(match op {
                BinaryOp::Add => a.wrapping_add(b),
                BinaryOp::Sub => a.wrapping_sub(b),
                BinaryOp::Mul => a.wrapping_mul(b),
                BinaryOp::And => a & b,
                BinaryOp::Or => a | b,
                BinaryOp::Xor => a ^ b,
                BinaryOp::Shl => a.wrapping_shl(amount),
                BinaryOp::LShr => (unsigned >> amount) as i64,
                BinaryOp::AShr => a >> amount,
                BinaryOp::FDiv => return Value::Unknown,
            })));
        }
        let step = match (op, constants) {
            (BinaryOp::Add, (_, Some(b))) => Some((lhs, b)),
            (BinaryOp::Add, (Some(a), _)) => Some((rhs, a)),
            (BinaryOp::Sub, (_, Some(b))) => Some((lhs, b.wrapping_neg())),
            (BinaryOp::And | BinaryOp::Or, (_, Some(mask))) => return self.tagged(op, lhs, mask),
            (BinaryOp::And | BinaryOp::Or, (Some(mask), _)) => return self.tagged(op, rhs, mask),
            _ => None,
        };
        let Some((term, step)) = step else { return Value::Unknown };
        if self.is_address(term) {
            // Addresses of nodes are far from where a sum wraps around.
            return if step.abs() < NULL_PAGE { Value::Term(term + step) } else { Value::Unknown };
        }
        let limit = if bits >= 63 { i64::MAX / 4 } else { (1 << (bits - 1)) - 1 };
        let wraps = if step >= 0 {
            !self.solver.at_most(term, Term::constant(limit.saturating_sub(step)))
        } else {
            !self.solver.at_most(Term::constant((-limit).saturating_sub(step)), term)
        };
        if self.prove(&[wraps]).is_ok() { Value::Term(term + step) } else { Value::Unknown }
    }

    fn compare(&mut self, state: &mut State, op: CompareOp, ty: Ty, lhs: Operand, rhs: Operand) -> Value {
        if ty.is_float() || ty == Ty::I128 {
            return Value::Unknown;
        }
        // A truth value that went through an integer.
        if let (Value::Test(lit), Operand::Int(value)) = (self.operand(state, lhs), rhs) {
            return match (op, value) {
                (CompareOp::Ne, 0) | (CompareOp::Eq, 1) => Value::Test(lit),
                (CompareOp::Eq, 0) | (CompareOp::Ne, 1) => Value::Test(!lit),
                _ => Value::Unknown,
            };
        }
        let (a, b) = (self.integer(state, lhs, ty), self.integer(state, rhs, ty));
        Value::Test(match op {
            CompareOp::Eq => self.solver.equal(a, b),
            CompareOp::Ne => !self.solver.equal(a, b),
            CompareOp::SLt => self.solver.at_most(a + 1, b),
            CompareOp::SLe => self.solver.at_most(a, b),
            CompareOp::ULt | CompareOp::ULe => {
                // Signed and unsigned order agree where no sign is set.
                let signs = [a, b].map(|term| !self.solver.at_most(Term::constant(0), term));
                if ty == Ty::Ptr || signs.into_iter().any(|sign| self.prove(&[sign]).is_err()) {
                    return Value::Unknown;
                }
                if op == CompareOp::ULt { self.solver.at_most(a + 1, b) } else { self.solver.at_most(a, b) }
            }
            _ => return Value::Unknown,
        })
    }

    fn convert(&mut self, state: &mut State, op: ConvertOp, to: Ty, src: Operand) -> Value {
        let value = self.operand(state, src);
        match (op, value) {
            (ConvertOp::PtrToInt | ConvertOp::IntToPtr | ConvertOp::SExt, Value::Term(_)) => value,
            (ConvertOp::ZExt, Value::Test(_)) => value,
            (ConvertOp::ZExt, Value::Term(term)) => {
                let negative = !self.solver.at_most(Term::constant(0), term);
                if self.prove(&[negative]).is_ok() { value } else { Value::Unknown }
            }
            (ConvertOp::Trunc, Value::Term(term)) => match self.solver.constant(term) {
                Some(constant) => {
                    let bits = to.bits(self.program.target);
                    Value::Term(Term::constant((constant << (64 - bits)) >> (64 - bits)))
                }
                None => Value::Unknown,
            },
            _ => Value::Unknown,
        }
    }

    /// The slots whose address is used for more than direct accesses and struct results.
    pub fn escaping_slots(&self, body: &Body) -> Vec<bool> {
        let mut escaping = vec![false; body.slots.len()];
        let mut mark = |operand: Operand| {
            if let Operand::Slot(slot) = operand {
                escaping[slot.index()] = true;
            }
        };
        for inst in body.blocks.iter().flat_map(|block| &block.insts) {
            match inst {
                Inst::Load { .. } | Inst::LoadBits { .. } | Inst::Copy { .. } | Inst::Zero { .. } => {}
                Inst::Store { src, .. } | Inst::StoreBits { src, .. } => mark(*src),
                Inst::Call(call) => {
                    let ty = call.ctype.map(|ty| self.program.types.get(ty));
                    let hidden = match ty {
                        Some(Type::Function(ty)) => matches!(self.program.types.get(ty.ret.ty), Type::Record(_)),
                        _ => false,
                    };
                    call.args.iter().skip(usize::from(hidden)).for_each(|arg| mark(arg.value));
                }
                other => other.for_operands(&mut mark),
            }
        }
        for block in &body.blocks {
            block.end.for_operands(&mut mark);
        }
        escaping
    }
}
