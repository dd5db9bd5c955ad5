//! Reasons why a check is unknown.
//!
//! Each reason has a stable name for JSON and scripts ([`Reason::name`]) and one rendering for people (`Display`).

use std::fmt;

use cairn_ir::CheckKind;

use crate::alarm::Alarm;

/// Why an engine or a portfolio cannot answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// The time limit was reached.
    OutOfTime,
    /// The memory limit was reached.
    OutOfMemory,
    /// The limit of work was reached.
    OutOfBudget,
    /// The user interrupted the search.
    Interrupted,
    /// This part of cairn panicked, with this message: a bug in cairn.
    InternalError(&'static str, String),
    /// More states wait than memory allows.
    TooManyStates,
    /// The solver gave up on a query.
    SolverBudget,
    /// The search stopped after this many violations.
    TooManyFindings(usize),
    /// A candidate of this kind did not replay.
    Unconfirmed(CheckKind),
    /// A proof could not rule out that this check fails.
    Alarm(Alarm),
    /// An uninitialised value is read, and not every use of it is followed.
    UninitialisedRead,
    /// A path ends in undefined behaviour of a kind that the task does not ask about.
    OtherUndefinedBehaviour(CheckKind),
    /// The engine does not answer checks of this kind.
    KindNotAnswered(CheckKind),
    /// The program uses a construct that the front-end does not support.
    Unsupported(String),
    /// The engine has no model of this operation.
    NotModelled(String),
    /// A library model gives one result where the environment may give others.
    SingleOutcome,
    /// The program reads its arguments, and only one choice of them is analysed.
    ProgramArguments,
    /// The entry function takes an argument that `main` cannot have.
    EntryParameters,
    /// An offset or size has more values than are analysed one by one.
    SymbolicOffset,
    /// An operation is applied to memory at an unknown location.
    UnknownLocation(&'static str),
    /// An object may be reachable through an address in pieces or through arithmetic only.
    HiddenPointer,
    /// A variable argument may be read with another type.
    VariableArgumentType,
    /// Calls are nested too deeply.
    CallDepth,
    /// A recursion is too deep, or its heaps are too different, to be followed.
    Recursion,
    /// More different heaps than are kept apart reach a program point.
    TooManyShapes(&'static str),
    /// The analysis of a call loses a variable of its caller.
    LostCallerVariable,
    /// Templates give no answer: the stable name of the reason, and the reason in words.
    Template(&'static str, String),
    /// The independent checker did not accept the proof of this engine, for this reason. This is an error of cairn.
    CertificateRejected(&'static str, String),
    /// No template is left to try.
    TemplatesExhausted,
    /// Executions on guessed inputs found no violation.
    NoAttemptFails,
    /// One execution does not stand for all others, because inputs, addresses or uninitialised values decide what happens.
    DependsOnInputs,
    /// The value analysis does not know values exactly enough.
    CoarseValues,
}

impl Reason {
    /// Returns the stable name of the reason.
    pub const fn name(&self) -> &'static str {
        match self {
            Reason::OutOfTime => "out-of-time",
            Reason::OutOfMemory => "out-of-memory",
            Reason::OutOfBudget => "out-of-budget",
            Reason::Interrupted => "interrupted",
            Reason::InternalError(..) => "internal-error",
            Reason::TooManyStates => "too-many-states",
            Reason::SolverBudget => "solver-budget",
            Reason::TooManyFindings(_) => "too-many-findings",
            Reason::Unconfirmed(_) => "unconfirmed-candidate",
            Reason::Alarm(_) => "alarm",
            Reason::UninitialisedRead => "uninitialised-read",
            Reason::OtherUndefinedBehaviour(_) => "other-undefined-behaviour",
            Reason::KindNotAnswered(_) => "kind-not-answered",
            Reason::Unsupported(_) => "unsupported",
            Reason::NotModelled(_) => "not-modelled",
            Reason::SingleOutcome => "single-outcome",
            Reason::ProgramArguments => "program-arguments",
            Reason::EntryParameters => "entry-parameters",
            Reason::SymbolicOffset => "symbolic-offset",
            Reason::UnknownLocation(_) => "unknown-location",
            Reason::HiddenPointer => "hidden-pointer",
            Reason::VariableArgumentType => "variable-argument-type",
            Reason::CallDepth => "call-depth",
            Reason::Recursion => "recursion",
            Reason::TooManyShapes(_) => "too-many-shapes",
            Reason::LostCallerVariable => "lost-caller-variable",
            Reason::Template(name, _) => name,
            Reason::CertificateRejected(..) => "certificate-rejected",
            Reason::TemplatesExhausted => "templates-exhausted",
            Reason::NoAttemptFails => "no-attempt-fails",
            Reason::DependsOnInputs => "depends-on-inputs",
            Reason::CoarseValues => "coarse-values",
        }
    }
}

impl Reason {
    /// Returns the cheapest thing that a user can do about the reason, if there is one.
    pub fn remedy(&self) -> Option<String> {
        Some(match self {
            Reason::OutOfTime => "give more time with `--time-limit S`".to_owned(),
            Reason::OutOfMemory | Reason::TooManyStates => "give more memory with `--memory-limit SIZE`".to_owned(),
            Reason::OutOfBudget => "give more work with `--work-limit STATES`".to_owned(),
            Reason::Alarm(_) => "state the missing fact with `assert` before the operation".to_owned(),
            Reason::Unsupported(_) => "replace the construct by C that has the same effect".to_owned(),
            Reason::NotModelled(_) => "replace the call by a function with a definition".to_owned(),
            Reason::ProgramArguments => "fix the arguments with `-- ARGS`".to_owned(),
            Reason::SymbolicOffset | Reason::UnknownLocation(_) => {
                "bound the index or the size with `assert` before it is used".to_owned()
            }
            Reason::TooManyFindings(_) => "correct the findings and check again".to_owned(),
            Reason::CallDepth | Reason::Recursion => "bound the depth of the recursion".to_owned(),
            _ => return None,
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::OutOfTime => f.write_str("out of time"),
            Reason::OutOfMemory => f.write_str("out of memory"),
            Reason::OutOfBudget => f.write_str("out of budget"),
            Reason::Interrupted => f.write_str("interrupted"),
            Reason::InternalError(part, message) => write!(f, "internal error in `{part}`: {message}"),
            Reason::TooManyStates => f.write_str("too many states"),
            Reason::SolverBudget => f.write_str("the solver gave up on a query"),
            Reason::TooManyFindings(most) => write!(f, "the search stopped after {most} findings"),
            Reason::Unconfirmed(kind) => write!(f, "a candidate for `{kind}` did not replay"),
            Reason::Alarm(alarm) => alarm.fmt(f),
            Reason::UninitialisedRead => {
                f.write_str("an uninitialised value is read, and not every use of it is followed")
            }
            Reason::OtherUndefinedBehaviour(kind) => {
                write!(f, "a path ends in undefined behaviour that was not asked about (`{kind}`)")
            }
            Reason::KindNotAnswered(kind) => write!(f, "the engine does not answer `{kind}`"),
            Reason::Unsupported(what) => write!(f, "{what} is not supported"),
            Reason::NotModelled(what) => write!(f, "{what} is not modelled"),
            Reason::SingleOutcome => {
                f.write_str("a library model gives one result where the environment may give others")
            }
            Reason::ProgramArguments => {
                f.write_str("the program reads its arguments, and only one choice of them is analysed")
            }
            Reason::EntryParameters => f.write_str("the entry function takes a struct"),
            Reason::SymbolicOffset => f.write_str("an offset or size has too many values"),
            Reason::UnknownLocation(what) => write!(f, "{what} is at an unknown location"),
            Reason::HiddenPointer => {
                f.write_str("an object is reachable only through an address in pieces or arithmetic")
            }
            Reason::VariableArgumentType => f.write_str("a variable argument may be read with another type"),
            Reason::CallDepth => f.write_str("calls are nested too deeply"),
            Reason::Recursion => f.write_str("a recursion is too deep"),
            Reason::TooManyShapes(place) => write!(f, "too many different heaps reach {place}"),
            Reason::LostCallerVariable => f.write_str("the analysis of a call loses a variable of its caller"),
            Reason::Template(_, why) => f.write_str(why),
            Reason::CertificateRejected(engine, why) => write!(f, "certificate rejected: proof by `{engine}`: {why}"),
            Reason::TemplatesExhausted => f.write_str("no template is left to try"),
            Reason::DependsOnInputs => f.write_str("one execution does not stand for all others"),
            Reason::NoAttemptFails => f.write_str("no execution on guessed inputs fails"),
            Reason::CoarseValues => f.write_str("the value analysis does not know values exactly enough"),
        }
    }
}
