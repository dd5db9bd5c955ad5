//! Accesses: which cell an address is, what is read there and what a write changes.

use cairn_ir::{BinaryOp, Loc, Ty};
use cairn_rules::{Term, Var};

use super::checker::{Checker, Flow, NULL_PAGE, Stop};
use super::cut::Effect;
use super::report::Status;
use super::state::{Origin, Reach, State, Value};
use super::types::{ClassId, NodeId};

/// What an address is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A cell of a class.
    Cell(ClassId),
    /// Bytes of a node of this type that starts there.
    Bytes(NodeId, Term),
    /// Bytes of an object without a type.
    Block,
    /// A cell of this scalar type, of whatever node.
    Somewhere(NodeId),
}

/// Links that a path remembers.
const VISITED: usize = 64;

impl Checker<'_, '_> {
    /// Whether a term is the address of something, as far as declarations say.
    pub fn is_address(&self, term: Term) -> bool {
        self.origin(term).is_some_and(|origin| origin.hint.is_some() || origin.block.is_some())
    }

    /// `and` and `or` of an address with a mask of low bits: nodes are aligned, so their low bits are zero.
    pub fn tagged(&mut self, op: BinaryOp, term: Term, mask: i64) -> Value {
        match self.tag_operation(op, term, mask) {
            Some(Ok(value)) => return value,
            Some(Err(_)) => return Value::Unknown,
            None => {}
        }
        let Some(align) = self.alignment(term) else { return Value::Unknown };
        let tag = term.offset.rem_euclid(align);
        let low = align - 1;
        Value::Term(match op {
            // Only bits of the tag are left.
            BinaryOp::And if mask & !low == 0 => Term::constant(tag & mask),
            // All others are.
            BinaryOp::And if mask | low == -1 => term - tag + (tag & mask),
            BinaryOp::Or if mask & !low == 0 => term - tag + (tag | mask),
            BinaryOp::Xor if mask & !low == 0 => term - tag + (tag ^ mask),
            _ => return Value::Unknown,
        })
    }

    /// The alignment of what a term is an address of; only where it is known to be a node, or null.
    pub fn alignment(&mut self, term: Term) -> Option<i64> {
        let base = Term { offset: 0, ..term };
        let origin = self.origin(term)?;
        if origin.block.is_some() && origin.hint.is_none() {
            // Allocations are aligned for every type.
            return Some(16);
        }
        let node = origin.hint?;
        let (object, align) = (self.theory.object(node), self.types.node(node).align as i64);
        let object = self.solver.constraint(object, &[base]);
        let null = self.solver.equal(base, Term::constant(0));
        self.prove(&[!object, !null]).ok().map(|()| align)
    }

    /// Gives a block without a type the type that it is used with; the function is executed anew then.
    pub fn demand(&mut self, term: Term, node: Option<NodeId>) -> Flow {
        let Some(node) = node else { return Ok(()) };
        let Some((Some(size), site)) = self.origin(term).and_then(|origin| origin.block.clone()) else { return Ok(()) };
        let fits = size >= self.types.node(node).size && term.offset == 0;
        if !fits || site.0.is_empty() || self.site_types.contains_key(&site) {
            return Ok(());
        }
        self.site_types.insert(site, node);
        Err(Stop::Restart)
    }

