//! Trials: executions that hold a contract against the function.
//!
//! `generate` makes inputs that meet the requirements of a contract, the same ones for the same seed. The interpreter calls the function,
//! and `judge` compares the outcome with the cases. No trial may refute a contract: tests rely on it.

mod generate;
mod judge;

use cairn_ir::{FuncId, Program};

use crate::contract::Contract;
use crate::replay::Replayer;

/// Calls a function on inputs that meet its contract, and returns the first outcome that contradicts the contract.
///
/// Returns `None` if there is no contradiction. Inputs that cannot be made are left out.
pub fn refute(program: &Program, contract: &Contract, attempts: u64) -> Option<String> {
    let is_it = |function: &cairn_ir::Function| {
        function.name == contract.function && function.body.is_some() && function.loc.line == contract.line
    };
    let function = FuncId::new(program.functions.iter().position(is_it)?);
    let staged = crate::with_unknown_function(program);
    let replayer = Replayer::new(&staged)?;
    for seed in 1..=attempts {
        let Some(input) = generate::input(&staged, function, contract, seed) else { continue };
        let called = replayer.call_scenario(function, &input.scenario)?;
        if let Err(contradiction) = judge::judge(contract, &input, &called) {
            return Some(format!("`{}`, input {seed}: {contradiction}", contract.function));
        }
    }
    None
}
