//! What follows from the left side of an entailment without unfolding it: equalities, disequalities and allocation by base pairs,
//! and integers by invariants of the predicates.

use rustc_hash::FxHashMap;

use super::base_pairs::{BasePairs, learn, nil_of};
use super::flat::{Call, Definitions, Flat, Kind, Var, Variables};
use super::shape::Shape;
use crate::arithmetic::{Answer as Numbers, Constraint, Row, entails, solve};

/// What is known of each predicate.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Its base pairs; none where there were too many.
    pub pairs: Option<BasePairs>,
    /// What always holds of its integer parameters, which are numbered as in its definition.
    pub invariants: Vec<Vec<Constraint>>,
    /// The least number of cells.
    pub least: Vec<usize>,
}

/// Combinations of base pairs that are tried for one question.
const MOST_COMBINATIONS: usize = 300;

impl Knowledge {
    /// The numbers of a heap with the invariants of its calls.
    pub fn numbers(&self, definitions: &Definitions, heap: &Flat) -> Vec<Constraint> {
        let mut all = heap.numbers.clone();
        for call in &heap.calls {
            all.extend(instantiated(definitions, call, &self.invariants[call.predicate]));
        }
        all
    }

    /// What is known of the locations of a heap; `None` when it has no model.
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
        // What all base pairs of a call agree on, round after round.
        let mut known: Vec<Option<Shape>> = vec![None; heap.calls.len()];
        for _ in 0..4 {
            let before = facts.shape.clone();
            for (call, known) in heap.calls.iter().zip(&mut known) {
                let at = |i: usize| if i < nils { i } else { facts.place[&call.arguments[i - nils]] };
                let mut common: Option<Shape> = None;
                for pair in &pairs.pairs[call.predicate] {
                    // A pair that was joined before allocates nothing twice.
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
        let mut left = MOST_COMBINATIONS;
        if combine(pairs, nils, &heap.calls, &facts.place, &start, &mut left) == Some(false) {
            return None;
        }
        Some(facts)
    }

    /// Whether a call has at least one cell.
    pub fn is_never_empty(&self, call: &Call) -> bool {
        self.least[call.predicate] > 0
    }
}

/// Whether there is a consistent choice of base pairs; `None` when that was not found out.
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

/// What is known of locations.
#[derive(Clone, Debug)]
pub struct Facts {
    place: FxHashMap<Var, usize>,
    vars: Vec<Var>,
    shape: Shape,
}

impl Facts {
    /// Whether two locations are equal.
    pub fn equal(&self, a: Var, b: Var) -> bool {
        a == b
            || match (self.place.get(&a), self.place.get(&b)) {
                (Some(&a), Some(&b)) => self.shape.are_equal(a, b),
                _ => false,
            }
    }

    /// Whether two locations differ.
    pub fn distinct(&self, a: Var, b: Var) -> bool {
        match (self.place.get(&a), self.place.get(&b)) {
            (Some(&a), Some(&b)) => self.shape.are_distinct(a, b),
            _ => false,
        }
    }

    /// Pairs of variables that are equal and not the same.
    pub fn equalities(&self) -> Vec<(Var, Var)> {
        let all = (0..self.vars.len()).filter(|&i| self.shape.find(i) != i);
        all.map(|i| (self.vars[self.shape.find(i)], self.vars[i])).collect()
    }
}

/// Invariants of a predicate for the arguments of a call.
pub fn instantiated<'a>(
    definitions: &'a Definitions,
    call: &'a Call,
    invariants: &'a [Constraint],
) -> impl Iterator<Item = Constraint> + 'a {
    let nils = definitions.nils;
    invariants.iter().filter_map(move |c| c.renamed(&mut |v| call.arguments[(v - nils) as usize]))
}

/// Invariants of integer parameters: of a set of candidates, the largest subset that every case preserves.
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
