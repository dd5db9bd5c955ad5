//! Templates: what an invariant may say (FMCAD §II-B, §IV). A template makes *rows* for a loop; a row is a formula over the loop's
//! variables with a parameter, which starts at "nothing comes here" and grows by what the solver shows. Templates compose by putting
//! their rows side by side (§IV-D2), and by guarding them ([`paths`], §IV-D1). To add one, implement [`Template`].
//!
//! A row may speak about the variables of the loop and about a few objects of sites that stand for many. It holds for all such
//! objects, because it is shown for instances that may be any of them.

pub mod access_path;
pub mod bound;
pub mod cases;
pub mod clause;
pub mod freed;
pub mod fresh;
pub mod guard;
pub mod interval;
pub mod kept;
pub mod neighbours;
pub mod nullness;
pub mod octagon;
pub mod passed;
pub mod paths;
pub mod pointed;
pub mod points_to;
pub mod relative;
pub mod zone;

use std::collections::BTreeSet;

use cairn_smt::evaluate::Assignment;
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use super::ssa::Formula;
use super::ssa::knowledge::{Name, Part};
use super::ssa::value::{ObjectNumber, Value};

/// A variable of a loop as rows see it: for a part of an object that stands for many, that of the instance that is looked at.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it is.
    pub name: Name,
    /// What it is called.
    pub label: String,
    /// The site whose instance it belongs to.
    pub object: Option<ObjectNumber>,
    /// Its values in the loop: one, or one for each instance.
    places: Vec<Option<usize>>,
    /// Bits.
    pub width: u32,
    /// Whether it is a pointer.
    pub pointer: bool,
    /// Whether the loop leaves it as it is.
    pub fixed: bool,
    /// Whether it is a flag of an object and not a variable of the program.
    pub flag: bool,
    /// The offset in its object, for a part of one.
    pub offset: Option<u64>,
    /// Whether it is a variable of a function that waits for the one that the loop is in.
    pub outer: bool,
}

impl Entry {
    /// Whether it is a number that rows may compare.
    pub fn is_number(&self) -> bool {
        !self.pointer && !self.flag && self.width > 1 && self.width <= interval::MAX_WIDTH
    }

    /// Whether another one is the same field, perhaps of objects of another site.
    pub fn same_field(&self, other: &Entry) -> bool {
        let kind = |entry: &Entry| (entry.offset, entry.width, entry.pointer, entry.object.is_some());
        kind(self) == kind(other)
    }

    /// Whether it is a pointer that belongs to no object of a site.
    pub fn is_pointer_variable(&self) -> bool {
        self.pointer && self.object.is_none()
    }
}

/// The variables of a location, as rows see them.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The location.
    pub index: usize,
    /// The variables.
    pub entries: Vec<Entry>,
}

