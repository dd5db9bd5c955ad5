//! Runs the system's C preprocessor on files that need one, and keeps its line markers.
//!
//! [`compiler`] chooses the program and its arguments: nothing in the text or the name of a file can become an option. [`child`]
//! runs it within limits on time, memory and output.

mod compiler;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, str};

use cairn_frontend::plain::without_preprocessor;

use self::compiler::Compiler;
use crate::arguments::{COptions, DataModel};
use crate::limits::{PREPROCESSOR_MEMORY, SHOWN_INCLUSIONS};
use crate::system::child::{self, Failure, Finished, Memory};
use crate::system::files::{self, describe};
use crate::system::supervise::Guard;
use crate::system::temporary;

const MEMORY: Memory = Memory::Limited(PREPROCESSOR_MEMORY);

/// Preprocesses a `.c` file (`-` for C on standard input). The error is a message, or `None` when the compiler has printed its own.
pub(crate) fn preprocess(path: &Path, options: &COptions, guard: &Guard) -> Result<Vec<u8>, Option<String>> {
    shown(finished(path, options, guard)?)
}

/// Preprocesses a file without passing on messages. Returns `None` after an error.
pub(crate) fn preprocess_quietly(path: &Path, options: &COptions, guard: &Guard) -> Option<Vec<u8>> {
    finished(path, options, guard).ok().filter(|finished| finished.succeeded).map(|finished| finished.output)
}

fn finished(path: &Path, options: &COptions, guard: &Guard) -> Result<Finished, String> {
    if let Some(text) = plain(path, options)? {
        return Ok(Finished { succeeded: true, output: text.into_bytes(), messages: Vec::new() });
    }
    if let Some(copy) = files::unsaved(path) {
        return finished_unsaved(path, copy, options, guard);
    }
    // Standard input cannot be read a second time.
    let input = if path == Path::new("-") { files::read(path)? } else { Vec::new() };
    let job = Job { compiler: Compiler::choose(options, path)?, path, options, input: &input, guard };
    let first = job.run(&[])?;
    if first.succeeded || options.data_model != DataModel::Ilp32 || !lacks_32_bit_headers(&first.messages) {
        return Ok(first);
    }
    // Many machines have the 32-bit compiler without the 32-bit headers. These differ from the 64-bit ones only by a list of
    // missing functions, so the 64-bit ones serve with an empty list.
    let Ok(stand_ins) = StandIns::create() else { return Ok(first) };
    let mut extra: Vec<OsString> = Vec::new();
    for dir in job.multiarch_dir().iter().chain([&stand_ins.dir]) {
        extra.extend(["-idirafter".into(), dir.clone().into_os_string()]);
    }
    let second = job.run(&extra)?;
    Ok(if second.succeeded { second } else { first })
}

/// Preprocesses the copy of a file as if it had the name and the place of the file.
fn finished_unsaved(path: &Path, copy: &Path, options: &COptions, guard: &Guard) -> Result<Finished, String> {
    let name = path.to_string_lossy().replace('\\', "\\\\").replace('"', "\\\"");
    let mut input = format!("#line 1 \"{name}\"\n").into_bytes();
    input.extend(files::read(copy)?);
    let mut options = options.clone();
    // Standard input has no folder in which quoted headers are searched first.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    options.include_dirs.insert(0, folder.as_os_str().to_owned());
    let standard_input = Path::new("-");
    let compiler = Compiler::choose(&options, standard_input)?;
    Job { compiler, path: standard_input, options: &options, input: &input, guard }.run(&[])
}

/// Returns the text of a file that needs no preprocessor, unless an option asks for one.
fn plain(path: &Path, options: &COptions) -> Result<Option<String>, String> {
    let COptions { defines, undefines, includes, standard, cc, flags, .. } = options;
    let asked = !defines.is_empty()
        || !undefines.is_empty()
        || !includes.is_empty()
        || standard.is_some()
        || cc.is_some()
        || !flags.is_empty();
    if asked || path == Path::new("-") || std::env::var_os("CC").is_some_and(|cc| !cc.is_empty()) {
        return Ok(None);
    }
    Ok(str::from_utf8(&files::read(path)?).ok().and_then(without_preprocessor))
}

/// Passes the compiler's messages on. Returns its output when there was no error.
fn shown(finished: Finished) -> Result<Vec<u8>, Option<String>> {
    let _ = io::stderr().lock().write_all(&shortened(&finished.messages));
    match (finished.succeeded, finished.messages.is_empty()) {
        (true, _) => Ok(finished.output),
        (false, false) => Err(None),
        (false, true) => Err(Some("the C preprocessor failed without a message".to_owned())),
    }
}

