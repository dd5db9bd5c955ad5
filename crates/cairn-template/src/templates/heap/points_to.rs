//! The points-to template (FMCAD §IV-A): a set of addresses for each pointer that a loop changes.
//!
//! The set of a pointer field of the objects of a site describes all paths through such fields, including unbounded
//! ones. The instances of a site are interchangeable, so an address is that of a single object, of any object of a
//! site, or of the object that the field belongs to.

use std::collections::BTreeSet;

use cairn_smt::{Term, Terms};

use crate::ssa::value::{ID_BITS, ObjectNumber, UNKNOWN, Value};
use crate::templates::rows::guard::{self, Guard, OBJECTS, Where, own};
use crate::templates::rows::record::{self, Numbers};
use crate::templates::{At, Hints, Model, Names, Row, Schema, Sites, Template};

/// The points-to template.
#[derive(Clone, Copy, Debug)]
pub struct PointsTo;

/// An address in the parameter of a row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Address {
    /// A single object, null or a plain number, or a dead object, by object number.
    One(u32),
    /// A subject of the row.
    Subject(usize),
    /// An object of a site that is not a subject.
    Of(ObjectNumber),
}

/// The row `guards => pointer ∈ addresses`.
#[derive(Clone, Debug)]
pub struct PointsToRow {
    entry: usize,
    /// The sites of the subjects; the pointer is a field of the last subject.
    subjects: Vec<ObjectNumber>,
    guards: Vec<Guard>,
    addresses: BTreeSet<Address>,
    top: bool,
}

impl PointsToRow {
    /// Creates a row at bottom.
    pub fn new(entry: usize, subjects: Vec<ObjectNumber>) -> Self {
        Self { entry, subjects, guards: Vec::new(), addresses: BTreeSet::new(), top: false }
    }

    /// Reads a row.
    pub fn read(numbers: &mut Numbers<'_>) -> Option<Self> {
        let subjects = numbers.subjects()?;
        let guards = numbers.guards(&subjects)?;
        let entry = numbers.entry(&subjects, subjects.len().saturating_sub(1))?;
        let addresses = numbers.list(|numbers| match numbers.number()? {
            0 => numbers.natural().filter(|&number| numbers.is_single(number)).map(Address::One),
            1 => numbers.natural().filter(|&place| place < subjects.len()).map(Address::Subject),
            2 => Some(Address::Of(ObjectNumber(numbers.natural()?))),
            _ => None,
        })?;
        Some(Self { entry, subjects, guards, addresses: addresses.into_iter().collect(), top: false })
    }

    /// Adds a guard: the row then describes the next step of an access path.
    pub fn after(mut self, guard: Guard) -> Self {
        self.guards.push(guard);
        self
    }

    /// Returns whether the row mentions a variable that the loop changes. Other facts are known from before the loop.
    pub fn moves(&self, schema: &Schema) -> bool {
        self.guards.iter().map(|guard| guard.pointer).chain([self.entry]).any(|entry| !schema.entries[entry].fixed)
    }

    /// Returns the value of the pointer.
    fn pointer(&self, at: &At) -> Option<Value> {
        at.value(self.subjects.len().saturating_sub(1), self.entry).cloned()
    }

    /// Returns the object numbers of the subjects.
    fn own(&self, sites: &Sites, at: &At) -> Vec<u32> {
        let number = |(place, &site)| own(sites, site, at.instance(place)?);
        self.subjects.iter().enumerate().filter_map(number).collect()
    }
}

impl Row for PointsToRow {
    fn subjects(&self) -> &[ObjectNumber] {
        &self.subjects
    }

