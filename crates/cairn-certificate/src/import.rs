//! From the records of a certificate to terms and states of the machine.
//!
//! Everything is validated: a certificate may come from anywhere.

use std::rc::Rc;

use cairn_exec::path::Path;
use cairn_exec::state::{Choices, Frame};
use cairn_exec::{Carried, Machine, Role, State};
use cairn_ir::{BlockId, FuncId, Loc, Reg};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::{Back, Segment, Sequence};
use cairn_memory::symbolic::{Indexed, Initial, Object, SymbolicMemory};
use cairn_portfolio::certificate::{FrameRecord, OPERATORS, ObjectRecord, SegmentRecord, StateRecord, TermRecord};
use cairn_smt::evaluate::Assignment;
use cairn_smt::term::{Node, Op};
use cairn_smt::{Answer, Term};
use rustc_hash::FxHashSet;

use crate::limits::{MAX_ID, MAX_OFFSET};
use crate::mode::{CheckData, Checking};

/// A record that makes no sense.
pub(crate) type Malformed = &'static str;

/// The terms of a certificate, by their numbers.
pub(crate) struct Table(Vec<Term>);

impl Table {
    /// Builds the terms of a certificate. `start` is the memory at the start of the program.
    pub(crate) fn build<const A: bool>(
        machine: &mut Machine<'_, Checking<A>>,
        records: &[TermRecord],
        start: &SymbolicMemory,
    ) -> Result<Self, Malformed> {
        let mut table = Self(Vec::with_capacity(records.len()));
        for record in records {
            let term = table.build_term(machine, record, start)?;
            table.0.push(term);
        }
        Ok(table)
    }

    /// Returns a term.
    pub(crate) fn get(&self, number: u32) -> Result<Term, Malformed> {
        self.0.get(number as usize).copied().ok_or("a term that is not in the table")
    }

    fn build_term<const A: bool>(
        &self,
        machine: &mut Machine<'_, Checking<A>>,
        record: &TermRecord,
        start: &SymbolicMemory,
    ) -> Result<Term, Malformed> {
        let program = machine.program;
        let sane = |width: u32| if (1..=128).contains(&width) { Ok(width) } else { Err("a term of an unusual width") };
        Ok(match *record {
            TermRecord::Constant(width, bits) => machine.terms.constant(bits, sane(width)?),
            TermRecord::Variable(width, undefined) => {
                let variable = machine.terms.variable("recorded", sane(width)?);
                if undefined {
                    machine.undefined.insert(variable);
                }
                variable
            }
            TermRecord::Fixed(id) => {
                let object = start.find(ObjectId(id)).ok_or("an object that does not exist from the start")?;
                machine.terms.variables_of(object.base).first().copied().ok_or("an object without an address")?
            }
            TermRecord::Label(function, block) => {
                let body = program.functions.get(function.index()).and_then(|function| function.body.as_ref());
                if body.is_none_or(|body| block.index() >= body.blocks.len()) {
                    return Err("a label that the program does not have");
                }
                machine.label(function, block)
            }
            TermRecord::Sum(width, constant, ref parts) => {
                let mut total = machine.terms.constant(constant, sane(width)?);
                for &(part, factor) in parts {
                    let part = self.get(part)?;
                    if machine.terms.width(part) != width {
                        return Err("a sum of terms of different widths");
                    }
                    let part = machine.terms.scale(part, factor);
                    total = machine.terms.add(total, part);
                }
                total
            }
            TermRecord::Binary(operator, a, b) => {
                let (a, b) = (self.get(a)?, self.get(b)?);
                let op = *OPERATORS.get(usize::from(operator)).ok_or("an unknown operator")?;
                let (x, y) = (machine.terms.width(a), machine.terms.width(b));
                if op == Op::Concat {
                    sane(x + y)?;
                } else if x != y {
                    return Err("an operation on terms of different widths");
                }
                let terms = &mut machine.terms;
                match op {
                    Op::Mul => terms.mul(a, b),
                    Op::UDiv => terms.udiv(a, b),
                    Op::URem => terms.urem(a, b),
                    Op::SDiv => terms.sdiv(a, b),
                    Op::SRem => terms.srem(a, b),
                    Op::And => terms.and(a, b),
                    Op::Xor => terms.xor(a, b),
                    Op::Shl => terms.shl(a, b),
                    Op::LShr => terms.lshr(a, b),
                    Op::AShr => terms.ashr(a, b),
                    Op::Concat => terms.concat(a, b),
                    Op::Eq => terms.eq(a, b),
                    Op::ULt => terms.ult(a, b),
                    Op::SLt => terms.slt(a, b),
                }
            }
            TermRecord::Not(a) => {
                let a = self.get(a)?;
                machine.terms.not(a)
            }
            TermRecord::SignExtend(a, width) => {
                let a = self.get(a)?;
                if sane(width)? < machine.terms.width(a) {
                    return Err("an extension to fewer bits");
                }
                machine.terms.sext(a, width)
            }
            TermRecord::Extract(a, low, width) => {
                let a = self.get(a)?;
                if low.checked_add(sane(width)?).is_none_or(|end| end > machine.terms.width(a)) {
                    return Err("a part outside of its term");
                }
                machine.terms.extract(a, low, width)
            }
            TermRecord::Ite(c, a, b) => {
                let (c, a, b) = (self.get(c)?, self.get(a)?, self.get(b)?);
                if machine.terms.width(c) != 1 || machine.terms.width(a) != machine.terms.width(b) {
                    return Err("a choice between terms of different widths");
                }
                machine.terms.ite(c, a, b)
            }
        })
    }

