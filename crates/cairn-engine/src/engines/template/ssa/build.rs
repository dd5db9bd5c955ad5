//! What builds the formula: the state on the way through the program, and what has to be impossible.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::Origin;
use cairn_ir::{Body, CheckKind, Checks, FuncId, Loc, Program, Ty};
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use super::contexts::Contexts;
use super::knowledge::{Context, Knowledge, LoopKey, Part, Place};
use super::loops::Loops;
use super::summary::{Callee, Placeholder};
use super::value::{FIRST, ObjectNumber, Value};
use super::{BodyFormula, Dereference, Event, Formula, Location, Obligation};
pub use crate::calls::Calls;
use crate::liveness::Liveness;

/// What is asked of the program.
#[derive(Clone, Debug)]
pub struct Options {
    /// The function that the program starts in.
    pub entry: String,
    /// The checks that count.
    pub kinds: Vec<CheckKind>,
    /// Whether allocations may fail.
    pub malloc_fails: bool,
    /// Whether a failed `assert` counts as one of the checks; otherwise it only ends the program.
    pub assert_faults: bool,
    /// What becomes of calls.
    pub calls: Calls,
    /// Which calls have summaries in common.
    pub contexts: Contexts,
}

/// What becomes of runs that pass a loop more often than it is unwound, or call themselves more often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beyond {
    /// Loops are cut at the end of what is unwound, and an invariant stands for what comes back.
    Cut,
    /// They are left out, so that every allocation makes one object and what is known of a path is known without a solver: bounded
    /// model checking.
    LeftOut,
}

/// Why there is no formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program has no function of this name.
    NoEntry(String),
    /// It becomes too large.
    TooLarge,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoEntry(name) => write!(f, "the program has no function `{name}`"),
            Self::TooLarge => f.write_str("the formula becomes too large"),
        }
    }
}

/// Terms beyond which a formula is given up.
const MAX_TERMS: usize = 1_500_000;

/// A variable of the state: an instance of an object, by its number, and a part of it.
pub(super) type Cell = (u32, Part);

/// The state at a place: when it is reached, and what everything holds.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) guard: Term,
    /// Registers of the function at hand; `None` for those that hold nothing.
    pub(super) regs: Vec<Option<Value>>,
    pub(super) cells: Rc<BTreeMap<Cell, Value>>,
}

/// A function that is being inlined.
pub(super) struct Frame<'p> {
    pub(super) function: FuncId,
    pub(super) context: Context,
    pub(super) body: &'p Body,
    pub(super) loops: Rc<Loops>,
    pub(super) liveness: Rc<Liveness>,
    pub(super) returns: Vec<(State, Option<Value>)>,
    /// The registers of the function that called it.
    pub(super) caller: Vec<Option<Value>>,
    /// How the variable arguments are passed.
    pub(super) variadic: Vec<Passing>,
}

/// Builds a formula.
pub struct Builder<'p, 'k> {
    pub(super) program: &'p Program,
    pub(super) options: &'p Options,
    pub(super) calls: Calls,
    pub(super) unwind: u32,
    pub(super) beyond: Beyond,
    pub(super) knowledge: &'k mut Knowledge,
    pub(super) terms: Terms,
    pub(super) most_terms: usize,
    pub(super) pointer_bits: u32,
    pub(super) frames: Vec<Frame<'p>>,
    /// The locations around the place at hand.
    pub(super) around: Vec<(usize, LoopKey)>,
    pub(super) copies: Vec<u32>,
    pub(super) analysed: FxHashMap<FuncId, (Rc<Loops>, Rc<Liveness>)>,
    /// What constant objects hold, in every body.
    pub(super) constants: BTreeMap<Cell, Value>,
    /// The first number of each object.
    pub(super) ids: BTreeMap<ObjectNumber, u32>,
    /// The object of each first number.
    pub(super) owners: BTreeMap<u32, ObjectNumber>,
    pub(super) next_id: u32,
    pub(super) locations: Vec<Location>,
    /// The bodies; the last one or those before it is being built.
    pub(super) bodies: Vec<BodyFormula>,
    /// The body at hand.
    pub(super) body: usize,
    /// The functions that have summaries, in the order of their bodies.
    pub(super) callees: Vec<Callee>,
    pub(super) placeholders: Vec<Placeholder>,
    pub(super) obligations: Vec<Obligation>,
    pub(super) dereferences: Vec<Dereference>,
    pub(super) events: Vec<(Term, Event)>,
    pub(super) left_out: Vec<Term>,
    pub(super) certain_turns: u32,
    pub(super) assumed_harmless: BTreeSet<String>,
    pub(super) allocates: bool,
    pub(super) recursive: bool,
}

