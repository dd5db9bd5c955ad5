//! The proving mode of the machine: the data that states carry, and the alarms.

use std::collections::BTreeMap;
use std::rc::Rc;

use cairn_exec::formula::HeapGraph;
use cairn_exec::{Carried, Failure, Machine, Mode, Role, StateData};
use cairn_ir::{BlockId, FuncId, Loc, Ty};
use cairn_memory::object::End;
use cairn_portfolio::alarm::Alarm;
use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::FxHashSet;

use crate::alarm::Alarms;

/// A state of a proof.
pub type State = cairn_exec::State<Proving>;

/// The states after each line of each function, as formulas and as graphs.
pub(crate) type Record = BTreeMap<(FuncId, u32), BTreeMap<String, HeapGraph>>;

/// The proving mode: a failed check is an alarm, and nothing is replayed.
#[derive(Clone, Debug, Default)]
pub struct Proving {
    /// The checks that some state may violate.
    pub alarms: Alarms,
    /// The contexts in which the program has just ended, with the locations.
    pub(crate) ended: Vec<(u32, Loc)>,
    /// The states after each line, if they are recorded.
    pub(crate) record: Option<Record>,
}

/// The data that a state carries for the proof.
#[derive(Clone, Debug, Default)]
pub struct ProofData {
    /// The number of joins at its program point that this state results from.
    pub joins: u32,
    /// The variables that these joins have created.
    pub join_variables: Rc<FxHashSet<Term>>,
    /// The calling context that this state belongs to; 0 for the whole program.
    pub context: u32,
    /// The values that the callers of the context share with it, followed by the returned value.
    pub cut: Rc<Vec<Carried>>,
    /// The position of the state between a call and its return.
    pub stage: Stage,
    /// The number of the last state at a program point that this state originates from.
    pub origin: u64,
    /// The number of the exit state of the call that has just returned to this state.
    pub returned: u64,
}

/// The position of a state between a call and its return, for calls that are analysed by summaries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Stage {
    /// Anywhere else.
    #[default]
    Running,
    /// The innermost call has just begun and is still to be separated from its frame.
    Calling,
    /// The context of the state begins.
    Entered,
    /// The context of the state has returned.
    Returned,
    /// A call of the state has just returned to it.
    Resumed,
}

impl StateData for ProofData {
    fn substitute(&mut self, terms: &mut Terms, map: &mut Substitution) {
        if self.cut.iter().any(|carried| map.apply(terms, carried.value) != carried.value) {
            let cut = Rc::make_mut(&mut self.cut).iter_mut();
            cut.for_each(|carried| carried.value = map.apply(terms, carried.value));
        }
    }

    fn carried(&self) -> &[Carried] {
        &self.cut
    }
}

impl Mode for Proving {
    type Extra = ProofData;

    const ABSTRACTS: bool = true;

    fn fail(machine: &mut Machine<'_, Self>, state: &State, failure: Failure) {
        let Failure { kind, check, loc, is_certain } = failure;
        machine.mode.alarms.raise(state, Alarm { kind, loc, check }, is_certain);
    }

    fn end(machine: &mut Machine<'_, Self>, state: &State, loc: Loc) {
        if state.extra.context != 0 {
            machine.mode.ended.push((state.extra.context, loc));
        }
    }

    fn take_return(
        machine: &mut Machine<'_, Self>,
        state: State,
        value: Option<(Term, Ty)>,
        out: &mut Vec<State>,
    ) -> Option<State> {
        if state.extra.context == 0 || state.frames.len() != 1 {
            return Some(state);
        }
        out.push(leave_context(machine, state, value));
        None
    }

    fn records(&self) -> bool {
        self.record.is_some()
    }

    fn record(machine: &mut Machine<'_, Self>, state: &State, function: FuncId, line: u32) {
        let (formula, graph) = machine.describe(state);
        if let Some(record) = &mut machine.mode.record {
            record.entry((function, line)).or_default().insert(formula, graph);
        }
    }
}

/// Returns from a call that is analysed by a summary.
///
/// The objects of the call go out of scope, and the returned value joins the cut.
fn leave_context(machine: &mut Machine<'_, Proving>, mut state: State, value: Option<(Term, Ty)>) -> State {
    let function = state.top().function;
    let body = machine.body(function);
    let (slots, owned) = (state.top().slots.clone(), state.top().owned.clone());
    for id in slots.into_iter().flatten().chain(owned) {
        state.memory.get_mut(id).end = End::OutOfScope;
    }
    let frame = state.top_mut();
    (frame.block, frame.inst, frame.variadic) = (BlockId(0), 0, None);
    frame.regs = vec![None; body.regs.len()];
    frame.slots = vec![None; body.slots.len()];
    frame.owned.clear();
    if let Some(ty) = machine.program.functions[function.index()].signature.ret {
        let width = ty.bits(machine.program.target);
        // A function that returns without a value returns an arbitrary one.
        let value = value.map(|(value, _)| value).unwrap_or_else(|| machine.undefined_value(width));
        Rc::make_mut(&mut state.extra.cut).push(Carried { value, role: Role::Root });
    }
    state.extra.stage = Stage::Returned;
    state.arrived = false;
    state
}
