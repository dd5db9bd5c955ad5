//! Many bytes at once: objects that begin, memory that is set or copied, and accesses that are no cell.

use cairn_ir::{Loc, Ty};
use cairn_rules::Term;

use super::access::Place;
use super::checker::{Checker, Flow};
use super::state::{Origin, Reach, State};
use super::types::NodeId;

/// Arrays of at most this many cells are written cell by cell,
const FEW: u64 = 8;

/// and arrays of links in nodes of at most this many.
const LINKS: u64 = 256;

impl Checker<'_, '_> {
    /// All cells of a node hold zero, or anything.
    pub fn wipe(&mut self, state: &mut State, base: Term, node: NodeId, zero: bool) -> Flow {
        for cells in self.types.node(node).cells.clone() {
            let class = self.types.class(cells.class).clone();
            if class.link.is_none() && !zero && cells.count > FEW {
                self.havoc(state, cells.class);
                continue;
            }
            let at = base + cells.offset as i64;
            let few = if class.link.is_some() && !class.row { LINKS } else { FEW };
            if cells.count > few || (class.row && !zero) {
                let (old, new) = self.next(state, cells.class);
                let last = at + ((cells.count - 1) * class.width) as i64;
                let lit = if zero {
                    self.solver.constraint(self.theory.fill, &[old, at, last, Term::constant(0), new])
                } else {
                    self.solver.constraint(self.theory.wipe, &[old, at, last, new])
                };
                self.assume(lit)?;
                continue;
            }
            for index in 0..cells.count {
                let value = if zero { Term::constant(0) } else { self.variable(Origin::unknown()) };
                self.write(state, cells.class, at + (index * class.width) as i64, value)?;
            }
        }
        Ok(())
    }

    /// All links of a node are valid ones of the start.
    pub fn validate(&mut self, state: &mut State, base: Term, node: NodeId) -> Flow {
        for (offset, class) in self.types.node(node).touched(self.types, 0, self.types.node(node).size) {
            let Some(link) = self.types.class(class).link else { continue };
            let mut origin = Origin::unknown();
            origin.hint = Some(link);
            let value = self.variable(origin);
            self.assume_node(link, value, state.epoch)?;
            self.write(state, class, base + offset as i64, value)?;
        }
        Ok(())
    }

    /// Bytes change that are no cell, or only a part of one.
    pub fn scribble(&mut self, state: &mut State, address: Term, size: u64, loc: Loc) -> Flow {
        match self.resolve(state, address, size, loc)? {
            Place::Bytes(node, base) => self.scribble_node(state, node, base, address, size),
            Place::Cell(class) => {
                let junk = self.variable(Origin::unknown());
                self.write(state, class, address, junk)
            }
            Place::Block => Ok(()),
            Place::Somewhere(node) => {
                let junk = self.variable(Origin::unknown());
                self.store_somewhere(state, node, junk, loc)
            }
        }
    }

    pub fn scribble_node(&mut self, state: &mut State, node: NodeId, base: Term, address: Term, size: u64) -> Flow {
        let Some(from) = self.solver.difference(address, base) else { return Ok(()) };
        for (offset, class) in self.types.node(node).touched(self.types, from, size) {
            let junk = self.variable(Origin::unknown());
            self.write(state, class, base + offset as i64, junk)?;
        }
        Ok(())
    }

    /// Sets bytes to zero, or to anything.
    pub fn set_bytes(&mut self, state: &mut State, address: Term, size: u64, zero: bool, loc: Loc) -> Flow {
        if size == 0 {
            return Ok(());
        }
        let (node, base) = match self.resolve(state, address, size, loc)? {
            Place::Bytes(node, base) => (node, base),
            Place::Cell(class) => {
                let value = if zero { Term::constant(0) } else { self.variable(Origin::unknown()) };
                return self.write(state, class, address, value);
            }
            Place::Block => return Ok(()),
            Place::Somewhere(node) => {
                let value = if zero { Term::constant(0) } else { self.variable(Origin::unknown()) };
                return self.store_somewhere(state, node, value, loc);
            }
        };
        let Some(from) = self.solver.difference(address, base) else { return Ok(()) };
        for (offset, class) in self.types.node(node).touched(self.types, from, size) {
            let width = self.types.class(class).width;
            let whole = offset as i64 >= from && (offset + width) as i64 <= from + size as i64;
            let value = if zero && whole { Term::constant(0) } else { self.variable(Origin::unknown()) };
            self.write(state, class, base + offset as i64, value)?;
        }
        Ok(())
    }

    /// Copies a struct: cell by cell where both sides have the same cells, and anything where they have not.
    pub fn copy(&mut self, state: &mut State, dst: Term, src: Term, size: u64, loc: Loc) -> Flow {
        if size == 0 {
            return Ok(());
        }
        if let Some(part) = self.struct_element(dst, size).or_else(|| self.struct_element(src, size)) {
            return self.copy_cells(state, dst, src, part, loc);
        }
        let from = self.resolve(state, src, size, loc)?;
        let to = self.resolve(state, dst, size, loc)?;
        let (node, base) = match to {
            Place::Bytes(node, base) => (node, base),
            Place::Block => {
                state.escaped = true;
                return Ok(());
            }
            Place::Cell(_) | Place::Somewhere(_) => {
                let ty = integer_of(size);
                let value = self.load(state, src, ty, loc)?;
                return self.store(state, dst, ty, value, loc);
            }
        };
        let Some(start) = self.solver.difference(dst, base) else { return Ok(()) };
        // All is read before anything is written: the regions may be the same.
        let mut writes = Vec::new();
        for (offset, class) in self.types.node(node).touched(self.types, start, size) {
            let width = self.types.class(class).width;
            let source = src + (offset as i64 - start);
            let value = match from {
                Place::Bytes(other, other_base) => {
                    let at = self.solver.difference(source, other_base);
                    at.and_then(|at| self.types.node(other).cell(self.types, at, width))
                }
                Place::Cell(class) if self.types.class(class).width == width => Some(class),
                _ => None,
            };
            let whole = offset as i64 >= start && (offset + width) as i64 <= start + size as i64;
            let value = match value {
                Some(class) if whole => self.read(state, class, source)?,
                _ => self.variable(Origin::unknown()),
            };
            writes.push((class, base + offset as i64, value));
        }
        for (class, address, value) in writes {
            if self.reach(value) != Reach::Public && self.reach(address) != Reach::Private {
                state.escaped = true;
            }
            self.write(state, class, address, value)?;
        }
        Ok(())
    }

    /// Copies a struct that is an element of an array, of which it is not known which one: all is read before anything is written.
    fn copy_cells(&mut self, state: &mut State, dst: Term, src: Term, part: NodeId, loc: Loc) -> Flow {
        let cells = self.types.node(part).touched(self.types, 0, self.types.node(part).size);
        let mut values = Vec::new();
        for &(offset, class) in &cells {
            let ty = integer_of(self.types.class(class).width);
            values.push(self.load(state, src + offset as i64, ty, loc)?);
        }
        for ((offset, class), value) in cells.into_iter().zip(values) {
            let ty = integer_of(self.types.class(class).width);
            self.store(state, dst + offset as i64, ty, value, loc)?;
        }
        Ok(())
    }
}

/// The integers that are as wide as a cell.
const fn integer_of(width: u64) -> Ty {
    match width {
        1 => Ty::I8,
        2 => Ty::I16,
        4 => Ty::I32,
        8 => Ty::I64,
        _ => Ty::I128,
    }
}
