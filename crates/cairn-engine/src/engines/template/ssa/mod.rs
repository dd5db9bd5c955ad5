//! The program as an acyclic formula (FMCAD §II-C and §III, thesis §2.4 and §3.4).
//!
//! Calls are inlined, or are placeholders for the summaries of functions that have formulas of their own ([`summary`]). Loops are cut at the end of their body: at the head, a free *loop-select* guard chooses between the value
//! from before the loop and a free *loop-back* variable, which stands for the value at the end of the body and which an invariant
//! constrains. Unwinding repeats the body before the cut.
//!
//! **What an allocation site in a loop stands for.** The papers give a site a few abstract objects and let each stand for many, so
//! that every write to one is a weak update. Here a site has *tracked instances*, each of which is one concrete object, and *the
//! rest*. An allocation chooses freely which it is, an instance at most once. So the instances of a run are objects of the run that
//! were chosen in advance, and what is shown for every choice holds for every object: a row about one instance is a statement about
//! all objects of the site. Writes to an instance are strong; the rest has no contents, what is read from it is anything. Because
//! the choice is free, a question about some point of the program may assume that the objects that are dereferenced on the way to
//! it are among the instances ([`Formula::tracked`]); that is what makes this precise, and it is the only place where the number of
//! instances (FMCAD §III-A2) matters. The paper's concrete object for `free` (§V-B) is the same trick.

mod access;
mod address;
mod allocation;
mod bindings;
mod build;
mod call;
mod compare;
pub mod contexts;
mod copy;
mod cut;
mod flow;
mod intrinsic;
mod iterators;
pub mod knowledge;
pub mod loops;
mod objects;
mod print;
mod relate;
mod step;
mod summary;
pub mod value;

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Program};
use cairn_smt::Term;
pub use cairn_smt::Terms;

pub use self::build::{Beyond, Builder, Calls, Failure, Options};
use self::knowledge::{Knowledge, Name};
use self::summary::Placeholder;
use self::value::{ObjectNumber, Value};

/// A variable of a location.
#[derive(Clone, Debug)]
pub struct Variable {
    /// What it is.
    pub name: Name,
    /// What it is called.
    pub label: String,
    /// Which of the tracked instances it belongs to, for a part of an object that stands for many.
    pub instance: Option<(ObjectNumber, u32)>,
    /// Whether it is known from before: a loop leaves it as it is, a function was given it.
    pub fixed: bool,
    /// Bits.
    pub width: u32,
    /// Whether it is a pointer.
    pub pointer: bool,
}

/// A place where the variables of a location have values.
#[derive(Clone, Debug)]
pub struct Point {
    /// The body that it is in.
    pub body: usize,
    /// Whether it is reached.
    pub guard: Term,
    /// The values, in the order of the variables.
    pub values: Vec<Value>,
    /// For each site that stands for many whether each instance is allocated.
    pub allocated: Vec<(ObjectNumber, Vec<Term>)>,
    /// The locations around it, the outermost first.
    pub around: Vec<usize>,
}

/// What a location is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The head of a loop: what comes back to it is assumed there and shown at the end of the body.
    Loop,
    /// The entry of a function that has a summary: its calling context is assumed there and shown where it is called.
    Entry,
    /// The exit of a function: its summary is assumed where it is called and shown at its end.
    Exit,
}

/// What rows are found for: a loop, the calling context of a function, or its summary (thesis §2.5.2).
#[derive(Clone, Debug)]
pub struct Location {
    /// What it is.
    pub kind: Kind,
    /// Where it is.
    pub loc: Loc,
    /// The function that it is in.
    pub function: FuncId,
    /// The body that it is in.
    pub body: usize,
    /// The block that it begins with.
    pub block: usize,
    /// The location around it.
    pub parent: Option<usize>,
    /// The loop-select guard; at the entry of a function, whether it is called.
    pub select: Term,
    /// Whether the head of the loop is reached.
    pub head: Term,
    /// The variables.
    pub variables: Vec<Variable>,
    /// Their values at the head of the loop: those that come back, or those from before the loop.
    pub heads: Vec<Value>,
    /// Where rows are assumed.
    pub uses: Vec<Point>,
    /// Where rows have to be shown.
    pub sources: Vec<Point>,
}

/// What has to be impossible.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What goes wrong.
    pub kind: CheckKind,
    /// Its check.
    pub check: Option<CheckId>,
    /// Why nothing is proved where this is possible, when it is nothing that was asked about.
    pub gap: Option<String>,
    /// Where.
    pub loc: Loc,
    /// The condition under which it goes wrong.
    pub bad: Term,
    /// The locations around it, the outermost first.
    pub around: Vec<usize>,
    /// The body that it is in.
    pub body: usize,
}

