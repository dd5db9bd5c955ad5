//! The path condition of a joined state: the conditions that hold in both states.
//!
//! There are no transfer functions of a numeric domain. Conditions are guessed ([`crate::numeric::guesses`]), and the
//! solver decides in both states whether a guess holds. A condition of the old state that the new state does not
//! imply is dropped and does not come back. This is the widening.

use cairn_smt::evaluate::Assignment;
use cairn_smt::term::{Node, Op};
use cairn_smt::{Answer, Substitution, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lattice;
use crate::State;
use crate::join::pairing::{Pairing, Purpose};
use crate::join::shapes::locals_in;
use crate::limits::MAX_GUESSING_JOINS;
use cairn_exec::changed;
use cairn_exec::path::Path;
use cairn_exec::planted;
impl Lattice<'_> {
    /// Returns whether all conditions follow from a state's path condition.
    pub(crate) fn all_implied(&mut self, state: &State, conditions: &[Term]) -> bool {
        let mut known = FxHashMap::default();
        if conditions.iter().any(|&c| self.machine.terms.evaluate_with(c, state.path.model(), &mut known) == 0) {
            return false;
        }
        let given: FxHashSet<Term> = state.path.conditions().into_iter().collect();
        let mut open: Vec<Term> = Vec::new();
        for &condition in conditions {
            if given.contains(&condition) || state.path.value(&self.machine.terms, condition) == Some(1) {
                continue;
            }
            // A model that differs in a few numbers may already refute the condition.
            let otherwise = self.machine.terms.not(condition);
            let (query, _) = self.relevant(state, otherwise);
            match self.machine.session.glance(&self.machine.terms, &query, state.path.model()) {
                Some(Answer::Sat(_)) => return false,
                Some(Answer::Unsat(_)) => {}
                Some(Answer::Unknown) | None => open.push(condition),
            }
        }
        open.is_empty() || matches!(self.refute_any(state, &open), Answer::Unsat(_))
    }

    /// Asks whether one of the conditions can be false on a state's path.
    ///
    /// If none can, the unsatisfiable core proves each of them, and the session remembers that.
    fn refute_any(&mut self, state: &State, conditions: &[Term]) -> Answer {
        let mut all = self.machine.terms.truth();
        for &condition in conditions {
            all = self.machine.terms.and(all, condition);
        }
        let otherwise = self.machine.terms.not(all);
        let (query, variables) = self.relevant(state, otherwise);
        match self.machine.session.check_near(&self.machine.terms, &query, state.path.model()) {
            Answer::Sat(found) => Answer::Sat(changed(state.path.model(), &variables, &found)),
            Answer::Unsat(mut core) => {
                core.retain(|&part| part != otherwise);
                for &condition in conditions {
                    core.push(self.machine.terms.not(condition));
                    self.machine.session.learn(&core);
                    core.pop();
                }
                Answer::Unsat(core)
            }
            Answer::Unknown => Answer::Unknown,
        }
    }

    /// Returns for each condition whether it follows from a state's path condition.
    ///
    /// Each condition is tried alone first, without the solver: a change of one number refutes most conditions that
    /// do not hold, and earlier results are reused. One query then asks about all others, again and again while a
    /// model refutes some of them.
    pub(crate) fn implied(&mut self, state: &State, conditions: &[Term]) -> Vec<bool> {
        let given: FxHashSet<Term> = state.path.conditions().into_iter().collect();
        let mut known = FxHashMap::default();
        let mut holds = vec![true; conditions.len()];
        let mut open = Vec::new();
        for (index, &condition) in conditions.iter().enumerate() {
            if given.contains(&condition) || self.machine.terms.is_true(condition) {
                continue;
            }
            if self.machine.terms.evaluate_with(condition, state.path.model(), &mut known) == 0 {
                holds[index] = false;
            } else if state.path.value(&self.machine.terms, condition) != Some(1) {
                open.push(index);
            }
        }
        let mut left = Vec::new();
        let mut next = 0;
        while let Some(&index) = open.get(next) {
            next += 1;
            let otherwise = self.machine.terms.not(conditions[index]);
            let (query, variables) = self.relevant(state, otherwise);
            match self.machine.session.glance(&self.machine.terms, &query, state.path.model()) {
                Some(Answer::Sat(found)) => {
                    holds[index] = false;
                    let model = changed(state.path.model(), &variables, &found);
                    let rest = open.split_off(next);
                    open.extend(self.retain_true_in(&model, conditions, rest, &mut holds));
                    left = self.retain_true_in(&model, conditions, left, &mut holds);
                }
                Some(Answer::Unsat(_)) => {}
                Some(Answer::Unknown) | None => left.push(index),
            }
        }
        while !left.is_empty() {
            let open: Vec<Term> = left.iter().map(|&index| conditions[index]).collect();
            match self.refute_any(state, &open) {
                Answer::Unsat(_) => break,
                Answer::Sat(model) => left = self.retain_true_in(&model, conditions, left, &mut holds),
                Answer::Unknown => {
                    // The query was too hard for all conditions together, but easy ones may still be decided one by
                    // one.
                    for index in std::mem::take(&mut left) {
                        holds[index] = !self.machine.session.interrupted() && self.follows(state, conditions[index]);
                    }
                }
            }
        }
        holds
    }

    /// Removes the conditions that a model refutes, and records that they do not hold.
    fn retain_true_in(
        &self,
        model: &Assignment,
        conditions: &[Term],
        mut numbers: Vec<usize>,
        holds: &mut [bool],
    ) -> Vec<usize> {
        let mut known = FxHashMap::default();
        numbers.retain(|&index| {
            let holds_here = self.machine.terms.evaluate_with(conditions[index], model, &mut known) == 1;
            holds[index] &= holds_here;
            holds_here
        });
        numbers
    }

    /// Returns whether the new state implies the old state's conditions and the equalities of the pairing.
    pub(crate) fn is_covered_by(&mut self, pairing: &Pairing<'_>) -> bool {
        let goals = self.goals(pairing);
        planted!(45, self.all_implied(pairing.new, &goals), true)
    }

    /// Returns the conditions that the new state must imply so that the old state covers it.
    pub(crate) fn goals(&mut self, pairing: &Pairing<'_>) -> Vec<Term> {
        let conditions = pairing.old.path.conditions();
        let mut in_new = pairing.in_new.clone();
        // A variable that was paired where both states have the same constant stands for that constant.
        for &condition in &conditions {
            for &variable in self.variables_of(condition).iter() {
                if in_new.contains_key(&variable) {
                    continue;
                }
                let value = |state: &State| state.path.value(&self.machine.terms, variable);
                if let (Some(value), None) = (value(pairing.old), value(pairing.new)) {
                    let value = self.machine.terms.constant(value, self.machine.terms.width(variable));
                    in_new.insert(variable, value);
                }
            }
        }
        let mut in_new = Substitution::new(in_new);
        let mut goals = Vec::new();
        for &(new, old) in &pairing.equalities {
            let wanted = in_new.apply(&mut self.machine.terms, old);
            goals.push(self.machine.terms.eq(new, wanted));
        }
        for condition in conditions {
            goals.push(in_new.apply(&mut self.machine.terms, condition));
        }
        goals
    }

    /// Returns the variables that were local to segments and occur in no pattern of the result any more.
    ///
    /// Such a variable had one value for each node. As the name of a single value it would be unsound: a condition
    /// that equates it with the numbers of two nodes would also equate these numbers.
    fn dropped_locals(&mut self, pairing: &Pairing<'_>) -> FxHashSet<Term> {
        let mut locals = locals_in(&pairing.old.memory);
        if pairing.purpose != Purpose::Merge {
            locals.extend(locals_in(&pairing.new.memory));
        }
        if locals.is_empty() {
            return locals;
        }
        for (id, object) in pairing.result.memory.iter() {
            // When two nodes are merged, the first one is removed.
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

    /// Guesses for a fresh variable the conditions on the variable that it replaces.
    ///
    /// A strict order in one state may be an equality in the other.
    fn guess_conditions_of(&mut self, conditions: &[Term], of: Term, fresh: Term, guesses: &mut Vec<Term>) {
        let mut instead = Substitution::new([(of, fresh)]);
        for &condition in conditions {
            if self.variables_of(condition).contains(&of) {
                let said = instead.apply(&mut self.machine.terms, condition);
                guesses.push(said);
                match *self.machine.terms.node(said) {
                    Node::Binary(Op::SLt, a, b) => guesses.push(self.machine.terms.sle(a, b)),
                    Node::Binary(Op::ULt, a, b) => guesses.push(self.machine.terms.ule(a, b)),
                    _ => {}
                }
            }
        }
    }

    /// Returns the path of the result: the conditions that hold in both states.
    pub(crate) fn joined_path(&mut self, pairing: &Pairing<'_>) -> Path {
        // The conditions of the old state, also for the fresh variables that replace its terms.
        let mut conditions = pairing.old.path.conditions();
        conditions.reverse();
        let mut guesses = Vec::new();
        for &fresh in &pairing.fresh {
            let stands_for = pairing.in_old[&fresh];
            if self.machine.terms.as_const(stands_for).is_none() {
                guesses.push(self.machine.terms.eq(fresh, stands_for));
            }
            self.guess_conditions_of(&conditions, stands_for, fresh, &mut guesses);
            // When two nodes are merged, either node may have the condition.
            if pairing.purpose == Purpose::Merge {
                self.guess_conditions_of(&conditions, pairing.in_new[&fresh], fresh, &mut guesses);
            }
        }
        self.guess_inherited(pairing, &mut guesses);
        if pairing.old.extra.joins < MAX_GUESSING_JOINS {
            self.guess(pairing, &mut guesses);
        }
        let mut seen: FxHashSet<Term> = conditions.iter().copied().collect();
        guesses.retain(|&guess| !self.machine.terms.is_true(guess) && seen.insert(guess));
        let mut in_old = Substitution::new(pairing.in_old.clone());
        let asked: Vec<Term> = guesses.iter().map(|&g| in_old.apply(&mut self.machine.terms, g)).collect();
        let holds = planted!(44, self.implied(pairing.old, &asked), vec![true; asked.len()]);
        conditions.extend(guesses.iter().zip(holds).filter_map(|(&guess, holds)| holds.then_some(guess)));
        let mut in_new = Substitution::new(pairing.in_new.clone());
        let asked: Vec<Term> = conditions.iter().map(|&c| in_new.apply(&mut self.machine.terms, c)).collect();
        let holds = planted!(43, self.implied(pairing.new, &asked), vec![true; asked.len()]);
        let gone = self.dropped_locals(pairing);
        let stays = |c: Term| gone.is_empty() || !self.variables_of(c).iter().any(|v| gone.contains(v));
        let kept: Vec<Term> = conditions
            .iter()
            .zip(holds)
            .filter_map(|(&c, holds)| (holds && planted!(46, stays(c), true)).then_some(c))
            .collect();

        // The new state's model satisfies all conditions once each variable has the value of the term that it stands
        // for.
        let mut model = pairing.new.path.model().clone();
        let mut values = FxHashMap::default();
        for (&variable, &term) in &pairing.in_new {
            let value = self.machine.terms.evaluate_with(term, pairing.new.path.model(), &mut values);
            model.insert(variable, value);
        }
        Path::with(&self.machine.terms, kept, model)
    }
}
