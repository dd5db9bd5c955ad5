//! `cairn diff`: new and fixed findings, and changed contracts, between two revisions or folders.
//!
//! A revision is exported to a temporary folder. Both sides are then checked like any project, by processes of cairn in their folders.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use cairn_frontend::Input;
use cairn_report::Report;
use cairn_report::difference::{Difference, Revision};
use serde_json::Value;

use crate::arguments::{COptions, DataModel, DiffArguments, DiffFormat};
use crate::exit::Exit;
use crate::project::database::{self, COMPILE_COMMANDS};
use crate::project::unit::{Target, Unit};
use crate::system::child::{self, Finished, Memory};
use crate::system::preprocess::preprocess_quietly;
use crate::system::supervise::Guard;
use crate::system::terminal::{self, Terminal};
use crate::system::{files, temporary};

/// Compares two revisions or folders.
pub(crate) fn diff(arguments: &DiffArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    match run(arguments, guard) {
        Ok(difference) => {
            let text = match arguments.format {
                DiffFormat::Text => difference.text(),
                DiffFormat::Markdown => difference.markdown(),
            };
            guard.concludes();
            terminal::print(text.as_bytes());
            if difference.new.is_empty() { Exit::Fine } else { Exit::Violation }
        }
        Err(message) => {
            terminal.error(&message);
            Exit::Failure
        }
    }
}

fn run(arguments: &DiffArguments, guard: &Guard) -> Result<Difference, String> {
    let folder = temporary::Folder::create("cairn-diff")?;
    let compare = Compare { arguments, guard, folder: folder.path() };
    let (old, new) = compare.sides()?;
    let old = compare.revision(&old, "old")?;
    let new = compare.revision(&new, "new")?;
    Ok(Difference::between(&old, &new))
}

/// One side of a comparison: the folder in which cairn is started.
struct Side {
    folder: PathBuf,
}

struct Compare<'a> {
    arguments: &'a DiffArguments,
    guard: &'a Guard,
    folder: &'a Path,
}

