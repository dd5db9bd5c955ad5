//! The encoding of acyclic list segments, by following the links from the first location.

use cairn_smt::Term as Bits;

use super::encode::{Encoder, Heap};
use crate::budget::Reason;
use crate::decide::lists::shape::list_shape;
use crate::formula::{PredicateId, Sort, Term};

/// The path from one location to another.
pub(super) struct Walk {
    /// For each slot, whether it is a cell on the path.
    pub(super) passed: Vec<Bits>,
    /// Whether the path reaches the end.
    arrived: Bits,
}

impl Encoder<'_> {
    /// Encodes that the heap is a list segment, that is, that the path covers all of its cells.
    pub(super) fn segment(&mut self, id: PredicateId, arguments: &[Term], heap: &Heap) -> Result<Bits, Reason> {
        let walk = self.walk(id, arguments, heap)?;
        let mut conditions = vec![walk.arrived];
        for (&allocated, &passed) in heap.allocated.iter().zip(&walk.passed) {
            let absent = self.terms.not(allocated);
            conditions.push(self.terms.or(absent, passed));
        }
        Ok(self.all(&conditions))
    }

    /// Encodes the path along the links.
    ///
    /// The path ends at the second location, at a location without a cell, or after as many steps as there are slots.
    pub(super) fn walk(&mut self, id: PredicateId, arguments: &[Term], heap: &Heap) -> Result<Walk, Reason> {
        let uncovered = || Reason::Uncovered("not in the fragment of bounded models".to_owned());
        let shape = list_shape(self.signature, id).ok_or_else(uncovered)?;
        let Sort::Location(sort) = arguments[shape.from].sort() else { return Err(uncovered()) };
        let from = self.term(&arguments[shape.from]);
        let to = self.term(&arguments[shape.to]);
        // For each slot, whether its cell can belong to such a list, and its link.
        let mut links: Vec<(usize, Bits, Bits)> = Vec::new();
        for index in 0..self.slots.len() {
            if self.slots[index].sort != sort || self.slots[index].is_nil {
                continue;
            }
            let values = self.fields[heap.fields][index].clone();
            let mut fits = heap.allocated[index];
            for &field in &shape.nil {
                let Sort::Location(other) = self.signature.fields(sort)[field].sort else { return Err(uncovered()) };
                let nil = self.term(&Term::Nil(other));
                let is_nil = self.terms.eq(values[field], nil);
                fits = self.terms.and(fits, is_nil);
            }
            links.push((index, fits, values[shape.next]));
        }
        let mut passed = vec![self.terms.falsity(); self.slots.len()];
        let mut here = from;
        let mut arrived = self.terms.eq(from, to);
        let mut alive = self.terms.not(arrived);
        for _ in 0..links.len() {
            let mut next = here;
            let mut steps = self.terms.falsity();
            for &(index, fits, link) in &links {
                let at = self.at(here, index);
                let at = self.terms.and(at, fits);
                let at = self.terms.and(at, alive);
                passed[index] = self.terms.or(passed[index], at);
                next = self.terms.ite(at, link, next);
                steps = self.terms.or(steps, at);
            }
            let there = self.terms.eq(next, to);
            let ends = self.terms.and(steps, there);
            arrived = self.terms.or(arrived, ends);
            let goes_on = self.terms.not(there);
            alive = self.terms.and(steps, goes_on);
            here = next;
        }
        Ok(Walk { passed, arrived })
    }
}
