//! Algorithm 4 of the paper with equalities instead of separation logic.
//!
//! For each cell of the heap, a query asks whether the pointer can differ from the address of the cell. The search
//! ends at the first cell where it cannot.

use cairn_smt::Term;

use super::Target;
use crate::state::State;
use crate::{Machine, Mode};
use cairn_memory::pointer::ObjectId;

impl<M: Mode> Machine<'_, M> {
    /// Returns the cell that the pointer equals in every model of the path.
    pub(crate) fn locate_by_equalities(&mut self, state: &State<M>, pointer: Term) -> Option<Target> {
        let objects: Vec<ObjectId> = state.memory.iter().map(|(id, _)| id).collect();
        for object in objects {
            for cell in self.cells_of(state, object) {
                if self.session.interrupted() {
                    return None;
                }
                let here = self.is_at(state, pointer, &cell);
                if self.surely(state, here) {
                    return Some(self.target_at(pointer, &cell));
                }
            }
        }
        None
    }
}
