//! Linear equations for how often each production is used, and their solutions that are derivations.

use super::super::flat::{Definitions, Var};
use super::effect::{Effects, Interval};
use super::grammar::Grammar;
use crate::arithmetic::{Answer, Constraint, Row, Solution, solve};
use crate::budget::{Budget, Reason};
use crate::limits;

/// The integer constraints of a heap together with the derivations of some of its calls.
#[derive(Clone, Debug)]
pub struct System {
    constraints: Vec<Constraint>,
    next: Var,
    calls: Vec<Derivation>,
}

/// The derivation of one call.
#[derive(Clone, Debug)]
struct Derivation {
    root: usize,
    /// The productions, each with the unknown that counts its uses.
    counts: Vec<(usize, Var)>,
    /// Pairs of unknowns: the first must be 0 unless the second is positive.
    slack: Vec<(Var, Var)>,
}

impl System {
    pub fn new(numbers: &[Constraint], next: Var) -> Self {
        Self { constraints: numbers.to_vec(), next, calls: Vec::new() }
    }

    fn fresh(&mut self) -> Var {
        self.next += 1;
        self.next - 1
    }

    /// Adds the derivations of a call from a nonterminal; returns one system per possible end.
    pub fn with_call(
        &self,
        definitions: &Definitions,
        grammar: &Grammar,
        effects: &Effects,
        nonterminal: usize,
        arguments: &[Var],
    ) -> Vec<System> {
        let predicate_of = |n: usize| grammar.productions[grammar.nonterminals[n].productions[0]].predicate;
        let predicate = predicate_of(nonterminal);
        if !effects.numeric[predicate] {
            return vec![self.clone()];
        }
        let is_end = |production: usize| {
            let production = &grammar.productions[production];
            effects.cases[production.predicate][production.case].calls.is_empty()
        };
        let reached: Vec<usize> =
            grammar.reachable(nonterminal).into_iter().filter(|&n| effects.numeric[predicate_of(n)]).collect();
        let productions: Vec<usize> =
            reached.iter().flat_map(|&n| &grammar.nonterminals[n].productions).copied().collect();
        // A derivation without branching has exactly one end, whose facts can relate all parameters.
        let ends: Vec<Option<usize>> = if effects.linear {
            productions.iter().copied().filter(|&p| is_end(p)).map(Some).collect()
        } else {
            vec![None]
        };
        let mut systems = Vec::new();
        for end in ends {
            let mut system = self.clone();
            let taken: Vec<usize> =
                productions.iter().copied().filter(|&p| end.is_none_or(|end| end == p || !is_end(p))).collect();
            if system.add(definitions, grammar, effects, nonterminal, arguments, &reached, &taken, end).is_some() {
                systems.push(system);
            }
        }
        systems
    }

    #[expect(clippy::too_many_arguments, reason = "one place where everything comes together")]
    fn add(
        &mut self,
        definitions: &Definitions,
        grammar: &Grammar,
        effects: &Effects,
        root: usize,
        arguments: &[Var],
        reached: &[usize],
        taken: &[usize],
        end: Option<usize>,
    ) -> Option<()> {
        let counts: Vec<(usize, Var)> = taken.iter().map(|&p| (p, self.fresh())).collect();
        let mut derivation = Derivation { root, counts: counts.clone(), slack: Vec::new() };
        for &(production, count) in &counts {
            self.constraints.push(Constraint::at_least_zero(Row::unknown(count)));
            if Some(production) == end {
                self.constraints.push(Constraint::zero(Row { constant: -1, ..Row::unknown(count) }));
            }
        }
        // Each nonterminal is unfolded as often as it is called.
        for &nonterminal in reached {
            let mut row = Row::number(i128::from(nonterminal == root));
            for &(index, count) in &counts {
                let production = &grammar.productions[index];
                let calls = &effects.cases[production.predicate][production.case].calls;
                let uses = calls.iter().filter(|&&c| production.children[c] == nonterminal).count() as i128;
                row = row.plus(&Row::unknown(count), uses - i128::from(production.head == nonterminal))?;
            }
            self.constraints.push(Constraint::zero(row));
        }
        let predicate = grammar.productions[grammar.nonterminals[root].productions[0]].predicate;
        let mut last: Vec<(usize, Var)> = Vec::new();
        for (place, class) in effects.class_of[predicate].iter().enumerate() {
            let Some(class) = *class else { continue };
            let mut row = Row::unknown(arguments[place]);
            if effects.linear {
                let value = self.fresh();
                row = row.plus(&Row::unknown(value), -1)?;
                last.push((class, value));
            }
            for &(index, count) in &counts {
                let production = &grammar.productions[index];
                let effect = &effects.cases[production.predicate][production.case];
                let Some(&(_, interval)) = effect.steps.iter().find(|s| s.0 == class) else { continue };
                let step = self.step(interval, count, &mut derivation)?;
                row = row.plus(&step, -1)?;
            }
            self.constraints.push(Constraint::zero(row));
        }
        if let Some(end) = end {
            let production = &grammar.productions[end];
            let classes = &effects.class_of[production.predicate];
            for fact in &effects.cases[production.predicate][production.case].facts {
                let renamed = fact.renamed(&mut |v| {
                    let class = classes[(v - definitions.nils) as usize].unwrap_or(usize::MAX);
                    if let Some(known) = last.iter().find(|l| l.0 == class) {
                        return known.1;
                    }
                    let value = self.fresh();
                    last.push((class, value));
                    value
                })?;
                self.constraints.push(renamed);
            }
        }
        self.calls.push(derivation);
        Some(())
    }

