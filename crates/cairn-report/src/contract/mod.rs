//! Contracts of functions as text, JSON, attributes of gcc, and ACSL. docs/contract.md describes the forms.

mod acsl;
mod attributes;
mod json;
mod prototype;

use cairn_contract::contract::{Contract, formula_of_case, formula_of_requires, words, words_of_basis};

use crate::{Texts, printable};

/// A form of contracts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContractFormat {
    /// Words and formulas.
    Text,
    /// One JSON object.
    Json,
    /// Declarations with attributes of gcc.
    Attributes,
    /// Declarations with annotations for Frama-C.
    Acsl,
}

impl ContractFormat {
    /// All forms.
    pub const ALL: [ContractFormat; 4] = [Self::Text, Self::Json, Self::Attributes, Self::Acsl];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Attributes => "attributes",
            Self::Acsl => "acsl",
        }
    }

    /// Returns the help text.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Text => "Words and formulas of separation logic",
            Self::Json => "One JSON object",
            Self::Attributes => "Declarations with attributes of gcc",
            Self::Acsl => "Declarations with ACSL annotations",
        }
    }

    /// Returns the form with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Renders contracts.
    pub fn render(self, contracts: &[Contract], texts: Texts<'_>) -> String {
        match self {
            Self::Text => contracts.iter().map(text).collect::<Vec<_>>().join("\n"),
            Self::Json => json::render(contracts),
            Self::Attributes => attributes::render(contracts, texts),
            Self::Acsl => acsl::render(contracts, texts),
        }
    }
}

/// Renders a contract in words, followed by its formulas.
fn text(contract: &Contract) -> String {
    let Contract { function, file, line, .. } = contract;
    let mut out = format!("{} ({}:{line})\n", printable(function), printable(file));
    for line in words(contract) {
        out.push_str(&format!("  {}\n", printable(&line)));
    }
    let parameters: Vec<&str> = contract.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let call = format!("{function}({})", parameters.join(", "));
    let requires = formula_of_requires(contract);
    if contract.never_returns {
        out.push_str(&format!("  {{ {requires} }} {call} {{ false }}\n"));
    }
    for case in &contract.cases {
        let (when, post) = formula_of_case(contract, case);
        let when = if when.is_empty() { String::new() } else { format!(" ∧ {when}") };
        let error = if case.is_error { "error " } else { "" };
        out.push_str(&printable(&format!("  {{ {requires}{when} }} {call} {error}{{ {post} }}")));
        out.push('\n');
    }
    if let Some(basis) = words_of_basis(contract) {
        out.push_str(&format!("  note: {}\n", printable(&basis)));
    }
    out
}
