//! How far the numbers of the object that a pointer points to are from a variable: a counter runs ahead of the newest node, the node
//! that a cursor has passed is one behind.

use super::bound::Bound;
use super::guard::Guard;
use super::{Hints, Row, Rows, Schema, Template};

/// The template of distances from variables.
#[derive(Clone, Copy, Debug)]
pub struct Relative;

/// Rows of a loop at most.
const MAX_ROWS: usize = 200;

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
                    for plus in [true, false] {
                        let bound = Bound::new(schema, &[(plus, i), (!plus, j)], true);
                        rows.bound(bound.guarded(vec![Guard::points(pointer)]).by_itself());
                    }
                }
            }
        }
        rows.at_most(MAX_ROWS)
    }
}
