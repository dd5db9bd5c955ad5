//! The states after each line of a program, for people to read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cairn_exec::Options;
use cairn_exec::formula::HeapGraph;
use cairn_exec::reach::{Bookkeeping, Budget, Domain, Ended, Order, Reach};
use cairn_ir::Program;
use cairn_portfolio::Task;
use cairn_smt::Session;

use crate::Prover;
use crate::limits::MAX_RECORDED_STATES;

/// The states after one line.
#[derive(Debug)]
pub struct StatesAfter {
    /// The function that contains the line.
    pub function: String,
    /// The line.
    pub line: u32,
    /// Each state as a formula and as a graph, in the order of the formulas.
    pub states: Vec<(String, HeapGraph)>,
}

/// Returns the states that the prover reaches after each line of each function.
///
/// A check that fails does not end the search.
///
/// # Errors
/// Returns an error if there is no entry function with a body.
pub fn states(program: &Program, task: &Task, cancel: &Arc<AtomicBool>) -> Result<Vec<StatesAfter>, String> {
    let mut prover = Prover::new(program, Options::of(task), Session::new(cancel.clone()))?;
    prover.record_states();
    let mut run = Reach::new(&mut prover, Order::Ranked);
    let ended = run.run(
        &mut prover,
        &Budget { states: MAX_RECORDED_STATES, waiting: cairn_exec::limits::MAX_WAITING, cancel: cancel.clone() },
    );
    if ended == Ended::Complete {
        // The search also recorded states that joins have replaced. Only the remaining states are stepped once more.
        prover.record_states();
        prover.forget_callers();
        let mut waiting = prover.entry();
        waiting.extend(run.reached().flat_map(|(_, states)| states.to_vec()));
        while let Some(state) = waiting.pop() {
            let mut next = Vec::new();
            prover.transfer(state, &mut next);
            waiting.extend(next.into_iter().filter(|state| prover.place(state).is_none()));
        }
    }
    let after = |(function, line, states): (cairn_ir::FuncId, u32, &BTreeMap<String, HeapGraph>)| StatesAfter {
        function: program.functions[function.index()].name.clone(),
        line,
        states: states.iter().map(|(formula, graph)| (formula.clone(), graph.clone())).collect(),
    };
    Ok(prover.recorded().map(after).collect())
}
