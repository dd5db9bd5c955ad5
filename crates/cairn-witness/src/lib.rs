//! Witnesses of SV-COMP (formats 2.0 and 2.1): reading them, and turning them into a program.
//!
//! A validator need not know anything about engines. [`read`] reads a witness. [`monitor`] adds statements to the program that
//! follow the witness:
//!
//! - A violation witness becomes a monitor: a variable counts the segments that an execution has passed, and an execution
//!   that reaches the target without having passed all of them ends there. A violation at the target is the witnessed one.
//! - A correctness witness becomes assertions: the program with them must be proved. The engines use an invariant like any
//!   other condition that the program has tested.
//!
//! [`task_definition`] reads the tasks themselves.
//!
//! [`scan`] finds statements, calls and conditions in C text. The text stays on its lines.

mod expression;
pub mod monitor;
pub mod read;
mod scan;
pub mod task_definition;

/// A witness.
#[derive(Clone, Debug)]
pub enum Witness {
    /// The segments of an execution. The last one ends at the target.
    Violation(Vec<Segment>),
    /// Invariants of a proof.
    Correctness(Vec<Invariant>),
}

/// A part of an execution: it passes one waypoint at its end, and none of the others.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The waypoints that must not be passed.
    pub avoid: Vec<Waypoint>,
    /// The waypoint at the end.
    pub follow: Waypoint,
}

/// An event of an execution.
#[derive(Clone, Debug)]
pub struct Waypoint {
    /// The kind of the event.
    pub kind: WaypointKind,
    /// Its location.
    pub location: Location,
    /// The condition under which it is passed; a condition on `\result`, `true`, `false` or a number for some kinds.
    pub constraint: Option<String>,
}

/// The kinds of waypoints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaypointKind {
    /// A condition holds before a statement.
    Assumption,
    /// The property is violated.
    Target,
    /// A function is called.
    FunctionEnter,
    /// A call returns.
    FunctionReturn,
    /// A branch is taken.
    Branching,
}

/// A C expression that holds whenever a location is reached.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// Whether the location is a loop.
    pub kind: InvariantKind,
    /// The location.
    pub location: Location,
    /// The expression.
    pub value: String,
}

/// The kinds of invariants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InvariantKind {
    /// Holds whenever the condition of a loop is evaluated.
    LoopInvariant,
    /// Holds before a statement.
    LocationInvariant,
    /// Relates the values of two iterations (format 2.1).
    LoopTransitionInvariant,
    /// Relates the values at a statement with earlier ones (format 2.1).
    LocationTransitionInvariant,
}

/// A location in the program.
#[derive(Clone, PartialEq, Eq, Debug, serde::Deserialize)]
pub struct Location {
    /// The file.
    pub file_name: String,
    /// The line, from 1 on.
    pub line: u32,
    /// The column, from 1 on. Without one, the first token of the line is meant.
    pub column: Option<u32>,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}", self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ", column {column}"))
    }
}
