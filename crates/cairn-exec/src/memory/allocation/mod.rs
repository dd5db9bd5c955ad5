//! The allocation check: which object a pointer points to (papers: slcpa, section 5.3).
//!
//! There are four procedures. [`AllocationCheck::Fast`] usually needs no query and is the default. The other three
//! are the procedures of the paper, for comparison. They view the heap as a map from byte addresses to values and ask
//! the solver which key of the map equals the pointer.
//!
//! The paper's procedures begin with `M.containsKey(E)`, "a trivial syntactic check". Keys are formulas, and the
//! lookup finds only an identical formula. A key is the location of an object or this location plus a constant
//! (§4.2.1, §5.2). The rules VAR and FIELD (Figure 4.4) write the locations of variables and of their members in this
//! form, so the lookup finds them. A pointer into the heap is read from memory byte by byte. Its formula Σ\[E\]ⁿ
//! (§4.2.3, Algorithm 6) is a concatenation of bytes, which is never a key. That is why the paper needs a solver ("a
//! syntactical lookup alone is not sufficient").
//!
//! Terms in cairn are always in normal form, which joins the bytes of a pointer again. A lookup of the normal form
//! would therefore be the default procedure. Instead, the lookup here finds only pointers at a constant offset in a
//! variable. It finds them whether their address was written down or read from memory, which is more than the paper's
//! lookup finds. The solver is asked about pointers into the heap. If no key is found, the normal form tells why: a
//! null pointer, an offset that is out of bounds or has several values, or a pointer to one of several objects.
//!
//! Invariant: an object that a procedure returns is the object of the pointer in every model of the path.

mod fast;
mod sl;
mod smt;
mod smt_model;

pub use cairn_portfolio::settings::AllocationCheck;
use cairn_smt::{Answer, Term};

use crate::state::State;
use crate::{Machine, Mode};
use cairn_memory::object::ObjectKind;
use cairn_memory::pointer::ObjectId;
use cairn_memory::segment::Side;

/// The target of a pointer's term.
pub enum Target {
    /// An object, with an offset into it.
    Object(ObjectId, Term),
    /// The node at one end of a segment, with an offset into it. The node may not exist and is not materialised yet.
    Segment(ObjectId, Side, Term),
    /// A constant address that belongs to no object.
    Constant(u128),
    /// The target depends on this condition.
    Either(Term),
    /// An address about which nothing is known.
    Wild,
}

impl Target {
    /// Returns whether the target is an object, a segment, or one of several targets.
    pub fn is_object(&self) -> bool {
        matches!(self, Target::Object(..) | Target::Segment(..) | Target::Either(_))
    }
}

/// One byte of an object, or the whole of an object whose size is unknown.
struct Cell {
    object: ObjectId,
    /// The address of the byte, or of the object.
    address: Term,
    /// The offset of the byte in the object; `None` for the whole object.
    offset: Option<u64>,
}

impl<M: Mode> Machine<'_, M> {
    /// Resolves a pointer that is dereferenced or freed, by the selected procedure.
    pub fn locate(&mut self, state: &State<M>, pointer: Term) -> Target {
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

    /// Returns whether a pointer is at a constant offset in an object that is not on the heap.
    ///
    /// The lookup of the paper finds such pointers.
    fn is_in_variable(&mut self, state: &State<M>, pointer: Term) -> bool {
        let Target::Object(id, offset) = self.target(state, pointer) else { return false };
        state.memory.get(id).kind != ObjectKind::Heap && self.terms.as_const(offset).is_some()
    }

    /// Returns the cells of an object, live or dead: a dangling pointer still points to its object.
    fn cells_of(&mut self, state: &State<M>, object: ObjectId) -> Vec<Cell> {
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

    /// Returns the condition under which a pointer points to a cell.
    fn is_at(&mut self, state: &State<M>, pointer: Term, cell: &Cell) -> Term {
        if cell.offset.is_some() {
            return self.terms.eq(pointer, cell.address);
        }
        let offset = self.terms.sub(pointer, cell.address);
        self.terms.ult(offset, state.memory.get(cell.object).size)
    }

    /// Asks the solver whether a condition holds in every model of the path.
    fn surely(&mut self, state: &State<M>, condition: Term) -> bool {
        let otherwise = self.terms.not(condition);
        let (query, _) = self.relevant(state, otherwise);
        matches!(self.session.check(&self.terms, &query), Answer::Unsat(_))
    }

    /// Returns the target for a pointer that is certain to point to a cell.
    fn target_at(&mut self, pointer: Term, cell: &Cell) -> Target {
        let offset = match cell.offset {
            Some(offset) => self.terms.constant(u128::from(offset), self.pointer_bits),
            None => self.terms.sub(pointer, cell.address),
        };
        Target::Object(cell.object, offset)
    }
}
