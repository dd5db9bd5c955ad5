//! The symbolic state between two cut-points: registers as terms of the rule solver, heaps as numbers.
//!
//! `heaps` has the field heaps with their reads and writes, `locals` the objects of this call and who may reach them.

mod heaps;
mod locals;

use cairn_ir::{FuncId, Loc, Reg};
use cairn_rules::{Lit, Term};

use super::types::ClassId;

pub(super) use heaps::{Cell, Contents, Heaps};
pub(super) use locals::Locals;

/// The value of a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// An integer (as signed) or an address.
    Term(Term),
    /// A truth value.
    Test(Lit),
    /// Nothing is known. It becomes a variable when it is used.
    Unknown,
}

impl Value {
    pub const NULL: Value = Value::Term(Term::constant(0));

    pub fn constant(value: i64) -> Self {
        Value::Term(Term::constant(value))
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
    /// The register for the result in the frame below.
    pub result: Option<Reg>,
}

/// Lifetimes at the loop head where a path begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetimes {
    /// Addresses of memory that was freed before.
    pub freed: Vec<Term>,
    /// Addresses that are the same.
    pub equal: Vec<(Term, Term)>,
}

/// A state on a path.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The function that is checked, and the calls that are executed in place.
    pub frames: Vec<Frame>,
    pub heaps: Heaps,
    pub locals: Locals,
    /// Links in local variables that were not null at the loop head.
    pub anchors: Vec<(ClassId, Term)>,
    /// Loop heads that this path passed once before the cut-point there.
    pub peeled: Vec<usize>,
    /// Addresses that were freed since the cut-point.
    pub freed: Vec<Term>,
    /// Lifetimes at the loop head where the path begins.
    pub lifetimes: Lifetimes,
    /// The locations of the branches and calls on the path.
    pub path: Vec<Loc>,
}

impl State {
    /// Returns a state at the start of a block, with these heaps and no facts.
    pub fn new(frame: Frame, heaps: Heaps, locals: Locals) -> Self {
        let (anchors, peeled, freed, lifetimes, path) = Default::default();
        Self { frames: vec![frame], heaps, locals, anchors, peeled, freed, lifetimes, path }
    }

    pub fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    pub fn frame_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub fn reg(&self, reg: Reg) -> Value {
        self.frame().regs[reg.index()]
    }

    pub fn set_reg(&mut self, reg: Reg, value: Value) {
        self.frame_mut().regs[reg.index()] = value;
    }

    /// Returns the slots of the function that is checked.
    pub fn slots(&self) -> &[Term] {
        &self.frames[0].slots
    }

    /// Returns whether a call is executed in place.
    pub fn is_in_call(&self) -> bool {
        self.frames.len() > 1
    }
}
