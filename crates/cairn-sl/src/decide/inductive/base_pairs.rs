//! Satisfiability of arbitrary inductive definitions, by the least fixpoint of base pairs.
//!
//! A base pair describes the equalities and allocation of a predicate's parameters (Brotherston,
//! Fuhs, Gorogiannis, Navarro Pérez, LICS 2014, section 3). The fixpoint is computed semi-naively:
//! a case is re-examined only with a new base pair of one of its calls. Integers are ignored. If
//! they occur, a predicate without base pairs is still unsatisfiable, but one with base pairs need
//! not be satisfiable.

use rustc_hash::FxHashSet;

use super::flat::{Case, Definitions, Flat, Kind, Variables};
use super::shape::Shape;
use crate::budget::{Budget, Reason};
use crate::limits;

/// The base pairs of each predicate, over the nils and the parameters.
#[derive(Clone, Debug)]
pub struct BasePairs {
    pub pairs: Vec<Vec<Shape>>,
}

impl BasePairs {
    /// Computes the least fixpoint.
    pub fn compute(definitions: &Definitions, budget: &Budget) -> Result<Self, Reason> {
        let count = definitions.predicates.len();
        let mut all: Vec<Vec<Shape>> = vec![Vec::new(); count];
        let mut seen: Vec<FxHashSet<Shape>> = vec![FxHashSet::default(); count];
        // The index of the first base pair of the last round, by predicate.
        let mut delta: Vec<usize> = vec![0; count];
        let mut first = true;
        loop {
            let before: Vec<usize> = all.iter().map(Vec::len).collect();
            let mut found: Vec<(usize, Shape)> = Vec::new();
            for (predicate, definition) in definitions.predicates.iter().enumerate() {
                for case in &definition.cases {
                    if case.heap.calls.is_empty() {
                        if first && let Some(shape) = start(definitions, predicate, case) {
                            found.push((predicate, projected(&shape, definitions, predicate)));
                        }
                        continue;
                    }
                    for (newest, call) in case.heap.calls.iter().enumerate() {
                        if delta[call.predicate] == all[call.predicate].len() {
                            continue;
                        }
                        let Some(shape) = start(definitions, predicate, case) else { break };
                        // Calls before `newest` use old pairs, `newest` uses new pairs, and later calls use all pairs.
                        let ranges: Vec<(usize, usize)> = case
                            .heap
                            .calls
                            .iter()
                            .enumerate()
                            .map(|(i, c)| match i.cmp(&newest) {
                                std::cmp::Ordering::Less => (0, delta[c.predicate]),
                                std::cmp::Ordering::Equal => (delta[c.predicate], before[c.predicate]),
                                std::cmp::Ordering::Greater => (0, before[c.predicate]),
                            })
                            .collect();
                        if ranges.iter().any(|r| r.0 == r.1) {
                            continue;
                        }
                        let mut order: Vec<usize> = (0..ranges.len()).collect();
                        order.sort_by_key(|&i| ranges[i].1 - ranges[i].0);
                        combine(definitions.nils, case, &all, &ranges, &order, &shape, budget, &mut |shape| {
                            found.push((predicate, projected(shape, definitions, predicate)));
                        })?;
                    }
                }
            }
            delta = before;
            first = false;
            for (predicate, shape) in found {
                let list = &mut all[predicate];
                if seen[predicate].contains(&shape) {
                    continue;
                }
                if list.len() < limits::MAX_SUBSUMED_PAIRS && list.iter().any(|s| s.is_weaker_than(&shape)) {
                    continue;
                }
                seen[predicate].insert(shape.clone());
                list.push(shape);
            }
            if all.iter().zip(&delta).all(|(list, &d)| list.len() == d) {
                for list in &mut all {
                    strip(list);
                }
                return Ok(Self { pairs: all });
            }
        }
    }

    /// Returns whether a symbolic heap has a consistent choice of base pairs.
    pub fn is_consistent(
        &self,
        nils: u32,
        heap: &Flat,
        variables: &Variables,
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let mut shape = Shape::new(variables.len());
        if !learn(&mut shape, heap, |v| v as usize, |v| nil_of(variables.kind(v))) {
            return Ok(false);
        }
        let ranges: Vec<(usize, usize)> = heap.calls.iter().map(|c| (0, self.pairs[c.predicate].len())).collect();
        if ranges.iter().any(|r| r.1 == 0) {
            return Ok(false);
        }
        let case = Case { locals: Vec::new(), heap: heap.clone() };
        let mut order: Vec<usize> = (0..ranges.len()).collect();
        order.sort_by_key(|&i| ranges[i].1);
        combine_until(nils, &case, &self.pairs, &ranges, &order, &shape, budget, &mut |_| true)
    }
}

