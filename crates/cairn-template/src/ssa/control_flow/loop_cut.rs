//! Loops: unwinding, and the cut at the end of the body, where loop-back variables take over (FMCAD §II-C).

use std::collections::BTreeSet;
use std::rc::Rc;

use cairn_ir::Ty;
use cairn_smt::Term;

use crate::limits::MAX_CERTAIN_ITERATIONS;
use crate::ssa::builder::{Beyond, Builder, Cell, Failure, State};
use crate::ssa::control_flow::natural_loops::Loop;
use crate::ssa::control_flow::regions::Edges;
use crate::ssa::knowledge::{LoopKey, Name, Part};
use crate::ssa::value::{Base, ID_BITS, ObjectNumber, Pointee, UNKNOWN, Value, objects, only};
use crate::ssa::{Kind, Location, Point, Variable};

/// A variable at the head of a loop, or at the entry or exit of a function.
pub(in crate::ssa) struct HeadVariable {
    pub(in crate::ssa) variable: Variable,
    /// The cell, for a part of an instance.
    cell: Option<Cell>,
    /// The loop-back variable, which rows constrain.
    back: Value,
    /// The value at the head: the loop-back variable or the value from before the loop.
    head: Value,
}

/// Whether a free variable is a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::ssa) enum Pointerness {
    /// It is one.
    Pointer,
    /// It is one only if the recorded facts say so.
    IfRecorded,
}

impl Pointerness {
    /// Returns [`Self::Pointer`] if `pointer` holds.
    pub(in crate::ssa) const fn of(pointer: bool) -> Self {
        if pointer { Self::Pointer } else { Self::IfRecorded }
    }
}

impl Builder<'_, '_> {
    /// Encodes a loop. Returns the states at the edges out of it.
    pub(in crate::ssa) fn encode_loop(&mut self, inner: &Loop, mut entry: State) -> Result<Edges, Failure> {
        match self.unwinding.beyond {
            Beyond::Cut => self.cut(inner, entry),
            Beyond::LeftOut => {
                self.forget_dead_registers(inner.head, &mut entry);
                let (rest, exits) = self.unwind(inner, entry)?;
                if !self.terms.is_false(rest.guard) {
                    self.out.left_out.push(rest.guard);
                }
                Ok(exits)
            }
        }
    }

    /// Unwinds the body of a loop. Returns the state after the last copy and the states at the edges out of the copies.
    fn unwind(&mut self, inner: &Loop, mut state: State) -> Result<(State, Edges), Failure> {
        self.copies.push(0);
        let mut exits = Vec::new();
        let may_end = inner.may_end;
        let (mut copy, mut counted) = (0, 0);
        while counted < self.unwinding.depth.max(1) {
            if let Some(last) = self.copies.last_mut() {
                *last = copy;
            }
            let before = state.guard;
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
            // An iteration that every execution takes, because the number of iterations is constant, does not count
            // towards the depth.
            copy += 1;
            if self.unwinding.beyond == Beyond::LeftOut
                && back.guard == before
                && may_end
                && self.unwinding.certain_iterations < MAX_CERTAIN_ITERATIONS
            {
                self.unwinding.certain_iterations += 1;
            } else {
                counted += 1;
            }
            state = back;
        }
        self.copies.pop();
        Ok((state, exits))
    }

    /// Encodes a loop that is cut at the end of its body.
    fn cut(&mut self, inner: &Loop, entry: State) -> Result<Edges, Failure> {
        let context = self.frame().context;
        let key: LoopKey = (context, inner.head, self.copies.clone());
        let body = self.frame().body;
        let loc = body.blocks[inner.head].locs.first().copied().unwrap_or(body.blocks[inner.head].end_loc);
        let line = loc.line;
        let index = self.out.locations.len();
        let select = self.terms.variable(&format!("g^ls_{line}"), 1);
        self.define(format!("g_{line}"), entry.guard, None);
        self.out.locations.push(Location {
            kind: Kind::Loop,
            loc,
            function: self.frame().function,
            body: self.body,
            block: inner.head,
            parent: self.around.last().map(|(index, _)| *index),
            select,
            head: entry.guard,
            variables: Vec::new(),
            heads: Vec::new(),
            uses: Vec::new(),
            sources: Vec::new(),
        });
        let (state, variables) = self.loop_head(inner, &key, entry, select, line);
        let allocated = self.allocated_instances(&state, &variables);
        self.around.push((index, key.clone()));
        let (state, exits) = self.unwind(inner, state)?;
        self.around.pop();
        // The values of the variables at the end of the body.
        let mut around = self.location_indices();
        around.push(index);
        let values = variables.iter().map(|of| of.back.clone()).collect();
        let back = Point { body: self.body, guard: select, values, allocated, around: around.clone() };
        if self.terms.is_false(state.guard) {
            let never = self.terms.not(select);
            self.axiom(never);
        } else {
            let mut values = Vec::new();
            for HeadVariable { variable, cell, back, .. } in &variables {
                if variable.fixed {
                    values.push(back.clone());
                    continue;
                }
                let end = match (variable.name, &cell) {
                    (Name::Reg(reg), _) => state.regs[reg as usize].clone(),
                    (_, Some(cell)) => state.cells.get(cell).cloned().or_else(|| self.default_of(cell.1)),
                    _ => None,
                };
                let end = end.unwrap_or_else(|| Value::anything(&mut self.terms, "anything", variable.width));
                if end.object.is_some() || variable.pointer {
                    let pointee = end.pointee(&mut self.terms);
                    self.knowledge.point(&key, variable.name, &pointee.targets);
                }
                self.define_value(format!("{}_end{line}", variable.label), &end);
                values.push(end);
            }
            let flags = |builder: &mut Self, object| {
                builder.tracked(object).into_iter().map(|id| builder.flag(&state, (id, Part::Allocated))).collect()
            };
            let allocated = back.allocated.iter().map(|(object, _)| (*object, flags(self, *object))).collect();
            let end = Point { body: self.body, guard: state.guard, values, allocated, around };
            self.out.locations[index].sources.push(end);
        }
        self.define(format!("g_end{line}"), state.guard, None);
        let location = &mut self.out.locations[index];
        location.uses.push(back);
        location.heads = variables.iter().map(|of| of.head.clone()).collect();
        location.variables = variables.into_iter().map(|of| of.variable).collect();
        Ok(exits)
    }

