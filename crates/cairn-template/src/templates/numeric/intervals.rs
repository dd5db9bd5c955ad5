//! Intervals: a lower and an upper bound of each number that a loop changes, signed and unsigned.

use crate::limits::MAX_WIDTH;
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::{Hints, Row, Schema, Template};

/// The template of intervals.
#[derive(Clone, Copy, Debug)]
pub struct Intervals;

impl Template for Intervals {
    fn name(&self) -> &'static str {
        "intervals"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        for (index, entry) in schema.entries.iter().enumerate() {
            if entry.fixed || entry.pointer || entry.width > MAX_WIDTH {
                continue;
            }
            let flag = entry.width == 1;
            for &signedness in if flag { &[Signedness::Unsigned][..] } else { &Signedness::BOTH } {
                for sign in Sign::BOTH {
                    rows.push(Box::new(Bound::new(schema, &[(sign, index)], signedness)));
                }
            }
        }
        rows
    }
}
