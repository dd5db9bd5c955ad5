//! Checks whether a concrete stack and heap are a model of a symbolic heap, by trying every derivation.
//!
//! Every model and counter-model passes this check before it becomes an answer. The checker is
//! therefore simple, and shares only the representation and the arithmetic with the procedures that
//! it checks.

use rustc_hash::FxHashMap;

use super::flat::{Call, Cell, Definitions, Flat, Kind, Var, Variables};
use crate::arithmetic::{Answer as Numbers, Constraint, Row, solve};
use crate::budget::{Budget, Reason};
use crate::limits;

/// A value: a location, whose sort depends on the context and of which 0 is nil, or an integer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    Location(u32),
    Integer(i128),
}

/// A concrete cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConcreteCell {
    pub sort: u32,
    pub location: u32,
    pub fields: Vec<Value>,
}

/// A concrete stack and heap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    pub stack: FxHashMap<Var, Value>,
    pub heap: Vec<ConcreteCell>,
}

/// Returns whether the model satisfies the heap; variables without a value are existential.
pub fn is_model(
    definitions: &Definitions,
    model: &Model,
    heap: &Flat,
    variables: &Variables,
    budget: &Budget,
) -> Result<bool, Reason> {
    let mut variables = variables.clone();
    let mut state = State {
        bound: FxHashMap::default(),
        numbers: Vec::new(),
        left: vec![true; model.heap.len()],
        idle: 0,
        heap: heap.clone(),
    };
    for (&var, &value) in &model.stack {
        state.give(var, value);
    }
    let check = Check { definitions, model, least: least_sizes(definitions), budget };
    check.holds(state, &mut variables)
}

/// Computes the minimal number of cells of each predicate; `usize::MAX` if it has no derivation.
pub fn least_sizes(definitions: &Definitions) -> Vec<usize> {
    let mut least = vec![usize::MAX; definitions.predicates.len()];
    loop {
        let mut changed = false;
        for (index, definition) in definitions.predicates.iter().enumerate() {
            for case in &definition.cases {
                let size =
                    case.heap.calls.iter().fold(case.heap.cells.len(), |sum, c| sum.saturating_add(least[c.predicate]));
                if size < least[index] {
                    least[index] = size;
                    changed = true;
                }
            }
        }
        if !changed {
            return least;
        }
    }
}

#[derive(Clone)]
struct State {
    bound: FxHashMap<Var, u32>,
    numbers: Vec<Constraint>,
    /// The cells that are not yet consumed.
    left: Vec<bool>,
    /// The number of unfoldings since the last cell was consumed.
    idle: usize,
    /// The remaining goal.
    heap: Flat,
}

impl State {
    fn give(&mut self, var: Var, value: Value) {
        match value {
            Value::Location(location) => {
                self.bound.insert(var, location);
            }
            Value::Integer(number) => {
                self.numbers.push(Constraint::zero(Row { constant: number.saturating_neg(), ..Row::unknown(var) }));
            }
        }
    }
}

struct Check<'a> {
    definitions: &'a Definitions,
    model: &'a Model,
    least: Vec<usize>,
    budget: &'a Budget,
}

