//! `cairn svcomp`: one verification task under the rules of SV-COMP. The last line of standard output is the answer.

mod question;
mod termination;
mod validate;

use std::path::Path;

use cairn_frontend::Overflow;
use cairn_frontend::library::Face;
use cairn_ir::program::SVCOMP_ERROR_FUNCTIONS;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::invariant::LoopInvariant;
use cairn_portfolio::settings::Setup;
use cairn_portfolio::verdict::{Property, Verdict, Violation};
use cairn_portfolio::verify::verify;
use cairn_portfolio::{Reason, Task};
use cairn_report::{Detail, violation};

use self::question::Question;
use self::validate::validate;
use crate::arguments::{COptions, SvcompArguments};
use crate::certificate;
use crate::exit::Exit;
use crate::harness;
use crate::program::{self, Source};
use crate::schedule;
use crate::solver;
use crate::system::files;
use crate::system::supervise::{self, Guard, LastWords};
use crate::system::terminal::{self, Terminal};
use crate::witness::{Destination, TaskText};

/// Answers a task.
pub(crate) fn svcomp(arguments: &SvcompArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    let read = Question::of(arguments).and_then(|asked| Ok((read_specification(&asked.property)?, asked)));
    let (specification, asked) = match read {
        Ok(read) => read,
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    if let Some(expected) = &asked.expected {
        terminal.note(&format!("the expected answer is {expected}"));
    }
    if let Some(witness) = &arguments.validate {
        return validate(witness, &asked, arguments, &specification, guard, terminal);
    }
    let witness = arguments.witness.clone().map(|file| Destination { file, format: arguments.witness_format });
    if witness.is_some() && asked.file == Path::new("-") {
        terminal.error("cannot write a witness for standard input: a witness names the program's file and its hash");
        return Exit::Failure;
    }
    let options = COptions::plain(asked.model);
    let frontend = specification.frontend(&options);
    let files = std::slice::from_ref(&asked.file);
    guard.limit(arguments.time_limit, arguments.search.memory_limit);
    guard.in_case_of_end(|reason| LastWords { output: format!("UNKNOWN({reason})\n"), ..LastWords::default() });
    let Some(loaded) = program::load_with(&Source::all(files, &options), frontend, guard, terminal) else {
        return match guard.stopped() {
            Some(reason) => unknown(&[reason]),
            None => Exit::Failure,
        };
    };
    if specification.asks_termination {
        let about =
            TaskText { loaded: &loaded, file: &asked.file, model: asked.model, specification: &specification.text };
        let outputs = Outputs { witness, about, entry: &specification.entry, arguments, terminal };
        return termination::answer(&loaded, &outputs, guard, terminal);
    }
    let question = Task {
        entry: specification.entry,
        properties: specification.properties,
        besides: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
    };
    let cancel = guard.cancel();
    let (mut settings, session, watch) = match solver::settings(&arguments.solver, &arguments.search, &cancel) {
        Ok(all) => all,
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    settings.invariants = witness.as_ref().is_some_and(Destination::tells_proofs);
    let entry = question.entry.clone();
    let setup = Setup::new(&loaded.program, question, Goal::FirstAnswer, settings, cancel, session);
    let outcome = verify(schedule::chosen(&setup, false), &setup);
    if let (true, Ok(found)) = (arguments.solver.stats, &outcome) {
        terminal.report(&watch.statistics(&found.effort));
    }
    if let Some(message) = watch.trouble() {
        terminal.error(&message);
        return Exit::Failure;
    }
    let about = TaskText { loaded: &loaded, file: &asked.file, model: asked.model, specification: &specification.text };
    let outputs = Outputs { witness, about, entry: &entry, arguments, terminal };
    if let Ok(found) = &outcome {
        supervise::report_failures(guard, &found.failures);
    }
    guard.concludes();
    if let (Some(file), Ok(found)) = (&arguments.solver.certificate, &outcome)
        && matches!(found.verdict, Verdict::True)
        && let Err(message) = certificate::write(file, found.certificate.as_deref(), &loaded.program)
    {
        terminal.warning(&message);
    }
    match outcome.map(|found| (found.verdict, found.invariants)) {
        Ok((Verdict::True, invariants)) => outputs.proved(&invariants),
        Ok((Verdict::False(violation), _)) => outputs.violated(&violation),
        Ok((Verdict::Unknown(reasons), _)) => {
            let reasons: Vec<Reason> = reasons.iter().map(|reason| guard.reason(reason)).collect();
            unknown(&reasons)
        }
        Err(message) => {
            terminal.error(&format!("{}: {message}", asked.file.display()));
            Exit::Failure
        }
    }
}

/// Prints that there is no answer for a reason of the command itself.
fn unknown_because(reason: &str) -> Exit {
    terminal::print(format!("UNKNOWN({reason})\n").as_bytes());
    Exit::Undecided
}

/// Prints that there is no answer. A bug in cairn is a failure, a limit is not.
pub(super) fn unknown(reasons: &[Reason]) -> Exit {
    let texts: Vec<String> = reasons.iter().map(Reason::to_string).collect();
    terminal::print(format!("UNKNOWN({})\n", texts.join("; ")).as_bytes());
    let is_failure = reasons.iter().any(|reason| matches!(reason, Reason::InternalError(..)));
    if is_failure { Exit::Failure } else { Exit::Undecided }
}

/// The outputs of an answer: the last line, and the files that were asked for.
///
/// The answer is printed even when a file cannot be written; the exit code then says that something went wrong.
struct Outputs<'a> {
    witness: Option<Destination>,
    about: TaskText<'a>,
    entry: &'a str,
    arguments: &'a SvcompArguments,
    terminal: &'a Terminal,
}

impl Outputs<'_> {
    fn proved(&self, invariants: &[LoopInvariant]) -> Exit {
        let written = match &self.witness {
            Some(witness) if witness.tells_proofs() => self.reported(witness.write_proof(invariants, &self.about)),
            Some(_) => {
                self.terminal.warning("no witness written: a GraphML witness can only describe a violation");
                true
            }
            None => true,
        };
        terminal::print(b"TRUE\n");
        if written { Exit::Fine } else { Exit::Failure }
    }

    fn violated(&self, violation: &Violation) -> Exit {
        let loaded = self.about.loaded;
        let colour = self.terminal.colour;
        let text =
            loaded.with_texts(|texts| violation::render(violation, &loaded.program, texts, colour, Detail::Short));
        self.terminal.report(&text);
        let mut written = true;
        if let Some(witness) = &self.witness {
            written &= self.reported(witness.write(violation, &self.about));
        }
        if let Some(file) = &self.arguments.harness {
            written &= self.reported(harness::write(file, violation, loaded, self.entry));
        }
        let property = violation.property.map_or("", Property::name);
        terminal::print(format!("FALSE({property})\n").as_bytes());
        if written { Exit::Violation } else { Exit::Failure }
    }

    /// Reports a failure; returns whether there was none.
    fn reported(&self, result: Result<(), String>) -> bool {
        if let Err(message) = &result {
            self.terminal.error(message);
        }
        result.is_ok()
    }
}

