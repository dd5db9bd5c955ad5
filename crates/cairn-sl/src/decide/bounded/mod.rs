//! Boolean combinations of statements about the heap, by models of bounded size.
//!
//! [`simplify`] makes the formula smaller, [`quantifiers`] removes what can be removed, [`bounds`] says how large models need to be,
//! [`encode`] asks the embedded solver, with [`segments`] for lists. A negated
//! separating conjunction speaks of all divisions of the heap; those that a candidate model shows to matter are added one by one
//! until the candidate is a model or none is left (the instantiation of Reynolds, Iosif, Serban, King, ATVA'16). Every model is
//! checked by [`crate::evaluate`] before the answer is `sat`.

mod bounds;
mod encode;
mod quantifiers;
mod segments;
pub(super) mod simplify;

use cairn_smt::Session;
use cairn_smt::evaluate::Assignment;

use self::encode::{Encoder, Heap};
use self::simplify::Simplified;
use crate::budget::{Answer, Budget, Reason};
use crate::evaluate::Evaluator;
use crate::formula::{Formula, Sort, Variable};
use crate::model::{Model, Value};
use crate::signature::Signature;

/// The procedure's name.
pub const NAME: &str = "bounded-models";

/// Decides whether a conjunction has a model.
pub fn decide(signature: &Signature, assertions: &[Formula], budget: &Budget) -> Answer {
    match model(signature, assertions, budget) {
        Ok(Some(_)) => Answer::Sat,
        Ok(None) => Answer::Unsat,
        Err(reason) => Answer::Unknown(reason),
    }
}

/// A model of a conjunction, where there is one.
pub fn model(signature: &Signature, assertions: &[Formula], budget: &Budget) -> Result<Option<Model>, Reason> {
    let uncovered = |what: &str| Reason::Uncovered(what.to_owned());
    let whole = Formula::and(assertions.iter().cloned());
    // Variables that procedures made before are not to be made again.
    let mut first = signature.variable_count();
    whole.each_variable(&mut |v| first = first.max(v.number + 1));
    let mut fresh = crate::formula::Fresh::starting_at(first);
    let grounded = quantifiers::ground(&whole, &mut fresh).map_err(|what| uncovered(&what))?;
    let simplified = simplify::simplify(&[grounded.formula]).ok_or_else(|| uncovered("a number is too large"))?;
    bounds::check_fragment(signature, &simplified.formula)?;
    let sizes = bounds::unnamed_cells(signature, &simplified.formula)?;
    let question = Asked { signature, whole: &whole, simplified: &simplified, weaker: grounded.weaker };
    for &unnamed in &sizes.sizes {
        if let Some(model) = question.model_with(unnamed, budget)? {
            return Ok(Some(model));
        }
    }
    if sizes.complete { Ok(None) } else { Err(uncovered("no small model was found, and a model may need many cells")) }
}

/// What a conflict of the solver counts for.
const CONFLICT_STEPS: u64 = 50;

/// A formula, and what was made of it.
struct Asked<'a> {
    signature: &'a Signature,
    whole: &'a Formula,
    simplified: &'a Simplified,
    /// Whether the one without quantifiers says less.
    weaker: bool,
}

impl Asked<'_> {
    /// A model with at most so many cells that no variable names.
    fn model_with(&self, unnamed: usize, budget: &Budget) -> Result<Option<Model>, Reason> {
        let uncovered = |what: &str| Reason::Uncovered(what.to_owned());
        let Asked { signature, whole, simplified, weaker } = *self;
        let mut encoder = Encoder::new(signature, &simplified.formula, unnamed)?;
        let heap = encoder.whole_heap();
        let truth = encoder.formula(&simplified.formula, &heap)?;
        let mut session = Session::new(budget.cancel_flag().clone());
        // Most models do without cells that no variable names, and are easier to check then.
        let unnamed: Vec<_> = (0..encoder.slots.len())
            .filter(|&s| encoder.slots[s].variable.is_none())
            .map(|s| heap.allocated[s])
            .collect();
        let unnamed = encoder.any(&unnamed);
        let mut preference = Some(encoder.terms.not(unnamed));
        loop {
            let mut wanted = encoder.constraints.clone();
            wanted.push(truth);
            wanted.extend(preference);
            budget.spend(1 + wanted.len() as u64)?;
            session.set_conflict_budget(Some(budget.left() / CONFLICT_STEPS));
            let assignment = match session.check(&encoder.terms, &wanted) {
                cairn_smt::Answer::Unsat(_) if preference.is_some() => {
                    preference = None;
                    continue;
                }
                cairn_smt::Answer::Unsat(_) => return Ok(None),
                cairn_smt::Answer::Unknown => {
                    budget.spend(0)?;
                    return Err(Reason::OutOfBudget);
                }
                cairn_smt::Answer::Sat(assignment) => assignment,
            };
            let mut model = model_of(&encoder, &heap, &assignment);
            for (variable, term) in simplified.gone.iter().rev() {
                default_values(&mut model, term.variables());
                let value = model.value(term).ok_or_else(|| uncovered("an integer of the model is too large"))?;
                model.stack.insert(*variable, value);
            }
            let mut all = Vec::new();
            whole.each_variable(&mut |v| all.push(v));
            default_values(&mut model, all.into_iter());
            // Bound variables have no value; the evaluator gives them theirs.
            if Evaluator::new(signature, &model, budget)?.holds(whole)? {
                return Ok(Some(model));
            }
            if !add_divisions(&mut encoder, &assignment, &model, budget)? {
                return Err(uncovered(if weaker {
                    "a universal statement was not decided by its instances"
                } else {
                    "the candidate model could not be checked"
                }));
            }
        }
    }
}

