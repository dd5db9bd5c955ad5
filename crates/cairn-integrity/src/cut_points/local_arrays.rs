//! Local arrays of links, as the path down a tree is kept in: the rest of the graph is closed without them.

use cairn_rules::Term;

use super::super::solver::{Flow, PathSolver, Reach};
use super::super::state::{Heaps, State};
use super::super::types::ClassId;

/// A local array of links whose address goes nowhere, so that no call changes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalArray {
    slot: usize,
    first: Term,
    last: Term,
    class: ClassId,
    width: i64,
}

impl LocalArray {
    /// Returns whether the array is this slot.
    pub fn is_slot(&self, slot: usize) -> bool {
        self.slot == slot
    }

    /// Returns the number of the slot.
    pub fn slot(&self) -> usize {
        self.slot
    }

    /// Returns the address of the first element.
    pub fn first(&self) -> Term {
        self.first
    }

    /// Returns the address of the last element.
    pub fn last(&self) -> Term {
        self.last
    }

    pub fn class(&self) -> ClassId {
        self.class
    }

    /// Returns the address of an element by its index.
    pub fn element(&self, solver: &mut PathSolver<'_, '_>, index: Term) -> Term {
        solver.element(self.first, index, self.width)
    }

    /// Returns the address of an element by a constant index.
    pub fn constant_element(&self, index: i64) -> Term {
        self.first + index.saturating_mul(self.width)
    }

    /// Replaces the contents of the array by those in another heap.
    pub fn restore(&self, solver: &mut PathSolver<'_, '_>, heaps: &mut Heaps, from: i64) -> Flow {
        heaps.restore(solver, self.class, from, (self.first, self.last))
    }
}

/// Returns the arrays of links among the slots of the function.
pub(crate) fn local_arrays(solver: &PathSolver<'_, '_>, state: &State) -> Vec<LocalArray> {
    let types = solver.types();
    let mut out = Vec::new();
    for (slot, &first) in state.slots().iter().enumerate() {
        let Some(origin) = solver.origin(first).filter(|origin| origin.reach == Reach::Private) else { continue };
        let Some(node) = origin.hint.map(|node| types.node(node)) else { continue };
        if let [cells] = node.cells.as_slice()
            && solver.theory().filled(cells.class).is_some()
        {
            let (class, width) = (cells.class, types.class(cells.class).width as i64);
            let last = first + (cells.count as i64 - 1) * width;
            out.push(LocalArray { slot, first, last, class, width });
        }
    }
    out
}

/// Returns a heap with null in all arrays of its class.
pub(crate) fn without_arrays(
    solver: &mut PathSolver<'_, '_>,
    mut heap: i64,
    class: ClassId,
    arrays: &[LocalArray],
) -> i64 {
    for array in arrays.iter().filter(|array| array.class == class) {
        heap = with_nulls(solver, heap, array.first, array.last);
    }
    heap
}

/// Returns a heap with null at all addresses between two.
pub(crate) fn with_nulls(solver: &mut PathSolver<'_, '_>, heap: i64, first: Term, last: Term) -> i64 {
    let new = solver.new_heap();
    let args = [Term::constant(heap), first, last, Term::constant(0), Term::constant(new)];
    let fill = solver.constraint(solver.theory().heaps().fill, &args);
    solver.note(fill);
    new
}
