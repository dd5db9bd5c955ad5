//! The arguments of `cairn verify-certificate`.

use std::path::PathBuf;

use clap::Args;

use super::COptions;

/// The arguments of `cairn verify-certificate`.
#[derive(Args, Debug)]
pub(crate) struct VerifyCertificateArguments {
    /// Time limit in seconds
    #[arg(long, value_name = "S")]
    pub(crate) time_limit: Option<u64>,
    /// Certificate that `--certificate` has written
    pub(crate) certificate: PathBuf,
    /// C files (.c, or preprocessed .i) of the program
    #[arg(required = true, value_name = "FILES")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) c: COptions,
}