/// A pointer is dereferenced that may point to an object of a site that stands for many.
#[derive(Clone, Debug)]
pub struct Dereference {
    /// When it happens.
    pub guard: Term,
    /// The object's number.
    pub id: Term,
    /// The sites that stand for many.
    pub sites: BTreeSet<ObjectNumber>,
    /// The locations around it, the outermost first.
    pub around: Vec<usize>,
    /// The body that it is in.
    pub body: usize,
}

/// What the world did, in the order of a run.
#[derive(Clone, Debug)]
pub enum Event {
    /// It chose a value.
    Value(Term),
    /// It let an allocation succeed, or not.
    Allocation(Term),
}

/// The formula of one function, with what is inlined there.
#[derive(Clone, Debug)]
pub struct BodyFormula {
    /// The function.
    pub function: FuncId,
    /// What holds in every run.
    pub axioms: Vec<Term>,
    /// Definitions for people, in the order of the program.
    pub definitions: Vec<print::Definition>,
    /// The locations of its calling context and of its summary.
    pub summary: Option<(usize, usize)>,
}

/// The formula of a program.
#[derive(Debug)]
pub struct Formula {
    /// The terms.
    pub terms: Terms,
    /// The loops, and the entries and exits of functions that have summaries; each after the one around it.
    pub locations: Vec<Location>,
    /// The functions with a formula of their own: the first is the one that the program starts in, with what is inlined there.
    pub bodies: Vec<BodyFormula>,
    /// The calls that are placeholders for summaries.
    pub calls: Vec<Placeholder>,
    /// What has to be impossible, in the order of the program.
    pub obligations: Vec<Obligation>,
    /// Dereferences, in the order of the program.
    pub dereferences: Vec<Dereference>,
    /// The choices of the world in the first body, with the guards under which they are made.
    pub events: Vec<(Term, Event)>,
    /// When runs go beyond what is unwound, where those are left out.
    pub left_out: Vec<Term>,
    /// The numbers of the instances of each site that stands for many, those of the rest last.
    pub instances: Vec<(ObjectNumber, Vec<u32>)>,
    /// Functions without a body that were taken to return anything and do nothing else.
    pub assumed_harmless: BTreeSet<String>,
    /// Whether something is allocated.
    pub allocates: bool,
    /// Whether a function calls itself that is inlined.
    pub recursive: bool,
    /// The names of the objects by number.
    pub object_names: Vec<String>,
    /// The name and the numbers of each object, those with contents.
    pub objects: BTreeMap<ObjectNumber, (String, Vec<u32>)>,
}

/// Why there is no formula, with the table of terms.
#[derive(Debug)]
pub struct NoFormula {
    /// Why.
    pub reason: String,
    /// The table.
    pub terms: Terms,
}

impl From<Box<NoFormula>> for String {
    fn from(failed: Box<NoFormula>) -> Self {
        failed.reason
    }
}

/// Instances of a site that are told apart at most.
const MAX_INSTANCES: u32 = 5;

/// Builds that are tried before the knowledge has to have stopped growing.
const MAX_BUILDS: usize = 60;

impl Formula {
    /// The formula of a program whose loops are unwound that many times, for rows that speak about so many objects of a site at
    /// once, in a table of terms: a solver session belongs to one table.
    ///
    /// # Errors
    /// Why there is none: it becomes too large, or there is no entry function.
    pub fn of(
        program: &Program,
        options: &Options,
        unwind: u32,
        subjects: u32,
        terms: Terms,
    ) -> Result<Formula, Box<NoFormula>> {
        Self::built(program, options, options.calls, (unwind, Beyond::Cut), subjects, terms)
    }

    /// The formula of the runs that pass each loop so often at most, and are in no function more often.
    ///
    /// # Errors
    /// Why there is none: it becomes too large, or there is no entry function.
    pub fn of_runs(program: &Program, options: &Options, unwind: u32, terms: Terms) -> Result<Formula, Box<NoFormula>> {
        Self::built(program, options, Calls::Inline, (unwind, Beyond::LeftOut), 0, terms)
    }

