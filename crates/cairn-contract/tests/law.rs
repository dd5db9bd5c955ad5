//! The law of contracts: an execution on an input that meets the requirements ends as one of the cases says.

use std::sync::Arc;

use cairn_contract::contract::{Basis, Contract, Effect, Requirement, Value};
use cairn_contract::{Options, Scope, checks_of, contracts, proofs, trial};
use cairn_frontend::library::Unmodelled;
use cairn_frontend::{Input, compile};
use cairn_ir::Program;
use cairn_ir::layout::Target;

/// The number of inputs for each function.
const ATTEMPTS: u64 = 300;

fn compiled(text: &str) -> Program {
    let mut options = cairn_frontend::Options::from(Target::Lp64);
    options.unmodelled = Unmodelled::Unknown;
    let compilation = compile(vec![Input { name: "law.c".to_owned(), text: text.to_owned() }], options);
    compilation.program.unwrap_or_else(|| panic!("{:?}", compilation.diagnostics))
}

fn options() -> Options {
    Options { malloc_fails: true, threads: 1, cancel: Arc::default(), scope: Scope::All, stated: Arc::default() }
}

fn inferred(program: &Program) -> Vec<Contract> {
    contracts(program, &options(), &[])
}

const LIBRARY: &str = include_str!("law.c");

#[test]
fn no_execution_refutes_a_contract() {
    let program = compiled(LIBRARY);
    let all = inferred(&program);
    let covering = all.iter().filter(|contract| !matches!(contract.basis, Basis::Partial(_)));
    let mut tried = 0;
    for contract in covering {
        tried += 1;
        if let Some(contradiction) = trial::refute(&program, contract, ATTEMPTS) {
            panic!("{contradiction}\n{contract:#?}");
        }
    }
    let partial: Vec<&str> =
        all.iter().filter(|one| matches!(one.basis, Basis::Partial(_))).map(|one| one.function.as_str()).collect();
    assert!(tried * 4 >= all.len() * 3, "{tried} of {} contracts cover their function, not {partial:?}", all.len());
}

/// Returns contracts that promise too much.
fn wrong(contract: &Contract) -> Vec<Contract> {
    let mut made = Vec::new();
    let mut with = |change: &dyn Fn(&mut Contract)| {
        let mut changed = contract.clone();
        change(&mut changed);
        if changed != *contract {
            made.push(changed);
        }
    };
    with(&|one| one.cases.iter_mut().for_each(|case| case.effects.retain(|e| !matches!(e, Effect::Frees(_)))));
    with(&|one| one.cases.retain(|case| case.result != Value::Null));
    with(&|one| one.cases.retain(|case| !matches!(case.result, Value::New { .. })));
    with(&|one| {
        for case in &mut one.cases {
            if let Value::Numbers(numbers) = &mut case.result {
                *numbers = numbers.iter().map(|number| number + 1).collect();
            }
        }
    });
    with(&|one| one.requires.iter_mut().for_each(|required: &mut Requirement| required.may_be_null = true));
    made
}

#[test]
fn executions_refute_wrong_contracts() {
    let program = compiled(LIBRARY);
    let covering = inferred(&program).into_iter().filter(|contract| !matches!(contract.basis, Basis::Partial(_)));
    let (mut all, mut refuted) = (0, 0);
    for contract in covering.flat_map(|contract| wrong(&contract)) {
        all += 1;
        refuted += usize::from(trial::refute(&program, &contract, ATTEMPTS).is_some());
    }
    assert!(all >= 20, "{all} wrong contracts");
    // A function may do the same with a pointer that is null as with another.
    assert!(refuted * 10 >= all * 8, "{refuted} of {all} wrong contracts are refuted");
}

/// Functions of which not all checks hold for callers that meet the contract: offsets and divisors are no part of it.
const OPEN: &[&str] = &["picked", "quotient"];

#[test]
fn executions_of_proved_functions_have_no_fault() {
    let program = compiled(LIBRARY);
    let all = proofs(&program, &options());
    let mut complete = Vec::new();
    for proof in &all {
        let name = program.functions[proof.function.index()].name.as_str();
        if proof.proved.len() == checks_of(&program, proof.function).count() {
            complete.push(name);
            if let Some(contradiction) = trial::refute(&program, &proof.contract, ATTEMPTS) {
                panic!("{contradiction}\n{:#?}", proof.contract);
            }
        }
    }
    for open in OPEN {
        assert!(!complete.contains(open), "{open} has checks that do not hold");
    }
    for name in ["push", "pop", "either", "second", "member", "unlink_pair", "swap", "hold"] {
        if program.functions.iter().any(|function| function.name == name) {
            assert!(complete.contains(&name), "{name} is not proved, only {complete:?}");
        }
    }
}
