//! Analyses in processes of their own, which can be stopped at any time.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::settings::Settings;
use crate::limits::{LSP_GRACE, LSP_OUTPUT, LSP_POLL, LSP_QUICK_WORK};
use crate::system::temporary::Folder;

/// What an analysis is about.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) file: PathBuf,
    /// The text in the editor, if the file differs.
    pub(super) unsaved: Option<Arc<str>>,
    pub(super) settings: Settings,
}

/// The kinds of analyses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// `cairn check` with little work, for a first answer.
    Quick,
    /// `cairn check`.
    Check,
    /// `cairn dump --states`.
    States,
    /// `cairn contract`.
    Contracts,
}

/// The outcome of an analysis.
#[derive(Debug)]
pub(super) struct Outcome {
    /// What the analysis wrote: JSON, if it came that far.
    pub(super) output: String,
    /// The messages of the front-end and of the preprocessor.
    pub(super) messages: String,
    /// The folder that names of files are relative to.
    pub(super) folder: PathBuf,
    pub(super) is_complete: bool,
}

/// A running analysis. It is stopped when this value is dropped.
#[derive(Debug)]
pub(super) struct Job {
    stop: Arc<AtomicBool>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Starts an analysis. `done` is called with its outcome unless the analysis is stopped before.
pub(super) fn start(kind: Kind, subject: Subject, done: impl FnOnce(Result<Outcome, String>) + Send + 'static) -> Job {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let work = move || {
        let outcome = run(kind, &subject, &stopped);
        if let Some(outcome) = outcome.transpose() {
            done(outcome);
        }
    };
    // Without a thread, there is no answer, and the next change tries again.
    let _ = thread::Builder::new().name("analysis".to_owned()).spawn(work);
    Job { stop }
}

/// Runs an analysis; `None` if it was stopped.
fn run(kind: Kind, subject: &Subject, stop: &AtomicBool) -> Result<Option<Outcome>, String> {
    let scratch = Folder::create("cairn-lsp")?;
    let program = std::env::current_exe().map_err(|error| format!("cannot find cairn itself: {error}"))?;
    let project = project_of(&subject.file);
    let folder = project.clone().or_else(|| subject.file.parent().map(Path::to_path_buf)).unwrap_or_default();
    let (output, messages) = (scratch.path().join("output"), scratch.path().join("messages"));
    let file =
        |path: &Path| std::fs::File::create(path).map_err(|error| format!("cannot write a temporary file: {error}"));
    let mut command = Command::new(program);
    command.current_dir(&folder).stdin(Stdio::null()).stdout(file(&output)?).stderr(file(&messages)?);
    match kind {
        Kind::Quick | Kind::Check => {
            command.args(["check", "--format", "json", "--list-proved"]);
            if kind == Kind::Quick {
                command.args(["--time-limit", "1", "--work-limit", LSP_QUICK_WORK]);
            } else {
                command.arg("--time-limit").arg(subject.settings.time_limit.to_string());
            }
            command.args(&subject.settings.arguments);
            if let Some(project) = &project {
                command.arg("-p").arg(project);
            }
        }
        Kind::States => {
            command.args(["dump", "--states", "--json", "--malloc-succeeds"]);
        }
        Kind::Contracts => {
            command.args(["contract", "--format", "json"]);
            command.arg("--time-limit").arg(subject.settings.time_limit.to_string());
        }
    }
    if let Some(text) = &subject.unsaved {
        let copy = scratch.path().join("unsaved");
        std::fs::write(&copy, text.as_bytes()).map_err(|error| format!("cannot write a temporary file: {error}"))?;
        let mut pair = subject.file.clone().into_os_string();
        pair.push("=");
        pair.push(&copy);
        command.arg("--unsaved").arg(pair);
    }
    command.arg(&subject.file);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = Running(command.spawn().map_err(|error| format!("cannot start an analysis: {error}"))?);
    let deadline = Instant::now() + Duration::from_secs(subject.settings.time_limit) + LSP_GRACE;
    let is_complete = loop {
        match child.0.try_wait() {
            Ok(Some(_)) => break true,
            Ok(None) if stop.load(Ordering::Relaxed) => return Ok(None),
            Ok(None) if Instant::now() < deadline => thread::sleep(LSP_POLL),
            Ok(None) | Err(_) => break false,
        }
    };
    drop(child);
    let read = |path: &Path| {
        let size = std::fs::metadata(path).map_or(0, |data| data.len());
        let bytes = if size <= LSP_OUTPUT { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
        String::from_utf8_lossy(&bytes).into_owned()
    };
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    Ok(Some(Outcome { output: read(&output), messages: read(&messages), folder, is_complete }))
}

/// A process that ends with this value, together with all processes that it has started.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let (Ok(None), Ok(group)) = (self.0.try_wait(), i32::try_from(self.0.id())) {
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), nix::sys::signal::Signal::SIGKILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the folder with the compilation database that a file belongs to.
fn project_of(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    file.ancestors().skip(1).find_map(|folder| {
        let candidates = [folder.to_path_buf(), folder.join("build")];
        let holds = |folder: &PathBuf| {
            // A file that the database does not name is checked by itself.
            std::fs::read_to_string(folder.join("compile_commands.json")).is_ok_and(|text| text.contains(name))
        };
        candidates.into_iter().find(holds)
    })
}
