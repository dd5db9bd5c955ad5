//! The numeric part of joining: which conditions the result's variables satisfy in both states.
//!
//! Nothing is computed by transfer functions of an abstract domain. Conditions are guessed ([`super::candidates`]), and what a guess
//! is worth is asked of the solver, in both states. A condition of an old state that the new one does not share is dropped and
//! does not come back: that is the widening.

use cairn_smt::evaluate::Assignment;
use cairn_smt::term::{Node, Op};
use cairn_smt::{Answer, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::pair::{Pairing, Purpose};
use super::shapes::locals_in;
use crate::engines::shape::path::Path;
use crate::engines::shape::state::State;
use crate::engines::shape::{Explorer, changed};

/// Joins of one state after which nothing new is guessed, so that joining comes to an end.
pub(super) const PATIENCE: u32 = 12;

impl Explorer<'_> {
    /// Whether a condition holds in every model of a state's path.
    pub(in crate::engines::shape) fn follows(&mut self, state: &State, condition: Term) -> bool {
        if let Some(value) = state.path.value(&self.terms, condition) {
            return value == 1;
        }
        if self.terms.evaluate(condition, state.path.model()) == 0 {
            return false;
        }
        let otherwise = self.terms.not(condition);
        let (query, _) = self.relevant(state, otherwise);
        matches!(self.session.check(&self.terms, &query), Answer::Unsat(_))
    }

    /// Whether all conditions hold in every model of a state's path.
    pub(super) fn all_follow(&mut self, state: &State, conditions: &[Term]) -> bool {
        let mut known = FxHashMap::default();
        if conditions.iter().any(|&c| self.terms.evaluate_with(c, state.path.model(), &mut known) == 0) {
            return false;
        }
        let given: FxHashSet<Term> = state.path.conditions().into_iter().collect();
        let mut open: Vec<Term> = Vec::new();
        for &condition in conditions {
            if given.contains(&condition) || state.path.value(&self.terms, condition) == Some(1) {
                continue;
            }
            // One that a change of a few numbers refutes is enough.
            let otherwise = self.terms.not(condition);
            let (query, _) = self.relevant(state, otherwise);
            match self.session.glance(&self.terms, &query, state.path.model()) {
                Some(Answer::Sat(_)) => return false,
                Some(Answer::Unsat(_)) => {}
                Some(Answer::Unknown) | None => open.push(condition),
            }
        }
        open.is_empty() || matches!(self.all_at_once(state, &open), Answer::Unsat(_))
    }

    /// Whether one of the conditions can be false on a state's path. Where none can, the same part of the path shows each of them.
    fn all_at_once(&mut self, state: &State, conditions: &[Term]) -> Answer {
        let mut all = self.terms.truth();
        for &condition in conditions {
            all = self.terms.and(all, condition);
        }
        let otherwise = self.terms.not(all);
        let (query, variables) = self.relevant(state, otherwise);
        match self.session.check_near(&self.terms, &query, state.path.model()) {
            Answer::Sat(found) => Answer::Sat(changed(state.path.model(), &variables, &found)),
            Answer::Unsat(mut core) => {
                core.retain(|&part| part != otherwise);
                for &condition in conditions {
                    core.push(self.terms.not(condition));
                    self.session.learn(&core);
                    core.pop();
                }
                Answer::Unsat(core)
            }
            Answer::Unknown => Answer::Unknown,
        }
    }

    /// Those of the conditions that hold in every model of a state's path. First each by itself, without the solver: most that do not
    /// hold are refuted by a change of one number, and what was shown before is known. Then one question for the rest, and again
    /// while an answer shows that some do not.
    pub(super) fn those_that_follow(&mut self, state: &State, conditions: &[Term]) -> Vec<bool> {
        let given: FxHashSet<Term> = state.path.conditions().into_iter().collect();
        let mut known = FxHashMap::default();
        let mut holds = vec![true; conditions.len()];
        let mut open = Vec::new();
        for (index, &condition) in conditions.iter().enumerate() {
            if given.contains(&condition) || self.terms.is_true(condition) {
                continue;
            }
            if self.terms.evaluate_with(condition, state.path.model(), &mut known) == 0 {
                holds[index] = false;
            } else if state.path.value(&self.terms, condition) != Some(1) {
                open.push(index);
            }
        }
        let mut left = Vec::new();
        let mut next = 0;
        while let Some(&index) = open.get(next) {
            next += 1;
            let otherwise = self.terms.not(conditions[index]);
            let (query, variables) = self.relevant(state, otherwise);
            match self.session.glance(&self.terms, &query, state.path.model()) {
                Some(Answer::Sat(found)) => {
                    holds[index] = false;
                    let model = changed(state.path.model(), &variables, &found);
                    let rest = open.split_off(next);
                    open.extend(self.those_true_in(&model, conditions, rest, &mut holds));
                    left = self.those_true_in(&model, conditions, left, &mut holds);
                }
                Some(Answer::Unsat(_)) => {}
                Some(Answer::Unknown) | None => left.push(index),
            }
        }
        while !left.is_empty() {
            let open: Vec<Term> = left.iter().map(|&index| conditions[index]).collect();
            match self.all_at_once(state, &open) {
                Answer::Unsat(_) => break,
                Answer::Sat(model) => left = self.those_true_in(&model, conditions, left, &mut holds),
                Answer::Unknown => {
                    // Too much at once; one by one the easy ones are still won.
                    for index in std::mem::take(&mut left) {
                        holds[index] = !self.session.interrupted() && self.follows(state, conditions[index]);
                    }
                }
            }
        }
        holds
    }

    /// Of the conditions with these numbers, those that a model does not refute; the others do not hold.
    fn those_true_in(
        &self,
        model: &Assignment,
        conditions: &[Term],
        mut numbers: Vec<usize>,
        holds: &mut [bool],
    ) -> Vec<usize> {
        let mut known = FxHashMap::default();
        numbers.retain(|&index| {
            let holds_here = self.terms.evaluate_with(conditions[index], model, &mut known) == 1;
            holds[index] &= holds_here;
            holds_here
        });
        numbers
    }

    /// Whether the old state's conditions, and the equalities that the pairing takes, follow from the new state.
    pub(super) fn is_covered_by(&mut self, pairing: &Pairing<'_>) -> bool {
        let goals = self.goals(pairing);
        self.all_follow(pairing.new, &goals)
    }

    /// What must follow from the new state so that the old one covers it.
    pub(super) fn goals(&mut self, pairing: &Pairing<'_>) -> Vec<Term> {
        let conditions = pairing.old.path.conditions();
        let mut in_new = pairing.in_new.clone();
        // A variable that was met where both states have the same constant stands for that.
        for &condition in &conditions {
            for &variable in self.variables_of(condition).iter() {
                if in_new.contains_key(&variable) {
                    continue;
                }
                let value = |state: &State| state.path.value(&self.terms, variable);
                if let (Some(value), None) = (value(pairing.old), value(pairing.new)) {
                    let value = self.terms.constant(value, self.terms.width(variable));
                    in_new.insert(variable, value);
                }
            }
        }
        let mut in_new = Substitution::new(in_new);
        let mut goals = Vec::new();
        for &(new, old) in &pairing.equalities {
            let wanted = in_new.apply(&mut self.terms, old);
            goals.push(self.terms.eq(new, wanted));
        }
        for condition in conditions {
            goals.push(in_new.apply(&mut self.terms, condition));
        }
        goals
    }

    /// The variables that each node of a segment had values of its own for, and that are in no pattern of the result any more. As a name for
    /// one value they mean nothing: that the numbers of nodes agree with one of them would say that they agree with each other.
    fn locals_that_are_gone(&mut self, pairing: &Pairing<'_>) -> FxHashSet<Term> {
        let mut locals = locals_in(&pairing.old.memory);
        if pairing.purpose != Purpose::Merge {
            locals.extend(locals_in(&pairing.new.memory));
        }
        if locals.is_empty() {
            return locals;
        }
        for (id, object) in pairing.result.memory.iter() {
            // Of two nodes that become one, the first goes.
            if pairing.purpose == Purpose::Merge && pairing.partners.contains_key(&id) {
                continue;
            }
            let mut values = vec![object.size, object.base];
            object.for_values(&mut |value| values.push(value));
            values.extend(object.segment.as_ref().and_then(|segment| segment.last()));
            for value in values {
                self.variables_of(value).iter().for_each(|variable| {
                    locals.remove(variable);
                });
            }
        }
        locals
    }

    /// Guesses of a fresh variable what conditions say of the variable that it takes the place of. What is less here may be equal there.
    fn guess_said(&mut self, conditions: &[Term], of: Term, fresh: Term, guesses: &mut Vec<Term>) {
        let mut instead = Substitution::new([(of, fresh)]);
        for &condition in conditions {
            if self.variables_of(condition).contains(&of) {
                let said = instead.apply(&mut self.terms, condition);
                guesses.push(said);
                match *self.terms.node(said) {
                    Node::Binary(Op::SLt, a, b) => guesses.push(self.terms.sle(a, b)),
                    Node::Binary(Op::ULt, a, b) => guesses.push(self.terms.ule(a, b)),
                    _ => {}
                }
            }
        }
    }

    /// The path of the result: the conditions that hold of both states.
    pub(super) fn joined_path(&mut self, pairing: &Pairing<'_>) -> Path {
        // What the old state knows, of its variables and of those that were split off from them.
        let mut conditions = pairing.old.path.conditions();
        conditions.reverse();
        let mut guesses = Vec::new();
        for &fresh in &pairing.fresh {
            let stands_for = pairing.in_old[&fresh];
            if self.terms.as_const(stands_for).is_none() {
                guesses.push(self.terms.eq(fresh, stands_for));
            }
            self.guess_said(&conditions, stands_for, fresh, &mut guesses);
            // Of two nodes that become one, either may be the one that says it.
            if pairing.purpose == Purpose::Merge {
                self.guess_said(&conditions, pairing.in_new[&fresh], fresh, &mut guesses);
            }
        }
        self.guess_inherited(pairing, &mut guesses);
        if pairing.old.joins < PATIENCE {
            self.guess(pairing, &mut guesses);
        }
        let mut seen: FxHashSet<Term> = conditions.iter().copied().collect();
        guesses.retain(|&guess| !self.terms.is_true(guess) && seen.insert(guess));
        let mut in_old = Substitution::new(pairing.in_old.clone());
        let asked: Vec<Term> = guesses.iter().map(|&g| in_old.apply(&mut self.terms, g)).collect();
        let holds = self.those_that_follow(pairing.old, &asked);
        conditions.extend(guesses.iter().zip(holds).filter_map(|(&guess, holds)| holds.then_some(guess)));
        let mut in_new = Substitution::new(pairing.in_new.clone());
        let asked: Vec<Term> = conditions.iter().map(|&c| in_new.apply(&mut self.terms, c)).collect();
        let holds = self.those_that_follow(pairing.new, &asked);
        let gone = self.locals_that_are_gone(pairing);
        let stays = |c: Term| gone.is_empty() || !self.variables_of(c).iter().any(|v| gone.contains(v));
        let kept: Vec<Term> =
            conditions.iter().zip(holds).filter_map(|(&c, holds)| (holds && stays(c)).then_some(c)).collect();

        // The new state's model satisfies them all once each variable has the value of what it stands for.
        let mut model = pairing.new.path.model().clone();
        let mut values = FxHashMap::default();
        for (&variable, &term) in &pairing.in_new {
            let value = self.terms.evaluate_with(term, pairing.new.path.model(), &mut values);
            model.insert(variable, value);
        }
        Path::with(&self.terms, kept, model)
    }
}
