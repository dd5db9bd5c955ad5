//! What holds of the object that a pointer points to, and of no other of its site: that it is not freed, and bounds of its numbers.
//! This is a guarded template (FMCAD §IV-B) whose guard is an address.

use super::bound::Bound;
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
        let pointers: Vec<usize> = (0..schema.entries.len())
            .filter(|&i| schema.entries[i].pointer && schema.entries[i].object.is_none())
            .collect();
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        // Flags first: whether something is freed is what most depends on the pointer.
        for flags in [true, false] {
            for (index, entry) in schema.entries.iter().enumerate() {
                if entry.object.is_none() || entry.pointer || entry.flag != flags || entry.width > MAX_WIDTH {
                    continue;
                }
                for &pointer in &pointers {
                    if entry.fixed && schema.entries[pointer].fixed {
                        continue;
                    }
                    for plus in [true, false] {
                        let mut bound = Bound::new(schema, vec![(plus, index)], entry.width > 1);
                        bound.pointed_by = Some(pointer);
                        rows.push(Box::new(bound));
                    }
                }
            }
        }
        rows.truncate(MAX_ROWS);
        rows
    }
}
