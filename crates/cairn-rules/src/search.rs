//! The clause-learning search.
//!
//! Facts are assumed one by one, each at a decision level of its own. A refutation makes its
//! decisions on top of these levels and undoes them afterwards; only learned clauses remain.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::difference::Differences;
use crate::equality::Equality;
use crate::limits;
use crate::model::Model;
use crate::rule::{Predicate, Rules};
use crate::term::{Lit, Term, Var};

/// The meaning of an atom.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Meaning {
    True,
    /// The first variable equals the second plus the constant.
    Equal(Var, Var, i64),
    /// The first variable is at most the second plus the constant, which may be a difference of any two offsets.
    AtMost(Var, Var, i128),
    Constraint(Predicate, Box<[Term]>),
    /// A conjunction of literals, representing one case of a rule body.
    All(Box<[Lit]>),
}

/// An entry of the undo log.
#[derive(Debug)]
pub(crate) enum Undo {
    Merge,
    Bound,
    Live(u32),
    Removed(u32),
    Fired((u32, Box<[u32]>)),
    Pending,
}

/// The result of a refutation attempt.
#[derive(Debug)]
pub enum Answer {
    /// The facts and the goal contradict each other.
    Refuted,
    /// The rules derive no contradiction, and the search ended in this model.
    Satisfied(Model),
    /// The budget is exhausted.
    Exhausted,
}

/// The number of a clause whose literals are all false.
pub(crate) type Conflict = u32;

/// The truth values of the atoms and the order in which they were assigned.
#[derive(Debug, Default)]
pub(crate) struct Assignment {
    pub(crate) values: Vec<i8>,
    pub(crate) levels: Vec<u32>,
    pub(crate) reasons: Vec<Option<u32>>,
    pub(crate) trail: Vec<Lit>,
    pub(crate) trail_marks: Vec<usize>,
    pub(crate) queue: usize,
    pub(crate) theory_queue: usize,
}

/// The clauses and their watched literals.
#[derive(Debug, Default)]
pub(crate) struct Clauses {
    pub(crate) clauses: Vec<Box<[Lit]>>,
    pub(crate) watches: Vec<Vec<u32>>,
    /// Clauses that were unit at an earlier level than the one at which they were added; see [`Solver::recheck`].
    pub(crate) late: Vec<u32>,
    pub(crate) look_again: bool,
}

/// The constraints that hold or do not hold, and the rule applications on them.
#[derive(Debug, Default)]
pub(crate) struct Store {
    /// The store: constraints known to hold and known not to hold, by predicate, and by predicate and key.
    pub(crate) live: Vec<[Vec<u32>; 2]>,
    pub(crate) keyed: FxHashMap<(u32, u8, i64), Vec<u32>>,
    pub(crate) removed: Vec<bool>,
    pub(crate) agenda: Vec<u32>,
    pub(crate) fired: FxHashSet<(u32, Box<[u32]>)>,
    pub(crate) pending: Vec<Box<[Lit]>>,
    pub(crate) skolems: FxHashMap<(u32, Box<[u32]>, u8), Term>,
}

/// A constraint store with its search state.
#[derive(Debug)]
pub struct Solver<'r> {
    pub(crate) rules: &'r Rules,
    pub(crate) atoms: Vec<Meaning>,
    pub(crate) index: FxHashMap<Meaning, u32>,
    pub(crate) undo: Vec<Undo>,
    pub(crate) undo_marks: Vec<usize>,
    pub(crate) equality: Equality,
    pub(crate) differences: Differences,
    /// Equality atoms and constraints, by the variables that occur in them.
    pub(crate) equal_occurrences: Vec<Vec<u32>>,
    pub(crate) constraint_occurrences: Vec<Vec<u32>>,
    /// New equality atoms that were not yet compared with the equality classes.
    pub(crate) unseen: Vec<u32>,
    pub(crate) seen: Vec<bool>,
    pub(crate) budget: u64,
    pub(crate) steps: u64,
    pub(crate) assignment: Assignment,
    pub(crate) database: Clauses,
    pub(crate) store: Store,
}