    /// Builds a state; `None` if its path condition has no model, so that it stands for nothing.
    pub(crate) fn state<const A: bool>(
        &self,
        machine: &mut Machine<'_, Checking<A>>,
        record: &StateRecord,
        start: &SymbolicMemory,
        context: u32,
    ) -> Result<Option<State<Checking<A>>>, Malformed> {
        let mut memory = machine.initial.clone();
        let mut bases: FxHashSet<Term> = FxHashSet::default();
        for object in &record.objects {
            let id = ObjectId(object.id);
            let built = self.object(machine, object, start)?;
            let last = built.segment.as_ref().and_then(|segment| segment.last());
            for address in std::iter::once(built.base).chain(last) {
                let Some(variable) = address_variable(machine, address) else {
                    return Err("an address of no variable");
                };
                if !bases.insert(variable) {
                    return Err("an address of two objects");
                }
                if machine.bases.insert(address, id).is_some_and(|known| known != id) {
                    return Err("an address of different objects");
                }
                if variable != address {
                    machine.address_of.insert(variable, address);
                }
            }
            memory.reserve(id);
            memory.set(id, built);
        }
        self.check_segments(&memory)?;
        let mut frames = Vec::new();
        for frame in &record.frames {
            frames.push(Rc::new(self.frame(machine, frame, &memory)?));
        }
        if frames.is_empty() {
            return Err("a state without a call");
        }
        let mut conditions = Vec::new();
        for &condition in &record.conditions {
            let condition = self.get(condition)?;
            if machine.terms.width(condition) != 1 {
                return Err("a condition of more than one bit");
            }
            conditions.push(condition);
        }
        let mut model = Assignment::default();
        for (&variable, &value) in &record.model {
            let variable = self.get(variable)?;
            if matches!(machine.terms.node(variable), Node::Var(_)) {
                let width = machine.terms.width(variable);
                model.insert(variable, if width == 128 { value } else { value & ((1 << width) - 1) });
            }
        }
        let mut cut = Vec::new();
        for &(value, role) in &record.cut {
            let role = match role {
                0 => Role::Root,
                1 => Role::Mentioned,
                2 => Role::Owed,
                _ => return Err("an unknown role"),
            };
            cut.push(Carried { value: self.get(value)?, role });
        }
        check_addresses(machine, &frames, &memory, &cut)?;
        let Some(path) = path_of(machine, conditions, model)? else { return Ok(None) };
        Ok(Some(State {
            frames,
            memory,
            path,
            choices: Choices::default(),
            depth: 0,
            splits: 0,
            jumps: Rc::default(),
            next_serial: record.frames.len() as u32,
            lives: 0,
            arrived: false,
            extra: CheckData { context, cut: Rc::new(cut), has_returned: false },
        }))
    }

