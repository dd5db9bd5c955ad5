//! The variables of a location as rows see them, with their values at some moment, and models of the solver.

use cairn_smt::evaluate::Assignment;
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::limits::MAX_WIDTH;
use crate::ssa::Formula;
use crate::ssa::knowledge::{Name, Part};
use crate::ssa::value::{ObjectNumber, Value};

/// A variable of a location as rows see it.
///
/// For a part of an object of a site in a loop, the entry stands for that part of the instance under consideration.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The identity of the variable.
    pub name: Name,
    /// The printed name.
    pub label: String,
    /// The allocation site, for a part of an instance.
    pub object: Option<ObjectNumber>,
    /// The positions among the variables of the location: one, or one per instance.
    pub(super) places: Vec<Option<usize>>,
    /// The width in bits.
    pub width: u32,
    /// Whether the variable is a pointer.
    pub pointer: bool,
    /// Whether the loop leaves the variable unchanged.
    pub fixed: bool,
    /// Whether the variable is a flag of an object, such as `freed`, and not a variable of the program.
    pub flag: bool,
    /// The byte offset, for a part of an object.
    pub offset: Option<u64>,
    /// Whether the variable belongs to a function further up the call stack.
    pub outer: bool,
}

impl Entry {
    /// Returns whether the entry is a number that rows may compare.
    pub fn is_number(&self) -> bool {
        !self.pointer && !self.flag && self.width > 1 && self.width <= MAX_WIDTH
    }

    /// Returns whether two entries are the same field, possibly of objects of different sites.
    pub fn same_field(&self, other: &Entry) -> bool {
        let kind = |entry: &Entry| (entry.offset, entry.width, entry.pointer, entry.object.is_some());
        kind(self) == kind(other)
    }

    /// Returns whether the entry is a pointer that is not a field of an instance.
    pub fn is_pointer_variable(&self) -> bool {
        self.pointer && self.object.is_none()
    }
}

/// The variables of a location, as rows see them.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The index of the location.
    pub index: usize,
    /// The variables.
    pub entries: Vec<Entry>,
}

impl Schema {
    /// Collects the variables of a location.
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
        // A row is shown for one instance and assumed for all, so every tracked instance must have the variable.
        entries.retain(|entry| {
            let numbers = formula.instances.iter().find(|(site, _)| Some(*site) == entry.object);
            let tracked = numbers.map_or(1, |(_, numbers)| numbers.len() - 1);
            entry.places.len() == tracked && entry.places.iter().all(Option::is_some)
        });
        Self { index, entries }
    }

    /// Returns whether the loop changes the contents of objects of sites in loops. A loop that only reads them needs
    /// fewer rows.
    pub fn changes_objects(&self) -> bool {
        self.entries.iter().any(|entry| entry.object.is_some() && !entry.flag && !entry.fixed)
    }

    /// Returns the values of the variables at a moment for the given instances.
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

/// The moment at which the variables of a location are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Moment {
    /// A use of the location, where rows are assumed, by index.
    Use(usize),
    /// The head of a loop, which is also reached from before the loop.
    Head,
    /// A source of the location, where rows must be shown, by index.
    Source(usize),
}

/// The values of the entries of a schema for one instance.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) instance: u32,
    pub(super) values: Vec<Option<Value>>,
}

/// The values of the entries of a schema for some instances.
#[derive(Clone, Debug)]
pub struct At {
    pub(super) seen: Vec<Seen>,
}

impl At {
    /// Returns the value of an entry; for a field, that of the `of`-th subject.
    pub fn value(&self, of: usize, entry: usize) -> Option<&Value> {
        self.seen.get(of)?.values[entry].as_ref()
    }

    /// Returns the instance number of a subject.
    pub fn instance(&self, place: usize) -> Option<u32> {
        self.seen.get(place).map(|seen| seen.instance)
    }
}

/// A model found by the solver.
#[derive(Debug)]
pub struct Model<'a> {
    assignment: &'a Assignment,
    known: FxHashMap<Term, u128>,
}

impl<'a> Model<'a> {
    /// Wraps an assignment.
    pub fn new(assignment: &'a Assignment) -> Self {
        Self { assignment, known: FxHashMap::default() }
    }

    /// Evaluates a term.
    pub fn value(&mut self, terms: &Terms, term: Term) -> u128 {
        terms.evaluate_with(term, self.assignment, &mut self.known)
    }
}

/// The object numbers of the instances of each site in a loop.
pub type Sites = Vec<(ObjectNumber, Vec<u32>)>;

/// The printed names of objects.
#[derive(Debug)]
pub struct Names<'f> {
    /// The names of objects and instances, by object number.
    pub numbers: &'f [String],
    /// The object numbers of each site in a loop.
    pub sites: &'f Sites,
}

impl Names<'_> {
    /// Returns the name of an object.
    pub fn object(&self, number: u32) -> &str {
        self.numbers.get(number as usize).map_or("?", String::as_str)
    }

    /// Returns the name of a site: that of its instances without the instance number.
    pub fn site(&self, site: ObjectNumber) -> &str {
        let first = self.sites.iter().find(|(object, _)| *object == site).and_then(|(_, numbers)| numbers.first());
        let name = first.map_or("?", |&number| self.object(number));
        name.split_once('^').map_or(name, |(name, _)| name)
    }
}
