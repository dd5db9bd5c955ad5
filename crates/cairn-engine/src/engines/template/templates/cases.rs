//! What holds where a number of an object is in one of the ranges that the program tells apart: bounds of its other numbers, that the
//! next object of its list is in the same range, and that a pointer leads only to objects of one range. Lists that hold different
//! things, and nodes of different kinds in one list, are described so.

use super::bound::Bound;
use super::clause::Clause;
use super::guard::Guard;
use super::{Hints, Row, Rows, Schema, Template};

/// The template of cases.
#[derive(Clone, Copy, Debug)]
pub struct Cases;

/// Rows of a loop at most.
const MAX_ROWS: usize = 160;

/// Constants that tell cases apart at most.
const MAX_CASES: usize = 6;

impl Template for Cases {
    fn name(&self) -> &'static str {
        "cases"
    }

    fn subjects(&self) -> u32 {
        2
    }

    fn rows(&self, schema: &Schema, hints: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let numbers = || entries().filter(|(_, entry)| entry.is_number() && entry.object.is_some());
        let cases = || hints.cases.iter().copied().take(MAX_CASES);
        let mut rows = Rows::new(schema);
        // Where pointers lead, and what follows what.
        for (number, entry) in numbers() {
            let Some(site) = entry.object else { continue };
            for at_most in cases().map(|case| Guard::at_most(number, case)) {
                for this in [at_most, at_most.contrary()] {
                    for (pointer, _) in entries().filter(|(_, entry)| entry.is_pointer_variable()) {
                        rows.clause(Clause::new(vec![site], vec![Guard::points(pointer)], this));
                    }
                    for (link, _) in entries().filter(|(_, entry)| entry.pointer && entry.object == Some(site)) {
                        for (same, next) in numbers().filter(|(_, next)| next.same_field(entry)) {
                            let Some(to) = next.object else { continue };
                            let then = Guard { pointer: same, ..this }.from(1);
                            rows.clause(Clause::new(vec![site, to], vec![this, Guard::link(link)], then));
                        }
                    }
                }
            }
        }
        // Other numbers of the same object.
        for (number, entry) in numbers() {
            for case in cases() {
                let (at_most, below) = (Guard::at_most(number, case), Guard::at_most(number, case - 1));
                let ranges = [vec![at_most], vec![at_most.contrary()], vec![below.contrary(), at_most]];
                for guards in ranges {
                    for (other, _) in numbers().filter(|(other, of)| *other != number && of.object == entry.object) {
                        for plus in [true, false] {
                            rows.bound(Bound::new(schema, &[(plus, other)], true).guarded(guards.clone()));
                        }
                    }
                }
            }
        }
        rows.at_most(MAX_ROWS)
    }
}
