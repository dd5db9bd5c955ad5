//! The mode of symbolic execution for functions with unknown callers.
//!
//! A fault is *manifest* if the operation fails for all inputs that reach it: the branches on the path and the choices of the
//! environment decide it. An operation that fails only for some of these inputs is assumed to succeed, because callers are
//! expected to pass what the function is made for. The assumption becomes part of the function's precondition.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use cairn_exec::leak::Roots;
use cairn_exec::{Failure, Machine, Mode, Possible, UnknownCall};
use cairn_ir::program::Origin;
use cairn_ir::source::StackPlace;
use cairn_ir::{CheckId, CheckKind, FuncId, Loc, Ty};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::{Initial, Object};
use cairn_smt::Term;
use cairn_smt::term::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::descriptors;
use crate::infer::Seen;
use crate::infer::path_end::{PathEnd, dead_end, path_end};
use crate::latent;
use crate::limits::{FIRST_INPUT, INPUT_SIZE, PATH_ENDS, REPLAYS};
use crate::scenario::{Scenario, scenario};
use crate::stated::Statements;
use crate::unknown_calls;
use crate::unknowns::{GivenCell, Point, Unknowns};
use crate::usual::with_usual_numbers;

/// A state of the analysis.
pub(crate) type State = cairn_exec::State<Analysing>;

/// A fault on a feasible path, with the input that leads there.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// The kind of the fault.
    pub kind: CheckKind,
    /// The location, innermost call first.
    pub stack: Vec<StackPlace>,
    /// The input.
    pub scenario: Scenario,
    /// Whether branches on the path depend on the arguments.
    pub depends_on_arguments: bool,
    /// The descriptor that is lost, if it is not memory.
    pub descriptor: Option<u64>,
}

/// The identity of a candidate: its kind and its location.
pub(crate) type Key = (CheckKind, Vec<(FuncId, Loc)>);

/// The mode: collects candidates.
#[derive(Clone, Debug)]
pub(crate) struct Analysing {
    /// The function that is analysed.
    pub function: FuncId,
    /// The arguments of the function.
    pub arguments: Vec<Term>,
    /// The candidates that were not replayed yet.
    pub candidates: Vec<Candidate>,
    /// The number of candidates at each location.
    pub seen: FxHashMap<Key, u32>,
    /// The object of each variable that became an address.
    ids: FxHashMap<Term, ObjectId>,
    /// What is seen of the function, if its contract is to be inferred.
    pub seen_paths: Option<Seen>,
    /// The checks that fail on some path, or that are assumed to succeed for reasons which no contract states.
    pub open: BTreeSet<CheckId>,
    /// Whether paths rest on an assumption that belongs to no check.
    pub has_assumed: bool,
    /// The objects that hold the state of the C library.
    pub library_state: FxHashSet<ObjectId>,
    /// Statements of the user about functions.
    pub stated: Arc<Statements>,
}

impl Analysing {
    /// Creates the mode for a function.
    pub fn new(function: FuncId, stated: Arc<Statements>) -> Self {
        Self {
            function,
            arguments: Vec::new(),
            candidates: Vec::new(),
            seen: FxHashMap::default(),
            ids: FxHashMap::default(),
            seen_paths: None,
            open: BTreeSet::new(),
            has_assumed: false,
            library_state: FxHashSet::default(),
            stated,
        }
    }

    /// Returns the id of the object whose address a variable is.
    pub fn id_of(&mut self, variable: Term) -> ObjectId {
        let next = ObjectId(FIRST_INPUT + self.ids.len() as u32);
        *self.ids.entry(variable).or_insert(next)
    }

    /// Returns whether the end of another path is wanted.
    fn wants_path_end(&self) -> bool {
        self.seen_paths.as_ref().is_some_and(|seen| seen.ends.len() < PATH_ENDS)
    }

    fn add_path_end(&mut self, end: PathEnd) {
        if let Some(seen) = &mut self.seen_paths {
            seen.ends.push(end);
            if seen.ends.len() == PATH_ENDS {
                seen.gaps.insert("there are too many paths".to_owned());
            }
        }
    }
}

