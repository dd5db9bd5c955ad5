//! The conditions at cut-points: states them, and reports those that fail.

use cairn_ir::{CheckKind, Loc, Reg, Ty};
use cairn_rules::{Model, Term, Var};

use super::super::cut_points::{
    Broken, ClosedGraph, Slots, isolated_objects, links_freed_memory, links_to_keep, local_arrays, outliving_local,
};
use super::super::functions::result_type;
use super::super::invariants::{Fact, Invariant, Lifetime};
use super::super::limits::NULL_PAGE;
use super::super::report::{Condition, CutPoint, PointerDoubt, Reason, Subject, Violation, draw_model};
use super::super::solver::{Flow, Reach, Stop};
use super::super::state::{Cell, State, Value};
use super::super::types::NodeId;
use super::Execution;

/// A change of the graph that is not followed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Effect {
    /// A call. A struct that it returns goes to this variable.
    Call(Option<Term>),
    /// A write, to local variables as well.
    Write,
}

/// A condition that fails.
#[derive(Debug)]
pub(super) struct Failure {
    loc: Loc,
    condition: Condition,
    /// A model, unless the solver ran out of steps.
    model: Option<Box<Model>>,
    /// The cell or pointer that violates the condition.
    breaks: Option<Term>,
}

impl Failure {
    pub fn new(loc: Loc, condition: Condition, model: Option<Box<Model>>) -> Self {
        Self { loc, condition, model, breaks: None }
    }
}

impl Execution<'_, '_> {
    /// Reports a condition that fails; the path goes on where it holds.
    pub(super) fn doubt(&mut self, state: &State, failure: Failure) {
        let Failure { loc, condition, model, breaks } = failure;
        if !self.findings.wants(&condition) {
            return;
        }
        let Some(model) = model else { return self.findings.exhausted(condition) };
        let kind = if condition.is_about_memory() { CheckKind::OutOfBounds } else { CheckKind::Integrity };
        let (what, path) = (condition.to_string(), state.path.clone());
        let graph = draw_model(&self.solver, &model, state, self.body, breaks);
        let violation = Violation { kind, what, loc, path, graph, run: None };
        let input = self.input_of(&model);
        self.findings.doubt(&condition, violation, input);
    }

    /// Reports a condition that fails, and ends the path.
    pub(super) fn fail(&mut self, state: &State, failure: Failure) -> Stop {
        let loc = failure.loc;
        if failure.condition.is_about_memory() {
            self.findings.end_at_memory(loc);
        } else if !failure.condition.is_at_exit() {
            self.findings.end_at_integrity(loc);
        }
        self.doubt(state, failure);
        Stop::PathEnd
    }

    /// Reports that the graph is not closed at a cut-point, and ends the path.
    fn fail_broken(&mut self, state: &State, loc: Loc, at: CutPoint, broken: Broken) -> Stop {
        let Broken { model, cell: breaks, class } = broken;
        let condition = Condition::ValidLinks { class: self.types().class(class).name.clone(), at };
        self.fail(state, Failure { loc, condition, model, breaks })
    }

    /// Requires that a pointer that is handed on is null or a node of its type.
    pub(super) fn require_valid_pointer(
        &mut self,
        state: &State,
        node: Option<NodeId>,
        term: Term,
        loc: Loc,
        subject: Subject,
    ) -> Flow {
        let Some(node) = node else { return Ok(()) };
        self.solver.recognise_element(term, node)?;
        let valid = self.solver.constraint(self.context.theory.valid(node), &[term]);
        let mut negated = vec![!valid];
        if (1..NULL_PAGE).contains(&term.offset) && term.var != Var::ZERO {
            // The address of a member of null: an access through it stops the program as one through null does.
            negated.push(!self.solver.is_null(Term { offset: 0, ..term }));
        }
        let Err(model) = self.solver.prove(&negated) else { return Ok(()) };
        let condition = Condition::ValidPointer { subject, node: self.types().node(node).name.clone() };
        if let Some(doubt) = self.pointer_doubt(term, node) {
            self.findings.integrity_unknown(loc, Reason::UnknownPointer(subject, doubt));
            self.findings.note_cast();
            if !condition.is_at_exit() {
                self.findings.end_at_integrity(loc);
            }
            return Err(Stop::PathEnd);
        }
        Err(self.fail(state, Failure { loc, condition, model, breaks: Some(term) }))
    }

