//! Calls of functions without a body, and through unknown pointers.
//!
//! Such a call returns any value of its type. It may write everything that its arguments lead to without `const`, and it may
//! keep or take over what it gets that way, unless it reports that it has failed. It frees nothing that the caller goes on to use.

use std::rc::Rc;

use cairn_exec::allocation::Target;
use cairn_exec::{Machine, UnknownCall};
use cairn_ir::ctype::{FunctionType, Type};
use cairn_ir::inst::{Call, Passing};
use cairn_ir::{Program, Ty};
use cairn_memory::object::{End, ObjectKind};
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::Initial;
use cairn_smt::Term;
use rustc_hash::FxHashSet;

use crate::descriptors;
use crate::limits::{CHAIN, FIRST_INPUT, MADE_BYTES, WRITTEN_BYTES};
use crate::mode::{self, Analysing, State};
use crate::ownership::{self, Failure, Made, Permission};
use crate::stated::{Stated, Statement};
use crate::unknowns::{Answered, GivenCell, Holder, Link, MadeObject, RESULT, Route};

/// Returns the type of the called function.
fn type_of<'p>(program: &'p Program, call: &Call) -> Option<&'p FunctionType> {
    match program.types.get(call.ctype?) {
        Type::Function(function) => Some(function),
        _ => None,
    }
}

/// Returns what an unknown function may do with an argument of a call.
fn permission(machine: &Machine<'_, Analysing>, call: &UnknownCall<'_>, argument: usize) -> Permission {
    let program = machine.program;
    if call.call.args.get(argument).is_none_or(|arg| arg.passing != Passing::Scalar(Ty::Ptr)) {
        return Permission::Read;
    }
    let Some(function) = type_of(program, call.call) else { return Permission::Consume(None) };
    let hidden = usize::from(matches!(program.types.get(function.ret.ty), Type::Record(_)));
    let Some(parameter) = argument.checked_sub(hidden) else { return Permission::Write(None) };
    let name = call.function.map_or("", |id| program.functions[id.index()].name.as_str());
    match machine.mode.stated.get(name).and_then(|stated| stated.takes(parameter)) {
        Some(true) => Permission::Consume(None),
        Some(false) => Permission::Write(None),
        None => ownership::permission(program, name, function, parameter),
    }
}

/// Executes an unknown call.
pub(crate) fn execute(
    machine: &mut Machine<'_, Analysing>,
    state: &mut State,
    call: &UnknownCall<'_>,
    out: &mut Vec<State>,
) -> bool {
    if call.function.is_some_and(|id| machine.program.functions[id.index()].signature.noreturn) {
        note_end(machine, state, call);
        return false;
    }
    let first = call.arguments.first().and_then(|&status| state.path.value(&machine.terms, status));
    if call.function.is_some_and(|id| ownership::is_fatal(&machine.program.functions[id.index()].name, first)) {
        note_end(machine, state, call);
        return false;
    }
    let stated = stated_about(machine, call);
    if stated.is_some_and(|stated| stated.says(&Statement::NeverReturns)) {
        note_end(machine, state, call);
        return false;
    }
    let makes = stated.is_some_and(|stated| stated.says(&Statement::ReturnsNew));
    let number = state.extra.answers.len();
    if let Some(pointer) = call.pointer {
        Rc::make_mut(&mut state.extra.code).push(pointer);
    }
    let name = call.function.map_or("result", |id| machine.program.functions[id.index()].name.as_str());
    let result = call.call.ret.map(|ty| machine.terms.variable(name, ty.bits(machine.program.target)));
    let failed = failure_of(machine, call, result);
    let mut gift = Gift { written: FxHashSet::default(), is_refusable: failed.is_some(), kept: Vec::new() };
    let (mut taken, mut passed) = (Vec::new(), Vec::new());
    for (argument, &value) in call.arguments.iter().enumerate() {
        let permission = permission_at(machine, state, call, argument);
        match permission {
            Permission::Take(_) if failed.is_some() => taken.push((argument, true)),
            Permission::Take(_) | Permission::Consume(_) => taken.push((argument, false)),
            _ => {}
        }
        if matches!(permission, Permission::Take(_) | Permission::Consume(_)) {
            passed.push(value);
        }
        let route = Route { call: number, argument, offset: 0, chain: Vec::new() };
        give(machine, state, value, permission, route, &mut gift);
    }
    let released = descriptors::give(machine, state, call, failed);
    let function = call.function;
    let answered = Answered { function, passed, result, taken, made: None, failed, kept: gift.kept, released };
    if descriptors::open(machine, state, call, &answered, out) {
        return true;
    }
    let made = call
        .function
        .zip(type_of(machine.program, call.call))
        .and_then(|(id, ty)| ownership::made(machine.program, &machine.program.functions[id.index()].name, ty))
        .or_else(|| (makes && call.call.ret == Some(Ty::Ptr)).then_some(Made::PerhapsNull));
    if let Some(made) = made {
        return make(machine, state, call, (made, answered), out);
    }
    Rc::make_mut(&mut state.extra.answers).push(answered);
    if let (Some(dst), Some(result)) = (call.call.dst, result) {
        machine.set(state, dst, result);
    }
    true
}

