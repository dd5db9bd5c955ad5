//! Contracts as one JSON object. The members have stable names, so that contracts of two revisions can be compared.

use cairn_contract::contract::{Contract, formula_of_case, formula_of_requires, words};
use serde::Serialize;

/// The version of the JSON form. It grows when a member changes its meaning or goes away.
const VERSION: u32 = 1;

/// All contracts.
#[derive(Serialize)]
struct Contracts<'a> {
    version: u32,
    contracts: Vec<Printed<'a>>,
}

/// A contract in all of its forms.
#[derive(Serialize)]
struct Printed<'a> {
    contract: &'a Contract,
    words: Vec<String>,
    precondition: String,
    /// The condition and the postcondition of each case.
    cases: Vec<(String, String)>,
}

/// Renders contracts.
pub(super) fn render(contracts: &[Contract]) -> String {
    let printed = contracts.iter().map(|contract| Printed {
        contract,
        words: words(contract),
        precondition: formula_of_requires(contract),
        cases: contract.cases.iter().map(|case| formula_of_case(contract, case)).collect(),
    });
    let all = Contracts { version: VERSION, contracts: printed.collect() };
    // Only maps with keys that are no strings fail, and a contract has none.
    serde_json::to_string(&all).unwrap_or_default() + "\n"
}
