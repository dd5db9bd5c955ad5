//! Accesses: which cell an address is, and the reads and writes of scalars.

use cairn_ir::{Loc, Ty};
use cairn_rules::{Model, Term, Var};

use super::super::limits::NULL_PAGE;
use super::super::report::{Condition, Reason, Subject};
use super::super::solver::{Flow, Origin, PathSolver, Reach, Stop};
use super::super::state::{State, Value};
use super::super::types::{ClassId, NodeId};
use super::Execution;
use super::conditions::{Effect, Failure};

/// The target of an access.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// A cell of a class.
    Cell(ClassId),
    /// Bytes of the node of this type that starts there.
    Bytes(NodeId, Term),
    /// Bytes of an object without a type.
    Untyped,
    /// A cell of this scalar type in an unknown node.
    Somewhere(NodeId),
}

/// The target of an access by the declared type of the pointer.
enum Declared {
    Place(Place),
    /// The access is outside of the declared type.
    Outside,
    /// The pointer may not point to an object of its type. The model is missing when the solver ran out of steps.
    NoObject(Option<Box<Model>>),
}

impl Place {
    /// Returns the place at an offset of a node.
    fn within(solver: &PathSolver<'_, '_>, node: NodeId, base: Term, offset: i64, width: u64) -> Self {
        match solver.types().node(node).cell(solver.types(), offset, width) {
            Some(class) => Place::Cell(class),
            None => Place::Bytes(node, base),
        }
    }
}

impl Execution<'_, '_> {
    /// Finds the target of an access. The access violates memory safety where there is none.
    pub(super) fn resolve(&mut self, state: &State, address: Term, width: u64, loc: Loc) -> Flow<Place> {
        self.require_not_freed(state, address, loc);
        let mut failed = None;
        if let Some(origin) = self.solver.origin(address) {
            if let Some(untyped) = &origin.untyped {
                let size = untyped.size;
                return self.resolve_untyped(state, address, width, size, loc);
            }
            if origin.element.is_some() {
                return self.resolve_element(state, address, width, loc);
            }
            if let Some(node) = origin.hint {
                match self.resolve_declared(address, width, node)? {
                    Declared::Place(place) => return Ok(place),
                    Declared::Outside => {}
                    Declared::NoObject(model) => failed = Some(model),
                }
            }
        }
        if let Some((node, base, offset)) = self.solver.known_object(address, width) {
            return Ok(Place::within(&self.solver, node, base, offset, width));
        }
        if self.solver.is_pointer_to_data(address) {
            return self.unknown_length(loc);
        }
        let null = self.solver.is_null(Term { offset: 0, ..address });
        if address.offset.abs() < NULL_PAGE && self.solver.value(null) == Some(true) {
            return Err(Stop::PathEnd);
        }
        if let Some((node, base)) = self.solver.tagged_base(address, width) {
            let nonnull = !self.solver.is_null(base);
            self.solver.assume(nonnull)?;
            if let Some(offset) = self.solver.difference(address, base) {
                return Ok(Place::within(&self.solver, node, base, offset, width));
            }
        }
        self.unresolved(state, address, width, failed, loc)
    }

    /// Requires that an address is not in memory that the path has certainly freed.
    pub(super) fn require_not_freed(&mut self, state: &State, address: Term, loc: Loc) {
        if self.findings.is_memory_proved() && self.is_freed(state, address) {
            self.findings.memory_unknown(loc, Reason::UseAfterFree);
        }
    }

    /// Returns whether an address is certainly in memory that was freed.
    pub(super) fn is_freed(&mut self, state: &State, address: Term) -> bool {
        if address.var == Var::ZERO {
            return false;
        }
        let all = state.freed.iter().chain(&state.lifetimes.freed).copied();
        let freed: Vec<Term> = all.filter(|&term| self.solver.constant(term).is_none()).collect();
        if freed.is_empty() {
            return false;
        }
        let mut same = vec![Term { offset: 0, ..address }];
        for &(one, other) in &state.lifetimes.equal {
            match () {
                () if one.var == address.var => same.push(other),
                () if other.var == address.var => same.push(one),
                () => {}
            }
        }
        same.into_iter().any(|address| {
            freed.iter().any(|freed| freed.var == address.var) || self.solver.is_one_of(address, &freed, &[])
        })
    }

    /// Resolves an access to an object without a type.
    fn resolve_untyped(
        &mut self,
        state: &State,
        address: Term,
        width: u64,
        size: Option<u64>,
        loc: Loc,
    ) -> Flow<Place> {
        let end = address.offset.checked_add(width as i64);
        if address.offset >= 0 && matches!((end, size), (Some(end), Some(size)) if end as u64 <= size) {
            return Ok(Place::Untyped);
        }
        if size.is_none() {
            return self.unknown_length(loc);
        }
        let model = self.solver.prove(&[]).err().flatten();
        Err(self.fail(state, Failure::new(loc, Condition::InsideAllocation, model)))
    }

    /// Resolves an access by the declared type of the pointer.
    fn resolve_declared(&mut self, address: Term, width: u64, node: NodeId) -> Flow<Declared> {
        let ty = self.types().node(node);
        if address.offset < 0 || address.offset + width as i64 > ty.size as i64 {
            return Ok(Declared::Outside);
        }
        let base = Term { offset: 0, ..address };
        // An access through null stops the program.
        if address.offset < NULL_PAGE {
            let nonnull = !self.solver.is_null(base);
            self.solver.assume(nonnull)?;
        }
        let object = self.solver.object(node, base);
        if self.solver.value(object) != Some(true)
            && let Err(model) = self.solver.prove(&[!object])
        {
            return Ok(Declared::NoObject(model));
        }
        self.solver.assume(object)?;
        let owned = self.solver.origin(address).is_some_and(|origin| origin.owned);
        Ok(Declared::Place(if ty.scalar && !owned {
            Place::Somewhere(node)
        } else {
            Place::within(&self.solver, node, base, address.offset, width)
        }))
    }

