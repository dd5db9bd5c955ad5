//! The answers of the engine `integrity`: a table with the columns M (memory) and D (data structures), and for each condition that
//! does not hold the graph of a model, the path and the node that breaks.

use std::fmt::Write as _;

use cairn_engine::engines::integrity::{FunctionReport, GraphNode, Report, Status, Violation};
use cairn_ir::{Loc, Program};

use crate::json::Json;
use crate::printable;

/// For people.
pub fn text(report: &Report, program: &Program) -> String {
    let name = |function: &FunctionReport| printable(&program.functions[function.function.index()].name);
    let width = report.functions.iter().map(|function| name(function).chars().count()).max().unwrap_or(0).max(8);
    let mut out = format!("{:<width$}  M         D\n", "function");
    for function in &report.functions {
        let note =
            if function.in_callers { "  returns memory that is not initialised: seen in its callers" } else { "" };
        let (memory, integrity) = (function.memory.word(), function.integrity.word());
        let _ = writeln!(out, "{:<width$}  {memory:<8}  {integrity:<8}{note}", name(function));
    }
    for function in &report.functions {
        for (column, status) in [("M", &function.memory), ("D", &function.integrity)] {
            match status {
                Status::Proved => {}
                Status::Unknown(reason) => {
                    let _ = writeln!(out, "\n{} {column}: unknown: {}", name(function), printable(reason));
                }
                Status::Violated(violation) => {
                    let _ = write!(out, "\n{} {column}: ", name(function));
                    violated(violation, program, &mut out);
                }
            }
        }
    }
    let count = |of: fn(&FunctionReport) -> &Status| {
        report.functions.iter().filter(|function| *of(function) == Status::Proved).count()
    };
    let all = report.functions.len();
    let _ = writeln!(
        out,
        "\n{} of {all} functions memory-safe, {} integrity-safe",
        count(|f| &f.memory),
        count(|f| &f.integrity)
    );
    for assumption in &report.assumptions {
        let _ = writeln!(out, "  assuming that {}", printable(assumption));
    }
    out
}

fn violated(violation: &Violation, program: &Program, out: &mut String) {
    let _ = writeln!(out, "{} at {}", printable(&violation.what), place(violation.loc, program));
    if !violation.path.is_empty() {
        let mut lines: Vec<String> = violation.path.iter().map(|loc| loc.line.to_string()).collect();
        lines.dedup();
        let _ = writeln!(out, "  path: lines {}", lines.join(", "));
    }
    if violation.graph.is_empty() {
        return;
    }
    out.push_str("  graph:\n");
    for node in &violation.graph {
        let cells: Vec<String> = node.cells.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let mut line = format!("    {} = {} {{ {} }}", node.name, node.ty, cells.join(", "));
        if !node.variables.is_empty() {
            let _ = write!(line, "  <- {}", node.variables.join(", "));
        }
        if node.made {
            line.push_str("  (new)");
        }
        if node.breaks {
            line.push_str("  ! breaks");
        }
        let _ = writeln!(out, "{}", printable(&line));
    }
}

fn place(loc: Loc, program: &Program) -> String {
    format!("{}:{}:{}", printable(program.file_name(loc)), loc.line, loc.column)
}

/// For programs.
pub fn json(report: &Report, program: &Program) -> String {
    let functions = report.functions.iter().map(|function| {
        let declared = &program.functions[function.function.index()];
        Json::object([
            ("function", Json::text(&declared.name)),
            ("place", Json::text(&place(declared.loc, program))),
            ("memory", status(&function.memory, program)),
            ("integrity", status(&function.integrity, program)),
            ("seen_in_callers", Json::number(u64::from(function.in_callers))),
            ("conditions", Json::number(function.conditions as u64)),
        ])
    });
    let functions: Vec<Json> = functions.collect();
    let assumptions = Json::list(report.assumptions.iter().map(|assumption| Json::text(assumption)));
    let object = Json::object([("functions", Json::list(functions)), ("assumptions", assumptions)]);
    let mut text = object.into_string();
    text.push('\n');
    text
}

fn status(status: &Status, program: &Program) -> Json {
    let answer = ("answer", Json::text(status.word()));
    match status {
        Status::Proved => Json::object([answer]),
        Status::Unknown(reason) => Json::object([answer, ("reason", Json::text(reason))]),
        Status::Violated(violation) => Json::object([
            answer,
            ("what", Json::text(&violation.what)),
            ("place", Json::text(&place(violation.loc, program))),
            ("path", Json::list(violation.path.iter().map(|&loc| Json::text(&place(loc, program))))),
            ("graph", Json::list(violation.graph.iter().map(node))),
        ]),
    }
}

fn node(node: &GraphNode) -> Json {
    let texts = |items: &[String]| Json::list(items.iter().map(|item| Json::text(item)));
    Json::object([
        ("name", Json::text(&node.name)),
        ("type", Json::text(&node.ty)),
        ("address", Json::text(&format!("{:#x}", node.address))),
        ("cells", Json::object(node.cells.iter().map(|(name, value)| (name.as_str(), Json::text(value))))),
        ("variables", texts(&node.variables)),
        ("new", Json::number(u64::from(node.made))),
        ("breaks", Json::number(u64::from(node.breaks))),
    ])
}
