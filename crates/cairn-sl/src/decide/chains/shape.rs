//! Recognition of chains by the shape of their definitions: singly, doubly linked and nested segments.
//!
//! A chain has two cases. In the empty case, some parameters are equal and there is no heap. The
//! other case consists of one cell, the inner chains attached to it, and the rest of the chain.
//! Some parameters of the rest are unchanged; the others advance to a field of the cell or to the
//! cell itself.

use crate::formula::{LocationSort, PredicateId, Pure, Sort, Spatial, Term, Variable};
use crate::signature::Signature;

/// The origin of an argument of the rest of a chain or of an inner chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A field of the cell.
    Field(usize),
    /// A parameter of the chain.
    Parameter(usize),
    /// The `nil` of a sort.
    Nil(LocationSort),
}

/// The required content of a field of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Held {
    Anything,
    Nil,
    Parameter(usize),
}

/// The shape of a chain.
#[derive(Clone, Debug)]
pub(super) struct ChainShape {
    /// The parameter that holds the first cell.
    pub(super) from: usize,
    /// The advancing parameters: each with its end parameter and its value in the rest.
    pub(super) moving: Vec<(usize, usize, Source)>,
    pub(super) fields: Vec<Held>,
    /// The inner chains attached to a cell.
    pub(super) inner: Vec<(PredicateId, Vec<Source>)>,
    /// Pairs of an advancing and an unchanged parameter that differ if the chain is not empty.
    pub(super) distinct: Vec<(usize, usize)>,
}

impl ChainShape {
    /// Returns whether cells or inner chains mention a parameter.
    pub(super) fn mentions(&self, place: usize) -> bool {
        self.fields.contains(&Held::Parameter(place))
            || self.inner.iter().any(|(_, sources)| sources.contains(&Source::Parameter(place)))
    }

    /// Returns the parameter that holds the last cell, if there is one.
    pub(super) fn last(&self) -> Option<usize> {
        let behind = self.moving.iter().find(|m| m.2 == Source::Parameter(self.from));
        behind.map(|m| m.1)
    }

    /// Recognises a predicate as a chain.
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
        // Every existential variable must occur in exactly one field, so that the cell determines its value.
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
            // An advancing parameter is the next cell or the preceding one.
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
