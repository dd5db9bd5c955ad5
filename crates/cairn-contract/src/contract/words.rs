//! A contract in English: one short statement per fact.

use std::collections::BTreeSet;

use super::{Basis, Case, Condition, Contract, Effect, Length, Place, Requirement, Root, Shape, Value};

/// Returns the statements of a contract: requirements, effects, results.
pub fn words(contract: &Contract) -> Vec<String> {
    let mut lines: Vec<String> =
        contract.requires.iter().map(|one| format!("requires: {}", requirement(one))).collect();
    if contract.never_returns {
        let ends: Vec<String> = contract.ends_in.iter().map(|name| format!("`{name}`")).collect();
        let by = if ends.is_empty() { String::new() } else { format!(": it ends in {}", ends.join(" or ")) };
        lines.push(format!("never returns{by}"));
        return lines;
    }
    for effect in contract.effects() {
        lines.extend(statement(contract, effect));
    }
    lines.extend(returns(contract));
    if !contract.ends_in.is_empty() {
        let ends: Vec<String> = contract.ends_in.iter().map(|name| format!("`{name}`")).collect();
        lines.push(format!("may not return: some paths end in {}", ends.join(" or ")));
    }
    lines
}

/// Returns how much a contract covers, in words; `None` if it covers all paths without an assumption.
pub fn words_of_basis(contract: &Contract) -> Option<String> {
    let mut facts = Vec::new();
    match &contract.basis {
        Basis::Complete => {}
        Basis::Stable => facts.push("inferred from a few iterations; further ones added nothing".to_owned()),
        Basis::Partial(reasons) => {
            let reasons: Vec<&str> = reasons.iter().map(String::as_str).collect();
            facts.push(format!("incomplete: {}", reasons.join("; ")));
        }
    }
    if !contract.assumes.is_empty() {
        let names: Vec<String> = contract.assumes.iter().map(|name| format!("`{name}`")).collect();
        facts.push(format!("assumes what names and types tell about {}", names.join(", ")));
    }
    (!facts.is_empty()).then(|| facts.join("; "))
}

fn requirement(required: &Requirement) -> String {
    let Requirement { place, pointee, may_be_null, shape, access, of_each_node } = required;
    let each = if *of_each_node { "in each node, " } else { "" };
    let (is_text, rest) = match shape {
        Shape::Unfollowed => (false, "a pointer that is not followed".to_owned()),
        Shape::Text => (true, "a string".to_owned()),
        Shape::Allocated => (true, "allocated memory".to_owned()),
        Shape::Object if is_byte(pointee) => (false, "points to at least 1 byte".to_owned()),
        Shape::Object => (false, format!("points to {} `{pointee}`", article(pointee))),
        Shape::Array(length) => (false, format!("points to {}", elements(length, pointee))),
        Shape::List { next, back } => (true, list(pointee, next, back)),
        Shape::Tree { links } => (true, format!("a tree of `{pointee}`, linked by {}", quoted(links))),
        Shape::Function => (false, "points to a function".to_owned()),
    };
    let verb = match (is_text, may_be_null) {
        (true, true) => format!("is null or {rest}"),
        (true, false) => format!("is {rest}"),
        (false, true) => format!("is null or {rest}"),
        (false, false) => rest,
    };
    let heap = if access.frees && *shape != Shape::Allocated { ", which was allocated" } else { "" };
    let writable = if required.writes_constant() { ", which is no constant" } else { "" };
    format!("{each}`{place}` {verb}{heap}{writable}")
}

fn list(pointee: &str, next: &str, back: &[String]) -> String {
    let back = if back.is_empty() { String::new() } else { format!(" and back by {}", quoted(back)) };
    format!("a list of `{pointee}`, linked by `{next}`{back}")
}

fn elements(length: &Length, pointee: &str) -> String {
    let what = |one: bool| match (is_byte(pointee), one) {
        (true, true) => "byte".to_owned(),
        (true, false) => "bytes".to_owned(),
        (false, _) => format!("`{pointee}`"),
    };
    match length {
        Length::Number(number) => format!("at least {number} {}", what(*number == 1)),
        Length::Value(place) => format!("at least `{place}` {}", what(false)),
        Length::Accessed => format!("as many {} as are accessed", what(false)),
    }
}

fn is_byte(pointee: &str) -> bool {
    ["void", "char", "unsigned char", "signed char"].contains(&pointee.trim_start_matches("const "))
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(" and ")
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o']) || noun.starts_with("un") { "an" } else { "a" }
}

/// Returns the statement about an effect; `None` for a change within the caller's own memory.
fn statement(contract: &Contract, effect: &Effect) -> Option<String> {
    let always = contract.always(effect);
    let may = |yes: &str, maybe: &str| if always { yes.to_owned() } else { format!("may {maybe}") };
    let nodes = |place: &Place| match contract.requirement(place).map(|one| &one.shape) {
        Some(Shape::List { .. } | Shape::Tree { .. }) => "the nodes of ",
        _ => "",
    };
    let under = condition(contract, effect);
    let text = match effect {
        Effect::Frees(place) => {
            let nodes = nodes(place);
            if always && is_argument(place) {
                format!("takes ownership of `{place}`: frees {}", if nodes.is_empty() { "it" } else { "its nodes" })
            } else {
                format!("{} {nodes}`{place}`", may("frees", "free"))
            }
        }
        Effect::FreesSome(place) => format!("{} some nodes of `{place}`", may("frees", "free")),
        Effect::Gives(place, name) => {
            format!("{} `{place}` to `{name}`, which may keep or free it", may("gives", "give"))
        }
        Effect::Stores { what, at } if is_argument(what) && what.root != at.root => {
            let is_constant =
                contract.parameters.iter().zip(0..).any(|(parameter, index)| {
                    what.root == Root::Parameter(index) && parameter.ty.starts_with("const ")
                });
            match (is_constant, always) {
                (true, _) => format!("{} `{what}` in `{at}`", may("keeps", "keep")),
                (false, true) => format!("takes ownership of `{what}`: stores it in `{at}`"),
                (false, false) => format!("may take ownership of `{what}`: stores it in `{at}`"),
            }
        }
        Effect::Stores { .. } => return None,
        Effect::Allocates(place) => format!("{} new memory in `{place}`", may("stores", "store")),
        Effect::Leaks(line) => format!("{} the memory that is allocated at line {line}", may("leaks", "leak")),
    };
    Some(format!("{text}{under}"))
}

