//! Octagons: bounds of the sum of two numbers, which zones do not express.

use crate::templates::numeric::zones::pairs;
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::{Hints, Row, Schema, Template};

/// The template of octagons.
#[derive(Clone, Copy, Debug)]
pub struct Octagons;

impl Template for Octagons {
    fn name(&self) -> &'static str {
        "octagons"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        for (i, j) in pairs(schema) {
            for sign in Sign::BOTH {
                rows.push(Box::new(Bound::new(schema, &[(sign, i), (sign, j)], Signedness::Signed)));
            }
        }
        rows
    }
}