    fn describe(&self, schema: &Schema, names: &Names<'_>) -> String {
        let entry = &schema.entries[self.entry];
        let last = self.subjects.len().saturating_sub(1);
        let address = |address: &Address| match address {
            Address::One(0) => "null".to_owned(),
            Address::One(number) => format!("&{}", names.object(*number)),
            Address::Subject(place) if *place == last => "itself".to_owned(),
            Address::Subject(place) => format!("&{}", OBJECTS[*place]),
            Address::Of(site) => format!("&{}", names.site(*site)),
        };
        let addresses: Vec<String> = self.addresses.iter().map(address).collect();
        let (Some(guard), Some(through)) = (self.guards.iter().find(|g| g.leads != Where::Set), self.subjects.last())
        else {
            let what = if self.top { "is anything".to_owned() } else { format!("in {{{}}}", addresses.join(", ")) };
            return format!("{}{} {what}", guard::describe(&self.guards, schema), entry.label);
        };
        // As in the thesis, one path per destination.
        let (from, through) = (&schema.entries[guard.pointer].label, names.site(*through));
        let field = entry.label.rsplit_once('.').map_or(entry.label.as_str(), |(_, field)| field);
        let path = |to: &String| format!("path({from}, {field}, {})[{through}]", to.trim_start_matches('&'));
        let paths: Vec<String> = addresses.iter().map(path).collect();
        if self.top { format!("path({from}, {field}, anything)") } else { paths.join(" || ") }
    }

    fn holds(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term {
        let here = guard::all(&self.guards, terms, sites, &self.subjects, at);
        let (false, Some(here), Some(value)) = (self.top, here, self.pointer(at)) else { return terms.truth() };
        let id = value.pointee(terms).id;
        let own = self.own(sites, at);
        let mut any = terms.not(here);
        let mut allow = |terms: &mut Terms, number: u32| {
            let number = terms.constant(u128::from(number), ID_BITS);
            let is = terms.eq(id, number);
            any = terms.or(any, is);
        };
        for address in &self.addresses {
            match *address {
                Address::One(number) => allow(terms, number),
                Address::Subject(place) => own.get(place).into_iter().for_each(|&number| allow(terms, number)),
                Address::Of(site) => {
                    let numbers = sites.iter().find(|(s, _)| *s == site).map(|(_, numbers)| numbers);
                    for &number in numbers.into_iter().flatten().filter(|number| !own.contains(number)) {
                        allow(terms, number);
                    }
                }
            }
        }
        any
    }

    fn join(&mut self, model: &mut Model<'_>, terms: &mut Terms, sites: &Sites, at: &At) {
        let Some(pointer) = self.pointer(at) else { return };
        let id = pointer.pointee(terms).id;
        let number = model.value(terms, id) as u32;
        if number == UNKNOWN {
            self.top = true;
            return;
        }
        let site = sites.iter().find(|(_, numbers)| numbers.contains(&number));
        let subject = self.own(sites, at).iter().position(|own| *own == number);
        self.addresses.insert(match (subject, site) {
            (Some(place), _) => Address::Subject(place),
            (None, Some((site, _))) => Address::Of(*site),
            (None, None) => Address::One(number),
        });
    }

    fn is_top(&self) -> bool {
        self.top
    }

    fn give_up(&mut self) {
        self.top = true;
    }

    fn record(&self) -> (u8, Vec<i128>) {
        let mut out = Vec::new();
        record::write_subjects(&self.subjects, &mut out);
        record::write_guards(&self.guards, &mut out);
        out.extend([self.entry as i128, self.addresses.len() as i128]);
        for address in &self.addresses {
            out.extend(match *address {
                Address::One(number) => [0, i128::from(number)],
                Address::Subject(place) => [1, place as i128],
                Address::Of(site) => [2, i128::from(site.0)],
            });
        }
        (record::POINTS_TO, out)
    }
}

impl Template for PointsTo {
    fn name(&self) -> &'static str {
        "points-to"
    }

    fn rows(&self, schema: &Schema, _: &Hints) -> Vec<Box<dyn Row>> {
        let pointer = |(entry, of): (usize, &crate::templates::Entry)| {
            let row = PointsToRow::new(entry, of.object.into_iter().collect());
            (of.pointer && !of.fixed).then(|| Box::new(row) as Box<dyn Row>)
        };
        schema.entries.iter().enumerate().filter_map(pointer).collect()
    }
}
