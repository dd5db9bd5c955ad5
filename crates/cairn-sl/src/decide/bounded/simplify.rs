//! Simplification before encoding: substitutes asserted equalities and folds constants.

use rustc_hash::FxHashSet;

use crate::formula::{Formula, Linear, Pure, Spatial, Substitution, Term, Variable};

/// A simplified conjunction with the applied substitutions.
pub(in crate::decide) struct Simplified {
    pub(in crate::decide) formula: Formula,
    /// The eliminated variables with their values, in order of elimination.
    pub(in crate::decide) gone: Vec<(Variable, Term)>,
}

/// Simplifies the conjunction of the formulas; returns `None` on overflow.
pub(in crate::decide) fn simplify(assertions: &[Formula]) -> Option<Simplified> {
    let mut formula = fold(Formula::and(assertions.iter().cloned()));
    let mut gone = Vec::new();
    loop {
        let parts = match &formula {
            Formula::And(parts) => &parts[..],
            single => std::slice::from_ref(single),
        };
        let Some((variable, term)) = parts.iter().find_map(solved) else {
            let used = with_facts(&formula);
            if used == formula {
                break;
            }
            formula = used;
            continue;
        };
        let substitution = Substitution::from_iter([(variable, term.clone())]);
        formula = fold(substitute(formula, &substitution)?);
        gone.push((variable, term));
    }
    Some(Simplified { formula, gone })
}

/// Simplifies the other conjuncts with the disequalities of a conjunction.
fn with_facts(formula: &Formula) -> Formula {
    let Formula::And(parts) = formula else { return formula.clone() };
    let facts: FxHashSet<(Term, Term)> = parts
        .iter()
        .filter_map(|part| match part {
            Formula::Pure(Pure::Distinct(a, b)) => Some([(a.clone(), b.clone()), (b.clone(), a.clone())]),
            _ => None,
        })
        .flatten()
        .collect();
    if facts.is_empty() {
        return formula.clone();
    }
    let rewritten = parts.iter().map(|part| match part {
        Formula::Pure(Pure::Distinct(..)) => part.clone(),
        other => assuming(other, &facts),
    });
    fold(Formula::and(rewritten))
}

/// Simplifies a formula under the assumption that these pairs differ.
fn assuming(formula: &Formula, facts: &FxHashSet<(Term, Term)>) -> Formula {
    let all = |parts: &[Formula]| parts.iter().map(|part| assuming(part, facts)).collect::<Vec<_>>();
    let boxed = |inner: &Formula| Box::new(assuming(inner, facts));
    match formula {
        Formula::Pure(Pure::Equal(a, b)) if facts.contains(&(a.clone(), b.clone())) => Formula::False,
        Formula::Pure(Pure::Distinct(a, b)) if facts.contains(&(a.clone(), b.clone())) => Formula::True,
        Formula::True | Formula::False | Formula::Pure(_) | Formula::Emp | Formula::Spatial(_) => formula.clone(),
        Formula::Sep(parts) => Formula::Sep(all(parts)),
        Formula::And(parts) => Formula::And(all(parts)),
        Formula::Or(parts) => Formula::Or(all(parts)),
        Formula::Wand(a, b) => Formula::Wand(boxed(a), boxed(b)),
        Formula::Septraction(a, b) => Formula::Septraction(boxed(a), boxed(b)),
        Formula::Not(inner) => Formula::Not(boxed(inner)),
        Formula::Exists(variables, inner) => Formula::Exists(variables.clone(), boxed(inner)),
        Formula::Forall(variables, inner) => Formula::Forall(variables.clone(), boxed(inner)),
    }
}

/// Solves an equality for a variable.
fn solved(formula: &Formula) -> Option<(Variable, Term)> {
    match formula {
        Formula::Pure(Pure::Equal(a, b)) => match (a, b) {
            (Term::Variable(variable), other) | (other, Term::Variable(variable)) => Some((*variable, other.clone())),
            _ => None,
        },
        Formula::Pure(Pure::Zero(linear)) => {
            let &(variable, coefficient) = linear.monomials.iter().find(|(_, c)| c.abs() == 1)?;
            let rest = linear.add_scaled(&Linear::variable(variable), -coefficient)?;
            Some((variable, Term::Integer(rest.scaled(-coefficient)?)))
        }
        _ => None,
    }
}

