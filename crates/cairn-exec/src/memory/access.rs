//! Checked access to memory: resolves a pointer to an object and an offset.
//!
//! Each way in which an access can fail violates a check of its own.

use std::ops::ControlFlow::{Break, Continue};

use cairn_ir::{CheckKind, Checks, Loc};
use cairn_portfolio::Reason;
use cairn_smt::Term;

use crate::allocation::Target;
use crate::limits::COPIED_INPUT;
use crate::state::{Choice, State};
use crate::step::{Flow, Step, Stop, or_stop};
use crate::{Machine, Mode};
use cairn_memory::fault::Access;
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;
use cairn_memory::space::NULL_PAGE;

/// An access to memory that is to be resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessRequest {
    /// The address of the access.
    pub pointer: Term,
    /// Whether it is a read or a write.
    pub access: Access,
    /// The checks of the instruction.
    pub checks: Checks,
    /// The location of the instruction.
    pub loc: Loc,
}

impl AccessRequest {
    /// Creates the request for a read.
    pub fn read(pointer: Term, checks: Checks, loc: Loc) -> Self {
        Self { pointer, access: Access::Read, checks, loc }
    }

    /// Creates the request for a write.
    pub fn write(pointer: Term, checks: Checks, loc: Loc) -> Self {
        Self { pointer, access: Access::Write, checks, loc }
    }
}

/// A fact that is missing before two pointers can be compared.
pub enum Undecided {
    /// The truth of a condition: the state must be split on it.
    Condition(Term),
    /// The node at one end of a segment: it must be materialised.
    Segment(ObjectId, Side),
}

