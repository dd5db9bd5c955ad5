//! Lifetimes at loop heads: variables that hold addresses of freed memory, and variables that hold the same address.
//!
//! Paths arrive at a head with different lifetimes, and what one says about a variable is wrong for another. So the paths from the head are
//! followed once for each of them.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::limits::LIFETIMES;

/// What is known about lifetimes on a path to a loop head.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Lifetime {
    /// The registers that hold addresses of freed memory.
    pub freed: BTreeSet<usize>,
    /// The pairs of registers that hold the same address.
    pub equal: BTreeSet<(usize, usize)>,
}

/// The lifetimes at all loop heads of a function.
#[derive(Debug, Default)]
pub(crate) struct Lifetimes(FxHashMap<usize, BTreeSet<Lifetime>>);

impl Lifetimes {
    /// Adds a lifetime at a loop head, and returns whether it is new.
    ///
    /// If there are too many, they become one that holds whatever one of them does.
    pub fn add(&mut self, head: usize, lifetime: Lifetime) -> bool {
        let known = self.0.entry(head).or_default();
        if known.contains(&lifetime) {
            return false;
        }
        if known.len() < LIFETIMES {
            return known.insert(lifetime);
        }
        let mut all = lifetime;
        for one in known.iter() {
            all.freed.extend(&one.freed);
            all.equal.extend(&one.equal);
        }
        let is_new = !known.contains(&all);
        known.insert(all);
        is_new
    }

    /// Returns the lifetimes at a loop head.
    pub fn at(&self, head: usize) -> Vec<Lifetime> {
        match self.0.get(&head) {
            Some(known) => known.iter().cloned().collect(),
            None => vec![Lifetime::default()],
        }
    }
}
