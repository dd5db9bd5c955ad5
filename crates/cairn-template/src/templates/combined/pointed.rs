//! Properties of the object that a pointer points to: it is not freed, and bounds of its numbers.
//!
//! This is a guarded template (FMCAD §IV-B) whose guard is the address of the object.

use crate::limits::{MAX_POINTED_ROWS, MAX_WIDTH};
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Schema, Template};

/// The template of pointed-to objects.
#[derive(Clone, Copy, Debug)]
pub struct Pointed;

impl Template for Pointed {
    fn name(&self) -> &'static str {
        "pointed"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let usable = |&i: &usize| schema.entries[i].is_pointer_variable() && !schema.entries[i].outer;
        let pointers: Vec<usize> = (0..schema.entries.len()).filter(usable).collect();
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        // Flags come first because `freed` depends most on the pointer. Pointers that the loop leaves unchanged matter
        // less than those that it changes.
        for (fixed, flags) in [(false, true), (false, false), (true, true), (true, false)] {
            for (index, entry) in schema.entries.iter().enumerate() {
                if entry.object.is_none() || entry.pointer || entry.flag != flags || entry.width > MAX_WIDTH {
                    continue;
                }
                for &pointer in &pointers {
                    if schema.entries[pointer].fixed != fixed || (entry.fixed && fixed) {
                        continue;
                    }
                    for sign in Sign::BOTH {
                        let bound = Bound::new(schema, &[(sign, index)], Signedness::of(entry.width > 1));
                        rows.push(Box::new(bound.guarded(vec![Guard::points(pointer)])));
                    }
                }
            }
        }
        rows.truncate(MAX_POINTED_ROWS);
        rows
    }
}