    fn frame<const A: bool>(
        &self,
        machine: &Machine<'_, Checking<A>>,
        record: &FrameRecord,
        memory: &SymbolicMemory,
    ) -> Result<Frame, Malformed> {
        let (function, block, inst) = record.at;
        let body = machine.program.functions.get(function as usize).and_then(|function| function.body.as_ref());
        let body = body.ok_or("a call of a function without a body")?;
        let code = body.blocks.get(block as usize).ok_or("a block that the function does not have")?;
        if inst as usize > code.insts.len() {
            return Err("an instruction that the block does not have");
        }
        let mut regs = vec![None; body.regs.len()];
        for &(register, value) in &record.regs {
            let value = self.get(value)?;
            let info = body.regs.get(register as usize).ok_or("a register that the function does not have")?;
            if machine.terms.width(value) != info.ty.bits(machine.program.target) {
                return Err("a register with a value of another width");
            }
            regs[register as usize] = Some(value);
        }
        let is_live = |id: u32| {
            let object = memory.find(ObjectId(id)).filter(|object| object.end == End::Live && object.segment.is_none());
            object.filter(|object| !object.pattern).map(|_| ObjectId(id)).ok_or("a variable without an object")
        };
        let mut slots = vec![None; body.slots.len()];
        for &(slot, id) in &record.slots {
            *slots.get_mut(slot as usize).ok_or("a slot that the function does not have")? = Some(is_live(id)?);
        }
        let owned = record.owned.iter().map(|&id| is_live(id)).collect::<Result<Vec<ObjectId>, Malformed>>()?;
        Ok(Frame {
            function: FuncId(function),
            block: BlockId(block),
            inst: inst as usize,
            regs,
            slots,
            owned,
            variadic: record.variadic.map(is_live).transpose()?,
            result: record.result.map(Reg),
            called_at: Loc::NONE,
            visits: vec![0; body.blocks.len()],
            forks: vec![0; body.blocks.len()],
            serial: 0,
        })
    }

    fn object<const A: bool>(
        &self,
        machine: &mut Machine<'_, Checking<A>>,
        record: &ObjectRecord,
        start: &SymbolicMemory,
    ) -> Result<Object, Malformed> {
        if record.id > MAX_ID {
            return Err("an object with a huge number");
        }
        let kind = match record.kind {
            0 => ObjectKind::Static,
            1 => ObjectKind::Stack,
            2 => ObjectKind::Heap,
            3 => ObjectKind::Alloca,
            4 => ObjectKind::Mapping,
            5 => ObjectKind::Variadic,
            _ => return Err("an object of an unknown kind"),
        };
        let end = match record.end {
            0 => End::Live,
            1 => End::Freed,
            2 => End::Reallocated,
            3 => End::OutOfScope,
            _ => return Err("an object with an unknown end"),
        };
        let (base, size) = (self.get(record.base)?, self.get(record.size)?);
        let from_start = start.find(ObjectId(record.id));
        let is_same = |object: &Object| {
            object.kind == kind && end == End::Live && object.base == base && object.size == size && !record.pattern
        };
        if from_start.is_some() != (kind == ObjectKind::Static) || !from_start.is_none_or(is_same) {
            return Err("an object that exists from the start is another one");
        }
        if [base, size].iter().any(|&term| machine.terms.width(term) != machine.pointer_bits) {
            return Err("an address or a size of another width");
        }
        let initial = match &record.initial {
            None => Initial::Undefined,
            Some(bytes) => Initial::Bytes(Rc::from(&bytes[..])),
        };
        let mut object = Object::new(kind, base, size, initial.clone(), Rc::from(""), Rc::from([]));
        let mut end_of_last = 0;
        let mut cells = Vec::new();
        for &(at, value) in &record.cells {
            let value = self.get(value)?;
            let width = machine.terms.width(value);
            if at < end_of_last || at > MAX_OFFSET || !width.is_multiple_of(8) {
                return Err("cells that overlap");
            }
            end_of_last = at + u64::from(width / 8);
            cells.push((at, value));
        }
        object.set_contents(initial, cells, &machine.terms);
        let mut indexed = Vec::new();
        for &(at, value) in &record.indexed {
            let (at, term) = (self.get(at)?, self.get(value)?);
            if machine.terms.width(at) != machine.pointer_bits || !machine.terms.width(term).is_multiple_of(8) {
                return Err("a symbolic offset of another width");
            }
            indexed.push(Indexed { at, term });
        }
        object.set_indexed(indexed);
        (object.end, object.constant, object.pattern) = (end, record.constant, record.pattern);
        if let Some(segment) = &record.segment {
            if kind != ObjectKind::Heap || end != End::Live {
                return Err("a segment of objects that are not live on the heap");
            }
            object.segment = Some(Rc::new(self.segment(machine, segment)?));
        }
        if from_start.is_some_and(|object| object.constant != record.constant) {
            return Err("a constant that can be written");
        }
        Ok(object)
    }

