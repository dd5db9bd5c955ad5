//! Which objects are freed, in terms of where pointers point.
//!
//! The rows say that the object a pointer points to is live, that an object which points to a freed object is freed
//! itself or vice versa, and that an object which points to the target of a pointer is freed. These hold while a list
//! is freed node by node. FMCAD §V-B only checks whether the freed object is used again; that a list contains no freed
//! node needs a relation between neighbours.

use crate::limits::MAX_FREED_ROWS;
use crate::ssa::knowledge::{Name, Part};
use crate::templates::rows::clause::Clause;
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Rows, Schema, Template};

/// The template of freed objects.
#[derive(Clone, Copy, Debug)]
pub struct Freed;

impl Template for Freed {
    fn name(&self) -> &'static str {
        "freed"
    }

    fn subjects(&self) -> u32 {
        2
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let pointers = || entries().filter(|(_, entry)| entry.is_pointer_variable()).map(|(index, _)| index);
        let flags = || {
            entries().filter_map(|(index, entry)| match (entry.name, entry.object) {
                (Name::Part(_, Part::Freed), Some(site)) => Some((index, site)),
                _ => None,
            })
        };
        let mut rows = Rows::new(schema);
        for (flag, site) in flags() {
            for pointer in pointers() {
                rows.clause(Clause::new(vec![site], vec![Guard::points(pointer)], Guard::flag(flag).contrary()));
            }
        }
        for (link, entry) in entries().filter(|(_, entry)| entry.pointer) {
            let Some(from) = entry.object else { continue };
            for (of_next, to) in flags() {
                let (linked, next_freed) = (Guard::link(link), Guard::flag(of_next).from(1));
                for (of_this, _) in flags().filter(|(_, site)| *site == from) {
                    let freed = Guard::flag(of_this);
                    rows.clause(Clause::new(vec![from, to], vec![linked, next_freed], freed));
                    rows.clause(Clause::new(vec![from, to], vec![linked, freed], next_freed));
                    for pointer in pointers() {
                        let there = Guard::points(pointer).to(1);
                        rows.clause(Clause::new(vec![from, to], vec![linked, there], freed));
                    }
                }
                // No object points to a freed one. This also covers sites whose own objects are never freed.
                rows.clause(Clause::new(vec![from, to], vec![linked], next_freed.contrary()));
            }
        }
        rows.at_most(MAX_FREED_ROWS)
    }
}
