//! The results of a check, with the program that they are about.
//!
//! A check of a whole program and a check function by function differ in how they are made and agree in what they say: some
//! findings, some counts, some reasons. A [`crate::Report`] is built from [`Results`] and therefore serves both.

use cairn_contract::contract::Contract;
use cairn_integrity::{FunctionReport, Report, Status};
use cairn_interpret::Event;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Program};
use cairn_portfolio::Reason;
use cairn_portfolio::alarm::Alarm;
use cairn_portfolio::survey::{Counts, Survey};
use cairn_portfolio::verdict::{Property, Violation};

use crate::report::heap::Heap;
use crate::trace::{self, Detail, Line};
use crate::{Texts, condition};

/// The results of a check.
#[derive(Debug)]
pub struct Results<'a> {
    pub(crate) program: &'a Program,
    /// The violations, each with an execution that shows it.
    pub(crate) findings: Vec<Finding<'a>>,
    pub(crate) checks: Counts,
    /// The reasons why checks are unknown.
    pub(crate) unknown_because: Vec<Unknown>,
    /// The checks that are unknown.
    pub(crate) unknown: &'a [CheckId],
    /// The proved checks that are listed.
    pub(crate) proved: &'a [CheckId],
    /// The kinds of the proved checks of the program's end that are listed.
    pub(crate) proved_at_end: &'a [CheckKind],
    /// The answers for each function, where functions are checked one by one.
    pub(crate) functions: &'a [FunctionReport],
    /// The facts that the answers rest on.
    pub(crate) assumptions: &'a [String],
    pub(crate) scope: Scope,
    /// The proofs for the functions of a library.
    pub(crate) proofs: &'a [LibraryProof],
    /// How much of the traces is reported.
    pub(crate) detail: Detail,
}

/// The proved checks of a library function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LibraryProof {
    /// The name of the function.
    pub function: String,
    /// The number of its checks.
    pub checks: usize,
    /// The number of those that are proved.
    pub proved: usize,
    /// The callers that the proofs hold for, as a formula.
    pub callers: String,
    /// The contract, if one was inferred.
    pub contract: Option<Contract>,
}

/// Why checks are unknown.
#[derive(Debug)]
pub(crate) struct Unknown {
    /// The stable name of the reason.
    pub(crate) reason: &'static str,
    /// The reason in words.
    pub(crate) text: String,
    /// The cheapest thing that a user can do about it.
    pub(crate) remedy: Option<String>,
}

impl Unknown {
    fn of(reason: &Reason, program: &Program) -> Self {
        let text = match reason {
            // The report may be about several files.
            Reason::Alarm(Alarm { kind, loc, .. }) if loc.line > 0 => {
                format!("`{kind}` at {}:{} could not be ruled out", program.file_name(*loc), loc.line)
            }
            _ => reason.to_string(),
        };
        Self { reason: reason.name(), text, remedy: reason.remedy() }
    }

    fn new(reason: &'static str, text: String) -> Self {
        Self { reason, text, remedy: None }
    }
}

/// The code that a check is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// All executions from `main`.
    Program,
    /// Each function by itself.
    Functions,
    /// This many functions of a library, for unknown callers.
    Library(usize),
}

impl<'a> Results<'a> {
    /// Returns the results for a whole program.
    pub fn of_program(survey: &'a Survey, program: &'a Program) -> Self {
        Results {
            program,
            findings: survey.findings.iter().map(Finding::of_program).collect(),
            checks: survey.checks,
            unknown_because: survey.reasons.iter().map(|reason| Unknown::of(reason, program)).collect(),
            unknown: &survey.unknown,
            proved: &[],
            proved_at_end: &[],
            functions: &[],
            assumptions: &survey.assumptions,
            scope: Scope::Program,
            proofs: &[],
            detail: Detail::default(),
        }
    }

    /// Lists the proved checks of a survey, too.
    pub fn with_proved_checks(self, survey: &'a Survey) -> Self {
        Results { proved: &survey.proved, proved_at_end: &survey.proved_at_end, ..self }
    }

    /// Returns the results for a library of which this many functions were searched for faults.
    pub fn of_library(survey: &'a Survey, program: &'a Program, functions: usize) -> Self {
        Results { scope: Scope::Library(functions), ..Self::of_program(survey, program) }
    }

    /// Sets how much of the traces is reported.
    pub fn with_detail(self, detail: Detail) -> Self {
        Results { detail, ..self }
    }

    /// Adds the proofs for the functions of a library.
    pub fn with_proofs(self, proofs: &'a [LibraryProof]) -> Self {
        Self { proofs, ..self }
    }