/// Takes note that a function of this name ends the program.
pub(crate) fn note_end(machine: &mut Machine<'_, Analysing>, state: &State, name: &str) {
    if machine.mode.wants_path_end() {
        let end = dead_end(machine, state);
        machine.mode.add_path_end(end);
    }
    if let Some(seen) = &mut machine.mode.seen_paths {
        seen.ends_in.insert(name.to_owned());
    }
}

impl Mode for Analysing {
    type Extra = Unknowns;

    const ABSTRACTS: bool = false;
    const ASSUMES: bool = true;

    fn note_assumed(machine: &mut Machine<'_, Self>, check: Option<CheckId>) {
        match check {
            Some(check) => drop(machine.mode.open.insert(check)),
            None => machine.mode.has_assumed = true,
        }
    }

    fn note_read(machine: &mut Machine<'_, Self>, state: &State, id: ObjectId) {
        let is_at_start = |id| machine.mode.library_state.contains(&id) && state.memory.shares(&machine.initial, id);
        let reader = machine.program.functions[state.top().function.index()].origin;
        if reader.is_of_user() && is_at_start(id) {
            // Callers may have left any state behind.
            machine.mode.has_assumed = true;
        }
    }

    fn fail(machine: &mut Machine<'_, Self>, state: &State, failure: Failure) {
        Self::note_assumed(machine, failure.check);
        let is_case = state.extra.cases.is_some_and(|point| point == point_of(state));
        if is_case || failure.kind.is_of_the_end() || latent::is_up_to_callers(machine, state, failure.kind) {
            return;
        }
        add_candidate(machine, state, failure.kind, &state.stack(failure.loc), None);
    }

    fn end(machine: &mut Machine<'_, Self>, state: &State, _: Loc) {
        note_end(machine, state, "exit");
    }

    fn take_return(
        machine: &mut Machine<'_, Self>,
        mut state: State,
        value: Option<(Term, Ty)>,
        _: &mut Vec<State>,
    ) -> Option<State> {
        let function = state.top().function;
        let is_root = state.frames.len() == 1;
        state.extra.has_looped |= latent::loops_on_inputs(&state);
        if !is_root && machine.program.functions[function.index()].origin == Origin::Model {
            return Some(state);
        }
        let mut after = state.clone();
        machine.kill_frame(&mut after);
        keep_accepted(machine, &state, &mut after);
        let value = value.map(|(value, _)| value);
        let lost = lost_by_return(machine, &state, &after, value);
        if is_root {
            if machine.mode.wants_path_end() {
                let lost: Vec<ObjectId> = lost.iter().chain(state.extra.lost.iter()).copied().collect();
                let end = path_end(machine, &state, value, &lost);
                machine.mode.add_path_end(end);
            }
            let body = machine.body(function);
            let loc = body.blocks[state.top().block.index()].end_loc;
            for descriptor in descriptors::lost(machine, (&state, &after), value) {
                let mut stack = state.stack(loc);
                stack.extend(descriptor.opened.iter().copied());
                add_candidate(machine, &state, CheckKind::Leak, &stack, Some(descriptor.number));
            }
            if !lost.is_empty() {
                let mut stack = state.stack(loc);
                // The same path may lose objects of several allocations: each is a fault of its own.
                for id in lost {
                    let Some(state) = with_object(machine, &state, id) else { continue };
                    let born = state.memory.get(id).born.clone();
                    stack.truncate(1);
                    stack.extend(born.iter().copied());
                    add_candidate(machine, &state, CheckKind::Leak, &stack, None);
                }
            }
            return None;
        }
        let lost: Vec<ObjectId> = lost.into_iter().filter(|&id| is_made_by_callee(&state, id)).collect();
        if !lost.is_empty() {
            Rc::make_mut(&mut state.extra.lost).extend(lost);
        }
        Some(state)
    }

