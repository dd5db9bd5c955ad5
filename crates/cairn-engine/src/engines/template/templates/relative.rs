//! How far the numbers of the object that a pointer points to are from a variable, also where another pointer points to the same
//! object or elsewhere, or is null: a counter runs ahead of the newest node, a node that a cursor has passed is one behind.

use super::bound::Bound;
use super::guard::Guard;
use super::{Hints, Row, Rows, Schema, Template};

/// The template of distances from variables.
#[derive(Clone, Copy, Debug)]
pub struct Relative;

/// Rows of a loop at most.
const MAX_ROWS: usize = 400;

impl Template for Relative {
    fn name(&self) -> &'static str {
        "relative"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let pointers = || entries().filter(|(_, entry)| entry.is_pointer_variable());
        let mut guards: Vec<Vec<Guard>> = pointers().map(|(p, _)| vec![Guard::points(p)]).collect();
        for (p, of) in pointers() {
            for (q, other) in pointers().filter(|&(q, _)| q != p) {
                if of.outer && other.outer {
                    continue;
                }
                let both = Guard::points(q);
                for second in [both, both.not(), Guard::null(q), Guard::null(q).not()] {
                    // Two that point to the same object are one guard, whichever comes first.
                    if second != both || p < q {
                        guards.push(vec![Guard::points(p), second]);
                    }
                }
            }
        }
        let mut rows = Rows::new(schema);
        for guards in guards {
            for (i, number) in entries().filter(|(_, entry)| entry.is_number() && entry.object.is_none()) {
                for (j, field) in entries().filter(|(_, entry)| entry.is_number() && entry.object.is_some()) {
                    if number.width != field.width {
                        continue;
                    }
                    for plus in [true, false] {
                        let bound = Bound::new(schema, &[(plus, i), (!plus, j)], true).guarded(guards.clone());
                        rows.bound(bound.by_itself());
                    }
                }
            }
        }
        rows.at_most(MAX_ROWS)
    }
}