impl Schema {
    /// The variables of a loop.
    pub fn of(formula: &Formula, index: usize) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut names: Vec<Name> = Vec::new();
        for (place, variable) in formula.locations[index].variables.iter().enumerate() {
            if matches!(variable.name, Name::Part(_, Part::Allocated)) {
                continue;
            }
            let object = variable.instance.map(|(object, _)| object);
            let instance = variable.instance.map_or(0, |(_, instance)| instance as usize);
            let mut places = vec![None; instance + 1];
            places[instance] = Some(place);
            if object.is_some()
                && let Some(known) = names.iter().position(|name| *name == variable.name)
            {
                let known = &mut entries[known];
                known.places.resize(known.places.len().max(instance + 1), None);
                known.places[instance] = Some(place);
                known.pointer |= variable.pointer;
                continue;
            }
            names.push(variable.name);
            entries.push(Entry {
                name: variable.name,
                label: variable.label.clone(),
                object,
                places,
                width: variable.width,
                pointer: variable.pointer,
                fixed: variable.fixed,
                flag: matches!(variable.name, Name::Part(_, Part::Freed) | Name::Old(_, Part::Freed | Part::Allocated)),
                offset: match variable.name {
                    Name::Part(_, Part::Bytes(at)) | Name::Old(_, Part::Bytes(at)) => Some(at),
                    _ => None,
                },
                outer: matches!(variable.name, Name::Outer(..)),
            });
        }
        // What is shown for one instance is assumed of all, so all have to have it.
        entries.retain(|entry| {
            let numbers = formula.instances.iter().find(|(site, _)| Some(*site) == entry.object);
            let tracked = numbers.map_or(1, |(_, numbers)| numbers.len() - 1);
            entry.places.len() == tracked && entry.places.iter().all(Option::is_some)
        });
        Self { index, entries }
    }

    /// Whether the loop changes something in objects of sites. One that only looks at them needs fewer rows.
    pub fn changes_objects(&self) -> bool {
        self.entries.iter().any(|entry| entry.object.is_some() && !entry.flag && !entry.fixed)
    }

    /// The variables with the values that they have at a moment when the instances with these numbers are looked at.
    pub fn at(&self, formula: &Formula, instances: &[u32], moment: Moment) -> At {
        let location = &formula.locations[self.index];
        let values = match moment {
            Moment::Use(number) => &location.uses[number].values,
            Moment::Source(number) => &location.sources[number].values,
            Moment::Head => &location.heads,
        };
        let value = |entry: &Entry, instance: u32| {
            let place = entry.places.get(if entry.object.is_some() { instance as usize } else { 0 }).copied().flatten();
            place.map(|place| values[place].clone())
        };
        let seen = |&instance: &u32| {
            let values = self.entries.iter().map(|entry| value(entry, instance)).collect();
            Seen { instance, values }
        };
        let instances = if instances.is_empty() { &[0] } else { instances };
        At { seen: instances.iter().map(seen).collect() }
    }
}

/// When the variables of a location are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    /// Where rows are assumed, by number.
    Use(usize),
    /// At the head of a loop, where one also comes to from before it.
    Head,
    /// Where rows have to be shown, by number.
    Source(usize),
}

/// The variables of a schema when an instance is looked at.
#[derive(Clone, Debug)]
struct Seen {
    instance: u32,
    values: Vec<Option<Value>>,
}

/// Values for the variables of a schema when some instances are looked at.
#[derive(Clone, Debug)]
pub struct At {
    seen: Vec<Seen>,
}

impl At {
    /// The value of a variable; for a field, that of the object with this place among those that are looked at.
    pub fn value(&self, of: usize, entry: usize) -> Option<&Value> {
        self.seen.get(of)?.values[entry].as_ref()
    }

    /// The instance that is looked at.
    pub fn instance(&self, place: usize) -> Option<u32> {
        self.seen.get(place).map(|seen| seen.instance)
    }
}

/// What a solver has shown.
#[derive(Debug)]
pub struct Model<'a> {
    assignment: &'a Assignment,
    known: FxHashMap<Term, u128>,
}

impl<'a> Model<'a> {
    /// A model that assigns these values.
    pub fn new(assignment: &'a Assignment) -> Self {
        Self { assignment, known: FxHashMap::default() }
    }

    /// The value of a term in it.
    pub fn value(&mut self, terms: &Terms, term: Term) -> u128 {
        terms.evaluate_with(term, self.assignment, &mut self.known)
    }
}

/// What is known of the objects of a formula: the numbers of the instances of each site.
pub type Sites = Vec<(ObjectNumber, Vec<u32>)>;

/// What objects are called.
#[derive(Debug)]
pub struct Names<'f> {
    /// The names of objects and instances, by number.
    pub numbers: &'f [String],
    /// The numbers of each site that stands for many.
    pub sites: &'f Sites,
}

impl Names<'_> {
    /// What an object is called.
    pub fn object(&self, number: u32) -> &str {
        self.numbers.get(number as usize).map_or("?", String::as_str)
    }

    /// What a site is called: its instances, without their number.
    pub fn site(&self, site: ObjectNumber) -> &str {
        let first = self.sites.iter().find(|(object, _)| *object == site).and_then(|(_, numbers)| numbers.first());
        let name = first.map_or("?", |&number| self.object(number));
        name.split_once('^').map_or(name, |(name, _)| name)
    }
}

