//! How invariants are found (FMCAD §II-B, thesis §2.3): all rows start at "nothing comes here". The solver is asked for a run through
//! the body of a loop that starts in what the rows say and ends outside; what it shows is joined in; when it finds none, the rows are
//! an inductive invariant.
//!
//! It ends because every row grows a bounded number of times: sets of addresses are finite, bounds are raised a few times ([`super::bounds`])
//! and then given up, and what only holds or does not is given up once.

use std::rc::Rc;

use cairn_smt::evaluate::Assignment;
use cairn_smt::{Answer, Session, Term, Terms};
use rustc_hash::FxHashMap;

use super::ssa::value::ObjectNumber;
use super::ssa::{Formula, Obligation};
use super::templates::bound::Limit;
use super::templates::paths::Path;
use super::templates::{At, Hints, Model, Moment, Row, Schema, Template, paths};

/// How often a bound is raised before it is given up.
const MAX_RAISES: u32 = 16;

/// Rounds of one loop before everything about it is given up: more than rows can need.
const MAX_ROUNDS: usize = 2_000;

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The solver's budget is used up, or somebody interrupted it.
    OutOfBudget,
}

/// A row with the loop and the path that it is for.
pub(super) struct Placed {
    pub(super) schema: usize,
    pub(super) path: Path,
    pub(super) row: Box<dyn Row>,
    /// The only place where it has to be shown, for a row that is assumed nowhere.
    pub(super) only: Option<usize>,
    /// What the row says where it is assumed, for every instance; by the number of the use.
    assumed: Vec<Option<Term>>,
    /// How often it grew, when it is no bound.
    joins: u32,
}

/// The search for an invariant of a formula.
pub struct Synthesis<'f> {
    pub(super) formula: &'f mut Formula,
    session: &'f mut Session,
    pub(super) templates: &'f [&'f dyn Template],
    pub(super) hints: &'f Hints,
    pub(super) schemas: Vec<Schema>,
    pub(super) rows: Vec<Placed>,
    /// Whether bounds are found exactly, and not among constants of the program only.
    pub(super) exact: bool,
    queries_left: u64,
    /// Objects of one site that a row speaks about at most.
    subjects: u32,
    /// The values of variables, by the loop, the instances that are looked at, and when.
    values: FxHashMap<(usize, Vec<u32>, Moment), Rc<At>>,
    /// What may be assumed of dereferences, by the body, the locations around a question and its subjects.
    tracked: FxHashMap<(usize, Vec<usize>, u32), Term>,
    /// What holds in every run through each body.
    axioms: Vec<Term>,
    /// What all rows of a location say where they are assumed, by the number of the use, until one of them changes.
    together: FxHashMap<(usize, usize), Term>,
}

/// How precisely to search.
#[derive(Clone, Copy, Debug)]
pub struct Precision {
    /// Whether bounds are found exactly.
    pub exact: bool,
    /// Queries to ask at most.
    pub queries: u64,
}

