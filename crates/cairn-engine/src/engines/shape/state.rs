//! A state of the symbolic execution: a call stack over a symbolic memory under a path condition.

use std::rc::Rc;

use cairn_ir::source::StackPlace;
use cairn_ir::{BlockId, FuncId, Loc, Reg, Ty};
use cairn_smt::persistent::List;
use cairn_smt::{Substitution, Term, Terms};
use rustc_hash::FxHashSet;

use super::path::Path;
use crate::memory::pointer::ObjectId;
use crate::memory::symbolic::SymbolicMemory;

/// One active call.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Whose code runs.
    pub function: FuncId,
    /// The block that runs.
    pub block: BlockId,
    /// The next instruction in it; the block's end after the last.
    pub inst: usize,
    /// The registers; `None` where nothing was assigned.
    pub regs: Vec<Option<Term>>,
    /// The objects of the slots that are alive.
    pub slots: Vec<Option<ObjectId>>,
    /// Objects that die with the call: alloca, variable arguments.
    pub owned: Vec<ObjectId>,
    /// The variable arguments.
    pub variadic: Option<ObjectId>,
    /// Where the result goes in the caller.
    pub result: Option<Reg>,
    /// Where the caller stands.
    pub called_at: Loc,
    /// How often each block was entered in this call.
    pub visits: Vec<u32>,
    /// How often the end of each block went both ways in this call.
    pub forks: Vec<u32>,
    /// A number of its own, for `longjmp`.
    pub serial: u32,
}

/// What the world decided on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A nondeterministic value.
    Value(Term, Ty),
    /// An allocation succeeded or failed.
    Allocation(bool),
    /// What an object holds that nobody wrote: its life, the offset, the value.
    Leftover(u64, u64, Term),
    /// What a register holds that nothing was assigned to.
    Unassigned(Term),
}

impl Choice {
    /// Whether it is what something held that nothing was written to.
    pub fn is_unset(&self) -> bool {
        matches!(self, Choice::Leftover(..) | Choice::Unassigned(_))
    }
}

/// What the world decided, the latest first. Clones share it.
pub type Choices = List<Choice>;

/// A state.
#[derive(Clone, Debug)]
pub struct State {
    /// The active calls, the outermost first.
    pub frames: Vec<Rc<Frame>>,
    /// The objects.
    pub memory: SymbolicMemory,
    /// What is assumed.
    pub path: Path,
    /// What the world decided.
    pub choices: Choices,
    /// What lies behind it: the greatest number of times that one branch of one call could have gone the other way, and for
    /// loops that no value decides the number of digits of their iterations.
    pub depth: u32,
    /// How often the instruction at hand was split on the value of an offset.
    pub splits: u32,
    /// Buffers of `setjmp` by the address term of the buffer.
    pub jumps: Rc<Vec<(Term, Jump)>>,
    /// The next frame's number.
    pub next_serial: u32,
    /// Lives of objects that began uninitialised.
    pub lives: u64,
    /// Whether it has just entered its block. A state that was split and runs the same instruction again has not: comparing it
    /// with the states there would find the one that it was split from, and lose it.
    pub arrived: bool,
    /// Proving only: how many joins at its place this state is the result of.
    pub joins: u32,
    /// Proving only: the variables that these joins have made.
    pub own: Rc<FxHashSet<Term>>,
    /// Proving only: the call that this state is a part of, when it is not the whole program's; 0 when it is.
    pub context: u32,
    /// Proving only: what the callers of that call want to find again at its return; there with the value that is returned.
    pub cut: Rc<Vec<Term>>,
    /// Proving only: where it stands in that call, or in one that it makes.
    pub stage: Stage,
    /// Proving only: the number of the last state at a place that it comes from.
    pub origin: u64,
    /// Proving only: where a call has just returned to it, the number of the state at the call's return.
    pub returned: u64,
}

/// Where a state stands between a call and its return, when calls are analysed apart from their callers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Stage {
    /// Somewhere.
    #[default]
    Running,
    /// The innermost call has just begun, and is still to be set apart.
    Calling,
    /// The call that it is a part of begins.
    Entered,
    /// The call that it is a part of has returned.
    Returned,
    /// A call that it has made has just returned to it.
    Resumed,
}

/// Where a `setjmp` stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump {
    /// The call it was made in.
    pub serial: u32,
    /// Its block.
    pub block: BlockId,
    /// The instruction after it.
    pub inst: usize,
    /// Where the value goes.
    pub dst: Option<Reg>,
}

impl State {
    /// The call that runs.
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a running state has a frame")
    }

    /// The call that runs, about to change.
    pub fn top_mut(&mut self) -> &mut Frame {
        Rc::make_mut(self.frames.last_mut().expect("a running state has a frame"))
    }

    /// Goes on with the next instruction.
    pub fn advance(&mut self) {
        self.top_mut().inst += 1;
        self.splits = 0;
    }

    /// The stack with the place where the innermost call stands.
    pub fn stack(&self, loc: Loc) -> Vec<StackPlace> {
        let mut at = loc;
        let mut stack = Vec::with_capacity(self.frames.len());
        for frame in self.frames.iter().rev() {
            stack.push(StackPlace { function: frame.function, loc: at });
            at = frame.called_at;
        }
        stack
    }

    /// Replaces terms everywhere but in the path and in what the world decided.
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
        if self.cut.iter().any(|&value| map.apply(terms, value) != value) {
            Rc::make_mut(&mut self.cut).iter_mut().for_each(|value| *value = map.apply(terms, *value));
        }
        if self.jumps.iter().any(|&(buffer, _)| map.apply(terms, buffer) != buffer) {
            for (buffer, _) in Rc::make_mut(&mut self.jumps) {
                *buffer = map.apply(terms, *buffer);
            }
        }
    }
}
