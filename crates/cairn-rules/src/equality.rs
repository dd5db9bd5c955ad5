//! Equality of terms: a union-find with offsets.
//!
//! Merges are undone in reverse order. Every derived equality can be explained by the literals that imply it.

use crate::term::{Lit, Term, Var};

/// Equivalence classes of variables that differ by known constants.
#[derive(Debug, Default)]
pub(crate) struct Equality {
    /// Each variable equals its parent plus the offset; a root is its own parent.
    parent: Vec<(Var, i64)>,
    members: Vec<Vec<Var>>,
    /// The merging equalities, stored at both of their variables; they form a forest.
    edges: Vec<Vec<(Var, Lit)>>,
    /// For each merge, the old root, the new root, and the previous size of the new root's class.
    merges: Vec<(Var, Var, usize)>,
    /// For each merge, the variables of the equality that caused it.
    ends: Vec<(Var, Var)>,
}

impl Equality {
    pub fn add(&mut self) -> Var {
        let var = Var(self.parent.len() as u32);
        self.parent.push((var, 0));
        self.members.push(vec![var]);
        self.edges.push(Vec::new());
        var
    }

    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Returns the root of a term's class, plus the distance of the term from it.
    pub fn find(&self, term: Term) -> Term {
        let (mut var, mut offset) = (term.var, term.offset);
        loop {
            let (parent, step) = self.parent[var.index()];
            if parent == var {
                return Term { var, offset };
            }
            var = parent;
            offset = offset.wrapping_add(step);
        }
    }

    /// Returns `a - b` if it is known.
    pub fn difference(&self, a: Term, b: Term) -> Option<i64> {
        if a.var == b.var {
            return a.offset.checked_sub(b.offset);
        }
        let (a, b) = (self.find(a), self.find(b));
        if a.var == b.var { a.offset.checked_sub(b.offset) } else { None }
    }

    /// Returns the members of the class of a root.
    pub fn members(&self, root: Var) -> &[Var] {
        &self.members[root.index()]
    }

    /// Merges two distinct classes because of `a = b`, and returns the variables whose root changed.
    pub fn merge(&mut self, a: Term, b: Term, reason: Lit) -> Vec<Var> {
        let (mut winner, mut loser) = (self.find(a), self.find(b));
        let bigger = self.members[loser.var.index()].len() > self.members[winner.var.index()].len();
        if loser.var == Var::ZERO || (bigger && winner.var != Var::ZERO) {
            std::mem::swap(&mut winner, &mut loser);
        }
        // loser.var + loser.offset = winner.var + winner.offset
        self.parent[loser.var.index()] = (winner.var, winner.offset.wrapping_sub(loser.offset));
        let before = self.members[winner.var.index()].len();
        let moved = self.members[loser.var.index()].clone();
        self.members[winner.var.index()].extend_from_slice(&moved);
        self.merges.push((loser.var, winner.var, before));
        self.ends.push((a.var, b.var));
        self.edges[a.var.index()].push((b.var, reason));
        self.edges[b.var.index()].push((a.var, reason));
        moved
    }

    /// Undoes the last merge.
    pub fn undo(&mut self) {
        if let (Some((loser, winner, before)), Some((a, b))) = (self.merges.pop(), self.ends.pop()) {
            self.parent[loser.index()] = (loser, 0);
            self.members[winner.index()].truncate(before);
            self.edges[a.index()].pop();
            self.edges[b.index()].pop();
        }
    }

    /// Collects the literals that imply the difference of two variables of the same class.
    pub fn explain(&self, from: Var, to: Var, out: &mut Vec<Lit>) {
        if from == to {
            return;
        }
        // The edges form a forest, so the path between two variables is unique.
        let mut stack: Vec<(Var, usize)> = vec![(from, 0)];
        let mut came: Vec<Var> = vec![from];
        let mut reasons: Vec<Lit> = Vec::new();
        while let Some(top) = stack.last_mut() {
            let (var, next) = *top;
            let Some(&(other, reason)) = self.edges[var.index()].get(next) else {
                stack.pop();
                came.pop();
                reasons.pop();
                continue;
            };
            top.1 += 1;
            if came.len() >= 2 && came[came.len() - 2] == other {
                continue;
            }
            reasons.push(reason);
            if other == to {
                out.extend_from_slice(&reasons);
                return;
            }
            came.push(other);
            stack.push((other, 0));
        }
    }
}
