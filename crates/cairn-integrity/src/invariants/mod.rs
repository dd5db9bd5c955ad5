//! Invariants of loops.
//!
//! At a loop head the paper assumes that the graph is closed and that variables are nodes. Here the assumption is what
//! all paths to the head have in common, weakened until it is inductive: which variables are nodes (`facts`), which
//! cells may hold anything because they are not initialised yet ("the graph is closed but for `last->next`", the
//! paper's future work), how far local arrays are filled (`filled_arrays`), which variable is ahead of which along a
//! chain of links (`chains`), and which links of local variables are not null (`anchors`).

mod anchors;
mod chains;
mod facts;
mod filled_arrays;
mod lifetimes;

use cairn_ir::program::Param;
use cairn_ir::{Body, Reg};
use cairn_rules::{Lit, Term};
use rustc_hash::FxHashMap;

use super::cut_points::{BlankedHeaps, Broken, CellName, ClosedGraph, Slots, local_arrays};
use super::functions::{Parameters, loop_heads};
use super::solver::{Flow, Landmarks, Origin, PathSolver, Reach};
use super::state::{State, Value};
use super::types::NodeTypes;
use cairn_ir::analysis::liveness::Liveness;

use anchors::Anchor;
use chains::Ahead;
pub(super) use facts::Fact;
use filled_arrays::Filling;
pub(super) use lifetimes::{Lifetime, Lifetimes};

/// The loops of a function, and the invariants found so far.
pub(super) struct Loops {
    heads: Vec<bool>,
    liveness: Liveness,
    landmarks: Landmarks,
    invariants: FxHashMap<usize, Invariant>,
    lifetimes: Lifetimes,
    /// Whether the function may free memory.
    frees: bool,
    /// Loop heads whose invariant changed.
    agenda: Vec<usize>,
}

impl Loops {
    pub fn new(body: &Body, types: &NodeTypes<'_>, frees: bool) -> Self {
        Self {
            heads: loop_heads(body),
            liveness: Liveness::of(body),
            landmarks: Landmarks::of(body, types),
            invariants: FxHashMap::default(),
            lifetimes: Lifetimes::default(),
            frees,
            agenda: Vec::new(),
        }
    }

    /// Forgets all invariants.
    pub fn restart(&mut self) {
        self.invariants.clear();
        self.lifetimes = Lifetimes::default();
        self.agenda.clear();
    }

    pub fn is_head(&self, block: usize) -> bool {
        self.heads[block]
    }

    /// Returns for each register whether it is live at the start of a block.
    pub fn live_at(&self, body: &Body, block: usize) -> Vec<bool> {
        self.liveness.before(body, block, 0)
    }

    pub fn landmarks(&self) -> &Landmarks {
        &self.landmarks
    }

    pub fn invariant(&self, head: usize) -> Option<&Invariant> {
        self.invariants.get(&head)
    }

    /// Records the invariant of a loop head. If it changed, paths from the head are followed again.
    pub fn update(&mut self, head: usize, next: Invariant) {
        if self.invariants.get(&head).is_none_or(|known| *known != next) {
            self.invariants.insert(head, next);
            if !self.agenda.contains(&head) {
                self.agenda.push(head);
            }
        }
    }

    /// Returns whether the function may free memory, so that lifetimes matter.
    pub fn frees(&self) -> bool {
        self.frees
    }

    /// Returns the lifetimes at loop heads.
    pub fn lifetimes(&self) -> &Lifetimes {
        &self.lifetimes
    }

    /// Adds a lifetime at a loop head. If it is new, paths from the head are followed again.
    pub fn add_lifetime(&mut self, head: usize, lifetime: Lifetime) {
        if self.lifetimes.add(head, lifetime) && !self.agenda.contains(&head) {
            self.agenda.push(head);
        }
    }

    /// Takes a loop head whose invariant changed.
    pub fn next(&mut self) -> Option<usize> {
        self.agenda.pop()
    }
}

/// The assumption at a loop head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Invariant {
    /// A fact per register.
    facts: Vec<Fact>,
    /// Cells that may hold anything.
    exempt: Vec<CellName>,
    /// For each register, whether nothing else points to its node.
    isolated: Vec<bool>,
    escaped: bool,
    dangling: bool,
    leaked: Vec<bool>,
    /// For each slot, whether no link leads to it.
    unlinked: Vec<bool>,
    fillings: Vec<Filling>,
    /// The slots of arrays whose first element is null.
    null_starts: Vec<usize>,
    chains: Vec<Ahead>,
    anchors: Vec<Anchor>,
}

impl Invariant {
    pub fn facts(&self) -> &[Fact] {
        &self.facts
    }

