//! Accesses to array elements by variable indices.

use cairn_ir::Loc;
use cairn_rules::Term;

use super::super::report::{Condition, Reason};
use super::super::solver::{Flow, IndexBounds, Spread, Stop};
use super::super::state::State;
use super::super::types::{NodeId, NodeType};
use super::Execution;
use super::access::Place;
use super::conditions::Failure;

impl Execution<'_, '_> {
    /// Finds the target of an access to an element by variable indices.
    pub(super) fn resolve_element(&mut self, state: &State, address: Term, width: u64, loc: Loc) -> Flow<Place> {
        let Some(Spread { root, offset, indices }) = self.solver.spread(address) else { return Err(Stop::PathEnd) };
        let (node, start) = self.resolve_array(state, root, loc)?;
        let Some(first) = self.solver.difference(root, start) else { return Err(Stop::PathEnd) };
        let first = first + offset;
        let ty = self.types().node(node);
        if ty.tail.is_some_and(|tail| first >= tail as i64) {
            return self.unknown_length(loc);
        }
        let Some((class, bounds)) = self.solver.elements_by_index(ty, first, width, &indices) else {
            let constant = |&(index, scale): &(Term, i64)| self.solver.constant(index)?.checked_mul(scale);
            if let Some(more) = indices.iter().map(constant).sum::<Option<i64>>() {
                return self.resolve(state, root + offset.wrapping_add(more), width, loc);
            }
            let model = self.solver.prove(&[]).err().flatten();
            return Err(self.fail(state, Failure::new(loc, Condition::ArrayElement, model)));
        };
        for bound in &bounds {
            self.require_index_inside(state, ty, bound, loc)?;
        }
        if self.types().class(class).row
            && let [bound] = bounds.as_slice()
        {
            // The cells of such arrays are told apart by the order of their addresses.
            let scale = indices[0].1;
            let (first, last) = (start + (first + bound.low * scale), start + (first + bound.high * scale));
            for bound in [self.solver.at_most(first, address), self.solver.at_most(address, last)] {
                self.solver.assume(bound)?;
            }
        }
        if let Some(inside) = self.context.theory.inside(node) {
            let inside = self.solver.constraint(inside, &[address, start]);
            self.solver.assume(inside)?;
        }
        Ok(Place::Cell(class))
    }

    /// Finds the node with an array. The node has to exist for all values of the indices.
    fn resolve_array(&mut self, state: &State, root: Term, loc: Loc) -> Flow<(NodeId, Term)> {
        let place = self.resolve(state, root, 1, loc)?;
        if let Place::Bytes(node, base) = place {
            return Ok((node, base));
        }
        let base = Term { offset: 0, ..root };
        let proved = self.solver.hint(root).filter(|&node| {
            let object = self.solver.object(node, base);
            self.solver.value(object) == Some(true)
        });
        match proved {
            Some(node) if !matches!(place, Place::Somewhere(_) | Place::Untyped) => Ok((node, base)),
            _ => self.unknown_length(loc),
        }
    }

    /// Requires that an index is inside of its bounds. The path goes on where it is.
    fn require_index_inside(&mut self, state: &State, ty: &NodeType, bounds: &IndexBounds, loc: Loc) -> Flow {
        let IndexBounds { index, low, high } = *bounds;
        let [below, above] = self.solver.outside(bounds);
        for outside in [below, above] {
            let Err(model) = self.solver.prove(&[outside]) else { continue };
            if outside == above && self.solver.is_unbounded(index) {
                if let Some(most) = self.context.options.longest_path {
                    let counted = Term { offset: 0, ..index };
                    let short = self.solver.at_most(counted, Term::constant(i64::from(most)));
                    self.solver.assume(short)?;
                    if self.solver.is_refuted(&[outside]) {
                        continue;
                    }
                }
                let length = ty.longest_array();
                self.findings.memory_by_contract(loc, Reason::UnboundedIndex { length, high });
            } else if !self.context.summaries[self.function.index()].open && self.parameters.contains(&index) {
                self.findings.memory_by_contract(loc, Reason::IndexFromCallers);
            } else if outside == above || !self.solver.is_bottom(index, low) {
                self.doubt(state, Failure::new(loc, Condition::IndexInside, model));
            }
            self.solver.assume(!outside)?;
        }
        Ok(())
    }
}
