//! The arguments of `cairn svcomp`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DataModel, SearchArguments, SolverArguments};

/// The arguments of `cairn svcomp`.
#[derive(Args, Debug)]
pub(crate) struct SvcompArguments {
    /// Property file [default: the one that the task definition names]
    #[arg(long, value_name = "FILE.prp")]
    pub(crate) property: Option<PathBuf>,
    /// Sizes of int, long and pointers [default: those of the task definition]
    #[arg(long, value_name = "MODEL")]
    pub(crate) data_model: Option<DataModel>,
    /// Write a witness for TRUE (YAML only) or FALSE to OUT
    #[arg(long, value_name = "OUT")]
    pub(crate) witness: Option<PathBuf>,
    /// Format of the witness [default: graphml if OUT ends in .graphml, otherwise yaml]
    #[arg(long, value_name = "FORMAT", requires = "witness")]
    pub(crate) witness_format: Option<WitnessFormat>,
    /// Check a witness (format 2.0 or 2.1): TRUE or FALSE if it is confirmed
    #[arg(long, value_name = "WITNESS.yml", conflicts_with_all = ["witness", "harness"])]
    pub(crate) validate: Option<PathBuf>,
    /// Write a C program that fails under a sanitizer at the violation to OUT.c
    #[arg(long, value_name = "OUT.c")]
    pub(crate) harness: Option<PathBuf>,
    /// Time limit in seconds, after which the answer is UNKNOWN
    #[arg(long, value_name = "S")]
    pub(crate) time_limit: Option<u64>,
    #[command(flatten)]
    pub(crate) search: SearchArguments,
    #[command(flatten)]
    pub(crate) solver: SolverArguments,
    /// Task definition (.yml), C file (.c, or preprocessed .i), or `-` for standard input
    pub(crate) file: PathBuf,
}

/// The formats of witnesses.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WitnessFormat {
    /// Format 2.0, for TRUE and FALSE
    Yaml,
    /// Format 1.0, for FALSE only
    Graphml,
}
