//! Facts about the left side of an entailment that need no unfolding.
//!
//! Equalities, disequalities and allocation follow from base pairs, and integer constraints from
//! invariants of the predicates.

use rustc_hash::FxHashMap;

use super::base_pairs::{BasePairs, learn, nil_of};
use super::flat::{Call, Definitions, Flat, Kind, Var, Variables};
use super::shape::Shape;
use crate::arithmetic::{Answer as Numbers, Constraint, Row, entails, solve};
use crate::limits;

/// Facts about each predicate.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// The base pairs, or `None` if there are too many.
    pub pairs: Option<BasePairs>,
    /// The invariants of the integer parameters, numbered as in the definition.
    pub invariants: Vec<Vec<Constraint>>,
    /// The minimal number of cells.
    pub least: Vec<usize>,
}

impl Knowledge {
    /// Returns the integer constraints of a heap together with the invariants of its calls.
    pub fn numbers(&self, definitions: &Definitions, heap: &Flat) -> Vec<Constraint> {
        let mut all = heap.numbers.clone();
        for call in &heap.calls {
            all.extend(instantiated(definitions, call, &self.invariants[call.predicate]));
        }
        all
    }

    /// Computes the facts about the locations of a heap, or returns `None` if it has no model.
    pub fn facts(&self, definitions: &Definitions, heap: &Flat, variables: &Variables) -> Option<Facts> {
        let mut facts = Facts { place: FxHashMap::default(), shape: Shape::new(0), vars: Vec::new() };
        let mut add = |v: Var| {
            if !facts.place.contains_key(&v) {
                facts.place.insert(v, facts.vars.len());
                facts.vars.push(v);
            }
        };
        (0..definitions.nils).for_each(&mut add);
        heap.each_variable(&mut add);
        facts.shape = Shape::new(facts.vars.len());
        let place = &facts.place;
        if !learn(&mut facts.shape, heap, |v| place[&v], |v| nil_of(variables.kind(v))) {
            return None;
        }
        if !heap.numbers.is_empty() && solve(&self.numbers(definitions, heap)) == Numbers::Infeasible {
            return None;
        }
        if heap.calls.iter().any(|c| self.least[c.predicate] == usize::MAX) {
            return None;
        }
        let Some(pairs) = &self.pairs else { return Some(facts) };
        let nils = definitions.nils as usize;
        // Join the facts common to all compatible base pairs of each call, for a few rounds.
        let mut known: Vec<Option<Shape>> = vec![None; heap.calls.len()];
        for _ in 0..limits::FACT_ROUNDS {
            let before = facts.shape.clone();
            for (call, known) in heap.calls.iter().zip(&mut known) {
                let at = |i: usize| if i < nils { i } else { facts.place[&call.arguments[i - nils]] };
                let mut common: Option<Shape> = None;
                for pair in &pairs.pairs[call.predicate] {
                    // Allocation by an earlier join of the same call is not a contradiction.
                    let clash = pair.contradicts_apart_from(&facts.shape, at, known.as_ref());
                    if !clash {
                        common = Some(common.map_or_else(|| pair.clone(), |c| c.meet(pair)));
                    }
                }
                let common = common?;
                if !facts.shape.join_again(&common, at, known.as_ref()) {
                    return None;
                }
                *known = Some(common);
            }
            if facts.shape == before {
                break;
            }
        }
        let mut start = Shape::new(facts.vars.len());
        if !learn(&mut start, heap, |v| facts.place[&v], |v| nil_of(variables.kind(v))) {
            return None;
        }
        let mut left = limits::MAX_PAIR_COMBINATIONS;
        if combine(pairs, nils, &heap.calls, &facts.place, &start, &mut left) == Some(false) {
            return None;
        }
        Some(facts)
    }

    /// Returns whether a call has at least one cell.
    pub fn is_never_empty(&self, call: &Call) -> bool {
        self.least[call.predicate] > 0
    }
}

