//! The page of contracts: what each function of a library requires and does, in words and as drawings of the memory before and after.

use std::collections::BTreeMap;
use std::fmt::Write;

use cairn_contract::contract::{
    Case, Contract, Effect, Length, Place, Requirement, Root, Shape, Value, formula_of_case, formula_of_requires, words,
};

use super::{Site, document, escaped, prose};
use crate::draw;
use crate::report::heap::{Cell, Contents, Heap, Life, Node, Variable};

/// Returns the contracts of a report, each with the number of its function's checks and of those that are proved.
pub(super) fn contracts(site: &Site<'_>) -> Vec<(Contract, u64, u64)> {
    let read = |function: &serde_json::Value| {
        let contract = serde_json::from_value(function.get("contract")?.clone()).ok()?;
        Some((contract, function["checks"].as_u64().unwrap_or(0), function["proved"].as_u64().unwrap_or(0)))
    };
    site.report.functions.iter().filter_map(read).collect()
}

/// Renders the page.
pub(super) fn render(site: &Site<'_>, contracts: &[(Contract, u64, u64)]) -> String {
    let mut out = String::from(
        "<header class=\"top\"><nav class=\"crumbs\"><a href=\"index.html\">all findings</a></nav>\n<h1>Contracts</h1>\n\
         <p class=\"place\">What each function requires of its callers, and what it does for them.</p></header>\n<main>\n",
    );
    for (contract, checks, proved) in contracts {
        let sentences = words(contract);
        if sentences.is_empty() {
            continue;
        }
        let name = escaped(&contract.function);
        let parameters: Vec<String> = contract.parameters.iter().map(|parameter| escaped(&parameter.name)).collect();
        let _ = writeln!(
            out,
            "<section class=\"state panel\" id=\"{name}\" data-function=\"{name}\"><h3>{name}({})</h3>\n\
             <p class=\"place\">{}:{}, {proved} of {checks} checks proved</p>\n<ul>",
            parameters.join(", "),
            escaped(&contract.file),
            contract.line
        );
        for sentence in sentences {
            let _ = writeln!(out, "<li>{}</li>", prose(&sentence));
        }
        out.push_str("</ul>\n");
        drawings(&mut out, contract);
        out.push_str("</section>\n");
    }
    let _ = writeln!(out, "</main>\n<footer>written by cairn {}</footer>", escaped(site.version));
    document("contracts", "contracts", 0, &out)
}

fn drawings(out: &mut String, contract: &Contract) {
    let before = before(contract);
    let ends: Vec<(Heap, String)> = contract
        .cases
        .iter()
        .filter(|case| case.effects.iter().any(is_drawn) || is_new(&case.result))
        .map(|case| (after(contract, case, &before), formula(contract, case)))
        .collect();
    let mut pictures = Vec::new();
    if !before.nodes.is_empty() {
        pictures.push((&before, format!("before the call: {}", formula_of_requires(contract))));
    }
    pictures.extend(ends.iter().map(|(heap, formula)| (heap, format!("after the call: {formula}"))));
    for ((_, title), drawing) in pictures.iter().zip(draw::film(&pictures)) {
        let _ = writeln!(
            out,
            "<figure><figcaption class=\"formula\">{}</figcaption><div class=\"canvas\" tabindex=\"0\" role=\"group\" aria-label=\"memory\">{drawing}</div></figure>",
            escaped(title)
        );
    }
}

fn formula(contract: &Contract, case: &Case) -> String {
    let (when, post) = formula_of_case(contract, case);
    if when.is_empty() { post } else { format!("if {when}: {post}") }
}

fn is_new(result: &Value) -> bool {
    matches!(result, Value::New { .. })
}

fn is_drawn(effect: &Effect) -> bool {
    matches!(effect, Effect::Frees(_) | Effect::Allocates(_))
}

