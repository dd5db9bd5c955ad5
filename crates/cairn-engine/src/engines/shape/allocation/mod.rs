//! The allocation check: which object a pointer points to (papers: slcpa, section 5.3).
//!
//! Four procedures answer it. [`AllocationCheck::Fast`] needs no query in the common case and is what verifying uses; the three
//! of the paper are there to be compared with it. For them a heap is a map from the addresses of bytes to values, and they ask the
//! solver which key of the map a pointer equals.
//!
//! Both begin with `M.containsKey(E)`, "a trivial syntactic check": the keys are formulas, and only the same formula is found.
//! Keys are the location of an object and this location plus a constant (§4.2.1, §5.2). The rules VAR and FIELD (Figure 4.4) write
//! the locations of variables and their members down in just that form, so they are found. A pointer into the heap comes out of
//! memory, where it was taken apart: Σ[E]ⁿ (§4.2.3, Algorithm 6) is the concatenation of bytes, which is no key whatever
//! it equals, and that is why the paper needs a solver ("a syntactical lookup alone is not sufficient"). Terms here are always in
//! normal form, in which the pieces are whole again; looking that up would be the default procedure once more. So the lookup of
//! the two procedures finds what is at a constant offset in a variable, be its address written down or read from memory (which is
//! more than the paper's finds), and the solver is asked about the heap. Where no key is found, the normal form says why: a
//! null pointer, an offset out of bounds or with several values, or a pointer to one of several objects.
//!
//! Invariant: an object that a procedure names is the pointer's object in every model of the path.

mod fast;
mod sl;
mod smt;
mod smt_model;

use cairn_smt::{Answer, Term};

use super::Explorer;
use super::state::State;
use crate::memory::object::ObjectKind;
use crate::memory::pointer::ObjectId;
use crate::memory::segment::Side;

/// How a pointer is resolved to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AllocationCheck {
    /// The object is read off the pointer's normal form.
    #[default]
    Fast,
    /// One query for each cell until one is the pointer's (Algorithm 4, with equalities instead of separation logic).
    Smt,
    /// One query with a truth value for each cell, and a model of it (Algorithm 5).
    SmtModel,
    /// Satisfiability of the heap and one cell more, in separation logic (Algorithms 3 and 4).
    Sl,
}

impl AllocationCheck {
    /// All procedures, the default first.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Smt, Self::SmtModel, Self::Sl];

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Smt => "smt",
            Self::SmtModel => "smt-model",
            Self::Sl => "sl",
        }
    }
}

/// What a pointer's term points to.
pub(super) enum Target {
    /// An object at an offset.
    Object(ObjectId, Term),
    /// The node at one end of a segment, at an offset. The node may not be there, and is no object of its own yet.
    Segment(ObjectId, Side, Term),
    /// A constant address that belongs to no object.
    Constant(u128),
    /// It depends on this condition.
    Either(Term),
    /// An address of which nothing is known.
    Wild,
}

impl Target {
    /// Whether it is an object, or one of several.
    pub(super) fn is_object(&self) -> bool {
        matches!(self, Target::Object(..) | Target::Segment(..) | Target::Either(_))
    }
}

/// A place where bytes are: one byte of an object, or all of an object whose size is not known.
struct Cell {
    object: ObjectId,
    /// The address.
    address: Term,
    /// The offset in the object; `None` for all of it.
    offset: Option<u64>,
}

impl Explorer<'_> {
    /// What a pointer that is dereferenced or freed points to, by the procedure that was chosen.
    pub(super) fn locate(&mut self, state: &State, pointer: Term) -> Target {
        if self.options.allocation_check != AllocationCheck::Fast && self.is_in_variable(state, pointer) {
            return self.target(state, pointer);
        }
        let found = match self.options.allocation_check {
            AllocationCheck::Fast => None,
            AllocationCheck::Smt => self.locate_by_equalities(state, pointer),
            AllocationCheck::SmtModel => self.locate_by_model(state, pointer),
            AllocationCheck::Sl => self.locate_by_separation(state, pointer),
        };
        found.unwrap_or_else(|| self.target(state, pointer))
    }

    /// Whether a pointer is at a constant offset in an object that is not on the heap: what the paper's lookup finds.
    fn is_in_variable(&mut self, state: &State, pointer: Term) -> bool {
        let Target::Object(id, offset) = self.target(state, pointer) else { return false };
        state.memory.get(id).kind != ObjectKind::Heap && self.terms.as_const(offset).is_some()
    }

    /// The cells of an object, dead ones too: a pointer to what is gone points there still.
    fn cells_of(&mut self, state: &State, object: ObjectId) -> Vec<Cell> {
        let found = state.memory.get(object);
        if !found.kind.is_data() {
            return Vec::new();
        }
        let Some(size) = state.path.value(&self.terms, found.size) else {
            return vec![Cell { object, address: found.base, offset: None }];
        };
        let mut cells = Vec::new();
        for offset in 0..size as u64 {
            if self.session.interrupted() {
                break;
            }
            let at = self.terms.constant(u128::from(offset), self.pointer_bits);
            cells.push(Cell { object, address: self.terms.add(found.base, at), offset: Some(offset) });
        }
        cells
    }

    /// Whether a pointer points to a cell: a condition.
    fn is_at(&mut self, state: &State, pointer: Term, cell: &Cell) -> Term {
        if cell.offset.is_some() {
            return self.terms.eq(pointer, cell.address);
        }
        let offset = self.terms.sub(pointer, cell.address);
        self.terms.ult(offset, state.memory.get(cell.object).size)
    }

    /// Asks whether a condition holds in every model of the path.
    fn surely(&mut self, state: &State, condition: Term) -> bool {
        let otherwise = self.terms.not(condition);
        let (query, _) = self.relevant(state, otherwise);
        matches!(self.session.check(&self.terms, &query), Answer::Unsat(_))
    }

    /// The target that a cell is, for a pointer that surely points there.
    fn target_at(&mut self, pointer: Term, cell: &Cell) -> Target {
        let offset = match cell.offset {
            Some(offset) => self.terms.constant(u128::from(offset), self.pointer_bits),
            None => self.terms.sub(pointer, cell.address),
        };
        Target::Object(cell.object, offset)
    }
}
