//! Consequences of a null pointer: another pointer is null or not null, and bounds of numbers.
//!
//! For example, a list is empty if its length is 0, the last node has the smallest number, and a result is set when the
//! search has ended.

use crate::limits::MAX_NULLNESS_ROWS;
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::rows::clause::Clause;
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Rows, Schema, Template};

/// The template of null-pointer consequences.
#[derive(Clone, Copy, Debug)]
pub struct Nullness;

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
                // For a variable, the facts under a non-null guard are mostly those that hold without a guard.
                let guards = [Some(Guard::null(i)), a.object.map(|_| Guard::null(i).contrary())];
                for guard in guards.into_iter().flatten() {
                    for sign in Sign::BOTH {
                        let bound = Bound::new(schema, &[(sign, j)], Signedness::Signed).guarded(vec![guard]);
                        rows.bound(bound.by_itself());
                    }
                }
            }
        }
        rows.at_most(MAX_NULLNESS_ROWS)
    }
}
