//! Goals of the proof search.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::flat::{Flat, Kind, Var, Variables};
use crate::arithmetic::{Constraint, Relation, Row};
use crate::limits;

/// The entailment `left ⊢ ∃ exists. right`; all other variables are universal.
#[derive(Clone, Debug, Default)]
pub struct Goal {
    pub left: Flat,
    pub right: Flat,
    pub exists: FxHashSet<Var>,
}

impl Goal {
    /// Replaces a variable on both sides; returns `None` on overflow.
    pub fn replace(&mut self, from: Var, to: Var) -> Option<()> {
        let rename = |v: Var| if v == from { to } else { v };
        self.left = self.left.renamed(rename)?;
        self.right = self.right.renamed(rename)?;
        Some(())
    }

    /// Instantiates an existential variable.
    pub fn instantiate(&mut self, existential: Var, value: Var) -> Option<()> {
        self.exists.remove(&existential);
        self.right = self.right.renamed(|v| if v == existential { value } else { v })?;
        Some(())
    }

    /// Substitutes the equalities of the left side.
    pub fn apply_equalities(&mut self, nils: u32) -> Option<()> {
        while let Some((a, b)) = self.left.equal.pop() {
            if a == b {
                continue;
            }
            // Nils are never replaced; they have different sorts and are never equated.
            let (kept, gone) = if a < nils || (b >= nils && a < b) { (a, b) } else { (b, a) };
            self.replace(gone, kept)?;
        }
        Some(())
    }

    /// Returns a form that is equal for goals that differ only in variable names.
    pub fn canonical(&self, nils: u32) -> Option<(Flat, Flat, Vec<Var>)> {
        let mut numbers: FxHashMap<Var, Var> = FxHashMap::default();
        let mut next = nils;
        let mut rename = |v: Var| {
            if v < nils {
                return v;
            }
            *numbers.entry(v).or_insert_with(|| {
                next += 1;
                next - 1
            })
        };
        // Number the variables of spatial atoms first, because their order does not depend on how
        // the pure part was derived.
        self.left.each_spatial_variable(|v| {
            rename(v);
        });
        self.right.each_spatial_variable(|v| {
            rename(v);
        });
        let left = sorted(self.left.renamed(&mut rename)?);
        let right = sorted(self.right.renamed(&mut rename)?);
        let mut exists: Vec<Var> = self.exists.iter().filter_map(|v| numbers.get(v)).copied().collect();
        exists.sort_unstable();
        Some((left, right, exists))
    }

    /// Moves equations that define an existential integer to the left side, which makes the integer universal.
    pub fn define_existential_numbers(&mut self) -> Option<bool> {
        let mut changed = false;
        while let Some((place, var)) = self.right.numbers.iter().enumerate().find_map(|(place, c)| {
            let unknown: Vec<_> = c.row.terms.iter().filter(|t| self.exists.contains(&t.0)).collect();
            match unknown[..] {
                [&(var, 1 | -1)] if c.relation == Relation::Zero => Some((place, var)),
                _ => None,
            }
        }) {
            let constraint = self.right.numbers.swap_remove(place);
            self.left.numbers.push(constraint);
            self.exists.remove(&var);
            changed = true;
        }
        Some(changed)
    }

    /// Eliminates integers that occur only in constraints of the left side.
    ///
    /// This keeps hypotheses small. Constraints that cannot be expressed easily without these integers are dropped.
    pub fn forget_numbers(&mut self) -> Option<()> {
        let mut alive: FxHashSet<Var> = FxHashSet::default();
        self.left.each_spatial_variable(|v| {
            alive.insert(v);
        });
        self.right.each_variable(|v| {
            alive.insert(v);
        });
        let numbers = &mut self.left.numbers;
        loop {
            numbers.sort_unstable();
            numbers.dedup();
            numbers.retain(|c| !c.row.terms.is_empty() || c.holds(&|_| 0) != Some(true));
            let dead = numbers.iter().flat_map(|c| &c.row.terms).map(|t| t.0).find(|v| !alive.contains(v));
            let Some(dead) = dead else { return Some(()) };
            let equation =
                numbers.iter().position(|c| c.relation == Relation::Zero && c.row.coefficient(dead).abs() == 1);
            if let Some(place) = equation {
                let equation = numbers.swap_remove(place).row;
                let coefficient = equation.coefficient(dead);
                let mut rest = equation;
                rest.terms.retain(|t| t.0 != dead);
                let value = rest.times(-coefficient)?;
                for constraint in numbers.iter_mut() {
                    constraint.row = constraint.row.substitute(dead, &value)?;
                }
                continue;
            }
            // Combine unit lower and upper bounds of the variable, and drop all other constraints on it.
            let (about, mut rest): (Vec<_>, Vec<_>) = numbers.drain(..).partition(|c| c.row.coefficient(dead) != 0);
            let bounds = |sign: i128| {
                about.iter().filter(move |c| c.relation == Relation::AtLeastZero && c.row.coefficient(dead) == sign)
            };
            for low in bounds(1).take(limits::MAX_COMBINED_BOUNDS) {
                for high in bounds(-1).take(limits::MAX_COMBINED_BOUNDS) {
                    rest.push(Constraint::at_least_zero(low.row.plus(&high.row, 1)?));
                }
            }
            *numbers = rest;
        }
    }

    /// Requires a term of the right side to equal a term of the left side.
    ///
    /// An existential term is instantiated; otherwise the equality becomes part of the goal.
    pub fn unify(&mut self, right: Var, left: Var, variables: &Variables) -> Option<()> {
        if right == left {
            return Some(());
        }
        if self.exists.contains(&right) {
            return self.instantiate(right, left);
        }
        match variables.kind(right) {
            Kind::Location(_) => self.right.equal.push((right, left)),
            Kind::Integer => self.right.numbers.push(Constraint::zero(Row::difference(right, left))),
        }
        Some(())
    }
}

fn sorted(mut flat: Flat) -> Flat {
    for pair in flat.distinct.iter_mut().chain(&mut flat.equal) {
        *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
    }
    flat.distinct.sort_unstable();
    flat.distinct.dedup();
    flat.equal.sort_unstable();
    flat.equal.dedup();
    flat.numbers.sort_unstable();
    flat.numbers.dedup();
    flat
}
