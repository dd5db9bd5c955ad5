//! What holds of the objects that a function allocates, in its summary: of those that were not there when it was called. What the
//! others hold may be anything, as that of a node whose caller has not filled it yet.

use super::bound::Bound;
use super::guard::Guard;
use super::points_to::PointsToRow;
use super::{Hints, Row, Schema, Template};
use crate::engines::template::ssa::knowledge::{Name, Part};

/// The template of new objects.
#[derive(Clone, Copy, Debug)]
pub struct Fresh;

/// Rows of a function at most.
const MAX_ROWS: usize = 120;

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
                for plus in [true, false] {
                    rows.push(Box::new(Bound::new(schema, &[(plus, index)], !entry.flag).guarded(vec![new])));
                }
            }
        }
        rows.truncate(MAX_ROWS);
        rows
    }
}
