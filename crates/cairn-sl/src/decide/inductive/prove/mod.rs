//! Proof search for entailments: matching, unfolding on both sides, case splits, and induction.
//!
//! A goal whose left side is unfolded becomes a hypothesis for its subgoals. A hypothesis may be
//! applied to a heap that is *strictly smaller* than the one for which it was stated. This holds if a
//! cell has been removed on both sides since, or if the rest of the left side has a cell.
//!
//! Soundness: every proof step continues with the same heap or a part of it. Along an infinite path
//! of the unrolled proof, the heap would therefore shrink infinitely often, which is impossible.
//! This is the global condition of cyclic proofs (Brotherston, Distefano, Petersen, CADE 2011) with
//! the heap itself as the trace.
//!
//! `goal.rs` defines goals, `condense.rs` replaces connected atoms by one call before the search,
//! `apply.rs` applies hypotheses, `lemma.rs` divides goals into parts with separate proofs, and
//! `generalise.rs` turns constants into variables. Every proved goal is valid;
//! a failed proof says nothing.

mod apply;
mod condense;
mod generalise;
mod goal;
mod lemma;

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::goal::Goal;
use super::facts::{Facts, Knowledge};
use super::flat::{Call, Cell, Definitions, Flat, Kind, Var, Variables};
use crate::arithmetic::{Answer as Numbers, Constraint, Relation, entails, solve};
use crate::budget::{Budget, Reason};
use crate::limits;

/// The state of a proof search.
pub struct Prover<'a> {
    pub definitions: &'a Definitions,
    pub knowledge: &'a Knowledge,
    pub variables: Variables,
    pub budget: &'a Budget,
    /// Failed goals with the limits under which they failed.
    failed: FxHashSet<FailedKey>,
    /// The lemmas tried so far, up to renaming.
    lemmas: FxHashMap<(Flat, Flat, Vec<Var>), lemma::Status>,
    /// Goals for which a counter-model was searched, and whether there is one.
    refuted: FxHashMap<(Flat, Flat, Vec<Var>), bool>,
    next_hypothesis: usize,
    /// The nesting depth of lemmas.
    nesting: usize,
}

type FailedKey = ((Flat, Flat, Vec<Var>), usize, usize, usize);

/// A goal that may be applied to smaller heaps.
#[derive(Clone, Debug)]
struct Hypothesis {
    goal: Goal,
    /// The number of cells removed before it was stated.
    taken: usize,
    number: usize,
}

/// The hypotheses and remaining limits of a branch of the proof.
#[derive(Clone, Debug, Default)]
struct Path {
    hypotheses: Vec<Hypothesis>,
    /// The number of cells removed on both sides so far.
    taken: usize,
    /// The remaining number of unfoldings of the left side with more than one case.
    fuel: usize,
    /// The remaining number of unfoldings of the left side with at most one case.
    forced: usize,
    /// The remaining number of applications of hypotheses and lemmas.
    uses: usize,
    /// The remaining number of consecutive unfoldings of the right side and case splits.
    choices: usize,
}

impl<'a> Prover<'a> {
    pub fn new(
        definitions: &'a Definitions,
        knowledge: &'a Knowledge,
        variables: Variables,
        budget: &'a Budget,
    ) -> Self {
        Self {
            definitions,
            knowledge,
            variables,
            budget,
            failed: FxHashSet::default(),
            lemmas: FxHashMap::default(),
            refuted: FxHashMap::default(),
            next_hypothesis: 0,
            nesting: 0,
        }
    }

    /// Searches for a proof.
    pub fn prove(&mut self, goal: &Goal) -> Result<bool, Reason> {
        if self.prove_condensed(goal)? {
            return Ok(true);
        }
        for fuel in limits::PROOF_FUELS {
            if self.prove_with(goal, fuel)? {
                return Ok(true);
            }
            // Lemmas that failed may be provable with more fuel.
            self.lemmas.retain(|_, status| *status == lemma::Status::Proved);
        }
        Ok(false)
    }

