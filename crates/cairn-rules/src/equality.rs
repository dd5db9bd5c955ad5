//! Equality of terms: a union-find whose edges carry offsets. Merges are undone in the reverse order, and every equality can be
//! explained by the literals that made it.

use crate::term::{Lit, Term, Var};

/// Classes of variables that differ by known constants.
#[derive(Debug, Default)]
pub(crate) struct Equality {
    /// Each variable is its parent plus the offset; roots are their own.
    parent: Vec<(Var, i64)>,
    members: Vec<Vec<Var>>,
    /// The equalities that joined two classes, at both ends: a forest.
    edges: Vec<Vec<(Var, Lit)>>,
    /// The classes that were joined: the root that lost its place, and how many members the winner had.
    merges: Vec<(Var, Var, usize)>,
    /// Which edge made each merge.
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

    /// The root of a term's class, and the term's distance from it.
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

    /// `a - b`, where it is known.
    pub fn difference(&self, a: Term, b: Term) -> Option<i64> {
        if a.var == b.var {
            return a.offset.checked_sub(b.offset);
        }
        let (a, b) = (self.find(a), self.find(b));
        if a.var == b.var { a.offset.checked_sub(b.offset) } else { None }
    }

    /// The members of a root's class.
    pub fn members(&self, root: Var) -> &[Var] {
        &self.members[root.index()]
    }

    /// Joins two classes that are not one yet: `a = b`, because of a literal. Returns the variables whose root changed.
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

    /// Takes the last merge back.
    pub fn undo(&mut self) {
        if let (Some((loser, winner, before)), Some((a, b))) = (self.merges.pop(), self.ends.pop()) {
            self.parent[loser.index()] = (loser, 0);
            self.members[winner.index()].truncate(before);
            self.edges[a.index()].pop();
            self.edges[b.index()].pop();
        }
    }

    /// The literals by which two variables of one class are related.
    pub fn explain(&self, from: Var, to: Var, out: &mut Vec<Lit>) {
        if from == to {
            return;
        }
        // The edges are a forest, so that the way is the only one.
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
