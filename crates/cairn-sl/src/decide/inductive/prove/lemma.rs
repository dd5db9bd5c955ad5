//! Division of goals by lemmas.
//!
//! A lemma states that a part of the left side entails a part of the right side. Its separate proof
//! uses nothing but that part. A lemma is more general than the goal, so induction may succeed
//! where it fails for the goal. Results are cached up to renaming.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::facts::Facts;
use super::super::flat::{Call, Flat, Kind, Var};
use super::super::refute::refute;
use super::{Goal, Path, Prover};
use crate::budget::Reason;
use crate::limits;

/// The status of a lemma.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    Proved,
    /// The lemma was tried without success, or is being proved.
    Open,
}

impl Prover<'_> {
    /// Proves a call on the right from a part of the left side by a lemma, and then the remaining goal.
    pub(super) fn divide(&mut self, goal: &Goal, _: &Facts, path: &Path) -> Result<bool, Reason> {
        if self.nesting >= limits::MAX_LEMMA_NESTING || path.uses == 0 || path.fuel == 0 {
            return Ok(false);
        }
        let mut places: Vec<usize> = (0..goal.right.calls.len()).collect();
        places.sort_by_key(|&i| std::cmp::Reverse(self.determined(goal, &goal.right.calls[i])));
        for place in places.into_iter().take(limits::MAX_DIVIDED_CALLS) {
            for part in self.parts(goal, &goal.right.calls[place]) {
                for values in self.choices(goal, &goal.right.calls[place], &part) {
                    let mut next = goal.clone();
                    for (existential, value) in values {
                        if next.instantiate(existential, value).is_none() {
                            return Ok(false);
                        }
                    }
                    let call = next.right.calls.remove(place);
                    let left = part.take(&mut next.left);
                    if left.calls.len() == 1 && left.cells.is_empty() && left.calls[0] == call {
                        continue;
                    }
                    if !self.lemma(left, call, &goal.left, path)? {
                        continue;
                    }
                    let below = Path { uses: path.uses - 1, ..path.clone() };
                    if self.goal(next, below)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Replaces one or two atoms of the left side by a call of a predicate that the right side contains.
    ///
    /// This composes or reverses lists, for example. The first lemma that holds is used, unless a
    /// counter-model refutes the resulting goal.
    pub(super) fn fold_left(&mut self, goal: &Goal, path: &Path) -> Result<bool, Reason> {
        let atoms = goal.left.calls.len() + goal.left.cells.len();
        if self.nesting >= limits::MAX_LEMMA_NESTING || atoms < 2 || path.fuel == 0 {
            return Ok(false);
        }
        let mut wanted: Vec<&Call> = goal.right.calls.iter().collect();
        wanted.dedup_by_key(|c| c.predicate);
        for model in wanted.into_iter().take(limits::MAX_FOLDED_PREDICATES) {
            if self.definitions.predicates[model.predicate].parameters.contains(&Kind::Integer) {
                continue;
            }
            for part in self.adjacent(goal, model.predicate) {
                let mut rest = goal.clone();
                let left = part.take(&mut rest.left);
                for arguments in self.boundary(&left, &rest.left, model) {
                    let call = Call { predicate: model.predicate, arguments };
                    if !self.lemma(left.clone(), call.clone(), &goal.left, path)? {
                        continue;
                    }
                    let mut next = rest.clone();
                    next.left.calls.push(call);
                    if self.is_false(&next)? {
                        continue;
                    }
                    return self.goal(next, path.clone());
                }
            }
        }
        Ok(false)
    }

    /// Returns single calls of other predicates, and pairs of atoms that share a location.
    fn adjacent(&self, goal: &Goal, predicate: usize) -> Vec<Part> {
        let calls = &goal.left.calls;
        let mut parts: Vec<Part> = Vec::new();
        let single = (0..calls.len()).filter(|&i| calls[i].predicate != predicate);
        parts.extend(single.map(|i| Part { cells: Vec::new(), calls: vec![i] }));
        let shares = |a: &[Var], b: &[Var]| {
            a.iter().any(|v| *v >= self.definitions.nils && self.is_location(*v) && b.contains(v))
        };
        for i in 0..calls.len() {
            for j in 0..i {
                if shares(&calls[i].arguments, &calls[j].arguments) {
                    parts.push(Part { cells: Vec::new(), calls: vec![j, i] });
                }
            }
            for (j, cell) in goal.left.cells.iter().enumerate() {
                let all: Vec<Var> = std::iter::once(cell.root).chain(cell.fields.iter().copied()).collect();
                if shares(&calls[i].arguments, &all) {
                    parts.push(Part { cells: vec![j], calls: vec![i] });
                }
            }
        }
        parts
    }

    /// Returns possible arguments of a call that replaces a part.
    ///
    /// They are arguments of the model call that the part mentions, or locations that the part shares with the rest.
    fn boundary(&self, part: &Flat, rest: &Flat, model: &Call) -> Vec<Vec<Var>> {
        let mut own: Vec<Var> = Vec::new();
        part.each_spatial_variable(|v| {
            if !own.contains(&v) {
                own.push(v);
            }
        });
        let mut outside: FxHashSet<Var> = model.arguments.iter().copied().collect();
        rest.each_spatial_variable(|v| {
            outside.insert(v);
        });
        let shared: Vec<Var> = own.iter().copied().filter(|v| outside.contains(v)).collect();
        let mut choices: Vec<Vec<Var>> = vec![Vec::new()];
        for (place, &argument) in model.arguments.iter().enumerate() {
            let mut options: Vec<Var> = Vec::new();
            // A single call with the same parameters usually keeps its arguments.
            if let ([call], true) = (&part.calls[..], part.cells.is_empty())
                && let Some(&same) = call.arguments.get(place)
            {
                options.push(same);
            }
            if own.contains(&argument) || argument < self.definitions.nils {
                options.push(argument);
            }
            options.extend(&shared);
            let mut seen = FxHashSet::default();
            options.retain(|v| self.variables.kind(*v) == self.variables.kind(argument) && seen.insert(*v));
            let mut next = Vec::new();
            for choice in &choices {
                for &option in &options {
                    let mut longer = choice.clone();
                    longer.push(option);
                    next.push(longer);
                }
            }
            choices = next;
            choices.truncate(limits::MAX_PARTIAL_BOUNDARIES);
        }
        choices.truncate(limits::MAX_BOUNDARIES);
        choices
    }

    /// Proves that a part of a left side entails a call.
    ///
    /// The first attempt uses no disequalities and generalises nils; the second uses the disequalities of the context.
    fn lemma(&mut self, left: Flat, right: Call, context: &Flat, path: &Path) -> Result<bool, Reason> {
        let mut mentioned: FxHashSet<Var> = right.arguments.iter().copied().collect();
        left.each_spatial_variable(|v| {
            mentioned.insert(v);
        });
        let mut goal =
            Goal { left, right: Flat { calls: vec![right], ..Flat::default() }, exists: FxHashSet::default() };
        goal.left.numbers =
            context.numbers.iter().filter(|c| c.row.terms.iter().all(|t| mentioned.contains(&t.0))).cloned().collect();
        // Most lemmas hold for an arbitrary location in place of nil.
        let nils: FxHashMap<Var, Var> = (0..self.definitions.nils)
            .filter(|nil| mentioned.contains(nil))
            .map(|nil| (nil, self.variables.fresh(Kind::Location(nil))))
            .collect();
        let rename = |v: Var| nils.get(&v).copied().unwrap_or(v);
        let general = (goal.left.renamed(rename), goal.right.renamed(rename));
        if let (Some(left), Some(right)) = general
            && self.own_proof(Goal { left, right, exists: FxHashSet::default() }, path)?
        {
            return Ok(true);
        }
        let known = context.distinct.iter().filter(|p| mentioned.contains(&p.0) && mentioned.contains(&p.1));
        goal.left.distinct = known.copied().collect();
        if nils.is_empty() && goal.left.distinct.is_empty() {
            return Ok(false);
        }
        self.own_proof(goal, path)
    }

    /// Proves a goal independently of its context.
    pub(super) fn own_proof(&mut self, goal: Goal, path: &Path) -> Result<bool, Reason> {
        let Some(key) = goal.canonical(self.definitions.nils) else { return Ok(false) };
        match self.lemmas.get(&key) {
            Some(status) => return Ok(*status == Status::Proved),
            None => self.lemmas.insert(key.clone(), Status::Open),
        };
        if self.is_false(&goal)? {
            return Ok(false);
        }
        self.nesting += 1;
        let fuel = path.fuel.min(limits::LEMMA_FUEL);
        let own = Path {
            fuel,
            forced: limits::FORCED_UNFOLDINGS,
            uses: limits::LEMMA_USES,
            choices: limits::LEMMA_CHOICES,
            ..Path::default()
        };
        let proved = self.goal(goal, own);
        self.nesting -= 1;
        if proved == Ok(true) {
            self.lemmas.insert(key, Status::Proved);
        }
        proved
    }

    /// Returns whether a small counter-model refutes the goal, so that no proof attempt is necessary.
    pub(super) fn is_false(&mut self, goal: &Goal) -> Result<bool, Reason> {
        let Some(key) = goal.canonical(self.definitions.nils) else { return Ok(false) };
        if let Some(known) = self.refuted.get(&key) {
            return Ok(*known);
        }
        let mut named: Vec<Var> = Vec::new();
        let mut note = |v: Var| {
            if v >= self.definitions.nils && !goal.exists.contains(&v) {
                named.push(v);
            }
        };
        goal.left.each_variable(&mut note);
        goal.right.each_variable(&mut note);
        named.sort_unstable();
        named.dedup();
        let right = std::slice::from_ref(&goal.right);
        let found =
            refute(self.definitions, &goal.left, right, &self.variables, &named, limits::LEMMA_FILTER, self.budget)?
                .is_some();
        self.refuted.insert(key, found);
        Ok(found)
    }

    /// Returns parts of the left side that a call on the right may describe: one or two atoms connected with it.
    fn parts(&self, goal: &Goal, call: &Call) -> Vec<Part> {
        let own: FxHashSet<Var> = call.arguments.iter().copied().filter(|a| self.is_location(*a)).collect();
        let touches = |vars: &[Var]| vars.iter().any(|v| *v >= self.definitions.nils && own.contains(v));
        let calls = &goal.left.calls;
        let cells = &goal.left.cells;
        let anchored = |call: &Call| touches(&call.arguments);
        let alone = calls.len() + cells.len() == 1 && goal.right.calls.len() + goal.right.cells.len() == 1;
        let mut parts: Vec<Part> = Vec::new();
        if !alone {
            parts.extend(
                (0..calls.len()).filter(|&i| anchored(&calls[i])).map(|i| Part { cells: vec![], calls: vec![i] }),
            );
        }
        let shares = |a: &[Var], b: &[Var]| {
            a.iter().any(|v| *v >= self.definitions.nils && self.is_location(*v) && b.contains(v))
        };
        for i in 0..calls.len() {
            for j in 0..i {
                if (anchored(&calls[i]) || anchored(&calls[j])) && shares(&calls[i].arguments, &calls[j].arguments) {
                    parts.push(Part { cells: vec![], calls: vec![j, i] });
                }
            }
            for (j, cell) in cells.iter().enumerate() {
                let all: Vec<Var> = std::iter::once(cell.root).chain(cell.fields.iter().copied()).collect();
                if (anchored(&calls[i]) || touches(&all)) && shares(&calls[i].arguments, &all) {
                    parts.push(Part { cells: vec![j], calls: vec![i] });
                }
            }
        }
        let whole = goal.left.calls.len() + goal.left.cells.len();
        parts.retain(|p| goal.right.calls.len() + goal.right.cells.len() > 1 || p.cells.len() + p.calls.len() < whole);
        parts.truncate(limits::MAX_LEMMA_PARTS);
        parts
    }

    pub(super) fn is_location(&self, var: Var) -> bool {
        matches!(self.variables.kind(var), Kind::Location(_))
    }

    /// Returns instantiations of the existential arguments of a call with terms that the part mentions.
    fn choices(&self, goal: &Goal, call: &Call, part: &Part) -> Vec<Vec<(Var, Var)>> {
        let mut mentioned: Vec<Var> = Vec::new();
        for &i in &part.calls {
            mentioned.extend(&goal.left.calls[i].arguments);
        }
        for &i in &part.cells {
            mentioned.push(goal.left.cells[i].root);
            mentioned.extend(&goal.left.cells[i].fields);
        }
        let mut choices: Vec<Vec<(Var, Var)>> = vec![Vec::new()];
        let mut seen = FxHashSet::default();
        for &argument in call.arguments.iter().filter(|a| goal.exists.contains(a)) {
            if !seen.insert(argument) {
                continue;
            }
            let mut next = Vec::new();
            for choice in &choices {
                let mut tried = FxHashSet::default();
                for &value in &mentioned {
                    if self.variables.kind(value) == self.variables.kind(argument)
                        && !call.arguments.contains(&value)
                        && tried.insert(value)
                    {
                        let mut longer = choice.clone();
                        longer.push((argument, value));
                        next.push(longer);
                    }
                }
            }
            choices = next;
            choices.truncate(limits::MAX_LEMMA_CHOICES);
        }
        choices
    }
}

/// The indices of cells and calls on the left, in ascending order.
pub(super) struct Part {
    pub cells: Vec<usize>,
    pub calls: Vec<usize>,
}

impl Part {
    /// Returns the number of atoms.
    pub fn len(&self) -> usize {
        self.cells.len() + self.calls.len()
    }

    /// Moves the atoms of the part out of a heap.
    pub fn take(&self, heap: &mut Flat) -> Flat {
        let mut part = Flat::default();
        for &cell in self.cells.iter().rev() {
            part.cells.push(heap.cells.remove(cell));
        }
        for &call in self.calls.iter().rev() {
            part.calls.push(heap.calls.remove(call));
        }
        part
    }
}