/// A row of a template.
pub trait Row {
    /// The sites that it speaks about an object of each; about different objects of one site where that is there twice.
    fn subjects(&self) -> &[ObjectNumber];

    /// What it says, with its parameter.
    fn describe(&self, schema: &Schema, names: &Names<'_>) -> String;

    /// The formula that says it.
    fn holds(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term;

    /// Grows its parameter so that the formula holds in a model.
    fn join(&mut self, model: &mut Model<'_>, terms: &mut Terms, sites: &Sites, at: &At);

    /// Whether it says nothing.
    fn is_top(&self) -> bool;

    /// Makes it say nothing: the last resort when it does not settle.
    fn give_up(&mut self);

    /// What it bounds, when it is a bound.
    fn as_bound(&mut self) -> Option<&mut bound::Bound> {
        None
    }
}

/// Rows that are collected: those that are about something that the loop changes.
struct Rows<'s> {
    schema: &'s Schema,
    rows: Vec<Box<dyn Row>>,
}

impl<'s> Rows<'s> {
    fn new(schema: &'s Schema) -> Self {
        Self { schema, rows: Vec::new() }
    }

    fn clause(&mut self, row: clause::Clause) {
        if row.moves(self.schema) {
            self.rows.push(Box::new(row));
        }
    }

    fn bound(&mut self, row: bound::Bound) {
        if row.moves(self.schema) {
            self.rows.push(Box::new(row));
        }
    }

    fn at_most(mut self, count: usize) -> Vec<Box<dyn Row>> {
        self.rows.truncate(count);
        self.rows
    }
}

/// What the program suggests for rows.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Constants at which bounds may lie, ascending.
    pub thresholds: Vec<i128>,
    /// The constants that the program compares numbers with, as the greatest number on one side; the most frequent first.
    pub cases: Vec<i128>,
    /// Whether the program compares integers as unsigned ones.
    pub unsigned: bool,
    /// Loops that come before or around each loop: those whose loop-select guards tell its paths apart.
    pub earlier: Vec<BTreeSet<usize>>,
}

/// A template.
pub trait Template {
    /// What it is called on the command line.
    fn name(&self) -> &'static str;

    /// Objects of one site that a row of it speaks about at most.
    fn subjects(&self) -> u32 {
        1
    }

    /// The rows that it has for a loop.
    fn rows(&self, schema: &Schema, hints: &Hints) -> Vec<Box<dyn Row>>;

    /// The ways to a loop, by those that come before it, for each of which there are rows of all templates next to it.
    fn paths(&self, _earlier: &BTreeSet<usize>) -> Vec<paths::Path> {
        vec![paths::Path::new()]
    }
}

/// Every template that can be chosen by name.
pub fn all() -> Vec<Box<dyn Template>> {
    vec![
        Box::new(points_to::PointsTo),
        Box::new(interval::Intervals),
        Box::new(zone::Zones),
        Box::new(octagon::Octagons),
        Box::new(pointed::Pointed),
        Box::new(nullness::Nullness),
        Box::new(relative::Relative),
        Box::new(neighbours::Neighbours),
        Box::new(freed::Freed),
        Box::new(passed::Passed),
        Box::new(cases::Cases),
        Box::new(access_path::AccessPaths),
        Box::new(paths::Paths),
        Box::new(kept::Kept),
        Box::new(fresh::Fresh),
    ]
}

/// Objects of one site that a row of some templates speaks about at most.
pub fn subjects<S: AsRef<str>>(names: &[S]) -> u32 {
    let chosen = |name: &'static str| names.iter().any(|other| other.as_ref() == name);
    all().iter().filter(|template| chosen(template.name())).map(|template| template.subjects()).max().unwrap_or(1)
}

#[cfg(test)]
pub mod laws {
    //! What every row has to obey: after joining a model its formula holds in it, and what held before still holds.

    use super::*;

