//! The arguments of `cairn diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The arguments of `cairn diff`.
#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// Revisions of the repository (OLD..NEW, or OLD for the changes since then), or two folders
    #[arg(required = true, num_args = 1..=2, value_name = "OLD..NEW | OLD NEW")]
    pub(crate) sides: Vec<String>,
    /// Read compile_commands.json in DIR
    #[arg(short = 'p', long = "project", value_name = "DIR")]
    pub(crate) database: Option<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: DiffFormat,
    /// Compare findings only, which is faster
    #[arg(long)]
    pub(crate) no_contracts: bool,
    /// Time limit in seconds for each program and library file
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
    /// Let malloc, calloc and realloc fail
    #[arg(long)]
    pub(crate) malloc_fails: bool,
}

/// The formats of a difference.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DiffFormat {
    /// New findings with their traces, and a summary
    Text,
    /// A comment for a pull request
    Markdown,
}
