//! Where the variables of the solver come from.

use cairn_rules::Term;

use super::super::types::{ClassId, NodeId};

/// Who can reach an object.
///
/// Section 5 of the paper asks for weaker constraints on uninitialised memory: an object that only this call can reach
/// may be in any state until it becomes reachable for others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Reach {
    /// Made by this call, and only such objects link to it.
    Private,
    /// Either of the other two.
    Maybe,
    /// It may be reached from outside of this call.
    #[default]
    Public,
}

/// The address of an array element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Element {
    pub base: Term,
    pub index: Term,
    pub scale: i64,
}

/// An allocation site: the instruction, and the calls that were executed in place to get there. Empty for variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Site(pub Vec<(u32, u32, u32)>);

/// An object without a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Untyped {
    /// The size, if it is known.
    pub size: Option<u64>,
    pub site: Site,
}

/// Facts about a variable of the solver that are no constraints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origin {
    /// The node type that the declaration promises; only a hint.
    pub hint: Option<NodeId>,
    pub reach: Reach,
    /// For the address of an object without a type.
    pub untyped: Option<Untyped>,
    pub element: Option<Element>,
    /// Whether it is the object of that type itself: a variable or an allocation.
    pub owned: bool,
    /// Whether it came from outside as something that is no link.
    ///
    /// Its target is no known node, so nothing can be said about accesses through it.
    pub foreign: bool,
    /// Whether it came as a pointer that is no link.
    pub opaque: bool,
    /// Whether it counts the iterations of a loop that the code does not bound.
    pub counter: bool,
    /// Whether its upper bound is the length of an array and not one that the code keeps to.
    pub by_length: bool,
    /// The class of the cell that it was read from.
    pub class: Option<ClassId>,
    /// The class of the cell whose contents it was computed from by masking.
    pub derived: Option<ClassId>,
    /// Low bits that were masked off.
    pub cleared: i64,
}

impl Origin {
    /// Returns the origin of a pointer to nodes of a type.
    pub fn pointer(node: NodeId) -> Self {
        Self { hint: Some(node), ..Self::default() }
    }
}
