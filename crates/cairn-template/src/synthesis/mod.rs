//! Synthesis of template parameters (FMCAD §II-B, thesis §2.3).
//!
//! All rows start at bottom. The solver searches for an execution of a loop body that starts in a state satisfying the
//! rows and ends in one that violates a row. The model is joined into the parameters. When the solver finds no such
//! execution, the rows are an inductive invariant.
//!
//! The iteration terminates because each row grows a bounded number of times: address sets are finite, bounds are
//! raised a few times ([`crate::synthesis::bisection`]) and then set to top, and a row without a parameter becomes top
//! at the first counterexample.
//!
//! **Tour.** This module holds the iteration. `bisection` raises and lowers bounds, `context_splitting` refines calling
//! contexts, `rendering` prints the rows, and `c_invariants` translates them into C.

mod bisection;
mod c_invariants;
mod context_splitting;
mod rendering;

use std::rc::Rc;

use cairn_smt::evaluate::Assignment;
use cairn_smt::{Answer, Session, Term, Terms};
use rustc_hash::FxHashMap;

use self::bisection::Direction;
use crate::limits::{MAX_JOINS, MAX_RAISES, MAX_ROUNDS};
use crate::ssa::value::ObjectNumber;
use crate::ssa::{Formula, Obligation};
use crate::templates::combined::loop_paths;
use crate::templates::combined::loop_paths::Path;
use crate::templates::rows::bound::Limit;
use crate::templates::{At, Hints, Model, Moment, Row, Schema, Template};

/// Why the synthesis ended without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The query or conflict budget is exhausted, or the solver was interrupted.
    OutOfBudget,
}

/// A row with the location and the symbolic loop path that it belongs to.
pub(crate) struct Placed {
    pub(crate) schema: usize,
    pub(crate) path: Path,
    pub(crate) row: Box<dyn Row>,
    /// The only source at which the row must hold, for a row that is assumed nowhere.
    pub(super) only: Option<usize>,
    /// The row as an assumption for all instances, by use of the location.
    assumed: Vec<Option<Term>>,
    /// How often the row was joined; unused for bounds.
    joins: u32,
}

/// The search for an inductive invariant of a formula.
pub struct Synthesis<'f> {
    pub(super) formula: &'f mut Formula,
    session: &'f mut Session,
    pub(super) templates: &'f [&'f dyn Template],
    pub(super) hints: &'f Hints,
    pub(super) schemas: Vec<Schema>,
    pub(super) rows: Vec<Placed>,
    /// How bounds are computed.
    pub(super) bounds: Bounds,
    queries_left: u64,
    /// The largest number of objects of one site that a row describes.
    subjects: u32,
    /// Values of variables, by location, instances, and moment.
    values: FxHashMap<(usize, Vec<u32>, Moment), Rc<At>>,
    /// Assumptions about dereferences, by body, enclosing locations and number of subjects.
    tracked: FxHashMap<(usize, Vec<usize>, u32), Term>,
    /// The conjunction of the axioms of each body.
    axioms: Vec<Term>,
    /// The conjunction of all rows of a location as assumptions, by use, until one of the rows changes.
    together: FxHashMap<(usize, usize), Term>,
}

/// How the parameters of bounds are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bounds {
    /// A bound is the least suitable threshold, a constant of the program.
    AtThresholds,
    /// A bound is the least suitable number.
    Exact,
}

/// The precision of the search.
#[derive(Clone, Copy, Debug)]
pub struct Precision {
    /// How bounds are computed.
    pub bounds: Bounds,
    /// The query limit.
    pub queries: u64,
}

