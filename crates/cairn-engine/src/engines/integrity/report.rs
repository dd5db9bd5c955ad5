//! What the engine says of each function: the paper's columns M (memory) and D (data-structure integrity).

use super::contracts::Given;
use super::tags::Demands;
use cairn_ir::{CheckKind, FuncId, Loc};

/// The answer to one of the two questions about a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// It holds for every graph.
    Proved,
    /// A run of the function on a valid graph breaks it.
    Violated(Box<Violation>),
    /// A condition has a model that breaks it, and no run was found that does.
    Unconfirmed(Box<Violation>),
    /// Nothing is known, for this reason.
    Unknown(String),
}

impl Status {
    /// One word.
    pub const fn word(&self) -> &'static str {
        match self {
            Status::Proved => "safe",
            Status::Violated(_) => "violated",
            Status::Unconfirmed(_) | Status::Unknown(_) => "unknown",
        }
    }
}

/// A condition that does not hold, with a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The check that fails: `integrity`, or the kind of access.
    pub kind: CheckKind,
    /// What is wrong.
    pub what: String,
    /// Where.
    pub loc: Loc,
    /// The places of the branches and calls on the way there.
    pub path: Vec<Loc>,
    /// The graph: what the function got, and what it made of it.
    pub graph: Vec<GraphNode>,
    /// How the run ended that shows it, and the arguments of it.
    pub run: Option<Run>,
}

/// A run that breaks a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// What the function was given: parameters with their values.
    pub arguments: Vec<(String, String)>,
    /// What was seen.
    pub seen: String,
}

/// A node of the graph of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphNode {
    /// Its name in the picture.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Its address in the model.
    pub address: i64,
    /// The cells that the model speaks of: field, and what it holds.
    pub cells: Vec<(String, String)>,
    /// What points to it: variables of the function.
    pub variables: Vec<String>,
    /// Whether the function itself made it.
    pub made: bool,
    /// Whether it is what breaks the condition.
    pub breaks: bool,
}

/// The answers for one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionReport {
    /// The function.
    pub function: FuncId,
    /// Accesses stay in the footprint (column M).
    pub memory: Status,
    /// The graph stays valid (column D).
    pub integrity: Status,
    /// It returns memory that is not initialised; its callers were checked with its code in place of the call.
    pub in_callers: bool,
    /// How many conditions were asked.
    pub conditions: usize,
    /// Accesses of which what is handed in, or how large it is, decides: how long an array is, how deep a tree. No type says
    /// that, so a run that leaves the array there shows nothing.
    pub by_contract: Vec<Loc>,
    /// Whether a pointer that is declared as no link is made one: a run in which it is none shows nothing.
    pub casts: bool,
    /// What the answers rely on and all callers keep to: conditions on parameters, as in C.
    pub relies_on: Vec<String>,
    /// How many calls that was checked at.
    pub calls: usize,
    pub(super) given: Vec<Given>,
}

impl FunctionReport {
    /// These answers, and nothing more.
    pub(super) fn new(function: FuncId, memory: Status, integrity: Status) -> Self {
        let (in_callers, conditions, by_contract, casts) = Default::default();
        let (relies_on, calls, given) = Default::default();
        Self { function, memory, integrity, in_callers, conditions, by_contract, casts, relies_on, calls, given }
    }

    /// Whether a condition has a model that breaks it, and no run was found that does.
    pub fn is_doubted(&self) -> bool {
        [&self.memory, &self.integrity].into_iter().any(|status| matches!(status, Status::Unconfirmed(_)))
    }

    /// Whether both questions are answered with yes.
    pub fn is_safe(&self) -> bool {
        self.memory == Status::Proved && self.integrity == Status::Proved
    }
}

/// The answers for all functions of a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One per function that has a body and is not of the library.
    pub functions: Vec<FunctionReport>,
    /// What the answers rest on.
    pub assumptions: Vec<String>,
    /// What the code shows about its cells, which is a part of what a valid graph is.
    pub(super) demands: Demands,
}
