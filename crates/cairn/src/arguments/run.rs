//! The arguments of `cairn run`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{COptions, parse_size};

/// The arguments of `cairn run`.
#[derive(Args, Debug)]
pub(crate) struct RunArguments {
    /// C files (.c, or preprocessed .i), one file of textual IR (.ir), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) args: Vec<OsString>,
    /// Seed of the generator of nondeterministic values
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Read the nondeterministic values from FILE, one per line
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub(crate) inputs: Option<PathBuf>,
    /// Let the N-th allocation fail, counted from 1 (may be repeated)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) malloc_fails: Vec<u64>,
    /// Give up after N instructions
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<u64>,
    /// Give up when live objects need more memory than SIZE (512M, 2G)
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "4G")]
    pub(crate) max_memory: u64,
    /// Treatment of heap objects that are live when the program ends
    #[arg(long, value_name = "WHAT", default_value = "report")]
    pub(crate) leaks: Leaks,
    /// Treat heap objects that are reachable when the program ends as errors, too
    #[arg(long)]
    pub(crate) error_on_unfreed: bool,
    #[command(flatten)]
    pub(crate) c: COptions,
}

/// The treatment of objects that are live when the program ends.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaks {
    /// Report them; unreachable ones are errors
    Report,
    /// Ignore them
    Ignore,
}
