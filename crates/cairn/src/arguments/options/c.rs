//! The options for reading C files, which several commands share.

use std::ffi::OsString;
use std::path::PathBuf;

use cairn_ir::layout::Target;
use clap::{Args, ValueEnum};

use crate::configuration::functions::Functions;

/// The options for reading C files.
#[derive(Args, Clone, Debug)]
pub(crate) struct COptions {
    /// Sizes of int, long and pointers
    #[arg(long, value_name = "MODEL", default_value = "LP64", help_heading = "C options")]
    pub(crate) data_model: DataModel,
    /// Add a folder to the search path for headers
    #[arg(short = 'I', value_name = "DIR", help_heading = "C options")]
    pub(crate) include_dirs: Vec<OsString>,
    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "C options")]
    pub(crate) defines: Vec<OsString>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "C options")]
    pub(crate) undefines: Vec<OsString>,
    /// Include a file before each source file (also `-include FILE`)
    #[arg(long = "include", value_name = "FILE", help_heading = "C options")]
    pub(crate) includes: Vec<OsString>,
    /// Language standard for the preprocessor, such as gnu11 (also `-std=STD`)
    #[arg(long = "std", value_name = "STD", help_heading = "C options")]
    pub(crate) standard: Option<OsString>,
    /// Also check integer operations for overflow, shifts and conversions for results that C leaves undefined
    #[arg(long, help_heading = "C options")]
    pub(crate) overflow: bool,
    /// C compiler that preprocesses `.c` files [default: $CC or `cc`]
    #[arg(long, value_name = "COMMAND", help_heading = "C options")]
    pub(crate) cc: Option<OsString>,
    /// Hide warnings
    #[arg(short = 'w', help_heading = "C options")]
    pub(crate) no_warnings: bool,
    /// Read the text of FILE from COPY, for editors with changes that are not saved
    #[arg(long, value_name = "FILE=COPY", value_parser = unsaved, hide = true)]
    pub(crate) unsaved: Option<(PathBuf, PathBuf)>,
    /// Further options for the preprocessor, from a compilation database. Only harmless ones get here (`project::flags`).
    #[arg(skip)]
    pub(crate) flags: Vec<OsString>,
    /// What functions do with memory, from the configuration.
    #[arg(skip)]
    pub(crate) functions: Functions,
}

impl COptions {
    /// Returns the options of a command that has only a data model.
    pub(crate) fn plain(data_model: DataModel) -> Self {
        Self {
            data_model,
            include_dirs: Vec::new(),
            defines: Vec::new(),
            undefines: Vec::new(),
            includes: Vec::new(),
            standard: None,
            overflow: false,
            cc: None,
            no_warnings: true,
            unsaved: None,
            flags: Vec::new(),
            functions: Functions::new(),
        }
    }
}

fn unsaved(text: &str) -> Result<(PathBuf, PathBuf), String> {
    let (file, copy) = text.rsplit_once('=').ok_or("expected FILE=COPY")?;
    Ok((file.into(), copy.into()))
}

/// Sizes of int, long and pointers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DataModel {
    /// 32-bit int, long and pointers
    #[value(name = "ILP32", alias = "ilp32", alias = "32bit")]
    Ilp32,
    /// 32-bit int, 64-bit long and pointers
    #[value(name = "LP64", alias = "lp64", alias = "64bit")]
    Lp64,
}

impl From<DataModel> for Target {
    fn from(model: DataModel) -> Self {
        match model {
            DataModel::Ilp32 => Target::Ilp32,
            DataModel::Lp64 => Target::Lp64,
        }
    }
}
