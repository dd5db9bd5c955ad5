//! Infers contracts by a fixpoint from above.
//!
//! Everything is assumed at first, and given up where a call or a return violates it, until nothing changes any more.
//! The rest holds by induction on the steps of an execution: the first call or return that violates it would do so
//! after steps that all kept to it. Recursion needs no special treatment.
//!
//! This is only tried for functions that are not safe without contracts, together with the functions that their safety
//! depends on.

use cairn_ir::{FuncId, Program, Ty};
use rustc_hash::FxHashMap;

use super::super::Context;
use super::super::execute::{Found, check_function};
use super::super::functions::{Summary, callees, callees_first, count_calls, ids};
use super::super::limits::CONTRACT_EXECUTIONS;
use super::super::report::FunctionReport;
use super::{Contracts, Given, Purpose, Returned, as_conditions};

/// The answers for one function under its contract.
type Checked = (FunctionReport, Found);

/// The state of the fixpoint iteration.
struct Inference<'c, 'p> {
    context: Context<'c, 'p>,
    callers: Callers,
    /// The functions whose contracts are inferred.
    relevant: Vec<bool>,
    contracts: Contracts,
    agenda: Vec<FuncId>,
    /// Callees come before their callers, because most assumptions about results are given up.
    priorities: Vec<usize>,
    executions: FxHashMap<FuncId, usize>,
    done: FxHashMap<FuncId, Checked>,
}

/// Returns the answers of functions under inferred contracts.
///
/// These are the functions that contracts may make safe, and all that they depend on.
///
/// Returns `None` where contracts cannot help, or the budget is spent.
pub(crate) fn infer(context: Context<'_, '_>, reports: &[FunctionReport]) -> Option<Vec<Checked>> {
    let program = context.program;
    let callers = Callers::of(program);
    let wanted: Vec<FuncId> = reports
        .iter()
        .filter(|report| !report.is_safe() && is_closed(program, context.summaries, &callers, report.function))
        .map(|report| report.function)
        .collect();
    if wanted.is_empty() {
        return None;
    }
    let checked: Vec<bool> = ids(program).map(|id| reports.iter().any(|report| report.function == id)).collect();
    let mut inference = Inference {
        context,
        callers,
        relevant: vec![false; program.functions.len()],
        contracts: Contracts(vec![Default::default(); program.functions.len()]),
        agenda: Vec::new(),
        priorities: vec![0; program.functions.len()],
        executions: FxHashMap::default(),
        done: FxHashMap::default(),
    };
    inference.mark_callers(wanted, &checked);
    inference.mark_callees(&checked);
    inference.relevant.iter_mut().zip(&checked).for_each(|(relevant, checked)| *relevant &= checked);
    inference.agenda =
        ids(program).filter(|id| inference.relevant[id.index()] && !inference.contracts.0[id.index()].closed).collect();
    for (priority, id) in callees_first(program).into_iter().enumerate() {
        inference.priorities[id.index()] = priority;
    }
    inference.run()
}

impl Inference<'_, '_> {
    /// Marks functions and their callers.
    ///
    /// Callers of a marked function are marked if it has a contract or may be executed in place of its calls.
    fn mark_callers(&mut self, mut waiting: Vec<FuncId>, checked: &[bool]) {
        while let Some(id) = waiting.pop() {
            if std::mem::replace(&mut self.relevant[id.index()], true) || !checked[id.index()] {
                continue;
            }
            let closed = is_closed(self.context.program, self.context.summaries, &self.callers, id);
            self.contracts.0[id.index()].closed = closed;
            if closed || self.context.summaries[id.index()].may_be_in_place() {
                waiting.extend(self.callers.of_function(id));
            }
        }
    }

    /// Marks the functions whose results the marked functions use.
    fn mark_callees(&mut self, checked: &[bool]) {
        let program = self.context.program;
        let mut waiting: Vec<FuncId> = ids(program).filter(|id| self.relevant[id.index()]).collect();
        while let Some(id) = waiting.pop() {
            for callee in callees(program, id) {
                let pointer = program.functions[callee.index()].signature.ret == Some(Ty::Ptr);
                let contract = &mut self.contracts.0[callee.index()];
                if checked[callee.index()] && pointer && contract.returned == Returned::Anything {
                    contract.returned = Returned::NonNull;
                    self.relevant[callee.index()] = true;
                    waiting.push(callee);
                }
            }
        }
    }