/// Returns what the user states about the called function.
fn stated_about<'m>(machine: &'m Machine<'_, Analysing>, call: &UnknownCall<'_>) -> Option<&'m Stated> {
    let name = &machine.program.functions[call.function?.index()].name;
    machine.mode.stated.get(name)
}

/// Takes note that the called function ends the program.
fn note_end(machine: &mut Machine<'_, Analysing>, state: &State, call: &UnknownCall<'_>) {
    let name = call.function.map(|id| machine.program.functions[id.index()].name.as_str());
    mode::note_end(machine, state, name.unwrap_or("a function"));
}

/// Returns a new object that the caller owns, or null.
fn make(
    machine: &mut Machine<'_, Analysing>,
    state: &mut State,
    call: &UnknownCall<'_>,
    (made, answered): (Made, Answered),
    out: &mut Vec<State>,
) -> bool {
    let number = state.extra.answers.len();
    let null = machine.terms.constant(0, machine.pointer_bits);
    if made == Made::OrNull {
        let mut failed = state.clone();
        Rc::make_mut(&mut failed.extra.answers).push(Answered { result: Some(null), ..answered.clone() });
        if let Some(dst) = call.call.dst {
            machine.set(&mut failed, dst, null);
        }
        out.push(failed);
    }
    let id = machine.new_heap_object(state, MADE_BYTES, call.loc);
    let base = state.memory.get(id).base;
    let fails = (made == Made::PerhapsNull).then(|| machine.terms.variable("fails", 1));
    let result = fails.map_or(base, |fails| machine.terms.ite(fails, null, base));
    // A stream that was just opened is in its initial state; nothing is known about other objects.
    if made == Made::PerhapsNull {
        let route = Route { call: number, argument: RESULT, offset: 0, chain: Vec::new() };
        state.memory.get_mut(id).forget(Initial::Undefined);
        Rc::make_mut(&mut state.extra.holders).insert(id, Holder::Written(Rc::new(route)));
    }
    let made = Some(MadeObject { id, fails });
    Rc::make_mut(&mut state.extra.answers).push(Answered { result: None, made, failed: fails, ..answered });
    if let Some(dst) = call.call.dst {
        machine.set(state, dst, result);
    }
    true
}

/// The arguments that an unknown function gets.
struct Gift {
    /// The objects that it may write.
    written: FxHashSet<ObjectId>,
    /// Whether its result may say that it has failed.
    is_refusable: bool,
    /// The objects that it keeps unless it has failed.
    kept: Vec<Term>,
}

/// Returns the condition under which a function of another file has failed, if its type tells.
fn failure_of(machine: &mut Machine<'_, Analysing>, call: &UnknownCall<'_>, result: Option<Term>) -> Option<Term> {
    call.function?;
    let (result, ty) = (result?, type_of(machine.program, call.call)?);
    let zero = machine.terms.constant(0, machine.terms.width(result));
    Some(match ownership::failure(machine.program, ty)? {
        Failure::Zero => machine.terms.eq(result, zero),
        Failure::Negative => machine.terms.slt(result, zero),
    })
}

