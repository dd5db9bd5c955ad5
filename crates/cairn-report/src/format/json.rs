//! The JSON format: one object for both kinds of checks. docs/json.md describes its members.

use cairn_integrity::{FunctionReport, GraphNode, Status, Violation};
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, Program};
use cairn_portfolio::Reason;
use cairn_portfolio::survey::Counts;

use super::Context;
use crate::Texts;
use crate::excerpt::Excerpt;
use crate::json_value::Json;
use crate::results::{Finding, Results, Source, Step, UNCONFIRMED, Unknown};

/// The version of the JSON form. It grows when a member changes its meaning or goes away, not when one is added.
const VERSION: u64 = 2;

/// Renders results as one JSON object.
pub(super) fn render(results: &Results<'_>, context: Context<'_>) -> String {
    let writer = Writer { program: results.program, texts: context.texts };
    let Counts { proved, assuming, violated, unknown } = results.checks;
    let count = |n: usize| Json::number(n as u64);
    let texts = |items: &[String]| Json::list(items.iter().map(|item| Json::text(item)));
    let object = Json::object([
        ("version", Json::number(VERSION)),
        ("findings", Json::list(results.findings.iter().map(|finding| writer.finding(finding)))),
        (
            "checks",
            Json::object([
                ("proved", count(proved)),
                ("assuming", count(assuming)),
                ("violated", count(violated)),
                ("unknown", count(unknown)),
            ]),
        ),
        ("unknown_because", Json::list(results.unknown_because.iter().map(|unknown| Json::text(&unknown.text)))),
        ("unknown_reasons", Json::list(results.unknown_because.iter().map(unknown_reason))),
        ("unknown_checks", Json::list(results.unknown.iter().map(|check| writer.check(*check)))),
        ("functions", Json::list(results.functions.iter().map(|function| writer.function(function)))),
        ("assumptions", texts(results.assumptions)),
    ]);
    object.into_string() + "\n"
}

fn unknown_reason(unknown: &Unknown) -> Json {
    Json::object([("reason", Json::text(unknown.reason)), ("message", Json::text(&unknown.text))])
}

/// The program and the texts that places are looked up in.
#[derive(Clone, Copy)]
struct Writer<'a> {
    program: &'a Program,
    texts: Texts<'a>,
}

impl Writer<'_> {
    fn check(self, check: CheckId) -> Json {
        let check = &self.program.checks[check.index()];
        let place = StackPlace { function: check.function, loc: check.loc };
        Json::object([("check", Json::text(check.kind.name())), ("place", Json::object(self.place(place)))])
    }

    fn finding(self, finding: &Finding<'_>) -> Json {
        let history = finding
            .history
            .iter()
            .map(|event| Json::object([("what", Json::text(&event.what)), ("stack", self.stack(&event.stack))]));
        let trace = finding.steps(self.program, self.texts).into_iter().map(|step| match step {
            Step::Omitted(count) => Json::object([("left_out", Json::number(count as u64))]),
            Step::Event { kind, what, place, .. } => Json::object([
                ("kind", Json::text(kind)),
                ("what", Json::text(&what)),
                ("place", Json::object(self.place(place))),
            ]),
        });
        let mut members = vec![("check", Json::text(finding.check.name()))];
        members.extend(finding.property.map(|property| ("property", Json::text(property.name()))));
        members.extend([
            ("message", Json::text(&finding.message)),
            ("stack", self.stack(&finding.stack)),
            ("history", Json::list(history)),
            ("trace", Json::list(trace)),
        ]);
        if let Source::Function(_, violation) = finding.source {
            members.extend(counterexample(violation));
        }
        Json::object(members)
    }

    /// The answers for one function.
    fn function(self, function: &FunctionReport) -> Json {
        let declared = &self.program.functions[function.function.index()];
        let mut members = self.place(StackPlace { function: function.function, loc: declared.loc });
        members.extend([
            ("memory", self.answer(function, &function.memory)),
            ("integrity", self.answer(function, &function.integrity)),
            ("checked_in_callers", Json::truth(function.in_callers)),
            ("conditions", Json::number(function.conditions as u64)),
            ("preconditions", Json::list(function.relies_on.iter().map(|condition| Json::text(condition)))),
            ("calls", Json::number(function.calls as u64)),
        ]);
        Json::object(members)
    }

    fn answer(self, function: &FunctionReport, status: &Status) -> Json {
        let answer = |word| ("answer", Json::text(word));
        match status {
            Status::Proved => Json::object([answer("proved")]),
            Status::Violated(_) => Json::object([answer("violated")]),
            Status::Unknown(unknown) => Json::object([
                answer("unknown"),
                ("reason", Json::text(unknown.reason.name())),
                ("message", Json::text(&unknown.to_string())),
            ]),
            Status::Unconfirmed(violation) => Json::object([
                answer("unknown"),
                ("reason", Json::text(Reason::Unconfirmed(violation.kind).name())),
                ("message", Json::text(UNCONFIRMED)),
                ("candidate", self.finding(&Finding::of_function(function.function, violation))),
            ]),
        }
    }

    /// A stack, innermost call first.
    fn stack(self, stack: &[StackPlace]) -> Json {
        Json::list(stack.iter().map(|frame| Json::object(self.place(*frame))))
    }

    /// The members of a place.
    fn place(self, place: StackPlace) -> Vec<(&'static str, Json)> {
        let function = self.program.functions.get(place.function.index()).map_or("<unknown>", |f| &f.name);
        let mut members = vec![("function", Json::text(function))];
        if let Some(excerpt) = Excerpt::of_loc(place.loc, self.program.file_name(place.loc), self.texts) {
            members.push(("file", Json::text(&excerpt.file)));
            members.push(("line", Json::number(u64::from(excerpt.line))));
            members.push(("column", Json::number(excerpt.shown_column() as u64)));
        }
        members
    }
}

/// The graph and the arguments that a function was called with.
fn counterexample(violation: &Violation) -> Vec<(&'static str, Json)> {
    let mut members = vec![("graph", Json::list(violation.graph.iter().map(node)))];
    if let Some(run) = &violation.run {
        let arguments = run.arguments.iter().map(|(name, value)| (name.as_str(), Json::text(value)));
        members.push(("arguments", Json::object(arguments)));
    }
    members
}

fn node(node: &GraphNode) -> Json {
    let texts = |items: &[String]| Json::list(items.iter().map(|item| Json::text(item)));
    Json::object([
        ("name", Json::text(&node.name)),
        ("type", Json::text(&node.ty)),
        ("address", Json::text(&format!("{:#x}", node.address))),
        ("cells", Json::object(node.cells.iter().map(|(name, value)| (name.as_str(), Json::text(value))))),
        ("variables", texts(&node.variables)),
        ("new", Json::truth(node.made)),
        ("invalid", Json::truth(node.breaks)),
    ])
}
