//! Separation-logic formulas as plain trees.
//!
//! Records are flattened: a cell is a location and the list of its fields, and a constant of a
//! record sort is one variable per field. Every term is therefore a location, an integer or a truth
//! value.
//!
//! Invariant: a [`Variable`] is bound at most once in a formula. Substitution therefore never captures a variable.

use std::collections::BTreeMap;

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Unbounded integers.
    Int,
    /// Addresses of cells of one kind. Locations of different sorts are never equal.
    Location(LocationSort),
}

/// A sort of locations, identified by its index in the [`crate::signature::Signature`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocationSort(pub u32);

/// An inductive predicate, identified by its index in the [`crate::signature::Signature`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredicateId(pub u32);

/// A variable: free, bound by a quantifier, or a parameter of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable {
    /// The identity of the variable. The signature names the lower numbers; procedures generate the higher ones.
    pub number: u32,
    /// The sort of the variable.
    pub sort: Sort,
}

/// A generator of fresh variables.
#[derive(Clone, Debug)]
pub struct Fresh {
    next: u32,
}

impl Fresh {
    /// Creates a generator whose first variable has this number.
    pub fn starting_at(next: u32) -> Self {
        Self { next }
    }

    /// Generates a fresh variable.
    pub fn variable(&mut self, sort: Sort) -> Variable {
        let number = self.next;
        self.next += 1;
        Variable { number, sort }
    }
}

/// The linear term `constant + Σ coefficient · variable`.
///
/// The variables are distinct, in ascending order and of sort `Int`. No coefficient is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// The constant part.
    pub constant: i64,
    /// The monomials as pairs of variable and coefficient.
    pub monomials: Vec<(Variable, i64)>,
}

impl Linear {
    /// Creates a constant.
    pub fn constant(constant: i64) -> Self {
        Self { constant, monomials: Vec::new() }
    }

    /// Creates the linear term of a single variable.
    pub fn variable(variable: Variable) -> Self {
        debug_assert_eq!(variable.sort, Sort::Int);
        Self { constant: 0, monomials: vec![(variable, 1)] }
    }

    /// Returns the value if the term is a constant.
    pub fn as_constant(&self) -> Option<i64> {
        self.monomials.is_empty().then_some(self.constant)
    }

    /// Returns the variable if the term is just a variable.
    pub fn as_variable(&self) -> Option<Variable> {
        match self.monomials[..] {
            [(variable, 1)] if self.constant == 0 => Some(variable),
            _ => None,
        }
    }

    /// Returns `self + factor · other`, or `None` on overflow.
    pub fn add_scaled(&self, other: &Linear, factor: i64) -> Option<Linear> {
        let mut sum: BTreeMap<Variable, i64> = self.monomials.iter().copied().collect();
        for &(variable, coefficient) in &other.monomials {
            let entry = sum.entry(variable).or_insert(0);
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(Linear { constant, monomials: sum.into_iter().filter(|(_, c)| *c != 0).collect() })
    }

    /// Returns `factor · self`, or `None` on overflow.
    pub fn scaled(&self, factor: i64) -> Option<Linear> {
        Linear::default().add_scaled(self, factor)
    }

    /// Applies a substitution; returns `None` on overflow.
    pub fn substitute(&self, substitution: &Substitution) -> Option<Linear> {
        let mut result = Linear::constant(self.constant);
        for &(variable, coefficient) in &self.monomials {
            let value = match substitution.get(&variable) {
                Some(Term::Integer(value)) => value.clone(),
                _ => Linear::variable(variable),
            };
            result = result.add_scaled(&value, coefficient)?;
        }
        Some(result)
    }
}

/// A location, an integer or a variable of sort `Bool`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// The location of a sort that is never allocated.
    Nil(LocationSort),
    /// A variable of any sort except `Int`.
    Variable(Variable),
    /// An integer, including variables of sort `Int`.
    Integer(Linear),
}

impl Term {
    /// Creates the term of a variable.
    pub fn variable(variable: Variable) -> Self {
        match variable.sort {
            Sort::Int => Term::Integer(Linear::variable(variable)),
            _ => Term::Variable(variable),
        }
    }

    /// Returns the variable if the term is just a variable.
    pub fn as_variable(&self) -> Option<Variable> {
        match self {
            Term::Nil(_) => None,
            Term::Variable(variable) => Some(*variable),
            Term::Integer(linear) => linear.as_variable(),
        }
    }

    /// Returns the sort of the term.
    pub fn sort(&self) -> Sort {
        match self {
            Term::Nil(sort) => Sort::Location(*sort),
            Term::Variable(variable) => variable.sort,
            Term::Integer(_) => Sort::Int,
        }
    }

