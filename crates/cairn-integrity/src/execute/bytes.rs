//! Accesses to many bytes at once: memory that is set or copied, and parts of cells.

use cairn_ir::{Loc, Ty};
use cairn_rules::Term;

use super::super::solver::{Flow, Reach};
use super::super::state::{Cell, Contents, State};
use super::super::types::NodeId;
use super::Execution;
use super::access::Place;

impl Execution<'_, '_> {
    /// Changes bytes that are no cell, or only a part of one.
    pub(super) fn scramble_bytes(&mut self, state: &mut State, address: Term, size: u64, loc: Loc) -> Flow {
        match self.resolve(state, address, size, loc)? {
            Place::Bytes(node, base) => state.heaps.scramble(&mut self.solver, (node, base), address, size),
            Place::Cell(class) => state.heaps.write_anything(&mut self.solver, class, address),
            Place::Untyped => Ok(()),
            Place::Somewhere(node) => {
                let junk = self.solver.unknown();
                self.store_somewhere(state, node, junk, loc)
            }
        }
    }

    /// Sets a range of bytes.
    pub(super) fn set_bytes(
        &mut self,
        state: &mut State,
        (address, size): (Term, u64),
        contents: Contents,
        loc: Loc,
    ) -> Flow {
        if size == 0 {
            return Ok(());
        }
        let (node, base) = match self.resolve(state, address, size, loc)? {
            Place::Bytes(node, base) => (node, base),
            Place::Cell(class) => return state.heaps.set(&mut self.solver, class, address, contents),
            Place::Untyped => return Ok(()),
            Place::Somewhere(node) => {
                let value = contents.word(&mut self.solver);
                return self.store_somewhere(state, node, value, loc);
            }
        };
        let types = self.types();
        let Some(from) = self.solver.difference(address, base) else { return Ok(()) };
        for (offset, class) in types.node(node).touched(types, from, size) {
            let width = types.class(class).width;
            let is_whole = offset as i64 >= from && (offset + width) as i64 <= from + size as i64;
            let contents = if is_whole { contents } else { Contents::Anything };
            state.heaps.set(&mut self.solver, class, base + offset as i64, contents)?;
        }
        Ok(())
    }

    /// Copies a range of bytes: cell by cell where both sides have the same cells, unknown values elsewhere.
    pub(super) fn copy(&mut self, state: &mut State, dst: Term, src: Term, size: u64, loc: Loc) -> Flow {
        if size == 0 {
            return Ok(());
        }
        let element = self.solver.struct_element(dst, size).or_else(|| self.solver.struct_element(src, size));
        if let Some(part) = element {
            return self.copy_element(state, dst, src, part, loc);
        }
        let from = self.resolve(state, src, size, loc)?;
        match self.resolve(state, dst, size, loc)? {
            Place::Bytes(node, base) => self.copy_to_node(state, (node, base), dst, (from, src), size),
            Place::Untyped => {
                state.locals.escaped = true;
                Ok(())
            }
            Place::Cell(_) | Place::Somewhere(_) => {
                let ty = integer_of(size);
                let value = self.load(state, src, ty, loc)?;
                self.store(state, dst, ty, value, loc)
            }
        }
    }

    /// Copies a range of bytes into a node.
    ///
    /// Everything is read before anything is written, because the ranges may be the same.
    fn copy_to_node(
        &mut self,
        state: &mut State,
        (node, base): (NodeId, Term),
        dst: Term,
        (from, src): (Place, Term),
        size: u64,
    ) -> Flow {
        let types = self.types();
        let Some(start) = self.solver.difference(dst, base) else { return Ok(()) };
        let mut writes = Vec::new();
        for (offset, class) in types.node(node).touched(types, start, size) {
            let width = types.class(class).width;
            let source = src + (offset as i64 - start);
            let source_class = match from {
                Place::Bytes(other, other_base) => {
                    let at = self.solver.difference(source, other_base);
                    at.and_then(|at| types.node(other).cell(types, at, width))
                }
                Place::Cell(class) if types.class(class).width == width => Some(class),
                _ => None,
            };
            let is_whole = offset as i64 >= start && (offset + width) as i64 <= start + size as i64;
            let value = match source_class {
                Some(class) if is_whole => state.heaps.read(&mut self.solver, class, source)?,
                _ => self.solver.unknown(),
            };
            writes.push(Cell { class, address: base + offset as i64, value });
        }
        for Cell { class, address, value } in writes {
            if self.solver.reach(value) != Reach::Public && self.solver.reach(address) != Reach::Private {
                state.locals.escaped = true;
            }
            state.heaps.write(&mut self.solver, class, address, value)?;
        }
        Ok(())
    }

    /// Copies a struct that is some element of an array. Everything is read before anything is written.
    fn copy_element(&mut self, state: &mut State, dst: Term, src: Term, part: NodeId, loc: Loc) -> Flow {
        let types = self.types();
        let cells = types.node(part).all_cells(types);
        let mut values = Vec::new();
        for &(offset, class) in &cells {
            let ty = integer_of(types.class(class).width);
            values.push(self.load(state, src + offset as i64, ty, loc)?);
        }
        for ((offset, class), value) in cells.into_iter().zip(values) {
            let ty = integer_of(types.class(class).width);
            self.store(state, dst + offset as i64, ty, value, loc)?;
        }
        Ok(())
    }
}

/// Returns the integer type of a width.
const fn integer_of(width: u64) -> Ty {
    match width {
        1 => Ty::I8,
        2 => Ty::I16,
        4 => Ty::I32,
        8 => Ty::I64,
        _ => Ty::I128,
    }
}