    /// Returns the state at the head of a loop. A changed variable is its loop-back variable or its value before the
    /// loop.
    fn loop_head(
        &mut self,
        inner: &Loop,
        key: &LoopKey,
        mut entry: State,
        select: Term,
        line: u32,
    ) -> (State, Vec<HeadVariable>) {
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
                    let width = self.terms.width(before.bits);
                    let pointer = info.ty == Ty::Ptr || before.object.is_some();
                    let back =
                        self.back_variable(key, name, &format!("{label}^lb_{line}"), width, Pointerness::of(pointer));
                    let head = Value::choose(&mut self.terms, select, &back, &before);
                    self.define_value(format!("{label}^phi_{line}"), &head);
                    state.regs[reg as usize] = Some(head.clone());
                    let pointer = back.object.is_some();
                    let variable = Variable { name, label, instance: None, fixed: false, width, pointer };
                    variables.push(HeadVariable { variable, cell: None, back, head });
                }
                // Loops do not change these.
                Name::Outer(..) | Name::Param(_) | Name::Old(..) | Name::Result => {}
                Name::Part(object, part) => {
                    let many = self.knowledge.info(object).many;
                    let heap = self.knowledge.is_heap(object);
                    for (instance, id) in self.tracked(object).into_iter().enumerate() {
                        let cell = (id, part);
                        let width = self.width_of(object, part);
                        let before = match entry.cells.get(&cell).cloned().or_else(|| self.default_of(part)) {
                            Some(before) => before,
                            // A heap object that is not allocated yet holds an arbitrary value. A local variable that
                            // is not live has no cells.
                            None if heap => Value::anything(&mut self.terms, "anything", width),
                            None => continue,
                        };
                        let label = format!("{}{}", self.instance_name(id), part_label(part));
                        let text = format!("{label}^lb_{line}");
                        let back =
                            self.back_variable(key, name, &text, width, Pointerness::of(before.object.is_some()));
                        let head = Value::choose(&mut self.terms, select, &back, &before);
                        self.define_value(format!("{label}^phi_{line}"), &head);
                        Rc::make_mut(&mut state.cells).insert(cell, head.clone());
                        let (instance, pointer) = (many.then_some((object, instance as u32)), back.object.is_some());
                        let variable = Variable { name, label, instance, fixed: false, width, pointer };
                        variables.push(HeadVariable { variable, cell: Some(cell), back, head });
                    }
                }
            }
        }
        self.add_fixed(&state, &mut variables);
        for of in &variables {
            self.only_allocated(&state, select, &of.back);
        }
        (state, variables)
    }

    /// Adds the variables that the loop leaves unchanged, which may bound the changed ones.
    fn add_fixed(&mut self, state: &State, variables: &mut Vec<HeadVariable>) {
        let body = self.frame().body;
        let changed: BTreeSet<Name> = variables.iter().map(|of| of.variable.name).collect();
        let mut add = |name: Name, label: String, instance, value: &Value| {
            let (width, pointer) = (self.terms.width(value.bits), value.object.is_some());
            let variable = Variable { name, label, instance, fixed: true, width, pointer };
            variables.push(HeadVariable { variable, cell: None, back: value.clone(), head: value.clone() });
        };
        let varies = |value: &Value| {
            let number = value.object.as_ref().map_or(value.bits, |pointee| pointee.id);
            self.terms.as_const(number).is_none()
        };
        for (reg, value) in state.regs.iter().enumerate() {
            let name = Name::Reg(reg as u32);
            if let (Some(value), Some(label)) = (value, &body.regs[reg].name)
                && varies(value)
                && !changed.contains(&name)
            {
                add(name, label.to_string(), None, value);
            }
        }
        for (depth, pair) in self.frames.windows(2).enumerate() {
            for (reg, value) in pair[1].caller.iter().enumerate() {
                if let (Some(value), Some(label)) = (value, &pair[0].body.regs[reg].name)
                    && varies(value)
                {
                    let caller = &self.program.functions[pair[0].function.index()].name;
                    add(Name::Outer(depth as u32, reg as u32), format!("{caller}:{label}"), None, value);
                }
            }
        }
        for (&(id, part), value) in &*state.cells {
            let Some(object) = self.owner_of(id) else { continue };
            let (name, many) = (Name::Part(object, part), self.knowledge.info(object).many);
            if !matches!(part, Part::Bytes(_)) || changed.contains(&name) || !(many || varies(value)) {
                continue;
            }
            let first = self.numbering.first.get(&object).copied().unwrap_or(id);
            let suffix = if many { format!("^{}", id - first + 1) } else { String::new() };
            let label = format!("{}{suffix}{}", self.knowledge.info(object).name, part_label(part));
            add(name, label, many.then_some((object, id - first)), value);
        }
    }

    /// Returns whether the instances of each site are allocated, in terms of the loop-back variables of changed flags.
    fn allocated_instances(&mut self, state: &State, variables: &[HeadVariable]) -> Vec<(ObjectNumber, Vec<Term>)> {
        let manys: Vec<ObjectNumber> =
            self.numbering.first.keys().copied().filter(|&o| self.knowledge.info(o).many).collect();
        let mut result = Vec::new();
        for object in manys {
            let mut flags = Vec::new();
            for id in self.tracked(object) {
                let cell = (id, Part::Allocated);
                let back = variables.iter().find(|of| of.cell == Some(cell)).map(|of| of.back.bits);
                flags.push(back.unwrap_or_else(|| self.flag(state, cell)));
            }
            result.push((object, flags));
        }
        result
    }

    /// Creates a free variable that rows constrain. Its possible targets are those recorded under `key`.
    pub(in crate::ssa) fn back_variable(
        &mut self,
        key: &LoopKey,
        name: Name,
        text: &str,
        width: u32,
        pointerness: Pointerness,
    ) -> Value {
        let bits = self.terms.variable(text, width);
        let known = self.knowledge.points_to(key, name).cloned();
        if pointerness == Pointerness::IfRecorded
            && known.is_none()
            && !(self.knowledge.is_pointer(name) && width == self.pointer_bits)
        {
            return Value::integer(bits);
        }
        let targets = known.unwrap_or_default();
        let id = self.terms.variable(&format!("&{text}"), ID_BITS);
        // The object number is one of the targets recorded at the end of the body, with the offset recorded there.
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
            // No target is recorded yet; a later build has more.
            any = self.is(id, UNKNOWN);
        }
        self.axiom(any);
        let targets = if targets.is_empty() { only(Base::Unknown, None) } else { Rc::new(targets) };
        Value { bits, object: Some(Pointee { id, targets }) }
    }

    /// Adds the axiom that a pointer points only to allocated instances.
    pub(in crate::ssa) fn only_allocated(&mut self, state: &State, select: Term, value: &Value) {
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
                self.axiom(implied);
            }
        }
    }

    /// Returns the value of a part that was never written, if it is known.
    pub(in crate::ssa) fn default_of(&mut self, part: Part) -> Option<Value> {
        matches!(part, Part::Allocated | Part::Freed).then(|| Value::integer(self.terms.falsity()))
    }

    pub(in crate::ssa) fn flag(&mut self, state: &State, cell: Cell) -> Term {
        match state.cells.get(&cell) {
            Some(value) => value.bits,
            None => self.terms.falsity(),
        }
    }

    pub(in crate::ssa) fn width_of(&self, object: ObjectNumber, part: Part) -> u32 {
        match part {
            Part::Allocated | Part::Freed => 1,
            Part::Size => self.pointer_bits,
            Part::Bytes(at) => {
                let cell = self.knowledge.info(object).cells.iter().find(|(offset, _)| *offset == at);
                cell.map_or(8, |(_, len)| 8 * *len as u32)
            }
        }
    }
}

/// Returns the printed suffix of a part of an object.
pub(in crate::ssa) fn part_label(part: Part) -> String {
    match part {
        Part::Allocated => ".allocated".to_owned(),
        Part::Freed => ".freed".to_owned(),
        Part::Size => ".size".to_owned(),
        Part::Bytes(at) => format!(".{at}"),
    }
}