    fn built(
        program: &Program,
        options: &Options,
        mut calls: Calls,
        unwinding: (u32, Beyond),
        subjects: u32,
        mut terms: Terms,
    ) -> Result<Formula, Box<NoFormula>> {
        let mut knowledge = Knowledge::default();
        let mut builds = 0;
        while builds < MAX_BUILDS {
            builds += 1;
            knowledge.grown = false;
            let formula = match Builder::new(program, options, calls, unwinding, &mut knowledge, terms).build() {
                Ok(formula) => formula,
                Err(failed) => match *failed {
                    // What is too large with everything inlined may not be with summaries.
                    (Failure::TooLarge, left) if calls == Calls::Auto => {
                        (calls, terms, knowledge, builds) = (Calls::Summaries, left, Knowledge::default(), 0);
                        continue;
                    }
                    (failure, terms) => return Err(Box::new(NoFormula { reason: failure.to_string(), terms })),
                },
            };
            // That a summary leaves a pointer as it is takes two objects to say.
            let subjects = if formula.calls.is_empty() { subjects } else { subjects.max(2) };
            for (body, at) in formula.questions() {
                for (site, needed) in formula.wanted(body, &at) {
                    let count = (needed.len() as u32 + subjects).min(MAX_INSTANCES);
                    knowledge.need_instances(site, count);
                }
            }
            if !knowledge.grown {
                return Ok(formula);
            }
            terms = formula.terms;
        }
        Err(Box::new(NoFormula { reason: "what its pointers may point to does not settle".to_owned(), terms }))
    }

    /// The bodies and the chains of locations in them in which questions are asked.
    fn questions(&self) -> BTreeSet<(usize, Vec<usize>)> {
        let shown = self.locations.iter().flat_map(|l| &l.sources).map(|point| (point.body, point.around.clone()));
        self.obligations.iter().map(|o| (o.body, o.around.clone())).chain(shown).collect()
    }

    /// A location with those around it, the outermost first.
    pub fn chain(&self, index: usize) -> Vec<usize> {
        let mut chain = vec![index];
        while let Some(parent) = self.locations[chain[chain.len() - 1]].parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }

    /// The dereferences that matter to a question inside these locations of a body, by site: those in the innermost loop first, then
    /// those in the loops around it, then all others.
    fn wanted(&self, body: usize, around: &[usize]) -> Vec<(ObjectNumber, Vec<usize>)> {
        let mut ranked: Vec<(usize, usize)> = Vec::new();
        for (index, dereference) in self.dereferences.iter().enumerate() {
            let rank = if dereference.body != body {
                continue;
            } else if around.starts_with(&dereference.around) {
                around.len() - dereference.around.len()
            } else if dereference.around.starts_with(around) {
                around.len() + dereference.around.len()
            } else {
                continue;
            };
            ranked.push((rank, index));
        }
        ranked.sort_unstable();
        let mut result = Vec::new();
        for (site, _) in &self.instances {
            let mut seen = BTreeSet::new();
            let mut list = Vec::new();
            for &(_, index) in &ranked {
                let dereference = &self.dereferences[index];
                if dereference.sites.contains(site) && seen.insert(dereference.id) {
                    list.push(index);
                }
            }
            result.push((*site, list));
        }
        result
    }

    /// That the objects that are dereferenced on the way to a question inside these loops are tracked instances, other than the
    /// ones that the question is about where there is room. The instances are interchangeable, so the first object that is needed
    /// is one of the first instances, and so on.
    pub fn tracked(&mut self, body: usize, around: &[usize], subjects: u32) -> Vec<Term> {
        let mut result = Vec::new();
        for (site, wanted) in self.wanted(body, around) {
            let Some((_, ids)) = self.instances.iter().find(|(s, _)| *s == site) else { continue };
            let ids = ids.clone();
            let Some((&rest, tracked)) = ids.split_last() else { continue };
            // All dereferences of one pointer are one object, whichever of them happen.
            let room = tracked.len().saturating_sub(subjects as usize);
            for (place, index) in wanted.into_iter().take(room).enumerate() {
                let id = self.dereferences[index].id;
                let guards: Vec<Term> = self
                    .dereferences
                    .iter()
                    .filter(|d| d.body == body && d.id == id && d.sites.contains(&site))
                    .map(|d| d.guard)
                    .collect();
                let terms = &mut self.terms;
                let mut happens = terms.falsity();
                for guard in guards {
                    happens = terms.or(happens, guard);
                }
                let later = tracked.iter().copied().skip(place + 1 + subjects as usize).chain([rest]);
                let mut outside = terms.falsity();
                for number in later {
                    let number = terms.constant(u128::from(number), value::ID_BITS);
                    let equal = terms.eq(id, number);
                    outside = terms.or(outside, equal);
                }
                let both = terms.and(happens, outside);
                let never = terms.not(both);
                result.push(never);
            }
        }
        result
    }
}
