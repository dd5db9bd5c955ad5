//! Derivations of calls as a context-free grammar, whose nonterminals include facts about locations.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::base_pairs::start;
use super::super::flat::{Case, Definitions};
use super::super::shape::Shape;
use crate::budget::{Budget, Reason};
use crate::limits;

/// A predicate with one of its base pairs.
#[derive(Clone, Debug)]
pub struct Nonterminal {
    pub shape: Shape,
    /// The productions with this head.
    pub productions: Vec<usize>,
}

/// An unfolding of a nonterminal by a case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Production {
    pub head: usize,
    pub predicate: usize,
    pub case: usize,
    /// The nonterminals of the calls of the case, in order.
    pub children: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Grammar {
    pub nonterminals: Vec<Nonterminal>,
    pub of_predicate: Vec<Vec<usize>>,
    pub productions: Vec<Production>,
}

impl Grammar {
    /// Computes the grammar of all definitions; returns `None` if it is too large.
    ///
    /// Unlike in [`super::super::base_pairs`], subsumed base pairs are kept, because they may have other integers.
    pub fn compute(definitions: &Definitions, budget: &Budget) -> Result<Option<Grammar>, Reason> {
        let part = budget.part(limits::GRAMMAR_STEPS);
        let found = Self::fixpoint(definitions, &part);
        budget.settle(&part);
        match found {
            Err(Reason::OutOfBudget) if budget.left() > 0 => Ok(None),
            other => other,
        }
    }

    fn fixpoint(definitions: &Definitions, budget: &Budget) -> Result<Option<Grammar>, Reason> {
        let mut grammar =
            Grammar { of_predicate: vec![Vec::new(); definitions.predicates.len()], ..Grammar::default() };
        let mut known: FxHashMap<(usize, Shape), usize> = FxHashMap::default();
        let mut seen: FxHashSet<(usize, usize, Vec<usize>)> = FxHashSet::default();
        loop {
            let before = grammar.productions.len();
            for (predicate, definition) in definitions.predicates.iter().enumerate() {
                for (index, case) in definition.cases.iter().enumerate() {
                    let Some(shape) = start(definitions, predicate, case) else { continue };
                    let mut found = Vec::new();
                    combine(definitions.nils, case, &grammar, &shape, &mut Vec::new(), &mut found, budget)?;
                    for (children, shape) in found {
                        if !seen.insert((predicate, index, children.clone())) {
                            continue;
                        }
                        let keep: Vec<usize> = (0..definitions.nils as usize + definition.parameters.len()).collect();
                        let shape = shape.project(&keep);
                        let head = *known.entry((predicate, shape.clone())).or_insert_with(|| {
                            grammar.nonterminals.push(Nonterminal { shape, productions: Vec::new() });
                            grammar.of_predicate[predicate].push(grammar.nonterminals.len() - 1);
                            grammar.nonterminals.len() - 1
                        });
                        grammar.nonterminals[head].productions.push(grammar.productions.len());
                        grammar.productions.push(Production { head, predicate, case: index, children });
                        if grammar.nonterminals.len() > limits::MAX_NONTERMINALS
                            || grammar.productions.len() > limits::MAX_PRODUCTIONS
                        {
                            return Ok(None);
                        }
                    }
                }
            }
            if grammar.productions.len() == before {
                return Ok(Some(grammar));
            }
        }
    }

    /// Returns the nonterminals that are reachable from one.
    pub fn reachable(&self, from: usize) -> Vec<usize> {
        let mut reached = vec![from];
        let mut next = 0;
        while next < reached.len() {
            for &production in &self.nonterminals[reached[next]].productions {
                for &child in &self.productions[production].children {
                    if !reached.contains(&child) {
                        reached.push(child);
                    }
                }
            }
            next += 1;
        }
        reached
    }
}

/// Enumerates all consistent choices of nonterminals for the calls of a case.
fn combine(
    nils: u32,
    case: &Case,
    grammar: &Grammar,
    shape: &Shape,
    chosen: &mut Vec<usize>,
    found: &mut Vec<(Vec<usize>, Shape)>,
    budget: &Budget,
) -> Result<(), Reason> {
    let Some(call) = case.heap.calls.get(chosen.len()) else {
        found.push((chosen.clone(), shape.clone()));
        return Ok(());
    };
    let place = |i: usize| if i < nils as usize { i } else { call.arguments[i - nils as usize] as usize };
    for &nonterminal in &grammar.of_predicate[call.predicate] {
        budget.spend(1)?;
        let pair = &grammar.nonterminals[nonterminal].shape;
        if pair.contradicts(shape, place) {
            continue;
        }
        let mut joined = shape.clone();
        if joined.join(pair, place) {
            chosen.push(nonterminal);
            combine(nils, case, grammar, &joined, chosen, found, budget)?;
            chosen.pop();
        }
    }
    Ok(())
}
