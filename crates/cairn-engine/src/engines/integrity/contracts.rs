//! What functions may rely on when all of their callers are here, and what callers may rely on when functions return.
//!
//! A function with internal linkage whose address is not taken is only called from the text at hand. What holds of its arguments at every
//! one of these calls (a pointer is not null, an integer keeps to bounds) may be assumed where it begins; that a result is not null may
//! be assumed behind a call. Both are found together, from above: everything is assumed at first, and given up where a call
//! or a return does not keep to it, until nothing changes any more. What is left then holds by induction on the steps of a run: the
//! first call or return that breaks it would do so after steps that all kept to it. Recursion is nothing special.
//!
//! This is only tried for functions that are not safe without it, and only with the functions that matter for them.

use cairn_ir::ctype::TypeId;
use cairn_ir::inst::{Call, Passing};
use cairn_ir::program::Param;
use cairn_ir::{Body, FuncId, Program, Ty};
use cairn_rules::Term;
use rustc_hash::FxHashMap;

use super::checker::{Checker, Flow, Found};
use super::invariant::Fact;
use super::report::FunctionReport;
use super::state::{State, Value};
use super::{Asked, Summary, callees, order};

/// Numbers that bounds of an argument are looked for among.
const LANDMARKS: usize = 48;

/// A function is executed at most this often.
const EXECUTIONS: usize = 24;

/// What all callers keep to for one parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    /// Nothing.
    Any,
    /// The pointer is not null.
    NonNull,
    /// The integer is at least, and at most, this.
    Range(Option<i64>, Option<i64>),
}

/// When a function returns no null.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum Returned {
    /// That is not known.
    #[default]
    Anything,
    /// When none of the nodes that it is given is null.
    NonNullForNodes,
    /// Always.
    NonNull,
}

#[derive(Clone, Debug, Default)]
struct Contract {
    /// Whether all of its calls are looked at.
    closed: bool,
    /// What the calls so far keep to; `None` before the first one.
    given: Option<Vec<Given>>,
    returned: Returned,
}

/// The contracts of all functions; none where there are none.
#[derive(Clone, Debug, Default)]
pub(super) struct Contracts(Vec<Contract>);

impl Contracts {
    /// What a function may assume of its arguments.
    pub fn given(&self, id: FuncId) -> &[Given] {
        self.0.get(id.index()).and_then(|contract| contract.given.as_deref()).unwrap_or(&[])
    }
}

impl Checker<'_, '_> {
    /// A call: what it hands to a function whose calls all are looked at.
    pub fn hand_over(&mut self, state: &mut State, call: &Call, id: FuncId) {
        let contracts = self.contracts;
        let Some(contract) = contracts.0.get(id.index()).filter(|contract| contract.closed) else { return };
        let Some(body) = self.body(id) else { return };
        let known = self.handed.remove(&id).or_else(|| contract.given.clone());
        let mut given = Vec::with_capacity(body.params.len());
        for (index, param) in body.params.iter().enumerate() {
            let before = known.as_ref().map(|known| known[index]);
            let arg = call.args.get(index).filter(|_| call.args.len() == body.params.len());
            let (Param::Reg(reg), Some(arg)) = (param, arg) else {
                given.push(Given::Any);
                continue;
            };
            let ty = body.regs[reg.index()].ty;
            given.push(if arg.passing != Passing::Scalar(ty) {
                Given::Any
            } else if ty == Ty::Ptr {
                let value = self.integer(state, arg.value, ty);
                self.hand_pointer(before, value)
            } else {
                let value = self.integer(state, arg.value, ty);
                self.hand_number(before, value, id)
            });
        }
        self.handed.insert(id, given);
    }

    fn hand_pointer(&mut self, before: Option<Given>, value: Term) -> Given {
        let null = self.solver.equal(value, Term::constant(0));
        let keeps = before.is_none_or(|before| before == Given::NonNull) && self.prove(&[null]).is_ok();
        if keeps { Given::NonNull } else { Given::Any }
    }

