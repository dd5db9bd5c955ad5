//! Decomposition of a question into parts without common variables.
//!
//! Models of different parts can be combined by choosing disjoint locations, and an atom of one
//! part never matches a cell of another. An entailment therefore holds if it holds for every part,
//! or if the left side of some part is unsatisfiable. The case splits of different parts do not
//! multiply.

use rustc_hash::FxHashMap;

use crate::formula::{Pure, Spatial, Term, Variable};
use crate::symbolic_heap::SymbolicHeap;

/// Splits symbolic heaps by shared variables; each part contains one heap for each given heap.
pub(super) fn components(heaps: &[&SymbolicHeap]) -> Vec<Vec<SymbolicHeap>> {
    let mut groups = Groups::default();
    for heap in heaps {
        for pure in &heap.pure {
            groups.join(&variables_of_pure(pure));
        }
        for spatial in &heap.spatial {
            groups.join(&variables_of_spatial(spatial));
        }
    }
    let empty: Vec<SymbolicHeap> =
        heaps.iter().map(|heap| SymbolicHeap { rest: heap.rest, ..SymbolicHeap::default() }).collect();
    // Atoms without variables form a part of their own.
    let mut parts: FxHashMap<Option<usize>, Vec<SymbolicHeap>> = FxHashMap::default();
    let mut order = Vec::new();
    let mut part_of = |variables: &[Variable], groups: &Groups| {
        let group = variables.first().map(|v| groups.find(groups.numbers[v]));
        parts.entry(group).or_insert_with(|| {
            order.push(group);
            empty.clone()
        });
        group
    };
    let mut placed: Vec<(Option<usize>, usize, Atom<'_>)> = Vec::new();
    for (index, heap) in heaps.iter().enumerate() {
        for pure in &heap.pure {
            placed.push((part_of(&variables_of_pure(pure), &groups), index, Atom::Pure(pure)));
        }
        for spatial in &heap.spatial {
            placed.push((part_of(&variables_of_spatial(spatial), &groups), index, Atom::Spatial(spatial)));
        }
    }
    for (group, index, atom) in placed {
        let Some(part) = parts.get_mut(&group) else { continue };
        match atom {
            Atom::Pure(pure) => part[index].pure.push(pure.clone()),
            Atom::Spatial(spatial) => part[index].spatial.push(spatial.clone()),
        }
    }
    let mut result: Vec<Vec<SymbolicHeap>> = order.into_iter().filter_map(|group| parts.remove(&group)).collect();
    for part in &mut result {
        for (heap, whole) in part.iter_mut().zip(heaps) {
            let mut used = Vec::new();
            heap.each_variable(&mut |v| used.push(v));
            heap.existentials = whole.existentials.iter().copied().filter(|v| used.contains(v)).collect();
        }
    }
    if result.is_empty() {
        result.push(empty);
    }
    result
}

enum Atom<'h> {
    Pure(&'h Pure),
    Spatial(&'h Spatial),
}

fn variables_of_pure(pure: &Pure) -> Vec<Variable> {
    let mut variables = Vec::new();
    pure.each_variable(&mut |v| variables.push(v));
    variables
}

fn variables_of_spatial(spatial: &Spatial) -> Vec<Variable> {
    spatial.terms().flat_map(Term::variables).collect()
}

/// Equivalence classes of variables that occur in the same atom.
#[derive(Default)]
struct Groups {
    numbers: FxHashMap<Variable, usize>,
    parents: Vec<usize>,
}

impl Groups {
    fn join(&mut self, variables: &[Variable]) {
        for &variable in variables {
            self.numbers.entry(variable).or_insert_with(|| {
                self.parents.push(self.parents.len());
                self.parents.len() - 1
            });
        }
        for pair in variables.windows(2) {
            let (a, b) = (self.find(self.numbers[&pair[0]]), self.find(self.numbers[&pair[1]]));
            self.parents[a] = b;
        }
    }

    fn find(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }
}
