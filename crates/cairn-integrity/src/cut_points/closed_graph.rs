//! The condition that the graph is closed, except for cells that are not initialised yet.

use cairn_ir::Reg;
use cairn_rules::{Model, Term};

use super::super::limits::EXEMPT_CELLS;
use super::super::solver::PathSolver;
use super::super::state::State;
use super::super::types::{ClassId, NodeId};
use super::LocalArray;
use super::local_arrays::without_arrays;

/// The name of a cell, by which a loop head finds it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CellName {
    /// A cell of the node that a register points to.
    Reg(Reg, u64),
    /// A cell of a slot.
    Slot(usize, u64),
    /// A cell of an allocation of this call. It has no name that outlasts the path.
    Made,
}

/// A cell that may be left out of the condition.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    cell: Term,
    class: ClassId,
    name: CellName,
}

/// Why a graph is not closed.
#[derive(Debug)]
pub(crate) struct Broken {
    /// A model, unless the solver ran out of steps.
    pub model: Option<Box<Model>>,
    /// The cell with an invalid link.
    pub cell: Option<Term>,
    pub class: ClassId,
}

/// The slots whose links may be left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slots {
    All,
    /// Those whose address no other function knows.
    NotLeaked,
}

/// The condition that the graph is closed but for the local arrays and some of the candidates.
#[derive(Clone, Debug)]
pub(crate) struct ClosedGraph {
    candidates: Vec<Candidate>,
    arrays: Vec<LocalArray>,
}

impl ClosedGraph {
    /// Returns the condition that leaves out these arrays only.
    pub fn new(arrays: Vec<LocalArray>) -> Self {
        Self { candidates: Vec::new(), arrays }
    }

    pub fn arrays(&self) -> &[LocalArray] {
        &self.arrays
    }

    /// Returns the number of candidates.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    /// Allows leaving out the links of a node.
    pub fn add_node(&mut self, solver: &PathSolver<'_, '_>, base: Term, node: NodeId, name: impl Fn(u64) -> CellName) {
        let types = solver.types();
        for (offset, class) in types.node(node).all_cells(types) {
            if types.class(class).link.is_some() {
                self.candidates.push(Candidate { cell: base + offset as i64, class, name: name(offset) });
            }
        }
    }

    /// Allows leaving out the links of the private allocations of this call.
    pub fn add_allocations(&mut self, solver: &PathSolver<'_, '_>, state: &State) {
        for &(base, node) in &state.locals.made {
            self.add_node(solver, base, node, |_| CellName::Made);
        }
    }

    /// Allows leaving out the links of the memory for a struct result.
    pub fn add_result_memory(&mut self, solver: &PathSolver<'_, '_>, state: &State) {
        if let Some((base, node)) = state.locals.out {
            self.add_node(solver, base, node, |_| CellName::Made);
        }
    }

    /// Allows leaving out the links of slots, except for the local arrays.
    pub fn add_slots(&mut self, solver: &PathSolver<'_, '_>, state: &State, slots: Slots) {
        for (index, &slot) in state.slots().iter().enumerate() {
            let is_array = self.arrays.iter().any(|array| array.is_slot(index));
            let wanted = slots == Slots::All || !state.locals.is_leaked(index);
            if let (Some(node), true) = (solver.hint(slot).filter(|_| !is_array), wanted) {
                self.add_node(solver, slot, node, |offset| CellName::Slot(index, offset));
            }
        }
    }

    /// Prefers candidates that were added later.
    pub fn reverse(&mut self) {
        self.candidates.reverse();
    }

    /// Keeps the first candidates only.
    pub fn truncate(&mut self, count: usize) {
        self.candidates.truncate(count);
    }

    /// Drops the candidates in these objects.
    pub fn remove_objects(&mut self, objects: &[Term]) {
        self.candidates.retain(|candidate| !objects.iter().any(|object| object.var == candidate.cell.var));
    }

    /// Returns the candidates with these names.
    pub fn with_names(&self, names: &[CellName]) -> Vec<usize> {
        (0..self.candidates.len()).filter(|&index| names.contains(&self.candidates[index].name)).collect()
    }

    pub fn name(&self, index: usize) -> CellName {
        self.candidates[index].name
    }

    /// Returns class and address of a candidate.
    pub fn cell(&self, index: usize) -> (ClassId, Term) {
        (self.candidates[index].class, self.candidates[index].cell)
    }

