//! Rejects options that would have no effect: with the chosen engine, or on the given files.
//!
//! One table says which engines use an option, another which kinds of input files do. An option that is in neither table
//! always has an effect; a test holds the tables against the declarations.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches};

use super::options::{MergeName, StopName};
use super::{Cli, Command, EngineName, Leaks};
use EngineName::{All, Explore, Integrity, Prove, Template, Value};

/// The engines that a command accepts.
const ENGINES: &[(&str, &[EngineName])] =
    &[("check", &[All, Explore, Value, Integrity]), ("svcomp", &[All, Explore, Prove, Template, Value])];

/// The engines that use an option, by the option's id. All engines use an option that is not listed.
const USED_BY: &[(&str, &[EngineName])] = &[
    ("args", &[All, Explore]),
    ("library", &[All]),
    ("malloc_fails", &[All, Explore, Value]),
    ("realloc_zero", &[All, Explore, Value]),
    ("allow_unfreed", &[All, Explore, Value]),
    ("overflow", &[All, Explore, Value]),
    ("unknown", &[All, Explore]),
    ("trace", &[All, Explore]),
    // Proofs end in no violation.
    ("harness", &[All, Explore, Template]),
    ("zero_allocation", &[Integrity]),
    ("allocators", &[Integrity]),
    ("deallocators", &[Integrity]),
    ("longest_path", &[Integrity]),
    ("dump_rules", &[Integrity]),
    ("search_order", &[All, Explore]),
    ("merge", &[All, Explore, Prove]),
    ("work_limit", &[All, Explore, Prove, Template]),
    ("stop", &[All, Explore, Prove]),
    ("template", &[All, Template]),
    ("calls", &[All, Prove, Template]),
    ("certify", &[All, Explore, Prove, Template]),
    ("certificate", &[All, Explore, Prove, Template]),
    ("allocation_check", &[All, Explore, Prove]),
    ("stats", &[All, Explore, Prove, Template, Value]),
    // The engine `prove` has a solver session of its own.
    ("dump_queries", &[All, Explore, Template]),
    ("smt_solver", &[All, Explore, Template]),
];

/// The extensions of files that use an option, by the option's id: a `.i` file is preprocessed already, and a `.ir` file is
/// compiled already.
const USED_ON: &[(&str, &[&str])] = &[
    ("data_model", &["c", "h", "i"]),
    ("include_dirs", &["c", "h"]),
    ("defines", &["c", "h"]),
    ("undefines", &["c", "h"]),
    ("includes", &["c", "h"]),
    ("standard", &["c", "h"]),
    ("overflow", &["c", "h", "i"]),
    ("cc", &["c", "h"]),
    ("no_warnings", &["c", "h", "i"]),
];

/// Rejects an option that would have no effect.
pub(super) fn check(cli: &Cli, matches: &ArgMatches, command: &mut clap::Command) -> Result<(), clap::Error> {
    let Some((name, matches)) = matches.subcommand() else { return Ok(()) };
    let Some(command) = command.find_subcommand_mut(name) else { return Ok(()) };
    let given = Given { matches, command };
    let reject = match &cli.command {
        Command::Check(arguments) => given
            .by_engine(arguments.solver.engine, arguments.search.merge, arguments.search.stop)
            .or_else(|| given.by_files(&arguments.files)),
        Command::Svcomp(arguments) => {
            given.by_engine(arguments.solver.engine, arguments.search.merge, arguments.search.stop)
        }
        Command::Run(arguments) => {
            given.unfreed(arguments.leaks, arguments.error_on_unfreed).or_else(|| given.by_files(&arguments.files))
        }
        Command::Contract(arguments) => given.by_files(&arguments.files),
        Command::Dump(arguments) => given.by_files(&arguments.files),
        Command::VerifyCertificate(arguments) => given.by_files(&arguments.files),
        Command::Record(_)
        | Command::Merge(_)
        | Command::Baseline { .. }
        | Command::Cache { .. }
        | Command::Judge(_) => None,
        Command::Diff(_) => None,
        Command::Sl(_) | Command::Explain { .. } | Command::Bench { .. } | Command::Lsp => None,
        Command::Completions { .. } | Command::Manual { .. } => None,
    };
    match reject {
        None => Ok(()),
        Some(message) => Err(command.error(ErrorKind::ArgumentConflict, message)),
    }
}

/// The options that were given to a command.
struct Given<'a> {
    matches: &'a ArgMatches,
    command: &'a clap::Command,
}

