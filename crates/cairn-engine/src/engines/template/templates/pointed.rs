//! What holds of the object that a pointer points to, and of no other of its site: that it is not freed, and bounds of its numbers.
//! This is a guarded template (FMCAD §IV-B) whose guard is an address.

use super::bound::Bound;
use super::guard::Guard;
use super::interval::MAX_WIDTH;
use super::{Hints, Row, Schema, Template};

/// The template of objects that are pointed to.
#[derive(Clone, Copy, Debug)]
pub struct Pointed;

/// Rows of a loop at most.
const MAX_ROWS: usize = 120;

impl Template for Pointed {
    fn name(&self) -> &'static str {
        "pointed"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let usable = |&i: &usize| schema.entries[i].is_pointer_variable() && !schema.entries[i].outer;
        let pointers: Vec<usize> = (0..schema.entries.len()).filter(usable).collect();
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        // Flags first: whether something is freed is what most depends on the pointer. Pointers that the loop leaves as they are
        // matter less than those that it moves.
        for (fixed, flags) in [(false, true), (false, false), (true, true), (true, false)] {
            for (index, entry) in schema.entries.iter().enumerate() {
                if entry.object.is_none() || entry.pointer || entry.flag != flags || entry.width > MAX_WIDTH {
                    continue;
                }
                for &pointer in &pointers {
                    if schema.entries[pointer].fixed != fixed || (entry.fixed && fixed) {
                        continue;
                    }
                    for plus in [true, false] {
                        let bound = Bound::new(schema, &[(plus, index)], entry.width > 1);
                        rows.push(Box::new(bound.guarded(vec![Guard::points(pointer)])));
                    }
                }
            }
        }
        rows.truncate(MAX_ROWS);
        rows
    }
}
