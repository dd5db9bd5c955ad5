//! The walk over all recorded states.

use std::rc::Rc;
use std::sync::atomic::Ordering;

use cairn_exec::linear::LinearFirst;
use cairn_exec::{Machine, Role, State};
use cairn_ir::{CheckKind, Loc, Program};
use cairn_memory::symbolic::SymbolicMemory;
use cairn_portfolio::alarm::Alarm;
use cairn_portfolio::certificate::{Certificate, LoopRecord, Moment, Point, StateRecord};
use cairn_smt::Session;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::{Division, set_untouched};
use crate::entail::{Losses, entails};
use crate::import::Table;
use crate::limits::{MAX_CONFLICTS, MAX_SPLITS};
use crate::mode::Checking;
use crate::repeats::{self, Repeats};
use crate::{Budget, Rejection, Work, options};

/// A recorded state, which is built when it is first needed.
struct Slot<'c, const A: bool> {
    record: &'c StateRecord,
    context: u32,
    /// `None` inside if no execution reaches the state.
    built: Option<Option<Rc<State<Checking<A>>>>>,
    /// Whether some state entails it, so that it has to be checked itself.
    is_used: bool,
}

/// The slot of a calling state, and the number of the call.
type Calling = (usize, usize);

/// The key of a program point: context, moment and stack.
pub(crate) type Key = (u32, Moment, Vec<Point>);

/// The checker of one certificate.
pub(crate) struct Checker<'p, 'c, const A: bool> {
    machine: Machine<'p, Checking<A>>,
    certificate: &'c Certificate,
    table: Table,
    /// The memory at the start of the program.
    start: SymbolicMemory,
    slots: Vec<Slot<'c, A>>,
    places: FxHashMap<Key, Vec<usize>>,
    /// The slots of the entries of contexts.
    entries: Vec<usize>,
    /// The calling states, by context and stack.
    calls: FxHashMap<(u32, Vec<Point>), Vec<Calling>>,
    /// The divisions of the calls that are used, by context, with the number of the call.
    callers: FxHashMap<u32, Vec<Rc<Division<A>>>>,
    /// The states at the return of each context.
    exits: FxHashMap<u32, Vec<Rc<State<Checking<A>>>>>,
    /// States that the check of a proof by paths remembers.
    repeats: Repeats<A>,
    /// The states to execute.
    waiting: Vec<State<Checking<A>>>,
    losses: Losses,
    entailments: u64,
}

type Result<T> = std::result::Result<T, Rejection>;

impl<'p, 'c, const A: bool> Checker<'p, 'c, A> {
    /// Checks a certificate.
    pub(crate) fn run(program: &'p Program, certificate: &'c Certificate, budget: &Budget) -> Result<Work> {
        let claim = &certificate.claim;
        let mut session = Session::new(budget.cancel.clone()).wrapped(LinearFirst::before);
        session.set_conflict_budget(Some(MAX_CONFLICTS));
        let mode = Checking { alarms: claim.alarms.clone(), ..Checking::default() };
        let machine = Machine::new(program, options(claim), session, mode).map_err(|_| Rejection::OtherProgram)?;
        let mut machine = machine;
        let entry = machine.start();
        let start = entry.first().map(|state| state.memory.clone()).unwrap_or_default();
        let table = Table::build(&mut machine, &certificate.terms, &start).map_err(Rejection::Malformed)?;
        let is_listed = |kind| claim.alarms.iter().any(|alarm| alarm.kind == kind) || !claim.kinds.contains(&kind);
        let losses =
            if is_listed(CheckKind::Leak) && is_listed(CheckKind::Unfreed) { Losses::Allowed } else { Losses::None };
        let mut checker = Self {
            machine,
            certificate,
            table,
            start,
            slots: Vec::new(),
            places: FxHashMap::default(),
            entries: Vec::new(),
            calls: FxHashMap::default(),
            callers: FxHashMap::default(),
            exits: FxHashMap::default(),
            repeats: Repeats::default(),
            waiting: entry,
            losses,
            entailments: 0,
        };
        checker.index()?;
        checker.walk(budget)?;
        checker.check_ends()?;
        checker.check_claim()?;
        let queries = checker.machine.statistics().queries;
        let used = checker.slots.iter().map(|slot| slot.is_used).collect();
        Ok(Work { blocks: checker.machine.steps, entailments: checker.entailments, queries, used })
    }