    /// Returns the variables in the term.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        let (single, linear) = match self {
            Term::Nil(_) => (None, None),
            Term::Variable(variable) => (Some(*variable), None),
            Term::Integer(linear) => (None, Some(linear)),
        };
        single.into_iter().chain(linear.into_iter().flat_map(|l| l.monomials.iter().map(|m| m.0)))
    }

    /// Applies a substitution; returns `None` on overflow.
    pub fn substitute(&self, substitution: &Substitution) -> Option<Term> {
        match self {
            Term::Nil(_) => Some(self.clone()),
            Term::Variable(variable) => Some(substitution.get(variable).unwrap_or(self).clone()),
            Term::Integer(linear) => linear.substitute(substitution).map(Term::Integer),
        }
    }
}

/// A sort-preserving map from variables to terms.
pub type Substitution = rustc_hash::FxHashMap<Variable, Term>;

/// A pure atom: a statement about the stack only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pure {
    /// Two locations of the same sort are equal.
    Equal(Term, Term),
    /// Two locations of the same sort differ.
    Distinct(Term, Term),
    /// The integer is 0.
    Zero(Linear),
    /// The integer is not 0.
    NonZero(Linear),
    /// The integer is at most 0.
    AtMostZero(Linear),
    /// The variable of sort `Bool` has this value.
    Truth(Variable, bool),
}

impl Pure {
    /// Creates the equality of two terms of the same sort; returns `None` on overflow.
    pub fn equal(a: &Term, b: &Term) -> Option<Pure> {
        match (a, b) {
            (Term::Integer(a), Term::Integer(b)) => a.add_scaled(b, -1).map(Pure::Zero),
            _ => Some(Pure::Equal(a.clone(), b.clone())),
        }
    }

    /// Returns the negation, or `None` on overflow.
    pub fn negated(&self) -> Option<Pure> {
        Some(match self {
            Pure::Equal(a, b) => Pure::Distinct(a.clone(), b.clone()),
            Pure::Distinct(a, b) => Pure::Equal(a.clone(), b.clone()),
            Pure::Zero(linear) => Pure::NonZero(linear.clone()),
            Pure::NonZero(linear) => Pure::Zero(linear.clone()),
            // Not (l <= 0) is l >= 1, which is 1 - l <= 0.
            Pure::AtMostZero(linear) => Pure::AtMostZero(Linear::constant(1).add_scaled(linear, -1)?),
            Pure::Truth(variable, value) => Pure::Truth(*variable, !value),
        })
    }

    /// Applies a substitution; returns `None` on overflow.
    pub fn substitute(&self, substitution: &Substitution) -> Option<Pure> {
        Some(match self {
            Pure::Equal(a, b) => Pure::Equal(a.substitute(substitution)?, b.substitute(substitution)?),
            Pure::Distinct(a, b) => Pure::Distinct(a.substitute(substitution)?, b.substitute(substitution)?),
            Pure::Zero(linear) => Pure::Zero(linear.substitute(substitution)?),
            Pure::NonZero(linear) => Pure::NonZero(linear.substitute(substitution)?),
            Pure::AtMostZero(linear) => Pure::AtMostZero(linear.substitute(substitution)?),
            Pure::Truth(variable, value) => match substitution.get(variable) {
                Some(Term::Variable(other)) => Pure::Truth(*other, *value),
                _ => self.clone(),
            },
        })
    }

    /// Calls the function for every variable occurrence.
    pub fn each_variable(&self, f: &mut impl FnMut(Variable)) {
        match self {
            Pure::Equal(a, b) | Pure::Distinct(a, b) => a.variables().chain(b.variables()).for_each(f),
            Pure::Zero(l) | Pure::NonZero(l) | Pure::AtMostZero(l) => l.monomials.iter().map(|m| m.0).for_each(f),
            Pure::Truth(variable, _) => f(*variable),
        }
    }
}

/// A spatial atom, which describes its part of the heap completely.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spatial {
    /// One cell: its location and its fields, as declared for the sort of the location.
    PointsTo(Term, Vec<Term>),
    /// An inductive predicate with its arguments.
    Predicate(PredicateId, Vec<Term>),
}

impl Spatial {
    /// Applies a substitution; returns `None` on overflow.
    pub fn substitute(&self, substitution: &Substitution) -> Option<Spatial> {
        let all = |terms: &[Term]| terms.iter().map(|t| t.substitute(substitution)).collect::<Option<Vec<_>>>();
        Some(match self {
            Spatial::PointsTo(location, fields) => Spatial::PointsTo(location.substitute(substitution)?, all(fields)?),
            Spatial::Predicate(predicate, arguments) => Spatial::Predicate(*predicate, all(arguments)?),
        })
    }

