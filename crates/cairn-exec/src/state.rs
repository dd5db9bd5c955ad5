//! States of symbolic execution: a call stack and a symbolic memory under a path condition.

use std::rc::Rc;

use cairn_ir::source::StackPlace;
use cairn_ir::{BlockId, FuncId, Loc, Reg, Ty};
use cairn_smt::persistent::List;
use cairn_smt::{Substitution, Term, Terms};

use super::mode::{Mode, StateData};
use super::path::Path;
use cairn_memory::pointer::ObjectId;
use cairn_memory::symbolic::SymbolicMemory;

/// An active call.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function that is executed.
    pub function: FuncId,
    /// The block that is executed.
    pub block: BlockId,
    /// The index of the next instruction in the block; the number of instructions at the end of the block.
    pub inst: usize,
    /// The registers; `None` where nothing was assigned.
    pub regs: Vec<Option<Term>>,
    /// The objects of the slots that are live.
    pub slots: Vec<Option<ObjectId>>,
    /// Further objects that die with the call: those from `alloca`, and variable arguments.
    pub owned: Vec<ObjectId>,
    /// The object that holds the variable arguments.
    pub variadic: Option<ObjectId>,
    /// The register of the caller that receives the result.
    pub result: Option<Reg>,
    /// The location of the call in the caller.
    pub called_at: Loc,
    /// How often each block was entered in this call.
    pub visits: Vec<u32>,
    /// How often the branch at the end of each block could go both ways in this call.
    pub forks: Vec<u32>,
    /// A number that identifies the call, for `longjmp`.
    pub serial: u32,
}

/// An input that the environment chose on the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A nondeterministic value.
    Value(Term, Ty),
    /// Whether an allocation succeeded.
    Allocation(bool),
    /// The value of uninitialised bytes in an object: the number of the object's lifetime, the offset, and the value.
    Leftover(u64, u64, Term),
    /// Whether an object has the address of one that was freed before, by the numbers of their lifetimes.
    Reused(u64, u64, Term),
    /// The value of an unassigned register.
    Unassigned(Term),
}

/// The inputs that the environment chose, the latest first. Clones share them.
pub type Choices = List<Choice>;

/// A symbolic state.
#[derive(Clone, Debug)]
pub struct State<M: Mode> {
    /// The active calls, the outermost first.
    pub frames: Vec<Rc<Frame>>,
    /// The objects.
    pub memory: SymbolicMemory,
    /// The path condition.
    pub path: Path,
    /// The inputs on the path.
    pub choices: Choices,
    /// A measure of the loop iterations on the path to this state, for searches that bound them.
    ///
    /// This is the greatest number of times that one branch of one call could have gone the other way. For loops
    /// without such a branch, it is the logarithm of their iterations; for recursion, the number of nested calls.
    pub depth: u32,
    /// How often the current instruction was split on the value of an offset.
    pub splits: u32,
    /// The `setjmp` buffers, by the address of the buffer.
    pub jumps: Rc<Vec<(Term, Jump)>>,
    /// The number of the next frame.
    pub next_serial: u32,
    /// The number of lifetimes that began uninitialised.
    pub lives: u64,
    /// Whether the state has just entered its block.
    ///
    /// This is false for a state that was split and executes the same instruction again. Comparing such a state with
    /// those at its block would find the state that it was split from, and drop it.
    pub arrived: bool,
    /// The data that only this mode needs.
    pub extra: M::Extra,
}

/// The position of a `setjmp`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The number of the call that made it.
    pub serial: u32,
    /// The block of the `setjmp`.
    pub block: BlockId,
    /// The index of the instruction after the `setjmp`.
    pub inst: usize,
    /// The register that receives the value.
    pub dst: Option<Reg>,
}

impl<M: Mode> State<M> {
    /// Returns the innermost call.
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a running state has a frame")
    }

    /// Returns the innermost call for modification.
    pub fn top_mut(&mut self) -> &mut Frame {
        Rc::make_mut(self.frames.last_mut().expect("a running state has a frame"))
    }

    /// Moves to the next instruction.
    pub(crate) fn advance(&mut self) {
        self.top_mut().inst += 1;
        self.splits = 0;
    }

    /// Returns the call stack, with `loc` as the location in the innermost call.
    pub fn stack(&self, loc: Loc) -> Vec<StackPlace> {
        let mut at = loc;
        let mut stack = Vec::with_capacity(self.frames.len());
        for frame in self.frames.iter().rev() {
            stack.push(StackPlace { function: frame.function, loc: at });
            at = frame.called_at;
        }
        stack
    }

    /// Replaces terms everywhere except in the path condition and in the inputs.
    pub fn substitute(&mut self, terms: &mut Terms, map: &mut Substitution) {
        for frame in &mut self.frames {
            let changes = frame.regs.iter().flatten().any(|&term| map.apply(terms, term) != term);
            if changes {
                for term in Rc::make_mut(frame).regs.iter_mut().flatten() {
                    *term = map.apply(terms, *term);
                }
            }
        }
        self.memory.substitute(terms, map);
        self.extra.substitute(terms, map);
        if self.jumps.iter().any(|&(buffer, _)| map.apply(terms, buffer) != buffer) {
            for (buffer, _) in Rc::make_mut(&mut self.jumps) {
                *buffer = map.apply(terms, *buffer);
            }
        }
    }
}