    fn run(mut self) -> Option<Vec<Checked>> {
        while let Some(next) = (0..self.agenda.len()).min_by_key(|&at| self.priorities[self.agenda[at].index()]) {
            let id = self.agenda.swap_remove(next);
            let count = self.executions.entry(id).or_default();
            *count += 1;
            // Contracts of an iteration that did not end do not hold.
            if *count > CONTRACT_EXECUTIONS || (self.context.stop)() {
                return None;
            }
            let (report, found) = self.execute(id, Purpose::Answers);
            self.weaken_callees(&report, &found);
            self.weaken_result(id, &found);
            if report.in_callers && !self.context.summaries[id.index()].in_callers {
                // It would have to be executed in place of its calls, which the first round did not know.
                return None;
            }
            self.done.insert(id, (report, found));
        }
        let program = self.context.program;
        let mut out = Vec::new();
        for (id, (mut report, found)) in self.done.drain() {
            let contract = &self.contracts.0[id.index()];
            if contract.closed {
                report.given = contract.given.clone().unwrap_or_default();
                report.relies_on = as_conditions(program, id, &report.given);
                report.calls = count_calls(program, id);
            }
            out.push((report, found));
        }
        out.sort_by_key(|(report, _)| report.function);
        Some(out)
    }

    fn execute(&self, id: FuncId, purpose: Purpose) -> Checked {
        let context = Context { contracts: &self.contracts, ..self.context };
        check_function(context, id, purpose)
    }

    /// Weakens the contracts of callees to the arguments that a function passes.
    fn weaken_callees(&mut self, report: &FunctionReport, found: &Found) {
        if found.complete {
            found.handed.iter().for_each(|(&callee, given)| self.weaken(callee, |_| given.clone()));
            return;
        }
        // Calls after the location where a path was given up were not seen.
        let mut waiting = callees(self.context.program, report.function);
        let mut seen: Vec<FuncId> = Vec::new();
        while let Some(callee) = waiting.pop() {
            if !seen.contains(&callee) {
                seen.push(callee);
                self.weaken(callee, |count| vec![Given::Any; count]);
                if self.context.summaries[callee.index()].may_be_in_place() {
                    waiting.extend(callees(self.context.program, callee));
                }
            }
        }
    }

    fn weaken(&mut self, id: FuncId, given: impl Fn(usize) -> Vec<Given>) {
        let body = self.context.program.functions[id.index()].body.as_ref();
        let (Some(body), true) = (body, self.contracts.0[id.index()].closed) else { return };
        let given = given(body.params.len());
        if self.contracts.0[id.index()].given.as_ref() != Some(&given) {
            self.contracts.0[id.index()].given = Some(given);
            self.schedule(id);
        }
    }

    /// Weakens the contract about the result of a function.
    fn weaken_result(&mut self, id: FuncId, found: &Found) {
        let mut returned = self.contracts.0[id.index()].returned;
        let before = returned;
        if returned == Returned::NonNull && !(found.complete && found.returns_nonnull) {
            returned = Returned::NonNullForNodes;
        }
        if returned == Returned::NonNullForNodes {
            let (_, found) = self.execute(id, Purpose::ResultForNodes);
            if !(found.complete && found.returns_nonnull) {
                returned = Returned::Anything;
            }
        }
        if returned != before {
            self.contracts.0[id.index()].returned = returned;
            for caller in self.callers.of_function(id).to_vec() {
                self.schedule(caller);
            }
        }
    }

    fn schedule(&mut self, id: FuncId) {
        let contract = &self.contracts.0[id.index()];
        let called = !contract.closed || contract.given.is_some();
        if self.relevant[id.index()] && called && !self.agenda.contains(&id) {
            self.agenda.push(id);
        }
    }
}

/// The callers of each function.
struct Callers(Vec<Vec<FuncId>>);

impl Callers {
    fn of(program: &Program) -> Self {
        let mut out = vec![Vec::new(); program.functions.len()];
        for id in ids(program) {
            for callee in callees(program, id) {
                if !out[callee.index()].contains(&id) {
                    out[callee.index()].push(id);
                }
            }
        }
        Self(out)
    }

    fn of_function(&self, id: FuncId) -> &[FuncId] {
        &self.0[id.index()]
    }
}

/// Returns whether all calls of a function are in this program.
fn is_closed(program: &Program, summaries: &[Summary], callers: &Callers, id: FuncId) -> bool {
    let body = program.functions[id.index()].body.is_some();
    body && !summaries[id.index()].open && !callers.of_function(id).is_empty()
}
