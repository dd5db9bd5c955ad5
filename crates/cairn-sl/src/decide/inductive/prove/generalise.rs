//! Generalisation of integers: a goal about a list of length 1000 follows from one about any length.
//!
//! Large constants become variables of which only differences are kept, and large lower bounds
//! become small ones. The weakened constraints follow from the goal's left side, so a proof of the
//! generalised goal proves the original one.

use super::super::flat::{Call, Kind, Var};
use super::{Goal, Path, Prover};
use crate::arithmetic::{Answer as Numbers, Constraint, Relation, Row, entails, solve};
use crate::budget::Reason;
use crate::limits::{GENERALISED_BOUND, MAX_GENERALISATIONS, MAX_KEPT_CONSTANT};

impl Prover<'_> {
    /// Tries to prove a goal by generalising its constants.
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

    /// Returns sets of constraints that follow from those of the left side and constrain large constants less.
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
        // Collect the constraints on variables that are not constant.
        let mut bounds_change = false;
        let mut others: Vec<Constraint> = Vec::new();
        for constraint in numbers {
            let row = &constraint.row;
            if row.terms.iter().all(|t| constant(t.0).is_some()) {
                continue;
            }
            bounds_change |= row.constant < -GENERALISED_BOUND;
            others.push(constraint.clone());
        }
        let used = |calls: &[Call]| -> Vec<Var> {
            let mut all: Vec<Var> = calls.iter().flat_map(|c| &c.arguments).copied().collect();
            all.retain(|&v| {
                self.variables.kind(v) == Kind::Integer && constant(v).is_some_and(|c| c > MAX_KEPT_CONSTANT)
            });
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
                    if rest.abs() <= GENERALISED_BOUND && a != l && b != l {
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
                let apart = Row { constant: -difference.min(GENERALISED_BOUND), ..Row::difference(l, r) };
                let relation = if difference.abs() <= GENERALISED_BOUND {
                    Constraint::zero(apart)
                } else {
                    Constraint::at_least_zero(apart)
                };
                if difference >= -GENERALISED_BOUND {
                    ways.push(Way { moving: vec![l, r], known: vec![relation, at_least(l, 1), at_least(r, 1)] });
                }
            }
            ways.push(Way { moving: vec![l], known: vec![at_least(l, value(l).min(GENERALISED_BOUND))] });
        }
        if left.is_empty() {
            ways.extend(right.iter().map(|&r| Way { moving: vec![r], known: vec![at_least(r, 1)] }));
            if bounds_change {
                ways.push(Way { moving: Vec::new(), known: Vec::new() });
            }
        }
        ways.truncate(MAX_GENERALISATIONS);
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

/// Constants that become variables, with the constraints to keep.
struct Way {
    moving: Vec<Var>,
    known: Vec<Constraint>,
}

fn at_least(var: Var, bound: i128) -> Constraint {
    Constraint::at_least_zero(Row { constant: -bound, ..Row::unknown(var) })
}

/// Rewrites a constraint with a large constant in terms of a variable of similar value, or with a smaller bound.
///
/// The result follows from the constraint and the values of the variables.
fn abstracted(constraint: &Constraint, moving: &[Var], value: &impl Fn(Var) -> i128) -> Option<Constraint> {
    let row = &constraint.row;
    if row.constant.abs() <= GENERALISED_BOUND {
        return Some(constraint.clone());
    }
    let sign = row.constant.signum();
    let near = moving.iter().find(|&&v| {
        (row.constant.abs() - value(v)).abs() <= GENERALISED_BOUND || (sign < 0 && row.constant.abs() > value(v))
    });
    if let Some(&var) = near {
        let mut rest = row.constant - sign * value(var);
        if rest.abs() > GENERALISED_BOUND {
            // The lower bound exceeds the variable by a large amount; weaken it.
            if constraint.relation != Relation::AtLeastZero || rest > 0 {
                return Some(constraint.clone());
            }
            rest = -GENERALISED_BOUND;
        }
        let abstracted = Row { terms: row.terms.clone(), constant: rest }.plus(&Row::unknown(var), sign)?;
        return Some(Constraint { row: abstracted, relation: constraint.relation });
    }
    if constraint.relation == Relation::AtLeastZero && sign < 0 {
        return Some(Constraint::at_least_zero(Row { terms: row.terms.clone(), constant: -GENERALISED_BOUND }));
    }
    Some(constraint.clone())
}