/// Returns the conditions of an effect that happens in some cases: those that all of its cases share.
fn condition(contract: &Contract, effect: &Effect) -> String {
    if contract.always(effect) {
        return String::new();
    }
    let mut cases =
        contract.cases.iter().filter(|case| case.effects.contains(effect) || case.possible.contains(effect));
    let Some(first) = cases.next() else { return String::new() };
    let mut common = first.when.clone();
    for case in cases {
        common = common.intersection(&case.when).cloned().collect();
    }
    when(&common)
}

/// Returns conditions as " when … and …".
fn when(conditions: &BTreeSet<Condition>) -> String {
    let texts: Vec<String> = conditions.iter().map(condition_text).collect();
    if texts.is_empty() { String::new() } else { format!(" when {}", texts.join(" and ")) }
}

/// Returns a condition in words.
pub(super) fn condition_text(condition: &Condition) -> String {
    match condition {
        Condition::Null(place) => format!("`{place}` is null"),
        Condition::NotNull(place) => format!("`{place}` is not null"),
        Condition::NotZero(place) => format!("`{place}` is not 0"),
        Condition::Within(place, low, high) if low == high => format!("`{place}` is {low}"),
        Condition::Within(place, low, high) if is_least(*low) => format!("`{place}` is at most {high}"),
        Condition::Within(place, low, high) if is_most(*high) => format!("`{place}` is at least {low}"),
        Condition::Within(place, low, high) => format!("`{place}` is from {low} to {high}"),
        Condition::AllocationFails => "an allocation fails".to_owned(),
        Condition::CallFails(name) => format!("`{name}` fails"),
    }
}

/// Returns whether a number is the least of an integer type.
pub(super) fn is_least(low: i128) -> bool {
    low == 0 || (low < 0 && (-low).count_ones() == 1 && [7, 15, 31, 63].contains(&(-low).trailing_zeros()))
}

/// Returns whether a number is the greatest of an integer type.
pub(super) fn is_most(high: i128) -> bool {
    high > 0 && (high + 1).count_ones() == 1 && [7, 8, 15, 16, 31, 32, 63, 64].contains(&(high + 1).trailing_zeros())
}

fn is_argument(place: &Place) -> bool {
    place.steps.is_empty() && matches!(place.root, Root::Parameter(_))
}

/// Returns the statement about the results.
fn returns(contract: &Contract) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    let is_text = contract.result == "char *";
    for case in order(&contract.cases) {
        for text in value_texts(contract, &case.result, is_text) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    if texts.iter().any(|text| text == "any value") {
        texts = vec!["any value".to_owned()];
    }
    let null = texts.iter().position(|text| text == "null");
    if let Some(null) = null {
        let text = texts.remove(null);
        texts.insert(0, text);
    }
    (!texts.is_empty()).then(|| format!("returns {}", texts.join(" or ")))
}

/// Returns the cases, those without an error first.
fn order(cases: &[Case]) -> impl Iterator<Item = &Case> {
    cases.iter().filter(|case| !case.is_error).chain(cases.iter().filter(|case| case.is_error))
}

fn value_texts(contract: &Contract, value: &Value, is_text: bool) -> Vec<String> {
    let noun = match contract.result.strip_suffix('*').map(str::trim_end) {
        _ if is_text => "string".to_owned(),
        Some("void") | None => "object".to_owned(),
        Some(pointee) => format!("`{pointee}`"),
    };
    let text = match value {
        Value::Nothing => return Vec::new(),
        Value::Null => "null".to_owned(),
        Value::New { or_null } => {
            let new = format!("a new {noun} that the caller must free");
            return if *or_null { vec!["null".to_owned(), new] } else { vec![new] };
        }
        Value::Given(place) => format!("`{place}`"),
        Value::Inside(place) => match contract.requirement(place).map(|one| &one.shape) {
            Some(Shape::List { .. } | Shape::Tree { .. }) => format!("a node of `{place}`"),
            _ => format!("a pointer into `{place}`"),
        },
        Value::Address(name) => format!("the address of `{name}`"),
        Value::Numbers(numbers) => {
            let numbers: Vec<String> = numbers.iter().map(i128::to_string).collect();
            numbers.join(" or ")
        }
        Value::Range(low, high) if is_least(*low) && *low < 0 => format!("a number of at most {high}"),
        Value::Range(low, high) if is_most(*high) => format!("a number of at least {low}"),
        Value::Range(low, high) => format!("a number from {low} to {high}"),
        Value::From(name) => format!("the result of `{name}`"),
        Value::Any if contract.result.ends_with('*') => "some pointer".to_owned(),
        Value::Any => "any value".to_owned(),
    };
    vec![text]
}
