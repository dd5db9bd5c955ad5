//! What a cursor leaves behind it in a list: a number of the first node once the cursor is beyond it, and of every node once it is
//! beyond both it and the one before. When the cursor has come to the end, what it did to one node it did to all of them.

use super::bound::Bound;
use super::guard::Guard;
use super::{Hints, Row, Rows, Schema, Template};

/// The template of what a cursor has passed.
#[derive(Clone, Copy, Debug)]
pub struct Passed;

/// Rows of a loop at most.
const MAX_ROWS: usize = 160;

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
                    for plus in [true, false] {
                        rows.bound(Bound::new(schema, &[(plus, number)], true).guarded(guards.clone()).by_itself());
                    }
                }
            }
            for (link, entry) in entries().filter(|(_, entry)| entry.pointer) {
                let Some(from) = entry.object else { continue };
                for (i, a) in numbers().filter(|(_, a)| a.object == Some(from)) {
                    for (j, b) in numbers().filter(|(_, b)| b.same_field(a)) {
                        let Some(to) = b.object else { continue };
                        let guards = vec![Guard::link(link), Guard::points(cursor).to(1).contrary()];
                        for plus in [true, false] {
                            let bound = Bound::between(schema, vec![from, to], (i, j), plus);
                            rows.bound(bound.guarded(guards.clone()).by_itself());
                        }
                    }
                }
            }
        }
        rows.at_most(MAX_ROWS)
    }
}