impl<M: Mode> Machine<'_, M> {
    /// Splits a state on a condition. Both parts execute the instruction again.
    pub fn split<T>(&mut self, state: State<M>, condition: Term, out: &mut Vec<State<M>>) -> Flow<T> {
        self.add_parts(state, condition, out);
        Break(Stop::Split)
    }

    /// Adds the parts of a state where a condition holds and where it does not to the list.
    pub(crate) fn add_parts(&mut self, state: State<M>, condition: Term, out: &mut Vec<State<M>>) {
        let (then, other) = self.branch(state, condition);
        out.extend(then);
        out.extend(other);
    }

    /// Continues in the part of a state where a condition holds. In the other part, if it is feasible, the check fails.
    pub(crate) fn require(
        &mut self,
        state: State<M>,
        condition: Term,
        kind: CheckKind,
        checks: Checks,
        loc: Loc,
    ) -> Step<M> {
        or_stop(self.require_or_report(state, condition, kind, checks, loc).0, Stop::Ended)
    }

    /// Returns the part of a state where a condition holds, and whether the check was reported for the other part.
    pub(crate) fn require_or_report(
        &mut self,
        state: State<M>,
        condition: Term,
        kind: CheckKind,
        checks: Checks,
        loc: Loc,
    ) -> (Option<State<M>>, bool) {
        let (good, bad) = self.branch(state, condition);
        // If callers are unknown, the good part shows an input that the function is made for.
        if M::ASSUMES && good.is_some() && bad.is_some() {
            let check = checks.iter().find(|check| self.program.checks[check.index()].kind == kind);
            M::note_assumed(self, check);
        }
        let bad = bad.filter(|_| !M::ASSUMES || good.is_none());
        if let Some(bad) = &bad {
            self.report(bad, kind, checks, loc);
        }
        (good, bad.is_some())
    }

    /// Resolves an access of `len` bytes to an object and a constant offset.
    ///
    /// If the offset has several values, the state is split on them.
    pub(crate) fn resolve(
        &mut self,
        state: State<M>,
        request: AccessRequest,
        len: u64,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, ObjectId, u64)> {
        let len = self.terms.constant(u128::from(len), self.pointer_bits);
        let (state, id, offset) = self.resolve_symbolic(state, request, len, out)?;
        let (state, offset) = self.concrete(state, offset, out)?;
        Continue((state, id, offset as u64))
    }

    /// Resolves an access of `len` bytes to an object and an offset.
    ///
    /// The offset is symbolic only if the mode abstracts.
    pub(crate) fn resolve_offset(
        &mut self,
        state: State<M>,
        request: AccessRequest,
        len: u64,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, ObjectId, Term)> {
        let bytes = self.terms.constant(u128::from(len), self.pointer_bits);
        let (state, id, offset) = self.resolve_symbolic(state, request, bytes, out)?;
        let (state, offset) = self.place_of(state, offset, out)?;
        Continue((state, id, offset))
    }

    /// Resolves an access of `len` bytes to an object and an offset that is in bounds.
    pub(crate) fn resolve_symbolic(
        &mut self,
        mut state: State<M>,
        request: AccessRequest,
        len: Term,
        out: &mut Vec<State<M>>,
    ) -> Flow<(State<M>, ObjectId, Term)> {
        let AccessRequest { mut pointer, access, checks, loc } = request;
        if M::ASSUMES && matches!(self.target(&state, pointer), Target::Wild) {
            let (next, found) = M::materialise(self, state, pointer);
            state = next;
            pointer = found.unwrap_or(pointer);
        }
        self.check_initialised(&state, pointer, checks, loc);
        let (id, offset) = match self.locate(&state, pointer) {
            Target::Object(id, offset) => (id, offset),
            Target::Segment(id, side, _) => return self.unfold(state, id, side, out),
            Target::Constant(bits) => {
                let null = bits < u128::from(NULL_PAGE);
                let kind = if null { CheckKind::NullDeref } else { CheckKind::InvalidDeref };
                self.report(&state, kind, checks, loc);
                return Break(Stop::Ended);
            }
            Target::Either(condition) => {
                M::note_cases(&mut state);
                return self.split(state, condition, out);
            }
            // Nothing is known about the validity of an input that is no pointer.
            Target::Wild if M::ASSUMES && !self.is_undefined(pointer) => {
                self.gaps.insert(Reason::UnknownLocation("an input"));
                return Break(Stop::Ended);
            }
            Target::Wild => {
                // Without callers to blame, the mistake is that the pointer was never set.
                let kind = if M::ASSUMES { CheckKind::Uninitialised } else { CheckKind::InvalidDeref };
                self.report(&state, kind, checks, loc);
                return Break(Stop::Ended);
            }
        };
        let object = state.memory.get(id);
        let kind = match (object.kind.is_data(), object.end) {
            (false, _) => Some(CheckKind::InvalidDeref),
            (_, End::Freed | End::Reallocated) => Some(CheckKind::UseAfterFree),
            (_, End::OutOfScope) => Some(CheckKind::UseAfterScope),
            (_, End::Live) if access == Access::Write && object.constant => Some(CheckKind::InvalidDeref),
            (_, End::Live) => None,
        };
        if let Some(kind) = kind {
            self.report(&state, kind, checks, loc);
            return Break(Stop::Ended);
        }
        let size = object.size;
        let inside = self.in_bounds(offset, len, size);
        if M::is_unsized(&state, id) {
            let (good, bad) = self.branch(state, inside);
            if bad.is_some() {
                // Callers decide the size. Where no size fits, the path ends without an answer.
                let check =
                    checks.iter().find(|check| self.program.checks[check.index()].kind == CheckKind::OutOfBounds);
                M::note_assumed(self, check.filter(|_| good.is_some()));
            }
            return Continue((or_stop(good, Stop::Ended)?, id, offset));
        }
        let state = self.require(state, inside, CheckKind::OutOfBounds, checks, loc)?;
        Continue((state, id, offset))
    }

    /// Returns the condition `offset + len ≤ size`, without overflow.
    pub(crate) fn in_bounds(&mut self, offset: Term, len: Term, size: Term) -> Term {
        let fits = self.terms.ule(len, size);
        let last = self.terms.sub(size, len);
        let before = self.terms.ule(offset, last);
        self.terms.and(fits, before)
    }

    /// Returns the value of a term.
    ///
    /// If the term has several values, the state continues with one of them. A copy of the state with the others
    /// excluded goes to the output list.
    pub(crate) fn concrete(&mut self, state: State<M>, term: Term, out: &mut Vec<State<M>>) -> Flow<(State<M>, u128)> {
        if let Some(value) = state.path.value(&self.terms, term) {
            return Continue((state, value));
        }
        if state.splits >= self.options.max_splits {
            self.gaps.insert(Reason::SymbolicOffset);
            return Break(Stop::Ended);
        }
        let mut state = state;
        M::note_choice(&mut state);
        let value = self.terms.evaluate(term, state.path.model());
        let constant = self.terms.constant(value, self.terms.width(term));
        let equal = self.terms.eq(term, constant);
        let (then, other) = self.branch(state, equal);
        if let Some(mut other) = other {
            other.splits += 1;
            out.push(other);
        }
        let then = or_stop(then, Stop::Split)?;
        Continue((then, value))
    }

    /// Reads bytes at a constant offset. The access was checked before.
    pub fn read(&mut self, state: &mut State<M>, id: ObjectId, at: u64, len: u32) -> Term {
        M::note_read(self, state, id);
        let mut found = Vec::new();
        let is_input = M::holds_inputs(state, id);
        let (terms, undefined) = (&mut self.terms, &mut self.undefined);
        let mut fresh = |terms: &mut cairn_smt::Terms, at, bits| {
            let term = Self::fresh_contents(is_input, undefined, terms, bits);
            found.push((at, term));
            term
        };
        let value = state.memory.get_mut(id).read(at, len, terms, &mut fresh);
        self.record_leftovers(state, id, &found);
        value
    }

    /// Writes bytes at a constant offset. The access was checked before.
    pub fn write(&mut self, state: &mut State<M>, id: ObjectId, at: u64, value: Term) {
        let kept = self.not_overwritten(state, id, at, value);
        let object = state.memory.get_mut(id);
        object.write(at, value, &mut self.terms);
        if !kept.is_empty() {
            object.set_indexed(kept);
        }
    }

    /// Copies bytes between constant offsets. Both accesses were checked before.
    pub(crate) fn copy(&mut self, state: &mut State<M>, to: (ObjectId, u64), from: (ObjectId, u64), len: u64) {
        let mut found = Vec::new();
        let is_input = M::holds_inputs(state, from.0);
        let mut len = len;
        if is_input && len > COPIED_INPUT {
            len = COPIED_INPUT;
            M::note_choice(state);
        }
        let (terms, undefined) = (&mut self.terms, &mut self.undefined);
        let mut fresh = |terms: &mut cairn_smt::Terms, at, bits| {
            let term = Self::fresh_contents(is_input, undefined, terms, bits);
            found.push((at, term));
            term
        };
        let mut source = state.memory.get(from.0).clone();
        state.memory.get_mut(to.0).copy_from(to.1, &mut source, from.1, len, terms, &mut fresh);
        if from.0 != to.0 {
            *state.memory.get_mut(from.0) = source;
        }
        self.record_leftovers(state, from.0, &found);
    }

    /// Returns a fresh variable for bytes that were never written: an input, or an uninitialised value.
    fn fresh_contents(
        is_input: bool,
        undefined: &mut rustc_hash::FxHashSet<Term>,
        terms: &mut cairn_smt::Terms,
        bits: u32,
    ) -> Term {
        if is_input { terms.variable("input", bits) } else { Self::fresh_undefined(undefined, terms, bits) }
    }

    /// Records uninitialised bytes that were read as inputs: the environment chooses their values.
    fn record_leftovers(&mut self, state: &mut State<M>, id: ObjectId, found: &[(u64, Term)]) {
        if M::holds_inputs(state, id) {
            return M::record_inputs(state, id, found);
        }
        let life = state.memory.get(id).life;
        for &(at, term) in found {
            state.choices.push(match life {
                Some(life) => Choice::Leftover(life, at, term),
                None => Choice::Unassigned(term),
            });
        }
    }

    /// Records whether the allocator gives an object the address of a freed one.
    fn record_reuse(&mut self, state: &mut State<M>, freed: ObjectId, object: ObjectId, same: Term) {
        let (x, y) = (state.memory.get(freed), state.memory.get(object));
        let is_heap = x.kind == ObjectKind::Heap && y.kind == ObjectKind::Heap && x.end != End::Live;
        if let (Some(freed), Some(life), true) = (x.life, y.life, is_heap && !M::ABSTRACTS) {
            state.choices.push(Choice::Reused(life, freed, same));
        }
    }

    /// Returns the condition under which two pointers are equal, using the objects that they point into.
    ///
    /// If that depends on an undecided fact, returns the fact.
    pub(crate) fn pointers_equal(&mut self, state: &mut State<M>, a: Term, b: Term) -> Result<Term, Undecided> {
        if a == b {
            return Ok(self.terms.truth());
        }
        let (x, y) = (self.target(state, a), self.target(state, b));
        Ok(match (x, y) {
            (Target::Either(condition), _) | (_, Target::Either(condition)) => {
                return Err(Undecided::Condition(condition));
            }
            // The end of a segment is compared only with itself, or with null if the segment has a node. In any other
            // comparison the node must be materialised first.
            (Target::Segment(p, side, _), Target::Segment(q, other, _)) if p == q && side == other => {
                self.terms.eq(a, b)
            }
            (Target::Segment(id, _, at), Target::Constant(0)) | (Target::Constant(0), Target::Segment(id, _, at))
                if state.memory.get(id).segment.as_ref().is_some_and(|segment| segment.min > 0)
                    && state.memory.get(id).end == End::Live
                    && self.surely_inside(state, id, at) =>
            {
                self.terms.falsity()
            }
            (Target::Segment(id, side, _), _) | (_, Target::Segment(id, side, _)) => {
                return Err(Undecided::Segment(id, side));
            }
            // No object lies in the null page. The offset may be any number: a pointer may come from an integer, or be out of bounds.
            (Target::Object(id, at), Target::Constant(bits)) | (Target::Constant(bits), Target::Object(id, at))
                if bits < u128::from(NULL_PAGE) && self.is_near(state, id, at) =>
            {
                self.terms.falsity()
            }
            (Target::Object(p, at_p), Target::Object(q, at_q)) if p != q => {
                let inside = self.surely_inside(state, p, at_p) && self.surely_inside(state, q, at_q);
                if inside && state.memory.lived_together(p, q) {
                    self.terms.falsity()
                } else {
                    // The address of a dead object may have been reused, and an object may begin right after the end
                    // of another. Either answer is possible.
                    let same = self.terms.variable("address", 1);
                    if at_p == at_q {
                        self.record_reuse(state, p.min(q), p.max(q), same);
                    }
                    same
                }
            }
            // An input is no pointer to an object that was made later.
            (Target::Wild, Target::Object(id, _)) | (Target::Object(id, _), Target::Wild)
                if M::ASSUMES
                    && !M::is_unsized(state, id)
                    && matches!(
                        state.memory.get(id).kind,
                        ObjectKind::Heap | ObjectKind::Stack | ObjectKind::Alloca
                    ) =>
            {
                self.terms.falsity()
            }
            _ => self.terms.eq(a, b),
        })
    }

    /// Returns whether an offset from an object is certain neither to wrap around nor to reach the null page.
    pub(crate) fn is_near(&mut self, state: &State<M>, id: ObjectId, offset: Term) -> bool {
        let near = i128::from(NULL_PAGE);
        let length = state.memory.get(id).size;
        let at = state.path.facts(&self.terms, offset);
        let size = state.path.facts(&self.terms, length);
        if at.signed_min < -near || (at.signed_max > near && at.max > size.max) {
            return false;
        }
        // Addresses of 64 bits use 47 bits, so that a sum with a positive offset does not wrap around.
        if at.signed_max <= near || at.max <= size.min || self.pointer_bits == 64 {
            return true;
        }
        let inside = self.terms.ule(offset, length);
        self.follows(state, inside)
    }

    /// Returns whether an offset is certain to lie inside an object, whether the object is live or dead.
    fn surely_inside(&mut self, state: &State<M>, id: ObjectId, offset: Term) -> bool {
        let object = state.memory.get(id);
        if matches!(object.kind, ObjectKind::Function | ObjectKind::Label) {
            return true;
        }
        let (at, size) = (state.path.facts(&self.terms, offset), state.path.facts(&self.terms, object.size));
        at.max < size.min || (at.max == 0 && size.max == 0)
    }
}