/// The contents of a property file.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Specification {
    text: String,
    pub(super) entry: String,
    pub(super) properties: Vec<Property>,
    /// The functions that must not be called. Empty when no line is about calls.
    pub(super) error_functions: Vec<String>,
    /// Whether the property is that all executions end.
    pub(super) asks_termination: bool,
}

/// The properties whose names are formulas.
const MEMORY_PROPERTIES: [Property; 4] =
    [Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack, Property::ValidMemcleanup];

impl Specification {
    /// Returns how the front-end prepares the program.
    pub(super) fn frontend(&self, options: &COptions) -> cairn_frontend::Options {
        let mut frontend = cairn_frontend::Options { face: Face::World, ..options.into() };
        if !self.error_functions.is_empty() {
            frontend.error_functions.clone_from(&self.error_functions);
        }
        if self.properties.contains(&Property::NoOverflow) {
            frontend.overflow = Overflow::Signed;
        }
        frontend
    }
}

fn read_specification(path: &Path) -> Result<Specification, String> {
    let bytes = files::read(path)?;
    parse_specification(&String::from_utf8_lossy(&bytes)).map_err(|error| format!("{}:{error}", path.display()))
}

/// Reads lines of the form `CHECK( init(main()), LTL(G valid-free) )`.
pub(crate) fn parse_specification(text: &str) -> Result<Specification, String> {
    let mut entry = None;
    let mut properties = Vec::new();
    let mut error_functions = Vec::new();
    let mut asks_termination = false;
    for (number, line) in text.lines().enumerate() {
        let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("{}: {what}: `{}`", number + 1, line.trim());
        let inner = compact.strip_prefix("CHECK(init(").and_then(|rest| rest.strip_suffix("))"));
        let (name, formula) = inner
            .and_then(|rest| rest.split_once("()),LTL("))
            .ok_or_else(|| wrong("expected `CHECK( init(main()), LTL(G …) )`"))?;
        match &entry {
            Some(known) if known != name => return Err(wrong("entry function differs from that of the lines before")),
            _ => entry = Some(name.to_owned()),
        }
        if formula == "Fend" {
            asks_termination = true;
            continue;
        }
        let formula = formula.strip_prefix('G').ok_or_else(|| wrong("unsupported property"))?;
        let property = match formula.strip_prefix("!call(").and_then(|f| f.strip_suffix("())")) {
            Some(function) if is_identifier(function) => {
                error_functions.extend(spellings(function));
                Some(Property::UnreachCall)
            }
            Some(_) => None,
            None if formula == "!overflow" => Some(Property::NoOverflow),
            None => MEMORY_PROPERTIES.into_iter().find(|p| p.name() == formula),
        };
        properties.push(property.ok_or_else(|| wrong("unsupported property"))?);
    }
    let entry = entry.ok_or("1: expected `CHECK( init(main()), LTL(G …) )`, found nothing")?;
    if asks_termination && !properties.is_empty() {
        return Err("1: `F end` is not supported together with other properties".to_owned());
    }
    Ok(Specification { text: text.to_owned(), entry, properties, error_functions, asks_termination })
}

