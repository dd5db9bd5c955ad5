//! Satisfiability by unfolding, with states memoised up to renaming.
//!
//! A state consists of the facts about the arguments of the remaining calls; everything else is
//! forgotten. Definitions with at most one recursive call per case therefore have finitely many
//! states. Base pairs would have to be computed for all arguments, whereas this search visits only
//! those reachable from the question. Counters with many digits are an example. Calls with at most
//! one viable case are unfolded first.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::base_pairs::{learn, nil_of};
use super::flat::{Call, Definitions, Flat, Kind, Variables};
use super::shape::Shape;
use crate::budget::{Budget, Reason};
use crate::limits;

/// The result of the search. Integers are ignored, as in [`super::base_pairs`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// The steps of a complete derivation.
    Derivation(Vec<Step>),
    /// There is no derivation.
    Nothing,
    /// The number of calls keeps growing; nothing is known.
    Growth,
}

/// One unfolding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The index of the unfolded call, which is first swapped with the last call.
    index: usize,
    /// Whether the remaining calls are then sorted by predicate.
    sorted: bool,
    case: usize,
}

struct State {
    shape: Shape,
    /// The calls, whose arguments are locations of the shape.
    calls: Vec<Call>,
    trace: Option<Rc<Trace>>,
}

/// The steps that led to a state, last step first.
struct Trace {
    step: Step,
    before: Option<Rc<Trace>>,
}

impl Drop for Trace {
    /// Drops long traces iteratively, because recursion would overflow the stack.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut trace) = next.and_then(Rc::into_inner) {
            next = trace.before.take();
        }
    }
}

/// Searches for a derivation of the heap.
pub fn search(definitions: &Definitions, heap: &Flat, variables: &Variables, budget: &Budget) -> Result<Found, Reason> {
    let level = recursion_levels(definitions);
    let mut shape = Shape::new(variables.len());
    if !learn(&mut shape, heap, |v| v as usize, |v| nil_of(variables.kind(v))) {
        return Ok(Found::Nothing);
    }
    let most_calls = limits::SEARCH_CALL_FACTOR * heap.calls.len() + limits::SEARCH_EXTRA_CALLS;
    let mut stack = vec![State { shape, calls: heap.calls.clone(), trace: None }];
    let mut seen: FxHashSet<(Shape, Vec<usize>)> = FxHashSet::default();
    while let Some(mut state) = stack.pop() {
        loop {
            if state.calls.is_empty() {
                return Ok(Found::Derivation(state.steps()));
            }
            if state.calls.len() > most_calls {
                return Ok(Found::Growth);
            }
            budget.spend(1)?;
            let Some((index, cases)) = select(definitions, &level, &state) else { break };
            let recursive = level[state.calls[index].predicate].is_some();
            // Move the call to the end, where it stays while the others are sorted.
            let last = state.calls.len() - 1;
            state.calls.swap(index, last);
            let sorted = recursive || cases.len() > 1;
            if sorted {
                state.compact(definitions.nils);
                let predicates = state.calls.iter().map(|c| c.predicate).collect();
                if !seen.insert((state.shape.clone(), predicates)) {
                    break;
                }
            }
            let Some(call) = state.calls.pop() else { break };
            // Push cases without calls last, so that the search tries them first.
            let mut cases = cases;
            cases.sort_by_key(|&c| std::cmp::Reverse(definitions.predicates[call.predicate].cases[c].heap.calls.len()));
            let Some(last) = cases.pop() else { break };
            for case in cases {
                let mut next =
                    State { shape: state.shape.clone(), calls: state.calls.clone(), trace: state.trace.clone() };
                next.note(Step { index, sorted, case });
                if next.unfold(definitions, &call, case) {
                    stack.push(next);
                }
            }
            state.note(Step { index, sorted, case: last });
            if !state.unfold(definitions, &call, last) {
                break;
            }
        }
    }
    Ok(Found::Nothing)
}

/// Unfolds the heap by the given steps; returns `None` if it has too many cells or a number overflows.
pub fn replay(
    definitions: &Definitions,
    heap: &Flat,
    steps: &[Step],
    variables: &mut Variables,
    most_cells: usize,
) -> Option<Flat> {
    let mut complete = heap.clone();
    for step in steps {
        let last = complete.calls.len().checked_sub(1)?;
        complete.calls.swap(step.index, last);
        let call = complete.calls.pop()?;
        if step.sorted {
            complete.calls.sort_by_key(|c| c.predicate);
        }
        complete.append(definitions.unfold(&call, step.case, variables)?.0);
        if complete.cells.len() > most_cells {
            return None;
        }
    }
    complete.calls.is_empty().then_some(complete)
}