    /// What is at an address. Not being able to tell is a violation of memory safety.
    pub fn resolve(&mut self, state: &State, address: Term, width: u64, loc: Loc) -> Flow<Place> {
        // When memory dies is no matter of this engine; but what is plain to see is not called safe.
        let is_it = |freed: &Term| freed.var == address.var && freed.var != Var::ZERO;
        if self.memory == Status::Proved && state.freed.iter().any(is_it) {
            self.memory = Status::Unknown(format!("line {}: memory is used after it was freed", loc.line));
        }
        let origin = self.origin(address).cloned();
        if let Some(origin) = &origin {
            if let Some((size, _)) = &origin.block {
                let end = address.offset.checked_add(width as i64);
                let inside =
                    address.offset >= 0 && matches!((end, size), (Some(end), Some(size)) if end as u64 <= *size);
                if inside {
                    return Ok(Place::Block);
                }
                if size.is_none() {
                    return Err(self.unknown_length(loc));
                }
                let model = self.prove(&[]).err().flatten();
                return Err(self.memory_fails(state, loc, "an access outside of an allocation", model));
            }
            if origin.element.is_some() {
                return self.resolve_element(state, address, width, loc);
            }
        }
        let base = Term { offset: 0, ..address };
        let mut failed = None;
        if let Some((node, owned)) = origin.and_then(|origin| origin.hint.map(|node| (node, origin.owned))) {
            let size = self.types.node(node).size as i64;
            if address.offset >= 0 && address.offset + width as i64 <= size {
                // Null is nobody's address: the program stops there.
                if address.offset < NULL_PAGE {
                    let nonnull = !self.solver.equal(base, Term::constant(0));
                    self.assume(nonnull)?;
                }
                let object = self.solver.constraint(self.theory.object(node), &[base]);
                let known = self.solver.value(object) == Some(true);
                match if known { Ok(()) } else { self.prove(&[!object]) } {
                    Ok(()) => {
                        self.assume(object)?;
                        if self.types.node(node).scalar && !owned {
                            return Ok(Place::Somewhere(node));
                        }
                        return Ok(self.within(node, base, address.offset, width));
                    }
                    Err(model) => failed = Some(model),
                }
            }
        }
        if let Some(place) = self.known_object(address, width) {
            return Ok(place);
        }
        if self.is_pointer_to_data(address) {
            return Err(self.unknown_length(loc));
        }
        let null = self.solver.equal(base, Term::constant(0));
        if address.offset.abs() < NULL_PAGE && self.solver.value(null) == Some(true) {
            return Err(Stop::Done);
        }
        if let Some((node, base)) = self.tagged_base(address, width) {
            let nonnull = !self.solver.equal(base, Term::constant(0));
            self.assume(nonnull)?;
            if let Some(offset) = self.solver.difference(address, base) {
                return Ok(self.within(node, base, offset, width));
            }
        }
        self.demand_own_type(address);
        self.demand_cell(address);
        let foreign = self.origin(address).is_some_and(|origin| origin.foreign);
        if foreign || self.is_around(address, width) {
            self.undecided(
                loc,
                if foreign {
                    "an access through a pointer that is declared as no link"
                } else {
                    "an access to what something linked is a part of, which no type says"
                },
            );
            self.memory_cut.get_or_insert(loc);
            return Err(Stop::Done);
        }
        let model = match failed {
            Some(model) => model,
            None => match self.prove(&[]) {
                Ok(()) => return Err(Stop::Done),
                Err(model) => model,
            },
        };
        Err(self.memory_fails(state, loc, "an access that may be outside of every node", model))
    }

    /// Whether an address was made of a pointer to data that is no variable: it may point to an array.
    pub fn is_pointer_to_data(&self, address: Term) -> bool {
        let Some(origin) = self.origin(address).filter(|origin| !origin.owned) else { return false };
        let scalar = origin.hint.is_some_and(|node| self.types.node(node).scalar);
        let null = self.solver.constant(Term { offset: 0, ..address }).is_some();
        let link = |class: ClassId| self.types.class(class).link.is_some_and(|link| self.types.node(link).scalar);
        scalar && !null && origin.class.is_none_or(link)
    }

    /// Whether an address is inside of something that has what is linked as a part.
    fn is_around(&self, address: Term, width: u64) -> bool {
        let Some(part) = self.origin(address).and_then(|origin| origin.hint) else { return false };
        self.types.nodes.iter().any(|node| {
            let mut parts = node.parts.iter().filter(|(_, of)| *of == part);
            parts.any(|&(at, _)| {
                let offset = address.offset + at as i64;
                offset >= 0 && offset + width as i64 <= node.size as i64
            })
        })
    }

    pub fn within(&self, node: NodeId, base: Term, offset: i64, width: u64) -> Place {
        match self.types.node(node).cell(self.types, offset, width) {
            Some(class) => Place::Cell(class),
            None => Place::Bytes(node, base),
        }
    }

    /// A node that is known to be there and to hold the address.
    fn known_object(&mut self, address: Term, width: u64) -> Option<Place> {
        for index in 0..self.types.nodes.len() {
            let node = NodeId(index as u32);
            let ty = self.types.node(node);
            if ty.scalar {
                continue;
            }
            let room = ty.size as i64 - width as i64;
            let found = self.solver.constraints(self.theory.object(node)).find_map(|args| {
                let offset = self.solver.difference(address, args[0])?;
                (0..=room).contains(&offset).then_some((args[0], offset))
            });
            if let Some((base, offset)) = found {
                return Some(self.within(node, base, offset, width));
            }
        }
        None
    }

    /// Whether the whole region is inside of something.
    pub fn region(&mut self, state: &State, address: Term, size: u64, loc: Loc) -> Flow {
        if size > 0 { self.resolve(state, address, size, loc).map(|_| ()) } else { Ok(()) }
    }

