//! The derivations of calls as those of a grammar: what is known of locations is a part of the nonterminal.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::base_pairs::start;
use super::super::flat::{Case, Definitions};
use super::super::shape::Shape;
use crate::budget::{Budget, Reason};

/// A predicate with one of its base pairs.
#[derive(Clone, Debug)]
pub struct Nonterminal {
    pub shape: Shape,
    /// The productions that begin with it.
    pub productions: Vec<usize>,
}

/// One way to unfold a call.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Production {
    pub head: usize,
    pub predicate: usize,
    pub case: usize,
    /// The nonterminals of the calls of the case, in their order.
    pub children: Vec<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct Grammar {
    pub nonterminals: Vec<Nonterminal>,
    pub of_predicate: Vec<Vec<usize>>,
    pub productions: Vec<Production>,
}

/// Larger grammars are not worth the wait.
const MOST_NONTERMINALS: usize = 120;
const MOST_PRODUCTIONS: usize = 2000;
const MOST_STEPS: u64 = 500_000;

impl Grammar {
    /// The grammar of all definitions; `None` where it is too large. Unlike in [`super::super::base_pairs`], a base pair that says
    /// more than another one is kept: it may have other numbers.
    pub fn compute(definitions: &Definitions, budget: &Budget) -> Result<Option<Grammar>, Reason> {
        let part = budget.part(MOST_STEPS);
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
                        if grammar.nonterminals.len() > MOST_NONTERMINALS
                            || grammar.productions.len() > MOST_PRODUCTIONS
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

    /// The nonterminals that derivations from one can have.
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

/// Every consistent choice of nonterminals for the calls of a case.
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
