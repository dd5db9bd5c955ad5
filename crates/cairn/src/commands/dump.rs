//! `cairn dump`: prints an internal form of a program.

use cairn_frontend::library::{Face, ReallocZero, Unmodelled};
use cairn_portfolio::Task;
use cairn_portfolio::calls::Calls;
use cairn_template::ssa::{Contexts, Formula, Options, Terms};
use cairn_template::{invariants, summaries, templates};

use crate::arguments::{DumpArguments, ModelFormat};
use crate::commands::project::deliver;
use crate::exit::Exit;
use crate::program::{self, Loaded, Source};
use crate::system::supervise::Guard;
use crate::system::terminal::{self, Terminal};

/// Prints the program in the form that the arguments name.
pub(crate) fn dump(arguments: DumpArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    // The forms of an engine show the program as engines see it.
    let is_of_engine = arguments.states || arguments.ssa || arguments.invariants || arguments.summaries;
    let face = if is_of_engine || arguments.world { Face::World } else { Face::Exact };
    let mut frontend = cairn_frontend::Options { face, ..(&arguments.c).into() };
    if arguments.world {
        (frontend.realloc_zero, frontend.unmodelled) = (ReallocZero::Any, Unmodelled::UnknownInLibraries);
    }
    let loaded = program::load_with(&Source::all(&arguments.files, &arguments.c), frontend, guard, terminal);
    let Some(loaded) = loaded else { return Exit::Failure };
    let text = if arguments.states {
        states(&loaded, &arguments, guard)
    } else if arguments.ssa || arguments.invariants || arguments.summaries {
        formula(&loaded.program, &arguments)
    } else if arguments.cfg {
        Ok(cairn_ir::print::print_cfg(&loaded.program))
    } else {
        Ok(cairn_ir::print::print(&loaded.program))
    };
    match text {
        Ok(text) => {
            terminal::print(text.as_bytes());
            Exit::Fine
        }
        Err(message) => {
            terminal.error(&message);
            Exit::Failure
        }
    }
}

/// Returns the formula of the engine `template`, or the invariants or the summaries that it finds.
fn formula(program: &cairn_ir::Program, arguments: &DumpArguments) -> Result<String, String> {
    let usual = if arguments.summaries { Calls::Summaries } else { Calls::Auto };
    let calls = arguments.calls.map_or(usual, Calls::from);
    let entry = "main".to_owned();
    let options = Options {
        entry,
        kinds: Vec::new(),
        malloc_fails: false,
        assert_faults: false,
        calls,
        contexts: Contexts::default(),
    };
    let subjects = templates::subjects(&arguments.template);
    let formula = Formula::of(program, &options, 1, subjects, Terms::new())?;
    if arguments.invariants {
        invariants(program, formula, &arguments.template)
    } else if arguments.summaries {
        summaries(program, formula, &arguments.template)
    } else {
        Ok(formula.print(program))
    }
}

/// Returns the symbolic states after each line.
fn states(loaded: &Loaded, arguments: &DumpArguments, guard: &Guard) -> Result<String, String> {
    let program = &loaded.program;
    let task = Task {
        entry: "main".to_owned(),
        properties: Vec::new(),
        besides: Vec::new(),
        malloc_fails: !arguments.malloc_succeeds,
        assert_faults: false,
    };
    let found = cairn_prove::states::states(program, &task, &guard.cancel())?;
    if arguments.json {
        return Ok(cairn_report::html::states_as_json(&found));
    }
    if let Some(folder) = &arguments.html {
        let file_of = |function: &str| {
            let function = program.functions.iter().find(|f| f.name == function && f.body.is_some())?;
            loaded.originals.read(program.file_name(function.loc))
        };
        let line =
            |function: &str, line: u32| Some(file_of(function)?.lines().nth(line.checked_sub(1)? as usize)?.to_owned());
        let pages = cairn_report::html::states(&found, &line, env!("CARGO_PKG_VERSION"));
        return deliver::write_pages(folder, &pages).map(|()| String::new());
    }
    Ok(match arguments.format {
        ModelFormat::Text => cairn_report::states::text(&found),
        ModelFormat::Dot => cairn_report::states::dot(&found),
    })
}
