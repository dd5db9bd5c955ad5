//! The end of one path: what the function was given, what it returns, and what it did to memory.

use std::collections::{BTreeMap, BTreeSet};

use cairn_exec::Machine;
use cairn_exec::allocation::Target;
use cairn_exec::state::Choice;
use cairn_ir::ctype::{IntKind, Type, TypeId};
use cairn_ir::{Program, layout};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_smt::Term;
use cairn_smt::term::Node;

use super::places::Places;
use crate::contract::{Access, Condition, Effect, Place, Root, Value};
use crate::limits::{CHOICES, FIRST_INPUT, ITERATIONS, TEXT_BYTES};
use crate::mode::{Analysing, State};
use crate::unknowns::Holder;

/// Memory that a path was given through a pointer, or a pointer that it has looked at.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The pointer.
    pub place: Place,
    /// Whether the path knows that it is null, or that it is not.
    pub is_null: Option<bool>,
    /// The memory behind it, if the path has followed it.
    pub memory: Option<Memory>,
    /// Whether it was called.
    pub is_called: bool,
    /// Whether the path follows it without a test for null.
    pub is_untested: bool,
}

/// Memory that a path has followed a pointer to.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// The end of the bytes that were accessed.
    pub extent: u64,
    /// The use.
    pub access: Access,
    /// The integers that bound the accesses: the extent is at most this many elements.
    pub bounds: BTreeSet<Place>,
    /// Whether the path has chosen offsets that the code leaves open.
    pub is_chosen: bool,
    /// Whether no byte behind a zero was read.
    pub is_text: bool,
    /// Whether the path has compared a byte with zero.
    pub looks_for_end: bool,
}

/// The end of a path.
#[derive(Clone, Debug)]
pub(crate) struct PathEnd {
    /// Whether the function returns.
    pub returns: bool,
    /// The number of iterations or nested calls of the path.
    pub depth: u32,
    /// The pointers.
    pub inputs: Vec<Input>,
    /// The conditions on inputs.
    pub when: BTreeSet<Condition>,
    /// The result.
    pub result: Value,
    /// The effects.
    pub effects: BTreeSet<Effect>,
    /// The places that were written.
    pub writes: BTreeSet<Place>,
    /// The functions without a body that were called.
    pub called: BTreeSet<String>,
    /// Whether offsets, sizes or lengths were chosen.
    pub has_choices: bool,
    /// Whether the path has followed a pointer that the caller cannot name, or called one.
    pub has_unnamed: bool,
}

/// Describes the end of a path whose outermost call returns a value. `lost` are the objects that nothing leads to any more.
pub(crate) fn path_end(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    value: Option<Term>,
    lost: &[ObjectId],
) -> PathEnd {
    let places = Places::of(machine, state);
    let mut end = PathEnd {
        returns: true,
        depth: state.depth.max(state.extra.choices.saturating_sub(CHOICES - ITERATIONS)),
        inputs: Vec::new(),
        when: BTreeSet::new(),
        result: value.map_or(Value::Nothing, |value| result(machine, state, &places, value)),
        effects: BTreeSet::new(),
        writes: BTreeSet::new(),
        called: BTreeSet::new(),
        has_choices: state.extra.has_chosen(),
        has_unnamed: !state.extra.code.is_empty() || has_unnamed(state, &places),
    };
    for (value, place) in places.all() {
        if machine.terms.width(value) == machine.pointer_bits && is_pointer(&places, place) {
            let input = input(machine, state, &places, (value, place));
            match input.is_null {
                Some(true) => drop(end.when.insert(Condition::Null(place.clone()))),
                Some(false) => drop(end.when.insert(Condition::NotNull(place.clone()))),
                None => {}
            }
            end.inputs.push(input);
        } else {
            end.when.extend(condition_on_number(machine, state, &places, (value, place)));
        }
    }
    if state.choices.iter().any(|choice| matches!(choice, Choice::Allocation(false))) {
        end.when.insert(Condition::AllocationFails);
    }
    for answered in state.extra.answers.iter() {
        let Some(name) = answered.function.map(|id| machine.program.functions[id.index()].name.clone()) else {
            continue;
        };
        end.called.insert(name.clone());
        if answered.failed.is_some_and(|failed| machine.follows(state, failed)) {
            end.when.insert(Condition::CallFails(name));
            continue;
        }
        let given = answered.passed.iter().filter_map(|&value| places.get(value));
        end.effects.extend(given.map(|place| Effect::Gives(place.clone(), name.clone())));
    }
    changes(machine, state, &places, &mut end);
    for id in lost {
        let line = state.memory.get(*id).born.first().map_or(0, |place| place.loc.line);
        end.effects.insert(Effect::Leaks(line));
    }
    end
}

