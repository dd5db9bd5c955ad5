//! `cairn check` on code without a `main`: every function by itself, for unknown callers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cairn_contract::contract::{Contract, formula_of_requires};
use cairn_contract::stated::{self, Statements};
use cairn_contract::{Finding, Options, Proof, Scope};
use cairn_integrity::{FunctionReport, Status};
use cairn_ir::analysis::call_graph::{CallGraph, Calls};
use cairn_ir::{CheckId, CheckKind, FuncId, Program};
use cairn_portfolio::survey::{Counts, Survey};
use cairn_report::{LibraryProof, Results};

use crate::arguments::CheckArguments;
use crate::commands::check;
use crate::configuration::functions;
use crate::exit::Exit;
use crate::harness;
use crate::limits::FAULTS_SHARE;
use crate::program::Loaded;
use crate::system::supervise::Guard;
use crate::system::terminal::Terminal;

/// Checks every function of the user.
pub(crate) fn check(arguments: &CheckArguments, loaded: &Arc<Loaded>, guard: &Guard, terminal: &Terminal) -> Exit {
    if arguments.solver.certificate.is_some() {
        terminal.error("`--certificate` needs a program with a `main`");
        return Exit::Failure;
    }
    let mut options = options(arguments, guard, Scope::All, statements(loaded, terminal));
    options.cancel = guard.cancel_after(FAULTS_SHARE);
    let report = cairn_contract::check(&loaded.program, &options);
    options.cancel = guard.cancel();
    let violated = report.findings.len();
    let survey = Survey {
        findings: report.findings.iter().map(|finding| finding.violation.clone()).collect(),
        checks: Counts { violated, ..Counts::default() },
        ..Survey::default()
    };
    // Proofs come last, so that the findings are kept if there is no time for them.
    check::keep_results(survey.clone(), Some(report.functions), guard, loaded, (arguments, terminal));
    let faulty: BTreeSet<FuncId> = report.findings.iter().flat_map(involved).collect();
    // The pages draw the contracts of all functions, also of those that are not proved.
    let is_drawn = arguments.output.html.is_some() && !guard.is_cancelled();
    let contracts = if is_drawn { cairn_contract::contracts(&loaded.program, &options, &[]) } else { Vec::new() };
    let answers = Answers::of(&loaded.program, &options, &faulty, guard).with_contracts(contracts);
    guard.concludes();
    let survey = Survey {
        checks: Counts { proved: answers.proved(), violated, unknown: answers.unknown(), ..Counts::default() },
        assumptions: answers.assumptions.clone(),
        proved: answers.proved_checks.clone(),
        ..survey
    };
    let results = Results::of_library(&survey, &loaded.program, report.functions).with_proofs(&answers.functions);
    let mut results = results.with_detail(arguments.trace.into());
    if arguments.project.list_proved && arguments.output.html.is_some() {
        results = results.with_proved_checks(&survey);
    }
    let exit = check::deliver(&results, arguments, loaded, Exit::Undecided, terminal);
    write_harnesses(arguments, &report.findings, 0, loaded, terminal);
    exit
}

/// Returns the findings in the functions that `main` does not reach.
pub(crate) fn unreached(
    arguments: &CheckArguments,
    loaded: &Loaded,
    guard: &Guard,
    terminal: &Terminal,
) -> Vec<Finding> {
    let options = options(arguments, guard, Scope::Unreached, statements(loaded, terminal));
    cairn_contract::check(&loaded.program, &options).findings
}

/// Reads the contracts that the configuration and comments of the user's files state. Comments win.
pub(crate) fn statements(loaded: &Loaded, terminal: &Terminal) -> Statements {
    let mut all = Statements::new();
    let is_own = |file: &&String| !file.starts_with("/usr/") && !file.starts_with('<');
    for file in loaded.program.files.iter().filter(is_own) {
        let Some(text) = loaded.originals.read(file) else { continue };
        for mistake in stated::read(file, &text, &mut all) {
            terminal.warning(&format!("{file}:{}: {}", mistake.line, mistake.message));
        }
    }
    for (name, stated) in functions::stated(&loaded.functions) {
        all.entry(name.clone()).or_insert(stated);
    }
    all
}

/// Writes the harnesses of findings, after those of `before` other findings.
pub(crate) fn write_harnesses(
    arguments: &CheckArguments,
    findings: &[Finding],
    before: usize,
    loaded: &Loaded,
    terminal: &Terminal,
) {
    let Some(file) = &arguments.harness else { return };
    for (index, finding) in findings.iter().enumerate() {
        if let Err(message) = harness::write_library(&harness::numbered(file, before + index + 1), finding, loaded) {
            terminal.warning(&message);
        }
    }
}

