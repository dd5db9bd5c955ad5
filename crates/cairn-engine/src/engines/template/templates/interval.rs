//! Intervals: each number that a loop changes lies between two bounds, as a signed and as an unsigned number.

use super::bound::Bound;
use super::{Hints, Row, Schema, Template};

/// The template of intervals.
#[derive(Clone, Copy, Debug)]
pub struct Intervals;

/// Wider numbers are not bounded: sums of them would not fit.
pub const MAX_WIDTH: u32 = 64;

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
            let signs: &[bool] = if entry.width == 1 { &[false] } else { &[true, false] };
            for &signed in signs {
                for plus in [true, false] {
                    rows.push(Box::new(Bound::new(schema, &[(plus, index)], signed)));
                }
            }
        }
        rows
    }
}