    /// Returns every term of the atom, starting with the location of a cell.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let (first, rest) = match self {
            Spatial::PointsTo(location, fields) => (Some(location), fields),
            Spatial::Predicate(_, arguments) => (None, arguments),
        };
        first.into_iter().chain(rest)
    }
}

/// A formula. Pure atoms do not constrain the heap; see [`crate::semantics`] for the strict reading.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// Holds in every heap.
    True,
    /// Holds in no heap.
    False,
    /// A pure atom.
    Pure(Pure),
    /// The heap is empty.
    Emp,
    /// A spatial atom.
    Spatial(Spatial),
    /// The separating conjunction: the heap splits into disjoint parts, one for each subformula.
    Sep(Vec<Formula>),
    /// The separating implication (magic wand).
    ///
    /// Extending the heap by any disjoint heap that satisfies the first formula satisfies the second one.
    Wand(Box<Formula>, Box<Formula>),
    /// The septraction.
    ///
    /// Extending the heap by some disjoint heap that satisfies the first formula satisfies the second one.
    Septraction(Box<Formula>, Box<Formula>),
    /// Conjunction.
    And(Vec<Formula>),
    /// Disjunction.
    Or(Vec<Formula>),
    /// Negation. `And([a, Not(b)])` is the guarded negation of the literature.
    Not(Box<Formula>),
    /// Existential quantification.
    Exists(Vec<Variable>, Box<Formula>),
    /// Universal quantification.
    Forall(Vec<Variable>, Box<Formula>),
}

impl Formula {
    /// Creates a points-to atom.
    pub fn points_to(location: Term, fields: Vec<Term>) -> Self {
        Formula::Spatial(Spatial::PointsTo(location, fields))
    }

    /// Creates a predicate atom.
    pub fn predicate(predicate: PredicateId, arguments: Vec<Term>) -> Self {
        Formula::Spatial(Spatial::Predicate(predicate, arguments))
    }

    /// Creates the negation, simplifying double negations and constants.
    #[expect(clippy::should_implement_trait, reason = "`!formula` would read as a test")]
    pub fn not(formula: Formula) -> Self {
        match formula {
            Formula::Not(inner) => *inner,
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Creates a flattened conjunction.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::True => {}
                Formula::And(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Formula::True,
            1 => flat.swap_remove(0),
            _ => Formula::And(flat),
        }
    }

    /// Creates a flattened disjunction.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::False => {}
                Formula::Or(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Formula::False,
            1 => flat.swap_remove(0),
            _ => Formula::Or(flat),
        }
    }

    /// Creates a flattened separating conjunction.
    pub fn sep(parts: impl IntoIterator<Item = Formula>) -> Self {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::Emp => {}
                Formula::Sep(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Formula::Emp,
            1 => flat.swap_remove(0),
            _ => Formula::Sep(flat),
        }
    }

    /// Returns whether the formula does not constrain the heap.
    pub fn is_pure(&self) -> bool {
        match self {
            Formula::True | Formula::False | Formula::Pure(_) => true,
            Formula::Emp | Formula::Spatial(_) | Formula::Sep(_) | Formula::Wand(..) | Formula::Septraction(..) => {
                false
            }
            Formula::And(parts) | Formula::Or(parts) => parts.iter().all(Formula::is_pure),
            Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => inner.is_pure(),
        }
    }

    /// Returns the direct subformulas.
    pub fn children(&self) -> impl Iterator<Item = &Formula> {
        let (many, first, second): (&[Formula], Option<&Formula>, Option<&Formula>) = match self {
            Formula::True | Formula::False | Formula::Pure(_) | Formula::Emp | Formula::Spatial(_) => (&[], None, None),
            Formula::Sep(parts) | Formula::And(parts) | Formula::Or(parts) => (parts, None, None),
            Formula::Wand(a, b) | Formula::Septraction(a, b) => (&[], Some(a), Some(b)),
            Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => (&[], Some(inner), None),
        };
        many.iter().chain(first).chain(second)
    }

    /// Renames the bound variables, so that a copy of the formula keeps binders unique.
    pub fn with_new_binders(self, new: &mut impl FnMut(Variable) -> Variable) -> Formula {
        self.rebound(&mut Substitution::default(), new)
    }