    /// Proves the condition, leaving out at least the chosen candidates, and returns all that had to be left out.
    pub fn prove(
        &self,
        solver: &mut PathSolver<'_, '_>,
        state: &State,
        mut chosen: Vec<usize>,
    ) -> Result<Vec<usize>, Broken> {
        let changed: Vec<ClassId> = state.heaps.changed().collect();
        for class in changed {
            while let Err((model, cell)) = self.prove_class(solver, state, class, &chosen) {
                let found = model.as_ref().zip(cell).and_then(|(model, cell)| {
                    self.candidates.iter().enumerate().position(|(index, candidate)| {
                        !chosen.contains(&index) && candidate.class == class && model.same(candidate.cell, cell)
                    })
                });
                match found {
                    Some(_) if chosen.len() >= EXEMPT_CELLS => return Err(Broken { model: None, cell: None, class }),
                    Some(index) => chosen.push(index),
                    None => return Err(Broken { model, cell, class }),
                }
            }
        }
        Ok(chosen)
    }

    /// Proves the condition for one class, without the chosen candidates.
    ///
    /// Returns a model and the cell that violates it otherwise.
    fn prove_class(
        &self,
        solver: &mut PathSolver<'_, '_>,
        state: &State,
        class: ClassId,
        chosen: &[usize],
    ) -> Result<(), (Option<Box<Model>>, Option<Term>)> {
        let Some(intact) = solver.theory().intact(class) else { return Ok(()) };
        let link = solver.types().class(class).link;
        let level = solver.level();
        let mut heap = without_arrays(solver, state.heaps.current(class), class, &self.arrays);
        let mut possible = true;
        for &index in chosen {
            if self.candidates[index].class != class {
                continue;
            }
            let (new, is_possible) = with_null(solver, heap, self.candidates[index].cell);
            possible &= is_possible;
            heap = new;
        }
        let goal = solver.constraint(intact, &[Term::constant(heap)]);
        let outcome = if possible { solver.prove(&[!goal]) } else { Ok(()) };
        solver.backtrack(level);
        let model = match outcome {
            Ok(()) => return Ok(()),
            Err(None) => return Err((None, None)),
            Err(Some(model)) => model,
        };
        let mut broken = None;
        for args in model.constraints(solver.theory().heaps().cell) {
            let refused = link.is_some_and(|link| {
                model.refused(solver.theory().object(link)).any(|refused| model.same(refused[0], args[2]))
            });
            if args[0] == Term::constant(heap) && refused {
                broken = Some(args[1]);
            }
        }
        Err((Some(model), broken))
    }

    /// Returns the heaps with null in the arrays and in the chosen candidates.
    pub fn blanked(&self, solver: &mut PathSolver<'_, '_>, state: &State, chosen: &[usize]) -> BlankedHeaps {
        let mut heaps = state.heaps.all().to_vec();
        for array in &self.arrays {
            let heap = &mut heaps[array.class().index()];
            *heap = without_arrays(solver, *heap, array.class(), &[*array]);
        }
        for &index in chosen {
            let heap = &mut heaps[self.candidates[index].class.index()];
            (*heap, _) = with_null(solver, *heap, self.candidates[index].cell);
        }
        BlankedHeaps(heaps)
    }
}

/// Returns a heap with null in one cell, and whether this is possible.
fn with_null(solver: &mut PathSolver<'_, '_>, heap: i64, cell: Term) -> (i64, bool) {
    let new = solver.new_heap();
    let args = [Term::constant(heap), cell, Term::constant(0), Term::constant(new)];
    let write = solver.constraint(solver.theory().heaps().write, &args);
    let possible = solver.note(write);
    (new, possible)
}

/// The heap of each class with null in the cells that are left out.
#[derive(Clone, Debug)]
pub(crate) struct BlankedHeaps(Vec<i64>);

impl BlankedHeaps {
    /// Returns whether no link holds the address of an object, or of a part of it.
    pub fn is_unlinked(&self, solver: &mut PathSolver<'_, '_>, base: Term) -> bool {
        solver.parts_of(base).into_iter().all(|address| self.linked_from(solver, address).is_none())
    }

    /// Returns a class of links that may hold an address.
    pub fn linked_from(&self, solver: &mut PathSolver<'_, '_>, base: Term) -> Option<ClassId> {
        for class in solver.types().class_ids() {
            if solver.theory().closed(class).is_none() {
                continue;
            }
            for tag in 0..=solver.types().class(class).tag {
                let somewhere = solver.any();
                let linked = solver.cell(Term::constant(self.0[class.index()]), somewhere, base + tag);
                if !solver.is_refuted(&[linked]) {
                    return Some(class);
                }
            }
        }
        None
    }
}
