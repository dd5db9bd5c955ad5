//! The field heaps of a state: one per class of cells, with the transitions that reads and writes make.

use cairn_rules::Term;

use super::super::limits::{CELLS_WRITTEN, LINKS_WRITTEN, VISITED_LINKS};
use super::super::solver::{Flow, Origin, PathSolver, Reach};
use super::super::types::{ClassId, NodeId};

/// A cell, and the value in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub class: ClassId,
    pub address: Term,
    pub value: Term,
}

/// The contents of memory that is set as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Contents {
    /// All bytes are zero.
    Zero,
    /// Nothing is known.
    Anything,
}

impl Contents {
    /// Returns a word of such memory.
    pub fn word(self, solver: &mut PathSolver<'_, '_>) -> Term {
        match self {
            Contents::Zero => Term::constant(0),
            Contents::Anything => solver.unknown(),
        }
    }
}

/// The heaps of all classes.
#[derive(Clone, Debug)]
pub(crate) struct Heaps {
    current: Vec<i64>,
    /// The heaps at the start of the epoch, which are closed.
    closed: Vec<i64>,
    epoch: i64,
    /// Contents of cells that are known, because nothing else of their class was written since.
    held: Vec<Cell>,
    /// Values that were read through pointers to scalars since anything was written.
    peeked: Vec<(Term, Term)>,
    /// Links that were read or written since the cut-point.
    visited: Vec<(ClassId, Term)>,
}

impl Heaps {
    /// Returns closed heaps of which nothing else is known.
    pub fn new(solver: &mut PathSolver<'_, '_>) -> Flow<Self> {
        let count = solver.types().class_ids().count();
        let (held, peeked, visited) = Default::default();
        let mut heaps = Self { current: vec![0; count], closed: vec![0; count], epoch: 0, held, peeked, visited };
        heaps.renew(solver)?;
        Ok(heaps)
    }

    /// Starts an epoch: everything may have changed, and is valid.
    pub fn start_epoch(&mut self, solver: &mut PathSolver<'_, '_>) -> Flow {
        self.epoch += 1;
        self.renew(solver)
    }

    fn renew(&mut self, solver: &mut PathSolver<'_, '_>) -> Flow {
        self.peeked.clear();
        self.held.clear();
        for class in solver.types().class_ids() {
            let heap = solver.new_heap();
            self.current[class.index()] = heap;
            self.closed[class.index()] = heap;
            solver.assume_closed(class, heap, self.epoch)?;
        }
        Ok(())
    }

    pub fn epoch(&self) -> i64 {
        self.epoch
    }

    /// Returns the current heap of a class.
    pub fn current(&self, class: ClassId) -> i64 {
        self.current[class.index()]
    }

    /// Returns the current heap of a class as a term.
    pub fn term(&self, class: ClassId) -> Term {
        Term::constant(self.current(class))
    }

    /// Returns the heap of a class at the start of the epoch as a term.
    pub fn closed_term(&self, class: ClassId) -> Term {
        Term::constant(self.closed[class.index()])
    }

    /// Returns the current heaps by class.
    pub fn all(&self) -> &[i64] {
        &self.current
    }

    /// Iterates over the classes whose heap is not the closed one of the epoch's start.
    pub fn changed(&self) -> impl Iterator<Item = ClassId> {
        (0..self.current.len())
            .filter(|&class| self.current[class] != self.closed[class])
            .map(|class| ClassId(class as u32))
    }

    /// Returns the cells whose contents are known.
    pub fn held(&self) -> &[Cell] {
        &self.held
    }

    /// Returns the links that were read or written since the cut-point.
    pub fn visited(&self) -> &[(ClassId, Term)] {
        &self.visited
    }

    /// Returns the value that was last read through a pointer to a scalar.
    pub fn peeked(&self, address: Term) -> Option<Term> {
        self.peeked.iter().find(|(at, _)| *at == address).map(|&(_, value)| value)
    }

    /// Remembers a value that is read through a pointer to a scalar.
    pub fn peek(&mut self, address: Term, value: Term) {
        self.peeked.push((address, value));
    }

    /// Remembers the links that a path comes across.
    fn visit(&mut self, solver: &PathSolver<'_, '_>, class: ClassId, address: Term) {
        let known = self.visited.contains(&(class, address));
        if solver.types().class(class).link.is_some() && !known && self.visited.len() < VISITED_LINKS {
            self.visited.push((class, address));
        }
    }

    /// Reads a cell.
    pub fn read(&mut self, solver: &mut PathSolver<'_, '_>, class: ClassId, address: Term) -> Flow<Term> {
        if let Some(cell) = self.held.iter().find(|cell| cell.class == class && cell.address == address) {
            return Ok(cell.value);
        }
        let known = solver.types().class(class);
        let foreign = known.link.is_none();
        let value = solver.variable(Origin {
            hint: known.link,
            foreign,
            opaque: foreign && (known.pointer || known.mixed),
            class: Some(class),
            reach: if solver.reach(address) == Reach::Public { Reach::Public } else { Reach::Maybe },
            ..Origin::default()
        });
        let cell = solver.cell(self.term(class), address, value);
        solver.assume(cell)?;
        self.held.push(Cell { class, address, value });
        self.visit(solver, class, address);
        Ok(value)
    }

