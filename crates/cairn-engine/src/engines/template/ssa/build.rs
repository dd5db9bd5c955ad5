//! What builds the formula: the state on the way through the program, and what has to be impossible.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use cairn_ir::inst::Passing;
use cairn_ir::program::{Origin, Param};
use cairn_ir::{Body, CheckKind, Checks, FuncId, Loc, Operand, Program, Ty};
use cairn_smt::{Term, Terms};
use rustc_hash::FxHashMap;

use super::knowledge::{Context, Knowledge, LoopKey, Part, Place};
use super::loops::Loops;
use super::print::Definition;
use super::value::{FIRST, ObjectNumber, Value};
use super::{Dereference, Event, Formula, FormulaLoop, Obligation};
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
    pub(super) unwind: u32,
    pub(super) knowledge: &'k mut Knowledge,
    pub(super) terms: Terms,
    pub(super) most_terms: usize,
    pub(super) pointer_bits: u32,
    pub(super) frames: Vec<Frame<'p>>,
    /// The loops around the place at hand.
    pub(super) around: Vec<(usize, LoopKey)>,
    pub(super) copies: Vec<u32>,
    pub(super) analysed: FxHashMap<FuncId, (Rc<Loops>, Rc<Liveness>)>,
    /// The first number of each object.
    pub(super) ids: BTreeMap<ObjectNumber, u32>,
    /// The object of each first number.
    pub(super) owners: BTreeMap<u32, ObjectNumber>,
    pub(super) next_id: u32,
    pub(super) loops: Vec<FormulaLoop>,
    pub(super) obligations: Vec<Obligation>,
    pub(super) axioms: Vec<Term>,
    pub(super) dereferences: Vec<Dereference>,
    pub(super) events: Vec<(Term, Event)>,
    pub(super) untracked: Vec<Term>,
    pub(super) definitions: Vec<Definition>,
    pub(super) assumed_harmless: BTreeSet<String>,
    pub(super) allocates: bool,
}

impl<'p, 'k> Builder<'p, 'k> {
    /// A builder that starts from what is known.
    pub fn new(
        program: &'p Program,
        options: &'p Options,
        unwind: u32,
        knowledge: &'k mut Knowledge,
        terms: Terms,
    ) -> Self {
        Self {
            most_terms: terms.len() + MAX_TERMS,
            program,
            options,
            unwind,
            knowledge,
            terms,
            pointer_bits: program.target.pointer_bits(),
            frames: Vec::new(),
            around: Vec::new(),
            copies: Vec::new(),
            analysed: FxHashMap::default(),
            ids: BTreeMap::new(),
            owners: BTreeMap::new(),
            next_id: FIRST,
            loops: Vec::new(),
            obligations: Vec::new(),
            axioms: Vec::new(),
            dereferences: Vec::new(),
            events: Vec::new(),
            untracked: Vec::new(),
            definitions: Vec::new(),
            assumed_harmless: BTreeSet::new(),
            allocates: false,
        }
    }

    /// Builds the formula.
    ///
    /// # Errors
    /// When there is no entry function, or the formula becomes too large.
    pub fn build(mut self) -> Result<Formula, String> {
        let entry = self.program.function_named(&self.options.entry);
        let entry = entry.filter(|f| self.program.functions[f.index()].body.is_some());
        let entry = entry.ok_or_else(|| format!("the program has no function `{}`", self.options.entry))?;
        let guard = self.terms.truth();
        let mut state = State { guard, regs: Vec::new(), cells: Rc::default() };
        self.set_up_globals(&mut state);
        let (args, read) = self.entry_arguments(entry);
        if read {
            self.gap(&state, "the program reads its arguments", Loc::NONE);
        }
        let context = Context(0);
        if let Some((state, value)) = self.function(state, entry, context, &args, Vec::new())? {
            self.leave_program(state, value)?;
        }
        let manys: Vec<ObjectNumber> = self.ids.keys().copied().filter(|&o| self.knowledge.info(o).many).collect();
        let instances = manys.into_iter().map(|o| (o, self.numbers(o))).collect();
        let mut object_names = vec!["null".to_owned(), "unknown".to_owned(), "dead".to_owned()];
        for object in self.owners.values().copied().collect::<Vec<_>>() {
            for number in self.numbers(object) {
                object_names.push(self.instance_name(number));
            }
        }
        Ok(Formula {
            terms: self.terms,
            loops: self.loops,
            obligations: self.obligations,
            axioms: self.axioms,
            dereferences: self.dereferences,
            events: self.events,
            untracked: self.untracked,
            definitions: self.definitions,
            instances,
            assumed_harmless: self.assumed_harmless,
            allocates: self.allocates,
            object_names,
        })
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
        let params: Vec<Operand> = body
            .params
            .iter()
            .map(|param| match *param {
                Param::Reg(reg) => Operand::Reg(reg),
                Param::Slot(slot) => Operand::Slot(slot),
            })
            .collect();
        let mut read = false;
        for block in &body.blocks {
            block.insts.iter().for_each(|inst| inst.for_operands(&mut |operand| read |= params.contains(&operand)));
            block.end.for_operands(&mut |operand| read |= params.contains(&operand));
        }
        (args, read)
    }

    /// The entry function has returned: `exit` runs what was registered for the end.
    fn leave_program(&mut self, state: State, status: Option<Value>) -> Result<(), String> {
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
        let loops = self.loop_indices();
        self.obligations.push(Obligation { kind, check, gap, loc, bad, loops });
    }

    /// The path ends here and nothing is known of what comes after.
    pub(super) fn gap(&mut self, state: &State, reason: &str, loc: Loc) {
        self.gap_where(state.guard, reason, loc);
    }

    /// Nothing is known where a condition holds.
    pub(super) fn gap_where(&mut self, bad: Term, reason: &str, loc: Loc) {
        if !self.terms.is_false(bad) {
            let gap = Some(reason.to_owned());
            let (kind, check, loops) = (CheckKind::Unsupported, None, self.loop_indices());
            self.obligations.push(Obligation { kind, check, gap, loc, bad, loops });
        }
    }

    pub(super) fn loop_indices(&self) -> Vec<usize> {
        self.around.iter().map(|(index, _)| *index).collect()
    }

    pub(super) fn place(&self, block: usize, inst: usize) -> Place {
        let context = self.frames.last().map_or(Context(0), |frame| frame.context);
        Place { context, block, inst, copies: self.copies.clone(), callee: None }
    }
}
