//! The names of functions with a built-in meaning, and the intrinsics that they stand for.
//!
//! C programs and the library models call these functions without defining them.

use cairn_ir::inst::{Intrinsic, MathFn, Ty};

/// The meaning of a known name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// An intrinsic that takes the leading arguments of the call.
    Does(Intrinsic),
    /// An intrinsic on the leading arguments; the call returns its first argument.
    ReturnsFirst(Intrinsic),
    /// A math function, computed in the given type.
    Computes(MathFn, Ty),
    /// Any value of the result type.
    Any,
    /// 0 or 1.
    AnyTruth,
    /// `realloc`: the intrinsic with a last argument for the behaviours that are considered.
    Reallocates,
    /// No effect.
    Nothing,
    /// A function that is not modelled, with the feature that it belongs to.
    NotModelled(&'static str),
    /// A call by which a model names an unmodelled case: `__cairn_unsupported_a_closed_stream`.
    SaysUnsupported,
}

/// Individual names. Math functions, `__VERIFIER_nondet_*` and `__cairn_*` are matched by rules instead.
const NAMES: &[(&str, Binding)] = &[
    ("malloc", Binding::Does(Intrinsic::HeapAlloc)),
    ("calloc", Binding::Does(Intrinsic::HeapAllocZeroed)),
    ("realloc", Binding::Reallocates),
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
    ("__VERIFIER_assume", Binding::Does(Intrinsic::Assume)),
    ("__VERIFIER_nondet_memory", Binding::Does(Intrinsic::NondetBytes)),
    ("__VERIFIER_nondet_bool", Binding::AnyTruth),
    ("__VERIFIER_nondet__Bool", Binding::AnyTruth),
    ("__VERIFIER_atomic_begin", Binding::Nothing),
    ("__VERIFIER_atomic_end", Binding::Nothing),
    ("clone", Binding::NotModelled(PROCESSES)),
    ("execle", Binding::NotModelled(PROCESSES)),
    ("dlopen", Binding::NotModelled("loading code at run time")),
    ("dlsym", Binding::NotModelled("loading code at run time")),
    ("dlclose", Binding::NotModelled("loading code at run time")),
    ("setitimer", Binding::NotModelled(SIGNALS)),
    ("mremap", Binding::NotModelled(MAPPINGS)),
    ("brk", Binding::NotModelled(MAPPINGS)),
    ("sbrk", Binding::NotModelled(MAPPINGS)),
    ("getcontext", Binding::NotModelled(CONTEXTS)),
    ("setcontext", Binding::NotModelled(CONTEXTS)),
    ("makecontext", Binding::NotModelled(CONTEXTS)),
    ("swapcontext", Binding::NotModelled(CONTEXTS)),
];

/// The prefix by which a model reports an unmodelled case; the rest of the name describes the case.
pub(super) const UNSUPPORTED: &str = "__cairn_unsupported_";

/// The prefix of inputs of the library models; the rest of the name is free, so that each can be declared with a type of its own.
const ANY: &str = "__cairn_any_";

/// The prefixes of thread functions.
const THREADS: &[&str] = &["pthread_", "thrd_", "mtx_", "cnd_", "tss_", "sem_"];

const PROCESSES: &str = "other processes";
const SIGNALS: &str = "signals";
const MAPPINGS: &str = "memory mappings";
const CONTEXTS: &str = "switching between stacks";

/// Returns whether `longjmp` may return from a call of a function with this name.
pub(crate) fn returns_again(name: &str) -> bool {
    binding(name) == Some(Binding::Does(Intrinsic::Setjmp))
}

/// Returns the meaning of a function without a body.
pub(super) fn binding(name: &str) -> Option<Binding> {
    if let Some(&(_, binding)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(binding);
    }
    if name.starts_with(UNSUPPORTED) {
        return Some(Binding::SaysUnsupported);
    }
    if name.starts_with(ANY) {
        return Some(Binding::Any);
    }
    if let Some(intrinsic) = name.strip_prefix("__cairn_") {
        return match Intrinsic::from_name(intrinsic)? {
            Intrinsic::Nondet => Some(Binding::Any),
            Intrinsic::Math(function) => Some(Binding::Computes(function, Ty::F64)),
            Intrinsic::HeapRealloc => Some(Binding::Reallocates),
            // Only the compiler creates closures.
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
