//! The symbolic states after each line of a program, as a page with formulas and drawings.

use std::collections::BTreeMap;
use std::fmt::Write;

use cairn_exec::formula::HeapGraph;
use cairn_prove::states::StatesAfter;
use serde_json::{Value, json};

use super::{Page, assets, document, escaped};
use crate::draw;
use crate::report::heap::{Cell, Contents, Heap, Life, Node, Variable};

/// Returns the pages for the states of a program. `line` returns the text of a line of a function.
pub fn states(all: &[StatesAfter], line: &dyn Fn(&str, u32) -> Option<String>, version: &str) -> Vec<Page> {
    let mut functions: BTreeMap<&str, Vec<&StatesAfter>> = BTreeMap::new();
    let mut order = Vec::new();
    for after in all {
        let known = functions.entry(&after.function).or_default();
        if known.is_empty() {
            order.push(after.function.as_str());
        }
        known.push(after);
    }
    let mut out = String::from(
        "<header class=\"top\"><h1>symbolic states after each line</h1>\n<p class=\"place\">Each state is a formula of separation logic. \
         A stack of boxes is a segment of unknown length.</p></header>\n<main>\n",
    );
    for function in order {
        let _ = writeln!(out, "<h2><code>{}</code></h2>", escaped(function));
        for after in &functions[function] {
            let text = line(function, after.line).unwrap_or_default();
            let _ = writeln!(
                out,
                "<section class=\"state panel\" data-function=\"{0}\" data-line=\"{1}\"><h3>{1}  {2}</h3>",
                escaped(function),
                after.line,
                escaped(text.trim())
            );
            for (formula, graph) in &after.states {
                let heap = heap_of(graph);
                let drawing = if heap.nodes.is_empty() { String::new() } else { draw::picture(&heap, formula) };
                let _ = writeln!(out, "<pre class=\"formula\">{}</pre>{drawing}", escaped(formula));
            }
            out.push_str("</section>\n");
        }
    }
    let _ = write!(out, "</main>\n<footer>written by cairn {}</footer>\n", escaped(version));
    let mut pages = assets();
    pages.push(Page { path: "index.html".to_owned(), text: document("symbolic states", "states", 0, &out) });
    pages
}

/// Returns the states as JSON: a list of lines, each with its function and its states as formulas and pictures.
pub fn states_as_json(all: &[StatesAfter]) -> String {
    let lines = all.iter().map(|after| {
        let states = after.states.iter().map(|(formula, graph)| json!({"formula": formula, "heap": heap_of(graph)}));
        json!({"function": after.function, "line": after.line, "states": states.collect::<Vec<_>>()})
    });
    Value::from_iter(lines).to_string() + "\n"
}

/// Returns a symbolic heap as a picture. Segments stand for any number of objects.
pub(crate) fn heap_of(graph: &HeapGraph) -> Heap {
    let contents = |value: &str, links: bool| match (links, value) {
        (true, node) => Contents::To(node.to_owned()),
        (false, "nil" | "0") => Contents::Null,
        (false, text) => Contents::Text(text.to_owned()),
    };
    let nodes = graph.nodes.iter().map(|node| Node {
        id: node.name.clone(),
        title: node.name.clone(),
        size: 0,
        life: Life::Live,
        cells: node
            .cells
            .iter()
            .map(|(name, value, links)| Cell { name: name.clone(), value: contents(value, *links) })
            .collect(),
        length: node.predicate.map(segment),
    });
    let variables = graph.variables.iter().map(|(name, to)| Variable {
        name: name.clone(),
        function: String::new(),
        above: 0,
        value: Contents::To(to.clone()),
    });
    let nodes: Vec<Node> = nodes.collect();
    let variables =
        variables.filter(|variable| nodes.iter().any(|node| Some(node.id.as_str()) == variable.value.target()));
    Heap { variables: variables.collect(), nodes, focus: None, is_cut: false }
}

/// Returns the name of a segment in words.
fn segment(predicate: &'static str) -> String {
    match predicate {
        "ls" => "list segment",
        "dls" => "doubly linked segment",
        "tree" => "tree segment",
        "optional" => "one or none",
        other => other,
    }
    .to_owned()
}