    fn rebound(self, renamed: &mut Substitution, new: &mut impl FnMut(Variable) -> Variable) -> Formula {
        let all = |parts: Vec<Formula>, renamed: &mut Substitution, new: &mut _| -> Vec<Formula> {
            parts.into_iter().map(|part| Formula::rebound(part, renamed, new)).collect()
        };
        match self {
            // Renaming does not change coefficients, so the substitution cannot overflow.
            Formula::Pure(pure) => Formula::Pure(pure.substitute(renamed).unwrap_or(pure)),
            Formula::Spatial(spatial) => Formula::Spatial(spatial.substitute(renamed).unwrap_or(spatial)),
            Formula::True | Formula::False | Formula::Emp => self,
            Formula::Sep(parts) => Formula::Sep(all(parts, renamed, new)),
            Formula::And(parts) => Formula::And(all(parts, renamed, new)),
            Formula::Or(parts) => Formula::Or(all(parts, renamed, new)),
            Formula::Wand(a, b) => Formula::Wand(Box::new(a.rebound(renamed, new)), Box::new(b.rebound(renamed, new))),
            Formula::Septraction(a, b) => {
                Formula::Septraction(Box::new(a.rebound(renamed, new)), Box::new(b.rebound(renamed, new)))
            }
            Formula::Not(inner) => Formula::Not(Box::new(inner.rebound(renamed, new))),
            Formula::Exists(variables, inner) | Formula::Forall(variables, inner) if variables.is_empty() => {
                inner.rebound(renamed, new)
            }
            Formula::Exists(variables, inner) => {
                let variables = Self::rebind(variables, renamed, new);
                Formula::Exists(variables, Box::new(inner.rebound(renamed, new)))
            }
            Formula::Forall(variables, inner) => {
                let variables = Self::rebind(variables, renamed, new);
                Formula::Forall(variables, Box::new(inner.rebound(renamed, new)))
            }
        }
    }

    fn rebind(
        variables: Vec<Variable>,
        renamed: &mut Substitution,
        new: &mut impl FnMut(Variable) -> Variable,
    ) -> Vec<Variable> {
        let renew = |old| {
            let made = new(old);
            renamed.insert(old, Term::variable(made));
            made
        };
        variables.into_iter().map(renew).collect()
    }

    /// Returns the free variables in ascending order.
    pub fn free_variables(&self) -> Vec<Variable> {
        fn bound(formula: &Formula, all: &mut Vec<Variable>) {
            if let Formula::Exists(variables, _) | Formula::Forall(variables, _) = formula {
                all.extend(variables);
            }
            formula.children().for_each(|child| bound(child, all));
        }
        let mut binders = Vec::new();
        bound(self, &mut binders);
        binders.sort_unstable();
        let mut variables = Vec::new();
        self.each_variable(&mut |v| variables.push(v));
        variables.sort_unstable();
        variables.dedup();
        variables.retain(|v| binders.binary_search(v).is_err());
        variables
    }

    /// Returns whether separating implications or septractions are nested.
    pub fn nests_implications(&self) -> bool {
        fn depth(formula: &Formula) -> usize {
            let below = formula.children().map(depth).max().unwrap_or(0);
            below + usize::from(matches!(formula, Formula::Wand(..) | Formula::Septraction(..)))
        }
        depth(self) > 1
    }

    /// Calls the function for every variable occurrence in an atom.
    pub fn each_variable(&self, f: &mut impl FnMut(Variable)) {
        match self {
            Formula::Pure(pure) => pure.each_variable(f),
            Formula::Spatial(spatial) => spatial.terms().flat_map(Term::variables).for_each(f),
            _ => {
                for child in self.children() {
                    child.each_variable(f);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(number: u32) -> Variable {
        Variable { number, sort: Sort::Int }
    }

    #[test]
    fn linear_terms_are_in_normal_form() {
        let x = Linear::variable(int(0));
        let y = Linear::variable(int(1));
        let sum = y.add_scaled(&x, 2).and_then(|s| s.add_scaled(&Linear::constant(3), 1)).expect("small numbers");
        assert_eq!(sum.monomials, [(int(0), 2), (int(1), 1)]);
        assert_eq!(sum.add_scaled(&x, -2).and_then(|s| s.add_scaled(&y, -1)).and_then(|s| s.as_constant()), Some(3));
        assert_eq!(Linear::constant(i64::MAX).add_scaled(&Linear::constant(1), 1), None);
        let substitution = Substitution::from_iter([(int(0), Term::Integer(y.clone()))]);
        assert_eq!(sum.substitute(&substitution).map(|s| s.monomials), Some(vec![(int(1), 3)]));
    }

    #[test]
    fn double_negation_is_identity() {
        let atom = Pure::AtMostZero(Linear::variable(int(0)));
        let back = atom.negated().and_then(|a| a.negated()).expect("small numbers");
        assert_eq!(back, atom);
    }
}