impl Given<'_> {
    /// Returns the declaration of an option that was given on the command line.
    fn option(&self, id: &str) -> Option<&Arg> {
        let declared = self.command.get_arguments().find(|argument| argument.get_id() == id)?;
        (self.matches.value_source(id) == Some(ValueSource::CommandLine)).then_some(declared)
    }

    /// Returns a message about an engine that the command does not have, or about an option that the engine does not use.
    fn by_engine(&self, named: EngineName, merge: Option<MergeName>, stop: Option<StopName>) -> Option<String> {
        let accepted = ENGINES.iter().find(|(command, _)| *command == self.command.get_name()).map_or(&[][..], |e| e.1);
        let engine = match chosen(named, merge, stop) {
            Ok(engine) => engine,
            Err(message) => return Some(message),
        };
        if !accepted.contains(&engine) {
            let command = self.command.get_name();
            return Some(format!(
                "the engine `{}` is not available in `cairn {command}` [possible values: {}]",
                engine.name(),
                names(accepted).join(", ")
            ));
        }
        USED_BY.iter().filter(|(_, users)| !users.contains(&engine)).find_map(|(id, users)| {
            let option = self.option(id)?;
            let users: Vec<EngineName> = users.iter().copied().filter(|user| accepted.contains(user)).collect();
            let users: Vec<String> = names(&users).iter().map(|name| format!("'--engine {name}'")).collect();
            let users = users.join(" or ");
            Some(format!("the argument '{option}' has no effect with '--engine {}'; it needs {users}", engine.name()))
        })
    }

    /// Returns a message about an option that none of the files uses.
    fn by_files(&self, files: &[PathBuf]) -> Option<String> {
        let uses = |users: &[&str], file: &Path| {
            let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("c");
            users.contains(&extension) || !["c", "h", "i", "ir"].contains(&extension)
        };
        let [first, ..] = files else { return None };
        USED_ON.iter().filter(|(_, users)| !files.iter().any(|file| uses(users, file))).find_map(|(id, _)| {
            let option = self.option(id)?;
            let kind = match first.extension().and_then(|e| e.to_str()) {
                Some("ir") => "textual IR",
                _ => "preprocessed files",
            };
            Some(format!("the argument '{option}' has no effect on {kind} ('{}')", first.display()))
        })
    }

    /// Returns a message about `--error-on-unfreed` where nothing is reported.
    fn unfreed(&self, leaks: Leaks, error_on_unfreed: bool) -> Option<String> {
        let ignored = leaks == Leaks::Ignore && error_on_unfreed;
        ignored.then(|| "the argument '--error-on-unfreed' has no effect with '--leaks ignore'".to_owned())
    }
}

fn names(engines: &[EngineName]) -> Vec<String> {
    engines.iter().map(|engine| engine.name()).collect()
}

