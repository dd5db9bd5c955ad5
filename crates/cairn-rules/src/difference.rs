//! Bounds on differences of variables.
//!
//! The bounds are edges of a graph. They are satisfiable exactly if the graph has no negative
//! cycle, which a potential function witnesses.

use std::collections::VecDeque;

use crate::term::{Lit, Var};

/// The bound `to - from <= weight`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Var,
    to: Var,
    weight: i128,
    reason: Lit,
}

/// The bounds that currently hold.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    edges: Vec<Edge>,
    outgoing: Vec<Vec<u32>>,
    /// A solution: every edge satisfies `potential(to) <= potential(from) + weight`.
    potential: Vec<i128>,
}

impl Differences {
    pub fn add_var(&mut self) {
        self.outgoing.push(Vec::new());
        self.potential.push(0);
    }

    /// Returns the value of a variable in a solution of all bounds.
    pub fn value(&self, var: Var) -> i128 {
        self.potential[var.index()]
    }

    /// Returns for each variable whether it occurs in a bound.
    pub fn bounded(&self) -> Vec<bool> {
        let mut out = vec![false; self.potential.len()];
        for edge in &self.edges {
            out[edge.from.index()] = true;
            out[edge.to.index()] = true;
        }
        out
    }

    /// Adds the bound `to - from <= weight`; on failure, returns the literals of a contradictory set of bounds.
    pub fn add(&mut self, to: Var, from: Var, weight: i128, reason: Lit) -> Result<(), Vec<Lit>> {
        let number = self.edges.len() as u32;
        self.edges.push(Edge { from, to, weight, reason });
        self.outgoing[from.index()].push(number);
        if from == to && weight < 0 {
            return Err(vec![reason]);
        }
        let start = self.potential[from.index()] + weight;
        if self.potential[to.index()] <= start {
            return Ok(());
        }
        let mut changed: Vec<(Var, i128)> = vec![(to, self.potential[to.index()])];
        let mut via: Vec<Option<u32>> = vec![None; self.potential.len()];
        via[to.index()] = Some(number);
        self.potential[to.index()] = start;
        let mut queue = VecDeque::from([to]);
        while let Some(var) = queue.pop_front() {
            for index in 0..self.outgoing[var.index()].len() {
                let at = self.outgoing[var.index()][index];
                let edge = self.edges[at as usize];
                let bound = self.potential[var.index()] + edge.weight;
                if self.potential[edge.to.index()] <= bound {
                    continue;
                }
                if edge.to == from {
                    // The path back to the start can be shortened further, so it forms a negative
                    // cycle with the new edge.
                    let mut reasons = vec![edge.reason];
                    let mut at = var;
                    while let Some(number) = via[at.index()] {
                        let edge = self.edges[number as usize];
                        reasons.push(edge.reason);
                        if edge.from == from {
                            break;
                        }
                        at = edge.from;
                    }
                    for &(var, old) in changed.iter().rev() {
                        self.potential[var.index()] = old;
                    }
                    return Err(reasons);
                }
                changed.push((edge.to, self.potential[edge.to.index()]));
                self.potential[edge.to.index()] = bound;
                via[edge.to.index()] = Some(at);
                queue.push_back(edge.to);
            }
        }
        Ok(())
    }

    /// Removes the last bound.
    pub fn undo(&mut self) {
        if let Some(edge) = self.edges.pop() {
            self.outgoing[edge.from.index()].pop();
        }
    }
}
