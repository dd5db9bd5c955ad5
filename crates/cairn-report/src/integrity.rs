//! The answers of the engine `integrity`: a table with the columns M (memory) and D (data structures), and for each condition that
//! does not hold the graph of a model, the path and the node that breaks.

use std::fmt::Write as _;

use cairn_engine::engines::integrity::{FunctionReport, GraphNode, Report, Status, Violation};
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Loc, Program};

use crate::excerpt::Excerpt;
use crate::github::{data, property};
use crate::json::Json;
use crate::sarif::{location, message};
use crate::{Texts, printable};

/// Lines of a path that are shown.
const SHOWN_LINES: usize = 40;

/// For people.
pub fn text(report: &Report, program: &Program) -> String {
    let name = |function: &FunctionReport| printable(&program.functions[function.function.index()].name);
    let width = report.functions.iter().map(|function| name(function).chars().count()).max().unwrap_or(0).max(8);
    let mut out = format!("{:<width$}  M         D\n", "function");
    for function in &report.functions {
        let mut note = String::new();
        if function.in_callers {
            note.push_str("  returns memory that is not initialised: seen in its callers");
        }
        if !function.relies_on.is_empty() {
            let relied = printable(&function.relies_on.join(", "));
            let calls = if function.calls == 1 { "1 call".to_owned() } else { format!("{} calls", function.calls) };
            let _ = write!(note, "  callers pass {relied}: checked at {calls}");
        }
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
                Status::Unconfirmed(violation) => {
                    let _ = write!(out, "\n{} {column}: unknown: no run was found that shows it: ", name(function));
                    violated(violation, program, &mut out);
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
        let hidden = lines.len().saturating_sub(SHOWN_LINES);
        let more = if hidden > 0 { format!(", … {hidden} more") } else { String::new() };
        lines.truncate(SHOWN_LINES);
        let _ = writeln!(out, "  path: lines {}{more}", lines.join(", "));
    }
    if let Some(run) = &violation.run {
        let given: Vec<String> = run.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = writeln!(out, "  run: {}", printable(&run.seen));
        if !given.is_empty() {
            let _ = writeln!(out, "  arguments: {}", printable(&given.join(", ")));
        }
    }
    if violation.graph.is_empty() {
        return;
    }
    out.push_str(if violation.run.is_some() { "  graph that it is given:\n" } else { "  graph:\n" });
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
            ("callers_pass", Json::list(function.relies_on.iter().map(|condition| Json::text(condition)))),
            ("calls", Json::number(function.calls as u64)),
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
        Status::Unconfirmed(violation) => {
            let reason =
                ("reason", Json::text("a condition has a model that breaks it, and no run was found that does"));
            Json::object([answer, reason].into_iter().chain(condition(violation, program)))
        }
        Status::Violated(violation) => Json::object([answer].into_iter().chain(condition(violation, program))),
    }
}

fn condition(violation: &Violation, program: &Program) -> Vec<(&'static str, Json)> {
    let mut members = vec![
        ("check", Json::text(violation.kind.name())),
        ("what", Json::text(&violation.what)),
        ("place", Json::text(&place(violation.loc, program))),
        ("path", Json::list(violation.path.iter().map(|&loc| Json::text(&place(loc, program))))),
        ("graph", Json::list(violation.graph.iter().map(node))),
    ];
    if let Some(run) = &violation.run {
        let arguments = run.arguments.iter().map(|(name, value)| (name.as_str(), Json::text(value)));
        members.push(("run", Json::object([("seen", Json::text(&run.seen)), ("arguments", Json::object(arguments))])));
    }
    members
}

/// What is said of one column of one function, for code scanning.
fn finding(status: &Status) -> Option<(&Violation, String)> {
    match status {
        Status::Violated(violation) => {
            let seen = violation.run.as_ref().map_or("", |run| &run.seen);
            Some((violation, format!("{} ({seen})", violation.what)))
        }
        _ => None,
    }
}

fn warnings(report: &Report, program: &Program) -> Vec<String> {
    let mut out = Vec::new();
    for function in &report.functions {
        let name = &program.functions[function.function.index()].name;
        for (column, status) in [("memory", &function.memory), ("integrity", &function.integrity)] {
            match status {
                Status::Unknown(reason) => out.push(format!("{column} of {name} is unknown: {reason}")),
                Status::Unconfirmed(doubt) => {
                    let place = place(doubt.loc, program);
                    out.push(format!("{column} of {name} is unknown: {} at {place}", doubt.what));
                }
                Status::Proved | Status::Violated(_) => {}
            }
        }
    }
    out
}

/// SARIF 2.1.0.
pub fn sarif(report: &Report, program: &Program, texts: Texts<'_>, version: &str) -> String {
    let mut results = Vec::new();
    let mut counts = [("proved", 0), ("violated", 0), ("unknown", 0)];
    for function in &report.functions {
        for status in [&function.memory, &function.integrity] {
            counts[match status {
                Status::Proved => 0,
                Status::Violated(_) => 1,
                _ => 2,
            }]
            .1 += 1;
            let Some((violation, text)) = finding(status) else { continue };
            let at = |loc| StackPlace { function: function.function, loc };
            let index = CheckKind::ALL.iter().position(|kind| *kind == violation.kind).unwrap_or(0);
            let main = location(at(violation.loc), None, program, texts);
            let steps = violation.path.iter().filter_map(|&loc| location(at(loc), None, program, texts));
            let flow: Vec<Json> = steps.map(|members| Json::object([("location", Json::object(members))])).collect();
            let mut members = vec![
                ("ruleId", Json::text(violation.kind.name())),
                ("ruleIndex", Json::number(index as u64)),
                ("level", Json::text("error")),
                ("message", message(&text)),
                ("locations", Json::list(main.map(Json::object))),
            ];
            if !flow.is_empty() {
                let thread = Json::object([("locations", Json::list(flow))]);
                members.push(("codeFlows", Json::list([Json::object([("threadFlows", Json::list([thread]))])])));
            }
            results.push(Json::object(members));
        }
    }
    crate::sarif::log(results, warnings(report, program), &counts, version)
}

/// Workflow commands of GitHub.
pub fn github(report: &Report, program: &Program, texts: Texts<'_>) -> String {
    let mut out = String::new();
    for function in &report.functions {
        for status in [&function.memory, &function.integrity] {
            let Some((violation, text)) = finding(status) else { continue };
            let excerpt = Excerpt::of_loc(violation.loc, program.file_name(violation.loc), texts);
            let place = excerpt.map_or_else(String::new, |excerpt| {
                format!("file={},line={},col={},", property(&excerpt.file), excerpt.line, excerpt.shown_column())
            });
            let _ = writeln!(out, "::error {place}title={}::{}", property(violation.kind.name()), data(&text));
        }
    }
    for warning in warnings(report, program) {
        let _ = writeln!(out, "::warning title=unknown::{}", data(&warning));
    }
    out
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
