//! What C programs and our models call without defining it: names and the intrinsics they stand for.

use crate::check::{self, CheckKind};
use crate::inst::{Intrinsic, MathFn, Ty};

/// What a known name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// An intrinsic; the first arguments are its arguments.
    Does(Intrinsic),
    /// An intrinsic whose first argument is the result.
    ReturnsFirst(Intrinsic),
    /// A math function in that type.
    Computes(MathFn, Ty),
    /// Any value of the result's type.
    Any,
    /// 0 or 1.
    AnyTruth,
    /// No effect.
    Nothing,
    /// It is known that this is not modelled, and what it belongs to.
    NotModelled(&'static str),
    /// A model says in the name what it does not model: `__cairn_unsupported_a_closed_stream`.
    SaysUnsupported,
}

/// Names with a meaning of their own. Math functions, `__VERIFIER_nondet_*` and `__cairn_*` follow rules instead.
const NAMES: &[(&str, Binding)] = &[
    ("malloc", Binding::Does(Intrinsic::HeapAlloc)),
    ("calloc", Binding::Does(Intrinsic::HeapAllocZeroed)),
    ("aligned_alloc", Binding::Does(Intrinsic::HeapAllocAligned)),
    ("realloc", Binding::Does(Intrinsic::HeapRealloc)),
    ("free", Binding::Does(Intrinsic::HeapFree)),
    ("alloca", Binding::Does(Intrinsic::StackAlloc)),
    ("__builtin_alloca", Binding::Does(Intrinsic::StackAlloc)),
    ("memcpy", Binding::ReturnsFirst(Intrinsic::CopyBytes)),
    ("memmove", Binding::ReturnsFirst(Intrinsic::MoveBytes)),
    ("memset", Binding::ReturnsFirst(Intrinsic::FillBytes)),
    ("memcmp", Binding::Does(Intrinsic::CompareBytes)),
    ("strlen", Binding::Does(Intrinsic::StringLength)),
    ("abort", Binding::Does(Intrinsic::Abort)),
    ("setjmp", Binding::Does(Intrinsic::Setjmp)),
    ("_setjmp", Binding::Does(Intrinsic::Setjmp)),
    ("sigsetjmp", Binding::Does(Intrinsic::Setjmp)),
    ("__sigsetjmp", Binding::Does(Intrinsic::Setjmp)),
    ("longjmp", Binding::Does(Intrinsic::Longjmp)),
    ("_longjmp", Binding::Does(Intrinsic::Longjmp)),
    ("siglongjmp", Binding::Does(Intrinsic::Longjmp)),
    ("__assert_fail", Binding::Does(Intrinsic::AssertFail)),
    ("__assert", Binding::Does(Intrinsic::AssertFail)),
    ("__assert_rtn", Binding::Does(Intrinsic::AssertFail)),
    ("reach_error", Binding::Does(Intrinsic::ReachError)),
    ("__VERIFIER_error", Binding::Does(Intrinsic::ReachError)),
    ("__VERIFIER_assume", Binding::Does(Intrinsic::Assume)),
    ("__VERIFIER_nondet_memory", Binding::Does(Intrinsic::NondetBytes)),
    ("__VERIFIER_nondet_bool", Binding::AnyTruth),
    ("__VERIFIER_nondet__Bool", Binding::AnyTruth),
    ("__VERIFIER_atomic_begin", Binding::Nothing),
    ("__VERIFIER_atomic_end", Binding::Nothing),
    ("fork", Binding::NotModelled(PROCESSES)),
    ("vfork", Binding::NotModelled(PROCESSES)),
    ("clone", Binding::NotModelled(PROCESSES)),
    ("execve", Binding::NotModelled(PROCESSES)),
    ("execv", Binding::NotModelled(PROCESSES)),
    ("execvp", Binding::NotModelled(PROCESSES)),
    ("execl", Binding::NotModelled(PROCESSES)),
    ("execlp", Binding::NotModelled(PROCESSES)),
    ("execle", Binding::NotModelled(PROCESSES)),
    ("popen", Binding::NotModelled(PROCESSES)),
    ("dlopen", Binding::NotModelled("loading code at run time")),
    ("dlsym", Binding::NotModelled("loading code at run time")),
    ("dlclose", Binding::NotModelled("loading code at run time")),
    ("sigaction", Binding::NotModelled(SIGNALS)),
    ("sigprocmask", Binding::NotModelled(SIGNALS)),
    ("sigsuspend", Binding::NotModelled(SIGNALS)),
    ("raise", Binding::NotModelled(SIGNALS)),
    ("kill", Binding::NotModelled(SIGNALS)),
    ("killpg", Binding::NotModelled(SIGNALS)),
    ("alarm", Binding::NotModelled(SIGNALS)),
    ("setitimer", Binding::NotModelled(SIGNALS)),
    ("mmap", Binding::NotModelled(MAPPINGS)),
    ("mmap64", Binding::NotModelled(MAPPINGS)),
    ("munmap", Binding::NotModelled(MAPPINGS)),
    ("mremap", Binding::NotModelled(MAPPINGS)),
    ("brk", Binding::NotModelled(MAPPINGS)),
    ("sbrk", Binding::NotModelled(MAPPINGS)),
    ("getcontext", Binding::NotModelled(CONTEXTS)),
    ("setcontext", Binding::NotModelled(CONTEXTS)),
    ("makecontext", Binding::NotModelled(CONTEXTS)),
    ("swapcontext", Binding::NotModelled(CONTEXTS)),
];

