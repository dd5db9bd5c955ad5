//! `cairn check`: every property of a program at once.

use cairn_engine::portfolio::Task;
use cairn_engine::survey::{self, Survey};
use cairn_engine::verdict::Property;
use cairn_report::survey as report;

use crate::arguments::{CheckArguments, Format};
use crate::exit::Exit;
use crate::harness;
use crate::program;
use crate::svcomp::cancelled_after;
use crate::terminal::{self, Terminal};

/// Verifies the program.
pub(crate) fn check(arguments: &CheckArguments, terminal: &Terminal) -> Exit {
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
        malloc_fails: arguments.malloc_fails,
        assert_faults: true,
    };
    let survey = match survey::survey(&loaded.program, &task, &cancelled_after(Some(arguments.time_limit))) {
        Ok(survey) => survey,
        Err(message) => {
            terminal.report(&format!("cairn: {message}"));
            return Exit::Failure;
        }
    };
    let text = loaded.with_texts(|texts| match arguments.format {
        Format::Text => report::text(&survey, &loaded.program, texts, terminal.output_colour),
        Format::Json => report::json(&survey, &loaded.program, texts),
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
