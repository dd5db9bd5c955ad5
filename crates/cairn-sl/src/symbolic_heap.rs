//! Symbolic heaps, the conjunctive normal form that most procedures work on.
//!
//! A symbolic heap is `∃ existentials. pure ∧ (spatial₁ * … * spatialₙ)`, or `… * true` if the heap
//! may contain more cells.

use crate::formula::{Formula, Fresh, Pure, Spatial, Substitution, Term, Variable};

/// A symbolic heap.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct SymbolicHeap {
    /// The existentially quantified variables.
    pub existentials: Vec<Variable>,
    /// The pure part.
    pub pure: Vec<Pure>,
    /// The spatial part.
    pub spatial: Vec<Spatial>,
    /// Whether the heap may contain more cells (`* true`).
    pub rest: bool,
}

impl SymbolicHeap {
    /// Returns the empty heap without pure constraints.
    pub fn emp() -> Self {
        Self::default()
    }

    /// Converts a formula to a disjunction of at most `most` symbolic heaps, or returns the reason for failure.
    pub fn disjuncts(formula: &Formula, most: usize) -> Result<Vec<SymbolicHeap>, String> {
        normalise(formula, true, most)
    }

    /// Converts the symbolic heap back to a formula.
    pub fn to_formula(&self) -> Formula {
        let spatial = self.spatial.iter().cloned().map(Formula::Spatial);
        let spatial = Formula::sep(spatial.chain(self.rest.then_some(Formula::True)));
        let body = Formula::and(self.pure.iter().cloned().map(Formula::Pure).chain([spatial]));
        if self.existentials.is_empty() { body } else { Formula::Exists(self.existentials.clone(), Box::new(body)) }
    }

    /// Applies a substitution to the free variables; returns `None` on overflow.
    pub fn substitute(&self, substitution: &Substitution) -> Option<SymbolicHeap> {
        Some(SymbolicHeap {
            existentials: self.existentials.clone(),
            pure: self.pure.iter().map(|p| p.substitute(substitution)).collect::<Option<_>>()?,
            spatial: self.spatial.iter().map(|s| s.substitute(substitution)).collect::<Option<_>>()?,
            rest: self.rest,
        })
    }

    /// Replaces parameters by arguments and existentials by fresh variables.
    pub fn instantiate(&self, parameters: &[Variable], arguments: &[Term], fresh: &mut Fresh) -> Option<SymbolicHeap> {
        let mut substitution: Substitution = parameters.iter().copied().zip(arguments.iter().cloned()).collect();
        let existentials: Vec<Variable> = self.existentials.iter().map(|v| fresh.variable(v.sort)).collect();
        substitution.extend(self.existentials.iter().copied().zip(existentials.iter().copied().map(Term::variable)));
        let mut result = self.substitute(&substitution)?;
        result.existentials = existentials;
        Some(result)
    }

    /// Calls the function for every variable occurrence.
    pub fn each_variable(&self, f: &mut impl FnMut(Variable)) {
        for pure in &self.pure {
            pure.each_variable(f);
        }
        self.spatial.iter().flat_map(Spatial::terms).flat_map(Term::variables).for_each(f);
    }

    /// Returns whether the symbolic heap does not constrain the heap.
    pub fn is_pure(&self) -> bool {
        self.rest && self.spatial.is_empty()
    }

    /// Returns the separating conjunction with another symbolic heap.
    pub fn separately(mut self, other: SymbolicHeap) -> SymbolicHeap {
        self.existentials.extend(other.existentials);
        self.pure.extend(other.pure);
        self.spatial.extend(other.spatial);
        self.rest |= other.rest;
        self
    }

    /// Returns the conjunction with another symbolic heap, if it is a symbolic heap again.
    fn together(self, other: SymbolicHeap) -> Result<SymbolicHeap, String> {
        let (mut this, other) = if self.is_pure() { (other, self) } else { (self, other) };
        let same_heap = other.is_pure() || (this.spatial == other.spatial && this.rest == other.rest);
        if !same_heap {
            return Err("two statements about the whole heap in one conjunction".to_owned());
        }
        this.existentials.extend(other.existentials);
        this.pure.extend(other.pure);
        Ok(this)
    }
}

/// Computes the disjunctive normal form of a formula or of its negation.
fn normalise(formula: &Formula, positive: bool, most: usize) -> Result<Vec<SymbolicHeap>, String> {
    let anything = || SymbolicHeap { rest: true, ..SymbolicHeap::default() };
    match (formula, positive) {
        (Formula::True, true) | (Formula::False, false) => Ok(vec![anything()]),
        (Formula::False, true) | (Formula::True, false) => Ok(Vec::new()),
        (Formula::Pure(pure), _) => {
            let pure = if positive { Some(pure.clone()) } else { pure.negated() };
            let pure = pure.ok_or("a number is too large")?;
            Ok(vec![SymbolicHeap { pure: vec![pure], ..anything() }])
        }
        (Formula::Emp, true) => Ok(vec![SymbolicHeap::emp()]),
        (Formula::Spatial(spatial), true) => {
            Ok(vec![SymbolicHeap { spatial: vec![spatial.clone()], ..SymbolicHeap::default() }])
        }
        (Formula::Sep(parts), true) => {
            product(parts, positive, most, SymbolicHeap::emp(), |a, b| Ok(SymbolicHeap::separately(a, b)))
        }
        (Formula::And(parts), true) | (Formula::Or(parts), false) => {
            product(parts, positive, most, anything(), SymbolicHeap::together)
        }
        (Formula::Or(parts), true) | (Formula::And(parts), false) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(normalise(part, positive, most)?);
                if all.len() > most {
                    return Err("too many cases".to_owned());
                }
            }
            Ok(all)
        }
        (Formula::Not(inner), _) => normalise(inner, !positive, most),
        (Formula::Exists(variables, inner), true) | (Formula::Forall(variables, inner), false) => {
            let mut heaps = normalise(inner, positive, most)?;
            for heap in &mut heaps {
                heap.existentials.extend(variables);
            }
            Ok(heaps)
        }
        (Formula::Exists(..), false) | (Formula::Forall(..), true) => Err("a universal quantifier".to_owned()),
        (Formula::Wand(..) | Formula::Septraction(..), _) => Err("a separating implication".to_owned()),
        (Formula::Emp | Formula::Spatial(_) | Formula::Sep(_), false) => {
            Err("the negation of a statement about the heap".to_owned())
        }
    }
}

/// Combines one disjunct of each part in all possible ways.
fn product(
    parts: &[Formula],
    positive: bool,
    most: usize,
    unit: SymbolicHeap,
    combine: impl Fn(SymbolicHeap, SymbolicHeap) -> Result<SymbolicHeap, String>,
) -> Result<Vec<SymbolicHeap>, String> {
    let mut all = vec![unit];
    for part in parts {
        let choices = normalise(part, positive, most)?;
        if all.len() * choices.len() > most {
            return Err("too many cases".to_owned());
        }
        let mut next = Vec::with_capacity(all.len() * choices.len());
        for heap in all {
            for choice in &choices {
                next.push(combine(heap.clone(), choice.clone())?);
            }
        }
        all = next;
    }
    Ok(all)
}
