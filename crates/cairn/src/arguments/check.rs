//! The arguments of `cairn check`.

use std::ffi::OsString;
use std::path::PathBuf;

use cairn_report::{Detail, Format};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::{COptions, IntegrityArguments, OutputArguments, ProjectArguments, SearchArguments, SolverArguments};

/// The arguments of `cairn check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// C files of one program (.c, or preprocessed .i), one file of textual IR (.ir), `-` for standard input, or folders and
    /// compile_commands.json of a project; without any, the project around the current folder
    #[arg(value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    /// Arguments of the program; without them, it gets any number of any strings
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<OsString>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = Format::Text.name(), value_parser = formats())]
    pub(crate) format: Format,
    /// Let malloc, calloc and realloc fail
    #[arg(long)]
    pub(crate) malloc_fails: bool,
    /// Check every function by itself for unknown callers, as in code without a `main`
    #[arg(long)]
    pub(crate) library: bool,
    /// Behaviours of `realloc(p, 0)` to consider
    #[arg(long, value_name = "WHICH", default_value = "any")]
    pub(crate) realloc_zero: ReallocZero,
    /// Accept heap objects that are reachable when the program ends
    #[arg(long)]
    pub(crate) allow_unfreed: bool,
    /// List all unknown checks
    #[arg(long)]
    pub(crate) unknown: bool,
    /// Steps of a finding to show
    #[arg(long, value_name = "DETAIL", default_value = "short")]
    pub(crate) trace: TraceName,
    /// Write a C program that fails under a sanitizer at the violation to OUT.c; further ones to OUT-2.c, …
    #[arg(long, value_name = "OUT.c")]
    pub(crate) harness: Option<PathBuf>,
    /// Time limit in seconds, after which open checks stay unknown
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
    #[command(flatten)]
    pub(crate) integrity: IntegrityArguments,
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    #[command(flatten)]
    pub(crate) solver: SolverArguments,
    #[command(flatten)]
    pub(crate) c: COptions,
}

/// How many steps of a finding are shown.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TraceName {
    /// Those that the fault depends on most, with names of objects
    Short,
    /// All calls, branches, allocations and inputs, with numbers of objects
    Full,
}

impl From<TraceName> for Detail {
    fn from(name: TraceName) -> Self {
        match name {
            TraceName::Short => Detail::Short,
            TraceName::Full => Detail::Full,
        }
    }
}

/// The behaviours of `realloc(p, 0)`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReallocZero {
    /// Both that C permits: free the object and return null, or return a new object
    Any,
    /// That of glibc: free the object and return null
    Glibc,
}

impl From<ReallocZero> for cairn_frontend::library::ReallocZero {
    fn from(behaviours: ReallocZero) -> Self {
        match behaviours {
            ReallocZero::Any => cairn_frontend::library::ReallocZero::Any,
            ReallocZero::Glibc => cairn_frontend::library::ReallocZero::Glibc,
        }
    }
}

/// Accepts the names of [`Format::ALL`].
pub(super) fn formats() -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.map(|format| PossibleValue::new(format.name()).help(format.summary()));
    PossibleValuesParser::new(values).try_map(|name| Format::from_name(&name).ok_or("no such format"))
}