    /// Weakens an invariant to what holds in a state that arrives at the loop head.
    ///
    /// Without a known invariant, finds the strongest one. `facts` are the facts about registers that hold.
    ///
    /// Fails where the graph is not closed but for cells that can be left out.
    pub fn at_head(
        solver: &mut PathSolver<'_, '_>,
        state: &State,
        body: &Body,
        known: Option<&Invariant>,
        mut facts: Vec<Fact>,
    ) -> Result<Self, Broken> {
        let graph = exemptible_cells(solver, state, &facts);
        let mut exempt = known.map_or_else(Vec::new, |known| known.exempt.clone());
        let chosen = graph.prove(solver, state, graph.with_names(&exempt))?;
        let arrays = graph.arrays();
        let fillings = filled_arrays::fillings(
            solver,
            state,
            body,
            (&facts, arrays),
            known.map(|known| known.fillings.as_slice()),
        );
        let null_starts =
            filled_arrays::null_starts(solver, state, arrays, known.map(|known| known.null_starts.as_slice()));
        let chains = chains::chains(solver, state, &facts, known.map(|known| known.chains.as_slice()));
        let anchors = anchors::anchors(solver, state, known.map(|known| known.anchors.as_slice()));
        let heaps = graph.blanked(solver, state, &chosen);
        let mut isolated = known.map_or_else(|| vec![true; body.regs.len()], |known| known.isolated.clone());
        for (index, isolated) in isolated.iter_mut().enumerate() {
            *isolated &= match (facts[index], state.frame().regs[index]) {
                (Fact::Node { nonnull: true, offset: 0, reach: Reach::Private, .. }, Value::Term(base)) => {
                    let raw = chosen.iter().any(|&at| graph.cell(at).1.var == base.var);
                    raw && heaps.is_unlinked(solver, base) && is_sole_pointer(solver, state, &facts, index, base)
                }
                _ => false,
            };
        }
        let unlinked = unlinked_slots(solver, state, known, &heaps, &mut facts);
        for index in chosen {
            let name = graph.name(index);
            if !exempt.contains(&name) {
                exempt.push(name);
            }
        }
        Ok(Self {
            facts,
            exempt,
            isolated,
            escaped: state.locals.escaped || known.is_some_and(|known| known.escaped),
            dangling: state.locals.dangling || known.is_some_and(|known| known.dangling),
            unlinked,
            leaked: union(&state.locals.leaked, known.map_or(&[], |known| &known.leaked)),
            fillings,
            null_starts,
            chains,
            anchors,
        })
    }

    /// Assumes the invariant in a state at the loop head of which nothing is known yet.
    pub fn assume(
        &self,
        solver: &mut PathSolver<'_, '_>,
        state: &mut State,
        landmarks: &Landmarks,
        result_memory: Option<Reg>,
    ) -> Flow {
        state.locals.escaped = self.escaped;
        state.locals.dangling = self.dangling;
        state.locals.leaked.clone_from(&self.leaked);
        let mut fresh = Vec::new();
        for index in 0..self.facts.len() {
            let value = self.assume_fact(solver, state, landmarks, Reg::new(index), &mut fresh)?;
            state.frame_mut().regs[index] = value;
            if result_memory == Some(Reg::new(index))
                && let (Fact::Node { node, offset, .. }, Value::Term(term)) = (self.facts[index], value)
            {
                state.locals.out = Some((term - offset, node));
            }
        }
        for (index, &unlinked) in self.unlinked.iter().enumerate() {
            if unlinked {
                fresh.push(solver.fresh(state.frame().slots[index], 0));
            }
        }
        for lit in fresh {
            solver.assume(lit)?;
        }
        filled_arrays::assume(solver, state, &self.facts, &self.fillings, &self.null_starts)?;
        self.assume_exempt_cells(solver, state)?;
        chains::assume(solver, state, &self.facts, &self.chains)?;
        anchors::assume(solver, state, &self.anchors)
    }

    /// Makes the value of a register. Literals that are assumed after all values exist are added to `later`.
    fn assume_fact(
        &self,
        solver: &mut PathSolver<'_, '_>,
        state: &mut State,
        landmarks: &Landmarks,
        reg: Reg,
        later: &mut Vec<Lit>,
    ) -> Flow<Value> {
        let isolated = self.isolated[reg.index()];
        Ok(match self.facts[reg.index()] {
            Fact::Any => Value::Unknown,
            Fact::Constant(constant) => Value::constant(constant),
            Fact::Range(low, high) => {
                // The length of an array is no bound that the code keeps to.
                let by_length = high.is_some_and(|high| landmarks.is_length(high));
                let counter = high.is_none() || by_length;
                let term = solver.variable(Origin { by_length, counter, ..Origin::default() });
                if let Some(low) = low {
                    let lit = solver.at_most(Term::constant(low), term);
                    solver.assume(lit)?;
                }
                if let Some(high) = high {
                    let lit = solver.at_most(term, Term::constant(high));
                    solver.assume(lit)?;
                }
                Value::Term(term)
            }
            Fact::Node { node, offset, nonnull, reach, apart } => {
                let base = solver.variable(Origin { reach, ..Origin::pointer(node) });
                if isolated || !apart {
                    solver.assume_object(Some(node), base)?;
                } else {
                    solver.assume_node(node, base, 0)?;
                }
                if nonnull {
                    let lit = !solver.is_null(base);
                    solver.assume(lit)?;
                }
                if reach == Reach::Private {
                    state.locals.made.push((base, node));
                }
                if isolated {
                    later.push(solver.fresh(base, 0));
                    later.push(solver.made(base));
                }
                Value::Term(base + offset)
            }
        })
    }

