//! Builds a report from the results of a check, with the program that they are about.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use cairn_integrity::{FunctionReport, GraphNode, Status, Violation};
use cairn_ir::inst::{Callee, Inst};
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Program};
use cairn_portfolio::Reason;
use serde_json::{Map, Value, json};

use super::{Counts, Event, Finding, Level, OpenCheck, Place, Report, Scope, Step, Unknown, VERSION, fingerprint};
use crate::excerpt::Excerpt;
use crate::format::functions;
use crate::hint::hint;
use crate::report::heap::Heap;
use crate::results::{self, Results, Source, UNCONFIRMED};
use crate::trace::Detail;
use crate::witness::user_place;
use crate::{Colour, Texts, violation};

impl Report {
    /// Builds the report of a check. `colour` is that of the findings as text.
    pub fn new(results: &Results<'_>, texts: Texts<'_>, colour: Colour) -> Report {
        let (program, detail) = (results.program, results.detail);
        let builder = Builder { program, texts, colour, detail, places: RefCell::default() };
        let unknown_reasons = results.unknown_because.iter().map(|unknown| Unknown {
            reason: unknown.reason.to_owned(),
            message: unknown.text.clone(),
            remedy: unknown.remedy.clone(),
        });
        let mut findings: Vec<Finding> = results.findings.iter().map(|finding| builder.finding(finding)).collect();
        fingerprint::set(&mut findings, |place| {
            let line = place.line?.checked_sub(1)?;
            (texts.read)(place.file.as_deref()?)?.lines().nth(line as usize).map(str::to_owned)
        });
        let cairn_portfolio::survey::Counts { proved, assuming, violated, unknown } = results.checks;
        let is_by_function = results.scope == results::Scope::Functions;
        Report {
            version: VERSION,
            scope: match results.scope {
                results::Scope::Program => Scope::Program,
                results::Scope::Functions => Scope::Functions,
                results::Scope::Library(functions) => Scope::Library { functions },
            },
            findings,
            checks: Counts { proved, assuming, violated, unknown },
            unknown_because: results.unknown_because.iter().map(|unknown| unknown.text.clone()).collect(),
            unknown_reasons: unknown_reasons.collect(),
            unknown_checks: results.unknown.iter().map(|check| builder.check(*check)).collect(),
            proved_checks: builder.proved(results),
            functions: (results.functions.iter().map(|function| builder.function(function)))
                .chain(results.proofs.iter().map(library_function))
                .collect(),
            assumptions: results.assumptions.to_vec(),
            targets: Vec::new(),
            table: is_by_function.then(|| functions::render(results)),
        }
    }
}

/// Returns the answers for a function of a library.
fn library_function(proof: &results::LibraryProof) -> Value {
    let mut members = json!({
        "function": proof.function,
        "checks": proof.checks,
        "proved": proof.proved,
        "callers": proof.callers,
    });
    if let Some(contract) = &proof.contract {
        members["contract"] = json!(contract);
    }
    members
}

/// The program and the texts that places are looked up in.
struct Builder<'a> {
    program: &'a Program,
    texts: Texts<'a>,
    colour: Colour,
    detail: Detail,
    /// The places so far: many checks share one.
    places: RefCell<HashMap<(FuncId, Loc), Place>>,
}