    fn segment<const A: bool>(
        &self,
        machine: &Machine<'_, Checking<A>>,
        record: &SegmentRecord,
    ) -> Result<Segment, Malformed> {
        let bits = machine.pointer_bits;
        let variable = |number: u32, width: Option<u32>| {
            let term = self.get(number)?;
            let fits = width.is_none_or(|width| machine.terms.width(term) == width);
            match machine.terms.node(term) {
                Node::Var(_) if fits && !machine.label_of.contains_key(&term) => Ok(term),
                _ => Err("a local variable that is none"),
            }
        };
        let pointer = |number: u32| {
            let term = self.get(number)?;
            if machine.terms.width(term) == bits { Ok(term) } else { Err("an end of a list of another width") }
        };
        let back = match record.back {
            None => None,
            Some((prev, last)) => {
                let last = last.map(|last| variable(last, Some(bits))).transpose()?;
                Some(Back { prev: pointer(prev)?, last })
            }
        };
        let mut sequences = Vec::new();
        for (at, steps, before, last) in &record.sequences {
            let (before, last) = (self.get(*before)?, self.get(*last)?);
            if machine.terms.width(before) != machine.terms.width(last) || *at > MAX_OFFSET {
                return Err("a sequence of values of different widths");
            }
            sequences.push(Sequence { at: *at, steps: steps.iter().copied().collect(), before, last });
        }
        if record.at > MAX_OFFSET
            || record.back_link.is_some() != record.back.is_some()
            || (record.links.len() != 1 && (record.fork.is_some() || !record.sequences.is_empty()))
            || (record.links.len() != 1 && back.is_some_and(|back| back.last.is_some()))
        {
            return Err("a segment of no known shape");
        }
        let all = |numbers: &[u32], width| -> Result<Vec<Term>, Malformed> {
            numbers.iter().map(|&number| variable(number, width)).collect()
        };
        Ok(Segment {
            node: ObjectId(record.node),
            owned: record.owned.iter().map(|&id| ObjectId(id)).collect(),
            locals: all(&record.locals, None)?,
            links: all(&record.links, Some(bits))?,
            back_link: record.back_link.map(|link| variable(link, Some(bits))).transpose()?,
            fork: record.fork.map(|fork| variable(fork, Some(1))).transpose()?,
            at: record.at,
            next: pointer(record.next)?,
            back,
            min: record.min,
            length: pointer(record.length)?,
            sequences,
        })
    }

