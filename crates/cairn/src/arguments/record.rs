//! The arguments of the commands around projects: `record`, `merge`, `baseline`, `judge` and `cache`.

use std::ffi::OsString;
use std::path::PathBuf;

use cairn_report::Format;
use clap::{Args, Subcommand};

use super::check::formats;
use super::{CheckArguments, OutputArguments};

/// The arguments of `cairn record`.
#[derive(Args, Debug)]
pub(crate) struct RecordArguments {
    /// Folder for compile_commands.json and link_commands.json
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
    /// Keep the commands of an earlier record that this build does not repeat
    #[arg(long)]
    pub(crate) append: bool,
    /// Further names of compilers to record, such as arm-none-eabi-gcc
    #[arg(long = "compiler", value_name = "NAME")]
    pub(crate) compilers: Vec<OsString>,
    /// The build, such as `make -j4`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

/// The arguments of `cairn merge`.
#[derive(Args, Debug)]
pub(crate) struct MergeArguments {
    /// Results of `cairn check --target`, in the JSON format
    #[arg(required = true, value_name = "RESULT.json")]
    pub(crate) results: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = Format::Text.name(), value_parser = formats())]
    pub(crate) format: Format,
    /// List all unknown checks
    #[arg(long)]
    pub(crate) unknown: bool,
    #[command(flatten)]
    pub(crate) output: OutputArguments,
}

/// The actions of `cairn baseline`.
#[derive(Subcommand, Debug)]
pub(crate) enum BaselineAction {
    /// Check, and write all findings to the baseline
    Update(Box<BaselineArguments>),
}

/// The arguments of `cairn baseline update`.
#[derive(Args, Debug)]
pub(crate) struct BaselineArguments {
    #[command(flatten)]
    pub(crate) check: CheckArguments,
}

/// The actions of `cairn cache`.
#[derive(Subcommand, Clone, Debug)]
pub(crate) enum CacheAction {
    /// Delete all results
    Clear {
        /// Folder of the results [default: the user's cache folder]
        #[arg(long, value_name = "DIR")]
        cache_dir: Option<PathBuf>,
    },
    /// Print the number and size of the results
    Stats {
        /// Folder of the results [default: the user's cache folder]
        #[arg(long, value_name = "DIR")]
        cache_dir: Option<PathBuf>,
    },
}

/// The arguments of `cairn judge`.
#[derive(Args, Debug)]
pub(crate) struct JudgeArguments {
    /// Findings of another tool, in the SARIF format
    #[arg(value_name = "REPORT.sarif")]
    pub(crate) log: PathBuf,
    /// Write the findings with the judgements to FILE, in the SARIF format
    #[arg(long, value_name = "FILE")]
    pub(crate) judged: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) check: CheckArguments,
}