/// How a model says that it does not model something: the rest of the name says what.
pub(super) const UNSUPPORTED: &str = "__cairn_unsupported_";

/// How the names of the functions for threads begin.
const THREADS: &[&str] = &["pthread_", "thrd_", "mtx_", "cnd_", "tss_", "sem_"];

const PROCESSES: &str = "other processes";
const SIGNALS: &str = "signals";
const MAPPINGS: &str = "memory mappings";
const CONTEXTS: &str = "switching between stacks";

/// What a function without a body stands for.
pub(super) fn binding(name: &str) -> Option<Binding> {
    if let Some(&(_, binding)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(binding);
    }
    if name.starts_with(UNSUPPORTED) {
        return Some(Binding::SaysUnsupported);
    }
    if let Some(intrinsic) = name.strip_prefix("__cairn_") {
        return match Intrinsic::from_name(intrinsic)? {
            Intrinsic::Nondet => Some(Binding::Any),
            Intrinsic::Math(function) => Some(Binding::Computes(function, Ty::F64)),
            // A closure is made by the compiler alone.
            Intrinsic::Closure => None,
            other => Some(Binding::Does(other)),
        };
    }
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(Binding::Any);
    }
    if THREADS.iter().any(|prefix| name.starts_with(prefix)) {
        return Some(Binding::NotModelled("threads"));
    }
    let with_suffix = |suffix| name.strip_suffix(suffix).and_then(MathFn::from_name);
    MathFn::from_name(name)
        .map(|f| Binding::Computes(f, Ty::F64))
        .or_else(|| with_suffix('f').map(|f| Binding::Computes(f, Ty::F32)))
        .or_else(|| {
            with_suffix('l').map(|f| match f.is_exact() {
                true => Binding::Computes(f, Ty::F80),
                false => Binding::NotModelled("in the precision of long double"),
            })
        })
}

/// What can go wrong in an intrinsic.
pub(super) fn checks(intrinsic: Intrinsic) -> &'static [CheckKind] {
    use CheckKind::*;
    match intrinsic {
        Intrinsic::HeapAlloc | Intrinsic::HeapAllocZeroed | Intrinsic::HeapAllocAligned => &[Leak, Unfreed],
        Intrinsic::HeapRealloc => &[Leak, Unfreed, DoubleFree, InvalidFree, Uninitialised],
        Intrinsic::HeapFree => &[DoubleFree, InvalidFree, Uninitialised],
        Intrinsic::CopyBytes | Intrinsic::FormatBuffer => {
            &[NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, InvalidDeref, Overlap, Uninitialised]
        }
        Intrinsic::MoveBytes
        | Intrinsic::FillBytes
        | Intrinsic::CompareBytes
        | Intrinsic::StringLength
        | Intrinsic::NondetBytes
        | Intrinsic::Setjmp
        | Intrinsic::Write
        | Intrinsic::FormatFile
        | Intrinsic::ParseFloat => check::DEREF,
        Intrinsic::Longjmp => {
            &[NullDeref, UseAfterFree, UseAfterScope, OutOfBounds, InvalidDeref, InvalidCall, Uninitialised]
        }
        Intrinsic::VaArg => &[InvalidCall],
        Intrinsic::AssertFail | Intrinsic::ReachError => &[Assertion],
        Intrinsic::Assume | Intrinsic::Exit => &[Uninitialised],
        Intrinsic::StackAlloc
        | Intrinsic::ObjectSize
        | Intrinsic::Nondet
        | Intrinsic::Abort
        | Intrinsic::VaStart
        | Intrinsic::ReadChar
        | Intrinsic::Math(_)
        | Intrinsic::Time
        | Intrinsic::Clock
        | Intrinsic::OneAnswer
        | Intrinsic::Closure => &[],
    }
}
