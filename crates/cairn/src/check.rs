//! `cairn check`: every property of a program at once.

use cairn_engine::portfolio::{Engines, Task};
use cairn_engine::survey::{self, Survey};
use cairn_engine::verdict::Property;
use cairn_ir::CheckKind;
use cairn_report::{github, sarif, survey as report};

use crate::arguments::{CheckArguments, EngineName, Format};
use crate::exit::Exit;
use crate::harness;
use crate::integrity;
use crate::limits::Limits;
use crate::program;
use crate::solver;
use crate::terminal::{self, Terminal};

/// Verifies the program.
pub(crate) fn check(arguments: &CheckArguments, terminal: &Terminal) -> Exit {
    if arguments.solver.engine == EngineName::Integrity {
        return integrity::check(arguments, terminal);
    }
    let Some(loaded) = program::load(&arguments.files, &arguments.c, terminal) else { return Exit::Failure };
    let main = loaded.program.function_named("main");
    if main.is_none_or(|id| loaded.program.functions[id.index()].body.is_none()) {
        terminal.report("cairn: there is no `main`: libraries can't be checked yet, only whole programs");
        return Exit::Failure;
    }
    let properties = Property::ALL.into_iter().filter(|p| *p != Property::ValidMemcleanup || !arguments.allow_unfreed);
    let task = Task {
        entry: "main".to_owned(),
        properties: properties.collect(),
        besides: vec![CheckKind::Uninitialised, CheckKind::DivisionByZero, CheckKind::Overlap],
        malloc_fails: arguments.malloc_fails,
        assert_faults: true,
    };
    let limits = Limits::start(Some(arguments.time_limit), arguments.search.memory_limit);
    let (search, watch) = match solver::search(&arguments.solver, &arguments.search, &limits) {
        Ok((search, _)) if search.engines == Engines::Prove => {
            terminal.report("cairn: `check` looks for violations, which proving does not find");
            return Exit::Failure;
        }
        Ok((search, _)) if search.engines == Engines::Template => {
            terminal.report("cairn: the engine `template` answers `cairn svcomp` only");
            return Exit::Failure;
        }
        Ok(both) => both,
        Err(message) => {
            terminal.report(&format!("cairn: {message}"));
            return Exit::Failure;
        }
    };
    let survey = match survey::survey(&loaded.program, &task, search, &limits.cancel) {
        Ok((mut survey, effort)) => {
            if arguments.solver.stats {
                terminal.report(&watch.statistics(&effort));
            }
            survey.reasons.iter_mut().for_each(|reason| *reason = limits.reason(reason));
            survey
        }
        Err(message) => {
            terminal.report(&format!("cairn: {message}"));
            return Exit::Failure;
        }
    };
    if let Some(message) = watch.trouble() {
        terminal.report(&format!("cairn: {message}"));
        return Exit::Failure;
    }
    let text = loaded.with_texts(|texts| match arguments.format {
        Format::Text => report::text(&survey, &loaded.program, texts, terminal.output_colour),
        Format::Json => report::json(&survey, &loaded.program, texts),
        Format::Sarif => sarif::render(&survey, &loaded.program, texts, env!("CARGO_PKG_VERSION")),
        Format::Github => github::render(&survey, &loaded.program, texts),
    });
    terminal::print(text.as_bytes());
    if let Some(file) = &arguments.harness {
        for (index, violation) in survey.findings.iter().enumerate() {
            if let Err(message) = harness::write(&harness::numbered(file, index + 1), violation, &loaded, &task.entry) {
                terminal.report(&format!("cairn: the harness can't be written: {message}"));
                return Exit::Failure;
            }
        }
    }
    exit_of(&survey)
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
