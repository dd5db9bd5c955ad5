//! `cairn check`: every property of a program at once.

use std::sync::Arc;

use cairn_frontend::library::start::Arguments;
use cairn_frontend::library::{Face, Unmodelled};
use cairn_ir::check::Answerer;
use cairn_ir::{CheckKind, Program};
use cairn_portfolio::engine::Goal;
use cairn_portfolio::settings::Setup;
use cairn_portfolio::survey::Survey;
use cairn_portfolio::verdict::{Property, Violation};
use cairn_portfolio::{Task, verify};
use cairn_report::report::TargetSummary;
use cairn_report::{Colour, Format, Report, Results};

use crate::arguments::{COptions, CheckArguments, EngineName, FailOn};
use crate::certificate;
use crate::commands::project::deliver::{self, Delivery};
use crate::commands::{integrity, library};
use crate::configuration::Configuration;
use crate::exit::Exit;
use crate::harness;
use crate::program::{self, Loaded, Source};
use crate::project::unit::{Kind, Target};
use crate::project::{discover, driver};
use crate::schedule;
use crate::solver;
use crate::system::supervise::{self, Guard, LastWords};
use crate::system::terminal::{self, Terminal};
use crate::system::{files, temporary};

/// Checks, and also returns the report. Violations do not change the exit code.
pub(crate) fn reported(mut arguments: CheckArguments, guard: &Guard, terminal: &Terminal) -> (Exit, Option<Report>) {
    let folder = match temporary::Folder::create("cairn-results") {
        Ok(folder) => folder,
        Err(message) => {
            terminal.error(&message);
            return (Exit::Failure, None);
        }
    };
    let results = folder.path().join("results.json");
    arguments.output.outputs.push((Format::Json, results.clone()));
    arguments.output.fail_on = FailOn::Never;
    let exit = configured(arguments, guard, terminal);
    let report = files::read(&results).ok().and_then(|bytes| Report::from_json(&String::from_utf8(bytes).ok()?).ok());
    (exit, report)
}

/// Checks with the settings of the project.
pub(crate) fn configured(mut arguments: CheckArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    if arguments.project.target.is_some() {
        // The project has passed its settings on.
        return check(&arguments, guard, terminal);
    }
    if arguments.output.html.is_some() && !arguments.project.list_proved {
        // The pages mark the lines of proved checks.
        arguments.project.list_proved = true;
        arguments.project.forwarded.push("--list-proved".into());
    }
    match Configuration::find(arguments.project.config.as_deref()) {
        Ok(configuration) => {
            if let Some(configuration) = &configuration {
                configuration.apply(&mut arguments);
            }
            arguments.project.configuration = configuration;
            check(&arguments, guard, terminal)
        }
        Err(message) => {
            terminal.error(&message);
            Exit::Failure
        }
    }
}

/// Checks a program, a library, one target of a project, or a project.
fn check(arguments: &CheckArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    if arguments.project.target.is_none() && discover::is_project(arguments) {
        return driver::check(arguments, guard, terminal);
    }
    guard.limit(Some(arguments.time_limit), arguments.search.memory_limit);
    if arguments.solver.engine == EngineName::Integrity {
        return integrity::check(arguments, guard, terminal);
    }
    match &arguments.project.target {
        None => check_sources(arguments, &Source::all(&arguments.files, &arguments.c), None, guard, terminal),
        Some(file) => match Target::read(file) {
            Ok(target) => {
                let name = target.name.clone();
                guard.in_case_of_end(move |reason| {
                    let message = format!("cannot check '{name}': {reason}");
                    LastWords { message, ..LastWords::default() }
                });
                let units = target.units.iter();
                let given = COptions { functions: target.functions.clone(), ..arguments.c.clone() };
                let source = units.map(|unit| Source { path: (&unit.file).into(), options: unit.c_options(&given) });
                check_sources(arguments, &source.collect::<Vec<_>>(), Some(&target), guard, terminal)
            }
            Err(message) => {
                terminal.error(&message);
                Exit::Failure
            }
        },
    }
}