fn default_values(model: &mut Model, variables: impl Iterator<Item = Variable>) {
    for variable in variables {
        model.stack.entry(variable).or_insert_with(|| Value::any(variable.sort));
    }
}

/// Adds, for every separating conjunction that the candidate calls false, a division that makes it true there. Whether there was
/// one.
fn add_divisions(
    encoder: &mut Encoder<'_>,
    assignment: &Assignment,
    model: &Model,
    budget: &Budget,
) -> Result<bool, Reason> {
    let mut added = false;
    for index in 0..encoder.separations.len() {
        let separation = &encoder.separations[index];
        if encoder.terms.evaluate(separation.truth, assignment) == 1 {
            continue;
        }
        let mut here = model_of(encoder, &separation.heap, assignment);
        for (variable, value) in &model.stack {
            here.stack.entry(*variable).or_insert(*value);
        }
        let parts = separation.parts.clone();
        let Some(parts) = Evaluator::new(encoder.signature, &here, budget)?.division(&parts)? else { continue };
        let in_part = |locations: &Vec<Value>| -> Vec<bool> {
            (0..encoder.slots.len()).map(|slot| locations.contains(&location(encoder, slot))).collect()
        };
        let division: Vec<Vec<bool>> = parts[..parts.len() - 1].iter().map(in_part).collect();
        if !encoder.separations[index].tried.contains(&division) {
            encoder.add_division(index, division)?;
            added = true;
        }
    }
    Ok(added)
}

/// The location that a slot stands for.
fn location(encoder: &Encoder<'_>, slot: usize) -> Value {
    let number = if encoder.slots[slot].is_nil { 0 } else { slot as u32 + 1 };
    Value::Location(encoder.slots[slot].sort, number)
}

/// The model that an assignment stands for, with one of its heaps.
fn model_of(encoder: &Encoder<'_>, heap: &Heap, assignment: &Assignment) -> Model {
    let value = |bits, sort| {
        let number = encoder.terms.evaluate(bits, assignment);
        match sort {
            Sort::Bool => Value::Truth(number == 1),
            Sort::Int => {
                let signed = cairn_smt::term::signed(number, encoder.terms.width(bits));
                Value::Integer(i64::try_from(signed).unwrap_or(i64::MAX))
            }
            Sort::Location(sort) => match encoder.slots.get(number as usize) {
                Some(slot) if slot.sort == sort => location(encoder, number as usize),
                // Nobody's value.
                _ => Value::Location(sort, encoder.slots.len() as u32 + 2),
            },
        }
    };
    let mut model = Model::default();
    for (&variable, &bits) in &encoder.variables {
        model.stack.insert(variable, value(bits, variable.sort));
    }
    for (index, &allocated) in heap.allocated.iter().enumerate() {
        if encoder.terms.evaluate(allocated, assignment) != 1 {
            continue;
        }
        let fields = encoder.signature.fields(encoder.slots[index].sort);
        let known = &encoder.fields[heap.fields][index];
        let values = fields
            .iter()
            .enumerate()
            .map(|(k, field)| known.get(k).map_or_else(|| Value::any(field.sort), |&bits| value(bits, field.sort)))
            .collect();
        model.heap.insert(location(encoder, index), values);
    }
    model
}
