//! The arguments of the command line.
//!
//! Every option is declared in this folder and nowhere else: one file per command, and `options/` for groups of options that
//! several commands share. `applicability.rs` rejects options that would have no effect.

mod applicability;
mod bench;
mod certificate;
mod check;
mod contract;
mod diff;
mod dump;
mod options;
mod record;
mod run;
mod sl;
mod svcomp;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub(crate) use applicability::chosen;
pub(crate) use bench::{Bench, BenchArguments, GrowthArguments};
pub(crate) use certificate::VerifyCertificateArguments;
pub(crate) use check::{CheckArguments, TraceName};
pub(crate) use contract::ContractArguments;
pub(crate) use diff::{DiffArguments, DiffFormat};
pub(crate) use dump::DumpArguments;
pub(crate) use options::{
    COptions, CertifyName, DataModel, EngineName, FailOn, IntegrityArguments, OutputArguments, ProjectArguments,
    SearchArguments, SolverArguments,
};
pub(crate) use record::{BaselineAction, CacheAction, JudgeArguments, MergeArguments, RecordArguments};
pub(crate) use run::{Leaks, RunArguments};
pub(crate) use sl::{ModelFormat, SlArguments};
pub(crate) use svcomp::{SvcompArguments, WitnessFormat};

/// A memory-safety verifier for C
#[derive(Parser, Debug)]
#[command(name = "cairn", version, about, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to colour reports
    #[arg(long, alias = "colour", global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: When,
}

const EXIT_CODES: &str = "\
Exit codes: 0 no violation, 1 a violation, 2 undecided, 3 cairn could not do its job.
`cairn run` passes on the exit status of a program that ends without a fault.";

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Find violations in a C program, or prove that there are none
    Check(Box<CheckArguments>),
    /// Write a compile_commands.json for a build that has none
    Record(RecordArguments),
    /// Combine the results of several targets of a project
    Merge(MergeArguments),
    /// Write the known findings of a project
    Baseline {
        #[command(subcommand)]
        action: BaselineAction,
    },
    /// Confirm or refute the findings of another tool
    Judge(Box<JudgeArguments>),
    /// Compare the findings and contracts of two revisions
    Diff(DiffArguments),
    /// Look at or delete the results that `cairn check` keeps
    Cache {
        #[command(subcommand)]
        action: CacheAction,
    },
    /// Print what each function requires of its callers and does for them
    Contract(ContractArguments),
    /// Run a C program and stop at the first fault
    Run(RunArguments),
    /// Answer one SV-COMP verification task
    ///
    /// The last line of the output is TRUE, FALSE(sub-property) or UNKNOWN(reason).
    Svcomp(SvcompArguments),
    /// Check the certificate of a proof against a program
    VerifyCertificate(VerifyCertificateArguments),
    /// Decide a separation-logic problem in the SL-COMP format
    Sl(SlArguments),
    /// Print an internal form of a program
    Dump(DumpArguments),
    /// Explain a check, with an example that fails it and one that passes
    Explain {
        /// Name of the check, as in `error[use-after-free]`; all checks are listed without it
        check: Option<String>,
    },
    /// Measure parts of cairn
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in the format of man
    Manual {
        /// Command to describe; without it, cairn as a whole
        command: Option<String>,
    },
    /// Start a language server on standard input and output
    Lsp,
}

impl Command {
    /// Returns the file whose text is in another file, because an editor has not saved it yet.
    pub(crate) fn unsaved(&self) -> Option<(PathBuf, PathBuf)> {
        match self {
            Command::Check(arguments) => arguments.c.unsaved.clone(),
            Command::Contract(arguments) => arguments.c.unsaved.clone(),
            Command::Dump(arguments) => arguments.c.unsaved.clone(),
            _ => None,
        }
    }

    /// Returns the arguments of a command that checks code.
    fn check_arguments(&mut self) -> Option<&mut CheckArguments> {
        match self {
            Command::Check(arguments) => Some(arguments),
            Command::Judge(arguments) => Some(&mut arguments.check),
            Command::Baseline { action: BaselineAction::Update(arguments) } => Some(&mut arguments.check),
            _ => None,
        }
    }
}

/// When reports are coloured.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Returns the declarations of the command line.
pub(crate) fn declarations() -> clap::Command {
    Cli::command()
}

/// Parses a command line and rejects options that would have no effect.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(normalised(arguments))?;
    let mut cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    if let Some(checked) = cli.command.check_arguments() {
        let mut path = (&command, &matches);
        while let Some((name, inner)) = path.1.subcommand() {
            let Some(subcommand) = path.0.find_subcommand(name) else { break };
            path = (subcommand, inner);
        }
        checked.project.forwarded = options::forwarded(path.0, path.1);
    }
    applicability::check(&cli, &matches, &mut command)?;
    Ok(cli)
}

/// Reads `4096`, `512K`, `512M` or `2G`.
fn parse_size(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().next_back() {
        Some((at, 'K' | 'k')) => (&text[..at], 1 << 10),
        Some((at, 'M' | 'm')) => (&text[..at], 1 << 20),
        Some((at, 'G' | 'g')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a number with an optional suffix K, M or G".to_owned())?;
    number.checked_mul(unit).ok_or_else(|| "size is too large".to_owned())
}

/// Rewrites the long options that compilers spell with one dash, up to `--`, so that a build's command line can be reused.
fn normalised(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut ended = false;
    arguments
        .map(|argument| {
            ended |= argument == "--";
            if ended { argument } else { spelled_for_clap(argument) }
        })
        .collect()
}

fn spelled_for_clap(argument: OsString) -> OsString {
    match argument.to_str() {
        Some("-m32") => "--data-model=ILP32".into(),
        Some("-m64") => "--data-model=LP64".into(),
        Some(text) if text == "-include" || text.starts_with("-std=") => {
            let mut spelled = OsString::from("-");
            spelled.push(OsStr::new(text));
            spelled
        }
        _ => argument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("2g"), Ok(2 << 30));
        assert_eq!(parse_size("77"), Ok(77));
        for bad in ["", "M", "-1", "1T", "99999999999999999999", "18446744073709551615K"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn compiler_options_are_understood_before_the_program_arguments() {
        let words = ["cairn", "run", "-m32", "-std=c99", "-include", "a.h", "a.c", "--", "-m32"];
        let cli = parse(words.iter().map(OsString::from)).expect("these are valid");
        let Command::Run(run) = cli.command else { panic!("this is `run`") };
        assert_eq!(run.c.data_model, DataModel::Ilp32);
        assert_eq!(run.c.standard, Some("c99".into()));
        assert_eq!(run.c.includes, ["a.h"]);
        assert_eq!(run.args, ["-m32"]);
    }
}