    fn hand_number(&mut self, before: Option<Given>, term: Term, id: FuncId) -> Given {
        let landmarks = self.landmarks_for(id);
        let own = std::mem::replace(&mut self.landmarks, landmarks);
        let constant = self.solver.constant(term);
        let fact = match (before, constant) {
            (None, Some(constant)) => Fact::Range(Some(constant), Some(constant)),
            (None, None) => {
                let (low, high) = (self.landmarks.first().copied(), self.landmarks.last().copied());
                self.within_bounds(high, low, term)
            }
            (Some(Given::Range(low, high)), _) => self.within_bounds(low, high, term),
            (Some(_), _) => Fact::Any,
        };
        self.landmarks = own;
        match fact {
            Fact::Range(low, high) => Given::Range(low, high),
            _ => Given::Any,
        }
    }

    /// The numbers that matter to a function: those that it compares with, the lengths of arrays, and those of truth values.
    fn landmarks_for(&mut self, id: FuncId) -> Vec<i64> {
        let Some(body) = self.body(id) else { return Vec::new() };
        let lengths = std::mem::take(&mut self.lengths);
        let mut out = self.landmarks_of(body);
        self.lengths = lengths;
        let arrays = self.types.nodes.iter().flat_map(|node| &node.cells).filter(|cells| cells.count > 1);
        out.extend(arrays.flat_map(|cells| [cells.count as i64 - 1, cells.count as i64]));
        out.extend([0, 1]);
        out.sort_unstable();
        out.dedup();
        out.truncate(LANDMARKS);
        out
    }

    /// The start of a function: what all its callers hand in.
    pub fn assume_given(&mut self, body: &Body, state: &State) -> Flow {
        let contracts = self.contracts;
        let (types, _) = self.parameter_types(body.ctypes.function, body.params.len());
        for (index, &param) in body.params.iter().enumerate() {
            let Param::Reg(reg) = param else { continue };
            let Value::Term(term) = state.frame().regs[reg.index()] else { continue };
            let mut given = contracts.given(self.function).get(index).copied().unwrap_or(Given::Any);
            if self.nodes_given && body.regs[reg.index()].ty == Ty::Ptr && self.is_node_pointer(types[index]) {
                given = Given::NonNull;
            }
            if given == Given::NonNull {
                let nonnull = !self.solver.equal(term, Term::constant(0));
                self.assume(nonnull)?;
            }
            if let Given::Range(low, high) = given {
                if let Some(value) = low.filter(|_| low == high) {
                    let equal = self.solver.equal(term, Term::constant(value));
                    self.assume(equal)?;
                }
                for bound in [
                    low.map(|low| self.solver.at_most(Term::constant(low), term)),
                    high.map(|high| self.solver.at_most(term, Term::constant(high))),
                ] {
                    bound.map_or(Ok(()), |bound| self.assume(bound))?;
                }
            }
        }
        Ok(())
    }

    /// Whether a type is that of a pointer to nodes.
    fn is_node_pointer(&mut self, ty: Option<TypeId>) -> bool {
        self.pointee(ty).is_some_and(|node| !self.types.node(node).scalar)
    }

    /// A function returns.
    pub fn note_result(&mut self, value: Value) {
        if self.contracts.0.is_empty() || !self.returns_nonnull {
            return;
        }
        self.returns_nonnull = match value {
            Value::Term(term) => {
                let null = self.solver.equal(term, Term::constant(0));
                self.prove(&[null]).is_ok()
            }
            _ => false,
        };
    }

    /// Whether a call returns no null, as far as its contract says.
    pub fn returns_nonnull(&mut self, state: &mut State, call: &Call, id: FuncId) -> bool {
        match self.contracts.0.get(id.index()).map_or(Returned::Anything, |contract| contract.returned) {
            Returned::Anything => false,
            Returned::NonNull => true,
            Returned::NonNullForNodes => {
                let (types, _) = self.parameter_types(call.ctype, call.args.len());
                call.args.iter().zip(types).all(|(arg, ty)| {
                    if arg.passing != Passing::Scalar(Ty::Ptr) || !self.is_node_pointer(ty) {
                        return true;
                    }
                    let value = self.integer(state, arg.value, Ty::Ptr);
                    let null = self.solver.equal(value, Term::constant(0));
                    self.prove(&[null]).is_ok()
                })
            }
        }
    }
}