impl<'f> Synthesis<'f> {
    /// A search with the rows of some templates.
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
            for path in paths::told_apart(templates, &hints.earlier[index]) {
                for template in templates {
                    for row in template.rows(schema, hints) {
                        let uses = formula.locations[index].uses.len();
                        rows.push(Placed::new(index, path.clone(), row, uses, None));
                    }
                }
            }
        }
        let (exact, queries_left) = (precision.exact, precision.queries);
        let subjects =
            rows.iter().map(|placed| first_instances(placed.row.subjects()).last().map_or(0, |&i| i + 1)).max();
        let subjects = subjects.unwrap_or(0).max(1);
        let (values, tracked, together) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        // A solver takes one assumption for one decision, so few that say much are better than many.
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
            exact,
            queries_left,
            subjects,
            values,
            tracked,
            axioms,
            together,
        }
    }

    /// Lets rows grow until they are an invariant.
    ///
    /// # Errors
    /// When the solver gives up.
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

    /// Asks for a run that comes outside the rows of a location where they have to be shown, and takes it in: whether there was one.
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

    /// The same for some of the rows.
    pub(super) fn step_rows(&mut self, index: usize, source: usize, numbers: &[usize]) -> Result<bool, Stop> {
        let mut outside = Vec::new();
        for &number in numbers {
            if !self.rows[number].row.is_top() {
                outside.push((number, self.outside_first(number, source).0));
            }
        }
        // A location without rows is anything at all.
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
        // The run has more objects than those that the question was about, and any of them might have been these.
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

    /// That a row has to be shown and does not hold for the instances that it is shown for; with the values that it is about.
    pub(super) fn outside_first(&mut self, number: usize, source: usize) -> (Term, Rc<At>) {
        let first = first_instances(self.rows[number].row.subjects());
        self.outside(number, source, &first)
    }

    /// That a row has to be shown and does not hold for some instances there; with the values that it is about.
    fn outside(&mut self, number: usize, source: usize, instances: &[u32]) -> (Term, Rc<At>) {
        let at = self.at(self.rows[number].schema, instances, Moment::Source(source));
        let holds = self.rows[number].row.holds(&mut self.formula.terms, &self.formula.instances, &at);
        let reached = self.reached(number, source, instances);
        let terms = &mut self.formula.terms;
        let fails = terms.not(holds);
        (terms.and(reached, fails), at)
    }

    /// The values of a location's variables when some instances are looked at.
    pub(super) fn at(&mut self, index: usize, instances: &[u32], moment: Moment) -> Rc<At> {
        let make = || Rc::new(self.schemas[index].at(self.formula, instances, moment));
        self.values.entry((index, instances.to_vec(), moment)).or_insert_with(make).clone()
    }

    /// Every choice of different objects of some sites.
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
                self.raise(number, (seen, greatest), false)?;
            }
        } else if placed.joins > 200 {
            placed.row.give_up();
        }
        Ok(())
    }

    /// Whether one comes to where a row has to be shown, on its path, with some instances there.
    pub(super) fn reached(&mut self, number: usize, source: usize, instances: &[u32]) -> Term {
        let placed = &self.rows[number];
        let of = &self.formula.locations[placed.schema].sources[source];
        let mut parts = vec![of.guard];
        for (&site, instance) in placed.row.subjects().iter().zip(instances) {
            let flags = of.allocated.iter().find(|(object, _)| *object == site);
            parts.extend(flags.and_then(|(_, flags)| flags.get(*instance as usize)));
        }
        let path = placed.path.clone();
        let mut reached = self.way(&path);
        for part in parts {
            reached = self.formula.terms.and(reached, part);
        }
        reached
    }

    fn way(&mut self, path: &Path) -> Term {
        let mut way = self.formula.terms.truth();
        for &(index, taken) in path {
            let select = self.formula.locations[index].select;
            let terms = &mut self.formula.terms;
            let literal = if taken { select } else { terms.not(select) };
            way = terms.and(way, literal);
        }
        way
    }

    /// The parameter of a row is another.
    pub(super) fn forget(&mut self, number: usize) {
        let placed = &mut self.rows[number];
        placed.assumed.fill(None);
        for place in 0..placed.assumed.len() {
            self.together.remove(&(placed.schema, place));
        }
    }

    /// What holds in a body: its axioms, and what the rows say, for every instance.
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
                                // A row that says nothing keeps its place, so that most of the conjunction stays the same.
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

    /// What a row says where it is assumed.
    fn assumption(&mut self, number: usize, place: usize) -> Term {
        if let Some(known) = self.rows[number].assumed[place] {
            return known;
        }
        if self.rows[number].row.is_top() {
            return self.formula.terms.truth();
        }
        let index = self.rows[number].schema;
        let path = self.rows[number].path.clone();
        let way = self.way(&path);
        let taken = self.formula.locations[index].uses[place].guard;
        let taken = self.formula.terms.and(taken, way);
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

    /// A run that satisfies a question where the rows of a location have to be shown, in what the rows say; `None` when there is none.
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

    /// Those of some obligations that the rows do not exclude.
    ///
    /// # Errors
    /// When the solver gives up.
    pub fn not_excluded(&mut self, mut obligations: Vec<Obligation>) -> Result<Vec<Obligation>, Stop> {
        let mut open = Vec::new();
        while let Some(first) = obligations.first() {
            // All in the same loops at once.
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
                        // No model of the solver's is like that, but there must be no end to asking.
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
    /// A row for a location with so many uses.
    pub(super) fn new(schema: usize, path: Path, row: Box<dyn Row>, uses: usize, only: Option<usize>) -> Self {
        Self { schema, path, row, only, assumed: vec![None; uses], joins: 0 }
    }
}

/// All of some conditions, as a tree: where one of them is another, most of it stays the same.
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

/// The instances for which a row is shown: the first of each site, and the next where it speaks about another object of the same.
pub(super) fn first_instances(subjects: &[ObjectNumber]) -> Vec<u32> {
    let before =
        |(place, site): (usize, &ObjectNumber)| subjects[..place].iter().filter(|other| *other == site).count();
    subjects.iter().enumerate().map(before).map(|count| count as u32).collect()
}
