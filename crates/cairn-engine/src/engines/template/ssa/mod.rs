//! The program as one acyclic formula (FMCAD §II-C and §III, thesis §2.4 and §3.4).
//!
//! Calls are inlined and loops are cut at the end of their body: at the head, a free *loop-select* guard chooses between the value
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
mod build;
mod call;
mod compare;
mod copy;
mod cut;
mod flow;
pub mod knowledge;
pub mod loops;
mod objects;
mod print;
mod step;
pub mod value;

use std::collections::BTreeSet;

use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Program};
use cairn_smt::Term;
pub use cairn_smt::Terms;

pub use self::build::{Builder, Options};
use self::knowledge::{Knowledge, Name};
use self::value::{ObjectNumber, Value};

/// A variable of a loop.
#[derive(Clone, Debug)]
pub struct LoopVariable {
    /// What it is.
    pub name: Name,
    /// What it is called.
    pub label: String,
    /// Which of the tracked instances it belongs to, for a part of an object that stands for many.
    pub instance: Option<(ObjectNumber, u32)>,
    /// The loop-back variable.
    pub back: Value,
    /// The value at the head: the loop-back variable, or the value from before the loop.
    pub head: Value,
    /// The value at the end of the body.
    pub end: Value,
    /// Whether the loop leaves it as it is; both values are the same then.
    pub fixed: bool,
}

/// A loop of the formula.
#[derive(Clone, Debug)]
pub struct FormulaLoop {
    /// Where it is.
    pub loc: Loc,
    /// The function that it is in.
    pub function: FuncId,
    /// The block that it begins with.
    pub block: usize,
    /// The loop around it.
    pub parent: Option<usize>,
    /// The loop-select guard.
    pub select: Term,
    /// Whether its head is reached.
    pub head: Term,
    /// Whether the end of its body is reached.
    pub end: Term,
    /// The variables that it changes, and those that it leaves as they are.
    pub variables: Vec<LoopVariable>,
    /// For each site that stands for many whether each instance is allocated: with the loop-back variables, and at the end of the
    /// body.
    pub allocated: Vec<(ObjectNumber, Vec<(Term, Term)>)>,
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
    /// The loops around it, the outermost first.
    pub loops: Vec<usize>,
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
    /// The loops around it, the outermost first.
    pub loops: Vec<usize>,
}

/// What the world did, in the order of a run.
#[derive(Clone, Debug)]
pub enum Event {
    /// It chose a value.
    Value(Term),
    /// It let an allocation succeed, or not.
    Allocation(Term),
}

/// The formula of a program.
#[derive(Debug)]
pub struct Formula {
    /// The terms.
    pub terms: Terms,
    /// The loops; each after the one around it.
    pub loops: Vec<FormulaLoop>,
    /// What has to be impossible, in the order of the program.
    pub obligations: Vec<Obligation>,
    /// What holds in every run.
    pub axioms: Vec<Term>,
    /// Dereferences, in the order of the program.
    pub dereferences: Vec<Dereference>,
    /// The choices of the world with the guards under which they are made.
    pub events: Vec<(Term, Event)>,
    /// For each allocation whether it belongs to the rest of its site.
    pub untracked: Vec<Term>,
    /// Definitions for people, in the order of the program.
    pub definitions: Vec<print::Definition>,
    /// The numbers of the instances of each site that stands for many, those of the rest last.
    pub instances: Vec<(ObjectNumber, Vec<u32>)>,
    /// Functions without a body that were taken to return anything and do nothing else.
    pub assumed_harmless: BTreeSet<String>,
    /// Whether something is allocated.
    pub allocates: bool,
    /// The names of the objects by number.
    pub object_names: Vec<String>,
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
        mut terms: Terms,
    ) -> Result<Formula, String> {
        let mut knowledge = Knowledge::default();
        for _ in 0..MAX_BUILDS {
            knowledge.grown = false;
            let formula = Builder::new(program, options, unwind, &mut knowledge, terms).build()?;
            for at in formula.questions() {
                for (site, needed) in formula.wanted(&at) {
                    let count = (needed.len() as u32 + subjects).min(MAX_INSTANCES);
                    knowledge.need_instances(site, count);
                }
            }
            if !knowledge.grown {
                return Ok(formula);
            }
            terms = formula.terms;
        }
        Err("what its pointers may point to does not settle".to_owned())
    }

    /// The chains of loops in which questions are asked.
    fn questions(&self) -> BTreeSet<Vec<usize>> {
        let ends = (0..self.loops.len()).map(|index| self.chain(index));
        self.obligations.iter().map(|o| o.loops.clone()).chain(ends).collect()
    }

    /// A loop with those around it, the outermost first.
    pub fn chain(&self, index: usize) -> Vec<usize> {
        let mut chain = vec![index];
        while let Some(parent) = self.loops[chain[chain.len() - 1]].parent {
            chain.push(parent);
        }
        chain.reverse();
        chain
    }

    /// The dereferences that matter to a question inside these loops, by site: those in the innermost loop first, then those in
    /// the loops around it, then all others.
    fn wanted(&self, loops: &[usize]) -> Vec<(ObjectNumber, Vec<usize>)> {
        let mut ranked: Vec<(usize, usize)> = Vec::new();
        for (index, dereference) in self.dereferences.iter().enumerate() {
            let rank = if loops.starts_with(&dereference.loops) {
                loops.len() - dereference.loops.len()
            } else if dereference.loops.starts_with(loops) {
                loops.len() + dereference.loops.len()
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
    pub fn tracked(&mut self, loops: &[usize], subjects: u32) -> Vec<Term> {
        let mut result = Vec::new();
        for (site, wanted) in self.wanted(loops) {
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
                    .filter(|d| d.id == id && d.sites.contains(&site))
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
