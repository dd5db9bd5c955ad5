//! Differences between a number of a pointed-to object and a variable.
//!
//! For example, a counter is ahead of the newest node, or the node behind a cursor is one less than the counter.

use crate::limits::MAX_RELATIVE_ROWS;
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Rows, Schema, Template};

/// The template of differences from variables.
#[derive(Clone, Copy, Debug)]
pub struct Relative;

impl Template for Relative {
    fn name(&self) -> &'static str {
        "relative"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let mut rows = Rows::new(schema);
        for (pointer, _) in entries().filter(|(_, entry)| entry.is_pointer_variable()) {
            for (i, number) in entries().filter(|(_, entry)| entry.is_number() && entry.object.is_none()) {
                for (j, field) in entries().filter(|(_, entry)| entry.is_number() && entry.object.is_some()) {
                    if number.width != field.width {
                        continue;
                    }
                    for sign in Sign::BOTH {
                        let bound = Bound::new(schema, &[(sign, i), (sign.flipped(), j)], Signedness::Signed);
                        rows.bound(bound.guarded(vec![Guard::points(pointer)]).by_itself());
                    }
                }
            }
        }
        rows.at_most(MAX_RELATIVE_ROWS)
    }
}
