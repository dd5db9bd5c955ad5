//! Contracts as ACSL annotations, for Frama-C.

use std::collections::BTreeSet;
use std::fmt::Write;

use cairn_contract::contract::{Basis, Case, Contract, Effect, Length, Place, Requirement, Shape, Value};

use super::prototype::prototype;
use crate::{Texts, printable};

/// Renders the declarations of functions with their annotations.
pub(super) fn render(contracts: &[Contract], texts: Texts<'_>) -> String {
    let mut out = String::new();
    for contract in contracts {
        let Some(prototype) = prototype(contract, texts) else { continue };
        let clauses = clauses(contract);
        if clauses.is_empty() {
            continue;
        }
        let _ = write!(out, "/*@ {} */\n{};\n\n", clauses.join("\n    "), printable(&prototype));
    }
    out
}

fn clauses(contract: &Contract) -> Vec<String> {
    let mut clauses: Vec<String> = contract.requires.iter().filter_map(requires).collect();
    if contract.never_returns {
        clauses.push("ensures \\false;".to_owned());
        return clauses;
    }
    if matches!(contract.basis, Basis::Partial(_)) {
        return clauses;
    }
    let writes: BTreeSet<&Place> = contract.cases.iter().flat_map(|case| &case.writes).collect();
    let is_plain = |place: &&&Place| !place.text.contains('+');
    if writes.iter().filter(is_plain).count() == writes.len() && contract.assumes.is_empty() {
        let places: Vec<&str> = writes.iter().map(|place| place.text.as_str()).collect();
        let places = if places.is_empty() { "\\nothing".to_owned() } else { places.join(", ") };
        clauses.push(format!("assigns {places};"));
    }
    let is_new = |case: &Case| matches!(case.result, Value::New { .. });
    if contract.cases.iter().any(is_new) {
        clauses.push("allocates \\result;".to_owned());
    }
    for effect in contract.effects() {
        if let Effect::Frees(place) = effect {
            clauses.push(format!("frees {place};"));
        }
    }
    let results: Option<Vec<String>> = contract.cases.iter().map(|case| result(&case.result)).collect();
    if let Some(mut results) = results.filter(|results| !results.is_empty()) {
        results.sort();
        results.dedup();
        clauses.push(format!("ensures {};", results.join(" || ")));
    }
    clauses
}

fn requires(required: &Requirement) -> Option<String> {
    let Requirement { place, may_be_null, shape, access, of_each_node, .. } = required;
    if *of_each_node {
        return None;
    }
    let valid = if access.writes || access.frees { "\\valid" } else { "\\valid_read" };
    let fact = match shape {
        Shape::Object | Shape::List { .. } | Shape::Tree { .. } => format!("{valid}({place})"),
        Shape::Array(Length::Number(number)) => format!("{valid}({place} + (0 .. {}))", number.saturating_sub(1)),
        Shape::Array(Length::Value(length)) => format!("{valid}({place} + (0 .. {length} - 1))"),
        Shape::Text => format!("valid_read_string({place})"),
        Shape::Allocated => format!("\\freeable({place})"),
        Shape::Array(Length::Accessed) | Shape::Unfollowed | Shape::Function => return None,
    };
    let (may_be_null, frees) = (*may_be_null, access.frees && *shape != Shape::Allocated);
    let fact = if may_be_null { format!("{place} == \\null || {fact}") } else { fact };
    let freeable = if frees { format!(" && \\freeable({place})") } else { String::new() };
    Some(match (may_be_null, frees) {
        (true, true) => format!("requires {place} == \\null || (\\valid({place}){freeable});"),
        _ => format!("requires {fact}{freeable};"),
    })
}

fn result(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "\\result == \\null".to_owned(),
        Value::New { or_null: false } => "\\valid(\\result)".to_owned(),
        Value::New { or_null: true } => "\\result == \\null || \\valid(\\result)".to_owned(),
        Value::Given(place) => format!("\\result == \\old({place})"),
        Value::Address(name) => format!("\\result == &{name}"),
        Value::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(|number| format!("\\result == {number}")).collect();
            numbers.join(" || ")
        }
        Value::Range(low, high) => format!("{low} <= \\result <= {high}"),
        Value::Nothing | Value::Inside(_) | Value::From(_) | Value::Any => return None,
    })
}
