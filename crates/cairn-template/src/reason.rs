//! The reasons why the engine gives no answer.

use std::fmt;

use cairn_ir::{CheckKind, Loc};

use crate::ssa::Failure;

/// Why the engine can neither prove nor refute the requested checks.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// The invariant does not exclude a violation of a requested check.
    CheckMayFail(CheckKind),
    /// Templates do not answer checks of this kind.
    UnansweredCheck(CheckKind),
    /// A check that was not requested may fail, and its undefined behaviour is not covered.
    UndefinedBehaviour(CheckKind),
    /// The program reads the arguments of its entry function.
    ProgramArguments,
    /// A pointer with an unknown target is dereferenced.
    UnknownPointer,
    /// A call through a pointer may have an unknown target.
    UnknownCallTarget,
    /// The arguments or the result of a call do not match the called function.
    CallMismatch,
    /// A recursive call of this function exceeds the unwinding depth.
    Recursion(String),
    /// This function passes the address of a local variable to a recursive call.
    LocalOfOuterCall(String),
    /// Calls are nested too deeply.
    CallDepth,
    /// A loop is entered other than at its head.
    IrreducibleLoop,
    /// A computed `goto`.
    ComputedGoto,
    /// A `realloc` that may fail, or whose result is not used.
    FailingRealloc,
    /// A `realloc` to size 0.
    ReallocToZero,
    /// A `calloc` whose size is the product of two unknown numbers.
    CallocOfUnknownSize,
    /// A `calloc` whose size overflows.
    CallocOverflow,
    /// A copy whose size may be 0.
    EmptyCopy,
    /// Memory of an unknown size is filled.
    FillOfUnknownSize,
    /// Formatted output of something other than numbers.
    UnsupportedFormat,
    /// An intrinsic operation that the encoding does not model.
    UnsupportedIntrinsic(&'static str),
    /// A language construct that the IR does not model.
    UnsupportedConstruct(String),
    /// The program has no entry function of this name.
    NoEntry(String),
    /// The formula is too large.
    FormulaTooLarge,
    /// The facts about memory do not reach a fixed point.
    UnstableFacts,
    /// Programs with recursive functions are postponed in favour of other engines.
    RecursionPostponed,
    /// Large formulas are postponed in favour of other engines.
    FormulaPostponed,
    /// All stages have been tried.
    NoStageLeft,
    /// The solver's budget is exhausted.
    SolverBudget,
    /// The invariants of a proof did not hold when they were checked again. This is an error of cairn.
    CertificateRejected,
}

impl Reason {
    /// Returns the stable name, for machine-readable output.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::CheckMayFail(_) => "check-may-fail",
            Self::UnansweredCheck(_) => "unanswered-check",
            Self::UndefinedBehaviour(_) => "undefined-behaviour",
            Self::ProgramArguments => "program-arguments",
            Self::UnknownPointer => "unknown-pointer",
            Self::UnknownCallTarget => "unknown-call-target",
            Self::CallMismatch => "call-mismatch",
            Self::Recursion(_) => "recursion",
            Self::LocalOfOuterCall(_) => "local-of-outer-call",
            Self::CallDepth => "call-depth",
            Self::IrreducibleLoop => "irreducible-loop",
            Self::ComputedGoto => "computed-goto",
            Self::FailingRealloc => "failing-realloc",
            Self::ReallocToZero => "realloc-to-zero",
            Self::CallocOfUnknownSize => "calloc-of-unknown-size",
            Self::CallocOverflow => "calloc-overflow",
            Self::EmptyCopy => "empty-copy",
            Self::FillOfUnknownSize => "fill-of-unknown-size",
            Self::UnsupportedFormat => "unsupported-format",
            Self::UnsupportedIntrinsic(_) => "unsupported-intrinsic",
            Self::UnsupportedConstruct(_) => "unsupported-construct",
            Self::NoEntry(_) => "no-entry",
            Self::FormulaTooLarge => "formula-too-large",
            Self::UnstableFacts => "unstable-facts",
            Self::RecursionPostponed => "recursion-postponed",
            Self::FormulaPostponed => "formula-postponed",
            Self::NoStageLeft => "no-stage-left",
            Self::SolverBudget => "solver-budget",
            Self::CertificateRejected => "certificate-rejected",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CheckMayFail(kind) => write!(f, "`{kind}` may fail"),
            Self::UnansweredCheck(kind) => write!(f, "templates do not answer `{kind}`"),
            Self::UndefinedBehaviour(kind) => {
                write!(f, "undefined behaviour is possible that is not a requested check (`{kind}`)")
            }
            Self::ProgramArguments => f.write_str("the program reads its arguments"),
            Self::UnknownPointer => f.write_str("dereference of a pointer with an unknown target"),
            Self::UnknownCallTarget => f.write_str("call through a pointer with an unknown target"),
            Self::CallMismatch => f.write_str("call does not match the called function"),
            Self::Recursion(name) => write!(f, "`{name}` calls itself"),
            Self::LocalOfOuterCall(name) => {
                write!(f, "`{name}` calls itself with the address of one of its local variables")
            }
            Self::CallDepth => f.write_str("calls are nested too deeply"),
            Self::IrreducibleLoop => f.write_str("loop is entered other than at its head"),
            Self::ComputedGoto => f.write_str("computed goto is not modelled"),
            Self::FailingRealloc => f.write_str("`realloc` may fail, or its result is not used"),
            Self::ReallocToZero => f.write_str("`realloc` to size 0"),
            Self::CallocOfUnknownSize => f.write_str("`calloc` with two unknown numbers"),
            Self::CallocOverflow => f.write_str("size of `calloc` may overflow"),
            Self::EmptyCopy => f.write_str("copy of a size that may be 0"),
            Self::FillOfUnknownSize => f.write_str("memory of an unknown size is filled"),
            Self::UnsupportedFormat => f.write_str("formatted output of something other than numbers"),
            Self::UnsupportedIntrinsic(name) => write!(f, "{name} is not modelled by templates"),
            Self::UnsupportedConstruct(what) => write!(f, "{what} is not modelled"),
            Self::NoEntry(name) => write!(f, "the program has no function `{name}`"),
            Self::FormulaTooLarge => f.write_str("formula is too large"),
            Self::UnstableFacts => f.write_str("points-to sets do not stabilise"),
            Self::RecursionPostponed => f.write_str("recursive functions are postponed"),
            Self::FormulaPostponed => f.write_str("large formulas are postponed"),
            Self::NoStageLeft => f.write_str("no template is left to try"),
            Self::SolverBudget => f.write_str("solver budget is exhausted"),
            Self::CertificateRejected => f.write_str("certificate rejected: the invariant of a proof by templates"),
        }
    }
}

impl From<Failure> for Reason {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NoEntry(name) => Self::NoEntry(name),
            Failure::TooLarge => Self::FormulaTooLarge,
        }
    }
}

/// A reason with the source location that it applies to, if there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Incompleteness {
    /// The reason.
    pub reason: Reason,
    /// The source location.
    pub loc: Option<Loc>,
}

impl From<Reason> for Incompleteness {
    fn from(reason: Reason) -> Self {
        Self { reason, loc: None }
    }
}

impl fmt::Display for Incompleteness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.loc {
            Some(loc) => write!(f, "{} (line {})", self.reason, loc.line),
            None => self.reason.fmt(f),
        }
    }
}