/// Decides whether a consistent choice of base pairs exists; returns `None` if the limit is reached.
fn combine(
    pairs: &BasePairs,
    nils: usize,
    calls: &[Call],
    place: &FxHashMap<Var, usize>,
    shape: &Shape,
    left: &mut usize,
) -> Option<bool> {
    let Some((call, rest)) = calls.split_first() else { return Some(true) };
    let at = |i: usize| if i < nils { i } else { place[&call.arguments[i - nils]] };
    for pair in &pairs.pairs[call.predicate] {
        *left = left.checked_sub(1)?;
        let mut joined = shape.clone();
        if joined.join(pair, at) && combine(pairs, nils, rest, place, &joined, left)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Facts about locations.
#[derive(Clone, Debug)]
pub struct Facts {
    place: FxHashMap<Var, usize>,
    vars: Vec<Var>,
    shape: Shape,
}

impl Facts {
    /// Returns whether two locations are known to be equal.
    pub fn equal(&self, a: Var, b: Var) -> bool {
        a == b
            || match (self.place.get(&a), self.place.get(&b)) {
                (Some(&a), Some(&b)) => self.shape.are_equal(a, b),
                _ => false,
            }
    }

    /// Returns whether two locations are known to differ.
    pub fn distinct(&self, a: Var, b: Var) -> bool {
        match (self.place.get(&a), self.place.get(&b)) {
            (Some(&a), Some(&b)) => self.shape.are_distinct(a, b),
            _ => false,
        }
    }

    /// Returns pairs of different variables that are known to be equal.
    pub fn equalities(&self) -> Vec<(Var, Var)> {
        let all = (0..self.vars.len()).filter(|&i| self.shape.find(i) != i);
        all.map(|i| (self.vars[self.shape.find(i)], self.vars[i])).collect()
    }
}

/// Instantiates the invariants of a predicate with the arguments of a call.
pub fn instantiated<'a>(
    definitions: &'a Definitions,
    call: &'a Call,
    invariants: &'a [Constraint],
) -> impl Iterator<Item = Constraint> + 'a {
    let nils = definitions.nils;
    invariants.iter().filter_map(move |c| c.renamed(&mut |v| call.arguments[(v - nils) as usize]))
}

/// Computes invariants of integer parameters: the largest subset of a set of candidates that every case preserves.
pub fn invariants(definitions: &Definitions) -> Vec<Vec<Constraint>> {
    let nils = definitions.nils;
    let mut all: Vec<Vec<Constraint>> = definitions
        .predicates
        .iter()
        .map(|definition| {
            let integers: Vec<Var> = (0u32..)
                .zip(&definition.parameters)
                .filter(|(_, k)| **k == Kind::Integer)
                .map(|(i, _)| nils + i)
                .collect();
            let mut candidates = Vec::new();
            let mut add = |row: Row, bound: i128| {
                candidates.push(Constraint::at_least_zero(Row { constant: bound, ..row }));
            };
            for (i, &a) in integers.iter().enumerate() {
                for bound in [-2, -1, 0] {
                    add(Row::unknown(a), bound);
                }
                add(Row { terms: vec![(a, -1)], constant: 0 }, 0);
                for &b in &integers[..i] {
                    for bound in [-1, 0] {
                        add(Row::difference(a, b), bound);
                        add(Row::difference(b, a), bound);
                    }
                }
            }
            candidates
        })
        .collect();
    loop {
        let mut changed = false;
        for index in 0..all.len() {
            for case in &definitions.predicates[index].cases {
                let mut numbers = case.heap.numbers.clone();
                for call in &case.heap.calls {
                    numbers.extend(instantiated(definitions, call, &all[call.predicate]));
                }
                if all[index].is_empty() {
                    continue;
                }
                let before = all[index].len();
                let kept: Vec<Constraint> =
                    all[index].iter().filter(|c| entails(&numbers, c) == Some(true)).cloned().collect();
                changed |= kept.len() != before;
                all[index] = kept;
            }
        }
        if !changed {
            return all;
        }
    }
}