    /// Returns the results of a check function by function. Each function has two checks: memory and integrity.
    pub fn of_functions(report: &'a Report, program: &'a Program) -> Self {
        let mut results = Results {
            program,
            findings: Vec::new(),
            checks: Counts::default(),
            unknown_because: Vec::new(),
            unknown: &[],
            proved: &[],
            proved_at_end: &[],
            functions: &report.functions,
            assumptions: &report.assumptions,
            scope: Scope::Functions,
            proofs: &[],
            detail: Detail::default(),
        };
        for function in &report.functions {
            let name = &program.functions[function.function.index()].name;
            for (part, status) in [("memory", &function.memory), ("integrity", &function.integrity)] {
                match status {
                    Status::Proved => results.checks.proved += 1,
                    Status::Violated(violation) => {
                        results.checks.violated += 1;
                        results.findings.push(Finding::of_function(function.function, violation));
                    }
                    Status::Unconfirmed(violation) => {
                        results.checks.unknown += 1;
                        let loc = violation.loc;
                        let text = format!(
                            "{part} of `{name}`: {UNCONFIRMED}: {} at {}:{}:{}",
                            violation.what,
                            program.file_name(loc),
                            loc.line,
                            loc.column
                        );
                        let reason = Reason::Unconfirmed(violation.kind).name();
                        results.unknown_because.push(Unknown::new(reason, text));
                    }
                    Status::Unknown(reason) => {
                        results.checks.unknown += 1;
                        let text = format!("{part} of `{name}`: {reason}");
                        results.unknown_because.push(Unknown::new(reason.reason.name(), text));
                    }
                }
            }
        }
        results
    }
}

/// The reason for a check with a counterexample that no execution was found for.
pub(crate) const UNCONFIRMED: &str = "counterexample not confirmed by an execution";

/// A violation.
#[derive(Debug)]
pub(crate) struct Finding<'a> {
    pub(crate) check: CheckKind,
    /// The SV-COMP property that is violated, if any.
    pub(crate) property: Option<Property>,
    pub(crate) message: String,
    /// The location, and the calls that lead to it, innermost first.
    pub(crate) stack: Vec<StackPlace>,
    /// Earlier events of the object's life.
    pub(crate) history: &'a [Event],
    pub(crate) source: Source<'a>,
}

/// The analysis result behind a finding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    /// An execution of the whole program.
    Program(&'a Violation),
    /// An execution of one function on a graph.
    Function(FuncId, &'a cairn_integrity::Violation),
}

/// A step on the path to a violation.
#[derive(Debug)]
pub(crate) enum Step {
    /// An event of the execution.
    Event { kind: &'static str, what: String, place: StackPlace, depth: u32, heap: Option<Heap> },
    /// Steps that are not shown.
    Omitted(usize),
    /// Loop iterations that are not shown.
    Iterations(u64),
}

impl<'a> Finding<'a> {
    fn of_program(violation: &'a Violation) -> Self {
        Finding {
            check: violation.fault.kind,
            property: violation.property,
            message: violation.fault.message.clone(),
            stack: violation.fault.stack.clone(),
            history: &violation.fault.history,
            source: Source::Program(violation),
        }
    }

    pub(crate) fn of_function(function: FuncId, violation: &'a cairn_integrity::Violation) -> Self {
        let message = match &violation.run {
            Some(run) => format!("{} ({})", violation.what, run.seen),
            None => violation.what.clone(),
        };
        Finding {
            check: violation.kind,
            property: Property::of(violation.kind),
            message,
            stack: vec![StackPlace { function, loc: violation.loc }],
            history: &[],
            source: Source::Function(function, violation),
        }
    }

    /// Returns the path to the violation, without repetitions.
    pub(crate) fn steps(&self, program: &Program, texts: Texts<'_>, detail: Detail) -> Vec<Step> {
        match self.source {
            Source::Program(violation) => program_steps(trace::lines(violation, detail), program, texts),
            Source::Function(function, violation) => {
                let step = |&loc: &Loc| Step::Event {
                    kind: "line",
                    what: String::new(),
                    place: StackPlace { function, loc },
                    depth: 1,
                    heap: None,
                };
                violation.path.iter().map(step).collect()
            }
        }
    }
}

fn program_steps(lines: Vec<Line<'_>>, program: &Program, texts: Texts<'_>) -> Vec<Step> {
    let step = |line| match line {
        Line::Omitted(count) => Step::Omitted(count),
        Line::Iterations(count) => Step::Iterations(count),
        Line::Step(step) => Step::Event {
            kind: step.kind.name(),
            what: condition::said(step, program, texts),
            place: step.place,
            depth: step.depth,
            heap: step.picture.as_deref().map(Heap::of),
        },
    };
    lines.into_iter().map(step).collect()
}
