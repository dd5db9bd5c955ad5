//! A contract as formulas of separation logic: `{ string(s) } dup(s) { result = null ∨ result ↦ new }`.
//!
//! | formula | meaning |
//! |---|---|
//! | `p ↦ T`, `p ↦ T[n]` | an object, or `n` elements, of type `T` |
//! | `string(s)` | characters up to a zero |
//! | `list(l; next)`, `dlist(l; next, prev)`, `tree(t; left, right)` | linked nodes, possibly none |
//! | `allocated(p)` | memory from an allocator |
//! | `writable(p)` | memory that is no constant, although its type says so |
//! | `function(f)` | a function that may be called |
//! | `p ↦ new` | memory that the caller owns after the call |
//! | `freed(p)` | memory that no longer exists after the call |

use super::words::{is_least, is_most};
use super::{Case, Condition, Contract, Effect, Length, Requirement, Shape, Value};

/// Returns the precondition of a contract.
pub fn formula_of_requires(contract: &Contract) -> String {
    let parts: Vec<String> = contract.requires.iter().map(requirement).collect();
    if parts.is_empty() { "emp".to_owned() } else { parts.join(" * ") }
}

/// Returns the condition and the postcondition of a case.
pub fn formula_of_case(contract: &Contract, case: &Case) -> (String, String) {
    let when: Vec<String> = case.when.iter().map(condition).collect();
    let mut post: Vec<String> = result(&case.result).into_iter().collect();
    post.extend(case.effects.iter().filter_map(|one| effect(contract, one)));
    post.extend(case.possible.iter().filter_map(|one| effect(contract, one)).map(|text| format!("[{text}]")));
    let post = if post.is_empty() { "true".to_owned() } else { post.join(" * ") };
    (when.join(" ∧ "), post)
}

fn requirement(required: &Requirement) -> String {
    let Requirement { place, pointee, may_be_null, shape, access, of_each_node } = required;
    let is_empty_null = matches!(shape, Shape::List { .. } | Shape::Tree { .. });
    let text = match shape {
        Shape::Unfollowed => "emp".to_owned(),
        Shape::Allocated => format!("allocated({place})"),
        Shape::Object => format!("{place} ↦ {pointee}"),
        Shape::Array(Length::Number(number)) => format!("{place} ↦ {pointee}[{number}]"),
        Shape::Array(Length::Value(length)) => format!("{place} ↦ {pointee}[{length}]"),
        Shape::Array(Length::Accessed) => format!("{place} ↦ {pointee}[_]"),
        Shape::Text => format!("string({place})"),
        Shape::List { next, back } if back.is_empty() => format!("list({place}; {next})"),
        Shape::List { next, back } => format!("dlist({place}; {next}, {})", back.join(", ")),
        Shape::Tree { links } => format!("tree({place}; {})", links.join(", ")),
        Shape::Function => format!("function({place})"),
    };
    // A fact about the same memory is a conjunct of the formula that describes it.
    let mut facts = vec![text];
    if access.frees && *shape != Shape::Allocated {
        facts.push(format!("allocated({place})"));
    }
    if required.writes_constant() {
        facts.push(format!("writable({place})"));
    }
    let text = if facts.len() == 1 { facts.remove(0) } else { format!("({})", facts.join(" ∧ ")) };
    let text = match (may_be_null, is_empty_null) {
        (false, true) => format!("({place} ≠ null ∧ {text})"),
        (true, false) => format!("({place} = null ∨ {text})"),
        _ => text,
    };
    if *of_each_node { format!("∀ nodes: {text}") } else { text }
}

fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Null(place) => format!("{place} = null"),
        Condition::NotNull(place) => format!("{place} ≠ null"),
        Condition::NotZero(place) => format!("{place} ≠ 0"),
        Condition::Within(place, low, high) if low == high => format!("{place} = {low}"),
        Condition::Within(place, low, high) if is_least(*low) => format!("{place} ≤ {high}"),
        Condition::Within(place, low, high) if is_most(*high) => format!("{place} ≥ {low}"),
        Condition::Within(place, low, high) => format!("{low} ≤ {place} ≤ {high}"),
        Condition::AllocationFails => "allocation fails".to_owned(),
        Condition::CallFails(name) => format!("{name}() fails"),
    }
}

fn result(value: &Value) -> Option<String> {
    Some(match value {
        Value::Nothing | Value::Any => return None,
        Value::Null => "result = null".to_owned(),
        Value::New { or_null: false } => "result ↦ new".to_owned(),
        Value::New { or_null: true } => "(result = null ∨ result ↦ new)".to_owned(),
        Value::Given(place) => format!("result = {place}"),
        Value::Inside(place) => format!("result ∈ {place}"),
        Value::Address(name) => format!("result = &{name}"),
        Value::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(|number| format!("result = {number}")).collect();
            if numbers.len() == 1 { numbers.join("") } else { format!("({})", numbers.join(" ∨ ")) }
        }
        Value::Range(low, high) => format!("{low} ≤ result ≤ {high}"),
        Value::From(name) => format!("result = {name}()"),
    })
}

fn effect(contract: &Contract, effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Frees(place) => match contract.requirement(place).map(|one| &one.shape) {
            Some(Shape::List { .. } | Shape::Tree { .. }) => format!("freed(nodes of {place})"),
            _ => format!("freed({place})"),
        },
        Effect::FreesSome(place) => format!("freed(some nodes of {place})"),
        Effect::Gives(place, name) => format!("given({place}, {name})"),
        Effect::Stores { what, at } => format!("{at} = {what}"),
        Effect::Allocates(place) => format!("{place} ↦ new"),
        Effect::Leaks(line) => format!("leaked(line {line})"),
    })
}
