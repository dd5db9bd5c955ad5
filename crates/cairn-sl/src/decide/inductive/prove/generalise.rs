//! Numbers in a way of induction: a goal about a list of length 1000 is shown by one about lists of any length.
//!
//! Constants that are large become variables, of which only differences are kept, and large lower bounds become small ones. What
//! is left follows from the goal's left side, so a proof of the new goal is one of the old.

use rustc_hash::FxHashSet;

use super::super::flat::{Call, Kind, Var};
use super::{Goal, Path, Prover};
use crate::arithmetic::{Answer as Numbers, Constraint, Relation, Row, entails, solve};
use crate::budget::Reason;

/// Numbers up to this one are reached by unfolding.
const SMALL: i128 = 3;

/// What a lower bound becomes where nothing else is known of how far a proof must unfold.
const BOUND: i128 = 8;

/// Ways to generalise that are tried for one goal.
const MOST_WAYS: usize = 6;

impl Prover<'_> {
    /// Proves a goal by one with fewer constants.
    pub(super) fn generalise(&mut self, goal: &Goal, path: &Path) -> Result<bool, Reason> {
        if self.nesting > 1 || goal.left.numbers.is_empty() {
            return Ok(false);
        }
        for numbers in self.weaker_numbers(goal) {
            let mut general = goal.clone();
            general.left.numbers = numbers;
            if self.own_proof(general, path)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sets of constraints that follow from those of the left side and say less about large constants.
    fn weaker_numbers(&self, goal: &Goal) -> Vec<Vec<Constraint>> {
        let numbers = &goal.left.numbers;
        let Numbers::Feasible(solution) = solve(numbers) else { return Vec::new() };
        let mut mentioned: Vec<Var> = numbers.iter().flat_map(|c| &c.row.terms).map(|t| t.0).collect();
        mentioned.sort_unstable();
        mentioned.dedup();
        let constants: Vec<(Var, i128)> = mentioned
            .into_iter()
            .filter_map(|v| {
                let value = solution.get(&v).copied().unwrap_or(0);
                let is = Constraint::zero(Row { constant: value.checked_neg()?, ..Row::unknown(v) });
                (entails(numbers, &is) == Some(true)).then_some((v, value))
            })
            .collect();
        let constant = |v: Var| constants.iter().find(|c| c.0 == v).map(|c| c.1);
        // What is said of other variables stays, with smaller lower bounds.
        let mut bounds_change = false;
        let mut others: Vec<Constraint> = Vec::new();
        for constraint in numbers {
            let row = &constraint.row;
            if row.terms.iter().all(|t| constant(t.0).is_some()) {
                continue;
            }
            match (&row.terms[..], constraint.relation) {
                ([(_, 1)], Relation::AtLeastZero) if row.constant < -BOUND => {
                    bounds_change = true;
                    others.push(Constraint::at_least_zero(Row { terms: row.terms.clone(), constant: -BOUND }));
                }
                _ => others.push(constraint.clone()),
            }
        }
        let used = |calls: &[Call]| -> Vec<Var> {
            let mut all: Vec<Var> = calls.iter().flat_map(|c| &c.arguments).copied().collect();
            all.retain(|&v| self.variables.kind(v) == Kind::Integer && constant(v).is_some_and(|c| c > SMALL));
            all.sort_unstable();
            all.dedup();
            all
        };
        let left = used(&goal.left.calls);
        let right = used(&goal.right.calls);
        if left.is_empty() && !bounds_change {
            return Vec::new();
        }
        // Which constants move together.
        let mut ways: Vec<Vec<Var>> = Vec::new();
        for &l in &left {
            ways.extend(right.iter().map(|&r| if r == l { vec![l] } else { vec![l, r] }));
        }
        ways.extend(left.iter().map(|&l| vec![l]));
        let all: Vec<Var> = left.iter().chain(&right).copied().collect::<FxHashSet<_>>().into_iter().collect();
        if all.len() > 2 {
            ways.push(all);
        }
        ways.truncate(MOST_WAYS);
        if left.is_empty() {
            ways = vec![Vec::new()];
        }
        ways.into_iter()
            .filter_map(|mut moving| {
                moving.sort_by_key(|&v| constant(v));
                let mut result = others.clone();
                for &(var, value) in &constants {
                    if !moving.contains(&var) {
                        result.push(Constraint::zero(Row { constant: value.checked_neg()?, ..Row::unknown(var) }));
                    }
                }
                for pair in moving.windows(2) {
                    let difference = constant(pair[1])?.checked_sub(constant(pair[0])?)?;
                    result.push(Constraint::zero(Row { constant: difference.checked_neg()?, ..Row::difference(pair[1], pair[0]) }));
                }
                if let Some(&least) = moving.first() {
                    let bound = if moving.len() > 1 { 1 } else { constant(least)?.min(BOUND) };
                    result.push(Constraint::at_least_zero(Row { constant: -bound, ..Row::unknown(least) }));
                }
                Some(result)
            })
            .collect()
    }
}
