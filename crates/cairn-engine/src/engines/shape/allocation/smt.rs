//! Algorithm 4 with equalities in place of separation logic: for every cell of the heap one query whether the pointer can differ
//! from its address, until one can't.

use cairn_smt::Term;

use super::Target;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;

impl Explorer<'_> {
    /// The cell that the pointer equals in every model of the path.
    pub(super) fn locate_by_equalities(&mut self, state: &State, pointer: Term) -> Option<Target> {
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
