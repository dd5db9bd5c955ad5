//! Condensation of goals: connected atoms of a side become one call.
//!
//! The segments `ls(x, y, a) * ls(y, z, b)` on the right side become `∃ k. ls(x, z, k) ∧ k = a + b` if the
//! lemma `ls(x, z, k) ∧ k = a + b ∧ a ≥ 0 ∧ b ≥ 0 ⊢ ∃ y. ls(x, y, a) * ls(y, z, b)` has a proof. On the left
//! side, the lemma is the converse. Lengths remain symbolic in lemmas, so a goal about a list of
//! length 1000 that is cut in four becomes a question of arithmetic. Each step strengthens the
//! goal, so a proof of the condensed goal proves the original one.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::facts::instantiated;
use super::super::flat::{Call, Flat, Kind, Var};
use super::super::model_check::{Value, is_model};
use super::super::models::each_model;
use super::lemma::Part;
use super::{Goal, Path, Prover};
use crate::arithmetic::{Answer as Numbers, Constraint, Row, entails, solve};
use crate::budget::Reason;
use crate::limits;

/// The side of a goal that is condensed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// A call that may replace a part, with the constraints on its integers.
struct Candidate {
    call: Call,
    numbers: Vec<Constraint>,
    /// The integer that the constraints define.
    total: Option<Var>,
}

