//! The builder of formulas: the symbolic state, the obligations, and the driver over all bodies.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::Origin;
use cairn_ir::{Body, CheckKind, Checks, FuncId, Loc, Program, Reg, Ty};
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use crate::limits::MAX_TERMS;
use crate::reason::Reason;
use crate::ssa::calls::context_assignment::Contexts;
use crate::ssa::calls::summaries::{Callee, Placeholder};
use crate::ssa::control_flow::natural_loops::Loops;
use crate::ssa::knowledge::{Context, Knowledge, LoopKey, Part, Place};
use crate::ssa::value::{FIRST, ObjectNumber, Value};
use crate::ssa::{BodyFormula, Dereference, Event, Formula, Location, Obligation};
use cairn_ir::analysis::liveness::Liveness;
pub use cairn_portfolio::calls::Calls;

/// The verification task.
#[derive(Clone, Debug)]
pub struct Options {
    /// The entry function of the program.
    pub entry: String,
    /// The requested check kinds.
    pub kinds: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` is a violation; otherwise it only ends the program.
    pub assert_faults: bool,
    /// How calls are encoded.
    pub calls: Calls,
    /// The assignment of calls to calling contexts.
    pub contexts: Contexts,
}

/// The treatment of executions that exceed the unwinding depth of a loop or of recursion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// Loops are cut after the unwound copies, and an invariant constrains the loop-back variables.
    Cut,
    /// Such executions are left out: bounded model checking.
    ///
    /// Every allocation then creates a single object, and many path conditions fold to constants without a solver.
    LeftOut,
}

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program has no function of this name.
    NoEntry(String),
    /// The formula becomes too large.
    TooLarge,
}

/// A variable of the state: an instance, by object number, and one of its parts.
pub(super) type Cell = (u32, Part);

/// The symbolic state at a program point: its guard and the values of registers and memory.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) guard: Term,
    /// The registers of the current function; `None` for uninitialised and dead ones.
    pub(super) regs: Vec<Option<Value>>,
    pub(super) cells: Rc<BTreeMap<Cell, Value>>,
}

/// The instruction that is being encoded: its destination, its checks, and its position.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) dst: Option<Reg>,
    pub(super) checks: Checks,
    pub(super) loc: Loc,
    pub(super) place: Place,
}

/// A function that is being inlined.
pub(super) struct Frame<'p> {
    pub(super) function: FuncId,
    pub(super) context: Context,
    pub(super) body: &'p Body,
    pub(super) loops: Rc<Loops>,
    pub(super) liveness: Rc<Liveness>,
    pub(super) returns: Vec<(State, Option<Value>)>,
    /// The registers of the caller.
    pub(super) caller: Vec<Option<Value>>,
    /// How the variadic arguments are passed.
    pub(super) variadic: Vec<Passing>,
}

/// The numbering of objects: each instance of an object has a number, and those of one object are consecutive.
pub(super) struct Numbering {
    /// The first number of each object.
    pub(super) first: BTreeMap<ObjectNumber, u32>,
    /// The object of each first number.
    pub(super) owners: BTreeMap<u32, ObjectNumber>,
    /// The next unused number.
    pub(super) next: u32,
}

/// The unwinding of loops and of recursion.
pub(super) struct Unwinding {
    pub(super) depth: u32,
    pub(super) beyond: Beyond,
    /// The unwound iterations so far that every execution takes and that do not count towards the depth.
    pub(super) certain_iterations: u32,
}

/// The parts of the formula that have been built.
#[derive(Default)]
pub(super) struct Output {
    pub(super) locations: Vec<Location>,
    pub(super) bodies: Vec<BodyFormula>,
    pub(super) placeholders: Vec<Placeholder>,
    pub(super) obligations: Vec<Obligation>,
    pub(super) dereferences: Vec<Dereference>,
    pub(super) events: Vec<(Term, Event)>,
    pub(super) left_out: Vec<Term>,
    pub(super) assumed_harmless: BTreeSet<String>,
    pub(super) allocates: bool,
    pub(super) recursive: bool,
}

/// Builds a formula.
pub struct Builder<'p, 'k> {
    pub(super) program: &'p Program,
    pub(super) options: &'p Options,
    pub(super) calls: Calls,
    pub(super) unwinding: Unwinding,
    pub(super) knowledge: &'k mut Knowledge,
    pub(super) terms: Terms,
    /// The size of the term table beyond which the formula is too large.
    pub(super) most_terms: usize,
    pub(super) pointer_bits: u32,
    /// The functions on the stack; the last one is being encoded.
    pub(super) frames: Vec<Frame<'p>>,
    /// The locations around the current point.
    pub(super) around: Vec<(usize, LoopKey)>,
    /// The unwound copy of each loop around the current point, in all functions on the stack.
    pub(super) copies: Vec<u32>,
    /// The current body.
    pub(super) body: usize,
    /// The functions with summaries, in the order of their bodies.
    pub(super) callees: Vec<Callee>,
    pub(super) analysed: FxHashMap<FuncId, (Rc<Loops>, Rc<Liveness>)>,
    /// The contents of constant objects, shared by all bodies.
    pub(super) constants: BTreeMap<Cell, Value>,
    pub(super) numbering: Numbering,
    pub(super) out: Output,
}

impl<'p, 'k> Builder<'p, 'k> {
    /// Creates a builder that starts from the facts of earlier builds.
    pub fn new(
        program: &'p Program,
        options: &'p Options,
        calls: Calls,
        (depth, beyond): (u32, Beyond),
        knowledge: &'k mut Knowledge,
        terms: Terms,
    ) -> Self {
        Self {
            most_terms: terms.len() + MAX_TERMS,
            program,
            options,
            calls,
            unwinding: Unwinding { depth, beyond, certain_iterations: 0 },
            knowledge,
            terms,
            pointer_bits: program.target.pointer_bits(),
            frames: Vec::new(),
            around: Vec::new(),
            copies: Vec::new(),
            body: 0,
            callees: Vec::new(),
            analysed: FxHashMap::default(),
            constants: BTreeMap::new(),
            numbering: Numbering { first: BTreeMap::new(), owners: BTreeMap::new(), next: FIRST },
            out: Output::default(),
        }
    }

    /// Builds the formula.
    ///
    /// # Errors
    /// Fails if there is no entry function or the formula becomes too large; returns the term table in both cases.
    pub fn build(mut self) -> Result<Formula, Box<(Failure, Terms)>> {
        if let Err(failure) = self.build_bodies() {
            return Err(Box::new((failure, self.terms)));
        }
        self.relate_calls();
        let manys: Vec<ObjectNumber> =
            self.numbering.first.keys().copied().filter(|&o| self.knowledge.info(o).many).collect();
        let instances = manys.into_iter().map(|o| (o, self.numbers(o))).collect();
        let mut object_names = vec!["null".to_owned(), "unknown".to_owned(), "dead".to_owned()];
        for object in self.numbering.owners.values().copied().collect::<Vec<_>>() {
            for number in self.numbers(object) {
                object_names.push(self.instance_name(number));
            }
        }
        let mut objects = BTreeMap::new();
        for object in self.numbering.first.keys().copied().collect::<Vec<_>>() {
            let name = self.knowledge.info(object).name.clone();
            objects.insert(object, (name, self.tracked(object)));
        }
        let out = self.out;
        Ok(Formula {
            terms: self.terms,
            locations: out.locations,
            bodies: out.bodies,
            calls: out.placeholders,
            obligations: out.obligations,
            dereferences: out.dereferences,
            events: out.events,
            left_out: out.left_out,
            instances,
            assumed_harmless: out.assumed_harmless,
            allocates: out.allocates,
            recursive: out.recursive,
            object_names,
            objects,
        })
    }

    /// Builds the entry function, and then the functions that turn out to need a body of their own.
    fn build_bodies(&mut self) -> Result<(), Failure> {
        let entry = self.program.function_named(&self.options.entry);
        let entry = entry.filter(|f| self.program.functions[f.index()].body.is_some());
        let entry = entry.ok_or_else(|| Failure::NoEntry(self.options.entry.clone()))?;
        self.begin_body(entry);
        let guard = self.terms.truth();
        let mut state = State { guard, regs: Vec::new(), cells: Rc::default() };
        self.set_up_globals(&mut state);
        let constant = |&(cell, _): &(&Cell, &Value)| {
            self.owner_of(cell.0).is_some_and(|object| self.knowledge.info(object).constant)
        };
        self.constants = state.cells.iter().filter(constant).map(|(&cell, value)| (cell, value.clone())).collect();
        let (args, read) = self.entry_arguments(entry);
        if read {
            self.incomplete(&state, Reason::ProgramArguments, Loc::NONE);
        }
        let context = Context(0);
        if let Some((state, value)) = self.function(state, entry, context, &args, Vec::new())? {
            self.leave_program(state, value)?;
        }
        let mut next = 0;
        while next < self.callees.len() {
            self.build_callee(next)?;
            next += 1;
        }
        Ok(())
    }

    /// Starts a new body.
    pub(super) fn begin_body(&mut self, function: FuncId) {
        self.body = self.out.bodies.len();
        self.out.bodies.push(BodyFormula { function, axioms: Vec::new(), definitions: Vec::new(), summary: None });
    }

    /// Adds a condition that holds in every execution of the current body.
    pub(super) fn axiom(&mut self, holds: Term) {
        self.out.bodies[self.body].axioms.push(holds);
    }

    fn entry_arguments(&mut self, entry: FuncId) -> (Vec<Value>, bool) {
        let function = &self.program.functions[entry.index()];
        let mut args = Vec::new();
        for passing in &function.signature.params {
            let ty = match passing {
                Passing::Scalar(ty) => *ty,
                Passing::Memory { .. } => Ty::Ptr,
            };
            args.push(Value::anything(&mut self.terms, "argument", ty.bits(self.program.target)));
        }
        let Some(body) = &function.body else { return (args, false) };
        (args, body.reads_params())
    }

    /// Calls `exit` after the entry function has returned, for the registered exit handlers.
    fn leave_program(&mut self, state: State, status: Option<Value>) -> Result<(), Failure> {
        let exit = self.program.function_named("exit").filter(|id| {
            let function = &self.program.functions[id.index()];
            let takes = function.signature.params == [Passing::Scalar(Ty::I32)];
            function.body.is_some() && function.origin == Origin::Model && takes
        });
        let Some(exit) = exit else { return Ok(()) };
        let status = status.filter(|value| self.terms.width(value.bits) == 32);
        let status = status.unwrap_or_else(|| Value::integer(self.terms.constant(0, 32)));
        let context = self.knowledge.context(Place {
            context: Context(0),
            block: usize::MAX,
            inst: 0,
            copies: Vec::new(),
            callee: None,
        });
        self.function(state, exit, context, &[status], Vec::new())?;
        Ok(())
    }

    /// Adds the obligation that `good` holds, and ends the path where it does not.
    pub(super) fn require(&mut self, state: &mut State, good: Term, kind: CheckKind, checks: Checks, loc: Loc) {
        let certain = self.terms.falsity();
        self.require_both(state, (good, certain), kind, checks, loc);
    }

    /// Adds the obligation that `good` holds and `doubtful` does not. The path ends only where `good` fails.
    ///
    /// `doubtful` means that an object of the rest is accessed, which may be valid. Ending the path there would drop
    /// executions that involve more objects than there are tracked instances.
    pub(super) fn require_both(
        &mut self,
        state: &mut State,
        (good, doubtful): (Term, Term),
        kind: CheckKind,
        checks: Checks,
        loc: Loc,
    ) {
        let not_good = self.terms.not(good);
        let either = self.terms.or(not_good, doubtful);
        let bad = self.terms.and(state.guard, either);
        state.guard = self.terms.and(state.guard, good);
        if self.terms.is_false(bad) {
            return;
        }
        let asked = self.options.kinds.contains(&kind);
        // Division by zero is known to stop the program. The effect of other undefined behaviour is unknown.
        if !asked && kind == CheckKind::DivisionByZero {
            return;
        }
        let incomplete = (!asked).then_some(Reason::UndefinedBehaviour(kind));
        let check = checks.iter().find(|c| self.program.checks[c.index()].kind == kind);
        let (around, body) = (self.location_indices(), self.body);
        self.out.obligations.push(Obligation { kind, check, incomplete, loc, bad, around, body });
    }

    /// Records that the formula does not cover the rest of a path.
    pub(super) fn incomplete(&mut self, state: &State, reason: Reason, loc: Loc) {
        self.incomplete_where(state.guard, reason, loc);
    }

    /// Records that the formula does not cover executions in which a condition holds.
    pub(super) fn incomplete_where(&mut self, bad: Term, reason: Reason, loc: Loc) {
        if !self.terms.is_false(bad) {
            let incomplete = Some(reason);
            let (kind, check, around, body) = (CheckKind::Unsupported, None, self.location_indices(), self.body);
            self.out.obligations.push(Obligation { kind, check, incomplete, loc, bad, around, body });
        }
    }

    /// Records an input. Only the inputs in the first body belong to a whole execution.
    pub(super) fn event(&mut self, guard: Term, event: Event) {
        if self.body == 0 {
            self.out.events.push((guard, event));
        }
    }

    pub(super) fn location_indices(&self) -> Vec<usize> {
        self.around.iter().map(|(index, _)| *index).collect()
    }

    pub(super) fn place(&self, block: usize, inst: usize) -> Place {
        let context = self.frames.last().map_or(Context(0), |frame| frame.context);
        Place { context, block, inst, copies: self.copies.clone(), callee: None }
    }
}
