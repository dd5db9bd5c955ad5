//! Invalid entailments are shown by a model of the left side that is none of the right side. Both are checked on the model alone
//! ([`super::model_check`]), whatever led to it.

use super::flat::{Definitions, Flat, Kind, Var, Variables};
use super::model_check::{Model, Value, is_model};
use super::models::{Bounds, each_model};
use crate::budget::{Budget, Reason};

/// Steps that one check of a model may take; then that model says nothing.
const CHECK_STEPS: u64 = 20_000;

/// A small model of the left side that is none of the right side. Where none is found, there may be larger ones.
/// Variables that are not named are existential, each on its side.
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
        // Only what has a name is given; the rest is for the check to find. Names that the left side does not mention get
        // locations that are nowhere else.
        model.stack.retain(|v, _| named.contains(v));
        for &var in named {
            model.stack.entry(var).or_insert_with(|| match variables.kind(var) {
                Kind::Location(_) => Value::Location(var),
                Kind::Integer => Value::Integer(0),
            });
        }
        let check = |heap: &Flat| {
            let part = budget.part(CHECK_STEPS);
            let answer = is_model(definitions, &model, heap, variables, &part);
            budget.settle(&part);
            answer
        };
        for heap in right {
            // Where a check cannot be finished, this model proves nothing.
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
