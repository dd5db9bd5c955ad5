//! Links to memory that the path freed.
//!
//! Lifetimes are not a concern of this engine (section 5 of the paper). But a path that certainly keeps a link to
//! memory that it freed is not called safe.

use cairn_rules::{Lit, Term};

use super::super::solver::PathSolver;
use super::super::state::{State, Value};

/// Returns whether a visited link, or the result, certainly leads to memory that the path freed.
pub(crate) fn links_freed_memory(solver: &mut PathSolver<'_, '_>, state: &mut State, result: Option<Value>) -> bool {
    let freed: Vec<Term> = state.freed.iter().copied().filter(|&term| solver.constant(term).is_none()).collect();
    if freed.is_empty() {
        return false;
    }
    if let Some(Value::Term(result)) = result
        && solver.is_one_of(result, &freed, &[])
    {
        return true;
    }
    for (class, address) in state.heaps.visited().to_vec() {
        if state.is_slot(solver, address) {
            continue;
        }
        // Links in freed memory itself do not matter.
        let holder = Term { offset: 0, ..solver.spread(address).map_or(address, |spread| spread.root) };
        let alive: Vec<Lit> = freed.iter().map(|&freed| !solver.equal(holder, freed)).collect();
        let Ok(value) = state.heaps.read(solver, class, address) else { continue };
        if solver.is_one_of(value, &freed, &alive) {
            return true;
        }
    }
    false
}
