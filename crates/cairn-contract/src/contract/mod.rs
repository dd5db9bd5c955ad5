//! Contracts: what a function requires of its callers, and what it does for them.
//!
//! A [`Contract`] is plain data without ids of one analysis, so that it can be stored, compared between revisions and printed.
//! `types` names the C types and members, `words` renders a contract in English, and `notation` as formulas of separation logic.

mod notation;
pub(crate) mod types;
mod words;

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

pub use notation::{formula_of_case, formula_of_requires};
pub use words::{words, words_of_basis};

/// The start of a place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Root {
    /// A parameter, by its position.
    Parameter(usize),
    /// A global variable.
    Variable(String),
    /// Memory from a function without a body.
    Call(String),
    /// The result of the function.
    Result,
}

/// A value that the caller can name, such as `list->head->name`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The start.
    pub root: Root,
    /// The offsets at which pointers are followed.
    pub steps: Vec<u64>,
    /// The C expression.
    pub text: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The length of an array or a buffer, in elements.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Length {
    /// At least this many.
    Number(u64),
    /// At least the value of an integer.
    Value(Place),
    /// As many as the function accesses; no expression for the number was found.
    Accessed,
}

/// The memory behind a pointer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Nothing: the pointer is not followed.
    Unfollowed,
    /// One object.
    Object,
    /// Memory that is only freed.
    Allocated,
    /// Several elements in a row.
    Array(Length),
    /// Characters up to a terminating zero.
    Text,
    /// Nodes that are linked by one member, possibly with links back. The last link is null.
    List {
        /// The member that leads to the next node.
        next: String,
        /// The members that lead back.
        back: Vec<String>,
    },
    /// Nodes that are linked by several members. The last links are null.
    Tree {
        /// The members.
        links: Vec<String>,
    },
    /// A function.
    Function,
}

/// How a function uses memory that it is given.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Access {
    /// It reads the memory.
    pub reads: bool,
    /// It writes to it.
    pub writes: bool,
    /// It frees it, so that it must come from an allocator.
    pub frees: bool,
}

/// What a function requires of a pointer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Requirement {
    /// The pointer.
    pub place: Place,
    /// The type that it points to.
    pub pointee: String,
    /// Whether it may be null.
    pub may_be_null: bool,
    /// The memory behind it.
    pub shape: Shape,
    /// The use of this memory.
    pub access: Access,
    /// Whether this holds for the pointer in each node of a list or tree.
    pub of_each_node: bool,
}

impl Requirement {
    /// Returns whether the function writes memory of a constant type.
    pub fn writes_constant(&self) -> bool {
        self.access.writes && self.pointee.split_whitespace().any(|word| word == "const") && !self.pointee.contains('*')
    }
}

/// The result of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Value {
    /// None.
    Nothing,
    /// A null pointer.
    Null,
    /// A pointer to memory that was allocated by the function or one that it called. The caller must free it.
    New {
        /// Whether it may be null instead, because a function of another file decides it.
        or_null: bool,
    },
    /// The value that a place had at the entry.
    Given(Place),
    /// A pointer into the memory behind a place.
    Inside(Place),
    /// The address of a global variable.
    Address(String),
    /// One of these numbers.
    Numbers(BTreeSet<i128>),
    /// A number in this range.
    Range(i128, i128),
    /// The result of a function without a body.
    From(String),
    /// Anything else.
    Any,
}

/// An effect on memory that the caller can see.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// The memory behind a place is freed: all nodes of a list or tree that the function has looked at.
    Frees(Place),
    /// Some nodes of the list or tree behind a place are freed.
    FreesSome(Place),
    /// The pointer is given to a function without a body, which may keep or free it.
    Gives(Place, String),
    /// A pointer that the caller passed is stored.
    Stores {
        /// The pointer.
        what: Place,
        /// Where it is stored.
        at: Place,
    },
    /// New memory is stored.
    Allocates(Place),
    /// New memory is lost: it was allocated at this line.
    Leaks(u32),
}

impl Effect {
    /// Returns the pointer of the caller that the effect is about.
    fn place(&self) -> Option<&Place> {
        match self {
            Effect::Frees(place) | Effect::FreesSome(place) | Effect::Gives(place, _) => Some(place),
            Effect::Stores { what, .. } => Some(what),
            Effect::Allocates(_) | Effect::Leaks(_) => None,
        }
    }
}

/// A fact about the inputs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// A pointer is null.
    Null(Place),
    /// A pointer is not null.
    NotNull(Place),
    /// An integer is in a range.
    Within(Place, i128, i128),
    /// An integer is not zero.
    NotZero(Place),
    /// An allocation fails.
    AllocationFails,
    /// A function without a body has failed.
    CallFails(String),
}

/// One of the ways in which a function can end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Case {
    /// Facts that hold whenever the function ends this way. They are necessary, not sufficient.
    pub when: BTreeSet<Condition>,
    /// The result.
    pub result: Value,
    /// The effects.
    pub effects: BTreeSet<Effect>,
    /// Effects that happen on some executions of the case.
    pub possible: BTreeSet<Effect>,
    /// Memory of the caller that may have changed.
    pub writes: BTreeSet<Place>,
    /// Whether the result reports a failure.
    pub is_error: bool,
}

/// How much of a function the inference has seen.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// All paths.
    Complete,
    /// All paths with few iterations and nested calls; further iterations added nothing new.
    Stable,
    /// Some paths, for these reasons.
    Partial(BTreeSet<String>),
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name; empty if it has none.
    pub name: String,
    /// Its type.
    pub ty: String,
}

/// The contract of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Contract {
    /// The name of the function.
    pub function: String,
    /// The file of its definition.
    pub file: String,
    /// The line of its definition.
    pub line: u32,
    /// The type of the result.
    pub result: String,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// What callers must provide. Different places do not overlap unless the code compares them.
    pub requires: Vec<Requirement>,
    /// The ways in which it ends.
    pub cases: Vec<Case>,
    /// Whether the function never returns, whatever its arguments are.
    pub never_returns: bool,
    /// The functions that end the program when they are called, on some path.
    pub ends_in: BTreeSet<String>,
    /// The functions without a body that it calls, directly or not. The contract rests on what their names and types tell.
    pub assumes: BTreeSet<String>,
    /// How much the contract covers.
    pub basis: Basis,
}

impl Contract {
    /// Returns whether an effect happens whenever the function returns without an error, unless the pointer is null.
    pub fn always(&self, effect: &Effect) -> bool {
        let is_null = |condition: &Condition| match (condition, effect.place()) {
            (Condition::Null(null), Some(place)) => null.root == place.root && place.steps.starts_with(&null.steps),
            _ => false,
        };
        let applies = |case: &&Case| !case.is_error && !case.when.iter().any(is_null);
        let mut cases = self.cases.iter().filter(applies).peekable();
        cases.peek().is_some() && cases.all(|case| case.effects.contains(effect))
    }

    /// Returns all effects that are possible, once each.
    pub fn effects(&self) -> BTreeSet<&Effect> {
        self.cases.iter().flat_map(|case| case.effects.iter().chain(&case.possible)).collect()
    }

    /// Returns the requirement for a place.
    pub fn requirement(&self, place: &Place) -> Option<&Requirement> {
        self.requires.iter().find(|requirement| requirement.place == *place)
    }
}
