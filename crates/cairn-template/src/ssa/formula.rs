//! The formula of a program: its locations, bodies, obligations and dereferences.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Program};
use cairn_smt::{Term, Terms};

use crate::limits::{MAX_BUILDS, MAX_INSTANCES};
use crate::reason::Reason;
use crate::ssa::builder::{Beyond, Builder, Calls, Failure, Options};
use crate::ssa::calls::summaries::Placeholder;
use crate::ssa::knowledge::{Knowledge, Name};
use crate::ssa::print;
use crate::ssa::value::{self, ObjectNumber, Value};

/// A variable of a location.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The identity of the variable.
    pub name: Name,
    /// The printed name.
    pub label: String,
    /// The site and the tracked instance, for a part of an object of a site in a loop.
    pub instance: Option<(ObjectNumber, u32)>,
    /// Whether the value is already known before: a loop leaves it unchanged, or a function received it as input.
    pub fixed: bool,
    /// The width in bits.
    pub width: u32,
    /// Whether the variable is a pointer.
    pub pointer: bool,
}

/// A point of a formula at which the variables of a location have values.
#[derive(Clone, Debug)]
pub struct Point {
    /// The body that contains the point.
    pub body: usize,
    /// The condition that the point is reached.
    pub guard: Term,
    /// The values, in the order of the variables.
    pub values: Vec<Value>,
    /// Whether each instance is allocated, by site in a loop.
    pub allocated: Vec<(ObjectNumber, Vec<Term>)>,
    /// The enclosing locations, outermost first.
    pub around: Vec<usize>,
}

/// The kind of a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The head of a loop. Rows are assumed for the loop-back variables and shown at the end of the body.
    Loop,
    /// The entry of a function with a summary. Its calling context is assumed there and shown at the calls.
    Entry,
    /// The exit of a function with a summary. Its summary is assumed after the calls and shown at the end of the body.
    Exit,
}

/// A location that has rows: a loop, the calling context of a function, or its summary (thesis §2.5.2).
#[derive(Clone, Debug)]
pub struct Location {
    /// The kind.
    pub kind: Kind,
    /// The source location.
    pub loc: Loc,
    /// The function that contains it.
    pub function: FuncId,
    /// The body that contains it.
    pub body: usize,
    /// The block that it begins with.
    pub block: usize,
    /// The enclosing location.
    pub parent: Option<usize>,
    /// The loop-select guard; at the entry of a function, the condition that the function is called.
    pub select: Term,
    /// The condition that the head of the loop is reached.
    pub head: Term,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The values at the head of the loop: the loop-back variables or the values from before the loop.
    pub heads: Vec<Value>,
    /// The points where rows are assumed.
    pub uses: Vec<Point>,
    /// The points where rows must be shown.
    pub sources: Vec<Point>,
}

/// A condition that must be unsatisfiable.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// The kind of the violation.
    pub kind: CheckKind,
    /// The violated check.
    pub check: Option<CheckId>,
    /// Why nothing is proved if the condition is satisfiable, for a condition that is not a requested check.
    pub incomplete: Option<Reason>,
    /// The source location.
    pub loc: Loc,
    /// The condition of the violation.
    pub bad: Term,
    /// The enclosing locations, outermost first.
    pub around: Vec<usize>,
    /// The body that contains it.
    pub body: usize,
}

/// A dereference of a pointer that may point to an object of a site in a loop.
#[derive(Clone, Debug)]
pub struct Dereference {
    /// The condition that it is executed.
    pub guard: Term,
    /// The number of the object.
    pub id: Term,
    /// The sites in loops among its targets.
    pub sites: BTreeSet<ObjectNumber>,
    /// The enclosing locations, outermost first.
    pub around: Vec<usize>,
    /// The body that contains it.
    pub body: usize,
}

/// An input of the program, in execution order.
#[derive(Clone, Debug)]
pub enum Event {
    /// A value.
    Value(Term),
    /// Whether an allocation succeeds.
    Allocation(Term),
}

/// The formula of one function with the calls inlined into it.
#[derive(Clone, Debug)]
pub struct BodyFormula {
    /// The function.
    pub function: FuncId,
    /// Conditions that hold in every execution.
    pub axioms: Vec<Term>,
    /// Definitions for printing, in program order.
    pub definitions: Vec<print::Definition>,
    /// The locations of its calling context and its summary.
    pub summary: Option<(usize, usize)>,
}

