//! Access paths (thesis §3.5): the objects reached from a pointer by following one field repeatedly.
//!
//! `path(p, f, d)[O]` says that the path from `p` along `f` passes through objects of `O` and ends in `d`. As in the
//! thesis, the recursive definition is split into steps. A row describes the step from an object of `O` that `p` points
//! to; other rows describe the steps from the objects behind it. In contrast to a points-to row, the object must be one
//! that `p` points to: the `next` field of the last node is null, that of every other node is not.

use crate::limits::MAX_ACCESS_PATH_ROWS;
use crate::templates::heap::points_to::PointsToRow;
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Schema, Template};

/// The template of access paths.
#[derive(Clone, Copy, Debug)]
pub struct AccessPaths;

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
        // From a variable along a field, and from a field of an object along the same field of the next object.
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
        rows.truncate(MAX_ACCESS_PATH_ROWS);
        rows
    }
}
