//! The allocation check: which object a pointer points to (papers: slcpa, section 5.3).
//!
//! Three procedures answer it. [`AllocationCheck::Fast`] needs no query in the common case and is what verifying uses; the two
//! of the paper are there to be compared with it. For them a heap is a map from the addresses of bytes to values, and they ask the
//! solver which key of the map a pointer equals. The paper looks a pointer up in the map first. Looking up sums in normal form
//! would be the default procedure once more, so only the addresses of objects themselves are found that way, and arithmetic on
//! addresses is the solver's. Where no key is found, the normal form says why: a null pointer, an offset out of bounds or with
//! several values, or a pointer to one of several objects.
//!
//! Invariant: an object that a procedure names is the pointer's object in every model of the path.

mod fast;
mod smt;
mod smt_model;

use cairn_smt::{Answer, Term};

use super::Explorer;
use super::state::State;
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
}

impl AllocationCheck {
    /// All procedures, the default first.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Smt, Self::SmtModel];

    /// What it is called on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Smt => "smt",
            Self::SmtModel => "smt-model",
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
        if self.bases.contains_key(&pointer) {
            return self.target(state, pointer);
        }
        let found = match self.options.allocation_check {
            AllocationCheck::Fast => None,
            AllocationCheck::Smt => self.locate_by_equalities(state, pointer),
            AllocationCheck::SmtModel => self.locate_by_model(state, pointer),
        };
        found.unwrap_or_else(|| self.target(state, pointer))
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
