//! Facts about the objects that a function allocates, for its summary.
//!
//! The rows are restricted to objects that did not exist at the call. Older objects may hold any value, such as a node
//! that the caller has not initialised yet.

use crate::limits::MAX_FRESH_ROWS;
use crate::ssa::knowledge::{Name, Part};
use crate::templates::heap::points_to::PointsToRow;
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Schema, Template};

/// The template of newly allocated objects.
#[derive(Clone, Copy, Debug)]
pub struct Fresh;

impl Template for Fresh {
    fn name(&self) -> &'static str {
        "fresh"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        for (index, entry) in schema.entries.iter().enumerate().filter(|(_, entry)| !entry.fixed) {
            let Some(site) = entry.object else { continue };
            let existed = schema.entries.iter().position(|e| e.name == Name::Old(site, Part::Allocated));
            let Some(new) = existed.map(|existed| Guard::flag(existed).contrary()) else { continue };
            if entry.pointer {
                rows.push(Box::new(PointsToRow::new(index, vec![site]).after(new)));
            } else if entry.is_number() || entry.flag {
                for sign in Sign::BOTH {
                    rows.push(Box::new(
                        Bound::new(schema, &[(sign, index)], Signedness::of(!entry.flag)).guarded(vec![new]),
                    ));
                }
            }
        }
        rows.truncate(MAX_FRESH_ROWS);
        rows
    }
}
