//! Models: the variable values and constraints with which a search without contradiction ends.

use rustc_hash::FxHashMap;

use crate::rule::Predicate;
use crate::search::{Meaning, Solver};
use crate::term::{Term, Var};

/// An assignment that is consistent as far as the rules can tell.
#[derive(Clone, Debug)]
pub struct Model {
    /// For each variable, the root of its class plus its distance from the root.
    roots: Vec<Term>,
    /// The value of each root.
    values: FxHashMap<Var, i64>,
    /// The constraints that hold.
    constraints: Vec<(Predicate, Box<[Term]>)>,
    /// The constraints that are known not to hold.
    refused: Vec<(Predicate, Box<[Term]>)>,
}

impl Model {
    /// Returns whether two terms are known to be equal.
    pub fn same(&self, a: Term, b: Term) -> bool {
        self.root(a) == self.root(b)
    }

    /// Rewrites a term in terms of the root of its class.
    pub fn root(&self, term: Term) -> Term {
        self.roots.get(term.var.index()).map_or(term, |&root| root + term.offset)
    }

    /// Returns the value of a term.
    pub fn value(&self, term: Term) -> i64 {
        let root = self.root(term);
        self.values.get(&root.var).copied().unwrap_or(0).saturating_add(root.offset)
    }

    /// Returns the arguments of the constraints of a predicate that hold.
    pub fn constraints(&self, predicate: Predicate) -> impl Iterator<Item = &[Term]> {
        self.constraints.iter().filter(move |(p, _)| *p == predicate).map(|(_, args)| &**args)
    }

    /// Returns the arguments of the constraints of a predicate that are known not to hold.
    pub fn refused(&self, predicate: Predicate) -> impl Iterator<Item = &[Term]> {
        self.refused.iter().filter(move |(p, _)| *p == predicate).map(|(_, args)| &**args)
    }
}

impl Solver<'_> {
    pub(crate) fn model(&self) -> Model {
        let count = self.equality.len() as u32;
        let roots: Vec<Term> = (0..count).map(|var| self.equality.find(Term { var: Var(var), offset: 0 })).collect();
        let zero = self.differences.value(Var::ZERO);
        let bounded = self.differences.bounded();
        let mut values = FxHashMap::default();
        values.insert(Var::ZERO, 0);
        let mut free = 0;
        for var in (1..count).map(Var) {
            if roots[var.index()].var != var {
                continue;
            }
            // A bounded variable that is alone in its class takes its value from the difference
            // bounds. All other classes get values far apart, so that terms that need not be equal
            // differ.
            let members = self.equality.members(var);
            let value = match members {
                &[only] if bounded[only.index()] => {
                    let value = self.differences.value(only) - zero;
                    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
                }
                _ => {
                    free += 1;
                    0x1_0000 + free * 0x1000
                }
            };
            values.insert(var, value);
        }
        let collect = |sign: usize| {
            self.store
                .live
                .iter()
                .flat_map(|lists| &lists[sign])
                .filter_map(|&atom| match &self.atoms[atom as usize] {
                    Meaning::Constraint(predicate, args) => Some((*predicate, args.clone())),
                    _ => None,
                })
                .collect()
        };
        Model { roots, values, constraints: collect(0), refused: collect(1) }
    }
}
