//! Models of questions about inductive predicates, translated for callers.
//!
//! A satisfiable heap is unfolded by the derivation of [`super::search`] or along its grammar. In
//! the grammar, each nonterminal is unfolded by its first production, whose children were found
//! before; hence this terminates. If there are too many base pairs or integers are involved, small
//! derivations are tried. [`super::model_check`] checks the result.

use super::base_pairs::{learn, nil_of};
use super::derivations::Grammar;
use super::flat::{Call, Definitions, Flat, Kind, Translation, Var, Variables};
use super::model_check::{self, is_model};
use super::models::{each_model, model_of};
use super::shape::Shape;
use super::{Entailment, called, flat, has_truth_values, search};
use crate::budget::{Budget, Reason};
use crate::decide::Question;
use crate::formula::{LocationSort, Sort, Variable};
use crate::limits;
use crate::model::{Model, Value};
use crate::signature::Signature;
use crate::symbolic_heap::SymbolicHeap;

/// Returns a checked model of a question, if one is found.
pub fn model(signature: &Signature, question: &Question, budget: &Budget) -> Result<Option<Model>, Reason> {
    match question {
        Question::Satisfiability(heaps) => {
            for heap in heaps {
                if let Some(model) = of_heap(signature, heap, budget)? {
                    return Ok(Some(model));
                }
            }
        }
        Question::Entailment(left, right) => {
            for left in left {
                let Ok(question) = Entailment::new(signature, left, right) else { continue };
                if let Some(found) = question.counter_model(limits::COUNTER_MODEL_SEARCH, budget)? {
                    return Ok(outside(signature, &question.translation, &found, &free(left)));
                }
            }
        }
    }
    Ok(None)
}

fn free(heap: &SymbolicHeap) -> Vec<Variable> {
    let mut variables = Vec::new();
    heap.each_variable(&mut |v| variables.push(v));
    variables
}

fn of_heap(signature: &Signature, heap: &SymbolicHeap, budget: &Budget) -> Result<Option<Model>, Reason> {
    if has_truth_values(heap) {
        return Ok(None);
    }
    let Ok(definitions) = flat::definitions(signature, called(heap)) else { return Ok(None) };
    let mut translation = Translation::new(definitions.nils);
    let Some(inner) = translation.heap(heap) else { return Ok(None) };
    let known = translation.variables.len();
    let checked = |model: &model_check::Model| {
        let mut model = model.clone();
        model.stack.retain(|v, _| (*v as usize) < known);
        let part = budget.part(limits::WITNESS_CHECK_STEPS);
        let holds = is_model(&definitions, &model, &inner, &translation.variables, &part);
        budget.settle(&part);
        (holds == Ok(true)).then_some(model)
    };
    let mut found = derived(&definitions, &inner, &translation.variables, budget)?.as_ref().and_then(&checked);
    if found.is_none() {
        each_model(
            &definitions,
            &inner,
            &translation.variables,
            &[],
            limits::SATISFIABILITY_SEARCH,
            budget,
            &mut |model| {
                found = checked(model);
                Ok(found.is_some())
            },
        )?;
    }
    Ok(found.and_then(|found| outside(signature, &translation, &found, &free(heap))))
}

/// Constructs the model of one derivation.
fn derived(
    definitions: &Definitions,
    heap: &Flat,
    variables: &Variables,
    budget: &Budget,
) -> Result<Option<model_check::Model>, Reason> {
    if let search::Found::Derivation(steps) = search::search(definitions, heap, variables, budget)? {
        let mut variables = variables.clone();
        let complete = search::replay(definitions, heap, &steps, &mut variables, limits::MAX_WITNESS_CELLS);
        return Ok(complete.and_then(|complete| model_of(&complete, &variables, &[], &[])));
    }
    let Some(grammar) = Grammar::compute(definitions, budget)? else { return Ok(None) };
    let mut shape = Shape::new(variables.len());
    if !learn(&mut shape, heap, |v| v as usize, |v| nil_of(variables.kind(v))) {
        return Ok(None);
    }
    let mut chosen = Vec::new();
    if !choose(&grammar, definitions.nils as usize, &heap.calls, &shape, &mut chosen, budget)? {
        return Ok(None);
    }
    let mut variables = variables.clone();
    let mut complete = Flat { calls: Vec::new(), ..heap.clone() };
    let mut open: Vec<(Call, usize)> = heap.calls.iter().cloned().zip(chosen).collect();
    while let Some((call, nonterminal)) = open.pop() {
        budget.spend(1)?;
        let Some(&first) = grammar.nonterminals[nonterminal].productions.first() else { return Ok(None) };
        let production = &grammar.productions[first];
        let Some((mut unfolded, _)) = definitions.unfold(&call, production.case, &mut variables) else {
            return Ok(None);
        };
        open.extend(std::mem::take(&mut unfolded.calls).into_iter().zip(production.children.iter().copied()));
        complete.append(unfolded);
        if complete.cells.len() > limits::MAX_WITNESS_CELLS {
            return Ok(None);
        }
    }
    Ok(model_of(&complete, &variables, &[], &[]))
}

/// Chooses consistent nonterminals for all calls.
fn choose(
    grammar: &Grammar,
    nils: usize,
    calls: &[Call],
    shape: &Shape,
    chosen: &mut Vec<usize>,
    budget: &Budget,
) -> Result<bool, Reason> {
    let Some(call) = calls.get(chosen.len()) else { return Ok(true) };
    let place = |i: usize| if i < nils { i } else { call.arguments[i - nils] as usize };
    for &nonterminal in &grammar.of_predicate[call.predicate] {
        budget.spend(1)?;
        let pair = &grammar.nonterminals[nonterminal].shape;
        let mut joined = shape.clone();
        if pair.contradicts(shape, place) || !joined.join(pair, place) {
            continue;
        }
        chosen.push(nonterminal);
        if choose(grammar, nils, calls, &joined, chosen, budget)? {
            return Ok(true);
        }
        chosen.pop();
    }
    Ok(false)
}

/// Translates a model to the terms of the question; returns `None` if an integer is too large.
fn outside(
    signature: &Signature,
    translation: &Translation,
    inner: &model_check::Model,
    variables: &[Variable],
) -> Option<Model> {
    let value = |sort: Sort, value: &model_check::Value| match (sort, value) {
        (Sort::Location(sort), model_check::Value::Location(number)) => Some(Value::Location(sort, *number)),
        (Sort::Int, model_check::Value::Integer(number)) => i64::try_from(*number).ok().map(Value::Integer),
        _ => None,
    };
    let mut model = Model::default();
    for (number, var) in translation.translated() {
        let Some(known) = inner.stack.get(&var) else { continue };
        if let Some(variable) = variables.iter().find(|v| v.number == number) {
            model.stack.insert(*variable, value(variable.sort, known)?);
        } else if let (Kind::Location(sort), model_check::Value::Location(location)) =
            (translation.variables.kind(var as Var), known)
        {
            // A variable that occurs only on the right side.
            let variable = Variable { number, sort: Sort::Location(LocationSort(sort)) };
            model.stack.insert(variable, Value::Location(LocationSort(sort), *location));
        }
    }
    for cell in &inner.heap {
        let sort = LocationSort(cell.sort);
        let fields = signature.fields(sort);
        let values = fields.iter().zip(&cell.fields).map(|(field, known)| value(field.sort, known));
        model.heap.insert(Value::Location(sort, cell.location), values.collect::<Option<_>>()?);
    }
    Some(model)
}
