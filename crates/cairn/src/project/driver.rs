//! Checks the targets of a project side by side.
//!
//! Each target is checked by a process of its own, `cairn check --target`, so that limits and faults of one do not touch another. The same
//! command is the action of a build graph ([`super::ninja`]), and both merge the same results: a run in parallel, with kept results or on
//! other machines prints the same report.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cairn_portfolio::Reason;
use cairn_report::Report;
use cairn_report::report::{Scope, TargetSummary};

use super::database::Database;
use super::link::Linking;
use super::progress::Progress;
use super::scan::{self, Scanned};
use super::store::{self, Store};
use super::unit::{Kind, Target};
use super::{discover, ninja};
use crate::arguments::{CheckArguments, EngineName};
use crate::commands::check::delivery;
use crate::exit::Exit;
use crate::sha256;
use crate::system::child::{self, Memory};
use crate::system::originals::Originals;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;
use crate::system::{files, temporary};

/// A target with the facts that the driver has about it.
pub(crate) struct Job {
    pub(crate) target: Target,
    /// The hash of the preprocessed texts, if all of them could be preprocessed.
    pub(crate) hash: Option<String>,
    /// The files of the project that the target consists of, headers included.
    pub(crate) files: Vec<String>,
}

/// Checks a project.
pub(crate) fn check(arguments: &CheckArguments, guard: &Guard, terminal: &Terminal) -> Exit {
    match run(arguments, guard, terminal) {
        Ok(exit) => exit,
        Err(message) => {
            terminal.error(&message);
            Exit::Failure
        }
    }
}

