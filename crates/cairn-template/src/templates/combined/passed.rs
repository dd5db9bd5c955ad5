//! Properties of the list nodes that a cursor has passed.
//!
//! The rows bound a number of the first node once the cursor is not there, and the difference between neighbours once
//! the cursor is not at the second. When the cursor reaches the end, a property established at one node holds at all
//! nodes.

use crate::limits::MAX_PASSED_ROWS;
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Rows, Schema, Template};

/// The template of nodes behind a cursor.
#[derive(Clone, Copy, Debug)]
pub struct Passed;

impl Template for Passed {
    fn name(&self) -> &'static str {
        "passed"
    }

    fn subjects(&self) -> u32 {
        2
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let pointers = || entries().filter(|(_, entry)| entry.is_pointer_variable() && !entry.outer);
        let numbers = || entries().filter(|(_, entry)| entry.is_number() && entry.object.is_some());
        let mut rows = Rows::new(schema);
        for (cursor, _) in pointers().filter(|(_, entry)| !entry.fixed) {
            for (number, _) in numbers() {
                for (first, _) in pointers().filter(|&(first, _)| first != cursor) {
                    let guards = vec![Guard::points(first), Guard::points(cursor).contrary()];
                    for sign in Sign::BOTH {
                        rows.bound(
                            Bound::new(schema, &[(sign, number)], Signedness::Signed)
                                .guarded(guards.clone())
                                .by_itself(),
                        );
                    }
                }
            }
            for (link, entry) in entries().filter(|(_, entry)| entry.pointer) {
                let Some(from) = entry.object else { continue };
                for (i, a) in numbers().filter(|(_, a)| a.object == Some(from)) {
                    for (j, b) in numbers().filter(|(_, b)| b.same_field(a)) {
                        let Some(to) = b.object else { continue };
                        let guards = vec![Guard::link(link), Guard::points(cursor).to(1).contrary()];
                        for sign in Sign::BOTH {
                            let bound = Bound::between(schema, vec![from, to], (i, j), sign);
                            rows.bound(bound.guarded(guards.clone()).by_itself());
                        }
                    }
                }
            }
        }
        rows.at_most(MAX_PASSED_ROWS)
    }
}
