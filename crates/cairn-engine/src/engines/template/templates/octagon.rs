//! Octagons: what zones leave out, the sum of two numbers is bounded from both sides.

use super::bound::Bound;
use super::zone::pairs;
use super::{Hints, Row, Schema, Template};

/// The template of sums.
#[derive(Clone, Copy, Debug)]
pub struct Octagons;

impl Template for Octagons {
    fn name(&self) -> &'static str {
        "octagons"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        for (i, j) in pairs(schema) {
            for plus in [true, false] {
                rows.push(Box::new(Bound::new(schema, &[(plus, i), (plus, j)], true)));
            }
        }
        rows
    }
}