/// Returns what an unknown function may do with an argument, given the place that the argument points to.
fn permission_at(
    machine: &mut Machine<'_, Analysing>,
    state: &State,
    call: &UnknownCall<'_>,
    argument: usize,
) -> Permission {
    let permission = permission(machine, call, argument);
    if let Permission::Take(bytes) = permission
        && let Some(ty) = type_of(machine.program, call.call)
        && !ownership::may_link(machine.program, ty, argument)
        && let Target::Object(_, offset) = machine.target(state, call.arguments[argument])
        && machine.terms.as_const(offset).is_some_and(|offset| offset > 0)
    {
        return Permission::Write(bytes);
    }
    permission
}

/// Gives an argument to an unknown function.
fn give(
    machine: &mut Machine<'_, Analysing>,
    state: &mut State,
    value: Term,
    permission: Permission,
    mut route: Route,
    gift: &mut Gift,
) {
    let (bytes, takes) = match permission {
        Permission::Read => return,
        Permission::Write(bytes) => (bytes, false),
        Permission::Take(bytes) | Permission::Consume(bytes) => (bytes, true),
    };
    let Target::Object(id, offset) = machine.target(state, value) else { return };
    let known = machine.terms.as_const(offset).map_or(0, |offset| offset as u64);
    match route.chain.last_mut() {
        Some(link) => link.offset = known,
        None => route.offset = known,
    }
    let object = state.memory.get(id);
    let (base, is_data) = (object.base, object.kind.is_data() && object.kind != ObjectKind::Variadic);
    if takes && object.kind == ObjectKind::Heap {
        if gift.is_refusable && matches!(permission, Permission::Take(_)) {
            gift.kept.push(base);
        } else {
            state.extra.keep(base);
        }
    }
    let object = state.memory.get(id);
    if !is_data || object.constant || object.end != End::Live || !gift.written.insert(id) {
        return;
    }
    let links: Vec<(u64, Term)> = object
        .cells()
        .filter(|&(_, _, value)| machine.terms.width(value) == machine.pointer_bits)
        .map(|(at, _, value)| (at, value))
        .collect();
    if route.chain.len() < CHAIN {
        let deeper = match permission {
            Permission::Take(_) => Permission::Take(None),
            Permission::Consume(_) => Permission::Consume(None),
            _ => Permission::Write(None),
        };
        for (at, link) in links {
            let mut next = route.clone();
            next.chain.push(Link { at, offset: 0 });
            give(machine, state, link, deeper, next, gift);
        }
    }
    overwrite(machine, state, id, (offset, bytes), route);
}

/// Makes the bytes that an unknown function may write unknown.
fn overwrite(
    machine: &mut Machine<'_, Analysing>,
    state: &mut State,
    id: ObjectId,
    (offset, bytes): (Term, Option<u64>),
    route: Route,
) {
    let holder = Holder::Written(Rc::new(route));
    let size = machine.terms.as_const(state.memory.get(id).size).map(|size| size as u64);
    let at = machine.terms.as_const(offset).map(|at| at as u64);
    if let (Some(at), Some(bytes), Some(size)) = (at, bytes, size)
        && at.checked_add(bytes).is_some_and(|end| end <= size)
        && bytes <= WRITTEN_BYTES
        && (bytes < size && (at > 0 || id.0 < FIRST_INPUT))
    {
        let mut next = at;
        while next < at + bytes {
            let run = (8 - next % 8).min(at + bytes - next);
            let value = machine.terms.variable("written", 8 * run as u32);
            machine.write(state, id, next, value);
            let cell = GivenCell { holder: holder.clone(), at: next, value };
            Rc::make_mut(&mut state.extra.cells).push(cell);
            next += run;
        }
        return;
    }
    state.memory.get_mut(id).forget(Initial::Undefined);
    Rc::make_mut(&mut state.extra.holders).insert(id, holder);
}
