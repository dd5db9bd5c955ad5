//! Drops what nothing refers to: declarations, string literals, and models of library functions that came along with one
//! that is used. Everything that the user defined stays.

use crate::program::{Body, Origin, Program, Symbol};

use super::symbols::{Renumbering, block_symbols};

/// The pass.
pub fn run(program: &mut Program) {
    let mut functions = vec![false; program.functions.len()];
    let mut globals = vec![false; program.globals.len()];
    let mut waiting = Vec::new();
    for (index, function) in program.functions.iter().enumerate() {
        // The end of a program is a call of `exit`, whether it is written or not.
        if function.body.is_some() && (function.origin == Origin::User || function.name == "exit") {
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
                // The walk can change what it sees, so the body is lent to it; it changes nothing.
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

/// How the names of the files of library models begin.
const MODEL_FILES: &str = "<cairn/";

fn visit(body: &mut Body, found: &mut impl FnMut(Symbol) -> Symbol) {
    for block in &mut body.blocks {
        block_symbols(block, found);
    }
}