    /// Checks the laws on models that a generator of numbers makes up.
    pub fn check(template: &dyn Template, schema: &Schema, at: &At, terms: &mut Terms, sites: &Sites, seed: u64) {
        let mut state = seed | 1;
        let mut next = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let earlier = vec![BTreeSet::new()];
        let hints = Hints { thresholds: vec![-1, 0, 1, 10], cases: vec![0, 3], unsigned: true, earlier };
        let mut rows = template.rows(schema, &hints);
        assert!(!rows.is_empty(), "{} has rows", template.name());
        assert!(rows.iter().all(|row| !row.is_top()), "every row starts by saying that nothing comes there");
        let variables: Vec<Term> = at
            .seen
            .iter()
            .flat_map(|seen| seen.values.iter().flatten())
            .flat_map(|value| [Some(value.bits), value.object.as_ref().map(|pointee| pointee.id)])
            .flatten()
            .collect();
        let mut models: Vec<Assignment> = Vec::new();
        for _ in 0..20 {
            let mut model = Assignment::default();
            for &variable in &variables {
                let width = terms.width(variable);
                let value = if next() % 2 == 0 { next() % 7 } else { next() };
                model.insert(variable, u128::from(value) & cairn_smt::term::mask(width));
            }
            for row in &mut rows {
                let before = row.holds(terms, sites, at);
                if terms.evaluate(before, &model) == 0 {
                    row.join(&mut Model::new(&model), terms, sites, at);
                }
                let after = row.holds(terms, sites, at);
                assert_eq!(terms.evaluate(after, &model), 1, "a row holds in the model that it took in");
                for earlier in &models {
                    assert_eq!(terms.evaluate(after, earlier), 1, "a row holds in every model that it took in");
                }
            }
            models.push(model);
        }
    }

    /// A loop with two numbers and a pointer, and a number and a pointer of every object of a site.
    fn example(terms: &mut Terms) -> (Schema, At, Sites) {
        use crate::engines::template::ssa::value::{ID_BITS, Pointee};
        let site = ObjectNumber(0);
        let mut entries = Vec::new();
        let mut seen: Vec<Seen> = (0..3).map(|instance| Seen { instance, values: Vec::new() }).collect();
        let (part, old) = (|at| Name::Part(site, Part::Bytes(at)), |at| Name::Old(site, Part::Bytes(at)));
        let kinds = [
            (Name::Reg(0), None, false),
            (Name::Reg(1), None, false),
            (Name::Reg(2), None, true),
            (Name::Reg(3), None, true),
            (part(32), Some(site), false),
            (part(40), Some(site), true),
            (old(32), Some(site), false),
            (old(40), Some(site), true),
            (Name::Param(0), None, true),
            (Name::Old(site, Part::Allocated), Some(site), false),
            (part(48), Some(site), false),
            (Name::Part(site, Part::Freed), Some(site), false),
        ];
        for (index, (name, object, pointer)) in kinds.into_iter().enumerate() {
            let flag = matches!(name, Name::Old(_, Part::Allocated) | Name::Part(_, Part::Freed));
            let width = if flag { 1 } else { [32, 64][usize::from(pointer)] };
            let (label, places) = (format!("x{index}"), vec![Some(index)]);
            let (fixed, outer) = (matches!(name, Name::Old(..) | Name::Param(_)), false);
            let offset = object.map(|_| 8 * index as u64);
            entries.push(Entry { name, label, object, places, width, pointer, fixed, flag, offset, outer });
            let mut value = || {
                let bits = terms.variable("bits", width);
                let id = pointer.then(|| terms.variable("id", ID_BITS));
                Some(Value { bits, object: id.map(|id| Pointee { id, targets: Default::default() }) })
            };
            let variable = value();
            for seen in &mut seen {
                seen.values.push(if object.is_some() { value() } else { variable.clone() });
            }
        }
        let sites = vec![(site, vec![3, 4, 5, 6])];
        (Schema { index: 0, entries }, At { seen }, sites)
    }

    #[test]
    fn every_template_obeys_the_laws() {
        // The power template has no rows, and a law of its own.
        for template in all().into_iter().filter(|template| template.name() != paths::Paths.name()) {
            for seed in 1..20u64 {
                let mut terms = Terms::new();
                let (schema, at, sites) = example(&mut terms);
                check(&*template, &schema, &at, &mut terms, &sites, 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(seed));
            }
        }
    }
}
