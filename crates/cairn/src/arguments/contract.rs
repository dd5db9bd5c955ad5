//! The arguments of `cairn contract`.

use std::path::PathBuf;

use cairn_report::ContractFormat;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::COptions;

/// The arguments of `cairn contract`.
#[derive(Args, Debug)]
pub(crate) struct ContractArguments {
    /// C files (.c, or preprocessed .i), one file of textual IR (.ir), or `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print only the contract of this function; may be given more than once
    #[arg(long = "function", value_name = "NAME")]
    pub(crate) functions: Vec<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = ContractFormat::Text.name(), value_parser = formats())]
    pub(crate) format: ContractFormat,
    /// Let malloc, calloc and realloc fail
    #[arg(long)]
    pub(crate) malloc_fails: bool,
    /// Time limit in seconds, after which functions have no contract
    #[arg(long, value_name = "S", default_value_t = 60)]
    pub(crate) time_limit: u64,
    #[command(flatten)]
    pub(crate) c: COptions,
}

/// Accepts the names of [`ContractFormat::ALL`].
fn formats() -> impl TypedValueParser<Value = ContractFormat> {
    let values = ContractFormat::ALL.map(|format| PossibleValue::new(format.name()).help(format.summary()));
    PossibleValuesParser::new(values).try_map(|name| ContractFormat::from_name(&name).ok_or("no such format"))
}
