//! `cairn record`: writes a compilation database for a build that has none.
//!
//! The build finds links to cairn under the names of compilers in front of its search path. Started under such a name, cairn appends the
//! command to a log and becomes the compiler. Nothing else about the build changes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

use super::database::{self, COMPILE_COMMANDS, Entry, LINK_COMMANDS};
use super::flags;
use crate::arguments::RecordArguments;
use crate::exit::Exit;
use crate::system::terminal::{self, Terminal};
use crate::system::{files, temporary};

/// The variable that names the log; the search path without the links is in [`SEARCH`].
const LOG: &str = "CAIRN_RECORD_LOG";
const SEARCH: &str = "CAIRN_RECORD_PATH";

/// The names of compilers and archivers that are recorded.
const TOOLS: [&str; 10] = ["cc", "gcc", "clang", "c89", "c99", "tcc", "icx", "ar", "gcc-ar", "llvm-ar"];

/// A command of the build.
#[derive(Serialize, Deserialize)]
struct Started {
    directory: String,
    arguments: Vec<String>,
}

/// Returns whether a tool combines objects to archives.
pub(crate) fn is_archiver(tool: &str) -> bool {
    let name = Path::new(tool).file_name().and_then(OsStr::to_str).unwrap_or("");
    name == "ar" || name.ends_with("-ar")
}

/// Appends the command to the log and becomes the compiler, if a recorded build started cairn under the name of a compiler.
pub(crate) fn wrapped(arguments: &[OsString]) -> Option<ExitCode> {
    let log = std::env::var_os(LOG)?;
    let own = Path::new(arguments.first()?).file_name()?.to_owned();
    if own == "cairn" {
        return None;
    }
    let words = arguments.iter().map(|word| word.to_string_lossy().into_owned());
    let directory = std::env::current_dir().unwrap_or_default().to_string_lossy().into_owned();
    let started = Started { directory, arguments: words.collect() };
    if let Ok(mut line) = serde_json::to_vec(&started) {
        line.push(b'\n');
        // One write, so that the lines of several compilers do not mix.
        let _ = fs::OpenOptions::new().append(true).create(true).open(log).and_then(|mut file| file.write_all(&line));
    }
    let search = std::env::var_os(SEARCH).unwrap_or_default();
    let mut command = Command::new(find(&own, &search).unwrap_or_else(|| own.clone().into()));
    command.args(&arguments[1..]).env("PATH", &search);
    Some(becomes(command, &own))
}

#[cfg(unix)]
fn becomes(mut command: Command, name: &OsStr) -> ExitCode {
    let error = std::os::unix::process::CommandExt::exec(&mut command);
    terminal::error(&format!("cannot start `{}`: {}", name.display(), files::describe(&error)));
    ExitCode::from(127)
}

#[cfg(not(unix))]
fn becomes(mut command: Command, name: &OsStr) -> ExitCode {
    match command.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            terminal::error(&format!("cannot start `{}`: {}", name.display(), files::describe(&error)));
            ExitCode::from(127)
        }
    }
}

fn find(name: &OsStr, search: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(search).map(|dir| dir.join(name)).find(|path| path.is_file())
}

/// Runs a build and writes its commands.
pub(crate) fn record(arguments: &RecordArguments, terminal: &Terminal) -> Exit {
    match run(arguments, terminal) {
        Ok(exit) => exit,
        Err(message) => {
            terminal.error(&message);
            Exit::Failure
        }
    }
}

fn run(arguments: &RecordArguments, terminal: &Terminal) -> Result<Exit, String> {
    let folder = temporary::Folder::create("cairn-record")?;
    let search = std::env::var_os("PATH").unwrap_or_default();
    let links = folder.path().join("bin");
    link_tools(arguments, &links, &search)?;
    let log = folder.path().join("log");
    let path = std::env::join_paths(std::iter::once(links.clone()).chain(std::env::split_paths(&search)))
        .map_err(|_| "the search path cannot be extended".to_owned())?;
    let [program, words @ ..] = arguments.command.as_slice() else { return Err("no build command".to_owned()) };
    let mut command = Command::new(program);
    command.args(words).env("PATH", path).env(SEARCH, &search).env(LOG, &log);
    // A compiler that the environment names by its path would not be found through the search path.
    if let Some(cc) = std::env::var_os("CC").filter(|cc| cc.as_encoded_bytes().starts_with(b"/")) {
        let name = Path::new(&cc).file_name().unwrap_or_default();
        if links.join(name).exists() {
            command.env("CC", name);
        }
    }
    let status = command
        .status()
        .map_err(|error| format!("cannot start `{}`: {}", program.display(), files::describe(&error)))?;
    let text = fs::read(&log).unwrap_or_default();
    let started: Vec<Started> =
        String::from_utf8_lossy(&text).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let (compiled, linked) = write(&started, arguments)?;
    let s = |count: usize| if count == 1 { "" } else { "s" };
    let file = arguments.output.join(COMPILE_COMMANDS);
    terminal.note(&format!(
        "{compiled} compiled file{} and {linked} link command{} written to '{}'",
        s(compiled),
        s(linked),
        file.display()
    ));
    if compiled == 0 {
        terminal.help("a build that is up to date starts no compiler: clean it first");
    }
    if status.success() {
        return Ok(Exit::Fine);
    }
    terminal.error(&format!("`{}` failed ({status})", program.display()));
    Ok(Exit::Failure)
}