fn run(arguments: &CheckArguments, guard: &Guard, terminal: &Terminal) -> Result<Exit, String> {
    reject(arguments)?;
    let root = std::env::current_dir()
        .map_err(|error| format!("cannot find the current folder: {}", files::describe(&error)))?;
    let mut database = discover::units(arguments, &root)?;
    if let Some(configuration) = &arguments.project.configuration {
        database.units.retain(|unit| !configuration.excludes(&unit.file));
    }
    for problem in &database.problems {
        terminal.warning(problem);
    }
    if database.skipped > 0 {
        let s = if database.skipped == 1 { " is" } else { "s are" };
        terminal.note(&format!("{} file{s} not C and left out", database.skipped));
    }
    let models = discover::models(&arguments.project.models, &root);
    let code = database.units.len();
    database.units.extend(models);
    if code == 0 {
        return Err("no C files to check".to_owned());
    }
    let store = match &arguments.project {
        project if project.no_cache => None,
        project => project.cache_dir.clone().or_else(store::default_folder).and_then(|dir| Store::open(&dir, terminal)),
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let workers = arguments.project.jobs.map_or(threads, |jobs| jobs as usize);
    let scanned = scan::scan(&database.units, &arguments.c, store.as_ref(), workers, guard);
    let jobs = jobs(&database, database.units.len() - code, &scanned, arguments);
    if let Some(folder) = &arguments.project.emit_ninja {
        return ninja::emit(folder, &jobs, arguments).map(|()| Exit::Fine);
    }
    let session = Session::new(arguments, store, workers, guard)?;
    let mut parts = session.check_all(&jobs);
    // The files of a program that cannot be linked are checked one by one, and so is a library that does not fit to what it calls.
    let apart = apart(&jobs, &parts);
    parts.retain(|part| !apart.iter().any(|job| part.is_replaced_by(job)));
    parts.extend(session.check_all(&apart));
    drop(session);
    let messages: BTreeSet<String> = parts.iter().filter_map(|part| part.messages.clone()).collect();
    for message in messages {
        terminal.report(message.trim_end());
    }
    let report = Report::merge(parts.into_iter().map(|part| part.report).collect());
    let files: Vec<String> =
        jobs.iter().flat_map(|job| job.files.iter().cloned()).collect::<BTreeSet<_>>().into_iter().collect();
    let paths: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let originals = Originals::new(&paths, std::iter::empty());
    let exit = exit_of(&report, guard);
    guard.concludes();
    Ok(delivery(arguments, terminal).deliver(report, &files, &|name| originals.read(name), exit))
}

/// Rejects options that have no meaning for a project.
fn reject(arguments: &CheckArguments) -> Result<(), String> {
    let option = match arguments {
        _ if arguments.solver.engine == EngineName::Integrity => "--engine integrity",
        _ if arguments.harness.is_some() => "--harness",
        _ if arguments.solver.certificate.is_some() => "--certificate",
        _ if !arguments.args.is_empty() => "-- ARGS",
        _ => return Ok(()),
    };
    Err(format!("`{option}` needs the files of one program, not a project"))
}

/// Returns the exit code of a project without violations.
pub(crate) fn exit_of(report: &Report, guard: &Guard) -> Exit {
    let is_proved = report.checks.unknown == 0 && report.unknown_reasons.is_empty();
    let has_library = !matches!(report.scope, Scope::Project { functions: 0 });
    if report.targets.iter().any(|target| target.failure.is_some()) && !guard.is_cancelled() {
        Exit::Failure
    } else if is_proved && !has_library && !guard.is_cancelled() {
        Exit::Fine
    } else {
        Exit::Undecided
    }
}

/// Combines the units to targets.
fn jobs(database: &Database, models: usize, scanned: &[Scanned], arguments: &CheckArguments) -> Vec<Job> {
    let symbols: Vec<_> = scanned.iter().map(|unit| unit.symbols.clone()).collect();
    let (units, links) = (&database.units, &database.links);
    let linking = Linking { units, symbols: &symbols, links, models, has_programs: !arguments.library };
    let describe = |mut target: Target| {
        target.functions.clone_from(&arguments.c.functions);
        let parts: Vec<&Scanned> = target
            .units
            .iter()
            .filter_map(|unit| database.units.iter().position(|other| other == unit))
            .filter_map(|index| scanned.get(index))
            .collect();
        let hashes: Option<Vec<&str>> = parts.iter().map(|part| part.hash.as_deref()).collect();
        let own = target.units.iter().map(|unit| unit.file.clone());
        let files: BTreeSet<String> = parts.iter().flat_map(|part| part.includes.iter().cloned()).chain(own).collect();
        Job { hash: hashes.map(|hashes| hashes.join(" ")), files: files.into_iter().collect(), target }
    };
    linking.targets().into_iter().map(describe).collect()
}

/// Returns the files of targets that could not be checked, each as a library by itself.
fn apart(jobs: &[Job], parts: &[Part]) -> Vec<Job> {
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (job, part) in jobs.iter().zip(parts) {
        let is_failed = part.report.targets.iter().any(|target| target.failure.is_some());
        let has_parts = job.target.kind == Kind::Program || job.target.dependencies > 0;
        if !is_failed || !has_parts || part.is_interrupted {
            continue;
        }
        for unit in job.target.checked().iter().filter(|unit| seen.insert(unit.file.clone())) {
            let apart = Target::new(unit.file.clone(), Kind::Library, vec![unit.clone()]);
            let target = Target { functions: job.target.functions.clone(), ..apart };
            out.push(Job { target, hash: None, files: job.files.clone() });
        }
    }
    out
}

/// The result of one target.
struct Part {
    report: Report,
    /// The messages of the target's process.
    messages: Option<String>,
    is_interrupted: bool,
}

/// What the store holds for a target: a later run prints the same messages and the same report.
#[derive(serde::Serialize, serde::Deserialize)]
struct Kept<R> {
    messages: Option<String>,
    report: R,
}

impl Part {
    /// Returns the bytes for the store. Targets that could not be checked are not kept.
    fn to_keep(&self) -> Option<Vec<u8>> {
        if self.report.targets.iter().any(|target| target.failure.is_some()) {
            return None;
        }
        serde_json::to_vec(&Kept { messages: self.messages.clone(), report: &self.report }).ok()
    }

    /// Reads the bytes of the store.
    fn from_kept(bytes: &[u8]) -> Option<Self> {
        let kept: Kept<serde_json::Value> = serde_json::from_slice(bytes).ok()?;
        let report = Report::from_json(&kept.report.to_string()).ok()?;
        Some(Part { report, messages: kept.messages, is_interrupted: false })
    }

    /// Returns whether a job checks the same library again, without the units that it calls.
    fn is_replaced_by(&self, job: &Job) -> bool {
        let is_same = |target: &TargetSummary| target.failure.is_some() && target.name == job.target.name;
        self.report.targets.iter().any(|target| is_same(target) && target.kind == Kind::Library.name())
    }
}

/// The surroundings of the processes that check targets.
struct Session<'a> {
    arguments: &'a CheckArguments,
    store: Option<Store>,
    workers: usize,
    guard: &'a Guard,
    program: PathBuf,
    /// The part of each key that says which cairn computed a result with which options.
    tool: String,
    /// The folder for target files.
    folder: temporary::Folder,
}

impl<'a> Session<'a> {
    fn new(
        arguments: &'a CheckArguments,
        store: Option<Store>,
        workers: usize,
        guard: &'a Guard,
    ) -> Result<Self, String> {
        let program = std::env::current_exe()
            .map_err(|error| format!("cannot find cairn itself: {}", files::describe(&error)))?;
        let folder = temporary::Folder::create("cairn-targets")?;
        let tool = tool(&program, arguments);
        Ok(Session { arguments, store, workers, guard, program, tool, folder })
    }

