//! The connection between the search and the built-in theories of equality and difference bounds.

use crate::search::{Conflict, Meaning, Solver, Undo};
use crate::term::{Lit, Term, Var};

impl Solver<'_> {
    /// Passes a literal that became true to the built-in theories or to the constraint store.
    pub(crate) fn tell(&mut self, lit: Lit) -> Option<Conflict> {
        let atom = lit.atom() as u32;
        match self.atoms[lit.atom()] {
            Meaning::True | Meaning::All(_) => None,
            Meaning::Equal(a, b, c) => {
                if lit.is_negative() {
                    return self.compare(atom);
                }
                let (a, b) = (Term { var: a, offset: 0 }, Term { var: b, offset: c });
                match self.equality.difference(a, b) {
                    Some(0) => None,
                    Some(_) => self.compare(atom),
                    None => {
                        let moved = self.equality.merge(a, b, lit);
                        self.undo.push(Undo::Merge);
                        let c = i128::from(c);
                        self.bound(a.var, b.var, c, lit)
                            .or_else(|| self.bound(b.var, a.var, -c, lit))
                            .or_else(|| self.moved(&moved))
                    }
                }
            }
            Meaning::AtMost(a, b, c) => {
                if lit.is_negative() {
                    self.bound(b, a, -c - 1, lit)
                } else {
                    self.bound(a, b, c, lit)
                }
            }
            Meaning::Constraint(..) => {
                self.store(atom);
                self.store.agenda.push(atom);
                None
            }
        }
    }

    pub(crate) fn bound(&mut self, to: Var, from: Var, weight: i128, reason: Lit) -> Option<Conflict> {
        let outcome = self.differences.add(to, from, weight, reason);
        self.undo.push(Undo::Bound);
        match outcome {
            Ok(()) => None,
            Err(reasons) => self.add_clause(reasons.into_iter().map(|lit| !lit).collect()),
        }
    }

    /// Re-examines the atoms of variables whose class changed.
    ///
    /// Equality atoms may be decided now, and constraints may match rules that they did not match before.
    pub(crate) fn moved(&mut self, vars: &[Var]) -> Option<Conflict> {
        for &var in vars {
            for index in 0..self.equal_occurrences[var.index()].len() {
                let atom = self.equal_occurrences[var.index()][index];
                if let Some(conflict) = self.compare(atom) {
                    return Some(conflict);
                }
            }
            for index in 0..self.constraint_occurrences[var.index()].len() {
                let atom = self.constraint_occurrences[var.index()][index];
                if self.assignment.values[atom as usize] != 0 {
                    self.store.agenda.push(atom);
                }
            }
        }
        None
    }

    /// Assigns an equality atom if the equality classes decide it.
    pub(crate) fn compare(&mut self, atom: u32) -> Option<Conflict> {
        let Meaning::Equal(a, b, c) = self.atoms[atom as usize] else { return None };
        let difference = self.equality.difference(Term { var: a, offset: 0 }, Term { var: b, offset: c })?;
        let implied = Lit::new(atom, difference != 0);
        if self.holds(implied) {
            return None;
        }
        let mut clause = vec![implied];
        let mut reasons = Vec::new();
        self.equality.explain(a, b, &mut reasons);
        clause.extend(reasons.into_iter().map(|lit| !lit));
        self.add_clause(clause)
    }
}
