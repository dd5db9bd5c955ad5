//! The assumptions that all answers of a program rest on.

use cairn_ir::analysis::call_graph::CallGraph;
use cairn_ir::program::Origin;
use cairn_ir::{FuncId, Program};

use super::super::Options;
use super::super::allocators;
use super::super::functions::callees;
use super::super::limits::SHOWN_NAMES;

/// Returns the assumptions, each as a clause that continues "assuming that".
pub(crate) fn assumptions(program: &Program, options: &Options) -> Vec<String> {
    let mut bodiless: Vec<&str> = Vec::new();
    let mut allocators: Vec<&str> = Vec::new();
    // What models call among themselves is no function that a user knows.
    let is_user = |id: &FuncId| program.functions[id.index()].origin != Origin::Model;
    let graph = CallGraph::of(program);
    let mut calls_pointers = false;
    for id in (0..program.functions.len()).map(FuncId::new).filter(is_user) {
        calls_pointers |= graph.pointer_calls(id) > 0;
        for callee in callees(program, id) {
            let function = &program.functions[callee.index()];
            if allocators::allocator(program, &options.allocators, callee).is_some() {
                allocators.push(&function.name);
            } else if function.body.is_none() || function.origin == Origin::Model {
                bodiless.push(&function.name);
            }
        }
    }
    for names in [&mut bodiless, &mut allocators] {
        names.sort_unstable();
        names.dedup();
    }
    let mut out = vec![
        "an access through a null pointer stops the program".to_owned(),
        "links and pointers of the caller do not lead to memory that the function frees".to_owned(),
        "local variables are not used after they went out of scope".to_owned(),
    ];
    if let Some(most) = options.longest_path {
        out.push(format!(
            "an index that counts the iterations of a loop which only the graph bounds is at most {most}"
        ));
    }
    if !allocators.is_empty() {
        out.push(format!("allocators return new memory of the requested size, or null: {}", allocators.join(", ")));
    }
    if !bodiless.is_empty() {
        out.push(format!(
            "functions of the library and those without a body keep graphs valid: {}",
            shortened(&bodiless)
        ));
    }
    if calls_pointers {
        out.push("functions that are called through pointers keep graphs valid".to_owned());
    }
    out
}

/// Returns the first names of a list, and how many follow.
fn shortened(names: &[&str]) -> String {
    let shown = names[..names.len().min(SHOWN_NAMES)].join(", ");
    match names.len().saturating_sub(SHOWN_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
