//! Unfolding of predicates up to a depth.
//!
//! Predicates below that depth become false, so models of the result are only candidates.

use crate::formula::{Formula, Fresh, Spatial};
use crate::limits;
use crate::signature::Signature;

/// Removes all predicates by unfolding; fails if the result is too large or a definition has no cases.
pub(super) fn unfolded(signature: &Signature, formulas: &[Formula], depth: usize) -> Option<Vec<Formula>> {
    let mut first = signature.variable_count();
    for formula in formulas {
        formula.each_variable(&mut |v| first = first.max(v.number + 1));
    }
    let mut unfolding = Unfolding { signature, fresh: Fresh::starting_at(first), room: limits::MAX_UNFOLDED_CASES };
    formulas.iter().map(|formula| unfolding.formula(formula, depth)).collect()
}

struct Unfolding<'s> {
    signature: &'s Signature,
    fresh: Fresh,
    room: usize,
}

impl Unfolding<'_> {
    fn formula(&mut self, formula: &Formula, depth: usize) -> Option<Formula> {
        Some(match formula {
            Formula::Spatial(Spatial::Predicate(id, arguments)) => {
                if depth == 0 {
                    return Some(Formula::False);
                }
                let cases = self.signature.unfold(*id, arguments, &mut self.fresh)?;
                self.room = self.room.checked_sub(cases.len())?;
                let cases: Option<Vec<Formula>> =
                    cases.iter().map(|case| self.formula(&case.to_formula(), depth - 1)).collect();
                Formula::or(cases?)
            }
            Formula::True | Formula::False | Formula::Pure(_) | Formula::Emp | Formula::Spatial(_) => formula.clone(),
            Formula::Sep(parts) => Formula::sep(self.all(parts, depth)?),
            Formula::And(parts) => Formula::and(self.all(parts, depth)?),
            Formula::Or(parts) => Formula::or(self.all(parts, depth)?),
            Formula::Not(inner) => Formula::not(self.formula(inner, depth)?),
            Formula::Wand(a, b) => Formula::Wand(Box::new(self.formula(a, depth)?), Box::new(self.formula(b, depth)?)),
            Formula::Septraction(a, b) => {
                Formula::Septraction(Box::new(self.formula(a, depth)?), Box::new(self.formula(b, depth)?))
            }
            Formula::Exists(variables, inner) => {
                Formula::Exists(variables.clone(), Box::new(self.formula(inner, depth)?))
            }
            Formula::Forall(variables, inner) => {
                Formula::Forall(variables.clone(), Box::new(self.formula(inner, depth)?))
            }
        })
    }

    fn all(&mut self, parts: &[Formula], depth: usize) -> Option<Vec<Formula>> {
        parts.iter().map(|part| self.formula(part, depth)).collect()
    }
}
