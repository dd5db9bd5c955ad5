//! Refutation of entailments by a model of the left side that is not a model of the right side.
//!
//! Both properties are checked on the model alone ([`super::model_check`]), independently of how it was found.

use super::flat::{Definitions, Flat, Kind, Var, Variables};
use super::model_check::{Model, Value, is_model};
use super::models::{Bounds, each_model};
use crate::budget::{Budget, Reason};
use crate::limits;

/// Searches for a small model of the left side that is not a model of the right side.
///
/// If none is found, larger ones may exist. Variables that are not named are existential on their side.
pub fn refute(
    definitions: &Definitions,
    left: &Flat,
    right: &[Flat],
    variables: &Variables,
    named: &[Var],
    bounds: Bounds,
    budget: &Budget,
) -> Result<Option<Model>, Reason> {
    let mut found = None;
    each_model(definitions, left, variables, named, bounds, budget, &mut |model| {
        let mut model = model.clone();
        // Fix only the named variables; the check chooses all others. Names that the left side does
        // not mention get fresh locations.
        model.stack.retain(|v, _| named.contains(v));
        for &var in named {
            model.stack.entry(var).or_insert_with(|| match variables.kind(var) {
                Kind::Location(_) => Value::Location(var),
                Kind::Integer => Value::Integer(0),
            });
        }
        let check = |heap: &Flat| {
            let part = budget.part(limits::REFUTATION_CHECK_STEPS);
            let answer = is_model(definitions, &model, heap, variables, &part);
            budget.settle(&part);
            answer
        };
        for heap in right {
            // If a check does not finish, the model proves nothing.
            if check(heap) != Ok(false) {
                return Ok(false);
            }
        }
        let refutes = check(left) == Ok(true);
        if refutes {
            found = Some(model);
        }
        Ok(refutes)
    })?;
    Ok(found)
}
