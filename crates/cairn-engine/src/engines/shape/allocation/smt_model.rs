//! Algorithm 5: one query in which a truth value for each cell says whether the pointer points there, and a model of it.
//!
//! The solver knows nothing of objects, so the query says that they lie apart, in the order of their making. A path may have
//! chosen another order, in which case there is no model; and a model is one case among many. Therefore what it shows is only
//! believed when the pointer can't point elsewhere, which the normal form mostly tells and a second query otherwise.

use cairn_smt::{Answer, Term};

use super::{Cell, Target};
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;

/// Bytes between two objects: a pointer that is a little out of bounds of one shall not be inside another.
const GAP: u128 = 4096;

impl Explorer<'_> {
    /// The cell that a model puts the pointer into, when it is the only one.
    pub(super) fn locate_by_model(&mut self, state: &State, pointer: Term) -> Option<Target> {
        let objects: Vec<ObjectId> = state.memory.iter().map(|(id, _)| id).collect();
        let mut query = state.path.conditions();
        self.lie_apart(state, &objects, &mut query);
        let mut cells: Vec<(Cell, Term, Term)> = Vec::new();
        for object in objects {
            for cell in self.cells_of(state, object) {
                let here = self.is_at(state, pointer, &cell);
                let name = self.name_of(cell.address);
                query.push(self.terms.eq(here, name));
                cells.push((cell, here, name));
            }
        }
        if self.session.interrupted() {
            return None;
        }
        let Answer::Sat(model) = self.session.check(&self.terms, &query) else { return None };
        let (cell, here, _) = cells.iter().find(|(_, _, name)| model.get(name) == Some(&1))?;
        let sure = self.terms.is_true(*here) || self.surely(state, *here);
        sure.then(|| self.target_at(pointer, cell))
    }

    /// The truth value that says whether the pointer of a query points to the cell at an address.
    fn name_of(&mut self, address: Term) -> Term {
        if let Some(&name) = self.cell_names.get(&address) {
            return name;
        }
        let name = self.terms.variable("points here", 1);
        self.cell_names.insert(address, name);
        name
    }

    /// Says that no two objects overlap: each begins behind the end of the one before, and none wraps around.
    fn lie_apart(&mut self, state: &State, objects: &[ObjectId], query: &mut Vec<Term>) {
        let gap = self.terms.constant(GAP, self.pointer_bits);
        let mut end = gap;
        for &id in objects {
            let object = state.memory.get(id);
            if !object.kind.is_data() {
                continue;
            }
            query.push(self.terms.ule(end, object.base));
            let behind = self.terms.add(object.base, object.size);
            query.push(self.terms.ule(object.base, behind));
            end = self.terms.add(behind, gap);
            query.push(self.terms.ule(behind, end));
        }
    }
}