impl<'p, 'k> Builder<'p, 'k> {
    /// A builder that starts from what is known.
    pub fn new(
        program: &'p Program,
        options: &'p Options,
        calls: Calls,
        (unwind, beyond): (u32, Beyond),
        knowledge: &'k mut Knowledge,
        terms: Terms,
    ) -> Self {
        Self {
            most_terms: terms.len() + MAX_TERMS,
            program,
            options,
            calls,
            unwind,
            beyond,
            knowledge,
            terms,
            pointer_bits: program.target.pointer_bits(),
            frames: Vec::new(),
            around: Vec::new(),
            copies: Vec::new(),
            analysed: FxHashMap::default(),
            constants: BTreeMap::new(),
            ids: BTreeMap::new(),
            owners: BTreeMap::new(),
            next_id: FIRST,
            locations: Vec::new(),
            bodies: Vec::new(),
            body: 0,
            callees: Vec::new(),
            placeholders: Vec::new(),
            obligations: Vec::new(),
            dereferences: Vec::new(),
            events: Vec::new(),
            left_out: Vec::new(),
            certain_turns: 0,
            assumed_harmless: BTreeSet::new(),
            allocates: false,
            recursive: false,
        }
    }

    /// Builds the formula.
    ///
    /// # Errors
    /// When there is no entry function, or the formula becomes too large; with the table of terms.
    pub fn build(mut self) -> Result<Formula, Box<(Failure, Terms)>> {
        if let Err(failure) = self.build_bodies() {
            return Err(Box::new((failure, self.terms)));
        }
        self.relate_calls();
        let manys: Vec<ObjectNumber> = self.ids.keys().copied().filter(|&o| self.knowledge.info(o).many).collect();
        let instances = manys.into_iter().map(|o| (o, self.numbers(o))).collect();
        let mut object_names = vec!["null".to_owned(), "unknown".to_owned(), "dead".to_owned()];
        for object in self.owners.values().copied().collect::<Vec<_>>() {
            for number in self.numbers(object) {
                object_names.push(self.instance_name(number));
            }
        }
        let mut objects = BTreeMap::new();
        for object in self.ids.keys().copied().collect::<Vec<_>>() {
            let name = self.knowledge.info(object).name.clone();
            objects.insert(object, (name, self.tracked(object)));
        }
        Ok(Formula {
            terms: self.terms,
            locations: self.locations,
            bodies: self.bodies,
            calls: self.placeholders,
            obligations: self.obligations,
            dereferences: self.dereferences,
            events: self.events,
            left_out: self.left_out,
            instances,
            assumed_harmless: self.assumed_harmless,
            allocates: self.allocates,
            recursive: self.recursive,
            object_names,
            objects,
        })
    }

    /// Builds what the program starts in, and then the functions that turn out to need a body of their own.
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
            self.gap(&state, "the program reads its arguments", Loc::NONE);
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

    /// What comes now belongs to another body.
    pub(super) fn begin_body(&mut self, function: FuncId) {
        self.body = self.bodies.len();
        self.bodies.push(BodyFormula { function, axioms: Vec::new(), definitions: Vec::new(), summary: None });
    }

    /// Something that holds in every run through the body at hand.
    pub(super) fn axiom(&mut self, holds: Term) {
        self.bodies[self.body].axioms.push(holds);
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

    /// The entry function has returned: `exit` runs what was registered for the end.
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

    /// Something that must not be possible, and that ends the path.
    pub(super) fn require(&mut self, state: &mut State, good: Term, kind: CheckKind, checks: Checks, loc: Loc) {
        let certain = self.terms.falsity();
        self.require_both(state, (good, certain), kind, checks, loc);
    }

    /// Something that must not be possible and that ends the path, and something of which it is not known whether it is fine, after
    /// which the path goes on: an object of the rest may be fine, and cutting it off would leave out runs in which more objects
    /// matter than there are instances.
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
        // Division by zero stops the program for certain; what other undefined behaviour leads to is not known.
        if !asked && kind == CheckKind::DivisionByZero {
            return;
        }
        let gap = (!asked).then(|| format!("a path may end in undefined behaviour that was not asked about ({kind})"));
        let check = checks.iter().find(|c| self.program.checks[c.index()].kind == kind);
        let (around, body) = (self.location_indices(), self.body);
        self.obligations.push(Obligation { kind, check, gap, loc, bad, around, body });
    }

    /// The path ends here and nothing is known of what comes after.
    pub(super) fn gap(&mut self, state: &State, reason: &str, loc: Loc) {
        self.gap_where(state.guard, reason, loc);
    }

    /// Nothing is known where a condition holds.
    pub(super) fn gap_where(&mut self, bad: Term, reason: &str, loc: Loc) {
        if !self.terms.is_false(bad) {
            let gap = Some(reason.to_owned());
            let (kind, check, around, body) = (CheckKind::Unsupported, None, self.location_indices(), self.body);
            self.obligations.push(Obligation { kind, check, gap, loc, bad, around, body });
        }
    }

    /// A choice of the world. Only those in the first body are of a whole run.
    pub(super) fn event(&mut self, guard: Term, event: Event) {
        if self.body == 0 {
            self.events.push((guard, event));
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