fn options(arguments: &CheckArguments, guard: &Guard, scope: Scope, statements: Statements) -> Options {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Options {
        malloc_fails: arguments.malloc_fails,
        threads,
        cancel: guard.cancel(),
        scope,
        stated: Arc::new(statements),
    }
}

/// Returns the functions that a finding says something about.
fn involved(finding: &Finding) -> impl Iterator<Item = FuncId> + '_ {
    finding.violation.fault.stack.iter().map(|place| place.function).chain([finding.function])
}

/// The kinds of checks that the engine `integrity` proves: its column M.
const OF_GRAPHS: [CheckKind; 3] = [CheckKind::OutOfBounds, CheckKind::InvalidDeref, CheckKind::UseAfterFree];

/// What is proved about the functions of a library.
struct Answers {
    /// The functions with the number of their checks, those that are proved, and the callers that the proofs are about.
    functions: Vec<LibraryProof>,
    assumptions: Vec<String>,
    proved_checks: Vec<CheckId>,
}

impl Answers {
    /// Proves checks of all functions but the faulty ones.
    fn of(program: &Program, options: &Options, faulty: &BTreeSet<FuncId>, guard: &Guard) -> Self {
        let explored: BTreeMap<FuncId, Proof> =
            cairn_contract::proofs(program, options).into_iter().map(|proof| (proof.function, proof)).collect();
        let graphs = cairn_integrity::check(program, &cairn_integrity::Options::default(), &|| guard.is_cancelled());
        let safe = safe_with_callees(program, &graphs.functions);
        let mut answers = Self { functions: Vec::new(), assumptions: Vec::new(), proved_checks: Vec::new() };
        let (mut by_paths, mut by_graphs) = (false, false);
        for index in 0..program.functions.len() {
            let function = FuncId::new(index);
            let checks: Vec<CheckId> = cairn_contract::checks_of(program, function).collect();
            let is_user = program.functions[index].origin == cairn_ir::program::Origin::User;
            if checks.is_empty() || !is_user {
                continue;
            }
            let mut proved: BTreeSet<CheckId> = BTreeSet::new();
            let mut callers = Vec::new();
            let mut contract = None;
            if let Some(proof) = explored.get(&function).filter(|_| !faulty.contains(&function)) {
                proved.extend(&proof.proved);
                callers.push(formula_of_requires(&proof.contract));
                contract = Some(proof.contract.clone());
                by_paths |= !proof.proved.is_empty();
            }
            if safe.contains(&function) && !faulty.contains(&function) {
                let before = proved.len();
                proved.extend(checks.iter().filter(|check| OF_GRAPHS.contains(&program.checks[check.index()].kind)));
                if proved.len() > before {
                    callers.push("valid graphs of nodes".to_owned());
                    by_graphs = true;
                }
            }
            answers.proved_checks.extend(&proved);
            answers.functions.push(LibraryProof {
                function: program.functions[index].name.clone(),
                checks: checks.len(),
                proved: proved.len(),
                callers: callers.join(", "),
                contract,
            });
        }
        if by_paths {
            answers.assumptions.push(
                "callers pass initialised memory as the contracts say, different pointers lead to different objects, and the C library is as at the start"
                    .to_owned(),
            );
        }
        if by_graphs {
            answers.assumptions.extend(graphs.assumptions);
        }
        answers
    }

    /// Adds the contracts of functions.
    fn with_contracts(mut self, contracts: Vec<Contract>) -> Self {
        for contract in contracts {
            if let Some(function) = self.functions.iter_mut().find(|function| function.function == contract.function) {
                function.contract = Some(contract);
            }
        }
        self
    }

    fn proved(&self) -> usize {
        self.functions.iter().map(|function| function.proved).sum()
    }

    fn unknown(&self) -> usize {
        self.functions.iter().map(|function| function.checks - function.proved).sum()
    }
}

/// Returns the functions that are safe in both columns together with all functions that they call.
///
/// The proof of a function assumes that its callees keep graphs valid.
fn safe_with_callees(program: &Program, reports: &[FunctionReport]) -> BTreeSet<FuncId> {
    let is_safe = |report: &&FunctionReport| report.memory == Status::Proved && report.integrity == Status::Proved;
    let safe: BTreeSet<FuncId> = reports.iter().filter(is_safe).map(|report| report.function).collect();
    let checked: BTreeSet<FuncId> = reports.iter().map(|report| report.function).collect();
    let graph = CallGraph::of(program);
    let relies = |id: FuncId| {
        graph
            .reached_from(id, Calls::All)
            .into_iter()
            .filter(|callee| checked.contains(callee))
            .all(|callee| safe.contains(&callee))
    };
    safe.iter().copied().filter(|&id| relies(id)).collect()
}