    fn assume_exempt_cells(&self, solver: &mut PathSolver<'_, '_>, state: &mut State) -> Flow {
        let types = solver.types();
        for &name in &self.exempt {
            let place = match name {
                CellName::Reg(reg, at) => match (self.facts[reg.index()], state.reg(reg)) {
                    (Fact::Node { node, offset, .. }, Value::Term(term)) => Some((node, term - offset, at)),
                    _ => None,
                },
                CellName::Slot(index, at) => {
                    let slot = state.frame().slots[index];
                    solver.hint(slot).map(|node| (node, slot, at))
                }
                CellName::Made => None,
            };
            let Some((node, base, at)) = place else { continue };
            for (offset, class) in types.node(node).touched(types, at as i64, 1) {
                state.heaps.write_anything(solver, class, base + offset as i64)?;
            }
        }
        Ok(())
    }
}

/// Returns the register of the memory for a struct result.
pub(super) fn result_memory(body: &Body, parameters: &Parameters) -> Option<Reg> {
    match body.params.first() {
        Some(Param::Reg(reg)) if parameters.has_result_memory => Some(*reg),
        _ => None,
    }
}

/// Returns the condition at a loop head: links in the nodes of registers and in slots may be left out.
fn exemptible_cells(solver: &PathSolver<'_, '_>, state: &State, facts: &[Fact]) -> ClosedGraph {
    let mut graph = ClosedGraph::new(local_arrays(solver, state));
    for (index, fact) in facts.iter().enumerate() {
        if let (Fact::Node { node, offset, .. }, Value::Term(term)) = (fact, state.frame().regs[index]) {
            let reg = Reg::new(index);
            graph.add_node(solver, term - *offset, *node, |at| CellName::Reg(reg, at));
        }
    }
    // A slot keeps its name. Among registers, the last declared one most likely points to the node under construction.
    graph.add_slots(solver, state, Slots::All);
    graph.reverse();
    graph
}

/// Returns for each slot whether no link leads to it. The facts say which registers may still point to such slots.
fn unlinked_slots(
    solver: &mut PathSolver<'_, '_>,
    state: &State,
    known: Option<&Invariant>,
    heaps: &BlankedHeaps,
    facts: &mut [Fact],
) -> Vec<bool> {
    let slots = state.slots();
    let mut unlinked = known.map_or_else(|| vec![true; slots.len()], |known| known.unlinked.clone());
    for (index, &slot) in slots.iter().enumerate() {
        unlinked[index] &= solver.reach(slot) == Reach::Public && heaps.is_unlinked(solver, slot);
    }
    let mut fine = true;
    for (index, fact) in facts.iter_mut().enumerate() {
        let Fact::Node { offset, nonnull, apart, .. } = fact else { continue };
        let Value::Term(term) = state.frame().regs[index] else { continue };
        for &slot in slots.iter().zip(&unlinked).filter(|(_, unlinked)| **unlinked).map(|(slot, _)| slot) {
            let same = solver.equal(term - *offset, slot);
            *apart &= solver.is_refuted(&[same]);
        }
        fine &= *apart || *nonnull;
    }
    if !fine {
        unlinked.fill(false);
    }
    if !unlinked.contains(&true) {
        for fact in facts {
            if let Fact::Node { apart, .. } = fact {
                *apart = true;
            }
        }
    }
    unlinked
}

/// Returns whether no other register points to the node of a register.
fn is_sole_pointer(solver: &mut PathSolver<'_, '_>, state: &State, facts: &[Fact], index: usize, base: Term) -> bool {
    for other in (0..facts.len()).filter(|&other| other != index) {
        if let (Fact::Node { offset, .. }, Value::Term(term)) = (facts[other], state.frame().regs[other]) {
            let same = solver.equal(term - offset, base);
            if !solver.is_refuted(&[same]) {
                return false;
            }
        }
    }
    true
}

fn union(a: &[bool], b: &[bool]) -> Vec<bool> {
    let at = |bits: &[bool], index: usize| bits.get(index).copied().unwrap_or(false);
    (0..a.len().max(b.len())).map(|index| at(a, index) || at(b, index)).collect()
}
