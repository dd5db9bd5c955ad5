//! What the tests of the command line share: running `cairn`, and going through many programs side by side.
#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

mod mutants;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use mutants::with_mutants;

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of test programs with this name.
pub fn programs(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// A new folder for one test's files, inside the target folder.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target folder is writable");
    dir
}

/// `cairn` with nothing on standard input and no environment that changes what it does.
pub fn cairn() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.stdin(Stdio::null()).env_remove("CC").env_remove("NO_COLOR").current_dir(root());
    command
}

/// What a finished `cairn` said.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command to its end.
pub fn finish(command: &mut Command) -> Said {
    said(command.output().expect("the command can be started"))
}

/// What a finished process said; -1 for one that was killed by a signal.
pub fn said(output: Output) -> Said {
    Said {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Every `.c` file below a folder, sorted.
pub fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder is readable") {
            let path = entry.expect("the folder is readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Applies `check` to every file on as many threads as there are processors and fails with all complaints together.
pub fn check_all(files: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    assert!(!files.is_empty(), "there is nothing to check");
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(complaint) = check(file) {
                        complaints.lock().expect("no check panics").push(format!("{}: {complaint}", file.display()));
                    }
                }
            });
        }
    });
    let mut complaints = complaints.into_inner().expect("no check panics");
    complaints.sort();
    assert!(complaints.is_empty(), "{} of {} fail:\n{}", complaints.len(), files.len(), complaints.join("\n"));
}

/// A check's name and the line it was reported at.
pub type Report = (String, u32);

/// The checks that a report on standard error names, with the lines of `file` that it points to.
pub fn reports(stderr: &str, file: &str) -> Vec<Report> {
    let mut found = Vec::new();
    let mut lines = stderr.lines();
    while let Some(line) = lines.next() {
        let Some(rest) = line.strip_prefix("error[").or_else(|| line.strip_prefix("warning[")) else { continue };
        let name = rest.split(']').next().unwrap_or("").to_owned();
        let arrow = lines.next().unwrap_or("");
        let place = arrow.trim_start().strip_prefix("--> ").unwrap_or("");
        let number = place.strip_prefix(file).and_then(|rest| rest.split(':').nth(1)).and_then(|n| n.parse().ok());
        found.push((name, number.unwrap_or(0)));
    }
    found.sort();
    found
}