    /// Finds the slots of all recorded states.
    fn index(&mut self) -> Result<()> {
        let known = self.certificate.contexts.len() as u32;
        for place in &self.certificate.places {
            if place.context > known {
                return Err(Rejection::Malformed("a state of an unknown context"));
            }
            let slots: Vec<usize> = place.states.iter().map(|state| self.add_slot(state, place.context)).collect();
            self.places.entry((place.context, place.moment, place.stack.clone())).or_default().extend(slots);
        }
        for (index, context) in self.certificate.contexts.iter().enumerate() {
            let slot = self.add_slot(&context.entry, index as u32 + 1);
            self.entries.push(slot);
        }
        for (index, call) in self.certificate.calls.iter().enumerate() {
            if call.context > known || call.targets.iter().any(|&target| target == 0 || target > known) {
                return Err(Rejection::Malformed("a call of an unknown context"));
            }
            let slot = self.add_slot(&call.calling, call.context);
            let stack = call.calling.frames.iter().map(|frame| frame.at).collect();
            self.calls.entry((call.context, stack)).or_default().push((slot, index));
        }
        Ok(())
    }

    fn add_slot(&mut self, record: &'c StateRecord, context: u32) -> usize {
        self.slots.push(Slot { record, context, built: None, is_used: false });
        self.slots.len() - 1
    }