impl Prover<'_> {
    /// Condenses both sides as far as possible; returns `None` if no step applies.
    pub(super) fn condensed(&mut self, goal: &Goal) -> Result<Option<Goal>, Reason> {
        let mut goal = goal.clone();
        // An unsatisfiable left side is not of interest here.
        if self.normalise(&mut goal).is_none() {
            return Ok(None);
        }
        let mut realised = self.realised(&goal)?;
        let mut changed = false;
        loop {
            if let Some(next) = self.condense_side(&goal, Side::Right, &realised)? {
                goal = next;
            } else if let Some(next) = self.condense_side(&goal, Side::Left, &realised)? {
                realised = self.realised(&next)?;
                goal = next;
            } else {
                return Ok(changed.then_some(goal));
            }
            changed = true;
        }
    }

    /// Replaces one part of a side by a call.
    ///
    /// The small models of the left side that are models of the right side remain so.
    fn condense_side(&mut self, goal: &Goal, side: Side, realised: &[bool]) -> Result<Option<Goal>, Reason> {
        for part in condensable(goal, side) {
            let mut rest = goal.clone();
            let atoms = part.take(if side == Side::Left { &mut rest.left } else { &mut rest.right });
            let inner = self.inner(&rest, &atoms, side);
            if inner.is_empty() && part.len() > 1 {
                continue;
            }
            for model in models(goal, &atoms, side) {
                for candidate in self.candidates(&rest, &atoms, &inner, model, side) {
                    if !self.may_replace(&atoms, &inner, &candidate, side)? {
                        continue;
                    }
                    let next = replaced(rest.clone(), &inner, candidate, side);
                    let useful = match side {
                        Side::Left => !self.is_false(&next)?,
                        Side::Right => realised.iter().zip(self.realised(&next)?).all(|(before, now)| now || !before),
                    };
                    if useful {
                        return Ok(Some(next));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns for some small models of the left side whether they are models of the right side, apart from integers.
    ///
    /// A lemma may hold for a call that contradicts the left side, such as one for a list of one cell.
    fn realised(&self, goal: &Goal) -> Result<Vec<bool>, Reason> {
        let (mut left, mut right) = (goal.left.clone(), goal.right.clone());
        left.numbers.clear();
        right.numbers.clear();
        let mut named: Vec<Var> = Vec::new();
        let mut note = |v: Var| {
            if v >= self.definitions.nils && !goal.exists.contains(&v) && self.is_location(v) {
                named.push(v);
            }
        };
        left.each_variable(&mut note);
        right.each_variable(&mut note);
        named.sort_unstable();
        named.dedup();
        let bounds = limits::LEMMA_FILTER;
        let mut realised = Vec::new();
        each_model(self.definitions, &left, &self.variables, &named, bounds, self.budget, &mut |model| {
            let mut model = model.clone();
            model.stack.retain(|v, _| named.contains(v));
            for &var in &named {
                model.stack.entry(var).or_insert(Value::Location(var));
            }
            let part = self.budget.part(limits::REFUTATION_CHECK_STEPS);
            let answer = is_model(self.definitions, &model, &right, &self.variables, &part);
            self.budget.settle(&part);
            realised.push(answer == Ok(true));
            Ok(false)
        })?;
        Ok(realised)
    }

    /// Returns the locations of a part that the rest of the goal does not mention.
    fn inner(&self, rest: &Goal, part: &Flat, side: Side) -> Vec<Var> {
        let mut outside: FxHashSet<Var> = FxHashSet::default();
        rest.left.each_spatial_variable(|v| {
            outside.insert(v);
        });
        rest.right.each_variable(|v| {
            outside.insert(v);
        });
        let mut inner = Vec::new();
        part.each_spatial_variable(|v| {
            let bound = rest.exists.contains(&v) == (side == Side::Right);
            if v >= self.definitions.nils
                && bound
                && self.is_location(v)
                && !outside.contains(&v)
                && !inner.contains(&v)
            {
                inner.push(v);
            }
        });
        inner
    }

    /// Returns calls of a predicate that may replace a part, the most similar ones first.
    fn candidates(&mut self, rest: &Goal, part: &Flat, inner: &[Var], model: usize, side: Side) -> Vec<Candidate> {
        let mut own: Vec<Var> = (0..self.definitions.nils).collect();
        part.each_spatial_variable(|v| {
            if !own.contains(&v) {
                own.push(v);
            }
        });
        // A location that joins two atoms of the part is not an argument.
        let uses = |v: Var| {
            part.calls.iter().filter(|c| c.arguments.contains(&v)).count()
                + part.cells.iter().filter(|c| c.root == v || c.fields.contains(&v)).count()
        };
        own.retain(|v| !inner.contains(v) || uses(*v) == 1);
        let required: Vec<Var> = own
            .iter()
            .copied()
            .filter(|v| *v >= self.definitions.nils && self.is_location(*v) && !inner.contains(v))
            .collect();
        let definitions = self.definitions;
        let parameters = &definitions.predicates[model].parameters;
        let integers = parameters.iter().filter(|k| **k == Kind::Integer).count();
        if integers > 1 && side == Side::Right {
            return Vec::new();
        }
        let sum = if integers == 1 { self.total(part, model) } else { None };
        if integers == 1 && sum.is_none() {
            return Vec::new();
        }
        let total = sum.as_ref().map(|_| self.variables.fresh(Kind::Integer));
        let other = if side == Side::Left { &rest.right } else { &rest.left };
        let similar = |place: usize, v: Var| {
            let calls = part.calls.iter().chain(other.calls.iter().filter(|c| c.predicate == model));
            calls.filter_map(|c| c.arguments.get(place)).any(|a| *a == v)
        };
        let mut lists: Vec<Vec<Var>> = vec![Vec::new()];
        for (place, &kind) in parameters.iter().enumerate() {
            let mut options: Vec<Var> = match (kind, total) {
                (Kind::Integer, Some(total)) => vec![total],
                _ => own.iter().copied().filter(|v| self.variables.kind(*v) == kind).collect(),
            };
            // The other side may know an argument that the part does not mention.
            let known = other.calls.iter().filter(|c| c.predicate == model).map(|c| c.arguments[place]);
            let known = known.filter(|a| self.is_location(*a) && !rest.exists.contains(a) && !own.contains(a));
            options.extend(known);
            let longer = |list: &Vec<Var>| -> Vec<Vec<Var>> {
                options.iter().map(|&v| list.iter().copied().chain([v]).collect()).collect()
            };
            lists = lists.iter().flat_map(longer).take(limits::MAX_CONDENSED_LISTS).collect();
        }
        lists.retain(|list| required.iter().all(|v| list.contains(v)));
        let same = |list: &[Var]| list.iter().enumerate().filter(|&(place, &v)| similar(place, v)).count();
        lists.sort_by_key(|list| std::cmp::Reverse(same(list)));
        lists.truncate(limits::MAX_CONDENSED_CALLS);
        let mut numbers = Vec::new();
        for call in &part.calls {
            numbers.extend(instantiated(self.definitions, call, &self.knowledge.invariants[call.predicate]));
        }
        if side == Side::Left && integers > 1 {
            numbers.extend(self.order(rest, part));
        }
        if let (Some(sum), Some(total)) = (sum, total) {
            let Some(row) = sum.plus(&Row::unknown(total), -1) else { return Vec::new() };
            numbers.push(Constraint::zero(row));
        }
        let candidate =
            |arguments| Candidate { call: Call { predicate: model, arguments }, numbers: numbers.clone(), total };
        lists.into_iter().map(candidate).collect()
    }

    /// Returns the sum of the lengths of the atoms of a part, if every call has one.
    fn total(&self, part: &Flat, model: usize) -> Option<Row> {
        let weight = self.length_of_a_cell(model);
        let mut sum = Row::number(weight.checked_mul(part.cells.len() as i128)?);
        for call in &part.calls {
            let mut lengths = call.arguments.iter().filter(|a| self.variables.kind(**a) == Kind::Integer);
            let length = *lengths.next()?;
            if lengths.next().is_some() {
                return None;
            }
            sum = sum.plus(&Row::unknown(length), 1)?;
        }
        Some(sum)
    }

    /// Returns the length that a cell adds: the difference of a length and that of the recursive call, or 1.
    fn length_of_a_cell(&self, predicate: usize) -> i128 {
        let definition = &self.definitions.predicates[predicate];
        let Some(place) = definition.parameters.iter().position(|k| *k == Kind::Integer) else { return 1 };
        let length = self.definitions.nils + place as Var;
        let difference = definition.cases.iter().find_map(|case| {
            let [call] = &case.heap.calls[..] else { return None };
            let Numbers::Feasible(values) = solve(&case.heap.numbers) else { return None };
            let value = |v: Var| values.get(&v).copied().unwrap_or(0);
            let next = (call.predicate == predicate).then(|| call.arguments[place])?;
            let difference = value(length).checked_sub(value(next))?;
            let row = Row { constant: difference.checked_neg()?, ..Row::difference(length, next) };
            (entails(&case.heap.numbers, &Constraint::zero(row)) == Some(true)).then_some(difference)
        });
        difference.unwrap_or(1)
    }

    /// Returns the order of the integers of a part, as far as the left side implies it.
    fn order(&self, rest: &Goal, part: &Flat) -> Vec<Constraint> {
        let mut integers: Vec<Var> = Vec::new();
        part.each_spatial_variable(|v| {
            if self.variables.kind(v) == Kind::Integer && !integers.contains(&v) {
                integers.push(v);
            }
        });
        let pairs = integers.iter().flat_map(|&a| integers.iter().map(move |&b| (a, b))).filter(|(a, b)| a != b);
        let rows = pairs.map(|(a, b)| Constraint::at_least_zero(Row::difference(a, b)));
        rows.filter(|c| entails(&rest.left.numbers, c) == Some(true)).collect()
    }

    /// Proves the lemma that justifies the replacement, for an arbitrary location in place of nil if possible.
    fn may_replace(&mut self, part: &Flat, inner: &[Var], candidate: &Candidate, side: Side) -> Result<bool, Reason> {
        let call = Flat { calls: vec![candidate.call.clone()], ..Flat::default() };
        let (mut left, right, exists) = match side {
            Side::Left => (part.clone(), call, FxHashSet::default()),
            Side::Right => {
                let kept = |v: &Var| !candidate.call.arguments.contains(v);
                (call, part.clone(), inner.iter().copied().filter(kept).collect())
            }
        };
        left.numbers.extend(candidate.numbers.iter().cloned());
        // An unsatisfiable call would prove every lemma, and make the condensed goal useless.
        if self.knowledge.facts(self.definitions, &left, &self.variables).is_none() {
            return Ok(false);
        }
        let nils: FxHashMap<Var, Var> =
            (0..self.definitions.nils).map(|nil| (nil, self.variables.fresh(Kind::Location(nil)))).collect();
        let rename = |v: Var| nils.get(&v).copied().unwrap_or(v);
        if let (Some(left), Some(right)) = (left.renamed(rename), right.renamed(rename))
            && self.proved_alone(Goal { left, right, exists: exists.clone() })?
        {
            return Ok(true);
        }
        self.proved_alone(Goal { left, right, exists })
    }

    /// Proves a goal independently of its context with a part of the budget.
    fn proved_alone(&mut self, goal: Goal) -> Result<bool, Reason> {
        let path = Path { fuel: limits::LEMMA_FUEL, ..Path::default() };
        self.limited(limits::CONDENSATION_STEPS, |prover| prover.own_proof(goal, &path))
    }
}

/// Returns the single calls of a side and the pairs of connected atoms.
fn condensable(goal: &Goal, side: Side) -> Vec<Part> {
    let heap = if side == Side::Left { &goal.left } else { &goal.right };
    let mut parts: Vec<Part> = (0..heap.calls.len()).map(|i| Part { cells: Vec::new(), calls: vec![i] }).collect();
    for (i, call) in heap.calls.iter().enumerate() {
        let meets = |v: &Var| call.arguments.contains(v);
        for (j, other) in heap.calls.iter().enumerate().take(i) {
            if other.arguments.iter().any(meets) {
                parts.push(Part { cells: Vec::new(), calls: vec![j, i] });
            }
        }
        for (j, cell) in heap.cells.iter().enumerate() {
            if meets(&cell.root) || cell.fields.iter().any(meets) {
                parts.push(Part { cells: vec![j], calls: vec![i] });
            }
        }
    }
    parts
}

/// Returns the predicates that may replace a part: its own, and those of the other side.
///
/// A single call only becomes one of a predicate of the other side.
fn models(goal: &Goal, part: &Flat, side: Side) -> Vec<usize> {
    let other = if side == Side::Left { &goal.right } else { &goal.left };
    let single = part.cells.is_empty() && part.calls.len() == 1;
    let of = |heap: &Flat| heap.calls.iter().map(|c| c.predicate).collect::<Vec<_>>();
    let mut models = of(other);
    if single {
        if models.contains(&part.calls[0].predicate) {
            return Vec::new();
        }
    } else {
        models.extend(of(part));
    }
    let mut seen = FxHashSet::default();
    models.retain(|m| seen.insert(*m));
    models
}

/// Adds a call in place of a part that was taken out of a goal.
fn replaced(mut rest: Goal, inner: &[Var], candidate: Candidate, side: Side) -> Goal {
    let heap = if side == Side::Left { &mut rest.left } else { &mut rest.right };
    heap.numbers.extend(candidate.numbers);
    if side == Side::Right {
        for variable in inner.iter().filter(|v| !candidate.call.arguments.contains(v)) {
            rest.exists.remove(variable);
        }
        rest.exists.extend(candidate.total);
    }
    heap.calls.push(candidate.call);
    rest
}
