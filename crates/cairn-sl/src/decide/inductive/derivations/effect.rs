//! The effect of a case on integer parameters.
//!
//! Parameters that are passed on to each other form a class. For each class, the effect bounds the
//! difference between the parameter of the head and the sum of those of the calls.

use rustc_hash::FxHashMap;

use super::super::facts::{instantiated, invariants};
use super::super::flat::{Case, Definitions, Kind, Var};
use crate::arithmetic::{Constraint, Relation, Row, entails};
use crate::limits;

/// Bounds of an integer; `None` on an unbounded side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Interval {
    pub least: Option<i128>,
    pub most: Option<i128>,
}

/// The effect of a case.
#[derive(Clone, Debug, Default)]
pub struct Effect {
    /// For each class of the case, the head's parameter minus the sum over the calls.
    pub steps: Vec<(usize, Interval)>,
    /// Constraints on the parameters of the head, for a case without numeric calls if no case branches.
    pub facts: Vec<Constraint>,
    /// The indices of the calls with integers.
    pub calls: Vec<usize>,
}

/// The effects of all cases.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Whether the effects represent all constraints exactly.
    pub exact: bool,
    /// Whether every case calls at most one predicate with integers.
    pub linear: bool,
    /// For each predicate, whether integers occur in its derivations.
    pub numeric: Vec<bool>,
    /// The class of each integer parameter.
    pub class_of: Vec<Vec<Option<usize>>>,
    pub cases: Vec<Vec<Effect>>,
}

/// A set of integers of a case that constraints connect.
struct Component {
    heads: Vec<Var>,
    /// Arguments of calls, as triples of variable, call and position.
    slots: Vec<(Var, usize, usize)>,
    rows: Vec<Constraint>,
}

/// A component that bounds the difference between a parameter of the head and those of the calls.
struct Link {
    head: usize,
    slots: Vec<(usize, usize)>,
    interval: Interval,
}

/// An intermediate result for a case.
struct Draft {
    links: Vec<Link>,
    facts: Vec<Constraint>,
    calls: Vec<usize>,
}

impl Effects {
    /// Computes the effects of all cases.
    ///
    /// Returns `None` if a predicate has two parameters of the same class, on overflow, or if a case
    /// has too many constraints.
    pub fn of(definitions: &Definitions) -> Option<Effects> {
        let count = definitions.predicates.len();
        let numeric: Vec<bool> = {
            let own: Vec<bool> = definitions
                .predicates
                .iter()
                .map(|d| d.parameters.contains(&Kind::Integer) || d.cases.iter().any(|c| !c.heap.numbers.is_empty()))
                .collect();
            let reaches = definitions.reachable();
            (0..count).map(|p| own[p] || reaches[p].iter().any(|&q| own[q])).collect()
        };
        let invariants = invariants(definitions);
        let mut exact = true;
        let mut linear = true;
        let mut drafts: Vec<Vec<Draft>> = Vec::new();
        for definition in &definitions.predicates {
            let mut cases = Vec::new();
            for case in &definition.cases {
                let calls: Vec<usize> =
                    (0..case.heap.calls.len()).filter(|&i| numeric[case.heap.calls[i].predicate]).collect();
                linear &= calls.len() <= 1;
                cases.push(draft(definitions, &definition.parameters, case, calls, &invariants, &mut exact)?);
            }
            drafts.push(cases);
        }
        let class_of = classes(definitions, &drafts)?;
        let mut cases = Vec::new();
        for (predicate, drafts) in drafts.into_iter().enumerate() {
            let mut effects = Vec::new();
            for (index, draft) in drafts.into_iter().enumerate() {
                let case = &definitions.predicates[predicate].cases[index];
                effects.push(draft.finish(definitions.nils, predicate, case, &class_of, linear, &mut exact));
            }
            cases.push(effects);
        }
        Some(Effects { exact, linear, numeric, class_of, cases })
    }
}

/// Computes the components of a case.
fn draft(
    definitions: &Definitions,
    parameters: &[Kind],
    case: &Case,
    calls: Vec<usize>,
    invariants: &[Vec<Constraint>],
    exact: &mut bool,
) -> Option<Draft> {
    let nils = definitions.nils;
    let fixed = nils + parameters.len() as u32;
    let first_slot = fixed + case.locals.len() as u32;
    let mut rows = case.heap.numbers.clone();
    let mut slots: Vec<(Var, usize, usize)> = Vec::new();
    // The invariants of the arguments of the calls.
    let mut known: Vec<Constraint> = Vec::new();
    for &call in &calls {
        let mut target = case.heap.calls[call].clone();
        for (place, argument) in target.arguments.iter_mut().enumerate() {
            if definitions.predicates[target.predicate].parameters[place] == Kind::Integer {
                let slot = first_slot + slots.len() as u32;
                rows.push(Constraint::zero(Row::difference(slot, *argument)));
                slots.push((slot, call, place));
                *argument = slot;
            }
        }
        known.extend(instantiated(definitions, &target, &invariants[target.predicate]));
    }
    let kept = |v: Var| v < fixed || v >= first_slot;
    let rows = eliminate(rows, kept, exact)?;
    if calls.is_empty() {
        return Some(Draft { links: Vec::new(), facts: rows, calls });
    }
    let mut links = Vec::new();
    for component in components(rows, fixed, &slots) {
        match component.link(nils, &known, exact) {
            Some(link) => links.push(link),
            None => *exact = false,
        }
    }
    Some(Draft { links, facts: Vec::new(), calls })
}

