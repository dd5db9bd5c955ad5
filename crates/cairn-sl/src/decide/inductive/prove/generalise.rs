//! Numbers in a way of induction: a goal about a list of length 1000 is shown by one about lists of any length.
//!
//! Constants that are large become variables, of which only differences are kept, and large lower bounds become small ones. What
//! is left follows from the goal's left side, so a proof of the new goal is one of the old.

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
        // What is said of other variables.
        let mut bounds_change = false;
        let mut others: Vec<Constraint> = Vec::new();
        for constraint in numbers {
            let row = &constraint.row;
            if row.terms.iter().all(|t| constant(t.0).is_some()) {
                continue;
            }
            bounds_change |= row.constant < -BOUND;
            others.push(constraint.clone());
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
        let value = |v: Var| constant(v).unwrap_or(0);
        let mut ways: Vec<Way> = Vec::new();
        for &l in &left {
            for (i, &a) in right.iter().enumerate() {
                for &b in &right[..i] {
                    let rest = value(l) - value(a) - value(b);
                    if rest.abs() <= BOUND && a != l && b != l {
                        let row = Row { terms: vec![(l, 1)], constant: -rest };
                        let row = row.plus(&Row::unknown(a), -1).and_then(|r| r.plus(&Row::unknown(b), -1));
                        let positive = [a, b].map(|v| at_least(v, 1));
                        ways.extend(row.map(|row| Way {
                            moving: vec![l, a, b],
                            known: [Constraint::zero(row)].into_iter().chain(positive).collect(),
                        }));
                    }
                }
            }
            for &r in right.iter().filter(|r| **r != l) {
                let difference = value(l) - value(r);
                let apart = Row { constant: -difference.min(BOUND), ..Row::difference(l, r) };
                let relation =
                    if difference.abs() <= BOUND { Constraint::zero(apart) } else { Constraint::at_least_zero(apart) };
                if difference >= -BOUND {
                    ways.push(Way { moving: vec![l, r], known: vec![relation, at_least(l, 1), at_least(r, 1)] });
                }
            }
            ways.push(Way { moving: vec![l], known: vec![at_least(l, value(l).min(BOUND))] });
        }
        if left.is_empty() {
            ways.extend(right.iter().map(|&r| Way { moving: vec![r], known: vec![at_least(r, 1)] }));
            if bounds_change {
                ways.push(Way { moving: Vec::new(), known: Vec::new() });
            }
        }
        ways.truncate(MOST_WAYS);
        ways.into_iter()
            .filter_map(|way| {
                let mut result = way.known;
                for constraint in &others {
                    result.push(abstracted(constraint, &way.moving, &value)?);
                }
                for &(var, value) in &constants {
                    if !way.moving.contains(&var) {
                        result.push(Constraint::zero(Row { constant: value.checked_neg()?, ..Row::unknown(var) }));
                    }
                }
                Some(result)
            })
            .collect()
    }
}

/// Constants that become variables, and what stays known of them.
struct Way {
    moving: Vec<Var>,
    known: Vec<Constraint>,
}

fn at_least(var: Var, bound: i128) -> Constraint {
    Constraint::at_least_zero(Row { constant: -bound, ..Row::unknown(var) })
}

/// A constraint with a large number in it, in terms of a variable that has nearly this value, or with a smaller bound. What comes out
/// follows from the constraint and the variables' values.
fn abstracted(constraint: &Constraint, moving: &[Var], value: &impl Fn(Var) -> i128) -> Option<Constraint> {
    let row = &constraint.row;
    if row.constant.abs() <= BOUND {
        return Some(constraint.clone());
    }
    let sign = row.constant.signum();
    let near = moving
        .iter()
        .find(|&&v| (row.constant.abs() - value(v)).abs() <= BOUND || (sign < 0 && row.constant.abs() > value(v)));
    if let Some(&var) = near {
        let mut rest = row.constant - sign * value(var);
        if rest.abs() > BOUND {
            // A lower bound that is larger than the variable: a smaller one follows.
            if constraint.relation != Relation::AtLeastZero || rest > 0 {
                return Some(constraint.clone());
            }
            rest = -BOUND;
        }
        let abstracted = Row { terms: row.terms.clone(), constant: rest }.plus(&Row::unknown(var), sign)?;
        return Some(Constraint { row: abstracted, relation: constraint.relation });
    }
    if constraint.relation == Relation::AtLeastZero && sign < 0 {
        return Some(Constraint::at_least_zero(Row { terms: row.terms.clone(), constant: -BOUND }));
    }
    Some(constraint.clone())
}