    fn materialise(machine: &mut Machine<'_, Self>, state: State, pointer: Term) -> (State, Option<Term>) {
        let Some(variable) = address_variable(machine, &state, pointer) else { return (state, None) };
        let rest = machine.terms.sub(pointer, variable);
        if let Some(id) = alias_of(machine, &state, variable) {
            let mut state = state;
            let base = state.memory.get(id).base;
            Rc::make_mut(&mut state.extra.aliases).push((variable, id));
            let pointer = machine.terms.add(base, rest);
            return (state, Some(pointer));
        }
        let null = machine.terms.constant(0, machine.pointer_bits);
        let is_null = machine.terms.eq(variable, null);
        let unchanged = state.clone();
        let (none, some) = machine.branch(state, is_null);
        let is_assumed = some.is_some() && none.is_some();
        let mut state = match (some, none) {
            (Some(state), _) => state,
            // The branches on the path leave only null.
            (None, Some(state)) => return (state, Some(rest)),
            (None, None) => return (unchanged, None),
        };
        let id = machine.mode.id_of(variable);
        let size = machine.terms.constant(u128::from(INPUT_SIZE), machine.pointer_bits);
        let object = Object::new(ObjectKind::Heap, variable, size, Initial::Undefined, Rc::from(""), Rc::from([]));
        state.memory.set(id, object);
        machine.bases.insert(variable, id);
        machine.address_of.insert(variable, variable);
        state.extra.add_object(variable, id);
        if is_assumed {
            Rc::make_mut(&mut state.extra.not_null).push(variable);
        }
        (state, Some(pointer))
    }

    fn note_cases(state: &mut State) {
        state.extra.cases = Some(point_of(state));
    }

    fn note_choice(state: &mut State) {
        state.extra.choices += 1;
    }

    fn holds_inputs(state: &State, id: ObjectId) -> bool {
        state.extra.holders.contains_key(&id)
    }

    fn is_unsized(state: &State, id: ObjectId) -> bool {
        // The contents of an object often tell where it ends, and unknown contents do not.
        state.extra.holders.contains_key(&id)
    }

    fn record_inputs(state: &mut State, id: ObjectId, found: &[(u64, Term)]) {
        let Some(holder) = state.extra.holders.get(&id).cloned() else { return };
        let cells = found.iter().map(|&(at, value)| GivenCell { holder: holder.clone(), at, value });
        Rc::make_mut(&mut state.extra.cells).extend(cells);
    }

    fn call_unknown(
        machine: &mut Machine<'_, Self>,
        state: &mut State,
        call: &UnknownCall<'_>,
        out: &mut Vec<State>,
    ) -> bool {
        unknown_calls::execute(machine, state, call, out)
    }
}

/// Returns the program point of a state.
fn point_of(state: &State) -> Point {
    let top = state.top();
    Point { depth: state.frames.len(), function: top.function, block: top.block, inst: top.inst }
}

/// Adds a candidate, unless enough candidates at its location were found.
pub(crate) fn add_candidate(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    kind: CheckKind,
    stack: &[StackPlace],
    descriptor: Option<u64>,
) {
    let key = (kind, stack.iter().map(|place| (place.function, place.loc)).collect());
    if machine.mode.seen.get(&key).is_some_and(|&seen| seen >= REPLAYS) {
        return;
    }
    if let Some(state) = &with_usual_numbers(machine, state) {
        *machine.mode.seen.entry(key).or_default() += 1;
        let scenario = scenario(machine, state);
        let depends_on_arguments = state.path.conditions().iter().any(|&condition| {
            machine.terms.variables_of(condition).iter().any(|variable| machine.mode.arguments.contains(variable))
        });
        machine.mode.candidates.push(Candidate {
            kind,
            stack: stack.to_vec(),
            scenario,
            depends_on_arguments,
            descriptor,
        });
    }
}

