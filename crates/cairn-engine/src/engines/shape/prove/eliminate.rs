//! Variables that nothing holds any more leave the path where an equation says what they are. Without this each loop of a program
//! leaves its own behind, and every later question drags them all along.

use cairn_smt::term::{Node, Op, mask};
use cairn_smt::{Substitution, Term};
use rustc_hash::FxHashSet;

use super::shapes::locals_in;
use crate::engines::shape::Explorer;
use crate::engines::shape::state::State;

/// Variables that are taken out of one path at once.
const MOST: usize = 200;

impl Explorer<'_> {
    /// Replaces variables that are not needed by what they equal. The path says the same of the others as before.
    pub(super) fn eliminate(&mut self, state: &mut State, needed: &FxHashSet<Term>) {
        // A local variable has many values: what equals one is no name for another.
        let locals = locals_in(&state.memory);
        for _ in 0..MOST {
            let conditions = state.path.conditions();
            let Some((variable, value)) = conditions.into_iter().find_map(|c| self.solved(c, needed, &locals)) else {
                return;
            };
            let mut instead = Substitution::new([(variable, value)]);
            match state.path.substitute(&mut self.terms, &mut instead) {
                // The model gives both sides of an equation the same value.
                Some((path, true)) => state.path = path,
                _ => return,
            }
        }
    }

    /// A variable that is not needed, and what it equals, when a condition is an equation of both.
    fn solved(&mut self, condition: Term, needed: &FxHashSet<Term>, locals: &FxHashSet<Term>) -> Option<(Term, Term)> {
        let Node::Binary(Op::Eq, a, b) = *self.terms.node(condition) else { return None };
        let variables = self.terms.variables_of(condition);
        if variables.iter().all(|v| needed.contains(v)) || variables.iter().any(|v| locals.contains(v)) {
            return None;
        }
        let zero = self.terms.sub(a, b);
        let width = self.terms.width(zero);
        let monomials = match self.terms.node(zero) {
            Node::Sum(sum) => sum.monomials.clone(),
            Node::Var(_) => [(zero, 1)].into_iter().collect(),
            _ => return None,
        };
        for (variable, factor) in monomials {
            let alone = matches!(self.terms.node(variable), Node::Var(_)) && !needed.contains(&variable);
            if !alone || (factor != 1 && factor != mask(width)) {
                continue;
            }
            // The sum without the variable, and with the sign that leaves the variable on the other side.
            let part = self.terms.scale(variable, factor);
            let rest = self.terms.sub(zero, part);
            // A sum in its place would say less than a name: bounds of sums are not looked for.
            if self.terms.variables_of(rest).len() > 1 || self.terms.variables_of(rest).contains(&variable) {
                continue;
            }
            let value = if factor == 1 { self.terms.scale(rest, mask(width)) } else { rest };
            return Some((variable, value));
        }
        None
    }
}
