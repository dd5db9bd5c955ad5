//! The symbolic states after each line of a program, as formulas or as graphs in the DOT language.

use std::fmt::Write;

use cairn_exec::formula::HeapGraph;
use cairn_prove::states::StatesAfter;

/// Renders one line per formula; the first formula of a source line has its number.
pub fn text(all: &[StatesAfter]) -> String {
    let mut out = String::new();
    let mut function = "";
    for after in all {
        if after.function != function {
            let _ = writeln!(out, "{}:", after.function);
            function = &after.function;
        }
        for (index, (formula, _)) in after.states.iter().enumerate() {
            let place = if index == 0 { after.line.to_string() } else { String::new() };
            let _ = writeln!(out, "{place:>5}  {formula}");
        }
    }
    out
}

/// Renders one graph with a cluster for each state. Objects are records with a row for each cell, segments have a double
/// border, and variables have an edge to the object that they point to.
pub fn dot(all: &[StatesAfter]) -> String {
    let mut out = String::from("digraph states {\n  rankdir=LR;\n  node [shape=record, fontname=monospace];\n");
    let mut number = 0;
    for after in all {
        for (formula, graph) in &after.states {
            let _ = writeln!(out, "  subgraph cluster_{number} {{");
            let title = format!("{}, line {}: {formula}", after.function, after.line);
            let _ = writeln!(out, "    label={};", quoted(&title));
            picture(&mut out, &format!("s{number}_"), graph);
            out.push_str("  }\n");
            number += 1;
        }
    }
    out.push_str("}\n");
    out
}

fn picture(out: &mut String, prefix: &str, graph: &HeapGraph) {
    let id = |name: &str| quoted(&format!("{prefix}{name}"));
    for node in &graph.nodes {
        let mut label =
            field(node.predicate.map_or_else(|| node.name.clone(), |p| format!("{p} {}", node.name)).as_str());
        for (index, (at, value, links)) in node.cells.iter().enumerate() {
            let value = if *links { String::new() } else { format!(" {value}") };
            let _ = write!(label, "|<c{index}> {}", field(&format!("{at}:{value}")));
        }
        let border = if node.predicate.is_some() { ", peripheries=2" } else { "" };
        let _ = writeln!(out, "    {} [label={}{border}];", id(&node.name), quoted(&label));
    }
    for (variable, to) in &graph.variables {
        let own = id(&format!("variable {variable}"));
        let _ = writeln!(out, "    {own} [shape=plaintext, label={}];", quoted(variable));
        let _ = writeln!(out, "    {own} -> {};", id(to));
    }
    for node in &graph.nodes {
        for (index, (_, value, links)) in node.cells.iter().enumerate() {
            if *links {
                let _ = writeln!(out, "    {}:c{index} -> {};", id(&node.name), id(value));
            }
        }
    }
}

/// Escapes text for a field of a record.
fn field(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "{}|<> ".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Quotes a DOT string. Backslashes stay: they are the escapes of records.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use cairn_exec::formula::HeapNode;

    use super::*;

    fn example() -> Vec<StatesAfter> {
        let cell = |at: &str, value: &str, links| (at.to_owned(), value.to_owned(), links);
        let graph = HeapGraph {
            variables: vec![("x".to_owned(), "x".to_owned())],
            nodes: vec![
                HeapNode {
                    name: "x".to_owned(),
                    predicate: None,
                    cells: vec![cell("0", "5", false), cell("8", "f0", true)],
                },
                HeapNode { name: "f0".to_owned(), predicate: Some("ls"), cells: vec![cell("next", "nil", false)] },
            ],
        };
        let formula = "x ↦ {0: 5, 8: f0} * ls(f0, nil)".to_owned();
        vec![StatesAfter { function: "main".to_owned(), line: 7, states: vec![(formula, graph)] }]
    }

    #[test]
    fn formulas_follow_their_lines() {
        assert_eq!(text(&example()), "main:\n    7  x ↦ {0: 5, 8: f0} * ls(f0, nil)\n");
    }

    #[test]
    fn heaps_are_graphs() {
        let expected = "digraph states {\n  rankdir=LR;\n  node [shape=record, fontname=monospace];\n  subgraph cluster_0 {\n    \
            label=\"main, line 7: x ↦ {0: 5, 8: f0} * ls(f0, nil)\";\n    \"s0_x\" [label=\"x|<c0> 0:\\ 5|<c1> 8:\"];\n    \
            \"s0_f0\" [label=\"ls\\ f0|<c0> next:\\ nil\", peripheries=2];\n    \
            \"s0_variable x\" [shape=plaintext, label=\"x\"];\n    \"s0_variable x\" -> \"s0_x\";\n    \
            \"s0_x\":c1 -> \"s0_f0\";\n  }\n}\n";
        assert_eq!(dot(&example()), expected);
    }
}
