//! What pointers may point to (FMCAD §IV-A): for each pointer that a loop changes, a set of addresses. The set of a pointer field of
//! an object of a site describes every path through such fields, among them unbounded ones.
//!
//! Instances of a site are interchangeable, so an address is that of one object, of any object of a site, or of the object itself
//! that the field belongs to.

use std::collections::BTreeSet;

use cairn_smt::{Term, Terms};

use super::guard::own;
use super::{At, Hints, Model, Names, Row, Schema, Sites, Template};
use crate::engines::template::ssa::value::{ID_BITS, ObjectNumber, UNKNOWN};

/// The template of addresses.
#[derive(Clone, Copy, Debug)]
pub struct PointsTo;

/// An address as a row tells it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Address {
    /// An object that there is one of, null, or nothing in particular, by number.
    One(u32),
    /// The object that the pointer belongs to.
    Itself,
    /// Another object of a site.
    Of(ObjectNumber),
}

/// `pointer ∈ addresses`.
#[derive(Clone, Debug)]
struct PointsToRow {
    entry: usize,
    /// The site that it is a field of an object of.
    subjects: Vec<ObjectNumber>,
    addresses: BTreeSet<Address>,
    top: bool,
}

impl PointsToRow {
    /// The number of the object that the pointer belongs to.
    fn own(&self, sites: &Sites, at: &At) -> Option<u32> {
        own(sites, *self.subjects.first()?, at.instance(0)?)
    }
}

impl Row for PointsToRow {
    fn subjects(&self) -> &[ObjectNumber] {
        &self.subjects
    }

    fn describe(&self, schema: &Schema, names: &Names<'_>) -> String {
        let label = &schema.entries[self.entry].label;
        if self.top {
            return format!("{label} is anything");
        }
        let addresses: Vec<String> = self
            .addresses
            .iter()
            .map(|address| match address {
                Address::One(0) => "null".to_owned(),
                Address::One(number) => format!("&{}", names.object(*number)),
                Address::Itself => "itself".to_owned(),
                Address::Of(site) => format!("&{}", names.site(*site)),
            })
            .collect();
        format!("{label} in {{{}}}", addresses.join(", "))
    }

    fn holds(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        if self.top {
            return terms.truth();
        }
        let Some(value) = at.value(0, self.entry).cloned() else { return terms.truth() };
        let id = value.pointee(terms).id;
        let own = self.own(sites, at);
        let mut any = terms.falsity();
        let mut allow = |terms: &mut Terms, number: u32| {
            let number = terms.constant(u128::from(number), ID_BITS);
            let is = terms.eq(id, number);
            any = terms.or(any, is);
        };
        for address in &self.addresses {
            match *address {
                Address::One(number) => allow(terms, number),
                Address::Itself => own.into_iter().for_each(|number| allow(terms, number)),
                Address::Of(site) => {
                    let numbers = sites.iter().find(|(s, _)| *s == site).map(|(_, numbers)| numbers);
                    for &number in numbers.into_iter().flatten().filter(|&&number| Some(number) != own) {
                        allow(terms, number);
                    }
                }
            }
        }
        any
    }

    fn join(&mut self, model: &mut Model<'_>, terms: &mut Terms, sites: &Sites, at: &At) {
        let Some(pointer) = at.value(0, self.entry).cloned() else { return };
        let id = pointer.pointee(terms).id;
        let number = model.value(terms, id) as u32;
        if number == UNKNOWN {
            self.top = true;
            return;
        }
        let site = sites.iter().find(|(_, numbers)| numbers.contains(&number));
        self.addresses.insert(match site {
            _ if self.own(sites, at) == Some(number) => Address::Itself,
            Some((site, _)) => Address::Of(*site),
            None => Address::One(number),
        });
    }

    fn is_top(&self) -> bool {
        self.top
    }

    fn give_up(&mut self) {
        self.top = true;
    }
}

impl Template for PointsTo {
    fn name(&self) -> &'static str {
        "points-to"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let pointer = |(entry, of): (usize, &super::Entry)| {
            let subjects = of.object.into_iter().collect();
            let row = PointsToRow { entry, subjects, addresses: BTreeSet::new(), top: false };
            (of.pointer && !of.fixed).then(|| Box::new(row) as Box<dyn Row>)
        };
        schema.entries.iter().enumerate().filter_map(pointer).collect()
    }
}
