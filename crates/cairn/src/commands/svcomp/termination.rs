//! The property `termination`: TRUE for a proof, and otherwise unknown.

use cairn_ir::FuncId;

use crate::commands::svcomp::{Outputs, unknown_because};
use crate::exit::Exit;
use crate::program::Loaded;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;

/// The model of the end of a program, which calls the handlers that the program has registered.
const EXIT: &str = "exit";

/// Answers whether all executions of a program end.
pub(super) fn answer(loaded: &Loaded, outputs: &Outputs<'_>, guard: &Guard, terminal: &Terminal) -> Exit {
    let program = &loaded.program;
    let has_body = |id: &FuncId| program.functions[id.index()].body.is_some();
    let Some(entry) = program.function_named(outputs.entry).filter(has_body) else {
        terminal.error(&format!("no function `{}`", outputs.entry));
        return Exit::Failure;
    };
    let entries: Vec<FuncId> = [entry].into_iter().chain(program.function_named(EXIT).filter(has_body)).collect();
    let proof = cairn_termination::prove(program, &entries, &guard.cancel());
    let stopped = guard.stopped();
    guard.concludes();
    match (proof, stopped) {
        (Ok(()), _) => outputs.proved(&[]),
        (Err(_), Some(reason)) => unknown_because(&reason.to_string()),
        (Err(obstacle), None) => {
            let function = &program.functions[obstacle.function.index()].name;
            let file = program.file_name(obstacle.loc);
            let line = obstacle.loc.line;
            terminal.note(&format!("{file}:{line}: {obstacle} (in function `{function}`)"));
            unknown_because(&obstacle.to_string())
        }
    }
}
