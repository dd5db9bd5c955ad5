//! `cairn check`: every property of a program at once.

use cairn_frontend::library::Face;
use cairn_ir::CheckKind;
use cairn_ir::check::Answerer;
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::Setup;
use cairn_portfolio::survey::Survey;
use cairn_portfolio::verdict::Property;
use cairn_portfolio::{Task, verify};
use cairn_report::{Context, Results};

use crate::arguments::{CheckArguments, EngineName};
use crate::commands::integrity;
use crate::exit::Exit;
use crate::harness;
use crate::program::{self, Loaded};
use crate::schedule::SCHEDULE;
use crate::solver;
use crate::system::terminal::{self, Terminal};
use crate::system::watchdog::Watchdog;

/// Verifies the program.
pub(crate) fn check(arguments: &CheckArguments, terminal: &Terminal) -> Exit {
    if arguments.solver.engine == EngineName::Integrity {
        return integrity::check(arguments, terminal);
    }
    let mut frontend = cairn_frontend::Options::from(&arguments.c);
    frontend.realloc_zero = arguments.realloc_zero.into();
    frontend.face = Face::World;
    let loaded = program::load_with(&arguments.files, &arguments.c, frontend, terminal);
    let Some(loaded) = loaded else { return Exit::Failure };
    let main = loaded.program.function_named("main");
    if main.is_none_or(|id| loaded.program.functions[id.index()].body.is_none()) {
        terminal.error("no function `main`");
        terminal.help("use `--engine integrity` to check code without a `main`");
        return Exit::Failure;
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
    let limits = Watchdog::start(Some(arguments.time_limit), arguments.search.memory_limit);
    let (settings, session, watch) = match solver::settings(&arguments.solver, &arguments.search, &limits) {
        Ok(all) => all,
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    let cancel = limits.cancel.clone();
    let setup = Setup::new(&loaded.program, task.clone(), Goal::EveryCheck, settings, cancel, session);
    let survey = match verify::survey(SCHEDULE, &setup) {
        Ok((mut survey, effort)) => {
            if arguments.solver.stats {
                terminal.report(&watch.statistics(&effort));
            }
            survey.reasons.iter_mut().for_each(|reason| *reason = limits.reason(reason));
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
    let text = loaded.with_texts(|texts| {
        let context = Context { texts, colour: terminal.output_colour, version: env!("CARGO_PKG_VERSION") };
        arguments.format.render(results, context)
    });
    terminal::print(text.as_bytes());
}

fn exit_of(survey: &Survey) -> Exit {
    if !survey.findings.is_empty() {
        Exit::Violation
    } else if survey.checks.unknown > 0 || !survey.reasons.is_empty() {
        Exit::Undecided
    } else {
        Exit::Fine
    }
}
