//! `cairn bench allocation-check`: compares the procedures of the allocation check (papers: slcpa, Figures 6.1 and 6.2).
//!
//! Every task runs in a process of its own, so that its memory can be measured.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cairn_exec::allocation::AllocationCheck;

use crate::arguments::{BenchArguments, DataModel};
use crate::exit::Exit;
use crate::solver::STATISTICS;
use crate::system::files;
use crate::system::terminal::{self, Terminal};

const MEMSAFETY: &str = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                         CHECK( init(main()), LTL(G valid-memtrack) )\n";

/// The cost of one run, or of several.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
struct Cost {
    time: Duration,
    kilobytes: u64,
    calls: u64,
    solved: u64,
    in_solver: Duration,
}

impl Cost {
    fn add(&mut self, other: &Cost) {
        self.time += other.time;
        self.kilobytes = self.kilobytes.max(other.kilobytes);
        self.calls += other.calls;
        self.solved += other.solved;
        self.in_solver += other.in_solver;
    }

    fn row(&self, procedure: &str, task: &str, answer: &str) -> String {
        format!(
            "{procedure:<10} {task:<32} {:>9.3} {:>9.1} {:>9} {:>9} {:>9.3}  {answer}\n",
            self.time.as_secs_f64(),
            self.kilobytes as f64 / 1024.0,
            self.calls,
            self.solved,
            self.in_solver.as_secs_f64(),
        )
    }
}

/// Compares the procedures on the tasks of a folder.
pub(crate) fn allocation_check(arguments: &BenchArguments, terminal: &Terminal) -> Exit {
    let tasks = match tasks_in(&arguments.folder) {
        Ok(tasks) if tasks.is_empty() => {
            terminal.error(&format!("no .c or .i files in '{}'", arguments.folder.display()));
            return Exit::Failure;
        }
        Ok(tasks) => tasks,
        Err(error) => {
            terminal.error(&format!("cannot read '{}': {}", arguments.folder.display(), files::describe(&error)));
            return Exit::Failure;
        }
    };
    terminal::print(
        format!(
            "{:<10} {:<32} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n",
            "procedure", "task", "time/s", "memory/MB", "calls", "solved", "solver/s", "answer"
        )
        .as_bytes(),
    );
    let mut totals = Vec::new();
    let mut answers: Vec<Vec<String>> = Vec::new();
    for procedure in AllocationCheck::ALL {
        let mut total = Cost::default();
        let mut said = Vec::new();
        for task in &tasks {
            let (cost, answer) = match run(task, procedure, arguments) {
                Ok(done) => done,
                Err(message) => {
                    terminal.error(&format!("{}: {message}", task.display()));
                    return Exit::Failure;
                }
            };
            let name = task.file_name().unwrap_or_default().to_string_lossy();
            terminal::print(cost.row(procedure.name(), &name, &answer).as_bytes());
            total.add(&cost);
            said.push(answer);
        }
        totals.push((procedure, total));
        answers.push(said);
    }
    terminal::print(b"\n");
    for (procedure, total) in &totals {
        terminal::print(total.row(procedure.name(), "total (memory: maximum)", "").as_bytes());
    }
    terminal::print(format!("\n{}", ratios(&totals)).as_bytes());
    let differing = (0..tasks.len()).filter(|&i| answers.iter().any(|said| said[i] != answers[0][i])).count();
    terminal::print(format!("answers that differ between procedures: {differing} of {}\n", tasks.len()).as_bytes());
    Exit::Fine
}

/// Returns the costs of the other procedures relative to the default.
fn ratios(totals: &[(AllocationCheck, Cost)]) -> String {
    let mut text = String::new();
    let Some((default, least)) = totals.first() else { return text };
    for (procedure, total) in &totals[1..] {
        let times = |a: f64, b: f64| if b > 0.0 { format!("{:.1}", a / b) } else { "undefined".to_owned() };
        text.push_str(&format!(
            "{} / {}: calls {}, solved {}, solver time {}, time {}\n",
            procedure.name(),
            default.name(),
            times(total.calls as f64, least.calls as f64),
            times(total.solved as f64, least.solved as f64),
            times(total.in_solver.as_secs_f64(), least.in_solver.as_secs_f64()),
            times(total.time.as_secs_f64(), least.time.as_secs_f64()),
        ));
    }
    text
}

fn tasks_in(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "c" || e == "i") {
            files.push(path);
        }
    }
    files.sort();
    // The preprocessed form of a task is preferred.
    let preprocessed: Vec<PathBuf> =
        files.iter().filter(|f| f.extension().is_some_and(|e| e == "i")).cloned().collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "i") || !preprocessed.contains(&f.with_extension("i")));
    Ok(files)
}

fn run(task: &Path, procedure: AllocationCheck, arguments: &BenchArguments) -> Result<(Cost, String), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let model = match arguments.data_model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    };
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(["svcomp", "--stats", "--engine", "explore", "--property", "-", "--data-model", model])
        .args(["--allocation-check", procedure.name()])
        .args(["--time-limit", &arguments.time_limit.to_string()])
        .arg("--")
        .arg(task)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(MEMSAFETY.as_bytes()).map_err(|error| error.to_string())?;
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let time = started.elapsed();
    let errors = String::from_utf8_lossy(&output.stderr);
    let answer = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or("").to_owned();
    let mut cost = read_statistics(&errors);
    cost.time = time;
    // A file that cannot be verified does not spoil the other measurements.
    let answer = if answer.is_empty() { format!("no answer: {}", errors.lines().next().unwrap_or("")) } else { answer };
    Ok((cost, answer))
}

/// Reads the lines of `--stats`.
fn read_statistics(text: &str) -> Cost {
    let mut cost = Cost::default();
    for line in text.lines().filter_map(|line| line.strip_prefix(STATISTICS)) {
        let mut words = line.split_whitespace();
        let (Some(name), Some(value)) = (words.next(), words.next().and_then(|v| v.parse().ok())) else { continue };
        match name {
            // Queries answered by repairing a model do not reach a solver.
            "queries" => cost.calls += value,
            "repaired" => cost.calls = cost.calls.saturating_sub(value),
            "solved" => cost.solved = value,
            "solver-microseconds" => cost.in_solver = Duration::from_micros(value),
            "memory-kilobytes" => cost.kilobytes = value,
            _ => {}
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_read_back() {
        let text = "warning: x\nstats: queries 14\nstats: repaired 2\nstats: solved   3\nstats: solver-microseconds 1500\n\
                    stats: memory-kilobytes 2048\nstats: states 9\n";
        let expected = Cost {
            time: Duration::ZERO,
            kilobytes: 2048,
            calls: 12,
            solved: 3,
            in_solver: Duration::from_micros(1500),
        };
        assert_eq!(read_statistics(text), expected);
    }

    #[test]
    fn ratios_to_zero_are_undefined() {
        let cost = |calls| Cost { calls, ..Cost::default() };
        let text = ratios(&[(AllocationCheck::Fast, cost(2)), (AllocationCheck::Smt, cost(50))]);
        assert_eq!(text, "smt / fast: calls 25.0, solved undefined, solver time undefined, time undefined\n");
    }
}
