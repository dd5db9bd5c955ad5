//! How the formula is built: functions are inlined where they are called, blocks are taken in an order in which edges go forward,
//! states join where paths do, and loops are cut.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::{Origin, Param};
use cairn_ir::{Body, CheckKind, Checks, FuncId, Loc, Operand, Program, Terminator, Ty};
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use super::knowledge::{Context, Knowledge, LoopKey, Name, ObjectKey, Part, Place};
use super::loops::{Loop, Loops};
use super::print::Definition;
use super::value::{Base, DEAD, FIRST, ID_BITS, NOTHING, ObjectNumber, Pointee, UNKNOWN, Value, objects, only};
use super::{Dereference, Event, Formula, FormulaLoop, LoopVariable, Obligation};
use crate::liveness::Liveness;

/// What is asked of the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that the program starts in.
    pub entry: String,
    /// The checks that count.
    pub kinds: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` counts as one of the checks; otherwise it only ends the program.
    pub assert_faults: bool,
}

/// Terms beyond which a formula is given up.
const MAX_TERMS: usize = 1_500_000;

/// Calls nested deeper than this are not followed.
const MAX_DEPTH: usize = 60;

/// A variable of the state: an instance of an object, by its number, and a part of it.
pub(super) type Cell = (u32, Part);

/// The state at a place: when it is reached, and what everything holds.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) guard: Term,
    /// Registers of the function at hand; `None` for those that hold nothing.
    pub(super) regs: Vec<Option<Value>>,
    pub(super) cells: Rc<BTreeMap<Cell, Value>>,
}

/// A function that is being inlined.
pub(super) struct Frame<'p> {
    pub(super) function: FuncId,
    pub(super) context: Context,
    pub(super) body: &'p Body,
    loops: Rc<Loops>,
    liveness: Rc<Liveness>,
    returns: Vec<(State, Option<Value>)>,
    /// How the variable arguments are passed.
    pub(super) variadic: Vec<Passing>,
}

/// Builds a formula.
pub struct Builder<'p, 'k> {
    pub(super) program: &'p Program,
    pub(super) options: &'p Options,
    pub(super) unwind: u32,
    pub(super) knowledge: &'k mut Knowledge,
    pub(super) terms: Terms,
    most_terms: usize,
    pub(super) pointer_bits: u32,
    pub(super) frames: Vec<Frame<'p>>,
    /// The loops around the place at hand.
    pub(super) around: Vec<(usize, LoopKey)>,
    pub(super) copies: Vec<u32>,
    analysed: FxHashMap<FuncId, (Rc<Loops>, Rc<Liveness>)>,
    /// The first number of each object.
    ids: BTreeMap<ObjectNumber, u32>,
    /// The object of each first number.
    owners: BTreeMap<u32, ObjectNumber>,
    next_id: u32,
    pub(super) loops: Vec<FormulaLoop>,
    pub(super) obligations: Vec<Obligation>,
    pub(super) axioms: Vec<Term>,
    pub(super) dereferences: Vec<Dereference>,
    pub(super) events: Vec<(Term, Event)>,
    pub(super) untracked: Vec<Term>,
    pub(super) definitions: Vec<Definition>,
    pub(super) assumed_harmless: BTreeSet<String>,
    pub(super) allocates: bool,
}

/// Edges out of a region: where they go and with what.
type Edges = Vec<(usize, State)>;

impl<'p, 'k> Builder<'p, 'k> {
    /// A builder that starts from what is known.
    pub fn new(
        program: &'p Program,
        options: &'p Options,
        unwind: u32,
        knowledge: &'k mut Knowledge,
        terms: Terms,
    ) -> Self {
        Self {
            most_terms: terms.len() + MAX_TERMS,
            program,
            options,
            unwind,
            knowledge,
            terms,
            pointer_bits: program.target.pointer_bits(),
            frames: Vec::new(),
            around: Vec::new(),
            copies: Vec::new(),
            analysed: FxHashMap::default(),
            ids: BTreeMap::new(),
            owners: BTreeMap::new(),
            next_id: FIRST,
            loops: Vec::new(),
            obligations: Vec::new(),
            axioms: Vec::new(),
            dereferences: Vec::new(),
            events: Vec::new(),
            untracked: Vec::new(),
            definitions: Vec::new(),
            assumed_harmless: BTreeSet::new(),
            allocates: false,
        }
    }

    /// Builds the formula.
    ///
    /// # Errors
    /// When there is no entry function, or the formula becomes too large.
    pub fn build(mut self) -> Result<Formula, String> {
        let entry = self.program.function_named(&self.options.entry);
        let entry = entry.filter(|f| self.program.functions[f.index()].body.is_some());
        let entry = entry.ok_or_else(|| format!("the program has no function `{}`", self.options.entry))?;
        let guard = self.terms.truth();
        let mut state = State { guard, regs: Vec::new(), cells: Rc::default() };
        self.set_up_globals(&mut state);
        let (args, read) = self.entry_arguments(entry);
        if read {
            self.gap(&state, "the program reads its arguments", Loc::NONE);
        }
        let context = Context(0);
        if let Some((state, value)) = self.function(state, entry, context, &args, Vec::new())? {
            self.leave_program(state, value)?;
        }
        let manys: Vec<ObjectNumber> = self.ids.keys().copied().filter(|&o| self.knowledge.info(o).many).collect();
        let instances = manys.into_iter().map(|o| (o, self.numbers(o))).collect();
        let mut object_names = vec!["null".to_owned(), "unknown".to_owned(), "dead".to_owned()];
        for object in self.owners.values().copied().collect::<Vec<_>>() {
            for number in self.numbers(object) {
                object_names.push(self.instance_name(number));
            }
        }
        Ok(Formula {
            terms: self.terms,
            loops: self.loops,
            obligations: self.obligations,
            axioms: self.axioms,
            dereferences: self.dereferences,
            events: self.events,
            untracked: self.untracked,
            definitions: self.definitions,
            instances,
            assumed_harmless: self.assumed_harmless,
            allocates: self.allocates,
            object_names,
        })
    }

    fn entry_arguments(&mut self, entry: FuncId) -> (Vec<Value>, bool) {
        let function = &self.program.functions[entry.index()];
        let mut args = Vec::new();
        for passing in &function.signature.params {
            let ty = match passing {
                Passing::Scalar(ty) => *ty,
                Passing::Memory { .. } => Ty::Ptr,
            };
            args.push(Value::anything(&mut self.terms, "argument", ty.bits(self.program.target)));
        }
        let Some(body) = &function.body else { return (args, false) };
        let params: Vec<Operand> = body
            .params
            .iter()
            .map(|param| match *param {
                Param::Reg(reg) => Operand::Reg(reg),
                Param::Slot(slot) => Operand::Slot(slot),
            })
            .collect();
        let mut read = false;
        for block in &body.blocks {
            block.insts.iter().for_each(|inst| inst.for_operands(&mut |operand| read |= params.contains(&operand)));
            block.end.for_operands(&mut |operand| read |= params.contains(&operand));
        }
        (args, read)
    }

    /// The entry function has returned: `exit` runs what was registered for the end.
    fn leave_program(&mut self, state: State, status: Option<Value>) -> Result<(), String> {
        let exit = self.program.function_named("exit").filter(|id| {
            let function = &self.program.functions[id.index()];
            let takes = function.signature.params == [Passing::Scalar(Ty::I32)];
            function.body.is_some() && function.origin == Origin::Model && takes
        });
        let Some(exit) = exit else { return Ok(()) };
        let status = status.filter(|value| self.terms.width(value.bits) == 32);
        let status = status.unwrap_or_else(|| Value::integer(self.terms.constant(0, 32)));
        let context =
            self.knowledge.context(Place { context: Context(0), block: usize::MAX, inst: 0, copies: Vec::new() });
        self.function(state, exit, context, &[status], Vec::new())?;
        Ok(())
    }

    // Objects.

    /// The numbers of the instances of an object; of one that stands for many, the last is that of the rest.
    pub(super) fn numbers(&mut self, object: ObjectNumber) -> Vec<u32> {
        let info = self.knowledge.info(object);
        let count = if info.many { info.instances + 1 } else { 1 };
        let first = match self.ids.get(&object) {
            Some(&first) => first,
            None => {
                let first = self.next_id;
                self.ids.insert(object, first);
                self.owners.insert(first, object);
                self.next_id += count;
                first
            }
        };
        (first..first + count).collect()
    }

    /// The number of an object, where something made one.
    pub(super) fn first_number(&self, object: ObjectNumber) -> Option<u32> {
        self.ids.get(&object).copied()
    }

    /// The object that an instance belongs to.
    pub(super) fn owner_of(&self, id: u32) -> Option<ObjectNumber> {
        self.owners.range(..=id).next_back().map(|(_, &object)| object)
    }

    /// The instances that have contents.
    pub(super) fn tracked(&mut self, object: ObjectNumber) -> Vec<u32> {
        let mut numbers = self.numbers(object);
        if self.knowledge.info(object).many {
            numbers.pop();
        }
        numbers
    }

    /// The number of the rest, for an object that stands for many.
    pub(super) fn rest(&mut self, object: ObjectNumber) -> Option<u32> {
        if self.knowledge.info(object).many { self.numbers(object).pop() } else { None }
    }

    pub(super) fn number(&mut self, id: u32) -> Term {
        self.terms.constant(u128::from(id), ID_BITS)
    }

    pub(super) fn is(&mut self, id: Term, number: u32) -> Term {
        let number = self.number(number);
        self.terms.eq(id, number)
    }

    /// All numbers that a base stands for.
    pub(super) fn expand(&mut self, base: Base) -> Vec<u32> {
        match base {
            Base::Nothing => vec![NOTHING],
            Base::Unknown => vec![UNKNOWN],
            Base::Dead => vec![DEAD],
            Base::Object(object) => self.numbers(object),
        }
    }

    /// A pointer to the start of an object that there is one of.
    pub(super) fn address(&mut self, object: ObjectNumber) -> Value {
        let id = self.numbers(object)[0];
        let id = self.number(id);
        let bits = self.terms.constant(0, self.pointer_bits);
        Value { bits, object: Some(Pointee { id, targets: only(Base::Object(object), Some(0)) }) }
    }

    /// What an instance is called: `ao_13` for what line 13 allocates, with the number of the instance where there are several.
    pub(super) fn instance_name(&mut self, number: u32) -> String {
        let Some(object) = self.owner_of(number) else { return "?".to_owned() };
        let first = self.numbers(object)[0];
        let info = self.knowledge.info(object);
        if !info.many {
            info.name.clone()
        } else if number - first == info.instances {
            format!("{}^*", info.name)
        } else {
            format!("{}^{}", info.name, number - first + 1)
        }
    }

    pub(super) fn slot_object(&mut self, slot: cairn_ir::SlotId) -> ObjectNumber {
        let frame = self.frames.last().expect("a function is being inlined");
        let (context, info) = (frame.context, &frame.body.slots[slot.index()]);
        self.knowledge.object(ObjectKey::Slot(context, slot), || {
            let name = info.name.as_deref().unwrap_or("temporary").to_owned();
            (name, Some(info.size), false)
        })
    }

    // Obligations.

    /// Something that must not be possible, and that ends the path.
    pub(super) fn require(&mut self, state: &mut State, good: Term, kind: CheckKind, checks: Checks, loc: Loc) {
        let certain = self.terms.falsity();
        self.require_both(state, (good, certain), kind, checks, loc);
    }

    /// Something that must not be possible and that ends the path, and something of which it is not known whether it is fine, after
    /// which the path goes on: an object of the rest may be fine, and cutting it off would leave out runs in which more objects
    /// matter than there are instances.
    pub(super) fn require_both(
        &mut self,
        state: &mut State,
        (good, doubtful): (Term, Term),
        kind: CheckKind,
        checks: Checks,
        loc: Loc,
    ) {
        let not_good = self.terms.not(good);
        let either = self.terms.or(not_good, doubtful);
        let bad = self.terms.and(state.guard, either);
        state.guard = self.terms.and(state.guard, good);
        if self.terms.is_false(bad) {
            return;
        }
        let asked = self.options.kinds.contains(&kind);
        // Division by zero stops the program for certain; what other undefined behaviour leads to is not known.
        if !asked && kind == CheckKind::DivisionByZero {
            return;
        }
        let gap = (!asked).then(|| format!("a path may end in undefined behaviour that was not asked about ({kind})"));
        let check = checks.iter().find(|c| self.program.checks[c.index()].kind == kind);
        let loops = self.loop_indices();
        self.obligations.push(Obligation { kind, check, gap, loc, bad, loops });
    }

    /// The path ends here and nothing is known of what comes after.
    pub(super) fn gap(&mut self, state: &State, reason: &str, loc: Loc) {
        self.gap_where(state.guard, reason, loc);
    }

    /// Nothing is known where a condition holds.
    pub(super) fn gap_where(&mut self, bad: Term, reason: &str, loc: Loc) {
        if !self.terms.is_false(bad) {
            let gap = Some(reason.to_owned());
            let (kind, check, loops) = (CheckKind::Unsupported, None, self.loop_indices());
            self.obligations.push(Obligation { kind, check, gap, loc, bad, loops });
        }
    }

    pub(super) fn loop_indices(&self) -> Vec<usize> {
        self.around.iter().map(|(index, _)| *index).collect()
    }

    pub(super) fn place(&self, block: usize, inst: usize) -> Place {
        let context = self.frames.last().map_or(Context(0), |frame| frame.context);
        Place { context, block, inst, copies: self.copies.clone() }
    }

    // Control flow.

    /// Inlines a function: the state after it, with its result; `None` when it does not return.
    pub(super) fn function(
        &mut self,
        mut state: State,
        function: FuncId,
        context: Context,
        args: &[Value],
        variadic: Vec<Passing>,
    ) -> Result<Option<(State, Option<Value>)>, String> {
        let loc = self.program.functions[function.index()].loc;
        let Some(body) = &self.program.functions[function.index()].body else { return Ok(None) };
        if self.frames.iter().any(|frame| frame.function == function) {
            let name = &self.program.functions[function.index()].name;
            self.gap(&state, &format!("`{name}` calls itself"), loc);
            return Ok(None);
        }
        if self.frames.len() >= MAX_DEPTH {
            self.gap(&state, "calls are nested too deep", loc);
            return Ok(None);
        }
        let (loops, liveness) = self
            .analysed
            .entry(function)
            .or_insert_with(|| (Rc::new(Loops::of(body)), Rc::new(Liveness::of(body))))
            .clone();
        if loops.irreducible {
            self.gap(&state, "a loop is entered in its middle", loc);
            return Ok(None);
        }
        self.frames.push(Frame {
            function,
            context,
            body,
            loops: loops.clone(),
            liveness,
            returns: Vec::new(),
            variadic,
        });
        let caller = std::mem::replace(&mut state.regs, vec![None; body.regs.len()]);
        for (param, arg) in body.params.iter().zip(args) {
            match *param {
                Param::Reg(reg) => state.regs[reg.index()] = Some(arg.clone()),
                Param::Slot(slot) => {
                    let size = body.slots[slot.index()].size;
                    let object = self.slot_object(slot);
                    self.begin_slot(&mut state, object);
                    let to = self.address(object);
                    self.copy(&mut state, &to, arg, size);
                }
            }
        }
        let (_, exits) = self.region(None, 0, state)?;
        debug_assert!(exits.is_empty(), "edges stay in their function");
        let returns = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.returns)).unwrap_or_default();
        let mut joined: Option<(State, Option<Value>)> = None;
        for (mut state, value) in returns {
            // The result travels in a register of its own, so that it joins, and dies, as registers do.
            state.regs = vec![value];
            joined = Some(match joined {
                None => (state, None),
                Some((known, _)) => (self.join(known, state), None),
            });
        }
        let result = joined.map(|(mut state, _)| {
            for slot in 0..body.slots.len() {
                let object = self.slot_object(cairn_ir::SlotId::new(slot));
                self.end_slot(&mut state, object);
            }
            let value = state.regs.pop().flatten();
            state.regs = caller;
            (state, value)
        });
        self.frames.pop();
        Ok(result)
    }

    fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("a function is being inlined")
    }

    /// Runs the blocks of a loop, or of a whole function, from one block on: the states at the edges back to that block, and
    /// those at the edges out.
    fn region(&mut self, inside: Option<&Loop>, head: usize, state: State) -> Result<(Vec<State>, Edges), String> {
        let loops = self.frame().loops.clone();
        let mut waiting: BTreeMap<usize, State> = BTreeMap::from([(loops.position[head], state)]);
        let (mut backs, mut exits) = (Vec::new(), Vec::new());
        let mut first = true;
        while let Some((position, state)) = waiting.pop_first() {
            if self.terms.len() > self.most_terms || self.next_id >= 1 << ID_BITS {
                return Err("the formula becomes too large".to_owned());
            }
            let block = loops.order[position];
            if self.terms.is_false(state.guard) {
                first = false;
                continue;
            }
            let own = first && inside.is_some();
            first = false;
            let edges = match loops.at(block) {
                Some(inner) if !own => self.cut(inner, state)?,
                _ => self.block(block, state)?,
            };
            for (next, state) in edges {
                if inside.is_some() && next == head {
                    backs.push(state);
                } else if inside.is_some_and(|l| !l.blocks.contains(&next)) {
                    exits.push((next, state));
                } else {
                    let at = loops.position[next];
                    let state = match waiting.remove(&at) {
                        Some(known) => self.join(known, state),
                        None => state,
                    };
                    waiting.insert(at, state);
                }
            }
        }
        Ok((backs, exits))
    }

    /// A loop, cut at the end of its body: the states at the edges out of it.
    fn cut(&mut self, inner: &Loop, entry: State) -> Result<Edges, String> {
        let context = self.frame().context;
        let key: LoopKey = (context, inner.head, self.copies.clone());
        let body = self.frame().body;
        let loc = body.blocks[inner.head].locs.first().copied().unwrap_or(body.blocks[inner.head].end_loc);
        let line = loc.line;
        let index = self.loops.len();
        let select = self.terms.variable(&format!("g^ls_{line}"), 1);
        self.define(format!("g_{line}"), entry.guard, None);
        self.loops.push(FormulaLoop {
            loc,
            parent: self.around.last().map(|(index, _)| *index),
            select,
            head: entry.guard,
            end: self.terms.falsity(),
            variables: Vec::new(),
            allocated: Vec::new(),
        });
        let (mut state, mut variables) = self.loop_head(inner, &key, entry, select, line);
        let allocated_before = self.allocated_instances(&state, &variables);
        self.around.push((index, key.clone()));
        self.copies.push(0);
        let mut exits = Vec::new();
        for copy in 0..self.unwind.max(1) {
            if let Some(last) = self.copies.last_mut() {
                *last = copy;
            }
            let (backs, out) = self.region(Some(inner), inner.head, state)?;
            exits.extend(out);
            let mut joined: Option<State> = None;
            for back in backs {
                joined = Some(match joined {
                    None => back,
                    Some(known) => self.join(known, back),
                });
            }
            let Some(mut back) = joined else {
                state = State { guard: self.terms.falsity(), regs: Vec::new(), cells: Rc::default() };
                break;
            };
            self.forget_dead_registers(inner.head, &mut back);
            state = back;
        }
        self.around.pop();
        self.copies.pop();
        // What the variables hold at the end of the body.
        self.loops[index].end = state.guard;
        if self.terms.is_false(state.guard) {
            let never = self.terms.not(select);
            self.axioms.push(never);
        } else {
            let allocated = allocated_before.into_iter().map(|(object, flags)| {
                let end = |builder: &mut Self, (id, back)| (back, builder.flag(&state, (id, Part::Allocated)));
                (object, flags.into_iter().map(|flag| end(self, flag)).collect())
            });
            self.loops[index].allocated = allocated.collect();
            for (variable, cell) in &mut variables {
                if variable.fixed {
                    continue;
                }
                let width = self.terms.width(variable.back.bits);
                let end = match (variable.name, &cell) {
                    (Name::Reg(reg), _) => state.regs[reg as usize].clone(),
                    (_, Some(cell)) => state.cells.get(cell).cloned().or_else(|| self.default_of(cell.1)),
                    _ => None,
                };
                variable.end = end.unwrap_or_else(|| Value::anything(&mut self.terms, "anything", width));
                let pointer = variable.end.object.is_some() || variable.back.object.is_some();
                if pointer {
                    let pointee = variable.end.pointee(&mut self.terms);
                    self.knowledge.point(&key, variable.name, &pointee.targets);
                }
                let label = variable.label.clone();
                self.define_value(format!("{label}_end{line}"), &variable.end.clone());
            }
        }
        self.define(format!("g_end{line}"), state.guard, None);
        self.loops[index].variables = variables.into_iter().map(|(variable, _)| variable).collect();
        Ok(exits)
    }

    /// The state at the head of a loop: what the loop changes is chosen between the value before it and the loop-back variable.
    fn loop_head(
        &mut self,
        inner: &Loop,
        key: &LoopKey,
        mut entry: State,
        select: Term,
        line: u32,
    ) -> (State, Vec<(LoopVariable, Option<Cell>)>) {
        self.forget_dead_registers(inner.head, &mut entry);
        let body = self.frame().body;
        let mut names = self.knowledge.changed(key);
        for &block in &inner.blocks {
            for inst in &body.blocks[block].insts {
                if let Some(dst) = inst.dst() {
                    names.insert(Name::Reg(dst.0));
                }
                match inst {
                    cairn_ir::Inst::Enter(cairn_ir::inst::Local::Reg(reg))
                    | cairn_ir::Inst::Leave(cairn_ir::inst::Local::Reg(reg)) => {
                        names.insert(Name::Reg(reg.0));
                    }
                    _ => {}
                }
            }
        }
        let mut state = entry.clone();
        let mut variables = Vec::new();
        for name in names {
            match name {
                Name::Reg(reg) => {
                    let Some(Some(before)) = entry.regs.get(reg as usize).cloned() else { continue };
                    let info = &body.regs[reg as usize];
                    let label = info.name.as_deref().map_or_else(|| format!("v{reg}"), str::to_owned);
                    let back = self.back_variable(key, name, &label, line, &before, info.ty == Ty::Ptr);
                    let value = Value::choose(&mut self.terms, select, &back, &before);
                    self.define_value(format!("{label}^phi_{line}"), &value);
                    state.regs[reg as usize] = Some(value);
                    let end = back.clone();
                    variables.push((LoopVariable { name, label, instance: None, back, end, fixed: false }, None));
                }
                Name::Part(object, part) => {
                    let many = self.knowledge.info(object).many;
                    let heap = self.knowledge.is_heap(object);
                    for (instance, id) in self.tracked(object).into_iter().enumerate() {
                        let cell = (id, part);
                        let width = self.width_of(object, part);
                        let before = match entry.cells.get(&cell).cloned().or_else(|| self.default_of(part)) {
                            Some(before) => before,
                            // A heap object that is not there yet holds nothing in particular; a variable that is not alive has
                            // no cells.
                            None if heap => Value::anything(&mut self.terms, "anything", width),
                            None => continue,
                        };
                        let label = format!("{}{}", self.instance_name(id), part_label(part));
                        let back = self.back_variable(key, name, &label, line, &before, false);
                        let value = Value::choose(&mut self.terms, select, &back, &before);
                        self.define_value(format!("{label}^phi_{line}"), &value);
                        Rc::make_mut(&mut state.cells).insert(cell, value);
                        let end = back.clone();
                        let instance = many.then_some((object, instance as u32));
                        let fixed = false;
                        variables.push((LoopVariable { name, label, instance, back, end, fixed }, Some(cell)));
                    }
                }
            }
        }
        self.add_fixed(&state, &mut variables);
        let pointers: Vec<Value> = variables.iter().map(|(variable, _)| variable.back.clone()).collect();
        for pointer in pointers {
            self.only_allocated(&state, select, &pointer);
        }
        (state, variables)
    }

    /// The numbers that the loop leaves as they are: what it changes may be bounded by them.
    fn add_fixed(&mut self, state: &State, variables: &mut Vec<(LoopVariable, Option<Cell>)>) {
        let body = self.frame().body;
        let changed: BTreeSet<Name> = variables.iter().map(|(variable, _)| variable.name).collect();
        let mut add = |name: Name, label: String, instance, value: &Value| {
            let (back, end) = (value.clone(), value.clone());
            variables.push((LoopVariable { name, label, instance, back, end, fixed: true }, None));
        };
        for (reg, value) in state.regs.iter().enumerate() {
            let name = Name::Reg(reg as u32);
            if let (Some(value), Some(label)) = (value, &body.regs[reg].name)
                && value.object.is_none()
                && self.terms.as_const(value.bits).is_none()
                && !changed.contains(&name)
            {
                add(name, label.to_string(), None, value);
            }
        }
        for (&(id, part), value) in &*state.cells {
            let Some(object) = self.owner_of(id) else { continue };
            let (name, many) = (Name::Part(object, part), self.knowledge.info(object).many);
            let number = value.object.is_none() && matches!(part, Part::Bytes(_));
            if !number || changed.contains(&name) || (!many && self.terms.as_const(value.bits).is_some()) {
                continue;
            }
            let first = self.ids.get(&object).copied().unwrap_or(id);
            let suffix = if many { format!("^{}", id - first + 1) } else { String::new() };
            let label = format!("{}{suffix}{}", self.knowledge.info(object).name, part_label(part));
            add(name, label, many.then_some((object, id - first)), value);
        }
    }

    /// Whether the instances of each site are allocated, with the loop-back variables for what the loop changes.
    fn allocated_instances(
        &mut self,
        state: &State,
        variables: &[(LoopVariable, Option<Cell>)],
    ) -> Vec<(ObjectNumber, Vec<(u32, Term)>)> {
        let manys: Vec<ObjectNumber> = self.ids.keys().copied().filter(|&o| self.knowledge.info(o).many).collect();
        let mut result = Vec::new();
        for object in manys {
            let mut flags = Vec::new();
            for id in self.tracked(object) {
                let cell = (id, Part::Allocated);
                let back = variables.iter().find(|(_, of)| *of == Some(cell)).map(|(variable, _)| variable.back.bits);
                flags.push((id, back.unwrap_or_else(|| self.flag(state, cell))));
            }
            result.push((object, flags));
        }
        result
    }

    /// A loop-back variable.
    fn back_variable(
        &mut self,
        key: &LoopKey,
        name: Name,
        label: &str,
        line: u32,
        before: &Value,
        pointer: bool,
    ) -> Value {
        let width = self.terms.width(before.bits);
        let bits = self.terms.variable(&format!("{label}^lb_{line}"), width);
        let known = self.knowledge.points_to(key, name).cloned();
        if before.object.is_none() && !pointer && known.is_none() {
            return Value::integer(bits);
        }
        let targets = known.unwrap_or_default();
        let id = self.terms.variable(&format!("&{label}^lb_{line}"), ID_BITS);
        // The number is one of those that the end of the body was seen to have, with the offset that it had.
        let mut any = self.terms.falsity();
        for &target in &targets {
            let mut there = self.terms.truth();
            if let Some(offset) = target.offset {
                let offset = self.terms.constant(u128::from(offset), width);
                there = self.terms.eq(bits, offset);
            }
            for number in self.expand(target.base) {
                let is = self.is(id, number);
                let is = self.terms.and(is, there);
                any = self.terms.or(any, is);
            }
        }
        if targets.is_empty() {
            // Nothing comes back yet; a later build knows more.
            any = self.is(id, UNKNOWN);
        }
        self.axioms.push(any);
        let targets = if targets.is_empty() { only(Base::Unknown, None) } else { Rc::new(targets) };
        Value { bits, object: Some(Pointee { id, targets }) }
    }

    /// A pointer leads only to instances that were allocated.
    fn only_allocated(&mut self, state: &State, select: Term, value: &Value) {
        let Some(pointee) = value.object.clone() else { return };
        for object in objects(&pointee.targets) {
            if !self.knowledge.info(object).many {
                continue;
            }
            for id in self.tracked(object) {
                let allocated = self.flag(state, (id, Part::Allocated));
                let points = self.is(pointee.id, id);
                let points = self.terms.and(select, points);
                let never = self.terms.not(points);
                let implied = self.terms.or(never, allocated);
                self.axioms.push(implied);
            }
        }
    }

    /// A register that is not read again holds nothing.
    fn forget_dead_registers(&mut self, block: usize, state: &mut State) {
        let frame = self.frame();
        let live = frame.liveness.before(frame.body, block, 0);
        for (reg, live) in state.regs.iter_mut().zip(live) {
            if !live {
                *reg = None;
            }
        }
    }

    /// What a part holds that nothing was written to, where that is known.
    pub(super) fn default_of(&mut self, part: Part) -> Option<Value> {
        matches!(part, Part::Allocated | Part::Freed).then(|| Value::integer(self.terms.falsity()))
    }

    pub(super) fn flag(&mut self, state: &State, cell: Cell) -> Term {
        match state.cells.get(&cell) {
            Some(value) => value.bits,
            None => self.terms.falsity(),
        }
    }

    pub(super) fn width_of(&self, object: ObjectNumber, part: Part) -> u32 {
        match part {
            Part::Allocated | Part::Freed => 1,
            Part::Size => self.pointer_bits,
            Part::Bytes(at) => {
                let cell = self.knowledge.info(object).cells.iter().find(|(offset, _)| *offset == at);
                cell.map_or(8, |(_, len)| 8 * *len as u32)
            }
        }
    }

    /// One state for two paths, which exclude each other.
    fn join(&mut self, a: State, b: State) -> State {
        let mut regs = Vec::with_capacity(a.regs.len());
        for (x, y) in a.regs.iter().zip(&b.regs) {
            regs.push(match (x, y) {
                (Some(x), Some(y)) => Some(Value::choose(&mut self.terms, b.guard, y, x)),
                _ => None,
            });
        }
        let mut cells = BTreeMap::new();
        if Rc::ptr_eq(&a.cells, &b.cells) {
            let guard = self.terms.or(a.guard, b.guard);
            return State { guard, regs, cells: a.cells };
        }
        let keys: BTreeSet<Cell> = a.cells.keys().chain(b.cells.keys()).copied().collect();
        for cell in keys {
            let absent = self.default_of(cell.1);
            let (x, y) = (a.cells.get(&cell).or(absent.as_ref()), b.cells.get(&cell).or(absent.as_ref()));
            match (x, y) {
                (Some(x), Some(y)) => {
                    let value = Value::choose(&mut self.terms, b.guard, y, x);
                    cells.insert(cell, value);
                }
                // An instance that one path has not allocated is of no interest there. A variable that one path has not brought to
                // life has no contents.
                (Some(only), None) | (None, Some(only)) if self.is_heap_cell(cell) => {
                    cells.insert(cell, only.clone());
                }
                _ => {}
            }
        }
        let guard = self.terms.or(a.guard, b.guard);
        State { guard, regs, cells: Rc::new(cells) }
    }

    fn is_heap_cell(&self, cell: Cell) -> bool {
        self.owner_of(cell.0).is_some_and(|object| self.knowledge.is_heap(object))
    }

    /// Runs a block: the states at its ends.
    fn block(&mut self, block: usize, mut state: State) -> Result<Edges, String> {
        let body = self.frame().body;
        let code = &body.blocks[block];
        let line = code.locs.first().copied().unwrap_or(code.end_loc).line;
        self.define(format!("g_{line}"), state.guard, None);
        for (index, inst) in code.insts.iter().enumerate() {
            let place = self.place(block, index);
            match self.instruction(state, inst, code.locs[index], place)? {
                Some(next) if !self.terms.is_false(next.guard) => state = next,
                _ => return Ok(Vec::new()),
            }
        }
        self.end(state, &code.end, code.end_loc)
    }

    fn end(&mut self, mut state: State, end: &Terminator, loc: Loc) -> Result<Edges, String> {
        let mut edges = Vec::new();
        match *end {
            Terminator::Jump(next) => edges.push((next.index(), state)),
            Terminator::Branch { cond, then, other, .. } => {
                let condition = self.operand(&mut state, cond, Ty::I1);
                let condition = condition.number(&mut self.terms);
                let negation = self.terms.not(condition);
                for (condition, next) in [(condition, then), (negation, other)] {
                    let guard = self.terms.and(state.guard, condition);
                    edges.push((next.index(), State { guard, ..state.clone() }));
                }
            }
            Terminator::Switch { ty, signed, value, ref cases, default, .. } => {
                let value = self.operand(&mut state, value, ty).number(&mut self.terms);
                let width = ty.bits(self.program.target);
                let mut rest = state.guard;
                for case in cases {
                    let low = self.terms.constant(i128::from(case.low) as u128, width);
                    let high = self.terms.constant(i128::from(case.high) as u128, width);
                    let (above, below) = if signed {
                        (self.terms.sle(low, value), self.terms.sle(value, high))
                    } else {
                        (self.terms.ule(low, value), self.terms.ule(value, high))
                    };
                    let inside = self.terms.and(above, below);
                    let guard = self.terms.and(rest, inside);
                    let outside = self.terms.not(inside);
                    rest = self.terms.and(rest, outside);
                    edges.push((case.target.index(), State { guard, ..state.clone() }));
                }
                edges.push((default.index(), State { guard: rest, ..state }));
            }
            Terminator::JumpTo { .. } => self.gap(&state, "a computed goto", loc),
            Terminator::Return(operand) => {
                let ret = self.program.functions[self.frame().function.index()].signature.ret;
                let value = match (operand, ret) {
                    (Some(operand), Some(ty)) => Some(self.operand(&mut state, operand, ty)),
                    _ => None,
                };
                if let Some(frame) = self.frames.last_mut() {
                    frame.returns.push((state, value));
                }
            }
            Terminator::Unreachable => {}
        }
        edges.retain(|(_, state)| !self.terms.is_false(state.guard));
        Ok(edges)
    }
}

/// How a part of an object is written.
pub(super) fn part_label(part: Part) -> String {
    match part {
        Part::Allocated => ".allocated".to_owned(),
        Part::Freed => ".freed".to_owned(),
        Part::Size => ".size".to_owned(),
        Part::Bytes(at) => format!(".{at}"),
    }
}
