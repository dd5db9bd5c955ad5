//! Algorithms 3 and 4 of the paper: satisfiability of `Σ * E ↦ _` for the whole heap and then for each cell.
//!
//! The first query decides whether the pointer is allocated at all. If the heap and one more cell at that address
//! have a model, the pointer need not be allocated, and no cell has to be tried. The query assumes that all objects
//! are separate, which the path condition need not imply. This is sound because the query can only save work: the
//! result rests on the queries of Algorithm 4, which assume only the path condition.

use cairn_sl::cells::{self, Cells};
use cairn_smt::{Answer, Term};

use super::Target;
use crate::state::State;
use crate::{Machine, Mode};
use cairn_memory::pointer::ObjectId;

impl<M: Mode> Machine<'_, M> {
    /// Returns the cell that the pointer cannot be separate from in any model of the path.
    pub(crate) fn locate_by_separation(&mut self, state: &State<M>, pointer: Term) -> Option<Target> {
        let objects: Vec<ObjectId> = state.memory.iter().map(|(id, _)| id).collect();
        let mut heap = vec![Cells::One(pointer)];
        for &id in &objects {
            let object = state.memory.get(id);
            if object.kind.is_data() {
                heap.push(Cells::Run { start: object.base, length: object.size });
            }
        }
        let path = state.path.conditions();
        if !matches!(cells::check(&mut self.terms, &mut self.session, &path, &heap), Answer::Unsat(_)) {
            return None;
        }
        for object in objects {
            for cell in self.cells_of(state, object) {
                if self.session.interrupted() {
                    return None;
                }
                let part = match cell.offset {
                    Some(_) => Cells::One(cell.address),
                    None => Cells::Run { start: cell.address, length: state.memory.get(object).size },
                };
                // The query does not require that the pointer is not null: a null pointer aliases no cell.
                let separate = cells::overlap_free(&mut self.terms, part, Cells::One(pointer));
                let (query, _) = self.relevant(state, separate);
                if matches!(self.session.check(&self.terms, &query), Answer::Unsat(_)) {
                    return Some(self.target_at(pointer, &cell));
                }
            }
        }
        None
    }
}