    /// Reads a scalar.
    pub fn load(&mut self, state: &mut State, address: Term, ty: Ty, loc: Loc) -> Flow<Value> {
        let width = ty.bytes(self.program.target);
        let place = self.resolve(state, address, width, loc)?;
        let known = if ty.is_float() || width > 8 { None } else { Some(place) };
        match known {
            Some(Place::Cell(class)) => Ok(Value::Term(self.read(state, class, address)?)),
            Some(Place::Somewhere(node)) => {
                let class = self.types.node(node).cells.first().map(|cells| self.types.class(cells.class));
                let link = class.and_then(|class| class.link);
                let mut origin = Origin::unknown();
                origin.hint = link;
                origin.foreign = link.is_none();
                origin.opaque = link.is_none() && class.is_some_and(|class| class.pointer);
                if let Some(&(_, known)) = state.peeked.iter().find(|(at, _)| *at == address) {
                    return Ok(Value::Term(known));
                }
                let untouched = !state.changed().any(|class| link.is_some() && self.types.class(class).link == link);
                let term = self.variable(origin);
                if let (Some(link), true) = (link, untouched) {
                    self.assume_node(link, term, state.epoch)?;
                }
                state.peeked.push((address, term));
                Ok(Value::Term(term))
            }
            _ => Ok(Value::Unknown),
        }
    }

    pub fn read(&mut self, state: &mut State, class: ClassId, address: Term) -> Flow<Term> {
        let held = state.held.iter().find(|(held, at, _)| *held == class && *at == address);
        if let Some(&(_, _, value)) = held {
            return Ok(value);
        }
        let mut origin = Origin::unknown();
        origin.hint = self.types.class(class).link;
        origin.foreign = origin.hint.is_none();
        origin.opaque = origin.foreign && (self.types.class(class).pointer || self.types.class(class).mixed);
        origin.class = Some(class);
        origin.reach = if self.reach(address) == Reach::Public { Reach::Public } else { Reach::Maybe };
        let value = self.variable(origin);
        let heap = Term::constant(state.heaps[class.0 as usize]);
        let cell = self.solver.constraint(self.theory.cell, &[heap, address, value]);
        self.assume(cell)?;
        state.held.push((class, address, value));
        self.visit(state, class, address);
        Ok(value)
    }

    /// Writes a scalar.
    pub fn store(&mut self, state: &mut State, address: Term, ty: Ty, value: Value, loc: Loc) -> Flow {
        let width = ty.bytes(self.program.target);
        let place = self.resolve(state, address, width, loc)?;
        let term = match value {
            Value::Term(term) => term,
            _ => self.variable(Origin::unknown()),
        };
        if self.reach(term) != Reach::Public && self.reach(address) != Reach::Private {
            state.escaped = true;
        }
        state.dangling |= self.leak(state, term) && !self.is_slot(state, address);
        match place {
            Place::Cell(class) => {
                let link = self.types.class(class).link;
                self.demand_array_of(class, term);
                self.demand_link(term, link);
                self.demand(term, link)?;
                if let Some(link) = link {
                    self.recognise_element(term, link)?;
                }
                self.write(state, class, address, term)
            }
            Place::Bytes(node, base) => {
                state.escaped |= self.reach(term) != Reach::Public;
                self.scribble_node(state, node, base, address, width)
            }
            Place::Block => {
                state.escaped |= self.reach(term) != Reach::Public;
                Ok(())
            }
            Place::Somewhere(node) => self.store_somewhere(state, node, term, loc),
        }
    }

    /// An address goes somewhere. Returns whether it may be that of a slot, which others know from now on.
    pub fn leak(&mut self, state: &mut State, term: Term) -> bool {
        if self.solver.constant(term).is_some() || !(self.is_address(term) || self.is_slot(state, term)) {
            return false;
        }
        let mut found = false;
        let slots = state.frames[0].slots.clone();
        state.leaked.resize(slots.len(), false);
        for (index, &slot) in slots.iter().enumerate() {
            // The address of a slot that is only accessed directly is nowhere.
            if self.reach(slot) != Reach::Public || (slot.var != term.var && !self.may_be(term, slot)) {
                continue;
            }
            let tag = self.origin(term).and_then(|origin| origin.class).map_or(0, |class| self.types.class(class).tag);
            // It may also be that of a part, or be made of one.
            let mut addresses = self.parts_of(slot);
            addresses.extend((term.offset != 0).then_some(slot + term.offset));
            let same = slot.var == term.var
                || addresses.iter().any(|&address| {
                    (0..=tag).any(|tag| {
                        let same = self.solver.equal(term - tag, address);
                        self.prove(&[same]).is_err()
                    })
                });
            found |= same;
            state.leaked[index] |= same;
        }
        found || self.is_slot(state, term)
    }