impl State {
    fn note(&mut self, step: Step) {
        self.trace = Some(Rc::new(Trace { step, before: self.trace.take() }));
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut next = self.trace.as_ref();
        while let Some(trace) = next {
            steps.push(trace.step);
            next = trace.before.as_ref();
        }
        steps.reverse();
        steps
    }

    /// Adds a case in place of a removed call; returns whether the result is consistent.
    fn unfold(&mut self, definitions: &Definitions, call: &Call, case: usize) -> bool {
        let definition = &definitions.predicates[call.predicate];
        let case = &definition.cases[case];
        let nils = definitions.nils as usize;
        let fixed = nils + definition.parameters.len();
        let first = self.shape.len();
        self.shape.grow(case.locals.len());
        let place = |v: u32| match v as usize {
            v if v < nils => v,
            v if v < fixed => call.arguments[v - nils] as usize,
            v => first + v - fixed,
        };
        let nil = |v: u32| match v as usize {
            v if v < nils => v,
            v if v < fixed => nil_of(definition.parameters[v - nils]),
            v => nil_of(case.locals[v - fixed]),
        };
        if !learn(&mut self.shape, &case.heap, place, nil) {
            return false;
        }
        self.calls.extend(case.heap.calls.iter().map(|c| Call {
            predicate: c.predicate,
            arguments: c.arguments.iter().map(|&a| place(a) as u32).collect(),
        }));
        true
    }

    /// Forgets locations that no call mentions and renumbers the others by first use; keeps the last call in place.
    fn compact(&mut self, nils: u32) {
        if let Some((_, others)) = self.calls.split_last_mut() {
            others.sort_by_key(|c| c.predicate);
        }
        let mut keep: Vec<usize> = (0..nils as usize).collect();
        for call in &mut self.calls {
            for argument in &mut call.arguments {
                keep.push(*argument as usize);
                *argument = keep.len() as u32 - 1;
            }
        }
        self.shape = self.shape.project(&keep);
    }
}

/// Selects the next call to unfold with its viable cases; returns `None` if some call has no viable case.
fn select(definitions: &Definitions, level: &[Option<usize>], state: &State) -> Option<(usize, Vec<usize>)> {
    let mut best = None;
    let mut least = (None, usize::MAX);
    for (index, call) in state.calls.iter().enumerate() {
        let cases = viable(definitions, call, &state.shape);
        if cases.is_empty() {
            return None;
        }
        let recursion = level[call.predicate];
        if recursion.is_none() && cases.len() == 1 {
            return Some((index, cases));
        }
        let rank = (recursion, cases.len());
        if best.is_none() || rank < least {
            least = rank;
            best = Some((index, cases));
        }
    }
    best
}

/// Returns the cases whose constraints on parameters are individually consistent with the known facts.
fn viable(definitions: &Definitions, call: &Call, shape: &Shape) -> Vec<usize> {
    let definition = &definitions.predicates[call.predicate];
    let nils = definitions.nils as usize;
    let fixed = nils + definition.parameters.len();
    let place = |v: u32| match v as usize {
        v if v < nils => Some(v),
        v if v < fixed => Some(call.arguments[v - nils] as usize),
        _ => None,
    };
    let both = |pair: &(u32, u32)| Some((place(pair.0)?, place(pair.1)?));
    (0..definition.cases.len())
        .filter(|&index| {
            let heap = &definition.cases[index].heap;
            heap.equal.iter().filter_map(both).all(|(a, b)| !shape.are_distinct(a, b))
                && heap.distinct.iter().filter_map(both).all(|(a, b)| !shape.are_equal(a, b))
                && heap.cells.iter().filter_map(|c| Some((place(c.root)?, c.root))).all(|(root, parameter)| {
                    let nil = match parameter as usize {
                        v if v < nils => v,
                        v => nil_of(definition.parameters[v - nils]),
                    };
                    !shape.is_allocated(root) && !shape.are_equal(root, nil)
                })
        })
        .collect()
}

/// Returns a rank for each recursive predicate: the number of predicates that it reaches.
///
/// Callees never rank above their callers.
fn recursion_levels(definitions: &Definitions) -> Vec<Option<usize>> {
    let reaches = definitions.reachable();
    (0..reaches.len()).map(|p| reaches[p].contains(&p).then(|| reaches[p].len())).collect()
}

/// Returns whether integers occur, in which case a derivation does not imply satisfiability.
pub fn has_numbers(definitions: &Definitions, heap: &Flat) -> bool {
    let cases = definitions.predicates.iter().flat_map(|d| &d.cases);
    !heap.numbers.is_empty()
        || cases.into_iter().any(|c| !c.heap.numbers.is_empty())
        || definitions.predicates.iter().any(|d| d.parameters.contains(&Kind::Integer))
}
