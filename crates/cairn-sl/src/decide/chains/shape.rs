//! Recognises predicates that are chains of cells, by the shape of their definitions and not by their names: singly and doubly linked
//! segments, and lists of lists.
//!
//! A chain has two cases. In the empty one some parameters are equal and there is no heap. In the other one there is one cell, what
//! hangs from it, and the rest of the chain; of the parameters of the rest some are the same, the others move: to what the cell holds
//! or to the cell itself.

use crate::formula::{LocationSort, PredicateId, Pure, Sort, Spatial, Term, Variable};
use crate::signature::Signature;

/// What a parameter of the rest of a chain is, or an argument of what hangs from a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A field of the cell.
    Field(usize),
    /// A parameter of the chain.
    Parameter(usize),
    /// A sort's `nil`.
    Nil(LocationSort),
}

/// What a field of a cell holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Held {
    Anything,
    Nil,
    Parameter(usize),
}

/// A chain.
#[derive(Clone, Debug)]
pub(super) struct ChainShape {
    /// The parameter that is the first cell.
    pub(super) from: usize,
    /// The parameters that move, each with what it is in the end and what it is in the rest.
    pub(super) moving: Vec<(usize, usize, Source)>,
    pub(super) fields: Vec<Held>,
    /// What hangs from a cell.
    pub(super) inner: Vec<(PredicateId, Vec<Source>)>,
    /// Where there is a cell: a parameter that moves and one that does not are different.
    pub(super) distinct: Vec<(usize, usize)>,
}

impl ChainShape {
    /// Whether cells, or what hangs from them, speak of a parameter.
    pub(super) fn mentions(&self, place: usize) -> bool {
        self.fields.contains(&Held::Parameter(place))
            || self.inner.iter().any(|(_, sources)| sources.contains(&Source::Parameter(place)))
    }

    /// The parameter that is the last cell, where there is one.
    pub(super) fn last(&self) -> Option<usize> {
        let behind = self.moving.iter().find(|m| m.2 == Source::Parameter(self.from));
        behind.map(|m| m.1)
    }

    /// The shape of a predicate, where it is a chain.
    pub(super) fn of(signature: &Signature, id: PredicateId) -> Option<ChainShape> {
        let predicate = signature.predicate(id);
        let parameters = &predicate.parameters;
        if parameters.iter().any(|p| !matches!(p.sort, Sort::Location(_))) {
            return None;
        }
        let [first, second] = predicate.cases.as_ref().ok()?.as_slice() else { return None };
        let (empty, more) = if first.spatial.is_empty() { (first, second) } else { (second, first) };
        if !empty.spatial.is_empty() || !empty.existentials.is_empty() || empty.rest || more.rest {
            return None;
        }
        let place = |term: &Term| parameters.iter().position(|p| term.as_variable() == Some(*p));
        let mut cells = more.spatial.iter().filter_map(|s| match s {
            Spatial::PointsTo(at, fields) => Some((at, fields)),
            Spatial::Predicate(..) => None,
        });
        let (at, fields) = cells.next()?;
        if cells.next().is_some() {
            return None;
        }
        let from = place(at)?;
        // Every bound variable is in one field, so that the cell tells what it is.
        let of_field = |v: Variable| {
            let mut found = (0..fields.len()).filter(|&i| fields[i].as_variable() == Some(v));
            let first = found.next()?;
            found.next().is_none().then_some(first)
        };
        if more.existentials.iter().any(|&v| of_field(v).is_none()) {
            return None;
        }
        let source = |term: &Term| {
            if let Term::Nil(sort) = term {
                return Some(Source::Nil(*sort));
            }
            let variable = term.as_variable()?;
            match more.existentials.contains(&variable) {
                true => of_field(variable).map(Source::Field),
                false => place(term).map(Source::Parameter),
            }
        };
        let held = |term: &Term| match term {
            Term::Nil(_) => Some(Held::Nil),
            other if other.as_variable().is_some_and(|v| more.existentials.contains(&v)) => Some(Held::Anything),
            other => place(other).map(Held::Parameter),
        };
        let fields_held = fields.iter().map(held).collect::<Option<Vec<_>>>()?;
        let mut rest = None;
        let mut inner = Vec::new();
        for spatial in &more.spatial {
            let Spatial::Predicate(other, arguments) = spatial else { continue };
            let sources = arguments.iter().map(source).collect::<Option<Vec<_>>>()?;
            if *other != id {
                inner.push((*other, sources));
            } else if rest.replace(sources).is_some() {
                return None;
            }
        }
        let rest = rest?;
        let moves: Vec<usize> = (0..rest.len()).filter(|&i| rest[i] != Source::Parameter(i)).collect();
        let mut moving = Vec::new();
        for &place_moving in &moves {
            // Either the next cell, or the one before it.
            if !matches!(rest[place_moving], Source::Field(_)) && rest[place_moving] != Source::Parameter(from) {
                return None;
            }
            let mut ends = empty.pure.iter().filter_map(|pure| {
                let Pure::Equal(a, b) = pure else { return None };
                match (place(a)?, place(b)?) {
                    (a, b) if a == place_moving => Some(b),
                    (a, b) if b == place_moving => Some(a),
                    _ => None,
                }
            });
            let end = ends.next()?;
            if ends.next().is_some()
                || moves.contains(&end)
                || moving.iter().any(|m: &(usize, usize, Source)| m.1 == end)
            {
                return None;
            }
            moving.push((place_moving, end, rest[place_moving]));
        }
        let steps = matches!(moving.iter().find(|m| m.0 == from)?.2, Source::Field(_));
        if !steps || empty.pure.len() != moving.len() {
            return None;
        }
        let distinct = more.pure.iter().map(|pure| {
            let Pure::Distinct(a, b) = pure else { return None };
            match (place(a)?, place(b)?) {
                (a, b) if moves.contains(&a) && !moves.contains(&b) => Some((a, b)),
                (a, b) if moves.contains(&b) && !moves.contains(&a) => Some((b, a)),
                _ => None,
            }
        });
        let distinct = distinct.collect::<Option<Vec<_>>>()?;
        Some(ChainShape { from, moving, fields: fields_held, inner, distinct })
    }
}
