//! The door to bytes: from a pointer's term to an object and an offset, with every way that can go wrong told apart.

use cairn_ir::{CheckKind, Checks, Loc, Ty};
use cairn_smt::Term;

use super::Explorer;
use super::allocation::Target;
use super::state::{Choice, State};
use crate::memory::fault::Access;
use crate::memory::object::{End, ObjectKind};
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;
use crate::memory::space::NULL_PAGE;

/// Why an instruction does not go on in this state.
pub(super) enum Stop {
    /// The path ends here.
    Ended,
    /// The states to go on with are in the list; they run the instruction again.
    Again,
}

/// What has to be known before pointers can be compared.
pub(super) enum Undecided {
    /// Whether this holds.
    Condition(Term),
    /// What the node at this end of a segment is.
    Segment(ObjectId, Side),
}

impl Explorer<'_> {
    /// Splits a state on a condition; both parts run the instruction again.
    pub(super) fn split(&mut self, state: State, condition: Term, out: &mut Vec<State>) -> Stop {
        let (then, other) = self.branch(state, condition);
        out.extend(then);
        out.extend(other);
        Stop::Again
    }

    /// Goes on only where the condition holds; where it does not, the check fails.
    pub(super) fn require(
        &mut self,
        state: State,
        condition: Term,
        kind: CheckKind,
        checks: Checks,
        loc: Loc,
    ) -> Option<State> {
        let (good, bad) = self.branch(state, condition);
        if let Some(bad) = bad {
            self.report(&bad, kind, checks, loc);
        }
        good
    }

    /// Resolves an access of `len` bytes: the object and a constant offset in it.
    #[expect(clippy::too_many_arguments, reason = "an access is all of this")]
    pub(super) fn resolve(
        &mut self,
        state: State,
        pointer: Term,
        len: u64,
        access: Access,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Result<(State, ObjectId, u64), Stop> {
        let len = self.terms.constant(u128::from(len), self.pointer_bits);
        let (state, id, offset) = self.resolve_symbolic(state, pointer, len, access, checks, loc, out)?;
        let (state, offset) = self.concrete(state, offset, out)?;
        Ok((state, id, offset as u64))
    }

    /// Resolves an access of `len` bytes: the object and the offset, a constant unless this is a proof.
    #[expect(clippy::too_many_arguments, reason = "an access is all of this")]
    pub(super) fn resolve_offset(
        &mut self,
        state: State,
        pointer: Term,
        len: u64,
        access: Access,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Result<(State, ObjectId, Term), Stop> {
        let bytes = self.terms.constant(u128::from(len), self.pointer_bits);
        let (state, id, offset) = self.resolve_symbolic(state, pointer, bytes, access, checks, loc, out)?;
        let (state, offset) = self.place_of(state, offset, out)?;
        Ok((state, id, offset))
    }

    /// Resolves an access of `len` bytes: the object and the offset, which lies in bounds.
    #[expect(clippy::too_many_arguments, reason = "an access is all of this")]
    pub(super) fn resolve_symbolic(
        &mut self,
        state: State,
        pointer: Term,
        len: Term,
        access: Access,
        checks: Checks,
        loc: Loc,
        out: &mut Vec<State>,
    ) -> Result<(State, ObjectId, Term), Stop> {
        let (id, offset) = match self.locate(&state, pointer) {
            Target::Object(id, offset) => (id, offset),
            Target::Segment(id, side, _) => return Err(self.unfold(state, id, side, out)),
            Target::Constant(bits) => {
                let kind = if bits < 4096 { CheckKind::NullDeref } else { CheckKind::InvalidDeref };
                self.report(&state, kind, checks, loc);
                return Err(Stop::Ended);
            }
            Target::Either(condition) => return Err(self.split(state, condition, out)),
            Target::Wild => {
                self.report(&state, CheckKind::InvalidDeref, checks, loc);
                return Err(Stop::Ended);
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
            return Err(Stop::Ended);
        }
        let size = object.size;
        let inside = self.in_bounds(offset, len, size);
        match self.require(state, inside, CheckKind::OutOfBounds, checks, loc) {
            Some(state) => Ok((state, id, offset)),
            None => Err(Stop::Ended),
        }
    }

    /// `offset + len ≤ size` without overflow.
    pub(super) fn in_bounds(&mut self, offset: Term, len: Term, size: Term) -> Term {
        let fits = self.terms.ule(len, size);
        let last = self.terms.sub(size, len);
        let before = self.terms.ule(offset, last);
        self.terms.and(fits, before)
    }

    /// The one value that a term has; splits the state when it has several.
    pub(super) fn concrete(&mut self, state: State, term: Term, out: &mut Vec<State>) -> Result<(State, u128), Stop> {
        if let Some(value) = state.path.value(&self.terms, term) {
            return Ok((state, value));
        }
        if state.splits >= self.options.max_splits {
            self.gaps.insert("an offset or size has too many values".to_owned());
            return Err(Stop::Ended);
        }
        let value = self.terms.evaluate(term, state.path.model());
        let constant = self.terms.constant(value, self.terms.width(term));
        let equal = self.terms.eq(term, constant);
        let (then, other) = self.branch(state, equal);
        if let Some(mut other) = other {
            other.splits += 1;
            out.push(other);
        }
        match then {
            Some(then) => Ok((then, value)),
            None => Err(Stop::Again),
        }
    }

    /// Reads bytes that are known to be there.
    pub(super) fn read(&mut self, state: &mut State, id: ObjectId, at: u64, len: u32) -> Term {
        let mut found = Vec::new();
        let (terms, undefined) = (&mut self.terms, &mut self.undefined);
        let mut fresh = |terms: &mut cairn_smt::Terms, at, bits| {
            let term = Self::fresh_undefined(undefined, terms, bits);
            found.push((at, term));
            term
        };
        let value = state.memory.get_mut(id).read(at, len, terms, &mut fresh);
        self.record_leftovers(state, id, &found);
        value
    }

    /// Writes bytes that are known to be there.
    pub(super) fn write(&mut self, state: &mut State, id: ObjectId, at: u64, value: Term) {
        let kept = self.not_overwritten(state, id, at, value);
        let object = state.memory.get_mut(id);
        object.write(at, value, &mut self.terms);
        if !kept.is_empty() {
            object.set_indexed(kept);
        }
    }

    /// Copies bytes that are known to be there.
    pub(super) fn copy(&mut self, state: &mut State, to: (ObjectId, u64), from: (ObjectId, u64), len: u64) {
        let mut found = Vec::new();
        let (terms, undefined) = (&mut self.terms, &mut self.undefined);
        let mut fresh = |terms: &mut cairn_smt::Terms, at, bits| {
            let term = Self::fresh_undefined(undefined, terms, bits);
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

    /// What was read and never written is a choice of the world.
    fn record_leftovers(&mut self, state: &mut State, id: ObjectId, found: &[(u64, Term)]) {
        let life = state.memory.get(id).life;
        for &(at, term) in found {
            state.choices.push(match life {
                Some(life) => Choice::Leftover(life, at, term),
                None => Choice::Unassigned(term),
            });
        }
    }

    /// Whether two pointers are equal, where their objects decide it.
    pub(super) fn pointers_equal(&mut self, state: &State, ty: Ty, a: Term, b: Term) -> Result<Term, Undecided> {
        if a == b {
            return Ok(self.terms.truth());
        }
        let (x, y) = (self.target(state, a), self.target(state, b));
        Ok(match (x, y) {
            (Target::Either(condition), _) | (_, Target::Either(condition)) => {
                return Err(Undecided::Condition(condition));
            }
            // The node at the end of a segment is compared when it is known to be there, and then as the object that it is.
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
            // No object lies at address 0 or near it. A pointer stays at its object; an integer may be anywhere.
            (Target::Object(id, at), Target::Constant(bits)) | (Target::Constant(bits), Target::Object(id, at))
                if bits < 4096 && (ty == Ty::Ptr || self.is_near(state, id, at)) =>
            {
                self.terms.falsity()
            }
            (Target::Object(p, at_p), Target::Object(q, at_q)) if p != q => {
                let inside = self.surely_inside(state, p, at_p) && self.surely_inside(state, q, at_q);
                if inside && state.memory.lived_together(p, q) {
                    self.terms.falsity()
                } else {
                    // A dead object's address may have been given away since, and one past the end of an object another may
                    // begin: anything is possible.
                    self.terms.variable("address", 1)
                }
            }
            _ => self.terms.eq(a, b),
        })
    }

    /// Whether an offset from an object surely does not lead around the end of the address space, nor to its start.
    pub(super) fn is_near(&self, state: &State, id: ObjectId, offset: Term) -> bool {
        let near = i128::from(NULL_PAGE);
        let at = state.path.facts(&self.terms, offset);
        let size = state.path.facts(&self.terms, state.memory.get(id).size);
        at.signed_min >= -near && (at.signed_max <= near || at.max <= size.max)
    }

    /// Whether an offset lies in an object for certain, be it alive or not.
    fn surely_inside(&mut self, state: &State, id: ObjectId, offset: Term) -> bool {
        let object = state.memory.get(id);
        if matches!(object.kind, ObjectKind::Function | ObjectKind::Label) {
            return true;
        }
        let (at, size) = (state.path.facts(&self.terms, offset), state.path.facts(&self.terms, object.size));
        at.max < size.min || (at.max == 0 && size.max == 0)
    }
}