    /// Returns the globals that a context must not touch.
    fn untouched(&self, context: u32) -> &'c [u32] {
        let index = (context as usize).checked_sub(1);
        index.and_then(|index| self.certificate.contexts.get(index)).map_or(&[], |context| &context.untouched)
    }

    fn region(&self, context: u32) -> Option<&'c LoopRecord> {
        self.certificate.contexts.get((context as usize).checked_sub(1)?)?.region.as_ref()
    }

    /// Returns a recorded state; `None` if its path condition has no model.
    fn state(&mut self, slot: usize) -> Result<Option<Rc<State<Checking<A>>>>> {
        let Slot { record, context, built, .. } = &self.slots[slot];
        if let Some(built) = built {
            return Ok(built.clone());
        }
        let (record, context) = (*record, *context);
        let state = self.table.state(&mut self.machine, record, &self.start, context).map_err(Rejection::Malformed)?;
        let untouched = self.untouched(context);
        let state = state.map(|mut state| {
            set_untouched(&mut state.memory, untouched);
            Rc::new(state)
        });
        self.slots[slot].built = Some(state.clone());
        Ok(state)
    }

    /// Executes states until none is left.
    fn walk(&mut self, budget: &Budget) -> Result<()> {
        self.check_machine()?;
        let mut next = Vec::new();
        while let Some(state) = self.waiting.pop() {
            self.machine.steps += 1;
            let spent = self.machine.steps + self.machine.statistics().queries;
            if spent > budget.effort || budget.cancel.load(Ordering::Relaxed) {
                return Err(Rejection::OutOfBudget);
            }
            let depth = state.frames.len();
            self.machine.run_block(state, &mut next);
            self.check_machine()?;
            for state in std::mem::take(&mut next) {
                self.arrive(state, depth)?;
            }
            self.check_machine()?;
        }
        Ok(())
    }

    /// Rejects if a check has failed or the execution is incomplete.
    fn check_machine(&self) -> Result<()> {
        if let Some(alarm) = self.machine.mode.failure {
            return Err(Rejection::Fails(alarm));
        }
        match self.machine.gaps.first() {
            Some(gap) => Err(Rejection::Incomplete(gap.clone())),
            None => Ok(()),
        }
    }

    /// Continues with the successor of a state that had the given number of frames.
    fn arrive(&mut self, mut state: State<Checking<A>>, depth: usize) -> Result<()> {
        let context = state.extra.context;
        if let Some(region) = self.region(context)
            && state.arrived
            && state.frames.len() == 1
            && !region.blocks.contains(&state.top().block.0)
        {
            state.extra.has_returned = true;
        }
        if state.extra.has_returned {
            state.extra.has_returned = false;
            let slots = self.places.get(&(context, Moment::Returned, stack(&state))).cloned().unwrap_or_default();
            return self.cover(&state, &slots, "the return of a context", &mut |checker, slot| checker.leave(slot));
        }
        if (state.frames.len() > depth || state.arrived)
            && let Some(calls) = self.calls.get(&(context, stack(&state))).cloned()
        {
            let slots: Vec<usize> = calls.iter().map(|call| call.0).collect();
            let mut used = Vec::new();
            if self.find_cover(&state, &slots, MAX_SPLITS, &mut used)? {
                for slot in used {
                    let call = calls.iter().find(|call| call.0 == slot).map_or(0, |call| call.1);
                    self.enter(slot, call)?;
                }
                return Ok(());
            }
        }
        if !state.arrived {
            self.waiting.push(state);
            return Ok(());
        }
        let key = (context, Moment::Arrived, stack(&state));
        if let Some(slots) = self.places.get(&key).cloned() {
            return self.cover(&state, &slots, "a recorded point", &mut |checker, slot| checker.proceed(slot));
        }
        if !A && self.is_repeated(&mut state, key)? {
            return Ok(());
        }
        self.waiting.push(state);
        Ok(())
    }

    /// Returns whether a proof by paths has executed this state before. If not, remembers it.
    fn is_repeated(&mut self, state: &mut State<Checking<A>>, key: Key) -> Result<bool> {
        if !self.repeats.is_join(&self.machine, state) {
            return Ok(false);
        }
        repeats::forget_dead(&mut self.machine, state);
        let print = repeats::fingerprint(&self.machine, state);
        for known in self.repeats.similar(&key, print) {
            self.entailments += 1;
            if entails(&mut self.machine, state, &known, self.losses) {
                self.repeats.count_hit();
                self.check_lost(&known)?;
                return Ok(true);
            }
        }
        self.repeats.remember(key, print, state);
        Ok(false)
    }

    /// Requires that a state entails some of the recorded states, and uses these.
    fn cover(
        &mut self,
        state: &State<Checking<A>>,
        slots: &[usize],
        at: &'static str,
        then: &mut dyn FnMut(&mut Self, usize) -> Result<()>,
    ) -> Result<()> {
        let mut used = Vec::new();
        if !self.find_cover(state, slots, MAX_SPLITS, &mut used)? {
            let frame = state.top();
            let function = &self.machine.program.functions[frame.function.index()];
            let block = function.body.as_ref().map(|body| &body.blocks[frame.block.index()]);
            let loc = block.and_then(|block| block.locs.get(frame.inst).or(Some(&block.end_loc)).copied());
            return Err(Rejection::NotCovered {
                function: function.name.clone(),
                line: loc.map_or(0, |loc: Loc| loc.line),
                at,
            });
        }
        used.into_iter().try_for_each(|slot| then(self, slot))
    }

    /// Finds recorded states that a state entails, if necessary after splitting it.
    fn find_cover(
        &mut self,
        state: &State<Checking<A>>,
        slots: &[usize],
        splits: u32,
        used: &mut Vec<usize>,
    ) -> Result<bool> {
        for &slot in slots {
            let Some(recorded) = self.state(slot)? else { continue };
            self.entailments += 1;
            if entails(&mut self.machine, state, &recorded, self.losses) {
                used.push(slot);
                return Ok(true);
            }
        }
        if splits == 0 || slots.is_empty() {
            return Ok(false);
        }
        let Some(parts) = self.split(state) else { return Ok(false) };
        for part in parts {
            if !self.find_cover(&part, slots, splits - 1, used)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Splits a state by an undecided pointer, or by whether a segment is empty.
    fn split(&mut self, state: &State<Checking<A>>) -> Option<Vec<State<Checking<A>>>> {
        if let Some(condition) = self.machine.undecided_pointer(state) {
            let (yes, no) = self.machine.branch(state.clone(), condition);
            return Some(yes.into_iter().chain(no).collect());
        }
        let (id, length) = state.memory.iter().filter(|(_, object)| !object.pattern).find_map(|(id, object)| {
            object.segment.as_ref().filter(|segment| segment.min == 0).map(|segment| (id, segment.length))
        })?;
        let zero = self.machine.terms.constant(0, self.machine.pointer_bits);
        let none = self.machine.terms.eq(length, zero);
        let (empty, some) = self.machine.branch(state.clone(), none);
        let mut parts = Vec::new();
        parts.extend(empty.and_then(|state| self.machine.without_nodes(state, id)));
        parts.extend(some.map(|mut state| {
            if let Some(segment) = &mut state.memory.get_mut(id).segment {
                Rc::make_mut(segment).min = 1;
            }
            state
        }));
        Some(parts)
    }

    /// Uses a recorded state: it has to be executed.
    fn proceed(&mut self, slot: usize) -> Result<()> {
        if std::mem::replace(&mut self.slots[slot].is_used, true) {
            return Ok(());
        }
        let Some(state) = self.state(slot)? else { return Ok(()) };
        self.check_lost(&state)?;
        self.waiting.push((*state).clone());
        Ok(())
    }

    fn check_lost(&mut self, state: &State<Checking<A>>) -> Result<()> {
        repeats::check_lost(&mut self.machine, state);
        self.check_machine()
    }

    /// Uses a calling state: its footprint must entail entries of its targets, with which the call goes on.
    fn enter(&mut self, slot: usize, call: usize) -> Result<()> {
        if std::mem::replace(&mut self.slots[slot].is_used, true) {
            return Ok(());
        }
        let Some(state) = self.state(slot)? else { return Ok(()) };
        let record = &self.certificate.calls[call];
        let Some(&first) = record.targets.first() else { return Err(Rejection::Call("a call without a context")) };
        let (region, untouched) = (self.region(first), self.untouched(first));
        if record.targets.iter().any(|&target| self.region(target) != region || self.untouched(target) != untouched) {
            return Err(Rejection::Call("contexts of different kinds"));
        }
        let division = Division::new(&self.machine, &self.table, record, region, (*state).clone());
        let division = Rc::new(division.map_err(Rejection::Call)?);
        let mut entered = FxHashSet::default();
        self.enter_part(&division, None, record.targets.as_slice(), MAX_SPLITS, &mut entered)?;
        let mut entered: Vec<u32> = entered.into_iter().collect();
        entered.sort_unstable();
        for target in entered {
            let entry = self.entries[target as usize - 1];
            if let Some(region) = region {
                self.use_loop_entry(entry, target, region)?;
            } else {
                self.proceed(entry)?;
            }
            self.callers.entry(target).or_default().push(Rc::clone(&division));
            for exit in self.exits.get(&target).cloned().unwrap_or_default() {
                self.resume(&division, &exit, target)?;
            }
        }
        Ok(())
    }

    /// Finds the contexts that cover a footprint, or a part of it.
    fn enter_part(
        &mut self,
        division: &Division<A>,
        part: Option<&State<Checking<A>>>,
        targets: &[u32],
        splits: u32,
        entered: &mut FxHashSet<u32>,
    ) -> Result<()> {
        let mut whole = None;
        for &target in targets {
            let untouched = self.untouched(target);
            let Some(entry) = self.state(self.entries[target as usize - 1])? else { continue };
            let roles: Vec<Role> = entry.extra.cut.iter().map(|carried| carried.role).collect();
            let Some(footprint) = division.footprint(&roles, untouched) else { continue };
            let mut candidate = part.cloned().unwrap_or_else(|| footprint.clone());
            let carried =
                candidate.extra.cut.iter().zip(&roles).map(|(carried, &role)| cairn_exec::Carried { role, ..*carried });
            candidate.extra.cut = Rc::new(carried.collect());
            candidate.extra.context = target;
            self.entailments += 1;
            if entails(&mut self.machine, &candidate, &entry, self.losses) {
                division.check_roles(&mut self.machine, &roles, untouched).map_err(Rejection::Call)?;
                entered.insert(target);
                return Ok(());
            }
            whole = Some(candidate);
        }
        let parts = match whole {
            Some(whole) if splits > 0 => self.split(&whole),
            _ => None,
        };
        let Some(parts) = parts else { return Err(Rejection::Call("a footprint that no context covers")) };
        parts.into_iter().try_for_each(|part| self.enter_part(division, Some(&part), targets, splits - 1, entered))
    }

    /// Uses the entry of a loop, which is at the head of the loop.
    fn use_loop_entry(&mut self, slot: usize, context: u32, region: &LoopRecord) -> Result<()> {
        if std::mem::replace(&mut self.slots[slot].is_used, true) {
            return Ok(());
        }
        let Some(state) = self.state(slot)? else { return Ok(()) };
        if !region.blocks.contains(&state.top().block.0) || state.top().inst != 0 {
            return Err(Rejection::Call("a loop that does not begin"));
        }
        let key = (context, Moment::Arrived, stack(&state));
        match self.places.get(&key).cloned() {
            Some(slots) => self.cover(&state, &slots, "a loop", &mut |checker, slot| checker.proceed(slot)),
            None => {
                self.check_lost(&state)?;
                self.waiting.push((*state).clone());
                Ok(())
            }
        }
    }

    /// Uses a state at the return of a context: all callers continue with it.
    fn leave(&mut self, slot: usize) -> Result<()> {
        if std::mem::replace(&mut self.slots[slot].is_used, true) {
            return Ok(());
        }
        let Some(exit) = self.state(slot)? else { return Ok(()) };
        let context = exit.extra.context;
        self.exits.entry(context).or_default().push(Rc::clone(&exit));
        for caller in self.callers.get(&context).cloned().unwrap_or_default() {
            self.resume(&caller, &exit, context)?;
        }
        Ok(())
    }

    /// Continues a caller with a state at the return of its call.
    fn resume(&mut self, caller: &Division<A>, exit: &State<Checking<A>>, target: u32) -> Result<()> {
        let untouched = self.untouched(target);
        let state = caller.after_call(&mut self.machine, exit, untouched).map_err(Rejection::Call)?;
        let Some(mut state) = state else { return Ok(()) };
        if self.machine.options.kinds.contains(&CheckKind::Leak) && self.machine.check_lost(&state, Loc::NONE) {
            self.check_machine()?;
            self.machine.forget_lost(&mut state);
        }
        let key = (state.extra.context, Moment::Resumed, stack(&state));
        let is_loop = self.region(target).is_some();
        if let Some(slots) = self.places.get(&key).cloned() {
            return self.cover(&state, &slots, "the return to a caller", &mut |checker, slot| {
                if is_loop { checker.arrive_from(slot) } else { checker.proceed(slot) }
            });
        }
        state.arrived = is_loop;
        let depth = state.frames.len();
        self.arrive(state, depth)
    }

    /// Uses a recorded state after a loop, which is at the beginning of a block.
    fn arrive_from(&mut self, slot: usize) -> Result<()> {
        if std::mem::replace(&mut self.slots[slot].is_used, true) {
            return Ok(());
        }
        let Some(state) = self.state(slot)? else { return Ok(()) };
        let mut state = (*state).clone();
        state.arrived = true;
        let depth = state.frames.len();
        self.arrive(state, depth)
    }

    /// Checks the frames of callers where a context ends the program: everything in them is left allocated.
    fn check_ends(&mut self) -> Result<()> {
        if !self.machine.options.kinds.contains(&CheckKind::Unfreed) {
            return Ok(());
        }
        let mut ended = self.machine.mode.ended.clone();
        let mut next = 0;
        while let Some(&(context, loc)) = ended.get(next) {
            next += 1;
            for caller in self.callers.get(&context).cloned().unwrap_or_default() {
                if caller.holds_heap(&mut self.machine) && !self.machine.options.granted.contains(&CheckKind::Unfreed) {
                    self.machine.mode.fail(Alarm { kind: CheckKind::Unfreed, loc, check: None }, true);
                }
                if caller.context() != 0 && !ended.contains(&(caller.context(), loc)) {
                    ended.push((caller.context(), loc));
                }
            }
        }
        self.check_machine()
    }

    /// Checks that the claim states everything that the execution has assumed.
    fn check_claim(&self) -> Result<()> {
        let claim = &self.certificate.claim;
        if let Some(name) = self.machine.assumed_harmless.iter().find(|name| !claim.harmless.contains(name)) {
            return Err(Rejection::Unstated(format!("`{name}` has no effect")));
        }
        if self.machine.reads_uninitialised() && !claim.reads_uninitialised {
            return Err(Rejection::Unstated(String::from("uninitialised values are read")));
        }
        Ok(())
    }
}

/// Returns the points of the active calls.
fn stack<const A: bool>(state: &State<Checking<A>>) -> Vec<Point> {
    state.frames.iter().map(|frame| (frame.function.0, frame.block.0, frame.inst as u32)).collect()
}
