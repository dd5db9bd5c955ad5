//! The arguments of `cairn sl`.

use std::path::PathBuf;

use cairn_sl::Semantics;
use clap::{Args, ValueEnum};

/// The arguments of `cairn sl`.
#[derive(Args, Debug)]
pub(crate) struct SlArguments {
    /// Problem file, or `-` for standard input
    #[arg(value_name = "FILE.smt2")]
    pub(crate) file: PathBuf,
    /// Meaning of `(= x y)` for the heap
    #[arg(long, value_name = "WHICH", default_value = "slcomp")]
    pub(crate) semantics: SemanticsName,
    /// Print a model after every `sat`: the stack and the heap
    #[arg(long)]
    pub(crate) model: bool,
    /// Format of models
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ModelFormat,
    /// Answer `sat` also for nested `wand`s, about which solvers disagree, instead of `unknown`
    #[arg(long)]
    pub(crate) nested_wands: bool,
    /// Time limit in seconds, after which the answer is `unknown`
    #[arg(long, value_name = "S")]
    pub(crate) time_limit: Option<u64>,
    /// Print the deciding procedure, its steps and the reason for `unknown` on standard error
    #[arg(long)]
    pub(crate) stats: bool,
}

/// The formats of models and of symbolic states.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ModelFormat {
    /// Plain text
    Text,
    /// A graph in the DOT language
    Dot,
}

/// The readings of pure atoms.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SemanticsName {
    /// Any heap
    Slcomp,
    /// The empty heap
    Strict,
}

impl From<SemanticsName> for Semantics {
    fn from(name: SemanticsName) -> Self {
        match name {
            SemanticsName::Slcomp => Semantics::SlComp,
            SemanticsName::Strict => Semantics::Strict,
        }
    }
}