/// Returns the checks that a program with a `main` is asked about.
fn task_of(arguments: &CheckArguments, checks_overflow: bool, program: &Program) -> Task {
    let properties = Property::ALL.into_iter().filter(|property| match property {
        Property::ValidMemcleanup => !arguments.allow_unfreed,
        Property::NoOverflow => checks_overflow,
        _ => true,
    });
    let explored = CheckKind::ALL.iter().copied().filter(|kind| kind.is_answered_by(Answerer::Explore));
    // A program that opens no file is not asked about files.
    let opens_files = program.checks.iter().any(|check| check.kind == CheckKind::FileLeak);
    let without_property =
        explored.filter(|kind| kind.property().is_none() && (*kind != CheckKind::FileLeak || opens_files));
    Task {
        entry: "main".to_owned(),
        properties: properties.collect(),
        besides: without_property.collect(),
        malloc_fails: arguments.malloc_fails,
        assert_faults: true,
    }
}

/// Checks files together: as one program if there is a `main`, and as a library otherwise.
fn check_sources(
    arguments: &CheckArguments,
    sources: &[Source],
    target: Option<&Target>,
    guard: &Guard,
    terminal: &Terminal,
) -> Exit {
    let options = sources.first().map_or(&arguments.c, |source| &source.options);
    let mut frontend = cairn_frontend::Options::from(options);
    let is_library = arguments.library || target.is_some_and(|target| target.kind == Kind::Library);
    frontend.realloc_zero = arguments.realloc_zero.into();
    frontend.face = Face::World;
    frontend.dependencies = target.map_or(0, |target| target.dependencies);
    if !arguments.args.is_empty() {
        let bytes = arguments.args.iter().map(|argument| argument.as_encoded_bytes().to_vec());
        frontend.arguments = Arguments::Fixed(bytes.collect());
    }
    frontend.unmodelled = if is_library { Unmodelled::Unknown } else { Unmodelled::UnknownInLibraries };
    let loaded = program::load_with(sources, frontend, guard, terminal);
    let Some(mut loaded) = loaded else {
        return if guard.is_cancelled() { Exit::Undecided } else { Exit::Failure };
    };
    loaded.target = target.cloned();
    let main = loaded.program.function_named("main");
    let is_library = is_library || main.is_none_or(|id| loaded.program.functions[id.index()].body.is_none());
    if !is_library {
        cairn_ir::passes::end_in_main::run(&mut loaded.program);
    }
    let loaded = Arc::new(loaded);
    if is_library {
        if !arguments.args.is_empty() {
            terminal.error("arguments after `--` have no effect on code that is checked as a library");
            return Exit::Failure;
        }
        return library::check(arguments, &loaded, guard, terminal);
    }
    let task = task_of(arguments, options.overflow, &loaded.program);
    let cancel = guard.cancel();
    let (settings, session, watch) = match solver::settings(&arguments.solver, &arguments.search, &cancel) {
        Ok(all) => all,
        Err(message) => {
            terminal.error(&message);
            return Exit::Failure;
        }
    };
    let mut setup = Setup::new(&loaded.program, task.clone(), Goal::EveryCheck, settings, cancel, session);
    setup.progress = Some(Box::new(|survey| keep(survey, guard, &loaded, arguments, terminal)));
    keep(verify::undecided(&setup), guard, &loaded, arguments, terminal);
    let schedule = schedule::chosen(&setup, arguments.solver.certificate.is_some());
    let mut survey = match verify::survey(schedule, &setup) {
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
    let unreached = library::unreached(arguments, &loaded, guard, terminal);
    survey.findings.extend(unreached.iter().map(|finding| finding.violation.clone()));
    survey.checks.violated += unreached.len();
    guard.concludes();
    if let Some(file) = &arguments.solver.certificate
        && let Err(message) = certificate::write(file, survey.certificate.as_deref(), &loaded.program)
    {
        terminal.warning(&message);
    }
    let mut results = Results::of_program(&survey, &loaded.program).with_detail(arguments.trace.into());
    if arguments.project.list_proved {
        results = results.with_proved_checks(&survey);
    }
    let exit = deliver(&results, arguments, &loaded, exit_without_violations(&survey), terminal);
    match write_harnesses(&survey.findings, &unreached, arguments, &loaded, terminal) {
        Ok(()) => exit,
        Err(message) => {
            terminal.error(&message);
            Exit::Failure
        }
    }
}

/// Writes the harnesses of the findings, of which the last ones are in functions that `main` does not reach.
fn write_harnesses(
    findings: &[Violation],
    unreached: &[cairn_contract::Finding],
    arguments: &CheckArguments,
    loaded: &Loaded,
    terminal: &Terminal,
) -> Result<(), String> {
    let Some(file) = &arguments.harness else { return Ok(()) };
    let own = findings.len() - unreached.len();
    library::write_harnesses(arguments, unreached, own, loaded, terminal);
    for (index, violation) in findings[..own].iter().enumerate() {
        harness::write(&harness::numbered(file, index + 1), violation, loaded, "main")?;
    }
    Ok(())
}

/// Delivers results as the arguments say. `otherwise` is the exit code without violations.
pub(crate) fn deliver(
    results: &Results<'_>,
    arguments: &CheckArguments,
    loaded: &Loaded,
    otherwise: Exit,
    terminal: &Terminal,
) -> Exit {
    let delivery = delivery(arguments, terminal);
    let report = report(results, loaded);
    if loaded.target.is_some() {
        // The results of a target are a part of those of the project, which decides what to make of them.
        terminal::print(delivery.format.render(&report, delivery.context()).as_bytes());
        return delivery.write(&report).map_or(Exit::Failure, |()| Exit::Fine);
    }
    let files: Vec<String> = arguments.files.iter().map(|file| file.to_string_lossy().into_owned()).collect();
    delivery.deliver(report, &files, &|name| loaded.originals.read(name), otherwise)
}

pub(crate) fn delivery<'a>(arguments: &'a CheckArguments, terminal: &'a Terminal) -> Delivery<'a> {
    let CheckArguments { format, output, unknown, project, .. } = arguments;
    let configuration = project.configuration.as_ref();
    Delivery { format: *format, lists_unknown: *unknown, output, configuration, terminal }
}

fn report(results: &Results<'_>, loaded: &Loaded) -> Report {
    let mut report = loaded.with_texts(|texts| Report::new(results, texts, Colour::On));
    if let Some(target) = &loaded.target {
        report.targets = vec![TargetSummary::of(&target.name, target.kind.name(), &report)];
    }
    report
}

/// Keeps the answers so far, in case the search is cut short.
fn keep(survey: Survey, guard: &Guard, loaded: &Arc<Loaded>, arguments: &CheckArguments, terminal: &Terminal) {
    keep_results(survey, None, guard, loaded, (arguments, terminal));
}

/// Keeps the answers so far, for a library if the number of its functions is given.
pub(crate) fn keep_results(
    mut survey: Survey,
    functions: Option<usize>,
    guard: &Guard,
    loaded: &Arc<Loaded>,
    (arguments, terminal): (&CheckArguments, &Terminal),
) {
    let (loaded, terminal) = (Arc::clone(loaded), *terminal);
    let (format, lists_unknown, detail) = (arguments.format, arguments.unknown, arguments.trace.into());
    guard.in_case_of_end(move |reason| {
        survey.reasons.push(reason.clone());
        let results = match functions {
            Some(functions) => Results::of_library(&survey, &loaded.program, functions),
            None => Results::of_program(&survey, &loaded.program),
        };
        let report = report(&results.with_detail(detail), &loaded);
        let output = deliver::render(&report, format, lists_unknown, &terminal);
        let exit = if loaded.target.is_some() { Exit::Fine } else { exit_of(&survey) };
        LastWords { output, message: String::new(), exit }
    });
}

fn exit_of(survey: &Survey) -> Exit {
    if survey.findings.is_empty() { exit_without_violations(survey) } else { Exit::Violation }
}

/// Returns the exit code if no violation counts, because there is none or all are accepted.
fn exit_without_violations(survey: &Survey) -> Exit {
    if survey.failures.iter().any(|failure| survey.reasons.contains(failure)) {
        Exit::Failure
    } else if survey.checks.unknown > 0 || !survey.reasons.is_empty() {
        Exit::Undecided
    } else {
        Exit::Fine
    }
}