    /// Returns why a pointer may be valid although no type says so.
    fn pointer_doubt(&self, term: Term, node: NodeId) -> Option<PointerDoubt> {
        let origin = self.solver.origin(term);
        let untyped = origin.and_then(|origin| origin.untyped.as_ref());
        if untyped.is_some_and(|untyped| untyped.size.is_none()) {
            Some(PointerDoubt::UnknownSize)
        } else if origin.is_some_and(|origin| origin.opaque) || self.solver.is_other_view(term, node) {
            Some(PointerDoubt::ForeignCast)
        } else if self.solver.is_container(term, node) {
            Some(PointerDoubt::Container)
        } else if self.solver.is_pointer_to_data(term) {
            Some(PointerDoubt::UnknownLength)
        } else {
            None
        }
    }

    /// Requires that no link certainly leads to freed memory.
    fn require_no_freed_links(&mut self, state: &mut State, result: Option<Value>, loc: Loc) {
        if self.findings.is_integrity_proved() && links_freed_memory(&mut self.solver, state, result) {
            self.findings.integrity_unknown(loc, Reason::FreedMemoryLinked);
        }
    }

    /// Passes a call: the graph is valid before it, but for objects that the callee cannot reach, and valid after it.
    pub(super) fn settle_call(&mut self, state: &mut State, arguments: &[Term], effect: Effect, loc: Loc) -> Flow {
        self.require_no_freed_links(state, None, loc);
        let handed = arguments.iter().any(|&term| self.solver.reach(term) != Reach::Public);
        let mut graph = ClosedGraph::new(local_arrays(&self.solver, state));
        if !state.locals.escaped && !handed {
            graph.add_allocations(&self.solver, state);
        }
        graph.add_result_memory(&self.solver, state);
        graph.add_slots(&self.solver, state, Slots::NotLeaked);
        let chosen = match graph.prove(&mut self.solver, state, Vec::new()) {
            Ok(chosen) => chosen,
            Err(broken) => return Err(self.fail_broken(state, loc, CutPoint::Call, broken)),
        };
        let solver = &mut self.solver;
        let isolated = isolated_objects(solver, state, &graph, &chosen, arguments);
        let kept = match effect {
            Effect::Call(result) => links_to_keep(solver, state, &isolated, result)?,
            Effect::Write => Vec::new(),
        };
        state.locals.escaped |= handed;
        let before = state.heaps.all().to_vec();
        state.heaps.start_epoch(solver)?;
        for array in graph.arrays() {
            array.restore(solver, &mut state.heaps, before[array.class().index()])?;
        }
        for base in isolated {
            let fresh = solver.fresh(base, state.heaps.epoch());
            solver.assume(fresh)?;
        }
        for Cell { class, address, value } in kept {
            state.heaps.write(solver, class, address, value)?;
        }
        for index in chosen {
            let (class, cell) = graph.cell(index);
            state.heaps.write_anything(solver, class, cell)?;
        }
        Ok(())
    }

    /// Returns whether the graph is not valid before a call because of uninitialised memory that is handed to it.
    pub(super) fn is_open_because_of(&mut self, state: &State, handed: &[Term]) -> bool {
        let mut graph = ClosedGraph::new(local_arrays(&self.solver, state));
        graph.add_slots(&self.solver, state, Slots::NotLeaked);
        graph.remove_objects(handed);
        graph.prove(&mut self.solver, state, Vec::new()).is_err()
    }

    /// Arrives at a loop head: its invariant is weakened to what holds here.
    pub(super) fn arrive(&mut self, state: &mut State, head: usize) -> Flow {
        let body = self.body;
        let block = &body.blocks[head];
        let loc = block.locs.first().copied().unwrap_or(block.end_loc);
        self.require_no_freed_links(state, None, loc);
        let live = self.loops.live_at(body, head);
        self.note_lifetimes(state, head, &live, loc);
        let known = self.loops.invariant(head).cloned();
        let mut facts = known.as_ref().map_or_else(|| vec![Fact::Any; body.regs.len()], |known| known.facts().to_vec());
        for (index, fact) in facts.iter_mut().enumerate() {
            if !live.get(index).copied().unwrap_or(false) {
                *fact = Fact::Any;
                continue;
            }
            let value = state.frame().regs[index];
            let declared = self.pointee(body.ctypes.reg(Reg::new(index)));
            if let Value::Term(term) = value {
                self.give_type(term, declared)?;
            }
            *fact = match &known {
                None => Fact::of(&mut self.solver, self.loops.landmarks(), value, declared),
                Some(_) => fact.weaken(&mut self.solver, self.loops.landmarks(), value),
            };
        }
        match Invariant::at_head(&mut self.solver, state, body, known.as_ref(), facts) {
            Ok(next) => {
                self.loops.update(head, next);
                Ok(())
            }
            Err(broken) => Err(self.fail_broken(state, loc, CutPoint::LoopHead, broken)),
        }
    }

