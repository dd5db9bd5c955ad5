//! Holds stated contracts against inferred ones.

use super::{Stated, Statement};
use crate::contract::{Basis, Contract, Effect, Place, Root, Value};

/// A statement that the code does not keep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The line of the statement.
    pub line: u32,
    /// What the function does instead.
    pub message: String,
}

/// Returns the statements about a function that a path of it contradicts.
pub fn disagreements(stated: &Stated, contract: &Contract) -> Vec<Disagreement> {
    let contradiction = |(statement, line): &(Statement, u32)| {
        contradiction(statement, contract).map(|message| Disagreement { line: *line, message })
    };
    stated.statements.iter().filter_map(contradiction).collect()
}

fn contradiction(statement: &Statement, contract: &Contract) -> Option<String> {
    let function = &contract.function;
    let covers = !matches!(contract.basis, Basis::Partial(_));
    match statement {
        Statement::Takes(name) => {
            let place = argument(contract, name)?;
            let keeps = contract.effects().into_iter().any(|effect| takes(effect, place));
            (covers && !keeps).then(|| format!("`{function}` neither frees nor keeps `{name}`"))
        }
        Statement::Borrows(name) => {
            let place = argument(contract, name)?;
            let effect = contract.effects().into_iter().find(|effect| takes(effect, place))?;
            let verb = if matches!(effect, Effect::Stores { .. } | Effect::Gives(..)) { "keep" } else { "free" };
            Some(format!("`{function}` may {verb} `{name}`"))
        }
        Statement::AllowsNull(name) => {
            let place = argument(contract, name)?;
            let required = contract.requires.iter().find(|one| is_argument(&one.place, place))?;
            (!required.may_be_null).then(|| format!("`{function}` follows `{name}` without a test for null"))
        }
        Statement::ReturnsNew => {
            let is_new = |value: &Value| matches!(value, Value::New { .. } | Value::Null | Value::From(_));
            let other = contract.cases.iter().find(|case| !is_new(&case.result))?;
            (other.result != Value::Any).then(|| format!("`{function}` may return memory that is not new"))
        }
        Statement::ReturnsNotNull => {
            let is_null = |value: &Value| matches!(value, Value::Null | Value::New { or_null: true });
            let may = contract.cases.iter().any(|case| is_null(&case.result));
            may.then(|| format!("`{function}` may return null"))
        }
        Statement::NeverReturns => (!contract.cases.is_empty()).then(|| format!("`{function}` returns on some paths")),
    }
}

/// Returns the position of a parameter.
fn argument(contract: &Contract, name: &str) -> Option<usize> {
    contract.parameters.iter().position(|parameter| parameter.name == name)
}

fn is_argument(place: &Place, index: usize) -> bool {
    place.steps.is_empty() && place.root == Root::Parameter(index)
}

/// Returns whether an effect frees or keeps the memory behind a parameter.
fn takes(effect: &Effect, index: usize) -> bool {
    match effect {
        Effect::Frees(place) | Effect::FreesSome(place) | Effect::Gives(place, _) => is_argument(place, index),
        Effect::Stores { what, at } => is_argument(what, index) && what.root != at.root,
        Effect::Allocates(_) | Effect::Leaks(_) => false,
    }
}
