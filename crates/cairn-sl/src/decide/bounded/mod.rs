//! Boolean combinations of spatial formulas, by models of bounded size.
//!
//! `simplify` reduces the formula, `quantifiers` removes quantifiers, and `bounds` computes
//! how large models need to be. `encode` translates the question for the SMT solver, with
//! `segments` for lists.
//!
//! A negated separating conjunction quantifies over all divisions of the heap. The encoding starts
//! without them and adds the divisions that candidate models require, until a candidate is a model
//! or there is none. This is the instantiation scheme of Reynolds, Iosif, Serban and King
//! (ATVA'16). Every model is checked with [`crate::evaluate`] before the answer is `sat`.

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
use crate::limits;
use crate::model::{Model, Value};
use crate::signature::Signature;

/// The name of the procedure.
pub const NAME: &str = "bounded-models";

/// Decides whether a conjunction has a model.
pub fn decide(signature: &Signature, assertions: &[Formula], budget: &Budget) -> Answer {
    match model(signature, assertions, budget) {
        Ok(Some(_)) => Answer::Sat,
        Ok(None) => Answer::Unsat,
        Err(reason) => Answer::Unknown(reason),
    }
}

/// Returns a model of a conjunction, or `None` if there is none.
pub fn model(signature: &Signature, assertions: &[Formula], budget: &Budget) -> Result<Option<Model>, Reason> {
    let uncovered = |what: &str| Reason::Uncovered(what.to_owned());
    let whole = Formula::and(assertions.iter().cloned());
    // Fresh variables must not collide with those that other procedures generated.
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

/// A formula and its transformed version.
struct Asked<'a> {
    signature: &'a Signature,
    whole: &'a Formula,
    simplified: &'a Simplified,
    /// Whether removing quantifiers weakened the formula.
    weaker: bool,
}

impl Asked<'_> {
    /// Searches for a model with at most that many unnamed cells.
    fn model_with(&self, unnamed: usize, budget: &Budget) -> Result<Option<Model>, Reason> {
        let uncovered = |what: &str| Reason::Uncovered(what.to_owned());
        let Asked { signature, whole, simplified, weaker } = *self;
        let mut encoder = Encoder::new(signature, &simplified.formula, unnamed)?;
        let heap = encoder.whole_heap();
        let truth = encoder.formula(&simplified.formula, &heap)?;
        let mut session = Session::new(budget.cancel_flag().clone());
        // Try without unnamed cells first: most models need none, and small models are easier to check.
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
            session.set_conflict_budget(Some(budget.left() / limits::STEPS_PER_CONFLICT));
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
            // The evaluator chooses the values of bound variables itself.
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

/// Refines the separating conjunctions that the candidate assigns false although a division satisfies them.
///
/// Returns whether a division was added.
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

/// Returns the location of a slot.
fn location(encoder: &Encoder<'_>, slot: usize) -> Value {
    let number = if encoder.slots[slot].is_nil { 0 } else { slot as u32 + 1 };
    Value::Location(encoder.slots[slot].sort, number)
}

/// Converts an assignment to a model with the given heap.
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
                // A value that no variable has.
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