/// Returns the memory that a function requires.
fn before(contract: &Contract) -> Heap {
    let followed = |requirement: &&Requirement| !matches!(requirement.shape, Shape::Unfollowed);
    let requires: Vec<&Requirement> = contract.requires.iter().filter(followed).collect();
    let mut nodes: BTreeMap<&str, Node> = BTreeMap::new();
    for requirement in &requires {
        let title = if requirement.pointee.is_empty() { "memory".to_owned() } else { requirement.pointee.clone() };
        let node = Node {
            id: requirement.place.text.clone(),
            title,
            size: 0,
            life: Life::Live,
            cells: cells(&requirement.shape),
            length: length(requirement),
        };
        nodes.insert(&requirement.place.text, node);
    }
    let mut heap = Heap::default();
    for requirement in &requires {
        let place = &requirement.place;
        let value = Contents::To(place.text.clone());
        let parent = requires.iter().map(|other| &other.place).find(|other| leads_to(other, place));
        match parent {
            Some(parent) => {
                let name = member(&parent.text, &place.text);
                if let Some(node) = nodes.get_mut(parent.text.as_str()) {
                    node.cells.push(Cell { name, value });
                }
            }
            None => {
                let above = u32::from(!matches!(place.root, Root::Parameter(_)));
                heap.variables.push(Variable { name: place.text.clone(), function: String::new(), above, value });
            }
        }
    }
    heap.nodes = requires.iter().filter_map(|requirement| nodes.remove(requirement.place.text.as_str())).collect();
    heap
}

/// Returns whether a place is behind a pointer in the memory of another one.
fn leads_to(parent: &Place, place: &Place) -> bool {
    parent.root == place.root && place.steps.len() == parent.steps.len() + 1 && place.steps.starts_with(&parent.steps)
}

/// Returns the part of an expression after that of its object: `head` in `list->head`.
fn member(parent: &str, place: &str) -> String {
    let rest = place.strip_prefix(parent).unwrap_or(place);
    rest.trim_start_matches("->").trim_start_matches('.').to_owned()
}

fn cells(shape: &Shape) -> Vec<Cell> {
    let null = |name: &String| Cell { name: name.clone(), value: Contents::Null };
    match shape {
        Shape::List { next, back } => {
            let lead = |name: &String| Cell { name: name.clone(), value: Contents::Text("back".to_owned()) };
            std::iter::once(null(next)).chain(back.iter().map(lead)).collect()
        }
        Shape::Tree { links } => links.iter().map(null).collect(),
        _ => Vec::new(),
    }
}

fn length(requirement: &Requirement) -> Option<String> {
    let null = if requirement.may_be_null { " or null" } else { "" };
    let text = match &requirement.shape {
        Shape::List { .. } => "list segment".to_owned(),
        Shape::Tree { .. } => "tree segment".to_owned(),
        Shape::Array(Length::Number(number)) => format!("{number} elements"),
        Shape::Array(Length::Value(place)) => format!("{place} elements"),
        Shape::Array(Length::Accessed) => "array".to_owned(),
        Shape::Text => "text".to_owned(),
        Shape::Object | Shape::Allocated | Shape::Function | Shape::Unfollowed => {
            return requirement.may_be_null.then(|| "or null".to_owned());
        }
    };
    Some(text + null)
}

/// Returns the memory after the function has ended in one way.
fn after(contract: &Contract, case: &Case, before: &Heap) -> Heap {
    let mut heap = before.clone();
    for effect in &case.effects {
        match effect {
            Effect::Frees(place) => {
                for node in heap.nodes.iter_mut().filter(|node| node.id == place.text) {
                    node.life = Life::Freed;
                }
            }
            Effect::Allocates(place) => {
                heap.variables.push(Variable {
                    name: place.text.clone(),
                    function: String::new(),
                    above: 0,
                    value: Contents::To(format!("new {place}")),
                });
                heap.nodes.push(fresh(format!("new {place}"), "new memory".to_owned()));
            }
            _ => {}
        }
    }
    // What a pointer leads to after the function has changed it is not known here.
    for place in &case.writes {
        for cell in heap.nodes.iter_mut().flat_map(|node| &mut node.cells) {
            if cell.value.target() == Some(&place.text) {
                cell.value = Contents::Text("changed".to_owned());
            }
        }
    }
    if is_new(&case.result) {
        let value = Contents::To("result".to_owned());
        heap.variables.push(Variable { name: "result".to_owned(), function: String::new(), above: 0, value });
        heap.nodes.push(fresh("result".to_owned(), contract.result.trim_end_matches([' ', '*']).to_owned()));
    }
    heap
}

fn fresh(id: String, title: String) -> Node {
    Node { id, title, size: 0, life: Life::Live, cells: Vec::new(), length: None }
}
