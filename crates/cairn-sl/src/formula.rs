//! Separation-logic formulas, as plain trees.
//!
//! Records are flat here: a cell is its location and the list of its fields, a constant of a record sort is one variable for each
//! field. So a term is a location or an integer, and nothing else.
//!
//! Invariant: a [`Variable`] is unique. Two binders never bind the same one, hence substitution captures nothing.

use std::collections::BTreeMap;

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Integers of any size.
    Int,
    /// Addresses of cells of one kind; those of different sorts are never the same.
    Location(LocationSort),
}

/// A sort of locations, by its number in the [`crate::signature::Signature`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocationSort(pub u32);

/// An inductive predicate, by its number in the [`crate::signature::Signature`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PredicateId(pub u32);

/// A variable: free, or bound by a quantifier or as a parameter of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Variable {
    /// What tells it from others. The signature knows the names of the first ones; those above are made by procedures.
    pub number: u32,
    /// Its sort.
    pub sort: Sort,
}

/// Makes variables that are nowhere else.
#[derive(Clone, Debug)]
pub struct Fresh {
    next: u32,
}

impl Fresh {
    /// From this number on.
    pub fn starting_at(next: u32) -> Self {
        Self { next }
    }

    /// A new variable.
    pub fn variable(&mut self, sort: Sort) -> Variable {
        let number = self.next;
        self.next += 1;
        Variable { number, sort }
    }
}

/// `constant + Σ coefficient · variable`: variables are distinct, ascending, of sort `Int`; no coefficient is 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Linear {
    /// The constant part.
    pub constant: i64,
    /// The monomials.
    pub monomials: Vec<(Variable, i64)>,
}

impl Linear {
    /// A number.
    pub fn constant(constant: i64) -> Self {
        Self { constant, monomials: Vec::new() }
    }

    /// A variable of sort `Int`.
    pub fn variable(variable: Variable) -> Self {
        debug_assert_eq!(variable.sort, Sort::Int);
        Self { constant: 0, monomials: vec![(variable, 1)] }
    }

    /// The number it is, where it has no variable.
    pub fn as_constant(&self) -> Option<i64> {
        self.monomials.is_empty().then_some(self.constant)
    }

    /// The variable it is, where it is just that.
    pub fn as_variable(&self) -> Option<Variable> {
        match self.monomials[..] {
            [(variable, 1)] if self.constant == 0 => Some(variable),
            _ => None,
        }
    }

    /// `self + factor · other`; `None` when a number leaves the range of coefficients.
    pub fn add_scaled(&self, other: &Linear, factor: i64) -> Option<Linear> {
        let mut sum: BTreeMap<Variable, i64> = self.monomials.iter().copied().collect();
        for &(variable, coefficient) in &other.monomials {
            let entry = sum.entry(variable).or_insert(0);
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
        }
        let constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        Some(Linear { constant, monomials: sum.into_iter().filter(|(_, c)| *c != 0).collect() })
    }

    /// `factor · self`.
    pub fn scaled(&self, factor: i64) -> Option<Linear> {
        Linear::default().add_scaled(self, factor)
    }

    /// The term with variables replaced; `None` when a number leaves the range.
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

/// A location or an integer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// The location of its sort that is never allocated.
    Nil(LocationSort),
    /// A variable of any sort but `Int`.
    Variable(Variable),
    /// An integer; a variable of sort `Int` is one, too.
    Integer(Linear),
}

impl Term {
    /// The variable as a term.
    pub fn variable(variable: Variable) -> Self {
        match variable.sort {
            Sort::Int => Term::Integer(Linear::variable(variable)),
            _ => Term::Variable(variable),
        }
    }

    /// The variable it is, where it is just that.
    pub fn as_variable(&self) -> Option<Variable> {
        match self {
            Term::Nil(_) => None,
            Term::Variable(variable) => Some(*variable),
            Term::Integer(linear) => linear.as_variable(),
        }
    }

    /// Its sort.
    pub fn sort(&self) -> Sort {
        match self {
            Term::Nil(sort) => Sort::Location(*sort),
            Term::Variable(variable) => variable.sort,
            Term::Integer(_) => Sort::Int,
        }
    }

    /// The variables in it.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        let (single, linear) = match self {
            Term::Nil(_) => (None, None),
            Term::Variable(variable) => (Some(*variable), None),
            Term::Integer(linear) => (None, Some(linear)),
        };
        single.into_iter().chain(linear.into_iter().flat_map(|l| l.monomials.iter().map(|m| m.0)))
    }

    /// The term with variables replaced; `None` when a number leaves the range of coefficients.
    pub fn substitute(&self, substitution: &Substitution) -> Option<Term> {
        match self {
            Term::Nil(_) => Some(self.clone()),
            Term::Variable(variable) => Some(substitution.get(variable).unwrap_or(self).clone()),
            Term::Integer(linear) => linear.substitute(substitution).map(Term::Integer),
        }
    }
}

/// Terms for variables; sorts agree.
pub type Substitution = rustc_hash::FxHashMap<Variable, Term>;

/// A statement about the stack alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Pure {
    /// Two locations of one sort are the same.
    Equal(Term, Term),
    /// Two locations of one sort differ.
    Distinct(Term, Term),
    /// The integer is 0.
    Zero(Linear),
    /// The integer is not 0.
    NonZero(Linear),
    /// The integer is at most 0.
    AtMostZero(Linear),
    /// A variable of sort `Bool` has this value.
    Truth(Variable, bool),
}

impl Pure {
    /// That two terms of the same sort are equal.
    pub fn equal(a: &Term, b: &Term) -> Option<Pure> {
        match (a, b) {
            (Term::Integer(a), Term::Integer(b)) => a.add_scaled(b, -1).map(Pure::Zero),
            _ => Some(Pure::Equal(a.clone(), b.clone())),
        }
    }