    /// Checks targets, and returns their results in the same order.
    fn check_all(&self, jobs: &[Job]) -> Vec<Part> {
        let (next, findings) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results: Mutex<Vec<Option<Part>>> = Mutex::new(jobs.iter().map(|_| None).collect());
        let progress = Progress::start(jobs.len());
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(index) else { break };
                let part = self.check(job, index);
                findings.fetch_add(part.report.findings.len(), Ordering::Relaxed);
                progress.ended(&job.target.name, findings.load(Ordering::Relaxed));
                if let Ok(mut results) = results.lock() {
                    results[index] = Some(part);
                }
            }
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (1..self.workers).map(|_| scope.spawn(work)).collect();
            work();
            drop(workers);
        });
        progress.finish();
        results.into_inner().unwrap_or_default().into_iter().flatten().collect()
    }

    fn check(&self, job: &Job, index: usize) -> Part {
        let key = job.hash.as_ref().map(|hash| {
            let text = format!("{}\n{}\n{hash}", self.tool, job.target.to_text());
            format!("target {}", sha256::hex(text.as_bytes()))
        });
        let kept = key.as_ref().and_then(|key| self.store.as_ref()?.get(key));
        if let Some(part) = kept.and_then(|bytes| Part::from_kept(&bytes)) {
            return part;
        }
        let part = self.start(job, index);
        if let (Some(store), Some(key)) = (&self.store, key)
            && !part.is_interrupted
            && is_repeatable(&part.report)
            && let Some(bytes) = part.to_keep()
        {
            store.put(&[(key, bytes)]);
        }
        part
    }

    /// Starts the process that checks a target, and waits for it.
    fn start(&self, job: &Job, index: usize) -> Part {
        let target = &job.target;
        let failed = |message: &str, is_interrupted: bool| Part {
            report: Report::of_failure(&target.name, target.kind.name(), message.lines().next().unwrap_or("")),
            messages: (!is_interrupted).then(|| message.to_owned()),
            is_interrupted,
        };
        if self.guard.is_cancelled() {
            return failed("interrupted", true);
        }
        let file = self.folder.path().join(format!("{index}.json"));
        if let Err(message) = files::write(&file, &target.to_text()) {
            return failed(&format!("error: {message}"), false);
        }
        let mut command = Command::new(&self.program);
        command.args(["check", "--color=never", "--format=json", "--target"]).arg(&file);
        command.args(&self.arguments.project.forwarded);
        if let Some(limit) = self.memory() {
            command.arg(format!("--memory-limit={limit}"));
        }
        let finished = match child::run(command, Memory::OwnLimit, &[], self.guard) {
            Ok(finished) => finished,
            Err(child::Failure::Stopped(reason)) => return failed(&reason.to_string(), reason == Reason::Interrupted),
            Err(child::Failure::NotStarted(cause)) => {
                return failed(&format!("error: cannot start cairn: {}", files::describe(&cause)), false);
            }
            Err(child::Failure::TooLarge(_)) => return failed("error: results are too large", false),
        };
        let _ = std::fs::remove_file(&file);
        let messages = String::from_utf8_lossy(&finished.messages).into_owned();
        let report = String::from_utf8(finished.output).ok().and_then(|text| Report::from_json(&text).ok());
        match report {
            Some(report) if finished.succeeded => {
                Part { report, messages: Some(messages).filter(|text| !text.is_empty()), is_interrupted: false }
            }
            _ if self.guard.is_cancelled() => failed("interrupted", true),
            _ if messages.is_empty() => {
                failed(&format!("error: check of '{}' ended without a result", target.name), false)
            }
            _ => failed(&messages, false),
        }
    }

    /// Returns the memory of each process: the user's limit, or an equal share of the machine.
    fn memory(&self) -> Option<u64> {
        self.arguments.search.memory_limit.or_else(|| crate::system::supervise::share_of_memory(self.workers as u64))
    }
}

/// Returns whether a later run would give the same results: a limit on time or memory is none of the code.
fn is_repeatable(report: &Report) -> bool {
    let depends = [Reason::Interrupted, Reason::OutOfMemory].map(|reason| reason.name());
    !report.unknown_reasons.iter().any(|unknown| depends.contains(&unknown.reason.as_str()))
}

/// Returns a text that changes with cairn and with its options.
fn tool(program: &Path, arguments: &CheckArguments) -> String {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    if let Ok(bytes) = std::fs::read(program) {
        hasher.write(&bytes);
    }
    let options: Vec<OsString> = arguments.project.forwarded.clone();
    format!("{} {:x} {options:?} {:?}", env!("CARGO_PKG_VERSION"), hasher.finish(), arguments.search.memory_limit)
}