impl<'r> Solver<'r> {
    /// Creates a solver with an empty store.
    pub fn new(rules: &'r Rules) -> Self {
        let mut solver = Self {
            rules,
            atoms: Vec::new(),
            index: FxHashMap::default(),
            undo: Vec::new(),
            undo_marks: Vec::new(),
            equality: Equality::default(),
            differences: Differences::default(),
            equal_occurrences: Vec::new(),
            constraint_occurrences: Vec::new(),
            unseen: Vec::new(),
            seen: Vec::new(),
            budget: limits::DEFAULT_STEPS,
            steps: 0,
            assignment: Assignment::default(),
            database: Clauses::default(),
            store: Store { live: vec![[Vec::new(), Vec::new()]; rules.predicates.len()], ..Store::default() },
        };
        solver.fresh();
        solver.atom(Meaning::True);
        solver.assign(Lit::TRUE, None);
        solver
    }

    /// Limits the number of steps of each assumption and each refutation.
    ///
    /// Decisions, conflicts and rule applications count as steps.
    pub fn set_budget(&mut self, steps: u64) {
        self.budget = steps;
    }

    /// Creates a fresh variable.
    pub fn fresh(&mut self) -> Term {
        let var = self.equality.add();
        self.differences.add_var();
        self.equal_occurrences.push(Vec::new());
        self.constraint_occurrences.push(Vec::new());
        Term { var, offset: 0 }
    }

    /// Returns the literal `a = b`.
    pub fn equal(&mut self, a: Term, b: Term) -> Lit {
        if a.var == b.var {
            return if a.offset == b.offset { Lit::TRUE } else { Lit::FALSE };
        }
        let (a, b) = if a.var < b.var { (a, b) } else { (b, a) };
        let meaning = Meaning::Equal(a.var, b.var, b.offset.wrapping_sub(a.offset));
        let known = self.index.contains_key(&meaning);
        let atom = self.atom(meaning);
        if !known {
            self.equal_occurrences[a.var.index()].push(atom);
            self.equal_occurrences[b.var.index()].push(atom);
            self.unseen.push(atom);
        }
        Lit::new(atom, false)
    }

    /// Returns the literal `a <= b`.
    pub fn at_most(&mut self, a: Term, b: Term) -> Lit {
        if a.var == b.var {
            return if a.offset <= b.offset { Lit::TRUE } else { Lit::FALSE };
        }
        let slack = i128::from(b.offset) - i128::from(a.offset);
        // A bound and its negation share an atom: `a <= b + c` is `not (b <= a - c - 1)`.
        if a.var < b.var {
            Lit::new(self.atom(Meaning::AtMost(a.var, b.var, slack)), false)
        } else {
            Lit::new(self.atom(Meaning::AtMost(b.var, a.var, -slack - 1)), true)
        }
    }

    /// Returns the literal of a constraint.
    pub fn constraint(&mut self, predicate: Predicate, args: &[Term]) -> Lit {
        debug_assert_eq!(args.len(), self.rules.arity(predicate));
        let meaning = Meaning::Constraint(predicate, args.into());
        let known = self.index.get(&meaning).copied();
        let atom = known.unwrap_or_else(|| {
            let atom = self.atom(meaning);
            for arg in args {
                if arg.var != Var::ZERO && self.constraint_occurrences[arg.var.index()].last() != Some(&atom) {
                    self.constraint_occurrences[arg.var.index()].push(atom);
                }
            }
            atom
        });
        Lit::new(atom, false)
    }

    /// Returns a literal that implies each of these literals.
    pub(crate) fn conjunction(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.sort_unstable();
        lits.dedup();
        lits.retain(|&lit| lit != Lit::TRUE);
        if lits.contains(&Lit::FALSE) {
            return Lit::FALSE;
        }
        match lits.as_slice() {
            [] => return Lit::TRUE,
            [one] => return *one,
            _ => {}
        }
        let meaning = Meaning::All(lits.clone().into());
        if let Some(&atom) = self.index.get(&meaning) {
            return Lit::new(atom, false);
        }
        let all = Lit::new(self.atom(meaning), false);
        for lit in lits {
            // The new atom is unassigned, so the clause cannot be a conflict.
            self.add_clause(vec![!all, lit]);
        }
        all
    }

