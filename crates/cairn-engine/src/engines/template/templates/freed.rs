//! Which objects are freed, told by where pointers lead: what a pointer leads to is alive; an object that leads to a freed one is freed
//! itself, or the other way round; whoever leads to the object that a pointer is at is freed. These are what a list that is freed
//! node by node has (FMCAD §V-B asks for a freed object only whether it is used again; that a list leads to nothing freed takes a
//! relation between neighbours).

use super::clause::Clause;
use super::guard::Guard;
use super::{Hints, Row, Rows, Schema, Template};
use crate::engines::template::ssa::knowledge::{Name, Part};

/// The template of freed objects.
#[derive(Clone, Copy, Debug)]
pub struct Freed;

/// Rows of a loop at most.
const MAX_ROWS: usize = 200;

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
                // What is not freed leads to nothing that is, also where its own site is never freed.
                rows.clause(Clause::new(vec![from, to], vec![linked], next_freed.contrary()));
            }
        }
        rows.at_most(MAX_ROWS)
    }
}