    /// Takes note of the variables that hold addresses of freed memory at a loop head, and of those that hold the same address.
    fn note_lifetimes(&mut self, state: &State, head: usize, live: &[bool], loc: Loc) {
        if !self.loops.frees() {
            return;
        }
        let is_live = |index: usize| live.get(index).copied().unwrap_or(false);
        let pointers: Vec<(usize, Term)> = (state.frame().regs.iter().enumerate())
            .filter(|&(index, _)| is_live(index) && self.body.regs[index].ty == Ty::Ptr)
            .filter_map(|(index, value)| match value {
                Value::Term(term) if term.var != Var::ZERO => Some((index, *term)),
                _ => None,
            })
            .collect();
        let mut lifetime = Lifetime::default();
        for (at, &(index, term)) in pointers.iter().enumerate() {
            for &(other, same) in &pointers[at + 1..] {
                let are_equal =
                    |&(a, b): &(Term, Term)| [(a.var, b.var), (b.var, a.var)].contains(&(term.var, same.var));
                if term.var == same.var || state.lifetimes.equal.iter().any(are_equal) {
                    lifetime.equal.insert((index, other));
                }
            }
            if self.is_freed(state, term) {
                lifetime.freed.insert(index);
            }
        }
        self.loops.add_lifetime(head, lifetime);
        if state.freed.is_empty() {
            return;
        }
        // Contents of variables in memory are not followed by name, so that the loop may use them.
        let is_freed_slot = |cell: &Cell| state.is_slot(&self.solver, cell.address);
        let slots: Vec<Term> =
            state.heaps.held().iter().filter(|cell| is_freed_slot(cell)).map(|cell| cell.value).collect();
        for value in slots {
            self.require_not_freed(state, value, loc);
        }
    }

    /// Arrives at the end of the function.
    pub(super) fn leave(&mut self, state: &mut State, value: Option<Value>, loc: Loc) -> Flow {
        self.findings.note_exit(&mut self.solver);
        let result = match value {
            Some(value) => self.return_value(state, value, loc)?,
            None => Reach::Public,
        };
        if state.locals.dangling
            && self.findings.is_integrity_proved()
            && let Some(reason) = outliving_local(&mut self.solver, state, self.body, value)
        {
            self.findings.integrity_unknown(loc, reason);
        }
        self.require_no_freed_links(state, value, loc);
        let mut graph = ClosedGraph::new(local_arrays(&self.solver, state));
        graph.add_slots(&self.solver, state, Slots::All);
        let slots = graph.len();
        if !state.locals.escaped {
            graph.add_allocations(&self.solver, state);
        }
        let chosen = match graph.prove(&mut self.solver, state, Vec::new()) {
            Ok(chosen) => chosen,
            Err(broken) => return Err(self.fail_broken(state, loc, CutPoint::Exit, broken)),
        };
        if result == Reach::Public || chosen.iter().all(|&index| index < slots) {
            return Ok(());
        }
        // It returns an uninitialised node. Its callers see that, if they are all in this program.
        let summary = self.context.summaries[self.function.index()];
        if summary.small {
            self.findings.note_in_callers();
        }
        if summary.open || !summary.small {
            graph.truncate(slots);
            if let Err(broken) = graph.prove(&mut self.solver, state, Vec::new()) {
                return Err(self.fail_broken(state, loc, CutPoint::Returned, broken));
            }
        }
        Ok(())
    }

    /// Returns who can reach the result, which has to be valid.
    fn return_value(&mut self, state: &mut State, value: Value, loc: Loc) -> Flow<Reach> {
        self.note_result(value);
        let node = self.pointee(result_type(self.context.program, self.body.ctypes.function));
        let term = match (value, node) {
            (Value::Term(term), _) => term,
            (_, Some(_)) => self.solver.unknown(),
            // A result that is no pointer does not matter.
            (_, None) => return Ok(Reach::Public),
        };
        self.values().demand_link(term, node);
        self.give_type(term, node)?;
        let is_new = |origin: &super::super::solver::Origin| origin.untyped.is_some() && origin.reach == Reach::Private;
        if self.solver.origin(term).is_some_and(is_new) && self.context.summaries[self.function.index()].small {
            self.findings.note_in_callers();
        }
        self.require_valid_pointer(state, node, term, loc, Subject::Result)?;
        state.locals.dangling |= state.leak(&mut self.solver, term);
        Ok(self.solver.reach(term))
    }
}