/// Returns the engine that `--engine`, `--merge` and `--stop` choose together: each operator belongs to one engine.
pub(crate) fn chosen(
    named: EngineName,
    merge: Option<MergeName>,
    stop: Option<StopName>,
) -> Result<EngineName, String> {
    let mut engine = named;
    for chosen in [merge.map(MergeName::engine), stop.map(StopName::engine)].into_iter().flatten() {
        match engine {
            All => engine = chosen,
            Explore | Prove if engine != chosen => {
                return Err(
                    "'--merge sep' and '--stop equal' need the engine `explore`, '--merge join' and '--stop sep' need \
                            the engine `prove`"
                        .to_owned(),
                );
            }
            // Other engines have no such operators; the table above rejects the option.
            Explore | Prove | Template | Value | Integrity => {}
        }
    }
    Ok(engine)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn message(words: &[&str]) -> Option<String> {
        let words = std::iter::once("cairn").chain(words.iter().copied());
        super::super::parse(words.map(Into::into)).err().map(|error| error.to_string())
    }

    #[track_caller]
    fn rejects(words: &[&str], expected: &str) {
        let message = message(words).unwrap_or_default();
        assert!(message.starts_with(&format!("error: {expected}")), "{words:?}: {message}");
    }

    #[test]
    fn tables_name_options_that_exist() {
        let cli = Cli::command();
        let declared = |id: &str| cli.get_subcommands().any(|c| c.get_arguments().any(|a| a.get_id() == id));
        for id in USED_BY.iter().map(|row| row.0).chain(USED_ON.iter().map(|row| row.0)) {
            assert!(declared(id), "there is no option `{id}`");
        }
    }

    /// A new option of `check` or `svcomp` has to be put into a table or on the list here.
    #[test]
    fn every_option_is_classified() {
        let always = [
            "files",
            "file",
            "format",
            "time_limit",
            "memory_limit",
            "engine",
            "property",
            "witness",
            "witness_format",
            "validate",
            "database",
            "jobs",
            "cache_dir",
            "no_cache",
            "list_proved",
            "config",
            "emit_ninja",
            "target",
            "outputs",
            "baseline",
            "fail_on",
            "html",
            "unsaved",
            "color",
            "help",
        ];
        let cli = Cli::command();
        for (name, _) in ENGINES {
            let command = cli.find_subcommand(name).expect("the command is declared");
            for argument in command.get_arguments() {
                let id = argument.get_id().as_str();
                let by_engine = USED_BY.iter().any(|row| row.0 == id);
                let by_file = USED_ON.iter().any(|row| row.0 == id);
                assert!(by_engine || by_file || always.contains(&id), "`{name}` has a new option `{id}`");
            }
        }
    }

    #[test]
    fn options_of_other_engines_are_rejected() {
        for option in ["--zero-allocation", "--allocator=f", "--deallocator=f", "--longest-path=4", "--dump-rules"] {
            let (name, _) = option.split_once('=').unwrap_or((option, ""));
            rejects(&["check", option, "a.c"], &format!("the argument '{name}"));
            rejects(&["check", "--engine", "explore", option, "a.c"], &format!("the argument '{name}"));
            assert_eq!(message(&["check", "--engine", "integrity", option, "a.c"]), None);
        }
        for option in [
            "--harness=o.c",
            "--malloc-fails",
            "--allow-unfreed",
            "--stats",
            "--smt-solver=z3",
            "--dump-queries=d",
            "--calls=inline",
            "--template=zones",
            "--allocation-check=smt",
            "--search-order=depth-first",
            "--merge=sep",
            "--stop=equal",
        ] {
            let (name, _) = option.split_once('=').unwrap_or((option, ""));
            rejects(&["check", "--engine", "integrity", option, "a.c"], &format!("the argument '{name}"));
            assert_eq!(message(&["check", option, "a.c"]), None, "{option}");
        }
        rejects(
            &["check", "--longest-path", "4", "a.c"],
            "the argument '--longest-path <N>' has no effect with '--engine all'; it needs '--engine integrity'",
        );
    }

    #[test]
    fn commands_have_engines_of_their_own() {
        let svcomp = |options: &[&str]| {
            let mut words = vec!["svcomp", "--property", "p.prp", "--data-model", "LP64", "a.c"];
            words.extend(options);
            message(&words)
        };
        assert_eq!(svcomp(&["--engine", "prove", "--calls", "inline"]), None);
        for options in [
            ["--engine", "integrity"].as_slice(),
            &["--engine", "prove", "--harness", "o.c"],
            &["--engine", "prove", "--smt-solver", "z3"],
            &["--engine", "template", "--merge", "sep"],
            &["--engine", "template", "--search-order", "depth-first"],
            &["--engine", "explore", "--template", "zones"],
            // The operators choose an engine, too.
            &["--merge", "sep", "--calls", "inline"],
            &["--merge", "sep", "--stop", "sep"],
            &["--engine", "explore", "--merge", "join"],
        ] {
            assert!(svcomp(options).is_some(), "{options:?}");
        }
        rejects(
            &["check", "--engine", "prove", "a.c"],
            "the engine `prove` is not available in `cairn check` [possible values: all, explore, value, integrity]",
        );
        rejects(&["check", "--merge", "join", "a.c"], "the engine `prove` is not available");
    }

    #[test]
    fn options_for_c_are_rejected_on_other_files() {
        rejects(&["run", "-I", "d", "a.i"], "the argument '-I <DIR>' has no effect on preprocessed files ('a.i')");
        rejects(&["dump", "--ir", "-m32", "a.ir"], "the argument '--data-model <MODEL>' has no effect on textual IR");
        for words in [["run", "-I", "d", "a.i", "b.c"].as_slice(), &["run", "-m32", "a.i"], &["run", "-I", "d", "-"]] {
            assert_eq!(message(words), None);
        }
    }

    #[test]
    fn defaults_are_no_mistake() {
        for words in [["check", "a.ir"], ["run", "a.ir"], ["run", "a.i"]] {
            assert_eq!(message(&words), None);
        }
        rejects(&["run", "--leaks", "ignore", "--error-on-unfreed", "a.c"], "the argument '--error-on-unfreed'");
        rejects(&["check", "--engine", "integrity", "--dump-rules", "--format", "json", "a.c"], "the argument");
    }
}
