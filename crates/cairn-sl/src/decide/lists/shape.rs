//! Recognition of acyclic list segments by the shape of their definitions.
//!
//! `P(x, y)` is such a segment if its cases are `x = y ∧ emp` and `∃ u …. x ≠ y ∧ x ↦ (… u …) *
//! P(u, y)`, where every other field of the cell is `nil` or arbitrary.

use crate::formula::{PredicateId, Pure, Sort, Spatial, Term, Variable};
use crate::signature::{Predicate, Signature};
use crate::symbolic_heap::SymbolicHeap;

/// The shape of a list segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListShape {
    /// The index of the parameter that holds the first cell.
    pub from: usize,
    /// The index of the parameter that holds the end of the segment.
    pub to: usize,
    /// The index of the link field.
    pub next: usize,
    /// The fields that are `nil`; all other fields except the link are arbitrary.
    pub nil: Vec<usize>,
}

impl ListShape {
    /// Returns whether every segment of the other shape is a segment of this shape.
    pub fn includes(&self, other: &ListShape) -> bool {
        self.next == other.next && self.nil.iter().all(|field| other.nil.contains(field))
    }
}

/// Recognises a predicate as an acyclic list segment.
pub fn list_shape(signature: &Signature, id: PredicateId) -> Option<ListShape> {
    let predicate = signature.predicate(id);
    let [_, _] = predicate.parameters[..] else { return None };
    let [first, second] = predicate.cases.as_ref().ok()?.as_slice() else { return None };
    step(id, predicate, first, second).or_else(|| step(id, predicate, second, first))
}

fn step(id: PredicateId, predicate: &Predicate, empty: &SymbolicHeap, more: &SymbolicHeap) -> Option<ListShape> {
    let [a, b] = predicate.parameters[..] else { return None };
    if a.sort != b.sort || !matches!(a.sort, Sort::Location(_)) {
        return None;
    }
    let about_both = |x: &Term, y: &Term| {
        let pair = (x.as_variable(), y.as_variable());
        pair == (Some(a), Some(b)) || pair == (Some(b), Some(a))
    };
    // The empty case contains only the equality of the parameters.
    if empty.rest || !empty.spatial.is_empty() || !empty.existentials.is_empty() {
        return None;
    }
    let [Pure::Equal(x, y)] = &empty.pure[..] else { return None };
    if !about_both(x, y) || more.rest {
        return None;
    }
    // The other case consists of a disequality, one cell and the rest of the list.
    let [Pure::Distinct(x, y)] = &more.pure[..] else { return None };
    if !about_both(x, y) {
        return None;
    }
    let (location, fields, arguments) = match &more.spatial[..] {
        [Spatial::PointsTo(location, fields), Spatial::Predicate(other, arguments)]
        | [Spatial::Predicate(other, arguments), Spatial::PointsTo(location, fields)]
            if *other == id =>
        {
            (location, fields, arguments)
        }
        _ => return None,
    };
    let from = predicate.parameters.iter().position(|p| location.as_variable() == Some(*p))?;
    let to = 1 - from;
    if arguments[to].as_variable() != Some(predicate.parameters[to]) {
        return None;
    }
    let link = arguments[from].as_variable().filter(|v| more.existentials.contains(v))?;
    let occurrences = |v: Variable| fields.iter().filter(|f| f.as_variable() == Some(v)).count();
    if occurrences(link) != 1 {
        return None;
    }
    let next = fields.iter().position(|f| f.as_variable() == Some(link))?;
    let mut nil = Vec::new();
    for (index, field) in fields.iter().enumerate().filter(|(index, _)| *index != next) {
        match field {
            Term::Nil(_) => nil.push(index),
            other => {
                let variable = other.as_variable()?;
                if !more.existentials.contains(&variable) || occurrences(variable) != 1 {
                    return None;
                }
            }
        }
    }
    Some(ListShape { from, to, next, nil })
}
