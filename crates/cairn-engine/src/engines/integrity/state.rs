//! What symbolic execution knows between two cut-points: registers as terms of the rule solver, heaps as numbers.

use cairn_ir::{FuncId, Loc, Reg};
use cairn_rules::{Lit, Term};

use super::types::{ClassId, NodeId};

/// The value of a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// An integer (as signed) or an address.
    Term(Term),
    /// A truth value.
    Test(Lit),
    /// Nothing is known; what it is is settled when it is looked at.
    Unknown,
}

/// Who can reach an object: section 5 of the paper asks for weaker constraints on what is not initialised yet, and what only
/// this call can reach may be in any state as long as it can't be reached.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Reach {
    /// Made by this call, and only such objects link to it.
    Private,
    /// One or the other.
    Maybe,
    /// It may be reached from outside of this call.
    Public,
}

/// Where an address into the middle of an array comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Element {
    pub base: Term,
    pub index: Term,
    pub scale: i64,
}

/// An allocation: the instruction, and the calls that were executed in place to get there.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Site(pub Vec<(u32, u32, u32)>);

/// What is known of a variable of the solver, apart from constraints.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The node type that its declaration promises; only a hint.
    pub hint: Option<NodeId>,
    pub reach: Reach,
    /// For an object without a type: its size, if that is known, and where it was made.
    pub block: Option<(Option<u64>, Site)>,
    pub element: Option<Element>,
    /// Whether it is the very object of that type: a variable or an allocation.
    pub owned: bool,
    /// Whether it came from outside as something that is no link: what it points to is nobody's node, so nothing can be said
    /// about accesses through it.
    pub foreign: bool,
    /// Whether it came as a pointer that is no link.
    pub opaque: bool,
    /// Whether it counts the iterations of a loop that the code does not bound.
    pub counter: bool,
    /// Whether what bounds it is the length of an array, which the code does not keep to.
    pub by_length: bool,
    /// The class of cells that it was read from.
    pub class: Option<ClassId>,
    /// The same for what was computed from it by masking.
    pub derived: Option<ClassId>,
    /// Low bits that were masked off.
    pub cleared: i64,
}

impl Origin {
    pub fn unknown() -> Self {
        Self {
            hint: None,
            reach: Reach::Public,
            block: None,
            element: None,
            owned: false,
            foreign: false,
            opaque: false,
            counter: false,
            by_length: false,
            class: None,
            derived: None,
            cleared: 0,
        }
    }
}

/// A function that is being executed.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub function: FuncId,
    pub regs: Vec<Value>,
    /// The addresses of the slots.
    pub slots: Vec<Term>,
    pub block: usize,
    pub inst: usize,
    /// Where the result goes in the frame below.
    pub result: Option<Reg>,
}

/// A state on a path.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub frames: Vec<Frame>,
    /// The current heap of each class.
    pub heaps: Vec<i64>,
    /// The heap of each class at the start of the epoch, which is closed.
    pub closed: Vec<i64>,
    pub epoch: i64,
    /// Whether some object of this call may be reachable from outside.
    pub escaped: bool,
    /// Whether the address of a local variable was stored outside of local variables.
    pub dangling: bool,
    /// Objects of this call that are private, with their types.
    pub made: Vec<(Term, NodeId)>,
    /// The caller's memory for a struct result: not initialised before the end, and reachable by nobody else.
    pub out: Option<(Term, NodeId)>,
    /// Slots of the function whose address may be known to others; empty when none is.
    pub leaked: Vec<bool>,
    /// What cells are known to hold, as long as nothing else of their class was written.
    pub held: Vec<(ClassId, Term, Term)>,
    /// Links in local variables that were not null at the loop head.
    pub anchors: Vec<(ClassId, Term)>,
    /// Loop heads that this path went through once before it arrived there.
    pub peeled: Vec<usize>,
    /// What was freed since the cut-point.
    pub freed: Vec<Term>,
    /// Links that were read or written since the cut-point.
    pub visited: Vec<(ClassId, Term)>,
    /// What was read through pointers to scalars since anything was written.
    pub peeked: Vec<(Term, Term)>,
    /// The places that were passed, one per branch or call.
    pub path: Vec<Loc>,
}

impl State {
    pub fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    pub fn frame_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The classes whose heap is not the closed one of the epoch's start.
    pub fn changed(&self) -> impl Iterator<Item = ClassId> {
        (0..self.heaps.len())
            .filter(|&class| self.heaps[class] != self.closed[class])
            .map(|class| ClassId(class as u32))
    }
}
