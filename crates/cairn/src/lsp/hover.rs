//! Hover texts: the value and the shape of a variable after a line.

use cairn_report::report::heap::{Contents, Heap};
use serde::Deserialize;

/// The symbolic states after a line, as `cairn dump --states --json` prints them.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub(super) struct LineStates {
    pub(super) function: String,
    pub(super) line: u32,
    states: Vec<State>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct State {
    formula: String,
    heap: Heap,
}

/// Returns the text about a variable at a line, in Markdown.
///
/// The states after the last recorded line of the function up to this one count.
pub(super) fn text(all: &[LineStates], line: u32, variable: &str) -> Option<String> {
    let at = all.iter().filter(|states| states.line <= line && !states.states.is_empty()).max_by_key(|s| s.line)?;
    let mut shapes: Vec<String> = Vec::new();
    for state in &at.states {
        let shape = shape(&state.heap, &state.formula, variable)?;
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    }
    let when = if at.line == line { "after this line".to_owned() } else { format!("after line {}", at.line) };
    let mut out = format!("`{variable}` {when} in `{}`:\n", at.function);
    for shape in &shapes {
        out.push_str(&format!("- {shape}\n"));
    }
    out.push_str("\n```text\n");
    for state in at.states.iter().take(6) {
        out.push_str(&state.formula);
        out.push('\n');
    }
    out.push_str("```\n");
    Some(out)
}

/// Returns what a variable leads to, in words.
fn shape(heap: &Heap, formula: &str, variable: &str) -> Option<String> {
    let Some(found) = heap.variables.iter().find(|found| found.name == variable) else {
        // A variable that leads nowhere is only in the formula, as `x = 0`.
        let mut parts = formula.split(['∧', '*']).map(str::trim);
        let known = parts.find(|part| part.split([' ', '=']).next() == Some(variable))?;
        return Some(format!("`{known}`"));
    };
    let Contents::To(id) = &found.value else { return Some(found.value.text()) };
    let node = heap.node(id)?;
    let fields: Vec<String> = node
        .cells
        .iter()
        .map(|cell| match &cell.value {
            Contents::To(to) => format!("{} leads to `{to}`", cell.name),
            other => format!("{} is {}", cell.name, other.text()),
        })
        .collect();
    let fields = if fields.is_empty() { String::new() } else { format!(" ({})", fields.join(", ")) };
    Some(match &node.length {
        Some(length) => format!("a {length} of unknown length{fields}"),
        None => format!("one object, not null{fields}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_and_objects_are_described() {
        let states = r#"[{"function": "f", "line": 3, "states": [{"formula": "ls(list, nil)", "heap": {
            "variables": [{"name": "list", "value": {"to": "a"}}],
            "nodes": [{"id": "a", "title": "a", "life": "live", "cells": [{"name": "next", "value": "null"}], "length": "list segment"}]}}]}]"#;
        let states: Vec<LineStates> = serde_json::from_str(states).expect("the form is that of `--json`");
        let text = text(&states, 4, "list").expect("the variable is known");
        assert!(
            text.contains("a list segment of unknown length (next is null)") && text.contains("after line 3"),
            "{text}"
        );
        assert_eq!(super::text(&states, 2, "list"), None);
    }
}
