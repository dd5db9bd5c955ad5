//! The two readings of pure atoms.
//!
//! In SL-COMP files `x = y` does not constrain the heap. In the strict reading, used by papers on
//! strong-separation logic and by the solver Astral, it also requires the heap to be empty. All
//! procedures implement the SL-COMP reading; strict formulas are translated.

use crate::formula::{Formula, Pure};

/// The meaning of a pure atom with respect to the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Semantics {
    /// The atom does not constrain the heap.
    #[default]
    SlComp,
    /// The atom requires the heap to be empty.
    Strict,
}

impl Semantics {
    /// Translates a formula with this reading to one with the SL-COMP reading.
    pub fn explain(self, formula: Formula) -> Formula {
        match self {
            Semantics::SlComp => formula,
            Semantics::Strict => strict(formula),
        }
    }
}

fn strict(formula: Formula) -> Formula {
    let all = |parts: Vec<Formula>| parts.into_iter().map(strict).collect::<Vec<_>>();
    let boxed = |inner: Box<Formula>| Box::new(strict(*inner));
    match formula {
        Formula::Pure(pure) => atom(pure),
        Formula::True | Formula::False | Formula::Emp | Formula::Spatial(_) => formula,
        Formula::Sep(parts) => Formula::sep(all(parts)),
        Formula::And(parts) => Formula::and(all(parts)),
        Formula::Or(parts) => Formula::or(all(parts)),
        Formula::Wand(a, b) => Formula::Wand(boxed(a), boxed(b)),
        Formula::Septraction(a, b) => Formula::Septraction(boxed(a), boxed(b)),
        Formula::Not(inner) => Formula::not(strict(*inner)),
        Formula::Exists(variables, inner) => Formula::Exists(variables, boxed(inner)),
        Formula::Forall(variables, inner) => Formula::Forall(variables, boxed(inner)),
    }
}

fn atom(pure: Pure) -> Formula {
    Formula::and([Formula::Pure(pure), Formula::Emp])
}
