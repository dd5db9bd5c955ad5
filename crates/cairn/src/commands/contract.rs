//! `cairn contract`: prints the inferred contract of each function.

use std::sync::Arc;

use cairn_contract::stated::{Disagreement, disagreements};
use cairn_contract::{Options, Scope};
use cairn_frontend::library::{Face, Unmodelled};

use crate::arguments::ContractArguments;
use crate::commands::library;
use crate::exit::Exit;
use crate::program::{self, Source};
use crate::system::supervise::Guard;
use crate::system::terminal::{self, Terminal};

/// Infers and prints contracts.
pub(crate) fn contract(arguments: &ContractArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    guard.limit(Some(arguments.time_limit), None);
    let mut frontend = cairn_frontend::Options::from(&arguments.c);
    frontend.face = Face::World;
    frontend.unmodelled = Unmodelled::Unknown;
    let sources = Source::all(&arguments.files, &arguments.c);
    let loaded = program::load_with(&sources, frontend, guard, terminal);
    let Some(loaded) = loaded else {
        return if guard.is_cancelled() { Exit::Undecided } else { Exit::Failure };
    };
    for name in &arguments.functions {
        let has_body = |f: &cairn_ir::program::Function| f.name == *name && f.body.is_some();
        if !loaded.program.functions.iter().any(has_body) {
            terminal.error(&format!("no function `{name}` is defined"));
            return Exit::Failure;
        }
    }
    let statements = library::statements(&loaded, terminal);
    let stated = statements.clone();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        malloc_fails: arguments.malloc_fails,
        threads,
        cancel: guard.cancel(),
        scope: Scope::All,
        stated: Arc::new(statements),
    };
    let contracts = cairn_contract::contracts(&loaded.program, &options, &arguments.functions);
    let is_cut = guard.is_cancelled();
    guard.concludes();
    let text = loaded.with_texts(|texts| arguments.format.render(&contracts, texts));
    terminal::print(text.as_bytes());
    let mut is_kept = true;
    for contract in &contracts {
        let Some(statements) = stated.get(&contract.function) else { continue };
        for Disagreement { line, message } in disagreements(statements, contract) {
            terminal.report(&format!("{}:{line}: error: stated contract does not hold: {message}", statements.file));
            is_kept = false;
        }
    }
    if is_cut {
        terminal.warning("some functions have no contract, because the time limit was reached");
        return Exit::Undecided;
    }
    if is_kept { Exit::Fine } else { Exit::Violation }
}
