//! What being null says: that another pointer is null, or is not, and bounds of numbers. A list is empty when its length is 0, the last
//! node is the one with the smallest number, a result is there when the search has come to its end.

use super::bound::Bound;
use super::clause::Clause;
use super::guard::Guard;
use super::{Hints, Row, Rows, Schema, Template};

/// The template of what being null says.
#[derive(Clone, Copy, Debug)]
pub struct Nullness;

/// Rows of a loop at most.
const MAX_ROWS: usize = 200;

impl Template for Nullness {
    fn name(&self) -> &'static str {
        "nullness"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let mut rows = Rows::new(schema);
        let entries = || schema.entries.iter().enumerate();
        let pointers = || entries().filter(|(_, entry)| entry.is_pointer_variable());
        for (i, a) in pointers() {
            for (j, b) in pointers().filter(|&(j, _)| j != i) {
                if !(a.outer && b.outer) {
                    let (first, second) = (Guard::null(i), Guard::null(j));
                    rows.clause(Clause::new(Vec::new(), vec![first], second.contrary()));
                    rows.clause(Clause::new(Vec::new(), vec![first], second));
                }
            }
        }
        // A variable and a number, or two fields of one object.
        for (i, a) in entries().filter(|(_, entry)| entry.pointer) {
            for (j, _) in entries().filter(|(_, entry)| entry.is_number() && entry.object == a.object) {
                // Of a variable, what holds where it is not null is mostly what always holds.
                let guards = [Some(Guard::null(i)), a.object.map(|_| Guard::null(i).contrary())];
                for guard in guards.into_iter().flatten() {
                    for plus in [true, false] {
                        let bound = Bound::new(schema, &[(plus, j)], true).guarded(vec![guard]);
                        rows.bound(bound.by_itself());
                    }
                }
            }
        }
        rows.at_most(MAX_ROWS)
    }
}