/// Returns the variable in a pointer that stands for an address: the first one that counts once.
fn address_variable(machine: &Machine<'_, Analysing>, state: &State, pointer: Term) -> Option<Term> {
    let is_candidate = |term: Term| {
        matches!(machine.terms.node(term), Node::Var(_))
            && machine.terms.width(term) == machine.pointer_bits
            && !machine.undefined.contains(&term)
            && !machine.label_of.contains_key(&term)
            && machine.bases.get(&term).is_none_or(|&id| id.0 >= FIRST_INPUT && state.memory.find(id).is_none())
    };
    if is_candidate(pointer) {
        return Some(pointer);
    }
    let Node::Sum(sum) = machine.terms.node(pointer) else { return None };
    let mut found = sum.monomials.iter().filter(|(term, count)| *count == 1 && is_candidate(*term));
    let first = found.next()?.0;
    // An index may count once, too; an argument of pointer type is the address then.
    let is_pointer = |term: &Term| machine.mode.arguments.contains(term);
    Some(if is_pointer(&first) { first } else { found.map(|(term, _)| *term).find(is_pointer).unwrap_or(first) })
}

/// Returns the object whose address a variable equals on the path.
fn alias_of(machine: &mut Machine<'_, Analysing>, state: &State, variable: Term) -> Option<ObjectId> {
    let value = machine.terms.evaluate(variable, state.path.model());
    if value == 0 {
        return None;
    }
    let given = state.extra.objects.iter().map(|object| object.id);
    let all: Vec<ObjectId> = given.chain(machine.globals.iter().copied()).collect();
    all.into_iter().find(|&id| {
        let Some(object) = state.memory.find(id) else { return false };
        let base = object.base;
        if machine.terms.evaluate(base, state.path.model()) != value {
            return false;
        }
        let equal = machine.terms.eq(variable, base);
        let differ = machine.terms.not(equal);
        matches!(machine.possible(state, differ), Possible::No)
    })
}

/// Returns a state in which the function that made an object has not failed; `None` if it has.
fn with_object(machine: &mut Machine<'_, Analysing>, state: &State, id: ObjectId) -> Option<State> {
    let made = state.extra.answers.iter().filter_map(|answered| answered.made).find(|made| made.id == id);
    let Some(fails) = made.and_then(|made| made.fails) else { return Some(state.clone()) };
    machine.branch(state.clone(), fails).1
}

/// Keeps the objects that functions of other files got, unless the path shows that these functions have failed.
fn keep_accepted(machine: &mut Machine<'_, Analysing>, state: &State, after: &mut State) {
    for answered in state.extra.answers.iter().filter(|answered| !answered.kept.is_empty()) {
        if answered.failed.is_none_or(|failed| !machine.follows(state, failed)) {
            for &pointer in &answered.kept {
                after.extra.keep(pointer);
            }
        }
    }
}

/// Returns whether the innermost call has made an object. What callers pass stays theirs, as `item` in `add (list, item)` if `add` fails.
fn is_made_by_callee(state: &State, id: ObjectId) -> bool {
    let callee = state.stack(Loc::NONE);
    let born = &state.memory.get(id).born;
    let Some(inner) = born.len().checked_sub(callee.len()) else { return false };
    born[inner].function == callee[0].function && born[inner + 1..] == callee[1..]
}

/// Returns the heap objects that nothing leads to after the innermost call has returned a value. `after` is the state without its frame.
fn lost_by_return(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    after: &State,
    value: Option<Term>,
) -> Vec<ObjectId> {
    let is_own = |id: ObjectId, object: &Object| {
        object.kind == ObjectKind::Heap
            && object.end == End::Live
            && id.0 < FIRST_INPUT
            && !state.extra.lost.contains(&id)
    };
    let mut own: Vec<ObjectId> =
        state.memory.iter().filter(|(id, object)| is_own(*id, object)).map(|(id, _)| id).collect();
    if own.is_empty() {
        return own;
    }
    let mut reach = machine.reach(after, Roots::Named);
    if let Some(value) = value {
        machine.reach_from(after, value, &mut reach);
    }
    own.retain(|id| !reach.reached.contains(id) && !reach.hidden.contains(id));
    own
}