impl Check<'_> {
    fn value(&self, state: &State, var: Var) -> Option<u32> {
        if var < self.definitions.nils { Some(0) } else { state.bound.get(&var).copied() }
    }

    /// Matches an atom with a concrete cell and consumes it; returns whether they agree.
    fn consume(&self, state: &mut State, index: usize, cell: &Cell, variables: &Variables) -> bool {
        let concrete = &self.model.heap[index];
        if concrete.fields.len() != cell.fields.len() {
            return false;
        }
        state.left[index] = false;
        state.idle = 0;
        for (&field, &value) in cell.fields.iter().zip(&concrete.fields) {
            match (variables.kind(field), value) {
                (Kind::Location(_), Value::Location(location)) => match self.value(state, field) {
                    Some(known) if known != location => return false,
                    Some(_) => {}
                    None => {
                        state.bound.insert(field, location);
                    }
                },
                (Kind::Integer, Value::Integer(_)) => state.give(field, value),
                _ => return false,
            }
        }
        true
    }

    /// Returns the unconsumed cell at a location.
    fn cell_at(&self, state: &State, sort: Kind, location: u32) -> Option<usize> {
        self.model
            .heap
            .iter()
            .position(|c| Kind::Location(c.sort) == sort && c.location == location)
            .filter(|&i| state.left[i])
    }

    fn holds(&self, mut state: State, variables: &mut Variables) -> Result<bool, Reason> {
        self.budget.spend(1)?;
        if !self.propagate(&mut state, variables)? {
            return Ok(false);
        }
        for &(a, b) in &state.heap.distinct {
            if a == b || self.value(&state, a).is_some_and(|p| self.value(&state, b) == Some(p)) {
                return Ok(false);
            }
        }
        let left = state.left.iter().filter(|l| **l).count();
        let needed =
            state.heap.calls.iter().fold(state.heap.cells.len(), |sum, c| sum.saturating_add(self.least[c.predicate]));
        if needed > left {
            return Ok(false);
        }
        if !state.heap.numbers.is_empty() || state.heap.has_no_heap() {
            state.numbers.append(&mut state.heap.numbers);
            match solve(&state.numbers) {
                Numbers::Infeasible => return Ok(false),
                Numbers::Feasible(_) => {}
                Numbers::Unknown => return Err(Reason::Uncovered("a number is too large".to_owned())),
            }
        }
        // The remaining unknown locations can be chosen from infinitely many, so disequalities about them hold.
        if state.heap.has_no_heap() {
            return Ok(left == 0 || state.heap.rest);
        }
        if let Some(cell) = state.heap.cells.pop() {
            for index in 0..self.model.heap.len() {
                let concrete = &self.model.heap[index];
                if !state.left[index] || Kind::Location(concrete.sort) != variables.kind(cell.root) {
                    continue;
                }
                let mut next = state.clone();
                next.bound.insert(cell.root, concrete.location);
                if self.consume(&mut next, index, &cell, variables) && self.holds(next, variables)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let place = self.choose(&state);
        let call: Call = state.heap.calls.swap_remove(place);
        if state.idle > limits::MAX_IDLE_UNFOLDINGS {
            return Err(Reason::Uncovered("a definition unfolds without using up the heap".to_owned()));
        }
        state.idle += 1;
        for case in 0..self.definitions.predicates[call.predicate].cases.len() {
            let unfolded = self.definitions.unfold(&call, case, variables);
            let Some((heap, _)) = unfolded else { return Err(Reason::Uncovered("a number is too large".to_owned())) };
            let mut next = state.clone();
            next.heap.append(heap);
            if self.holds(next, variables)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Propagates everything that needs no choice. Returns `false` for a contradiction.
    fn propagate(&self, state: &mut State, variables: &mut Variables) -> Result<bool, Reason> {
        loop {
            let mut changed = false;
            let mut open = Vec::new();
            for (a, b) in std::mem::take(&mut state.heap.equal) {
                match (self.value(state, a), self.value(state, b)) {
                    (Some(p), Some(q)) if p != q => return Ok(false),
                    (Some(_), Some(_)) => {}
                    (Some(known), None) => {
                        state.bound.insert(b, known);
                        changed = true;
                    }
                    (None, Some(known)) => {
                        state.bound.insert(a, known);
                        changed = true;
                    }
                    (None, None) if a == b => {}
                    (None, None) => open.push((a, b)),
                }
            }
            // Merge two unknown locations that are equal.
            if !changed && let Some((a, b)) = open.pop() {
                let Some(renamed) = state.heap.renamed(|v| if v == b { a } else { v }) else {
                    return Err(Reason::Uncovered("a number is too large".to_owned()));
                };
                state.heap = renamed;
                open.iter_mut().for_each(|pair| {
                    for side in [&mut pair.0, &mut pair.1] {
                        if *side == b {
                            *side = a;
                        }
                    }
                });
                changed = true;
            }
            state.heap.equal.extend(open);
            let mut cells = Vec::new();
            for cell in std::mem::take(&mut state.heap.cells) {
                let Some(location) = self.value(state, cell.root) else {
                    cells.push(cell);
                    continue;
                };
                match self.cell_at(state, variables.kind(cell.root), location) {
                    Some(index) if self.consume(state, index, &cell, variables) => changed = true,
                    _ => return Ok(false),
                }
            }
            state.heap.cells = cells;
            if !changed {
                return Ok(true);
            }
        }
    }

    /// Returns the call with the most known arguments.
    fn choose(&self, state: &State) -> usize {
        let known = |c: &Call| c.arguments.iter().filter(|&&a| self.value(state, a).is_some()).count();
        (0..state.heap.calls.len()).max_by_key(|&i| known(&state.heap.calls[i])).unwrap_or(0)
    }
}
