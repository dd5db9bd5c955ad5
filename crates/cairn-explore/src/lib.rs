//! Symbolic execution with separation logic and without abstraction, which finds violations (papers: slcpa).
//!
//! States never merge. A state is covered only by a state that is equal up to renaming ([`canonical`]). Values stay
//! symbolic, and a path ends when the solver proves its condition infeasible. A failed check is a candidate, which
//! becomes a violation when the interpreter replays it.

mod canonical;
pub mod engine;
pub mod guide;
mod limits;

use std::collections::BTreeMap;
use std::rc::Rc;

use cairn_exec::reach::{Bookkeeping, Domain};
use cairn_exec::state::Choice;
use cairn_exec::{Failure, Machine, Mode, Options, Possible};
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckKind, Program};
use cairn_memory::pointer::ObjectId;
use cairn_portfolio::Input;
use cairn_portfolio::alarm::{Alarm, Site};
use cairn_portfolio::candidate::Candidate;
use cairn_smt::evaluate::Assignment;
use cairn_smt::{Session, Term};
use rustc_hash::FxHashMap;

use self::canonical::Met;
use self::guide::Guide;

/// A state of the exploration.
pub type State = cairn_exec::State<Exploring>;

/// The mode of the exploration: a failed check becomes a candidate.
#[derive(Clone, Debug, Default)]
pub struct Exploring {
    /// The candidates that were not taken yet.
    candidates: Vec<Candidate>,
    /// The checks that fail in some state. A proof of the rest leaves them out.
    ///
    /// A violation settles its alarm. A replay may also show that a use of a value does not depend on its uninitialised bits; it then stays
    /// open.
    alarms: BTreeMap<Alarm, Site>,
    /// The allocation sites of objects that are lost in known states.
    ///
    /// An execution that cycles through known states never reaches a return or an end, where leaks are reported.
    lost: Vec<Rc<[StackPlace]>>,
    /// The allocation sites of objects whose leak was reported.
    leaked: Vec<Rc<[StackPlace]>>,
}

impl Mode for Exploring {
    type Extra = ();

    const ABSTRACTS: bool = false;

    fn fail(machine: &mut Machine<'_, Self>, state: &State, failure: Failure) {
        let mut choices: Vec<Choice> = state.choices.iter().copied().collect();
        choices.reverse();
        let model = replayable_model(machine, state, &choices);
        let mut known = FxHashMap::default();
        let mut value = |term| machine.terms.evaluate_with(term, &model, &mut known);
        let inputs = choices
            .into_iter()
            .filter_map(|choice| match choice {
                Choice::Value(term, _) => Some(Input::Value(value(term))),
                Choice::Allocation(ok) => Some(Input::Allocation(ok)),
                Choice::Leftover(life, at, term) => {
                    let bytes = (machine.terms.width(term) / 8) as usize;
                    Some(Input::Leftover(life, at, value(term).to_le_bytes()[..bytes].to_vec()))
                }
                Choice::Reused(life, freed, same) => (value(same) == 1).then_some(Input::Reused(life, freed)),
                Choice::Unassigned(_) => None,
            })
            .collect();
        let Failure { kind, check, loc, .. } = failure;
        let site = state.frames.last().map(|frame| (frame.function, frame.block)).filter(|_| !kind.is_of_the_end());
        machine.mode.alarms.insert(Alarm { kind, loc, check }, site);
        if matches!(kind, CheckKind::Leak | CheckKind::FileLeak) {
            let (lost, _) = machine.lost(state);
            add_sites(&mut machine.mode.leaked, state, lost);
        }
        machine.mode.candidates.push(Candidate { kind, check, stack: state.stack(loc), inputs });
    }
}

/// Adds the allocation sites of objects.
fn add_sites(sites: &mut Vec<Rc<[StackPlace]>>, state: &State, objects: impl IntoIterator<Item = ObjectId>) {
    for id in objects {
        let site = &state.memory.get(id).born;
        if !sites.contains(site) {
            sites.push(site.clone());
        }
    }
}

/// Returns a model of the path condition in which unassigned registers are 0, as in a replay.
///
/// If there is none, returns the path's own model.
fn replayable_model(machine: &mut Machine<'_, Exploring>, state: &State, choices: &[Choice]) -> Assignment {
    let unassigned: Vec<Term> = choices
        .iter()
        .filter_map(|choice| match *choice {
            Choice::Unassigned(term) => Some(term),
            _ => None,
        })
        .collect();
    let own = state.path.model().clone();
    if unassigned.iter().all(|&term| machine.terms.evaluate(term, &own) == 0) {
        return own;
    }
    let mut zero = machine.terms.truth();
    for term in unassigned {
        let none = machine.terms.constant(0, machine.terms.width(term));
        let equal = machine.terms.eq(term, none);
        zero = machine.terms.and(zero, equal);
    }
    match machine.possible(state, zero) {
        Possible::Yes(model) => model,
        Possible::No | Possible::Unknown => own,
    }
}

/// Explores a program.
pub struct Explorer<'p> {
    /// The symbolic execution.
    pub machine: Machine<'p, Exploring>,
    /// The canonical forms of the states at joins.
    met: Met,
    /// The alarms to look for, if a proof has raised some.
    guide: Option<Guide>,
}

impl<'p> Explorer<'p> {
    /// Creates an explorer of a program.
    ///
    /// # Errors
    /// If the program has no entry function with a body.
    pub fn new(program: &'p Program, options: Options, session: Session) -> Result<Self, String> {
        let machine = Machine::new(program, options, session, Exploring::default())?;
        Ok(Self { machine, met: Met::default(), guide: None })
    }

    /// Returns the checks that fail in some state.
    fn alarms(&self) -> &BTreeMap<Alarm, Site> {
        &self.machine.mode.alarms
    }

    /// Returns whether an execution that never ends may lose an object.
    fn may_leak_in_cycle(&self) -> bool {
        let mode = &self.machine.mode;
        mode.lost.iter().any(|site| !mode.leaked.contains(site))
    }

    /// Takes the candidates that were found since the last call.
    pub fn take_candidates(&mut self) -> Vec<Candidate> {
        std::mem::take(&mut self.machine.mode.candidates)
    }
}

impl Domain for Explorer<'_> {
    type State = State;
    type Place = ();

    fn entry(&mut self) -> Vec<State> {
        self.machine.start()
    }

    fn transfer(&mut self, state: State, out: &mut Vec<State>) {
        self.machine.steps += 1;
        self.machine.run_block(state, out);
    }

    fn stop(&mut self, new: &State, _: &[State]) -> bool {
        if !new.arrived || !self.is_wanted(new) {
            return new.arrived;
        }
        let is_known = self.is_known(new);
        let kinds = &self.machine.options.kinds;
        if is_known && (kinds.contains(&CheckKind::Leak) || kinds.contains(&CheckKind::FileLeak)) {
            let (lost, hidden) = self.machine.lost(new);
            add_sites(&mut self.machine.mode.lost, new, lost.into_iter().chain(hidden));
        }
        is_known
    }

    fn done(&self) -> bool {
        !self.machine.mode.candidates.is_empty()
    }
}

impl Bookkeeping for Explorer<'_> {
    fn depth(&self, state: &State) -> u32 {
        state.depth
    }

    fn turns(&self, state: &State) -> u32 {
        let frame = state.top();
        frame.visits[frame.block.index()]
    }
}
