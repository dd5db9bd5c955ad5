//! The analysis of one call: what it depends on, and what it finds.

use cairn_ir::{CheckId, FuncId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::world::Point;
use crate::domain::value::Obj;

/// The state of the analysis of one call of a function.
#[derive(Debug, Default)]
pub struct Frame {
    /// The function.
    pub function: FuncIdOrNone,
    /// The objects that the analysis has looked at.
    pub touched: FxHashSet<u32>,
    /// The objects that the call may have changed.
    pub written: FxHashSet<u32>,
    /// The objects that the call may have created.
    pub created: FxHashSet<u32>,
    /// The summary that is computed.
    pub summary: Option<usize>,
    /// The oldest version of each summary that was used.
    pub used: FxHashMap<usize, u32>,
    /// The `alloca` objects, which die with the call.
    pub allocas: Vec<Obj>,
    /// The calls of allocation wrappers that lead here.
    pub call_string: Vec<Point>,
    /// The block and the instruction at hand.
    pub at: (u32, u32),
    /// The checks that may be violated.
    pub alarms: FxHashSet<CheckId>,
    /// The contexts of calls, and whether an assumption was made before the call.
    pub children: FxHashSet<(usize, bool)>,
    /// The checks that were passed after an assumption.
    pub resting: FxHashSet<CheckId>,
    /// Whether alarms are recorded: the states are final.
    pub is_final: bool,
    /// Whether the result holds only until a recursion is complete.
    pub is_provisional: bool,
    /// Whether the result depends on every object.
    pub depends_on_all: bool,
    /// Whether there may be faults that belong to no check.
    pub has_other_faults: bool,
}

/// A function, or none for the start of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FuncIdOrNone(pub FuncId);

impl Default for FuncIdOrNone {
    fn default() -> Self {
        FuncIdOrNone(FuncId(u32::MAX))
    }
}