    pub(crate) fn atom(&mut self, meaning: Meaning) -> u32 {
        if let Some(&atom) = self.index.get(&meaning) {
            return atom;
        }
        let atom = self.atoms.len() as u32;
        self.index.insert(meaning.clone(), atom);
        self.atoms.push(meaning);
        self.assignment.values.push(0);
        self.assignment.levels.push(0);
        self.assignment.reasons.push(None);
        self.store.removed.push(false);
        self.seen.push(false);
        self.database.watches.push(Vec::new());
        self.database.watches.push(Vec::new());
        atom
    }

    /// Returns the truth value of a literal, or `None` if it is unassigned.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        match self.assignment.values[lit.atom()] {
            0 => None,
            value => Some((value > 0) != lit.is_negative()),
        }
    }

    pub(crate) fn holds(&self, lit: Lit) -> bool {
        self.value(lit) == Some(true)
    }

    /// Returns `a - b` if it is known.
    pub fn difference(&self, a: Term, b: Term) -> Option<i64> {
        self.equality.difference(a, b)
    }

    /// Returns the value of a term if it is known.
    pub fn constant(&self, term: Term) -> Option<i64> {
        self.difference(term, Term::constant(0))
    }

    /// Returns the arguments of the constraints of a predicate that are known to hold.
    pub fn constraints(&self, predicate: Predicate) -> impl Iterator<Item = &[Term]> {
        self.store.live[predicate.0 as usize][0].iter().filter_map(|&atom| match &self.atoms[atom as usize] {
            Meaning::Constraint(_, args) => Some(&**args),
            _ => None,
        })
    }

    /// Returns the current decision level, to be passed to [`Solver::backtrack`].
    pub fn level(&self) -> usize {
        self.assignment.trail_marks.len()
    }

    pub(crate) fn push_level(&mut self) {
        self.assignment.trail_marks.push(self.assignment.trail.len());
        self.undo_marks.push(self.undo.len());
    }

    /// Undoes all assumptions above a decision level.
    pub fn backtrack(&mut self, level: usize) {
        if level >= self.level() {
            return;
        }
        let keep = self.assignment.trail_marks[level];
        while self.assignment.trail.len() > keep {
            if let Some(lit) = self.assignment.trail.pop() {
                self.assignment.values[lit.atom()] = 0;
            }
        }
        let keep = self.undo_marks[level];
        while self.undo.len() > keep {
            match self.undo.pop() {
                Some(Undo::Merge) => self.equality.undo(),
                Some(Undo::Bound) => self.differences.undo(),
                Some(Undo::Live(atom)) => self.forget(atom),
                Some(Undo::Removed(atom)) => self.store.removed[atom as usize] = false,
                Some(Undo::Fired(instance)) => {
                    self.store.fired.remove(&instance);
                }
                Some(Undo::Pending) => {
                    self.store.pending.pop();
                }
                None => {}
            }
        }
        self.assignment.trail_marks.truncate(level);
        self.undo_marks.truncate(level);
        self.assignment.queue = self.assignment.queue.min(self.assignment.trail.len());
        self.assignment.theory_queue = self.assignment.theory_queue.min(self.assignment.trail.len());
        self.store.agenda.clear();
        self.database.look_again = true;
    }

    /// Propagates to a fixed point and returns a conflict if there is one.
    pub(crate) fn propagate(&mut self) -> Option<Conflict> {
        if self.database.look_again
            && let Some(conflict) = self.recheck()
        {
            return Some(conflict);
        }
        loop {
            if let Some(conflict) = self.unit_propagation() {
                return Some(conflict);
            }
            if self.steps > self.budget {
                return None;
            }
            let found = if let Some(atom) = self.unseen.pop() {
                self.compare(atom)
            } else if self.assignment.theory_queue < self.assignment.trail.len() {
                let lit = self.assignment.trail[self.assignment.theory_queue];
                self.assignment.theory_queue += 1;
                self.tell(lit)
            } else if let Some(atom) = self.store.agenda.pop() {
                self.activate(atom)
            } else {
                return None;
            };
            if found.is_some() {
                return found;
            }
        }
    }

    /// Assumes a literal at a new decision level; returns false if this contradicts the earlier assumptions.
    pub fn assume(&mut self, lit: Lit) -> bool {
        self.steps = 0;
        self.push_level();
        match self.value(lit) {
            Some(value) => return value,
            None => self.assign(lit, None),
        }
        self.propagate().is_none()
    }

    /// Checks whether the assumptions and the goal literals contradict each other.
    pub fn refute(&mut self, goal: &[Lit]) -> Answer {
        let start = self.level();
        let mut answer = None;
        for &lit in goal {
            if !self.assume(lit) {
                answer = Some(Answer::Refuted);
                break;
            }
        }
        self.steps = 0;
        let answer = answer.unwrap_or_else(|| self.search());
        self.backtrack(start);
        answer
    }

    fn search(&mut self) -> Answer {
        let base = self.level();
        loop {
            if let Some(conflict) = self.propagate() {
                let clause = &self.database.clauses[conflict as usize];
                let latest = clause.iter().map(|lit| self.assignment.levels[lit.atom()] as usize).max().unwrap_or(0);
                if latest <= base {
                    return Answer::Refuted;
                }
                self.backtrack(latest);
                let (learned, level) = self.learn(conflict);
                self.backtrack(level.max(base));
                if let Some(conflict) = self.add_clause(learned) {
                    let clause = &self.database.clauses[conflict as usize];
                    if clause.iter().all(|lit| self.assignment.levels[lit.atom()] as usize <= base) {
                        return Answer::Refuted;
                    }
                }
                self.steps += 1;
                continue;
            }
            if self.steps > self.budget {
                return Answer::Exhausted;
            }
            self.steps += 1;
            match self.decide() {
                Some(lit) => {
                    self.push_level();
                    self.assign(lit, None);
                }
                None => return Answer::Satisfied(self.model()),
            }
        }
    }

    /// Returns the first unassigned case of the first rule application that has no true case.
    fn decide(&self) -> Option<Lit> {
        for cases in &self.store.pending {
            if cases.iter().any(|&lit| self.holds(lit)) {
                continue;
            }
            if let Some(&lit) = cases.iter().find(|&&lit| self.value(lit).is_none()) {
                return Some(lit);
            }
        }
        None
    }

    /// Derives the clause at the first unique implication point, and the level to backtrack to.
    fn learn(&mut self, conflict: Conflict) -> (Vec<Lit>, usize) {
        let current = self.level() as u32;
        let mut learned: Vec<Lit> = Vec::new();
        let mut marked: Vec<usize> = Vec::new();
        let mut open = 0;
        let mut clause = conflict;
        let mut position = self.assignment.trail.len();
        let mut resolved: Option<Lit> = None;
        loop {
            for &lit in &self.database.clauses[clause as usize] {
                let atom = lit.atom();
                if Some(lit) == resolved || self.seen[atom] || self.assignment.levels[atom] == 0 {
                    continue;
                }
                self.seen[atom] = true;
                marked.push(atom);
                if self.assignment.levels[atom] == current {
                    open += 1;
                } else {
                    learned.push(lit);
                }
            }
            let lit = loop {
                if position == 0 {
                    break None;
                }
                position -= 1;
                let lit = self.assignment.trail[position];
                if self.seen[lit.atom()] && self.assignment.levels[lit.atom()] == current {
                    break Some(lit);
                }
            };
            let Some(lit) = lit else { break };
            open -= 1;
            if open == 0 {
                learned.push(!lit);
                break;
            }
            match self.assignment.reasons[lit.atom()] {
                Some(reason) => {
                    clause = reason;
                    resolved = Some(lit);
                }
                None => {
                    learned.push(!lit);
                    break;
                }
            }
        }
        for atom in marked {
            self.seen[atom] = false;
        }
        let below = learned.iter().map(|lit| self.assignment.levels[lit.atom()]).filter(|&level| level < current).max();
        (learned, below.unwrap_or(0) as usize)
    }
}