/// Returns whether the path has followed a pointer that the caller cannot name, or a number: requirements are about pointers.
fn has_unnamed(state: &State, places: &Places<'_>) -> bool {
    let is_named = |pointer: Term| {
        places.get(pointer).is_some_and(|place| !matches!(place.root, Root::Call(_)) && is_pointer(places, place))
    };
    state.extra.objects.iter().any(|object| !is_named(object.pointer))
}

/// Describes a path on which a function that is called ends the program.
pub(crate) fn dead_end(machine: &mut Machine<'_, Analysing>, state: &State) -> PathEnd {
    let end = path_end(machine, state, None, &[]);
    PathEnd { returns: false, ..end }
}

/// Returns whether the value at a place is a pointer. Without a type, any word may be one.
fn is_pointer(places: &Places<'_>, place: &Place) -> bool {
    let Some(ty) = places.names.type_of(place) else { return !matches!(place.root, Root::Call(_)) };
    matches!(places.names.program.types.get(ty), Type::Pointer(_))
}

/// Returns whether an integer type is signed; `None` if the type is no integer.
pub(crate) fn signedness(program: &Program, ty: TypeId) -> Option<bool> {
    match program.types.get(ty) {
        Type::Int(kind) => Some(match kind {
            IntKind::Char
            | IntKind::SChar
            | IntKind::Short
            | IntKind::Int
            | IntKind::Long
            | IntKind::LongLong
            | IntKind::Int128 => true,
            IntKind::BitInt { signed, .. } | IntKind::Field { signed, .. } => *signed,
            _ => false,
        }),
        Type::Enum(id) => Some(matches!(program.types.enumeration(*id).repr, IntKind::Int | IntKind::Long)),
        _ => None,
    }
}

/// Returns the value of bits as a number of a type.
fn number(bits: u128, width: u32, signed: bool) -> i128 {
    if signed && width < 128 && bits >> (width - 1) & 1 == 1 { bits as i128 - (1 << width) } else { bits as i128 }
}

