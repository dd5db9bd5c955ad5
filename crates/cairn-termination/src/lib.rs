//! Proofs of termination: every function that the program reaches ends.
//!
//! A program ends if it has no recursion and each of its loops ends. A loop ends if a *ranking function* of its variables decreases in
//! every iteration: the variables are bit-vectors, so that a decreasing number reaches an end. A loop in whose iterations no
//! single number decreases may have several, of which the first one that changes decreases.
//!
//! ```c
//! while (i < n) { if (j > 0) j--; else { i++; j = 10; } }   // (n - i, j) decreases
//! ```
//!
//! | module | holds |
//! | --- | --- |
//! | `objects` | the memory that a function accesses at known addresses, which is treated like variables |
//! | `effects` | the functions that write memory |
//! | `formula` | the executions of a function up to each iteration of each loop, as terms |
//! | `invariants` | facts that hold at the heads of loops |
//! | `ranking` | the search for ranking functions |
//!
//! Arithmetic wraps, and everything that is not followed may have any value. A proof is about executions without accesses to invalid
//! memory, as C leaves the effect of such accesses undefined.

mod effects;
mod formula;
mod invariants;
mod limits;
mod objects;
mod ranking;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_ir::analysis::call_graph::{CallGraph, Calls};
use cairn_ir::inst::Inst;
use cairn_ir::program::Origin;
use cairn_ir::{FuncId, Intrinsic, Loc, Program};

use crate::effects::Effects;
use crate::formula::Formula;

/// What keeps a proof from being found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// The fact that is missing.
    pub what: What,
    /// The function that may not end.
    pub function: FuncId,
    /// The location.
    pub loc: Loc,
}

/// A fact that is missing in a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// A loop has no ranking function that was found.
    Loop,
    /// The function may call itself.
    Recursion,
    /// The function has no body.
    Unknown(String),
    /// The function contains something that is not followed.
    NotModelled(String),
    /// The function is too large.
    TooLarge,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Loop => f.write_str("a loop may not end"),
            What::Recursion => f.write_str("recursion may not end"),
            What::Unknown(name) => write!(f, "`{name}` has no body"),
            What::NotModelled(what) => write!(f, "termination with {what} is not supported"),
            What::TooLarge => f.write_str("a function is too large"),
        }
    }
}

/// Proves that all executions of a program end, which start in one of some functions.
pub fn prove(program: &Program, entries: &[FuncId], interrupt: &Arc<AtomicBool>) -> Result<(), Obstacle> {
    let graph = CallGraph::of(program);
    let obstacle = |function: FuncId, what: What| {
        let loc = program.functions[function.index()].loc;
        Obstacle { what, function, loc }
    };
    let reached = reached(program, &graph, entries).map_err(|function| obstacle(function, What::Recursion))?;
    let effects = Effects::of(program, &graph);
    // Cheap obstacles first.
    for &function in &reached {
        let known = &program.functions[function.index()];
        let Some(body) = &known.body else { return Err(obstacle(function, What::Unknown(known.name.clone()))) };
        for (inst, &loc) in body.blocks.iter().flat_map(|block| block.insts.iter().zip(&block.locs)) {
            if let Some(what) = not_followed(inst) {
                return Err(Obstacle { what: What::NotModelled(what), function, loc });
            }
        }
    }
    for &function in &reached {
        let Some(body) = &program.functions[function.index()].body else { continue };
        let Some(mut formula) =
            Formula::of(program, &effects, body).map_err(|(what, loc)| Obstacle { what, function, loc })?
        else {
            continue;
        };
        let known = invariants::find(&mut formula, interrupt);
        for index in 0..formula.loops.len() {
            if !ranking::ends(&mut formula, &known, index, interrupt) {
                let head = formula.loops[index].head;
                let block = &body.blocks[head.index()];
                let loc = block.locs.first().copied().unwrap_or(block.end_loc);
                return Err(Obstacle { what: What::Loop, function, loc });
            }
        }
    }
    Ok(())
}

/// The functions of the model that register handlers for the end of the program, and those that call the handlers.
const REGISTERING: [&str; 3] = ["atexit", "on_exit", "at_quick_exit"];
const CALLING: [&str; 2] = ["exit", "quick_exit"];

/// Returns the functions that calls from the entries may lead to; `Err` with a function that may call itself.
///
/// The models of `exit` only end the program if it registers no handlers. They are left out then.
fn reached(program: &Program, graph: &CallGraph, entries: &[FuncId]) -> Result<BTreeSet<FuncId>, FuncId> {
    let is_model = |id: FuncId, names: &[&str]| {
        let function = &program.functions[id.index()];
        function.origin == Origin::Model && names.contains(&function.name.as_str())
    };
    let registers = |id: &FuncId| is_model(*id, &REGISTERING);
    let has_handlers = graph.addressed().iter().any(registers)
        || (0..program.functions.len()).any(|index| graph.named_calls(FuncId::new(index)).iter().any(registers));
    let callees = |id: FuncId| -> Vec<FuncId> {
        let is_left_out = |callee: &FuncId| !has_handlers && is_model(*callee, &CALLING);
        graph.callees(id, Calls::All).filter(|callee| !is_left_out(callee)).collect()
    };
    let mut reached = BTreeSet::new();
    for &entry in entries.iter().filter(|entry| has_handlers || !is_model(**entry, &CALLING)) {
        // Depth first, with the functions on the way and their callees that are left.
        let mut way = vec![(entry, callees(entry))];
        reached.insert(entry);
        while let Some((_, left)) = way.last_mut() {
            let Some(next) = left.pop() else {
                way.pop();
                continue;
            };
            if way.iter().any(|(function, _)| *function == next) {
                return Err(next);
            }
            if reached.insert(next) {
                way.push((next, callees(next)));
            }
        }
    }
    Ok(reached)
}

/// Returns what an instruction does if the proofs do not follow it.
fn not_followed(inst: &Inst) -> Option<String> {
    match inst {
        Inst::Unsupported { what, .. } => Some(what.to_string()),
        Inst::Intrinsic {
            op: op @ (Intrinsic::Setjmp | Intrinsic::Longjmp | Intrinsic::OneAnswer | Intrinsic::Closure),
            ..
        } => Some(format!("`{}`", op.name())),
        _ => None,
    }
}
