//! `cairn svcomp --validate`: checks a witness, also one of another tool.
//!
//! The witness becomes a part of the program ([`cairn_witness::monitor`]), and the engines answer the task for that program. A
//! violation is confirmed only if the original program has it, too: on the same inputs and at the target of the witness.

use std::path::Path;

use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::diagnostic::Severity;
use cairn_portfolio::confirm::replay::{Unset, replay};
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::Setup;
use cairn_portfolio::verdict::{Property, Verdict, Violation};
use cairn_portfolio::verify::verify;
use cairn_portfolio::{Reason, Task};
use cairn_report::{Detail, violation};
use cairn_witness::monitor::{self, Lines, Passing, REFUTED, Refutation, Source};
use cairn_witness::read::{File, Trouble, read};
use cairn_witness::{Invariant, Segment, Witness};

use crate::arguments::{COptions, DataModel, SvcompArguments};
use crate::commands::svcomp::question::Question;
use crate::commands::svcomp::{self, Specification};
use crate::exit::Exit;
use crate::program::{self, Loaded};
use crate::schedule;
use crate::sha256;
use crate::solver;
use crate::system::files;
use crate::system::supervise::{self, Guard, LastWords};
use crate::system::terminal::{self, Terminal};

/// An answer that is not a confirmation.
enum Rejected {
    /// The witness is not confirmed, for this reason.
    Unknown(String),
    /// The engines have no answer, for these reasons.
    Undecided(Vec<Reason>),
    /// Something went wrong that has nothing to do with the witness. It was reported already.
    Failed,
}

/// A confirmed witness.
enum Confirmed {
    /// The witness of a proof.
    True,
    /// The witness of a violation of this property.
    False(Option<Property>),
}

impl Confirmed {
    fn print(&self) -> Exit {
        match self {
            Self::True => {
                terminal::print(b"TRUE\n");
                Exit::Fine
            }
            Self::False(property) => {
                terminal::print(format!("FALSE({})\n", property.map_or("", Property::name)).as_bytes());
                Exit::Violation
            }
        }
    }
}

/// The task, with the text of the program.
struct Validator<'a> {
    asked: &'a Question,
    arguments: &'a SvcompArguments,
    specification: &'a Specification,
    terminal: &'a Terminal,
    guard: &'a Guard,
    input: Input,
}