impl Compare<'_> {
    /// Returns the two sides, after exporting revisions.
    fn sides(&self) -> Result<(Side, Side), String> {
        let here = || {
            std::env::current_dir()
                .map_err(|error| format!("cannot find the current folder: {}", files::describe(&error)))
        };
        match self.arguments.sides.as_slice() {
            [old, new] if Path::new(old).is_dir() && Path::new(new).is_dir() => {
                Ok((Side { folder: old.into() }, Side { folder: new.into() }))
            }
            [old, new] => Ok((self.exported(old, "old")?, self.exported(new, "new")?)),
            [range] => match range.split_once("..") {
                Some((old, new)) if !new.is_empty() => Ok((self.exported(old, "old")?, self.exported(new, "new")?)),
                Some((old, _)) => Ok((self.exported(old, "old")?, Side { folder: here()? })),
                None => Ok((self.exported(range, "old")?, Side { folder: here()? })),
            },
            _ => Err("expected OLD..NEW, or two folders".to_owned()),
        }
    }

    /// Exports a revision of the repository around the current folder.
    fn exported(&self, revision: &str, name: &str) -> Result<Side, String> {
        if revision.starts_with('-') || revision.is_empty() {
            return Err(format!("not a revision: '{revision}'"));
        }
        let ask = |words: &[&str]| -> Result<String, String> {
            let mut git = Command::new("git");
            git.args(words);
            let finished = self.finished(git, "git")?;
            match finished.succeeded {
                true => Ok(String::from_utf8_lossy(&finished.output).trim().to_owned()),
                false => Err(first_line(&finished.messages, "git failed")),
            }
        };
        let top = ask(&["rev-parse", "--show-toplevel"])?;
        let prefix = ask(&["rev-parse", "--show-prefix"])?;
        let commit = ask(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")])
            .map_err(|_| format!("no revision '{revision}'"))?;
        let root = self.folder.join(name);
        let archive = self.folder.join(format!("{name}.tar"));
        let create = std::fs::create_dir(&root);
        create.map_err(|error| format!("cannot create '{}': {}", root.display(), files::describe(&error)))?;
        ask(&["-C", &top, "archive", "--format=tar", "-o", &archive.to_string_lossy(), &commit])?;
        let mut tar = Command::new("tar");
        tar.arg("-xf").arg(&archive).arg("-C").arg(&root);
        let unpacked = self.finished(tar, "tar")?;
        if !unpacked.succeeded {
            return Err(first_line(&unpacked.messages, "tar failed"));
        }
        let folder = root.join(prefix);
        self.adapt_database(&folder, Path::new(&top), &root)?;
        Ok(Side { folder })
    }

    /// Copies the compilation database, which is rarely part of a revision, with the paths of the exported files.
    fn adapt_database(&self, folder: &Path, top: &Path, root: &Path) -> Result<(), String> {
        let own = match &self.arguments.database {
            Some(dir) => Some(dir.join(COMPILE_COMMANDS)),
            None => std::env::current_dir().ok().and_then(|here| database::find_upwards(&here)),
        };
        let Some(own) = own.filter(|file| file.is_file() && !folder.join(COMPILE_COMMANDS).is_file()) else {
            return Ok(());
        };
        let text = String::from_utf8_lossy(&files::read(&own)?).into_owned();
        let moved = text.replace(&*top.to_string_lossy(), &root.to_string_lossy());
        files::write(&folder.join(COMPILE_COMMANDS), &moved)
    }

    /// Checks one side.
    fn revision(&self, side: &Side, name: &str) -> Result<Revision, String> {
        let results = self.folder.join(format!("{name}.json"));
        let graph = self.folder.join(format!("{name}-targets"));
        let check = |words: &[&str]| {
            let mut command = self.cairn(side, "check")?;
            command.args(words).arg(format!("--time-limit={}", self.arguments.time_limit));
            if !side.folder.join(COMPILE_COMMANDS).is_file() {
                match &self.arguments.database {
                    Some(dir) => command.arg("-p").arg(dir),
                    None => command.arg("."),
                };
            }
            self.finished(command, "cairn")
        };
        let finished = check(&["--format=junit", "--fail-on=never", &format!("--output=json={}", results.display())])?;
        let report =
            files::read(&results).ok().and_then(|bytes| Report::from_json(&String::from_utf8(bytes).ok()?).ok());
        let Some(report) = report else {
            return Err(first_line(&finished.messages, "the check ended without a result"));
        };
        let mut revision = Revision { report, contracts: BTreeMap::new(), users: BTreeMap::new() };
        if self.arguments.no_contracts {
            return Ok(revision);
        }
        check(&[&format!("--emit-ninja={}", graph.display())])?;
        let mut units = BTreeSet::new();
        for number in 0.. {
            let file = graph.join("targets").join(format!("{number}.json"));
            if !file.is_file() {
                break;
            }
            units.extend(Target::read(&file)?.units);
        }
        for unit in &units {
            self.add_contracts(side, unit, &mut revision)?;
        }
        Ok(revision)
    }

    /// Adds the contracts of the functions of a file, and the names that it uses.
    fn add_contracts(&self, side: &Side, unit: &Unit, revision: &mut Revision) -> Result<(), String> {
        let mut command = self.cairn(side, "contract")?;
        command.args(["--format=json", "-w", &format!("--time-limit={}", self.arguments.time_limit)]).arg(&unit.file);
        let options = plain_options(&unit.flags);
        command.args(&options);
        if DataModel::from(unit.data_model) == DataModel::Ilp32 {
            command.arg("-m32");
        }
        let finished = self.finished(command, "cairn")?;
        let value: Value = serde_json::from_slice(&finished.output).unwrap_or_default();
        for entry in value["contracts"].as_array().into_iter().flatten() {
            let (Some(function), Some(file)) =
                (entry["contract"]["function"].as_str(), entry["contract"]["file"].as_str())
            else {
                continue;
            };
            let words = entry["words"].as_array().into_iter().flatten();
            let words = words.filter_map(|word| word.as_str().map(str::to_owned)).collect();
            revision.contracts.insert((file.to_owned(), function.to_owned()), words);
        }
        let path = side.folder.join(&unit.file);
        let mut c = unit.c_options(&COptions::plain(DataModel::Lp64));
        c.flags = c.flags.iter().map(|flag| below(&side.folder, flag)).collect();
        let text = preprocess_quietly(&path, &c, self.guard).map(files::c_text);
        let symbols = text.and_then(|text| {
            cairn_frontend::symbols(Input { name: unit.file.clone(), text }, DataModel::from(unit.data_model).into())
        });
        for name in symbols.into_iter().flat_map(|symbols| symbols.undefined) {
            revision.users.entry(name).or_default().insert(unit.file.clone());
        }
        Ok(())
    }

    fn cairn(&self, side: &Side, name: &str) -> Result<Command, String> {
        let program = std::env::current_exe()
            .map_err(|error| format!("cannot find cairn itself: {}", files::describe(&error)))?;
        let mut command = Command::new(program);
        command.arg(name).current_dir(&side.folder);
        if self.arguments.malloc_fails {
            command.arg("--malloc-fails");
        }
        Ok(command)
    }

    fn finished(&self, command: Command, name: &str) -> Result<Finished, String> {
        child::run(command, Memory::OwnLimit, &[], self.guard).map_err(|failure| match failure {
            child::Failure::NotStarted(cause) => format!("cannot start `{name}`: {}", files::describe(&cause)),
            child::Failure::Stopped(reason) => reason.to_string(),
            child::Failure::TooLarge(_) => format!("the output of `{name}` is too large"),
        })
    }
}

/// Returns options of a compilation database in the spelling of cairn's own command line.
fn plain_options(flags: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        match flag.as_str() {
            "-I" | "-isystem" | "-iquote" | "-idirafter" => out.extend(rest.next().map(|dir| format!("-I{dir}"))),
            "-include" => out.extend(rest.next().map(|file| format!("--include={file}"))),
            "-imacros" => drop(rest.next()),
            flag if flag.starts_with("-D") || flag.starts_with("-U") || flag.starts_with("-std=") => {
                out.push(flag.to_owned())
            }
            _ => {}
        }
    }
    out
}

/// Returns a path of an option below the folder of a side; other words stay as they are.
fn below(folder: &Path, word: &std::ffi::OsStr) -> std::ffi::OsString {
    let is_option = word.as_encoded_bytes().starts_with(b"-");
    if is_option { word.to_owned() } else { folder.join(word).into_os_string() }
}

fn first_line(messages: &[u8], otherwise: &str) -> String {
    let text = String::from_utf8_lossy(messages);
    let line = text.lines().next().unwrap_or("").trim();
    let line = line.strip_prefix("error: ").or(line.strip_prefix("fatal: ")).unwrap_or(line);
    if line.is_empty() { otherwise.to_owned() } else { line.to_owned() }
}
