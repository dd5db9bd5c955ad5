//! The arguments of `cairn dump`.

use std::path::PathBuf;

use clap::Args;

use super::options::{CallsName, template_names};
use super::{COptions, ModelFormat};

/// The arguments of `cairn dump`.
#[derive(Args, Debug)]
#[group(id = "form", required = true, multiple = false, args = ["ir", "cfg", "states", "ssa", "invariants", "summaries"])]
pub(crate) struct DumpArguments {
    /// C files (.c, or preprocessed .i), one file of textual IR (.ir), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print the intermediate representation as text
    #[arg(long)]
    pub(crate) ir: bool,
    /// Use the library models of `cairn check`: functions that depend on the environment return any value
    #[arg(long, conflicts_with_all = ["states", "ssa", "invariants", "summaries"])]
    pub(crate) world: bool,
    /// Print the control-flow graphs in the DOT language
    #[arg(long)]
    pub(crate) cfg: bool,
    /// Print the symbolic states after every line, as separation-logic formulas
    #[arg(long)]
    pub(crate) states: bool,
    /// Format of the states
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", requires = "states")]
    pub(crate) format: ModelFormat,
    /// Write the states as a page with formulas and drawings to DIR instead of printing them
    #[arg(long, value_name = "DIR", requires = "states", conflicts_with = "format")]
    pub(crate) html: Option<PathBuf>,
    /// Print the states as JSON, for the language server
    #[arg(long, requires = "states", conflicts_with_all = ["format", "html"], hide = true)]
    pub(crate) json: bool,
    /// Assume that allocations never fail
    #[arg(long, requires = "states")]
    pub(crate) malloc_succeeds: bool,
    /// Print the acyclic single-assignment formula that the engine `template` works on
    #[arg(long)]
    pub(crate) ssa: bool,
    /// Print the loop invariants that the engine `template` finds
    #[arg(long)]
    pub(crate) invariants: bool,
    /// Print the function summaries and calling contexts that the engine `template` finds
    #[arg(long)]
    pub(crate) summaries: bool,
    /// Treatment of calls [default: auto; summaries with `--summaries`]
    #[arg(long, value_name = "HOW", conflicts_with_all = ["ir", "cfg", "states"])]
    pub(crate) calls: Option<CallsName>,
    /// Templates of the invariants, separated by commas
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        value_parser = template_names(),
        conflicts_with_all = ["ir", "cfg", "states", "ssa"]
    )]
    pub(crate) template: Vec<String>,
    #[command(flatten)]
    pub(crate) c: COptions,
}
