//! Templates: the forms of invariants (FMCAD §II-B, §IV).
//!
//! A template creates *rows* for a location. A row is a formula over the variables of the location with a parameter,
//! which starts at bottom and is joined with the models that the solver finds. Templates combine into a product by
//! listing their rows side by side (§IV-D2), and into a power template by guarding rows ([`combined::loop_paths`],
//! §IV-D1). To add a template, implement [`Template`] and list it in [`all`].
//!
//! A row may describe the variables of the location and a few objects of allocation sites in loops, its *subjects*. It
//! holds for all objects of these sites because it is shown for tracked instances that may be any of them.
//!
//! **Tour.** [`schema`] presents the variables of a location to rows. [`rows`] holds the building blocks of rows. The
//! templates are in [`numeric`], [`heap`], [`combined`] and [`summary`].

pub mod combined;
pub mod heap;
#[cfg(test)]
mod laws;
pub mod numeric;
pub mod rows;
pub mod schema;
pub mod summary;

use std::collections::BTreeSet;

use cairn_smt::{Term, Terms};

use self::combined::loop_paths;
use self::rows::{bound, clause};
pub use self::schema::{At, Entry, Model, Moment, Names, Schema, Sites};
use crate::ssa::value::ObjectNumber;

/// A row of a template.
pub trait Row {
    /// Returns the sites of the subjects, one per subject. A repeated site stands for different objects of that site.
    fn subjects(&self) -> &[ObjectNumber];

    /// Renders the row with its parameter.
    fn describe(&self, schema: &Schema, names: &Names<'_>) -> String;

    /// Returns the row as a formula with the current parameter.
    fn holds(&self, terms: &mut Terms, sites: &Sites, at: &At) -> Term;

    /// Joins a model into the parameter, so that the formula holds in the model.
    fn join(&mut self, model: &mut Model<'_>, terms: &mut Terms, sites: &Sites, at: &At);

    /// Returns whether the parameter is top, that is, the formula is true.
    fn is_top(&self) -> bool;

    /// Sets the parameter to top, as a last resort when the row does not stabilise.
    fn give_up(&mut self);

    /// Returns the number of the row's form, and the row as numbers ([`rows::record`]).
    fn record(&self) -> (u8, Vec<i128>);

    /// Returns the bound whose parameter the synthesis may set, if the row is one.
    fn as_bound(&mut self) -> Option<&mut bound::Bound> {
        None
    }
}

/// Collects the rows that mention a variable changed by the loop.
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

/// Properties of the program that guide the choice of rows.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// Candidate limits of bounds, ascending.
    pub thresholds: Vec<i128>,
    /// The constants that the program compares numbers with, as the greatest number on one side; the most frequent
    /// first.
    pub cases: Vec<i128>,
    /// Whether the program compares integers as unsigned numbers.
    pub unsigned: bool,
    /// The loops before or around each loop, whose loop-select guards distinguish its symbolic loop paths.
    pub earlier: Vec<BTreeSet<usize>>,
}

/// A template.
pub trait Template {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// The largest number of objects of one site that a row of the template describes.
    fn subjects(&self) -> u32 {
        1
    }

    /// Creates the rows for a location, at bottom.
    fn rows(&self, schema: &Schema, hints: &Hints) -> Vec<Box<dyn Row>>;

    /// Returns the symbolic loop paths to a location for which all templates have separate rows.
    fn paths(&self, _earlier: &BTreeSet<usize>) -> Vec<loop_paths::Path> {
        vec![loop_paths::Path::new()]
    }
}

/// Returns all templates.
pub fn all() -> Vec<Box<dyn Template>> {
    vec![
        Box::new(heap::points_to::PointsTo),
        Box::new(numeric::intervals::Intervals),
        Box::new(numeric::zones::Zones),
        Box::new(numeric::octagons::Octagons),
        Box::new(combined::pointed::Pointed),
        Box::new(combined::nullness::Nullness),
        Box::new(combined::relative::Relative),
        Box::new(combined::neighbour_relations::Neighbours),
        Box::new(heap::freed::Freed),
        Box::new(combined::passed::Passed),
        Box::new(combined::cases::Cases),
        Box::new(heap::access_paths::AccessPaths),
        Box::new(loop_paths::Paths),
        Box::new(summary::kept::Kept),
        Box::new(summary::fresh::Fresh),
    ]
}

/// Returns the largest number of objects of one site that a row of the named templates describes.
pub fn subjects<S: AsRef<str>>(names: &[S]) -> u32 {
    let chosen = |name: &'static str| names.iter().any(|other| other.as_ref() == name);
    all().iter().filter(|template| chosen(template.name())).map(|template| template.subjects()).max().unwrap_or(1)
}

/// Looks up template names.
///
/// # Errors
/// Fails if a name is unknown.
pub(crate) fn named(chosen: &[String]) -> Result<Vec<&'static str>, String> {
    let known: Vec<&'static str> = all().iter().map(|template| template.name()).collect();
    let find = |name: &String| {
        let found = known.iter().find(|known| *known == name).copied();
        found.ok_or_else(|| format!("no template `{name}`: there are {}", known.join(", ")))
    };
    chosen.iter().map(find).collect()
}
