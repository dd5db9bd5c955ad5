//! The command line. This is the only crate that touches files, the clock and other processes.
//!
//! A command works under supervision ([`supervise`]): its limits hold in every phase, and a panic is reported as a bug.

mod arguments;
pub mod certificate;
mod commands;
mod configuration;
mod exit;
mod explain;
mod harness;
mod inputs;
mod limits;
mod lsp;
mod program;
mod project;
pub mod schedule;
mod sha256;
mod solver;
mod system;
mod witness;

use std::ffi::OsString;
use std::process::ExitCode;

use arguments::{Bench, Cli, Command};
use commands::bench::{allocation_check, growth};
use commands::project::{baseline, cache, diff, merge};
use commands::{check, contract, dump, generate, judge, run, sl, svcomp};
use exit::Exit;
use system::supervise::{self, Guard, Signals};
use system::terminal;

/// The readers of this crate for the fuzz targets in `fuzz/`. Not an interface.
#[doc(hidden)]
pub mod fuzzing {
    /// Reads a property file.
    pub fn property_file(text: &str) {
        let _ = crate::commands::svcomp::parse_specification(text);
    }

    /// Reads the settings of a project.
    pub fn settings(text: &str) {
        let _ = crate::configuration::Configuration::parse(text, std::path::Path::new("cairn.toml"));
    }

    /// Reads a compilation database.
    pub fn database(bytes: &[u8]) {
        crate::project::database::read_and_use(bytes);
    }

    /// Reads a log of another tool, and writes it with judgements.
    pub fn log(text: &str) {
        use cairn_report::judge::{Judgement, Log};
        let Ok(log) = Log::read(text) else { return };
        let refuted = vec![Judgement::Refuted; log.claims.len()];
        let count = log.claims.len();
        let again = Log::read(&log.with_judgements(&refuted));
        assert_eq!(again.map(|again| again.claims.len()), Ok(count), "the judged log is read back");
    }

    /// Reads a report and a baseline in their JSON forms.
    pub fn report(text: &str) {
        use cairn_report::report::{Baseline, Report};
        if let Ok(baseline) = Baseline::from_json(text) {
            assert_eq!(Baseline::from_json(&baseline.to_json()).as_ref(), Ok(&baseline), "the baseline is read back");
        }
        if let Ok(report) = Report::from_json(text) {
            Baseline::of(&report.without_colour());
        }
    }

    /// Reads a file of inputs, and uses every value as every type.
    pub fn input_file(text: &str) {
        crate::inputs::read_and_use(text);
    }
}

/// Runs the command line with these arguments, the program's name first.
pub fn main_with(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.collect();
    // A build that is recorded starts cairn under the name of a compiler.
    if let Some(exit) = project::record::wrapped(&arguments) {
        return exit;
    }
    let cli = match arguments::parse(arguments.into_iter()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are not errors; `print` sends them to standard output and errors to standard error.
            return match error.print() {
                Err(cause) if !error.use_stderr() => terminal::output_failed(&cause),
                _ if error.use_stderr() => Exit::Failure.into(),
                _ => Exit::Fine.into(),
            };
        }
    };
    if let Some((file, copy)) = cli.command.unsaved() {
        system::files::set_unsaved(&file, &copy);
    }
    // Ctrl-C ends an executed program as it would end the program itself.
    let signals = if matches!(cli.command, Command::Run(_)) { Signals::Default } else { Signals::Handled };
    supervise::run(signals, move |guard| dispatch(cli, guard)).into()
}

fn dispatch(cli: Cli, guard: &Guard) -> Exit {
    let terminal = terminal::Terminal::new(cli.color);
    match cli.command {
        Command::Run(arguments) => run::run(arguments, guard, &terminal),
        Command::Dump(arguments) => dump::dump(arguments, guard, &terminal),
        Command::Explain { check } => explain::explain(check.as_deref(), &terminal),
        Command::VerifyCertificate(arguments) => certificate::verify(&arguments, guard, &terminal),
        Command::Check(arguments) => check::configured(*arguments, guard, &terminal),
        Command::Record(arguments) => project::record::record(&arguments, &terminal),
        Command::Merge(arguments) => merge::merge(&arguments, &terminal),
        Command::Baseline { action } => baseline::baseline(action, guard, &terminal),
        Command::Completions { shell } => generate::completions(shell, arguments::declarations()),
        Command::Manual { command } => generate::manual(command.as_deref(), arguments::declarations(), &terminal),
        Command::Judge(arguments) => judge::judge(*arguments, guard, &terminal),
        Command::Diff(arguments) => diff::diff(&arguments, guard, &terminal),
        Command::Cache { action } => cache::cache(&action, &terminal),
        Command::Contract(arguments) => contract::contract(&arguments, guard, &terminal),
        Command::Svcomp(arguments) => svcomp::svcomp(&arguments, guard, &terminal),
        Command::Bench { what: Bench::AllocationCheck(arguments) } => {
            allocation_check::allocation_check(&arguments, &terminal)
        }
        Command::Bench { what: Bench::Growth(arguments) } => growth::growth(&arguments, &terminal),
        Command::Sl(arguments) => sl::sl(&arguments, guard, &terminal),
        Command::Lsp => lsp::serve(),
    }
}