/// The formula of a program.
#[derive(Debug)]
pub struct Formula {
    /// The term table.
    pub terms: Terms,
    /// The loops, and the entries and exits of functions with summaries; each after its enclosing location.
    pub locations: Vec<Location>,
    /// The functions with a formula of their own; the first is the entry function of the program.
    pub bodies: Vec<BodyFormula>,
    /// The calls that are placeholders for summaries.
    pub calls: Vec<Placeholder>,
    /// The obligations, in program order.
    pub obligations: Vec<Obligation>,
    /// The dereferences, in program order.
    pub dereferences: Vec<Dereference>,
    /// The inputs in the first body, with the guards under which they are read.
    pub events: Vec<(Term, Event)>,
    /// The conditions under which an execution exceeds the unwinding depth, in a formula of bounded executions.
    pub left_out: Vec<Term>,
    /// The object numbers of the instances of each site in a loop, the rest last.
    pub instances: Vec<(ObjectNumber, Vec<u32>)>,
    /// Functions without a body, assumed to return any value and to have no other effect.
    pub assumed_harmless: BTreeSet<String>,
    /// Whether the program allocates heap objects.
    pub allocates: bool,
    /// Whether an inlined function is recursive.
    pub recursive: bool,
    /// The printed names of objects, by object number.
    pub object_names: Vec<String>,
    /// The name of each object and the numbers of its instances that have contents.
    pub objects: BTreeMap<ObjectNumber, (String, Vec<u32>)>,
}

/// The reason why there is no formula, with the term table.
#[derive(Debug)]
pub struct NoFormula {
    /// The reason.
    pub reason: Reason,
    /// The term table.
    pub terms: Terms,
}

impl From<Box<NoFormula>> for String {
    fn from(failed: Box<NoFormula>) -> Self {
        failed.reason.to_string()
    }
}

impl Formula {
    /// Builds the formula of a program with loops unwound `unwind` times.
    ///
    /// `subjects` is the largest number of objects of one site that a row describes. The formula extends the given term
    /// table, because a solver session belongs to one table.
    ///
    /// # Errors
    /// Fails if the formula becomes too large or there is no entry function.
    pub fn of(
        program: &Program,
        options: &Options,
        unwind: u32,
        subjects: u32,
        terms: Terms,
    ) -> Result<Formula, Box<NoFormula>> {
        Self::built(program, options, options.calls, (unwind, Beyond::Cut), subjects, terms)
    }

    /// Builds the formula of the executions with at most `unwind` iterations of each loop and nested calls of each
    /// function.
    ///
    /// # Errors
    /// Fails if the formula becomes too large or there is no entry function.
    pub fn of_bounded(
        program: &Program,
        options: &Options,
        unwind: u32,
        terms: Terms,
    ) -> Result<Formula, Box<NoFormula>> {
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
                    // A program that is too large with everything inlined may be small enough with summaries.
                    (Failure::TooLarge, left) if calls == Calls::Auto => {
                        (calls, terms, knowledge, builds) = (Calls::Summaries, left, Knowledge::default(), 0);
                        continue;
                    }
                    (failure, terms) => return Err(Box::new(NoFormula { reason: failure.into(), terms })),
                },
            };
            // A summary row that a pointer is preserved needs two subjects.
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
        Err(Box::new(NoFormula { reason: Reason::UnstableFacts, terms }))
    }

    /// Returns the bodies and chains of enclosing locations in which queries are asked.
    fn questions(&self) -> BTreeSet<(usize, Vec<usize>)> {
        let shown = self.locations.iter().flat_map(|l| &l.sources).map(|point| (point.body, point.around.clone()));
        self.obligations.iter().map(|o| (o.body, o.around.clone())).chain(shown).collect()
    }

    /// Returns a location with its enclosing locations, outermost first.
    pub fn chain(&self, index: usize) -> Vec<usize> {
        let mut chain = vec![index];
        while let Some(parent) = self.locations[chain[chain.len() - 1]].parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }

    /// Returns the dereferences that matter to a query inside the given locations of a body, by site.
    ///
    /// Those in the innermost loop come first, then those in the loops around it, then all others.
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

    /// Returns the assumption that the objects dereferenced on the way to a query are tracked instances.
    ///
    /// These instances are different from the subjects of the query as long as there are enough of them. The instances
    /// are interchangeable, so the first needed object is one of the first instances after the subjects, and so on.
    pub fn tracked(&mut self, body: usize, around: &[usize], subjects: u32) -> Vec<Term> {
        let mut result = Vec::new();
        for (site, wanted) in self.wanted(body, around) {
            let Some((_, ids)) = self.instances.iter().find(|(s, _)| *s == site) else { continue };
            let ids = ids.clone();
            let Some((&rest, tracked)) = ids.split_last() else { continue };
            // All dereferences of one pointer value access the same object, whichever of them are executed.
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