/// Returns the range of an integer on the path; `None` if it may have any value of its width.
fn range(machine: &Machine<'_, Analysing>, state: &State, value: Term, signed: bool) -> Option<(i128, i128)> {
    let width = machine.terms.width(value);
    if width >= 128 {
        return None;
    }
    if let Some(bits) = state.path.value(&machine.terms, value) {
        let number = number(bits, width, signed);
        return Some((number, number));
    }
    let facts = state.path.facts(&machine.terms, value);
    let (low, high, least, most) = if signed {
        (facts.signed_min, facts.signed_max, -(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
    } else {
        (facts.min as i128, facts.max as i128, 0, (1i128 << width) - 1)
    };
    (low > least || high < most).then_some((low, high))
}

fn condition_on_number(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    places: &Places<'_>,
    (value, place): (Term, &Place),
) -> Option<Condition> {
    if matches!(place.root, Root::Call(_)) {
        return None;
    }
    let signed = signedness(machine.program, places.names.type_of(place)?)?;
    if let Some((low, high)) = range(machine, state, value, signed) {
        return Some(Condition::Within(place.clone(), low, high));
    }
    let zero = machine.terms.constant(0, machine.terms.width(value));
    let is_zero = machine.terms.eq(value, zero);
    let known = state.path.value(&machine.terms, is_zero)?;
    (known == 0).then(|| Condition::NotZero(place.clone()))
}

/// Classifies the value that the function returns.
fn result(machine: &mut Machine<'_, Analysing>, state: &State, places: &Places<'_>, value: Term) -> Value {
    let is_pointer = places.names.result.is_some_and(|ty| matches!(machine.program.types.get(ty.ty), Type::Pointer(_)));
    if let Some(answered) = state.extra.answers.iter().find(|answered| answered.result == Some(value)) {
        let null = machine.terms.constant(0, machine.terms.width(value));
        let is_null = machine.terms.eq(value, null);
        if is_pointer && state.path.value(&machine.terms, is_null) == Some(1) {
            return Value::Null;
        }
        let name = answered.function.map(|id| machine.program.functions[id.index()].name.clone());
        return name.map_or(Value::Any, Value::From);
    }
    if is_pointer {
        return pointer_result(machine, state, places, value);
    }
    let signed = places.names.result.and_then(|ty| signedness(machine.program, ty.ty));
    let Some(signed) = signed else { return Value::Any };
    if let Some((low, high)) = range(machine, state, value, signed) {
        return if low == high { Value::Numbers([low].into()) } else { Value::Range(low, high) };
    }
    places.get(value).map_or(Value::Any, |place| Value::Given(place.clone()))
}

fn pointer_result(machine: &mut Machine<'_, Analysing>, state: &State, places: &Places<'_>, value: Term) -> Value {
    match machine.target(state, value) {
        Target::Constant(0) => Value::Null,
        Target::Object(id, offset) => object_result(machine, state, places, (id, offset)),
        Target::Either(_) => match *machine.terms.node(value) {
            // The result of a function without a body that may fail.
            Node::Ite(_, null, object) if machine.terms.as_const(null) == Some(0) => {
                match machine.target(state, object) {
                    Target::Object(id, _) if id.0 < FIRST_INPUT && is_live_heap(state, id) => {
                        Value::New { or_null: true }
                    }
                    _ => Value::Any,
                }
            }
            _ => Value::Any,
        },
        _ => {
            let null = machine.terms.constant(0, machine.terms.width(value));
            let is_null = machine.terms.eq(value, null);
            match state.path.value(&machine.terms, is_null) {
                Some(1) => Value::Null,
                _ => places.get(value).map_or(Value::Any, |place| Value::Given(place.clone())),
            }
        }
    }
}

fn is_live_heap(state: &State, id: ObjectId) -> bool {
    let object = state.memory.get(id);
    object.kind == ObjectKind::Heap && object.end == End::Live
}

fn object_result(
    machine: &Machine<'_, Analysing>,
    state: &State,
    places: &Places<'_>,
    (id, offset): (ObjectId, Term),
) -> Value {
    if let Some(place) = places.of_object(state, id) {
        let is_start = machine.terms.as_const(offset) == Some(0);
        return if is_start { Value::Given(place.clone()) } else { Value::Inside(place.clone()) };
    }
    if id.0 < FIRST_INPUT && is_live_heap(state, id) && machine.terms.as_const(offset) == Some(0) {
        return Value::New { or_null: false };
    }
    match machine.globals.iter().position(|&global| global == id) {
        Some(index) => Value::Address(machine.program.globals[index].name.clone()),
        None => Value::Any,
    }
}

/// Describes a pointer that the path was given.
fn input(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    places: &Places<'_>,
    (value, place): (Term, &Place),
) -> Input {
    let null = machine.terms.constant(0, machine.terms.width(value));
    let is_null = machine.terms.eq(value, null);
    let mut is_null = state.path.value(&machine.terms, is_null).map(|known| known == 1);
    let number = state.extra.objects.iter().position(|object| object.pointer == value);
    let alias = state.extra.aliases.iter().any(|(alias, _)| *alias == value);
    if number.is_some() || alias {
        is_null = Some(false);
    }
    let memory = number.map(|number| memory(machine, state, places, (number, place)));
    let is_called = state.extra.code.contains(&value);
    let is_untested = state.extra.not_null.contains(&value);
    Input { place: place.clone(), is_null, memory, is_called, is_untested }
}

/// Describes the memory behind a pointer.
fn memory(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    places: &Places<'_>,
    (number, place): (usize, &Place),
) -> Memory {
    let id = state.extra.objects[number].id;
    let first: BTreeMap<u64, Term> = first_contents(state, number);
    let object = state.memory.get(id);
    let mut extent = 0;
    for (&at, &value) in &first {
        extent = extent.max(at + u64::from(machine.terms.width(value) / 8));
    }
    let mut writes = false;
    for (at, len, value) in object.cells() {
        extent = extent.max(at + u64::from(len));
        writes |= !is_first(machine, &first, at, value);
    }
    let frees = matches!(object.end, End::Freed | End::Reallocated);
    let access = Access { reads: !first.is_empty(), writes, frees };
    let (mut is_text, mut looks_for_end) = (true, false);
    let bytes: Vec<Term> = (0..TEXT_BYTES).map_while(|at| first.get(&at).copied()).collect();
    let is_bytes = bytes.iter().all(|&byte| machine.terms.width(byte) == 8);
    if !is_bytes || bytes.is_empty() {
        is_text = false;
    } else {
        for (at, &byte) in bytes.iter().enumerate() {
            let zero = machine.terms.constant(0, 8);
            let is_zero = machine.terms.eq(byte, zero);
            let known = state.path.value(&machine.terms, is_zero);
            looks_for_end |= known.is_some();
            is_text &= known == Some(0) || at as u64 + 1 >= extent;
        }
    }
    let bounds = bounds(machine, state, places, (place, extent));
    let is_chosen = state.extra.has_chosen();
    Memory { extent, access, bounds, is_chosen, is_text, looks_for_end }
}

/// Returns the contents that an object had when the function was entered, as far as the path has read them.
fn first_contents(state: &State, number: usize) -> BTreeMap<u64, Term> {
    let own = state.extra.cells.iter().filter(|cell| cell.holder == Holder::Object(number));
    let mut first = BTreeMap::new();
    for cell in own {
        first.entry(cell.at).or_insert(cell.value);
    }
    first
}

/// Returns whether a value is the one that the bytes had at first, or a part of it.
fn is_first(machine: &Machine<'_, Analysing>, first: &BTreeMap<u64, Term>, at: u64, value: Term) -> bool {
    if first.get(&at) == Some(&value) {
        return true;
    }
    match machine.terms.node(value) {
        Node::Extract(whole, _) => first.values().any(|term| term == whole),
        _ => false,
    }
}

/// Returns the integers that bound the accesses to the memory behind a pointer: parameters, and members beside the pointer.
fn bounds(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    places: &Places<'_>,
    (place, extent): (&Place, u64),
) -> BTreeSet<Place> {
    let program = machine.program;
    let size = places.names.pointee(place).and_then(|to| layout::size_of(&program.types, program.target, to.ty));
    let size = size.filter(|&size| size > 0).unwrap_or(1);
    let mut found = BTreeSet::new();
    let beside = |other: &Place| match place.steps.split_last() {
        None => other.steps.is_empty(),
        Some((_, before)) => other.steps.split_last().is_some_and(|(_, rest)| rest == before),
    };
    for (value, other) in places.all() {
        let is_beside = other.root == place.root && beside(other);
        let is_parameter = other.steps.is_empty() && matches!(other.root, Root::Parameter(_));
        if !(is_beside || is_parameter) || other == place {
            continue;
        }
        let Some(signed) = places.names.type_of(other).and_then(|ty| signedness(program, ty)) else { continue };
        let width = machine.terms.width(value);
        if !(16..=64).contains(&width) {
            continue;
        }
        let wide = if signed { machine.terms.sext(value, 96) } else { machine.terms.zext(value, 96) };
        let size = machine.terms.constant(u128::from(size), 96);
        let total = machine.terms.mul(wide, size);
        let needed = machine.terms.constant(u128::from(extent), 96);
        let fits = machine.terms.sle(needed, total);
        if machine.follows(state, fits) {
            found.insert(other.clone());
        }
    }
    found
}

/// Adds the changes of memory that the caller can see.
fn changes(machine: &mut Machine<'_, Analysing>, state: &State, places: &Places<'_>, end: &mut PathEnd) {
    let mut holders: Vec<(ObjectId, Holder)> =
        state.extra.holders.iter().map(|(&id, holder)| (id, holder.clone())).collect();
    holders.sort_by_key(|(id, _)| *id);
    for (index, &id) in machine.globals.iter().enumerate() {
        if !machine.program.globals[index].constant && !state.extra.holders.contains_key(&id) {
            holders.push((id, Holder::Global(index)));
        }
    }
    for (id, holder) in holders {
        let object = state.memory.get(id);
        let place = places.of_object(state, id).cloned();
        if matches!(object.end, End::Freed | End::Reallocated) {
            end.effects.extend(place.map(Effect::Frees));
            continue;
        }
        let first = match holder {
            Holder::Object(number) => first_contents(state, number),
            Holder::Global(index) => first_of_global(state, index),
            Holder::Written(_) => continue,
        };
        let initial = machine.initial.find(id).map(|object| object.cells().collect::<Vec<_>>()).unwrap_or_default();
        for (at, len, value) in object.cells().collect::<Vec<_>>() {
            if is_first(machine, &first, at, value) || initial.contains(&(at, len, value)) {
                continue;
            }
            let at = match (&holder, &place) {
                (Holder::Global(index), _) => places.names.in_variable(*index, at),
                (_, Some(place)) => places.names.behind(place, at),
                _ => continue,
            };
            let is_model = matches!(holder, Holder::Global(index)
                if machine.program.file_name(machine.program.globals[index].loc).starts_with("<cairn/"));
            if is_model {
                continue;
            }
            end.effects.extend(stored(machine, state, places, (value, &at)));
            end.writes.insert(at);
        }
    }
}

fn first_of_global(state: &State, index: usize) -> BTreeMap<u64, Term> {
    let own = state.extra.cells.iter().filter(|cell| cell.holder == Holder::Global(index));
    own.map(|cell| (cell.at, cell.value)).collect()
}

/// Returns the effect of storing a value at a place.
fn stored(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    places: &Places<'_>,
    (value, at): (Term, &Place),
) -> Option<Effect> {
    if machine.terms.width(value) != machine.pointer_bits {
        return None;
    }
    let what = match machine.target(state, value) {
        Target::Object(id, _) if id.0 < FIRST_INPUT && is_live_heap(state, id) => {
            return Some(Effect::Allocates(at.clone()));
        }
        Target::Object(id, _) => places.of_object(state, id),
        _ => places.get(value).filter(|place| is_pointer(places, place)),
    }?;
    (what != at).then(|| Effect::Stores { what: what.clone(), at: at.clone() })
}