/// What a function is executed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// Its answers.
    Answers,
    /// What it returns when it is given nodes.
    Result,
}

/// The fixpoint.
struct Inference<'a, 'p> {
    asked: Asked<'a, 'p>,
    /// The functions that matter.
    matter: Vec<bool>,
    contracts: Contracts,
    agenda: Vec<FuncId>,
    /// Callees come before their callers: most assumptions on results are given up.
    places: Vec<usize>,
    executions: FxHashMap<FuncId, usize>,
    done: FxHashMap<FuncId, (FunctionReport, Found)>,
}

/// The answers for functions under what their callers hand them, for those that it may make safe and all that matter for these. `None`
/// where nothing is to be won, or time is up.
pub(super) fn infer(asked: Asked<'_, '_>, reports: &[FunctionReport]) -> Option<Vec<(FunctionReport, Found)>> {
    let program = asked.program;
    let called = Callers::of(program);
    let wanted: Vec<FuncId> = reports
        .iter()
        .filter(|report| !report.is_safe() && is_closed(program, asked.summaries, &called, report.function))
        .map(|report| report.function)
        .collect();
    if wanted.is_empty() {
        return None;
    }
    let checked: Vec<bool> = ids(program).map(|id| reports.iter().any(|report| report.function == id)).collect();
    let mut contracts = vec![Contract::default(); program.functions.len()];
    let mut matter = vec![false; program.functions.len()];
    // Upwards: who calls them, and who calls those that rely on their own callers or are executed in place of calls.
    let mut waiting = wanted;
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut matter[id.index()], true) || !checked[id.index()] {
            continue;
        }
        let closed = is_closed(program, asked.summaries, &called, id);
        contracts[id.index()].closed = closed;
        if closed || is_in_place(asked.summaries[id.index()]) {
            waiting.extend(&called.0[id.index()]);
        }
    }
    // Downwards: whose results they work with.
    let mut waiting: Vec<FuncId> = ids(program).filter(|id| matter[id.index()]).collect();
    while let Some(id) = waiting.pop() {
        for callee in callees(program, id) {
            let pointer = program.functions[callee.index()].signature.ret == Some(Ty::Ptr);
            if checked[callee.index()] && pointer && contracts[callee.index()].returned == Returned::Anything {
                contracts[callee.index()].returned = Returned::NonNull;
                matter[callee.index()] = true;
                waiting.push(callee);
            }
        }
    }
    matter.iter_mut().zip(&checked).for_each(|(matter, checked)| *matter &= checked);
    let agenda = ids(program).filter(|id| matter[id.index()] && !contracts[id.index()].closed).collect();
    let mut places = vec![0; program.functions.len()];
    order(program).iter().enumerate().for_each(|(place, id)| places[id.index()] = place);
    let (executions, done) = Default::default();
    let contracts = Contracts(contracts);
    let mut inference = Inference { asked, matter, contracts, agenda, places, executions, done };
    inference.run(&called)
}

impl Inference<'_, '_> {
    fn run(&mut self, called: &Callers) -> Option<Vec<(FunctionReport, Found)>> {
        while let Some(next) = (0..self.agenda.len()).min_by_key(|&at| self.places[self.agenda[at].index()]) {
            let id = self.agenda.swap_remove(next);
            let count = self.executions.entry(id).or_default();
            *count += 1;
            // What was not followed to its end holds nothing.
            if *count > EXECUTIONS || (self.asked.stop)() {
                return None;
            }
            let (report, found) = self.execute(id, Purpose::Answers);
            let callers = &called.0[id.index()];
            self.hand_down(&report, &found);
            let mut returned = self.contracts.0[id.index()].returned;
            let before = returned;
            if returned == Returned::NonNull && !(found.complete && found.returns_nonnull) {
                returned = Returned::NonNullForNodes;
            }
            if returned == Returned::NonNullForNodes {
                let (_, found) = self.execute(id, Purpose::Result);
                if !(found.complete && found.returns_nonnull) {
                    returned = Returned::Anything;
                }
            }
            if returned != before {
                self.contracts.0[id.index()].returned = returned;
                callers.iter().for_each(|&caller| self.again(caller));
            }
            if report.in_callers && !self.asked.summaries[id.index()].in_callers {
                // It is to be executed in place of its calls, which the first round did not see.
                return None;
            }
            self.done.insert(id, (report, found));
        }
        let program = self.asked.program;
        let mut out = Vec::new();
        for (id, (mut report, found)) in self.done.drain() {
            let contract = &self.contracts.0[id.index()];
            if contract.closed {
                report.given = contract.given.clone().unwrap_or_default();
                report.relies_on = demands(program, id, &report.given);
                report.calls = count_calls(program, id);
            }
            out.push((report, found));
        }
        out.sort_by_key(|(report, _)| report.function);
        Some(out)
    }

