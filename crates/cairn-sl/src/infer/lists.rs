//! Guesses for heaps of list segments, from a partial match in a normal form.

use super::Guess;
use crate::budget::{Budget, Reason};
use crate::decide::lists::matching::{self, GoalAtom, Missing, Place};
use crate::decide::lists::state::{Edge, Node, State};
use crate::decide::lists::{Translation, shape};
use crate::formula::{Pure, Spatial, Term};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// Guesses the missing heap and the frame from a partial match of list segments.
pub(super) fn guess(
    signature: &Signature,
    left: &SymbolicHeap,
    right: &SymbolicHeap,
    budget: &Budget,
) -> Result<Option<Guess>, Reason> {
    let mut translation = Translation::new(signature);
    let translated = translation.goal(right).and_then(|goal| Ok((goal, translation.state(left)?)));
    let (goal, state) = match translated {
        Ok(both) => both,
        Err(Reason::Uncovered(_)) => return Ok(None),
        Err(reason) => return Err(reason),
    };
    // If there are several normal forms, take the last, in which most segments are non-empty. Any choice is sound.
    let mut last = None;
    state.each_normal_form(budget, &mut |normal| {
        last = Some(normal.clone());
        Ok(true)
    })?;
    let Some(normal) = last else { return Ok(None) };
    let Some(found) = matching::partial(&normal, &goal, &translation.shapes, budget)? else { return Ok(None) };
    let names = Names { translation: &translation, state: &normal, right, filled: &found.filled };
    let mut missing = SymbolicHeap::emp();
    for what in &found.missing {
        match what {
            Missing::Atom(atom) => missing.spatial.push(names.atom(atom)),
            Missing::Equal(a, b) => missing.pure.push(Pure::Equal(names.node(*a), names.node(*b))),
            Missing::Distinct(a, b) => missing.pure.push(Pure::Distinct(names.node(*a), names.node(*b))),
        }
    }
    missing.pure.dedup();
    let Some(missing) = super::with_own_existentials(signature, missing, left, right) else { return Ok(None) };
    let mut frame = SymbolicHeap { rest: left.rest, ..SymbolicHeap::emp() };
    for &index in &found.left_over {
        let (address, edge) = &normal.atoms()[index];
        frame.spatial.push(match edge {
            Edge::Cell(fields) => {
                Spatial::PointsTo(names.node(*address), fields.iter().map(|&f| names.node(f)).collect())
            }
            Edge::Segment(shape, target) => names.segment(*shape, names.node(*address), names.node(*target)),
        });
    }
    Ok(Some(Guess { missing, frame }))
}

/// A translation of nodes back to terms.
struct Names<'a, 's> {
    translation: &'a Translation<'s>,
    state: &'a State,
    right: &'a SymbolicHeap,
    filled: &'a [Option<Node>],
}

impl Names<'_, '_> {
    fn node(&self, node: Node) -> Term {
        self.translation.term(node, self.state)
    }

    fn place(&self, place: Place) -> Term {
        match place {
            Place::Node(node) => self.node(node),
            Place::Hole(hole) => match self.filled[hole] {
                Some(node) => self.node(node),
                None => Term::variable(self.right.existentials[hole]),
            },
        }
    }

    fn segment(&self, shape: usize, from: Term, to: Term) -> Spatial {
        let shape::ListShape { from: first, .. } = self.translation.shapes[shape];
        let arguments = if first == 0 { vec![from, to] } else { vec![to, from] };
        Spatial::Predicate(self.translation.predicate(shape), arguments)
    }

    fn atom(&self, atom: &GoalAtom) -> Spatial {
        match atom {
            GoalAtom::Cell(address, fields) => {
                Spatial::PointsTo(self.place(*address), fields.iter().map(|&f| self.place(f)).collect())
            }
            GoalAtom::Segment(shape, from, to) => self.segment(*shape, self.place(*from), self.place(*to)),
        }
    }
}
