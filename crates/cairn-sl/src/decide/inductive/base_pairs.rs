//! Satisfiability of arbitrary inductive definitions by the least fixpoint of base pairs (Brotherston, Fuhs, Gorogiannis, Navarro
//! Pérez, LICS 2014, section 3): what each predicate can say of its parameters' equality and allocation.
//!
//! Semi-naive: a case is looked at again only with a new base pair of one of its calls. Integers are left out: where there are some,
//! a predicate without base pairs is still unsatisfiable, but one with base pairs need not be satisfiable.

use rustc_hash::FxHashSet;

use super::flat::{Case, Definitions, Flat, Kind, Variables};
use super::shape::Shape;
use crate::budget::{Budget, Reason};

/// The base pairs of each predicate, over the nils and the parameters.
#[derive(Clone, Debug)]
pub struct BasePairs {
    pub pairs: Vec<Vec<Shape>>,
}

/// As long as there are fewer base pairs than this, those that say more than another one are dropped.
const SUBSUMPTION_UP_TO: usize = 200;

impl BasePairs {
    /// The least fixpoint.
    pub fn compute(definitions: &Definitions, budget: &Budget) -> Result<Self, Reason> {
        let count = definitions.predicates.len();
        let mut all: Vec<Vec<Shape>> = vec![Vec::new(); count];
        let mut seen: Vec<FxHashSet<Shape>> = vec![FxHashSet::default(); count];
        // Where the base pairs of the last round begin.
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
                        // Calls before `newest` take old pairs, `newest` takes new ones, those after it all.
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
                if list.len() < SUBSUMPTION_UP_TO && list.iter().any(|s| s.is_weaker_than(&shape)) {
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

    /// Whether a symbolic heap has a consistent choice of base pairs.
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

/// The nil of a sort of locations; cells are at locations only.
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

/// Drops what says more than another one does.
fn strip(list: &mut Vec<Shape>) {
    if list.len() > 2 * SUBSUMPTION_UP_TO {
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

/// What a heap says without its calls; whether that is consistent.
pub fn learn(shape: &mut Shape, heap: &Flat, place: impl Fn(u32) -> usize, nil: impl Fn(u32) -> usize) -> bool {
    heap.equal.iter().all(|&(a, b)| shape.equate(place(a), place(b)))
        && heap.distinct.iter().all(|&(a, b)| shape.separate(place(a), place(b)))
        && heap.cells.iter().all(|c| shape.allocate(place(c.root), nil(c.root)))
}

/// What a case says without its calls; `None` where that is contradictory.
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

/// Every consistent choice of a base pair for each call, until the function says that it is enough.
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
