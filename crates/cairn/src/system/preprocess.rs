//! Runs the system's C preprocessor on files that need one, and keeps its line markers.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cairn_frontend::plain::without_preprocessor;

use crate::arguments::{COptions, DataModel};
use crate::system::files::describe;
use crate::system::terminal::error;

/// Preprocesses a `.c` file (`-` for C on standard input). Returns `None` after reporting errors.
pub(crate) fn preprocess(path: &Path, options: &COptions) -> Option<Vec<u8>> {
    if let Some(text) = plain(path, options) {
        return Some(text.into_bytes());
    }
    let first = invoke(path, options, &[])?;
    // Standard input cannot be read a second time.
    let only_once = options.data_model != DataModel::Ilp32 || path == Path::new("-");
    if first.succeeded || only_once || !lacks_32_bit_headers(&first.messages) {
        return first.shown();
    }
    // Many machines have the 32-bit compiler without the 32-bit headers. These differ from the 64-bit ones only by a list of
    // missing functions, so the 64-bit ones serve with an empty list.
    let Ok(stand_ins) = StandIns::create() else { return first.shown() };
    let mut extra: Vec<OsString> = Vec::new();
    for dir in multiarch_dir(options).iter().chain([&stand_ins.dir]) {
        extra.extend(["-idirafter".into(), dir.clone().into_os_string()]);
    }
    let second = invoke(path, options, &extra)?;
    if second.succeeded { second.shown() } else { first.shown() }
}

/// Returns the text of a file that needs no preprocessor, unless an option asks for one.
fn plain(path: &Path, options: &COptions) -> Option<String> {
    let COptions { defines, undefines, includes, standard, cc, .. } = options;
    let asked =
        !defines.is_empty() || !undefines.is_empty() || !includes.is_empty() || standard.is_some() || cc.is_some();
    if asked || path == Path::new("-") || std::env::var_os("CC").is_some_and(|cc| !cc.is_empty()) {
        return None;
    }
    without_preprocessor(&fs::read_to_string(path).ok()?)
}

struct Output {
    succeeded: bool,
    text: Vec<u8>,
    messages: Vec<u8>,
}

impl Output {
    /// Passes the messages on. Returns the text when there was no error.
    fn shown(self) -> Option<Vec<u8>> {
        if !self.succeeded && self.messages.is_empty() {
            error("the C preprocessor failed without a message");
        }
        let _ = io::stderr().lock().write_all(&self.messages);
        self.succeeded.then_some(self.text)
    }
}

/// Returns the compiler command, which may have arguments of its own, and the name of its program.
fn command(options: &COptions) -> (Command, OsString) {
    let words = match &options.cc {
        Some(cc) => cc.clone(),
        None => std::env::var_os("CC").filter(|cc| !cc.is_empty()).unwrap_or_else(|| "cc".into()),
    };
    // A path with blanks is one word.
    let parts: Vec<OsString> = match words.to_str() {
        Some(text) if !Path::new(text).is_file() => text.split_whitespace().map(OsString::from).collect(),
        _ => vec![words.clone()],
    };
    let program = parts.first().cloned().unwrap_or_else(|| "cc".into());
    let mut command = Command::new(&program);
    command.args(parts.iter().skip(1));
    (command, program)
}

fn invoke(path: &Path, options: &COptions, extra: &[OsString]) -> Option<Output> {
    let (mut command, program) = command(options);
    command.args(["-E", "-x", "c"]);
    if options.data_model == DataModel::Ilp32 {
        command.arg("-m32");
    }
    if options.no_warnings {
        command.arg("-w");
    }
    if let Some(standard) = &options.standard {
        command.arg(joined("-std=", standard));
    }
    command.args(options.defines.iter().map(|define| joined("-D", define)));
    command.args(options.undefines.iter().map(|name| joined("-U", name)));
    command.args(options.include_dirs.iter().map(|dir| joined("-I", dir)));
    for file in &options.includes {
        command.arg("-include").arg(file);
    }
    command.args(extra);
    // A file name that begins with a dash must not look like an option.
    let dashed = path.as_os_str().as_encoded_bytes().starts_with(b"-") && path != Path::new("-");
    command.arg(if dashed { Path::new(".").join(path) } else { path.to_path_buf() });
    command.stdin(if path == Path::new("-") { Stdio::inherit() } else { Stdio::null() });
    match command.output() {
        Ok(output) => Some(Output { succeeded: output.status.success(), text: output.stdout, messages: output.stderr }),
        Err(cause) => {
            let (file, program) = (path.display(), program.to_string_lossy());
            error(&match cause.kind() {
                io::ErrorKind::NotFound => format!(
                    "cannot preprocess '{file}': C compiler `{program}` not found\nhelp: install a C compiler, name one with \
                     --cc or $CC, or pass a preprocessed file (.i)"
                ),
                _ => format!("cannot preprocess '{file}': cannot start `{program}`: {}", describe(&cause)),
            });
            None
        }
    }
}

fn joined(option: &str, value: &OsStr) -> OsString {
    let mut joined = OsString::from(option);
    joined.push(value);
    joined
}

/// Returns whether the messages are about headers of the C library that only a 32-bit installation has.
fn lacks_32_bit_headers(messages: &[u8]) -> bool {
    let messages = String::from_utf8_lossy(messages);
    ["gnu/stubs-32.h", "bits/", "sys/", "asm/", "gnu/"].iter().any(|header| {
        messages.lines().any(|line| line.contains("No such file") && line.contains(&format!(": {header}")))
    })
}

/// Returns the folder with the headers of the compiler's architecture (`/usr/include/x86_64-linux-gnu`).
fn multiarch_dir(options: &COptions) -> Option<PathBuf> {
    let (mut command, _) = command(options);
    let output = command.arg("-print-multiarch").stdin(Stdio::null()).output().ok()?;
    let name = String::from_utf8(output.stdout).ok()?;
    let name = name.trim();
    let dir = Path::new("/usr/include").join(name);
    (!name.is_empty() && dir.is_dir()).then_some(dir)
}

/// A folder with an empty `gnu/stubs-32.h`. It is removed when this value is dropped.
struct StandIns {
    dir: PathBuf,
}

impl StandIns {
    fn create() -> io::Result<Self> {
        let dir = std::env::temp_dir().join(format!("cairn-headers-{}", std::process::id()));
        let this = StandIns { dir };
        fs::create_dir_all(this.dir.join("gnu"))?;
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
    fn missing_system_headers_are_told_from_missing_user_headers() {
        assert!(lacks_32_bit_headers(b"/usr/include/a.h:7: fatal error: gnu/stubs-32.h: No such file or directory\n"));
        assert!(lacks_32_bit_headers(b"/usr/include/stdio.h:27:10: fatal error: bits/x.h: No such file or directory"));
        assert!(!lacks_32_bit_headers(b"a.c:1:10: fatal error: mine.h: No such file or directory"));
    }
}