    fn execute(&mut self, id: FuncId, purpose: Purpose) -> (FunctionReport, Found) {
        let mut checker = Checker::new(self.asked.again(), &self.contracts);
        checker.nodes_given = purpose == Purpose::Result;
        checker.function(id)
    }

    /// What a function hands to those that it calls weakens what these may assume.
    fn hand_down(&mut self, report: &FunctionReport, found: &Found) {
        if found.complete {
            found.handed.iter().for_each(|(&callee, given)| self.weaken(callee, |_| given.clone()));
            return;
        }
        // Calls behind the place where a path was given up were not seen.
        let mut waiting = callees(self.asked.program, report.function);
        let mut seen: Vec<FuncId> = Vec::new();
        while let Some(callee) = waiting.pop() {
            if !seen.contains(&callee) {
                seen.push(callee);
                self.weaken(callee, |count| vec![Given::Any; count]);
                if is_in_place(self.asked.summaries[callee.index()]) {
                    waiting.extend(callees(self.asked.program, callee));
                }
            }
        }
    }

    fn weaken(&mut self, id: FuncId, given: impl Fn(usize) -> Vec<Given>) {
        let body = self.asked.program.functions[id.index()].body.as_ref();
        let (Some(body), true) = (body, self.contracts.0[id.index()].closed) else { return };
        let given = given(body.params.len());
        if self.contracts.0[id.index()].given.as_ref() != Some(&given) {
            self.contracts.0[id.index()].given = Some(given);
            self.again(id);
        }
    }

    fn again(&mut self, id: FuncId) {
        let contract = &self.contracts.0[id.index()];
        let called = !contract.closed || contract.given.is_some();
        if self.matter[id.index()] && called && !self.agenda.contains(&id) {
            self.agenda.push(id);
        }
    }
}

/// For each function, those that call it.
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
}

fn ids(program: &Program) -> impl Iterator<Item = FuncId> + use<> {
    (0..program.functions.len()).map(FuncId::new)
}

pub(super) fn count_calls(program: &Program, id: FuncId) -> usize {
    ids(program).flat_map(|caller| callees(program, caller)).filter(|&callee| callee == id).count()
}

/// Whether a function may be executed in place of its calls.
fn is_in_place(summary: Summary) -> bool {
    summary.in_callers || summary.short || summary.pure
}

fn is_closed(program: &Program, summaries: &[Summary], called: &Callers, id: FuncId) -> bool {
    let body = program.functions[id.index()].body.is_some();
    body && !summaries[id.index()].open && !called.0[id.index()].is_empty()
}

/// What is relied on, for people.
pub(super) fn demands(program: &Program, id: FuncId, given: &[Given]) -> Vec<String> {
    let Some(body) = &program.functions[id.index()].body else { return Vec::new() };
    let mut out = Vec::new();
    for (param, given) in body.params.iter().zip(given) {
        let Param::Reg(reg) = param else { continue };
        let name = body.regs[reg.index()].name.as_deref().unwrap_or("an argument");
        match *given {
            Given::NonNull => out.push(format!("{name} != 0")),
            Given::Range(Some(low), Some(high)) if low == high => out.push(format!("{name} == {low}")),
            Given::Range(low, high) => {
                out.extend(low.map(|low| format!("{name} >= {low}")));
                out.extend(high.map(|high| format!("{name} <= {high}")));
            }
            Given::Any => {}
        }
    }
    out
}
