//! `cairn check`: every property of a program at once.

use std::sync::Arc;

use cairn_frontend::library::start::Arguments;
use cairn_frontend::library::{Face, Unmodelled};
use cairn_ir::CheckKind;
use cairn_ir::check::Answerer;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::Setup;
use cairn_portfolio::survey::Survey;
use cairn_portfolio::verdict::Property;
use cairn_portfolio::{Task, verify};
use cairn_report::{Colour, Context, Format, Report, Results};

use crate::arguments::{CheckArguments, EngineName};
use crate::certificate;
use crate::commands::{integrity, library};
use crate::exit::Exit;
use crate::harness;
use crate::program::{self, Loaded};
use crate::schedule;
use crate::solver;
use crate::system::supervise::{self, Guard, LastWords};
use crate::system::terminal::{self, Terminal};

/// Verifies the program.
pub(crate) fn check(arguments: &CheckArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    guard.limit(Some(arguments.time_limit), arguments.search.memory_limit);
    if arguments.solver.engine == EngineName::Integrity {
        return integrity::check(arguments, guard, terminal);
    }
    let mut frontend = cairn_frontend::Options::from(&arguments.c);
    frontend.realloc_zero = arguments.realloc_zero.into();
    frontend.face = Face::World;
    if !arguments.args.is_empty() {
        let bytes = arguments.args.iter().map(|argument| argument.as_encoded_bytes().to_vec());
        frontend.arguments = Arguments::Fixed(bytes.collect());
    }
    frontend.unmodelled = if arguments.library { Unmodelled::Unknown } else { Unmodelled::UnknownInLibraries };
    let loaded = program::load_with(&arguments.files, &arguments.c, frontend, guard, terminal);
    let Some(loaded) = loaded else {
        return if guard.is_cancelled() { Exit::Undecided } else { Exit::Failure };
    };
    let loaded = Arc::new(loaded);
    let main = loaded.program.function_named("main");
    if arguments.library || main.is_none_or(|id| loaded.program.functions[id.index()].body.is_none()) {
        if !arguments.args.is_empty() {
            terminal.error("arguments after `--` have no effect on code that is checked as a library");
            return Exit::Failure;
        }
        return library::check(arguments, &loaded, guard, terminal);
    }
    let properties = Property::ALL.into_iter().filter(|p| *p != Property::ValidMemcleanup || !arguments.allow_unfreed);
    let explored = CheckKind::ALL.iter().copied().filter(|kind| kind.is_answered_by(Answerer::Explore));
    let without_property = explored.filter(|kind| kind.property().is_none());
    let task = Task {
        entry: "main".to_owned(),
        properties: properties.collect(),
        besides: without_property.collect(),
        malloc_fails: arguments.malloc_fails,
        assert_faults: true,
    };
    let cancel = guard.cancel();
    let (settings, session, watch) = match solver::settings(&arguments.solver, &arguments.search, &cancel) {
        Ok(all) => all,
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    let mut setup = Setup::new(&loaded.program, task.clone(), Goal::EveryCheck, settings, cancel, session);
    setup.progress = Some(Box::new(|survey| keep(survey, guard, &loaded, arguments.into(), terminal)));
    keep(verify::undecided(&setup), guard, &loaded, arguments.into(), terminal);
    let survey = match verify::survey(schedule::chosen(setup.goal), &setup) {
        Ok((mut survey, effort)) => {
            if arguments.solver.stats {
                terminal.report(&watch.statistics(&effort));
            }
            survey.reasons.iter_mut().for_each(|reason| *reason = guard.reason(reason));
            survey
        }
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    if let Some(message) = watch.trouble() {
        terminal.error(&message);
        return Exit::Failure;
    }
    supervise::report_failures(guard, &survey.failures);
    guard.concludes();
    if let Some(file) = &arguments.solver.certificate
        && let Err(message) = certificate::write(file, survey.certificate.as_deref(), &loaded.program)
    {
        terminal.warning(&message);
    }
    print(&Results::of_program(&survey, &loaded.program), arguments, &loaded, terminal);
    if let Some(file) = &arguments.harness {
        for (index, violation) in survey.findings.iter().enumerate() {
            let file = harness::numbered(file, index + 1);
            if let Err(message) = harness::write(&file, violation, &loaded, &task.entry) {
                terminal.error(&message);
                return Exit::Failure;
            }
        }
    }
    exit_of(&survey)
}

/// Prints results in the format of the arguments.
pub(crate) fn print(results: &Results<'_>, arguments: &CheckArguments, loaded: &Loaded, terminal: &Terminal) {
    terminal::print(render(results, arguments.into(), loaded, terminal).as_bytes());
}

/// How results are printed.
#[derive(Clone, Copy)]
struct Printing {
    format: Format,
    lists_unknown: bool,
}

impl From<&CheckArguments> for Printing {
    fn from(arguments: &CheckArguments) -> Self {
        Printing { format: arguments.format, lists_unknown: arguments.unknown }
    }
}

fn render(results: &Results<'_>, printing: Printing, loaded: &Loaded, terminal: &Terminal) -> String {
    let colour = if printing.format == Format::Text { terminal.output_colour } else { Colour::Off };
    let report = loaded.with_texts(|texts| Report::new(results, texts, colour));
    let context = Context { version: env!("CARGO_PKG_VERSION"), lists_unknown: printing.lists_unknown };
    printing.format.render(&report, context)
}

/// Keeps the answers so far, in case the search is cut short.
fn keep(mut survey: Survey, guard: &Guard, loaded: &Arc<Loaded>, printing: Printing, terminal: &Terminal) {
    let (loaded, terminal) = (Arc::clone(loaded), *terminal);
    guard.in_case_of_end(move |reason| {
        survey.reasons.push(reason.clone());
        let output = render(&Results::of_program(&survey, &loaded.program), printing, &loaded, &terminal);
        LastWords { output, message: String::new(), exit: exit_of(&survey) }
    });
}

fn exit_of(survey: &Survey) -> Exit {
    if !survey.findings.is_empty() {
        Exit::Violation
    } else if survey.failures.iter().any(|failure| survey.reasons.contains(failure)) {
        Exit::Failure
    } else if survey.checks.unknown > 0 || !survey.reasons.is_empty() {
        Exit::Undecided
    } else {
        Exit::Fine
    }
}