    /// Ends the path at an access whose target is not known.
    fn unresolved<T>(
        &mut self,
        state: &State,
        address: Term,
        width: u64,
        failed: Option<Option<Box<Model>>>,
        loc: Loc,
    ) -> Flow<T> {
        self.values().demand_own_type(address);
        self.values().demand_cell(address);
        let is_foreign = self.solver.origin(address).is_some_and(|origin| origin.foreign);
        if is_foreign || self.solver.is_in_container(address, width) {
            let reason = if is_foreign { Reason::ForeignPointer } else { Reason::UnknownContainer };
            self.findings.memory_by_contract(loc, reason);
            self.findings.end_at_memory(loc);
            return Err(Stop::PathEnd);
        }
        let model = match failed {
            Some(model) => model,
            None => match self.solver.prove(&[]) {
                Ok(()) => return Err(Stop::PathEnd),
                Err(model) => model,
            },
        };
        Err(self.fail(state, Failure::new(loc, Condition::InsideNode, model)))
    }

    /// Ends the path at an access to memory of unknown length.
    pub(super) fn unknown_length<T>(&mut self, loc: Loc) -> Flow<T> {
        self.findings.memory_by_contract(loc, Reason::UnknownLength);
        self.findings.end_at_memory(loc);
        Err(Stop::PathEnd)
    }

    /// Reads a scalar.
    pub(super) fn load(&mut self, state: &mut State, address: Term, ty: Ty, loc: Loc) -> Flow<Value> {
        let width = ty.bytes(self.context.program.target);
        let place = self.resolve(state, address, width, loc)?;
        if ty.is_float() || width > 8 {
            return Ok(Value::Unknown);
        }
        Ok(match place {
            Place::Cell(class) => Value::Term(state.heaps.read(&mut self.solver, class, address)?),
            Place::Somewhere(node) => Value::Term(self.load_somewhere(state, node, address)?),
            Place::Bytes(..) | Place::Untyped => Value::Unknown,
        })
    }

    /// Reads through a pointer to a scalar.
    fn load_somewhere(&mut self, state: &mut State, node: NodeId, address: Term) -> Flow<Term> {
        if let Some(known) = state.heaps.peeked(address) {
            return Ok(known);
        }
        let types = self.types();
        let class = types.node(node).cells.first().map(|cells| types.class(cells.class));
        let link = class.and_then(|class| class.link);
        let is_changed = state.heaps.changed().any(|class| link.is_some() && types.class(class).link == link);
        let foreign = link.is_none();
        let opaque = foreign && class.is_some_and(|class| class.pointer);
        let term = self.solver.variable(Origin { hint: link, foreign, opaque, ..Origin::default() });
        if let (Some(link), false) = (link, is_changed) {
            self.solver.assume_node(link, term, state.heaps.epoch())?;
        }
        state.heaps.peek(address, term);
        Ok(term)
    }

    /// Writes a scalar.
    pub(super) fn store(&mut self, state: &mut State, address: Term, ty: Ty, value: Value, loc: Loc) -> Flow {
        let width = ty.bytes(self.context.program.target);
        let place = self.resolve(state, address, width, loc)?;
        let term = match value {
            Value::Term(term) => term,
            _ => self.solver.unknown(),
        };
        let is_public = self.solver.reach(term) == Reach::Public;
        state.locals.escaped |= !is_public && self.solver.reach(address) != Reach::Private;
        state.locals.dangling |= state.leak(&mut self.solver, term) && !state.is_slot(&self.solver, address);
        match place {
            Place::Cell(class) => {
                let link = self.types().class(class).link;
                self.values().demand_array_of(class, term);
                self.values().demand_link(term, link);
                self.give_type(term, link)?;
                if let Some(link) = link {
                    self.solver.recognise_element(term, link)?;
                }
                state.heaps.write(&mut self.solver, class, address, term)
            }
            Place::Bytes(node, base) => {
                state.locals.escaped |= !is_public;
                state.heaps.scramble(&mut self.solver, (node, base), address, width)
            }
            Place::Untyped => {
                state.locals.escaped |= !is_public;
                Ok(())
            }
            Place::Somewhere(node) => self.store_somewhere(state, node, term, loc),
        }
    }

    /// Writes through a pointer to a scalar, which may point to any cell of that kind.
    pub(super) fn store_somewhere(&mut self, state: &mut State, node: NodeId, term: Term, loc: Loc) -> Flow {
        let types = self.types();
        let Some(class) = types.node(node).cells.first().map(|cells| types.class(cells.class)) else { return Ok(()) };
        if let Some(link) = class.link {
            self.give_type(term, Some(link))?;
            // If the pointer and everything else is valid, then the graph is valid wherever the pointer is written to.
            self.require_valid_pointer(state, Some(link), term, loc, Subject::StoredPointer)?;
            return self.settle_call(state, &[], Effect::Write, loc);
        }
        for (id, other) in types.classes() {
            if other.link.is_none() && other.width == class.width {
                state.heaps.havoc(&mut self.solver, id);
            }
        }
        Ok(())
    }
}