    /// Searches for a proof of the condensed goal.
    fn prove_condensed(&mut self, goal: &Goal) -> Result<bool, Reason> {
        if goal.right.rest
            || !goal.left.calls.iter().flat_map(|c| &c.arguments).any(|a| self.variables.kind(*a) == Kind::Integer)
        {
            return Ok(false);
        }
        let Some(condensed) = self.condensed(goal)? else { return Ok(false) };
        self.limited(limits::CONDENSED_PROOF_STEPS, |prover| prover.prove_with(&condensed, limits::LEMMA_FUEL))
    }

    /// Runs a search with a part of the budget; a search that exhausts the part fails.
    fn limited(
        &mut self,
        steps: u64,
        search: impl FnOnce(&mut Prover<'_>) -> Result<bool, Reason>,
    ) -> Result<bool, Reason> {
        let part = self.budget.part(steps);
        let mut inner = Prover {
            variables: self.variables.clone(),
            budget: &part,
            failed: FxHashSet::default(),
            lemmas: std::mem::take(&mut self.lemmas),
            refuted: std::mem::take(&mut self.refuted),
            ..*self
        };
        let result = search(&mut inner);
        self.variables = inner.variables;
        self.lemmas = inner.lemmas;
        self.refuted = inner.refuted;
        self.next_hypothesis = inner.next_hypothesis;
        self.budget.settle(&part);
        match result {
            Err(Reason::OutOfBudget) if self.budget.left() > 0 => Ok(false),
            result => result,
        }
    }

    fn prove_with(&mut self, goal: &Goal, fuel: usize) -> Result<bool, Reason> {
        self.failed.clear();
        let path = Path {
            fuel,
            forced: limits::FORCED_UNFOLDINGS,
            uses: limits::EXTRA_USES + fuel,
            choices: limits::PROOF_CHOICES,
            ..Path::default()
        };
        self.goal(goal.clone(), path)
    }

    /// Proves a goal: simplifies it first, then searches unless the same goal failed before.
    fn goal(&mut self, mut goal: Goal, mut path: Path) -> Result<bool, Reason> {
        self.budget.spend(20)?;
        let Some(facts) = self.normalise(&mut goal) else { return Ok(true) };
        if !self.match_cells(&mut goal, &facts, &mut path) || !self.is_plausible(&mut goal, &facts) {
            return Ok(false);
        }
        if goal.right.has_no_heap() {
            return self.pure(goal, &facts, path);
        }
        let Some(canonical) = goal.canonical(self.definitions.nils) else { return Ok(false) };
        let newest = path.hypotheses.last().map_or(0, |h| h.number);
        let key = (canonical, newest, path.fuel * 100 + path.forced, path.uses * 100 + path.choices);
        if self.failed.contains(&key) {
            return Ok(false);
        }
        let proved = self.search(goal, &facts, path)?;
        if !proved {
            self.failed.insert(key);
        }
        Ok(proved)
    }

    /// Tries the proof steps that involve a choice, the most promising first.
    fn search(&mut self, goal: Goal, facts: &Facts, path: Path) -> Result<bool, Reason> {
        Ok(self.match_calls(&goal, facts, &path)?
            || self.match_field(&goal, &path)?
            || self.unfold_right(&goal, facts, &path)?
            || self.apply_hypotheses(&goal, facts, &path)?
            || self.generalise(&goal, &path)?
            || self.empty_right(&goal, &path)?
            || self.fold_left(&goal, &path)?
            || self.divide(&goal, facts, &path)?
            || self.unfold_left(&goal, &path)?
            || self.guess(&goal, &path)?)
    }

    /// Substitutes known equalities; returns `None` if the left side is unsatisfiable, which proves the goal.
    fn normalise(&mut self, goal: &mut Goal) -> Option<Facts> {
        loop {
            if goal.apply_equalities(self.definitions.nils).is_none() {
                // On overflow, dropping the integer constraints of the left side is sound.
                goal.left.numbers.clear();
            }
            let facts = self.knowledge.facts(self.definitions, &goal.left, &self.variables)?;
            let equal = facts.equalities();
            goal.left.distinct.sort_unstable();
            goal.left.distinct.dedup();
            if equal.is_empty() {
                return Some(facts);
            }
            goal.left.equal.extend(equal);
        }
    }

    /// Removes matching cells while there is no choice; returns whether the goal can still hold.
    fn match_cells(&mut self, goal: &mut Goal, facts: &Facts, path: &mut Path) -> bool {
        loop {
            if goal.define_existential_numbers().is_none() {
                return false;
            }
            let mut changed = false;
            goal.right.equal.retain(|&(a, b)| a != b && !facts.equal(a, b));
            if goal.right.equal.iter().any(|&(a, b)| facts.distinct(a, b)) {
                return false;
            }
            if let Some(place) =
                goal.right.equal.iter().position(|p| goal.exists.contains(&p.0) || goal.exists.contains(&p.1))
            {
                let (a, b) = goal.right.equal.swap_remove(place);
                let (existential, value) = if goal.exists.contains(&a) { (a, b) } else { (b, a) };
                if goal.instantiate(existential, value).is_none() {
                    return false;
                }
                changed = true;
            }
            if let Some((place, with)) = goal.right.cells.iter().enumerate().find_map(|(place, cell)| {
                if goal.exists.contains(&cell.root) {
                    return None;
                }
                goal.left.cells.iter().position(|c| c.root == cell.root).map(|with| (place, with))
            }) {
                let right = goal.right.cells.swap_remove(place);
                let left = goal.left.cells.swap_remove(with);
                // Keep the disequalities that follow from the removed cell being allocated.
                let mut others = Vec::new();
                (0..self.definitions.nils).for_each(|v| others.push(v));
                goal.left.each_variable(|v| others.push(v));
                others.sort_unstable();
                others.dedup();
                goal.left
                    .distinct
                    .extend(others.into_iter().filter(|&v| facts.distinct(v, left.root)).map(|v| (v, left.root)));
                path.taken += 1;
                if right.fields.len() != left.fields.len() || !self.unify_all(goal, &right.fields, &left.fields) {
                    return false;
                }
                changed = true;
            }
            if !changed {
                return true;
            }
        }
    }

    /// Returns whether the goal passes some necessary conditions.
    fn is_plausible(&self, goal: &mut Goal, facts: &Facts) -> bool {
        if !goal.right.numbers.is_empty() {
            let mut numbers = self.knowledge.numbers(self.definitions, &goal.left);
            let known = |c: &Constraint| {
                c.row.terms.iter().all(|t| !goal.exists.contains(&t.0)) && entails(&numbers, c) == Some(true)
            };
            goal.right.numbers.retain(|c| !known(c));
            numbers.extend(goal.right.numbers.iter().cloned());
            if solve(&numbers) == Numbers::Infeasible {
                return false;
            }
        }
        if goal.forget_numbers().is_none() {
            return false;
        }
        for &(a, b) in &goal.right.distinct {
            if a == b || facts.equal(a, b) {
                return false;
            }
        }
        if goal.right.cells.iter().any(|c| c.root < self.definitions.nils) {
            return false;
        }
        if goal.right.calls.iter().any(|c| self.knowledge.least[c.predicate] == usize::MAX) {
            return false;
        }
        // A left side without calls consists of exactly its cells.
        if goal.left.calls.is_empty() {
            let needed = goal
                .right
                .calls
                .iter()
                .fold(goal.right.cells.len(), |s, c| s.saturating_add(self.knowledge.least[c.predicate]));
            if needed > goal.left.cells.len() {
                return false;
            }
        }
        true
    }

    /// Proves a goal whose right side has no spatial atoms left.
    fn pure(&mut self, goal: Goal, facts: &Facts, path: Path) -> Result<bool, Reason> {
        if !goal.right.rest {
            if !goal.left.cells.is_empty() || goal.left.calls.iter().any(|c| self.knowledge.is_never_empty(c)) {
                return Ok(false);
            }
            if !goal.left.calls.is_empty() {
                return self.unfold_left(&goal, &path);
            }
        }
        let numbers = self.knowledge.numbers(self.definitions, &goal.left);
        let shown = goal.right.equal.iter().all(|&(a, b)| facts.equal(a, b))
            && goal.right.distinct.iter().all(|&(a, b)| facts.distinct(a, b) || self.differ(&goal, a, b))
            && self.numbers_follow(&goal, &numbers, &goal.right.numbers);
        Ok(shown)
    }

    /// Returns whether two locations differ: one is existential, or equating them is contradictory.
    fn differ(&self, goal: &Goal, a: Var, b: Var) -> bool {
        // Remaining existential variables occur only in disequalities, and there are infinitely many locations.
        if goal.exists.contains(&a) || goal.exists.contains(&b) {
            return a != b;
        }
        let mut left = goal.left.clone();
        left.equal.push((a, b));
        self.knowledge.facts(self.definitions, &left, &self.variables).is_none()
    }

    /// Returns whether the wanted constraints follow, trying the bounds of existential integers as their values.
    fn numbers_follow(&self, goal: &Goal, numbers: &[Constraint], wanted: &[Constraint]) -> bool {
        let Some(var) = wanted.iter().flat_map(|c| &c.row.terms).map(|t| t.0).find(|v| goal.exists.contains(v)) else {
            return wanted.iter().all(|c| entails(numbers, c) == Some(true));
        };
        let bounds = wanted
            .iter()
            .filter(|c| c.row.coefficient(var).abs() == 1 && c.relation != Relation::NonZero)
            .take(limits::MAX_TRIED_BOUNDS);
        for bound in bounds {
            let coefficient = bound.row.coefficient(var);
            let mut rest = bound.row.clone();
            rest.terms.retain(|t| t.0 != var);
            let Some(value) = rest.times(-coefficient) else { continue };
            let substituted =
                wanted.iter().map(|c| Some(Constraint { row: c.row.substitute(var, &value)?, relation: c.relation }));
            if let Some(next) = substituted.collect::<Option<Vec<_>>>()
                && self.numbers_follow(goal, numbers, &next)
            {
                return true;
            }
        }
        false
    }

    /// Matches a call on the right with calls on the left.
    fn match_calls(&mut self, goal: &Goal, facts: &Facts, path: &Path) -> Result<bool, Reason> {
        let mut places: Vec<usize> = (0..goal.right.calls.len()).collect();
        places.sort_by_key(|&i| std::cmp::Reverse(self.determined(goal, &goal.right.calls[i])));
        let matching = places.into_iter().find_map(|place| {
            let right = &goal.right.calls[place];
            let with: Vec<usize> = (0..goal.left.calls.len())
                .filter(|&with| self.may_match(goal, facts, right, &goal.left.calls[with]))
                .collect();
            (!with.is_empty()).then_some((place, with))
        });
        let Some((place, candidates)) = matching else { return Ok(false) };
        for with in candidates {
            let mut next = goal.clone();
            let right = next.right.calls.remove(place);
            let left = next.left.calls.remove(with);
            if !self.unify_all(&mut next, &right.arguments, &left.arguments) || self.is_false(&next)? {
                continue;
            }
            let mut below = path.clone();
            below.taken += usize::from(self.knowledge.is_never_empty(&left));
            if self.goal(next, below)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Unifies argument lists; instantiations apply to later arguments.
    fn unify_all(&self, goal: &mut Goal, right: &[Var], left: &[Var]) -> bool {
        let mut given: FxHashMap<Var, Var> = FxHashMap::default();
        for (&r, &l) in right.iter().zip(left) {
            let r = given.get(&r).copied().unwrap_or(r);
            if goal.exists.contains(&r) {
                given.insert(r, l);
            }
            if goal.unify(r, l, &self.variables).is_none() {
                return false;
            }
        }
        true
    }

    /// Returns the number of arguments of a call that are neither existential nor nil.
    fn determined(&self, goal: &Goal, call: &Call) -> usize {
        call.arguments.iter().filter(|a| !goal.exists.contains(a) && **a >= self.definitions.nils).count()
    }

    /// Returns whether a call on the right can match one on the left; integers may always match.
    fn may_match(&self, goal: &Goal, facts: &Facts, right: &Call, left: &Call) -> bool {
        right.predicate == left.predicate
            && right.arguments.iter().zip(&left.arguments).all(|(&r, &l)| {
                goal.exists.contains(&r)
                    || match self.variables.kind(r) {
                        Kind::Location(_) => facts.equal(r, l),
                        Kind::Integer => true,
                    }
            })
    }

    /// Unfolds a call on the right that has a case with a cell of the left side.
    fn unfold_right(&mut self, goal: &Goal, facts: &Facts, path: &Path) -> Result<bool, Reason> {
        if path.choices == 0 {
            return Ok(false);
        }
        let mut places: Vec<usize> = (0..goal.right.calls.len()).collect();
        places.sort_by_key(|&i| std::cmp::Reverse(self.determined(goal, &goal.right.calls[i])));
        for place in places {
            let call = goal.right.calls[place].clone();
            let count = self.definitions.predicates[call.predicate].cases.len();
            let mut cases = Vec::new();
            let mut anchored = false;
            for case in 0..count {
                let Some((heap, locals)) = self.definitions.unfold(&call, case, &mut self.variables) else {
                    return Ok(false);
                };
                let mut next = goal.clone();
                next.right.calls.swap_remove(place);
                next.right.append(heap.clone());
                next.exists.extend(&locals);
                let meets = heap.cells.iter().any(|c| {
                    goal.left.cells.iter().any(|l| l.root == c.root && !goal.exists.contains(&c.root))
                        || (locals.contains(&c.root) && !self.cells_by_field(&next, c).is_empty())
                });
                anchored |= meets;
                if meets || heap.cells.is_empty() {
                    cases.push((heap, locals, next, meets));
                }
            }
            if !anchored {
                continue;
            }
            // Split the proof on a constraint of a case that is neither implied nor refuted.
            // An empty case may tell by its integers alone when it applies.
            let (met, empty): (Vec<_>, Vec<_>) = cases.iter().partition(|c| c.3);
            let mut guards: Vec<Guard> = met.iter().flat_map(|c| guards_of(&c.0, &c.1, goal)).collect();
            let empty = empty.iter().flat_map(|c| guards_of(&c.0, &c.1, goal));
            guards.extend(empty.filter(|g| matches!(g, Guard::Number(_))));
            for guard in guards {
                if let Some((yes, no)) = self.undecided(goal, facts, &guard) {
                    let below = Path { choices: path.choices - 1, ..path.clone() };
                    return Ok(self.goal(yes, below.clone())? && self.goal(no, below)?);
                }
            }
            cases.sort_by_key(|c| !c.3);
            for (_, _, next, meets) in cases {
                let below = Path { choices: if meets { path.choices } else { path.choices - 1 }, ..path.clone() };
                if (meets || !self.is_false(&next)?) && self.goal(next, below)? {
                    return Ok(true);
                }
            }
            // Unfolding another call first would lead to the same result.
            return Ok(false);
        }
        Ok(false)
    }

    /// Returns the cells on the left that agree with a cell with an existential root in a field.
    fn cells_by_field(&self, goal: &Goal, cell: &Cell) -> Vec<Var> {
        let agrees = |candidate: &&Cell| {
            let mut met = false;
            let open = |v: &Var| goal.exists.contains(v) || self.variables.kind(*v) == Kind::Integer;
            candidate.fields.len() == cell.fields.len()
                && cell.fields.iter().zip(&candidate.fields).all(|(right, left)| {
                    met |= right == left && *right >= self.definitions.nils;
                    open(right) || right == left
                })
                && met
        };
        let candidates =
            goal.left.cells.iter().filter(|c| self.variables.kind(c.root) == self.variables.kind(cell.root));
        candidates.filter(agrees).map(|c| c.root).collect()
    }

    /// Instantiates the existential root of a cell on the right by a cell on the left that agrees in a field.
    fn match_field(&mut self, goal: &Goal, path: &Path) -> Result<bool, Reason> {
        for cell in goal.right.cells.iter().filter(|c| goal.exists.contains(&c.root)) {
            for root in self.cells_by_field(goal, cell) {
                let mut next = goal.clone();
                if next.instantiate(cell.root, root).is_some()
                    && !self.is_false(&next)?
                    && self.goal(next, path.clone())?
                {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Unfolds a call on the right to a case without cells.
    fn empty_right(&mut self, goal: &Goal, path: &Path) -> Result<bool, Reason> {
        if path.choices == 0 {
            return Ok(false);
        }
        for place in 0..goal.right.calls.len() {
            let call = goal.right.calls[place].clone();
            for case in 0..self.definitions.predicates[call.predicate].cases.len() {
                if !self.definitions.predicates[call.predicate].cases[case].heap.cells.is_empty() {
                    continue;
                }
                let Some((heap, locals)) = self.definitions.unfold(&call, case, &mut self.variables) else {
                    return Ok(false);
                };
                let mut next = goal.clone();
                next.right.calls.swap_remove(place);
                next.right.append(heap);
                next.exists.extend(locals);
                let below = Path { choices: path.choices - 1, ..path.clone() };
                if !self.is_false(&next)? && self.goal(next, below)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Instantiates an existential location with a location of the left side.
    fn guess(&mut self, goal: &Goal, path: &Path) -> Result<bool, Reason> {
        if path.choices == 0 {
            return Ok(false);
        }
        // First try a cell on the right whose root is existential.
        if let Some(place) = goal.right.cells.iter().position(|c| goal.exists.contains(&c.root)) {
            let cell = &goal.right.cells[place];
            let roots: Vec<Var> = goal.left.cells.iter().map(|c| c.root).collect();
            for root in roots {
                if self.variables.kind(root) != self.variables.kind(cell.root) {
                    continue;
                }
                let mut next = goal.clone();
                if next.instantiate(cell.root, root).is_none() || self.is_false(&next)? {
                    continue;
                }
                let below = Path { choices: path.choices - 1, ..path.clone() };
                if self.goal(next, below)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let existential = goal
            .right
            .calls
            .iter()
            .flat_map(|c| &c.arguments)
            .copied()
            .find(|a| goal.exists.contains(a) && matches!(self.variables.kind(*a), Kind::Location(_)));
        let Some(existential) = existential else { return Ok(false) };
        let mut values: Vec<Var> = Vec::new();
        goal.left.each_spatial_variable(|v| {
            if self.variables.kind(v) == self.variables.kind(existential) && !values.contains(&v) {
                values.push(v);
            }
        });
        for value in values.into_iter().take(limits::MAX_GUESSED_VALUES) {
            let mut next = goal.clone();
            if next.instantiate(existential, value).is_none() || self.is_false(&next)? {
                continue;
            }
            let below = Path { choices: path.choices / 2, ..path.clone() };
            if self.goal(next, below)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Splits a goal by a guard that is neither implied nor refuted.
    fn undecided(&self, goal: &Goal, facts: &Facts, guard: &Guard) -> Option<(Goal, Goal)> {
        let (mut yes, mut no) = (goal.clone(), goal.clone());
        match guard {
            Guard::Distinct(a, b) => {
                if facts.equal(*a, *b) || facts.distinct(*a, *b) {
                    return None;
                }
                yes.left.distinct.push((*a, *b));
                no.left.equal.push((*a, *b));
                self.knowledge.facts(self.definitions, &yes.left, &self.variables)?;
                self.knowledge.facts(self.definitions, &no.left, &self.variables)?;
            }
            Guard::Number(constraint) => {
                let numbers = self.knowledge.numbers(self.definitions, &goal.left);
                let negated = constraint.negated()?;
                if entails(&numbers, constraint) != Some(false) || entails(&numbers, &negated) != Some(false) {
                    return None;
                }
                yes.left.numbers.push(constraint.clone());
                no.left.numbers.push(negated);
            }
        }
        Some((yes, no))
    }

    /// Unfolds a call on the left, with the goal as a hypothesis; every case must be proved.
    fn unfold_left(&mut self, goal: &Goal, path: &Path) -> Result<bool, Reason> {
        let order = self.unfolding_order(goal);
        for (rank, place) in order.into_iter().enumerate() {
            let call = &goal.left.calls[place];
            let mut cases = Vec::new();
            for case in 0..self.definitions.predicates[call.predicate].cases.len() {
                let mut next = goal.clone();
                let call = next.left.calls.remove(place);
                let Some((heap, _)) = self.definitions.unfold(&call, case, &mut self.variables) else {
                    return Ok(false);
                };
                next.left.append(heap);
                if self.knowledge.facts(self.definitions, &next.left, &self.variables).is_some() {
                    cases.push(next);
                }
            }
            let mut below = path.clone();
            if cases.len() > 1 {
                if path.fuel == 0 || rank >= limits::MAX_UNFOLDED_CALLS {
                    continue;
                }
                below.fuel -= 1;
            } else {
                if path.forced == 0 {
                    continue;
                }
                below.forced -= 1;
            }
            below.choices = limits::PROOF_CHOICES;
            self.next_hypothesis += 1;
            let number = self.next_hypothesis;
            below.hypotheses.push(Hypothesis { goal: goal.clone(), taken: path.taken, number });
            let mut all = true;
            for case in cases {
                if !self.goal(case, below.clone())? {
                    all = false;
                    break;
                }
            }
            if all {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Orders the calls on the left by the arguments that they share with the right side.
    fn unfolding_order(&self, goal: &Goal) -> Vec<usize> {
        let nils = self.definitions.nils;
        let mut wanted: FxHashMap<Var, usize> = FxHashMap::default();
        for cell in &goal.right.cells {
            *wanted.entry(cell.root).or_default() += 4;
        }
        for call in &goal.right.calls {
            for (place, &argument) in call.arguments.iter().enumerate() {
                if argument >= nils && matches!(self.variables.kind(argument), Kind::Location(_)) {
                    *wanted.entry(argument).or_default() += if place == 0 { 3 } else { 1 };
                }
            }
        }
        let score = |call: &Call| {
            let sum: usize = call.arguments.iter().filter_map(|a| wanted.get(a)).sum();
            let first = call.arguments.first().and_then(|a| wanted.get(a)).copied().unwrap_or(0);
            sum + first
        };
        let mut order: Vec<usize> = (0..goal.left.calls.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(score(&goal.left.calls[i])));
        order
    }
}

/// A constraint on which a proof can be split.
enum Guard {
    Distinct(Var, Var),
    Number(Constraint),
}

/// Returns the constraints of a case on universal variables.
fn guards_of(heap: &Flat, locals: &[Var], goal: &Goal) -> Vec<Guard> {
    let universal = |v: Var| !goal.exists.contains(&v) && !locals.contains(&v);
    let pairs = heap.distinct.iter().chain(&heap.equal).filter(|p| p.0 != p.1 && universal(p.0) && universal(p.1));
    let numbers = heap.numbers.iter().filter(|c| c.row.terms.iter().all(|t| universal(t.0)) && !c.row.terms.is_empty());
    pairs.map(|&(a, b)| Guard::Distinct(a, b)).chain(numbers.map(|c| Guard::Number(c.clone()))).collect()
}
