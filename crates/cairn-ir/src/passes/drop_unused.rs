//! Removes unreferenced declarations, string literals and library models.
//!
//! A model file usually defines more functions than the program uses. Definitions by the user are always kept.

use crate::program::{Body, Origin, Program, Symbol};

use super::symbols::{Renumbering, block_symbols};

/// Runs the pass.
pub fn run(program: &mut Program) {
    let mut functions = vec![false; program.functions.len()];
    let mut globals = vec![false; program.globals.len()];
    let mut waiting = Vec::new();
    // The model of the start is not called by anyone.
    let start = program.start_of("main");
    for (index, function) in program.functions.iter().enumerate() {
        // Every program ends in a call to `exit`, even if the call is not written.
        let is_start = start == Some(crate::FuncId::new(index));
        if function.body.is_some() && (function.origin == Origin::User || function.name == "exit" || is_start) {
            functions[index] = true;
            waiting.push(Symbol::Function(crate::FuncId::new(index)));
        }
    }
    for (index, global) in program.globals.iter().enumerate() {
        let from_model = program.file_name(global.loc).starts_with(MODEL_FILES);
        if global.defined && global.loc.is_some() && !from_model {
            globals[index] = true;
            waiting.push(Symbol::Global(crate::GlobalId::new(index)));
        }
    }
    while let Some(symbol) = waiting.pop() {
        let mut found = |symbol: Symbol| {
            let (kept, symbol) = match symbol {
                Symbol::Function(id) | Symbol::Label(id, _) => (&mut functions[id.index()], Symbol::Function(id)),
                Symbol::Global(id) => (&mut globals[id.index()], symbol),
            };
            if !*kept {
                *kept = true;
                waiting.push(symbol);
            }
            symbol
        };
        match symbol {
            Symbol::Function(id) | Symbol::Label(id, _) => {
                // The visitor takes the body by mutable reference, but `found` leaves it unchanged.
                if let Some(mut body) = program.functions[id.index()].body.take() {
                    visit(&mut body, &mut found);
                    program.functions[id.index()].body = Some(body);
                }
            }
            Symbol::Global(id) => {
                for relocation in &program.globals[id.index()].relocations {
                    found(relocation.target);
                }
            }
        }
    }
    if functions.iter().chain(&globals).any(|kept| !kept) {
        Renumbering::keep(&functions, &globals).apply(program);
    }
}

/// The prefix of the file names of library models.
const MODEL_FILES: &str = "<cairn/";

fn visit(body: &mut Body, found: &mut impl FnMut(Symbol) -> Symbol) {
    for block in &mut body.blocks {
        block_symbols(block, found);
    }
}
