//! The checking mode of the machine: a failed check must be one of the alarms that the certificate lists.

use std::rc::Rc;

use cairn_exec::{Carried, Failure, Machine, Mode, Role, State, StateData};
use cairn_ir::{BlockId, Loc, Ty};
use cairn_memory::object::End;
use cairn_portfolio::alarm::Alarm;
use cairn_smt::{Substitution, Term, Terms};

/// The data that a state carries for the checker.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckData {
    /// The context of the state; 0 is the program itself.
    pub(crate) context: u32,
    /// The values that the callers of the context share with it, followed by the returned value.
    pub(crate) cut: Rc<Vec<Carried>>,
    /// Whether the context has returned.
    pub(crate) has_returned: bool,
}

impl StateData for CheckData {
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

/// The checking mode, with or without abstraction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checking<const ABSTRACTS: bool> {
    /// The alarms that the certificate lists.
    pub(crate) alarms: Vec<Alarm>,
    /// The first failure that is none of them.
    pub(crate) failure: Option<Alarm>,
    /// The contexts that end the program, with the locations.
    pub(crate) ended: Vec<(u32, Loc)>,
}

impl<const ABSTRACTS: bool> Checking<ABSTRACTS> {
    /// Notes a check that may fail.
    ///
    /// After an alarm, all executions must still be followed up to their first violation. That is so if the check fails in all
    /// executions that the state stands for, and if they end there or are covered by the state that continues.
    pub(crate) fn fail(&mut self, alarm: Alarm, is_certain: bool) {
        let is_followed =
            is_certain && alarm.kind.is_followed() && (alarm.check.is_some() || alarm.kind.is_of_the_end());
        let is_listed = self.alarms.contains(&alarm)
            || (alarm.kind.is_of_the_end() && self.alarms.iter().any(|listed| listed.kind == alarm.kind));
        if !(is_followed && is_listed) {
            self.failure.get_or_insert(alarm);
        }
    }
}

impl<const ABSTRACTS: bool> Mode for Checking<ABSTRACTS> {
    type Extra = CheckData;

    const ABSTRACTS: bool = ABSTRACTS;

    fn fail(machine: &mut Machine<'_, Self>, _: &State<Self>, failure: Failure) {
        let Failure { kind, check, loc, is_certain } = failure;
        machine.mode.fail(Alarm { kind, loc, check }, is_certain);
    }

    fn end(machine: &mut Machine<'_, Self>, state: &State<Self>, loc: Loc) {
        if state.extra.context != 0 && !machine.mode.ended.contains(&(state.extra.context, loc)) {
            machine.mode.ended.push((state.extra.context, loc));
        }
    }

    fn take_return(
        machine: &mut Machine<'_, Self>,
        state: State<Self>,
        value: Option<(Term, Ty)>,
        out: &mut Vec<State<Self>>,
    ) -> Option<State<Self>> {
        if state.extra.context == 0 || state.frames.len() != 1 {
            return Some(state);
        }
        out.push(leave_context(machine, state, value));
        None
    }
}

/// Returns from a context: the objects of the call go out of scope, and the returned value joins the cut.
fn leave_context<const ABSTRACTS: bool>(
    machine: &mut Machine<'_, Checking<ABSTRACTS>>,
    mut state: State<Checking<ABSTRACTS>>,
    value: Option<(Term, Ty)>,
) -> State<Checking<ABSTRACTS>> {
    let function = state.top().function;
    let (slots, owned) = (state.top().slots.clone(), state.top().owned.clone());
    for id in slots.into_iter().flatten().chain(owned) {
        state.memory.get_mut(id).end = End::OutOfScope;
    }
    let frame = state.top_mut();
    (frame.block, frame.inst, frame.variadic) = (BlockId(0), 0, None);
    frame.regs.fill(None);
    frame.slots.fill(None);
    frame.owned.clear();
    if let Some(ty) = machine.program.functions[function.index()].signature.ret {
        let width = ty.bits(machine.program.target);
        let value = value.map(|(value, _)| value).unwrap_or_else(|| machine.undefined_value(width));
        Rc::make_mut(&mut state.extra.cut).push(Carried { value, role: Role::Root });
    }
    state.extra.has_returned = true;
    state.arrived = false;
    state
}