/// Eliminates all variables that are not kept; constraints that cannot be expressed without them are dropped.
fn eliminate(mut rows: Vec<Constraint>, kept: impl Fn(Var) -> bool, exact: &mut bool) -> Option<Vec<Constraint>> {
    loop {
        rows.sort_unstable();
        rows.dedup();
        rows.retain(|c| !c.row.terms.is_empty() || c.holds(&|_| 0) != Some(true));
        let Some(gone) = rows.iter().flat_map(|c| &c.row.terms).map(|t| t.0).find(|v| !kept(*v)) else {
            return Some(rows);
        };
        let equation = rows.iter().position(|c| c.relation == Relation::Zero && c.row.coefficient(gone).abs() == 1);
        if let Some(place) = equation {
            let mut rest = rows.swap_remove(place).row;
            let coefficient = rest.coefficient(gone);
            rest.terms.retain(|t| t.0 != gone);
            let value = rest.times(-coefficient)?;
            for constraint in &mut rows {
                constraint.row = constraint.row.substitute(gone, &value)?;
            }
            continue;
        }
        let (about, rest): (Vec<_>, Vec<_>) = rows.drain(..).partition(|c| c.row.coefficient(gone) != 0);
        rows = rest;
        let bounds = |sign: i128| {
            about.iter().filter(move |c| c.relation == Relation::AtLeastZero && c.row.coefficient(gone) == sign)
        };
        let one_sided = bounds(1).next().is_none() || bounds(-1).next().is_none();
        let simple = about.iter().all(|c| match c.relation {
            Relation::AtLeastZero => c.row.coefficient(gone).abs() == 1,
            // A variable unbounded on one side can avoid finitely many values.
            Relation::NonZero => one_sided,
            Relation::Zero => false,
        });
        *exact &= simple;
        for low in bounds(1) {
            for high in bounds(-1) {
                rows.push(Constraint::at_least_zero(low.row.plus(&high.row, 1)?));
            }
        }
        if rows.len() > limits::MAX_CASE_CONSTRAINTS {
            return None;
        }
    }
}

fn components(rows: Vec<Constraint>, fixed: u32, slots: &[(Var, usize, usize)]) -> Vec<Component> {
    let mut parts: Vec<Component> = Vec::new();
    for row in rows {
        let mut joined = Component { heads: Vec::new(), slots: Vec::new(), rows: Vec::new() };
        for &(var, _) in &row.row.terms {
            if var < fixed {
                joined.heads.push(var);
            } else if let Some(slot) = slots.iter().find(|s| s.0 == var) {
                joined.slots.push(*slot);
            }
        }
        joined.rows.push(row);
        let shares = |part: &Component| {
            part.heads.iter().any(|h| joined.heads.contains(h)) || part.slots.iter().any(|s| joined.slots.contains(s))
        };
        let (near, far): (Vec<_>, Vec<_>) = parts.into_iter().partition(shares);
        for part in near {
            joined.heads.extend(part.heads);
            joined.slots.extend(part.slots);
            joined.rows.extend(part.rows);
        }
        joined.heads.sort_unstable();
        joined.heads.dedup();
        joined.slots.sort_unstable();
        joined.slots.dedup();
        parts = far;
        parts.push(joined);
    }
    parts
}

impl Component {
    /// Interprets the component as a link; constraints beyond the link are dropped.
    fn link(&self, nils: u32, known: &[Constraint], exact: &mut bool) -> Option<Link> {
        let [head] = self.heads[..] else { return None };
        let mut calls: Vec<usize> = self.slots.iter().map(|s| s.1).collect();
        calls.sort_unstable();
        calls.dedup();
        if self.slots.is_empty() || calls.len() != self.slots.len() {
            return None;
        }
        let mut interval = Interval::default();
        let mut known = known.to_vec();
        let mut rest = Vec::new();
        for constraint in &self.rows {
            let row = &constraint.row;
            let factor = row.coefficient(head);
            let is_difference = factor != 0 && self.slots.iter().all(|s| row.coefficient(s.0) == -factor);
            if !is_difference || constraint.relation == Relation::NonZero {
                rest.push(constraint);
                continue;
            }
            known.push(constraint.clone());
            // factor · difference + constant is 0, or at least 0.
            if constraint.relation == Relation::Zero {
                if row.constant % factor != 0 {
                    return None;
                }
                interval.at_least(-row.constant / factor);
                interval.at_most(-row.constant / factor);
            } else if factor > 0 {
                interval.at_least(-row.constant.div_euclid(factor));
            } else {
                interval.at_most(row.constant.div_euclid(-factor));
            }
        }
        // Constraints implied by the difference and by the invariants of the calls lose nothing.
        *exact &= rest.into_iter().all(|constraint| entails(&known, constraint) == Some(true));
        if interval.least.is_some_and(|l| interval.most.is_some_and(|m| l > m)) {
            return None;
        }
        let slots = self.slots.iter().map(|s| (s.1, s.2)).collect();
        Some(Link { head: (head - nils) as usize, slots, interval })
    }
}

