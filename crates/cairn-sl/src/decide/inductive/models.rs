//! Search for small concrete models of a symbolic heap.
//!
//! Calls are unfolded breadth-first until none is left. Then every class of equal locations gets a location of its own.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::base_pairs::{learn, nil_of};
use super::flat::{Definitions, Flat, Kind, Var, Variables};
use super::model_check::{ConcreteCell, Model, Value};
use super::shape::Shape;
use crate::arithmetic::{Answer as Numbers, Constraint, Row, solve};
use crate::budget::{Budget, Reason};

/// Limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The number of unfoldings per derivation.
    pub unfoldings: usize,
    /// The number of symbolic heaps to examine.
    pub heaps: usize,
    /// The number of symbolic heaps for which variants of the model are examined.
    ///
    /// A variant equates locations or integers that may differ, or chooses other integers.
    pub variants: usize,
}

/// Calls the function for models of the heap and the named variables until it returns true.
///
/// Returns whether it did, and whether the search examined every derivation.
pub fn each_model(
    definitions: &Definitions,
    heap: &Flat,
    variables: &Variables,
    named: &[Var],
    bounds: Bounds,
    budget: &Budget,
    enough: &mut dyn FnMut(&Model) -> Result<bool, Reason>,
) -> Result<(bool, bool), Reason> {
    let mut variables = variables.clone();
    let mut complete: Vec<Flat> = Vec::new();
    let mut exhausted = true;
    let mut queue = VecDeque::from([(heap.clone(), 0)]);
    let mut seen = 0;
    while let Some((heap, unfoldings)) = queue.pop_front() {
        budget.spend(1)?;
        seen += 1;
        if seen > bounds.heaps {
            exhausted = false;
            break;
        }
        if shape_of(&heap, &variables).is_none() {
            continue;
        }
        if !heap.numbers.is_empty() && solve(&heap.numbers) == Numbers::Infeasible {
            continue;
        }
        if heap.calls.is_empty() {
            if let Some(model) = model_of(&heap, &variables, &[], &[])
                && enough(&model)?
            {
                return Ok((true, false));
            }
            complete.push(heap);
            continue;
        }
        if unfoldings >= bounds.unfoldings {
            exhausted = false;
            continue;
        }
        let mut rest = heap.clone();
        let call = rest.calls.remove(0);
        for case in 0..definitions.predicates[call.predicate].cases.len() {
            let Some((unfolded, _)) = definitions.unfold(&call, case, &mut variables) else {
                exhausted = false;
                continue;
            };
            let mut next = rest.clone();
            next.append(unfolded);
            queue.push_back((next, unfoldings + 1));
        }
    }
    for heap in complete.iter().take(bounds.variants) {
        let mut used: Vec<Var> = Vec::new();
        heap.each_variable(|v| used.push(v));
        used.extend(0..definitions.nils);
        used.extend(named);
        used.sort_unstable();
        used.dedup();
        for (i, &a) in used.iter().enumerate() {
            for &b in &used[..i] {
                if variables.kind(a) != variables.kind(b) {
                    continue;
                }
                budget.spend(1)?;
                let extra: &[Constraint] = &[Constraint::zero(Row::difference(a, b))];
                let model = match variables.kind(a) {
                    Kind::Location(_) => model_of(heap, &variables, &[(a, b)], &[]),
                    Kind::Integer => model_of(heap, &variables, &[], extra),
                };
                if let Some(model) = model
                    && enough(&model)?
                {
                    return Ok((true, false));
                }
            }
            if variables.kind(a) == Kind::Integer {
                for (sign, constant) in [(1, -7), (-1, -7), (1, -1000), (-1, -1000)] {
                    let Some(row) = Row::number(constant).plus(&Row::unknown(a), sign) else { continue };
                    if let Some(model) = model_of(heap, &variables, &[], &[Constraint::at_least_zero(row)])
                        && enough(&model)?
                    {
                        return Ok((true, false));
                    }
                }
            }
        }
    }
    Ok((false, exhausted))
}

/// Computes the shape of all variables, or returns `None` if it is contradictory.
fn shape_of(heap: &Flat, variables: &Variables) -> Option<Shape> {
    let places = Places::of(heap, variables, &[]);
    let mut shape = Shape::new(places.vars.len());
    learn(&mut shape, heap, |v| places.at(v), |v| places.at(nil_of(variables.kind(v)) as Var)).then_some(shape)
}

struct Places {
    vars: Vec<Var>,
    place: FxHashMap<Var, usize>,
}

impl Places {
    fn of(heap: &Flat, variables: &Variables, more: &[Var]) -> Self {
        let mut places = Places { vars: Vec::new(), place: FxHashMap::default() };
        let mut add = |v: Var| {
            if !places.place.contains_key(&v) {
                places.place.insert(v, places.vars.len());
                places.vars.push(v);
            }
        };
        // The nils come first, so that they represent their classes.
        let mut var = 0;
        while (var as usize) < variables.len() && variables.kind(var) == Kind::Location(var) {
            add(var);
            var += 1;
        }
        heap.each_variable(&mut add);
        more.iter().copied().for_each(&mut add);
        places
    }

    fn at(&self, var: Var) -> usize {
        self.place[&var]
    }
}

/// Constructs the model in which all locations differ that need not be equal.
pub fn model_of(heap: &Flat, variables: &Variables, equal: &[(Var, Var)], numbers: &[Constraint]) -> Option<Model> {
    let more: Vec<Var> = equal.iter().flat_map(|&(a, b)| [a, b]).collect();
    let places = Places::of(heap, variables, &more);
    let mut shape = Shape::new(places.vars.len());
    if !learn(&mut shape, heap, |v| places.at(v), |v| places.at(nil_of(variables.kind(v)) as Var)) {
        return None;
    }
    for &(a, b) in equal {
        if !shape.equate(places.at(a), places.at(b)) {
            return None;
        }
    }
    let mut constraints = heap.numbers.clone();
    constraints.extend_from_slice(numbers);
    let Numbers::Feasible(solution) = solve(&constraints) else { return None };
    let mut model = Model::default();
    let value = |v: Var| match variables.kind(v) {
        Kind::Location(_) => {
            let representative = places.vars[shape.find(places.at(v))];
            // The nil of a sort is location 0. Other classes use the number of their
            // representative, which is never that of a nil.
            Value::Location(if variables.kind(representative) == Kind::Location(representative) {
                0
            } else {
                representative
            })
        }
        Kind::Integer => Value::Integer(solution.get(&v).copied().unwrap_or(0)),
    };
    for &var in &places.vars {
        model.stack.insert(var, value(var));
    }
    for cell in &heap.cells {
        let (Kind::Location(sort), Value::Location(location)) = (variables.kind(cell.root), value(cell.root)) else {
            return None;
        };
        model.heap.push(ConcreteCell { sort, location, fields: cell.fields.iter().map(|&f| value(f)).collect() });
    }
    Some(model)
}
