//! Zones: the difference of two numbers is bounded, of which the loop changes at least one. The numbers may be variables and fields
//! of one object of a site, so that a relation between the fields of every node, or between a variable and a field of every node,
//! can be said (FMCAD §IV-D2).

use super::bound::Bound;
use super::{Entry, Hints, Row, Schema, Template};

/// The template of zones.
#[derive(Clone, Copy, Debug)]
pub struct Zones;

/// Pairs of a loop at most.
const MAX_PAIRS: usize = 80;

/// The pairs of numbers that a row may relate, those of two changed ones first.
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
            for signed in if hints.unsigned { &[true, false][..] } else { &[true][..] } {
                for (a, b) in [(i, j), (j, i)] {
                    rows.push(Box::new(Bound::new(schema, &[(true, a), (false, b)], *signed)));
                }
            }
        }
        rows
    }
}
