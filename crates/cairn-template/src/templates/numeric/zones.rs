//! Zones: bounds of the difference of two numbers, at least one of which the loop changes.
//!
//! The numbers may be variables and fields of one object of a site. Rows can thus relate the fields of every node, or a
//! variable to a field of every node (FMCAD §IV-D2).

use crate::limits::MAX_PAIRS;
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::{Entry, Hints, Row, Schema, Template};

/// The template of zones.
#[derive(Clone, Copy, Debug)]
pub struct Zones;

/// Returns the pairs of numbers that a row may relate, pairs of two changed numbers first.
pub fn pairs(schema: &Schema) -> Vec<(usize, usize)> {
    let number = |entry: &Entry| entry.is_number() && !entry.outer;
    let mut found = Vec::new();
    for (i, a) in schema.entries.iter().enumerate() {
        for (j, b) in schema.entries.iter().enumerate().skip(i + 1) {
            let apart = a.object.is_some() && b.object.is_some() && a.object != b.object;
            if number(a) && number(b) && a.width == b.width && !apart && !(a.fixed && b.fixed) {
                found.push((a.fixed || b.fixed, i, j));
            }
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, i, j)| (i, j)).take(MAX_PAIRS).collect()
}

impl Template for Zones {
    fn name(&self) -> &'static str {
        "zones"
    }

    fn rows(&self, schema: &Schema, hints: &Hints) -> Vec<Box<dyn Row>> {
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        for (i, j) in pairs(schema) {
            for &signedness in if hints.unsigned { &Signedness::BOTH[..] } else { &[Signedness::Signed] } {
                for (a, b) in [(i, j), (j, i)] {
                    rows.push(Box::new(Bound::new(schema, &[(Sign::Plus, a), (Sign::Minus, b)], signedness)));
                }
            }
        }
        rows
    }
}