    /// The opposite.
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

    /// The atom with variables replaced.
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

    /// Calls the function with every variable.
    pub fn each_variable(&self, f: &mut impl FnMut(Variable)) {
        match self {
            Pure::Equal(a, b) | Pure::Distinct(a, b) => a.variables().chain(b.variables()).for_each(f),
            Pure::Zero(l) | Pure::NonZero(l) | Pure::AtMostZero(l) => l.monomials.iter().map(|m| m.0).for_each(f),
            Pure::Truth(variable, _) => f(*variable),
        }
    }
}

/// A statement about a part of the heap, of which it is all.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Spatial {
    /// One cell: its location and its fields, as many as the heap's type says.
    PointsTo(Term, Vec<Term>),
    /// An inductive predicate and its arguments.
    Predicate(PredicateId, Vec<Term>),
}

impl Spatial {
    /// The atom with variables replaced.
    pub fn substitute(&self, substitution: &Substitution) -> Option<Spatial> {
        let all = |terms: &[Term]| terms.iter().map(|t| t.substitute(substitution)).collect::<Option<Vec<_>>>();
        Some(match self {
            Spatial::PointsTo(location, fields) => Spatial::PointsTo(location.substitute(substitution)?, all(fields)?),
            Spatial::Predicate(predicate, arguments) => Spatial::Predicate(*predicate, all(arguments)?),
        })
    }

    /// Every term in it, the location of a cell first.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let (first, rest) = match self {
            Spatial::PointsTo(location, fields) => (Some(location), fields),
            Spatial::Predicate(_, arguments) => (None, arguments),
        };
        first.into_iter().chain(rest)
    }
}

/// A formula. Pure atoms say nothing about the heap; [`crate::semantics`] has the other reading.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// Holds in every heap.
    True,
    /// Holds in none.
    False,
    /// Something about the stack.
    Pure(Pure),
    /// The heap is empty.
    Emp,
    /// The heap is just this.
    Spatial(Spatial),
    /// The heap can be divided so that each part satisfies one of these.
    Sep(Vec<Formula>),
    /// Every heap that satisfies the first and does not overlap this one makes, put together with it, the second true.
    Wand(Box<Formula>, Box<Formula>),
    /// Some heap that satisfies the first and does not overlap this one makes, put together with it, the second true.
    Septraction(Box<Formula>, Box<Formula>),
    /// All of these hold.
    And(Vec<Formula>),
    /// One of these holds.
    Or(Vec<Formula>),
    /// It does not hold. `And([a, Not(b)])` is the guarded negation of the papers.
    Not(Box<Formula>),
    /// There are values.
    Exists(Vec<Variable>, Box<Formula>),
    /// For all values.
    Forall(Vec<Variable>, Box<Formula>),
}

impl Formula {
    /// One cell.
    pub fn points_to(location: Term, fields: Vec<Term>) -> Self {
        Formula::Spatial(Spatial::PointsTo(location, fields))
    }

    /// A predicate.
    pub fn predicate(predicate: PredicateId, arguments: Vec<Term>) -> Self {
        Formula::Spatial(Spatial::Predicate(predicate, arguments))
    }

    /// The opposite.
    #[expect(clippy::should_implement_trait, reason = "`!formula` would read as a test")]
    pub fn not(formula: Formula) -> Self {
        match formula {
            Formula::Not(inner) => *inner,
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The conjunction, flat.
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

    /// The disjunction, flat.
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

    /// The separating conjunction, flat.
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

    /// Whether it says nothing about the heap.
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

    /// The formulas directly below this one.
    pub fn children(&self) -> impl Iterator<Item = &Formula> {
        let (many, first, second): (&[Formula], Option<&Formula>, Option<&Formula>) = match self {
            Formula::True | Formula::False | Formula::Pure(_) | Formula::Emp | Formula::Spatial(_) => (&[], None, None),
            Formula::Sep(parts) | Formula::And(parts) | Formula::Or(parts) => (parts, None, None),
            Formula::Wand(a, b) | Formula::Septraction(a, b) => (&[], Some(a), Some(b)),
            Formula::Not(inner) | Formula::Exists(_, inner) | Formula::Forall(_, inner) => (&[], Some(inner), None),
        };
        many.iter().chain(first).chain(second)
    }

    /// The same formula with other bound variables, for a second place: a variable is bound only once.
    pub fn with_new_binders(self, new: &mut impl FnMut(Variable) -> Variable) -> Formula {
        self.rebound(&mut Substitution::default(), new)
    }

    fn rebound(self, renamed: &mut Substitution, new: &mut impl FnMut(Variable) -> Variable) -> Formula {
        let all = |parts: Vec<Formula>, renamed: &mut Substitution, new: &mut _| -> Vec<Formula> {
            parts.into_iter().map(|part| Formula::rebound(part, renamed, new)).collect()
        };
        match self {
            // Renaming does not change numbers, so nothing leaves the range.
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

    /// The variables that no quantifier binds, ascending.
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

    /// Whether a separating implication or septraction stands inside of another one.
    pub fn nests_implications(&self) -> bool {
        fn depth(formula: &Formula) -> usize {
            let below = formula.children().map(depth).max().unwrap_or(0);
            below + usize::from(matches!(formula, Formula::Wand(..) | Formula::Septraction(..)))
        }
        depth(self) > 1
    }

    /// Calls the function with every variable that occurs in an atom, as often as it occurs.
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
    fn negating_twice_is_nothing() {
        let atom = Pure::AtMostZero(Linear::variable(int(0)));
        let back = atom.negated().and_then(|a| a.negated()).expect("small numbers");
        assert_eq!(back, atom);
    }
}