/// Applies a substitution to the free variables; returns `None` on overflow.
pub(super) fn substitute(formula: Formula, substitution: &Substitution) -> Option<Formula> {
    let all = |parts: Vec<Formula>| parts.into_iter().map(|p| substitute(p, substitution)).collect::<Option<Vec<_>>>();
    let boxed = |inner: Box<Formula>| substitute(*inner, substitution).map(Box::new);
    Some(match formula {
        Formula::Pure(pure) => Formula::Pure(pure.substitute(substitution)?),
        Formula::Spatial(spatial) => Formula::Spatial(spatial.substitute(substitution)?),
        Formula::True | Formula::False | Formula::Emp => formula,
        Formula::Sep(parts) => Formula::Sep(all(parts)?),
        Formula::And(parts) => Formula::And(all(parts)?),
        Formula::Or(parts) => Formula::Or(all(parts)?),
        Formula::Wand(a, b) => Formula::Wand(boxed(a)?, boxed(b)?),
        Formula::Septraction(a, b) => Formula::Septraction(boxed(a)?, boxed(b)?),
        Formula::Not(inner) => Formula::Not(boxed(inner)?),
        Formula::Exists(variables, inner) => Formula::Exists(variables, boxed(inner)?),
        Formula::Forall(variables, inner) => Formula::Forall(variables, boxed(inner)?),
    })
}

/// Folds constants in all subformulas.
pub(super) fn fold(formula: Formula) -> Formula {
    let all = |parts: Vec<Formula>| parts.into_iter().map(fold).collect::<Vec<_>>();
    match formula {
        Formula::Pure(pure) => fold_pure(pure),
        Formula::Spatial(Spatial::PointsTo(Term::Nil(_), _)) => Formula::False,
        Formula::True | Formula::False | Formula::Emp | Formula::Spatial(_) => formula,
        Formula::And(parts) => {
            let parts = all(parts);
            if parts.contains(&Formula::False) { Formula::False } else { Formula::and(parts) }
        }
        Formula::Or(parts) => {
            let parts = all(parts);
            if parts.contains(&Formula::True) { Formula::True } else { Formula::or(parts) }
        }
        Formula::Sep(parts) => {
            let mut parts = match Formula::sep(all(parts)) {
                Formula::Sep(parts) => parts,
                single => return single,
            };
            if parts.contains(&Formula::False) {
                return Formula::False;
            }
            // `true * true` is `true`.
            let mut seen = false;
            parts.retain(|part| *part != Formula::True || !std::mem::replace(&mut seen, true));
            Formula::sep(parts)
        }
        Formula::Not(inner) => Formula::not(fold(*inner)),
        Formula::Wand(a, b) => match (fold(*a), fold(*b)) {
            (Formula::False, _) | (_, Formula::True) => Formula::True,
            (Formula::Emp, b) => b,
            (a, b) => Formula::Wand(Box::new(a), Box::new(b)),
        },
        Formula::Septraction(a, b) => match (fold(*a), fold(*b)) {
            (Formula::False, _) | (_, Formula::False) => Formula::False,
            (Formula::Emp, b) => b,
            (a, b) => Formula::Septraction(Box::new(a), Box::new(b)),
        },
        Formula::Exists(variables, inner) => match fold(*inner) {
            constant @ (Formula::True | Formula::False) => constant,
            inner => Formula::Exists(variables, Box::new(inner)),
        },
        Formula::Forall(variables, inner) => match fold(*inner) {
            constant @ (Formula::True | Formula::False) => constant,
            inner => Formula::Forall(variables, Box::new(inner)),
        },
    }
}

fn fold_pure(pure: Pure) -> Formula {
    let decided = match &pure {
        Pure::Equal(a, b) if a == b => Some(true),
        Pure::Distinct(a, b) if a == b => Some(false),
        Pure::Zero(linear) => linear.as_constant().map(|c| c == 0),
        Pure::NonZero(linear) => linear.as_constant().map(|c| c != 0),
        Pure::AtMostZero(linear) => linear.as_constant().map(|c| c <= 0),
        _ => None,
    };
    match decided {
        Some(true) => Formula::True,
        Some(false) => Formula::False,
        None => Formula::Pure(pure),
    }
}
