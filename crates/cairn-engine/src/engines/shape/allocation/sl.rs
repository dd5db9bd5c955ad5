//! Algorithms 3 and 4 as they are written: satisfiability of `Σ * E ↦ _`, first for the whole heap, then for one cell after the
//! other.
//!
//! The first query tells whether the pointer is allocated at all: where the heap and one cell more at that address have a model, it
//! need not be, and no cell has to be tried. It says of all objects that they lie apart, which a path need not have said; it only
//! ever saves work. What is found rests on the queries of Algorithm 4, which say nothing but the path.

use cairn_sl::cells::{self, Cells};
use cairn_smt::{Answer, Term};

use super::Target;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;
use crate::memory::pointer::ObjectId;

impl Explorer<'_> {
    /// The cell next to which the pointer can't be another one, in any model of the path.
    pub(super) fn locate_by_separation(&mut self, state: &State, pointer: Term) -> Option<Target> {
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
                // That the pointer is not null is not asked: a null pointer is no alias of a cell.
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
