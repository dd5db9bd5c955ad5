//! Helpers of the tests of the command line: running `cairn`, and checking many programs in parallel.
#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

mod mutants;
pub mod tasks;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub use mutants::with_mutants;

/// Returns the root folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the folder of test programs with this name.
pub fn programs(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder)
}

/// Creates an empty folder for the files of one test, inside the target folder.
pub fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("the target folder is writable");
    dir
}

/// Returns a command that runs `cairn` with empty standard input and without environment variables that it reads.
pub fn cairn() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.stdin(Stdio::null()).env_remove("CC").env_remove("NO_COLOR").current_dir(root());
    command
}

/// A time limit that only stops a test that hangs. No test expects a search to run into it.
pub const SAFETY_NET: [&str; 2] = ["--time-limit", "600"];

/// Returns a command that runs `cairn check`.
pub fn cairn_check() -> Command {
    let mut command = cairn();
    command.arg("check").args(SAFETY_NET);
    command
}

/// The output of a finished process.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a command until it exits.
pub fn finish(command: &mut Command) -> Said {
    said(command.output().expect("the command can be started"))
}

/// Converts the output of a process. The status is -1 if a signal killed it.
pub fn said(output: Output) -> Said {
    Said {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Returns every `.c` file below a folder, sorted.
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

/// Whether sweeps take every program. By default, they take a sample of a fixed size.
pub fn sweeps_all() -> bool {
    std::env::var_os("CAIRN_SWEEP").is_some_and(|value| value == "all")
}

/// Returns the programs that a sweep takes: every `step`-th of each family, beginning with the first, or all of them
/// with `CAIRN_SWEEP=all`.
///
/// Programs are of the same family if they are in the same folder and the first words of their names are equal.
pub fn sample(files: Vec<PathBuf>, step: usize) -> Vec<PathBuf> {
    if sweeps_all() {
        return files;
    }
    let mut sizes: BTreeMap<(PathBuf, String), usize> = BTreeMap::new();
    let mut is_chosen = |file: &PathBuf| {
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let size = sizes.entry((folder, stem.split('_').next().unwrap_or("").to_owned())).or_default();
        *size += 1;
        (*size - 1).is_multiple_of(step)
    };
    files.into_iter().filter(|file| is_chosen(file)).collect()
}

/// Reports that a test did not run. The message also appears when the test harness captures output.
pub fn skipped(test: &str, reason: &str) {
    let _ = writeln!(std::io::stderr(), "test {test} ... skipped: {reason}");
}

/// Applies `check` to every file, on as many threads as there are processors, and fails with all complaints together.
///
/// With `CAIRN_TIMES` in the environment, it prints the five files that took longest.
pub fn check_all(files: &[PathBuf], check: impl Fn(&Path) -> Result<(), String> + Sync) {
    assert!(!files.is_empty(), "there is nothing to check");
    let next = AtomicUsize::new(0);
    let complaints = Mutex::new(Vec::new());
    let times = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let result = check(file);
                    times.lock().expect("no check panics").push((start.elapsed(), file));
                    if let Err(complaint) = result {
                        complaints.lock().expect("no check panics").push(format!("{}: {complaint}", file.display()));
                    }
                }
            });
        }
    });
    if std::env::var_os("CAIRN_TIMES").is_some() {
        let mut times = times.into_inner().expect("no check panics");
        times.sort_by(|a, b| b.cmp(a));
        for (time, file) in times.iter().take(5) {
            eprintln!("{:6.1} s  {}", time.as_secs_f64(), file.display());
        }
    }
    let mut complaints = complaints.into_inner().expect("no check panics");
    complaints.sort();
    assert!(complaints.is_empty(), "{} of {} fail:\n{}", complaints.len(), files.len(), complaints.join("\n"));
}

/// The name of a check and the line that it was reported for.
pub type Report = (String, u32);

/// Returns the checks that a report names, with the lines of `file` that it points to.
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