impl<'f> Synthesis<'f> {
    /// Creates a search with the rows of the given templates at bottom.
    pub fn new(
        formula: &'f mut Formula,
        session: &'f mut Session,
        templates: &'f [&'f dyn Template],
        hints: &'f Hints,
        precision: Precision,
    ) -> Self {
        let schemas: Vec<Schema> = (0..formula.locations.len()).map(|index| Schema::of(formula, index)).collect();
        let mut rows = Vec::new();
        for (index, schema) in schemas.iter().enumerate() {
            for path in loop_paths::distinguished(templates, &hints.earlier[index]) {
                for template in templates {
                    for row in template.rows(schema, hints) {
                        let uses = formula.locations[index].uses.len();
                        rows.push(Placed::new(index, path.clone(), row, uses, None));
                    }
                }
            }
        }
        let (bounds, queries_left) = (precision.bounds, precision.queries);
        let subjects = subjects(&rows);
        let (values, tracked, together) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        // The solver spends a decision on each assumption, so a few large assumptions are better than many small ones.
        let axioms = (0..formula.bodies.len()).map(|body| {
            let axioms = std::mem::take(&mut formula.bodies[body].axioms);
            let all = conjunction(&mut formula.terms, &axioms);
            formula.bodies[body].axioms = axioms;
            all
        });
        let axioms = axioms.collect();
        Self {
            formula,
            session,
            templates,
            hints,
            schemas,
            rows,
            bounds,
            queries_left,
            subjects,
            values,
            tracked,
            axioms,
            together,
        }
    }

    /// Creates a check of rows that are claimed to be an inductive invariant.
    pub(crate) fn with_rows(
        formula: &'f mut Formula,
        session: &'f mut Session,
        hints: &'f Hints,
        rows: Vec<Placed>,
    ) -> Self {
        let precision = Precision { bounds: Bounds::Exact, queries: u64::MAX };
        let mut check = Self::new(formula, session, &[], hints, precision);
        (check.subjects, check.rows) = (subjects(&rows), rows);
        check
    }

    /// Returns the rows, apart from those that say nothing and those that are assumed nowhere.
    pub(crate) fn into_rows(self) -> Vec<Placed> {
        let mut rows = self.rows;
        rows.retain(|placed| placed.only.is_none() && !placed.row.is_top());
        for placed in &mut rows {
            placed.assumed.fill(None);
        }
        rows
    }

    /// Returns whether the rows hold wherever a location is reached.
    ///
    /// # Errors
    /// Fails if the solver gives up.
    pub(crate) fn is_inductive(&mut self) -> Result<bool, Stop> {
        for index in 0..self.schemas.len() {
            for source in 0..self.formula.locations[index].sources.len() {
                let mut any = self.formula.terms.falsity();
                for number in 0..self.rows.len() {
                    if self.rows[number].schema == index {
                        let outside = self.outside_first(number, source).0;
                        any = self.formula.terms.or(any, outside);
                    }
                }
                if self.ask(index, source, any)?.is_some() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Grows the rows until they are an inductive invariant.
    ///
    /// # Errors
    /// Fails if the solver gives up.
    pub fn grow(&mut self) -> Result<(), Stop> {
        loop {
            let mut changed = false;
            for index in 0..self.schemas.len() {
                let mut rounds = 0;
                while self.step(index)? {
                    changed = true;
                    rounds += 1;
                    if rounds > MAX_ROUNDS {
                        self.give_up(index);
                    }
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    fn give_up(&mut self, index: usize) {
        for number in 0..self.rows.len() {
            if self.rows[number].schema == index {
                self.rows[number].row.give_up();
                self.forget(number);
            }
        }
    }

    /// Searches for an execution that violates a row of a location and joins it. Returns whether there was one.
    fn step(&mut self, index: usize) -> Result<bool, Stop> {
        for source in 0..self.formula.locations[index].sources.len() {
            if self.step_at(index, source)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn step_at(&mut self, index: usize, source: usize) -> Result<bool, Stop> {
        let numbers: Vec<usize> = (0..self.rows.len()).filter(|&number| self.rows[number].schema == index).collect();
        self.step_rows(index, source, &numbers)
    }

    /// Searches for an execution that violates one of the given rows at a source, and joins it.
    pub(super) fn step_rows(&mut self, index: usize, source: usize, numbers: &[usize]) -> Result<bool, Stop> {
        let mut outside = Vec::new();
        for &number in numbers {
            if !self.rows[number].row.is_top() {
                outside.push((number, self.outside_first(number, source).0));
            }
        }
        // If all rows are top, the question is false and there is nothing to join.
        let terms = &mut self.formula.terms;
        let mut any = terms.falsity();
        for &(_, term) in &outside {
            any = terms.or(any, term);
        }
        let Some(model) = self.ask(index, source, any)? else { return Ok(false) };
        let mut model = Model::new(&model);
        for &(number, term) in &outside {
            if model.value(&self.formula.terms, term) == 1 {
                let (_, at) = self.outside_first(number, source);
                self.take_in(number, &mut model, &at)?;
            }
        }
        // The execution involves further objects of the sites. By symmetry, any of these could have been the subjects
        // of the query.
        for (number, _) in outside {
            if self.rows[number].row.as_bound().is_some() {
                continue;
            }
            for instances in self.choices(index, self.rows[number].row.subjects()) {
                if self.rows[number].row.is_top() {
                    break;
                }
                let (question, at) = self.outside(number, source, &instances);
                if model.value(&self.formula.terms, question) == 1 {
                    self.take_in(number, &mut model, &at)?;
                }
            }
        }
        Ok(true)
    }

    /// Returns that a row must hold at a source but fails for its first instances, with the values of the variables
    /// there.
    pub(super) fn outside_first(&mut self, number: usize, source: usize) -> (Term, Rc<At>) {
        let first = first_instances(self.rows[number].row.subjects());
        self.outside(number, source, &first)
    }

    /// Returns that a row must hold at a source but fails for the given instances, with the values of the variables
    /// there.
    fn outside(&mut self, number: usize, source: usize, instances: &[u32]) -> (Term, Rc<At>) {
        let at = self.at(self.rows[number].schema, instances, Moment::Source(source));
        let holds = self.rows[number].row.holds(&mut self.formula.terms, &self.formula.instances, &at);
        let reached = self.reached(number, source, instances);
        let terms = &mut self.formula.terms;
        let fails = terms.not(holds);
        (terms.and(reached, fails), at)
    }

    /// Returns the values of the variables of a location for the given instances.
    pub(super) fn at(&mut self, index: usize, instances: &[u32], moment: Moment) -> Rc<At> {
        let make = || Rc::new(self.schemas[index].at(self.formula, instances, moment));
        self.values.entry((index, instances.to_vec(), moment)).or_insert_with(make).clone()
    }

    /// Enumerates the choices of pairwise different instances for a list of sites.
    fn choices(&self, index: usize, subjects: &[ObjectNumber]) -> Vec<Vec<u32>> {
        let mut choices: Vec<Vec<u32>> = vec![Vec::new()];
        for &site in subjects {
            let location = &self.formula.locations[index];
            let allocated = location.uses.iter().chain(&location.sources).next().map_or(&[][..], |of| &of.allocated);
            let count = allocated.iter().find(|(object, _)| *object == site).map_or(0, |(_, flags)| flags.len());
            let mut longer = Vec::new();
            for chosen in &choices {
                let taken = |instance: &u32| chosen.iter().zip(subjects).any(|(i, of)| *of == site && i == instance);
                let free = (0..count as u32).filter(|instance| !taken(instance));
                longer.extend(free.map(|instance| chosen.iter().copied().chain([instance]).collect()));
            }
            choices = longer;
        }
        choices
    }

    fn take_in(&mut self, number: usize, model: &mut Model<'_>, at: &At) -> Result<(), Stop> {
        let placed = &mut self.rows[number];
        placed.row.join(model, &mut self.formula.terms, &self.formula.instances, at);
        placed.joins += 1;
        self.forget(number);
        let placed = &mut self.rows[number];
        if let Some(bound) = placed.row.as_bound() {
            bound.grown += 1;
            if bound.grown > MAX_RAISES {
                bound.limit = Limit::Top;
            } else if let Limit::AtMost(seen) = bound.limit {
                let greatest = bound.greatest();
                self.raise(number, (seen, greatest), Direction::Growing)?;
            }
        } else if placed.joins > MAX_JOINS {
            placed.row.give_up();
        }
        Ok(())
    }

    /// Returns the condition that a source is reached on the path of a row with the given instances allocated.
    pub(super) fn reached(&mut self, number: usize, source: usize, instances: &[u32]) -> Term {
        let placed = &self.rows[number];
        let of = &self.formula.locations[placed.schema].sources[source];
        let mut parts = vec![of.guard];
        for (&site, instance) in placed.row.subjects().iter().zip(instances) {
            let flags = of.allocated.iter().find(|(object, _)| *object == site);
            parts.extend(flags.and_then(|(_, flags)| flags.get(*instance as usize)));
        }
        let path = placed.path.clone();
        let mut reached = self.path_condition(&path);
        for part in parts {
            reached = self.formula.terms.and(reached, part);
        }
        reached
    }

    /// Returns the conjunction of the loop-select literals of a path.
    fn path_condition(&mut self, path: &Path) -> Term {
        let mut condition = self.formula.terms.truth();
        for &(index, taken) in path {
            let select = self.formula.locations[index].select;
            let terms = &mut self.formula.terms;
            let literal = if taken { select } else { terms.not(select) };
            condition = terms.and(condition, literal);
        }
        condition
    }

    /// Invalidates the cached assumptions of a row whose parameter has changed.
    pub(super) fn forget(&mut self, number: usize) {
        let placed = &mut self.rows[number];
        placed.assumed.fill(None);
        for place in 0..placed.assumed.len() {
            self.together.remove(&(placed.schema, place));
        }
    }

    /// Returns the assumptions for queries about a body: its axioms, and the rows for all instances.
    fn assumptions(&mut self, body: usize) -> Vec<Term> {
        let mut all = vec![self.axioms[body]];
        for index in 0..self.schemas.len() {
            for place in 0..self.formula.locations[index].uses.len() {
                if self.formula.locations[index].uses[place].body != body {
                    continue;
                }
                let together = match self.together.get(&(index, place)) {
                    Some(&known) => known,
                    None => {
                        let mut said = Vec::new();
                        for number in 0..self.rows.len() {
                            let placed = &self.rows[number];
                            if placed.schema == index && placed.only.is_none() {
                                // A row at top keeps its position, so that most of the conjunction stays unchanged.
                                said.push(self.assumption(number, place));
                            }
                        }
                        let together = conjunction(&mut self.formula.terms, &said);
                        self.together.insert((index, place), together);
                        together
                    }
                };
                all.push(together);
            }
        }
        all
    }

    /// Returns a row as an assumption at one of its uses.
    fn assumption(&mut self, number: usize, place: usize) -> Term {
        if let Some(known) = self.rows[number].assumed[place] {
            return known;
        }
        if self.rows[number].row.is_top() {
            return self.formula.terms.truth();
        }
        let index = self.rows[number].schema;
        let path = self.rows[number].path.clone();
        let condition = self.path_condition(&path);
        let taken = self.formula.locations[index].uses[place].guard;
        let taken = self.formula.terms.and(taken, condition);
        let subjects = self.rows[number].row.subjects().to_vec();
        let mut together = self.formula.terms.truth();
        for instances in self.choices(index, &subjects) {
            let at = self.at(index, &instances, Moment::Use(place));
            let holds = self.rows[number].row.holds(&mut self.formula.terms, &self.formula.instances, &at);
            let mut guard = taken;
            for (site, instance) in subjects.iter().zip(&instances) {
                let allocated = &self.formula.locations[index].uses[place].allocated;
                let flags = allocated.iter().find(|(object, _)| object == site).map(|(_, flags)| flags);
                if let Some(&there) = flags.and_then(|flags| flags.get(*instance as usize)) {
                    guard = self.formula.terms.and(guard, there);
                }
            }
            let terms = &mut self.formula.terms;
            let not_there = terms.not(guard);
            let implied = terms.or(not_there, holds);
            together = terms.and(together, implied);
        }
        self.rows[number].assumed[place] = Some(together);
        together
    }

    /// Searches for an execution that satisfies a question at a source of a location, assuming all rows.
    pub(super) fn ask(&mut self, index: usize, source: usize, question: Term) -> Result<Option<Assignment>, Stop> {
        let source = &self.formula.locations[index].sources[source];
        let (body, around) = (source.body, source.around.clone());
        self.query(body, &around, self.subjects, question)
    }

    pub(super) fn query(
        &mut self,
        body: usize,
        around: &[usize],
        subjects: u32,
        question: Term,
    ) -> Result<Option<Assignment>, Stop> {
        if self.formula.terms.is_false(question) {
            return Ok(None);
        }
        self.queries_left = self.queries_left.checked_sub(1).ok_or(Stop::OutOfBudget)?;
        let mut wanted = self.assumptions(body);
        let key = (body, around.to_vec(), subjects);
        if !self.tracked.contains_key(&key) {
            let tracked = self.formula.tracked(body, around, subjects);
            let tracked = conjunction(&mut self.formula.terms, &tracked);
            self.tracked.insert(key.clone(), tracked);
        }
        wanted.push(self.tracked[&key]);
        wanted.push(question);
        match self.session.check(&self.formula.terms, &wanted) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown => Err(Stop::OutOfBudget),
        }
    }

    /// Returns those of the obligations that the rows do not exclude.
    ///
    /// # Errors
    /// Fails if the solver gives up.
    pub fn not_excluded(&mut self, mut obligations: Vec<Obligation>) -> Result<Vec<Obligation>, Stop> {
        let mut open = Vec::new();
        while let Some(first) = obligations.first() {
            // All obligations inside the same loops are checked by one query.
            let (body, around) = (first.body, first.around.clone());
            let there = |obligation: &Obligation| obligation.body == body && obligation.around == around;
            let mut any = self.formula.terms.falsity();
            for obligation in obligations.iter().filter(|obligation| there(obligation)) {
                any = self.formula.terms.or(any, obligation.bad);
            }
            match self.query(body, &around, 0, any)? {
                None => obligations.retain(|obligation| !there(obligation)),
                Some(model) => {
                    let mut model = Model::new(&model);
                    let mut shown = |o: &Obligation| there(o) && model.value(&self.formula.terms, o.bad) == 1;
                    let (now, later): (Vec<_>, Vec<_>) = obligations.into_iter().partition(|o| shown(o));
                    if now.is_empty() {
                        // Every model violates some obligation; this branch only guarantees termination.
                        return Err(Stop::OutOfBudget);
                    }
                    open.extend(now);
                    obligations = later;
                }
            }
        }
        Ok(open)
    }
}

impl Placed {
    /// Creates a row for a location with the given number of uses.
    pub(crate) fn new(schema: usize, path: Path, row: Box<dyn Row>, uses: usize, only: Option<usize>) -> Self {
        Self { schema, path, row, only, assumed: vec![None; uses], joins: 0 }
    }
}

/// Returns the conjunction of some conditions as a balanced tree, most of which is unchanged when one condition
/// changes.
fn conjunction(terms: &mut Terms, all: &[Term]) -> Term {
    match all {
        [] => terms.truth(),
        [one] => *one,
        _ => {
            let (first, second) = all.split_at(all.len() / 2);
            let (first, second) = (conjunction(terms, first), conjunction(terms, second));
            terms.and(first, second)
        }
    }
}

/// Returns the largest number of objects of one site that a row describes.
fn subjects(rows: &[Placed]) -> u32 {
    let of = |placed: &Placed| first_instances(placed.row.subjects()).last().map_or(0, |&instance| instance + 1);
    rows.iter().map(of).max().unwrap_or(0).max(1)
}

/// Returns the instances for which a row is shown: the first of each site, and the next one for a repeated site.
pub(super) fn first_instances(subjects: &[ObjectNumber]) -> Vec<u32> {
    let before =
        |(place, site): (usize, &ObjectNumber)| subjects[..place].iter().filter(|other| *other == site).count();
    subjects.iter().enumerate().map(before).map(|count| count as u32).collect()
}
