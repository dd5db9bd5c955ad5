//! The text format of a check function by function: a table with the columns M (memory) and D (data structures), then each
//! counterexample with its path and graph.

use std::fmt::Write as _;

use cairn_integrity::{FunctionReport, Status, Violation};
use cairn_ir::{Loc, Program};

use crate::limits::SHOWN_PATH_LINES;
use crate::printable;
use crate::results::{Results, UNCONFIRMED};

/// Renders the table, the counterexamples and the summary.
pub(crate) fn render(results: &Results<'_>) -> String {
    let Results { program, functions, .. } = *results;
    let name = |function: &FunctionReport| printable(&program.functions[function.function.index()].name);
    let width = functions.iter().map(|function| name(function).chars().count()).max().unwrap_or(0).max(8);
    let mut out = format!("{:<width$}  M         D\n", "function");
    for function in functions {
        let (memory, integrity) = (function.memory.word(), function.integrity.word());
        let _ = writeln!(out, "{:<width$}  {memory:<8}  {integrity:<8}{}", name(function), note(function));
    }
    for function in functions {
        for (column, status) in [("M", &function.memory), ("D", &function.integrity)] {
            match status {
                Status::Proved => {}
                Status::Unknown(reason) => {
                    let _ = writeln!(out, "\n{} {column}: unknown: {}", name(function), printable(&reason.to_string()));
                }
                Status::Unconfirmed(violation) => {
                    let _ = write!(out, "\n{} {column}: unknown: {UNCONFIRMED}: ", name(function));
                    counterexample(violation, program, &mut out);
                }
                Status::Violated(violation) => {
                    let _ = write!(out, "\n{} {column}: ", name(function));
                    counterexample(violation, program, &mut out);
                }
            }
        }
    }
    let proved = |of: fn(&FunctionReport) -> &Status| functions.iter().filter(|f| *of(f) == Status::Proved).count();
    let _ = writeln!(
        out,
        "\n{} of {} functions memory-safe, {} integrity-safe",
        proved(|f| &f.memory),
        functions.len(),
        proved(|f| &f.integrity)
    );
    for assumption in results.assumptions {
        let _ = writeln!(out, "  assuming that {}", printable(assumption));
    }
    out
}

/// The remark behind the answers for a function.
fn note(function: &FunctionReport) -> String {
    let mut note = String::new();
    if function.in_callers {
        note.push_str("  returns uninitialised memory: checked in its callers");
    }
    if !function.relies_on.is_empty() {
        let conditions = printable(&function.relies_on.join(", "));
        let calls = if function.calls == 1 { "1 call".to_owned() } else { format!("{} calls", function.calls) };
        let _ = write!(note, "  requires {conditions}: checked at {calls}");
    }
    note
}

fn counterexample(violation: &Violation, program: &Program, out: &mut String) {
    let _ = writeln!(out, "{} at {}", printable(&violation.what), place(violation.loc, program));
    if !violation.path.is_empty() {
        let mut lines: Vec<String> = violation.path.iter().map(|loc| loc.line.to_string()).collect();
        lines.dedup();
        let hidden = lines.len().saturating_sub(SHOWN_PATH_LINES);
        let more = if hidden > 0 { format!(", … {hidden} more") } else { String::new() };
        lines.truncate(SHOWN_PATH_LINES);
        let _ = writeln!(out, "  path: lines {}{more}", lines.join(", "));
    }
    if let Some(run) = &violation.run {
        let _ = writeln!(out, "  execution: {}", printable(&run.seen));
        let arguments: Vec<String> = run.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if !arguments.is_empty() {
            let _ = writeln!(out, "  arguments: {}", printable(&arguments.join(", ")));
        }
    }
    if violation.graph.is_empty() {
        return;
    }
    out.push_str(if violation.run.is_some() { "  initial graph:\n" } else { "  graph:\n" });
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
            line.push_str("  ! invalid");
        }
        let _ = writeln!(out, "{}", printable(&line));
    }
}

fn place(loc: Loc, program: &Program) -> String {
    format!("{}:{}:{}", printable(program.file_name(loc)), loc.line, loc.column)
}
