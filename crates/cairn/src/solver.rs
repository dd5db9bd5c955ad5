//! The solver session of a command: which solver, what is logged, how long it took.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use cairn_engine::portfolio::{Effort, Engines, Search};
use cairn_smt::session::Observer;
use cairn_smt::{Answer, Session, Term, Terms};

use crate::arguments::{MergeName, SearchArguments, SolverArguments, StopName};
use crate::external::External;
use crate::limits::Limits;

/// What is seen of a session from outside.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    in_solver: Rc<Cell<Duration>>,
    /// The first thing that went wrong: a log that can't be written, an external solver that does not answer.
    trouble: Rc<RefCell<Option<String>>>,
}

impl Watch {
    /// The first thing that went wrong.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.borrow().clone()
    }

    /// Remembers what went wrong, when it is the first thing.
    pub(crate) fn complain(&self, message: String) {
        self.trouble.borrow_mut().get_or_insert(message);
    }

    /// The lines of `--stats`: a name and a number each, which `cairn bench` reads again.
    pub(crate) fn statistics(&self, effort: &Effort) -> String {
        let Effort { solver, states, summaries, reused } = effort;
        let mut text = String::new();
        for (name, value) in [
            ("states", *states),
            ("summaries", *summaries),
            ("summaries-reused", *reused),
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

/// What every line of `--stats` begins with.
pub(crate) const STATISTICS: &str = "stats: ";

/// A search as the arguments ask for it.
pub(crate) fn search(
    arguments: &SolverArguments,
    paths: &SearchArguments,
    limits: &Limits,
) -> Result<(Search, Watch), String> {
    let engines = engines(arguments.engine.try_into()?, paths)?;
    let cancel = &limits.cancel;
    let watch = Watch::default();
    let mut session = match &arguments.smt_solver {
        None => Session::new(cancel.clone()),
        Some(command) => {
            let external = External::start(command, cancel.clone(), watch.clone())?;
            Session::with_backend(Box::new(external), cancel.clone())
        }
    };
    if let Some(folder) = &arguments.dump_queries {
        std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
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
    let mut search = Search::new(cancel);
    search.session = session;
    search.allocation_check = arguments.allocation_check.into();
    search.order = paths.search_order.into();
    search.engines = engines;
    search.templates.clone_from(&arguments.template);
    search.calls = arguments.calls.into();
    Ok((search, watch))
}

/// Which uses of the engine take part: the operators belong to one of them each.
fn engines(asked: Engines, paths: &SearchArguments) -> Result<Engines, String> {
    let exploring = paths.merge == Some(MergeName::Sep) || paths.stop == Some(StopName::Equal);
    let proving = paths.merge == Some(MergeName::Join) || paths.stop == Some(StopName::Sep);
    match (exploring, proving, asked) {
        (true, true, _) | (true, _, Engines::Prove) | (_, true, Engines::Explore) => {
            Err("exploring goes with --merge sep and --stop equal, proving with --merge join and --stop sep".to_owned())
        }
        (true, false, _) => Ok(Engines::Explore),
        (false, true, _) => Ok(Engines::Prove),
        (false, false, asked) => Ok(asked),
    }
}

/// Stands by the solver with a stopwatch and a log.
struct Recorder {
    watch: Watch,
    started: Option<Instant>,
    log: Option<PathBuf>,
    number: u64,
    /// The query at hand.
    query: String,
}

impl Recorder {
    fn write(&self, folder: &Path, text: &str) {
        let file = folder.join(format!("{:06}.smt2", self.number));
        if let Err(error) = std::fs::write(&file, text) {
            self.watch.complain(format!("{}: {error}", file.display()));
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
        // The time of writing is not the solver's.
        self.started = Some(Instant::now());
    }

    fn answered(&mut self, answer: &Answer) {
        if let Some(started) = self.started.take() {
            self.watch.in_solver.set(self.watch.in_solver.get() + started.elapsed());
        }
        // With the answer in it, the file lets another solver check it.
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

/// The processor time of this process's threads, in microseconds, where the system tells. On a busy machine it is steadier than the
/// clock.
fn processor_time() -> Option<u64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let of = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    let nanoseconds: u64 = threads.filter_map(|thread| of(thread.ok()?)).sum();
    (nanoseconds > 0).then_some(nanoseconds / 1000)
}

/// The most memory that this process ever had, in kilobytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
