//! Relations between an object and the object that one of its fields points to.
//!
//! The rows bound the difference of their numbers, also depending on whether a pointer points to the first object. They
//! say which pointers point to the second object, and that no third object does. These are steps of the access paths of
//! thesis §3.5 with the stored data. They describe lists that are sorted, numbered or unshared, and lists that two
//! cursors traverse.

use std::collections::BTreeSet;

use crate::limits::MAX_NEIGHBOUR_ROWS;
use crate::ssa::value::ObjectNumber;
use crate::templates::rows::bound::{Bound, Sign};
use crate::templates::rows::clause::Clause;
use crate::templates::rows::guard::Guard;
use crate::templates::{Hints, Row, Rows, Schema, Template};

/// The template of neighbour relations.
#[derive(Clone, Copy, Debug)]
pub struct Neighbours;

impl Template for Neighbours {
    fn name(&self) -> &'static str {
        "neighbours"
    }

    fn subjects(&self) -> u32 {
        3
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let entries = || schema.entries.iter().enumerate();
        let pointers: Vec<usize> = entries().filter(|(_, e)| e.is_pointer_variable()).map(|(i, _)| i).collect();
        let sites: BTreeSet<ObjectNumber> = entries().filter_map(|(_, entry)| entry.object).collect();
        let mut rows = Rows::new(schema);
        for &site in &sites {
            separate(site, &pointers, &mut rows);
        }
        for (link, entry) in entries().filter(|(_, entry)| entry.pointer) {
            let Some(site) = entry.object else { continue };
            // No other object points there.
            rows.clause(Clause::new(vec![site; 3], vec![Guard::link(link)], Guard::link(link).from(2).contrary()));
            for &next in &sites {
                along(schema, &pointers, (link, site, next), &mut rows);
            }
            // The end of the list and null pointers.
            for &p in &pointers {
                for &q in pointers.iter().filter(|&&q| q != p) {
                    let (here, end, null) = (Guard::points(q), Guard::null(link), Guard::null(p));
                    rows.clause(Clause::new(vec![site], vec![here, end], null));
                    rows.clause(Clause::new(vec![site], vec![here, null], end));
                }
            }
        }
        rows.at_most(MAX_NEIGHBOUR_ROWS)
    }
}

/// Adds the rows about a link between objects of two sites.
fn along(
    schema: &Schema,
    pointers: &[usize],
    (link, site, next): (usize, ObjectNumber, ObjectNumber),
    rows: &mut Rows<'_>,
) {
    let fields = |site| schema.entries.iter().enumerate().filter(move |(_, entry)| entry.object == Some(site));
    let (linked, two) = (Guard::link(link), vec![site, next]);
    // Differences of numbers.
    let mut at: Vec<Option<Guard>> = vec![None];
    at.extend(pointers.iter().flat_map(|&p| [Guard::points(p), Guard::points(p).contrary()]).map(Some));
    for guard in at.into_iter().filter(|_| schema.changes_objects()) {
        for (i, first) in fields(site).filter(|(_, entry)| entry.is_number()) {
            for (j, _) in fields(next).filter(|(_, entry)| entry.same_field(first)) {
                for sign in Sign::BOTH {
                    let guards = std::iter::once(linked).chain(guard).collect();
                    let bound = Bound::between(schema, two.clone(), (i, j), sign).guarded(guards);
                    rows.bound(bound.by_itself());
                }
            }
        }
    }
    // Pointers to the two objects.
    for &p in pointers {
        let there = Guard::points(p).to(1);
        rows.clause(Clause::new(two.clone(), vec![linked], there.contrary()));
        for &q in pointers.iter().filter(|&&q| q != p) {
            let here = Guard::points(q);
            rows.clause(Clause::new(two.clone(), vec![here, linked], there));
            rows.clause(Clause::new(two.clone(), vec![here.contrary(), linked], there.contrary()));
            rows.clause(Clause::new(two.clone(), vec![here, there], linked));
        }
    }
}

/// Adds the rows that two pointers always or never point to the same object of a site.
fn separate(site: ObjectNumber, pointers: &[usize], rows: &mut Rows<'_>) {
    for &p in pointers {
        for &q in pointers.iter().filter(|&&q| q != p) {
            rows.clause(Clause::new(vec![site], vec![Guard::points(p)], Guard::points(q).contrary()));
            rows.clause(Clause::new(vec![site], vec![Guard::points(p)], Guard::points(q)));
        }
    }
}