/// Returns the nil of a sort of locations. Integers yield 0, but no cell is at an integer.
pub fn nil_of(kind: Kind) -> usize {
    match kind {
        Kind::Location(sort) => sort as usize,
        Kind::Integer => 0,
    }
}

fn predicate_len(definitions: &Definitions, predicate: usize) -> usize {
    definitions.predicates[predicate].parameters.len()
}

fn projected(shape: &Shape, definitions: &Definitions, predicate: usize) -> Shape {
    let keep: Vec<usize> = (0..definitions.nils as usize + predicate_len(definitions, predicate)).collect();
    shape.project(&keep)
}

/// Drops base pairs that are subsumed by weaker ones.
fn strip(list: &mut Vec<Shape>) {
    if list.len() > 2 * limits::MAX_SUBSUMED_PAIRS {
        return;
    }
    let mut kept: Vec<Shape> = Vec::new();
    for shape in list.drain(..) {
        if kept.iter().any(|s| s.is_weaker_than(&shape)) {
            continue;
        }
        kept.retain(|s| !shape.is_weaker_than(s));
        kept.push(shape);
    }
    *list = kept;
}

/// Adds the constraints of a heap, except its calls, to a shape; returns whether it is consistent.
pub fn learn(shape: &mut Shape, heap: &Flat, place: impl Fn(u32) -> usize, nil: impl Fn(u32) -> usize) -> bool {
    heap.equal.iter().all(|&(a, b)| shape.equate(place(a), place(b)))
        && heap.distinct.iter().all(|&(a, b)| shape.separate(place(a), place(b)))
        && heap.cells.iter().all(|c| shape.allocate(place(c.root), nil(c.root)))
}

/// Returns the shape of a case without its calls, or `None` if it is contradictory.
pub fn start(definitions: &Definitions, predicate: usize, case: &Case) -> Option<Shape> {
    let definition = &definitions.predicates[predicate];
    let fixed = definitions.nils as usize + definition.parameters.len();
    let mut shape = Shape::new(fixed + case.locals.len());
    let nil = |v: u32| match v as usize {
        v if v < definitions.nils as usize => v,
        v if v < fixed => nil_of(definition.parameters[v - definitions.nils as usize]),
        v => nil_of(case.locals[v - fixed]),
    };
    learn(&mut shape, &case.heap, |v| v as usize, nil).then_some(shape)
}

#[expect(clippy::too_many_arguments, reason = "one recursion, split in two for its callers")]
fn combine(
    nils: u32,
    case: &Case,
    all: &[Vec<Shape>],
    ranges: &[(usize, usize)],
    order: &[usize],
    shape: &Shape,
    budget: &Budget,
    found: &mut impl FnMut(&Shape),
) -> Result<(), Reason> {
    combine_until(nils, case, all, ranges, order, shape, budget, &mut |shape| {
        found(shape);
        false
    })
    .map(drop)
}

/// Enumerates the consistent choices of a base pair for each call until the function returns true.
#[expect(clippy::too_many_arguments, reason = "one recursion")]
fn combine_until(
    nils: u32,
    case: &Case,
    all: &[Vec<Shape>],
    ranges: &[(usize, usize)],
    order: &[usize],
    shape: &Shape,
    budget: &Budget,
    found: &mut impl FnMut(&Shape) -> bool,
) -> Result<bool, Reason> {
    let Some((&index, rest)) = order.split_first() else { return Ok(found(shape)) };
    let call = &case.heap.calls[index];
    let place = |i: usize| if i < nils as usize { i } else { call.arguments[i - nils as usize] as usize };
    for pair in &all[call.predicate][ranges[index].0..ranges[index].1] {
        budget.spend(1)?;
        if pair.contradicts(shape, place) {
            continue;
        }
        let mut joined = shape.clone();
        if joined.join(pair, place) && combine_until(nils, case, all, ranges, rest, &joined, budget, found)? {
            return Ok(true);
        }
    }
    Ok(false)
}