fn is_identifier(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the names of the function that a property is about. SV-COMP renamed its error function in 2021, and there are
/// tasks whose property has one name and whose program has the other.
fn spellings(function: &str) -> Vec<String> {
    if SVCOMP_ERROR_FUNCTIONS.contains(&function) {
        SVCOMP_ERROR_FUNCTIONS.map(str::to_owned).into()
    } else {
        vec![function.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_are_read() {
        let read = |text: &str| parse_specification(text).map(|s| (s.entry, s.properties, s.error_functions));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            read("CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n"),
            Ok(("main".to_owned(), vec![Property::ValidFree, Property::ValidDeref], vec![]))
        );
        assert_eq!(
            read("CHECK( init(start()), LTL(G ! call(my_error())) )"),
            Ok(("start".to_owned(), vec![Property::UnreachCall], names(&["my_error"])))
        );
        for name in SVCOMP_ERROR_FUNCTIONS {
            let (_, _, errors) = read(&format!("CHECK(init(main()),LTL(G!call({name}())))")).expect("a known form");
            assert_eq!(errors, names(&SVCOMP_ERROR_FUNCTIONS));
        }
    }

    #[test]
    fn unknown_forms_are_errors() {
        for text in [
            "",
            "CHECK( init(main()), LTL(G no-overflow) )",
            "CHECK( init(main()), LTL(G unreach-call) )",
            "CHECK( init(main()), LTL(G ! call(f(x))) )",
            "CHECK( init(main()), LTL(G ! call(1f())) )",
            "CHECK( init(main()), LTL(G ! call(())) )",
            "COVER( init(main()), FQL(COVER EDGES(@CALL)) )",
            "nonsense",
        ] {
            assert!(parse_specification(text).is_err(), "{text}");
        }
    }
}