impl Interval {
    fn at_least(&mut self, bound: i128) {
        self.least = Some(self.least.map_or(bound, |l| l.max(bound)));
    }

    fn at_most(&mut self, bound: i128) {
        self.most = Some(self.most.map_or(bound, |m| m.min(bound)));
    }
}

/// Computes the classes of parameters that are passed on to each other.
///
/// Returns `None` if a predicate has two parameters of the same class.
fn classes(definitions: &Definitions, drafts: &[Vec<Draft>]) -> Option<Vec<Vec<Option<usize>>>> {
    let mut number: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for (predicate, definition) in definitions.predicates.iter().enumerate() {
        for (place, kind) in definition.parameters.iter().enumerate() {
            if *kind == Kind::Integer {
                let next = number.len();
                number.insert((predicate, place), next);
            }
        }
    }
    let mut parent: Vec<usize> = (0..number.len()).collect();
    fn find(parent: &[usize], mut i: usize) -> usize {
        while parent[i] != i {
            i = parent[i];
        }
        i
    }
    for (predicate, cases) in drafts.iter().enumerate() {
        for (index, draft) in cases.iter().enumerate() {
            let calls = &definitions.predicates[predicate].cases[index].heap.calls;
            for link in &draft.links {
                for &(call, place) in &link.slots {
                    let a = find(&parent, number[&(predicate, link.head)]);
                    let b = find(&parent, number[&(calls[call].predicate, place)]);
                    parent[a] = b;
                }
            }
        }
    }
    let mut result = Vec::new();
    for (predicate, definition) in definitions.predicates.iter().enumerate() {
        let own: Vec<Option<usize>> = (0..definition.parameters.len())
            .map(|place| number.get(&(predicate, place)).map(|&n| find(&parent, n)))
            .collect();
        let mut seen: Vec<usize> = own.iter().flatten().copied().collect();
        seen.sort_unstable();
        if seen.windows(2).any(|w| w[0] == w[1]) {
            return None;
        }
        result.push(own);
    }
    Some(result)
}

impl Draft {
    fn finish(
        self,
        nils: u32,
        predicate: usize,
        case: &Case,
        class_of: &[Vec<Option<usize>>],
        linear: bool,
        exact: &mut bool,
    ) -> Effect {
        let mut effect = Effect { steps: Vec::new(), facts: Vec::new(), calls: self.calls };
        if effect.calls.is_empty() {
            if linear {
                effect.facts = self.facts;
                return effect;
            }
            // A branching derivation has many ends, so the facts of an end can only bound each parameter separately.
            for (place, class) in class_of[predicate].iter().enumerate() {
                let Some(class) = *class else { continue };
                let var = nils + place as u32;
                let mut interval = Interval::default();
                for constraint in &self.facts {
                    if let [(v, factor)] = constraint.row.terms[..]
                        && v == var
                        && factor.abs() == 1
                        && constraint.relation != Relation::NonZero
                    {
                        let bound = -constraint.row.constant * factor;
                        if factor > 0 || constraint.relation == Relation::Zero {
                            interval.at_least(bound);
                        }
                        if factor < 0 || constraint.relation == Relation::Zero {
                            interval.at_most(bound);
                        }
                    }
                }
                effect.steps.push((class, interval));
            }
            let simple = |c: &Constraint| {
                matches!(c.row.terms[..], [(_, factor)] if factor.abs() == 1) && c.relation != Relation::NonZero
            };
            *exact &= self.facts.iter().all(simple);
            return effect;
        }
        // Every class of the head or a call changes as its link says; without a link it changes arbitrarily.
        let mut wanted: Vec<usize> = class_of[predicate].iter().flatten().copied().collect();
        let of_call = |call: usize| class_of[case.heap.calls[call].predicate].iter().flatten().copied();
        wanted.extend(effect.calls.iter().flat_map(|&call| of_call(call)));
        wanted.sort_unstable();
        wanted.dedup();
        for class in wanted {
            let link = self.links.iter().find(|link| class_of[predicate][link.head] == Some(class));
            let complete = link.is_some_and(|link| {
                effect.calls.iter().all(|&call| {
                    !of_call(call).any(|c| c == class)
                        || link.slots.iter().any(|&(c, place)| {
                            c == call && class_of[case.heap.calls[call].predicate][place] == Some(class)
                        })
                })
            });
            match link {
                Some(link) if complete => effect.steps.push((class, link.interval)),
                Some(_) => {
                    *exact = false;
                    effect.steps.push((class, Interval::default()));
                }
                None => effect.steps.push((class, Interval::default())),
            }
        }
        effect
    }
}
