//! Access paths (thesis §3.5): where one comes to from a pointer by one field again and again. `path(p, f, d)[O]` says that the way from
//! `p` by `f` goes through objects of `O` and comes to `d`.
//!
//! The recursive definition of a path is cut into its steps, as in the thesis: a row is about the step that is taken from an object of
//! `O` that `p` leads to, and the steps from the objects beyond are those of other rows. What that adds to points-to rows is that the
//! object has to be one that `p` leads to: the last node of a list ends it, and every other one does not.

use super::guard::Guard;
use super::points_to::PointsToRow;
use super::{Hints, Row, Schema, Template};

/// The template of access paths.
#[derive(Clone, Copy, Debug)]
pub struct AccessPaths;

/// Rows of a loop at most.
const MAX_ROWS: usize = 100;

impl Template for AccessPaths {
    fn name(&self) -> &'static str {
        "access-paths"
    }

    fn subjects(&self) -> u32 {
        2
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let fields = || entries().filter_map(|(i, entry)| Some((i, entry, entry.object.filter(|_| entry.pointer)?)));
        let mut rows: Vec<Box<dyn Row>> = Vec::new();
        let mut add = |row: PointsToRow| {
            if row.moves(schema) {
                rows.push(Box::new(row));
            }
        };
        // From a variable by a field, and from a field of an object by the same field of the next.
        for (field, _, site) in fields() {
            for (pointer, _) in entries().filter(|(_, entry)| entry.is_pointer_variable()) {
                add(PointsToRow::new(field, vec![site]).after(Guard::points(pointer)));
            }
        }
        for (first, entry, from) in fields() {
            for (second, _, to) in fields().filter(|(_, other, _)| other.same_field(entry)) {
                add(PointsToRow::new(second, vec![from, to]).after(Guard::link(first)));
            }
        }
        rows.truncate(MAX_ROWS);
        rows
    }
}
