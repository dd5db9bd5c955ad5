//! Replaces predicates by their cases down to a depth, below which they are false: what is found that way is a candidate.

use crate::formula::{Formula, Fresh, Spatial};
use crate::signature::Signature;

/// The formulas without predicates; `None` when they are too large or a definition has no cases.
pub(super) fn unfolded(signature: &Signature, formulas: &[Formula], depth: usize) -> Option<Vec<Formula>> {
    let mut first = signature.variable_count();
    for formula in formulas {
        formula.each_variable(&mut |v| first = first.max(v.number + 1));
    }
    let mut unfolding = Unfolding { signature, fresh: Fresh::starting_at(first), room: MOST_CASES };
    formulas.iter().map(|formula| unfolding.formula(formula, depth)).collect()
}

const MOST_CASES: usize = 2000;

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
