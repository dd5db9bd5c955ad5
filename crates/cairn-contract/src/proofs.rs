//! Proofs: checks that hold for every caller that meets the contract of the function.
//!
//! If all paths of a function were executed and the requirements are all that they rest on, a check that no path fails is proved for
//! such callers. Paths with chosen lengths, unknown functions or further assumptions prove nothing.

use cairn_ir::inst::Passing;
use cairn_ir::{CheckId, FuncId, Program};

use crate::contract::{Basis, Contract};
use crate::environment::{Environment, Hooks};
use crate::search::{KINDS, Search};
use crate::{Options, infer, is_checked, limits, on_every, with_unknown_function};

/// The proved checks of a function.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The function.
    pub function: FuncId,
    /// Its contract, which callers have to meet.
    pub contract: Contract,
    /// The checks that are proved.
    pub proved: Vec<CheckId>,
}

/// Returns the checks of a function that library code is checked for.
pub fn checks_of(program: &Program, function: FuncId) -> impl Iterator<Item = CheckId> + '_ {
    let is_own = move |check: &cairn_ir::Check| check.function == function && KINDS.contains(&check.kind);
    program.checks.iter().enumerate().filter(move |(_, check)| is_own(check)).map(|(index, _)| CheckId::new(index))
}

/// Proves checks of the user's functions, in the order of the program.
pub fn proofs(program: &Program, options: &Options) -> Vec<Proof> {
    let staged = with_unknown_function(program);
    let variables = Environment::of(&staged, Hooks::Any, &options.stated);
    let functions: Vec<FuncId> = (0..program.functions.len())
        .map(FuncId::new)
        .filter(|&id| is_checked(program, id) && has_nameable_arguments(program, id))
        .collect();
    let found = on_every(&functions, options, |function| {
        let effort = (limits::PROOF, options.malloc_fails);
        let seen = Search::new(&staged, &variables, function, effort, &options.cancel).with_path_ends().look();
        if !seen.is_sufficient || options.cancel.load(std::sync::atomic::Ordering::Relaxed) {
            return None;
        }
        let contract = infer::contract(&staged, function, &seen, false);
        if contract.basis != Basis::Complete {
            return None;
        }
        let proved = checks_of(program, function).filter(|check| !seen.open.contains(check)).collect();
        Some(Proof { function, contract, proved })
    });
    found.into_iter().flatten().collect()
}

/// Returns whether the contract names all memory that the function is given.
fn has_nameable_arguments(program: &Program, id: FuncId) -> bool {
    let signature = &program.functions[id.index()].signature;
    !signature.variadic && signature.params.iter().all(|passing| matches!(passing, Passing::Scalar(_)))
}
