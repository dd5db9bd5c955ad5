//! Case distinctions on a number of an object, by the ranges that the program distinguishes.
//!
//! A row says that in one range another number of the object is bounded, that the next object of the list is in the
//! same range, or that a pointer points only to objects in that range. Such rows describe lists with different
//! contents, and lists with nodes of different kinds.

use crate::limits::{MAX_CASE_ROWS, MAX_CASES};
use crate::templates::rows::bound::{Bound, Sign, Signedness};
use crate::templates::rows::clause::Clause;
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Rows, Schema, Template};

/// The template of case distinctions.
#[derive(Clone, Copy, Debug)]
pub struct Cases;

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
        // The range of the object that a pointer points to, and of the next object.
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
        // Bounds of other numbers of the same object.
        for (number, entry) in numbers() {
            for case in cases() {
                let (at_most, below) = (Guard::at_most(number, case), Guard::at_most(number, case - 1));
                let ranges = [vec![at_most], vec![at_most.contrary()], vec![below.contrary(), at_most]];
                for guards in ranges {
                    for (other, _) in numbers().filter(|(other, of)| *other != number && of.object == entry.object) {
                        for sign in Sign::BOTH {
                            rows.bound(
                                Bound::new(schema, &[(sign, other)], Signedness::Signed).guarded(guards.clone()),
                            );
                        }
                    }
                }
            }
        }
        rows.at_most(MAX_CASE_ROWS)
    }
}
