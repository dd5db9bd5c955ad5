//! The arguments of `cairn bench`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::DataModel;

/// The measurements.
#[derive(Subcommand, Debug)]
pub(crate) enum Bench {
    /// Compare the procedures of --allocation-check on every .c and .i file of a folder
    AllocationCheck(BenchArguments),
    /// Measure how the cost of proofs grows with the size of generated programs
    Growth(GrowthArguments),
}

/// The arguments of `cairn bench growth`.
#[derive(Args, Debug)]
pub(crate) struct GrowthArguments {
    /// Also draw the result into FILE, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Time limit for each program, in seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
}

/// The arguments of `cairn bench allocation-check`.
#[derive(Args, Debug)]
pub(crate) struct BenchArguments {
    /// Folder with the tasks; the property is memory safety
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Sizes of int, long and pointers
    #[arg(long, value_name = "MODEL", default_value = "ILP32")]
    pub(crate) data_model: DataModel,
    /// Time limit for each task, in seconds
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
}
