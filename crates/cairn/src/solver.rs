//! The solver session of a command: chooses the solver, logs queries and measures time.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use cairn_portfolio::engine::Effort;
use cairn_portfolio::settings::Settings;
use cairn_smt::session::Observer;
use cairn_smt::{Answer, Session, Term, Terms};

use crate::arguments::{self, SearchArguments, SolverArguments};
use crate::certificate;
use crate::system::external::External;
use crate::system::files;

/// An observer of a solver session from outside.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    in_solver: Rc<Cell<Duration>>,
    in_checker: Rc<Cell<Duration>>,
    /// The first problem: a log that cannot be written, or an external solver that does not answer.
    trouble: Rc<RefCell<Option<String>>>,
}

impl Watch {
    /// Returns the first problem.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.borrow().clone()
    }

    /// Records a problem, unless there was one before.
    pub(crate) fn complain(&self, message: String) {
        self.trouble.borrow_mut().get_or_insert(message);
    }

    /// Returns the lines of `--stats`, which `cairn bench` reads: a name and a number each.
    pub(crate) fn statistics(&self, effort: &Effort) -> String {
        let Effort { solver, states, summaries, reused, certified, rejected } = effort;
        let mut text = String::new();
        for (name, value) in [
            ("states", *states),
            ("summaries", *summaries),
            ("summaries-reused", *reused),
            ("certified", *certified),
            ("certificates-rejected", *rejected),
            ("certifying-microseconds", u64::try_from(self.in_checker.get().as_micros()).unwrap_or(u64::MAX)),
            ("queries", solver.queries),
            ("by-normal-form", solver.trivial),
            ("cached", solver.cached),
            ("repaired", solver.repaired),
            ("solved", solver.solved),
            ("solver-microseconds", u64::try_from(self.in_solver.get().as_micros()).unwrap_or(u64::MAX)),
        ] {
            text.push_str(&format!("{STATISTICS}{name:20}{value:>12}\n"));
        }
        if let Some(microseconds) = processor_time() {
            text.push_str(&format!("{STATISTICS}{:20}{microseconds:>12}\n", "processor-microseconds"));
        }
        if let Some(kilobytes) = peak_memory() {
            text.push_str(&format!("{STATISTICS}{:20}{kilobytes:>12}\n", "memory-kilobytes"));
        }
        text
    }
}

/// The prefix of every line of `--stats`.
pub(crate) const STATISTICS: &str = "stats: ";

/// Returns the settings, the solver session and its watch that the arguments ask for.
pub(crate) fn settings(
    arguments: &SolverArguments,
    paths: &SearchArguments,
    cancel: &Arc<AtomicBool>,
) -> Result<(Settings, Session, Watch), String> {
    let engine = arguments::chosen(arguments.engine, paths.merge, paths.stop)?;
    let engines =
        engine.in_portfolio().ok_or_else(|| format!("the engine `{}` is not part of the portfolio", engine.name()))?;
    let watch = Watch::default();
    let mut session = match &arguments.smt_solver {
        None => Session::new(cancel.clone()),
        Some(command) => {
            let external = External::start(command, cancel.clone(), watch.clone())?;
            Session::with_backend(Box::new(external), cancel.clone())
        }
    };
    if let Some(folder) = &arguments.dump_queries {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot create folder '{}': {}", folder.display(), files::describe(&error)))?;
    }
    let log = arguments.dump_queries.clone();
    if log.is_some() || arguments.stats {
        session.set_observer(Box::new(Recorder {
            watch: watch.clone(),
            started: None,
            log,
            number: 0,
            query: String::new(),
        }));
    }
    let settings = Settings {
        engines,
        allocation_check: arguments.allocation_check.into(),
        order: paths.search_order.into(),
        templates: arguments.template.clone(),
        calls: arguments.calls.into(),
        invariants: false,
        certifier: certificate::chosen(arguments, cancel, &watch.in_checker),
        last_round: paths.work_limit,
    };
    Ok((settings, session, watch))
}

/// Measures the time of the solver and logs its queries.
struct Recorder {
    watch: Watch,
    started: Option<Instant>,
    log: Option<PathBuf>,
    number: u64,
    /// The current query.
    query: String,
}

impl Recorder {
    fn write(&self, folder: &Path, text: &str) {
        let file = folder.join(format!("{:06}.smt2", self.number));
        if let Err(message) = files::write(&file, text) {
            self.watch.complain(message);
        }
    }
}

impl Observer for Recorder {
    fn asked(&mut self, terms: &Terms, wanted: &[Term]) {
        self.number += 1;
        if let Some(folder) = &self.log {
            self.query = terms.to_smt_lib(wanted);
            self.write(folder, &self.query);
        }
        // The time of writing the log does not count.
        self.started = Some(Instant::now());
    }

    fn answered(&mut self, answer: &Answer) {
        if let Some(started) = self.started.take() {
            self.watch.in_solver.set(self.watch.in_solver.get() + started.elapsed());
        }
        // With the answer in the file, another solver can check it.
        let status = match answer {
            Answer::Sat(_) => "sat",
            Answer::Unsat(_) => "unsat",
            Answer::Unknown => return,
        };
        if let (Some(folder), Some((logic, rest))) = (&self.log, self.query.split_once('\n')) {
            self.write(folder, &format!("{logic}\n(set-info :status {status})\n{rest}"));
        }
    }
}

/// Returns the processor time of this process's threads in microseconds, if the system tells. On a busy machine it is
/// steadier than the clock.
fn processor_time() -> Option<u64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let of = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    let nanoseconds: u64 = threads.filter_map(|thread| of(thread.ok()?)).sum();
    (nanoseconds > 0).then_some(nanoseconds / 1000)
}

/// Returns the peak memory of this process in kilobytes, if the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
