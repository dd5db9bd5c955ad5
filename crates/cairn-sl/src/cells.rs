//! Separation of memory regions whose addresses are terms of the SMT solver.
//!
//! These symbolic heaps model the memory of a symbolic execution and do not describe the contents
//! of cells. `Σ * E ↦ _` is satisfiable if the path condition has a model in which the location `E`
//! is none of the cells of `Σ`. This is the allocation check of the slcpa paper (Algorithms 3 and
//! 4).

use cairn_smt::{Answer, Session, Term, Terms};

/// A region of a heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cells {
    /// The cell at a location.
    One(Term),
    /// Consecutive cells.
    Run {
        /// The first location.
        start: Term,
        /// The number of cells.
        length: Term,
    },
}

/// Checks the separating conjunction of the regions for a model that satisfies all conditions.
///
/// ```
/// use cairn_sl::cells::{Cells, check};
/// use cairn_smt::{Answer, Session, Terms};
///
/// let (mut terms, mut session) = (Terms::new(), Session::default());
/// let [start, here] = ["start", "here"].map(|name| terms.variable(name, 32));
/// let three = terms.constant(3, 32);
/// let inside = terms.add(start, three);
/// let same = terms.eq(here, inside);
/// let length = terms.constant(8, 32);
/// // A cell inside a run cannot be separate from the run.
/// let heap = [Cells::Run { start, length }, Cells::One(here)];
/// assert!(matches!(check(&mut terms, &mut session, &[same], &heap), Answer::Unsat(_)));
/// assert!(matches!(check(&mut terms, &mut session, &[], &heap), Answer::Sat(_)));
/// ```
pub fn check(terms: &mut Terms, session: &mut Session, conditions: &[Term], heap: &[Cells]) -> Answer {
    let mut query = conditions.to_vec();
    query.extend(separation(terms, heap));
    session.check(terms, &query)
}

/// Returns the conditions under which no two regions overlap and none starts at null.
pub fn separation(terms: &mut Terms, heap: &[Cells]) -> Vec<Term> {
    let mut conditions = Vec::new();
    for (index, &part) in heap.iter().enumerate() {
        let start = match part {
            Cells::One(start) | Cells::Run { start, .. } => start,
        };
        let null = terms.constant(0, terms.width(start));
        let somewhere = terms.ne(start, null);
        conditions.push(match part {
            Cells::One(_) => somewhere,
            // An empty run may be anywhere.
            Cells::Run { length, .. } => {
                let zero = terms.constant(0, terms.width(length));
                let empty = terms.eq(length, zero);
                terms.or(empty, somewhere)
            }
        });
        for &other in &heap[index + 1..] {
            conditions.push(overlap_free(terms, part, other));
        }
    }
    conditions
}

/// Returns the condition that two regions do not overlap; addresses and distances wrap around.
pub fn overlap_free(terms: &mut Terms, a: Cells, b: Cells) -> Term {
    let outside = |terms: &mut Terms, location: Term, start: Term, length: Term| {
        let distance = terms.sub(location, start);
        terms.ule(length, distance)
    };
    match (a, b) {
        (Cells::One(a), Cells::One(b)) => terms.ne(a, b),
        (Cells::One(one), Cells::Run { start, length }) | (Cells::Run { start, length }, Cells::One(one)) => {
            outside(terms, one, start, length)
        }
        (Cells::Run { start: a, length: m }, Cells::Run { start: b, length: n }) => {
            // An empty run overlaps nothing.
            let (zero_m, zero_n) = (terms.constant(0, terms.width(m)), terms.constant(0, terms.width(n)));
            let (no_m, no_n) = (terms.eq(m, zero_m), terms.eq(n, zero_n));
            let (behind, before) = (outside(terms, b, a, m), outside(terms, a, b, n));
            let both = terms.and(behind, before);
            let either = terms.or(no_m, no_n);
            terms.or(either, both)
        }
    }
}
