//! Removal of quantifiers over locations.
//!
//! Positive existential variables become free variables, which is exact. Universal quantifiers are
//! instantiated with the terms that occur, which weakens the formula. In that case `unsat` carries
//! over, but a model has to be checked.

use super::simplify::substitute;
use crate::formula::{Formula, Fresh, Sort, Substitution, Term, Variable};
use crate::limits;

/// A formula without quantifiers.
pub(super) struct Grounded {
    pub(super) formula: Formula,
    /// Whether it is weaker than the original formula.
    pub(super) weaker: bool,
}

/// Removes the quantifiers, or returns the reason for failure.
pub(super) fn ground(formula: &Formula, fresh: &mut Fresh) -> Result<Grounded, String> {
    let mut grounding = Grounding { terms: Vec::new(), weaker: false, fresh };
    if !has_quantifier(formula) {
        return Ok(Grounded { formula: formula.clone(), weaker: false });
    }
    let opened = grounding.open(formula.clone(), true)?;
    let mut variables = Vec::new();
    opened.each_variable(&mut |v| variables.push(v));
    let bound = binders(&opened);
    variables.sort_unstable();
    variables.dedup();
    grounding.terms = variables.into_iter().filter(|v| !bound.contains(v)).map(Term::variable).collect();
    let formula = grounding.instantiate(opened, true)?;
    Ok(Grounded { formula, weaker: grounding.weaker })
}

fn has_quantifier(formula: &Formula) -> bool {
    matches!(formula, Formula::Exists(..) | Formula::Forall(..)) || formula.children().any(has_quantifier)
}

fn binders(formula: &Formula) -> Vec<Variable> {
    let mut all = match formula {
        Formula::Exists(variables, _) | Formula::Forall(variables, _) => variables.clone(),
        _ => Vec::new(),
    };
    all.extend(formula.children().flat_map(binders));
    all
}

struct Grounding<'f> {
    terms: Vec<Term>,
    weaker: bool,
    fresh: &'f mut Fresh,
}

impl Grounding<'_> {
    /// Replaces existential variables by fresh free variables, unless they depend on a universal choice.
    ///
    /// This descends through conjunction, disjunction, negation and positive separating conjunction.
    fn open(&mut self, formula: Formula, positive: bool) -> Result<Formula, String> {
        Ok(match formula {
            Formula::And(parts) => Formula::And(self.open_all(parts, positive)?),
            Formula::Or(parts) => Formula::Or(self.open_all(parts, positive)?),
            Formula::Sep(parts) if positive => Formula::Sep(self.open_all(parts, positive)?),
            Formula::Not(inner) => Formula::Not(Box::new(self.open(*inner, !positive)?)),
            Formula::Exists(variables, inner) if positive => self.free(&variables, *inner, positive)?,
            Formula::Forall(variables, inner) if !positive => self.free(&variables, *inner, positive)?,
            other => other,
        })
    }

    fn open_all(&mut self, parts: Vec<Formula>, positive: bool) -> Result<Vec<Formula>, String> {
        parts.into_iter().map(|part| self.open(part, positive)).collect()
    }

    fn free(&mut self, variables: &[Variable], inner: Formula, positive: bool) -> Result<Formula, String> {
        let mut substitution = Substitution::default();
        for variable in variables {
            let witness = self.fresh.variable(variable.sort);
            substitution.insert(*variable, Term::variable(witness));
        }
        let inner = substitute(inner, &substitution).ok_or("a number is too large")?;
        self.open(inner, positive)
    }

    /// Replaces the remaining universal quantifiers by their instances.
    fn instantiate(&mut self, formula: Formula, positive: bool) -> Result<Formula, String> {
        Ok(match formula {
            Formula::And(parts) => Formula::And(self.instantiate_all(parts, positive)?),
            Formula::Or(parts) => Formula::Or(self.instantiate_all(parts, positive)?),
            Formula::Sep(parts) => Formula::Sep(self.instantiate_all(parts, positive)?),
            Formula::Not(inner) => Formula::Not(Box::new(self.instantiate(*inner, !positive)?)),
            Formula::Exists(variables, inner) if !positive => {
                Formula::or(self.instances(&variables, *inner, positive)?)
            }
            Formula::Forall(variables, inner) if positive => {
                Formula::and(self.instances(&variables, *inner, positive)?)
            }
            other if !has_quantifier(&other) => other,
            _ => return Err("quantifiers that alternate or stand in a separating implication".to_owned()),
        })
    }

    fn instantiate_all(&mut self, parts: Vec<Formula>, positive: bool) -> Result<Vec<Formula>, String> {
        parts.into_iter().map(|part| self.instantiate(part, positive)).collect()
    }

    fn instances(&mut self, variables: &[Variable], inner: Formula, positive: bool) -> Result<Vec<Formula>, String> {
        self.weaker = true;
        let mut substitutions = vec![Substitution::default()];
        for variable in variables {
            let Sort::Location(sort) = variable.sort else {
                return Err("a universal statement about integers".to_owned());
            };
            let mut terms: Vec<Term> = self.terms.iter().filter(|t| t.sort() == variable.sort).cloned().collect();
            terms.push(Term::Nil(sort));
            let mut next = Vec::new();
            for substitution in &substitutions {
                for term in &terms {
                    let mut extended = substitution.clone();
                    extended.insert(*variable, term.clone());
                    next.push(extended);
                }
            }
            if next.len() > limits::MAX_QUANTIFIER_INSTANCES {
                return Err("too many instances of a universal statement".to_owned());
            }
            substitutions = next;
        }
        let mut instances = Vec::new();
        for substitution in substitutions {
            let instance = substitute(inner.clone(), &substitution).ok_or("a number is too large")?;
            instances.push(self.instantiate(instance, positive)?);
        }
        Ok(instances)
    }
}
