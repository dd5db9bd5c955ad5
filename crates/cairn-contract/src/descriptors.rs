//! File descriptors that the code opens: each must be closed, stored, returned or given to another function.
//!
//! A successful `open` or `socket` returns a number that occurs nowhere else, so that a descriptor is held wherever its number is.

use std::rc::Rc;

use cairn_exec::{Machine, UnknownCall};
use cairn_interpret::{Event, Fault};
use cairn_ir::CheckKind;
use cairn_ir::source::StackPlace;
use cairn_memory::Memory;
use cairn_memory::object::End;
use cairn_smt::Term;

use crate::limits::FIRST_DESCRIPTOR;
use crate::mode::{Analysing, State};
use crate::unknowns::Answered;

/// Functions of the C library that return a new descriptor, or a negative number.
const OPENING: &[&str] = &[
    "accept",
    "accept4",
    "creat",
    "creat64",
    "dup",
    "epoll_create",
    "epoll_create1",
    "eventfd",
    "inotify_init",
    "inotify_init1",
    "memfd_create",
    "mkostemp",
    "mkstemp",
    "open",
    "open64",
    "openat",
    "openat64",
    "shm_open",
    "signalfd",
    "socket",
    "timerfd_create",
];

/// Functions of the C library that use a descriptor without closing or keeping it.
const USING: &[&str] = &[
    "accept",
    "accept4",
    "bind",
    "connect",
    "dup",
    "dup2",
    "dup3",
    "epoll_ctl",
    "epoll_wait",
    "faccessat",
    "fchdir",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "fcntl",
    "fcntl64",
    "fdatasync",
    "flock",
    "fstat",
    "fstat64",
    "fstatat",
    "fstatfs",
    "fstatvfs",
    "fsync",
    "ftruncate",
    "ftruncate64",
    "futimens",
    "getpeername",
    "getsockname",
    "getsockopt",
    "ioctl",
    "isatty",
    "listen",
    "lockf",
    "lseek",
    "lseek64",
    "mkdirat",
    "mmap",
    "mmap64",
    "openat",
    "openat64",
    "poll",
    "posix_fadvise",
    "posix_fallocate",
    "pread",
    "pread64",
    "pwrite",
    "pwrite64",
    "read",
    "readv",
    "recv",
    "recvfrom",
    "recvmsg",
    "select",
    "send",
    "sendfile",
    "sendmsg",
    "sendto",
    "setsockopt",
    "shutdown",
    "splice",
    "tcgetattr",
    "tcsetattr",
    "ttyname",
    "unlinkat",
    "write",
    "writev",
];

/// A descriptor that the code has opened and not closed.
#[derive(Clone, Debug)]
pub(crate) struct Descriptor {
    /// Its number.
    pub number: u64,
    /// The location of the call that opened it, innermost call first.
    pub opened: Rc<[StackPlace]>,
    /// The condition under which the function that got it has failed, and therefore has not kept it.
    pub refused: Option<Term>,
}

/// Executes a call that may open a descriptor; false if it is no such call.
pub(crate) fn open(
    machine: &mut Machine<'_, Analysing>,
    state: &mut State,
    call: &UnknownCall<'_>,
    answered: &Answered,
    out: &mut Vec<State>,
) -> bool {
    let name = call.function.map_or("", |id| machine.program.functions[id.index()].name.as_str());
    let Some(ty) = call.call.ret.filter(|_| OPENING.contains(&name)) else { return false };
    let bits = ty.bits(machine.program.target);
    let failure = machine.terms.constant(u128::MAX >> (128 - bits), bits);
    let mut failed = state.clone();
    Rc::make_mut(&mut failed.extra.answers).push(Answered { result: Some(failure), ..answered.clone() });
    let number = FIRST_DESCRIPTOR + state.extra.answers.len() as u64;
    let result = machine.terms.constant(u128::from(number), bits);
    Rc::make_mut(&mut state.extra.answers).push(Answered { result: Some(result), ..answered.clone() });
    let opened = state.stack(call.loc).into();
    Rc::make_mut(&mut state.extra.descriptors).push(Descriptor { number, opened, refused: None });
    if let Some(dst) = call.call.dst {
        machine.set(&mut failed, dst, failure);
        machine.set(state, dst, result);
    }
    out.push(failed);
    true
}

/// Takes note of the descriptors that an unknown function gets, and returns those that it closes or keeps.
///
/// With `refused`, the function keeps nothing under this condition.
pub(crate) fn give(
    machine: &Machine<'_, Analysing>,
    state: &mut State,
    call: &UnknownCall<'_>,
    refused: Option<Term>,
) -> Vec<u64> {
    let name = call.function.map_or("", |id| machine.program.functions[id.index()].name.as_str());
    if state.extra.descriptors.is_empty() || USING.contains(&name) {
        return Vec::new();
    }
    let passed: Vec<u64> =
        call.arguments.iter().filter_map(|&value| machine.terms.as_const(value)).map(|value| value as u64).collect();
    let given: Vec<u64> =
        state.extra.descriptors.iter().map(|known| known.number).filter(|number| passed.contains(number)).collect();
    if given.is_empty() {
        return given;
    }
    let known = Rc::make_mut(&mut state.extra.descriptors);
    match refused {
        None => known.retain(|descriptor| !given.contains(&descriptor.number)),
        Some(_) => {
            for descriptor in known.iter_mut().filter(|descriptor| given.contains(&descriptor.number)) {
                descriptor.refused = refused;
            }
        }
    }
    given
}

/// Returns the descriptors that nothing holds after the outermost call has returned a value. `after` is the state without its frame.
pub(crate) fn lost(
    machine: &mut Machine<'_, Analysing>,
    (state, after): (&State, &State),
    value: Option<Term>,
) -> Vec<Descriptor> {
    let mut lost: Vec<Descriptor> = state.extra.descriptors.iter().cloned().collect();
    lost.retain(|descriptor| descriptor.refused.is_none_or(|refused| machine.follows(state, refused)));
    if lost.is_empty() {
        return lost;
    }
    let mut held: Vec<Term> = value.into_iter().collect();
    let live = after.memory.iter().filter(|(_, object)| object.end == End::Live);
    held.extend(live.flat_map(|(_, object)| object.cells().map(|(_, _, term)| term).collect::<Vec<_>>()));
    let held: Vec<u64> =
        held.into_iter().filter_map(|term| state.path.value(&machine.terms, term)).map(|value| value as u64).collect();
    lost.retain(|descriptor| {
        !held.iter().any(|&value| {
            value == descriptor.number || value >> 32 == descriptor.number || value & 0xffff_ffff == descriptor.number
        })
    });
    lost
}

/// Returns whether the memory after a call holds the number of a descriptor.
pub(crate) fn is_held(memory: &Memory, number: u64) -> bool {
    let pattern = (number as u32).to_le_bytes();
    memory.live_objects().any(|(id, _)| {
        memory.bytes_of(id).is_some_and(|bytes| {
            let all = bytes.data(0, bytes.len());
            all.windows(pattern.len()).any(|window| window == pattern)
        })
    })
}

/// Returns the fault of a descriptor that was opened at a location and is lost.
pub(crate) fn fault(opened: &[StackPlace]) -> Fault {
    Fault {
        kind: CheckKind::Leak,
        check: None,
        message: "file descriptor is lost and not closed".to_owned(),
        access: None,
        stack: opened.to_vec(),
        history: vec![Event { what: "opened here".to_owned(), stack: opened.to_vec() }],
    }
}
