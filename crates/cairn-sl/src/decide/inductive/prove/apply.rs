//! Application of hypotheses: replaces an instance of a hypothesis' left side by its right side.

use rustc_hash::FxHashMap;

use super::super::facts::Facts;
use super::super::flat::{Call, Cell, Kind, Var};
use super::{Goal, Hypothesis, Path, Prover};
use crate::arithmetic::{Constraint, Relation, Row, entails};
use crate::budget::Reason;
use crate::limits;

/// A part of the left side of a goal that matches the left side of a hypothesis.
struct Instance {
    values: FxHashMap<Var, Var>,
    cells: Vec<usize>,
    calls: Vec<usize>,
}

/// The result of applying a hypothesis.
enum Use {
    Goal(Box<Goal>),
    /// The application depends on a constraint that is neither implied nor refuted.
    Split(Constraint),
    Impossible,
}

impl Prover<'_> {
    /// Tries to prove the goal by applying a hypothesis.
    pub(super) fn apply_hypotheses(&mut self, goal: &Goal, facts: &Facts, path: &Path) -> Result<bool, Reason> {
        if path.uses == 0 {
            return Ok(false);
        }
        for hypothesis in path.hypotheses.iter().rev() {
            if hypothesis.goal.right.rest {
                continue;
            }
            for instance in self.instances(&hypothesis.goal, goal, facts) {
                if !self.is_smaller(hypothesis, goal, path, &instance) {
                    continue;
                }
                for values in self.completions(&hypothesis.goal, goal, instance.values.clone()) {
                    let instance = Instance { values, cells: instance.cells.clone(), calls: instance.calls.clone() };
                    if self.apply(hypothesis, goal, facts, path, instance)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Tries to prove the goal by applying an instance of a hypothesis.
    fn apply(
        &mut self,
        hypothesis: &Hypothesis,
        goal: &Goal,
        facts: &Facts,
        path: &Path,
        instance: Instance,
    ) -> Result<bool, Reason> {
        match self.rewritten(&hypothesis.goal, goal, facts, instance) {
            Use::Goal(next) => {
                let below = Path { uses: path.uses - 1, ..path.clone() };
                Ok(!self.is_false(&next)? && self.goal(*next, below)?)
            }
            Use::Split(constraint) if path.choices > 0 => {
                let Some(negated) = constraint.negated() else { return Ok(false) };
                let (mut yes, mut no) = (goal.clone(), goal.clone());
                yes.left.numbers.push(constraint);
                no.left.numbers.push(negated);
                let below = Path { choices: path.choices / 2, ..path.clone() };
                Ok(self.goal(yes, below.clone())? && self.goal(no, below)?)
            }
            Use::Split(_) | Use::Impossible => Ok(false),
        }
    }

    /// Returns values for the universal integers of a hypothesis that its left atoms leave open.
    ///
    /// A length that occurs only on the right side, as `b` in `list(x, z, k) ∧ k = b + c ⊢ ∃ y. list(x, y, b) *
    /// list(y, z, c)`, takes the value that the right side of the goal has at the same argument. Integers
    /// that an equation then determines are left open. The unchanged values come last.
    fn completions(&self, hypothesis: &Goal, goal: &Goal, values: FxHashMap<Var, Var>) -> Vec<FxHashMap<Var, Var>> {
        let mut found = Vec::new();
        let mut pending = vec![values.clone()];
        while let Some(values) = pending.pop() {
            let open = undetermined(hypothesis, &values);
            for call in &hypothesis.right.calls {
                let lengths = (0..).zip(&call.arguments).filter(|(_, v)| open.contains(v));
                for (place, &variable) in lengths.filter(|(_, v)| self.variables.kind(**v) == Kind::Integer) {
                    let Some(value) = self.corresponding(call, goal, &values).map(|c| c.arguments[place]) else {
                        continue;
                    };
                    let mut next = values.clone();
                    next.insert(variable, value);
                    if !goal.exists.contains(&value) && !found.contains(&next) && found.len() < limits::MAX_COMPLETIONS
                    {
                        found.push(next.clone());
                        pending.push(next);
                    }
                }
            }
        }
        found.push(values);
        found
    }

    /// Returns the call on the right side of a goal that shares most arguments with a call of a hypothesis.
    fn corresponding<'g>(&self, call: &Call, goal: &'g Goal, values: &FxHashMap<Var, Var>) -> Option<&'g Call> {
        let value = |v: Var| values.get(&v).copied().unwrap_or(v);
        let shared = |candidate: &&Call| {
            let pairs = call.arguments.iter().zip(&candidate.arguments);
            pairs.filter(|(a, b)| value(**a) == **b && !goal.exists.contains(b)).count()
        };
        goal.right.calls.iter().filter(|c| c.predicate == call.predicate).max_by_key(shared)
    }

    /// Returns whether the instance is a strictly smaller heap than the one for which the hypothesis was stated.
    fn is_smaller(&self, hypothesis: &Hypothesis, goal: &Goal, path: &Path, instance: &Instance) -> bool {
        path.taken > hypothesis.taken
            || goal.left.cells.len() > instance.cells.len()
            || (0..goal.left.calls.len())
                .any(|i| !instance.calls.contains(&i) && self.knowledge.is_never_empty(&goal.left.calls[i]))
    }

    /// Finds the parts of the goal's left side that are instances of the hypothesis' left side.
    fn instances(&self, hypothesis: &Goal, goal: &Goal, facts: &Facts) -> Vec<Instance> {
        let mut found = Vec::new();
        let start = Instance { values: FxHashMap::default(), cells: Vec::new(), calls: Vec::new() };
        let numbers = self.knowledge.numbers(self.definitions, &goal.left);
        let mut tries = limits::INSTANCE_TRIES;
        self.extend(hypothesis, goal, facts, &numbers, start, &mut found, &mut tries);
        found
    }

    #[expect(clippy::too_many_arguments, reason = "one recursion")]
    fn extend(
        &self,
        hypothesis: &Goal,
        goal: &Goal,
        facts: &Facts,
        numbers: &[Constraint],
        instance: Instance,
        found: &mut Vec<Instance>,
        tries: &mut usize,
    ) {
        if found.len() >= limits::MAX_HYPOTHESIS_INSTANCES || *tries == 0 {
            return;
        }
        *tries -= 1;
        if let Some(cell) = hypothesis.left.cells.get(instance.cells.len()) {
            for (place, candidate) in goal.left.cells.iter().enumerate() {
                if instance.cells.contains(&place) || candidate.fields.len() != cell.fields.len() {
                    continue;
                }
                let all = |c: &Cell| -> Vec<Var> { std::iter::once(c.root).chain(c.fields.iter().copied()).collect() };
                let mut values = instance.values.clone();
                if self.bind(&mut values, &all(cell), &all(candidate), facts, numbers) {
                    let mut cells = instance.cells.clone();
                    cells.push(place);
                    let next = Instance { values, cells, calls: instance.calls.clone() };
                    self.extend(hypothesis, goal, facts, numbers, next, found, tries);
                }
            }
            return;
        }
        let Some(call) = hypothesis.left.calls.get(instance.calls.len()) else {
            found.push(instance);
            return;
        };
        for (place, candidate) in goal.left.calls.iter().enumerate() {
            if instance.calls.contains(&place) || candidate.predicate != call.predicate {
                continue;
            }
            let mut values = instance.values.clone();
            if self.bind(&mut values, &call.arguments, &candidate.arguments, facts, numbers) {
                let mut calls = instance.calls.clone();
                calls.push(place);
                let next = Instance { values, cells: instance.cells.clone(), calls };
                self.extend(hypothesis, goal, facts, numbers, next, found, tries);
            }
        }
    }

    /// Binds variables of a hypothesis; returns whether this agrees with their earlier values.
    fn bind(
        &self,
        values: &mut FxHashMap<Var, Var>,
        variables: &[Var],
        to: &[Var],
        facts: &Facts,
        numbers: &[Constraint],
    ) -> bool {
        variables.iter().zip(to).all(|(&variable, &value)| {
            if self.variables.kind(variable) != self.variables.kind(value) {
                return false;
            }
            if variable < self.definitions.nils {
                return facts.equal(variable, value);
            }
            let known = *values.entry(variable).or_insert(value);
            known == value
                || match self.variables.kind(value) {
                    Kind::Location(_) => facts.equal(known, value),
                    Kind::Integer => entails(numbers, &Constraint::zero(Row::difference(known, value))) == Some(true),
                }
        })
    }

    /// Applies a hypothesis to an instance if its assumptions hold.
    fn rewritten(&mut self, hypothesis: &Goal, goal: &Goal, facts: &Facts, instance: Instance) -> Use {
        let mut split = None;
        match self.used(hypothesis, goal, facts, instance, &mut split) {
            Some(goal) => Use::Goal(Box::new(goal)),
            None => split.map_or(Use::Impossible, Use::Split),
        }
    }

    fn used(
        &mut self,
        hypothesis: &Goal,
        goal: &Goal,
        facts: &Facts,
        instance: Instance,
        split: &mut Option<Constraint>,
    ) -> Option<Goal> {
        let mut values = instance.values;
        let mut next = goal.clone();
        // An equation may determine integers that the atoms leave open.
        loop {
            let nils = self.definitions.nils;
            let open = |v: Var, values: &FxHashMap<Var, Var>| v >= nils && !values.contains_key(&v);
            let equation = hypothesis.left.numbers.iter().find_map(|c| {
                let unknown: Vec<_> = c.row.terms.iter().filter(|t| open(t.0, &values)).collect();
                match unknown[..] {
                    [&(var, 1 | -1)] if c.relation == Relation::Zero => Some((c.clone(), var)),
                    _ => None,
                }
            });
            let Some((equation, var)) = equation else { break };
            let value = self.variables.fresh(Kind::Integer);
            values.insert(var, value);
            next.left.numbers.push(equation.renamed(&mut |v| values.get(&v).copied().unwrap_or(v))?);
        }
        // Other undetermined variables stand for themselves if the goal mentions them.
        let mut mentioned = Vec::new();
        goal.left.each_variable(|v| mentioned.push(v));
        goal.right.each_variable(|v| mentioned.push(v));
        let mut open = Vec::new();
        let mut note = |v: Var| {
            if v >= self.definitions.nils && !values.contains_key(&v) && !hypothesis.exists.contains(&v) {
                open.push(v);
            }
        };
        hypothesis.left.each_variable(&mut note);
        hypothesis.right.each_variable(&mut note);
        for var in open {
            if !mentioned.contains(&var) || goal.exists.contains(&var) {
                return None;
            }
            values.insert(var, var);
        }
        let value = |v: Var| values.get(&v).copied().unwrap_or(v);
        for &(a, b) in &hypothesis.left.distinct {
            let (a, b) = (value(a), value(b));
            if !facts.distinct(a, b) && !self.differ(goal, a, b) {
                return None;
            }
        }
        let numbers = self.knowledge.numbers(self.definitions, &next.left);
        for constraint in &hypothesis.left.numbers {
            let wanted = constraint.renamed(&mut |v| value(v))?;
            if entails(&numbers, &wanted) == Some(true) {
                continue;
            }
            // Split only on constraints over the goal's own variables that are satisfiable.
            if entails(&numbers, &wanted.negated()?) == Some(false)
                && wanted.row.terms.iter().all(|t| mentioned.contains(&t.0))
            {
                *split = Some(wanted);
            }
            return None;
        }
        let mut cells = instance.cells;
        cells.sort_unstable();
        for place in cells.into_iter().rev() {
            next.left.cells.remove(place);
        }
        let mut calls = instance.calls;
        calls.sort_unstable();
        for place in calls.into_iter().rev() {
            next.left.calls.remove(place);
        }
        let mut own: FxHashMap<Var, Var> = FxHashMap::default();
        for &existential in &hypothesis.exists {
            own.insert(existential, self.variables.fresh(self.variables.kind(existential)));
        }
        let right = hypothesis.right.renamed(|v| own.get(&v).copied().unwrap_or_else(|| value(v)))?;
        next.left.append(right);
        Some(next)
    }
}

/// Returns the universal variables of a hypothesis that neither the values nor equations determine.
fn undetermined(hypothesis: &Goal, values: &FxHashMap<Var, Var>) -> Vec<Var> {
    let mut open: Vec<Var> = Vec::new();
    let mut note = |v: Var| {
        if !values.contains_key(&v) && !hypothesis.exists.contains(&v) && !open.contains(&v) {
            open.push(v);
        }
    };
    hypothesis.left.each_variable(&mut note);
    hypothesis.right.each_variable(&mut note);
    loop {
        let determined =
            hypothesis.left.numbers.iter().filter(|c| c.relation == Relation::Zero).find_map(|c| {
                match c.row.terms.iter().filter(|t| open.contains(&t.0)).collect::<Vec<_>>()[..] {
                    [&(var, 1 | -1)] => Some(var),
                    _ => None,
                }
            });
        let Some(var) = determined else { return open };
        open.retain(|v| *v != var);
    }
}