    /// Writes a cell.
    pub fn write(&mut self, solver: &mut PathSolver<'_, '_>, class: ClassId, address: Term, value: Term) -> Flow {
        self.visit(solver, class, address);
        // Other cells of the same node keep their contents.
        let is_other = |cell: &Cell| {
            cell.class == class && cell.address.var == address.var && cell.address.offset != address.offset
        };
        let mut kept: Vec<Cell> = self.held.iter().copied().filter(is_other).collect();
        let (old, new) = self.next(solver, class);
        self.held.append(&mut kept);
        self.held.push(Cell { class, address, value });
        let predicates = solver.theory().heaps();
        let predicate = if solver.types().class(class).row { predicates.put } else { predicates.write };
        let write = solver.constraint(predicate, &[old, address, value, new]);
        solver.assume(write)
    }

    /// Writes an unknown value to a cell.
    pub fn write_anything(&mut self, solver: &mut PathSolver<'_, '_>, class: ClassId, address: Term) -> Flow {
        let junk = solver.unknown();
        self.write(solver, class, address, junk)
    }

    /// Writes zero or an unknown value to a cell.
    pub fn set(&mut self, solver: &mut PathSolver<'_, '_>, class: ClassId, address: Term, contents: Contents) -> Flow {
        let value = contents.word(solver);
        self.write(solver, class, address, value)
    }

    fn forget(&mut self, class: ClassId) {
        self.held.retain(|cell| cell.class != class);
    }

    /// Makes a new heap of a class and returns the old and the new one.
    fn next(&mut self, solver: &mut PathSolver<'_, '_>, class: ClassId) -> (Term, Term) {
        self.peeked.clear();
        self.forget(class);
        let old = self.term(class);
        self.current[class.index()] = solver.new_heap();
        (old, self.term(class))
    }

    /// Havocs a class of data.
    pub fn havoc(&mut self, solver: &mut PathSolver<'_, '_>, class: ClassId) {
        self.peeked.clear();
        self.forget(class);
        let heap = solver.new_heap();
        self.current[class.index()] = heap;
        self.closed[class.index()] = heap;
    }

    /// Replaces the contents of a class between two addresses by those of another heap.
    pub fn restore(
        &mut self,
        solver: &mut PathSolver<'_, '_>,
        class: ClassId,
        from: i64,
        (first, last): (Term, Term),
    ) -> Flow {
        let new = solver.new_heap();
        let args = [Term::constant(from), first, last, self.term(class), Term::constant(new)];
        let keep = solver.constraint(solver.theory().heaps().keep, &args);
        self.current[class.index()] = new;
        self.forget(class);
        solver.assume(keep)
    }

    /// Sets all cells of a node.
    pub fn fill_node(&mut self, solver: &mut PathSolver<'_, '_>, base: Term, node: NodeId, contents: Contents) -> Flow {
        let types = solver.types();
        let predicates = solver.theory().heaps();
        for cells in &types.node(node).cells {
            let class = types.class(cells.class);
            if class.link.is_none() && contents == Contents::Anything && cells.count > CELLS_WRITTEN {
                self.havoc(solver, cells.class);
                continue;
            }
            let at = base + cells.offset as i64;
            let few = if class.link.is_some() && !class.row { LINKS_WRITTEN } else { CELLS_WRITTEN };
            if cells.count > few || (class.row && contents == Contents::Anything) {
                let (old, new) = self.next(solver, cells.class);
                let last = at + ((cells.count - 1) * class.width) as i64;
                let lit = match contents {
                    Contents::Zero => solver.constraint(predicates.fill, &[old, at, last, Term::constant(0), new]),
                    Contents::Anything => solver.constraint(predicates.wipe, &[old, at, last, new]),
                };
                solver.assume(lit)?;
                continue;
            }
            for index in 0..cells.count {
                self.set(solver, cells.class, at + (index * class.width) as i64, contents)?;
            }
        }
        Ok(())
    }

    /// Sets all links of a node to valid nodes of the start of the epoch.
    pub fn fill_with_valid_links(&mut self, solver: &mut PathSolver<'_, '_>, base: Term, node: NodeId) -> Flow {
        let types = solver.types();
        for (offset, class) in types.node(node).all_cells(types) {
            let Some(link) = types.class(class).link else { continue };
            let value = solver.variable(Origin::pointer(link));
            solver.assume_node(link, value, self.epoch)?;
            self.write(solver, class, base + offset as i64, value)?;
        }
        Ok(())
    }

    /// Sets all cells of a node that overlap a range of bytes to unknown values.
    pub fn scramble(
        &mut self,
        solver: &mut PathSolver<'_, '_>,
        (node, base): (NodeId, Term),
        address: Term,
        size: u64,
    ) -> Flow {
        let types = solver.types();
        let Some(from) = solver.difference(address, base) else { return Ok(()) };
        for (offset, class) in types.node(node).touched(types, from, size) {
            self.write_anything(solver, class, base + offset as i64)?;
        }
        Ok(())
    }
}
