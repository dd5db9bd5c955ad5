//! Algorithm 5 of the paper: one query with a Boolean variable per cell that tells whether the pointer points there.
//!
//! The solver knows nothing about objects, so the query states that they are separate, in the order of their
//! allocation. If the path has chosen another order, the query has no model. A model is also only one case of many.
//! The cell that it names is therefore accepted only if the pointer cannot point anywhere else. The normal form
//! usually shows that; otherwise a second query decides.

use cairn_smt::{Answer, Term};

use super::{Cell, Target};
use crate::state::State;
use crate::{Machine, Mode};
use cairn_memory::pointer::ObjectId;
use cairn_memory::space::NULL_PAGE;

/// Bytes between two objects, so that a pointer slightly out of bounds of one object is not inside another.
///
/// The first object begins after the null page.
const GAP: u128 = NULL_PAGE as u128;

impl<M: Mode> Machine<'_, M> {
    /// Returns the cell that a model assigns to the pointer, if the pointer can point to no other.
    pub(crate) fn locate_by_model(&mut self, state: &State<M>, pointer: Term) -> Option<Target> {
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

    /// Returns the Boolean variable that tells whether the pointer of a query points to the cell at an address.
    fn name_of(&mut self, address: Term) -> Term {
        if let Some(&name) = self.cell_names.get(&address) {
            return name;
        }
        let name = self.terms.variable("points here", 1);
        self.cell_names.insert(address, name);
        name
    }

    /// Adds the condition that no two objects overlap.
    ///
    /// Each object begins after the end of the previous one, and none wraps around.
    fn lie_apart(&mut self, state: &State<M>, objects: &[ObjectId], query: &mut Vec<Term>) {
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
