//! The answers for each function: the paper's columns M (memory) and D (data-structure integrity).
//!
//! `reason` has the reasons for answers that are unknown and the conditions that can fail, `assumptions` the facts that
//! all answers rest on, `graph` draws the graph of a model.

mod assumptions;
mod graph;
mod reason;

use cairn_ir::{CheckKind, FuncId, Loc};

use super::contracts::Given;
use super::types::Demands;

pub(super) use assumptions::assumptions;
pub(super) use graph::draw_model;
pub use reason::{Condition, CutPoint, PointerDoubt, Reason, Subject, Unknown};

/// The answer to one of the two questions about a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// It holds for every graph.
    Proved,
    /// An execution of the function on a valid graph violates it.
    Violated(Box<Violation>),
    /// A model violates a condition, and no execution was found that does.
    Unconfirmed(Box<Violation>),
    /// Nothing is known, for this reason.
    Unknown(Unknown),
}

impl Status {
    /// Returns the answer in one word.
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
    /// The condition, for people.
    pub what: String,
    /// The location of the condition.
    pub loc: Loc,
    /// The locations of the branches and calls on the path.
    pub path: Vec<Loc>,
    /// The graph before and after the path.
    pub graph: Vec<GraphNode>,
    /// The execution that shows the violation.
    pub run: Option<Run>,
}

/// An execution that violates a condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The parameters with their values.
    pub arguments: Vec<(String, String)>,
    /// The fault, or the invalid link at the end.
    pub seen: String,
}

/// A node of the graph of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphNode {
    /// The name in the drawing.
    pub name: String,
    /// The type.
    pub ty: String,
    /// The address in the model.
    pub address: i64,
    /// The cells that the model determines: field and contents.
    pub cells: Vec<(String, String)>,
    /// The variables of the function that point to it.
    pub variables: Vec<String>,
    /// Whether the function allocated it.
    pub made: bool,
    /// Whether it violates the condition.
    pub breaks: bool,
}

/// The answers for one function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionReport {
    /// The function.
    pub function: FuncId,
    /// Whether accesses stay in the footprint (column M).
    pub memory: Status,
    /// Whether the graph stays valid (column D).
    pub integrity: Status,
    /// Whether it returns uninitialised memory; its callers were checked with its code in place of the call.
    pub in_callers: bool,
    /// The number of conditions that were asked.
    pub conditions: usize,
    /// Accesses that depend on facts which no type declares: the length of an array, the depth of a tree.
    ///
    /// An execution that leaves the array there shows nothing.
    pub by_contract: Vec<Loc>,
    /// Whether a pointer that is not declared as a link is made one. An execution in which it is none shows nothing.
    pub casts: bool,
    /// Conditions on parameters, as in C, that the answers rely on and that all callers establish.
    pub relies_on: Vec<String>,
    /// The number of calls at which these conditions were checked.
    pub calls: usize,
    pub(super) given: Vec<Given>,
}

impl FunctionReport {
    /// Returns a report with these answers and nothing else.
    pub(super) fn new(function: FuncId, memory: Status, integrity: Status) -> Self {
        let (in_callers, conditions, by_contract, casts) = Default::default();
        let (relies_on, calls, given) = Default::default();
        Self { function, memory, integrity, in_callers, conditions, by_contract, casts, relies_on, calls, given }
    }

    /// Returns whether a model violates a condition and no execution was found that does.
    pub fn is_doubted(&self) -> bool {
        [&self.memory, &self.integrity].into_iter().any(|status| matches!(status, Status::Unconfirmed(_)))
    }

    /// Returns whether both questions are answered with yes.
    pub fn is_safe(&self) -> bool {
        self.memory == Status::Proved && self.integrity == Status::Proved
    }
}

/// The answers for all functions of a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One report per function of the user with a body.
    pub functions: Vec<FunctionReport>,
    /// The assumptions that the answers rest on.
    pub assumptions: Vec<String>,
    /// Facts about cells that the code shows; they are a part of the definition of a valid graph.
    pub(super) demands: Demands,
}