/// Leaves out the middle of long chains of inclusions, which a file that includes itself causes.
fn shortened(messages: &[u8]) -> Vec<u8> {
    let is_link = |line: &[u8]| line.trim_ascii_start().starts_with(b"from ");
    let lines: Vec<&[u8]> = messages.split_inclusive(|&byte| byte == b'\n').collect();
    let mut out = Vec::new();
    for chain in lines.chunk_by(|a, b| is_link(a) && is_link(b)) {
        if chain.len() <= 2 * SHOWN_INCLUSIONS {
            out.extend(chain.concat());
            continue;
        }
        out.extend(chain[..SHOWN_INCLUSIONS].concat());
        let left_out = chain.len() - 2 * SHOWN_INCLUSIONS;
        out.extend(format!("                 ... {left_out} more\n").bytes());
        out.extend(chain[chain.len() - SHOWN_INCLUSIONS..].concat());
    }
    out
}

/// The preprocessing of one file.
struct Job<'a> {
    compiler: Compiler,
    path: &'a Path,
    options: &'a COptions,
    input: &'a [u8],
    guard: &'a Guard,
}

impl Job<'_> {
    fn run(&self, extra: &[OsString]) -> Result<Finished, String> {
        let command = self.compiler.preprocess(self.path, self.options, extra);
        child::run(command, MEMORY, self.input, self.guard).map_err(|failure| {
            let (file, program) = (self.path.display(), self.compiler.name());
            match failure {
                Failure::NotStarted(cause) => {
                    format!("cannot preprocess '{file}': cannot start `{program}`: {}", describe(&cause))
                }
                Failure::Stopped(reason) => format!("cannot preprocess '{file}': {reason}"),
                Failure::TooLarge(limit) => {
                    format!("cannot preprocess '{file}': output is larger than {} MiB", limit >> 20)
                }
            }
        })
    }

    /// Returns the folder with the headers of the compiler's architecture (`/usr/include/x86_64-linux-gnu`).
    fn multiarch_dir(&self) -> Option<PathBuf> {
        let mut command = self.compiler.command();
        command.arg("-print-multiarch");
        let name = String::from_utf8(child::run(command, MEMORY, &[], self.guard).ok()?.output).ok()?;
        let name = name.trim();
        let dir = Path::new("/usr/include").join(name);
        (!name.is_empty() && dir.is_dir()).then_some(dir)
    }
}

/// Returns whether the messages are about headers of the C library that only a 32-bit installation has.
fn lacks_32_bit_headers(messages: &[u8]) -> bool {
    let messages = String::from_utf8_lossy(messages);
    ["gnu/stubs-32.h", "bits/", "sys/", "asm/", "gnu/"].iter().any(|header| {
        messages.lines().any(|line| line.contains("No such file") && line.contains(&format!(": {header}")))
    })
}

/// A folder with an empty `gnu/stubs-32.h`. It is removed when this value is dropped.
struct StandIns {
    dir: PathBuf,
}

impl StandIns {
    fn create() -> io::Result<Self> {
        let this = StandIns { dir: temporary::create_folder("cairn-headers")? };
        fs::create_dir(this.dir.join("gnu"))?;
        fs::write(this.dir.join("gnu/stubs-32.h"), "")?;
        Ok(this)
    }
}

impl Drop for StandIns {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_chains_of_inclusions_are_shortened() {
        let line = "                 from a.c:1,\n";
        let text =
            |links: usize| format!("In file included from a.c:1,\n{}a.c:1:10: error: deep\n", line.repeat(links));
        let short = |links| String::from_utf8(shortened(text(links).as_bytes())).expect("ASCII");
        assert_eq!(short(6), text(6));
        let expected =
            text(6).replace(&line.repeat(6), &format!("{0}                 ... 194 more\n{0}", line.repeat(3)));
        assert_eq!(short(200), expected);
    }

    #[test]
    fn missing_system_headers_are_told_from_missing_user_headers() {
        assert!(lacks_32_bit_headers(b"/usr/include/a.h:7: fatal error: gnu/stubs-32.h: No such file or directory\n"));
        assert!(lacks_32_bit_headers(b"/usr/include/stdio.h:27:10: fatal error: bits/x.h: No such file or directory"));
        assert!(!lacks_32_bit_headers(b"a.c:1:10: fatal error: mine.h: No such file or directory"));
    }
}