    /// Checks that every pattern belongs to exactly one segment, and that sequences are about cells of its node.
    fn check_segments(&self, memory: &SymbolicMemory) -> Result<(), Malformed> {
        let mut owned: FxHashSet<ObjectId> = FxHashSet::default();
        for (id, segment) in memory.iter().filter_map(|(id, object)| Some((id, object.segment.as_ref()?))) {
            for &pattern in std::iter::once(&segment.node).chain(&segment.owned) {
                let object = memory.find(pattern).ok_or("a segment without its pattern")?;
                // Inner patterns have greater depth, so a pattern of itself would be a cycle.
                if !object.pattern || pattern == id || !owned.insert(pattern) {
                    return Err("a pattern of several segments");
                }
                if object.kind != ObjectKind::Heap || object.end != End::Live {
                    return Err("a pattern that is not live on the heap");
                }
            }
            if memory.get(segment.node).segment.is_some() {
                return Err("a node that is a segment");
            }
        }
        let patterns = memory.iter().filter(|(_, object)| object.pattern).count();
        if patterns != owned.len() {
            return Err("a pattern of no segment");
        }
        // Each pattern has one segment. Without a segment that is no pattern, the segments of some patterns form a cycle.
        let mut reached = 0;
        for (_, object) in memory.iter().filter(|(_, object)| !object.pattern) {
            reached += object.segment.as_ref().map_or(0, |segment| segment.patterns(memory).len());
        }
        if reached == patterns { Ok(()) } else { Err("segments that own each other") }
    }
}

/// Checks that no value outside of patterns contains the address of a pattern, which is local to the nodes of a segment.
fn check_addresses<const A: bool>(
    machine: &Machine<'_, Checking<A>>,
    frames: &[Rc<Frame>],
    memory: &SymbolicMemory,
    cut: &[Carried],
) -> Result<(), Malformed> {
    let mut local: FxHashSet<Term> = FxHashSet::default();
    for (_, object) in memory.iter().filter(|(_, object)| object.pattern) {
        let last = object.segment.as_ref().and_then(|segment| segment.last());
        for address in std::iter::once(object.base).chain(last) {
            local.extend(machine.terms.variables_of(address).iter().copied());
        }
    }
    if local.is_empty() {
        return Ok(());
    }
    let mut is_local = false;
    let mut look = |value: Term| is_local |= machine.terms.variables_of(value).iter().any(|part| local.contains(part));
    frames.iter().flat_map(|frame| frame.regs.iter().flatten()).for_each(|&value| look(value));
    cut.iter().for_each(|carried| look(carried.value));
    for (_, object) in memory.iter().filter(|(_, object)| !object.pattern) {
        look(object.size);
        object.indexed().iter().for_each(|indexed| look(indexed.at));
        object.for_values(&mut look);
    }
    if is_local { Err("an address of a pattern outside of its segment") } else { Ok(()) }
}

/// Returns the variable of an address: the whole address, or its bits above the alignment.
fn address_variable<const A: bool>(machine: &Machine<'_, Checking<A>>, address: Term) -> Option<Term> {
    match *machine.terms.node(address) {
        Node::Var(_) => Some(address),
        Node::Binary(Op::Concat, high, low) if machine.terms.as_const(low) == Some(0) => {
            matches!(machine.terms.node(high), Node::Var(_)).then_some(high)
        }
        _ => None,
    }
}

/// Returns a path with these conditions; `None` if they contradict each other.
pub(crate) fn path_of<const A: bool>(
    machine: &mut Machine<'_, Checking<A>>,
    conditions: Vec<Term>,
    mut model: Assignment,
) -> Result<Option<Path>, Malformed> {
    if conditions.iter().any(|&condition| machine.terms.is_false(condition)) {
        return Ok(None);
    }
    let mut known = rustc_hash::FxHashMap::default();
    if conditions.iter().any(|&condition| machine.terms.evaluate_with(condition, &model, &mut known) == 0) {
        match machine.session.check(&machine.terms, &conditions) {
            Answer::Sat(found) => {
                for variable in conditions.iter().flat_map(|&condition| machine.terms.variables_of(condition).to_vec())
                {
                    model.insert(variable, found.get(&variable).copied().unwrap_or(0));
                }
            }
            Answer::Unsat(_) => return Ok(None),
            Answer::Unknown => return Err("a path condition that the solver cannot decide"),
        }
    }
    Ok(Some(Path::with(&machine.terms, conditions, model)))
}
