//! The options of `cairn check` for projects and for their results.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::configuration::Configuration;
use cairn_report::Format;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, ValueEnum};

/// The options for projects.
#[derive(Args, Debug)]
pub(crate) struct ProjectArguments {
    /// Read compile_commands.json in DIR
    #[arg(short = 'p', long = "project", value_name = "DIR", help_heading = "Project options")]
    pub(crate) database: Option<PathBuf>,
    /// Number of programs and files that are checked at the same time [default: all cores]
    #[arg(short = 'j', long, value_name = "N", help_heading = "Project options", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Folder for results that later runs use again [default: the user's cache folder]
    #[arg(long, value_name = "DIR", help_heading = "Project options")]
    pub(crate) cache_dir: Option<PathBuf>,
    /// Neither use nor keep results
    #[arg(long, conflicts_with = "cache_dir", help_heading = "Project options")]
    pub(crate) no_cache: bool,
    /// Read the settings of the project from FILE [default: cairn.toml in the current folder or above it]
    #[arg(long, value_name = "FILE", conflicts_with = "target", help_heading = "Project options")]
    pub(crate) config: Option<PathBuf>,
    /// Write a ninja file with an action for each program and library file to DIR instead of checking
    #[arg(long, value_name = "DIR", help_heading = "Project options")]
    pub(crate) emit_ninja: Option<PathBuf>,
    /// Check one target, as `--emit-ninja` writes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "database"], help_heading = "Project options")]
    pub(crate) target: Option<PathBuf>,
    /// List the proved checks in the JSON format
    #[arg(long, hide = true)]
    pub(crate) list_proved: bool,
    /// Files with definitions of functions that the project does not contain, from the configuration.
    #[arg(skip)]
    pub(crate) models: Vec<PathBuf>,
    /// The settings of the project.
    #[arg(skip)]
    pub(crate) configuration: Option<Configuration>,
    /// The options that each target is checked with.
    #[arg(skip)]
    pub(crate) forwarded: Vec<OsString>,
}

/// The options for results.
#[derive(Args, Debug)]
pub(crate) struct OutputArguments {
    /// Also write the results to FILE; may be repeated
    #[arg(long = "output", value_name = "FORMAT=FILE", value_parser = output, help_heading = "Output options")]
    pub(crate) outputs: Vec<(Format, PathBuf)>,
    /// Also write a report of HTML pages to DIR, with a timeline of the heap for each finding
    #[arg(long, value_name = "DIR", help_heading = "Output options")]
    pub(crate) html: Option<PathBuf>,
    /// Do not show the known findings of FILE, which `cairn baseline update` writes
    #[arg(long, value_name = "FILE", help_heading = "Output options")]
    pub(crate) baseline: Option<PathBuf>,
    /// Which violations give the exit code 1
    #[arg(long, value_name = "WHICH", default_value = "new", help_heading = "Output options")]
    pub(crate) fail_on: FailOn,
    /// Whether another command uses the results, and nothing is printed.
    #[arg(skip)]
    pub(crate) is_quiet: bool,
}

/// Which violations give the exit code 1.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailOn {
    /// Violations that neither the baseline nor a comment accepts
    New,
    /// All violations
    Any,
    /// None: the exit code says whether everything could be checked
    Never,
}

fn output(text: &str) -> Result<(Format, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("expected FORMAT=FILE")?;
    let format = Format::from_name(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        format!("no format `{name}` [possible values: {names}]")
    })?;
    if file.is_empty() {
        return Err("expected FORMAT=FILE".to_owned());
    }
    Ok((format, file.into()))
}

/// Options that concern the project as a whole. The others hold for each target.
const OF_THE_PROJECT: &[&str] = &[
    "files",
    "args",
    "format",
    "library",
    "unknown",
    "harness",
    "data_model",
    "database",
    "jobs",
    "cache_dir",
    "no_cache",
    "config",
    "emit_ninja",
    "target",
    "outputs",
    "baseline",
    "fail_on",
    "html",
    "color",
    "memory_limit",
    "certificate",
];

/// Returns the given options that hold for each target, as words of a command line.
pub(crate) fn forwarded(command: &clap::Command, matches: &ArgMatches) -> Vec<OsString> {
    let mut words = Vec::new();
    for option in command.get_arguments() {
        let id = option.get_id().as_str();
        let is_known = matches.try_contains_id(id).unwrap_or(false);
        if OF_THE_PROJECT.contains(&id) || !is_known || matches.value_source(id) != Some(ValueSource::CommandLine) {
            continue;
        }
        let name = match (option.get_long(), option.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => continue,
        };
        if !option.get_action().takes_values() {
            words.push(name.into());
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            words.extend([OsString::from(&name), value.to_owned()]);
        }
    }
    words
}