    /// Returns the total contribution of a production that is used `count` times.
    fn step(&mut self, interval: Interval, count: Var, derivation: &mut Derivation) -> Option<Row> {
        let times = |bound: i128| Row::unknown(count).times(bound);
        Some(match (interval.least, interval.most) {
            (Some(least), Some(most)) if least == most => times(least)?,
            (Some(least), Some(most)) => {
                let value = self.fresh();
                self.constraints.push(Constraint::at_least_zero(Row::unknown(value).plus(&times(least)?, -1)?));
                self.constraints.push(Constraint::at_least_zero(times(most)?.plus(&Row::unknown(value), -1)?));
                Row::unknown(value)
            }
            (least, most) => {
                let slack = self.fresh();
                derivation.slack.push((slack, count));
                match (least, most) {
                    (Some(bound), _) => {
                        self.constraints.push(Constraint::at_least_zero(Row::unknown(slack)));
                        times(bound)?.plus(&Row::unknown(slack), 1)?
                    }
                    (_, Some(bound)) => {
                        self.constraints.push(Constraint::at_least_zero(Row::unknown(slack)));
                        times(bound)?.plus(&Row::unknown(slack), -1)?
                    }
                    _ => Row::unknown(slack),
                }
            }
        })
    }

    /// Decides whether the system has a solution that is a derivation; returns `None` if this is unknown.
    pub fn solve(&self, grammar: &Grammar, effects: &Effects, budget: &Budget) -> Result<Option<bool>, Reason> {
        let mut splits = limits::MAX_COUNT_SPLITS;
        self.split(grammar, effects, self.constraints.clone(), &mut splits, budget)
    }

    fn split(
        &self,
        grammar: &Grammar,
        effects: &Effects,
        constraints: Vec<Constraint>,
        splits: &mut usize,
        budget: &Budget,
    ) -> Result<Option<bool>, Reason> {
        budget.spend(1 + constraints.len() as u64)?;
        let solution = match solve(&constraints) {
            Answer::Feasible(solution) => solution,
            Answer::Infeasible => return Ok(Some(false)),
            Answer::Unknown => return Ok(None),
        };
        let Some(halves) = self.calls.iter().find_map(|d| d.violated(grammar, effects, &solution)) else {
            return Ok(Some(true));
        };
        let mut open = false;
        for half in halves {
            let Some(left) = splits.checked_sub(1) else { return Ok(None) };
            *splits = left;
            let mut next = constraints.clone();
            next.extend(half);
            match self.split(grammar, effects, next, splits, budget)? {
                Some(true) => return Ok(Some(true)),
                Some(false) => {}
                None => open = true,
            }
        }
        Ok(if open { None } else { Some(false) })
    }
}

impl Derivation {
    /// Finds a reason why a solution is not a derivation.
    ///
    /// Returns two sets of constraints, of which every derivation satisfies at least one.
    fn violated(&self, grammar: &Grammar, effects: &Effects, solution: &Solution) -> Option<[Vec<Constraint>; 2]> {
        let value = |v: Var| solution.get(&v).copied().unwrap_or(0);
        let positive = |v: Var| Constraint::at_least_zero(Row { constant: -1, ..Row::unknown(v) });
        if let Some(&(slack, count)) = self.slack.iter().find(|s| value(s.0) != 0 && value(s.1) == 0) {
            return Some([vec![Constraint::zero(Row::unknown(slack))], vec![positive(count)]]);
        }
        // Every used production must be reachable from the root.
        let calls = |index: usize| {
            let production = &grammar.productions[index];
            let calls = &effects.cases[production.predicate][production.case].calls;
            calls.iter().map(|&c| production.children[c])
        };
        let mut reached = vec![self.root];
        let mut next = 0;
        while next < reached.len() {
            for &(index, count) in &self.counts {
                if grammar.productions[index].head == reached[next] && value(count) > 0 {
                    for child in calls(index) {
                        if !reached.contains(&child) {
                            reached.push(child);
                        }
                    }
                }
            }
            next += 1;
        }
        let head = |index: usize| grammar.productions[index].head;
        let mut apart: Vec<usize> = Vec::new();
        for &(index, count) in &self.counts {
            if value(count) > 0 && !reached.contains(&head(index)) {
                apart.push(head(index));
            }
        }
        if apart.is_empty() {
            return None;
        }
        let mut unused = Vec::new();
        let mut entered = Row::number(-1);
        for &(index, count) in &self.counts {
            if apart.contains(&head(index)) {
                unused.push(Constraint::zero(Row::unknown(count)));
            } else if calls(index).any(|child| apart.contains(&child)) {
                entered = entered.plus(&Row::unknown(count), 1)?;
            }
        }
        Some([unused, vec![Constraint::at_least_zero(entered)]])
    }
}
