//! Contracts as declarations with attributes of gcc.
//!
//! An attribute is a promise to the compiler, so that only contracts which cover a function get one.

use cairn_contract::contract::{Basis, Contract, Length, Place, Requirement, Root, Shape, Value};

use super::prototype::prototype;
use crate::{Texts, printable};

/// Renders the declarations of functions that have attributes.
pub(super) fn render(contracts: &[Contract], texts: Texts<'_>) -> String {
    let mut out = String::new();
    for contract in contracts {
        let attributes = attributes(contract);
        let Some(prototype) = prototype(contract, texts).filter(|_| !attributes.is_empty()) else { continue };
        out.push_str(&format!("{} __attribute__(({}));\n", printable(&prototype), attributes.join(", ")));
    }
    out
}

/// Returns the attributes of a function.
fn attributes(contract: &Contract) -> Vec<String> {
    let mut found = Vec::new();
    if contract.never_returns {
        found.push("noreturn".to_owned());
    }
    if matches!(contract.basis, Basis::Partial(_)) {
        return found;
    }
    let is_new = |value: &Value| matches!(value, Value::New { .. });
    let is_new_or_null = |value: &Value| is_new(value) || *value == Value::Null;
    let mut results = contract.cases.iter().map(|case| &case.result);
    if results.clone().any(is_new) && results.clone().all(is_new_or_null) {
        // gcc takes it that new memory holds no pointers to existing objects.
        if holds_no_pointers(&contract.result) {
            found.push("malloc".to_owned());
        }
        found.push("warn_unused_result".to_owned());
    }
    if contract.result.ends_with('*') && !contract.cases.is_empty() && results.all(|value| is_not_null(contract, value))
    {
        found.push("returns_nonnull".to_owned());
    }
    let required = |may_be_null: fn(&Requirement) -> bool| {
        contract.requires.iter().filter_map(move |one| Some((argument(&one.place)?, one)).filter(|_| may_be_null(one)))
    };
    let mut nonnull: Vec<usize> = required(|one| !one.may_be_null).map(|(index, _)| index + 1).collect();
    nonnull.sort_unstable();
    if !nonnull.is_empty() {
        let list: Vec<String> = nonnull.iter().map(usize::to_string).collect();
        found.push(format!("nonnull({})", list.join(", ")));
    }
    found.extend(required(|_| true).filter_map(|(index, one)| access(index, one)));
    found
}

/// Returns the position of the parameter that a place is.
fn argument(place: &Place) -> Option<usize> {
    match place.root {
        Root::Parameter(index) if place.steps.is_empty() => Some(index),
        _ => None,
    }
}

fn holds_no_pointers(result: &str) -> bool {
    let Some(pointee) = result.strip_suffix('*').map(str::trim) else { return false };
    let pointee = pointee.trim_start_matches("unsigned ").trim_start_matches("signed ");
    ["char", "short", "int", "long", "long long", "float", "double"].contains(&pointee)
}

fn is_not_null(contract: &Contract, value: &Value) -> bool {
    match value {
        Value::New { or_null } => !or_null,
        Value::Address(_) => true,
        Value::Given(place) => contract.requirement(place).is_some_and(|one| !one.may_be_null && !one.of_each_node),
        _ => false,
    }
}

fn access(index: usize, required: &Requirement) -> Option<String> {
    let access = required.access;
    if access.frees || required.shape == Shape::Function {
        return None;
    }
    let mode = match (access.reads, access.writes) {
        (true, false) => "read_only",
        (true, true) => "read_write",
        (false, true) => "write_only",
        (false, false) => return None,
    };
    let size = match &required.shape {
        Shape::Array(Length::Value(length)) => argument(length).map(|length| format!(", {}", length + 1)),
        _ => None,
    };
    Some(format!("access({mode}, {}{})", index + 1, size.unwrap_or_default()))
}