impl Builder<'_> {
    fn check(&self, check: CheckId) -> OpenCheck {
        let check = &self.program.checks[check.index()];
        let place = self.place(StackPlace { function: check.function, loc: check.loc });
        OpenCheck { check: check.kind.name().to_owned(), place }
    }

    /// Returns the proved checks, without those on lines that call library models.
    fn proved(&self, results: &Results<'_>) -> Vec<OpenCheck> {
        if results.proved.is_empty() && results.proved_at_end.is_empty() {
            return Vec::new();
        }
        let is_model = |callee: &Callee| match callee {
            Callee::Function(id) => self.program.functions.get(id.index()).is_none_or(|f| !f.origin.is_of_user()),
            Callee::Pointer(_) => true,
        };
        let mut calling = HashSet::new();
        for block in self.program.functions.iter().filter_map(|f| f.body.as_ref()).flat_map(|body| &body.blocks) {
            for (inst, loc) in block.insts.iter().zip(&block.locs) {
                if matches!(inst, Inst::Call(call) if is_model(&call.callee)) {
                    calling.insert((loc.file, loc.line));
                }
            }
        }
        let loc = |check: &&CheckId| self.program.checks[check.index()].loc;
        let alone = results.proved.iter().filter(|check| !calling.contains(&(loc(check).file, loc(check).line)));
        let nowhere = |kind: &CheckKind| OpenCheck {
            check: kind.name().to_owned(),
            place: Place { function: String::new(), file: None, line: None, column: None },
        };
        alone.map(|check| self.check(*check)).chain(results.proved_at_end.iter().map(nowhere)).collect()
    }

    fn finding(&self, finding: &results::Finding<'_>) -> Finding {
        let history = finding.history.iter().map(|event| Event {
            what: event.what.clone(),
            place: self.user_place(&event.stack),
            stack: self.stack(&event.stack),
        });
        let trace = finding.steps(self.program, self.texts, self.detail).into_iter().map(|step| match step {
            results::Step::Omitted(left_out) => Step::Omitted { left_out },
            results::Step::Iterations(iterations) => Step::Iterations { iterations },
            results::Step::Event { kind, what, place, depth, heap } => {
                Step::Event { kind: kind.to_owned(), what, place: self.place(place), depth, heap }
            }
        });
        let (heap, hint) = match finding.source {
            Source::Program(violation) => (violation.story.end.as_deref().map(Heap::of), hint(violation)),
            Source::Function(..) => (None, None),
        };
        let (graph, arguments, rendered) = match finding.source {
            Source::Program(violation) => {
                (None, None, violation::render(violation, self.program, self.texts, self.colour, self.detail))
            }
            Source::Function(_, violation) => (Some(graph(violation)), arguments(violation), String::new()),
        };
        Finding {
            check: finding.check.name().to_owned(),
            level: Level::Error,
            property: finding.property.map(|property| property.name().to_owned()),
            message: finding.message.clone(),
            place: self.user_place(&finding.stack),
            stack: self.stack(&finding.stack),
            history: history.collect(),
            trace: trace.collect(),
            heap,
            hint,
            graph,
            arguments,
            fingerprint: String::new(),
            rendered,
            baseline: None,
            suppressed: None,
        }
    }

    /// The answers for one function.
    fn function(&self, function: &FunctionReport) -> Value {
        let declared = &self.program.functions[function.function.index()];
        let place = self.place(StackPlace { function: function.function, loc: declared.loc });
        let mut members = match json!(place) {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        members.insert("memory".to_owned(), self.answer(function, &function.memory));
        members.insert("integrity".to_owned(), self.answer(function, &function.integrity));
        members.insert("checked_in_callers".to_owned(), json!(function.in_callers));
        members.insert("conditions".to_owned(), json!(function.conditions));
        members.insert("preconditions".to_owned(), json!(function.relies_on));
        members.insert("calls".to_owned(), json!(function.calls));
        Value::Object(members)
    }

    fn answer(&self, function: &FunctionReport, status: &Status) -> Value {
        match status {
            Status::Proved => json!({"answer": "proved"}),
            Status::Violated(_) => json!({"answer": "violated"}),
            Status::Unknown(unknown) => json!({
                "answer": "unknown",
                "reason": unknown.reason.name(),
                "message": unknown.to_string(),
            }),
            Status::Unconfirmed(violation) => json!({
                "answer": "unknown",
                "reason": Reason::Unconfirmed(violation.kind).name(),
                "message": UNCONFIRMED,
                "candidate": self.finding(&results::Finding::of_function(function.function, violation)),
            }),
        }
    }

    fn user_place(&self, stack: &[StackPlace]) -> Option<Place> {
        user_place(stack, self.program).map(|place| self.place(*place))
    }

    fn stack(&self, stack: &[StackPlace]) -> Vec<Place> {
        stack.iter().map(|frame| self.place(*frame)).collect()
    }

    fn place(&self, place: StackPlace) -> Place {
        self.places.borrow_mut().entry((place.function, place.loc)).or_insert_with(|| self.find(place)).clone()
    }

    fn find(&self, place: StackPlace) -> Place {
        let function = self.program.functions.get(place.function.index()).map_or("<unknown>", |f| &f.name).to_owned();
        match Excerpt::of_loc(place.loc, self.program.file_name(place.loc), self.texts) {
            Some(excerpt) => Place {
                function,
                line: Some(excerpt.line),
                column: u32::try_from(excerpt.shown_column()).ok(),
                file: Some(excerpt.file),
            },
            None => Place { function, file: None, line: None, column: None },
        }
    }
}

/// The graph that a function was called with.
fn graph(violation: &Violation) -> Value {
    violation.graph.iter().map(node).collect()
}

/// The arguments that a function was called with.
fn arguments(violation: &Violation) -> Option<Value> {
    violation.run.as_ref().map(|run| texts(&run.arguments))
}

fn node(node: &GraphNode) -> Value {
    json!({
        "name": node.name,
        "type": node.ty,
        "address": format!("{:#x}", node.address),
        "cells": texts(&node.cells),
        "variables": node.variables,
        "new": node.made,
        "invalid": node.breaks,
    })
}

fn texts(members: &[(String, String)]) -> Value {
    Value::Object(members.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}
