//! Groups the paths of a function by their outcome.

use std::collections::{BTreeMap, BTreeSet};

use cairn_ir::ctype::Type;

use super::path_end::PathEnd;
use super::shapes::{Canonical, Shapes};
use crate::contract::{Case, Condition, Effect, Place, Value};
use crate::limits::{CASES, NUMBERS};

/// Returns the cases of a function's paths.
pub(crate) fn cases(shapes: &Shapes<'_>, ends: &[PathEnd]) -> Vec<Case> {
    let mut groups: BTreeMap<(u8, Value, BTreeSet<Effect>), Case> = BTreeMap::new();
    for end in ends.iter().filter(|end| end.returns) {
        let case = case_of(shapes, end);
        // Numbers are grouped by their sign, which often tells whether the function has failed.
        let key = match &case.result {
            Value::Numbers(numbers) if numbers.iter().all(|number| *number < 0) => (1, Value::Any),
            Value::Numbers(_) => (2, Value::Any),
            Value::Range(_, high) if *high < 0 => (1, Value::Any),
            Value::Range(low, _) if *low >= 0 => (2, Value::Any),
            other => (0, other.clone()),
        };
        let key = (key.0, key.1, case.effects.clone());
        match groups.get_mut(&key) {
            Some(group) => join(group, case),
            None => drop(groups.insert(key, case)),
        }
    }
    let mut cases: Vec<Case> = groups.into_values().collect();
    if cases.len() > CASES {
        cases = with_same_results_joined(cases);
    }
    mark_errors(&mut cases);
    drop_common_conditions(&mut cases);
    cases.sort_by(|a, b| (a.is_error, a).cmp(&(b.is_error, b)));
    cases
}

/// Returns the case of one path.
fn case_of(shapes: &Shapes<'_>, end: &PathEnd) -> Case {
    let nodes = |place: &Place| {
        let is_node = |other: &Place| shapes.canonical(other).place == *place;
        end.inputs.iter().filter(|input| input.memory.is_some() && is_node(&input.place)).count()
    };
    let freed = |place: &Place| {
        let is_node =
            |effect: &&Effect| matches!(effect, Effect::Frees(other) if shapes.canonical(other).place == *place);
        end.effects.iter().filter(is_node).count()
    };
    let mut effects = BTreeSet::new();
    for effect in &end.effects {
        effects.extend(match effect {
            Effect::Frees(place) | Effect::FreesSome(place) => {
                let Canonical { place, .. } = shapes.canonical(place);
                Some(if freed(&place) == nodes(&place) { Effect::Frees(place) } else { Effect::FreesSome(place) })
            }
            Effect::Gives(place, name) => Some(Effect::Gives(shapes.canonical(place).place, name.clone())),
            Effect::Stores { what, at } => {
                let (what, at) = (shapes.canonical(what), shapes.canonical(at));
                (what.place != at.place).then_some(Effect::Stores { what: what.place, at: at.place })
            }
            Effect::Allocates(at) => Some(Effect::Allocates(shapes.canonical(at).place)),
            Effect::Leaks(line) => Some(Effect::Leaks(*line)),
        });
    }
    let is_pointer =
        shapes.names.result.is_some_and(|ty| matches!(shapes.names.program.types.get(ty.ty), Type::Pointer(_)));
    let result = match &end.result {
        Value::Given(place) | Value::Inside(place) => {
            let Canonical { place: found, of_each_node } = shapes.canonical(place);
            match (&end.result, of_each_node || shapes.is_linked(&found)) {
                (Value::Given(_), false) if is_pointer || found.steps.is_empty() => Value::Given(found),
                (Value::Given(_), _) if !is_pointer => Value::Any,
                _ => Value::Inside(found),
            }
        }
        other => other.clone(),
    };
    let when = end.when.iter().filter(|condition| match condition {
        Condition::Null(place)
        | Condition::NotNull(place)
        | Condition::NotZero(place)
        | Condition::Within(place, ..) => !shapes.canonical(place).of_each_node,
        Condition::AllocationFails | Condition::CallFails(_) => true,
    });
    let writes = end.writes.iter().map(|place| shapes.canonical(place).place).collect();
    Case { when: when.cloned().collect(), result, effects, possible: BTreeSet::new(), writes, is_error: false }
}

/// Joins a case with another one.
fn join(case: &mut Case, other: Case) {
    case.when = case.when.intersection(&other.when).cloned().collect();
    let common: BTreeSet<Effect> = case.effects.intersection(&other.effects).cloned().collect();
    let all = case.effects.iter().chain(&case.possible).chain(&other.effects).chain(&other.possible);
    case.possible = all.filter(|effect| !common.contains(effect)).cloned().collect();
    case.effects = common;
    case.writes.extend(other.writes);
    case.result = joined(&case.result, &other.result);
}

fn joined(one: &Value, other: &Value) -> Value {
    if one == other {
        return one.clone();
    }
    if let (Value::Numbers(a), Value::Numbers(b)) = (one, other) {
        let all: BTreeSet<i128> = a.union(b).copied().collect();
        if all.len() <= NUMBERS {
            return Value::Numbers(all);
        }
    }
    match (bounds(one), bounds(other)) {
        (Some((a, b)), Some((c, d))) => Value::Range(a.min(c), b.max(d)),
        _ => Value::Any,
    }
}

fn bounds(value: &Value) -> Option<(i128, i128)> {
    match value {
        Value::Numbers(numbers) => Some((*numbers.first()?, *numbers.last()?)),
        Value::Range(low, high) => Some((*low, *high)),
        _ => None,
    }
}

/// Joins cases that differ in their effects only. There are too many of them to read.
fn with_same_results_joined(cases: Vec<Case>) -> Vec<Case> {
    let mut joined: Vec<Case> = Vec::new();
    for case in cases {
        let is_same = |other: &&mut Case| match (bounds(&other.result), bounds(&case.result)) {
            (Some((_, a)), Some((_, b))) => (a < 0) == (b < 0),
            _ => other.result == case.result,
        };
        match joined.iter_mut().find(is_same) {
            Some(other) => join(other, case),
            None => joined.push(case),
        }
    }
    joined
}

/// Marks the cases whose result reports a failure: null where others return a pointer, and negative numbers where others do not.
fn mark_errors(cases: &mut [Case]) {
    let is_pointer = |case: &Case| {
        matches!(
            case.result,
            Value::New { .. } | Value::Given(_) | Value::Inside(_) | Value::Address(_) | Value::From(_)
        )
    };
    let has_pointer = cases.iter().any(is_pointer);
    let has_number = cases.iter().any(|case| bounds(&case.result).is_some_and(|(low, _)| low >= 0));
    for case in cases {
        case.is_error = match &case.result {
            Value::Null => has_pointer,
            value => has_number && bounds(value).is_some_and(|(_, high)| high < 0),
        };
    }
}

/// Drops the conditions that all cases share: the requirements say them.
fn drop_common_conditions(cases: &mut [Case]) {
    let Some(first) = cases.first() else { return };
    let mut common = first.when.clone();
    for case in &*cases {
        common = common.intersection(&case.when).cloned().collect();
    }
    for case in cases {
        case.when = case.when.difference(&common).cloned().collect();
    }
}