    /// The addresses of a variable: its own, those of the structs inside of it, and those of cells that there are links to.
    pub fn parts_of(&self, slot: Term) -> Vec<Term> {
        let mut out = vec![slot];
        if let Some(node) = self.origin(slot).and_then(|origin| origin.hint).map(|node| self.types.node(node)) {
            out.extend(node.parts.iter().map(|&(at, _)| slot + at as i64));
            let to_cells: Vec<ClassId> = self.types.cells_with_links_to_them().collect();
            if !to_cells.is_empty() {
                let touched = node.touched(self.types, 0, node.size).into_iter();
                out.extend(touched.filter(|(_, class)| to_cells.contains(class)).map(|(at, _)| slot + at as i64));
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// Whether something of one term's type may be, or be a part of, what has the other's.
    pub fn may_be(&self, term: Term, slot: Term) -> bool {
        let hint = |term| self.origin(term).and_then(|origin| origin.hint);
        let (Some(node), Some(outer)) = (hint(term), hint(slot)) else { return true };
        let (ty, whole) = (self.types.node(node), self.types.node(outer));
        node == outer
            || whole.parts.iter().any(|&(_, part)| part == node)
            || (ty.scalar && !whole.offsets_of(self.types, ty).is_empty())
    }

    pub fn is_slot(&self, state: &State, term: Term) -> bool {
        let is_base = |term: Term| state.frames.iter().flat_map(|frame| &frame.slots).any(|slot| slot.var == term.var);
        is_base(term) || self.spread(term).is_some_and(|spread| is_base(spread.root))
    }

    /// A write through a pointer to a scalar: any cell of that kind may be it.
    pub fn store_somewhere(&mut self, state: &mut State, node: NodeId, term: Term, loc: Loc) -> Flow {
        let Some(class) = self.types.node(node).cells.first().map(|cells| cells.class) else { return Ok(()) };
        let (link, width) = (self.types.class(class).link, self.types.class(class).width);
        if let Some(link) = link {
            self.demand(term, Some(link))?;
            // What is written must be valid, and so must everything else be: then everything is, wherever it went.
            self.valid_argument(state, Some(link), term, loc, "a pointer that is stored")?;
            self.settle_call(state, &[], Effect::Write, loc)?;
            return Ok(());
        }
        for index in 0..self.types.classes.len() {
            let class = &self.types.classes[index];
            if class.link.is_none() && class.width == width {
                self.havoc(state, ClassId(index as u32));
            }
        }
        Ok(())
    }

    /// Nothing is known of the data of a class any more.
    pub fn havoc(&mut self, state: &mut State, class: ClassId) {
        state.peeked.clear();
        state.held.retain(|(held, ..)| *held != class);
        let heap = self.another_heap();
        state.heaps[class.0 as usize] = heap;
        state.closed[class.0 as usize] = heap;
    }

    pub fn next(&mut self, state: &mut State, class: ClassId) -> (Term, Term) {
        state.peeked.clear();
        state.held.retain(|(held, ..)| *held != class);
        let old = state.heaps[class.0 as usize];
        let new = self.another_heap();
        state.heaps[class.0 as usize] = new;
        (Term::constant(old), Term::constant(new))
    }

    /// Remembers which links a path came across.
    fn visit(&self, state: &mut State, class: ClassId, address: Term) {
        let known = state.visited.contains(&(class, address));
        if self.types.class(class).link.is_some() && !known && state.visited.len() < VISITED {
            state.visited.push((class, address));
        }
    }

    pub fn write(&mut self, state: &mut State, class: ClassId, address: Term, value: Term) -> Flow {
        self.visit(state, class, address);
        // Other cells of the same node are not this one.
        let mut kept = state.held.clone();
        kept.retain(|(held, at, _)| *held == class && at.var == address.var && at.offset != address.offset);
        let (old, new) = self.next(state, class);
        state.held.append(&mut kept);
        state.held.push((class, address, value));
        let predicate = if self.types.class(class).row { self.theory.put } else { self.theory.write };
        let write = self.solver.constraint(predicate, &[old, address, value, new]);
        self.assume(write)
    }
}