/// Checks a witness of a task.
pub(super) fn validate(
    witness: &Path,
    asked: &Question,
    arguments: &SvcompArguments,
    specification: &Specification,
    guard: &Guard,
    terminal: &Terminal,
) -> Exit {
    guard.limit(arguments.time_limit, arguments.search.memory_limit);
    guard.in_case_of_end(|reason| LastWords { output: format!("UNKNOWN({reason})\n"), ..LastWords::default() });
    let file = match files::read(witness).map(|bytes| read(&String::from_utf8_lossy(&bytes))) {
        Ok(Ok(file)) => file,
        Ok(Err(Trouble::Unsupported(what))) => return unknown(&what),
        Ok(Err(Trouble::Malformed { line, message })) => {
            let place = if line == 0 { String::new() } else { format!(":{line}") };
            terminal.error(&format!("{}{place}: {message}", witness.display()));
            return Exit::Failure;
        }
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    let options = COptions::plain(asked.model);
    let input = match program::read_c(&asked.file, &options, guard) {
        Ok(input) => input,
        Err(message) => {
            if let Some(reason) = guard.stopped() {
                return svcomp::unknown(&[reason]);
            }
            if let Some(message) = message {
                terminal.error(&message);
            }
            return Exit::Failure;
        }
    };
    if specification.asks_termination {
        return unknown("witnesses of termination are not supported");
    }
    if let Some(difference) = difference(&file, asked) {
        return unknown(&difference);
    }
    let validator = Validator { asked, arguments, specification, terminal, guard, input };
    let outcome = match &file.witness {
        Witness::Violation(segments) => validator.violation(segments),
        Witness::Correctness(invariants) => validator.correctness(invariants),
    };
    guard.concludes();
    match outcome {
        Ok(exit) => exit.print(),
        Err(Rejected::Unknown(reason)) => unknown(&reason),
        Err(Rejected::Undecided(reasons)) => svcomp::unknown(&reasons),
        Err(Rejected::Failed) => Exit::Failure,
    }
}

fn unknown(reason: &str) -> Exit {
    terminal::print(format!("UNKNOWN({reason})\n").as_bytes());
    Exit::Undecided
}

/// Returns how the task of a witness differs from the task at hand.
fn difference(file: &File, asked: &Question) -> Option<String> {
    let hash = files::read(&asked.file).ok().map(|bytes| sha256::hex(&bytes));
    let is_same = |other: &String| hash.as_ref().is_none_or(|hash| hash.eq_ignore_ascii_case(other));
    if !file.hashes.is_empty() && !file.hashes.iter().any(is_same) {
        return Some("the witness is about another program: the hash of the file differs".to_owned());
    }
    let model = if asked.model == DataModel::Lp64 { "LP64" } else { "ILP32" };
    match &file.data_model {
        Some(other) if !other.eq_ignore_ascii_case(model) => Some(format!("the witness is about data model {other}")),
        _ => None,
    }
}

impl Validator<'_> {
    fn source(&self) -> Source<'_> {
        let is_preprocessed = self.asked.file.extension().is_some_and(|extension| extension == "i");
        let lines = if is_preprocessed { Lines::Physical } else { Lines::Marked };
        Source { text: &self.input.text, name: &self.input.name, lines }
    }

    fn task(&self) -> Task {
        Task {
            entry: self.specification.entry.clone(),
            properties: self.specification.properties.clone(),
            besides: Vec::new(),
            malloc_fails: false,
            assert_faults: false,
        }
    }

    /// Compiles a text in place of the program's. A mistake in it comes from the witness.
    fn compile(&self, text: String) -> Result<Program, Rejected> {
        let options = COptions::plain(self.asked.model);
        let frontend = self.specification.frontend(&options);
        let compilation = compile(vec![Input { name: self.input.name.clone(), text }], frontend);
        compilation.program.ok_or_else(|| {
            let error = compilation.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
            let message = error.map_or("", |error| &error.message);
            Rejected::Unknown(format!("the witness does not fit the program: {message}"))
        })
    }

    /// Answers the task for a program that contains the witness.
    fn ask(&self, program: &Program, task: Task) -> Result<Verdict, Rejected> {
        let failed = |message: String| {
            self.terminal.error(&message);
            Rejected::Failed
        };
        let (settings, session, watch) =
            solver::settings(&self.arguments.solver, &self.arguments.search, &self.guard.cancel()).map_err(failed)?;
        let setup = Setup::new(program, task, Goal::FirstAnswer, settings, self.guard.cancel(), session);
        let found = verify(schedule::chosen(&setup, false), &setup).map_err(failed)?;
        supervise::report_failures(self.guard, &found.failures);
        if self.arguments.solver.stats {
            self.terminal.report(&watch.statistics(&found.effort));
        }
        match watch.trouble() {
            Some(message) => Err(failed(message)),
            None => Ok(found.verdict),
        }
    }

    /// Returns the reasons of an undecided task.
    fn undecided(&self, reasons: &[Reason]) -> Rejected {
        Rejected::Undecided(reasons.iter().map(|reason| self.guard.reason(reason)).collect())
    }

    fn violation(&self, segments: &[Segment]) -> Result<Confirmed, Rejected> {
        let loaded = self.original()?;
        let mut reason = Rejected::Failed;
        for passing in [Passing::AtOnce, Passing::AnyTime] {
            let monitor = monitor::follow(self.source(), segments, passing).map_err(Rejected::Unknown)?;
            let program = self.compile(monitor.text)?;
            reason = match self.ask(&program, self.task())? {
                Verdict::False(found) => {
                    let replayed = replay(&loaded.program, &self.task(), &found.inputs, Unset::Leftovers);
                    // A constraint of the witness may have a fault of its own.
                    let at_target = |violation: &&Violation| {
                        violation.fault.kind == found.fault.kind && is_at(violation, &loaded.program, monitor.target)
                    };
                    if let Some(confirmed) = replayed.iter().find(at_target) {
                        return Ok(self.confirmed(confirmed, &loaded));
                    }
                    Rejected::Unknown("there is a violation, but not the one of the witness".to_owned())
                }
                Verdict::True => {
                    Rejected::Unknown("no execution that follows the witness violates the property".to_owned())
                }
                Verdict::Unknown(reasons) => self.undecided(&reasons),
            };
        }
        Err(reason)
    }

    /// Loads the program without the witness.
    fn original(&self) -> Result<Loaded, Rejected> {
        let options = COptions::plain(self.asked.model);
        let frontend = self.specification.frontend(&options);
        let files = std::slice::from_ref(&self.asked.file);
        program::load_with(&program::Source::all(files, &options), frontend, self.guard, self.terminal).ok_or_else(
            || match self.guard.stopped() {
                Some(reason) => Rejected::Undecided(vec![reason]),
                None => Rejected::Failed,
            },
        )
    }

    fn confirmed(&self, found: &Violation, loaded: &Loaded) -> Confirmed {
        let text = loaded
            .with_texts(|texts| violation::render(found, &loaded.program, texts, self.terminal.colour, Detail::Short));
        self.terminal.report(&text);
        Confirmed::False(found.property)
    }

    fn correctness(&self, invariants: &[Invariant]) -> Result<Confirmed, Rejected> {
        let mut task = self.task();
        let refutation = match self.specification.error_functions.first() {
            Some(function) => Refutation::Calls(function),
            None => {
                if !task.properties.contains(&Property::ValidDeref) {
                    task.properties.push(Property::ValidDeref);
                }
                Refutation::Dereferences
            }
        };
        let text = monitor::assert(self.source(), invariants, refutation).map_err(Rejected::Unknown)?;
        let program = self.compile(text)?;
        match self.ask(&program, task)? {
            Verdict::True => Ok(Confirmed::True),
            Verdict::False(found) => Err(Rejected::Unknown(match refuted_in(&found, &program) {
                Some(line) => format!("an invariant in line {line} does not hold"),
                None => "the program violates the property".to_owned(),
            })),
            Verdict::Unknown(reasons) => Err(self.undecided(&reasons)),
        }
    }
}

/// Returns whether a violation is within lines of the user's program. A leak is where the program ends.
fn is_at(violation: &Violation, program: &Program, (first, last): (u32, u32)) -> bool {
    let stack = if violation.fault.kind.is_of_the_end() && !violation.end.is_empty() {
        &violation.end
    } else {
        &violation.fault.stack
    };
    let is_user =
        |function: cairn_ir::FuncId| program.functions.get(function.index()).is_some_and(|f| f.origin.is_of_user());
    let place = stack.iter().find(|place| is_user(place.function));
    place.is_some_and(|place| (first..=last).contains(&place.loc.line))
}

/// Returns the line of the invariant that a violation refutes.
fn refuted_in(violation: &Violation, program: &Program) -> Option<u32> {
    let name = |function: cairn_ir::FuncId| program.functions.get(function.index()).map_or("", |f| f.name.as_str());
    let callee = violation.fault.stack.iter().position(|place| name(place.function) == REFUTED)?;
    violation.fault.stack.get(callee + 1).map(|place| place.loc.line)
}
