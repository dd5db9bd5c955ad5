//! The two readings of pure atoms.
//!
//! In SL-COMP's files `x = y` says nothing about the heap. In the strict reading (papers on strong separation, and the solver
//! Astral) it also says that the heap is empty. Procedures know the first reading only; a strict formula is rewritten for them.

use crate::formula::{Formula, Pure};

/// What a pure atom says about the heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Semantics {
    /// Nothing.
    #[default]
    SlComp,
    /// That it is empty.
    Strict,
}

impl Semantics {
    /// The formula that means in SL-COMP's reading what the given one means in this one.
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