/// Creates the links to cairn under the names of all tools that exist.
fn link_tools(arguments: &RecordArguments, links: &Path, search: &OsStr) -> Result<(), String> {
    let cannot = |error: &std::io::Error| format!("cannot create '{}': {}", links.display(), files::describe(error));
    fs::create_dir(links).map_err(|error| cannot(&error))?;
    let own =
        std::env::current_exe().map_err(|error| format!("cannot find cairn itself: {}", files::describe(&error)))?;
    let named = std::env::var_os("CC").and_then(|cc| Path::new(&cc).file_name().map(OsStr::to_owned));
    let mut tools: Vec<OsString> = TOOLS.iter().map(OsString::from).collect();
    tools.extend(arguments.compilers.iter().cloned().chain(named));
    tools.sort();
    tools.dedup();
    for tool in tools.iter().filter(|tool| find(tool, search).is_some()) {
        link(&own, &links.join(tool)).map_err(|error| cannot(&error))?;
    }
    Ok(())
}

#[cfg(unix)]
fn link(own: &Path, name: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(own, name)
}

#[cfg(not(unix))]
fn link(own: &Path, name: &Path) -> std::io::Result<()> {
    fs::copy(own, name.with_extension("exe")).map(|_| ())
}

/// Writes the database and the link commands. Returns how many there are.
fn write(started: &[Started], arguments: &RecordArguments) -> Result<(usize, usize), String> {
    let (mut compiled, mut linked) = (Vec::new(), Vec::new());
    for command in started {
        entries(command, &mut compiled, &mut linked);
    }
    for (name, entries) in [(COMPILE_COMMANDS, &mut compiled), (LINK_COMMANDS, &mut linked)] {
        let file = arguments.output.join(name);
        if arguments.append && file.is_file() {
            let key = |entry: &Entry| (entry.directory.clone(), entry.file.clone(), entry.output.clone());
            let new: Vec<_> = entries.iter().map(key).collect();
            let mut all: Vec<Entry> = database::entries(&file)?;
            all.retain(|entry| !new.contains(&key(entry)));
            all.append(entries);
            *entries = all;
        }
        let text = serde_json::to_string_pretty(entries).unwrap_or_default() + "\n";
        files::write(&file, &text)?;
    }
    Ok((compiled.len(), linked.len()))
}

/// Adds the entries of a command: one for each C file that it compiles, and one if it links.
fn entries(command: &Started, compiled: &mut Vec<Entry>, linked: &mut Vec<Entry>) {
    let Started { directory, arguments } = command;
    let folder = Path::new(directory);
    let entry = |file: &str, output: Option<String>| Entry {
        directory: directory.clone(),
        file: file.to_owned(),
        arguments: Some(arguments.clone()),
        command: None,
        output,
    };
    if arguments.first().is_some_and(|tool| is_archiver(tool)) {
        linked.push(entry("", arguments.get(2).cloned()));
        return;
    }
    let line = flags::parse(arguments, folder, folder);
    if line.only_preprocesses {
        return;
    }
    // Configuration scripts compile files that they remove again.
    let sources: Vec<&String> = line
        .files
        .iter()
        .filter(|file| database::is_c(file, line.language.as_deref()) && folder.join(file).is_file())
        .collect();
    for file in &sources {
        let object = || Path::new(file).with_extension("o").file_name().map(|name| name.to_string_lossy().into_owned());
        let output = if line.makes_object { line.output.clone().or_else(object) } else { None };
        compiled.push(entry(file, output));
    }
    let objects = line.files.iter().any(|file| !database::is_c(file, None));
    if !line.makes_object && (objects || !sources.is_empty()) {
        linked.push(entry("", line.output.clone()));
    }
}
